/* Edges of spheres blurred by a known Gaussian: width, values on both sides, direction, several volumes, unsuitable
 * edges.
 * labels: unit property backend: none */
#include <math.h>
#include <string.h>
#include <stdlib.h>
#include <gantry/metrics.h>
#include "metrics/edge_width.h"
#include "tests/support/support.h"

static const gt_grid grid = { { 44, 40, 42 }, { 0.5, 0.55, 0.5 }, { 1.3, -0.7, 2.1 } };
static const gt_edge_sphere sphere = { { 1.1, -0.4, 2.6 }, 6, 3 };
/* From 10 to 90 % of an error function, in standard deviations: twice the quantile of 0.9. */
static const double ten_to_ninety = 2 * 1.2815515655446004;

/* An error function of the distance from the surface, from 0.021 inside to 0.018 outside. Its width depends on the
 * height on the sphere. */
static float *blurred(double sigma_in_plane, double sigma_axial)
{
	float *x = malloc(gt_grid_voxels(&grid) * sizeof *x);
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++) {
		const size_t at[3] = { i % grid.n[0], i / grid.n[0] % grid.n[1], i / grid.n[0] / grid.n[1] };
		double d[3], square = 0;
		for (int a = 0; a < 3; a++) {
			d[a] = gt_grid_first(&grid, a) + (double)at[a] * grid.pitch[a] - sphere.center[a];
			square += d[a] * d[a];
		}
		const double r = sqrt(square), sigma = fabs(d[2]) > 0.65 * r ? sigma_axial : sigma_in_plane;
		x[i] = (float)(0.018 + 0.003 * 0.5 * erfc((r - sphere.radius) / (sqrt(2) * sigma)));
	}
	return x;
}

static gt_edge fit(const float *x, gt_edge_part part)
{
	gt_edge e;
	gt_edge_width(&grid, &x, 1, &sphere, part, &e);
	return e;
}

START_TEST(known_width)
{
	static const double sigma[] = { 0.3, 0.6, 1.1 };
	float *x = blurred(sigma[_i], sigma[_i]);
	for (int part = 0; part < 3; part++) {
		const gt_edge e = fit(x, (gt_edge_part)part);
		ck_assert_double_eq_tol(e.width, ten_to_ninety * sigma[_i], 0.01 * ten_to_ninety * sigma[_i]);
		ck_assert_double_eq_tol(e.inside, 0.021, 2e-5);
		ck_assert_double_eq_tol(e.outside, 0.018, 2e-5);
	}
	free(x);
}
END_TEST

/* Normals within 30 degrees of the plane have |z| below 0.5 r, those within 40 degrees of the axis above 0.766 r. */
START_TEST(by_direction)
{
	float *x = blurred(0.4, 0.9);
	ck_assert_double_eq_tol(fit(x, GT_EDGE_IN_PLANE).width, ten_to_ninety * 0.4, 0.02);
	ck_assert_double_eq_tol(fit(x, GT_EDGE_AXIAL).width, ten_to_ninety * 0.9, 0.02);
	const double all = fit(x, GT_EDGE_ALL).width;
	ck_assert(all > ten_to_ninety * 0.45 && all < ten_to_ninety * 0.85);
	free(x);
}
END_TEST

/* Opposite errors of two volumes cancel. */
START_TEST(several_volumes)
{
	float *x = blurred(0.5, 0.5), *y = blurred(0.5, 0.5);
	gt_edge e;
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++) {
		const float off = (float)(2e-4 * (double)(i % 7));
		x[i] += off;
		y[i] -= off;
	}
	gt_edge_width(&grid, (const float *const[]){ x, y }, 2, &sphere, GT_EDGE_ALL, &e);
	ck_assert_double_eq_tol(e.width, ten_to_ninety * 0.5, 0.01 * ten_to_ninety * 0.5);
	ck_assert_double_eq_tol(e.inside, 0.021, 2e-5);
	free(x);
	free(y);
}
END_TEST

START_TEST(cannot_be_told)
{
	float *x = blurred(2.5, 2.5);
	const gt_edge_sphere away = { { 100, 0, 0 }, 6, 3 }, tiny = { { 1.1, -0.4, 2.6 }, 1, 0.2 };
	gt_edge e = fit(x, GT_EDGE_ALL);
	ck_assert(isnan(e.width) && !isnan(e.inside));
	gt_edge_width(&grid, (const float *const[]){ x }, 1, &away, GT_EDGE_ALL, &e);
	ck_assert(isnan(e.width) && isnan(e.inside) && isnan(e.outside));
	gt_edge_width(&grid, (const float *const[]){ x }, 1, &tiny, GT_EDGE_ALL, &e);
	ck_assert(isnan(e.width) && isnan(e.inside));
	free(x);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_loop_test(tc, known_width, 0, 3);
	tcase_add_test(tc, by_direction);
	tcase_add_test(tc, several_volumes);
	tcase_add_test(tc, cannot_be_told);
}

int main(void) { return gt_test_main("edge width", fill_suite); }
