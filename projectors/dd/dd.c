/* Distance-driven projector: tables of all views in double on the host, checks, and the operator around the kernels. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "projectors/dd/dd_impl.h"
#include "projectors/projector.h"

static const struct gt_dd_impl *const impls[GT_NBACKENDS] = { &gt_dd_cpu, GT_IF_CUDA(&gt_dd_cuda) };

struct dd {
	gt_backend *be;
	const struct gt_dd_impl *impl;
	gt_type type;
	gt_dd d; /* tables on the backend */
	size_t view_bytes, edge_bytes, column_bytes, guess_bytes;
	int has_scratch;
};

/* Rays closer than this to the plane of a slice would cross it at infinity. */
static const double least_cosine = 1e-3;

/* Slices are perpendicular to the axis that the central ray follows more; a tie at 45 degrees goes to x by the source's place. */
static int slice_axis(const gt_scan *s, const gt_view *w)
{
	const double ex = fabs(w->detector[0] - w->source[0]), ey = fabs(w->detector[1] - w->source[1]);
	if (fabs(ey - ex) > 1e-9 * (ex + ey) || s->shape == GT_PARALLEL)
		return ey > ex;
	return fabs(w->source[1]) > fabs(w->source[0]);
}

struct host {
	gt_dd_view *view;
	double *edge;
	gt_dd_column *column;
	int *guess;
};

/* The place of a ray in the frame of the slices: slope per unit of R, and the position at R = 0, in voxels of axis b. */
struct line {
	double slope, start;
};
static struct line in_slices(const double point[3], const double direction[3], const gt_grid *g, int s, int b, double sign, double plane)
{
	const double depth = sign * (point[s] - plane), first = gt_grid_first(g, b) - g->pitch[b] / 2;
	const double slope = direction[b] / (sign * direction[s]) / g->pitch[b];
	return (struct line){ slope, (point[b] - first) / g->pitch[b] - depth * slope };
}

static void fill_rows(const gt_detector *det, const gt_view *w, const gt_grid *g, int s, double sign, double plane, double column,
                      double low, double high, double rows, gt_dd_column *c)
{
	double point[3], direction[3];
	gt_cell_ray(det, w, column, low, point, direction);
	const struct line bottom = in_slices(point, direction, g, s, 2, sign, plane),
			  side = in_slices(point, direction, g, s, 1 - s, sign, plane);
	gt_cell_ray(det, w, column, high, point, direction);
	const struct line top = in_slices(point, direction, g, s, 2, sign, plane);
	const double slope = side.slope * g->pitch[1 - s];
	*c = (gt_dd_column){ bottom.start, bottom.slope, (top.start - bottom.start) / rows, (top.slope - bottom.slope) / rows,
		             1 + slope * slope };
}

/* Slices whose planes lie in front of the source by half a voxel or more; all of them for parallel rays. */
static void slice_range(int fan, int n, double pitch, gt_dd_view *v)
{
	v->first = 0;
	v->end = n;
	while (fan && v->first < v->end && gt_dd_depth(v, v->first) < pitch / 2)
		v->first++;
	while (fan && v->end > v->first && gt_dd_depth(v, v->end - 1) < pitch / 2)
		v->end--;
}

/* Where to look first for the column of a given U: the rays of a fan are not evenly spaced in it. */
static void fill_guess(const double *edge, int columns, gt_dd_view *v, int *guess)
{
	v->bins = columns / (edge[columns] - edge[0]);
	for (int b = 0, k = 0; b < columns; b++) {
		while (k < columns - 1 && (edge[k + 1] - edge[0]) * v->bins <= b)
			k++;
		guess[b] = k;
	}
}

/* Largest number of voxels in the height of a cell, or of cells in the height of a voxel. */
static double steps_of(const gt_dd_view *v, const gt_dd_column *column, int columns)
{
	double most = 0;
	for (int k = 0; k < columns && v->first < v->end; k++) {
		const double a = gt_dd_row_height(&column[k], gt_dd_depth(v, v->first)),
			     b = gt_dd_row_height(&column[k], gt_dd_depth(v, v->end - 1));
		most = fmax(most, fmax(fmax(a, b), 1 / fmin(a, b)));
	}
	return most;
}

static gt_status fill_view(const gt_scan *scan, const gt_grid *g, size_t at, struct host *h, double *tallest)
{
	const gt_detector det = gt_scan_detector(scan);
	const gt_view *w = &scan->view[at];
	gt_dd_view *v = &h->view[at];
	const int s = slice_axis(scan, w), fan = scan->shape != GT_PARALLEL, columns = (int)scan->columns;
	const double sign = w->detector[s] > w->source[s] ? 1 : -1;
	const double plane = fan ? w->source[s] : g->center[s];
	double *edge = h->edge + at * (scan->columns + 1), point[3], direction[3];

	*v = (gt_dd_view){ .axis = s,
		           .R0 = sign * (gt_grid_first(g, s) - plane),
		           .dR = sign * g->pitch[s],
		           .F0 = !fan,
		           .F1 = fan,
		           .flip_rows = w->row_axis[2] < 0 };
	for (int k = 0; k <= columns; k++) {
		gt_cell_ray(&det, w, k - 0.5, scan->row_center, point, direction);
		if (!(sign * direction[s] > least_cosine * sqrt(gt_dot3(direction, direction))))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "dd: view %zu: the ray of column edge %d runs along the slices (perpendicular to %c): "
			               "the fan is too wide for the distance-driven model",
			               at, k, "xy"[s]);
		const struct line l = in_slices(point, direction, g, s, 1 - s, sign, plane);
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
			               "dd: view %zu: the rays of columns %d and %d cross the slices in the wrong order", at, k, k + 1);
	for (int k = 0; k < columns; k++) {
		const double ends[2] = { -0.5, (double)scan->rows - 0.5 };
		fill_rows(&det, w, g, s, sign, plane, v->flip_columns ? columns - 1 - k : k, ends[v->flip_rows], ends[!v->flip_rows],
		          (double)scan->rows, &h->column[at * scan->columns + (size_t)k]);
	}
	fill_guess(edge, columns, v, h->guess + at * scan->columns);
	slice_range(fan, (int)g->n[s], g->pitch[s], v);
	*tallest = fmax(*tallest, steps_of(v, h->column + at * scan->columns, columns));
	return GT_OK;
}

