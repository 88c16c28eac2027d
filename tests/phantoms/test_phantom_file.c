/* Shape files: their meaning, and all errors in them. */
/* labels: unit backend: none */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/random.h"
#include "tests/phantoms/bodies.h"

static double value(const char *text, double x, double y, double z)
{
	gt_phantom *p = body(text);
	const double v = gt_phantom_value(p, (const double[3]){ x, y, z });
	gt_phantom_free(p);
	return v;
}

#define IS(text, x, y, z, expected) ck_assert_double_eq_tol(value(text, x, y, z), expected, 1e-12)

GT_TEST(shapes_are_where_they_are_written)
{
	const char *e = "ellipsoid center=10,20,30 radii=1,2,3 density=5"; /* no newline at the end */
	IS(e, 10.9, 20, 30, 5);
	IS(e, 11.1, 20, 30, 0);
	IS(e, 10, 21.9, 30, 5);
	IS(e, 10, 20, 32.9, 5);
	IS(e, 10, 20, 33.1, 0);
	IS("box size=2,4,6 density=5\r\n", 0.9, -1.9, 2.9, 5);
	IS("box size=2,4,6 density=5\r\n", 0.9, -2.1, 2.9, 0);
	IS("cylinder radii=1,2 length=6 density=5\n", 0.9, 0, 2.9, 5);
	IS("cylinder radii=1,2 length=6 density=5\n", 0, 1.9, -2.9, 5);
	IS("cylinder radii=1,2 length=6 density=5\n", 1.1, 0, 0, 0);
	IS("cylinder radii=1,2 length=6 density=5\n", 0, 0, 3.1, 0);
	IS("cone radius=4 end=1 length=6 density=5\n", 3.8, 0, -2.9, 5);
	IS("cone radius=4 end=1 length=6 density=5\n", 1.2, 0, 2.9, 0);
	IS("  \t\n# nothing\n\tbox\tsize=2,2,2   density=4 # a box\n", 0.5, 0, 0, 4);
}

GT_TEST(orientation)
{
	/* angles=a rotates the long axis counter-clockwise about z. */
	IS("ellipsoid radii=10,1,1 angles=30 density=1\n", 9 * cos(GT_PI / 6), 9 * sin(GT_PI / 6), 0, 1);
	IS("ellipsoid radii=10,1,1 angles=30 density=1\n", 9 * cos(GT_PI / 6), -9 * sin(GT_PI / 6), 0, 0);
	/* angles=a,b,c: about x by c first, then about y by b, then about z by a. z -> -y -> -y -> x. */
	IS("ellipsoid radii=1,2,10 angles=90,0,90 density=1\n", 9, 0, 0, 1);
	/* z -> x -> y, first axis x -> -z. */
	IS("ellipsoid radii=5,1,10 angles=90,90 density=1\n", 0, 9, 0, 1);
	IS("ellipsoid radii=5,1,10 angles=90,90 density=1\n", 0, 0, 4.9, 1);
	IS("cone radius=1 end=3 length=10 angles=0,90 density=1\n", 4.9, 2.8, 0, 1);
	IS("cone radius=1 end=3 length=10 angles=0,90 density=1\n", -4.9, 2.8, 0, 0);
	/* Two vectors give the orientation; `first` is made perpendicular to the axis. */
	IS("cone radius=1 end=3 length=10 axis=-2,0,0 density=1\n", -4.9, 0, 2.8, 1);
	IS("cone radius=1 end=3 length=10 axis=-2,0,0 density=1\n", 4.9, 0, 2.8, 0);
	IS("box size=10,2,4 axis=0,3,0 first=1,7,1 density=1\n", 3, 1.5, 3, 1);
	IS("box size=10,2,4 axis=0,3,0 first=1,7,1 density=1\n", 3, 1.5, -3, 0);
	/* The second axis is axis x first. */
	IS("cylinder radii=1,5 length=2 axis=1,0,0 first=0,1,0 clip=0,0,-1,0 density=1\n", 0, 0, 4.9, 1);
	IS("box size=2,8,2 first=0,1,0 density=1\n", -3.9, 0, 0, 1);
	IS("box size=2,8,2 first=0,1,0 density=1\n", 0, 3.9, 0, 0);
}

