/* Tables of the distance-driven projector, in double on the host: column edges of each view in the slices, and row
 * edges of each column. Method: De Man, Basu, Phys. Med. Biol. 49 (2004) 2463. Memory: 8 bytes per column edge and 44
 * per column of each view. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <gantry/author/scan_math.h>
#include "projectors/dd/dd_operator.h"

/* Minimum cosine between a ray and the slice normal; a smaller one would meet the slice almost at infinity. */
static const double min_cosine = 1e-3;

/* Slices are perpendicular to the dominant axis of the central ray; at 45 degrees the source position decides. */
static int slice_axis(const gt_scan *s, const gt_view *w)
{
	const double ex = fabs(w->detector[0] - w->source[0]), ey = fabs(w->detector[1] - w->source[1]);
	if (fabs(ey - ex) > 1e-9 * (ex + ey) || s->shape == GT_PARALLEL)
		return ey > ex;
	return fabs(w->source[1]) > fabs(w->source[0]);
}

struct gt_dd_line gt_dd_in_slices(const gt_dd_slicing *c, const gt_grid *g, int b, const double point[3], const double direction[3])
{
	const double depth = c->sign * (point[c->axis] - c->plane), first = gt_grid_first(g, b) - g->pitch[b] / 2;
	const double slope = direction[b] / (c->sign * direction[c->axis]) / g->pitch[b];
	return (struct gt_dd_line){ slope, (point[b] - first) / g->pitch[b] - depth * slope };
}

gt_dd_slicing gt_dd_slicing_of(const gt_scan *scan, const gt_grid *g, const gt_view *w)
{
	const int s = slice_axis(scan, w);
	return (gt_dd_slicing){ s, w->detector[s] > w->source[s] ? 1 : -1, scan->shape == GT_PARALLEL ? g->center[s] : w->source[s] };
}

static void fill_rows(const gt_detector *det, const gt_view *w, const gt_grid *g, const gt_dd_slicing *slices, double column, double low,
                      double high, double rows, gt_dd_column *c)
{
	const int s = slices->axis;
	double point[3], direction[3];
	gt_pixel_ray(det, w, column, low, point, direction);
	const struct gt_dd_line bottom = gt_dd_in_slices(slices, g, 2, point, direction),
				side = gt_dd_in_slices(slices, g, 1 - s, point, direction);
	gt_pixel_ray(det, w, column, high, point, direction);
	const struct gt_dd_line top = gt_dd_in_slices(slices, g, 2, point, direction);
	const double slope = side.slope * g->pitch[1 - s];
	*c = (gt_dd_column){ bottom.start, bottom.slope, (top.start - bottom.start) / rows, (top.slope - bottom.slope) / rows,
		             1 + slope * slope };
}

void gt_dd_slices_in_front(int fan, int n, double pitch, double R0, double dR, int *first, int *end)
{
	*first = 0;
	*end = n;
	while (fan && *first < *end && R0 + *first * dR < pitch / 2)
		++*first;
	while (fan && *end > *first && R0 + (*end - 1) * dR < pitch / 2)
		--*end;
}

/* Initial guess of the column of a given U, because fan-beam rays are not evenly spaced in U. */
static void fill_guess(const double *edge, int columns, gt_dd_view *v, int *guess)
{
	v->bins = columns / (edge[columns] - edge[0]);
	for (int b = 0, k = 0; b < columns; b++) {
		while (k < columns - 1 && (edge[k + 1] - edge[0]) * v->bins <= b)
			k++;
		guess[b] = k;
	}
}

/* Maximum number of voxels in the height of a pixel, or of pixels in the height of a voxel. */
static double steps_of(const gt_dd_view *v, const gt_dd_column *column, int columns)
{
	double max = 0;
	for (int k = 0; k < columns && v->first < v->end; k++) {
		const double a = gt_dd_row_height(&column[k], gt_dd_depth(v, v->first)),
			     b = gt_dd_row_height(&column[k], gt_dd_depth(v, v->end - 1));
		max = fmax(max, fmax(fmax(a, b), 1 / fmin(a, b)));
	}
	return max;
}

