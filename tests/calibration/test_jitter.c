/* Jitter calibration: random shifts of about a pixel per view, from the projections of an unknown object.
 * labels: unit physics slow backend: none */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <gantry/calibrate.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include "tests/support/support.h"

enum { VIEWS = 48 };

static void write_phantom(void)
{
	gt_test_write("phantom.shapes",
	              "unit mm-1\nellipsoid center=4,-6,3 radii=14,9,8 density=0.03\nellipsoid center=-13,9,-8 radius=5 density=0.05\n"
	              "ellipsoid center=12,14,9 radius=4 density=0.06\nellipsoid center=-9,-14,10 radius=4 density=0.05\n"
	              "box center=8,-3,-9 size=9,5,6 angles=25,10,0 density=0.04\nellipsoid center=0,17,-8 radius=3 density=0.08\n");
}

/* Shifts of 1 pixel rms, and the projections with these shifts. */
static gt_projections *scan_of(gt_shape shape, double (*shift)[2])
{
	const double pitch = shape == GT_PARALLEL ? 0.9 : 1.8;
	const gt_orbit orbit = { .shape = shape,
		                 .views = VIEWS,
		                 .rows = 32,
		                 .columns = 56,
		                 .column_pitch = pitch,
		                 .row_pitch = pitch,
		                 .source_to_axis = 100,
		                 .source_to_detector = 200,
		                 .turn = 2 * GT_PI };
	gt_scan *nominal = NULL, *real = NULL;
	gt_projections *p = NULL;
	gt_phantom *phantom = NULL;
	write_phantom();
	ck_ok(gt_scan_orbit(&orbit, &nominal));
	ck_ok(gt_scan_clone(nominal, &real));
	for (size_t v = 0; v < VIEWS; v++)
		for (int a = 0; a < 2; a++) {
			gt_view *w = &real->view[v];
			shift[v][a] = gt_test_normal(11 + (uint64_t)a, v);
			for (int k = 0; k < 3; k++) {
				const double by = shift[v][a] * pitch * (a ? w->row_axis[k] : w->column_axis[k]);
				w->detector[k] -= by;
				w->source[k] -= shape == GT_PARALLEL ? by : 0;
			}
		}
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

/* RMS of shift - truth, without the parts that translate the whole object: mean, cosine and sine over the rotation. */
static double off(double (*found)[2], double (*truth)[2], int axis)
{
	double mean = 0, c = 0, s = 0, sum = 0;
	for (int v = 0; v < VIEWS; v++) {
		const double d = found[v][axis] - truth[v][axis], angle = 2 * GT_PI * v / VIEWS;
		mean += d / VIEWS;
		c += 2 * d * cos(angle) / VIEWS;
		s += 2 * d * sin(angle) / VIEWS;
	}
	for (int v = 0; v < VIEWS; v++) {
		const double angle = 2 * GT_PI * v / VIEWS;
		sum += pow(found[v][axis] - truth[v][axis] - mean - (axis ? 0 : c * cos(angle) + s * sin(angle)), 2);
	}
	return sqrt(sum / VIEWS);
}

static void print(void *self, const gt_message *m)
{
	(void)self;
	fprintf(stderr, "%s\n", m->text);
}

GT_TESTS(found, 2)
{
	gt_jitter_options o = gt_jitter_defaults;
	gt_jitter r;
	double truth[VIEWS][2], none[VIEWS][2] = { { 0 } };
	gt_projections *p = scan_of(_i ? GT_PARALLEL : GT_FLAT, truth);
	gt_scan *before = NULL;
	ck_ok(gt_scan_clone(gt_projections_scan(p), &before));
	o.threads = 2;
	o.notes.say = print;
	ck_ok(gt_calibrate_jitter(p, &o, &r));
	ck_assert_int_eq(r.converged, 1);
	for (int a = 0; a < 2; a++) {
		double error = 0;
		for (int v = 0; v < VIEWS; v++)
			error += r.error[v][a] * r.error[v][a] / VIEWS;
		fprintf(stderr, "%.3f before, %.4f after, stated %.4f\n", off(none, truth, a), off(r.shift, truth, a), sqrt(error));
		ck_assert_double_gt(off(none, truth, a), 0.7);
		ck_assert_double_lt(off(r.shift, truth, a), 0.1);
		ck_assert_double_gt(sqrt(error), off(r.shift, truth, a) / 3);
		ck_assert_double_lt(sqrt(error), 0.1);
	}
	/* in the written geometry the detector of view 7 is moved by the shift */
	const gt_scan *s = gt_projections_scan(p);
	double along = 0;
	for (int k = 0; k < 3; k++)
		along += (s->view[7].detector[k] - before->view[7].detector[k]) * s->view[7].column_axis[k];
	ck_assert_double_eq_tol(along, -r.shift[7][0] * s->column_pitch, 1e-9);
	ck_assert_double_lt(r.after, r.before / 2);
	gt_scan_free(before);
	gt_jitter_free(&r);
	gt_projections_free(p);
}

/* Data that no shift explains: the residual does not grow, and the scan stays bit-identical. */
GT_TEST(never_worse)
{
	gt_jitter_options o = gt_jitter_defaults;
	gt_jitter r;
	double truth[VIEWS][2];
	gt_projections *p = scan_of(GT_PARALLEL, truth);
	const size_t n = gt_scan_size(gt_projections_scan(p));
	float *x = gt_projections_data(p);
	gt_scan *before = NULL;
	for (size_t i = 0; i < n; i++)
		x[i] = (float)(0.3 * sin((double)(i % 56) / (4 + (double)(i / 1792) / 9)) + 0.3 + 0.05 * gt_test_normal(7, i));
	ck_ok(gt_scan_clone(gt_projections_scan(p), &before));
	o.threads = 2;
	o.rounds = 6;
	o.columns = 28;
	o.notes.say = print;
	ck_ok(gt_calibrate_jitter(p, &o, &r));
	ck_assert_double_le(r.after, r.before);
	ck_assert_int_eq(r.kept, 1);
	ck_assert_uint_eq(gt_scan_hash(gt_projections_scan(p)), gt_scan_hash(before));
	for (int v = 0; v < VIEWS; v++)
		ck_assert_double_eq(r.shift[v][0], 0);
	gt_scan_free(before);
	gt_jitter_free(&r);
	gt_projections_free(p);
}

GT_TEST(refused)
{
	gt_jitter_options o = gt_jitter_defaults;
	gt_jitter r;
	double truth[VIEWS][2];
	gt_projections *p = scan_of(GT_PARALLEL, truth);
	o.rounds = 0;
	ck_refused(gt_calibrate_jitter(p, &o, &r), GT_ERR_ARG, "rounds=0");
	gt_projections_data(p)[gt_scan_size(gt_projections_scan(p)) - 1] = INFINITY;
	ck_refused(gt_calibrate_jitter(p, NULL, &r), GT_ERR_FORMAT, "gt_calibrate_jitter: the projections: 1 values are not finite");
	gt_jitter_free(&r);
	memset(gt_projections_data(p), 0, sizeof(float) * gt_scan_size(gt_projections_scan(p)));
	ck_refused(gt_calibrate_jitter(p, NULL, &r), GT_ERR_UNSUPPORTED, "no structure");
	gt_jitter_free(&r);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("jitter", NULL); }
