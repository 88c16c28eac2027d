/* Projection of the axis of rotation onto the detector. */
#include <math.h>
#include <gantry/author/scan_math.h>
#include "geometry/scan.h"

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
