/* Exact transpose of wfbp on the CPU, a batch of bins at a time. Spreads voxels over the parallel views of a bin, with
 * the row weights of the backprojection. Then transposes the filter of rows, and spreads rebinned samples over the
 * sixteen pixels around their ray. Threads share bins, then detector rows, so the order of sums is fixed. In double,
 * but pixels are summed in the type of the array. Memory: the parallel views of a batch, and one bin per thread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analytic/fbp/back_span.h"
#include "analytic/wfbp/wfbp.h"
#include "core/try.h"

struct transpose {
	gt_backend *be;
	const gt_wfbp_plan *plan;
	gt_type type;
	void *rows;                 /* state of gt_fbp_transpose_cpu, which filters */
	struct gt_helix_view *view; /* of the batch */
	/* Allocated, with their sizes in bytes. */
	double *parallel;        /* [view][row][column], rows as on the detector */
	struct gt_wfbp_tap *tap; /* [view][column] */
	double *z;               /* [view][column]: of the sources */
	char *work;              /* one stride per thread, see work_of() */
	size_t parallel_bytes, tap_bytes, z_bytes, work_bytes, stride;
};

struct batch {
	const struct transpose *t;
	const void *x;
	void *y;
	size_t views;
};

/* A column of voxels in a view: slice z at row + (z - first) step. */
struct seen {
	struct gt_helix_line line;
	double row, step;
	size_t first, end; /* slices within the rows; equal: none */
	int seen;
};

struct work {
	double *q, *line, *weight; /* q: [half rotation][filtered column][row]; weight: [slice], sum of a bin */
	struct seen *seen;         /* [half rotation] */
};

static size_t work_doubles(const gt_wfbp_plan *p) { return p->turns * p->filter->row.wide * p->rows + p->filter->row.n + 2 + p->grid.n[2]; }

static struct work work_of(const struct transpose *t, int worker)
{
	const gt_wfbp_plan *p = t->plan;
	char *base = t->work + (size_t)worker * t->stride;
	struct work w = { .q = (double *)base, .seen = (struct seen *)(base + work_doubles(p) * sizeof(double)) };
	w.line = w.q + p->turns * p->filter->row.wide * p->rows;
	w.weight = w.line + p->filter->row.n + 2;
	return w;
}

static double voxel(const struct batch *b, size_t i)
{
	return b->t->type == GT_F32 ? (double)((const float *)b->x)[i] : ((const double *)b->x)[i];
}

static double row_weight(const gt_wfbp_plan *p, double row)
{
	const double q = fabs(row - ((double)p->rows - 1) / 2) / ((double)p->rows / 2);
	return gt_row_weight_double(q, p->flat, 1 / (1 - p->flat));
}

/* Finds a column of voxels in the views of a bin, and sums their row weights. */
static void weigh(const struct transpose *t, size_t view, double x, double y, struct work *w)
{
	const gt_wfbp_plan *p = t->plan;
	const size_t columns = p->detector.columns, nz = p->grid.n[2];
	const double z0 = gt_grid_first(&p->grid, 2), dz = p->grid.pitch[2];
	memset(w->weight, 0, nz * sizeof *w->weight);
	for (size_t k = 0; k < p->turns; k++) {
		const struct gt_helix_view *v = &t->view[view + k];
		struct seen *s = &w->seen[k];
		s->first = s->end = 0;
		s->seen = gt_helix_see(&p->detector, v, &p->spot[v->spot], t->z + (view + k) * columns, p->reach + v->spot * columns, x, y,
		                       &s->line);
		if (!s->seen)
			continue;
		s->step = s->line.slope * dz;
		gt_back_slices(s->line.row0 + s->line.slope * z0, s->step, p->rows, nz, &s->first, &s->end);
		s->row = s->line.row0 + s->line.slope * (z0 + (double)s->first * dz);
		for (size_t z = s->first; z < s->end; z++)
			w->weight[z] += row_weight(p, s->row + (double)(z - s->first) * s->step);
	}
}

