#include <math.h>
#include "core/monitor.h"

gt_progress gt_progress_of(int iteration, int iterations, const gt_array *x)
{
	return (gt_progress){ iteration, iterations, NAN, NAN, NAN, NAN, NAN, NAN, x, x, NULL };
}

gt_status gt_report(const gt_monitor *m, const gt_progress *p)
{
	const gt_status st = gt_backend_status(gt_array_backend(p->x));
	return st != GT_OK ? st : m && m->each && m->each(m->self, p) ? GT_STOPPED : GT_OK;
}

gt_status gt_resume(const gt_monitor *m, const gt_kept *kept, int *done)
{
	*done = 0;
	return m && m->resume ? m->resume(m->self, kept, done) : GT_OK;
}
