/* Grids: text form, ranges that a scan sees, checks. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/scan_math.h>
#include "core/arguments.h"
#include "core/text.h"
#include "geometry/grid_voxels.h"

static const char axis_name[3] = { 'x', 'y', 'z' };

size_t gt_grid_voxels(const gt_grid *g) { return g ? g->n[0] * g->n[1] * g->n[2] : 0; }

double gt_grid_first(const gt_grid *g, int axis) { return g->center[axis] - ((double)g->n[axis] - 1) / 2 * g->pitch[axis]; }

/* Text ------------------------------------------------------------------ */

static int take(const char **text, char c)
{
	if (**text != c)
		return 0;
	(*text)++;
	return 1;
}

static size_t digits(const char *p)
{
	size_t n = 0;
	while (isdigit((unsigned char)p[n]))
		n++;
	return n;
}

static int take_size(const char **text, size_t *n)
{
	const size_t length = digits(*text);
	if (!length)
		return 0;
	errno = 0;
	const unsigned long long value = strtoull(*text, NULL, 10);
	if (errno || value > SIZE_MAX)
		return 0;
	*n = (size_t)value;
	*text += length;
	return 1;
}

/* Parses a decimal number; strtod() would read "0x1" of "512x0x1" as hexadecimal. */
static int take_number(const char **text, double *x)
{
	const char *p = *text;
	char copy[64];
	p += *p == '-' || *p == '+';
	const size_t whole = digits(p);
	p += whole;
	size_t fraction = 0;
	if (*p == '.') {
		fraction = digits(p + 1);
		p += 1 + fraction;
	}
	if (!whole && !fraction)
		return 0;
	if (*p == 'e' || *p == 'E') {
		const char *q = p + 1 + (p[1] == '-' || p[1] == '+');
		if (digits(q))
			p = q + digits(q);
	}
	const size_t length = (size_t)(p - *text);
	if (length >= sizeof copy)
		return 0;
	memcpy(copy, *text, length);
	copy[length] = 0;
	*x = gt_strtod(copy, NULL);
	*text = p;
	return isfinite(*x);
}

static gt_status misread(const char *text, const char *at, const char *expected)
{
	char found[24];
	snprintf(found, sizeof found, "%s", *at ? at : "the end");
	return gt_fail(
		GT_ERR_ARG,
		"grid '%s': expected %s at position %zu, found %s%s%s; the form is NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ], as in 512x512x64@0.5x0.5x0.625+0,0,-10",
		text, expected, (size_t)(at - text) + 1, *at ? "'" : "", found, *at ? "'" : "");
}

gt_status gt_grid_parse(const char *text, gt_grid *grid)
{
	GT_NEED(text);
	GT_NEED(grid);
	gt_grid g = { .n = { 0 } };
	const char *p = text;
	for (int a = 0; a < 3; a++)
		if ((a && !take(&p, 'x')) || !take_size(&p, &g.n[a]))
			return misread(text, p, a ? "'x' and a number of voxels" : "a number of voxels");
	if (!take(&p, '@'))
		return misread(text, p, "'@' and the pitches in mm");
	for (int a = 0; a < 3; a++)
		if ((a && !take(&p, 'x')) || !take_number(&p, &g.pitch[a]))
			return misread(text, p, a ? "'x' and a pitch in mm" : "a pitch in mm");
	if (take(&p, '+'))
		for (int a = 0; a < 3; a++)
			if ((a && !take(&p, ',')) || !take_number(&p, &g.center[a]))
				return misread(text, p,
				               a ? "',' and a coordinate of the centre in mm" : "a coordinate of the centre in mm");
	if (*p)
		return misread(text, p, "'+' and the centre in mm, or the end");
	gt_status st = gt_grid_check(&g, NULL);
	if (st != GT_OK)
		return gt_fail_in(st, "grid '%s'", text);
	*grid = g;
	return GT_OK;
}

/* Prints the shortest text that reads back as x. */
static void print_number(double x, char text[32])
{
	for (int digit = 6; digit <= 17; digit++) {
		gt_snprintf(text, 32, "%.*g", digit, x);
		if (gt_strtod(text, NULL) == x)
			return;
	}
}

