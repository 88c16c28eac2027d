#ifndef GT_SOLVERS_STEPS_ROUNDS_H
#define GT_SOLVERS_STEPS_ROUNDS_H
/* Inside this room: the iterations of a solver from where its run begins or is continued, each told to the monitor. */
#include <gantry/solver.h>

struct gt_rounds {
	const char *name;               /* GT_ERR_DIVERGED by this name where the data term is not finite; NULL: not looked at */
	int iterations;
	const gt_state_entry *kept;
	void (*iterate)(void *self, int iteration, gt_array *x, gt_progress *g);
	void *self;
};
gt_status gt_rounds_run(const struct gt_rounds *r, gt_array *x, const gt_monitor *m);
#endif
