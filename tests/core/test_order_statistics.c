/* Selection against sorting: every rank, repeated values, odd and even counts, NaN, and no values.
 * labels: unit property backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/order_statistics.h"
#include "core/random.h"
#include "tests/support/support.h"

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Fills x with n values, `distinct` different ones if not 0; sorted holds them in ascending order. */
static void fill(unsigned seed, size_t n, unsigned distinct, double *x, double *sorted)
{
	for (size_t i = 0; i < n; i++) {
		gt_random r;
		gt_random_at(seed, i, &r);
		const double u = gt_uniform(&r);
		x[i] = distinct ? floor(u * distinct) : u - 0.5;
	}
	memcpy(sorted, x, n * sizeof *x);
	qsort(sorted, n, sizeof *sorted, ascending);
}

START_TEST(every_place)
{
	static const unsigned distinct[] = { 0, 1, 2, 5 };
	double x[41], again[41], sorted[41];
	for (size_t n = 1; n <= 41; n++)
		for (int d = 0; d < 4; d++) {
			fill((unsigned)n, n, distinct[d], x, sorted);
			for (size_t k = 0; k < n; k++) {
				memcpy(again, x, sizeof x);
				ck_assert_msg(gt_select(again, n, k) == sorted[k], "place %zu of %zu", k, n);
				qsort(again, n, sizeof *again, ascending);
				ck_assert_mem_eq(again, sorted, n * sizeof *sorted);
			}
		}
}
END_TEST

/* Orders that often lead to bad pivots. */
START_TEST(many_in_order)
{
	enum { N = 100001 };
	double *x = malloc(N * sizeof *x);
	for (int order = 0; order < 3; order++) {
		for (size_t i = 0; i < N; i++)
			x[i] = order == 0   ? (double)i
			       : order == 1 ? (double)(N - 1 - i)
			                    : (double)(i < (N + 1) / 2 ? 2 * i : 2 * (N - 1 - i) + 1);
		ck_assert_msg(gt_select(x, N, 777) == 777, "order %d", order);
	}
	free(x);
}
END_TEST

START_TEST(medians)
{
	double odd[] = { 5, 1, 4, 2, 3 }, even[] = { 8, 1, 4, 2 }, one[] = { 7 };
	const double kept[] = { 8, 1, 4, 2 };
	ck_assert(gt_median(odd, 5) == 3);
	ck_assert(gt_median(even, 4) == 3);
	ck_assert_mem_eq(even, kept, sizeof kept);
	ck_assert(gt_median(one, 1) == 7);
	ck_assert(isnan(gt_median(one, 0)));
	ck_assert(gt_upper_median(odd, 5) == 3);
	ck_assert(gt_upper_median(even, 4) == 4);
	ck_assert(gt_upper_median(one, 1) == 7);
	ck_assert(isnan(gt_upper_median(one, 0)));
}
END_TEST

START_TEST(quantiles)
{
	double x[11];
	for (int i = 0; i < 11; i++)
		x[(i * 4) % 11] = i;
	ck_assert(gt_quantile(x, 11, 0) == 0);
	ck_assert(gt_quantile(x, 11, 1) == 10);
	ck_assert(gt_quantile(x, 11, 0.5) == 5);
	ck_assert(gt_quantile(x, 11, 0.29) == 2);
	ck_assert(gt_quantile(x, 11, 0.31) == 3);
	ck_assert(isnan(gt_quantile(x, 0, 0.5)));
}
END_TEST

START_TEST(nan_is_last)
{
	double x[] = { NAN, 3, NAN, 1, INFINITY, 2 };
	const double expected[] = { 1, 2, 3, INFINITY };
	for (size_t k = 0; k < 4; k++)
		ck_assert(gt_select(x, 6, k) == expected[k]);
	ck_assert(isnan(gt_select(x, 6, 4)));
	ck_assert(isnan(gt_select(x, 6, 5)));
	ck_assert(gt_upper_median(x, 6) == INFINITY);
	ck_assert(isnan(gt_median((const double[]){ NAN, NAN, 1 }, 3)));
	ck_assert(gt_median((const double[]){ NAN, 2, 1 }, 3) == 2);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_test(tc, every_place);
	tcase_add_test(tc, many_in_order);
	tcase_add_test(tc, medians);
	tcase_add_test(tc, quantiles);
	tcase_add_test(tc, nan_is_last);
}

int main(void) { return gt_test_main("order statistics", fill_suite); }
