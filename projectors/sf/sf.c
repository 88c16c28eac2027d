/* Separable-footprint projectors as operators. Long, Fessler, Balter, IEEE Trans. Med. Imaging 29 (2010) 1839. Memory
 * on the backend: a record per view and one per column of each view, and the scratch of the kernels. */
#include <math.h>
#include <stdlib.h>
#include <gantry/projector.h>
#include "core/linop.h"
#include "core/try.h"
#include "projectors/kit/operator.h"
#include "projectors/sf/sf_derivative.h"
#include "projectors/sf/sf_impl.h"

struct variant {
	const char *name;
	int trapezoid;
	struct gt_linop_ops ops;
};

struct options {
	double memory;
};

struct sf {
	gt_backend *be;
	const struct gt_sf_impl *impl;
	void *state;
	gt_type type;
	gt_sf d, host; /* host: with the views in host memory */
	gt_sf_counts counts;
	int has_scratch;
};

/* Samples at most 64 views. */
static gt_sf_counts count(const gt_sf *d)
{
	gt_sf_counts c = { 0, 0 };
	const size_t step = d->views / 64 + 1;
	size_t counted = 0;
	for (size_t at = 0; at < d->views; at += step, counted++) {
		const gt_sf_view *v = &d->view[at];
		const gt_sf_wedge w = gt_sf_wedge_of(&v->frame, 0, d->columns);
		for (int y = 0; y < d->n[1]; y++) {
			const int line[3] = { 0, y, 0 };
			int from, to;
			gt_sf_interval(&w, 0, line, d->n[0], &from, &to);
			for (int x = from; x < to; x++) {
				gt_sf_voxel p;
				if (!gt_sf_voxel_of(d, v, x, y, 0, &p))
					continue;
				const double low = fmax(p.columns.at[0], 0), high = fmin(p.columns.at[3], d->columns);
				c.voxels++;
				c.overlaps += fmax(ceil(high) - floor(low), 0);
			}
		}
	}
	c.voxels *= (double)d->views / (double)counted;
	c.overlaps *= (double)d->views / (double)counted;
	return c;
}

static void forward(void *self, const gt_array *x, gt_array *y)
{
	const struct sf *p = self;
	p->impl->forward(p->be, &p->d, p->state, p->type, x->data, y->data);
}

static void adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct sf *p = self;
	p->impl->adjoint(p->be, &p->d, p->state, p->type, y->data, x->data);
}

static int roofline(void *self, int back, gt_roofline *min)
{
	struct sf *p = self;
	if (!p->impl->roofline)
		return 0;
	if (!(p->counts.voxels > 0))
		p->counts = count(&p->host);
	return p->impl->roofline(&p->d, p->state, p->type, &p->counts, back, min);
}

static size_t view_bytes(const gt_sf *d) { return d->views * sizeof *d->view; }
static size_t ray_bytes(const gt_sf *d) { return d->views * (size_t)d->columns * sizeof *d->ray; }

static void destroy(void *self)
{
	struct sf *p = self;
	if (p->state)
		p->impl->free(p->be, p->state);
	gt_backend_free(p->be, (void *)p->d.view, view_bytes(&p->d));
	gt_backend_free(p->be, (void *)p->d.ray, ray_bytes(&p->d));
	free((void *)p->host.view);
	if (p->has_scratch)
		gt_scratch_release(p->be);
	free(p);
}

static gt_status fill_tables(const char *name, const gt_grid *g, const gt_scan *scan, int trapezoid, const struct options *o, struct sf *p)
{
	static const char what[] = "tables of the separable-footprint projector";
	gt_status st = gt_sf_host_new(name, g, scan, trapezoid, &p->host);
	GT_TRY(st);
	p->d = p->host;
	p->d.view = NULL;
	p->d.ray = NULL;
	if (!(p->d.view = gt_projector_upload(p->be, p->host.view, view_bytes(&p->d), what)) ||
	    !(p->d.ray = gt_projector_upload(p->be, p->host.ray, ray_bytes(&p->d), what)))
		GT_TRY(GT_ERR_MEMORY);
	if (p->impl->make)
		GT_TRY(p->impl->make(p->be, &p->host, p->type, o->memory, &p->state));
done:
	free((void *)p->host.ray);
	p->host.ray = NULL;
	return st;
}

static gt_status make(const struct variant *variant, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan,
                      const struct options *o, gt_linop **A)
{
	static const struct gt_sf_impl *const impl[GT_NBACKENDS] = { &gt_sf_cpu, GT_IF_CUDA(&gt_sf_cuda) };
	gt_status st = GT_OK;
	struct sf *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", variant->name);
	p->be = be;
	p->impl = impl[be->kind];
	p->type = type;
	GT_TRY(fill_tables(variant->name, g, scan, variant->trapezoid, o, p));
	GT_TRY(gt_scratch_reserve(be, p->impl->scratch(be, &p->host, p->state, type), "scratch of the separable-footprint projector"));
	p->has_scratch = 1;
	st = gt_linop_new(&variant->ops, p, be, type, gt_grid_voxels(g), gt_scan_size(scan), A);
	p = NULL;
	GT_TRY(st);
	gt_linop_set_roofline(*A, roofline);
done:
	if (p)
		destroy(p);
	return st;
}

#define VARIANT(id, text, shape)                                                                                                     \
	static const struct variant variant_##id = { text, shape, { text, forward, adjoint, destroy } };                             \
	static gt_status make_##id(gt_backend *be, gt_type t, const gt_grid *g, const gt_scan *s, const void *options, gt_linop **A) \
	{                                                                                                                            \
		return make(&variant_##id, be, t, g, s, options, A);                                                                 \
	}
VARIANT(tr, "sf-tr", 0)
VARIANT(tt, "sf-tt", 1)

static gt_status derivative_tr(const gt_grid *g, const gt_scan *scan, const void *options, const double *jacobian, const gt_array *volume,
                               gt_linop **D)
{
	(void)options;
	return gt_sf_derivative_new(g, scan, jacobian, volume, D);
}

static const struct options defaults = { .memory = GT_SF_MEMORY };
static const gt_param params[] = {
	{ "memory", "GPU: memory limit of the running sums and copies, in MiB; at most a quarter of the free device memory", GT_REAL,
	  offsetof(struct options, memory), 1e-6, 1e9, NULL },
	{ 0 },
};
#define LIMITED .params = params, .defaults = &defaults, .options_size = sizeof defaults

const gt_projector gt_projector_sf_tr = {
	.name = "sf-tr",
	.about = "separable footprint, rectangle along z, matched pair; also for detectors tilted or rolled by up to 15 degrees",
	LIMITED,
	.make = make_tr,
	.make_derivative = derivative_tr,
};
const gt_projector gt_projector_sf_tt = {
	.name = "sf-tt",
	.about = "separable footprint, trapezoid along z, for wide cones, matched pair",
	LIMITED,
	.make = make_tt,
};
