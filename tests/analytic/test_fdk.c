/* fdk against exact line integrals: values, positions, short scans, displaced detectors, unusual orbits. */
/* labels: physics */
#include "tests/analytic/bodies.h"

enum { ROWS = 32, COLUMNS = 128, VIEWS = 180 };

/* Water with a hole and a dense rod, off the axis. */
static const body rods[] = {
	{ 1, { 1, -2, 0 }, 27, 0.02 },
	{ 1, { 11, -6, 0 }, 7, 0.01 },
	{ 1, { -10, 8, 0 }, 6.5, -0.02 },
};
static const body balls[] = {
	{ 0, { 24, 3, -2 }, 4, 0.05 },  { 0, { -22, 5, 4 }, 3.5, 0.05 }, { 0, { 2, 23, -5 }, 4, 0.05 },
	{ 0, { -4, -25, 1 }, 3, 0.05 }, { 0, { 3, -2, 9 }, 3, 0.05 },    { 0, { -6, 1, -9 }, 3.5, 0.05 },
};
enum { RODS = 3, BALLS = 6 };

/* Off centre, odd sizes, not square, three pitches. */
static const gt_grid grid = { { 61, 66, 29 }, { 1.2, 1.1, 1.05 }, { 0.4, -0.7, 0.3 } };

static gt_orbit orbit_of(gt_shape shape)
{
	return (gt_orbit){ .shape = shape,
		           .views = VIEWS,
		           .rows = ROWS,
		           .columns = COLUMNS,
		           .source_to_axis = 200,
		           .source_to_detector = 320,
		           .column_pitch = 1,
		           .row_pitch = 1.5,
		           .start_angle = 0.4,
		           .turn = 2 * GT_PI };
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

static void check_values(const char *what, const gt_scan *s, const char *text)
{
	double *p = bodies_project(rods, RODS, s), *x = reconstruct("fdk", text, &grid, s, p);
	check_mean(what, x, &grid, 1, -15, 5, 0.02);
	check_mean(what, x, &grid, 13, 8, 5, 0.02);
	check_mean(what, x, &grid, 11, -6, 5, 0.03);
	check_mean(what, x, &grid, -10, 8, 4.5, 0);
	free(p);
	free(x);
}

static void check_places(const char *what, const gt_scan *s, const char *text)
{
	double *p = bodies_project(balls, BALLS, s), *x = reconstruct("fdk", text, &grid, s, p);
	for (int i = 0; i < BALLS; i++) {
		const double off = ball_error(&grid, x, &balls[i], balls[i].radius + 1.5);
		ck_assert_msg(off < 0.1, "%s: ball %d is %.3f voxels from its place", what, i, off);
	}
	free(p);
	free(x);
}

static void check(const char *what, const gt_scan *s)
{
	check_values(what, s, NULL);
	check_places(what, s, NULL);
}

static void check_orbit(const char *what, const gt_orbit *o)
{
	gt_scan *s = scan_of(o);
	check(what, s);
	gt_scan_free(s);
}

GT_TEST(full_turns)
{
	static const double offset[] = { 0, 0.25, -1.25 };
	for (int shape = GT_FLAT; shape <= GT_ARC; shape++)
		for (size_t i = 0; i < 3; i++) {
			gt_orbit o = orbit_of((gt_shape)shape);
			o.column_offset = offset[i];
			o.row_offset = 0.4 * (double)i;
			check_orbit(shape == GT_FLAT ? "flat" : "arc", &o);
		}
}

/* The same detector with its columns counted from the other end. */
static void mirror_columns(gt_scan *s)
{
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 3; a++)
			s->view[v].column_axis[a] = -s->view[v].column_axis[a];
	s->column_center = (double)s->columns - 1 - s->column_center;
}

static void reverse_views(gt_scan *s)
{
	for (size_t v = 0; v < s->views / 2; v++) {
		const gt_view w = s->view[v];
		s->view[v] = s->view[s->views - 1 - v];
		s->view[s->views - 1 - v] = w;
	}
}

GT_TEST(short_scans)
{
	static const double over[] = { 0, 0.3, 1.5 };
	for (int i = 0; i < 12; i++) {
		gt_orbit o = orbit_of(i % 2 ? GT_ARC : GT_FLAT);
		o.column_offset = i % 4 == 3 ? 0.25 : 0;
		o.start_angle = -2 + i;
		o.end_view = i / 3 % 2;
		o.turn = GT_PI + 2 * gt_orbit_half_fan(&o) + over[i % 3];
		o.views = 150;
		gt_scan *s = scan_of(&o);
		if (i & 2)
			reverse_views(s);
		if (i & 4)
			mirror_columns(s);
		if (i & 8)
			for (size_t v = 0; v < s->views; v++)
				s->view[v].angle = fmod(s->view[v].angle + 10 * GT_PI, 2 * GT_PI);
		if (i % 3 == 0)
			check(o.shape == GT_ARC ? "short arc" : "short flat", s);
		else
			check_values(o.shape == GT_ARC ? "over-scanned arc" : "over-scanned flat", s, NULL);
		gt_scan_free(s);
	}
}

