/* Properties of a scan: angular range, field of view, helical or not. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include <gantry/scan.h>
#include <gantry/author/scan_math.h>
#include "core/arguments.h"
#include "geometry/laminography.h"
#include "geometry/scan.h"
#include "geometry/scan_gap.h"

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double gt_scan_widest_gap(const gt_scan *scan, double ends[2])
{
	const size_t n = scan->views;
	double *angle = malloc(n * sizeof *angle), gap = 2 * GT_PI, from = 0;
	int finite = angle != NULL;
	for (size_t v = 0; finite && v < n; v++) {
		const double turned = fmod(scan->view[v].angle, 2 * GT_PI);
		finite = isfinite(turned);
		angle[v] = turned < 0 ? turned + 2 * GT_PI : turned;
	}
	if (finite && n) {
		qsort(angle, n, sizeof *angle, ascending);
		gap = angle[0] + 2 * GT_PI - angle[n - 1];
		from = angle[n - 1];
		for (size_t v = 1; v < n; v++)
			if (angle[v] - angle[v - 1] > gap) {
				gap = angle[v] - angle[v - 1];
				from = angle[v - 1];
			}
	}
	free(angle);
	if (ends) {
		ends[0] = from;
		ends[1] = from + gap;
	}
	return finite ? gap : NAN;
}

/* Angular range of unordered views within one rotation: the circle without its widest gap. */
static double unordered_range(const gt_scan *scan)
{
	const double n = (double)scan->views;
	return fmin(2 * GT_PI, (2 * GT_PI - gt_scan_widest_gap(scan, NULL)) * n / (n - 1));
}

double gt_scan_angular_range(const gt_scan *scan)
{
	const size_t n = scan->views;
	double low = INFINITY, high = -INFINITY, net = 0, path = 0;
	int up = 1, down = 1;
	for (size_t v = 0; v < n; v++) {
		const double angle = scan->view[v].angle;
		if (!isfinite(angle))
			return NAN;
		low = fmin(low, angle);
		high = fmax(high, angle);
		if (v) {
			const double step = angle - scan->view[v - 1].angle, wrapped = remainder(step, 2 * GT_PI);
			up &= step >= 0;
			down &= step <= 0;
			net += wrapped;
			path += fabs(wrapped);
		}
	}
	if (n < 2)
		return 0;
	const double with_step = (double)n / (double)(n - 1);
	/* Ascending, descending, or over several rotations: use the angles unchanged. */
	if (up || down || high - low > 2 * GT_PI + 1e-9)
		return (high - low) * with_step;
	/* Ordered in small steps, except for jumps back to 0 and a little jitter. */
	if (fabs(net) > 0.9 * path && path < GT_PI / 4 * (double)(n - 1))
		return fabs(net) * with_step;
	return unordered_range(scan);
}

/* Returns the signed distance of a ray from the z axis, and the z of its nearest point. */
static double pass_axis(const gt_detector *d, const gt_view *w, double column, double row, double *z)
{
	double p[3], q[3];
	gt_pixel_ray(d, w, column, row, p, q);
	const double length = hypot(q[0], q[1]);
	if (!(length > 0)) {
		*z = NAN;
		return 0;
	}
	*z = p[2] - q[2] * (p[0] * q[0] + p[1] * q[1]) / (length * length);
	return (p[0] * q[1] - p[1] * q[0]) / length;
}

/* Returns the reach of the columns on both sides of the axis (0: the fan misses the axis), and the z range of the rows
 * there. */
static void view_reach(const gt_scan *scan, const gt_detector *d, const gt_view *w, double *shorter, double *longer, double *low,
                       double *high)
{
	const double middle = ((double)scan->rows - 1) / 2, bottom = -0.5, top = (double)scan->rows - 0.5;
	double z, column, row;
	const double left = pass_axis(d, w, -0.5, middle, &z), right = pass_axis(d, w, (double)scan->columns - 0.5, middle, &z);
	*shorter = left * right < 0 ? fmin(fabs(left), fabs(right)) : 0;
	*longer = left * right < 0 ? fmax(fabs(left), fabs(right)) : 0;
	const double axis[3] = { 0, 0, isfinite(z) ? z : w->source[2] };
	if (!gt_point_pixel(d, w, axis, &column, &row))
		column = d->column_center;
	pass_axis(d, w, column, bottom, low);
	pass_axis(d, w, column, top, high);
	if (*low > *high) {
		const double swap = *low;
		*low = *high;
		*high = swap;
	}
}

int gt_scan_is_closed(const gt_scan *scan)
{
	const double step = 2 * GT_PI / (double)scan->views;
	return gt_scan_angular_range(scan) > 2 * GT_PI - step / 2 || gt_scan_widest_gap(scan, NULL) <= GT_CLOSED_GAP;
}

