/* Derivative of the distance-driven projections by the motions of the views: tables and the operator. Memory: the
 * tables of dd_tilt.c, and 360 bytes for each column (or row) of a view. If the transpose visits voxels, also the
 * projector and one set of projections. */
#include <stdlib.h>
#include <gantry/array.h>
#include <gantry/threads.h>
#include "core/try.h"
#include "projectors/dd/tilt/dd_derivative.h"
#include "projectors/kit/operator.h"

struct derivative {
	gt_dd_derivative d; /* first: the functions of the backend get its address */
	size_t view_bytes, edge_bytes, strip_bytes, by_view_bytes, by_edge_bytes, by_strip_bytes;
};

void gt_dd_derivative_free(void *self)
{
	struct derivative *p = self;
	gt_backend *be = p->d.be;
	gt_backend_free(be, (void *)p->d.d.view, p->view_bytes);
	gt_backend_free(be, (void *)p->d.d.edge, p->edge_bytes);
	gt_backend_free(be, (void *)p->d.d.strip, p->strip_bytes);
	gt_backend_free(be, p->d.by.view, p->by_view_bytes);
	gt_backend_free(be, p->d.by.edge, p->by_edge_bytes);
	gt_backend_free(be, p->d.by.strip, p->by_strip_bytes);
	gt_linop_free(p->d.projector);
	gt_array_free(p->d.projections);
	free(p);
}

/* Tables on the host. */
struct tables {
	gt_dd_pose *view;
	gt_dd_tilt_edge *edge;
	gt_dd_tilt_strip *strip;
	gt_dd_velocities by;
};

static gt_status upload(struct derivative *p, const struct tables *h)
{
	static const char what[] = "tables of the derivative by motions";
	gt_backend *be = p->d.be;
	if (!(p->d.d.view = gt_projector_upload(be, h->view, p->view_bytes, what)) ||
	    !(p->d.d.edge = gt_projector_upload(be, h->edge, p->edge_bytes, what)) ||
	    !(p->d.d.strip = gt_projector_upload(be, h->strip, p->strip_bytes, what)) ||
	    !(p->d.by.view = gt_projector_upload(be, h->by.view, p->by_view_bytes, what)) ||
	    !(p->d.by.edge = gt_projector_upload(be, h->by.edge, p->by_edge_bytes, what)) ||
	    !(p->d.by.strip = gt_projector_upload(be, h->by.strip, p->by_strip_bytes, what)))
		return GT_ERR_MEMORY;
	return GT_OK;
}

/* A loop over views: their derivatives. */
struct fill_job {
	const gt_scan *scan;
	const gt_grid *grid;
	size_t longest;
	const struct tables *h;
};
static void fill_views(void *self, size_t v, size_t end, int worker)
{
	const struct fill_job *j = self;
	const struct tables *h = j->h;
	(void)worker;
	for (; v < end; v++) {
		const gt_dd_velocities by = { h->by.view + v * GT_DD_OF_VIEW * GT_VELOCITIES,
			                      h->by.edge + v * (j->longest + 1) * GT_DD_OF_EDGE * GT_VELOCITIES,
			                      h->by.strip + v * j->longest * GT_DD_OF_STRIP * GT_VELOCITIES };
		gt_dd_tilt_fill_by(j->scan, j->grid, v, &h->view[v], &by);
	}
}

