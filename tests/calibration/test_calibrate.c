/* Self-calibration of a shifted, rolled and slanted detector, and of a tilted axis, from projections of an unknown object.
 * labels: unit physics slow backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/calibrate.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include "calibration/correct.h"
#include "calibration/derivative.h"
#include "tests/support/support.h"

/* Ellipsoids and boxes throughout the field of view, also near its top and bottom; or in a plate. */
static void write_phantom(int plate)
{
	gt_test_write(
		"phantom.shapes",
		plate ? "unit mm-1\nbox size=36,36,3 density=0.02\nellipsoid center=4,-6,1 radii=6,4,1 density=0.05\n"
			"ellipsoid center=-9,9,-1 radius=2 density=0.05\nellipsoid center=12,13,2 radius=2 density=0.06\n"
			"ellipsoid center=-9,-14,1 radius=2 density=0.05\nbox center=8,-3,-2 size=9,3,2 angles=25,0,0 density=0.04\n"
			"ellipsoid center=0,15,-2 radius=1.5 density=0.08\nellipsoid center=-15,-2,2 radius=1.5 density=0.08\n"
		      : "unit mm-1\nellipsoid center=4,-6,3 radii=14,9,8 density=0.03\nellipsoid center=-13,9,-8 radius=5 density=0.05\n"
			"ellipsoid center=12,14,11 radius=4 density=0.06\nellipsoid center=-9,-14,12 radius=4 density=0.05\n"
			"box center=8,-3,-12 size=9,5,6 angles=25,10,0 density=0.04\nellipsoid center=0,17,-14 radius=3 density=0.08\n");
}

/* The smallest sizes with the required accuracy: slant needs columns and views, roll of parallel rays all rows. */
static gt_projections *scan_of(gt_shape shape, double offset, double tilt, const double truth[GT_CALIBRATE_PARAMETERS])
{
	static const struct {
		size_t views, rows, columns;
		double pitch;
	} sizes[] = { { 40, 20, 48, 2.2 }, { 24, 24, 36, 1.45 }, { 40, 32, 48, 2.2 }, { 40, 32, 48, 1.1 } }, *size;
	size = &sizes[(shape == GT_PARALLEL) + 2 * gt_tests_long()];
	const gt_orbit orbit = { .shape = shape,
		                 .views = size->views,
		                 .rows = size->rows,
		                 .columns = size->columns,
		                 .column_pitch = size->pitch,
		                 .row_pitch = size->pitch,
		                 .source_to_axis = 100,
		                 .source_to_detector = 200,
		                 .turn = 2 * GT_PI,
		                 .column_offset = offset,
		                 .tilt = tilt };
	gt_scan *nominal = NULL, *real = NULL;
	gt_projections *p = NULL;
	gt_phantom *phantom = NULL;
	write_phantom(tilt > 0);
	ck_ok(gt_scan_orbit(&orbit, &nominal));
	ck_ok(gt_scan_clone(nominal, &real));
	gt_calibrate_apply(truth, real);
	ck_ok(gt_projections_new(nominal, &p));
	ck_ok(gt_phantom_new("phantom.shapes", NULL, &phantom));
	ck_ok(gt_phantom_project(phantom, real, 2, NULL, NULL, NULL, gt_projections_data(p)));
	gt_add_photon_noise(1e5, 0, 3, 0, NULL, gt_projections_data(p), gt_scan_size(real));
	gt_phantom_free(phantom);
	gt_scan_free(nominal);
	gt_scan_free(real);
	remove("phantom.shapes");
	return p;
}

static const struct {
	gt_shape shape;
	double offset, tilt;
	unsigned what;
	double truth[GT_CALIBRATE_PARAMETERS];
} cases[] = {
	{ GT_FLAT, 3.25, 0, 7, { 3.3, 0.5 / GT_DEGREES, 1 / GT_DEGREES, 0, 0, 0 } },
	{ GT_PARALLEL, 0, 0, 3, { 1.7, 0.3 / GT_DEGREES, 0, 0, 0, 0 } },
	{ GT_FLAT, 1.25, 30 / GT_DEGREES, 35, { 1.3, 0.5 / GT_DEGREES, 0, 0, 0, -1.2 / GT_DEGREES } },
	{ GT_PARALLEL, 0, 45 / GT_DEGREES, 35, { -1.3, 0.3 / GT_DEGREES, 0, 0, 0, 1.5 / GT_DEGREES } },
};

