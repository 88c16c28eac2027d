/* Calibration with two rings of beads and a shifted, rolled, tilted and slanted panel.
 * labels: unit physics slow backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/calibrate.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include <gantry/author/scan_math.h>
#include "calibration/correct.h"
#include "tests/support/support.h"

enum { BEADS = 8, VIEWS = 60, N = GT_BEADS_PARAMETERS };
/* The heights differ, so bead projections cross during the rotation. */
static const double place[BEADS][3] = { { 20, 0, -27 }, { 3, 19, -19 }, { -17, 9, -11 }, { -13, -16, -3 },
	                                { 9, -18, 4 },  { 19, 7, 12 },  { -3, 20, 19 },  { -20, -4, 28 } };
static const double truth[N] = { 3.3, -2.1, 0.5 / GT_DEGREES, 1 / GT_DEGREES, -0.7 / GT_DEGREES, 2.5, 0 };
/* 1.5 times the error that 0.1 pixels of noise cause with 90 views of eight such beads. */
static const double within[N] = { 0.03, 0.4, 0.01 / GT_DEGREES, 0.1 / GT_DEGREES, 0.1 / GT_DEGREES, 0.6, 0.5 };

/* Radius (mm), attenuation (mm^-1). */
static double holder[2] = { 30, 0.002 };

static void write_beads(void)
{
	FILE *f = fopen("beads.shapes", "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "unit mm-1\ncylinder radius=%g length=90 density=%g\n", holder[0], holder[1]);
	for (size_t k = 0; k < BEADS; k++)
		fprintf(f, "ellipsoid center=%g,%g,%g radius=1 density=0.6\n", place[k][0], place[k][1], place[k][2]);
	fclose(f);
}

static gt_scan *nominal(gt_shape shape, size_t views)
{
	const gt_orbit orbit = { .shape = shape,
		                 .views = views,
		                 .rows = 150,
		                 .columns = 120,
		                 .column_pitch = 0.6,
		                 .row_pitch = 0.6,
		                 .source_to_axis = 400,
		                 .source_to_detector = 600,
		                 .turn = 2 * GT_PI };
	gt_scan *s = NULL;
	ck_ok(gt_scan_orbit(&orbit, &s));
	return s;
}

/* Applies the geometry errors independently of the code under test. */
static void disturb(gt_scan *s, const double value[N], double wobble)
{
	const double shared[GT_CALIBRATE_PARAMETERS] = { value[0], value[2], value[3], value[4], value[5] };
	gt_calibrate_apply(shared, s);
	s->row_center += value[1];
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 3; a++) {
			s->view[v].source[a] += wobble * sin(0.3 * (double)v + a);
			s->view[v].detector[a] += wobble * cos(0.4 * (double)v + 2 * a);
		}
}

static gt_projections *seen(const gt_scan *given, const gt_scan *real)
{
	gt_projections *p = NULL;
	gt_phantom *balls = NULL;
	write_beads();
	ck_ok(gt_phantom_new("beads.shapes", NULL, &balls));
	ck_ok(gt_projections_new(given, &p));
	ck_ok(gt_phantom_project(balls, real, 3, NULL, NULL, NULL, gt_projections_data(p)));
	gt_add_photon_noise(2e4, 0, 5, 0, NULL, gt_projections_data(p), gt_scan_size(real));
	gt_phantom_free(balls);
	remove("beads.shapes");
	return p;
}

/* Projections of most tests. */
static gt_projections *shared;

static gt_projections *disturbed_scan(void)
{
	gt_scan *given = nominal(GT_FLAT, VIEWS), *real = nominal(GT_FLAT, VIEWS);
	gt_projections *p = NULL;
	disturb(real, truth, 0);
	if (shared) {
		ck_ok(gt_projections_new(given, &p));
		memcpy(gt_projections_data(p), gt_projections_data(shared), sizeof(float) * gt_scan_size(given));
	} else {
		p = seen(given, real);
	}
	gt_scan_free(given);
	gt_scan_free(real);
	return p;
}

