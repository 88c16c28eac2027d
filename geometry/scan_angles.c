/* Gantry angles by where the sources are, for tables that state none, and to judge those that are stated. */
#include <math.h>
#include <gantry/constants.h>
#include <gantry/scan.h>
#include "core/arguments.h"
#include "geometry/scan.h"

/* How far stated angles may be from the sources, rad: flying spots and gantries out of true are far below. */
#define MOST 0.2

/* The direction that the source looks from: of parallel rays the one they come from. 0: it has none, as where rows are
 * not along the axis. */
static int look_from(const gt_scan *scan, size_t view, double *angle)
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
		if (!look_from(scan, v, &angle))
			return;
	for (size_t v = 0; v < scan->views; v++) {
		look_from(scan, v, &angle);
		scan->view[v].angle = last = v ? last + remainder(angle - last, 2 * GT_PI) : angle;
	}
}

gt_status gt_scan_check_angles(const gt_scan *scan)
{
	GT_NEED(scan);
	double first, angle;
	if (!scan->views || !look_from(scan, 0, &first))
		return GT_OK;
	for (size_t v = 1; v < scan->views; v++) {
		const double stated = scan->view[v].angle - scan->view[0].angle;
		if (!look_from(scan, v, &angle))
			return GT_OK;
		if (isfinite(stated) && fabs(remainder(stated - (angle - first), 2 * GT_PI)) > MOST)
			return gt_fail(
				GT_ERR_FORMAT,
				"angle of view %zu is %.6g rad from that of view 0, but its source %.6g rad: expected radians that agree "
				"with the sources, or no angles",
				v, stated, remainder(angle - first, 2 * GT_PI));
	}
	return GT_OK;
}
