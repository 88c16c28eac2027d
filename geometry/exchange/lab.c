/* Laboratory scanners with a rotating object. At table angle 0 the source is on +y, columns run along +x, and the first
 * row of the file is the top one. With the axis offset o and the detector offset (dh, dv):
 *   source (-o, Dso, 0), panel (dh - o, Dso - Dsd, dv), columns (1, 0, 0), rows (0, 0, -1) rotated by the panel's roll.
 * The axis is Q z with Q = Rx(tilt) Ry(-roll); the inverse of Q moves it to z.
 * The code of CIL (Jorgensen et al. 2021) for Nikon scanners is equivalent. */
#include <math.h>
#include <stdlib.h>
#include "geometry/exchange/exchange.h"

static void standing(const gt_lab_orbit *o, const double shift[2], const double upright[9], gt_step_view *w)
{
	const double c = cos(o->panel_roll), s = sin(o->panel_roll), far = o->parallel ? 1000 : o->source_to_axis;
	const double beyond = o->parallel ? 1000 : o->source_to_detector - o->source_to_axis;
	double source[3] = { -o->axis_offset, far, 0 };
	const double panel[3] = { o->detector_offset[0] + shift[0] - o->axis_offset, -beyond, o->detector_offset[1] + shift[1] };
	const double column[3] = { c * o->pitch[0], 0, s * o->pitch[0] }, row[3] = { s * o->pitch[1], 0, -c * o->pitch[1] };
	if (o->parallel) {
		source[0] = panel[0];
		source[2] = panel[2];
	}
	gt_mat3_apply(upright, source, w->source);
	gt_mat3_apply(upright, panel, w->panel);
	gt_mat3_apply(upright, column, w->column_step);
	gt_mat3_apply(upright, row, w->row_step);
}

gt_status gt_scan_of_lab(const gt_lab_orbit *o, const gt_scan_size3 *size, gt_scan **scan)
{
	static const double none[2] = { 0, 0 };
	const double center[2] = { ((double)size->columns - 1) / 2, ((double)size->rows - 1) / 2 };
	double tilt[9], roll[9], upright[9];
	gt_step_view *view = calloc(size->views ? size->views : 1, sizeof *view), first;
	gt_status st = view ? GT_OK : gt_fail(GT_ERR_MEMORY, "geometry of %zu views: out of memory", size->views);
	*scan = NULL;
	/* The inverse of Q. */
	gt_mat3_turn(1, o->axis_roll, roll);
	gt_mat3_turn(0, -o->axis_tilt, tilt);
	gt_mat3_product(roll, tilt, upright);
	for (size_t v = 0; v < size->views && st == GT_OK; v++) {
		standing(o, o->shift ? o->shift[v] : none, upright, &first);
		gt_step_view_turn(&first, o->angle[v], &view[v]);
	}
	if (st == GT_OK)
		st = gt_scan_of_steps(o->parallel ? GT_PARALLEL : GT_FLAT, size, center, view, scan);
	free(view);
	return st;
}
