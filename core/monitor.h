#ifndef GT_CORE_MONITOR_H
#define GT_CORE_MONITOR_H
#include "core/array.h"
#ifdef __cplusplus
extern "C" {
#endif

/* What a solver tells once per iteration. NAN where it does not know. */
typedef struct {
	int iteration, iterations;      /* done so far, and at most */
	double residual;                /* |A x - b|, at the iterate the solver had it for */
	double change;                  /* root mean square change of x in this iteration, mm^-1 */
	double cost, data, penalty;     /* cost = data + penalty of the problem at that iterate, as in solvers/solver.h */
	double gradient;                /* |cost'| there */
	const gt_array *x;
} gt_progress;
/* An iteration of which nothing is known but this. */
gt_progress gt_progress_of(int iteration, int iterations, const gt_array *x);

/* Called once per iteration by every solver. Return non-zero to stop there. */
typedef struct { int (*each)(void *self, const gt_progress *p); void *self; } gt_monitor;

/* Collects the backend's status, then asks m (may be NULL). GT_STOPPED ends a solver well. */
gt_status gt_report(const gt_monitor *m, const gt_progress *p);

#ifdef __cplusplus
}
#endif
#endif
