/* LEAP's cone, fan and parallel beams (Kim, Champley, arXiv 2307.05801). With phi = the file's angle - 90 degrees:
 *   source   = sod (cos phi, sin phi) + tau (sin phi, -cos phi), z = helical_pitch (phi - mean of first and last)
 *   columns  along (-sin phi cos t, cos phi cos t, sin t), rows along (sin phi sin t, -cos phi sin t, cos t), t = tilt
 *   detector = source - sdd (cos phi, sin phi, 0) at (center column, center row). */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "geometry/exchange/exchange.h"

static void place(const gt_leap_orbit *o, double phi, double z, gt_step_view *w)
{
	const double c = cos(phi), s = sin(phi), ct = cos(o->tilt), st = sin(o->tilt);
	const double far = o->shape == GT_PARALLEL ? 1000 : o->sod, to = o->shape == GT_PARALLEL ? 2000 : o->sdd;
	const double column[3] = { -s * ct, c * ct, st }, row[3] = { s * st, -c * st, ct }, out[3] = { c, s, 0 }, side[3] = { s, -c, 0 };
	for (int a = 0; a < 3; a++) {
		w->source[a] = far * out[a] + o->tau * side[a] + (a == 2 ? z : 0);
		w->panel[a] = w->source[a] - to * out[a];
		w->column_step[a] = o->pitch[0] * column[a];
		w->row_step[a] = o->pitch[1] * row[a];
	}
}

gt_status gt_scan_of_leap(const gt_leap_orbit *o, const gt_scan_size3 *size, gt_scan **scan)
{
	const size_t n = size->views;
	gt_step_view *view = calloc(n ? n : 1, sizeof *view);
	gt_status st = view ? GT_OK : gt_fail(GT_ERR_MEMORY, "geometry of %zu views: out of memory", n);
	*scan = NULL;
	for (size_t v = 0; v < n && st == GT_OK; v++)
		place(o, o->phi[v] - GT_PI / 2, o->helical_pitch * (o->phi[v] - (o->phi[0] + o->phi[n - 1]) / 2), &view[v]);
	if (st == GT_OK)
		st = gt_scan_of_steps(o->shape == GT_PARALLEL ? GT_PARALLEL : GT_FLAT, size, o->center, view, scan);
	free(view);
	if (st != GT_OK || o->shape != GT_ARC)
		return st;
	/* The angular pitch of a curved detector is the angle of the first column next to the centre of a plane. */
	(*scan)->shape = GT_ARC;
	(*scan)->source_to_detector = o->sdd;
	(*scan)->column_pitch = o->sdd * atan(o->pitch[0] / o->sdd);
	if ((st = gt_scan_check(*scan)) != GT_OK) {
		gt_scan_free(*scan);
		*scan = NULL;
	}
	return st;
}

gt_status gt_scan_to_leap_parallel(const gt_scan *s, double *phi, double center[2])
{
	for (size_t v = 0; v < s->views; v++) {
		const gt_view *w = &s->view[v];
		const double column = s->column_center - gt_dot3(w->detector, w->column_axis) / s->column_pitch;
		const double row = s->row_center - w->detector[2] / s->row_pitch;
		double ray[3];
		for (int a = 0; a < 3; a++)
			ray[a] = w->detector[a] - w->source[a];
		if (!(w->row_axis[2] > 1 - 1e-9) || fabs(ray[2]) > 1e-9 * sqrt(gt_dot3(ray, ray)) ||
		    fabs(gt_dot3(ray, w->column_axis)) > 1e-9 * sqrt(gt_dot3(ray, ray)))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "view %zu: LEAP's parallel beams need rows along +z and rays perpendicular to the "
			               "detector (gantry geometry --reverse-rows reverses rows)",
			               v);
		if (v == 0) {
			center[0] = column;
			center[1] = row;
		}
		if (hypot(column - center[0], row - center[1]) > 1e-6)
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "view %zu: the detector moves from its position in view 0: LEAP's parallel beams need a fixed one",
			               v);
		const double angle = atan2(-w->column_axis[0], w->column_axis[1]) + GT_PI / 2;
		phi[v] = v ? phi[v - 1] + remainder(angle - phi[v - 1], 2 * GT_PI) : angle;
	}
	return GT_OK;
}
