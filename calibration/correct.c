/* Corrections of the geometry that all views share. */
#include <math.h>
#include <string.h>
#include <gantry/calibrate.h>
#include <gantry/author/vec3.h>
#include "calibration/correct.h"

const char *const gt_calibrate_names[] = { "center", "roll", "slant", "tilt", "distance", NULL };

/* Rotates a and b in their plane, a towards b. */
static void turn(double angle, double a[3], double b[3])
{
	const double c = cos(angle), s = sin(angle);
	for (int k = 0; k < 3; k++) {
		const double from = a[k];
		a[k] = c * from + s * b[k];
		b[k] = c * b[k] - s * from;
	}
}

void gt_calibrate_apply(const double value[GT_CALIBRATE_PARAMETERS], gt_scan *scan)
{
	scan->column_center += value[GT_CALIBRATE_CENTER];
	for (size_t v = 0; v < scan->views; v++) {
		gt_view *w = &scan->view[v];
		double away[3], side = 0, length = 0;
		const double *c = w->column_axis, *r = w->row_axis;
		const double normal[3] = { c[1] * r[2] - c[2] * r[1], c[2] * r[0] - c[0] * r[2], c[0] * r[1] - c[1] * r[0] };
		for (int k = 0; k < 3; k++)
			side += normal[k] * (w->detector[k] - w->source[k]);
		for (int k = 0; k < 3; k++)
			away[k] = side < 0 ? -normal[k] : normal[k];
		for (int k = 0; k < 3; k++)
			length += (w->detector[k] - w->source[k]) * (w->detector[k] - w->source[k]);
		length = sqrt(length);
		for (int k = 0; k < 3; k++)
			w->detector[k] += value[GT_CALIBRATE_DISTANCE] * (w->detector[k] - w->source[k]) / length;
		turn(value[GT_CALIBRATE_ROLL], w->column_axis, w->row_axis);
		turn(value[GT_CALIBRATE_SLANT], w->column_axis, away);
		turn(value[GT_CALIBRATE_TILT], w->row_axis, away);
	}
	if (scan->source_to_detector > 0)
		scan->source_to_detector += value[GT_CALIBRATE_DISTANCE];
}
