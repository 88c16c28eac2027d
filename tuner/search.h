#ifndef GT_TUNER_SEARCH_H
#define GT_TUNER_SEARCH_H
/* Search strategies and the loop that runs them. Each candidate is evaluated once, however often a strategy asks.
 * Equal seeds give equal searches. */
#include <stdio.h>
#include "tuner/space.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	const gt_space *space;
	size_t first;           /* the hand-tuned candidate, evaluated first */
	uint64_t seed;
	size_t evaluations;     /* maximum number of evaluations; 0: unlimited */
} gt_search_task;

/* Answers of ask(): a candidate; end of the search; wait until pending candidates are reported. */
typedef enum { GT_ASKED, GT_NOTHING, GT_WAIT } gt_answer;
/* An invalid path of `ants:as-published`; reported as INFINITY like a compile failure. */
#define GT_NO_CANDIDATE SIZE_MAX

typedef struct {
	const char *name, *about;
	/* options: the text after the name in "NAME:key=value,key=value", or "" */
	gt_status (*make)(const gt_search_task *t, const char *options, void **self);
	gt_answer (*ask )(void *self, size_t *candidate);
	void      (*tell)(void *self, size_t candidate, double ms);     /* INFINITY: not compiled, wrong or too slow */
	void      (*free)(void *self);
} gt_strategy;
extern const gt_strategy *const gt_strategies[];        /* NULL-terminated */
extern const gt_strategy gt_search_climb, gt_search_ants, gt_search_random, gt_search_exhaustive;

/* spec: "climb", "ants:rho=0.1,q0=0". GT_ERR_UNKNOWN lists the valid names. */
gt_status gt_search_find(const char *spec, const gt_strategy **s, const char **options);

/* Times n candidates. Returns 0 to stop the search. */
typedef int (*gt_search_evaluate)(void *self, size_t n, const size_t *candidate, double *ms);
typedef struct {
	size_t evaluations;     /* distinct candidates evaluated, and invalid paths */
	size_t best;            /* SIZE_MAX if none was correct */
	double ms;              /* INFINITY if none was correct */
} gt_search_result;
/* width: number of candidates per call of evaluate. */
gt_status gt_search_run(const char *spec, const gt_search_task *t, size_t width, gt_search_evaluate evaluate, void *self,
                        gt_search_result *r);
#ifdef __cplusplus
}
#endif
#endif
