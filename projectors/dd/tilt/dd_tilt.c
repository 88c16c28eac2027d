/* The distance-driven pair for tilted detectors as an operator: tables and lists on the backend. Memory: 40 bytes for
 * each column (or row) of a view, and the scratch of the kernels. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "projectors/kit/operator.h"
#include "projectors/dd/tilt/dd_tilt_operator.h"

struct tilt {
	gt_backend *be;
	gt_type type;
	const struct gt_dd_tilt_impl *impl;
	gt_dd_tilt_plan plan;
	size_t view_bytes, edge_bytes, strip_bytes;
	int has_scratch;
};

static const struct gt_dd_tilt_impl *const impls[GT_NBACKENDS] = { &gt_dd_tilt_cpu, GT_IF_CUDA(&gt_dd_tilt_cuda) };

static void forward(void *self, const gt_array *x, gt_array *y)
{
	const struct tilt *p = self;
	p->impl->forward(p->be, &p->plan, p->type, x->data, y->data);
}

static void adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct tilt *p = self;
	p->impl->adjoint(p->be, &p->plan, p->type, y->data, x->data);
}

static void destroy(void *self)
{
	struct tilt *p = self;
	gt_backend_free(p->be, (void *)p->plan.d.view, p->view_bytes);
	gt_backend_free(p->be, (void *)p->plan.d.edge, p->edge_bytes);
	gt_backend_free(p->be, (void *)p->plan.d.strip, p->strip_bytes);
	gt_backend_free(p->be, (void *)p->plan.order, p->plan.d.views * sizeof *p->plan.order);
	if (p->has_scratch)
		gt_scratch_release(p->be);
	free(p);
}

/* Fills the tables on the host and uploads them. */
static gt_status fill_tables(const char *name, const gt_scan *scan, const gt_grid *g, struct tilt *p)
{
	static const char what[] = "tables of the distance-driven projector";
	const size_t longest = p->plan.d.longest;
	gt_status st = GT_OK;
	p->view_bytes = scan->views * sizeof(gt_dd_pose);
	p->edge_bytes = scan->views * (longest + 1) * sizeof(gt_dd_tilt_edge);
	p->strip_bytes = scan->views * longest * sizeof(gt_dd_tilt_strip);
	gt_dd_pose *view = calloc(scan->views, sizeof *view);
	gt_dd_tilt_edge *edge = calloc(scan->views * (longest + 1), sizeof *edge);
	gt_dd_tilt_strip *strip = calloc(scan->views * longest, sizeof *strip);
	size_t *order = malloc(scan->views * sizeof *order);
	if (!view || !edge || !strip || !order)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", name, scan->views));
	GT_TRY(gt_dd_tilt_fill(p->be->pool, name, scan, g, view, edge, strip));
	for (size_t v = 0; v < scan->views; v++) {
		p->plan.d.strips = p->plan.d.strips > view[v].strips ? p->plan.d.strips : view[v].strips;
		p->plan.d.pieces = p->plan.d.pieces > view[v].pieces ? p->plan.d.pieces : view[v].pieces;
		p->plan.rows = fmax(p->plan.rows, gt_dd_tilt_rows(&view[v], strip + v * longest));
	}
	for (size_t v = 0; v < scan->views; v++)
		if (view[v].axis == 0)
			order[p->plan.count[0]++] = v;
	for (size_t v = 0; v < scan->views; v++)
		if (view[v].axis == 1)
			order[p->plan.count[0] + p->plan.count[1]++] = v;
	if (!(p->plan.order = gt_projector_upload(p->be, order, scan->views * sizeof *order, what)) ||
	    !(p->plan.d.view = gt_projector_upload(p->be, view, p->view_bytes, what)) ||
	    !(p->plan.d.edge = gt_projector_upload(p->be, edge, p->edge_bytes, what)) ||
	    !(p->plan.d.strip = gt_projector_upload(p->be, strip, p->strip_bytes, what)))
		GT_TRY(GT_ERR_MEMORY);
done:
	free(view);
	free(edge);
	free(strip);
	free(order);
	return st;
}

/* Limits scratch to a quarter of the available memory, or to `memory` MiB if that is less. */
static void set_limit(struct tilt *p, double memory)
{
	size_t available = 0, total = 0;
	gt_backend_memory(p->be, &available, &total);
	p->plan.limit = available / 4;
	if (memory * 1048576 < (double)p->plan.limit)
		p->plan.limit = (size_t)(memory * 1048576);
}

gt_status gt_dd_tilt_make(const char *name, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan, double memory,
                          gt_linop **A)
{
	static const struct gt_linop_ops ops = { "dd", forward, adjoint, destroy };
	gt_status st = gt_projector_check_sizes(name, g, scan);
	if (st != GT_OK)
		return st;
	struct tilt *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", name);
	p->be = be;
	p->type = type;
	p->impl = impls[be->kind];
	p->plan.d = (gt_dd_tilt){ .rows = (int)scan->rows, .columns = (int)scan->columns, .views = scan->views };
	p->plan.d.longest = scan->rows > scan->columns ? scan->rows : scan->columns;
	for (int a = 0; a < 3; a++) {
		p->plan.d.n[a] = (int)g->n[a];
		p->plan.d.pitch[a] = g->pitch[a];
	}
	GT_TRY(fill_tables(name, scan, g, p));
	set_limit(p, memory);
	GT_TRY(gt_scratch_reserve(be, p->impl->scratch(be, &p->plan, type), "scratch of the distance-driven projector"));
	p->has_scratch = 1;
	st = gt_linop_new(&ops, p, be, type, gt_grid_voxels(g), gt_scan_size(scan), A);
	p = NULL;
done:
	if (p)
		destroy(p);
	return st;
}
