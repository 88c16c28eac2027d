/* Orbits, presets and properties of scans.
 * labels: unit property, backend: none */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "geometry/scan.h"
#include "tests/support/support.h"

static gt_scan *scan_of(const gt_orbit *orbit)
{
	gt_scan *s;
	ck_ok(gt_scan_orbit(orbit, &s));
	return s;
}

static const gt_orbit base = { .shape = GT_ARC,
	                       .views = 60,
	                       .rows = 8,
	                       .columns = 100,
	                       .source_to_axis = 541,
	                       .source_to_detector = 949,
	                       .column_pitch = 1.1,
	                       .row_pitch = 1.4,
	                       .turn = 2 * GT_PI };

GT_TEST(views_turn_counter_clockwise)
{
	gt_orbit o = base;
	o.start_angle = GT_PI / 6;
	gt_scan *s = scan_of(&o);
	const double expect[3] = { -541 * 0.5, 541 * sqrt(0.75), 0 };
	for (int a = 0; a < 3; a++)
		ck_assert_double_eq_tol(s->view[0].source[a], expect[a], 1e-10);
	for (size_t v = 1; v < s->views; v++) {
		const double *p = s->view[v - 1].source, *q = s->view[v].source, *c = s->view[v].column_axis;
		ck_assert_double_gt(p[0] * q[1] - p[1] * q[0], 0);
		/* columns run along the motion of the detector, against the motion of the source */
		ck_assert_double_lt(c[0] * (q[0] - p[0]) + c[1] * (q[1] - p[1]), 0);
		ck_assert_double_eq_tol(s->view[v].angle, GT_PI / 6 + (double)v * GT_PI / 30, 1e-12);
	}
	gt_scan_free(s);
}

GT_TEST(offsets_move_the_center)
{
	gt_orbit o = base;
	o.column_offset = 1.25;
	o.row_offset = -2;
	gt_scan *s = scan_of(&o);
	ck_assert_double_eq_tol(s->column_center, 49.5 + 1.25, 1e-12);
	ck_assert_double_eq_tol(s->row_center, 3.5 - 2, 1e-12);
	/* the z axis still falls on `detector`; only the pixels moved */
	const gt_detector d = gt_scan_detector(s);
	const double axis[3] = { 0, 0, 0 };
	double column, row;
	for (size_t v = 0; v < s->views; v++) {
		gt_point_pixel(&d, &s->view[v], axis, &column, &row);
		ck_assert_double_eq_tol(column, 50.75, 1e-9);
		ck_assert_double_eq_tol(row, 1.5, 1e-9);
	}
	gt_scan_free(s);
}

GT_TEST(helices_climb_and_are_centred)
{
	gt_orbit o = base;
	o.turn = 5 * GT_PI;
	o.pitch_per_turn = 38.75;
	o.z_center = -7;
	for (o.views = 100; o.views < 102; o.views++) {
		gt_scan *s = scan_of(&o);
		const double step = 2.5 * 38.75 / (double)o.views;
		for (size_t v = 1; v < s->views; v++)
			ck_assert_double_eq_tol(s->view[v].source[2] - s->view[v - 1].source[2], step, 1e-11);
		ck_assert_double_eq_tol(s->view[0].source[2] + s->view[s->views - 1].source[2], -14, 1e-11);
		ck_assert_double_eq(s->view[3].detector[2], s->view[3].source[2]);
		ck_assert_double_eq_tol(gt_scan_angular_range(s), 5 * GT_PI, 1e-12);
		ck_assert_int_eq(gt_scan_is_helical(s), 1);
		gt_scan_free(s);
	}
}

GT_TEST(short_scans_have_both_ends)
{
	gt_orbit o = base;
	o.views = 11;
	o.turn = 3.5;
	o.start_angle = -1;
	o.end_view = 1;
	gt_scan *s = scan_of(&o);
	ck_assert_double_eq_tol(s->view[10].angle, 2.5, 1e-12);
	ck_assert_double_eq_tol(gt_scan_angular_range(s), 3.85, 1e-12);
	gt_scan_free(s);
	o.views = 1;
	s = scan_of(&o);
	ck_assert_double_eq(s->view[0].angle, -1);
	gt_scan_free(s);
}

