/* Slabs of slices: each has a plan for the rows of the detector that it sees, with the weights of the whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analytic/fbp/fbp.h"
#include "analytic/fbp/slab.h"
#include "core/arguments.h"
#include "core/try.h"

/* Rows beyond the interpolated ones, for positions that a device rounds differently. */
enum { SPARE_ROWS = 1 };

static const struct gt_fbp_impl *const impls[GT_NBACKENDS] = { &gt_fbp_cpu, GT_IF_CUDA(&gt_fbp_cuda) };

/* Range of lambda of the computed columns of voxels; all: unknown, they may see every row. */
struct reach {
	double min, max;
	int all;
};

struct gt_slab_plan {
	gt_fbp_plan *plan;
	struct reach *reach; /* [views] */
};

struct gt_slab {
	const gt_slab_plan *whole;
	gt_backend *be;
	const struct gt_fbp_impl *impl;
	gt_fbp_plan plan; /* tables of the whole; `view` begins at the first view of the batch */
	struct gt_back_view *view;
	gt_array *x;
	void *state;
	size_t filtered; /* views */
};

/* Reach ------------------------------------------------------------------- */

/* Centres of the outermost voxels. */
static void extent(const gt_grid *g, int axis, double range[2])
{
	range[0] = gt_grid_first(g, axis);
	range[1] = range[0] + (double)(g->n[axis] - 1) * g->pitch[axis];
}

/* Range of a linear form (x, y, 1) over the grid and over the circle that is not masked. */
static void linear_range(const gt_fbp_plan *p, const double form[3], double range[2])
{
	double x[2], y[2];
	extent(&p->grid, 0, x);
	extent(&p->grid, 1, y);
	range[0] = INFINITY;
	range[1] = -INFINITY;
	for (int c = 0; c < 4; c++) {
		const double value = form[0] * x[c & 1] + form[1] * y[c >> 1] + form[2];
		range[0] = fmin(range[0], value);
		range[1] = fmax(range[1], value);
	}
	const double middle = form[0] * p->center[0] + form[1] * p->center[1] + form[2], way = p->radius * hypot(form[0], form[1]);
	range[0] = fmax(range[0], middle - way);
	range[1] = fmin(range[1], middle + way);
}

/* Range of the distance from a source to the same columns of voxels. */
static void distance_range(const gt_fbp_plan *p, const double source[3], double range[2])
{
	double near[2], far[2];
	for (int a = 0; a < 2; a++) {
		double at[2];
		extent(&p->grid, a, at);
		near[a] = fmax(fmax(at[0] - source[a], source[a] - at[1]), 0);
		far[a] = fmax(fabs(at[0] - source[a]), fabs(at[1] - source[a]));
	}
	const double middle = hypot(source[0] - p->center[0], source[1] - p->center[1]);
	range[0] = fmax(hypot(near[0], near[1]), middle - p->radius);
	range[1] = fmin(hypot(far[0], far[1]), middle + p->radius);
}

static struct reach reach_of(const gt_fbp_plan *p, const gt_scan *scan, size_t v)
{
	const struct gt_back_view *w = &p->view[v];
	double range[2];
	if (p->tilted || p->shape == GT_PARALLEL)
		return (struct reach){ 1, 1, 0 };
	if (p->shape == GT_FLAT) {
		linear_range(p, w->depth, range);
		return (struct reach){ 1 / range[1], 1 / range[0], !(range[0] > 0) };
	}
	/* With a deflected spot the distance to the cylinder differs from its radius by at most the deflection. */
	const double off = hypot(w->offset[0], w->offset[1]);
	distance_range(p, scan->view[v].source, range);
	return (struct reach){ (w->radius - off) / range[1], (w->radius + off) / range[0], !(range[0] > 0) };
}

/* Rows --------------------------------------------------------------------- */

static void widen(double range[2], double row)
{
	range[0] = fmin(range[0], row);
	range[1] = fmax(range[1], row);
}

/* Range of a view with a matrix, from the corners of the slab. */
static int tilted_range(const gt_fbp_plan *p, const struct gt_back_view *w, const double z[2], double range[2])
{
	double x[2], y[2], column, row, lambda;
	extent(&p->grid, 0, x);
	extent(&p->grid, 1, y);
	for (int c = 0; c < 8; c++) {
		if (!gt_back_point(w, x[c & 1], y[c >> 1 & 1], z[c >> 2], &column, &row, &lambda))
			return 0;
		widen(range, row);
	}
	return 1;
}

/* Range of ascending rows of view v for voxels at heights z[0] to z[1]; 0: unknown. */
static int row_range(const gt_slab_plan *s, size_t v, const double z[2], double range[2])
{
	const struct gt_back_view *w = &s->plan->view[v];
	const struct reach *r = &s->reach[v];
	range[0] = INFINITY;
	range[1] = -INFINITY;
	if (r->all)
		return 0;
	if (s->plan->tilted)
		return tilted_range(s->plan, w, z, range);
	for (int i = 0; i < 2; i++) {
		widen(range, w->row0 + r->min * (z[i] - w->z0) * w->per_row);
		widen(range, w->row0 + r->max * (z[i] - w->z0) * w->per_row);
	}
	return 1;
}

void gt_slab_plan_rows(const gt_slab_plan *s, size_t first, size_t n, size_t *row, size_t *rows)
{
	const gt_fbp_plan *p = s->plan;
	const double z0 = gt_grid_first(&p->grid, 2), dz = p->grid.pitch[2], last = (double)p->rows - 1;
	const double z[2] = { z0 + (double)first * dz, z0 + (double)(first + n - 1) * dz };
	size_t low = p->rows, high = 0;
	for (size_t v = 0; v < p->views; v++) {
		double range[2];
		size_t from = 0, to = p->rows - 1;
		if (row_range(s, v, z, range)) {
			from = (size_t)fmin(fmax(floor(range[0]) - SPARE_ROWS, 0), last);
			to = (size_t)fmin(fmax(floor(range[1]) + 1 + SPARE_ROWS, 0), last);
		}
		if (p->view[v].flip_rows) {
			const size_t end = p->rows - 1 - from;
			from = p->rows - 1 - to;
			to = end;
		}
		low = from < low ? from : low;
		high = to > high ? to : high;
	}
	*row = low;
	*rows = high - low + 1;
}

