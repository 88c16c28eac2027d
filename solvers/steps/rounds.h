#ifndef GT_SOLVERS_STEPS_ROUNDS_H
#define GT_SOLVERS_STEPS_ROUNDS_H
/* Private to solvers/. Iterations of a new or resumed run; each is reported to the monitor. */
#include <gantry/solver.h>

struct gt_rounds {
	const char *name;               /* GT_ERR_DIVERGED, with this name, if the data term is not finite; NULL: no check */
	int iterations;
	const gt_state_entry *kept;
	void (*iterate)(void *self, int iteration, gt_array *x, gt_progress *g);
	void *self;
};
gt_status gt_rounds_run(const struct gt_rounds *r, gt_array *x, const gt_monitor *m);
#endif
