/* Derivative of the projections of sf-tr by the motions of the views: tables and the operator. Memory: two records per
 * view, the tables of the projector if the backend needs one, and the scratch of the kernels. */
#include <stdlib.h>
#include "core/try.h"
#include "projectors/kit/operator.h"
#include "projectors/sf/sf_derivative.h"

static size_t ray_bytes(const gt_sf *d) { return d->views * (size_t)d->columns * sizeof *d->ray; }

void gt_sf_derivative_free(void *self)
{
	gt_sf_derivative *p = self;
	if (p->state)
		p->projector->free(p->be, p->state);
	gt_backend_free(p->be, (void *)p->d.ray, ray_bytes(&p->d));
	gt_backend_free(p->be, (void *)p->d.view, p->d.views * sizeof *p->d.view);
	gt_backend_free(p->be, (void *)p->view, p->d.views * sizeof *p->view);
	free(p);
}

static gt_status fill_tables(const gt_grid *g, const gt_scan *scan, gt_sf_derivative *d)
{
	static const char what[] = "tables of the derivative by motions";
	gt_sf host = { .views = 0 };
	gt_status st = GT_OK;
	GT_TRY(gt_sf_host_new("sf-tr", g, scan, 0, &host));
	d->d = host;
	d->d.ray = NULL;
	d->d.view = NULL;
	d->detector = gt_scan_detector(scan);
	for (int a = 0; a < 3; a++)
		d->first[a] = gt_grid_first(g, a);
	d->d.view = gt_projector_upload(d->be, host.view, host.views * sizeof *host.view, what);
	d->view = gt_projector_upload(d->be, scan->view, host.views * sizeof *scan->view, what);
	if (!d->d.view || !d->view)
		GT_TRY(GT_ERR_MEMORY);
	if (!d->projector)
		goto done;
	if (!(d->d.ray = gt_projector_upload(d->be, host.ray, ray_bytes(&host), what)))
		GT_TRY(GT_ERR_MEMORY);
	if (d->projector->make)
		GT_TRY(d->projector->make(d->be, &host, d->type, GT_SF_MEMORY, &d->state));
done:
	free((void *)host.view);
	free((void *)host.ray);
	return st;
}

gt_status gt_sf_derivative_new(const gt_grid *g, const gt_scan *scan, const double *jacobian, const gt_array *volume, gt_linop **D)
{
	static const struct gt_sf_derivative_impl *const impl[GT_NBACKENDS] = { &gt_sf_derivative_cpu, GT_IF_CUDA(&gt_sf_derivative_cuda) };
	gt_backend *be = gt_array_backend(volume);
	gt_status st = GT_OK;
	gt_sf_derivative *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "sf-tr: no memory for the derivative");
	p->be = be;
	p->type = gt_array_type(volume);
	p->projector = impl[be->kind]->projector;
	GT_TRY(fill_tables(g, scan, p));
	st = gt_derivative_new(&impl[be->kind]->ops, p, impl[be->kind]->scratch(p), scan, jacobian, volume, D);
	p = NULL;
done:
	if (p)
		gt_sf_derivative_free(p);
	return st;
}
