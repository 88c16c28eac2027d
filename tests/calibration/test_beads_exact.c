/* Calibration by beads from exact bead centres, with sharp holder edges, and with a panel seen from the back.
 * labels: unit physics backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include <gantry/author/scan_math.h>
#include "calibration/beads/beads.h"
#include "calibration/correct.h"
#include "tests/support/support.h"

enum { BEADS = 8, VIEWS = 90, N = GT_BEADS_PARAMETERS };
static const double truth[N] = { 3.3, -2.1, 0.5 / GT_DEGREES, 1 / GT_DEGREES, -0.7 / GT_DEGREES, 2.5, -1.5 };
/* Two rings of radius 20 mm. */
static void place_of(int k, double x[3])
{
	x[0] = 20 * cos(GT_PI / 2 * (k / 2) + 0.4 * (k % 2));
	x[1] = 20 * sin(GT_PI / 2 * (k / 2) + 0.4 * (k % 2));
	x[2] = k % 2 ? 28 : -28;
}
static const double scattered[BEADS][3] = { { 20, 0, -27 }, { 3, 19, -19 }, { -17, 9, -11 }, { -13, -16, -3 },
	                                    { 9, -18, 4 },  { 19, 7, 12 },  { -3, 20, 19 },  { -20, -4, 28 } };

static gt_scan *panel(double pitch, size_t rows, size_t columns, size_t views)
{
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = views,
		                 .rows = rows,
		                 .columns = columns,
		                 .column_pitch = pitch,
		                 .row_pitch = pitch,
		                 .source_to_axis = 400,
		                 .source_to_detector = 600,
		                 .turn = 2 * GT_PI };
	gt_scan *s = NULL;
	ck_ok(gt_scan_orbit(&orbit, &s));
	return s;
}

static void disturb(gt_scan *s)
{
	const double shared[GT_CALIBRATE_PARAMETERS] = { truth[0], truth[2], truth[3], truth[4], truth[5] };
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 2; a++) {
			const double move = truth[6] * s->view[v].source[a] / 400;
			s->view[v].source[a] += move;
			s->view[v].detector[a] += move;
		}
	gt_calibrate_apply(shared, s);
	s->row_center += truth[1];
}

typedef struct {
	gt_bead_search s;
	gt_scan *given, *scan;
} problem;

/* Beads with position errors of about 1 mm, as after matching, and centres with Gaussian noise (pixels). */
static void set_up(problem *p, double noise)
{
	gt_scan *real = panel(0.2, 700, 560, VIEWS);
	disturb(real);
	const gt_detector d = gt_scan_detector(real);
	p->given = panel(0.2, 700, 560, VIEWS);
	p->scan = panel(0.2, 700, 560, VIEWS);
	p->s = (gt_bead_search){ .given = p->given, .scan = p->scan, .beads = BEADS };
	p->s.place = calloc(GT_BEADS_MAX, sizeof *p->s.place);
	p->s.sight = calloc(VIEWS * GT_BEADS_MAX, sizeof *p->s.sight);
	p->s.blobs.blob = calloc(VIEWS * BEADS, sizeof *p->s.blobs.blob);
	for (int k = 0; k < BEADS; k++) {
		double x[3];
		place_of(k, x);
		for (int a = 0; a < 3; a++)
			p->s.place[k][a] = x[a] + 0.6 * gt_test_normal(3, (uint64_t)(3 * k + a));
		for (size_t v = 0; v < VIEWS; v++) {
			const size_t i = v * BEADS + (size_t)k;
			gt_blob *b = &p->s.blobs.blob[i];
			gt_point_pixel(&d, &real->view[v], x, &b->column, &b->row);
			b->column += noise * gt_test_normal(1, i);
			b->row += noise * gt_test_normal(2, i);
			p->s.sight[v * GT_BEADS_MAX + (size_t)k] = (long)i;
		}
	}
	for (size_t i = 0; i < VIEWS * GT_BEADS_MAX; i++)
		if (i % GT_BEADS_MAX >= BEADS)
			p->s.sight[i] = GT_BEADS_NONE;
	gt_scan_free(real);
}

static void tear_down(problem *p)
{
	free(p->s.place);
	free(p->s.sight);
	free(p->s.blobs.blob);
	gt_scan_free(p->given);
	gt_scan_free(p->scan);
}