GT_TEST(mirrored_columns_and_turned_the_other_way)
{
	for (int shape = GT_FLAT; shape <= GT_ARC; shape++) {
		gt_orbit o = orbit_of((gt_shape)shape);
		o.column_offset = 0.25;
		gt_scan *s = scan_of(&o);
		mirror_columns(s);
		reverse_views(s);
		check("mirrored", s);
		gt_scan_free(s);
	}
}

/* Wider than the nearer side of the detector. */
static const body wide[] = { { 1, { 2, -3, 0 }, 40, 0.02 }, { 1, { 20, 14, 0 }, 7, 0.01 }, { 1, { -24, 9, 0 }, 6.5, -0.02 } };

static void check_offset(const char *what, const gt_scan *s)
{
	const gt_grid g = { { 95, 91, 5 }, { 1, 1, 1.5 }, { 0.2, -0.3, 0 } };
	double *p = bodies_project(wide, 3, s), *x = reconstruct("fdk", NULL, &g, s, p);
	check_mean(what, x, &g, 2, -3, 8, 0.02);
	check_mean(what, x, &g, 1, -32, 7, 0.02);
	check_mean(what, x, &g, 33, -6, 4, 0.02);
	check_mean(what, x, &g, 20, 14, 5, 0.03);
	check_mean(what, x, &g, -24, 9, 4.5, 0);
	free(p);
	free(x);
}

/* Rows from top to bottom, as in images: the same rays in another order. */
GT_TEST(rows_from_top_to_bottom)
{
	for (int shape = 0; shape < 2; shape++) {
		gt_orbit o = orbit_of(shape ? GT_ARC : GT_FLAT);
		o.row_offset = 1.3;
		gt_scan *s = scan_of(&o);
		s->row_center = (double)s->rows - 1 - s->row_center;
		for (size_t v = 0; v < s->views; v++)
			for (int a = 0; a < 3; a++)
				s->view[v].row_axis[a] *= -1;
		check(shape ? "arc, rows down" : "flat, rows down", s);
		gt_scan_free(s);
	}
}

GT_TEST(offset_detectors)
{
	for (int i = 0; i < 4; i++) {
		gt_orbit o = orbit_of(i & 1 ? GT_ARC : GT_FLAT);
		o.column_offset = i & 2 ? 21.25 : -18.5;
		o.views = 270;
		o.rows = 8;
		gt_scan *s = scan_of(&o);
		check_offset("offset", s);
		mirror_columns(s);
		check_offset("offset, mirrored", s);
		gt_scan_free(s);
	}
}

GT_TEST(offset_detectors_place_balls)
{
	gt_orbit o = orbit_of(GT_FLAT);
	o.column_offset = 21.25;
	gt_scan *s = scan_of(&o);
	check_places("offset", s, NULL);
	gt_scan_free(s);
}

/* Far from the centre of a steep cone (12 degrees): objects infinite along z have no cone error. */
GT_TEST(steep_cones)
{
	const gt_grid g = { { 61, 66, 21 }, { 1.2, 1.1, 4 }, { 0.4, -0.7, 1 } };
	for (int shape = GT_FLAT; shape <= GT_ARC; shape++) {
		gt_orbit o = orbit_of((gt_shape)shape);
		o.row_pitch = 6;
		o.row_offset = -0.8;
		gt_scan *s = scan_of(&o);
		double *p = bodies_project(rods, RODS, s), *x = reconstruct("fdk", NULL, &g, s, p);
		for (int side = -1; side <= 1; side++) {
			const double water = region_mean(&g, x, 13, 8, 5, 37 * side, 4), rod = region_mean(&g, x, 11, -6, 5, 37 * side, 4);
			ck_assert_msg(fabs(water - 0.02) <= 1e-4 && fabs(rod - 0.03) <= 1e-4, "means %.6f and %.6f at z=%d", water, rod,
			              37 * side);
		}
		free(p);
		free(x);
		gt_scan_free(s);
	}
}

/* One row, and a fan of 80 degrees. */
GT_TEST(fan_beams)
{
	const gt_grid g = { { 64, 61, 1 }, { 1.1, 1.2, 1 }, { -0.3, 0.2, 0 } };
	for (int i = 0; i < 4; i++) {
		gt_orbit o = orbit_of(i & 1 ? GT_ARC : GT_FLAT);
		o.rows = 1;
		o.source_to_axis = 60;
		o.source_to_detector = 90;
		o.columns = 160;
		o.column_pitch = i & 1 ? 0.8 : 1;
		o.views = i & 2 ? 300 : 360;
		o.column_offset = 0.25;
		if (i & 2)
			o.turn = GT_PI + 2 * gt_orbit_half_fan(&o);
		gt_scan *s = scan_of(&o);
		double *p = bodies_project(rods, RODS, s), *x = reconstruct("fdk", NULL, &g, s, p);
		check_mean("fan", x, &g, 1, -15, 5, 0.02);
		check_mean("fan", x, &g, 13, 8, 5, 0.02);
		check_mean("fan", x, &g, 11, -6, 5, 0.03);
		check_mean("fan", x, &g, -10, 8, 4.5, 0);
		free(p);
		free(x);
		gt_scan_free(s);
	}
}

