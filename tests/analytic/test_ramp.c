/* Ramp kernels, windows and responses. */
/* labels: unit; backend: none */
#include "analytic/fbp/ramp.h"
#include "tests/analytic/bodies.h"

#define CLOSE(x, y, tolerance) ck_assert_msg(fabs((x) - (y)) <= (tolerance), "%s = %.17g, not %.17g", #x, (double)(x), (double)(y))

GT_TEST(windows_have_their_values)
{
	static const struct {
		gt_window w;
		double at[5];
	} expected[] = {
		/* f = 0, 1/4, 1/2, 3/4, 1 */
		{ GT_RAM_LAK, { 1, 1, 1, 1, 1 } },
		{ GT_SHEPP_LOGAN, { 1, 0.9744953584044327, 0.9003163161571062, 0.7842133035765372, 0.6366197723675814 } },
		{ GT_COSINE, { 1, 0.9238795325112867, 0.7071067811865476, 0.3826834323650898, 0 } },
		{ GT_HANN, { 1, 0.8535533905932737, 0.5, 0.1464466094067262, 0 } },
		{ GT_HAMMING, { 1, 0.8652691193457854, 0.54, 0.2147308806542146, 0.08 } },
		{ GT_PARZEN, { 1, 0.71875, 0.25, 0.03125, 0 } },
		{ GT_BLACKMAN, { 1, 0.7735533905932738, 0.34, 0.0664466094067262, 0 } },
	};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		for (int k = 0; k < 5; k++)
			CLOSE(gt_window_value(expected[i].w, k / 4.0), expected[i].at[k], 1e-12);
		ck_assert(gt_window_value(expected[i].w, 1.0001) == 0);
	}
}

GT_TEST(kernels_have_their_values)
{
	const gt_ramp flat = { .pitch = 0.5, .cutoff = 1 }, fan = { .pitch = 0.01, .equiangular = 1, .cutoff = 1 };
	CLOSE(gt_ramp_kernel(&flat, 0), 1, 1e-15);
	CLOSE(gt_ramp_kernel(&flat, 3), -4 / (9 * GT_PI * GT_PI), 1e-15);
	ck_assert(gt_ramp_kernel(&flat, 4) == 0);
	CLOSE(gt_ramp_kernel(&fan, 0), 2500, 1e-12);
	CLOSE(gt_ramp_kernel(&fan, 101), -1 / pow(GT_PI * sin(1.01), 2), 1e-12);
	ck_assert(gt_ramp_kernel(&fan, 314) == 0 && gt_ramp_kernel(&fan, 315) == 0);
}

GT_TEST(response_is_the_transform_of_the_kernel)
{
	enum { N = 60 };
	double response[N / 2 + 1];
	const gt_ramp r = { .pitch = 0.03, .equiangular = 1, .window = GT_HANN, .cutoff = 0.8 };
	ck_ok(gt_ramp_response(&r, N, response));
	for (int k = 0; k <= N / 2; k++) {
		double sum = 0;
		for (int i = 0; i < N; i++)
			sum += gt_ramp_kernel(&r, (size_t)(i <= N / 2 ? i : N - i)) * cos(2 * GT_PI * i * k / N);
		CLOSE(response[k], 0.03 * sum * gt_window_value(GT_HANN, k / (N / 2.0) / 0.8), 1e-12);
	}
}

/* |f|, except for the mean, which a finite row preserves unlike the ideal ramp. */
GT_TEST(response_is_a_ramp_with_a_mean)
{
	enum { N = 512 };
	double response[N / 2 + 1];
	const gt_ramp r = { .pitch = 0.7, .window = GT_RAM_LAK, .cutoff = 1 };
	ck_ok(gt_ramp_response(&r, N, response));
	for (int k = 1; k <= N / 2; k++)
		CLOSE(response[k] * 0.7, k / (double)N, 2e-3 / k + 5e-4);
	ck_assert(response[0] > 0);
	CLOSE(response[0] * 0.7 * N, 2 / (GT_PI * GT_PI), 1e-3);
}

GT_TEST(transform_sizes_are_smooth_even_and_enough)
{
	static const size_t expected[][2] = { { 1, 2 },     { 2, 2 },       { 11, 12 },     { 255, 256 },
		                              { 257, 270 }, { 1775, 1792 }, { 2047, 2048 }, { 121, 126 } };
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		ck_assert_uint_eq(gt_fft_size(expected[i][0]), expected[i][1]);
}

int main(void) { return gt_test_main("ramp", NULL); }
