/* Line integrals of phantoms: closed forms, and integration of point values along random lines. */
/* labels: unit property backend: none */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/random.h"
#include "tests/phantoms/bodies.h"

static double line(const char *text, double x, double y, double z, double dx, double dy, double dz, int whole)
{
	gt_phantom *p = body(text);
	const double from[3] = { x, y, z }, direction[3] = { dx, dy, dz };
	const double sum = gt_phantom_line(p, from, direction, whole);
	gt_phantom_free(p);
	return sum;
}

static void check_close(double found, double expected, int at)
{
	ck_assert_msg(fabs(found - expected) < 1e-12 * (1 + fabs(expected)), "line %d: found %.15g, expected %.15g", at, found, expected);
}
#define CLOSE(a, b) check_close(a, b, __LINE__)

START_TEST(ellipsoids)
{
	const char *ball = "ellipsoid center=3,-4,5 radius=10 density=0.3\n";
	CLOSE(line(ball, -600, -4 + 6, 5, 1, 0, 0, 0), 0.3 * 16);
	CLOSE(line(ball, -600, -4 + 6, 5, 250, 0, 0, 0), 0.3 * 16);
	CLOSE(line(ball, 3, -4, 5, 1, 2, -3, 0), 0.3 * 10);
	CLOSE(line(ball, 3, -4, 5, 1, 2, -3, 1), 0.3 * 20);
	CLOSE(line(ball, 300, -4, 5, 1, 0, 0, 0), 0);
	CLOSE(line(ball, 300, -4, 5, 1, 0, 0, 1), 0.3 * 20);
	CLOSE(line(ball, 300, 7, 5, 1, 0, 0, 1), 0);
	CLOSE(line(ball, 0, 0, 0, 0, 0, 0, 1), 0);
	/* A line at distance s in direction phi through the ellipse a, b: 2ab sqrt(r^2 - s^2)/r^2, r^2 = a^2 cos^2 + b^2 sin^2. */
	const double turn = 37 * GT_PI / 180, phi = 0.4, s = 2.5, a = 9, b = 4;
	const double r2 = a * a * cos(phi - turn) * cos(phi - turn) + b * b * sin(phi - turn) * sin(phi - turn);
	CLOSE(line("ellipsoid center=1,2,3 radii=9,4,6 angles=37 density=1\n", 1 + s * cos(phi), 2 + s * sin(phi), 3, -sin(phi), cos(phi),
	           0, 1),
	      2 * a * b * sqrt(r2 - s * s) / r2);
}
END_TEST

START_TEST(boxes_and_cylinders)
{
	CLOSE(line("box center=1,2,3 size=4,6,8 density=1\n", -50, 3, 4, 1, 0, 0, 0), 4);
	CLOSE(line("box center=1,2,3 size=4,6,8 density=1\n", -50, 6, 4, 1, 0, 0, 0), 0);
	CLOSE(line("box size=4,4,4 density=1\n", 9, 9, 9, -2, -2, -2, 0), sqrt(48));
	CLOSE(line("box size=4,4,4 angles=45 density=1\n", 9, 0, 0, -1, 0, 0, 0), 4 * sqrt(2));
	CLOSE(line("box size=4,4,4 angles=0,0,45 density=1\n", 0, 9, 0, 0, -1, 0, 0), 4 * sqrt(2));
	CLOSE(line("cylinder center=1,2,3 radius=5 length=20 density=1\n", 4, 2, 70, 0, 0, -1, 0), 20);
	CLOSE(line("cylinder center=1,2,3 radius=5 length=20 density=1\n", 4, 70, 3, 0, -1, 0, 0), 8);
	CLOSE(line("cylinder center=1,2,3 radius=5 length=20 density=1\n", 4, 70, 14, 0, -1, 0, 0), 0);
	CLOSE(line("cylinder radius=5 length=20 axis=2,0,0 density=1\n", 70, 3, 0, -1, 0, 0, 0), 20);
	CLOSE(line("cylinder radii=5,2 length=20 axis=0,3,0 first=0,1,1 density=1\n", 0, 0, 70, 0, 0, -1, 0), 10);
	/* From the rim of one end into the wall at 45 degrees. */
	CLOSE(line("cylinder radius=5 length=20 density=1\n", -5, 0, -10, 1, 0, 1, 0), 10 * sqrt(2));
}
END_TEST