/* Views at any gantry angles. */
static gt_scan *scan_at(gt_shape shape, const double *angle, size_t views)
{
	gt_orbit o = orbit_of(shape);
	o.views = views;
	gt_scan *s = scan_of(&o);
	for (size_t v = 0; v < views; v++) {
		gt_orbit one = o;
		one.views = 1;
		one.start_angle = angle[v];
		gt_scan *w = scan_of(&one);
		s->view[v] = w->view[0];
		gt_scan_free(w);
	}
	return s;
}

GT_TEST(uneven_angles)
{
	enum { N = 240 };
	double angle[N];
	/* twice as dense on one side; 2 1/3 rotations; the golden angle */
	for (int i = 0; i < N; i++)
		angle[i] = 2 * GT_PI * (i + 0.35 * N / (2 * GT_PI) * sin(2 * GT_PI * i / N)) / N;
	gt_scan *s = scan_at(GT_FLAT, angle, N);
	check("uneven", s);
	gt_scan_free(s);
	for (int i = 0; i < N; i++)
		angle[i] = 1 - 2.3 * 2 * GT_PI * i / N;
	s = scan_at(GT_ARC, angle, N);
	check_values("two turns and a third", s, NULL);
	gt_scan_free(s);
	for (int i = 0; i < N; i++)
		angle[i] = GT_PI * (3 - sqrt(5)) * i;
	s = scan_at(GT_FLAT, angle, N);
	check_values("golden angle", s, NULL);
	gt_scan_free(s);
}

/* The whole scanner is moved; the views define the axis. */
GT_TEST(shifted_axis_and_height)
{
	for (int i = 0; i < 2; i++) {
		gt_orbit o = orbit_of(i ? GT_ARC : GT_FLAT);
		o.z_center = 1;
		if (i)
			o.turn = GT_PI + 2 * gt_orbit_half_fan(&o) + 0.1;
		gt_scan *s = scan_of(&o);
		for (size_t v = 0; v < s->views; v++)
			for (int a = 0; a < 2; a++) {
				s->view[v].source[a] += a ? -3 : 4;
				s->view[v].detector[a] += a ? -3 : 4;
				s->view[v].arc_center[a] += a ? -3 : 4;
			}
		check_values("shifted", s, NULL);
		if (!i)
			check_places("shifted", s, "mask=none");
		gt_scan_free(s);
	}
}

/* A panel not perpendicular to the central ray, with shifts between views. */
GT_TEST(turned_and_shaking_panel)
{
	gt_orbit o = orbit_of(GT_FLAT);
	gt_scan *s = scan_of(&o);
	for (size_t v = 0; v < s->views; v++) {
		gt_view *w = &s->view[v];
		const double turn = 0.12, c = cos(turn), n = sin(turn);
		const double axis[2] = { w->column_axis[0], w->column_axis[1] };
		w->column_axis[0] = c * axis[0] - n * axis[1];
		w->column_axis[1] = n * axis[0] + c * axis[1];
		for (int a = 0; a < 3; a++)
			w->detector[a] += 0.8 * sin(7.0 * (double)v) * w->column_axis[a] + 0.9 * cos(5.0 * (double)v) * w->row_axis[a];
	}
	check("turned", s);
	gt_scan_free(s);
}

/* Like a C-arm: rolled, tilted and shaking, rows upwards or downwards. */
GT_TEST(tilted_panel)
{
	for (int down = 0; down < 2; down++) {
		gt_orbit o = orbit_of(GT_FLAT);
		o.row_offset = 0.7;
		gt_scan *s = scan_of(&o);
		for (size_t v = 0; v < s->views; v++) {
			gt_view *w = &s->view[v];
			tilt_view(w, 0.03 + 0.01 * sin(3.0 * (double)v), 0.05 + 0.02 * cos(2.0 * (double)v));
			for (int a = 0; a < 3; a++) {
				w->detector[a] += 0.5 * sin(7.0 * (double)v) * w->column_axis[a] +
				                  0.6 * cos(5.0 * (double)v) * w->row_axis[a];
				w->row_axis[a] *= down ? -1 : 1;
			}
		}
		if (down)
			s->row_center = (double)s->rows - 1 - s->row_center;
		check(down ? "tilted, rows downwards" : "tilted", s);
		gt_scan_free(s);
	}
}

GT_TEST(flying_focal_spot)
{
	static const double spot[][3] = { { 0.6, 0.3, 0.4 }, { -0.6, 0.3, 0.4 }, { 0.6, -0.3, -0.4 }, { -0.6, -0.3, -0.4 } };
	gt_orbit o = orbit_of(GT_ARC);
	o.views = 240;
	o.spot = spot;
	o.spots = 4;
	check_orbit("flying focal spot", &o);
}

int main(void) { return gt_test_main("fdk", NULL); }