void gt_grid_print(const gt_grid *g, char *text, size_t size)
{
	char pitch[3][32], center[3][32];
	for (int a = 0; a < 3; a++) {
		print_number(g->pitch[a], pitch[a]);
		print_number(g->center[a], center[a]);
	}
	const int centred = g->center[0] == 0 && g->center[1] == 0 && g->center[2] == 0;
	snprintf(text, size, "%zux%zux%zu@%sx%sx%s%s%s%s%s%s%s", g->n[0], g->n[1], g->n[2], pitch[0], pitch[1], pitch[2],
	         centred ? "" : "+", centred ? "" : center[0], centred ? "" : ",", centred ? "" : center[1], centred ? "" : ",",
	         centred ? "" : center[2]);
}

/* Ranges that a scan sees ------------------------------------------------ */

size_t gt_grid_slices_outside(const gt_grid *g, double low, double high)
{
	const double half = g->pitch[2] / 2, min = 1e-6 * g->pitch[2];
	size_t outside = 0;
	for (size_t i = 0; i < g->n[2]; i++) {
		const double z = gt_grid_first(g, 2) + (double)i * g->pitch[2];
		outside += z + half <= low + min || z - half >= high - min;
	}
	return outside;
}

double gt_grid_share_within(const gt_grid *g, double radius, double low, double high)
{
	const double from[3] = { -radius, -radius, low }, to[3] = { radius, radius, high };
	double share = 1;
	for (int a = 0; a < 3; a++) {
		const double size = (double)g->n[a] * g->pitch[a], min = g->center[a] - size / 2, max = g->center[a] + size / 2;
		share *= fmax(0, fmin(max, to[a]) - fmax(min, from[a])) / size;
	}
	return share;
}

/* Returns the range of z of the outer row edges of a view within a circle about the grid's centre. */
static void view_reach(const gt_grid *g, const gt_scan *scan, size_t view, double radius, double *low, double *high)
{
	const gt_detector d = gt_scan_detector(scan);
	const gt_view *w = &scan->view[view];
	const double middle = hypot(w->source[0] - g->center[0], w->source[1] - g->center[1]);
	*low = INFINITY;
	*high = -INFINITY;
	for (int i = 0; i < 4; i++) {
		double p[3];
		gt_pixel_point(&d, w, scan->column_center, i & 1 ? (double)scan->rows - 0.5 : -0.5, p);
		const double far = i & 2 ? middle + radius : fmax(middle - radius, 0),
			     z = w->source[2] + (p[2] - w->source[2]) * far / hypot(p[0] - w->source[0], p[1] - w->source[1]);
		*low = fmin(*low, z);
		*high = fmax(*high, z);
	}
}

/* Returns the radius about the grid's centre of the grid, or of the field of view if that is smaller. */
static double circle_of(const gt_grid *g, const gt_scan *scan)
{
	const double measured = gt_scan_field_of_view(scan, NULL, NULL) + hypot(g->center[0], g->center[1]);
	return fmin(measured, hypot((double)g->n[0] * g->pitch[0], (double)g->n[1] * g->pitch[1]) / 2);
}

void gt_grid_margin(const gt_grid *g, const gt_scan *scan, size_t *below, size_t *above)
{
	const double first = g->center[2] - (double)g->n[2] * g->pitch[2] / 2, last = g->center[2] + (double)g->n[2] * g->pitch[2] / 2;
	const double radius = circle_of(g, scan);
	double low = first, high = last;
	/* Rays of a tilted orbit enter and leave a plate through its faces. */
	const size_t views = scan->shape == GT_PARALLEL || gt_scan_is_laminography(scan) ? 0 : scan->views;
	for (size_t v = 0; v < views; v++) {
		double from, to;
		view_reach(g, scan, v, radius, &from, &to);
		low = fmin(low, from);
		high = fmax(high, to);
	}
	*below = (size_t)ceil((first - low) / g->pitch[2] - 1e-6);
	*above = (size_t)ceil((high - last) / g->pitch[2] - 1e-6);
}

