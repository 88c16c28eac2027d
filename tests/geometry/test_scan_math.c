/* Pixels, points and rays of every detector shape against each other and against closed formulas.
 * labels: unit property, backend: none */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "tests/support/support.h"

enum { VIEWS = 40, POINTS = 25 };

/* Uniform in [low, high), from a counter. */
static double between(unsigned seed, size_t i, double low, double high)
{
	float x[200];
	gt_test_random(seed, 200, x);
	return low + (high - low) * (x[i % 200] * 0.5 + 0.5);
}

static void cross(const double a[3], const double b[3], double c[3])
{
	c[0] = a[1] * b[2] - a[2] * b[1];
	c[1] = a[2] * b[0] - a[0] * b[2];
	c[2] = a[0] * b[1] - a[1] * b[0];
}

static void random_axes(unsigned seed, double u[3], double v[3], double w[3])
{
	double length = 0;
	for (int a = 0; a < 3; a++) {
		u[a] = between(seed, (size_t)a, -1, 1) + 0.05;
		v[a] = between(seed, (size_t)a + 3, -1, 1) + 0.03 * a;
	}
	length = sqrt(gt_dot3(u, u));
	for (int a = 0; a < 3; a++)
		u[a] /= length;
	const double along = gt_dot3(u, v);
	for (int a = 0; a < 3; a++)
		v[a] -= along * u[a];
	length = sqrt(gt_dot3(v, v));
	for (int a = 0; a < 3; a++)
		v[a] /= length;
	cross(u, v, w);
}

/* Views in any direction, tilted detectors, offsets along both axes, focal spots off the centre of the arc. */
static gt_scan *random_scan(gt_shape shape, unsigned seed)
{
	gt_scan *s;
	ck_ok(gt_scan_new(shape, VIEWS, 13, 31, &s));
	s->column_pitch = between(seed, 10, 0.3, 2);
	s->row_pitch = between(seed, 11, 0.3, 2);
	s->column_center = between(seed, 12, -9, 40);
	s->row_center = between(seed, 13, -9, 20);
	s->source_to_detector = between(seed, 14, 60, 200);
	for (unsigned v = 0; v < VIEWS; v++) {
		gt_view *w = &s->view[v];
		const unsigned mine = seed * 1000 + v;
		double normal[3];
		random_axes(mine, w->column_axis, w->row_axis, normal);
		for (int a = 0; a < 3; a++) {
			w->arc_center[a] = between(mine, 20 + (size_t)a, -80, 80);
			w->source[a] = w->arc_center[a] + (shape == GT_ARC ? between(mine, 30 + (size_t)a, -6, 6) : 0);
			w->detector[a] = w->arc_center[a] + s->source_to_detector * normal[a] + between(mine, 40, -9, 9) * w->row_axis[a];
			if (shape != GT_ARC)
				w->detector[a] += between(mine, 41, -9, 9) * w->column_axis[a];
		}
	}
	ck_ok(gt_scan_check(s));
	return s;
}

static void one_round_trip(const gt_detector *d, const gt_view *w, unsigned seed)
{
	double point[3], direction[3], cell[3], x[3], column, row;
	for (size_t i = 0; i < POINTS; i++) {
		const double k = between(seed, 4 * i, -3, 34), l = between(seed, 4 * i + 1, -3, 16), t = between(seed, 4 * i + 2, 0.1, 1.7);
		gt_pixel_ray(d, w, k, l, point, direction);
		gt_pixel_point(d, w, k, l, cell);
		for (int a = 0; a < 3; a++) {
			ck_assert_double_eq_tol(point[a] + direction[a], cell[a], 1e-10);
			x[a] = point[a] + t * direction[a];
		}
		ck_assert_int_eq(gt_point_pixel(d, w, x, &column, &row), 1);
		ck_assert_double_eq_tol(column, k, 1e-9);
		ck_assert_double_eq_tol(row, l, 1e-9);
	}
}

GT_TESTS(cell_to_point_to_cell, GT_NSHAPES)
{
	for (unsigned seed = 1; seed < 5; seed++) {
		gt_scan *s = random_scan((gt_shape)_i, seed);
		const gt_detector d = gt_scan_detector(s);
		for (unsigned v = 0; v < VIEWS; v++)
			one_round_trip(&d, &s->view[v], seed * 77 + v);
		gt_scan_free(s);
	}
}

GT_TEST(points_behind_the_source)
{
	gt_scan *s = random_scan(GT_FLAT, 9);
	const gt_detector d = gt_scan_detector(s);
	for (unsigned v = 0; v < VIEWS; v++) {
		double point[3], direction[3], x[3], column, row;
		gt_pixel_ray(&d, &s->view[v], 3, 4, point, direction);
		for (int a = 0; a < 3; a++)
			x[a] = point[a] - 0.5 * direction[a];
		ck_assert_int_eq(gt_point_pixel(&d, &s->view[v], x, &column, &row), 0);
	}
	gt_scan_free(s);
}

