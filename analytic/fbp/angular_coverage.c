/* Positions of the sources: their axis of rotation, their directions, and the reach of the detector on either side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "analytic/fbp/angular_coverage.h"
#include "core/try.h"
#include "geometry/laminography.h"
#include "geometry/scan_gap.h"

static double cross2(const double *a, const double *b) { return a[0] * b[1] - a[1] * b[0]; }

double gt_angular_coverage_fan(const gt_angular_coverage *s, size_t view, double column, double *reach)
{
	const gt_view *w = &s->scan->view[view];
	double point[3], ray[3];
	gt_pixel_ray(&s->detector, w, column, s->detector.row_center, point, ray);
	const double length = hypot(ray[0], ray[1]), axis[2] = { s->center[0] - point[0], s->center[1] - point[1] };
	if (reach)
		*reach = length;
	if (s->scan->shape == GT_PARALLEL)
		return -cross2(ray, axis) / length;
	if (s->laminography && s->tilted) {
		double tangent[3];
		gt_angular_coverage_tangent(s, view, tangent);
		return asin(gt_dot3(ray, tangent) / sqrt(gt_dot3(ray, ray)));
	}
	return atan2(cross2(axis, ray), axis[0] * ray[0] + axis[1] * ray[1]);
}

void gt_angular_coverage_tangent(const gt_angular_coverage *s, size_t view, double tangent[3])
{
	const gt_view *w = &s->scan->view[view];
	const double *from = s->scan->shape == GT_PARALLEL ? w->detector : s->center;
	const double x = w->source[0] - from[0], y = w->source[1] - from[1], length = hypot(x, y);
	tangent[0] = y / length;
	tangent[1] = -x / length;
	tangent[2] = 0;
}

double gt_angular_coverage_distance(const gt_angular_coverage *s, size_t view)
{
	const double *p = s->scan->view[view].source;
	return hypot(p[0] - s->center[0], p[1] - s->center[1]);
}

/* Flat detectors may be tilted, as on a C-arm: weights and filter still treat their rows as arcs about the axis. */
#define MAX_TILT 15.0

static gt_status check_rows(const char *who, const gt_scan *scan)
{
	if (scan->shape != GT_FLAT)
		return gt_scan_rows_along_z(scan, who);
	for (size_t v = 0; v < scan->views; v++) {
		const double *r = scan->view[v].row_axis, tilt = atan2(hypot(r[0], r[1]), fabs(r[2])) * 180 / GT_PI;
		if (!(tilt <= MAX_TILT))
			return gt_fail(
				GT_ERR_UNSUPPORTED,
				"%s: the columns of view %zu are tilted by %.6g degrees from the z axis: expected at most %g; use an iterative solver such as os-sart",
				who, v, tilt, MAX_TILT);
	}
	return GT_OK;
}

/* Rays of a plate: the missing cone has the tilt as its half angle. */
#define MAX_LAMINOGRAPHY 75.0

/* The filter runs along the columns: these must be along the tangent of the orbit, within MAX_TILT. */
static gt_status check_tangent(const char *who, const gt_angular_coverage *s)
{
	for (size_t v = 0; v < s->scan->views; v++) {
		const double tilt = gt_scan_inclination(s->scan, v) * GT_DEGREES;
		double tangent[3];
		gt_angular_coverage_tangent(s, v, tangent);
		const double off = acos(fmin(1, fabs(gt_dot3(tangent, s->scan->view[v].column_axis)))) * GT_DEGREES;
		if (!(tilt <= MAX_LAMINOGRAPHY + 1e-6))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "%s: the rays of view %zu are inclined by %.6g degrees to the x-y plane: expected at most %g; "
			               "use an iterative solver such as os-sart",
			               who, v, tilt, MAX_LAMINOGRAPHY);
		if (!(off <= MAX_TILT))
			return gt_fail(
				GT_ERR_UNSUPPORTED,
				"%s: the columns of view %zu are %.6g degrees from the tangent of the orbit, along which it filters: "
				"expected at most %g; use a panel that turns with the view (beam, stage, axis), or an iterative solver "
				"such as os-sart",
				who, v, off, MAX_TILT);
	}
	return GT_OK;
}