START_TEST(cones)
{
	const char *cone = "cone center=1,2,3 radius=6 end=2 length=8 density=1\n"; /* radius 4 - (z - 3)/2 */
	CLOSE(line(cone, 1, 2, 50, 0, 0, -1, 0), 8);
	CLOSE(line(cone, 1 + 4, 2, 50, 0, 0, -1, 0), 4);
	CLOSE(line(cone, -50, 2, 5, 1, 0, 0, 0), 6);
	CLOSE(line(cone, -50, 2, 8, 1, 0, 0, 0), 0);
	CLOSE(line(cone, -50, 2, -2, 1, 0, 0, 0), 0);
	/* In the x-z plane through the axis, parallel to a flank: from base to top, and out through the other flank. */
	CLOSE(line(cone, 1 + 3, 2, -1, -0.5, 0, 1, 0), hypot(8, 4));
	CLOSE(line(cone, 1 - 3, 2, -1, -0.5, 0, 1, 0), hypot(8, 4) * (3.0 / 8));
	/* A full cone: parallel to its flank, and steeper, through both nappes of the quadric. */
	const char *tip = "cone radius=4 end=0 length=8 axis=0,0,-1 density=1\n"; /* radius (z + 4)/2 */
	CLOSE(line(tip, 0, 0, -90, 0, 0, 1, 0), 8);
	CLOSE(line(tip, 1, 0, -90, 0, 0, 1, 0), 6);
	CLOSE(line(tip, 0, 0, 0, 1, 0, 0, 1), 4);
	CLOSE(line(tip, -90, 0, -5, 1, 0, 0, 0), 0);
	CLOSE(line("cone radii=6,3 end=2 length=8 density=1\n", 0, 90, 0, 0, -1, 0, 0), 4);
}
END_TEST

START_TEST(clips_and_rules)
{
	CLOSE(line("ellipsoid radius=10 clip=0,0,5,10 density=1\n", 0, 0, 50, 0, 0, -1, 0), 12);
	CLOSE(line("ellipsoid radius=10 clip=0,0,1,2 clip=0,0,-1,1 density=1\n", 0, 0, 50, 0, 0, -1, 0), 3);
	CLOSE(line("ellipsoid radius=10 clip=0,0,1,2 density=1\n", 50, 0, 3, -1, 0, 0, 0), 0);
	CLOSE(line("ellipsoid radius=10 clip=0,0,1,2 density=1\n", 50, 0, 1, -1, 0, 0, 0), 2 * sqrt(99));
	CLOSE(line("ellipsoid radius=10 clip=0,0,1,-11 density=1\n", 0, 0, 50, 0, 0, -1, 0), 0);
	/* Two overlapping shapes, a hole in the first, and one hidden by the second. */
#define THREE                                                                             \
	"cylinder radius=10 length=4 density=1\n box center=8,0,0 size=8,4,4 density=3\n" \
	"ellipsoid center=-5,0,0 radius=2 density=0\n"
	CLOSE(line("combine add\n" THREE, 50, 0, 0, -1, 0, 0, 0), 20 + 3 * 8);
	CLOSE(line("combine replace\n" THREE, 50, 0, 0, -1, 0, 0, 0), 14 - 4 + 3 * 8);
	CLOSE(line("combine replace\nbox center=7,0,0 size=2,2,2 density=9\n" THREE, 50, 0, 0, -1, 0, 0, 0), 14 - 4 + 3 * 8);
	CLOSE(line("combine replace\n" THREE "box size=1,1,1 density=5\n", 50, 0, 0, -1, 0, 0, 0), 14 - 4 - 1 + 5 + 3 * 8);
	CLOSE(line("combine replace\n" THREE "box size=90,9,9 density=0.5\n", 50, 0, 0, -1, 0, 0, 0), 45);
}
END_TEST

/* Integral of the point values between a and b: steps, with bisection if two neighbours differ. */
static double by_points(const gt_phantom *p, const double from[3], const double unit[3], double a, double b, double step)
{
	const size_t n = (size_t)ceil((b - a) / step);
	double sum = 0, before = 0, start = a;
#define AT(t) gt_phantom_value(p, (const double[3]){ from[0] + (t)*unit[0], from[1] + (t)*unit[1], from[2] + (t)*unit[2] })
	for (size_t i = 0; i <= n; i++) {
		const double t = a + (b - a) * (double)i / (double)n, value = AT(t);
		if (i > 0 && value != before) {
			double lo = a + (b - a) * (double)(i - 1) / (double)n, hi = t;
			for (int k = 0; k < 45; k++) {
				const double middle = 0.5 * (lo + hi);
				*(AT(middle) == before ? &lo : &hi) = middle;
			}
			sum += before * (hi - start);
			start = hi;
		}
		before = value;
	}
#undef AT
	return sum + before * (b - start);
}

/* Random lines, mostly through a point of the object, some along the axes. Touching shapes of one density, and features
 * thinner than a step, escape the integration. At most 5 % of the lines may do so, each within a few steps. */