static void print(void *self, const gt_message *m)
{
	(void)self;
	fprintf(stderr, "%s\n", m->text);
}

GT_TESTS(found, sizeof cases / sizeof *cases)
{
	gt_calibrate_options o = gt_calibrate_defaults;
	gt_calibration c;
	gt_projections *p = scan_of(cases[_i].shape, cases[_i].offset, cases[_i].tilt, cases[_i].truth);
	const double roll = cases[_i].tilt > 0 ? 0.1 : 0.02;
	const double within[] = { 0.05, roll / GT_DEGREES, 0.3 / GT_DEGREES, 0, 0, 0.1 / GT_DEGREES };
	o.what = cases[_i].what;
	o.threads = 2;
	o.notes.say = print;
	ck_ok(gt_calibrate(p, &o, &c));
	ck_assert_int_eq(c.converged, 1);
	ck_assert_double_lt(c.after, c.before);
	for (int j = 0; j < GT_CALIBRATE_PARAMETERS; j++) {
		if (!(o.what >> j & 1))
			continue;
		const double unit = j ? GT_DEGREES : 1;
		fprintf(stderr, "%s %.4f +- %.4f, is %.4f\n", gt_calibrate_names[j], c.parameter[j].value * unit,
		        c.parameter[j].error * unit, cases[_i].truth[j] * unit);
		ck_assert_int_eq(c.parameter[j].identifiable, 1);
		ck_assert_double_eq_tol(c.parameter[j].value, cases[_i].truth[j], within[j]);
	}
	gt_projections_free(p);
}

/* Few pixels bias tilt and distance by more than noise does. */
GT_TESTS(stated_errors_contain_the_pixels, 2)
{
	static const struct {
		int j;
		double truth;
	} one[] = { { GT_CALIBRATE_DISTANCE, 6 }, { GT_CALIBRATE_TILT, 1 / GT_DEGREES } };
	gt_calibrate_options o = gt_calibrate_defaults;
	gt_calibration c;
	double truth[GT_CALIBRATE_PARAMETERS] = { 0 };
	truth[one[_i].j] = one[_i].truth;
	gt_projections *p = scan_of(GT_FLAT, 0, 0, truth);
	o.what = 1u << one[_i].j;
	o.threads = 2;
	ck_ok(gt_calibrate(p, &o, &c));
	const gt_calibrated *q = &c.parameter[one[_i].j];
	const double ratio = fabs(q->value - one[_i].truth) / q->error;
	fprintf(stderr, "%s %.4f +- %.4f, is %.4f: %.2f errors\n", gt_calibrate_names[one[_i].j], q->value, q->error, one[_i].truth, ratio);
	ck_assert_int_eq(q->identifiable, 1);
	ck_assert_double_lt(ratio, 3);
	ck_assert_double_gt(ratio, 0.3);
	gt_projections_free(p);
}

/* Notes of a search: iterations, and whether it was repeated. */
struct notes {
	int iterations, repeated;
};

static void count(void *self, const gt_message *m)
{
	struct notes *n = self;
	n->iterations += strncmp(m->text, "iteration ", 10) == 0;
	n->repeated += strstr(m->text, "starts again with differences") != NULL;
}

GT_TEST(repeated_by_differences)
{
	gt_calibrate_options o = gt_calibrate_defaults;
	gt_calibration c;
	struct notes n = { 0, 0 };
	gt_projections *p = scan_of(GT_PARALLEL, 0, 0, cases[1].truth);
	o.iterations = 1;
	o.notes = (gt_listener){ count, &n };
	ck_ok(gt_calibrate(p, &o, &c));
	ck_assert_int_eq(c.converged, 0);
	ck_assert_int_eq(n.repeated, 1);
	ck_assert_int_eq(n.iterations, 2);
	gt_projections_free(p);
}

