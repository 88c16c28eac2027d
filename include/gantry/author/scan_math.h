#ifndef GANTRY_AUTHOR_SCAN_MATH_H
#define GANTRY_AUTHOR_SCAN_MATH_H
/* Detector shapes as inline functions in double, shared by C and CUDA: pixel to point and ray, point to pixel. A new
 * shape is one more case in each function. */
#include <math.h>
#include <gantry/author/host_device.h>
#include <gantry/scan.h>
#include <gantry/author/vec3.h>

/* Detector of a scan, common to all views. */
typedef struct { gt_shape shape; double column_pitch, row_pitch, column_center, row_center; } gt_detector;
GT_HD gt_detector gt_scan_detector(const gt_scan *s)
{
	gt_detector d;
	d.shape = s->shape;
	d.column_pitch = s->column_pitch;
	d.row_pitch = s->row_pitch;
	d.column_center = s->column_center;
	d.row_center = s->row_center;
	return d;
}

/* Arc: vector from the cylinder's axis to `detector`, perpendicular to row_axis (its length is the radius). */
GT_HD void gt_arc_arm(const gt_view *w, double arm[3])
{
	double along = 0;
	for (int a = 0; a < 3; a++) {
		arm[a] = w->detector[a] - w->arc_center[a];
		along += arm[a] * w->row_axis[a];
	}
	for (int a = 0; a < 3; a++)
		arm[a] -= along * w->row_axis[a];
}

/* Point of the detector at fractional (column, row). */
GT_HD void gt_pixel_point(const gt_detector *d, const gt_view *w, double column, double row, double p[3])
{
	const double u = (column - d->column_center) * d->column_pitch, v = (row - d->row_center) * d->row_pitch;
	if (d->shape == GT_ARC) {
		double arm[3];
		gt_arc_arm(w, arm);
		const double radius = sqrt(gt_dot3(arm, arm)), c = cos(u / radius) - 1, s = radius * sin(u / radius);
		for (int a = 0; a < 3; a++)
			p[a] = w->detector[a] + arm[a] * c + w->column_axis[a] * s + w->row_axis[a] * v;
	} else {
		for (int a = 0; a < 3; a++)
			p[a] = w->detector[a] + w->column_axis[a] * u + w->row_axis[a] * v;
	}
}

/* Ray of a fractional (column, row): a point on it, and its direction towards the pixel. The point is the source;
 * parallel: the pixel moved by source - detector. The direction is not normalised: point + direction is the pixel. */
GT_HD void gt_pixel_ray(const gt_detector *d, const gt_view *w, double column, double row, double point[3], double direction[3])
{
	double p[3];
	gt_pixel_point(d, w, column, row, p);
	for (int a = 0; a < 3; a++) {
		point[a] = d->shape == GT_PARALLEL ? p[a] - w->detector[a] + w->source[a] : w->source[a];
		direction[a] = p[a] - point[a];
	}
}

/* Fractional (column, row) at which the ray through x intersects the detector. Returns 0 if x is not in front of the
 * source. An arc is a complete cylinder, so points behind the source have columns far outside. */
GT_HD int gt_point_pixel(const gt_detector *d, const gt_view *w, const double x[3], double *column, double *row)
{
	double q[3], n[3], hit[3], lambda;
	for (int a = 0; a < 3; a++)
		q[a] = d->shape == GT_PARALLEL ? w->detector[a] - w->source[a] : x[a] - w->source[a];
	const double *from = d->shape == GT_PARALLEL ? x : w->source;
	if (d->shape == GT_ARC) {
		double arm[3], o[3], qq = 0, qo = 0, oo = 0;
		gt_arc_arm(w, arm);
		const double qv = gt_dot3(q, w->row_axis);
		for (int a = 0; a < 3; a++)
			o[a] = w->source[a] - w->arc_center[a];
		const double ov = gt_dot3(o, w->row_axis);
		for (int a = 0; a < 3; a++) {
			const double qa = q[a] - qv * w->row_axis[a], oa = o[a] - ov * w->row_axis[a];
			qq += qa * qa;
			qo += qa * oa;
			oo += oa * oa;
		}
		const double rr = gt_dot3(arm, arm), disc = qo * qo - qq * (oo - rr);
		if (!(qq > 0) || disc < 0)
			return 0;
		lambda = (sqrt(disc) - qo) / qq;
		double c = 0, s = 0, v = 0;
		for (int a = 0; a < 3; a++) {
			const double h = o[a] + lambda * q[a];
			c += h * arm[a];
			s += h * w->column_axis[a];
			v += (w->source[a] + lambda * q[a] - w->detector[a]) * w->row_axis[a];
		}
		const double radius = sqrt(rr);
		*column = d->column_center + radius * atan2(s, c / radius) / d->column_pitch;
		*row = d->row_center + v / d->row_pitch;
		return lambda > 0;
	}
	gt_cross3(w->column_axis, w->row_axis, n);
	for (int a = 0; a < 3; a++)
		hit[a] = w->detector[a] - from[a];
	const double nq = gt_dot3(n, q);
	lambda = gt_dot3(n, hit) / nq;
	for (int a = 0; a < 3; a++)
		hit[a] = lambda * q[a] - hit[a];
	*column = d->column_center + gt_dot3(hit, w->column_axis) / d->column_pitch;
	*row = d->row_center + gt_dot3(hit, w->row_axis) / d->row_pitch;
	return nq != 0 && (d->shape == GT_PARALLEL || lambda > 0);
}
#endif
