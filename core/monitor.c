/* Progress reports of a solver after each iteration. */
#include <math.h>
#include <gantry/author/monitor.h>
#include <gantry/array.h>
#include "core/arguments.h"

void gt_progress_of(int iteration, int iterations, const gt_array *x, gt_progress *p)
{
	*p = (gt_progress){ iteration, iterations, NAN, NAN, 1, NAN, NAN, NAN, NAN, x, x, 0, NULL };
}

gt_status gt_report(const gt_monitor *m, const gt_progress *p)
{
	GT_NEED(p);
	gt_backend *be = gt_array_backend(p->x);
	const gt_status st = gt_backend_known(be) != GT_OK ? gt_backend_status(be) : GT_OK;
	return st != GT_OK ? st : m && m->each && m->each(m->self, p) ? GT_STOPPED : GT_OK;
}

gt_status gt_resume(const gt_monitor *m, const gt_state_entry *kept, int *done)
{
	GT_NEED(done);
	*done = 0;
	return m && m->resume ? m->resume(m->self, kept, done) : GT_OK;
}
