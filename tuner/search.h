#ifndef GT_TUNER_SEARCH_H
#define GT_TUNER_SEARCH_H
/* Searchers of spaces, behind one interface, and the loop that runs them: each candidate is timed once, whoever asks
 * how often. The same seed gives the same search. */
#include <stdio.h>
#include "tuner/space.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	const gt_space *space;
	size_t first;           /* the hand-tuned candidate: asked for first */
	uint64_t seed;
	size_t evaluations;     /* that will be tried at most; 0: not known */
} gt_search_task;

/* What ask() answers: here is one; nothing is left; some that were asked for must be told first. */
typedef enum { GT_ASKED, GT_NOTHING, GT_WAIT } gt_answer;
/* A candidate that is not legal, which `ants:as-published` may walk: told as INFINITY, as what does not compile. */
#define GT_NO_CANDIDATE SIZE_MAX

typedef struct {
	const char *name, *about;
	/* options: what follows the name in "NAME:key=value,key=value", "" for none */
	gt_status (*make)(const gt_search_task *t, const char *options, void **self);
	gt_answer (*ask )(void *self, size_t *candidate);
	void      (*tell)(void *self, size_t candidate, double ms);     /* INFINITY: not built, wrong, too slow */
	void      (*free)(void *self);
} gt_strategy;
extern const gt_strategy *const gt_strategies[];        /* NULL-terminated */
extern const gt_strategy gt_search_ants, gt_search_random, gt_search_exhaustive, gt_search_climb, gt_search_forest, gt_search_auto;

/* "climb", "ants:rho=0.1,q0=0": GT_ERR_UNKNOWN names those that there are. */
gt_status gt_search_find(const char *spec, const gt_strategy **s, const char **options);

/* Times n candidates. Returns 0 to stop the search there. */
typedef int (*gt_search_evaluate)(void *self, size_t n, const size_t *candidate, double *ms);
typedef struct {
	size_t evaluations;     /* different candidates that were tried, and walks that are not legal */
	size_t best;            /* SIZE_MAX if none was right */
	double ms;              /* INFINITY then */
} gt_search_result;
/* Up to `width` candidates at a time. */
gt_status gt_search_run(const char *spec, const gt_search_task *t, size_t width, gt_search_evaluate evaluate, void *self,
                        gt_search_result *r);
#ifdef __cplusplus
}
#endif
#endif
