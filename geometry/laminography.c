/* Scans with a tilted axis: recognition, and the part of a plate about z = 0 that every view sees. The plane through an
 * edge of the panel and the source (parallel: along the rays) intersects a slice in a line. The distance of this line
 * from the axis bounds the circle within the edge. */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "geometry/laminography.h"
#include "geometry/scan_gap.h"

/* Rays to the centre of a level panel: cone-beam CT stays below. */
#define MAX_LEVEL (15 / GT_DEGREES)
#define MAX_ROUNDING 1e-6
/* Sine of the angle between the axes of a panel and the plate to which it is parallel. */
#define MAX_OFF_PLATE 0.26

enum { HEIGHTS = 64, DOUBLINGS = 60 };

static void middle_ray(const gt_scan *scan, size_t view, double point[3], double ray[3])
{
	const gt_detector d = gt_scan_detector(scan);
	gt_pixel_ray(&d, &scan->view[view], ((double)scan->columns - 1) / 2, ((double)scan->rows - 1) / 2, point, ray);
}

double gt_scan_inclination(const gt_scan *scan, size_t view)
{
	double point[3], ray[3];
	middle_ray(scan, view, point, ray);
	return atan2(fabs(ray[2]), hypot(ray[0], ray[1]));
}

static int is_inclined(const gt_scan *scan, size_t view)
{
	const gt_view *w = &scan->view[view];
	const int flat_lying = fabs(w->row_axis[2]) < MAX_OFF_PLATE && fabs(w->column_axis[2]) < MAX_OFF_PLATE;
	return gt_scan_inclination(scan, view) > (flat_lying ? MAX_ROUNDING : MAX_LEVEL);
}

int gt_scan_has_inclined_rays(const gt_scan *scan)
{
	size_t v = 0;
	while (v < scan->views && gt_scan_inclination(scan, v) > MAX_ROUNDING)
		v++;
	return v > 0 && v == scan->views;
}

int gt_scan_is_laminography(const gt_scan *scan)
{
	size_t v = 0;
	if (scan->shape == GT_ARC)
		return 0;
	while (v < scan->views && is_inclined(scan, v))
		v++;
	return scan->thickness > 0 || (v > 0 && v == scan->views);
}

/* Returns the parameter of the point of the ray that is nearest to the axis, in lengths of its direction. */
static double nearest(const double p[3], const double q[3])
{
	const double across = q[0] * q[0] + q[1] * q[1];
	return across > 0 ? -(p[0] * q[0] + p[1] * q[1]) / across : 0;
}

double gt_scan_axis_height(const gt_scan *scan, size_t view)
{
	const gt_view *w = &scan->view[view];
	double ray[3];
	for (int a = 0; a < 3; a++)
		ray[a] = w->detector[a] - w->source[a];
	return w->source[2] + nearest(w->source, ray) * ray[2];
}

double gt_scan_axis_distance(const gt_scan *scan, size_t view)
{
	const gt_view *w = &scan->view[view];
	double ray[3];
	for (int a = 0; a < 3; a++)
		ray[a] = w->detector[a] - w->source[a];
	return fabs(nearest(w->source, ray)) * sqrt(gt_dot3(ray, ray));
}

/* Returns the radius about the axis at height z within an edge of the panel: 0 and 1 the columns, 2 and 3 the rows. */
static double within_edge(const gt_scan *scan, size_t view, int edge, double z)
{
	const gt_detector d = gt_scan_detector(scan);
	const gt_view *w = &scan->view[view];
	const double middle[2] = { ((double)scan->columns - 1) / 2, ((double)scan->rows - 1) / 2 },
		     end = edge & 1 ? (double)(edge < 2 ? scan->columns : scan->rows) - 0.5 : -0.5;
	double p[3], ray[3], n[3], inside[3], axis[3] = { 0, 0, z };
	gt_pixel_ray(&d, w, edge < 2 ? end : middle[0], edge < 2 ? middle[1] : end, p, ray);
	gt_cross3(ray, edge < 2 ? w->row_axis : w->column_axis, n);
	gt_pixel_point(&d, w, middle[0], middle[1], inside);
	for (int a = 0; a < 3; a++) {
		inside[a] -= p[a];
		axis[a] -= p[a];
	}
	return copysign(1, gt_dot3(n, inside)) * gt_dot3(n, axis) / hypot(n[0], n[1]);
}

gt_plate_reach gt_scan_plate_reach(const gt_scan *scan, double z)
{
	gt_plate_reach r = { INFINITY, INFINITY, INFINITY };
	for (size_t v = 0; v < scan->views; v++) {
		const double first = within_edge(scan, v, 0, z), last = within_edge(scan, v, 1, z);
		r.shorter = fmin(r.shorter, fmin(first, last));
		r.longer = fmin(r.longer, fmax(first, last));
		r.rows = fmin(r.rows, fmin(within_edge(scan, v, 2, z), within_edge(scan, v, 3, z)));
	}
	return r;
}

/* Both columns and rows; closed: opposite views show the longer side of the columns. */
static double radius_at(const gt_scan *scan, int closed, double z)
{
	const gt_plate_reach r = gt_scan_plate_reach(scan, z);
	const int longer = r.shorter > 0 && (closed || gt_scan_is_one_sided(r.shorter, r.longer));
	return fmax(0, fmin(longer ? r.longer : r.shorter, r.rows));
}

static double radius_of_both(const gt_scan *scan, int closed, double half)
{
	return fmin(radius_at(scan, closed, half), radius_at(scan, closed, -half));
}

double gt_scan_plate_height(const gt_scan *scan)
{
	double high = radius_at(scan, 0, 0) / 16, low = 0;
	for (int i = 0; i < DOUBLINGS && radius_of_both(scan, 0, high) > 0; i++)
		high *= 2;
	for (int i = 0; i < DOUBLINGS; i++) {
		const double half = (low + high) / 2;
		*(radius_of_both(scan, 0, half) > 0 ? &low : &high) = half;
	}
	return 2 * low;
}

/* Half the height of the largest cylinder about the axis, centred at z = 0, that every view sees. */
static double largest_cylinder(const gt_scan *scan, int closed)
{
	const double end = gt_scan_plate_height(scan) / 2;
	double best = 0, half = end / HEIGHTS;
	for (int i = 1; i < HEIGHTS; i++) {
		const double h = end * i / HEIGHTS, r = radius_of_both(scan, closed, h);
		if (r * r * h > best * (1 + 1e-9)) {
			best = r * r * h;
			half = h;
		}
	}
	return half;
}

double gt_scan_plate(const gt_scan *scan, double *low, double *high)
{
	const int closed = gt_scan_is_closed(scan);
	const double radius = radius_at(scan, closed, 0);
	if (low || high) {
		const double half = scan->thickness > 0 ? scan->thickness / 2 : largest_cylinder(scan, closed);
		if (low)
			*low = -half;
		if (high)
			*high = half;
	}
	return radius;
}

gt_status gt_scan_check_plate(const gt_scan *scan)
{
	if (!(scan->thickness > 0) || !gt_scan_is_laminography(scan))
		return GT_OK;
	const double height = gt_scan_plate_height(scan);
	return scan->thickness < height
	               ? GT_OK
	               : gt_fail(GT_ERR_ARG,
	                         "thickness=%g mm: every view sees %.4g mm along the axis: expected less; use more rows or a thinner plate",
	                         scan->thickness, height);
}
