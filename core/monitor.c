#include "core/monitor.h"

gt_status gt_report(const gt_monitor *m, const gt_progress *p)
{
	const gt_status st = gt_backend_status(gt_array_backend(p->x));
	return st != GT_OK ? st : m && m->each && m->each(m->self, p) ? GT_STOPPED : GT_OK;
}
