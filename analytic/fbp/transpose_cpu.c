/* Exact transpose of filtered backprojection on the CPU, a view at a time. The transpose spreads voxels over the
 * filtered view with the weights of the interpolation. The filter is its own transpose; the extension's tails are
 * summed to the ends of the row; weights are multiplied as before. All in double; only the arrays have their type.
 * Memory: per thread one filtered view and a line. */
#include <fftw3.h>
#include <stdlib.h>
#include <string.h>
#include "analytic/fbp/back_span.h"

typedef struct {
	gt_backend *be;
	const gt_fbp_plan *plan;
	gt_type type;
	size_t stride, bytes; /* doubles of a thread; bytes of all */
	double *work;
	fftw_plan forth, back;
} transpose;

typedef struct {
	const transpose *d;
	const void *x;
	void *y;
} spreading;

static double value_at(gt_type type, const void *a, size_t i)
{
	return type == GT_F32 ? (double)((const float *)a)[i] : ((const double *)a)[i];
}

/* Backprojection ---------------------------------------------------------- */

static void spread_column(const spreading *s, const struct gt_back_view *w, size_t ix, size_t iy, double *q)
{
	const gt_fbp_plan *p = s->d->plan;
	const gt_grid *g = &p->grid;
	const double x = gt_grid_first(g, 0) + (double)ix * g->pitch[0], y = gt_grid_first(g, 1) + (double)iy * g->pitch[1];
	const size_t layer = g->n[0] * g->n[1], at = iy * g->n[0] + ix;
	double column = 0, row = 0, lambda = 1;
	struct gt_back_span a = { .first = 0, .end = g->n[2] };
	if (!p->tilted && (!gt_back_column(p->shape, w, x, y, &column, &lambda) || !(column >= 0 && column <= (double)(p->row.wide - 1)) ||
	                   !gt_back_find_span(p, w, lambda, &a)))
		return;
	for (size_t z = a.first; z < a.end; z++) {
		if (!p->tilted)
			row = a.row + (double)z * a.step;
		else if (!gt_back_point(w, x, y, gt_grid_first(g, 2) + (double)z * g->pitch[2], &column, &row, &lambda) ||
		         !gt_back_sees(column, row, p->row.wide, p->rows, p->clamp_rows))
			continue;
		const size_t k = (size_t)column < p->row.wide - 1 ? (size_t)column : p->row.wide - 2;
		gt_back_spread(p, k, column - (double)k, row, lambda * lambda * value_at(s->d->type, s->x, z * layer + at), q);
	}
}

/* Filter ------------------------------------------------------------------ */

/* Transposed filter: from a filtered row [wide], every p->rows-th of q, to line [columns] before the weights. */
static void unfilter(const transpose *d, const double *q, double *line)
{
	const gt_fbp_plan *p = d->plan;
	const gt_row_plan *r = &p->row;
	double tail[2] = { 0, 0 };
	memset(line, 0, (r->n + 2) * sizeof *line);
	for (size_t i = 0; i < r->wide; i++) {
		const double value = q[i * p->rows];
		line[i < r->lead ? r->n + i - r->lead : i - r->lead] += value;
		for (int e = 0; e < 2 && p->tail[0]; e++)
			tail[e] += p->tail[e][i] * value;
	}
	fftw_execute_dft_r2c(d->forth, line, (fftw_complex *)line);
	for (size_t k = 0; k <= r->n / 2; k++) {
		line[2 * k] *= p->response[k];
		line[2 * k + 1] *= p->response[k];
	}
	fftw_execute_dft_c2r(d->back, (fftw_complex *)line, line);
	const size_t edge = p->columns < GT_EDGE_PIXELS ? p->columns : GT_EDGE_PIXELS;
	for (size_t k = 0; k < edge; k++) {
		line[k] += tail[0] / (double)edge;
		line[p->columns - 1 - k] += tail[1] / (double)edge;
	}
}

