#ifndef GT_SOLVERS_FISTA_STEP_H
#define GT_SOLVERS_FISTA_STEP_H
#include "solvers/anderson.h"
#include "solvers/pwls.h"

/* Steps of fista. Private to solvers/. */
struct gt_fista_options {
	int iterations, nonneg, restart, prox, anderson;
};
typedef struct gt_fista {
	const gt_problem *p;
	const struct gt_fista_options *o;
	gt_pwls_point at;
	gt_array *own[2], *d; /* volumes to free; the caller owns the third of `at` */
	gt_array *r, *q;      /* weighted residuals: at x; at the previous iterate, then at v, then at the next iterate */
	int prox;
	double data, penalty; /* at x */
	double moved;         /* |x - previous x|^2 */
	gt_anderson mixed;
	gt_state_entry kept[4 + GT_ANDERSON_KEPT];
} gt_fista;
/* Computes the majorizer at.L, a number, with a proximal step, else the diagonal at.d. */
gt_status gt_fista_majorize(gt_fista *s);
/* Removes the momentum: the previous point becomes x. */
void      gt_fista_stand_still(gt_fista *s);
/* Makes one step with momentum, or without if that raises the cost; with anderson, an accelerated step without
 * momentum. The values data and penalty belong to the next iterate, which gt_fista_accept() makes x. */
void      gt_fista_iterate(gt_fista *s, double *data, double *penalty);
void      gt_fista_iterate_mixed(gt_fista *s, double *data, double *penalty);
void      gt_fista_accept(gt_fista *s);

#endif