/* Adds a voxel of a slice that no view of the bin sees to the nearest row, which is chosen with the rounding of the
 * backprojection. */
static void spread_nearest(const struct batch *b, size_t z, double value, struct work *w)
{
	const gt_wfbp_plan *p = b->t->plan;
	const double at = gt_grid_first(&p->grid, 2) + (double)z * p->grid.pitch[2], middle = ((double)p->rows - 1) / 2;
	double nearest = INFINITY, row = 0;
	size_t turn = p->turns;
	for (size_t k = 0; k < p->turns; k++) {
		const double here = w->seen[k].seen ? w->seen[k].line.row0 + w->seen[k].line.slope * at : INFINITY;
		if (!(fabs(here - middle) < nearest))
			continue;
		nearest = b->t->type == GT_F32 ? (double)(float)fabs(here - middle) : fabs(here - middle);
		row = here < middle ? 0 : (double)p->rows - 1;
		turn = k;
	}
	if (turn < p->turns)
		gt_back_spread(p->filter, w->seen[turn].line.k, w->seen[turn].line.right, row, value,
		               w->q + turn * p->filter->row.wide * p->rows);
}

static void spread_column(const struct batch *b, size_t at, struct work *w)
{
	const gt_wfbp_plan *p = b->t->plan;
	const size_t nz = p->grid.n[2], layer = p->grid.n[0] * p->grid.n[1];
	double *q = w->q;
	for (size_t k = 0; k < p->turns; k++, q += p->filter->row.wide * p->rows) {
		const struct seen *s = &w->seen[k];
		for (size_t z = s->first; z < s->end; z++) {
			const double row = s->row + (double)(z - s->first) * s->step;
			if (p->extend || !p->incomplete[z])
				gt_back_spread(p->filter, s->line.k, s->line.right, row,
				               row_weight(p, row) / w->weight[z] * voxel(b, z * layer + at), q);
		}
	}
	for (size_t z = 0; z < nz && p->extend; z++)
		if (!(w->weight[z] > 0))
			spread_nearest(b, z, voxel(b, z * layer + at), w);
}

static void spread_bins(void *self, size_t begin, size_t end, int worker)
{
	const struct batch *b = self;
	const gt_wfbp_plan *p = b->t->plan;
	const gt_grid *g = &p->grid;
	const size_t size = p->filter->row.wide * p->rows;
	struct work w = work_of(b->t, worker);
	for (size_t i = begin; i < end; i++) {
		memset(w.q, 0, p->turns * size * sizeof *w.q);
		for (size_t at = 0; at < g->n[0] * g->n[1]; at++) {
			const double x = gt_grid_first(g, 0) + (double)(at % g->n[0]) * g->pitch[0];
			const double y = gt_grid_first(g, 1) + (double)(at / g->n[0]) * g->pitch[1];
			if (!(hypot(x - p->detector.center[0], y - p->detector.center[1]) <= p->radius))
				continue;
			weigh(b->t, i * p->turns, x, y, &w);
			spread_column(b, at, &w);
		}
		for (size_t k = 0; k < p->turns; k++)
			gt_fbp_cpu_unfilter(b->t->rows, i * p->turns + k, w.q + k * size, w.line, b->t->parallel);
	}
}

static void find_taps(void *self, size_t begin, size_t end, int worker)
{
	const struct transpose *t = ((const struct batch *)self)->t;
	const size_t columns = t->plan->detector.columns;
	(void)worker;
	for (size_t i = begin; i < end; i++)
		for (size_t k = i * columns; k < (i + 1) * columns && t->view[i].used; k++)
			t->z[k] = gt_wfbp_find_tap(t->plan, &t->view[i], k - i * columns, &t->tap[k]);
}

static void add_pixel(const struct batch *b, size_t i, double value)
{
	if (b->t->type == GT_F32)
		((float *)b->y)[i] += (float)value;
	else
		((double *)b->y)[i] += value;
}

