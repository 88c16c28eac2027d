/* Views of parallel rays around the axis. */
#include <math.h>
#include "io/frames/parallel_views.h"

void gt_place_parallel(const double *angle, int up, gt_scan *scan)
{
	/* Outside of everything that the detector can see; the rays are parallel, so the distance is otherwise free. */
	const double far = 2 * ((double)scan->columns * scan->column_pitch + (double)scan->rows * scan->row_pitch);
	for (size_t v = 0; v < scan->views; v++) {
		gt_view *w = &scan->view[v];
		const double s = sin(angle[v]), c = cos(angle[v]);
		const double outward[3] = { -s, c, 0 }, lateral[3] = { c, s, 0 }, along[3] = { 0, 0, up };
		for (int a = 0; a < 3; a++) {
			w->source[a] = w->arc_center[a] = far * outward[a];
			w->detector[a] = -far * outward[a];
			w->column_axis[a] = lateral[a];
			w->row_axis[a] = along[a];
		}
		w->angle = angle[v];
	}
}
