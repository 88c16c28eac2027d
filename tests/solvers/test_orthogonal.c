/* The solvers' bases stay orthonormal for singular values over twelve decades, for which a single Gram-Schmidt pass
 * or the recurrence alone fails.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "recon/modules.h"
#include "solvers/krylov/arnoldi.h"
#include "tests/support/small.h"
#include "tests/support/support.h"

enum { N = 60, STEPS = 40 };

/* y = d x, with the singular values in d. */
static void by_values(void *self, const gt_array *x, gt_array *y)
{
	gt_copy(x, y);
	gt_mul(self, y);
}

static const struct gt_linop_ops ops = { .name = "values", .forward = by_values, .adjoint = by_values };

/* Three large ones, which a Krylov space finds within a few steps, and a long decay. */
static gt_array *values(gt_backend *be)
{
	double d[N];
	gt_array *a = gt_test_array(be, GT_F64, N, 1);
	for (int i = 0; i < N; i++)
		d[i] = i < 3 ? 100 * pow(7, -i) : pow(10, -9. * i / N);
	gt_array_put(d, a);
	return a;
}

/* Returns the largest entry of V'V - 1 of the first n vectors, contiguous in V. */
static double off_orthonormal(const gt_array *V, size_t n)
{
	double *v = calloc(gt_array_size(V), sizeof *v), max = 0;
	gt_array_get(V, v);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++) {
			double sum = i == j ? -1 : 0;
			for (size_t e = 0; e < N; e++)
				sum += v[i * N + e] * v[j * N + e];
			max = fmax(max, fabs(sum));
		}
	free(v);
	return max;
}

GT_TEST(krylov_space_of_a_square_operator)
{
	gt_backend *be = gt_test_backend();
	gt_array *d = values(be), *r = gt_test_array(be, GT_F64, N, 5);
	gt_arnoldi a = { 0 };
	ck_ok(gt_arnoldi_new("a test", r, STEPS, &a));
	gt_copy(r, gt_basis_vector(a.V, 0));
	gt_arnoldi_start(&a);
	for (size_t k = 0; k < STEPS; k++) {
		by_values(d, gt_basis_vector(a.V, k), gt_basis_vector(a.V, k + 1));
		gt_arnoldi_step(&a);
	}
	const double off = off_orthonormal(gt_basis_whole(a.V), STEPS + 1);
	printf("arnoldi: %.2g\n", off);
	fflush(stdout);
	ck_assert_double_le(off, 1e-14 * N);
	gt_arnoldi_free(&a);
	gt_array_free(d);
	gt_array_free(r);
	gt_backend_close(be);
}

/* Records the largest error of the stored basis in any iteration. */
static int watch(void *self, const gt_progress *g)
{
	double *max = self;
	for (const gt_state_entry *e = g->kept; e && e->name; e++)
		if (!strcmp(e->name, "basis"))
			*max = fmax(*max, off_orthonormal(e->array, (size_t)g->iteration));
	return 0;
}

GT_TEST(basis_of_hybrid_lsqr)
{
	gt_backend *be = gt_test_backend();
	gt_array *d = values(be), *b = gt_test_array(be, GT_F64, N, 6), *x = gt_test_array(be, GT_F64, N, 7);
	gt_linop *A = NULL;
	double max = -1;
	const gt_monitor monitor = { .each = watch, .self = &max };
	gt_method m;
	ck_ok(gt_linop_new(&ops, d, be, GT_F64, N, N, &A));
	ck_ok(gt_method_parse("hybrid-lsqr:iterations=40,strength=fixed,lambda=1e-3", &m));
	const gt_problem p = { .subsets = 1, .A = &A, .b = &b, .lo = -INFINITY, .hi = INFINITY };
	ck_ok(gt_solve(m.solver, &p, m.options, x, &monitor));
	printf("hybrid-lsqr: %.2g\n", max);
	fflush(stdout);
	ck_assert_double_ge(max, 0);
	ck_assert_double_le(max, 1e-14 * N);
	gt_method_free(&m);
	gt_linop_free(A);
	gt_array_free(d);
	gt_array_free(b);
	gt_array_free(x);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("orthogonal", NULL); }
