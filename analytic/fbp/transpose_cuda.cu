/* Exact transpose of filtered backprojection on CUDA. Upright views in single precision are gathered by
 * gather_lines_cuda.cu. For others, each thread gathers adjacent samples of a filtered view by gather.h. Both are
 * reproducible. Then rows are filtered and weighted. Memory on the device: the filtered views of a batch, and the
 * records of all views, which are transferred once. */
#include <stdlib.h>
#include "analytic/fbp/fbp_cuda.cuh"
#include "analytic/fbp/gather.h"
#include "core/try.h"

/* Threads of a block. */
#define BLOCK_COLUMNS 32
#define BLOCK_ROWS 4

struct transpose {
	gt_backend *be;
	const gt_fbp_plan *plan;
	gt_type type;
	size_t batch;
	struct gt_row_filter *filter;
	struct gt_line_gather *lines; /* NULL: gather.h */
	void *filtered;               /* on the device, with sizes in bytes */
	struct gt_back_view *view;
	size_t filtered_bytes, view_bytes;
};

/* Views of the batch along y. */
template <typename T>
static __global__ void __launch_bounds__(BLOCK_COLUMNS *BLOCK_ROWS) gather_views(struct gt_back_grid grid, const T *x, T *filtered)
{
	const size_t k = blockIdx.x * (size_t)BLOCK_COLUMNS + threadIdx.x;
	const size_t l = (blockIdx.z * (size_t)BLOCK_ROWS + threadIdx.y) * GT_GATHER_ROWS;
	if (k >= grid.wide || l >= grid.rows)
		return;
	const struct gt_gather a = { &grid, grid.view + blockIdx.y, x, sizeof(T) == sizeof(float) ? GT_F32 : GT_F64, k, l };
	double sum[GT_GATHER_ROWS];
	gt_gather(&a, sum);
#pragma unroll
	for (int j = 0; j < GT_GATHER_ROWS; j++)
		if (l + j < grid.rows)
			filtered[(blockIdx.y * grid.rows + l + j) * grid.wide + k] = (T)sum[j];
}

static unsigned parts(size_t n, size_t size) { return (unsigned)((n + size - 1) / size); }

/* Rows vary slowest, so that the views of a batch share slices in the cache. */
static void gather(const struct transpose *t, size_t first, size_t n, const void *x)
{
	struct gt_back_grid grid = gt_plan_grid(t->plan);
	const dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);
	const dim3 blocks(parts(grid.wide, BLOCK_COLUMNS), (unsigned)n, parts(grid.rows, BLOCK_ROWS * GT_GATHER_ROWS));
	grid.view = t->view + first;
	if (t->type == GT_F32)
		gather_views<float><<<blocks, block, 0, gt_cuda_queue(t->be)>>>(grid, (const float *)x, (float *)t->filtered);
	else
		gather_views<double><<<blocks, block, 0, gt_cuda_queue(t->be)>>>(grid, (const double *)x, (double *)t->filtered);
	gt_cuda_check(t->be, cudaGetLastError(), "transposed backprojection");
}

static void run_(void *self, const void *x, void *data)
{
	const struct transpose *t = (const struct transpose *)self;
	for (size_t v = 0; v < t->plan->views && t->be->status == GT_OK; v += t->batch) {
		const size_t n = t->plan->views - v < t->batch ? t->plan->views - v : t->batch;
		if (t->lines)
			gt_line_gather_run(t->lines, v, n, t->view + v, x, t->filtered);
		else
			gather(t, v, n, x);
		gt_row_filter_back(t->filter, v, n, t->view + v, t->filtered, data);
	}
}

static void close_(void *self)
{
	struct transpose *t = (struct transpose *)self;
	gt_backend_wait(t->be);
	gt_row_filter_free(t->filter);
	gt_line_gather_free(t->lines);
	gt_backend_free(t->be, t->filtered, t->filtered_bytes);
	gt_backend_free(t->be, t->view, t->view_bytes);
	free(t);
}

static gt_status open_(gt_backend *be, const gt_fbp_plan *p, gt_type type, void **out)
{
	const size_t max_views = 65535; /* blocks along y */
	const size_t view = p->rows * p->row.wide * gt_type_size(type);
	struct transpose *t = (struct transpose *)calloc(1, sizeof *t);
	gt_status st = GT_OK;
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "no memory for the transpose of filtered backprojection");
	t->be = be;
	t->plan = p;
	t->type = type;
	t->batch = gt_fbp_batch(be, p, view);
	t->batch = t->batch < max_views ? t->batch : max_views;
	t->filtered_bytes = t->batch * view;
	t->view_bytes = p->views * sizeof *t->view;
	if (!(t->filtered = gt_backend_alloc(be, t->filtered_bytes, "filtered views of the transpose")) ||
	    !(t->view = (struct gt_back_view *)gt_backend_alloc(be, t->view_bytes, "table of views"))) {
		st = GT_ERR_MEMORY;
		goto done;
	}
	gt_backend_put(be, p->view, t->view, t->view_bytes);
	GT_TRY(gt_row_filter_new(be, p, type, NULL, t->batch, &t->filter));
	if (gt_line_gather_supports(p, type))
		GT_TRY(gt_line_gather_new(be, p, &t->lines));
	*out = t;
done:
	if (st != GT_OK)
		close_(t);
	return st;
}

extern "C" const struct gt_fbp_transpose gt_fbp_transpose_cuda = { open_, run_, close_ };
