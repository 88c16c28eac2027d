/* Filters of padded slices against spatial sums: no wrap-around, scaling on both sides, batches and workers.
 * labels: unit property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/fft/fft.h"
#include "tests/support/images.h"
#include "tests/support/support.h"

GT_TEST(sizes)
{
	static const size_t min[] = { 0, 1, 2, 3, 11, 13, 22, 97, 127, 1023 }, size[] = { 2, 2, 2, 4, 12, 14, 24, 98, 128, 1024 };
	for (size_t i = 0; i < sizeof min / sizeof *min; i++)
		ck_assert_uint_eq(gt_fft_size(min[i]), size[i]);
}

static const size_t shapes[][3] = { { 7, 5, 3 }, { 1, 9, 2 }, { 16, 13, 5 }, { 6, 1, 1 } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* An even, wide kernel with both signs. */
static double kernel_at(double dx, double dy) { return cos(0.7 * dx) * cos(1.3 * dy) / (1 + fabs(dx) + 0.3 * dy * dy); }

/* The kernel cut to the slice around its centre, else 0. */
static double cut(const size_t *n, const size_t *center, double dx, double dy)
{
	const double x = (double)center[0] + dx, y = (double)center[1] + dy;
	const double u = (double)center[0] - dx, v = (double)center[1] - dy;
	return x >= 0 && y >= 0 && u >= 0 && v >= 0 && x < (double)n[0] && y < (double)n[1] && u < (double)n[0] && v < (double)n[1]
	               ? kernel_at(dx, dy)
	               : 0;
}

static double *expected(const size_t *n, const size_t *center, const double *scale, const double *x)
{
	double *y = calloc(n[0] * n[1] * n[2], sizeof *y);
	for (size_t z = 0; z < n[2]; z++)
		for (size_t i = 0; i < n[0] * n[1]; i++)
			for (size_t j = 0; j < n[0] * n[1]; j++) {
				const size_t to = z * n[0] * n[1] + i, from = z * n[0] * n[1] + j;
				y[to] += scale[to] * scale[from] * x[from] *
				         cut(n, center, (double)(i % n[0]) - (double)(j % n[0]), (double)(i / n[0]) - (double)(j / n[0]));
			}
	return y;
}

GT_TESTS(is_a_sum_in_space, 2 * SHAPES)
{
	const size_t *n = shapes[_i % SHAPES], center[2] = { n[0] / 2, n[1] / 2 }, voxels = n[0] * n[1] * n[2];
	const gt_type type = _i / SHAPES ? GT_F64 : GT_F32;
	const double limit = type == GT_F32 ? 2e-6 : 1e-13;
	gt_backend *be = gt_test_backend();
	gt_slice_filter *s = NULL;
	gt_array *x = gt_test_array(be, type, voxels, 3), *y = gt_test_array(be, type, voxels, 4),
		 *scale = gt_test_array(be, type, voxels, 5);
	gt_array *before = NULL, *response = NULL;
	size_t wide[2];
	ck_ok(gt_array_like(y, &before));
	gt_copy(y, before);
	ck_ok(gt_slice_filter_new(be, type, n, &s));
	gt_slice_filter_padded(s, wide);
	ck_assert(wide[0] >= 2 * n[0] && wide[1] >= 2 * n[1]);
	double *kernel = calloc(n[0] * n[1], sizeof *kernel), *spectrum = calloc((wide[0] / 2 + 1) * wide[1], sizeof *spectrum);
	for (size_t i = 0; i < n[0] * n[1]; i++)
		kernel[i] = cut(n, center, (double)(i % n[0]) - (double)center[0], (double)(i / n[0]) - (double)center[1]);
	ck_ok(gt_slice_filter_spectrum(s, kernel, center, spectrum));
	ck_ok(gt_slice_filter_response(s, spectrum, &response));

	double *hx = gt_test_values(x), *hs = gt_test_values(scale), *hb = gt_test_values(before), *want = expected(n, center, hs, hx);
	gt_slice_filter_share share = { scale, NULL, 0 };
	gt_slice_filter_apply(s, response, &share, 0, x, y);
	double *got = gt_test_values(y);
	ck_assert_double_lt(gt_test_off(got, want, voxels), limit);
	free(got);
	gt_copy(before, y);
	gt_array *place = gt_test_array(be, type, voxels, 6);
	gt_scale(2, place);
	double *hp = gt_test_values(place);
	share = (gt_slice_filter_share){ scale, place, 0.25 };
	gt_slice_filter_apply(s, response, &share, 1, x, y);
	got = gt_test_values(y);
	for (size_t i = 0; i < voxels; i++)
		hs[i] *= sqrt(fmax(0, 1 - fabs(hp[i] - 0.25)));
	free(want);
	want = expected(n, center, hs, hx);
	for (size_t i = 0; i < voxels; i++)
		want[i] += hb[i];
	ck_assert_double_lt(gt_test_off(got, want, voxels), limit);
	ck_ok(gt_backend_status(be));

	free(got), free(want), free(hx), free(hs), free(hp), free(hb), free(kernel), free(spectrum);
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(before);
	gt_array_free(place);
	gt_array_free(scale);
	gt_array_free(response);
	gt_slice_filter_free(s);
	gt_backend_close(be);
}

GT_TEST(refuses)
{
	gt_backend *be = gt_test_backend();
	gt_slice_filter *s = NULL;
	ck_refused(gt_slice_filter_new(be, GT_F32, (size_t[3]){ 4, 0, 3 }, &s), GT_ERR_UNSUPPORTED, "0 voxels along y");
	ck_refused(gt_slice_filter_new(be, GT_F32, (size_t[3]){ 4, 5, 0 }, &s), GT_ERR_ARG, "no slices");
	ck_ok(gt_slice_filter_new(be, GT_F32, (size_t[3]){ 4, 5, 2 }, &s));
	gt_array *x = gt_test_array(be, GT_F32, 40, 1), *other = gt_test_array(be, GT_F32, 39, 1), *response = NULL;
	double *flat = calloc(1000, sizeof *flat);
	ck_ok(gt_slice_filter_response(s, flat, &response));
	gt_slice_filter_apply(s, response, &(gt_slice_filter_share){ other, NULL, 0 }, 0, x, x);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "the scale has 39");
	free(flat);
	gt_array_free(x);
	gt_array_free(other);
	gt_array_free(response);
	gt_slice_filter_free(s);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("fft", NULL); }
