#ifndef GT_SOLVERS_STEPS_CONJUGATE_H
#define GT_SOLVERS_STEPS_CONJUGATE_H
/* Private to solvers/. Conjugate directions for costs that need not be quadratic: Polak and Ribiere's beta, not below
 * 0, restricted to descent directions. The preconditioner is constant between restarts. */
#include "solvers/steps/preconditioner.h"

typedef struct {
	gt_array *g, *z, *d;            /* gradient, preconditioned gradient, direction */
	gt_preconditioner m;
	double gz;                      /* <g,z>; above 0 unless converged */
} gt_conjugate;
void   gt_conjugate_begin (gt_conjugate *c);            /* sets d from the gradient alone */
void   gt_conjugate_resume(gt_conjugate *c);            /* recomputes the rest from d and g */
/* Computes the next direction from the gradient at the new x; returns the norm of that gradient. anew: restart with
 * another preconditioner, from the curvatures in z. */
double gt_conjugate_turn  (gt_conjugate *c, int anew);
#endif
