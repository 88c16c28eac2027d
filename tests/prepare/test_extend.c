/* Objects wider than the detector: extrapolated rows correct the inside; rows that end in air stay.
 * labels: unit physics slow  backend: cpu */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include <gantry/prepare.h>
#include <gantry/recon.h>
#include "core/order_statistics.h"
#include "tests/support/support.h"

enum { SIDE = 104 };
/* Water with two holes and a rod inside the field of view, and one outside; the detector covers 64 mm to each side. */
static const char body_text[] = "cylinder radii=110,95 length=200 density=1\n"
				"cylinder center=25,-10,0 radius=12 length=200 density=-0.95\n"
				"cylinder center=-20,22,0 radius=8 length=200 density=0.1\n"
				"cylinder center=-82,15,0 radius=9 length=200 density=-0.5\n";

static const struct {
	const char *name, *method;
	gt_shape shape;
	size_t rows;
	double turns, pitch, offset;
} cases[] = {
	{ "fbp", "fbp", GT_PARALLEL, 1, 1, 0, 0 },
	{ "fdk, flat", "fdk", GT_FLAT, 1, 1, 0, 0 },
	{ "fdk, arc", "fdk", GT_ARC, 1, 1, 0, 0.25 },
	{ "wfbp", "wfbp", GT_ARC, 8, 4, 6, 0.25 },
};

static gt_projections *seen(int k, size_t columns)
{
	const double magnified = cases[k].shape == GT_PARALLEL ? 1 : 950. / 540;
	const gt_orbit orbit = { .shape = cases[k].shape,
		                 .views = (size_t)(360 * cases[k].turns),
		                 .rows = cases[k].rows,
		                 .columns = columns,
		                 .column_pitch = magnified,
		                 .row_pitch = 2 * magnified,
		                 .column_offset = cases[k].offset,
		                 .source_to_axis = 540,
		                 .source_to_detector = 950,
		                 .turn = 2 * GT_PI * cases[k].turns,
		                 .pitch_per_turn = cases[k].pitch };
	gt_scan *s = NULL;
	gt_projections *p = NULL;
	gt_phantom *body = NULL;
	gt_test_write("body.shapes", body_text);
	ck_ok(gt_scan_orbit(&orbit, &s));
	ck_ok(gt_phantom_new("body.shapes", NULL, &body));
	ck_ok(gt_projections_new(s, &p));
	ck_ok(gt_phantom_project(body, s, 1, NULL, NULL, NULL, gt_projections_data(p)));
	remove("body.shapes");
	gt_phantom_free(body);
	gt_scan_free(s);
	return p;
}

static gt_volume *slice(const gt_projections *p, const char *method)
{
	const gt_grid grid = { { SIDE, SIDE, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_recon *r = NULL;
	gt_volume *v = NULL;
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_new((gt_projections *)(uintptr_t)p, &r));
	ck_ok(gt_recon_set(r, "solver", method));
	ck_ok(gt_recon_set(r, "backend", "cpu:2"));
	ck_ok(gt_recon_set(r, "check", "no"));
	ck_ok(gt_recon_run(r, v));
	gt_recon_free(r);
	return v;
}

/* Error inside relative to the complete detector, in HU: mean, and root mean square about it. */
static void error_of(const gt_volume *v, const gt_volume *whole, double error[2])
{
	const float *a = gt_volume_data(v), *b = gt_volume_data(whole);
	double sum = 0, squares = 0, n = 0;
	for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
		const double x = (double)(i % SIDE) - (SIDE - 1) / 2., y = (double)(i / SIDE) - (SIDE - 1) / 2.;
		if (hypot(x, y) > 0.45 * SIDE)
			continue;
		const double off = 1000 * ((double)a[i] - (double)b[i]) / GT_MU_WATER;
		sum += off;
		squares += off * off;
		n++;
	}
	error[0] = sum / n;
	error[1] = sqrt(fmax(0, squares / n - error[0] * error[0]));
}