static gt_status check_angles(const char *who, const gt_scan *scan)
{
	for (size_t v = 0; v < scan->views; v++)
		if (isnan(scan->view[v].angle))
			return gt_fail(GT_ERR_UNSUPPORTED, "%s needs gantry angles: view %zu has none", who, v);
	return GT_OK;
}

static gt_status check_views(const char *who, const gt_scan *scan)
{
	gt_status st = check_rows(who, scan);
	if (st == GT_OK)
		st = check_angles(who, scan);
	for (size_t v = 0; st == GT_OK && scan->shape == GT_PARALLEL && v < scan->views; v++) {
		const gt_view *w = &scan->view[v];
		double ray[3];
		for (int a = 0; a < 3; a++)
			ray[a] = w->detector[a] - w->source[a];
		const double tilt = atan2(ray[2], hypot(ray[0], ray[1]));
		if (fabs(tilt) > 1e-6)
			return gt_fail(
				GT_ERR_UNSUPPORTED,
				"%s needs rays perpendicular to z: those of view %zu are inclined by %.6g degrees; use an iterative solver such as os-sart",
				who, v, tilt * 180 / GT_PI);
	}
	return st;
}

static void radius_range(const gt_scan *scan, const double center[2], double *min, double *max)
{
	*min = INFINITY;
	*max = 0;
	for (size_t v = 0; v < scan->views; v++) {
		const double r = hypot(scan->view[v].source[0] - center[0], scan->view[v].source[1] - center[1]);
		*min = fmin(*min, r);
		*max = fmax(*max, r);
	}
}

/* Least-squares circle through the sources: |p|^2 = 2 c.p + k is linear in c and k (Kasa, IEEE Trans. Instrum. Meas. 25
 * (1976) 8). Coordinates are relative to their mean, which decouples the equations for c. */
static void fit_circle(const gt_scan *scan, double center[2])
{
	double mean[2] = { 0, 0 }, xx = 0, xy = 0, yy = 0, xr = 0, yr = 0;
	for (size_t v = 0; v < scan->views; v++)
		for (int a = 0; a < 2; a++)
			mean[a] += scan->view[v].source[a] / (double)scan->views;
	for (size_t v = 0; v < scan->views; v++) {
		const double x = scan->view[v].source[0] - mean[0], y = scan->view[v].source[1] - mean[1], r = x * x + y * y;
		xx += x * x;
		xy += x * y;
		yy += y * y;
		xr += x * r / 2;
		yr += y * r / 2;
	}
	const double determinant = xx * yy - xy * xy;
	if (!(determinant > 1e-6 * xx * yy))
		return;
	center[0] = mean[0] + (xr * yy - yr * xy) / determinant;
	center[1] = mean[1] + (yr * xx - xr * xy) / determinant;
}

/* Takes the z axis, unless the sources are on a circle around another one. */
static gt_status find_axis(const char *who, gt_angular_coverage *s)
{
	double min, max;
	if (s->scan->shape == GT_PARALLEL)
		return GT_OK;
	radius_range(s->scan, s->center, &min, &max);
	if (max - min > 1e-6 * max) {
		fit_circle(s->scan, s->center);
		radius_range(s->scan, s->center, &min, &max);
	}
	if (max - min > 0.04 * min)
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"%s needs sources on a circle: they are %.6g to %.6g mm from the axis at x=%.6g, y=%.6g mm; use an iterative solver such as os-sart",
			who, min, max, s->center[0], s->center[1]);
	s->distance = (min + max) / 2;
	return GT_OK;
}

static void set_directions(gt_angular_coverage *s)
{
	for (size_t v = 0; v < s->scan->views; v++) {
		const gt_view *w = &s->scan->view[v];
		const double *from = s->scan->shape == GT_PARALLEL ? w->detector : s->center;
		s->direction[v] = atan2(w->source[1] - from[1], w->source[0] - from[0]);
	}
}

