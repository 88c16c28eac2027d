#ifndef GANTRY_MONITOR_H
#define GANTRY_MONITOR_H
#include <gantry/solver_state.h>
#ifdef __cplusplus
extern "C" {
#endif

/* What a solver tells once per iteration. NAN where it does not know. */
typedef struct {
	int iteration, iterations;      /* done so far, and at most */
	double residual;                /* |A x - b|, of the iterate `cost_of` */
	double change;                  /* root mean square change of x in this iteration, mm^-1 */
	double subset_fraction;         /* of the steps of a whole iteration, what this one made: 1, or less where ordered subsets are put together;
	                                 * 0 in the first with fewer, whose change tells nothing of how near the end is */
	double cost, data, penalty;     /* cost = data + penalty of the problem there, as in <gantry/solver.h> */
	double gradient;                /* |cost'|, at the point that the solver has it for: the iterate, or one ahead of it where there is momentum */
	const gt_array *x;
	const gt_array *cost_of;        /* residual, cost, data and penalty are of this: x, or the iterate before */
	int cost_is_partial;            /* 1: not of it but of points on the way from it to x, as subsets are taken one after the other */
	const gt_state_entry *kept;            /* to continue from here; NULL: cannot be */
} gt_progress;
/* An iteration of which nothing is known but this. */
GT_API void gt_progress_of(int iteration, int iterations, const gt_array *x, gt_progress *p);

typedef struct {
	/* Called once per iteration by every solver. Return non-zero to stop there. */
	int       (*each  )(void *self, const gt_progress *p);
	void       *self;
	/* NULL, or called before the first iteration: to continue a run, fills in what it kept, by name, and sets *done to the iterations that
	 * it had done; to begin one, leaves all as it is. */
	gt_status (*resume)(void *self, const gt_state_entry *kept, int *done);
} gt_monitor;

/* A failure of the backend that is known by now, else asks m (may be NULL). Does not wait. GT_STOPPED ends a solver well. */
GT_API gt_status gt_report(const gt_monitor *m, const gt_progress *p);
/* What a solver asks before its first iteration, with all made and computed that does not depend on `kept`. *done: 0 for a run that
 * begins. gt_solve() adds what the penalty keeps. */
GT_API gt_status gt_resume(const gt_monitor *m, const gt_state_entry *kept, int *done);

#ifdef __cplusplus
}
#endif
#endif