GT_TEST(units_and_options)
{
	const char *text = "ellipsoid radius=1 density=3\nunit mm-1\nellipsoid center=5,0,0 radius=1 density=0.7\nunit water\n"
			   "ellipsoid center=9,0,0 radius=1 density=-2\n";
	const gt_phantom_options o = { .water = 0.021, .scale = 2, .shift = { 100, 0, 7 }, .rotate = GT_PI / 2 };
	gt_phantom *p = NULL;
	ck_ok(body_read(text, strlen(text), &o, &p));
	ck_assert_double_eq_tol(gt_phantom_value(p, (const double[3]){ 100, 1.9, 7 }), 0.063, 1e-15);
	ck_assert_double_eq_tol(gt_phantom_value(p, (const double[3]){ 100, 10, 8.9 }), 0.7, 1e-15);
	ck_assert_double_eq_tol(gt_phantom_value(p, (const double[3]){ 100, 18, 7 }), -0.042, 1e-15);
	ck_assert_double_eq(gt_phantom_value(p, (const double[3]){ 100, -10, 7 }), 0);
	gt_phantom_free(p);
	ck_ok(body_read(text, strlen(text), NULL, &p));
	ck_assert_double_eq_tol(gt_phantom_value(p, (const double[3]){ 0, 0, 0 }), 0.06, 1e-15);
	ck_assert_double_eq_tol(gt_phantom_radius(p), 10, 1e-6);
	gt_phantom_free(p);
}

/* Scaling, rotation and shift also move clips and orientations. */
GT_TEST(moved_bodies_keep_their_values)
{
	const char *text = "combine replace\nunit water\n" MIXED_SHAPES;
	const gt_phantom_options o = { .water = 0.03, .scale = 1.7, .shift = { 11, -6, 4 }, .rotate = 2.2 };
	gt_phantom *p = body(text), *moved = NULL;
	ck_ok(body_read(text, strlen(text), &o, &moved));
	gt_random r;
	gt_random_at(8, 8, &r);
	int wrong = 0, inside = 0;
	for (int i = 0; i < 20000; i++) {
		const double x[3] = { pick(&r, -45, 45), pick(&r, -45, 45), pick(&r, -45, 45) };
		const double y[3] = { 1.7 * (cos(2.2) * x[0] - sin(2.2) * x[1]) + 11, 1.7 * (sin(2.2) * x[0] + cos(2.2) * x[1]) - 6,
			              1.7 * x[2] + 4 };
		const double v = gt_phantom_value(p, x);
		wrong += fabs(gt_phantom_value(moved, y) - 0.03 * v) > 1e-12;
		inside += v != 0;
	}
	ck_assert_int_eq(wrong, 0);
	ck_assert_int_gt(inside, 1000);
	gt_phantom_free(p);
	gt_phantom_free(moved);
}

