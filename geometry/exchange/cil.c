/* The AcquisitionGeometry of the Core Imaging Library (Jorgensen et al., Phil. Trans. R. Soc. A 379 (2021) 20200192):
 * vectors of one view, in a frame in which the object rotates by -angle. This code moves the axis to z, through 0. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/vec3.h>
#include "geometry/exchange/exchange.h"

static gt_status unit_of(const char *what, const double from[3], double to[3])
{
	const double length = sqrt(gt_dot3(from, from));
	if (!(length > 0) || !isfinite(length))
		return gt_fail(GT_ERR_FORMAT, "%s is (%g, %g, %g), expected a direction", what, from[0], from[1], from[2]);
	for (int a = 0; a < 3; a++)
		to[a] = from[a] / length;
	return GT_OK;
}

/* Makes the view at angle 0 in the frame of the scan. */
static gt_status first_view(const gt_cil_orbit *o, const gt_scan_size3 *size, gt_step_view *w)
{
	double axis[3], column[3], row[3], ray[3] = { 0, 1, 0 }, source[3], panel[3], step[3], upright[9];
	gt_status st = unit_of("rotation_axis_direction", o->axis_direction, axis);
	if (st == GT_OK)
		st = unit_of("detector_direction_x", o->column_direction, column);
	if (st == GT_OK)
		st = unit_of("detector_direction_y", o->row_direction, row);
	if (st == GT_OK && o->parallel)
		st = unit_of("ray_direction", o->ray, ray);
	if (st != GT_OK)
		return st;
	const double far = 2 * ((double)size->columns * o->pitch[0] + (double)size->rows * o->pitch[1]);
	gt_mat3_to_z(axis, upright);
	for (int a = 0; a < 3; a++) {
		panel[a] = o->detector[a] - o->axis[a];
		source[a] = o->parallel ? panel[a] - 2 * far * ray[a] : o->source[a] - o->axis[a];
	}
	gt_mat3_apply(upright, source, w->source);
	gt_mat3_apply(upright, panel, w->panel);
	for (int a = 0; a < 3; a++)
		step[a] = (o->origin & GT_CIL_RIGHT ? -1 : 1) * o->pitch[0] * column[a];
	gt_mat3_apply(upright, step, w->column_step);
	for (int a = 0; a < 3; a++)
		step[a] = (o->origin & GT_CIL_TOP ? -1 : 1) * o->pitch[1] * row[a];
	gt_mat3_apply(upright, step, w->row_step);
	return GT_OK;
}

gt_status gt_scan_of_cil(const gt_cil_orbit *o, const gt_scan_size3 *size, gt_scan **scan)
{
	const double center[2] = { ((double)size->columns - 1) / 2, ((double)size->rows - 1) / 2 };
	gt_step_view *view = calloc(size->views ? size->views : 1, sizeof *view), first;
	gt_status st = view ? first_view(o, size, &first) : gt_fail(GT_ERR_MEMORY, "geometry of %zu views: out of memory", size->views);
	*scan = NULL;
	for (size_t v = 0; v < size->views && st == GT_OK; v++)
		gt_step_view_turn(&first, -o->angle[v], &view[v]);
	if (st == GT_OK)
		st = gt_scan_of_steps(o->parallel ? GT_PARALLEL : GT_FLAT, size, center, view, scan);
	free(view);
	return st;
}
