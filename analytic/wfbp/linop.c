/* wfbp as a linear operator: rebinning, filter and backprojection of the direct method, and their transposes. Memory:
 * the plan, and the parallel views of a batch for either direction. */
#include <stdlib.h>
#include "analytic/wfbp/wfbp.h"
#include "core/try.h"

static const struct gt_wfbp_impl *const impls[GT_NBACKENDS] = { &gt_wfbp_cpu, GT_IF_CUDA(&gt_wfbp_cuda) };
static const struct gt_wfbp_transpose *const transposes[GT_NBACKENDS] = { &gt_wfbp_transpose_cpu, GT_IF_CUDA(&gt_wfbp_transpose_cuda) };

struct helical {
	gt_backend *be;
	gt_wfbp_plan *plan;
	void *state, *transpose;
	size_t scan_views;
};

static void forward(void *self, const gt_array *y, gt_array *x)
{
	const struct helical *h = self;
	const struct gt_wfbp_impl *impl = impls[h->be->kind];
	gt_fill(0, x);
	for (size_t b = 0; b < h->plan->bins && gt_backend_begin(h->be); b += h->plan->batch) {
		const size_t n = h->plan->bins - b < h->plan->batch ? h->plan->bins - b : h->plan->batch;
		impl->filter(h->state, b, n, gt_wfbp_used(h->plan, y));
		impl->back(h->state, b, n, x->data);
		gt_backend_end(h->be);
	}
}

static void adjoint(void *self, const gt_array *x, gt_array *y)
{
	const struct helical *h = self;
	if (!gt_backend_begin(h->be))
		return;
	if (h->plan->source_views < h->scan_views)
		gt_fill(0, y);
	transposes[h->be->kind]->run(h->transpose, x->data, gt_wfbp_used(h->plan, y));
	gt_backend_end(h->be);
}

static void drop(void *self)
{
	struct helical *h = self;
	if (h->state)
		impls[h->be->kind]->close(h->state);
	if (h->transpose)
		transposes[h->be->kind]->close(h->transpose);
	gt_wfbp_plan_free(h->plan);
	free(h);
}

gt_status gt_wfbp_linop(gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan, const gt_wfbp_options *o, gt_linop **A)
{
	static const struct gt_linop_ops ops = { "helical filtered backprojection", forward, adjoint, drop };
	struct helical *h = NULL;
	gt_status st = GT_OK;
	if (!(h = calloc(1, sizeof *h)))
		return gt_fail(GT_ERR_MEMORY, "no memory for wfbp");
	h->be = be;
	h->scan_views = scan->views;
	GT_TRY(gt_wfbp_plan_used(be, grid, scan, o, &h->plan));
	GT_TRY(gt_wfbp_open(be, h->plan, o, scan->row_pitch, type, 1, &h->state));
	GT_TRY(transposes[be->kind]->open(be, h->plan, type, &h->transpose));
	return gt_linop_new(&ops, h, be, type, gt_scan_size(scan), gt_grid_voxels(grid), A);
done:
	drop(h);
	return st;
}
