/* Helical weighted filtered backprojection on CUDA. Data, parallel views and volume stay on the device; each batch
 * transfers one record per parallel view. The backprojection is in back_cuda.cu. */
#include <math.h>
#include <stdlib.h>
#include <gantry/constants.h>
#include "analytic/wfbp/wfbp_cuda.cuh"
#include "core/try.h"

#define LANES 128 /* threads of a block that rebins */

struct state {
	gt_backend *be;
	const gt_wfbp_plan *plan;
	gt_type type;
	struct gt_helix_device d;
	struct gt_helix_grid grid;
	gt_layout layout;
	struct gt_row_filter *filter;
	struct gt_helix_view *host; /* [batch] */
	/* On the device, with sizes in bytes. rebinned: reused after the filter as input of the backprojection. */
	void *tables, *rebinned, *filtered, *view, *back_view, *z, *list;
	size_t table_bytes, rebinned_bytes, filtered_bytes, view_bytes, back_view_bytes, z_bytes, list_bytes;
};

/* One column of a parallel view per thread, with all its rows. */
template <typename T> static __global__ void __launch_bounds__(LANES) rebin(struct gt_helix_device d, const T *data, T *out)
{
	const size_t columns = d.detector.columns, k = blockIdx.x * (size_t)LANES + threadIdx.x, v = blockIdx.y;
	if (k >= columns)
		return;
	const struct gt_helix_view *w = &d.view[v];
	const struct gt_helix_spot *spot = &d.spot[w->spot];
	out += v * d.rows * columns + k;
	if (!w->used) {
		for (size_t l = 0; l < d.rows; l++)
			out[l * columns] = 0;
		return;
	}
	const size_t at = w->spot * columns + k, next = d.spots * d.rows * d.source_columns;
	const double column = d.column[at];
	struct gt_helix_tap tap;
	double wide[4];
	gt_helix_find(d.direction + spot->first, d.height + spot->first, spot->views, d.sense * (w->direction - GT_PI - d.fan[at]), &tap);
	const size_t c = gt_helix_first(column > 0 ? (size_t)column : 0, d.source_columns);
	gt_lagrange_pixels(c, column, wide);
	d.z[v * columns + k] = tap.z;
	T along[4], across[4];
	for (int i = 0; i < 4; i++) {
		along[i] = (T)tap.weight[i];
		across[i] = (T)wide[i];
	}
	const T *in = data + w->spot * d.rows * d.source_columns + tap.first * next + c;
	for (size_t l = 0; l < d.rows; l++, in += d.source_columns) {
		T sum = 0;
#pragma unroll
		for (int i = 0; i < 4; i++) {
			const T *q = in + i * next;
			sum += along[i] * (across[0] * q[0] + across[1] * q[1] + across[2] * q[2] + across[3] * q[3]);
		}
		out[l * columns] = sum;
	}
}

/* Clears one slice. */
template <typename T> static __global__ void clear(size_t n, T *x)
{
	const size_t i = blockIdx.x * (size_t)LANES + threadIdx.x;
	if (i < n)
		x[i] = 0;
}

/* The table ------------------------------------------------------------- */

template <typename T> static void clear_incomplete(struct state *s, T *x)
{
	const gt_grid *g = &s->plan->grid;
	const size_t slice = g->n[0] * g->n[1];
	for (size_t z = 0; z < g->n[2] && !s->plan->extend; z++)
		if (s->plan->incomplete[z]) {
			clear<T><<<(unsigned)((slice + LANES - 1) / LANES), LANES, 0, gt_cuda_queue(s->be)>>>(slice, x + z * slice);
			gt_cuda_check(s->be, cudaGetLastError(), "helical backprojection: incomplete slices");
		}
}

static void back_(void *self, size_t, size_t n, void *x)
{
	struct state *s = (struct state *)self;
	if (s->be->status != GT_OK)
		return;
	const struct gt_helix_backproject backproject = { s->d,        s->grid,     n, s->plan->filter->row.wide, s->layout.pitch,
		                                          s->filtered, s->rebinned, x, (unsigned *)s->list };
	gt_helix_backproject_run(s->be, s->type, &backproject);
	if (s->type == GT_F32)
		clear_incomplete<float>(s, (float *)x);
	else
		clear_incomplete<double>(s, (double *)x);
}

