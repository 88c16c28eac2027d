/* gantry calibrate --sweep: the central slice for several columns of the axis, as one page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <gantry/image.h>
#include "apps/cli/progress.h"
#include "apps/cli/try.h"
#include "apps/commands/calibrate.h"

enum { DEFAULT_SLICES = 21, MIN_SLICES = 2 };

typedef struct {
	double first, step;
	size_t n;
} sweep;

/* "A:B[:STEP]", both ends included; NULL: 10 columns to both sides of the scan's axis. */
static gt_status parse_columns(const char *text, const gt_scan *scan, sweep *s)
{
	double first, last, step = 1;
	char more;
	*s = (sweep){ scan->column_center - DEFAULT_SLICES / 2, 1, DEFAULT_SLICES };
	if (!text)
		return GT_OK;
	const int found = sscanf(text, "%lf:%lf:%lf%c", &first, &last, &step, &more);
	if (found < 2 || found > 3 || !isfinite(first) || !isfinite(last) || !(step > 0) || !(last > first))
		return gt_fail(GT_ERR_ARG, "--sweep-columns=%s: expected FIRST:LAST[:STEP], e.g. 30:38:0.5", text);
	const double n = floor((last - first) / step + 1e-9) + 1;
	if (n < MIN_SLICES || n > GT_PAGE_ITEMS)
		return gt_fail(GT_ERR_ARG, "--sweep-columns=%s: %.0f slices, expected %d to %d", text, n, MIN_SLICES, GT_PAGE_ITEMS);
	*s = (sweep){ first, step, (size_t)n };
	return GT_OK;
}

gt_status app_calibrate_sweep(const cli_call *call, const app_calibrate_options *o, gt_projections *p)
{
	gt_scan *scan = gt_projections_scan(p);
	const double before = scan->column_center;
	gt_page_item item[GT_PAGE_ITEMS] = { { 0 } };
	gt_volume *volume[GT_PAGE_ITEMS] = { NULL };
	gt_page_part viewer = { .kind = GT_PAGE_VIEWER, .item = item };
	char *title = cli_text("Axis of %s", call->file[0]);
	const gt_page page = { .size = sizeof page, .title = title, .part = &viewer, .parts = 1 };
	sweep s;
	gt_grid grid;
	gt_status st = GT_OK;
	GT_TRY(parse_columns(o->sweep_columns, scan, &s));
	GT_TRY(app_calibrate_grid(scan, &grid));
	grid.n[2] = 1;
	app_progress progress = app_progress_start("sweep", call->common.quiet);
	for (; viewer.items < s.n; viewer.items++) {
		const size_t k = viewer.items;
		scan->column_center = s.first + (double)k * s.step;
		st = app_calibrate_slices(call, p, &grid, &volume[k]);
		item[k] = (gt_page_item){ .name = cli_text("axis at column %.6g", scan->column_center), .volume = volume[k] };
		if (st != GT_OK)
			break;
		app_progress_fraction(&progress, (double)(k + 1) / (double)s.n);
	}
	app_progress_end(&progress);
	scan->column_center = before;
	GT_TRY(st);
	cli_begin_writing();
	GT_TRY(cli_end_writing(gt_page_write(o->sweep, &page)));
	cli_note(call, "%s: central slice with the axis at columns %.6g to %.6g; 'gantry import --axis COLUMN' sets the best one", o->sweep,
	         s.first, s.first + (double)(s.n - 1) * s.step);
done:
	for (size_t i = 0; i < GT_PAGE_ITEMS; i++) {
		free((void *)(uintptr_t)item[i].name);
		gt_volume_free(volume[i]);
	}
	free(title);
	return st;
}
