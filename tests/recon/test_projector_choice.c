/* For rolled detectors the chosen projector has the smaller error against exact integrals, for small and large
 * pixels. Slow choices of the user cause a warning.
 * labels: unit physics backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/linop.h>
#include <gantry/projector.h>
#include "recon/choose.h"
#include "tests/support/images.h"
#include "tests/support/support.h"

enum { SIDE = 24, FINER = 4, ELLIPSOIDS = 12, FEW = 3 };
#define VOXEL 2.5

static char said[2048];

static void say(void *self, const gt_message *m)
{
	(void)self;
	snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", m->text);
}
static const gt_listener listener = { say, NULL };

/* Detector rolled by this angle (degrees), with pixels divided into parts. */
static gt_scan *rolled(gt_shape shape, double roll, double pixel, size_t parts)
{
	const size_t n = (size_t)(90 / pixel) + 3;
	const gt_orbit orbit = { shape,
		                 .views = FEW,
		                 .rows = n * parts,
		                 .columns = (n + 1) * parts,
		                 .source_to_axis = 600,
		                 .source_to_detector = 1000,
		                 .column_pitch = pixel / 0.6 / (double)parts,
		                 .row_pitch = pixel / 0.6 / (double)parts,
		                 .turn = 2 * GT_PI,
		                 .start_angle = 0.3 };
	const double c = cos(roll * GT_PI / 180), s = sin(roll * GT_PI / 180);
	gt_scan *scan;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	for (size_t v = 0; v < scan->views; v++)
		for (int a = 0; a < 3; a++) {
			gt_view *w = &scan->view[v];
			const double along = w->column_axis[a], up = w->row_axis[a];
			w->column_axis[a] = c * along + s * up;
			w->row_axis[a] = c * up - s * along;
		}
	ck_ok(gt_scan_check(scan));
	return scan;
}

static const gt_grid grid = { { SIDE, SIDE + 2, SIDE - 3 }, { VOXEL, VOXEL, VOXEL }, { 1, -2, 0.7 } };

static float *ellipsoids(void)
{
	const size_t *n = grid.n, all = gt_grid_voxels(&grid);
	float *x = calloc(all, sizeof *x), random[ELLIPSOIDS][7];
	gt_test_random(5, ELLIPSOIDS * 7, random[0]);
	for (size_t e = 0; e < ELLIPSOIDS; e++)
		for (size_t i = 0; i < all; i++) {
			const double at[3] = { (double)(i % n[0]), (double)(i / n[0] % n[1]), (double)(i / n[0] / n[1]) };
			double out = 0;
			for (int a = 0; a < 3; a++)
				out += pow((at[a] - (0.5 + 0.3 * random[e][a]) * (double)n[a]) / (3.2 + 1.7 * random[e][3 + a]), 2);
			x[i] += out < 1 ? 1.1F + random[e][6] : 0;
		}
	return x;
}

static double *project(const char *name, const gt_scan *scan, const float *volume)
{
	gt_backend *be;
	gt_linop *A;
	gt_array *x, *y;
	ck_ok(gt_backend_open("cpu:2", &be));
	ck_ok(gt_projector_new(name, be, GT_F64, &grid, scan, &A));
	ck_ok(gt_array_new(be, GT_F64, gt_grid_voxels(&grid), &x));
	ck_ok(gt_array_new(be, GT_F64, gt_scan_size(scan), &y));
	gt_array_put_float(volume, x);
	gt_forward(A, x, y);
	double *out = gt_test_values(y);
	ck_ok(gt_backend_status(be));
	gt_linop_free(A), gt_array_free(x), gt_array_free(y);
	gt_backend_close(be);
	return out;
}

/* Relative error against the mean of exact rays over each pixel. */
static double error_of(const char *name, const gt_scan *scan, const double *exact, const float *volume)
{
	const size_t rows = scan->rows, columns = scan->columns;
	double *y = project(name, scan, volume), off = 0, all = 0;
	for (size_t i = 0; i < gt_scan_size(scan); i++) {
		const size_t column = i % columns, row = i / columns % rows, view = i / columns / rows;
		double mean = 0;
		for (size_t k = 0; k < FINER * FINER; k++)
			mean += exact[((view * rows + row) * FINER + k / FINER) * columns * FINER + column * FINER + k % FINER] / FINER /
			        FINER;
		off += pow(y[i] - mean, 2);
		all += mean * mean;
	}
	free(y);
	return sqrt(off / all);
}