void gt_grid_views(const gt_grid *g, const gt_scan *scan, size_t *first, size_t *end)
{
	const double bottom = g->center[2] - (double)g->n[2] * g->pitch[2] / 2, top = g->center[2] + (double)g->n[2] * g->pitch[2] / 2;
	const double radius = circle_of(g, scan);
	*first = 0;
	*end = scan->views;
	if (scan->shape == GT_PARALLEL || !gt_scan_is_helical(scan) || gt_scan_rows_along_z(scan, "") != GT_OK)
		return;
	for (size_t v = 0, seen = 0; v < scan->views; v++) {
		double low, high;
		view_reach(g, scan, v, radius, &low, &high);
		if (!(low < top && high > bottom))
			continue;
		*first = seen++ ? *first : v;
		*end = v + 1;
	}
}

/* Checks ---------------------------------------------------------------- */

static int holds(const gt_grid *g, const double x[3])
{
	for (int a = 0; a < 3; a++)
		if (fabs(x[a] - g->center[a]) >= (double)g->n[a] * g->pitch[a] / 2)
			return 0;
	return 1;
}

/* A plane; the normal points to the inside. */
typedef struct {
	double point[3], normal[3];
} plane;

/* Returns the plane through an edge of the detector and the source; the central ray is inside. */
static plane edge_plane(const gt_detector *d, const gt_view *w, double column, double row, const double edge[3], const double middle[2][3])
{
	plane p;
	double ray[3], to[3];
	gt_pixel_ray(d, w, column, row, p.point, ray);
	gt_cross3(ray, edge, p.normal);
	for (int a = 0; a < 3; a++)
		to[a] = middle[0][a] + middle[1][a] - p.point[a];
	if (gt_dot3(to, p.normal) < 0)
		for (int a = 0; a < 3; a++)
			p.normal[a] *= -1;
	return p;
}

static int separates(const plane *p, const gt_grid *g)
{
	double x[3], reach = 0;
	for (int a = 0; a < 3; a++) {
		x[a] = g->center[a] - p->point[a];
		reach += fabs(p->normal[a]) * (double)g->n[a] * g->pitch[a] / 2;
	}
	return gt_dot3(x, p->normal) <= -reach;
}

/* 1: the box is behind the source, or beyond both the detector and the far side of the orbit (the detector may be at
 * the axis). The planes cross the beam; for a flat detector they are parallel to it. */
static int out_of_depth(const gt_view *w, int arc, const double ray[3], const gt_grid *g)
{
	plane front, back;
	double along[3];
	const double across = arc ? 0 : gt_dot3(ray, w->column_axis), up = gt_dot3(ray, w->row_axis);
	for (int a = 0; a < 3; a++)
		along[a] = ray[a] - across * w->column_axis[a] - up * w->row_axis[a];
	const double depth = sqrt(gt_dot3(along, along)), far = fmax(depth, 2 * sqrt(gt_dot3(w->source, w->source)));
	for (int a = 0; a < 3; a++) {
		front.point[a] = w->source[a];
		front.normal[a] = along[a];
		back.point[a] = w->source[a] + along[a] / depth * far;
		back.normal[a] = -along[a];
	}
	return separates(&front, g) || separates(&back, g);
}

/* 1: the projection of the box misses all rows of an arc, whose row edges span cones. Uses sample points of the box. */
static int out_of_arc_rows(const gt_detector *d, const gt_view *w, const gt_scan *scan, const gt_grid *g)
{
	enum { SAMPLES = 5 };
	double min = INFINITY, max = -INFINITY;
	for (int i = 0; i < SAMPLES * SAMPLES * SAMPLES; i++) {
		const int at[3] = { i % SAMPLES, i / SAMPLES % SAMPLES, i / SAMPLES / SAMPLES };
		double x[3], column, row;
		for (int a = 0; a < 3; a++)
			x[a] = g->center[a] + ((double)at[a] / (SAMPLES - 1) - 0.5) * (double)g->n[a] * g->pitch[a];
		if (!gt_point_pixel(d, w, x, &column, &row))
			return 0;
		min = fmin(min, row);
		max = fmax(max, row);
	}
	return max <= -0.5 || min >= (double)scan->rows - 0.5;
}

