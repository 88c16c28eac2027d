/* Search strategies on made-up spaces. They evaluate nothing twice, end, depend on the seed alone, and find the best
 * at stated rates.
 * labels: unit, backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/random.h"
#include "tests/support/support.h"
#include "tuner/search.h"

/* log(time) is a sum of effects of choices and pairs. Pairs have half the effect in neighbouring layers and less
 * elsewhere; some neighbouring pairs fail. */
struct land {
	gt_space *space;
	double own[8][16], pair[8][8][16][16];
	int refused[8][16][16];
	double best;
	size_t first, calls, max;
	unsigned char *tried;
};

static int legal(void *self, const uint8_t *pick)
{
	(void)self;
	return (pick[0] + pick[1]) % 7 != 3;
}

static double time_of(const struct land *l, size_t candidate)
{
	const uint8_t *p = gt_space_pick(l->space, candidate);
	double t = 0;
	for (int a = 0; a < l->space->layers; a++) {
		t += l->own[a][p[a]];
		if (a && l->refused[a][p[a - 1]][p[a]])
			return INFINITY;
		for (int b = 0; b < a; b++)
			t += l->pair[b][a][p[b]][p[a]];
	}
	return exp(0.5 * t);
}

static void make_land(uint64_t seed, int layers, const int *n, double bad, struct land *l)
{
	gt_random r;
	memset(l, 0, sizeof *l);
	gt_random_at(seed, 99, &r);
	ck_ok(gt_space_plain(layers, n, legal, NULL, &l->space));
	for (int a = 0; a < layers; a++)
		for (int i = 0; i < n[a]; i++) {
			l->own[a][i] = 0.25 * gt_normal(&r);
			for (int b = 0; b < a; b++)
				for (int k = 0; k < n[b]; k++) {
					l->pair[b][a][k][i] = (b == a - 1 ? 0.12 : 0.04) * gt_normal(&r);
					if (b == a - 1)
						l->refused[a][k][i] = gt_uniform(&r) < bad;
				}
		}
	l->best = INFINITY;
	for (size_t c = 0; c < l->space->count; c++)
		l->best = fmin(l->best, time_of(l, c));
	/* simulates manual tuning: the best of 300 random candidates */
	double min = INFINITY;
	for (int i = 0; i < 300; i++) {
		const size_t c = (size_t)(gt_uniform(&r) * (double)l->space->count);
		if (time_of(l, c) < min) {
			min = time_of(l, c);
			l->first = c;
		}
	}
	l->tried = calloc(l->space->count, 1);
}

static void free_land(struct land *l)
{
	gt_space_free(l->space);
	free(l->tried);
}

static int evaluate(void *self, size_t n, const size_t *candidate, double *ms)
{
	struct land *l = self;
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_lt(candidate[i], l->space->count);
		ck_assert_msg(!l->tried[candidate[i]]++, "candidate %zu is tried twice", candidate[i]);
		ms[i] = time_of(l, candidate[i]);
		l->calls++;
	}
	return !l->max || l->calls < l->max;
}

static gt_search_result run(struct land *l, const char *spec, uint64_t seed, size_t evaluations, size_t width)
{
	const gt_search_task t = { l->space, l->first, seed, evaluations };
	gt_search_result r;
	l->calls = 0;
	memset(l->tried, 0, l->space->count);
	ck_ok(gt_search_run(spec, &t, width, evaluate, l, &r));
	ck_assert(!evaluations || r.evaluations <= evaluations);
	if (r.best != SIZE_MAX)
		ck_assert_double_eq(r.ms, time_of(l, r.best));
	return r;
}

static const int fdk[] = { 10, 8, 9, 4 }, small[] = { 5, 4, 3 };

static const char *const all[] = { "climb", "ants", "ants:as-published", "random", "exhaustive" };

static void laws_of(int i)
{
	struct land l;
	make_land(5, 4, fdk, 0.15, &l);
	for (size_t width = 1; width <= 8; width *= 8) {
		const gt_search_result a = run(&l, all[i], 3, 60, width), b = run(&l, all[i], 3, 60, width);
		ck_assert_uint_eq(a.best, b.best);
		ck_assert_uint_eq(a.evaluations, b.evaluations);
		ck_assert_uint_eq(a.evaluations, 60);
		/* no strategy is worse than the hand-tuned candidate, except ants as published, which start anywhere */
		if (strcmp(all[i], "ants:as-published") != 0)
			ck_assert(a.ms <= time_of(&l, l.first));
	}
	free_land(&l);
	/* more evaluations than candidates: the search ends */
	make_land(6, 3, small, 0, &l);
	const gt_search_result r = run(&l, all[i], 1, 0, 1);
	ck_assert_uint_le(l.calls, l.space->count);
	if (!strcmp(all[i], "random") || !strcmp(all[i], "exhaustive")) {
		ck_assert_uint_eq(l.calls, l.space->count);
		ck_assert_double_eq(r.ms, l.best);
	}
	free_land(&l);
}
GT_TEST_ALL(laws, (int)(sizeof all / sizeof *all))

