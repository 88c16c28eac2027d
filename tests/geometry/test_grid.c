/* Grids: text, defaults and refusals.
 * labels: unit, backend: none */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "geometry/grid.h"
#include "tests/support/support.h"

static const gt_orbit base = { .shape = GT_FLAT,
	                       .views = 48,
	                       .rows = 40,
	                       .columns = 64,
	                       .source_to_axis = 500,
	                       .source_to_detector = 1000,
	                       .column_pitch = 2,
	                       .row_pitch = 1.5,
	                       .turn = 2 * GT_PI };

static gt_scan *scan_of(const gt_orbit *orbit)
{
	gt_scan *s;
	ck_ok(gt_scan_orbit(orbit, &s));
	return s;
}

GT_TEST(text_is_read)
{
	gt_grid g;
	ck_ok(gt_grid_parse("512x256x64@0.9765625x1e-1x.625", &g));
	ck_assert_uint_eq(g.n[0], 512);
	ck_assert_uint_eq(g.n[1], 256);
	ck_assert_uint_eq(g.n[2], 64);
	ck_assert_double_eq(g.pitch[0], 0.9765625);
	ck_assert_double_eq(g.pitch[1], 0.1);
	ck_assert_double_eq(g.pitch[2], 0.625);
	ck_assert_double_eq(g.center[2], 0);
	ck_ok(gt_grid_parse("32x24x16@1x1x1.5+7.3,-4.1,3.7", &g));
	ck_assert_double_eq(g.center[0], 7.3);
	ck_assert_double_eq(g.center[1], -4.1);
	ck_assert_double_eq(g.center[2], 3.7);
	ck_ok(gt_grid_parse("1x1x1@1e+1x1x2.+-7,0,-0.5", &g));
	ck_assert_double_eq(g.pitch[0], 10);
	ck_assert_double_eq(g.center[0], -7);
	ck_assert_double_eq(gt_grid_first(&g, 2), -0.5);
	ck_assert_uint_eq(gt_grid_voxels(&g), 1);
}

GT_TEST(text_is_refused)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "", "expected a number of voxels at position 1, found the end" },
		{ "512", "expected 'x' and a number of voxels at position 4" },
		{ "512x512", "position 8" },
		{ "512x512x64", "expected '@'" },
		{ "512x512x64@", "expected a pitch in mm" },
		{ "512x512x64@1x1", "expected 'x' and a pitch" },
		{ "512x512x64@1x1x", "a pitch in mm" },
		{ "512x512x64@1x1x1x1", "found 'x1'" },
		{ "512x512x64@0x10x1", "pitch of 0 mm along x" },
		{ "512x512x64@1x-1x1", "pitch of -1 mm along y" },
		{ "512x512x64@1x1xnan", "a pitch in mm" },
		{ "512x512x64@1x1xinf", "a pitch in mm" },
		{ "512x512x64@1x1x1e999", "a pitch in mm" },
		{ "512x512x64@1x1x1-3,2,1", "found '-3,2,1'" },
		{ "512x512x64@1x1x1+", "a coordinate of the centre" },
		{ "512x512x64@1x1x1+1,2", "',' and a coordinate" },
		{ "512x512x64@1x1x1+1,2,", "a coordinate" },
		{ "512x512x64@1x1x1+1,2,3 ", "found ' '" },
		{ " 512x512x64@1x1x1", "position 1" },
		{ "512 x512x64@1x1x1", "position 4" },
		{ "-512x512x64@1x1x1", "a number of voxels at position 1" },
		{ "0x512x64@1x1x1", "0 voxels along x" },
		{ "512x512x0@1x1x1", "0 voxels along z" },
		{ "1.5x512x64@1x1x1", "found '.5x512" },
		{ "99999999999999999999x1x1@1x1x1", "a number of voxels at position 1" },
		{ "4294967296x4294967296x4@1x1x1", "4294967296 x 4294967296 x 4 voxels: more than" },
		{ "512X512X64@1x1x1", "position 4" },
	};
	const gt_grid untouched = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		gt_grid g = untouched;
		ck_refused(gt_grid_parse(bad[i].text, &g), GT_ERR_ARG, bad[i].message);
		ck_assert_msg(strstr(gt_error(), bad[i].text) != NULL, "'%s' is not quoted in '%s'", bad[i].text, gt_error());
		ck_assert_mem_eq(&g, &untouched, sizeof g);
	}
}

