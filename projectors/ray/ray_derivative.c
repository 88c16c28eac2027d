/* Derivative of Joseph's projections by the motions of the views: tables and the operator. Memory: the tables of the
 * projector, 24 bytes per view, and the scratch of the kernels. */
#include <stdlib.h>
#include "core/try.h"
#include "projectors/kit/derivative.h"
#include "projectors/kit/operator.h"
#include "projectors/ray/ray_derivative.h"
#include "projectors/ray/ray_impl.h"

struct derivative {
	gt_backend *be;
	const struct gt_ray_derivative_impl *impl;
	gt_ray_derivative d;
};

static void forward(void *self, const void *x, const double *velocity, void *y)
{
	const struct derivative *p = self;
	p->impl->forward(p->be, &p->d, x, velocity, y);
}

static void adjoint(void *self, const void *x, const void *y, double *velocity)
{
	const struct derivative *p = self;
	p->impl->adjoint(p->be, &p->d, x, y, velocity);
}

static void destroy(void *self)
{
	struct derivative *p = self;
	gt_backend_free(p->be, (void *)p->d.arm, p->d.rays.views * sizeof *p->d.arm);
	gt_ray_unload(p->be, &p->d.rays);
	free(p);
}

/* The vector that changes with the pixel is from the source (fan), or from the edge of voxel 0 (parallel). */
static gt_status upload_arms(const gt_scan *s, const gt_grid *g, struct derivative *p)
{
	gt_ray_arm *arm = malloc(s->views * sizeof *arm);
	if (!arm)
		return gt_fail(GT_ERR_MEMORY, "joseph: no memory for the arms of %zu views", s->views);
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 3; a++) {
			const double edge = gt_grid_first(g, a) - 0.5 * g->pitch[a];
			arm[v].offset[a] = s->shape == GT_PARALLEL ? edge - s->view[v].source[a]
			                                           : s->view[v].source[a] - s->view[v].detector[a];
		}
	p->d.arm = gt_projector_upload(p->be, arm, s->views * sizeof *arm, "arms of the derivative by motions");
	free(arm);
	return p->d.arm ? GT_OK : GT_ERR_MEMORY;
}

gt_status gt_ray_derivative_new(const gt_grid *g, const gt_scan *scan, const double *jacobian, const gt_array *volume, gt_linop **D)
{
	static const struct gt_derivative_ops ops = { "derivative of joseph", forward, adjoint, destroy };
	static const struct gt_ray_derivative_impl *const impl[GT_NBACKENDS] = { &gt_ray_derivative_cpu,
		                                                                 GT_IF_CUDA(&gt_ray_derivative_cuda) };
	gt_backend *be = gt_array_backend(volume);
	gt_rays host = { .views = 0 };
	gt_status st = GT_OK;
	struct derivative *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "joseph: no memory for the derivative");
	p->be = be;
	p->impl = impl[be->kind];
	p->d.type = gt_array_type(volume);
	GT_TRY(gt_ray_host_new("joseph", scan, g, &host));
	GT_TRY(gt_ray_upload(be, &host, &p->d.rays));
	GT_TRY(upload_arms(scan, g, p));
	st = gt_derivative_new(&ops, p, p->impl->scratch(be, &p->d), scan, jacobian, volume, D);
	p = NULL;
done:
	gt_ray_host_free(&host);
	if (p)
		destroy(p);
	return st;
}
