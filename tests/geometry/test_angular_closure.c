/* Ranges of angles that contradict the data are reported, and others are not.
 * labels: unit property, backend: none */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/random.h"
#include "geometry/angular_closure.h"
#include "tests/support/support.h"

enum { MAX_VIEWS = 400, COLUMNS = 97, DISCS = 6, OBJECTS = 40 };
/* Range in degrees; inclusive: the last view is at its end. */
typedef struct {
	double range;
	int inclusive;
} rule;
typedef struct {
	double disc[DISCS][4]; /* centre, radius, attenuation */
	double noise, source, axis;
	size_t views;
	rule truth;
	gt_random random;
} object;

static double step_of(rule r, size_t views) { return r.range / GT_DEGREES / (double)(r.inclusive ? views - 1 : views); }

/* A fan of rays if source > 0. */
static double line(const object *o, double angle, double column)
{
	double sum = 0;
	const double s = column - o->axis, bend = o->source > 0 ? atan(s / o->source) : 0, at = angle + bend,
		     from = o->source > 0 ? o->source * sin(bend) : s;
	for (int d = 0; d < DISCS; d++) {
		const double *c = o->disc[d], away = from - c[0] * cos(at) - c[1] * sin(at), half = c[2] * c[2] - away * away;
		sum += half > 0 ? 2 * sqrt(half) * c[3] : 0;
	}
	return sum;
}

static gt_status profile(void *self, size_t view, float *out)
{
	object *o = self;
	for (size_t k = 0; k < COLUMNS; k++) {
		double sum = 0;
		for (int part = -1; part < 2; part++)
			sum += line(o, (double)view * step_of(o->truth, o->views), (double)k + part / 3.0) / 3;
		out[k] = (float)(sum + o->noise * gt_normal(&o->random));
	}
	return GT_OK;
}

static void invent(object *o, uint64_t seed)
{
	gt_random r;
	gt_random_at(seed, 0, &r);
	*o = (object){ .axis = 46.3 + 4 * gt_uniform(&r), .random = r };
	o->views = 80 + (size_t)(300 * gt_uniform(&r));
	for (int d = 0; d < DISCS; d++) {
		o->disc[d][0] = 40 * (gt_uniform(&r) - 0.5);
		o->disc[d][1] = 40 * (gt_uniform(&r) - 0.5);
		o->disc[d][2] = 2 + 7 * gt_uniform(&r);
		o->disc[d][3] = 0.01 + 0.04 * gt_uniform(&r);
	}
}

static const char *check(object *o, rule stated)
{
	static char text[GT_CLOSURE_TEXT];
	double angle[MAX_VIEWS];
	for (size_t v = 0; v < o->views; v++)
		angle[v] = 0.3 - (double)v * step_of(stated, o->views);
	const gt_closure_views s = { o->views, COLUMNS, angle, !(o->source > 0), profile, o };
	ck_ok(gt_closure_check(&s, text));
	return text;
}

/* Returns 1 if the words are reported; other words fail the test. */
static int reports(object *o, rule truth, rule stated, const char *words)
{
	o->truth = truth;
	const char *text = check(o, stated);
	ck_assert_msg(!*text || (words && strstr(text, words)),
	              "%zu views, source %g, noise %g, %g%s degrees stated as %g%s: '%s', expected '%s'", o->views, o->source, o->noise,
	              truth.range, truth.inclusive ? " inclusive" : "", stated.range, stated.inclusive ? " inclusive" : "", text,
	              words ? words : "");
	return *text != 0;
}

static const rule full = { 360, 0 }, half = { 180, 0 }, quarter = { 90, 0 };

GT_TEST(true_ranges_pass)
{
	static const rule truth[] = { { 360, 0 }, { 360, 1 }, { 180, 0 }, { 180, 1 }, { 90, 0 }, { 200, 0 }, { 240, 1 }, { 720, 0 } };
	object o;
	for (uint64_t seed = 0; seed < OBJECTS; seed++)
		for (int kind = 0; kind < 4; kind++)
			for (size_t t = 0; t < sizeof truth / sizeof *truth; t++) {
				invent(&o, seed);
				o.source = kind & 1 ? 150 : 0;
				o.noise = kind & 2 ? 0.02 : 0;
				reports(&o, truth[t], truth[t], NULL);
			}
}

