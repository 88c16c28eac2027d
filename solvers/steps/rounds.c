/* Iteration loop with a report per iteration. */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/rounds.h"

gt_status gt_rounds_run(const struct gt_rounds *r, gt_array *x, const gt_monitor *m)
{
	gt_status st = GT_OK;
	int done = 0;
	GT_TRY(gt_resume(m, r->kept, &done));
	for (int k = done + 1; k <= r->iterations; k++) {
		gt_progress g;
		gt_progress_of(k, r->iterations, x, &g);
		r->iterate(r->self, k, x, &g);
		g.kept = r->kept;
		if (r->name && !isfinite(g.data))
			GT_TRY(gt_fail(GT_ERR_DIVERGED, "solver '%s' diverged: the misfit is not finite after iteration %d", r->name, k));
		GT_TRY(gt_report(m, &g));
	}
done:
	return st;
}
