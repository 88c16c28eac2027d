/* Gantry angles from the source positions, for tables without angles and to check stated ones. */
#include <math.h>
#include <gantry/constants.h>
#include <gantry/scan.h>
#include "core/arguments.h"
#include "geometry/scan.h"

/* Tolerance of stated angles, rad; flying focal spots and misaligned gantries stay far below. */
#define TOLERANCE 0.2

/* Computes the gantry angle of a source or parallel rays. Returns 0 if undefined, as for rows not along the axis. */
static int source_angle(const gt_scan *scan, size_t view, double *angle)
{
	const gt_view *w = &scan->view[view];
	const int parallel = scan->shape == GT_PARALLEL;
	const double x = w->source[0] - (parallel ? w->detector[0] : 0), y = w->source[1] - (parallel ? w->detector[1] : 0);
	*angle = atan2(-x, y);
	return fabs(w->row_axis[2]) >= 0.7 && hypot(x, y) > 0;
}

void gt_scan_derive_angles(gt_scan *scan)
{
	double last = 0, angle;
	for (size_t v = 0; v < scan->views; v++)
		if (!source_angle(scan, v, &angle))
			return;
	for (size_t v = 0; v < scan->views; v++) {
		source_angle(scan, v, &angle);
		scan->view[v].angle = last = v ? last + remainder(angle - last, 2 * GT_PI) : angle;
	}
}

gt_status gt_scan_check_angles(const gt_scan *scan)
{
	GT_NEED(scan);
	double first, angle;
	if (!scan->views || !source_angle(scan, 0, &first))
		return GT_OK;
	for (size_t v = 1; v < scan->views; v++) {
		const double stated = scan->view[v].angle - scan->view[0].angle;
		if (!source_angle(scan, v, &angle))
			return GT_OK;
		if (isfinite(stated) && fabs(remainder(stated - (angle - first), 2 * GT_PI)) > TOLERANCE)
			return gt_fail(
				GT_ERR_FORMAT,
				"angle of view %zu is %.6g rad from that of view 0, but its source %.6g rad: expected radians that agree "
				"with the sources, or no angles",
				v, stated, remainder(angle - first, 2 * GT_PI));
	}
	return GT_OK;
}
