/* Objects longer than the volume: padding slices of an iterative method, and the views that see the grid. Samples one
 * ray in some thousand; takes no memory. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/scan_math.h>
#include "core/log.h"
#include "core/team/partition.h"
#include "core/try.h"
#include "geometry/grid.h"
#include "recon/z_margin.h"

const char *const gt_z_margin_names[] = { "auto", "yes", "no", NULL };

/* A line integral below this fraction of the largest is air. */
#define MIN_OF_LARGEST_LINE 0.02
/* Minimum numbers of sampled views, rows and columns; all if the scan has fewer. */
enum { MIN_VIEWS = 90, MIN_ROWS = 16, MIN_COLUMNS = 200 };

/* Rays that leave the grid by a smaller fraction of a slice are ignored: grids read from files have smaller errors. A
 * ray of the height of a slice that leaves it by more is an error: its whole integral is assigned to the slice. */
#define MAX_LEFT_OUT_SLICES 0.01

static size_t at_most(size_t all, size_t some) { return all > some ? some : all; }
/* Returns index i of n, evenly spread over all, including the first and the last. */
static size_t spread(size_t i, size_t n, size_t all) { return n > 1 ? i * (all - 1) / (n - 1) : all / 2; }

typedef struct {
	const gt_projections *p;
	gt_detector d;
	double air;  /* largest line integral of air */
	size_t n[3]; /* numbers of sampled views, rows, columns */
} ray_sample;

static size_t rays_in(const ray_sample *b) { return b->n[0] * b->n[1] * b->n[2]; }

/* Returns the line integral of ray i of the sample, and its pixel. */
static double line_of(const ray_sample *b, size_t i, size_t *view, size_t *row, size_t *column)
{
	const gt_scan *s = b->p->scan;
	*view = spread(i / b->n[2] / b->n[1], b->n[0], s->views);
	*row = spread(i / b->n[2] % b->n[1], b->n[1], s->rows);
	*column = spread(i % b->n[2], b->n[2], s->columns);
	return b->p->data[(*view * s->rows + *row) * s->columns + *column];
}

/* 1: the ray through the next pixel of the column, up or down, sees air; 0 also without such a pixel. */
static int object_ends(const ray_sample *b, size_t view, size_t row, size_t column, double edge)
{
	const gt_scan *s = b->p->scan;
	if (edge < 0 ? row == 0 : row + 1 == s->rows)
		return 0;
	const size_t next = edge < 0 ? row - 1 : row + 1;
	return !(b->p->data[(view * s->rows + next) * s->columns + column] > b->air);
}

/* Returns the ray through the upper or lower edge of its pixel if the object may continue there, else through its
 * centre; 0: it sees air. */
static int ray_met(const ray_sample *b, size_t i, double edge, double point[3], double along[3])
{
	size_t view, row, column;
	if (!(line_of(b, i, &view, &row, &column) > b->air))
		return 0;
	if (edge != 0 && object_ends(b, view, row, column, edge))
		edge = 0;
	gt_pixel_ray(&b->d, &b->p->scan->view[view], (double)column, (double)row + edge, point, along);
	return hypot(along[0], along[1]) > 0;
}

static ray_sample sample_rays(const gt_projections *p)
{
	const gt_scan *s = p->scan;
	ray_sample b = {
		p, gt_scan_detector(s), 0, { at_most(s->views, MIN_VIEWS), at_most(s->rows, MIN_ROWS), at_most(s->columns, MIN_COLUMNS) }
	};
	size_t at[3];
	for (size_t i = 0; i < rays_in(&b); i++)
		b.air = fmax(b.air, MIN_OF_LARGEST_LINE * line_of(&b, i, &at[0], &at[1], &at[2]));
	return b;
}

/* Returns the largest distance from the axis of rays through the object. */
static double radius_of(const ray_sample *b)
{
	double radius = 0, p[3], a[3];
	for (size_t i = 0; i < rays_in(b); i++)
		if (ray_met(b, i, 0, p, a))
			radius = fmax(radius, fabs(p[0] * a[1] - p[1] * a[0]) / hypot(a[0], a[1]));
	return radius;
}

/* Clips the part from ... end of a ray to the circle; 0: nothing remains. */
static int within(const double p[3], const double a[3], const double center[2], double radius, double *from, double *end)
{
	const double x = p[0] - center[0], y = p[1] - center[1], length = hypot(a[0], a[1]),
		     middle = -(x * a[0] + y * a[1]) / (length * length), off = (x * a[1] - y * a[0]) / length,
		     half = sqrt(fmax(0, radius * radius - off * off)) / length;
	*from = fmax(*from, middle - half);
	*end = fmin(*end, middle + half);
	return *from < *end;
}

/* Counts the slices beyond the grid's ends that rays through the object cross, within its sides. None if rays run
 * rather along z than across it, as with a view from above: its ends are not the grid's. */
static void margin_by_rays(const gt_projections *p, const gt_grid *g, size_t *below, size_t *above)
{
	static const double axis[2] = { 0, 0 };
	const ray_sample b = sample_rays(p);
	const double radius = radius_of(&b), circle = hypot((double)g->n[0] * g->pitch[0], (double)g->n[1] * g->pitch[1]) / 2;
	const double first = g->center[2] - (double)g->n[2] * g->pitch[2] / 2, last = first + (double)g->n[2] * g->pitch[2];
	double low = first, high = last;
	*below = *above = 0;
	for (size_t i = 0; i < 2 * rays_in(&b); i++) {
		double point[3], a[3], from = p->scan->shape == GT_PARALLEL ? -INFINITY : 0, end = INFINITY;
		if (!ray_met(&b, i / 2, i % 2 ? 0.5 : -0.5, point, a) || !within(point, a, axis, radius, &from, &end) ||
		    !within(point, a, g->center, circle, &from, &end))
			continue;
		if (fabs(a[2]) > hypot(a[0], a[1]))
			return;
		low = fmin(low, point[2] + fmin(from * a[2], end * a[2]));
		high = fmax(high, point[2] + fmax(from * a[2], end * a[2]));
	}
	*below = (size_t)ceil(fmax(0, (first - low) / g->pitch[2] - MAX_LEFT_OUT_SLICES));
	*above = (size_t)ceil(fmax(0, (high - last) / g->pitch[2] - MAX_LEFT_OUT_SLICES));
}

