#ifndef GT_SOLVERS_STEPS_PRIMAL_STEP_H
#define GT_SOLVERS_STEPS_PRIMAL_STEP_H
/* Private to solvers/. Volume step of primal-dual methods, x+ <- argmin over the box of R + <g, .> + 1/2 |. - x|_P^2
 * with M = A'WA1. P = s max M with R's proximal step; P = s M + D/2 with R's gradient and majorizer D; P = s M
 * without R. */
#include "solvers/pwls.h"

typedef struct {
	const gt_problem *p;
	gt_array *g, *step, *M, *D;     /* volumes; step: P, or M without a penalty, no prox; M and D/2: for R's gradient */
	int prox;
	double max, unseen;             /* the largest M; voxels below `unseen` stay unchanged */
} gt_primal_step;
/* Overwrites r, as large as the data. s: all 0. Free it even after a failure. */
gt_status gt_primal_step_new (const gt_problem *p, gt_array *r, const gt_array *x, gt_primal_step *s);
void      gt_primal_step_free(gt_primal_step *s);
void      gt_primal_step_take(gt_primal_step *s, double sigma, const gt_array *x);      /* g becomes the next x */
#endif
