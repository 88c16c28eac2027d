#ifndef GANTRY_SOLVER_H
#define GANTRY_SOLVER_H
#include <gantry/linop.h>
#include <gantry/author/monitor.h>
#include <gantry/module.h>
#include <gantry/author/penalty.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Minimises the cost over lo <= x <= hi and all subsets k:
 *   1/2 sum_k <A_k x - b_k, w_k (A_k x - b_k)> + R(x)
 * If the minimiser is not unique, or a method minimises another cost, the method determines x. Members are borrowed. */
typedef struct {
	size_t subsets;                    /* >= 1 */
	gt_linop *const *A;
	gt_array *const *b;
	double lo, hi;                     /* -INFINITY, INFINITY: no bounds */
	gt_array *const *w;                /* >= 0, as b; NULL: 1 */
	const gt_penalty *R;               /* NULL: 0 */
	size_t n[3];                       /* voxels of x along x, y, z; n[0] = 0: x is no grid of voxels */
} gt_problem;

/* Traits of a solver. A penalty must have the functions that the solver needs: gradient, line or prox.
 * GT_SUPPORTS_TEAM: arrays may be distributed over several devices (--backend cuda:0-1). GT_PLANS_ITERATIONS: early
 * iterations depend on the total number, so a run cannot be continued beyond it. GT_WEIGHTS_ARE_BLANK: weights are
 * blank-scan (I0) counts up to a factor, not inverse variances. GT_NEEDS_WHOLE_DATA: nothing may be subtracted from the
 * data, because their sign, counts or norm matter. GT_AMPLIFIES_INCONSISTENCY: steps by single views or an unmatched
 * backprojector amplify errors of the model, for example of an object subtracted outside the grid. */
enum {
	GT_SUPPORTS_SUBSETS = 1, GT_SUPPORTS_BOUNDS = 2, GT_SUPPORTS_WEIGHTS = 4,
	GT_SUPPORTS_GRADIENT = 8, GT_SUPPORTS_LINE = 16, GT_SUPPORTS_PROX = 32, GT_PLANS_ITERATIONS = 64,
	GT_SUPPORTS_TEAM = 128, GT_WEIGHTS_ARE_BLANK = 256,
	GT_NEEDS_WHOLE_DATA = 512, GT_AMPLIFIES_INCONSISTENCY = 1024
};

typedef struct {
	GT_MODULE_MEMBERS
	unsigned        traits;
	/* x: start on entry, result on return. */
	gt_status     (*run)(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m);
	/* Ordered subsets that these options ask for, out of `views`; NULL: always 1. */
	gt_status     (*subsets)(const void *options, size_t views, size_t *subsets);
	/* 1 if these options ask for x >= 0; NULL: never. */
	int           (*nonneg)(const void *options);
} gt_solver;

GT_API extern const gt_solver *const gt_solvers[];            /* NULL-terminated */
GT_API const gt_solver *gt_solver_find(const char *name);     /* NULL if there is none */
/* Runs a solver; call it instead of s->run. Checks traits, sizes and types, and returns failures of the device. */
GT_API gt_status gt_solve(const gt_solver *s, const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m);

#ifdef __cplusplus
}
#endif
#endif