/* 1 unless a side of the beam separates the box from it, so that a visible box is never refused. */
static int sees(const gt_detector *d, const gt_view *w, const gt_scan *scan, const gt_grid *g)
{
	const double column = ((double)scan->columns - 1) / 2, row = ((double)scan->rows - 1) / 2;
	const int arc = scan->shape == GT_ARC;
	/* A fan of 180 degrees or more has no bounding planes. */
	const int wide = arc && (double)scan->columns * scan->column_pitch > 3 * scan->source_to_detector;
	double middle[2][3];
	gt_pixel_ray(d, w, column, row, middle[0], middle[1]);
	for (int side = 0; side < 2; side++) {
		const plane lateral = edge_plane(d, w, side ? (double)scan->columns - 0.5 : -0.5, row, w->row_axis,
		                                 (const double(*)[3])middle);
		const plane axial = edge_plane(d, w, column, side ? (double)scan->rows - 0.5 : -0.5, w->column_axis,
		                               (const double(*)[3])middle);
		if ((!wide && separates(&lateral, g)) || (!arc && separates(&axial, g)))
			return 0;
	}
	if (scan->shape != GT_PARALLEL && !wide && out_of_depth(w, arc, middle[1], g))
		return 0;
	return !arc || !out_of_arc_rows(d, w, scan, g);
}

gt_status gt_grid_check_sources(const gt_grid *g, const gt_scan *scan)
{
	GT_NEED(g);
	GT_NEED(scan);
	char text[200];
	gt_grid_print(g, text, sizeof text);
	for (size_t v = 0; scan->shape != GT_PARALLEL && v < scan->views; v++) {
		const double *s = scan->view[v].source;
		if (holds(g, s))
			return gt_fail(GT_ERR_ARG, "grid %s holds the source of view %zu at (%g, %g, %g) mm: expected all sources outside",
			               text, v, s[0], s[1], s[2]);
	}
	return GT_OK;
}

static gt_status check_in_scan(const gt_grid *g, const gt_scan *scan)
{
	const gt_detector d = gt_scan_detector(scan);
	char text[200];
	const gt_status st = gt_grid_check_voxels(g, scan);
	if (st != GT_OK)
		return st;
	gt_grid_print(g, text, sizeof text);
	for (size_t v = 0; v < scan->views; v++)
		if (sees(&d, &scan->view[v], scan, g))
			return GT_OK;
	double low, high;
	const double radius = gt_scan_field_of_view(scan, &low, &high);
	return gt_fail(
		GT_ERR_ARG,
		"grid %s is outside the field of view: none of the %zu views sees it; the scan covers a radius of %.4g mm and z from %.4g to %.4g mm",
		text, scan->views, radius, low, high);
}

gt_status gt_grid_check(const gt_grid *g, const gt_scan *scan)
{
	GT_NEED(g);
	size_t room = PTRDIFF_MAX / sizeof(double);
	for (int a = 0; a < 3; a++) {
		if (!g->n[a])
			return gt_fail(GT_ERR_ARG, "grid has 0 voxels along %c: expected at least 1", axis_name[a]);
		if (!isfinite(g->pitch[a]) || g->pitch[a] <= 0)
			return gt_fail(GT_ERR_ARG, "grid has a pitch of %g mm along %c: expected a finite number greater than 0",
			               g->pitch[a], axis_name[a]);
		if (!isfinite(g->center[a]))
			return gt_fail(GT_ERR_ARG, "grid has its centre at %c=%g mm: expected a finite number", axis_name[a], g->center[a]);
	}
	for (int a = 0; a < 3; a++)
		room /= g->n[a];
	if (!room)
		return gt_fail(GT_ERR_ARG, "grid has %zu x %zu x %zu voxels: more than this machine can address", g->n[0], g->n[1],
		               g->n[2]);
	return scan ? check_in_scan(g, scan) : GT_OK;
}
