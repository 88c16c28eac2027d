/* Helical weighted filtered backprojection on CUDA. Data, parallel views and volume stay on the device; each batch
 * transfers one record per parallel view. The backprojection is in back_cuda.cu. */
#include <stdlib.h>
#include "analytic/wfbp/wfbp_cuda.cuh"
#include "core/try.h"

#define LANES 128 /* threads of a block that rebins */

struct state {
	gt_backend *be;
	const gt_wfbp_plan *plan;
	gt_type type;
	struct gt_helix_tables tables;
	gt_layout layout;
	struct gt_row_filter *filter;
	/* On the device, with sizes in bytes. rebinned: reused after the filter as input of the backprojection. */
	void *rebinned, *filtered, *list;
	size_t rebinned_bytes, filtered_bytes, list_bytes;
};

/* One column of a parallel view per thread, with all its rows. */
template <typename T> static __global__ void __launch_bounds__(LANES) rebin(struct gt_helix_device d, const T *data, T *out)
{
	const size_t columns = d.detector.columns, k = blockIdx.x * (size_t)LANES + threadIdx.x, v = blockIdx.y;
	if (k >= columns)
		return;
	const struct gt_helix_view *w = &d.view[v];
	out += v * d.rows * columns + k;
	if (!w->used) {
		for (size_t l = 0; l < d.rows; l++)
			out[l * columns] = 0;
		return;
	}
	const size_t next = d.spots * d.rows * d.source_columns;
	struct gt_helix_tap tap;
	double wide[4];
	const size_t c = gt_helix_pixels(d, w->spot, k, wide);
	gt_helix_ray(d, w, k, &tap);
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
	const struct gt_helix_backproject backproject = { s->tables.d, s->tables.grid, n, s->plan->filter->row.wide, s->layout.pitch,
		                                          s->filtered, s->rebinned,    x, (unsigned *)s->list };
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
		struct gt_helix_device d = s->tables.d;
		d.view += v;
		d.z += v * columns;
		rebin<T><<<blocks, LANES, 0, gt_cuda_queue(s->be)>>>(d, data, (T *)s->rebinned + v * s->plan->rows * columns);
		gt_cuda_check(s->be, cudaGetLastError(), "helical: parallel views");
	}
}

static void filter_(void *self, size_t first, size_t n, const void *data)
{
	struct state *s = (struct state *)self;
	if (s->be->status != GT_OK)
		return;
	const size_t views = gt_helix_tables_send(&s->tables, first, n);
	if (s->type == GT_F32)
		run_rebin<float>(s, views, (const float *)data);
	else
		run_rebin<double>(s, views, (const double *)data);
	gt_row_filter_run(s->filter, 0, views, s->tables.back_view, s->rebinned, s->filtered);
}

static void close_(void *self)
{
	struct state *s = (struct state *)self;
	gt_backend_wait(s->be);
	gt_row_filter_free(s->filter);
	gt_helix_tables_close(&s->tables);
	gt_backend_free(s->be, s->rebinned, s->rebinned_bytes);
	gt_backend_free(s->be, s->filtered, s->filtered_bytes);
	gt_backend_free(s->be, s->list, s->list_bytes);
	free(s);
}

static size_t view_bytes_(const gt_wfbp_plan *p, gt_type type)
{
	return 2 * (p->detector.columns + 2) * (p->rows + 2) * gt_type_size(type) + p->detector.columns * sizeof(double);
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
	s->rebinned_bytes = views * p->rows * columns * element;
	s->rebinned_bytes = s->rebinned_bytes > lines ? s->rebinned_bytes : lines;
	s->filtered_bytes = views * p->rows * s->layout.pitch * element;
	s->list_bytes = gt_helix_list_bytes(views, p->grid.n[2]);
	GT_TRY(gt_helix_tables_open(be, p, &s->tables));
	if (!(s->rebinned = gt_backend_alloc(be, s->rebinned_bytes, "parallel views")) ||
	    !(s->filtered = gt_backend_alloc(be, s->filtered_bytes, "filtered views")) ||
	    !(s->list = gt_backend_alloc(be, s->list_bytes, "views near slices"))) {
		st = GT_ERR_MEMORY;
		goto done;
	}
	GT_TRY(gt_row_filter_new(be, p->filter, type, &s->layout, views, &s->filter));
	*out = s;
done:
	if (st != GT_OK)
		close_(s);
	return st;
}

extern "C" const struct gt_wfbp_impl gt_wfbp_cuda = { view_bytes_, open_, filter_, back_, close_ };
