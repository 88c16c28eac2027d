/* pcg, fista, os-sqs and weighted cgls: the exact minimum of a small problem by elimination.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/backend.h"
#include "tests/support/noisy.h"
#include "tests/support/penalties.h"
#include "tests/support/support.h"

/* y = M x for a small matrix on the host, rows contiguous; transfers arrays, unlike the library's operators. */
enum { ROWS = 8, COLUMNS = 6, HALF = ROWS / 2 };
struct dense {
	gt_type type;
	size_t rows;
	double m[ROWS][COLUMNS];
};

static void dense_get(const gt_array *a, double *host)
{
	float single[ROWS];
	if (gt_array_type(a) == GT_F64) {
		gt_array_get(a, host);
		return;
	}
	gt_array_get(a, single);
	for (size_t i = 0; i < gt_array_size(a); i++)
		host[i] = single[i];
}

static void dense_put(const double *host, gt_array *a)
{
	float single[ROWS];
	for (size_t i = 0; i < gt_array_size(a); i++)
		single[i] = (float)host[i];
	gt_array_put(gt_array_type(a) == GT_F64 ? (const void *)host : single, a);
}

static void dense_forward(void *self, const gt_array *x, gt_array *y)
{
	const struct dense *d = self;
	double in[ROWS], out[ROWS] = { 0 };
	dense_get(x, in);
	for (size_t i = 0; i < d->rows; i++)
		for (size_t j = 0; j < COLUMNS; j++)
			out[i] += d->m[i][j] * in[j];
	dense_put(out, y);
}

static void dense_adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct dense *d = self;
	double in[ROWS], out[ROWS] = { 0 };
	dense_get(y, in);
	for (size_t i = 0; i < d->rows; i++)
		for (size_t j = 0; j < COLUMNS; j++)
			out[j] += d->m[i][j] * in[i];
	dense_put(out, x);
}
static const struct gt_linop_ops dense_ops = { "dense", dense_forward, dense_adjoint, free };

static gt_linop *dense(gt_backend *be, gt_type type, const double m[][COLUMNS], size_t rows)
{
	struct dense *d = calloc(1, sizeof *d);
	gt_linop *A = NULL;
	d->type = type;
	d->rows = rows;
	memcpy(d->m, m, rows * sizeof *m);
	ck_ok(gt_linop_new(&dense_ops, d, be, type, COLUMNS, rows, &A));
	return A;
}

/* Solves (M'WM + strength D'D) x = M'W b by elimination; D: differences. The matrix is diagonally dominant, so no
 * pivoting. */
static void normal_equations(const double m[][COLUMNS], const double *w, const double *b, double strength, double *x)
{
	double h[COLUMNS][COLUMNS + 1] = { { 0 } };
	for (int j = 0; j < COLUMNS; j++)
		for (int i = 0; i < ROWS; i++) {
			for (int k = 0; k < COLUMNS; k++)
				h[j][k] += m[i][j] * w[i] * m[i][k];
			h[j][COLUMNS] += m[i][j] * w[i] * b[i];
		}
	for (int j = 0; j + 1 < COLUMNS; j++) {
		h[j][j] += strength;
		h[j + 1][j + 1] += strength;
		h[j][j + 1] -= strength;
		h[j + 1][j] -= strength;
	}
	for (int j = 0; j < COLUMNS; j++)
		for (int i = j + 1; i < COLUMNS; i++)
			for (int k = COLUMNS; k >= j; k--)
				h[i][k] -= h[i][j] / h[j][j] * h[j][k];
	for (int j = COLUMNS - 1; j >= 0; j--) {
		x[j] = h[j][COLUMNS];
		for (int k = j + 1; k < COLUMNS; k++)
			x[j] -= h[j][k] * x[k];
		x[j] /= h[j][j];
	}
}

static const struct {
	const char *name, *options;
	int halves;
	double strength;
} exact[] = { { "pcg", "iterations=40", 0, 0.7 },    { "pcg", "iterations=60,preconditioner=none", 0, 0.7 },
	      { "fista", "iterations=400", 0, 0.7 }, { "os-sqs", "iterations=400,subsets=2,fewer=0.1,single=0.2", 1, 0.7 },
	      { "cgls", "iterations=12", 0, 0 },     { "pcg", "iterations=40", 0, 0 } };

GT_TESTS(minimum_of_a_small_problem, 2 * sizeof exact / sizeof *exact)
{
	const int i = _i / 2;
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	gt_backend *be = gt_test_backend();
	float random[ROWS * COLUMNS + 2 * ROWS];
	double m[ROWS][COLUMNS], w[ROWS], b[ROWS], expected[ROWS], got[ROWS];
	gt_test_random(21, ROWS * COLUMNS + 2 * ROWS, random);
	for (int r = 0; r < ROWS; r++) {
		for (int c = 0; c < COLUMNS; c++)
			m[r][c] = 0.3 + 0.3 * (double)random[r * COLUMNS + c] + (r % COLUMNS == c);
		w[r] = r == 5 ? 0 : 1.1 + (double)random[ROWS * COLUMNS + r];
		b[r] = 3 * (double)random[ROWS * COLUMNS + ROWS + r];
	}
	normal_equations((const double(*)[COLUMNS])m, w, b, exact[i].strength, expected);
	gt_array *x = gt_test_array(be, type, COLUMNS, 4), *bs[2] = { NULL }, *ws[2] = { NULL };
	gt_linop *A[2] = { NULL };
	const size_t parts = exact[i].halves ? 2 : 1, rows = ROWS / parts;
	for (size_t k = 0; k < parts; k++) {
		A[k] = dense(be, type, (const double(*)[COLUMNS])m + k * HALF, rows);
		ck_ok(gt_array_new(be, type, rows, &bs[k]));
		ck_ok(gt_array_new(be, type, rows, &ws[k]));
		dense_put(b + k * HALF, bs[k]);
		dense_put(w + k * HALF, ws[k]);
	}
	gt_penalty *R = exact[i].strength > 0 ? gt_test_chain(&gt_test_chain_ops, x, exact[i].strength, INFINITY) : NULL;
	const gt_problem p = { .subsets = parts, .A = A, .b = bs, .w = ws, .R = R, .lo = -INFINITY, .hi = INFINITY };
	ck_ok(gt_test_solve(exact[i].name, exact[i].options, &p, x, NULL));
	dense_get(x, got);
	for (int j = 0; j < COLUMNS; j++)
		ck_assert_msg(fabs(got[j] - expected[j]) < (type == GT_F64 ? 1e-10 : 2e-5), "%s, voxel %d: %.12g, expected %.12g",
		              exact[i].name, j, got[j], expected[j]);
	for (size_t k = 0; k < parts; k++) {
		gt_linop_free(A[k]);
		gt_array_free(bs[k]);
		gt_array_free(ws[k]);
	}
	gt_array_free(x);
	gt_penalty_free(R);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("pwls-small", NULL); }
