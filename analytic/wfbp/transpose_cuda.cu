/* Exact transpose of wfbp on CUDA, a batch of bins at a time: backprojection (gather_cuda.cu), filter of rows, and
 * rebinning (rebin_transpose_cuda.cu). Data and volume stay on the device; each batch transfers one record per parallel
 * view. Memory on the device: the parallel views of a batch before and after the filter, and a copy of the volume for
 * each bin in progress. */
#include <stdlib.h>
#include "analytic/wfbp/wfbp_cuda.cuh"
#include "core/try.h"

struct transpose {
	gt_backend *be;
	const gt_wfbp_plan *plan;
	gt_type type;
	struct gt_helix_tables tables;
	struct gt_helix_gather gather;
	struct gt_helix_unbin unbin;
	struct gt_row_filter *filter;
	void *filtered, *parallel; /* on the device, with sizes in bytes */
	size_t filtered_bytes, parallel_bytes;
};

static void run_(void *self, const void *x, void *data)
{
	struct transpose *t = (struct transpose *)self;
	const gt_wfbp_plan *p = t->plan;
	const size_t bytes = p->source_views * p->rows * p->source_columns * gt_type_size(t->type);
	if (t->be->status != GT_OK || gt_cuda_check(t->be, cudaMemsetAsync(data, 0, bytes, gt_cuda_queue(t->be)), "transpose of wfbp"))
		return;
	for (size_t first = 0; first < p->bins && t->be->status == GT_OK; first += p->batch) {
		const size_t n = p->bins - first < p->batch ? p->bins - first : p->batch;
		const size_t views = gt_helix_tables_send(&t->tables, first, n);
		gt_helix_unbin_prepare(t->be, &t->unbin, views);
		gt_helix_gather_run(t->be, &t->gather, n, x, t->filtered);
		gt_row_filter_back(t->filter, 0, views, t->tables.back_view, t->filtered, t->parallel);
		gt_helix_unbin_run(t->be, &t->unbin, first, n, t->parallel, data);
	}
}

static void close_(void *self)
{
	struct transpose *t = (struct transpose *)self;
	gt_backend_wait(t->be);
	gt_row_filter_free(t->filter);
	gt_helix_gather_close(t->be, &t->gather);
	gt_helix_unbin_close(t->be, &t->unbin);
	gt_helix_tables_close(&t->tables);
	gt_backend_free(t->be, t->filtered, t->filtered_bytes);
	gt_backend_free(t->be, t->parallel, t->parallel_bytes);
	free(t);
}

static gt_status open_(gt_backend *be, const gt_wfbp_plan *p, gt_type type, void **out)
{
	const size_t rows = p->batch * p->turns * p->rows, element = gt_type_size(type);
	struct transpose *t = (struct transpose *)calloc(1, sizeof *t);
	gt_status st = GT_OK;
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "no memory for the transpose of wfbp");
	t->be = be;
	t->plan = p;
	t->type = type;
	t->filtered_bytes = rows * p->filter->row.wide * element;
	t->parallel_bytes = rows * p->detector.columns * element;
	GT_TRY(gt_helix_tables_open(be, p, &t->tables));
	GT_TRY(gt_helix_unbin_open(be, &t->tables, type, &t->unbin));
	if (!(t->filtered = gt_backend_alloc(be, t->filtered_bytes, "filtered views of the transpose")) ||
	    !(t->parallel = gt_backend_alloc(be, t->parallel_bytes, "parallel views of the transpose"))) {
		st = GT_ERR_MEMORY;
		goto done;
	}
	GT_TRY(gt_row_filter_new(be, p->filter, type, NULL, p->batch * p->turns, &t->filter));
	GT_TRY(gt_helix_gather_open(be, &t->tables, type, &t->gather));
	*out = t;
done:
	if (st != GT_OK)
		close_(t);
	return st;
}

extern "C" const struct gt_wfbp_transpose gt_wfbp_transpose_cuda = { open_, run_, close_ };
