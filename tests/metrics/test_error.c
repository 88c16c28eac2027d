/* Image errors: known differences, choice of the reference, regions, strides, NaN.
 * labels: unit backend: none */
#include <math.h>
#include <string.h>
#include <gantry/metrics.h>
#include "tests/support/support.h"

enum { SLICES = 5, LINES = 3, PIXELS = 2, N = SLICES * LINES * PIXELS };
static const gt_grid grid = { { PIXELS, LINES, SLICES }, { 3, 4, 1 }, { 1.5, 0, 0 } };

static void fill(float *a, float *b, gt_image_pair *p)
{
	for (int i = 0; i < N; i++) {
		b[i] = (float)i;
		a[i] = b[i] + (i % 2 ? 1.f : -3.f);
	}
	gt_image_pair_of_volumes(&grid, a, b, p);
}

START_TEST(figures)
{
	float a[N], b[N];
	gt_image_pair p;
	gt_image_region all;
	gt_image_distance d;
	fill(a, b, &p);
	gt_image_region_central(SLICES, 1, &all);
	gt_image_error(&p, &all, &d);
	ck_assert_uint_eq(d.count, N);
	ck_assert_double_eq_tol(d.rmse, sqrt(5), 1e-14);
	ck_assert_double_eq_tol(d.mean, -1, 1e-14);
	ck_assert_double_eq(d.max, 3);
	ck_assert_double_eq(d.range, N - 1);
	ck_assert_double_eq_tol(d.relative, sqrt(5 * N / (29. * 30 * 59 / 6)), 1e-14);
	ck_assert_double_eq_tol(d.psnr, 20 * log10(29 / sqrt(5)), 1e-12);
	/* exchanged images change the sign of the mean and the reference */
	p.a = b;
	p.b = a;
	gt_image_error(&p, &all, &d);
	ck_assert_double_eq_tol(d.mean, 1, 1e-14);
	ck_assert_double_eq(d.range, 30 - -3);
}
END_TEST

START_TEST(central_slices)
{
	gt_image_region r;
	static const struct {
		size_t n;
		double central;
		size_t first, slices;
	} cases[] = { { 8, 1, 0, 8 },   { 8, 0.5, 2, 4 },  { 8, 0.51, 1, 6 }, { 7, 0.5, 1, 5 },
		      { 7, 0.1, 3, 1 }, { 1, 1e-6, 0, 1 }, { 8, 1e-6, 3, 2 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gt_image_region_central(cases[i].n, cases[i].central, &r);
		ck_assert_uint_eq(r.first_slice, cases[i].first);
		ck_assert_uint_eq(r.slices, cases[i].slices);
		ck_assert_ptr_null(r.inside);
	}
}
END_TEST

/* Voxel centres are at x = 0 and 3, y = -4, 0 and 4. */
START_TEST(circle)
{
	static const unsigned char expected[][6] = {
		{ 0, 0, 1, 0, 0, 0 }, { 0, 0, 1, 1, 0, 0 }, { 1, 0, 1, 1, 1, 0 }, { 1, 1, 1, 1, 1, 1 }
	};
	static const double radius[] = { 2.9, 3, 4.9, INFINITY };
	unsigned char inside[6];
	for (int i = 0; i < 4; i++) {
		gt_image_region_circle(&grid, radius[i], inside);
		ck_assert_mem_eq(inside, expected[i], 6);
	}
}
END_TEST

START_TEST(region)
{
	float a[N], b[N];
	unsigned char inside[6] = { 0, 1, 0, 0, 0, 0 };
	gt_image_pair p;
	gt_image_distance d;
	fill(a, b, &p);
	a[7] = 10; /* pixel 1 of line 0 of slice 1, wrong by 3 */
	const gt_image_region r = { 1, 2, inside };
	gt_image_error(&p, &r, &d);
	ck_assert_uint_eq(d.count, 2);
	ck_assert_double_eq_tol(d.mean, (3 + 1) / 2., 1e-14);
	ck_assert_double_eq_tol(d.rmse, sqrt((9 + 1) / 2.), 1e-14);
	ck_assert_double_eq(d.range, 6);
}
END_TEST

START_TEST(strides)
{
	float a[12] = { 0 }, b[12] = { 0 };
	gt_image_distance d;
	/* [view][row][column] of 3 x 2 x 2; compares row 1 */
	for (int v = 0; v < 3; v++)
		a[(v * 2 + 1) * 2] = 6;
	const gt_image_pair p = { a, b, 2, 3, 2, 2, 4 };
	const gt_image_region second = { 1, 1, NULL }, first = { 0, 1, NULL };
	gt_image_error(&p, &second, &d);
	ck_assert_uint_eq(d.count, 6);
	ck_assert_double_eq(d.mean, 3);
	gt_image_error(&p, &first, &d);
	ck_assert_double_eq(d.max, 0);
}
END_TEST

START_TEST(no_number)
{
	float a[N], b[N];
	gt_image_pair p;
	gt_image_region all;
	gt_image_distance d;
	fill(a, b, &p);
	gt_image_region_central(SLICES, 1, &all);
	a[4] = NAN;
	gt_image_error(&p, &all, &d);
	ck_assert(isnan(d.max) && isnan(d.rmse) && isnan(d.mean));
	const gt_image_region none = { 2, 0, NULL };
	gt_image_error(&p, &none, &d);
	ck_assert_uint_eq(d.count, 0);
	ck_assert(isnan(d.max) && isnan(d.rmse) && isnan(d.mean) && isnan(d.range) && isnan(d.psnr) && isnan(d.relative));
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_test(tc, figures);
	tcase_add_test(tc, central_slices);
	tcase_add_test(tc, circle);
	tcase_add_test(tc, region);
	tcase_add_test(tc, strides);
	tcase_add_test(tc, no_number);
}

int main(void) { return gt_test_main("image errors", fill_suite); }