/* Common to all slabs ------------------------------------------------------ */

int gt_slab_plan_supports(const gt_analytic *m) { return m->check != NULL; }

gt_status gt_slab_plan_new(const gt_analytic *m, const gt_grid *grid, const gt_scan *scan, const void *options, gt_pool *pool,
                           gt_slab_plan **out)
{
	GT_NEED(m);
	GT_NEED(grid);
	GT_NEED(scan);
	GT_NEED(out);
	gt_status st = GT_OK;
	gt_slab_plan *s = NULL;
	if (!gt_slab_plan_supports(m))
		return gt_fail(GT_ERR_UNSUPPORTED, "%s does not support slabs: expected fdk or fbp", m->name);
	GT_TRY(gt_scan_check(scan));
	GT_TRY(gt_grid_check(grid, scan));
	GT_TRY(m->check(scan));
	if (!(s = calloc(1, sizeof *s)) || !(s->reach = malloc(scan->views * sizeof *s->reach)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: no memory for %zu views", m->name, scan->views));
	GT_TRY(gt_fbp_plan_new(m->name, grid, scan, options ? options : m->defaults, pool, &s->plan));
	for (size_t v = 0; v < scan->views; v++)
		s->reach[v] = reach_of(s->plan, scan, v);
	*out = s;
	s = NULL;
done:
	gt_slab_plan_free(s);
	return st;
}

void gt_slab_plan_free(gt_slab_plan *s)
{
	if (!s)
		return;
	gt_fbp_plan_free(s->plan);
	free(s->reach);
	free(s);
}

size_t gt_slab_bytes(const gt_slab_plan *s) { return s->plan->views * sizeof(struct gt_back_view); }

/* One slab ------------------------------------------------------------------- */

/* Restricts the view to `rows` rows of the detector from `row` on. */
static void cut_rows(const gt_fbp_plan *p, size_t row, size_t rows, struct gt_back_view *w)
{
	const double below = (double)(w->flip_rows ? p->rows - row - rows : row);
	w->row0 -= below;
	w->height += below * p->row_pitch;
	for (int i = 0; i < 4; i++)
		w->matrix[4 + i] -= below * w->matrix[8 + i];
}

static gt_status make_plan(gt_slab *b, size_t first, size_t n)
{
	const gt_fbp_plan *p = b->whole->plan;
	size_t row, rows;
	gt_slab_plan_rows(b->whole, first, n, &row, &rows);
	b->plan = *p;
	b->plan.rows = rows;
	b->plan.grid.n[2] = n;
	b->plan.grid.center[2] = gt_grid_first(&p->grid, 2) + ((double)first + (double)(n - 1) / 2) * p->grid.pitch[2];
	if (!(b->view = malloc(p->views * sizeof *b->view)))
		return gt_fail(GT_ERR_MEMORY, "no memory for a slab of %zu views", p->views);
	memcpy(b->view, p->view, p->views * sizeof *b->view);
	for (size_t v = 0; v < p->views; v++)
		cut_rows(p, row, rows, &b->view[v]);
	b->plan.view = b->view;
	return GT_OK;
}

gt_status gt_slab_new(const gt_slab_plan *s, size_t first, size_t n, size_t batch, gt_array *x, gt_slab **out)
{
	GT_NEED(s);
	GT_NEED(out);
	const gt_grid *g = &s->plan->grid;
	gt_backend *be = gt_array_backend(x);
	gt_status st = GT_OK;
	gt_slab *b = NULL;
	if (!n || first + n > g->n[2] || !batch || gt_array_size(x) != n * g->n[0] * g->n[1])
		return gt_fail(GT_ERR_ARG, "slab of slices %zu to %zu of %zu in an array of %zu, batches of %zu: expected %zu voxels",
		               first, first + n, g->n[2], gt_array_size(x), batch, n * g->n[0] * g->n[1]);
	if (!(b = calloc(1, sizeof *b)))
		return gt_fail(GT_ERR_MEMORY, "no memory for a slab");
	b->whole = s;
	b->be = gt_backend_hold(be);
	b->impl = impls[be->kind];
	b->x = x;
	GT_TRY(make_plan(b, first, n));
	gt_backend_lock(be);
	st = b->impl->open(be, &b->plan, gt_array_type(x), &batch, &b->state);
	gt_backend_unlock(be);
	GT_TRY(st);
	gt_fill(0, x);
	*out = b;
	b = NULL;
done:
	gt_slab_free(b);
	return st;
}

void gt_slab_free(gt_slab *b)
{
	if (!b)
		return;
	gt_backend *be = b->be;
	gt_fbp_close(b->impl, be, b->state);
	free(b->view);
	free(b);
	gt_backend_let_go(be);
}

void gt_slab_filter(gt_slab *b, size_t first, size_t n, const void *data)
{
	if (!gt_backend_begin(b->be))
		return;
	b->plan.view = b->view + first;
	b->filtered = n;
	b->impl->filter(b->state, 0, n, data);
	gt_backend_end(b->be);
}

void gt_slab_back(gt_slab *b)
{
	if (!gt_backend_begin(b->be))
		return;
	b->impl->back(b->state, 0, b->filtered, b->x->data);
	gt_backend_end(b->be);
}