static void compare(const gt_phantom *p, const char *name, int lines, double step, double densest, uint64_t seed)
{
	const double radius = gt_phantom_radius(p);
	gt_random r;
	gt_random_at(seed, 0, &r);
	int off = 0, met = 0;
	for (int i = 0; i < lines; i++) {
		double from[3], direction[3], unit[3], at = 0, length;
		for (int a = 0; a < 3; a++)
			direction[a] = i % 5 ? gt_normal(&r) : (i / 5) % 3 == a;
		do
			for (int a = 0; a < 3; a++)
				from[a] = pick(&r, -1, 1) * radius;
		while (i % 4 && gt_phantom_value(p, from) == 0);
		length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
		for (int a = 0; a < 3; a++) {
			unit[a] = direction[a] / length;
			at += from[a] * unit[a];
		}
		const int whole = i % 3 != 0;
		const double exact = gt_phantom_line(p, from, direction, whole);
		const double sum = by_points(p, from, unit, whole ? -at - radius : 0, fmax(radius - at, step), step),
			     wrong = fabs(exact - sum);
		ck_assert_msg(wrong < 4 * step * densest, "%s: line %d gives %.9g, its points %.9g", name, i, exact, sum);
		off += wrong > 1e-9 * densest * radius;
		met += exact != 0;
	}
	ck_assert_msg(off * 20 <= lines, "%s: %d of %d lines differ from their points", name, off, lines);
	ck_assert_msg(met * 3 > lines * 2, "%s: only %d of %d lines meet the phantom", name, met, lines);
}

START_TEST(named_lines_are_integrals)
{
	gt_phantom *p = NULL;
	const gt_phantom_options o = { .water = 0.02, .scale = 1, .shift = { 4, -7, 2 }, .rotate = 0.3 };
	ck_ok(gt_phantom_new(gt_phantom_list[_i].name, _i % 2 ? &o : NULL, &p));
	compare(p, gt_phantom_list[_i].name, 120, 0.02, 0.04, (uint64_t)_i);
	gt_phantom_free(p);
}
END_TEST

START_TEST(mixed_lines_are_integrals)
{
	gt_phantom *p = body(_i ? "combine replace\n" MIXED_SHAPES : MIXED_SHAPES);
	compare(p, "mixed shapes", 800, 0.02, 8, 17);
	gt_phantom_free(p);
}
END_TEST

/* Each shape alone, so that no other hides it; an error of by_points() would show as lines that differ. */
START_TEST(single_lines_are_integrals)
{
	char text[] = MIXED_SHAPES, *rest = NULL;
	for (char *one = strtok_r(text, "\n", &rest); one; one = strtok_r(NULL, "\n", &rest)) {
		gt_phantom *p = body(one);
		compare(p, one, 200, 0.02, 2.5, 23);
		gt_phantom_free(p);
	}
}
END_TEST

/* Lines aimed at the small parts of the ears. */
START_TEST(head_ears_are_integrals)
{
	gt_phantom *p = NULL;
	ck_ok(gt_phantom_new("forbild-head", NULL, &p));
	gt_random r;
	gt_random_at(4, 4, &r);
	for (int i = 0; i < 60; i++) {
		const double from[3] = { pick(&r, -500, 500), i % 2 ? 541 : -541, pick(&r, -30, 30) };
		const double to[3] = { i % 3 ? pick(&r, 55, 90) : pick(&r, -70.2, -67.4), pick(&r, -10, 10),
			               i % 3 ? pick(&r, -10, 10) : pick(&r, -1, 1) };
		const double d[3] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] };
		const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]),
			     unit[3] = { d[0] / length, d[1] / length, d[2] / length };
		ck_assert_double_eq_tol(gt_phantom_line(p, from, d, 0), by_points(p, from, unit, 300, 1100, 0.004), 0.036 * 0.02);
	}
	gt_phantom_free(p);
}
END_TEST

static void fill(TCase *tc)
{
	int named = 0;
	while (gt_phantom_list[named].name)
		named++;
	tcase_add_test(tc, ellipsoids);
	tcase_add_test(tc, boxes_and_cylinders);
	tcase_add_test(tc, cones);
	tcase_add_test(tc, clips_and_rules);
	tcase_add_loop_test(tc, named_lines_are_integrals, 0, named);
	tcase_add_loop_test(tc, mixed_lines_are_integrals, 0, 2);
	tcase_add_test(tc, single_lines_are_integrals);
	tcase_add_test(tc, head_ears_are_integrals);
}

int main(void) { return gt_test_main("phantom lines", fill); }