/* Views per launch: the grid of blocks is limited along y. */
#define MAX_VIEWS ((size_t)32768)

template <typename T> static void run_rebin(struct state *s, size_t views, const T *data)
{
	const size_t columns = s->plan->detector.columns;
	for (size_t v = 0; v < views; v += MAX_VIEWS) {
		const dim3 blocks((unsigned)((columns + LANES - 1) / LANES), (unsigned)(views - v < MAX_VIEWS ? views - v : MAX_VIEWS));
		struct gt_helix_device d = s->d;
		d.view += v;
		d.z += v * columns;
		rebin<T><<<blocks, LANES, 0, gt_cuda_queue(s->be)>>>(d, data, (T *)s->rebinned + v * s->plan->rows * columns);
		gt_cuda_check(s->be, cudaGetLastError(), "helical: parallel views");
	}
}

static void filter_(void *self, size_t first, size_t n, const void *data)
{
	struct state *s = (struct state *)self;
	const size_t views = n * s->plan->turns;
	if (s->be->status != GT_OK)
		return;
	for (size_t i = 0; i < views; i++)
		s->host[i] = gt_wfbp_view(s->plan, first, i);
	gt_backend_put(s->be, s->host, s->view, views * sizeof *s->host);
	if (s->type == GT_F32)
		run_rebin<float>(s, views, (const float *)data);
	else
		run_rebin<double>(s, views, (const double *)data);
	gt_row_filter_run(s->filter, 0, views, (const struct gt_back_view *)s->back_view, s->rebinned, s->filtered);
}

static void close_(void *self)
{
	struct state *s = (struct state *)self;
	gt_backend_wait(s->be);
	gt_row_filter_free(s->filter);
	gt_backend_free(s->be, s->tables, s->table_bytes);
	gt_backend_free(s->be, s->rebinned, s->rebinned_bytes);
	gt_backend_free(s->be, s->filtered, s->filtered_bytes);
	gt_backend_free(s->be, s->view, s->view_bytes);
	gt_backend_free(s->be, s->back_view, s->back_view_bytes);
	gt_backend_free(s->be, s->z, s->z_bytes);
	gt_backend_free(s->be, s->list, s->list_bytes);
	free(s->host);
	free(s);
}

static size_t view_bytes_(const gt_wfbp_plan *p, gt_type type)
{
	return 2 * (p->detector.columns + 2) * (p->rows + 2) * gt_type_size(type) + p->detector.columns * sizeof(double);
}

/* Copies tables of the scan in sequence; returns the address of the next. */
static double *put_table(struct state *s, const double *from, size_t n, double *to)
{
	gt_backend_put(s->be, from, to, n * sizeof *from);
	return to + n;
}

static void put_tables(struct state *s)
{
	const gt_wfbp_plan *p = s->plan;
	const size_t pixels = p->spots * p->detector.columns, views = p->source_views;
	double *at = (double *)s->tables;
	s->d.direction = at;
	s->d.height = at = put_table(s, p->direction, views, at);
	s->d.fan = at = put_table(s, p->z, views, at);
	s->d.column = at = put_table(s, p->fan, pixels, at);
	s->d.reach = at = put_table(s, p->column, pixels, at);
	at = put_table(s, p->reach, pixels, at);
	s->d.spot = (const struct gt_helix_spot *)at;
	gt_backend_put(s->be, p->spot, at, sizeof p->spot);
	gt_backend_put(s->be, p->filter->view, s->back_view, s->back_view_bytes);
}