static const struct {
	double pixel, roll; /* in voxels, degrees */
	const char *chosen, *other;
} cases[] = { { 1, 25, "joseph", "dd" },   { 1.05, 44, "joseph", "dd" }, { 2, 18, "dd", "joseph" },   { 2, 33, "dd", "joseph" },
	      { 0.5, 18, "dd", "joseph" }, { 0.5, 44, "joseph", "dd" },  { 1.4, 18, "dd", "joseph" }, { 0.7, 16, "dd", "joseph" } };

GT_TESTS(chosen_is_more_accurate, sizeof cases / sizeof *cases)
{
	gt_scan *scan = rolled(GT_FLAT, cases[_i].roll, cases[_i].pixel * VOXEL, 1);
	gt_scan *fine = rolled(GT_FLAT, cases[_i].roll, cases[_i].pixel * VOXEL, FINER);
	float *x = ellipsoids();
	double *exact = project("siddon", fine, x);
	const double chosen = error_of(cases[_i].chosen, scan, exact, x), other = error_of(cases[_i].other, scan, exact, x);
	said[0] = 0;
	ck_assert_str_eq(gt_projector_for_grid(&listener, NULL, &grid, scan), cases[_i].chosen);
	ck_assert_msg(strstr(said, cases[_i].chosen) && strstr(said, "of view "), "%s", said);
	printf("pixel of %g voxels, rolled by %g: %s %.4f, %s %.4f\n", cases[_i].pixel, cases[_i].roll, cases[_i].chosen, chosen,
	       cases[_i].other, other);
	fflush(stdout);
	ck_assert_double_lt(chosen, other);
	free(x), free(exact);
	gt_scan_free(scan), gt_scan_free(fine);
}

/* Without a grid, pixels count as large as voxels; then other grids, magnifications and parallel rays. */
GT_TEST(other_grids_and_scans)
{
	gt_scan *scan = rolled(GT_ARC, 20, VOXEL, 1), *level = rolled(GT_FLAT, 0, 3 * VOXEL, 1);
	gt_grid near = grid, flat = grid;
	near.center[1] = 300; /* closer to some sources: pixels are relatively smaller or larger */
	flat.pitch[2] *= 2;
	ck_assert_str_eq(gt_projector_for_grid(&listener, NULL, NULL, scan), "joseph");
	ck_assert_str_eq(gt_projector_for_grid(&listener, NULL, &grid, scan), "joseph");
	ck_assert_str_eq(gt_projector_for_grid(&listener, NULL, &flat, scan), "dd");
	ck_assert_str_eq(gt_projector_for_grid(&listener, NULL, &near, scan), "dd");
	said[0] = 0;
	ck_assert_str_eq(gt_projector_for_grid(&listener, NULL, &grid, level), "dd");
	ck_assert_str_eq(said, "");
	gt_scan_free(scan), gt_scan_free(level);
}

GT_TEST(slow_choices_are_reported)
{
	gt_scan *inclined = rolled(GT_FLAT, 0.5, VOXEL, 1), *level = rolled(GT_FLAT, 0, VOXEL, 1);
	static const char *const sf[] = { "sf-tr", "sf-tt", "sf-tr:memory=100" }, *const others[] = { "dd", "joseph", "siddon" };
	for (int i = 0; i < 3; i++) {
		said[0] = 0;
		ck_assert_str_eq(gt_projector_for_grid(&listener, others[i], &grid, inclined), others[i]);
		ck_assert_str_eq(gt_projector_for_grid(&listener, sf[i], &grid, level), sf[i]);
		ck_assert_str_eq(said, "");
		ck_assert_str_eq(gt_projector_for_grid(&listener, sf[i], &grid, inclined), sf[i]);
		ck_assert_ptr_nonnull(strstr(said, i == 1 ? "sf-tt processes detectors" : "sf-tr processes detectors"));
		ck_assert_ptr_nonnull(strstr(said, "dd, the default, takes at most a tenth of that time"));
	}
	gt_scan_free(inclined), gt_scan_free(level);
}

int main(void) { return gt_test_main("projector_choice", NULL); }