/* Column at which the fan is zero: a secant search, exact for parallel rays and nearly so for others. */
static double axis_column(const gt_angular_coverage *s, size_t view)
{
	double k0 = s->detector.column_center, k1 = k0 + 1, f0 = gt_angular_coverage_fan(s, view, k0, NULL);
	for (int i = 0; i < 20 && f0 != 0; i++) {
		const double f1 = gt_angular_coverage_fan(s, view, k1, NULL);
		if (f1 == f0)
			break;
		const double next = k1 - f1 * (k1 - k0) / (f1 - f0);
		k0 = k1;
		f0 = f1;
		k1 = next;
		if (fabs(k1 - k0) < 1e-9)
			return k1;
	}
	return k0;
}

static gt_status measure_reach(const char *who, gt_angular_coverage *s)
{
	const double last = (double)s->scan->columns - 1, middle = last / 2;
	double rising = INFINITY, falling = INFINITY, fan_rising = 0, fan_falling = 0;
	for (size_t v = 0; v < s->scan->views; v++) {
		double left = gt_angular_coverage_fan(s, v, -0.5, NULL), right = gt_angular_coverage_fan(s, v, last + 0.5, NULL);
		if (!(left * right < 0))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "%s: view %zu does not see the rotation axis at x=%.6g, y=%.6g mm: it is at column %.6g of %zu", who,
			               v, s->center[0], s->center[1], axis_column(s, v), s->scan->columns);
		/* The weights of both sides change within the columns around the axis. */
		const double at = axis_column(s, v), near = fmin(at, last - at);
		if (near < 1 - 1e-6 && last - near > 3)
			return gt_fail(
				GT_ERR_UNSUPPORTED,
				"%s: view %zu sees the rotation axis at column %.6g of %zu: expected it at least one column from the edge",
				who, v, at, s->scan->columns);
		const int up = right > left;
		rising = fmin(rising, up ? right : left);
		falling = fmin(falling, up ? -left : -right);
		fan_rising = fmax(fan_rising, gt_angular_coverage_fan(s, v, up ? last : 0, NULL));
		fan_falling = fmax(fan_falling, -gt_angular_coverage_fan(s, v, up ? 0 : last, NULL));
		s->offset += (at - middle) / (double)s->scan->views;
	}
	s->long_side = rising >= falling ? 1 : -1;
	s->longer = fmax(rising, falling);
	s->shorter = fmin(rising, falling);
	s->half_fan = fmin(fan_rising, fan_falling);
	return GT_OK;
}

gt_status gt_angular_coverage_new(const char *who, const gt_scan *scan, gt_angular_coverage *s)
{
	gt_status st = GT_OK;
	memset(s, 0, sizeof *s);
	s->scan = scan;
	s->detector = gt_scan_detector(scan);
	s->laminography = (scan->shape == GT_PARALLEL || gt_scan_is_laminography(scan)) && gt_scan_has_inclined_rays(scan);
	s->tilted = scan->shape != GT_ARC && ((s->laminography && scan->shape == GT_PARALLEL) || gt_scan_rows_along_z(scan, who) != GT_OK);
	GT_TRY(s->laminography ? check_angles(who, scan) : check_views(who, scan));
	s->direction = malloc(scan->views * sizeof *s->direction);
	s->weight = malloc(scan->views * sizeof *s->weight);
	if (!s->direction || !s->weight) {
		st = gt_fail(GT_ERR_MEMORY, "%s: no memory for %zu views", who, scan->views);
		goto done;
	}
	GT_TRY(find_axis(who, s));
	if (s->laminography)
		GT_TRY(check_tangent(who, s));
	set_directions(s);
	GT_TRY(gt_directions_cover(s->direction, scan->views, gt_angular_coverage_period(s), 0, &s->cover, s->weight));
	GT_TRY(measure_reach(who, s));
done:
	if (st != GT_OK)
		gt_angular_coverage_free(s);
	return st;
}

double gt_angular_coverage_period(const gt_angular_coverage *s)
{
	return s->scan->shape == GT_PARALLEL && !s->laminography ? GT_PI : 2 * GT_PI;
}

gt_status gt_angular_coverage_whole_turn(gt_angular_coverage *s)
{
	return gt_directions_cover(s->direction, s->scan->views, 2 * GT_PI, GT_CLOSED_GAP, &s->cover, s->weight);
}

void gt_angular_coverage_free(gt_angular_coverage *s)
{
	free(s->direction);
	free(s->weight);
	s->direction = s->weight = NULL;
}