/* Few views of parallel rays: mirrored views several steps apart are similar. */
GT_TEST(few_views_beyond_half_a_rotation)
{
	object o;
	for (uint64_t seed = 0; seed < 4 * OBJECTS; seed++)
		for (int range = 190; range < 280; range += 10) {
			invent(&o, seed);
			o.noise = 0.002;
			o.views = 26 + (size_t)seed % 60;
			reports(&o, (rule){ range, 0 }, (rule){ range, 0 }, NULL);
		}
}

GT_TEST(wrong_ranges_are_reported)
{
	static const struct {
		rule truth, stated;
		int parallel;
		const char *words;
	} wrong[] = {
		{ { 360, 0 }, { 180, 0 }, 0, "resembles the first as after a full rotation: expected about 360 degrees" },
		{ { 360, 0 }, { 90, 0 }, 0, "resembles the first as after a full rotation" },
		{ { 90, 0 }, { 360, 0 }, 0, "does not resemble the first: expected less than a full rotation" },
		{ { 180, 0 }, { 360, 0 }, 1, "mirror image of the first as after half a rotation: expected about 180 degrees" },
		{ { 180, 0 }, { 200, 0 }, 1, "mirror image of the first as after half a rotation: expected about 180 degrees" },
		{ { 180, 0 }, { 90, 0 }, 1, "mirror image of the first as after half a rotation" },
		{ { 90, 0 }, { 180, 0 }, 1, "is not the mirror image of the first" },
		{ { 180, 0 }, { 180, 1 }, 1, "the mirrored last view is one step before the first: expected steps of" },
		{ { 180, 1 }, { 180, 0 }, 1, "the mirrored last view repeats the first: expected steps of" },
		{ { 360, 0 }, { 360, 1 }, 0, "the last view is one step before the first" },
		{ { 360, 1 }, { 360, 0 }, 0, "the last view repeats the first" },
	};
	for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
		int reported = 0, cases = 0;
		for (uint64_t seed = 0; seed < OBJECTS; seed++)
			for (int kind = 0; kind < (wrong[w].parallel ? 1 : 2); kind++) {
				object o;
				invent(&o, seed);
				o.source = kind ? 150 : 0;
				o.noise = 0.002;
				/* a step between many views changes less than the sampling */
				o.views = wrong[w].truth.inclusive + wrong[w].stated.inclusive ? 40 + o.views / 8 : o.views;
				cases++;
				reported += reports(&o, wrong[w].truth, wrong[w].stated, wrong[w].words);
			}
		ck_assert_msg(3 * reported >= cases, "'%s': reported for %d of %d objects", wrong[w].words, reported, cases);
	}
}

GT_TEST(steps_are_named)
{
	object o;
	invent(&o, 4);
	o.views = 90;
	ck_assert(reports(&o, (rule){ 180, 0 }, (rule){ 180, 1 }, "expected steps of 2 degrees, found 2.02247"));
	ck_assert(reports(&o, (rule){ 360, 1 }, (rule){ 360, 0 }, "expected steps of 4.04494 degrees, found 4;"));
}

/* Objects with equal views give no information, nor does an ellipse with equal opposite views. */
GT_TEST(symmetric_objects)
{
	object o;
	invent(&o, 5);
	for (int d = 0; d < DISCS; d++)
		o.disc[d][0] = o.disc[d][1] = 0;
	reports(&o, full, half, NULL);
	reports(&o, half, full, NULL);
	reports(&o, quarter, full, NULL);
	for (int d = 0; d < DISCS; d++) {
		o.disc[d][0] = d & 1 ? 12 : -12;
		o.disc[d][1] = 0;
		o.disc[d][2] = 6;
		o.disc[d][3] = 0.02;
	}
	reports(&o, half, full, NULL);
	reports(&o, full, half, NULL);
}

/* Few views and shuffled views are not checked. */
GT_TEST(others_are_not_judged)
{
	object o;
	char text[GT_CLOSURE_TEXT] = "before";
	double angle[MAX_VIEWS];
	invent(&o, 3);
	o.views = 15;
	reports(&o, full, half, NULL);
	o.views = 100;
	o.truth = full;
	for (size_t v = 0; v < o.views; v++)
		angle[v] = (double)(v * 37 % 100) * GT_PI / 100;
	const gt_closure_views s = { o.views, COLUMNS, angle, 1, profile, &o };
	ck_ok(gt_closure_check(&s, text));
	ck_assert_str_eq(text, "");
}

int main(void) { return gt_test_main("angular closure", NULL); }