static double margin_of(const gt_wfbp_plan *p)
{
	double far = 0, margin = 0;
	for (int i = 0; i < 4; i++) {
		double corner[2];
		for (int a = 0; a < 2; a++)
			corner[a] = gt_grid_first(&p->grid, a) + (i >> a & 1 ? (double)(p->grid.n[a] - 1) * p->grid.pitch[a] : 0) -
			            p->detector.center[a];
		far = fmax(far, hypot(corner[0], corner[1]));
	}
	for (size_t c = 0; c < p->spots; c++) {
		const struct gt_helix_spot *spot = &p->spot[c];
		const double middle = ((double)p->rows - 1) / 2, rows = (double)p->rows / 2 + fabs(spot->row0 - middle);
		for (size_t k = 0; k < p->detector.columns; k++)
			margin = fmax(margin, rows / spot->per_row * (spot->distance + far) / p->reach[c * p->detector.columns + k]);
	}
	return margin;
}

static void fill_in(struct state *s)
{
	const gt_wfbp_plan *p = s->plan;
	s->d.detector = p->detector;
	s->d.rows = p->rows;
	s->d.source_columns = p->source_columns;
	s->d.spots = p->spots;
	s->d.turns = p->turns;
	s->d.sense = p->sense;
	s->d.view = (const struct gt_helix_view *)s->view;
	s->d.z = (double *)s->z;
	for (int a = 0; a < 3; a++) {
		s->grid.n[a] = p->grid.n[a];
		s->grid.first[a] = gt_grid_first(&p->grid, a);
		s->grid.pitch[a] = p->grid.pitch[a];
	}
	s->grid.radius = p->radius;
	s->grid.margin = margin_of(p);
	s->grid.flat = p->flat;
	s->grid.extend = p->extend;
}

static gt_status open_(gt_backend *be, const gt_wfbp_plan *p, gt_type type, void **out)
{
	struct state *s = (struct state *)calloc(1, sizeof *s);
	const size_t views = p->batch * p->turns, columns = p->detector.columns, element = gt_type_size(type),
		     lines = gt_helix_lines_bytes(views, p->rows, p->filter->row.wide, type);
	gt_status st = GT_OK;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "wfbp: no memory");
	s->be = be;
	s->plan = p;
	s->type = type;
	s->layout = { 0, p->filter->row.wide, 0 };
	s->host = (struct gt_helix_view *)malloc(views * sizeof *s->host);
	s->table_bytes = 2 * p->source_views * sizeof(double) + 3 * p->spots * columns * sizeof(double) + sizeof p->spot;
	s->rebinned_bytes = views * p->rows * columns * element;
	s->rebinned_bytes = s->rebinned_bytes > lines ? s->rebinned_bytes : lines;
	s->filtered_bytes = views * p->rows * s->layout.pitch * element;
	s->view_bytes = views * sizeof *s->host;
	s->back_view_bytes = views * sizeof *p->filter->view;
	s->z_bytes = views * columns * sizeof(double);
	s->list_bytes = gt_helix_list_bytes(views, p->grid.n[2]);
	if (!s->host)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "wfbp: no memory for %zu views", views));
	if (!(s->tables = gt_backend_alloc(be, s->table_bytes, "tables of the helix")) ||
	    !(s->rebinned = gt_backend_alloc(be, s->rebinned_bytes, "parallel views")) ||
	    !(s->filtered = gt_backend_alloc(be, s->filtered_bytes, "filtered views")) ||
	    !(s->view = gt_backend_alloc(be, s->view_bytes, "table of views")) ||
	    !(s->back_view = gt_backend_alloc(be, s->back_view_bytes, "table of views")) ||
	    !(s->z = gt_backend_alloc(be, s->z_bytes, "heights of sources")) ||
	    !(s->list = gt_backend_alloc(be, s->list_bytes, "views near slices"))) {
		st = GT_ERR_MEMORY;
		goto done;
	}
	fill_in(s);
	put_tables(s);
	GT_TRY(gt_row_filter_new(be, p->filter, type, &s->layout, views, &s->filter));
	*out = s;
done:
	if (st != GT_OK)
		close_(s);
	return st;
}

extern "C" const struct gt_wfbp_impl gt_wfbp_cuda = { view_bytes_, open_, filter_, back_, close_ };
