/* Corrections of the geometry that all views share. */
#include <math.h>
#include <string.h>
#include <gantry/calibrate.h>
#include <gantry/author/vec3.h>
#include "calibration/correct.h"

const char *const gt_calibrate_names[] = { "center", "roll", "slant", "tilt", "distance", "axis-tilt", NULL };

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

/* Rotates v about the unit vector k. */
static void rotate(double angle, const double k[3], double v[3])
{
	const double c = cos(angle), s = sin(angle), along = (1 - c) * gt_dot3(k, v);
	double across[3];
	gt_cross3(k, v, across);
	for (int a = 0; a < 3; a++)
		v[a] = c * v[a] + s * across[a] + along * k[a];
}

/* Rotates source and detector about the tangent of the orbit through the origin. */
static void tilt_orbit(double angle, gt_shape shape, gt_view *w)
{
	double ray[3], tangent[3];
	for (int a = 0; a < 3; a++)
		ray[a] = (shape == GT_PARALLEL ? w->detector[a] : 0) - w->source[a];
	const double across = hypot(ray[0], ray[1]);
	if (angle == 0 || !(across > 0))
		return;
	tangent[0] = -ray[1] / across;
	tangent[1] = ray[0] / across;
	tangent[2] = 0;
	double *const moved[] = { w->source, w->detector, w->column_axis, w->row_axis };
	for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
		rotate(angle, tangent, moved[i]);
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
		tilt_orbit(value[GT_CALIBRATE_AXIS_TILT], scan->shape, w);
	}
	if (scan->source_to_detector > 0)
		scan->source_to_detector += value[GT_CALIBRATE_DISTANCE];
}
