#ifndef GT_SOLVERS_STEPS_CONJUGATE_H
#define GT_SOLVERS_STEPS_CONJUGATE_H
/* Inside this room: conjugate directions for costs that need not be quadratic: Polak and Ribiere's, not below 0 and
 * down the hill, with a preconditioner that is the same since the last direction that began anew. */
#include "solvers/steps/preconditioner.h"

typedef struct {
	gt_array *g, *z, *d;            /* gradient, preconditioned gradient, direction */
	gt_preconditioner m;
	double gz;                      /* <g,z>; above 0 unless nothing is left to do */
} gt_conjugate;
void   gt_conjugate_begin (gt_conjugate *c);            /* d by the gradient alone */
void   gt_conjugate_resume(gt_conjugate *c);            /* d is there, g too: the rest */
/* The next direction, from the gradient at the new x; returns that gradient's norm. anew: with another preconditioner,
 * by the curvatures in z. */
double gt_conjugate_turn  (gt_conjugate *c, int anew);
#endif
