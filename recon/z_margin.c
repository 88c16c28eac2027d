/* Bodies longer than the volume: what an iterative method computes beyond its ends, and the views that it needs for that. */
#include <math.h>
#include <gantry/grid.h>
#include <gantry/scan_math.h>
#include "core/log.h"
#include "core/try.h"
#include "recon/z_margin.h"

const char *const gt_margin_names[] = { "auto", "yes", "no", NULL };

void gt_recon_window(const gt_projections *all, const gt_grid *asked, gt_recon_extent *w)
{
	size_t end;
	*w = (gt_recon_extent){ .all = all, .asked = asked, .grid = *asked, .scan = *all->scan, .p = *all };
	gt_grid_views(asked, all->scan, &w->first_view, &end);
	const size_t skip = w->first_view * all->scan->rows * all->scan->columns;
	w->scan.view += w->first_view;
	w->scan.views = end - w->first_view;
	w->p.scan = &w->scan;
	w->p.data = all->data ? all->data + skip : NULL;
	w->p.weight = all->weight ? all->weight + skip : NULL;
	w->p.photons = all->photons ? all->photons + skip : NULL;
}

/* Part of the largest line integral that is no air. */
#define THIN 0.02
/* Views, rows and columns that are looked at, at least, if there are as many. */
enum { SOME_VIEWS = 90, SOME_ROWS = 16, SOME_COLUMNS = 200 };

/* Of a slice: grids that came out of files are off by less. A ray that is as high as the slice and leaves it by more is an error of its own: the
 * slice answers for all of its integral. */
#define LET_GO 0.01

static size_t part_of(size_t all, size_t some) { return all > some ? some : all; }
/* Evenly spread, the first and the last among them. */
static size_t spread(size_t i, size_t n, size_t all) { return n > 1 ? i * (all - 1) / (n - 1) : all / 2; }

typedef struct {
	const gt_projections *p;
	gt_detector d;
	double thin;
	size_t n[3]; /* views, rows, columns that are looked at */
} body;

static size_t rays_of(const body *b) { return b->n[0] * b->n[1] * b->n[2]; }

/* What ray i of those measured, and through which cell it went. */
static double ray_of(const body *b, size_t i, size_t *view, size_t *row, size_t *column)
{
	const gt_scan *s = b->p->scan;
	*view = spread(i / b->n[2] / b->n[1], b->n[0], s->views);
	*row = spread(i / b->n[2] % b->n[1], b->n[1], s->rows);
	*column = spread(i % b->n[2], b->n[2], s->columns);
	return b->p->data[(*view * s->rows + *row) * s->columns + *column];
}

/* Did the ray through the next cell of the column, up or down, meet nothing? No where there is none. */
static int ends(const body *b, size_t view, size_t row, size_t column, double edge)
{
	const gt_scan *s = b->p->scan;
	if (edge < 0 ? row == 0 : row + 1 == s->rows)
		return 0;
	const size_t next = edge < 0 ? row - 1 : row + 1;
	return !(b->p->data[(view * s->rows + next) * s->columns + column] > b->thin);
}

/* The ray through the upper or lower edge of its cell, where the body may go on, or the middle; 0: it met nothing. */
static int met(const body *b, size_t i, double edge, double point[3], double along[3])
{
	size_t view, row, column;
	if (!(ray_of(b, i, &view, &row, &column) > b->thin))
		return 0;
	if (edge != 0 && ends(b, view, row, column, edge))
		edge = 0;
	gt_pixel_ray(&b->d, &b->p->scan->view[view], (double)column, (double)row + edge, point, along);
	return hypot(along[0], along[1]) > 0;
}

static body body_of(const gt_projections *p)
{
	const gt_scan *s = p->scan;
	body b = {
		p, gt_scan_detector(s), 0, { part_of(s->views, SOME_VIEWS), part_of(s->rows, SOME_ROWS), part_of(s->columns, SOME_COLUMNS) }
	};
	size_t at[3];
	for (size_t i = 0; i < rays_of(&b); i++)
		b.thin = fmax(b.thin, THIN * ray_of(&b, i, &at[0], &at[1], &at[2]));
	return b;
}

/* Largest distance from the axis of rays that met something. */
static double radius_of(const body *b)
{
	double radius = 0, p[3], a[3];
	for (size_t i = 0; i < rays_of(b); i++)
		if (met(b, i, 0, p, a))
			radius = fmax(radius, fabs(p[0] * a[1] - p[1] * a[0]) / hypot(a[0], a[1]));
	return radius;
}

/* Cuts the part from ... end of a ray to what lies in the circle; 0: nothing is left. */
static int within(const double p[3], const double a[3], const double center[2], double radius, double *from, double *end)
{
	const double x = p[0] - center[0], y = p[1] - center[1], length = hypot(a[0], a[1]),
		     middle = -(x * a[0] + y * a[1]) / (length * length), off = (x * a[1] - y * a[0]) / length,
		     half = sqrt(fmax(0, radius * radius - off * off)) / length;
	*from = fmax(*from, middle - half);
	*end = fmin(*end, middle + half);
	return *from < *end;
}

