/* The default window of images: percentiles, values that are not finite, constant values.
 * labels: unit, backend: none */
#include <math.h>
#include <stdlib.h>
#include <gantry/image.h>
#include "tests/support/support.h"

GT_TEST(percentiles)
{
	enum { N = 10001 };
	float *data = malloc(N * sizeof *data);
	double low, high;
	ck_assert_ptr_nonnull(data);
	/* 0 to 10000, in another order; every value once */
	for (size_t i = 0; i < N; i++)
		data[i] = (float)(i * 7919 % N);
	ck_assert_int_eq(gt_display_window(data, N, &low, &high), GT_OK);
	ck_assert_double_eq_tol(low, 50, 1.5);
	ck_assert_double_eq_tol(high, 9950, 1.5);
	/* A thousandth of outliers changes nothing. */
	for (size_t i = 0; i < 10; i++) {
		data[17 + 900 * i] = i % 2 ? NAN : -INFINITY;
		data[400 + 900 * i] = 1e9f;
	}
	ck_assert_int_eq(gt_display_window(data, N, &low, &high), GT_OK);
	ck_assert_double_eq_tol(low, 50, 12);
	ck_assert_double_eq_tol(high, 9950, 25);
	free(data);
}

GT_TEST(few_values)
{
	float data[1000] = { 0 };
	double low, high;
	data[3] = 5;
	ck_assert_int_eq(gt_display_window(data, 1000, &low, &high), GT_OK);
	ck_assert_msg(low == 0 && high == 5, "%g to %g of a single bright value, expected 0 to 5", low, high);
	for (size_t i = 0; i < 1000; i++)
		data[i] = -3;
	ck_assert_int_eq(gt_display_window(data, 1000, &low, &high), GT_OK);
	ck_assert_msg(low == -3 && high > low, "%g to %g of constant values", low, high);
	data[0] = data[1] = NAN;
	ck_assert_int_eq(gt_display_window(data, 2, &low, &high), GT_OK);
	ck_assert_msg(low == 0 && high > low, "%g to %g of no values", low, high);
}

int main(void) { return gt_test_main("window", NULL); }