GT_TEST(text_comes_back)
{
	float x[600];
	gt_test_random(5, 600, x);
	for (int i = 0; i < 100; i++) {
		gt_grid g, back;
		char text[200];
		for (int a = 0; a < 3; a++) {
			g.n[a] = (size_t)(1 + 500 * fabsf(x[6 * i + a]));
			g.pitch[a] = exp(9 * (double)x[6 * i + a]) / 3;
			g.center[a] = i % 3 ? 100 * (double)x[6 * i + 3 + a] / 7 : 0;
		}
		gt_grid_print(&g, text, sizeof text);
		ck_ok(gt_grid_parse(text, &back));
		ck_assert_mem_eq(&g, &back, sizeof g);
		ck_assert_msg((strchr(text, ',') != NULL) == (i % 3 != 0), "%s", text);
	}
	char small[6];
	const gt_grid g = { { 512, 512, 64 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_grid_print(&g, small, sizeof small);
	ck_assert_str_eq(small, "512x5");
}

GT_TEST(centres)
{
	const gt_grid g = { { 4, 5, 2 }, { 0.5, 2, 3 }, { 1, -2, 10 } };
	ck_assert_double_eq(gt_grid_first(&g, 0), 1 - 0.75);
	ck_assert_double_eq(gt_grid_first(&g, 1), -2 - 4);
	ck_assert_double_eq(gt_grid_first(&g, 2), 10 - 1.5);
	ck_assert_uint_eq(gt_grid_voxels(&g), 40);
}

GT_TEST(coarse_boxes_are_the_same)
{
	const gt_grid g = { { 40, 5, 33 }, { 0.5, 2, 3 }, { 1, -2, 10 } };
	gt_grid c;
	gt_grid_coarsen(&g, 8, &c);
	ck_assert_uint_eq(c.n[0], 8);
	ck_assert_uint_eq(c.n[1], 5);
	ck_assert_uint_eq(c.n[2], 8);
	for (int a = 0; a < 3; a++) {
		ck_assert_double_eq(c.center[a], g.center[a]);
		ck_assert_double_eq_tol(gt_grid_first(&c, a) - c.pitch[a] / 2, gt_grid_first(&g, a) - g.pitch[a] / 2, 1e-12);
		ck_assert_double_eq_tol((double)c.n[a] * c.pitch[a], (double)g.n[a] * g.pitch[a], 1e-12);
	}
	gt_grid_coarsen(&g, 0, &c);
	ck_assert_uint_eq(gt_grid_voxels(&c), 1);
}

GT_TEST(parts_of_a_box)
{
	const gt_grid g = { { 10, 4, 8 }, { 2, 5, 0.5 }, { 5, -2, 1 } }; /* x -5..15, y -12..8, z -1..3 */
	ck_assert_uint_eq(gt_grid_slices_outside(&g, -1, 3), 0);
	ck_assert_uint_eq(gt_grid_slices_outside(&g, -0.5, 3), 1);
	ck_assert_uint_eq(gt_grid_slices_outside(&g, -0.4, 1.9), 3);
	ck_assert_uint_eq(gt_grid_slices_outside(&g, 5, 9), 8);
	ck_assert_double_eq(gt_grid_share_within(&g, 20, -2, 4), 1);
	ck_assert_double_eq_tol(gt_grid_share_within(&g, 20, 0, 9), 0.75, 1e-12);
	ck_assert_double_eq_tol(gt_grid_share_within(&g, 10, 0, 2), 15.0 / 20 * 18 / 20 * 0.5, 1e-12);
	ck_assert_double_eq(gt_grid_share_within(&g, 10, 4, 5), 0);
}

static void covers(const gt_grid *g, const gt_scan *s, double spare)
{
	double low, high;
	const double r = gt_scan_field_of_view(s, &low, &high);
	for (int a = 0; a < 2; a++) {
		ck_assert_double_le(gt_grid_first(g, a) - g->pitch[a] / 2, -r + 0.02 * g->pitch[a]);
		ck_assert_double_ge((double)g->n[a] * g->pitch[a], 2 * r - 0.04 * g->pitch[a]);
		ck_assert_double_le((double)g->n[a] * g->pitch[a], 2 * r + spare * g->pitch[a]);
	}
	ck_assert_double_le(gt_grid_first(g, 2) - g->pitch[2] / 2, low + 0.02 * g->pitch[2]);
	ck_assert_double_ge((double)g->n[2] * g->pitch[2], high - low - 0.04 * g->pitch[2]);
	ck_assert_double_le((double)g->n[2] * g->pitch[2], high - low + spare * g->pitch[2]);
}

GT_TEST(default_grids)
{
	gt_orbit o = base;
	gt_grid g;
	o.row_offset = 3;
	o.z_center = 20;
	gt_scan *s = scan_of(&o);
	ck_ok(gt_grid_default(s, &g));
	ck_assert_double_eq(g.pitch[0], 1);
	ck_assert_double_eq(g.pitch[1], 1);
	ck_assert_double_eq(g.pitch[2], 0.75);
	ck_assert_uint_eq(g.n[2], 40);
	ck_assert_double_eq_tol(g.center[2], 20 - 3 * 0.75, 1e-9);
	ck_assert_uint_eq(g.n[0] % 2, 0);
	covers(&g, s, 2);
	gt_scan_free(s);
	o = gt_scanner_find("ge-ct750hd")->orbit;
	o.pitch_per_turn = 40;
	o.turn = 6 * GT_PI;
	s = scan_of(&o);
	ck_ok(gt_grid_default(s, &g));
	ck_assert_double_eq(g.pitch[0], 0.584);
	ck_assert_double_eq(g.pitch[2], 0.625);
	ck_assert_double_eq_tol((double)g.n[2] * g.pitch[2], 3 * 40 + 40, 1.3);
	covers(&g, s, 2);
	gt_scan_free(s);
}

GT_TEST(default_grids_of_single_rows_and_parallel_beams)
{
	gt_orbit o = base;
	gt_grid g;
	o.rows = 1;
	gt_scan *s = scan_of(&o);
	ck_ok(gt_grid_default(s, &g));
	ck_assert_uint_eq(g.n[2], 1);
	ck_assert_double_eq(g.pitch[2], 0.75);
	covers(&g, s, 2);
	gt_scan_free(s);
	o = base;
	o.shape = GT_PARALLEL;
	o.source_to_axis = o.source_to_detector = 0;
	o.turn = GT_PI;
	o.column_pitch = 0.37;
	o.rows = 5;
	o.column_offset = 2.5;
	s = scan_of(&o);
	ck_ok(gt_grid_default(s, &g));
	ck_assert_uint_eq(g.n[0], 59);
	ck_assert_uint_eq(g.n[2], 5);
	ck_assert_double_eq(g.pitch[0], 0.37);
	ck_assert_double_eq_tol(g.pitch[2], 1.5, 1e-9);
	covers(&g, s, 1);
	gt_scan_free(s);
	o.column_offset = 40;
	s = scan_of(&o);
	ck_refused(gt_grid_default(s, &g), GT_ERR_UNSUPPORTED, "z axis is not in the fan");
	gt_scan_free(s);
}

GT_TEST(grids_refused)
{
	const gt_grid good = { { 8, 9, 10 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_grid g = good;
	ck_ok(gt_grid_check(&g, NULL));
	g.n[1] = 0;
	ck_refused(gt_grid_check(&g, NULL), GT_ERR_ARG, "0 voxels along y");
	g = good;
	g.n[0] = g.n[1] = (size_t)1 << 33;
	ck_refused(gt_grid_check(&g, NULL), GT_ERR_ARG, "more than this machine");
	g = good;
	g.pitch[2] = 0;
	ck_refused(gt_grid_check(&g, NULL), GT_ERR_ARG, "pitch of 0 mm along z");
	g = good;
	g.pitch[0] = NAN;
	ck_refused(gt_grid_check(&g, NULL), GT_ERR_ARG, "along x");
	g = good;
	g.center[1] = INFINITY;
	ck_refused(gt_grid_check(&g, NULL), GT_ERR_ARG, "centre at y=inf");
}

/* Boxes next to, above and below the field of view, and boxes just inside. */
GT_TESTS(grids_outside_the_field_of_view, GT_NSHAPES)
{
	static const struct {
		const char *text;
		int seen;
	} box[] = {
		{ "64x64x40@1x1x0.75", 1 },   { "8x8x8@1x1x1+0,0,17", 1 },     { "8x8x8@1x1x1+0,0,25", 0 },   { "8x8x8@1x1x1+0,0,-17", 1 },
		{ "8x8x8@1x1x1+0,0,-25", 0 }, { "8x8x8@1x1x1+200,0,0", 1 },    { "8x8x8@1x1x1+0,0,5000", 0 }, { "8x8x8@1x1x1+30,30,0", 1 },
		{ "8x8x8@1x1x1+0,480,0", 1 }, { "9000x8x8@1x1x1+0,470,0", 1 },
	};
	gt_orbit o = base;
	o.shape = (gt_shape)_i;
	o.row_pitch = o.shape == GT_PARALLEL ? 0.75 : 1.5;
	gt_scan *s = scan_of(&o);
	for (size_t i = 0; i < sizeof box / sizeof *box; i++) {
		gt_grid g;
		ck_ok(gt_grid_parse(box[i].text, &g));
		const gt_status st = gt_grid_check(&g, s);
		ck_assert_msg((st == GT_OK) == box[i].seen, "%s: %s", box[i].text, st == GT_OK ? "not refused" : gt_error());
		if (st != GT_OK)
			ck_refused(st, GT_ERR_ARG, "outside the field of view: none of the 48 views sees it");
	}
	gt_scan_free(s);
	o.turn = 0.3;
	s = scan_of(&o);
	gt_grid g;
	ck_ok(gt_grid_parse("8x8x8@1x1x1+200,0,0", &g));
	ck_refused(gt_grid_check(&g, s), GT_ERR_ARG, "outside the field of view");
	gt_scan_free(s);
}

/* Next to every fan, behind every source or beyond every detector. */
GT_TEST(grids_beside_the_beams)
{
	static const char *const far[] = { "16x16x4@2x2x2+1000,0,0", "16x16x4@2x2x2+0,-900,0", "16x16x4@2x2x2+-700,700,0",
		                           "4x4x4@2x2x2+1e5,0,0" };
	gt_orbit o = gt_scanner_find("ge-ct750hd")->orbit;
	gt_grid g;
	for (int shape = GT_FLAT; shape <= GT_ARC; shape++)
		for (int helical = 0; helical < 2; helical++) {
			o.shape = (gt_shape)shape;
			o.pitch_per_turn = helical ? 38.75 : 0;
			gt_scan *s = scan_of(&o);
			for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
				ck_ok(gt_grid_parse(far[i], &g));
				ck_refused(gt_grid_check(&g, s), GT_ERR_ARG, "outside the field of view");
			}
			gt_scan_free(s);
		}
	/* a single view: next to its fan of 64 mm at the axis, and inside or outside its parallel beam */
	for (int shape = GT_FLAT; shape < GT_NSHAPES; shape++) {
		o = base;
		o.shape = (gt_shape)shape;
		o.views = 1;
		gt_scan *s = scan_of(&o);
		const double edge = shape == GT_PARALLEL ? 64 : 32;
		for (int outside = 0; outside < 2; outside++) {
			g = (gt_grid){ { 8, 1, 4 }, { 1, 1, 1 }, { -edge - 4 - (outside ? 0.5 : -0.5), 0, 1 } };
			const gt_status st = gt_grid_check(&g, s);
			ck_assert_msg((st == GT_OK) == !outside, "%s, %d: %s", gt_shape_names[shape], outside, gt_error());
		}
		gt_scan_free(s);
	}
}

/* A voxel that any view sees is accepted: random voxels, compared with the extent of every pixel. */
GT_TESTS(grids_that_are_seen_are_never_refused, 3 * GT_NSHAPES)
{
	enum { BOXES = 400 };
	static float x[6 * BOXES];
	gt_orbit o = base;
	size_t seen = 0, taken = 0;
	gt_test_random(11, 6 * BOXES, x);
	o.shape = (gt_shape)(_i / 3);
	o.views = 7;
	o.turn = _i % 3 == 0 ? 2 * GT_PI : 2.5;
	o.column_offset = _i % 3 == 1 ? 40 : -3.3;
	o.row_offset = _i % 3 == 2 ? 25 : 0.7;
	o.start_angle = 0.7;
	o.pitch_per_turn = _i % 2 ? 30 : 0;
	gt_scan *s = scan_of(&o);
	const gt_detector d = gt_scan_detector(s);
	for (int i = 0; i < BOXES; i++) {
		const float *r = x + 6 * i;
		const double spread = i % 2 ? 350 : 60;
		const gt_grid g = { { 1, 1, 1 },
			            { exp(1 + 2 * (double)r[0]), exp(1 + 2 * (double)r[1]), exp(1 + 2 * (double)r[2]) },
			            { spread * r[3], spread * r[4], spread * r[5] / 6 } };
		int hit = 0;
		for (int k = 0; k < 125 && !hit; k++) {
			const int at[3] = { k % 5, k / 5 % 5, k / 25 };
			double p[3], column, row;
			for (int a = 0; a < 3; a++)
				p[a] = g.center[a] + (at[a] / 4.0 - 0.5) * g.pitch[a];
			for (size_t v = 0; v < s->views && !hit; v++)
				hit = gt_point_pixel(&d, &s->view[v], p, &column, &row) && column > -0.5 && row > -0.5 &&
				      column < (double)s->columns - 0.5 && row < (double)s->rows - 0.5;
		}
		const int ok = gt_grid_check(&g, s) == GT_OK;
		ck_assert_msg(ok || !hit, "box %d: %s", i, gt_error());
		seen += (size_t)hit;
		taken += (size_t)ok;
	}
	gt_scan_free(s);
	ck_assert_uint_gt(seen, 20);
	ck_assert_msg(taken < seen + BOXES / 20 && taken < BOXES, "%zu taken, %zu seen", taken, seen);
}

GT_TEST(grids_that_hold_a_source)
{
	gt_orbit o = base;
	gt_grid g;
	o.start_angle = 0.1;
	for (int shape = GT_FLAT; shape < GT_NSHAPES; shape++) {
		o.shape = (gt_shape)shape;
		gt_scan *s = scan_of(&o);
		ck_ok(gt_grid_parse("9x9x9@100x120x1+0,0,3", &g));
		if (shape == GT_PARALLEL)
			ck_ok(gt_grid_check(&g, s));
		else
			ck_refused(gt_grid_check(&g, s), GT_ERR_ARG, "holds the source of view 0 at (-49.9");
		ck_ok(gt_grid_parse("9x9x9@100x100x1+0,-60,3", &g));
		if (shape != GT_PARALLEL)
			ck_refused(gt_grid_check(&g, s), GT_ERR_ARG, "holds the source of view 5 at");
		gt_scan_free(s);
	}
}

/* By rays: views outside the range have no ray in the slices within the circle, the first and last view have some. */
static int meets(const gt_scan *s, size_t v, const gt_grid *g, double radius)
{
	const gt_detector d = gt_scan_detector(s);
	const double bottom = g->center[2] - (double)g->n[2] * g->pitch[2] / 2, top = bottom + (double)g->n[2] * g->pitch[2];
	for (int row = 0; row < 2; row++)
		for (int i = 0; i <= 200; i++) {
			double from[3], to[3], cell[3], at[3];
			gt_pixel_point(&d, &s->view[v], s->column_center, row ? (double)s->rows - 0.5 : -0.5, cell);
			memcpy(from, s->view[v].source, sizeof from);
			for (int a = 0; a < 3; a++) {
				to[a] = cell[a] - from[a];
				at[a] = from[a] + i / 200. * to[a];
			}
			if (hypot(at[0] - g->center[0], at[1] - g->center[1]) <= radius && at[2] > bottom && at[2] < top)
				return 1;
		}
	return 0;
}

GT_TEST(views_of_slices)
{
	gt_orbit o = gt_scanner_find("ge-ct750hd-helical")->orbit;
	gt_orbit_reduce(&o, 8);
	o.row_offset = 1.5;
	o.z_center = 20;
	gt_scan *s = scan_of(&o);
	for (int up = 0; up < 2; up++) {
		const gt_grid g = { { 40, 30, 5 }, { 5, 5, 2 }, { 12, -7, up ? 55 : 3 } };
		size_t first, end;
		gt_grid_views(&g, s, &first, &end);
		ck_assert_msg(first > 0 && first < end && (up || end < s->views), "views %zu to %zu of %zu", first, end, s->views);
		for (size_t v = 0; v < s->views; v++)
			ck_assert_msg((v >= first && v < end) || !meets(s, v, &g, 125), "view %zu sees the slices, not in %zu to %zu", v,
			              first, end);
		ck_assert(meets(s, first + 1, &g, 126) && meets(s, end - (up ? 1 : 2), &g, 126));
	}
	gt_scan_free(s);
	o.pitch_per_turn = 0;
	s = scan_of(&o);
	const gt_grid g = { { 4, 4, 2 }, { 5, 5, 1 }, { 0, 0, 20 } };
	size_t first, end;
	gt_grid_views(&g, s, &first, &end);
	ck_assert(first == 0 && end == s->views);
	gt_scan_free(s);
}

/* A wide grid off the axis has at least the views and margins of one on the axis, for any centre. */
GT_TEST(wide_grids_off_the_axis)
{
	gt_orbit o = gt_scanner_find("ge-ct750hd-helical")->orbit;
	gt_orbit_reduce(&o, 8);
	gt_scan *s = scan_of(&o);
	const gt_grid middle = { { 60, 60, 3 }, { 10, 10, 2 }, { 0, 0, 5 } };
	size_t first, end, below, above;
	gt_grid_views(&middle, s, &first, &end);
	gt_grid_margin(&middle, s, &below, &above);
	ck_assert(first > 0 && end < s->views && below > 0 && above > 0);
	for (int k = 0; k < 8; k++) {
		gt_grid g = middle;
		size_t from, to, under, over;
		g.n[0] = g.n[1] = 90;
		g.center[0] = 190 * cos(0.8 * k);
		g.center[1] = 190 * sin(0.8 * k);
		gt_grid_views(&g, s, &from, &to);
		gt_grid_margin(&g, s, &under, &over);
		ck_assert_msg(from <= first && to >= end, "centre %d: views %zu to %zu, on the axis %zu to %zu", k, from, to, first, end);
		ck_assert_msg(under >= below && over >= above, "centre %d: %zu and %zu slices, on the axis %zu and %zu", k, under, over,
		              below, above);
	}
	gt_scan_free(s);
}

/* Margins by similar triangles, none for parallel rays; grids are equal to a thousandth. */
GT_TEST(margins)
{
	const gt_orbit o = { .shape = GT_FLAT,
		             .views = 8,
		             .rows = 20,
		             .columns = 200,
		             .source_to_axis = 100,
		             .source_to_detector = 200,
		             .column_pitch = 4,
		             .row_pitch = 2,
		             .row_offset = 2,
		             .turn = 6.283185307179586 };
	gt_orbit parallel = o;
	gt_scan *s = NULL;
	gt_grid g = { { 30, 40, 20 }, { 1, 1, 1 }, { 0, 0, -2 } };
	size_t below, above;
	ck_ok(gt_scan_orbit(&o, &s));
	/* rows reach from -12 to 8 mm on the axis, and 1.25 times as far 25 mm beyond it */
	gt_grid_margin(&g, s, &below, &above);
	ck_assert_uint_eq(below, 3);
	ck_assert_uint_eq(above, 2);
	gt_scan_free(s);
	parallel.shape = GT_PARALLEL;
	ck_ok(gt_scan_orbit(&parallel, &s));
	gt_grid_margin(&g, s, &below, &above);
	ck_assert(below == 0 && above == 0);
	gt_scan_free(s);
	gt_grid h = g;
	h.center[1] += 0.0009;
	ck_assert(gt_grid_same(&g, &h) && gt_grid_same(&g, &g));
	h.center[1] += 0.0002;
	ck_assert(!gt_grid_same(&g, &h));
	h = g;
	h.n[2]++;
	ck_assert(!gt_grid_same(&g, &h));
	h = g;
	h.pitch[0] += 1e-4;
	ck_assert(!gt_grid_same(&g, &h));
}

int main(void) { return gt_test_main("grid", NULL); }