#define BALL "ellipsoid radius=1 density=1\n"
static const struct {
	const char *text, *message;
} mistakes[] = {
	{ "", "found no shape, expected at least one" },
	{ "# only words\n\n", "found no shape" },
	{ "sphere radius=1 density=1\n", ":1: found 'sphere', expected combine, unit, ellipsoid, cylinder, cone or box" },
	{ BALL "\x89PNG\x1a\n", ":2: found '?PNG?', expected" },
	{ BALL "\n# comment\nellipsoid radius=1 densty=1\n",
	  ":4: found 'densty=1', expected for ellipsoid: key=numbers with key one of center, density" },
	{ "ellipsoid radius=1 density\n", "found 'density', expected for ellipsoid" },
	{ "ellipsoid radius=1 density=1 length=3\n", "found 'length=3', expected for ellipsoid" },
	{ "box radius=1 density=1\n", "found 'radius=1', expected for box: key=numbers with key one of center, density, size" },
	{ "cylinder radius=1 length=2 end=1 density=1\n", "found 'end=1', expected for cylinder" },
	{ "ellipsoid radius=1 density=\n", "found 'density=', expected 1 number" },
	{ "ellipsoid radius=1 density=one\n", "found 'density=one', expected 1 number" },
	{ "ellipsoid radius=1 density=1x\n", "found 'density=1x', expected 1 number" },
	{ "ellipsoid radius=1 density=1,\n", "found 'density=1,', expected 1 number" },
	{ "ellipsoid radius=1 density=1,2\n", "found 'density=1,2', expected 1 number" },
	{ "ellipsoid radius=1 density=nan\n", "found 'density=nan'" },
	{ "ellipsoid radius=1 density=inf\n", "found 'density=inf'" },
	{ "ellipsoid radius=1 density=1e300\n", "found 'density=1e300', expected 1 number up to 1e9" },
	{ "ellipsoid radius=1 density=1 center=1,2\n", "found 'center=1,2' with 2 numbers, expected 3" },
	{ "ellipsoid radius=1 density=1 center=1,,2\n", "found 'center=1,,2', expected 3 numbers" },
	{ "ellipsoid radius=1 density=1 center=1, 2,3\n", "found 'center=1,', expected 3 numbers" },
	{ "ellipsoid radius=1 density=1 angles=1,2,3,4\n", "found 'angles=1,2,3,4', expected 1 to 3 numbers" },
	{ "ellipsoid radius=1 density=1 density=2\n", "found a second 'density=2', expected density once" },
	{ "ellipsoid radius=1\n", ":1: found no density, expected density=d for ellipsoid" },
	{ "ellipsoid density=1\n", "found neither radius and radii, expected one of them for ellipsoid" },
	{ "ellipsoid radius=1 radii=1,2,3 density=1\n", "found both radius and radii" },
	{ "ellipsoid radii=1,2 density=1\n", "found 2 numbers for radii, expected 3 for ellipsoid" },
	{ "cylinder radii=1,2,3 length=1 density=1\n", "found 3 numbers for radii, expected 2 for cylinder" },
	{ "ellipsoid radius=0 density=1\n", "found radius=0, expected a length from 1e-6 to 1e6 mm" },
	{ "ellipsoid radii=1,-2,3 density=1\n", "found radii=-2, expected a length" },
	{ "cylinder radius=1 density=1\n", "found no length, expected length=l for cylinder" },
	{ "cylinder radius=1 length=-4 density=1\n", "found length=-4" },
	{ "cone radius=1 length=4 density=1\n", "found no end, expected end=r" },
	{ "cone radius=1 length=4 end=-1 density=1\n", "found a negative end" },
	{ "box density=1\n", "found no size, expected size=x,y,z for box" },
	{ "box size=1,2,0 density=1\n", "found size=0, expected a length" },
	{ "box size=1,2,3 density=1 angles=3 axis=0,0,1\n", "found angles and axis, expected one way to orient box" },
	{ "box size=1,2,3 density=1 angles=3 first=0,0,1\n", "found angles and first" },
	{ "box size=1,2,3 density=1 axis=0,0,0\n", "found axis=0,0,0, expected a direction" },
	{ "box size=1,2,3 density=1 first=0,0,0\n", "found first=0,0,0, expected a direction" },
	{ "box size=1,2,3 density=1 axis=1,2,3 first=-2,-4,-6\n", "found first=-2,-4,-6 along the axis, expected another direction" },
	{ "box size=1,2,3 density=1 clip=0,0,0,4\n", "found 'clip=0,0,0,4', expected a direction that is not 0,0,0 and a distance" },
	{ "box size=1,2,3 density=1 clip=1,0,0,4 clip=1,0,0\n", "found 'clip=1,0,0' with 3 numbers, expected 4" },
	{ "combine\n" BALL, ":1: found 'combine', expected combine add or combine replace" },
	{ "combine multiply\n" BALL, "found 'multiply', expected combine add or combine replace" },
	{ "combine add replace\n" BALL, "found 'replace', expected combine add" },
	{ "combine add\ncombine add\n" BALL, ":2: found 'combine', expected it once and before the first shape" },
	{ BALL "combine replace\n", ":2: found 'combine', expected it once and before the first shape" },
	{ "unit HU\n" BALL, "found 'HU', expected unit water or unit mm-1" },
	{ "an_endless_word_that_nobody_wants_to_read_in_a_message\n", "found 'an_endless_word_that_nobody_wants_to_rea...', expected" },
};

