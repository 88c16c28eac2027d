/* Load balance: measures ranks, models time as a function of work, and repartitions. */
#include <math.h>
#include <string.h>
#include "core/try.h"
#include "team/balance.h"
#include "team/team_impl.h"

static const double worth = 0.97; /* fraction of the time; smaller predicted gains are not tried */

/* Curves ----------------------------------------------------------------------- */

void gt_balance_point(gt_balance_curve *c, size_t n, double seconds)
{
	int at = 0;
	while (at < c->points && c->n[at] < n)
		at++;
	if (at < c->points && c->n[at] == n) {
		c->seconds[at] = (c->seconds[at] + seconds) / 2;
		return;
	}
	if (c->points == GT_BALANCE_POINTS)
		return;
	memmove(c->n + at + 1, c->n + at, (size_t)(c->points - at) * sizeof *c->n);
	memmove(c->seconds + at + 1, c->seconds + at, (size_t)(c->points - at) * sizeof *c->seconds);
	c->n[at] = n;
	c->seconds[at] = seconds;
	c->points++;
}

/* Line through two points, with at least a quarter of the average slope. */
static double along(const gt_balance_curve *c, int i, size_t n)
{
	const double x0 = (double)c->n[i], x1 = (double)c->n[i + 1], y0 = c->seconds[i], y1 = c->seconds[i + 1];
	const double slope = fmax((y1 - y0) / (x1 - x0), 0.25 * y1 / x1);
	return (double)n >= x1 ? y1 + slope * ((double)n - x1) : fmax(0, y0 - slope * (x0 - (double)n));
}

double gt_balance_seconds(const gt_balance_curve *c, size_t n)
{
	const int last = c->points - 1;
	if (c->points == 1)
		return c->seconds[0] * (double)n / (double)c->n[0];
	if (n <= c->n[0])
		return n == c->n[0] ? c->seconds[0] : along(c, 0, n);
	if (n >= c->n[last])
		return n == c->n[last] ? c->seconds[last] : along(c, last - 1, n);
	int i = 0;
	while (c->n[i + 1] < n)
		i++;
	const double part = (double)(n - c->n[i]) / (double)(c->n[i + 1] - c->n[i]);
	return c->seconds[i] + part * (c->seconds[i + 1] - c->seconds[i]);
}

/* Returns the maximum number of things, at least 1, that a rank does in time T. */
static size_t within(const gt_balance_curve *c, double T, size_t things)
{
	size_t low = 1, high = things;
	while (low < high) {
		const size_t middle = low + (high - low + 1) / 2;
		if (gt_balance_seconds(c, middle) <= T)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static size_t all_within(const gt_balance_curve *c, int ranks, double T, size_t things, size_t *share)
{
	size_t sum = 0;
	for (int i = 0; i < ranks; i++)
		sum += share[i] = within(&c[i], T, things);
	return sum;
}

double gt_balance_solve(const gt_balance_curve *c, int ranks, size_t things, size_t *share)
{
	double low = 0, high = 0, T = 0;
	for (int i = 0; i < ranks; i++)
		high = fmax(high, gt_balance_seconds(&c[i], things));
	for (int k = 0; k < 100; k++) {
		const double middle = (low + high) / 2;
		if (all_within(c, ranks, middle, things, share) < things)
			low = middle;
		else
			high = middle;
	}
	/* Removes the excess from the rank that is slowest without it. */
	for (size_t sum = all_within(c, ranks, high, things, share); sum > things; sum--) {
		int slowest = -1;
		for (int i = 0; i < ranks; i++)
			if (share[i] > 1 &&
			    (slowest < 0 || gt_balance_seconds(&c[i], share[i]) > gt_balance_seconds(&c[slowest], share[slowest])))
				slowest = i;
		share[slowest]--;
	}
	for (int i = 0; i < ranks; i++)
		T = fmax(T, gt_balance_seconds(&c[i], share[i]));
	return T;
}

/* Collective calls --------------------------------------------------------------- */

gt_status gt_balance_set(gt_backend *be, const size_t *share)
{
	double weight[GT_TEAM_MAX];
	gt_status st = GT_OK;
	gt_team_first(be, 0); /* barrier: all ranks have finished reading the old weights */
	for (int i = 0; i < gt_ranks(be); i++)
		weight[i] = (double)share[i];
	if (gt_team_leads(be))
		st = gt_team_set_weights(be->rank->team, weight);
	gt_team_first(be, 0);
	return st == GT_OK ? gt_backend_known(be) : st;
}

static gt_status measure(gt_backend *be, const gt_balance_work *w, double *seconds, double *max)
{
	double mine = 0;
	gt_status st = GT_OK;
	GT_TRY(w->measure(be, w->self, &mine));
	GT_TRY(gt_team_gather(be, &mine, sizeof mine, seconds));
	*max = 0;
	for (int i = 0; i < gt_ranks(be); i++)
		*max = fmax(*max, seconds[i]);
done:
	return st;
}

gt_status gt_balance_run(gt_backend *be, const gt_balance_work *w, size_t *share)
{
	const int n = gt_ranks(be);
	gt_balance_curve c[GT_TEAM_MAX] = { 0 };
	size_t now[GT_TEAM_MAX];
	double seconds[GT_TEAM_MAX], max, best = INFINITY;
	gt_status st = GT_OK;
	if ((size_t)n > w->things)
		return GT_OK;
	for (int i = 0; i < n; i++)
		now[i] = share[i] = gt_team_range(be, i, w->things).n;
	for (int k = 0;; k++) {
		GT_TRY(measure(be, w, seconds, &max));
		if (w->report && gt_rank(be) == 0)
			w->report(w->self, k, n, now, seconds);
		if (max < best) {
			best = max;
			memcpy(share, now, (size_t)n * sizeof *share);
		}
		for (int i = 0; i < n; i++)
			if (now[i] && seconds[i] > 0)
				gt_balance_point(&c[i], now[i], seconds[i]);
		int known = 1;
		for (int i = 0; i < n; i++)
			known &= c[i].points > 0;
		if (k == GT_BALANCE_SPLITS || !known || gt_balance_solve(c, n, w->things, now) > worth * best)
			break;
		GT_TRY(gt_balance_set(be, now));
	}
	GT_TRY(gt_balance_set(be, share));
done:
	return st;
}
