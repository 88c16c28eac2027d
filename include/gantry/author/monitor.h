#ifndef GANTRY_AUTHOR_MONITOR_H
#define GANTRY_AUTHOR_MONITOR_H
#include <gantry/author/solver_state.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Report of a solver, once per iteration. NAN: unknown. */
typedef struct {
	int iteration, iterations;      /* completed iterations, maximum */
	double residual;                /* |A x - b| at the iterate `cost_of` */
	double change;                  /* root mean square change of x in this iteration, mm^-1 */
	double subset_fraction;         /* fraction of the subset steps of an iteration: 1, or less if subsets are merged;
	                                 * 0 in the first with fewer, whose change is no convergence criterion */
	double cost, data, penalty;     /* cost = data + penalty of the problem there, as in <gantry/solver.h> */
	double gradient;                /* |cost'| at the iterate, or at the extrapolated point of momentum methods */
	const gt_array *x;
	const gt_array *cost_of;        /* residual, cost, data and penalty are of this: x, or the iterate before */
	int cost_is_partial;            /* 1: costs of the points between cost_of and x, one per subset */
	const gt_state_entry *kept;            /* to continue from here; NULL: cannot be */
} gt_progress;
/* Fills a report with these values; the others are unknown. */
GT_API void gt_progress_of(int iteration, int iterations, const gt_array *x, gt_progress *p);

typedef struct {
	/* Called once per iteration by every solver. Return non-zero to stop there. */
	int       (*each  )(void *self, const gt_progress *p);
	void       *self;
	/* NULL, or called before the first iteration. To continue a run it fills the entries by name and sets *done to
	 * the completed iterations. To begin a run it changes nothing. */
	gt_status (*resume)(void *self, const gt_state_entry *kept, int *done);
} gt_monitor;

/* Returns a known failure of the backend, else calls m->each (m may be NULL). Does not wait. GT_STOPPED ends the
 * run. */
GT_API gt_status gt_report(const gt_monitor *m, const gt_progress *p);
/* Called by a solver before its first iteration, after all work that does not depend on `kept`. *done: completed
 * iterations, 0 for a new run. gt_solve() adds the state of the penalty. */
GT_API gt_status gt_resume(const gt_monitor *m, const gt_state_entry *kept, int *done);

#ifdef __cplusplus
}
#endif
#endif
