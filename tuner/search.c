/* Search loop and table of search strategies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/try.h"
#include "tuner/search.h"

const gt_strategy *const gt_strategies[] = { &gt_search_climb, &gt_search_ants, &gt_search_random, &gt_search_exhaustive, NULL };

gt_status gt_search_find(const char *spec, const gt_strategy **found, const char **options)
{
	const size_t n = strcspn(spec, ":");
	char names[256] = "";
	*options = spec[n] ? spec + n + 1 : "";
	for (const gt_strategy *const *s = gt_strategies; *s; s++) {
		*found = *s;
		if (strlen((*s)->name) == n && !strncmp((*s)->name, spec, n))
			return GT_OK;
		gt_snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", (*s)->name);
	}
	return gt_fail(GT_ERR_UNKNOWN, "unknown search strategy \"%s\": expected %s", spec, names);
}

enum { MAX_WIDTH = 64, MAX_REPEATS = 20000 };

struct loop {
	const gt_strategy *s;
	void *own;
	const gt_search_task *t;
	double *known; /* by candidate; NAN: not evaluated */
	size_t width;
	gt_search_result *r;
	size_t asked[MAX_WIDTH], fresh[MAX_WIDTH];
	double ms[MAX_WIDTH];
};

static void note(struct loop *l, size_t candidate, double ms)
{
	l->known[candidate] = ms;
	if (ms < l->r->ms) {
		l->r->ms = ms;
		l->r->best = candidate;
	}
}

/* Collects up to *n new candidates within width and budget; reports known times at once. Returns 0 at the end of the
 * search. */
static int gather(struct loop *l, size_t *n)
{
	const size_t evaluations = l->t->evaluations;
	size_t repeats = 0;
	*n = 0;
	while (*n < l->width && (!evaluations || l->r->evaluations + *n < evaluations)) {
		size_t c;
		const gt_answer answer = l->s->ask(l->own, &c);
		if (answer != GT_ASKED)
			return *n > 0;
		int twice = 0;
		for (size_t i = 0; i < *n; i++)
			twice |= l->fresh[i] == c;
		if (c == GT_NO_CANDIDATE) {
			l->r->evaluations++;
			l->s->tell(l->own, c, INFINITY);
		} else if (!isnan(l->known[c])) {
			l->s->tell(l->own, c, l->known[c]);
		} else if (twice) {
			l->s->tell(l->own, c, INFINITY); /* already pending in this batch */
		} else {
			l->fresh[(*n)++] = c;
			repeats = 0;
		}
		if (++repeats > MAX_REPEATS)
			return *n > 0;
	}
	return *n > 0;
}

gt_status gt_search_run(const char *spec, const gt_search_task *t, size_t width, gt_search_evaluate evaluate, void *self,
                        gt_search_result *r)
{
	struct loop l = { .t = t, .width = width < 1 ? 1 : width < MAX_WIDTH ? width : MAX_WIDTH, .r = r };
	const char *options;
	size_t n;
	int goes_on = 1;
	gt_status st = GT_OK;
	r->evaluations = 0;
	r->best = SIZE_MAX;
	r->ms = INFINITY;
	GT_TRY(gt_search_find(spec, &l.s, &options));
	GT_TRY(l.s->make(t, options, &l.own));
	if (!(l.known = malloc(t->space->count * sizeof *l.known)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for the times of %zu candidates", t->space->count));
	for (size_t i = 0; i < t->space->count; i++)
		l.known[i] = NAN;
	while (goes_on && (!t->evaluations || r->evaluations < t->evaluations) && gather(&l, &n)) {
		for (size_t i = 0; i < n; i++)
			l.ms[i] = NAN;
		goes_on = evaluate(self, n, l.fresh, l.ms);
		for (size_t i = 0; i < n; i++) {
			if (isnan(l.ms[i])) /* not evaluated: the search stops */
				continue;
			r->evaluations++;
			note(&l, l.fresh[i], l.ms[i]);
			l.s->tell(l.own, l.fresh[i], l.ms[i]);
		}
	}
done:
	if (l.own)
		l.s->free(l.own);
	free(l.known);
	return st;
}