GT_TEST(reduced_orbits_see_the_same)
{
	gt_orbit o = gt_scanner_find("ge-ct750hd")->orbit, same = o;
	o.row_offset = 2;
	const gt_orbit full = o;
	gt_orbit_reduce(&same, 0);
	ck_assert_uint_eq(same.columns, 888);
	gt_orbit_reduce(&o, 7);
	ck_assert_uint_eq(o.columns, 127);
	ck_assert_uint_eq(o.rows, 10);
	ck_assert_uint_eq(o.views, 141);
	ck_assert_double_eq_tol(o.column_pitch * 127, full.column_pitch * 888, 1e-9);
	ck_assert_double_eq_tol(o.row_pitch * 10, full.row_pitch * 64, 1e-9);
	ck_assert_double_eq_tol(o.column_offset * o.column_pitch, full.column_offset * full.column_pitch, 1e-9);
	ck_assert_double_eq_tol(o.row_offset * o.row_pitch, full.row_offset * full.row_pitch, 1e-9);
	ck_assert_double_eq(o.turn, full.turn);
	gt_orbit_reduce(&o, 10000);
	ck_assert_uint_eq(o.columns * o.rows * o.views, 1);
}

GT_TEST(focal_spots_fly)
{
	static const double spot[3][3] = { { 0.5, 0, 0.2 }, { -0.5, 0.3, -0.1 }, { 0, 0, 0 } };
	gt_orbit o = base;
	o.start_angle = GT_PI / 2;
	gt_scan *still = scan_of(&o);
	o.spot = spot;
	o.spots = 3;
	gt_scan *s = scan_of(&o);
	/* at theta = 90 degrees: lateral +y, away from the axis -x */
	const double expect[3] = { -541, 0.5, 0.2 };
	for (int a = 0; a < 3; a++)
		ck_assert_double_eq_tol(s->view[0].source[a], expect[a], 1e-10);
	for (size_t v = 0; v < s->views; v++) {
		const double *q = spot[v % 3], angle = s->view[v].angle;
		const gt_view *w = &s->view[v];
		ck_assert_double_eq_tol(w->source[0], still->view[v].source[0] + q[0] * cos(angle) - q[1] * sin(angle), 1e-10);
		ck_assert_double_eq_tol(w->source[1], still->view[v].source[1] + q[0] * sin(angle) + q[1] * cos(angle), 1e-10);
		ck_assert_double_eq_tol(w->source[2], q[2], 1e-12);
		ck_assert_mem_eq(w->detector, still->view[v].detector, sizeof w->detector);
		ck_assert_mem_eq(w->arc_center, still->view[v].source, sizeof w->source);
	}
	ck_assert_int_eq(gt_scan_is_helical(s), 0);
	gt_scan_free(s);
	gt_scan_free(still);
}

#define refuses(field, value, text)                                  \
	do {                                                         \
		gt_orbit o = base;                                   \
		gt_scan *s;                                          \
		o.field = value;                                     \
		ck_refused(gt_scan_orbit(&o, &s), GT_ERR_ARG, text); \
		ck_assert_ptr_null(s);                               \
	} while (0)

GT_TEST(orbits_refused)
{
	refuses(views, 0, "0 views");
	refuses(rows, 0, "0 rows");
	refuses(columns, 0, "0 columns");
	refuses(source_to_axis, 0, "source_to_axis=0");
	refuses(source_to_detector, -949, "source_to_detector=-949");
	refuses(column_pitch, 0, "column_pitch=0");
	refuses(row_pitch, NAN, "row_pitch=");
	refuses(turn, 0, "turn=0");
	refuses(turn, INFINITY, "turn=inf");
	refuses(pitch_per_turn, INFINITY, "pitch_per_turn=inf");
	refuses(column_offset, NAN, "column_center");
	refuses(start_angle, NAN, "view 0");
	refuses(spots, 2, "spots=2");
	refuses(columns, (size_t)1 << 62, "orbit");
}

