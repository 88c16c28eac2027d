/* Refusals of fdk and fbp, and their messages. */
/* labels: unit */
#include "tests/analytic/bodies.h"

static const gt_grid grid = { { 8, 8, 4 }, { 2, 2, 2 }, { 0, 0, 0 } };

static gt_orbit orbit_of(gt_shape shape)
{
	return (gt_orbit){ .shape = shape,
		           .views = 72,
		           .rows = 8,
		           .columns = 40,
		           .source_to_axis = 100,
		           .source_to_detector = 160,
		           .column_pitch = 2,
		           .row_pitch = 2,
		           .turn = 2 * GT_PI };
}

static gt_scan *scan_of(const gt_orbit *o)
{
	gt_scan *s;
	ck_ok(gt_scan_orbit(o, &s));
	return s;
}

static gt_status run(const gt_scan *s, const char *method, const char *text)
{
	gt_backend *be = gt_test_backend();
	const gt_analytic *m = gt_analytic_find(method);
	gt_array *p = gt_test_array(be, GT_F32, gt_scan_size(s), 1), *x = gt_test_array(be, GT_F32, gt_grid_voxels(&grid), 2);
	void *options = malloc(m->options_size);
	ck_assert_ptr_nonnull(options);
	memcpy(options, m->defaults, m->options_size);
	ck_ok(gt_params_parse(m->params, text, options));
	const gt_status takes = gt_analytic_supports(m, &grid, s), st = gt_analytic_run(m, be, &grid, s, options, p, x);
	ck_assert(text || takes == st);
	free(options);
	gt_array_free(p);
	gt_array_free(x);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
	return st;
}

#define REFUSED(scan, method, text) ck_refused(run(scan, method, NULL), GT_ERR_UNSUPPORTED, text)

GT_TEST(methods_are_found)
{
	gt_orbit o = orbit_of(GT_FLAT), p = orbit_of(GT_PARALLEL);
	gt_scan *s = scan_of(&o), *q = scan_of(&p);
	ck_assert_str_eq(gt_analytic_for(s)->name, "fdk");
	ck_assert_str_eq(gt_analytic_for(q)->name, "fbp");
	ck_assert(gt_analytic_find("fdk") == gt_analytics[0] && gt_analytic_find("no such") == NULL);
	REFUSED(s, "fbp", "use fdk");
	REFUSED(q, "fdk", "use fbp");
	gt_scan_free(s);
	gt_scan_free(q);
}

GT_TEST(helical_scans)
{
	gt_orbit o = orbit_of(GT_ARC);
	o.pitch_per_turn = 8;
	gt_scan *s = scan_of(&o);
	REFUSED(s, "fdk", "use wfbp");
	gt_scan_free(s);
}

GT_TEST(short_ranges)
{
	gt_orbit o = orbit_of(GT_FLAT);
	o.turn = 150 * GT_PI / 180;
	gt_scan *s = scan_of(&o);
	REFUSED(s, "fdk", "cover 150.00 degrees");
	REFUSED(s, "fdk", "at least 207.");
	ck_ok(run(s, "fdk", "short-scan=off"));
	gt_scan_free(s);
	o.turn = GT_PI + 2 * gt_orbit_half_fan(&o) - 0.2;
	s = scan_of(&o);
	REFUSED(s, "fdk", "expected at least");
	gt_scan_free(s);
	o.turn += 0.2;
	s = scan_of(&o);
	ck_ok(run(s, "fdk", NULL));
	gt_scan_free(s);
	o = orbit_of(GT_PARALLEL);
	o.turn = 150 * GT_PI / 180;
	s = scan_of(&o);
	REFUSED(s, "fbp", "cover 150.00 degrees: expected 180");
	gt_scan_free(s);
	o.views = 1;
	s = scan_of(&o);
	REFUSED(s, "fbp", "cover 0.00 degrees");
	ck_refused(run(s, "fbp", "short-scan=off"), GT_ERR_UNSUPPORTED, "cover 0.00 degrees");
	gt_scan_free(s);
}

GT_TEST(holes)
{
	gt_orbit o = orbit_of(GT_ARC);
	o.turn = 4.6;
	gt_scan *s = scan_of(&o);
	for (size_t v = 30; v < 45; v++)
		s->view[v] = s->view[29];
	REFUSED(s, "fdk", "no such gap");
	gt_scan_free(s);
}

GT_TEST(missing_angles)
{
	gt_orbit o = orbit_of(GT_FLAT);
	gt_scan *s = scan_of(&o);
	s->view[7].angle = NAN;
	REFUSED(s, "fdk", "view 7 has none");
	gt_scan_free(s);
}

