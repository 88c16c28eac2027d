/* Search strategies on recorded logs. */
#include <math.h>
#include <stdlib.h>
#include "core/text.h"
#include "core/try.h"
#include "tuner/log.h"
#include "tuner/search.h"
#include "tuner/tune.h"
#include "tuner/tuner.h"

const char *gt_tune_strategy_name(size_t i)
{
	for (size_t k = 0; gt_strategies[k]; k++)
		if (k == i)
			return gt_strategies[k]->name;
	return NULL;
}

gt_status gt_tune_log_open(const char *path, gt_tune_log **log)
{
	*log = calloc(1, sizeof **log);
	const gt_status st = *log ? gt_log_read(path, *log) : gt_fail(GT_ERR_MEMORY, "no memory for a log");
	if (st != GT_OK) {
		free(*log);
		*log = NULL;
	}
	return st;
}

void gt_tune_log_close(gt_tune_log *log)
{
	if (log)
		gt_log_free(log);
	free(log);
}

void gt_tune_log_describe(const gt_tune_log *log, gt_tune_log_facts *facts)
{
	*facts = log->head.facts;
	facts->size = sizeof *facts;
	facts->candidates = log->space->count;
	facts->first_ms = log->ms[log->first];
	facts->best_ms = INFINITY;
	for (size_t i = 0; i < log->space->count; i++) {
		facts->right += log->ms[i] < INFINITY;
		facts->best_ms = fmin(facts->best_ms, log->ms[i]);
	}
}

gt_status gt_tune_log_facts_of(const char *path, gt_tune_log_facts *facts)
{
	gt_tune_log *log = NULL;
	const gt_status st = gt_tune_log_open(path, &log);
	if (st == GT_OK)
		gt_tune_log_describe(log, facts);
	gt_tune_log_close(log);
	return st;
}

struct curve {
	const double *ms;
	double *best, so_far;
	size_t n, room;
};

static int look_up(void *self, size_t n, const size_t *candidate, double *ms)
{
	struct curve *c = self;
	for (size_t i = 0; i < n; i++) {
		ms[i] = c->ms[candidate[i]];
		c->so_far = fmin(c->so_far, ms[i]);
		if (c->n < c->room)
			c->best[c->n++] = c->so_far;
	}
	return 1;
}

gt_status gt_tune_log_replay(const gt_tune_log *log, const char *strategy, uint64_t seed, size_t evaluations, double *best)
{
	gt_search_result r;
	struct curve c = { log->ms, best, INFINITY, 0, evaluations };
	const gt_search_task t = { log->space, log->first, seed, evaluations };
	const gt_status st = gt_search_run(strategy, &t, 1, look_up, &c, &r);
	for (; c.n < evaluations; c.n++)
		best[c.n] = c.so_far;
	return st;
}

gt_status gt_tune_replay(const char *path, const char *strategy, uint64_t seed, size_t evaluations, double *best)
{
	gt_tune_log *log = NULL;
	gt_status st = gt_tune_log_open(path, &log);
	if (st == GT_OK)
		st = gt_tune_log_replay(log, strategy, seed, evaluations, best);
	gt_tune_log_close(log);
	return st;
}
