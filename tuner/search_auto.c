/* The searcher "auto": all candidates where the budget is for all of them; else it climbs, until two climbs from random
 * places found nothing faster, and then lets ants go on. */
#include <math.h>
#include <stdlib.h>
#include "tuner/search.h"

struct automatic {
	gt_search_task task;
	const gt_strategy *by;
	void *own;
	double best;
	size_t since; /* told since the best was found */
	size_t waiting;
};
/* Told without anything faster: about two climbs, of the neighbours of a few places each. */
static size_t patience_of(const gt_space *s)
{
	size_t neighbours = 0;
	for (int l = 0; l < s->layers; l++)
		neighbours += (size_t)s->layer[l].n - 1;
	return 4 * neighbours + 20;
}

static gt_status make(const gt_search_task *t, const char *options, void **self)
{
	struct automatic *a = *options ? NULL : calloc(1, sizeof *a);
	if (!a)
		return *options ? gt_fail(GT_ERR_ARG, "auto has no options, found \"%s\"", options)
		                : gt_fail(GT_ERR_MEMORY, "no memory for a searcher");
	a->task = *t;
	a->best = INFINITY;
	a->by = t->evaluations >= t->space->count ? &gt_search_exhaustive : &gt_search_climb;
	const gt_status st = a->by->make(t, "", &a->own);
	if (st == GT_OK)
		*self = a;
	else
		free(a);
	return st;
}

static void let_ants_go_on(struct automatic *a)
{
	void *ants = NULL;
	a->since = 0;
	if (gt_search_ants.make(&a->task, "", &ants) != GT_OK)
		return; /* without memory for them it climbs on */
	a->by->free(a->own);
	a->by = &gt_search_ants;
	a->own = ants;
}

static gt_answer ask(void *self, size_t *candidate)
{
	struct automatic *a = self;
	if (a->by == &gt_search_climb && a->waiting == 0 && a->since > patience_of(a->task.space))
		let_ants_go_on(a);
	const gt_answer answer = a->by->ask(a->own, candidate);
	a->waiting += answer == GT_ASKED;
	return answer;
}

static void tell(void *self, size_t candidate, double ms)
{
	struct automatic *a = self;
	a->waiting--;
	a->since = ms < a->best ? 0 : a->since + 1;
	a->best = ms < a->best ? ms : a->best;
	a->by->tell(a->own, candidate, ms);
}

static void release(void *self)
{
	struct automatic *a = self;
	a->by->free(a->own);
	free(a);
}

const gt_strategy gt_search_auto = { "auto", "all, or climb and then ants", make, ask, tell, release };