static gt_status fill_tables(const gt_scan *scan, const gt_grid *g, struct derivative *p, int *even)
{
	const size_t longest = p->d.d.longest, views = scan->views, velocities = GT_VELOCITIES * sizeof(double);
	gt_status st = GT_OK;
	p->view_bytes = views * sizeof(gt_dd_pose);
	p->edge_bytes = views * (longest + 1) * sizeof(gt_dd_tilt_edge);
	p->strip_bytes = views * longest * sizeof(gt_dd_tilt_strip);
	p->by_view_bytes = views * GT_DD_OF_VIEW * velocities;
	p->by_edge_bytes = views * (longest + 1) * GT_DD_OF_EDGE * velocities;
	p->by_strip_bytes = views * longest * GT_DD_OF_STRIP * velocities;
	struct tables h = { calloc(1, p->view_bytes),
		            calloc(1, p->edge_bytes),
		            calloc(1, p->strip_bytes),
		            { calloc(1, p->by_view_bytes), calloc(1, p->by_edge_bytes), calloc(1, p->by_strip_bytes) } };
	if (!h.view || !h.edge || !h.strip || !h.by.view || !h.by.edge || !h.by.strip)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "dd: no memory for the derivative by motions of %zu views", views));
	GT_TRY(gt_dd_tilt_fill(p->d.be->pool, "dd", scan, g, h.view, h.edge, h.strip));
	for (size_t v = 0; v < views; v++) {
		p->d.d.strips = p->d.d.strips > h.view[v].strips ? p->d.d.strips : h.view[v].strips;
		p->d.d.pieces = p->d.d.pieces > h.view[v].pieces ? p->d.d.pieces : h.view[v].pieces;
	}
	p->d.level = 1;
	for (size_t e = 0; e < views * (longest + 1); e++)
		p->d.level &= h.edge[e].slope == 0;
	*even = 1;
	for (size_t k = 0; k < views * longest; k++)
		*even &= h.strip[k].C == 0;
	struct fill_job job = { scan, g, longest, &h };
	gt_parallel(p->d.be->pool, views, 1, fill_views, &job);
	GT_TRY(upload(p, &h));
done:
	free(h.view);
	free(h.edge);
	free(h.strip);
	free(h.by.view);
	free(h.by.edge);
	free(h.by.strip);
	return st;
}

/* Prepares the transpose to visit voxels, if the memory is sufficient. */
static gt_status visit_voxels(const gt_grid *g, const gt_scan *scan, const void *options, gt_dd_projector_of make, struct derivative *p)
{
	gt_status st = make(p->d.be, p->d.type, g, scan, options, &p->d.projector);
	if (st == GT_OK)
		st = gt_array_new(p->d.be, p->d.type, gt_scan_size(scan), &p->d.projections);
	if (st != GT_ERR_MEMORY)
		return st;
	gt_linop_free(p->d.projector);
	p->d.projector = NULL;
	return GT_OK;
}

gt_status gt_dd_derivative_new(const gt_grid *g, const gt_scan *scan, const void *options, gt_dd_projector_of make, const double *jacobian,
                               const gt_array *volume, gt_linop **D)
{
	static const struct gt_dd_derivative_impl *const impl[GT_NBACKENDS] = { &gt_dd_derivative_cpu, GT_IF_CUDA(&gt_dd_derivative_cuda) };
	gt_backend *be = gt_array_backend(volume);
	const gt_type type = gt_array_type(volume);
	int even = 0; /* the pieces of each strip have equal heights */
	gt_status st = gt_projector_check_sizes("dd", g, scan);
	if (st != GT_OK)
		return st;
	struct derivative *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "dd: no memory for the derivative");
	p->d.be = be;
	p->d.type = type;
	p->d.volume = volume;
	p->d.d = (gt_dd_tilt){ .rows = (int)scan->rows, .columns = (int)scan->columns, .views = scan->views };
	p->d.d.longest = scan->rows > scan->columns ? scan->rows : scan->columns;
	for (int a = 0; a < 3; a++) {
		p->d.d.n[a] = (int)g->n[a];
		p->d.d.pitch[a] = g->pitch[a];
	}
	GT_TRY(fill_tables(scan, g, p, &even));
	if (type == GT_F32 && p->d.level && even)
		GT_TRY(visit_voxels(g, scan, options, make, p));
	st = gt_derivative_new(&impl[be->kind]->ops, p, impl[be->kind]->scratch(&p->d), scan, jacobian, volume, D);
	p = NULL;
done:
	if (p)
		gt_dd_derivative_free(p);
	return st;
}