GT_TESTS_ALIKE(known_scatter, 2)
{
	/* 1.5 times the error from 0.1 pixels of noise: column, row (pixels), roll, slant, tilt (degrees),
	 * distances from source to detector and to axis (mm) */
	static const double within[N] = { 0.006, 0.18, 0.0021, 0.045, 0.045, 0.315, 0.21 };
	double shape[BEADS][3];
	gt_beads_fit fit = { 0 };
	problem p;
	for (int k = 0; k < BEADS; k++)
		place_of(k, shape[k]);
	set_up(&p, _i ? 0.1 : 0);
	ck_ok(gt_beads_adjust(&p.s, 0, (const double(*)[3])shape, &fit));
	const double left = sqrt(fit.squares / (double)(2 * fit.sights)), sigma2 = fit.squares / (double)(2 * fit.sights - fit.unknowns);
	fprintf(stderr, "%.3g pixels left\n", left);
	for (size_t j = 0; j < N; j++) {
		const double unit = j >= 2 && j <= 4 ? GT_DEGREES : 1, off = (p.s.value[j] - truth[j]) * unit;
		const double error = sqrt(sigma2 * fit.inverse[j * fit.unknowns + j]) * unit;
		fprintf(stderr, "%-9s %+.5f off, stated %.5f, expected below %.5f\n", gt_beads_names[j], off, error, within[j]);
		if (_i) {
			ck_assert_double_lt(fabs(off), 4 * error);
			ck_assert_double_lt(error, within[j]);
		} else {
			ck_assert_double_lt(fabs(off), 1e-6);
		}
	}
	if (_i)
		ck_assert_double_eq_tol(left, 0.1, 0.006);
	else
		ck_assert_double_lt(left, 1e-9);
	free(fit.inverse);
	tear_down(&p);
}

static gt_projections *seen(double holder)
{
	enum { SCANNED = 60 };
	gt_scan *given = panel(0.6, 150, 120, SCANNED), *real = panel(0.6, 150, 120, SCANNED);
	gt_projections *p = NULL;
	gt_phantom *balls = NULL;
	FILE *f = fopen("balls-exact.shapes", "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "unit mm-1\ncylinder radius=22.5 length=64 density=%g\n", holder);
	for (int k = 0; k < BEADS; k++)
		fprintf(f, "ellipsoid center=%g,%g,%g radius=1 density=0.6\n", scattered[k][0], scattered[k][1], scattered[k][2]);
	fclose(f);
	real->column_center += truth[0];
	ck_ok(gt_phantom_new("balls-exact.shapes", NULL, &balls));
	ck_ok(gt_projections_new(given, &p));
	ck_ok(gt_phantom_project(balls, real, 3, NULL, NULL, NULL, gt_projections_data(p)));
	gt_add_photon_noise(2e4, 0, 5, 0, NULL, gt_projections_data(p), gt_scan_size(real));
	remove("balls-exact.shapes");
	gt_phantom_free(balls);
	gt_scan_free(given);
	gt_scan_free(real);
	return p;
}

/* The holder wall is 2.5 mm from the bead centres; the bias from its edges stays below the reported error. */
GT_TEST(sharp_holder)
{
	static const double expected[N] = { 3.3 };
	gt_beads_options o = gt_beads_defaults;
	gt_beads_report r;
	gt_projections *p = seen(0.01);
	o.beads = BEADS;
	ck_ok(gt_calibrate_beads(p, &o, &r));
	for (int j = 0; j < N; j++) {
		if (!r.identifiable[j])
			continue;
		fprintf(stderr, "%-9s %+.5f +- %.5f, is %g\n", gt_beads_names[j], r.value[j], r.error[j], expected[j]);
		ck_assert_double_lt(fabs(r.value[j] - expected[j]), 3 * r.error[j]);
	}
	ck_assert_double_lt(r.error[GT_BEADS_SLANT], 0.05 / GT_DEGREES);
	gt_beads_free(&r);
	gt_projections_free(p);
}

static void take(void *self, const gt_message *m)
{
	if (m->severity == GT_WARNING)
		snprintf(self, 512, "%s", m->text);
}

/* A reversed column direction is reported, and not only as a slant of 180 degrees. */
GT_TEST(from_behind)
{
	gt_beads_options o = gt_beads_defaults;
	gt_beads_report r;
	char said[512] = "";
	gt_projections *p = seen(0.002);
	const gt_scan *s = gt_projections_scan(p);
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < s->views * s->rows; i++)
		for (size_t k = 0; k < s->columns / 2; k++) {
			float *a = x + i * s->columns + k, *b = x + (i + 1) * s->columns - 1 - k, kept = *a;
			*a = *b;
			*b = kept;
		}
	o.beads = BEADS;
	o.notes = (gt_listener){ .say = take, .self = said };
	ck_ok(gt_calibrate_beads(p, &o, &r));
	ck_assert_msg(strstr(said, "reversed or its rotation direction is") != NULL, "%s", said);
	gt_beads_free(&r);
	gt_projections_free(p);
	p = seen(0.002);
	o.beads = BEADS;
	said[0] = 0;
	ck_ok(gt_calibrate_beads(p, &o, &r));
	ck_assert_msg(!*said, "%s", said);
	gt_beads_free(&r);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("beads_exact", NULL); }