GT_TEST(scanners_are_sound)
{
	size_t count = 0;
	for (const gt_scanner *p = gt_scanners; p->name; p++, count++) {
		gt_scan *s = scan_of(&p->orbit);
		gt_grid g;
		ck_ok(gt_scan_check(s));
		ck_ok(gt_grid_default(s, &g));
		ck_ok(gt_grid_check(&g, s));
		ck_assert_ptr_eq(gt_scanner_find(p->name), p);
		ck_assert_ptr_nonnull(p->about);
		gt_scan_free(s);
	}
	ck_assert_uint_ge(count, 4);
	ck_assert_ptr_null(gt_scanner_find("ge-ct751hd"));
	const gt_orbit *ge = &gt_scanner_find("ge-ct750hd")->orbit;
	ck_assert_double_eq_tol(1.0963 * 541 / 949, 0.625, 1e-4);
	ck_assert_double_eq_tol(gt_orbit_half_fan(ge), (444 - 1.25) * 1.0239 / 949, 1e-12);
	ck_assert_double_eq(fmod(ge->column_offset, 1), 0.25);
	const gt_orbit *arm = &gt_scanner_find("c-arm")->orbit;
	ck_assert_double_eq_tol(gt_orbit_half_fan(arm), atan(620 * 0.308 / 1200), 1e-12);
	ck_assert_double_gt(arm->turn, GT_PI + 2 * gt_orbit_half_fan(arm));
	ck_assert_double_eq(gt_orbit_half_fan(&gt_scanner_find("synchrotron")->orbit), 0);
}

static void set_angles(gt_scan *s, size_t views, double (*angle)(size_t))
{
	s->views = views;
	for (size_t v = 0; v < views; v++)
		s->view[v].angle = angle(v);
}

static double wrapped_helix(size_t v) { return fmod(0.3 + 0.25 * (double)v, 2 * GT_PI); }
static double backward(size_t v) { return -0.1 * (double)v; }
static double backward_wrapped(size_t v) { return GT_PI + remainder(5.0 - 0.1 * (double)v - GT_PI, 2 * GT_PI); }
static double shuffled(size_t v) { return 2 * GT_PI / 60 * (double)(v * 17 % 60); }
static double shuffled_half(size_t v) { return 2 + GT_PI / 60 * (double)(v * 17 % 60); }
static double shuffled_turns(size_t v) { return 6 * GT_PI / 60 * (double)(v * 17 % 60); }
static double across_zero(size_t v) { return fmod(5.5 + 0.05 * (double)v, 2 * GT_PI); }
static double jitter(size_t v) { return 0.05 * (double)v + (v == 30 ? 0.06 : 0); }
static double wide_steps(size_t v) { return 1.4 * GT_PI * (double)v; }

GT_TEST(turns)
{
	gt_scan *s = scan_of(&base);
	set_angles(s, 60, wrapped_helix);
	ck_assert_double_eq_tol(gt_scan_angular_range(s), 0.25 * 60, 1e-9);
	set_angles(s, 60, backward);
	ck_assert_double_eq_tol(gt_scan_angular_range(s), 6, 1e-9);
	set_angles(s, 60, backward_wrapped);
	ck_assert_double_eq_tol(gt_scan_angular_range(s), 6, 1e-9);
	set_angles(s, 60, shuffled);
	ck_assert_double_eq_tol(gt_scan_angular_range(s), 2 * GT_PI, 1e-9);
	set_angles(s, 60, shuffled_half);
	ck_assert_double_eq_tol(gt_scan_angular_range(s), GT_PI, 1e-9);
	set_angles(s, 60, shuffled_turns);
	ck_assert_double_eq_tol(gt_scan_angular_range(s), 6 * GT_PI, 1e-9);
	set_angles(s, 60, across_zero);
	ck_assert_double_eq_tol(gt_scan_angular_range(s), 3, 1e-9);
	set_angles(s, 60, jitter);
	ck_assert_double_eq_tol(gt_scan_angular_range(s), 3, 0.03);
	set_angles(s, 7, wide_steps);
	ck_assert_double_eq_tol(gt_scan_angular_range(s), 1.4 * GT_PI * 7, 1e-9);
	s->view[3].angle = NAN;
	ck_assert(isnan(gt_scan_angular_range(s)));
	gt_scan_free(s);
}

