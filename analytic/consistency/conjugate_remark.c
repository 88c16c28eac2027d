/* Compares conjugate rays before a reconstruction: warns if they disagree, and moves an axis that was assumed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/consistency.h>
#include "analytic/consistency/conjugate.h"
#include "core/log.h"
#include "core/text.h"
#include "geometry/projections.h"

/* "; try: COMMAND, or: COMMAND", as far as a file is there that the command could read; malloc'ed, NULL without
 * memory. */
static char *commands_for(const char *file, const gt_scan *s, const gt_conjugate_report *r)
{
	char first[GT_CONJUGATE_TEXT], second[GT_CONJUGATE_TEXT] = "";
	if (!file || !r->faults)
		return gt_text("%s", "");
	gt_conjugate_remedy(file, s, r, r->faults, first, sizeof first);
	if (r->instead)
		gt_conjugate_remedy(file, s, r, r->instead, second, sizeof second);
	return gt_text("; try: %s%s%s", first, r->instead ? ", or: " : "", second);
}

/* Columns that gantry prepare --extend added were not measured, and need not agree with anything. Their weight 0 is not
 * always read: the record of the steps says it. */
static int is_extended(const gt_projections *p) { return p->from.parameters && strstr(p->from.parameters, "prepare=extend"); }

int gt_conjugate_move_axis(gt_projections *p, const gt_listener *log, const char *file, int threads)
{
	gt_conjugate_report r;
	gt_pool *pool = NULL;
	if (!p || !p->data || gt_pool_new(threads, &pool) != GT_OK)
		return 0;
	const gt_status st = gt_conjugate_quick_check(p->scan, p->data, pool, &r);
	gt_pool_free(pool);
	if (st != GT_OK || r.faults != GT_CONJUGATE_CENTER || r.instead || !r.explained || r.hidden & GT_CONJUGATE_CENTER)
		return 0;
	gt_notify(log, GT_INFO, GT_ABOUT_GEOMETRY,
	          "%s: rotation axis found at column %.2f +- %.2g by conjugate rays: used in place of the centre, %.6g (--axis sets it)",
	          file ? file : "the projections", r.center, fmax(0.01, r.error), p->scan->column_center);
	p->scan->column_center = r.center;
	return 1;
}

void gt_conjugate_warn(const gt_projections *p, const gt_listener *log, const char *file, int threads)
{
	char verdict[GT_CONJUGATE_TEXT];
	gt_conjugate_report r;
	gt_pool *pool = NULL;
	if (!p->data || !log || !log->say || is_extended(p) || gt_pool_new(threads, &pool) != GT_OK)
		return;
	/* A scan that no two ends of a ray meet in has nothing to disagree, and without memory the run itself will say
	 * so. */
	const gt_status st = gt_conjugate_quick_check(p->scan, p->data, pool, &r);
	gt_pool_free(pool);
	if (st != GT_OK || (!r.faults && r.explained))
		return;
	gt_conjugate_verdict(p->scan, &r, verdict, sizeof verdict);
	char *commands = commands_for(file, p->scan, &r);
	gt_notify(log, GT_WARNING, GT_ABOUT_GEOMETRY, "%s: conjugate rays disagree: %s%s (--no-check leaves this comparison out)",
	          file ? file : "the projections", verdict, commands ? commands : "");
	free(commands);
}
