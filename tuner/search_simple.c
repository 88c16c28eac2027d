/* Strategies "random", without repetition, and "exhaustive", in order. */
#include <stdlib.h>
#include "core/random.h"
#include "tuner/search.h"

struct walk {
	size_t *order; /* NULL: in order */
	size_t count, next, first;
};

static void release(void *self)
{
	struct walk *w = self;
	free(w->order);
	free(w);
}

static gt_status make_in_order(const gt_search_task *t, const char *options, void **self)
{
	struct walk *w = *options ? NULL : calloc(1, sizeof *w);
	if (!w)
		return *options ? gt_fail(GT_ERR_ARG, "this search strategy has no options, found \"%s\"", options)
		                : gt_fail(GT_ERR_MEMORY, "out of memory for a search");
	w->count = t->space->count;
	w->first = t->first;
	*self = w;
	return GT_OK;
}

static gt_status make_shuffled(const gt_search_task *t, const char *options, void **self)
{
	gt_random r;
	const gt_status st = make_in_order(t, options, self);
	struct walk *w = *self;
	if (st != GT_OK)
		return st;
	if (!(w->order = malloc(w->count * sizeof *w->order))) {
		release(w);
		*self = NULL;
		return gt_fail(GT_ERR_MEMORY, "no memory for %zu candidates", t->space->count);
	}
	gt_random_at(t->seed, 1, &r);
	for (size_t i = 0; i < w->count; i++) {
		const size_t k = (size_t)(gt_uniform(&r) * (double)(i + 1));
		w->order[i] = w->order[k];
		w->order[k] = i;
	}
	return GT_OK;
}

/* The hand-tuned candidate is evaluated first; at its own position its time is known. */
static gt_answer ask(void *self, size_t *candidate)
{
	struct walk *w = self;
	if (w->next > w->count)
		return GT_NOTHING;
	const size_t at = w->next++;
	*candidate = at == 0 ? w->first : w->order ? w->order[at - 1] : at - 1;
	return GT_ASKED;
}

static void tell(void *self, size_t candidate, double ms)
{
	(void)self;
	(void)candidate;
	(void)ms;
}

const gt_strategy gt_search_random = { "random", "without repetition", make_shuffled, ask, tell, release };
const gt_strategy gt_search_exhaustive = { "exhaustive", "all candidates, in order", make_in_order, ask, tell, release };