/* Returns 1 if a point on a circle around the axis is in the columns of a view. */
static int in_columns(const gt_scan *s, size_t v, double radius, double at)
{
	const gt_detector d = gt_scan_detector(s);
	const double x[3] = { radius * cos(at), radius * sin(at), s->view[v].source[2] };
	double column, row;
	return gt_point_pixel(&d, &s->view[v], x, &column, &row) && column > -0.5 && column < (double)s->columns - 0.5;
}

/* Fraction of the points of a circle that every view sees; with `half`, all but one of half the views. */
static double share_seen(const gt_scan *s, double radius, int half)
{
	int seen = 0;
	for (int i = 0; i < 400; i++) {
		size_t views = 0;
		for (size_t v = 0; v < s->views; v++)
			views += (size_t)in_columns(s, v, radius, 2 * GT_PI * i / 400);
		seen += half ? 2 * views + 2 >= s->views : views == s->views;
	}
	return seen / 400.0;
}

GT_TESTS(field_of_view_is_what_is_seen, GT_NSHAPES)
{
	gt_orbit o = base;
	o.shape = (gt_shape)_i;
	o.column_offset = 0;
	o.columns = 400;
	o.views = 90;
	gt_scan *s = scan_of(&o);
	double low, high;
	const double r = gt_scan_field_of_view(s, &low, &high), fan = gt_orbit_half_fan(&o);
	ck_assert_double_eq_tol(r, o.shape == GT_PARALLEL ? 220 : 541 * sin(fan), 1e-9);
	ck_assert_double_eq_tol(high, o.shape == GT_PARALLEL ? 5.6 : 5.6 * 541 / 949, 1e-9);
	ck_assert_double_eq_tol(low, -high, 1e-12);
	ck_assert_double_eq(share_seen(s, r * 0.999, 0), 1);
	ck_assert_double_lt(share_seen(s, r * 1.01, 0), 1);
	gt_scan_free(s);
	o.column_offset = -90;
	s = scan_of(&o);
	const double wide = gt_scan_field_of_view(s, NULL, NULL);
	ck_assert_double_gt(wide, 1.4 * r);
	ck_assert_double_eq_tol(wide,
	                        o.shape == GT_PARALLEL ? 319
	                        : o.shape == GT_ARC    ? 541 * sin(319.0 / 949)
	                                               : 541 * sin(atan(319.0 / 949)),
	                        1e-9);
	ck_assert_double_eq(share_seen(s, wide * 0.99, 1), 1);
	ck_assert_double_lt(share_seen(s, wide * 0.99, 0), 1);
	gt_scan_free(s);
	o.turn = 3.6;
	s = scan_of(&o);
	const double narrow = gt_scan_field_of_view(s, NULL, NULL);
	ck_assert_double_eq_tol(narrow, o.shape == GT_PARALLEL ? 121 : 541 * sin(gt_orbit_half_fan(&o)), 1e-9);
	gt_scan_free(s);
	o.column_offset = 210;
	s = scan_of(&o);
	ck_assert_double_eq(gt_scan_field_of_view(s, NULL, NULL), 0);
	gt_scan_free(s);
}

