/* fbp of parallel beams against exact line integrals: 180 degrees with and without the end view, full rotations,
 * moved axes. */
/* labels: physics */
#include "tests/analytic/bodies.h"

static const body rods[] = {
	{ 1, { 1, -2, 0 }, 27, 0.02 },
	{ 1, { 11, -6, 0 }, 7, 0.01 },
	{ 1, { -10, 8, 0 }, 6.5, -0.02 },
};
static const body balls[] = {
	{ 0, { 24, 3, -1 }, 4, 0.05 },
	{ 0, { -22, 5, 2 }, 3.5, 0.05 },
	{ 0, { 2, 23, -2 }, 4, 0.05 },
	{ 0, { -4, -25, 1 }, 3, 0.05 },
};
enum { RODS = 3, BALLS = 4 };
static const gt_grid grid = { { 61, 66, 13 }, { 1.2, 1.1, 1.05 }, { 0.4, -0.7, 0.3 } };

static gt_orbit half_turn(void)
{
	return (gt_orbit){ .shape = GT_PARALLEL,
		           .views = 160,
		           .rows = 16,
		           .columns = 128,
		           .column_pitch = 0.6,
		           .row_pitch = 0.9,
		           .start_angle = 0.7,
		           .turn = GT_PI };
}

static gt_scan *scan_of(const gt_orbit *o)
{
	gt_scan *s;
	ck_ok(gt_scan_orbit(o, &s));
	return s;
}

static void check_mean(const char *what, const double *x, const gt_grid *g, double cx, double cy, double radius, double expected)
{
	const double mean = region_mean(g, x, cx, cy, radius, 0, 4);
	ck_assert_msg(fabs(mean - expected) <= 0.005 * 0.02, "%s: mean %.6f around (%g, %g): expected %.6f", what, mean, cx, cy, expected);
}

static void check(const char *what, const gt_scan *s)
{
	double *p = bodies_project(rods, RODS, s), *x = reconstruct("fbp", NULL, &grid, s, p);
	check_mean(what, x, &grid, 1, -15, 5, 0.02);
	check_mean(what, x, &grid, 13, 8, 5, 0.02);
	check_mean(what, x, &grid, 11, -6, 5, 0.03);
	check_mean(what, x, &grid, -10, 8, 4.5, 0);
	free(p);
	free(x);
	p = bodies_project(balls, BALLS, s);
	x = reconstruct("fbp", NULL, &grid, s, p);
	for (int i = 0; i < BALLS; i++) {
		const double off = ball_error(&grid, x, &balls[i], balls[i].radius + 1.5);
		ck_assert_msg(off < 0.1, "%s: ball %d is %.3f voxels from its place", what, i, off);
	}
	free(p);
	free(x);
}

static void check_orbit(const char *what, const gt_orbit *o)
{
	gt_scan *s = scan_of(o);
	check(what, s);
	gt_scan_free(s);
}

GT_TEST(half_turns)
{
	gt_orbit o = half_turn();
	check_orbit("180 degrees", &o);
	o.end_view = 1;
	o.column_offset = 0.25;
	o.row_offset = -0.7;
	check_orbit("180 degrees and the end view", &o);
	o.column_offset = 3.4;
	o.start_angle = -5;
	check_orbit("shifted detector", &o);
}

GT_TEST(full_turns_are_averaged)
{
	gt_orbit o = half_turn();
	o.turn = 2 * GT_PI;
	o.views = 320;
	o.column_offset = 0.25;
	check_orbit("360 degrees", &o);
	o.end_view = 1;
	check_orbit("360 degrees and the end view", &o);
	o.end_view = 0;
	o.turn = 1.2 * GT_PI;
	check_orbit("216 degrees", &o);
}

/* Both halves of a full rotation count equally: one half alone gives half the value. */
GT_TEST(opposite_views_share)
{
	gt_orbit o = half_turn();
	o.turn = 2 * GT_PI;
	o.views = 240;
	gt_scan *s = scan_of(&o);
	double *p = bodies_project(rods, RODS, s);
	memset(p, 0, 120 * s->rows * s->columns * sizeof *p);
	double *x = reconstruct("fbp", NULL, &grid, s, p);
	check_mean("one half", x, &grid, 1, -15, 5, 0.01);
	check_mean("one half", x, &grid, 11, -6, 5, 0.015);
	free(p);
	free(x);
	gt_scan_free(s);
}

/* Clockwise, mirrored columns, moved axis, oblique beam, and shifts between views. */
GT_TEST(table_of_views_is_followed)
{
	gt_orbit o = half_turn();
	gt_scan *s = scan_of(&o);
	for (size_t v = 0; v < s->views / 2; v++) {
		const gt_view w = s->view[v];
		s->view[v] = s->view[s->views - 1 - v];
		s->view[s->views - 1 - v] = w;
	}
	s->column_center = 60.3;
	for (size_t v = 0; v < s->views; v++) {
		gt_view *w = &s->view[v];
		const double turn = 0.2, c = cos(turn), n = sin(turn), axis[2] = { w->column_axis[0], w->column_axis[1] };
		w->column_axis[0] = -(c * axis[0] - n * axis[1]);
		w->column_axis[1] = -(n * axis[0] + c * axis[1]);
		const double along = 1.3 * sin(7.0 * (double)v), up = 0.8 * cos(5.0 * (double)v);
		for (int a = 0; a < 3; a++) {
			const double move = along * w->column_axis[a] + up * w->row_axis[a];
			w->detector[a] += move;
			w->source[a] += move;
		}
	}
	check("moved", s);
	gt_scan_free(s);
}

GT_TEST(offset_detector_on_a_full_turn)
{
	static const body wide[] = { { 1, { 2, -3, 0 }, 40, 0.02 }, { 1, { 20, 14, 0 }, 7, 0.01 }, { 1, { -24, 9, 0 }, 6.5, -0.02 } };
	const gt_grid g = { { 95, 91, 5 }, { 1, 1, 1.5 }, { 0.2, -0.3, 0 } };
	for (int i = 0; i < 2; i++) {
		gt_orbit o = half_turn();
		o.turn = 2 * GT_PI;
		o.views = 320;
		o.rows = 9;
		o.column_offset = i ? -24 : 28.25;
		gt_scan *s = scan_of(&o);
		double *p = bodies_project(wide, 3, s), *x = reconstruct("fbp", NULL, &g, s, p);
		check_mean("offset", x, &g, 2, -3, 8, 0.02);
		check_mean("offset", x, &g, 1, -32, 7, 0.02);
		check_mean("offset", x, &g, 20, 14, 5, 0.03);
		check_mean("offset", x, &g, -24, 9, 4.5, 0);
		free(p);
		free(x);
		gt_scan_free(s);
	}
}

int main(void) { return gt_test_main("fbp", NULL); }