static double distance(const double a[3], const double b[3])
{
	return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static void compare(const gt_beads_report *r, int axis)
{
	for (int j = 0; j < N; j++)
		fprintf(stderr, "%s %.5f +- %.5f, is %.5f\n", gt_beads_names[j], r->value[j], r->error[j], truth[j]);
	fprintf(stderr, "%zu sights; %.4f pixels before, %.4f after\n", r->seen, r->before, r->after);
	for (int j = 0; j < N; j++) {
		if (j == GT_BEADS_AXIS && !axis) {
			ck_assert_int_eq(r->identifiable[j], 0);
			continue;
		}
		ck_assert_int_eq(r->identifiable[j], 1);
		ck_assert_double_eq_tol(r->value[j], truth[j], within[j]);
		ck_assert_double_eq_tol(r->value[j], truth[j], 4 * r->error[j]);
		ck_assert_double_lt(r->error[j], within[j]);
	}
	ck_assert_double_lt(r->after, 0.1);
	ck_assert_double_gt(r->before, 0.2);
}

/* Compares positions in any order. */
static void compare_places(const gt_beads_report *r, double max)
{
	for (int k = 0; k < BEADS; k++) {
		double min = INFINITY;
		for (int l = 0; l < BEADS; l++)
			min = fmin(min, distance(r->place[l], place[k]));
		ck_assert_double_lt(min, max);
	}
}

static double span(void)
{
	double max = 0;
	for (int k = 0; k < BEADS; k++)
		for (int l = 0; l < k; l++)
			max = fmax(max, distance(place[k], place[l]));
	return max;
}

/* A dense holder, whose edges bias the bead centres where beads are farthest from the axis. The bias once moved
 * the source 1.1 mm nearer. */
GT_TEST(heavy_holder)
{
	gt_scan *scan = nominal(GT_FLAT, VIEWS);
	gt_beads_options o = gt_beads_defaults;
	gt_beads_report r;
	holder[0] = 22.5;
	holder[1] = 0.02;
	gt_projections *p = seen(scan, scan);
	holder[0] = 30;
	holder[1] = 0.002;
	o.beads = BEADS;
	o.span = span();
	ck_ok(gt_calibrate_beads(p, &o, &r));
	fprintf(stderr, "heavy holder: axis %.3f +- %.3f mm, distance %.3f +- %.3f, slant %.3f +- %.3f deg; %zu sights\n",
	        r.value[GT_BEADS_AXIS], r.error[GT_BEADS_AXIS], r.value[GT_BEADS_DISTANCE], r.error[GT_BEADS_DISTANCE],
	        r.value[GT_BEADS_SLANT] * GT_DEGREES, r.error[GT_BEADS_SLANT] * GT_DEGREES, r.seen);
	ck_assert_uint_gt(r.seen, 440);
	ck_assert_double_eq_tol(r.value[GT_BEADS_AXIS], 0, 2.5 * r.error[GT_BEADS_AXIS]);
	ck_assert_double_lt(r.error[GT_BEADS_AXIS], 0.25);
	ck_assert_double_eq_tol(r.value[GT_BEADS_SLANT], 0, 2.5 * r.error[GT_BEADS_SLANT]);
	gt_beads_free(&r);
	gt_projections_free(p);
	gt_scan_free(scan);
}

GT_TEST(unknown_places)
{
	gt_beads_options o = gt_beads_defaults;
	gt_beads_report r;
	gt_projections *p = disturbed_scan();
	o.beads = BEADS;
	ck_ok(gt_calibrate_beads(p, &o, &r));
	compare(&r, 0);
	gt_beads_free(&r);
	gt_projections_free(p);
	p = disturbed_scan();
	o.span = span() * 1.1;
	ck_ok(gt_calibrate_beads(p, &o, &r));
	ck_assert_double_eq_tol(r.value[GT_BEADS_AXIS], 40, 0.6);
	ck_assert_double_eq_tol(gt_projections_scan(p)->source_to_axis, 440, 0.6);
	ck_assert_double_lt(r.error[GT_BEADS_AXIS], 0.3);
	gt_beads_free(&r);
	gt_projections_free(p);
}

GT_TEST(known_places)
{
	gt_beads_options o = gt_beads_defaults;
	gt_beads_report r;
	gt_projections *p = disturbed_scan();
	double turned[BEADS][3];
	/* other order, rotated and shifted */
	for (int k = 0; k < BEADS; k++) {
		const double *x = place[(3 * k + 1) % BEADS];
		turned[k][0] = 5 + 0.8 * x[0] - 0.6 * x[2];
		turned[k][1] = x[1] - 3;
		turned[k][2] = 0.6 * x[0] + 0.8 * x[2];
	}
	o.beads = BEADS;
	o.place = (const double(*)[3])turned;
	ck_ok(gt_calibrate_beads(p, &o, &r));
	compare(&r, 1);
	compare_places(&r, 0.25);
	gt_beads_free(&r);
	gt_projections_free(p);
	p = disturbed_scan();
	for (int k = 0; k < BEADS; k++)
		turned[k][0] = -turned[k][0];
	ck_refused(gt_calibrate_beads(p, &o, &r), GT_ERR_UNSUPPORTED, "do not match the 8 beads found");
	gt_beads_free(&r);
	gt_projections_free(p);
}

/* Largest distance (pixels) between the projections of object points in two scans. */
static double largest_distance(const gt_scan *a, const gt_scan *b, size_t v)
{
	const gt_detector da = gt_scan_detector(a), db = gt_scan_detector(b);
	double worst = 0;
	for (int k = 0; k < 27; k++) {
		const double x[3] = { 15. * (k % 3 - 1), 15. * (k / 3 % 3 - 1), 22. * (k / 9 - 1) };
		double ca = 0, ra = 0, cb = 9, rb = 9;
		gt_point_pixel(&da, &a->view[v], x, &ca, &ra);
		gt_point_pixel(&db, &b->view[v], x, &cb, &rb);
		worst = fmax(worst, hypot(ca - cb, ra - rb));
	}
	return worst;
}

/* A C-arm: each view has its own errors. Accuracy is that of the rays. */
GT_TEST(each_view)
{
	gt_beads_options o = gt_beads_defaults;
	gt_beads_report r;
	gt_scan *given = nominal(GT_FLAT, VIEWS), *real = nominal(GT_FLAT, VIEWS);
	disturb(real, truth, 0.4);
	gt_projections *p = seen(given, real);
	o.beads = BEADS;
	o.place = place;
	o.each_view = 1;
	ck_ok(gt_calibrate_beads(p, &o, &r));
	fprintf(stderr, "%zu views alone; %.4f pixels before, %.4f after\n", r.views_alone, r.before, r.after);
	ck_assert_uint_gt(r.views_alone, VIEWS / 2);
	for (size_t v = 0; v < VIEWS; v++)
		if (isfinite(r.view_error[v][0])) {
			const gt_view *w = &gt_projections_scan(p)->view[v];
			ck_assert_double_lt(distance(w->source, real->view[v].source), 5 * r.view_error[v][0] + 0.5);
			ck_assert_double_gt(r.view_error[v][0], 0);
			ck_assert_double_lt(r.view_rms[v], 0.1);
			ck_assert_double_lt(largest_distance(gt_projections_scan(p), real, v), 0.3);
		}
	gt_beads_free(&r);
	gt_projections_free(p);
	gt_scan_free(given);
	gt_scan_free(real);
}

/* Some beads are missing in some views. */
GT_TEST(hidden_in_views)
{
	gt_beads_options o = gt_beads_defaults;
	gt_beads_report r;
	gt_projections *p = disturbed_scan();
	const gt_scan *s = gt_projections_scan(p);
	float *data = gt_projections_data(p);
	for (size_t v = 7; v < 12; v++)
		for (size_t l = 0; l < 70; l++)
			for (size_t k = 0; k < s->columns; k++)
				data[(v * s->rows + l) * s->columns + k] = (float)(0.3 + 0.01 * gt_test_normal(3, v * 70 + l));
	o.beads = BEADS;
	ck_ok(gt_calibrate_beads(p, &o, &r));
	compare(&r, 0);
	size_t unseen = 0;
	for (size_t i = 7 * BEADS; i < 12 * BEADS; i++)
		unseen += isnan(r.sight[i].column);
	ck_assert_uint_ge(unseen, 15);
	gt_beads_free(&r);
	gt_projections_free(p);
}

GT_TEST(refused)
{
	gt_beads_options o = gt_beads_defaults;
	gt_beads_report r;
	gt_projections *p = disturbed_scan();
	static const size_t wrong[] = { 7, 9 };
	for (int i = 0; i < 2; i++) {
		o.beads = wrong[i];
		ck_refused(gt_calibrate_beads(p, &o, &r), GT_ERR_UNSUPPORTED, "8 beads that at least half");
		gt_beads_free(&r);
	}
	o.beads = 3;
	ck_refused(gt_calibrate_beads(p, &o, &r), GT_ERR_ARG, "expected 4 to 64");
	o.beads = BEADS;
	o.span = -1;
	ck_refused(gt_calibrate_beads(p, &o, &r), GT_ERR_ARG, "span");
	o.span = 0;
	const gt_scan *s = gt_projections_scan(p);
	gt_projections_data(p)[gt_scan_size(s) / 2] = NAN;
	ck_refused(gt_calibrate_beads(p, &o, &r), GT_ERR_FORMAT, "gt_calibrate_beads: the projections: 1 values are not finite");
	gt_beads_free(&r);
	memset(gt_projections_data(p), 0, sizeof(float) * gt_scan_size(s));
	ck_refused(gt_calibrate_beads(p, &o, &r), GT_ERR_UNSUPPORTED, "found no bead projection");
	gt_beads_free(&r);
	gt_projections_free(p);
	gt_scan *parallel = nominal(GT_PARALLEL, VIEWS);
	ck_ok(gt_projections_new(parallel, &p));
	ck_refused(gt_calibrate_beads(p, &o, &r), GT_ERR_UNSUPPORTED, "found parallel rays");
	gt_beads_free(&r);
	gt_projections_free(p);
	gt_scan_free(parallel);
}

static void read_text(const char *text, const char *refusal)
{
	double(*x)[3] = NULL;
	size_t n = 0;
	gt_test_write("places.txt", text);
	if (refusal) {
		ck_refused(gt_beads_read("places.txt", &x, &n), GT_ERR_FORMAT, refusal);
		ck_assert_ptr_null(x);
	} else {
		ck_ok(gt_beads_read("places.txt", &x, &n));
		ck_assert_uint_eq(n, 4);
		ck_assert_double_eq(x[1][2], -6.5);
		free(x);
	}
	remove("places.txt");
}

GT_TEST(places_of_a_text)
{
	read_text("# mm\n1 2 3\n4, 5, -6.5 # second\n\n7\t8\t9\r\n1e1,2,3", NULL);
	read_text("1 2 3\n4 5\n", "line 2");
	read_text("1 2 3\n4,5 5,5 6,5\n", "line 2");
	read_text("1 2 3 4\n", "line 1");
	read_text("1 2 nan\n", "line 1");
	read_text("1 2 3\n4 5 6\n7 8 9\n", "found 3 beads");
}

/* Runs once, in the process that starts one for each test. */
static void make_shared(void) { shared = disturbed_scan(); }

static void fill(TCase *tc) { tcase_add_unchecked_fixture(tc, make_shared, NULL); }

int main(void) { return gt_test_main("beads", fill); }