GT_TESTS(the_inside_is_right, sizeof cases / sizeof *cases)
{
	gt_projections *p = seen(_i, 128), *whole = seen(_i, 256);
	double rolled[2], extended[2];
	gt_volume *truth = slice(whole, cases[_i].method), *v = slice(p, cases[_i].method);
	error_of(v, truth, rolled);
	gt_volume_free(v);
	ck_ok(gt_prepare(&p, "extend", NULL));
	ck_assert_uint_gt(gt_projections_scan(p)->columns, 128);
	v = slice(p, cases[_i].method);
	error_of(v, truth, extended);
	fprintf(stderr, "%s: HU off, as it is %.1f +- %.1f, extended %.1f +- %.1f; %zu columns of 128\n", cases[_i].name, rolled[0],
	        rolled[1], extended[0], extended[1], gt_projections_scan(p)->columns);
	ck_assert_double_le(fabs(extended[0]), 20);
	ck_assert_double_le(extended[1], 10);
	gt_volume_free(v);
	gt_volume_free(truth);
	gt_projections_free(p);
	gt_projections_free(whole);
}

/* The nearer side of a shifted detector is not an end of the object. */
GT_TEST(rows_that_end_in_air_stay)
{
	gt_projections *p = seen(0, 256);
	const size_t n = gt_scan_size(gt_projections_scan(p));
	float *before = malloc(n * sizeof *before);
	memcpy(before, gt_projections_data(p), n * sizeof *before);
	ck_ok(gt_prepare(&p, "extend", NULL));
	ck_assert_uint_eq(gt_projections_scan(p)->columns, 256);
	ck_assert(memcmp(before, gt_projections_data(p), n * sizeof *before) == 0);
	ck_assert_ptr_null(gt_projections_weights(p));
	free(before);
	gt_projections_free(p);
	p = seen(0, 128);
	gt_projections_scan(p)->column_center += 20;
	ck_ok(gt_prepare(&p, "extend:columns=30", NULL));
	const gt_scan *s = gt_projections_scan(p);
	ck_assert_uint_eq(s->columns, 128 + 30);
	ck_assert_double_eq_tol(s->column_center, 63.5 + 20 + 30, 1e-9);
	for (size_t i = 0; i < gt_scan_size(s); i++)
		ck_assert_float_eq(gt_projections_weights(p)[i], i % s->columns < 30 ? 0.f : 1.f);
	gt_projections_free(p);
	p = seen(0, 23);
	ck_refused(gt_prepare(&p, "extend", NULL), GT_ERR_UNSUPPORTED, "23 columns: expected at least 24");
	gt_projections_free(p);
}

static void keep(void *self, const gt_message *m) { snprintf(self, 512, "%s", m->text); }

/* Only a full rotation covers the nearer side; the step reports the remaining truncation. */
GT_TEST(only_a_whole_turn_sees_from_behind)
{
	char note[512] = "";
	gt_prepare_options o = gt_prepare_defaults;
	gt_projections *p = seen(0, 256);
	o.notes = (gt_listener){ .say = keep, .self = note };
	ck_ok(gt_prepare(&p, "crop:last-columns=80", NULL));
	ck_ok(gt_prepare(&p, "extend", &o));
	ck_assert_uint_eq(gt_projections_scan(p)->columns, 176);
	ck_assert_msg(strstr(note, "rows end in air, and where rays from behind see on (") != NULL, "%s", note);
	ck_ok(gt_prepare(&p, "views:range=0:200", NULL));
	ck_ok(gt_prepare(&p, "extend:columns=30", &o));
	ck_assert_uint_eq(gt_projections_scan(p)->columns, 176 + 30);
	ck_assert_double_eq_tol(gt_projections_scan(p)->column_center, 127.5, 1e-9);
	ck_assert_msg(strstr(note, "0 columns before the first and 30 after the last") != NULL, "%s", note);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("extend", NULL); }
