/* Filtered backprojection as a linear operator: the direct method's filter and backprojection, and their transposes.
 * Memory: the plan, and on the backend the filtered views of both directions. */
#include <stdlib.h>
#include "analytic/wfbp/wfbp.h"
#include "core/arguments.h"
#include "core/try.h"

static const struct gt_fbp_impl *const impls[GT_NBACKENDS] = { &gt_fbp_cpu, GT_IF_CUDA(&gt_fbp_cuda) };
static const struct gt_fbp_transpose *const transposes[GT_NBACKENDS] = { &gt_fbp_transpose_cpu, GT_IF_CUDA(&gt_fbp_transpose_cuda) };

typedef struct {
	gt_backend *be;
	gt_fbp_plan *plan;
	void *state, *transpose;
	size_t batch;
} direct;

static void forward(void *self, const gt_array *y, gt_array *x)
{
	const direct *d = self;
	const struct gt_fbp_impl *impl = impls[d->be->kind];
	gt_fill(0, x);
	for (size_t v = 0; v < d->plan->views && gt_backend_begin(d->be); v += d->batch) {
		const size_t n = d->plan->views - v < d->batch ? d->plan->views - v : d->batch;
		impl->filter(d->state, v, n, y->data);
		impl->back(d->state, v, n, x->data);
		gt_backend_end(d->be);
	}
}

static void adjoint(void *self, const gt_array *x, gt_array *y)
{
	const direct *d = self;
	if (!gt_backend_begin(d->be))
		return;
	transposes[d->be->kind]->run(d->transpose, x->data, y->data);
	gt_backend_end(d->be);
}

static void drop(void *self)
{
	direct *d = self;
	if (!d)
		return;
	if (d->state)
		impls[d->be->kind]->close(d->state);
	if (d->transpose)
		transposes[d->be->kind]->close(d->transpose);
	gt_fbp_plan_free(d->plan);
	free(d);
}

static gt_status supported(const gt_analytic *m, const gt_fbp_options *o)
{
	if (m != &gt_analytic_fdk && m != &gt_analytic_fbp)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s has no transpose: expected fdk, fbp or wfbp", m->name);
	if (o->kernel >= GT_KERNEL_STRIDED)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: kernel=%s has no transpose: it interpolates with 8 bits; expected kernel=auto",
		               m->name, gt_kernel_names[o->kernel]);
	return GT_OK;
}

gt_status gt_analytic_linop(const gt_analytic *m, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                            const void *options, gt_linop **A)
{
	static const struct gt_linop_ops ops = { "filtered backprojection", forward, adjoint, drop };
	direct *d = NULL;
	gt_status st = GT_OK;
	GT_NEED(m);
	GT_NEED(be);
	GT_NEED(grid);
	GT_NEED(scan);
	GT_NEED(A);
	const void *o = options ? options : m->defaults;
	if (m != &gt_analytic_wfbp)
		GT_TRY(supported(m, o));
	GT_TRY(gt_scan_check(scan));
	GT_TRY(gt_grid_check(grid, scan));
	if (m->check)
		GT_TRY(m->check(scan));
	if (m == &gt_analytic_wfbp) {
		gt_backend_lock(be);
		st = gt_wfbp_linop(be, type, grid, scan, o, A);
		gt_backend_unlock(be);
		return st;
	}
	if (!(d = calloc(1, sizeof *d)))
		return gt_fail(GT_ERR_MEMORY, "no memory for %s", m->name);
	d->be = be;
	gt_backend_lock(be);
	st = gt_fbp_plan_new(m->name, grid, scan, o, be->pool, &d->plan);
	if (st == GT_OK)
		st = impls[be->kind]->open(be, d->plan, type, &d->batch, &d->state);
	if (st == GT_OK)
		st = transposes[be->kind]->open(be, d->plan, type, &d->transpose);
	if (st != GT_OK)
		drop(d);
	gt_backend_unlock(be);
	if (st == GT_OK)
		st = gt_linop_new(&ops, d, be, type, gt_scan_size(scan), gt_grid_voxels(grid), A);
done:
	return st;
}