static gt_status check(const gt_grid *g, const gt_scan *scan)
{
	for (int a = 0; a < 3; a++)
		if (g->n[a] > INT_MAX / 4)
			return gt_fail(GT_ERR_UNSUPPORTED, "dd: %zu voxels along one axis: expected at most %d", g->n[a], INT_MAX / 4);
	if (scan->rows > INT_MAX / 4 || scan->columns > INT_MAX / 4)
		return gt_fail(GT_ERR_UNSUPPORTED, "dd: a detector of %zu x %zu cells: expected at most %d each way", scan->columns,
		               scan->rows, INT_MAX / 4);
	return gt_scan_rows_along_z(scan, "dd");
}

static gt_status upload(gt_backend *be, const void *host, size_t bytes, const void **device)
{
	void *p = gt_backend_alloc(be, bytes, "tables of the distance-driven projector");
	if (!p)
		return GT_ERR_MEMORY;
	gt_backend_put(be, host, p, bytes);
	*device = p;
	return GT_OK;
}

static void forward(void *self, const gt_array *x, gt_array *y)
{
	const struct dd *p = self;
	p->impl->forward(p->be, &p->d, p->type, x->data, y->data);
}

static void adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct dd *p = self;
	p->impl->adjoint(p->be, &p->d, p->type, y->data, x->data);
}

static void destroy(void *self)
{
	struct dd *p = self;
	gt_backend_free(p->be, (void *)p->d.view, p->view_bytes);
	gt_backend_free(p->be, (void *)p->d.edge, p->edge_bytes);
	gt_backend_free(p->be, (void *)p->d.column, p->column_bytes);
	gt_backend_free(p->be, (void *)p->d.guess, p->guess_bytes);
	if (p->has_scratch)
		gt_scratch_release(p->be);
	free(p);
}

static const struct gt_linop_ops ops = { "dd", forward, adjoint, destroy };

static gt_status fill_tables(const gt_scan *scan, const gt_grid *g, struct dd *p)
{
	gt_status st = GT_OK;
	p->view_bytes = scan->views * sizeof(gt_dd_view);
	p->edge_bytes = scan->views * (scan->columns + 1) * sizeof(double);
	p->column_bytes = scan->views * scan->columns * sizeof(gt_dd_column);
	p->guess_bytes = scan->views * scan->columns * sizeof(int);
	struct host h = { malloc(p->view_bytes), malloc(p->edge_bytes), malloc(p->column_bytes), malloc(p->guess_bytes) };
	if (!h.view || !h.edge || !h.column || !h.guess) {
		st = gt_fail(GT_ERR_MEMORY, "dd: no memory for the tables of %zu views", scan->views);
		goto done;
	}
	for (size_t v = 0; v < scan->views; v++)
		GT_TRY(fill_view(scan, g, v, &h, &p->d.tallest));
	for (size_t v = 0; v < scan->views; v++)
		p->d.sliced[h.view[v].axis] = 1;
	GT_TRY(upload(p->be, h.view, p->view_bytes, (const void **)&p->d.view));
	GT_TRY(upload(p->be, h.edge, p->edge_bytes, (const void **)&p->d.edge));
	GT_TRY(upload(p->be, h.column, p->column_bytes, (const void **)&p->d.column));
	GT_TRY(upload(p->be, h.guess, p->guess_bytes, (const void **)&p->d.guess));
done:
	free(h.view);
	free(h.edge);
	free(h.column);
	free(h.guess);
	return st;
}

static gt_status make(gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan, const void *options, gt_linop **A)
{
	gt_status st = GT_OK;
	struct dd *p = calloc(1, sizeof *p);
	(void)options;
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "dd: no memory for the operator");
	p->be = be;
	p->impl = impls[be->kind];
	p->type = type;
	GT_TRY(check(g, scan));
	p->d = (gt_dd){ .rows = (int)scan->rows, .columns = (int)scan->columns, .views = scan->views };
	for (int a = 0; a < 3; a++) {
		p->d.n[a] = (int)g->n[a];
		p->d.pitch[a] = g->pitch[a];
	}
	GT_TRY(fill_tables(scan, g, p));
	GT_TRY(gt_scratch_reserve(be, p->impl->scratch(be, &p->d, type), "scratch of the distance-driven projector"));
	p->has_scratch = 1;
	return gt_linop_new(&ops, p, be, type, gt_grid_voxels(g), gt_scan_cells(scan), A);
done:
	destroy(p);
	return st;
}

const gt_projector gt_projector_dd = {
	.name = "dd",
	.about = "distance-driven, exact pair; detectors whose rows are parallel to z",
	.make = make,
};
