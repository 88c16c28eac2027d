/* In-place medians of floats equal the order statistics in double.
 * labels: unit property backend: none */
#include <math.h>
#include <stdlib.h>
#include "core/float_medians.h"
#include "core/order_statistics.h"
#include "tests/support/support.h"

/* Smooth, with repeated values, both signs, over many powers of two. */
static float *values(size_t n, int kind)
{
	float *x = malloc(n * sizeof *x);
	gt_test_random((unsigned)kind + 5, n, x);
	for (size_t i = 0; i < n; i++)
		x[i] = kind == 0 ? 1 + 0.01f * x[i] : kind == 1 ? rintf(4 * x[i]) : kind == 2 ? x[i] * expf(40 * x[i]) : -x[i] * 1e-3f;
	return x;
}

GT_TESTS(medians, 4)
{
	static const size_t sizes[][3] = { { 1, 1, 1 }, { 2, 1, 3 }, { 9, 40, 51 }, { 125, 33, 33 }, { 40, 16, 20 }, { 7, 17, 17 } };
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		const size_t rows = sizes[s][0], columns = sizes[s][1], stride = sizes[s][2];
		float *x = values(rows * stride, _i), median[40];
		double *some = malloc(rows * columns * sizeof *some);
		ck_ok(gt_column_medians(x, rows, stride, columns, median));
		for (size_t c = 0; c < columns; c++) {
			for (size_t r = 0; r < rows; r++)
				some[r] = x[r * stride + c];
			ck_assert_double_eq(median[c], gt_upper_median(some, rows));
		}
		for (size_t r = 0; r < rows; r++)
			for (size_t c = 0; c < columns; c++)
				some[r * columns + c] = x[r * stride + c];
		ck_assert_double_eq(gt_region_median(x, rows, stride, columns), gt_median(some, rows * columns));
		free(some);
		free(x);
	}
}

int main(void) { return gt_test_main("float_medians", NULL); }
