#ifndef GANTRY_SOLVER_H
#define GANTRY_SOLVER_H
#include <gantry/linop.h>
#include <gantry/monitor.h>
#include <gantry/module.h>
#include <gantry/penalty.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The x in lo <= x <= hi with the least cost
 *   1/2 sum_k <A_k x - b_k, w_k (A_k x - b_k)> + R(x)
 * over all subsets k; where several have that, or a method has its own idea of it, that method's. Borrowed, never freed here. */
typedef struct {
	size_t subsets;                    /* >= 1 */
	gt_linop *const *A;
	gt_array *const *b;
	double lo, hi;                     /* -INFINITY, INFINITY: no bounds */
	gt_array *const *w;                /* >= 0, as b; NULL: 1 */
	const gt_penalty *R;               /* NULL: 0 */
	size_t n[3];                       /* voxels of x along x, y, z; n[0] = 0: x is no grid of voxels */
} gt_problem;

/* What a solver takes. A penalty it takes must have what it needs of it: gradient, line or prox.
 * GT_SUPPORTS_TEAM: its arrays may be shared by several devices that compute together (--backend cuda:0-1).
 * GT_PLANS_ITERATIONS: its first iterations depend on how many it will make, so that a run cannot be continued to
 * more than it had. GT_WEIGHTS_ARE_BLANK: its weights are no inverse variances, but counts without a body, to within
 * a factor. GT_NEEDS_WHOLE_DATA: nothing may be subtracted from its data, since their sign, counts or norm matter. */
enum {
	GT_SUPPORTS_SUBSETS = 1, GT_SUPPORTS_BOUNDS = 2, GT_SUPPORTS_WEIGHTS = 4,
	GT_SUPPORTS_GRADIENT = 8, GT_SUPPORTS_LINE = 16, GT_SUPPORTS_PROX = 32, GT_PLANS_ITERATIONS = 64,
	GT_SUPPORTS_TEAM = 128, GT_WEIGHTS_ARE_BLANK = 256,
	GT_NEEDS_WHOLE_DATA = 512
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
GT_API extern const gt_module_kind gt_solver_kind;
GT_API const gt_solver *gt_solver_find(const char *name);     /* NULL if there is none */
/* Always this, never s->run: refuses what s cannot take, checks sizes and types, reports what the device did. */
GT_API gt_status gt_solve(const gt_solver *s, const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m);

#ifdef __cplusplus
}
#endif
#endif
