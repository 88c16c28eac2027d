/* Projection of the axis of rotation onto the detector. */
#include <math.h>
#include <gantry/author/scan_math.h>
#include <gantry/status.h>
#include "geometry/scan.h"

/* Columns that differ by less are the same within rounding. */
#define SAME_COLUMN 1e-9

void gt_scan_see_axis(const gt_scan *s, gt_axis_seen *seen)
{
	const gt_detector d = gt_scan_detector(s);
	const int tilted = gt_scan_is_laminography(s);
	*seen = (gt_axis_seen){ 0, 0, INFINITY, -INFINITY };
	for (size_t v = 0; v < s->views; v++) {
		const gt_view *w = &s->view[v];
		const double level = s->shape == GT_PARALLEL ? w->detector[2] : w->source[2],
			     point[3] = { 0, 0, tilted ? gt_scan_axis_height(s, v) : level };
		double column, row;
		if (!gt_point_pixel(&d, w, point, &column, &row))
			column = row = NAN;
		seen->column += column / (double)s->views;
		seen->row += row / (double)s->views;
		seen->min = fmin(seen->min, column);
		seen->max = fmax(seen->max, column);
	}
}

gt_status gt_axis_check(double column, size_t columns)
{
	const double end = (double)columns - 0.5;
	if (!(column >= -0.5 && column <= end))
		return gt_fail(GT_ERR_ARG, "--axis=%g: expected one of the %zu columns, from -0.5 to %g", column, columns, end);
	return GT_OK;
}

gt_status gt_scan_move_axis(gt_scan *scan, double column, double *was)
{
	gt_axis_seen seen;
	const gt_status st = gt_axis_check(column, scan->columns);
	if (st != GT_OK)
		return st;
	gt_scan_see_axis(scan, &seen);
	if (was)
		*was = seen.column;
	/* As a rule the central ray meets the axis, and rounding must not change the column. */
	const double beside = seen.column - scan->column_center;
	scan->column_center = fabs(beside) > SAME_COLUMN ? column - beside : column;
	return GT_OK;
}
