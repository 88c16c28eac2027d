/* Strategy "climb": hill climbing from the hand-tuned candidate. It moves to the first faster neighbour, which
 * differs in one layer; neighbours are visited in random order. At a local minimum it restarts from a random
 * candidate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/random.h"
#include "tuner/search.h"

enum { MAX_NEIGHBOURS = GT_MAX_LAYERS * GT_MAX_VALUES };

struct climb {
	const gt_space *space;
	gt_random random;
	size_t here, next, neighbours, waiting;
	double ms; /* time of here; NAN: not reported */
	size_t neighbour[MAX_NEIGHBOURS];
};

static gt_status make(const gt_search_task *t, const char *options, void **self)
{
	struct climb *c = *options ? NULL : calloc(1, sizeof *c);
	if (!c)
		return *options ? gt_fail(GT_ERR_ARG, "climb has no options, found \"%s\"", options)
		                : gt_fail(GT_ERR_MEMORY, "out of memory for a search");
	c->space = t->space;
	gt_random_at(t->seed, 2, &c->random);
	c->here = t->first;
	c->ms = NAN;
	c->neighbours = 1;
	c->neighbour[0] = t->first;
	*self = c;
	return GT_OK;
}

static void look_around(struct climb *c)
{
	uint8_t pick[GT_MAX_LAYERS];
	memcpy(pick, gt_space_pick(c->space, c->here), (size_t)c->space->layers);
	c->neighbours = c->next = 0;
	for (int l = 0; l < c->space->layers; l++) {
		const uint8_t own = pick[l];
		for (int v = 0; v < c->space->layer[l].n; v++) {
			pick[l] = (uint8_t)v;
			const size_t at = v == own ? SIZE_MAX : gt_space_find(c->space, pick);
			if (at == SIZE_MAX)
				continue;
			const size_t k = (size_t)(gt_uniform(&c->random) * (double)(c->neighbours + 1));
			c->neighbour[c->neighbours++] = c->neighbour[k];
			c->neighbour[k] = at;
		}
		pick[l] = own;
	}
}

static void restart(struct climb *c)
{
	c->here = (size_t)(gt_uniform(&c->random) * (double)c->space->count);
	c->ms = NAN;
	c->next = 0;
	c->neighbours = 1;
	c->neighbour[0] = c->here;
}

static gt_answer ask(void *self, size_t *candidate)
{
	struct climb *c = self;
	if (c->next == c->neighbours && c->waiting)
		return GT_WAIT;
	if (c->next == c->neighbours)
		restart(c);
	*candidate = c->neighbour[c->next++];
	c->waiting++;
	return GT_ASKED;
}

static void tell(void *self, size_t candidate, double ms)
{
	struct climb *c = self;
	c->waiting--;
	if (isnan(c->ms) && candidate == c->here) {
		c->ms = ms;
		if (ms < INFINITY)
			look_around(c);
	} else if (ms < c->ms) {
		c->here = candidate;
		c->ms = ms;
		look_around(c);
	}
}

const gt_strategy gt_search_climb = { "climb", "hill climbing with random restarts", make, ask, tell, free };
