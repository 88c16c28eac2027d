/* Load balance of unequal ranks: within 5 % of the best integer partition after three steps, for costs with steps
 * and constant parts.
 * labels: unit */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "team/balance.h"
#include "tests/support/support.h"

enum { MAX_RANKS = 8 };

/* A rank needs `once` s, plus `each` s per item, partly in blocks of `step` items. */
struct cost {
	double once, each;
	size_t step;
};

struct team {
	int ranks;
	size_t things;
	struct cost cost[MAX_RANKS];
	int measured, reported;
	double last; /* the slowest rank */
};

static double cost_of(const struct cost *c, size_t n)
{
	/* half of a rank's time grows in whole blocks */
	const double steps = ceil((double)n / (double)c->step) * (double)c->step;
	return c->once + c->each * (0.5 * (double)n + 0.5 * steps);
}

static double slowest(const struct team *t, const size_t *share)
{
	double max = 0;
	for (int i = 0; i < t->ranks; i++)
		max = fmax(max, share[i] ? cost_of(&t->cost[i], share[i]) : 0);
	return max;
}

/* The minimum makespan of any integer partition: gives each item to the rank that finishes it first. */
static double best_of(const struct team *t)
{
	size_t share[MAX_RANKS] = { 0 };
	for (size_t k = 0; k < t->things; k++) {
		int at = 0;
		for (int i = 1; i < t->ranks; i++)
			if (cost_of(&t->cost[i], share[i] + 1) < cost_of(&t->cost[at], share[at] + 1))
				at = i;
		share[at]++;
	}
	return slowest(t, share);
}

static gt_status measure(gt_backend *be, void *self, double *seconds)
{
	struct team *t = self;
	const size_t n = gt_local_range(be, t->things).n;
	*seconds = n ? cost_of(&t->cost[gt_rank(be)], n) : 0;
	if (gt_rank(be) == 0)
		t->measured++;
	return GT_OK;
}

static void tell(void *self, int split, int ranks, const size_t *share, const double *seconds)
{
	struct team *t = self;
	size_t all = 0;
	for (int i = 0; i < ranks; i++) {
		all += share[i];
		ck_assert(seconds[i] >= 0);
	}
	ck_assert_uint_eq(all, t->things);
	ck_assert_int_eq(split, t->reported);
	t->reported++;
}

static gt_status balance(gt_backend *be, void *self)
{
	struct team *t = self;
	size_t share[MAX_RANKS], all = 0;
	const gt_balance_work w = { t->things, measure, t, tell };
	const gt_status st = gt_balance_run(be, &w, share);
	for (int i = 0; i < t->ranks; i++) {
		all += share[i];
		ck_assert_uint_eq(share[i], gt_team_range(be, i, t->things).n); /* the team uses this partition */
	}
	ck_assert_uint_eq(all, t->things);
	if (gt_rank(be) == 0)
		t->last = slowest(t, share);
	return st;
}

static void run(struct team *t)
{
	char spec[32];
	gt_team *team = NULL;
	snprintf(spec, sizeof spec, "cpu:1x%d", t->ranks);
	ck_assert_msg(gt_team_open(spec, &team) == GT_OK, "%s", gt_error());
	t->measured = t->reported = 0;
	ck_assert_msg(gt_team_run(team, balance, t) == GT_OK, "%s", gt_error());
	gt_team_close(team);
}

static double uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(*state >> 40) / 16777216;
}

GT_TEST(unequal_ranks_come_within_5_percent)
{
	uint64_t seed = 20261123;
	int within = 0, all = 0;
	for (int k = 0; k < 60; k++) {
		struct team t = { .ranks = 2 + k % 7, .things = k % 3 == 2 ? 984 : 82 + (size_t)k };
		for (int i = 0; i < t.ranks; i++)
			t.cost[i] = (struct cost){ 0.2 * uniform(&seed), 0.01 * (1 + 4 * uniform(&seed)),
				                   1 + (size_t)(3 * uniform(&seed)) };
		run(&t);
		const double best = best_of(&t);
		ck_assert_int_le(t.measured, 1 + GT_BALANCE_SPLITS);
		ck_assert(t.last >= best * (1 - 1e-12));
		ck_assert_msg(t.last <= 1.15 * best, "team %d of %d: %g, the best is %g", k, t.ranks, t.last, best);
		within += t.last <= 1.05 * best;
		all++;
	}
	ck_assert_msg(within >= 0.95 * all, "%d of %d within 5 %% of the best", within, all);
}

GT_TEST(equal_ranks_keep_their_ranges)
{
	struct team t = { .ranks = 4, .things = 100 };
	for (int i = 0; i < 4; i++)
		t.cost[i] = (struct cost){ 0.1, 0.01, 1 };
	run(&t);
	ck_assert_int_eq(t.measured, 1);
}

GT_TEST(three_times_slower_takes_a_quarter)
{
	struct team t = { .ranks = 2, .things = 100, .cost = { { 0, 0.01, 1 }, { 0, 0.03, 1 } } };
	run(&t);
	ck_assert_double_eq_tol(t.last, 0.75, 1e-9);
	ck_assert_int_le(t.measured, 3);
}

GT_TEST(curves_go_through_their_points)
{
	gt_balance_curve c = { .points = 0 };
	gt_balance_point(&c, 10, 2);
	ck_assert_double_eq_tol(gt_balance_seconds(&c, 5), 1, 1e-12);
	gt_balance_point(&c, 20, 3);
	gt_balance_point(&c, 5, 1);
	gt_balance_point(&c, 20, 5); /* mean: 4 */
	ck_assert_double_eq_tol(gt_balance_seconds(&c, 15), 3, 1e-12);
	ck_assert_double_eq_tol(gt_balance_seconds(&c, 30), 6, 1e-12);
	ck_assert_double_eq_tol(gt_balance_seconds(&c, 5), 1, 1e-12);
	for (size_t n = 1; n < 40; n++)
		ck_assert(gt_balance_seconds(&c, n + 1) > gt_balance_seconds(&c, n));
}

int main(void) { return gt_test_main("balance", NULL); }