double gt_scan_field_of_view(const gt_scan *scan, double *zmin, double *zmax)
{
	if (gt_scan_is_laminography(scan))
		return gt_scan_plate(scan, zmin, zmax);
	const gt_detector d = gt_scan_detector(scan);
	const int helical = gt_scan_is_helical(scan);
	double shortest = INFINITY, longest = INFINITY;
	double bottom = helical ? INFINITY : -INFINITY, top = -bottom;
	for (size_t v = 0; v < scan->views; v++) {
		double shorter, longer, low, high;
		view_reach(scan, &d, &scan->view[v], &shorter, &longer, &low, &high);
		shortest = fmin(shortest, shorter);
		longest = fmin(longest, longer);
		bottom = helical ? fmin(bottom, low) : fmax(bottom, low);
		top = helical ? fmax(top, high) : fmin(top, high);
	}
	if (zmin)
		*zmin = bottom;
	if (zmax)
		*zmax = top;
	const int shows_longer = gt_scan_is_closed(scan) || gt_scan_is_one_sided(shortest, longest);
	return shortest > 0 && shows_longer ? longest : shortest;
}

/* Returns the rms residual of a line fit of source height against angle, or index if by_angle is 0, relative to the
 * range of the line. */
static double scatter(const gt_scan *scan, int by_angle)
{
	const double n = (double)scan->views;
	double x0 = 0, z0 = 0, xx = 0, xz = 0, zz = 0, low = INFINITY, high = -INFINITY;
	for (size_t v = 0; v < scan->views; v++) {
		x0 += (by_angle ? scan->view[v].angle : (double)v) / n;
		z0 += scan->view[v].source[2] / n;
	}
	for (size_t v = 0; v < scan->views; v++) {
		const double x = (by_angle ? scan->view[v].angle : (double)v) - x0, z = scan->view[v].source[2] - z0;
		xx += x * x;
		xz += x * z;
		zz += z * z;
		low = fmin(low, x);
		high = fmax(high, x);
	}
	const double slope = xx > 0 ? xz / xx : 0, range = fabs(slope) * (high - low);
	return range > 0 ? sqrt(fmax(0, zz - slope * xz) / n) / range : INFINITY;
}

/* Empirical limit of scatter(): below for a table that accelerates or stops; one sine period per rotation has 0.23. */
#define SCATTER 0.12

int gt_scan_is_helical(const gt_scan *scan)
{
	double low = INFINITY, high = -INFINITY;
	for (size_t v = 0; v < scan->views; v++) {
		low = fmin(low, scan->view[v].source[2]);
		high = fmax(high, scan->view[v].source[2]);
	}
	const double scale = scan->source_to_axis > 0 && scan->source_to_detector > 0 ? scan->source_to_axis / scan->source_to_detector : 1;
	const double row = scan->row_pitch * scale, rows = row * (double)scan->rows, range = high - low;
	if (scan->pitch_per_turn != 0)
		return range > row;
	/* A sagging gantry is not a helix: without a stated pitch the source must move evenly by 5 % of the rows'
	 * height. */
	if (!(range > fmax(row, 0.05 * rows)))
		return 0;
	return range > 0.5 * rows || scatter(scan, 0) < SCATTER || scatter(scan, 1) < SCATTER;
}

static int stands_before(const gt_scan *scan, const gt_view *w, double *detector, double *axis)
{
	*detector = scan->source_to_detector;
	*axis = hypot(w->arc_center[0], w->arc_center[1]);
	if (scan->shape == GT_FLAT) {
		const double *c = w->column_axis, *r = w->row_axis,
			     n[3] = { c[1] * r[2] - c[2] * r[1], c[2] * r[0] - c[0] * r[2], c[0] * r[1] - c[1] * r[0] };
		const double to[3] = { w->detector[0] - w->source[0], w->detector[1] - w->source[1], w->detector[2] - w->source[2] };
		const double depth = gt_dot3(to, n), side = depth < 0 ? -1 : 1;
		*detector = side * depth;
		*axis = -side * (w->source[0] * n[0] + w->source[1] * n[1]);
	}
	return *detector < *axis * (1 - 1e-6);
}

size_t gt_scan_detector_before_axis(const gt_scan *scan, double *detector, double *axis)
{
	size_t v = 0;
	if (scan->shape == GT_PARALLEL)
		return scan->views;
	while (v < scan->views && !stands_before(scan, &scan->view[v], detector, axis))
		v++;
	return v;
}

gt_status gt_scan_rows_along_z(const gt_scan *scan, const char *who)
{
	GT_NEED(scan);
	for (size_t v = 0; v < scan->views; v++) {
		const double *r = scan->view[v].row_axis;
		if (!(hypot(r[0], r[1]) <= 1e-9))
			return gt_fail(
				GT_ERR_UNSUPPORTED,
				"%s needs detector rows along z: row_axis of view %zu is (%.9g, %.9g, %.9g), expected (0, 0, 1) or (0, 0, -1)",
				who, v, r[0], r[1], r[2]);
	}
	return GT_OK;
}
