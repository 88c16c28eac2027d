/* Circular orbits at given angles. */
#include <math.h>
#include "geometry/circular_views.h"

/* Places source and detector on a line through the axis, at these distances from it. */
static void place(const double *angle, const double from_axis[2], int up, gt_scan *scan)
{
	for (size_t v = 0; v < scan->views; v++) {
		gt_view *w = &scan->view[v];
		const double s = sin(angle[v]), c = cos(angle[v]);
		const double outward[3] = { -s, c, 0 }, lateral[3] = { c, s, 0 }, along[3] = { 0, 0, up };
		for (int a = 0; a < 3; a++) {
			w->source[a] = w->arc_center[a] = from_axis[0] * outward[a];
			w->detector[a] = -from_axis[1] * outward[a];
			w->column_axis[a] = lateral[a];
			w->row_axis[a] = along[a];
		}
		w->angle = angle[v];
	}
}

void gt_place_parallel(const double *angle, int up, gt_scan *scan)
{
	/* Outside the field of view; parallel rays leave the distance free otherwise. */
	const double far = 2 * ((double)scan->columns * scan->column_pitch + (double)scan->rows * scan->row_pitch);
	place(angle, (const double[2]){ far, far }, up, scan);
}

void gt_place_cone(const double *angle, double source_to_axis, double source_to_detector, gt_scan *scan)
{
	scan->source_to_axis = source_to_axis;
	scan->source_to_detector = source_to_detector;
	place(angle, (const double[2]){ source_to_axis, source_to_detector - source_to_axis }, -1, scan);
}