static void put_row(const transpose *d, size_t view, size_t row, const double *line, void *y)
{
	const gt_fbp_plan *p = d->plan;
	const struct gt_back_view *w = &p->view[view];
	const double *gain = p->gain + w->table * p->columns, *slope = p->slope + w->table * p->columns;
	const size_t at = (view * p->rows + gt_back_row(w, p->rows, row)) * p->columns;
	for (size_t k = 0; k < p->columns; k++) {
		const double value = line[k] * gt_preweight_at(gain[k], slope[k], w->height + (double)row * p->row_pitch);
		if (d->type == GT_F32)
			((float *)y)[at + k] = (float)value;
		else
			((double *)y)[at + k] = value;
	}
}

void gt_fbp_cpu_unfilter(const void *state, size_t view, const double *q, double *line, void *data)
{
	const transpose *d = state;
	for (size_t l = 0; l < d->plan->rows; l++) {
		unfilter(d, q + l, line);
		put_row(d, view, l, line, data);
	}
}

static void spread_views(void *self, size_t begin, size_t end, int worker)
{
	const spreading *s = self;
	const transpose *d = s->d;
	const gt_fbp_plan *p = d->plan;
	const gt_grid *g = &p->grid;
	double *line = d->work + (size_t)worker * d->stride, *q = line + p->row.n + 2;
	for (size_t v = begin; v < end; v++) {
		memset(q, 0, p->row.wide * p->rows * sizeof *q);
		for (size_t iy = 0; iy < g->n[1]; iy++)
			for (size_t ix = 0; ix < g->n[0]; ix++)
				if (hypot(gt_grid_first(g, 0) + (double)ix * g->pitch[0] - p->center[0],
				          gt_grid_first(g, 1) + (double)iy * g->pitch[1] - p->center[1]) <= p->radius)
					spread_column(s, &p->view[v], ix, iy, q);
		gt_fbp_cpu_unfilter(d, v, q, line, s->y);
	}
}

static void run_(void *self, const void *x, void *data)
{
	const transpose *d = self;
	spreading s = { d, x, data };
	gt_parallel(d->be->pool, d->plan->views, 1, spread_views, &s);
}

static void close_(void *self)
{
	transpose *d = self;
	pthread_mutex_lock(&gt_fft_planner);
	if (d->forth)
		fftw_destroy_plan(d->forth);
	if (d->back)
		fftw_destroy_plan(d->back);
	pthread_mutex_unlock(&gt_fft_planner);
	gt_backend_free(d->be, d->work, d->bytes);
	free(d);
}

static gt_status open_(gt_backend *be, const gt_fbp_plan *plan, gt_type type, void **out)
{
	const int n = (int)plan->row.n;
	transpose *d = calloc(1, sizeof *d);
	gt_status st = GT_OK;
	if (!d)
		return gt_fail(GT_ERR_MEMORY, "no memory for the transpose of filtered backprojection");
	*d = (transpose){ .be = be, .plan = plan, .type = type, .stride = plan->row.n + 2 + plan->row.wide * plan->rows };
	d->bytes = d->stride * (size_t)gt_pool_threads(be->pool) * sizeof(double);
	if (!(d->work = gt_backend_alloc(be, d->bytes, "views of the transpose of filtered backprojection"))) {
		st = GT_ERR_MEMORY;
		goto done;
	}
	pthread_mutex_lock(&gt_fft_planner);
	d->forth = fftw_plan_dft_r2c_1d(n, d->work, (fftw_complex *)d->work, FFTW_ESTIMATE | FFTW_UNALIGNED);
	d->back = fftw_plan_dft_c2r_1d(n, (fftw_complex *)d->work, d->work, FFTW_ESTIMATE | FFTW_UNALIGNED);
	pthread_mutex_unlock(&gt_fft_planner);
	if (!d->forth || !d->back)
		st = gt_fail(GT_ERR_MEMORY, "no plan for transforms of %d samples", n);
done:
	if (st != GT_OK)
		close_(d);
	else
		*out = d;
	return st;
}

const struct gt_fbp_transpose gt_fbp_transpose_cpu = { open_, run_, close_ };
