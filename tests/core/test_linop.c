/* The adjoint tests themselves: they accept a small matrix with its transpose and detect every wrong one.
 * labels: unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/backend.h"
#include "tests/support/support.h"
#include "tests/support/transpose.h"

/* A 3 x 4 matrix with an adjoint that may be wrong in one entry. */
struct matrix {
	double a[3][4], spoil;
};

static void forward(void *self, const gt_array *x, gt_array *y)
{
	const struct matrix *m = self;
	double in[4], out[3] = { 0 };
	gt_array_get(x, in);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++)
			out[i] += m->a[i][j] * in[j];
	gt_array_put(out, y);
}

static void adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct matrix *m = self;
	double in[3], out[4] = { 0 };
	gt_array_get(y, in);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++)
			out[j] += (m->a[i][j] + (i == 1 && j == 2 ? m->spoil : 0)) * in[i];
	gt_array_put(out, x);
}

static const struct gt_linop_ops ops = { .name = "matrix", .forward = forward, .adjoint = adjoint, .free = free };
static const struct gt_linop_ops transposed_ops = { .name = "transposed", .forward = adjoint, .adjoint = forward, .free = free };

static gt_linop *matrix_of(gt_backend *be, double spoil, int transposed)
{
	struct matrix *m = malloc(sizeof *m);
	gt_linop *A = NULL;
	*m = (struct matrix){ { { 1, -2, 0.5, 3 }, { 0, 4, -1, 2 }, { 7, 0, 0, -5 } }, spoil };
	ck_ok(gt_linop_new(transposed ? &transposed_ops : &ops, m, be, GT_F64, transposed ? 3 : 4, transposed ? 4 : 3, &A));
	return A;
}

static gt_linop *matrix(gt_backend *be, double spoil) { return matrix_of(be, spoil, 0); }

GT_TEST(true_transpose_passes)
{
	gt_backend *be = gt_test_backend();
	gt_linop *A = matrix(be, 0);
	double difference, largest, mismatch;
	ck_ok(gt_linop_mismatch_elements(A, &difference, &largest));
	ck_assert_double_eq(difference, 0);
	ck_assert_double_eq(largest, 7);
	ck_ok(gt_linop_mismatch(A, 1, &mismatch));
	ck_assert_double_lt(mismatch, 1e-15);
	gt_linop_free(A);
	gt_backend_close(be);
}

GT_TEST(wrong_transpose_is_caught)
{
	gt_backend *be = gt_test_backend();
	gt_linop *A = matrix(be, 1e-6);
	double difference, largest, mismatch;
	ck_ok(gt_linop_mismatch_elements(A, &difference, &largest));
	ck_assert_double_eq_tol(difference, 1e-6, 1e-12);
	ck_ok(gt_linop_mismatch(A, 1, &mismatch));
	ck_assert_double_gt(mismatch, 1e-10);
	gt_linop_free(A);
	A = matrix(be, NAN); /* no later entry hides it */
	ck_ok(gt_linop_mismatch_elements(A, &difference, &largest));
	ck_assert(isnan(difference));
	gt_linop_free(A);
	gt_backend_close(be);
}

/* gt_test_transpose(), which other tests rely on: a wide and a high matrix with one wrong or NaN entry. */
GT_TEST(one_wrong_entry_is_seen_from_the_smaller_side)
{
	static const double spoil[] = { 0, 1e-6, -3, NAN };
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 8; k++) {
		gt_linop *A = matrix_of(be, spoil[k / 2], k % 2);
		double difference, largest;
		gt_test_transpose(A, &difference, &largest);
		if (isnan(spoil[k / 2]))
			ck_assert(isnan(difference));
		else
			ck_assert_double_eq_tol(difference, fabs(spoil[k / 2]), 1e-12);
		ck_assert_double_ge(largest, 7);
		gt_linop_free(A);
	}
	gt_backend_close(be);
}

GT_TEST(wrong_sizes_are_refused)
{
	gt_backend *be = gt_test_backend();
	gt_linop *A = matrix(be, 0);
	gt_array *x = gt_test_array(be, GT_F64, 5, 1), *y = gt_test_array(be, GT_F64, 3, 1), *single = gt_test_array(be, GT_F32, 4, 1);
	gt_forward(A, x, y);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "maps 4 to 3");
	gt_forward(A, single, y);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "single");
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(single);
	gt_linop_free(A);
	gt_backend_close(be);
}

/* An operator without free() leaves data of its caller untouched. */
GT_TEST(operator_without_free_leaves_self_alone)
{
	static const struct gt_linop_ops borrowed = { .name = "borrowed", .forward = forward, .adjoint = adjoint };
	struct matrix m = { { { 1, -2, 0.5, 3 }, { 0, 4, -1, 2 }, { 7, 0, 0, -5 } }, 0 };
	gt_backend *be = gt_test_backend();
	gt_linop *A = NULL;
	ck_ok(gt_linop_new(&borrowed, &m, be, GT_F64, 4, 3, &A));
	gt_linop_free(A);
	ck_assert_double_eq(m.a[1][1], 4);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("linop", NULL); }