static gt_status fill_view(const gt_scan *scan, const gt_grid *g, size_t at, gt_dd_tables *h, double *tallest)
{
	const gt_detector det = gt_scan_detector(scan);
	const gt_view *w = &scan->view[at];
	gt_dd_view *v = &h->view[at];
	const gt_dd_slicing slices = gt_dd_slicing_of(scan, g, w);
	const int s = slices.axis, fan = scan->shape != GT_PARALLEL, columns = (int)scan->columns;
	const double sign = slices.sign;
	double *edge = h->edge + at * (scan->columns + 1), point[3], direction[3];

	*v = (gt_dd_view){ .axis = s,
		           .R0 = sign * (gt_grid_first(g, s) - slices.plane),
		           .dR = sign * g->pitch[s],
		           .F0 = !fan,
		           .F1 = fan,
		           .flip_rows = w->row_axis[2] < 0 };
	for (int k = 0; k <= columns; k++) {
		gt_pixel_ray(&det, w, k - 0.5, scan->row_center, point, direction);
		if (!(sign * direction[s] > min_cosine * sqrt(gt_dot3(direction, direction))))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "%s: view %zu: the ray of column edge %d runs along the slices (perpendicular to %c): "
			               "the fan is too wide for the distance-driven model; --projector sf-tr takes it",
			               h->name, at, k, "xy"[s]);
		const struct gt_dd_line l = gt_dd_in_slices(&slices, g, 1 - s, point, direction);
		edge[k] = fan ? l.slope : l.start;
		v->X0 = fan ? l.start : 0;
		v->M0 = fan ? 0 : l.slope;
	}
	v->flip_columns = edge[columns] < edge[0];
	for (int k = 0, m = columns; v->flip_columns && k < m; k++, m--) {
		const double t = edge[k];
		edge[k] = edge[m];
		edge[m] = t;
	}
	for (int k = 0; k < columns; k++)
		if (!(edge[k + 1] > edge[k]))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "%s: view %zu: the rays of columns %d and %d cross the slices in the wrong order", h->name, at, k,
			               k + 1);
	for (int k = 0; k < columns; k++) {
		const double ends[2] = { -0.5, (double)scan->rows - 0.5 };
		fill_rows(&det, w, g, &slices, v->flip_columns ? columns - 1 - k : k, ends[v->flip_rows], ends[!v->flip_rows],
		          (double)scan->rows, &h->column[at * scan->columns + (size_t)k]);
	}
	fill_guess(edge, columns, v, h->guess + at * scan->columns);
	gt_dd_slices_in_front(fan, (int)g->n[s], g->pitch[s], v->R0, v->dR, &v->first, &v->end);
	*tallest = fmax(*tallest, steps_of(v, h->column + at * scan->columns, columns));
	return GT_OK;
}

/* Views filled by threads, and the first that failed. */
struct filling {
	const gt_scan *scan;
	const gt_grid *g;
	gt_dd_tables *h;
	double *tallest; /* one per view */
	pthread_mutex_t lock;
	gt_status st;
	size_t failed;
	char message[512];
};

static void fill_some(void *self, size_t v, size_t end, int worker)
{
	struct filling *f = self;
	(void)worker;
	for (; v < end; v++) {
		const gt_status st = fill_view(f->scan, f->g, v, f->h, &f->tallest[v]);
		if (st == GT_OK)
			continue;
		pthread_mutex_lock(&f->lock);
		if (f->st == GT_OK || v < f->failed) {
			f->st = st;
			f->failed = v;
			snprintf(f->message, sizeof f->message, "%s", gt_error());
		}
		pthread_mutex_unlock(&f->lock);
	}
}

gt_status gt_dd_fill_tables(gt_backend *be, const gt_scan *scan, const gt_grid *g, gt_dd_tables *h, double *tallest)
{
	struct filling f = { .scan = scan, .g = g, .h = h, .tallest = calloc(scan->views, sizeof *f.tallest) };
	if (!f.tallest)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", h->name, scan->views);
	pthread_mutex_init(&f.lock, NULL);
	gt_parallel(be->pool, scan->views, 2, fill_some, &f);
	pthread_mutex_destroy(&f.lock);
	for (size_t v = 0; v < scan->views; v++)
		*tallest = fmax(*tallest, f.tallest[v]);
	free(f.tallest);
	return f.st == GT_OK ? GT_OK : gt_fail(f.st, "%s", f.message);
}

/* Samples at most 64 views. */
gt_dd_counts gt_dd_count(const gt_dd *d)
{
	gt_dd_counts c = { 0, 0 };
	const size_t step = d->views / 64 + 1;
	size_t counted = 0;
	for (size_t at = 0; at < d->views; at += step, counted++) {
		const gt_dd_view *v = &d->view[at];
		const double *edge = d->edge + at * (size_t)(d->columns + 1), voxels = d->n[1 - v->axis];
		for (int n = v->first; n < v->end; n++) {
			const double R = gt_dd_depth(v, n);
			const int first = gt_dd_first_column(d, v, at, gt_dd_edge_at(v, R, 0));
			double low = first < d->columns ? gt_dd_edge(v, R, edge[first]) : voxels;
			for (int k = first; k < d->columns && low < voxels; k++) {
				const double high = gt_dd_edge(v, R, edge[k + 1]);
				c.pairs++;
				c.overlaps += ceil(fmin(high, voxels)) - floor(fmax(low, 0));
				low = high;
			}
		}
	}
	c.pairs *= (double)d->views / (double)counted;
	c.overlaps *= (double)d->views / (double)counted;
	return c;
}