void gt_z_margin(const gt_projections *p, const gt_grid *g, size_t *below, size_t *above)
{
	/* Rays about a tilted axis leave a plate through its faces, also where the object ends there. */
	if (p->data && !gt_scan_is_helical(p->scan) && !gt_scan_is_laminography(p->scan))
		margin_by_rays(p, g, below, above);
	else
		gt_grid_margin(g, p->scan, below, above);
}

void gt_recon_extent_views(const gt_projections *all, const gt_grid *asked, gt_recon_extent *e)
{
	size_t end;
	*e = (gt_recon_extent){ .all = all, .asked = asked, .grid = *asked, .scan = *all->scan, .p = *all };
	gt_grid_views(asked, all->scan, &e->first_view, &end);
	const size_t skip = e->first_view * all->scan->rows * all->scan->columns;
	e->scan.view += e->first_view;
	e->scan.views = end - e->first_view;
	e->p.scan = &e->scan;
	e->p.data = all->data ? all->data + skip : NULL;
	e->p.weight = all->weight ? all->weight + skip : NULL;
	e->p.photons = all->photons ? all->photons + skip : NULL;
}

static void note_not_padded(const gt_listener *log, size_t below, size_t above)
{
	gt_notify(log, GT_INFO, GT_ABOUT_CHOICE,
	          "rays leave the grid at its ends: if the object extends there, the content of %zu slice%s below and %zu above "
	          "appears in the outermost slices (--padding auto reconstructs them)",
	          below, below == 1 ? "" : "s", above);
}

/* A requested grid may end with the object; a helix covers the slices beyond it from other rotations. */
void gt_recon_extent_pad(const gt_listener *log, const gt_z_margin_options *o, gt_recon_extent *e)
{
	size_t below, above;
	if (e->scan.views < e->all->scan->views)
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "views %zu to %zu of %zu see these slices", e->first_view,
		          e->first_view + e->scan.views - 1, e->all->scan->views);
	if (o->grid_given && o->mode != GT_Z_MARGIN_YES)
		gt_z_margin(&e->p, &e->grid, &below, &above);
	else
		gt_grid_margin(&e->grid, e->p.scan, &below, &above);
	if (below + above == 0)
		return;
	if (o->mode == GT_Z_MARGIN_NO) {
		note_not_padded(log, below, above);
		return;
	}
	e->below = below;
	e->grid.n[2] += below + above;
	e->grid.center[2] += ((double)above - (double)below) / 2 * e->grid.pitch[2];
	gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "adds %zu padding slice%s below and %zu above the grid: reconstructed but not written%s",
	          below, below == 1 ? "" : "s", above, o->mode == GT_Z_MARGIN_AUTO ? " (--padding no omits them)" : "");
}

gt_status gt_slices_part(const gt_array *x, const gt_grid *g, size_t first, size_t slices, gt_array **part)
{
	const size_t slice = g->n[0] * g->n[1];
	return gt_array_part(x, first * slice, slices * slice, part);
}

/* Likewise if another rank may hold the model, through the host. */
static gt_status repeat_shared(const gt_array *model, gt_array *x, const gt_grid *g, size_t first, size_t end)
{
	gt_array *slice = NULL;
	gt_status st = GT_OK;
	void *host = malloc(gt_array_size(model) * gt_type_size(gt_array_type(model)));
	if (!host)
		return gt_fail(GT_ERR_MEMORY, "no memory for a slice of %zu voxels", gt_array_size(model));
	gt_array_get(model, host);
	for (size_t k = first; k < end; k++) {
		GT_TRY(gt_slices_part(x, g, k, 1, &slice));
		gt_array_put(host, slice);
		gt_array_free(slice);
		slice = NULL;
	}
done:
	gt_array_free(slice);
	free(host);
	return st;
}

/* Copies the model into slices first ... end-1 of x. */
static gt_status repeat(const gt_array *model, gt_array *x, const gt_grid *g, size_t first, size_t end)
{
	gt_status st = GT_OK;
	if (gt_array_is_shared(x) && end > first)
		return repeat_shared(model, x, g, first, end);
	for (size_t k = first; k < end && st == GT_OK; k++) {
		gt_array *slice;
		st = gt_slices_part(x, g, k, 1, &slice);
		if (st != GT_OK)
			break;
		gt_copy(model, slice);
		gt_array_free(slice);
	}
	return st;
}

gt_status gt_recon_extent_fill_padding(const gt_recon_extent *e, gt_array *x)
{
	const size_t end = e->below + e->asked->n[2];
	gt_array *lowest = NULL, *highest = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_slices_part(x, &e->grid, e->below, 1, &lowest));
	GT_TRY(gt_slices_part(x, &e->grid, end - 1, 1, &highest));
	GT_TRY(repeat(lowest, x, &e->grid, 0, e->below));
	GT_TRY(repeat(highest, x, &e->grid, end, e->grid.n[2]));
done:
	gt_array_free(lowest);
	gt_array_free(highest);
	return st;
}
