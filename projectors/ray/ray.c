/* Ray-driven projectors: tables of all views in double on the host, checks, and the operator. Memory: tables of the
 * views, and the scratch of the kernels. */
#include <stdint.h>
#include <stdlib.h>
#include <gantry/projector.h>
#include "core/linop.h"
#include "core/try.h"
#include "projectors/kit/operator.h"
#include "projectors/ray/ray_impl.h"

struct ray {
	gt_backend *be;
	const struct gt_ray_impl *impl;
	gt_ray_operator o;
	size_t view_bytes, column_bytes;
	int has_scratch;
};

/* Converts a point in mm to voxels from the edge of voxel 0, or a direction. */
static void to_voxels(const gt_grid *g, const double mm[3], int direction, double out[3])
{
	for (int a = 0; a < 3; a++)
		out[a] = direction ? mm[a] / g->pitch[a] : (mm[a] - gt_grid_first(g, a)) / g->pitch[a] + 0.5;
}

static void fill_view(const gt_scan *s, const gt_grid *g, size_t at, gt_ray_view *v, gt_ray_column *column)
{
	const gt_detector det = gt_scan_detector(s);
	const gt_view *w = &s->view[at];
	const int fan = s->shape != GT_PARALLEL;
	double point[3], direction[3], row[3];
	for (int a = 0; a < 3; a++)
		row[a] = w->row_axis[a] * s->row_pitch;
	to_voxels(g, row, 1, v->row);
	for (size_t k = 0; k < s->columns; k++) {
		gt_pixel_ray(&det, w, (double)k, 0, point, direction);
		to_voxels(g, fan ? direction : point, fan, column[k].at);
		to_voxels(g, fan ? point : direction, !fan, v->base);
	}
}

void gt_ray_fill(const gt_scan *s, const gt_grid *g, gt_ray_view *view, gt_ray_column *column, gt_rays *rays)
{
	*rays = (gt_rays){ .rows = (int)s->rows,
		           .columns = (int)s->columns,
		           .fan = s->shape != GT_PARALLEL,
		           .views = s->views,
		           .view = view,
		           .column = column };
	for (int a = 0; a < 3; a++) {
		rays->n[a] = (int)g->n[a];
		rays->pitch[a] = g->pitch[a];
	}
	for (size_t v = 0; v < s->views; v++)
		fill_view(s, g, v, &view[v], &column[v * s->columns]);
}

static gt_status check(const char *name, const gt_grid *g, const gt_scan *s)
{
	const gt_status st = gt_projector_check_sizes(name, g, s);
	if (st == GT_OK && (s->views > SIZE_MAX / sizeof(gt_ray_column) / s->columns || s->views > SIZE_MAX / sizeof(gt_ray_view)))
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: %zu views of %zu columns: more than this machine can address", name, s->views,
		               s->columns);
	return st;
}

/* Fills the tables on the host, uploads them, and creates those of the implementation. */
static gt_status fill_tables(const char *name, const gt_scan *s, const gt_grid *g, struct ray *p)
{
	gt_status st = GT_OK;
	p->view_bytes = s->views * sizeof(gt_ray_view);
	p->column_bytes = s->views * s->columns * sizeof(gt_ray_column);
	gt_ray_view *view = malloc(p->view_bytes);
	gt_ray_column *column = malloc(p->column_bytes);
	gt_rays host;
	static const char what[] = "tables of the ray-driven projector";
	if (!view || !column)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", name, s->views));
	gt_ray_fill(s, g, view, column, &host);
	p->o.rays = host;
	p->o.rays.column = NULL;
	p->o.rays.view = NULL;
	if (!(p->o.rays.view = gt_projector_upload(p->be, view, p->view_bytes, what)) ||
	    !(p->o.rays.column = gt_projector_upload(p->be, column, p->column_bytes, what)))
		GT_TRY(GT_ERR_MEMORY);
	if (p->impl->make)
		GT_TRY(p->impl->make(p->be, &host, &p->o));
done:
	free(view);
	free(column);
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
	gt_backend_free(p->be, (void *)p->o.rays.view, p->view_bytes);
	gt_backend_free(p->be, (void *)p->o.rays.column, p->column_bytes);
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
	GT_TRY(check(ops->name, g, s));
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

#define PROJECTOR(id, number, text)                                                                                                  \
	static gt_status make_##id(gt_backend *be, gt_type t, const gt_grid *g, const gt_scan *s, const void *options, gt_linop **A) \
	{                                                                                                                            \
		static const struct gt_linop_ops ops = { .name = #id, .forward = forward, .adjoint = adjoint, .free = destroy };     \
		(void)options;                                                                                                       \
		return make(&ops, number, be, t, g, s, A);                                                                           \
	}                                                                                                                            \
	const gt_projector gt_projector_##id = { .name = #id, .about = text, .make = make_##id };

PROJECTOR(joseph, GT_RAY_JOSEPH, "ray-driven, bilinear interpolation along each ray, matched pair; any detector")
PROJECTOR(siddon, GT_RAY_SIDDON, "ray-driven, length of each ray in each voxel, matched pair; any detector")