GT_TESTS(mistakes_are_named, (int)(sizeof mistakes / sizeof *mistakes))
{
	gt_phantom *p = NULL;
	ck_refused(body_read(mistakes[_i].text, strlen(mistakes[_i].text), NULL, &p), GT_ERR_FORMAT, mistakes[_i].message);
	ck_refused(GT_ERR_FORMAT, GT_ERR_FORMAT, "/tmp/gantry-shapes-");
	ck_assert_ptr_null(p);
}

GT_TEST(what_is_no_text_or_no_file)
{
	gt_phantom *p = NULL;
	ck_refused(body_read("box\0size", 9, NULL, &p), GT_ERR_FORMAT, ":1: found a zero byte, expected lines of text");
	ck_refused(gt_phantom_new("no-such-phantom", NULL, &p), GT_ERR_UNKNOWN, "no phantom and no file named 'no-such-phantom'");
	ck_refused(gt_phantom_new("no-such-phantom", NULL, &p), GT_ERR_UNKNOWN, "forbild-head, water-cylinder");
	ck_refused(gt_phantom_new("no/such/file.txt", NULL, &p), GT_ERR_IO,
	           "cannot read the file of shapes: no/such/file.txt: No such file");
	ck_refused(gt_phantom_new("/tmp", NULL, &p), GT_ERR_IO, "cannot read the file of shapes: /tmp: is not a regular file but a folder");
	ck_assert_ptr_null(p);
	gt_phantom_free(NULL);
}

GT_TEST(options_are_checked)
{
	gt_phantom *p = NULL;
	gt_phantom_options o = gt_phantom_defaults;
	o.water = 0;
	ck_refused(gt_phantom_new("box", &o, &p), GT_ERR_ARG, "water=0: expected");
	o = gt_phantom_defaults;
	o.scale = -2;
	ck_refused(gt_phantom_new("box", &o, &p), GT_ERR_ARG, "scale=-2: expected");
	o = gt_phantom_defaults;
	o.shift[1] = NAN;
	ck_refused(gt_phantom_new("box", &o, &p), GT_ERR_ARG, "shift=0,nan,0: expected");
	o = gt_phantom_defaults;
	o.rotate = INFINITY;
	ck_refused(gt_phantom_new("box", &o, &p), GT_ERR_ARG, "rotate=inf: expected");
	ck_assert_ptr_null(p);
}

/* A line longer than common buffers, and thousands of shapes. */
GT_TEST(no_limits)
{
	const size_t shapes = 3000, clips = 3000;
	char *text = malloc(shapes * 64 + clips * 32 + 64), *at = text;
	for (size_t i = 0; i < shapes; i++)
		at += sprintf(at, "ellipsoid center=%zu,0,%zu radius=0.4 density=1\n", i % 60, i / 60);
	at += sprintf(at, "ellipsoid center=0,50,0 radius=9 density=1");
	for (size_t i = 0; i < clips; i++)
		at += sprintf(at, " clip=0,0,1,%zu", clips - i);
	gt_phantom *p = body(text);
	const double along_x[3] = { 1, 0, 0 }, along_z[3] = { 0, 0, 1 }, from[3] = { 3, 0, 7 }, clipped[3] = { 0, 50, 0 };
	ck_assert_double_eq_tol(gt_phantom_line(p, from, along_x, 1), 48, 1e-9);
	ck_assert_double_eq_tol(gt_phantom_line(p, from, along_z, 1), 40, 1e-9);
	ck_assert_double_eq_tol(gt_phantom_line(p, clipped, along_z, 1), 10, 1e-9);
	gt_phantom_free(p);
	free(text);
}

int main(void) { return gt_test_main("phantom file", NULL); }