/* Transposed rebinning of detector rows. */
static void spread_rows(void *self, size_t begin, size_t end, int worker)
{
	const struct batch *b = self;
	const struct transpose *t = b->t;
	const gt_wfbp_plan *p = t->plan;
	const size_t columns = p->detector.columns, next = p->spots * p->rows * p->source_columns;
	(void)worker;
	for (size_t l = begin; l < end; l++)
		for (size_t i = 0; i < b->views; i++) {
			const double *in = t->parallel + (i * p->rows + l) * columns;
			const size_t first = (t->view[i].spot * p->rows + l) * p->source_columns;
			for (size_t k = 0; k < columns && t->view[i].used; k++) {
				const struct gt_wfbp_tap *tap = &t->tap[i * columns + k];
				for (size_t v = 0; v < 4; v++)
					for (size_t c = 0; c < 4; c++)
						add_pixel(b, first + (tap->ray.first + v) * next + tap->column + c,
						          tap->ray.weight[v] * tap->weight[c] * in[k]);
			}
		}
}

static void run_(void *self, const void *x, void *data)
{
	struct transpose *t = self;
	const gt_wfbp_plan *p = t->plan;
	memset(data, 0, p->source_views * p->rows * p->source_columns * gt_type_size(t->type));
	for (size_t first = 0; first < p->bins; first += p->batch) {
		const size_t n = p->bins - first < p->batch ? p->bins - first : p->batch;
		struct batch b = { t, x, data, n * p->turns };
		for (size_t i = 0; i < b.views; i++)
			t->view[i] = gt_wfbp_view(p, first, i);
		gt_parallel(t->be->pool, b.views, 1, find_taps, &b);
		gt_parallel(t->be->pool, n, 1, spread_bins, &b);
		gt_parallel(t->be->pool, p->rows, 1, spread_rows, &b);
	}
}

static void close_(void *self)
{
	struct transpose *t = self;
	if (t->rows)
		gt_fbp_transpose_cpu.close(t->rows);
	gt_backend_free(t->be, t->parallel, t->parallel_bytes);
	gt_backend_free(t->be, t->tap, t->tap_bytes);
	gt_backend_free(t->be, t->z, t->z_bytes);
	gt_backend_free(t->be, t->work, t->work_bytes);
	free(t->view);
	free(t);
}

static gt_status open_(gt_backend *be, const gt_wfbp_plan *p, gt_type type, void **out)
{
	const size_t views = p->batch * p->turns, columns = p->detector.columns;
	struct transpose *t = calloc(1, sizeof *t);
	gt_status st = GT_OK;
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "no memory for the transpose of wfbp");
	*t = (struct transpose){ .be = be, .plan = p, .type = type };
	t->parallel_bytes = views * p->rows * columns * sizeof *t->parallel;
	t->tap_bytes = views * columns * sizeof *t->tap;
	t->z_bytes = views * columns * sizeof *t->z;
	t->stride = work_doubles(p) * sizeof(double) + p->turns * sizeof(struct seen);
	t->work_bytes = t->stride * (size_t)gt_pool_threads(be->pool);
	if (!(t->view = malloc(views * sizeof *t->view)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for %zu parallel views", views));
	if (!(t->parallel = gt_backend_alloc(be, t->parallel_bytes, "parallel views of the transpose")) ||
	    !(t->tap = gt_backend_alloc(be, t->tap_bytes, "rays of the transpose")) ||
	    !(t->z = gt_backend_alloc(be, t->z_bytes, "heights of sources")) ||
	    !(t->work = gt_backend_alloc(be, t->work_bytes, "bins of the transpose"))) {
		st = GT_ERR_MEMORY;
		goto done;
	}
	GT_TRY(gt_fbp_transpose_cpu.open(be, p->filter, GT_F64, &t->rows));
	*out = t;
done:
	if (st != GT_OK)
		close_(t);
	return st;
}

const struct gt_wfbp_transpose gt_wfbp_transpose_cpu = { open_, run_, close_ };