/* Sets J to the derivative of a smooth volume by parameter j. */
static void derivative_of(gt_backend *be, const gt_scan *scan, gt_type type, int by_motion, int j, float *J)
{
	static const double h[] = { 1e-5, 1e-7, 1e-6, 1e-6, 1e-4, 3e-7 };
	const double value[GT_CALIBRATE_PARAMETERS] = { scan->shape == GT_FLAT ? 0.3 : 0 };
	gt_calibrate_model m = { .be = be, .type = type, .scan = scan, .columns_by = 2, .by_motion = by_motion };
	gt_array *x, *work, *out;
	ck_ok(gt_grid_default(scan, &m.grid));
	float *volume = malloc(gt_grid_voxels(&m.grid) * sizeof *volume);
	for (size_t i = 0; i < gt_grid_voxels(&m.grid); i++) {
		const double a = (double)(i % m.grid.n[0]), b = (double)(i / m.grid.n[0] % m.grid.n[1]);
		volume[i] = (float)(1 + sin(0.31 * a + 1) * cos(0.27 * b) * sin(0.3 * (double)(i / m.grid.n[0] / m.grid.n[1])));
	}
	ck_ok(gt_array_new(be, type, gt_grid_voxels(&m.grid), &x));
	ck_ok(gt_array_new(be, type, gt_scan_size(scan), &work));
	ck_ok(gt_array_like(work, &out));
	gt_array_put_float(volume, x);
	ck_ok(gt_calibrate_derivative(&m, value, j, h[j], x, work, out));
	gt_array_get_float(out, J);
	gt_array_free(x);
	gt_array_free(work);
	gt_array_free(out);
	free(volume);
}

/* Rays of the parallel beam meet lines between voxel centres. */
GT_TESTS(motions_agree_with_differences, 2 * GT_CALIBRATE_PARAMETERS)
{
	const int j = _i / 2, parallel = _i % 2;
	static const double none[GT_CALIBRATE_PARAMETERS];
	gt_backend *be;
	if (parallel && (j == GT_CALIBRATE_SLANT || j == GT_CALIBRATE_TILT || j == GT_CALIBRATE_DISTANCE))
		return;
	gt_projections *p = scan_of(parallel ? GT_PARALLEL : GT_FLAT, 0, 0.2, none);
	const gt_scan *scan = gt_projections_scan(p);
	const size_t n = gt_scan_size(scan);
	float *J[3];
	ck_ok(gt_backend_open("cpu:2", &be));
	for (int k = 0; k < 3; k++) {
		J[k] = malloc(n * sizeof *J[k]);
		derivative_of(be, scan, k < 2 ? GT_F64 : GT_F32, k > 0, j, J[k]);
	}
	fprintf(stderr, "%s: %.2g, in single precision %.2g\n", gt_calibrate_names[j], gt_test_rms(J[1], J[0], n),
	        gt_test_rms(J[2], J[1], n));
	ck_assert_double_lt(gt_test_rms(J[1], J[0], n), 1e-4);
	ck_assert_double_lt(gt_test_rms(J[2], J[1], n), 1e-6);
	for (int k = 0; k < 3; k++)
		free(J[k]);
	gt_backend_close(be);
	gt_projections_free(p);
}

GT_TEST(refused)
{
	gt_calibrate_options o = gt_calibrate_defaults;
	gt_calibration c;
	gt_projections *p = scan_of(GT_PARALLEL, 0, 0, (double[GT_CALIBRATE_PARAMETERS]){ 0 });
	o.what = 0;
	ck_refused(gt_calibrate(p, &o, &c), GT_ERR_ARG, "what=0");
	ck_refused(gt_calibrate(NULL, NULL, &c), GT_ERR_ARG, "no line integrals");
	const gt_scan *scan = gt_projections_scan(p);
	const size_t at = (5 * scan->rows + scan->rows - 1) * scan->columns + 7;
	gt_projections_data(p)[at] = NAN;
	ck_refused(gt_calibrate(p, NULL, &c), GT_ERR_FORMAT, "1 values are not finite, the first nan in view 5, row ");
	ck_assert(isnan(c.before));
	memset(gt_projections_data(p), 0, sizeof(float) * gt_scan_size(gt_projections_scan(p)));
	ck_refused(gt_calibrate(p, NULL, &c), GT_ERR_UNSUPPORTED, "not unique");
	gt_projections_free(p);
}

int main(void) { return gt_test_main("calibrate", NULL); }
