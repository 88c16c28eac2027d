/* Gantry angles from the source positions, for tables without angles and to check stated ones. */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/scan.h>
#include "core/arguments.h"
#include "geometry/scan.h"

/* Tolerance of stated angles, rad; flying focal spots and misaligned gantries stay far below. */
#define TOLERANCE 0.2
/* Relative to the radius of the sources' circle. */
#define MAX_OFF_CIRCLE 0.04

/* Direction from the axis to a source, or against parallel rays. */
static void direction(const gt_scan *scan, size_t view, double d[3])
{
	const gt_view *w = &scan->view[view];
	for (int a = 0; a < 3; a++)
		d[a] = w->source[a] - (scan->shape == GT_PARALLEL ? w->detector[a] : 0);
}

/* Whether the sources are at one height and one distance from the z axis: a circle about it, for any panel. */
static int circles_axis(const gt_scan *scan)
{
	double first[3], d[3];
	size_t v = 0;
	direction(scan, 0, first);
	const double radius = hypot(first[0], first[1]), max = MAX_OFF_CIRCLE * radius;
	for (; v < scan->views; v++) {
		direction(scan, v, d);
		if (!(fabs(hypot(d[0], d[1]) - radius) <= max && fabs(d[2] - first[2]) <= max))
			break;
	}
	return v == scan->views;
}

/* Computes the gantry angle of a source or parallel rays. Returns 0 if undefined: on the axis, or with rows not along
 * it unless the orbit circles it. */
static int source_angle(const gt_scan *scan, size_t view, int circles, double *angle)
{
	double d[3];
	direction(scan, view, d);
	*angle = atan2(-d[0], d[1]);
	return hypot(d[0], d[1]) > 0 && (fabs(scan->view[view].row_axis[2]) >= 0.7 || circles);
}

void gt_scan_derive_angles(gt_scan *scan)
{
	const int circles = circles_axis(scan);
	double last = 0, angle;
	for (size_t v = 0; v < scan->views; v++)
		if (!source_angle(scan, v, circles, &angle))
			return;
	for (size_t v = 0; v < scan->views; v++) {
		source_angle(scan, v, circles, &angle);
		scan->view[v].angle = last = v ? last + remainder(angle - last, 2 * GT_PI) : angle;
	}
}

gt_status gt_scan_check_angles(const gt_scan *scan)
{
	GT_NEED(scan);
	double first, angle;
	if (!scan->views)
		return GT_OK;
	const int circles = circles_axis(scan);
	if (!source_angle(scan, 0, circles, &first))
		return GT_OK;
	for (size_t v = 1; v < scan->views; v++) {
		const double stated = scan->view[v].angle - scan->view[0].angle;
		if (!source_angle(scan, v, circles, &angle))
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
