#ifndef GT_SOLVERS_SOLVER_H
#define GT_SOLVERS_SOLVER_H
#include "core/linop.h"
#include "core/monitor.h"
#include "core/params.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Find x with A_k x = b_k for all subsets k, lo <= x <= hi. Borrowed, never freed here. */
typedef struct {
	size_t subsets;                    /* >= 1 */
	gt_linop *const *A;
	gt_array *const *b;
	double lo, hi;                     /* -INFINITY, INFINITY: no bounds */
} gt_problem;

enum { GT_TAKES_SUBSETS = 1, GT_TAKES_BOUNDS = 2 };

typedef struct {
	const char     *name, *about;
	unsigned        traits;
	const gt_param *params;
	const void     *defaults;
	size_t          options_size;
	/* x: start on entry, result on return. */
	gt_status     (*run)(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m);
	/* Ordered subsets that these options ask for, out of `views`; NULL: always 1. */
	gt_status     (*subsets)(const void *options, size_t views, size_t *subsets);
	/* 1 if these options ask for x >= 0; NULL: never. */
	int           (*nonneg)(const void *options);
} gt_solver;

extern const gt_solver *const gt_solvers[];            /* NULL-terminated */
const gt_solver *gt_solver_find(const char *name);     /* NULL if there is none */
/* Always this, never s->run: refuses what s cannot take, checks sizes and types, reports what the device did. */
gt_status gt_solve(const gt_solver *s, const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m);

#ifdef __cplusplus
}
#endif
#endif