GT_TEST(field_of_view_in_z)
{
	gt_orbit o = base;
	double low, high;
	o.row_offset = 2;
	o.z_center = 30;
	gt_scan *s = scan_of(&o);
	gt_scan_field_of_view(s, &low, &high);
	ck_assert_double_eq_tol(low, 30 + (-4 - 2) * 1.4 * 541 / 949, 1e-9);
	ck_assert_double_eq_tol(high, 30 + (4 - 2) * 1.4 * 541 / 949, 1e-9);
	gt_scan_free(s);
	o.row_offset = 0;
	o.turn = 4 * GT_PI;
	o.pitch_per_turn = 20;
	s = scan_of(&o);
	gt_scan_field_of_view(s, &low, &high);
	ck_assert_double_eq_tol(high, 30 + 20.0 * 59 / 60 + 4 * 1.4 * 541 / 949, 1e-9);
	ck_assert_double_eq_tol(low, 30 - 20.0 * 59 / 60 - 4 * 1.4 * 541 / 949, 1e-9);
	gt_scan_free(s);
}

GT_TEST(rows_along_z)
{
	gt_scan *s = scan_of(&base);
	ck_ok(gt_scan_rows_along_z(s, "dd"));
	s->view[17].row_axis[1] = 1e-8;
	ck_refused(gt_scan_rows_along_z(s, "dd"), GT_ERR_UNSUPPORTED, "dd needs detector rows along z: row_axis of view 17");
	s->view[17].row_axis[1] = 0;
	s->view[17].row_axis[2] = -1;
	ck_ok(gt_scan_rows_along_z(s, "dd"));
	gt_scan_free(s);
}

/* Includes detector points off the central ray, and a single different view. */
GT_TEST(detectors_before_the_axis)
{
	double detector, axis;
	for (int shape = 0; shape < GT_NSHAPES; shape++) {
		gt_orbit o = base;
		o.shape = (gt_shape)shape;
		gt_scan *s = scan_of(&o);
		ck_assert_uint_eq(gt_scan_detector_before_axis(s, &detector, &axis), 60);
		gt_scan_free(s);
		o.source_to_detector = 541;
		s = scan_of(&o);
		ck_assert_uint_eq(gt_scan_detector_before_axis(s, &detector, &axis), 60);
		gt_scan_free(s);
		o.source_to_detector = 540;
		s = scan_of(&o);
		ck_assert_uint_eq(gt_scan_detector_before_axis(s, &detector, &axis), o.shape == GT_PARALLEL ? 60 : 0);
		if (o.shape != GT_PARALLEL) {
			ck_assert_double_eq_tol(detector, 540, 1e-9);
			ck_assert_double_eq_tol(axis, 541, 1e-9);
		}
		gt_scan_free(s);
	}
	gt_orbit o = base;
	o.shape = GT_FLAT;
	o.source_to_detector = 560;
	gt_scan *s = scan_of(&o);
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 3; a++)
			s->view[v].detector[a] += 400 * s->view[v].column_axis[a];
	ck_assert_uint_eq(gt_scan_detector_before_axis(s, &detector, &axis), 60);
	for (int a = 0; a < 3; a++)
		s->view[17].detector[a] += 0.05 * s->view[17].source[a];
	ck_assert_uint_eq(gt_scan_detector_before_axis(s, &detector, &axis), 17);
	ck_assert_double_eq_tol(detector, 560 - 0.05 * 541, 1e-9);
	gt_scan_free(s);
}

GT_TEST(sagging_is_no_helix)
{
	gt_orbit o = base;
	o.rows = 200;
	gt_scan *s = scan_of(&o);
	for (size_t v = 0; v < s->views; v++)
		s->view[v].source[2] = 3 * sin((double)v);
	ck_assert_int_eq(gt_scan_is_helical(s), 0);
	for (size_t v = 0; v < s->views; v++)
		s->view[v].source[2] = 0.5 * (double)v;
	ck_assert_int_eq(gt_scan_is_helical(s), 1);
	gt_scan_free(s);
}

int main(void) { return gt_test_main("scan_orbit", NULL); }
