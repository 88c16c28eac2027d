/* Writes RabbitCT data sets of simulated scans. */
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include "apps/cli/try.h"
#include "apps/commands/rabbitct/rabbitct.h"
#include "io/rabbitct/rabbitct.h"

int app_rabbitct_name(const char *path, gt_rabbitct_layout *layout)
{
	const char *dot = strrchr(path, '.');
	if (!dot || (strcmp(dot, ".rctd") && strcmp(dot, ".rct")))
		return 0;
	*layout = dot[4] ? GT_RCT_ORIGINAL : GT_RCT_REPACKAGED;
	return 1;
}

gt_status app_rabbitct_write(const char *path, gt_projections *p, double water, int threads)
{
	char name[32];
	gt_backend *be = NULL;
	const gt_scan *scan = gt_projections_scan(p);
	float *data = gt_projections_data(p);
	gt_rabbitct_head h = { .columns = scan->columns, .rows = scan->rows, .views = scan->views };
	double(*matrix)[12] = malloc(h.views * sizeof *matrix);
	gt_status st = GT_OK;
	if (!matrix)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	if (!app_rabbitct_name(path, &h.layout))
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: expected a name that ends in .rctd or .rct", path));
	h.scale[0] = (float)(1000 / water);
	snprintf(name, sizeof name, threads ? "cpu:%d" : "cpu", threads);
	GT_TRY(gt_backend_open(name, &be));
	GT_TRY(gt_fdk_filtered(be, scan, NULL, data, matrix, data));
	cli_begin_writing();
	GT_TRY(cli_end_writing(gt_rabbitct_write(path, &h, (const double(*)[12])matrix, data)));
done:
	free(matrix);
	gt_backend_close(be);
	return st;
}
