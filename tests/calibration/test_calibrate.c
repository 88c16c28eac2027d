/* Self-calibration of a shifted, rolled and slanted detector from projections of an unknown object. Derivatives and refusals.
 * labels: unit physics slow backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/derivative.h"
#include "tests/calibration/calibrate_scan.h"

static const struct calibrate_case cases[] = {
	{ GT_FLAT, 3.25, 0, 7, { 3.3, 0.5 / GT_DEGREES, 1 / GT_DEGREES, 0, 0, 0 } },
	{ GT_PARALLEL, 0, 0, 3, { 1.7, 0.3 / GT_DEGREES, 0, 0, 0, 0 } },
};

GT_TESTS(found, sizeof cases / sizeof *cases) { finds(&cases[_i]); }

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