GT_TEST(tilted_rows_and_beams)
{
	gt_orbit o = orbit_of(GT_FLAT);
	gt_scan *s = scan_of(&o);
	gt_view *w = &s->view[3];
	const double tilt = 0.3, c[3] = { w->column_axis[0], w->column_axis[1], 0 };
	for (int a = 0; a < 3; a++) {
		w->column_axis[a] = cos(tilt) * c[a] + (a == 2 ? sin(tilt) : 0);
		w->row_axis[a] = -sin(tilt) * c[a] + (a == 2 ? cos(tilt) : 0);
	}
	REFUSED(s, "fdk", "columns of view 3 are tilted by 17.18");
	gt_scan_free(s);
	o = orbit_of(GT_ARC);
	s = scan_of(&o);
	tilt_view(&s->view[4], 0.01, 0);
	REFUSED(s, "fdk", "row_axis of view 4");
	gt_scan_free(s);
	o = orbit_of(GT_PARALLEL);
	s = scan_of(&o);
	s->view[5].source[2] += 10;
	REFUSED(s, "fbp", "those of view 5 are inclined");
	gt_scan_free(s);
}

static void refuse_plate(gt_shape shape, const gt_orbit *changes, const char *text)
{
	gt_orbit o = orbit_of(shape);
	o.rows = 40;
	o.tilt = changes->tilt;
	o.panel = changes->panel;
	o.turn = changes->turn > 0 ? changes->turn : o.turn;
	gt_scan *s = scan_of(&o);
	REFUSED(s, shape == GT_PARALLEL ? "fbp" : "fdk", text);
	gt_scan_free(s);
}

GT_TEST(tilted_axes)
{
	for (int shape = GT_FLAT; shape <= GT_PARALLEL; shape += GT_PARALLEL - GT_FLAT) {
		refuse_plate((gt_shape)shape, &(gt_orbit){ .tilt = 0.6, .turn = 1.5 * GT_PI },
		             "cover 270.00 degrees about a tilted axis: expected 360");
		refuse_plate((gt_shape)shape, &(gt_orbit){ .tilt = 0.6, .turn = GT_PI, .panel = GT_PANEL_AXIS }, "cover 180.00 degrees");
		refuse_plate((gt_shape)shape, &(gt_orbit){ .tilt = 0.6, .panel = GT_PANEL_STAGE_FIXED }, "from the tangent of the orbit");
		refuse_plate((gt_shape)shape, &(gt_orbit){ .tilt = 1.4 },
		             "inclined by 80.2141 degrees to the x-y plane: expected at most 75");
	}
	gt_orbit o = orbit_of(GT_FLAT);
	o.tilt = 0.6;
	o.turn = 1.5 * GT_PI;
	gt_scan *s = scan_of(&o);
	ck_ok(run(s, "fdk", "short-scan=off"));
	gt_scan_free(s);
}

GT_TEST(axis_out_of_sight_and_no_circle)
{
	gt_orbit o = orbit_of(GT_FLAT);
	o.column_offset = 25;
	gt_scan *s = scan_of(&o);
	REFUSED(s, "fdk", "does not see the rotation axis");
	gt_scan_free(s);
	/* Weights of both sides need at least one column beyond the axis. */
	for (int inside = 0; inside < 2; inside++) {
		o.column_offset = (double)(o.columns - 1) / 2 - (inside ? 1 : 0.9);
		s = scan_of(&o);
		if (inside)
			ck_ok(run(s, "fdk", NULL));
		else
			REFUSED(s, "fdk", "expected it at least one column from the edge");
		gt_scan_free(s);
	}
	o = orbit_of(GT_FLAT);
	s = scan_of(&o);
	for (size_t v = 0; v < s->views; v++)
		s->view[v].source[0] *= 1.2;
	REFUSED(s, "fdk", "sources on a circle");
	gt_scan_free(s);
}

GT_TEST(arrays_that_do_not_fit)
{
	gt_orbit o = orbit_of(GT_FLAT);
	gt_scan *s = scan_of(&o);
	gt_backend *be = gt_test_backend();
	const gt_analytic *m = gt_analytic_find("fdk");
	const size_t n = gt_scan_size(s), voxels = gt_grid_voxels(&grid);
	gt_array *p = gt_test_array(be, GT_F32, n, 1), *q = gt_test_array(be, GT_F32, n - 1, 1);
	gt_array *x = gt_test_array(be, GT_F32, voxels, 2), *y = gt_test_array(be, GT_F64, voxels, 2);
	ck_refused(gt_analytic_run(m, be, &grid, s, NULL, q, x), GT_ERR_ARG, "projection values");
	ck_refused(gt_analytic_run(m, be, &grid, s, NULL, p, p), GT_ERR_ARG, "expected 256");
	ck_refused(gt_analytic_run(m, be, &grid, s, NULL, p, y), GT_ERR_ARG, "precision");
	gt_grid bad = grid;
	bad.center[2] = 500;
	ck_assert(gt_analytic_run(m, be, &bad, s, NULL, p, x) == GT_ERR_ARG);
	ck_ok(gt_analytic_run(m, be, &grid, s, NULL, p, x));
	gt_array_free(p);
	gt_array_free(q);
	gt_array_free(x);
	gt_array_free(y);
	gt_scan_free(s);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("refusals", NULL); }
