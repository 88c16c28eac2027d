/* Ray-driven projectors as operators. Memory: tables of the views, and the scratch of the kernels. */
#include <stdlib.h>
#include <gantry/projector.h>
#include "core/linop.h"
#include "core/try.h"
#include "projectors/ray/ray_derivative.h"
#include "projectors/ray/ray_impl.h"

struct ray {
	gt_backend *be;
	const struct gt_ray_impl *impl;
	gt_ray_operator o;
	int has_scratch;
};

/* Fills the tables, and creates those of the implementation. */
static gt_status fill_tables(const char *name, const gt_scan *s, const gt_grid *g, struct ray *p)
{
	gt_rays host;
	gt_status st = gt_ray_host_new(name, s, g, &host);
	GT_TRY(st);
	GT_TRY(gt_ray_upload(p->be, &host, &p->o.rays));
	if (p->impl->make)
		GT_TRY(p->impl->make(p->be, &host, &p->o));
done:
	gt_ray_host_free(&host);
	return st;
}

static void forward(void *self, const gt_array *x, gt_array *y)
{
	const struct ray *p = self;
	p->impl->forward(p->be, &p->o, x->data, y->data);
}

static void adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct ray *p = self;
	p->impl->adjoint(p->be, &p->o, y->data, x->data);
}

static int roofline(void *self, int back, gt_roofline *min)
{
	const struct ray *p = self;
	return p->impl->roofline && p->impl->roofline(&p->o, back, min);
}

static void destroy(void *self)
{
	struct ray *p = self;
	if (p->impl->free)
		p->impl->free(p->be, &p->o);
	gt_ray_unload(p->be, &p->o.rays);
	if (p->has_scratch)
		gt_scratch_release(p->be);
	free(p);
}

static gt_status make(const struct gt_linop_ops *ops, gt_ray_model model, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *s,
                      gt_linop **A)
{
	static const struct gt_ray_impl *const impl[GT_NBACKENDS] = { &gt_ray_cpu, GT_IF_CUDA(&gt_ray_cuda) };
	gt_status st = GT_OK;
	struct ray *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", ops->name);
	p->be = be;
	p->impl = impl[be->kind];
	p->o.model = model;
	p->o.type = type;
	GT_TRY(fill_tables(ops->name, s, g, p));
	GT_TRY(gt_scratch_reserve(be, p->impl->scratch(be, &p->o), "scratch of the ray-driven projector"));
	p->has_scratch = 1;
	st = gt_linop_new(ops, p, be, type, gt_grid_voxels(g), gt_scan_size(s), A);
	p = NULL;
	GT_TRY(st);
	gt_linop_set_roofline(*A, roofline);
done:
	if (p)
		destroy(p);
	return st;
}

static gt_status joseph_derivative(const gt_grid *g, const gt_scan *scan, const void *options, const double *jacobian,
                                   const gt_array *volume, gt_linop **D)
{
	(void)options;
	return gt_ray_derivative_new(g, scan, jacobian, volume, D);
}

#define PROJECTOR(id, number, derivative, text)                                                                                      \
	static gt_status make_##id(gt_backend *be, gt_type t, const gt_grid *g, const gt_scan *s, const void *options, gt_linop **A) \
	{                                                                                                                            \
		static const struct gt_linop_ops ops = { .name = #id, .forward = forward, .adjoint = adjoint, .free = destroy };     \
		(void)options;                                                                                                       \
		return make(&ops, number, be, t, g, s, A);                                                                           \
	}                                                                                                                            \
	const gt_projector gt_projector_##id = { .name = #id, .about = text, .make = make_##id, .make_derivative = derivative };

PROJECTOR(joseph, GT_RAY_JOSEPH, joseph_derivative, "ray-driven, bilinear interpolation along each ray, matched pair; any detector")
PROJECTOR(siddon, GT_RAY_SIDDON, NULL, "ray-driven, length of each ray in each voxel, matched pair; any detector")