/* Counts the runs within 3 % of the best, of 24 on 8 spaces of up to 2880 candidates. */
static int near_best(const char *spec, size_t evaluations)
{
	int near = 0;
	for (uint64_t s = 0; s < 8; s++) {
		struct land l;
		make_land(100 + s, 4, fdk, 0.15, &l);
		for (uint64_t k = 0; k < 3; k++)
			near += run(&l, spec, 10 * s + k, evaluations, 1).ms <= 1.03 * l.best;
		free_land(&l);
	}
	return near;
}

GT_TEST(rates)
{
	static const struct {
		const char *spec;
		size_t evaluations;
		int min, max;
	} rate[] = { { "climb", 150, 18, 24 }, { "ants", 150, 4, 24 },   { "ants", 600, 17, 24 },
		     { "random", 150, 0, 8 },  { "random", 600, 8, 16 }, { "ants:as-published", 150, 0, 8 } };
	for (size_t i = 0; i < sizeof rate / sizeof *rate; i++) {
		const int near = near_best(rate[i].spec, rate[i].evaluations);
		fprintf(stderr, "%-18s %3zu programs: %2d of 24 within 3 %%\n", rate[i].spec, rate[i].evaluations, near);
		ck_assert_msg(near >= rate[i].min && near <= rate[i].max, "%s: %d of 24", rate[i].spec, near);
	}
}

GT_TEST(ants_as_published)
{
	struct land l;
	make_land(7, 4, fdk, 0.15, &l);
	/* 30 ants, 5 iterations: at most 150 paths, some repeated and some invalid */
	const gt_search_result r = run(&l, "ants:as-published", 1, 0, 30);
	ck_assert_uint_le(r.evaluations, 150);
	ck_assert_uint_gt(r.evaluations, 100);
	ck_assert_uint_lt(l.calls, r.evaluations); /* invalid paths count but are not evaluated */
	/* with the options of "ants" both are the same */
	const gt_search_result a = run(&l, "ants:as-published,ants=10,iterations=0,rho=0.3,q0=0.5,ever=1,legal=1,hand=1", 4, 100, 1),
			       b = run(&l, "ants", 4, 100, 1);
	ck_assert_uint_eq(a.best, b.best);
	free_land(&l);
}

GT_TEST(refusals)
{
	const gt_strategy *s;
	const char *options;
	struct land l;
	gt_search_result r;
	make_land(8, 3, small, 0, &l);
	const gt_search_task t = { l.space, 0, 1, 5 };
	ck_refused(gt_search_find("bees", &s, &options), GT_ERR_UNKNOWN, "expected climb, ants, random, exhaustive");
	ck_refused(gt_search_find("ant", &s, &options), GT_ERR_UNKNOWN, "ant");
	ck_refused(gt_search_run("ants:rho=2", &t, 1, evaluate, &l, &r), GT_ERR_ARG, "rho=2");
	ck_refused(gt_search_run("ants:bees=1", &t, 1, evaluate, &l, &r), GT_ERR_ARG, "bees");
	ck_refused(gt_search_run("ants:ants=0", &t, 1, evaluate, &l, &r), GT_ERR_ARG, "1 ant");
	ck_refused(gt_search_run("climb:high", &t, 1, evaluate, &l, &r), GT_ERR_ARG, "no options");
	ck_refused(gt_search_run("random:x", &t, 1, evaluate, &l, &r), GT_ERR_ARG, "no options");
	free_land(&l);
}

/* If no candidate runs, the search reports none and ends. */
GT_TEST(nothing_runs)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct land l;
		make_land(9, 3, small, 1.1, &l);
		const gt_search_result r = run(&l, all[i], 2, 30, 4);
		ck_assert_uint_eq(r.best, SIZE_MAX);
		ck_assert(r.ms == INFINITY);
		free_land(&l);
	}
}

int main(void) { return gt_test_main("searchers", NULL); }
