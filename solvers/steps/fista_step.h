#ifndef GT_SOLVERS_FISTA_STEP_H
#define GT_SOLVERS_FISTA_STEP_H
#include "solvers/anderson.h"
#include "solvers/pwls.h"

/* The steps of fista. Private to this room. */
struct gt_fista_options {
	int iterations, nonneg, restart, prox, anderson;
};
typedef struct gt_fista {
	const gt_problem *p;
	const struct gt_fista_options *o;
	gt_pwls_point at;
	gt_array *own[2], *d; /* volumes to free; the third of at is the caller's */
	gt_array *r, *q;      /* weighted residuals: at x; at the iterate before, then at v, then at the next iterate */
	int prox;
	double data, penalty; /* at x */
	double moved;         /* |x - the one before|^2 */
	gt_anderson mixed;
	gt_state_entry kept[4 + GT_ANDERSON_KEPT];
} gt_fista;
/* at.L or at.d: the majorizer, a number with a proximal step, else a diagonal. */
gt_status gt_fista_majorize(gt_fista *s);
/* Without momentum: the point before is x itself. */
void      gt_fista_stand_still(gt_fista *s);
/* One step with momentum, or without if that raises the cost; or, mixed, one without momentum, mixed with those before.
 * data and penalty are of the next iterate, which gt_fista_accept() makes x. */
void      gt_fista_iterate(gt_fista *s, double *data, double *penalty);
void      gt_fista_iterate_mixed(gt_fista *s, double *data, double *penalty);
void      gt_fista_accept(gt_fista *s);

#endif
