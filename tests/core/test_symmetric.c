/* Small symmetric matrices: factors, solutions, inverses and eigenvectors of random matrices of known rank.
 * labels: unit, backend: none */
#include <math.h>
#include <string.h>
#include "core/basis/symmetric.h"
#include "core/random.h"
#include "tests/support/support.h"

enum { MAX_N = 20 };
static const size_t sizes[] = { 1, 2, 3, 7, MAX_N };
#define CASES (int)(sizeof sizes / sizeof *sizes)
static const double tolerance = 1e-11;

/* a = B B' with B of `rank` columns, whose rows are scaled over six decades. */
static void make(size_t n, size_t rank, double *a)
{
	double B[MAX_N * MAX_N];
	gt_random r;
	gt_random_at(7 + n, rank, &r);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < rank; k++)
			B[i * rank + k] = gt_normal(&r) * pow(10, (double)(i % 7) - 3);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			a[i * n + j] = 0;
			for (size_t k = 0; k < rank; k++)
				a[i * n + j] += B[i * rank + k] * B[j * rank + k];
		}
}

/* |x y - z| relative to the diagonals, x and y [n][n]; y is transposed if asked. */
static void check_product(size_t n, const double *x, const double *y, int transposed, const double *z, const double *scale)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = -z[i * n + j];
			for (size_t k = 0; k < n; k++)
				sum += x[i * n + k] * (transposed ? y[j * n + k] : y[k * n + j]);
			ck_assert_msg(fabs(sum) <= tolerance * scale[i] * scale[j], "(%zu, %zu) of %zu: off by %g", i, j, n, sum);
		}
}

GT_TESTS(factors_give_the_matrix, CASES)
{
	const size_t n = sizes[_i];
	double a[MAX_N * MAX_N], L[MAX_N * MAX_N], scale[MAX_N];
	for (size_t rank = 1; rank <= n; rank++) {
		make(n, rank, a);
		for (size_t i = 0; i < n; i++)
			scale[i] = sqrt(a[i * n + i]);
		memcpy(L, a, sizeof L);
		for (size_t i = 0; i < n; i++)
			for (size_t j = i + 1; j < n; j++)
				L[i * n + j] = NAN; /* the upper triangle is not read */
		ck_assert_uint_eq(gt_cholesky(n, 1e-10, L), rank);
		check_product(n, L, L, 1, a, scale);
	}
}

GT_TESTS(solution_of_a_regular_system, CASES)
{
	const size_t n = sizes[_i];
	double a[MAX_N * MAX_N], L[MAX_N * MAX_N], x[MAX_N], b[MAX_N] = { 0 };
	make(n, n, a);
	for (size_t i = 0; i < n; i++) {
		x[i] = (1 + (double)i) / sqrt(a[i * n + i]);
		a[i * n + i] *= 1.5; /* well conditioned */
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			b[i] += a[i * n + j] * x[j];
	memcpy(L, a, sizeof L);
	ck_assert_uint_eq(gt_cholesky(n, 0, L), n);
	gt_cholesky_solve(n, L, b);
	for (size_t i = 0; i < n; i++)
		ck_assert_double_eq_tol(b[i] / x[i], 1, tolerance);
}

GT_TEST(solution_of_a_singular_system)
{
	/* the second unknown repeats the first, the third has no equation */
	double a[9] = { 4, 2, 0, 2, 1, 0, 0, 0, 0 }, x[3] = { 8, 4, 5 };
	ck_assert_uint_eq(gt_cholesky(3, 1e-10, a), 1);
	gt_cholesky_solve(3, a, x);
	ck_assert_double_eq(x[0], 2);
	ck_assert(x[1] == 0 && x[2] == 0);
}

GT_TESTS(inverse, CASES)
{
	const size_t n = sizes[_i];
	double a[MAX_N * MAX_N], b[MAX_N * MAX_N], unit[MAX_N * MAX_N];
	make(n, n, a);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			a[i * n + j] *= i == j ? 1.5 : 1;
	memcpy(b, a, sizeof b);
	for (size_t i = 0; i < n * n; i++)
		unit[i] = i / n == i % n;
	ck_assert_int_eq(gt_symmetric_invert(n, 1e-13, b), 1);
	/* entry (i, j) of a b scales as the row i of a and the inverse of row j */
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = -unit[i * n + j];
			for (size_t k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			ck_assert_double_eq_tol(sum * sqrt(a[j * n + j] / a[i * n + i]), 0, tolerance);
			ck_assert(b[i * n + j] == b[j * n + i]);
		}
}

GT_TEST(no_inverse)
{
	double a[MAX_N * MAX_N], zero[4] = { 1, 0, 0, 0 }, negative[4] = { 1, 2, 2, 1 }, wrong[4] = { 1, 0, NAN, 1 };
	make(5, 4, a);
	ck_assert_int_eq(gt_symmetric_invert(5, 1e-13, a), 0);
	ck_assert_int_eq(gt_symmetric_invert(2, 1e-13, zero), 0);
	ck_assert_int_eq(gt_symmetric_invert(2, 1e-13, negative), 0);
	ck_assert_int_eq(gt_symmetric_invert(2, 1e-13, wrong), 0);
	wrong[2] = 0;
	wrong[3] = INFINITY;
	ck_assert_int_eq(gt_symmetric_invert(2, 1e-13, wrong), 0);
}

/* v d v' is the matrix and v is orthogonal, also for indefinite and diagonal matrices. */
GT_TESTS(eigenvectors, 2 * CASES)
{
	const size_t n = sizes[_i % CASES];
	double a[MAX_N * MAX_N], d[MAX_N * MAX_N], v[MAX_N * MAX_N], vd[MAX_N * MAX_N], unit[MAX_N * MAX_N] = { 0 };
	double scale[MAX_N] = { 0 }, one[MAX_N] = { 0 };
	double largest = 0;
	make(n, _i < CASES ? n : 1, a);
	for (size_t i = 0; i < n; i++)
		a[i * n + i] -= _i < CASES ? 0 : 1;
	for (size_t i = 0; i < n * n; i++) {
		largest = fmax(largest, fabs(a[i]));
		unit[i] = i / n == i % n;
	}
	for (size_t i = 0; i < n; i++) {
		scale[i] = sqrt(largest);
		one[i] = 1;
	}
	memcpy(d, a, sizeof d);
	gt_symmetric_eigen(n, d, v);
	for (size_t i = 0; i < n * n; i++)
		if (i / n != i % n) {
			ck_assert_double_eq_tol(d[i], 0, tolerance * largest);
			d[i] = 0;
		}
	check_product(n, v, v, 1, unit, one);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			vd[i * n + j] = v[i * n + j] * d[j * n + j];
	check_product(n, vd, v, 1, a, scale);
}

int main(void) { return gt_test_main("symmetric matrices", NULL); }
