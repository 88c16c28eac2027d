/* `gantry tune --replay`: searches a log again by each strategy, with several seeds. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/commands/tune/tune.h"

/* Searches of a log by one strategy: the best so far over the log's best, [seed][evaluation]. */
typedef struct {
	const tune_replays *o;
	gt_tune_log *log;
	const gt_tune_log_facts *facts;
	size_t evaluations, seeds;
	double *best;
} replays;

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Returns the median after a number of evaluations; near: number of searches within 3 %. */
static double median_after(const replays *r, size_t evaluations, size_t *near)
{
	double *at = malloc(r->seeds * sizeof *at), median = NAN;
	const size_t last = (evaluations < r->evaluations ? evaluations : r->evaluations) - 1;
	*near = 0;
	for (size_t s = 0; s < r->seeds && at; s++) {
		at[s] = r->best[s * r->evaluations + last] / r->facts->best_ms;
		*near += at[s] <= 1.03;
	}
	if (at) {
		qsort(at, r->seeds, sizeof *at, by_size);
		median = at[r->seeds / 2];
	}
	free(at);
	return median;
}

/* Prints a line of the table, and lines of the curve. */
static gt_status replay_one(const replays *r, const char *strategy, FILE *curve)
{
	static const size_t at[] = { 10, 50, 150, 600 };
	size_t near;
	for (size_t s = 0; s < r->seeds; s++) {
		const gt_status st = gt_tune_log_replay(r->log, strategy, r->o->seed + s, r->evaluations, r->best + s * r->evaluations);
		if (st != GT_OK)
			return st;
	}
	printf("%-18s", strategy);
	for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
		const double median = median_after(r, at[k], &near);
		printf("   %6.3f %4.0f %%", median, 100. * (double)near / (double)r->seeds);
	}
	printf("\n");
	for (size_t n = 1; n <= r->evaluations && curve; n++) {
		const double median = median_after(r, n, &near);
		fprintf(curve, "%s,%zu,%.5g,%.4g\n", strategy, n, median, (double)near / (double)r->seeds);
	}
	return GT_OK;
}

static gt_status replay_all(const replays *r, FILE *curve)
{
	gt_status st = GT_OK;
	if (r->o->search)
		return replay_one(r, r->o->search, curve);
	for (size_t i = 0; gt_tune_strategy_name(i) && st == GT_OK; i++)
		st = replay_one(r, gt_tune_strategy_name(i), curve);
	return st == GT_OK ? replay_one(r, "ants:as-published", curve) : st;
}

gt_status tune_replay(const tune_replays *o)
{
	gt_tune_log_facts facts;
	replays r = { o, NULL, &facts, o->evaluations, o->seeds, NULL };
	FILE *curve = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_tune_log_open(o->path, &r.log));
	gt_tune_log_describe(r.log, &facts);
	printf("%s on %s, %s\n%zu candidates, %zu correct; best %.4f ms, built-in %.4f ms\n", facts.kernel, facts.device, facts.about,
	       facts.candidates, facts.right, facts.best_ms, facts.built_in_ms);
	if (facts.right == 0)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: no candidate of this log was correct: nothing to search", o->path));
	if (!(r.best = malloc(r.evaluations * r.seeds * sizeof *r.best)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory for %zu searches of %zu candidates", r.seeds, r.evaluations));
	if (o->curve && !(curve = fopen(o->curve, "w")))
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be written (%s)", o->curve, strerror(errno)));
	if (curve)
		fprintf(curve, "strategy,candidates,best so far over best,within 3 %%\n");
	printf("best so far over the best of the log: median of %zu searches, and percentage within 3 %%\n%-18s", r.seeds, "");
	printf("     10 candidates    50             150             600\n");
	st = replay_all(&r, curve);
done:
	if (curve && fclose(curve) != 0 && st == GT_OK)
		st = gt_fail(GT_ERR_IO, "%s: cannot be written (%s)", o->curve, strerror(errno));
	gt_tune_log_close(r.log);
	free(r.best);
	return st;
}