/* How many slices rays through the body, where the grid's sides hold it, go on beyond the grid's ends. None where rays go along z rather than
 * across, as of a table that is looked at from above: its ends are not the grid's. */
static void margin_of_body(const gt_grid *g, const gt_projections *p, size_t *below, size_t *above)
{
	static const double axis[2] = { 0, 0 };
	const body b = body_of(p);
	const double radius = radius_of(&b), circle = hypot((double)g->n[0] * g->pitch[0], (double)g->n[1] * g->pitch[1]) / 2;
	const double first = g->center[2] - (double)g->n[2] * g->pitch[2] / 2, last = first + (double)g->n[2] * g->pitch[2];
	double low = first, high = last;
	*below = *above = 0;
	for (size_t i = 0; i < 2 * rays_of(&b); i++) {
		double point[3], a[3], from = p->scan->shape == GT_PARALLEL ? -INFINITY : 0, end = INFINITY;
		if (!met(&b, i / 2, i % 2 ? 0.5 : -0.5, point, a) || !within(point, a, axis, radius, &from, &end) ||
		    !within(point, a, g->center, circle, &from, &end))
			continue;
		if (fabs(a[2]) > hypot(a[0], a[1]))
			return;
		low = fmin(low, point[2] + fmin(from * a[2], end * a[2]));
		high = fmax(high, point[2] + fmax(from * a[2], end * a[2]));
	}
	*below = (size_t)ceil(fmax(0, (first - low) / g->pitch[2] - LET_GO));
	*above = (size_t)ceil(fmax(0, (high - last) / g->pitch[2] - LET_GO));
}

/* A grid that was asked for may well end where the body does; a helix sees what lies beyond it from other turns. */
static void find_margin(const gt_margin_question *q, const gt_projections *p, const gt_grid *asked, size_t *below, size_t *above)
{
	if (q->grid_is_given && q->mode != GT_MARGIN_YES && p->data && !gt_scan_is_helical(p->scan))
		margin_of_body(asked, p, below, above);
	else
		gt_grid_margin(asked, p->scan, below, above);
}

void gt_recon_extent_find(const gt_listener *log, const gt_margin_question *q, const gt_projections *all, const gt_grid *asked, gt_recon_extent *w)
{
	size_t below, above;
	gt_recon_window(all, asked, w);
	if (!q->iterates)
		return;
	if (w->scan.views < all->scan->views)
		gt_say(log, GT_INFO, GT_ABOUT_GEOMETRY, "views %zu to %zu of %zu see these slices", w->first_view,
		       w->first_view + w->scan.views - 1, all->scan->views);
	find_margin(q, &w->p, asked, &below, &above);
	if (below + above == 0)
		return;
	if (q->mode == GT_MARGIN_NO) {
		gt_say(log, GT_WARNING, GT_ABOUT_GEOMETRY,
		       "rays leave the grid at its ends: where the body goes on there, what %zu slice%s below and %zu above would hold "
		       "falls into the outermost ones (--margin auto computes them too)",
		       below, below == 1 ? "" : "s", above);
		return;
	}
	w->below = below;
	w->grid.n[2] += below + above;
	w->grid.center[2] += ((double)above - (double)below) / 2 * w->grid.pitch[2];
	gt_say(log, GT_INFO, GT_ABOUT_GEOMETRY, "%zu slice%s below and %zu above are computed too, where rays go on, and not written%s", below,
	       below == 1 ? "" : "s", above, q->mode == GT_MARGIN_AUTO ? " (--margin no leaves them out)" : "");
}

gt_status gt_recon_slices(const gt_array *x, const gt_grid *g, size_t first, size_t slices, gt_array **part)
{
	const size_t slice = g->n[0] * g->n[1];
	return gt_array_part(x, first * slice, slices * slice, part);
}

static gt_status repeat(const gt_array *model, gt_array *x, const gt_grid *g, size_t first, size_t end)
{
	gt_status st = GT_OK;
	for (size_t k = first; k < end && st == GT_OK; k++) {
		gt_array *slice;
		st = gt_recon_slices(x, g, k, 1, &slice);
		if (st != GT_OK)
			break;
		gt_copy(model, slice);
		gt_array_free(slice);
	}
	return st;
}

gt_status gt_recon_fill_margin(gt_array *x, const gt_recon_extent *w)
{
	const size_t end = w->below + w->asked->n[2];
	gt_array *lowest = NULL, *highest = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_recon_slices(x, &w->grid, w->below, 1, &lowest));
	GT_TRY(gt_recon_slices(x, &w->grid, end - 1, 1, &highest));
	GT_TRY(repeat(lowest, x, &w->grid, 0, w->below));
	GT_TRY(repeat(highest, x, &w->grid, end, w->grid.n[2]));
done:
	gt_array_free(lowest);
	gt_array_free(highest);
	return st;
}