GT_TEST(arc_cells_are_evenly_spaced)
{
	gt_scan *s = random_scan(GT_ARC, 3);
	const gt_detector d = gt_scan_detector(s);
	const double radius = s->source_to_detector, chord = 2 * radius * sin(s->column_pitch / radius / 2);
	for (unsigned v = 0; v < VIEWS; v++)
		for (double k = 0; k < 30; k++) {
			double p[3], q[3], r[3];
			gt_pixel_point(&d, &s->view[v], k, 2, p);
			gt_pixel_point(&d, &s->view[v], k + 1, 2, q);
			for (int a = 0; a < 3; a++)
				r[a] = q[a] - p[a];
			ck_assert_double_eq_tol(sqrt(gt_dot3(r, r)), chord, 1e-10);
			ck_assert_double_gt(gt_dot3(r, s->view[v].column_axis) * cos((k - d.column_center) * d.column_pitch / radius), 0);
		}
	gt_scan_free(s);
}

/* Closed formulas: lateral position and depth of a point, then fan angle and height. */
static void expect_cell(const gt_scan *s, double theta, const double x[3], double zs, double *column, double *row)
{
	const double la = x[0] * cos(theta) + x[1] * sin(theta);
	const double de = s->source_to_axis + x[0] * sin(theta) - x[1] * cos(theta);
	double u, v;
	if (s->shape == GT_ARC) {
		u = s->source_to_detector * atan2(la, de);
		v = s->source_to_detector * (x[2] - zs) / hypot(la, de);
	} else if (s->shape == GT_FLAT) {
		u = s->source_to_detector * la / de;
		v = s->source_to_detector * (x[2] - zs) / de;
	} else {
		u = la;
		v = x[2] - zs;
	}
	*column = u / s->column_pitch + s->column_center;
	*row = v / s->row_pitch + s->row_center;
}

GT_TESTS(closed_formulas, GT_NSHAPES)
{
	const gt_orbit orbit = { .shape = (gt_shape)_i,
		                 .views = 37,
		                 .rows = 20,
		                 .columns = 90,
		                 .source_to_axis = 541,
		                 .source_to_detector = 949,
		                 .column_pitch = 1.3,
		                 .row_pitch = 1.7,
		                 .column_offset = 1.25,
		                 .row_offset = -3,
		                 .start_angle = 0.4,
		                 .turn = 9,
		                 .pitch_per_turn = 31,
		                 .z_center = 12 };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&orbit, &s));
	const gt_detector d = gt_scan_detector(s);
	for (size_t v = 0; v < s->views; v++)
		for (size_t i = 0; i < POINTS; i++) {
			const double x[3] = { between(7, 3 * i, -200, 200), between(7, 3 * i + 1, -200, 200),
				              between(7, 3 * i + 2, -30, 50) };
			double k, l, column, row;
			expect_cell(s, 0.4 + 9.0 * (double)v / 37, x, 12 + 31 / (2 * GT_PI) * 9.0 / 37 * ((double)v - 18), &k, &l);
			ck_assert_int_eq(gt_point_pixel(&d, &s->view[v], x, &column, &row), 1);
			ck_assert_double_eq_tol(column, k, 1e-9);
			ck_assert_double_eq_tol(row, l, 1e-9);
		}
	gt_scan_free(s);
}

/* Fan angle of column 0 on its row, and the ray of (theta, beta). */
static void fan_ray(gt_shape shape, double theta, double beta, double point[3], double direction[3])
{
	const gt_orbit orbit = { .shape = shape,
		                 .views = 1,
		                 .rows = 1,
		                 .columns = 1000,
		                 .source_to_axis = 300,
		                 .source_to_detector = 500,
		                 .column_pitch = 0.5,
		                 .row_pitch = 1,
		                 .start_angle = theta,
		                 .turn = 1 };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&orbit, &s));
	const gt_detector d = gt_scan_detector(s);
	const double u = shape == GT_ARC ? 500 * beta : 500 * tan(beta);
	gt_pixel_ray(&d, s->view, s->column_center + u / 0.5, 0, point, direction);
	gt_scan_free(s);
}

GT_TESTS_IN(conjugate_rays_are_one_line, GT_FLAT, GT_ARC + 1)
{
	for (size_t i = 0; i < 30; i++) {
		const double theta = between(11, 2 * i, -GT_PI, GT_PI), beta = between(11, 2 * i + 1, -0.45, 0.45);
		double p[3], q[3], p2[3], q2[3], join[3], c[3];
		fan_ray((gt_shape)_i, theta, beta, p, q);
		fan_ray((gt_shape)_i, theta + GT_PI + 2 * beta, -beta, p2, q2);
		for (int a = 0; a < 3; a++)
			join[a] = p2[a] - p[a];
		cross(q, q2, c);
		ck_assert_double_eq_tol(sqrt(gt_dot3(c, c)) / gt_dot3(q, q), 0, 1e-12);
		ck_assert_double_lt(gt_dot3(q, q2), 0);
		cross(join, q, c);
		ck_assert_double_eq_tol(sqrt(gt_dot3(c, c)) / gt_dot3(q, q), 0, 1e-12);
		/* the same ray is not conjugate to any other fan angle */
		fan_ray((gt_shape)_i, theta + GT_PI - 2 * beta, -beta, p2, q2);
		cross(q, q2, c);
		if (fabs(beta) > 0.01)
			ck_assert_double_gt(sqrt(gt_dot3(c, c)) / gt_dot3(q, q), 1e-3);
	}
}

int main(void) { return gt_test_main("scan_math", NULL); }
