/* Derivative of Joseph's projections by velocities on the CPU, in double precision, ray by ray: kit/pixel_derivative.h.
 */
#include "core/clones.h"
#include "projectors/kit/pixel_derivative.h"
#include "projectors/kit/running_sums.h"
#include "projectors/ray/ray_derivative.h"

struct rays {
	const gt_ray_derivative *d;
	const void *x;
};

/* Adds the slices of a ray. */
GT_INLINE void walk(const gt_rays *g, gt_type t, const void *x, const gt_ray *r, double source, gt_ray_sums *s)
{
	const size_t stride[3] = { 1, (size_t)g->n[0], (size_t)g->n[0] * (size_t)g->n[1] };
	const unsigned nb = (unsigned)g->n[r->b], nc = (unsigned)g->n[r->c];
	for (int n = r->first; n < r->end; n++) {
		const double p = gt_ray_at(r, 0, n), q = gt_ray_at(r, 1, n);
		const int b = (int)floor(p), c = (int)floor(q);
		const ptrdiff_t at = (ptrdiff_t)((size_t)n * stride[r->d]) + b * (ptrdiff_t)stride[r->b] + c * (ptrdiff_t)stride[r->c];
		double value[GT_RAY_TAPS];
		for (int k = 0; k < GT_RAY_TAPS; k++) {
			const int i = k & 1, j = k >> 1;
			const int inside = (unsigned)(b + i) < nb && (unsigned)(c + j) < nc;
			value[k] = inside ? get(t, x, (size_t)(at + i * (ptrdiff_t)stride[r->b] + j * (ptrdiff_t)stride[r->c])) : 0;
		}
		gt_ray_add(r, n, value, n + 0.5 - source, s);
	}
}

GT_INLINE void pixel(const struct rays *j, gt_type t, size_t view, int row, int column, double by[GT_VELOCITIES])
{
	const gt_rays *g = &j->d->rays;
	const gt_ray_column *c = &g->column[view * (size_t)g->columns + (size_t)column];
	const gt_ray_path path = gt_ray_path_of(g, &g->view[view], c, row);
	gt_ray_sums s = { 0, { 0, 0 }, { 0, 0 } };
	double by_q[3], by_e[3];
	gt_ray r;
	gt_ray_make(g, GT_RAY_JOSEPH, &g->view[view], c, row, &r);
	gt_ray_clip(0, 0, g->n[r.b], &r);
	gt_ray_clip(1, 0, g->n[r.c], &r);
	walk(g, t, j->x, &r, gt_ray_pick(path.q, r.d), &s);
	gt_ray_gradients(&r, g->pitch, path.e, &s, by_q, by_e);
	gt_ray_velocities(g, &j->d->arm[view], path.moved, by_q, by_e, by);
}

GT_CLONES static void pixel_single(const void *self, size_t view, int row, int column, double by[GT_VELOCITIES])
{
	pixel(self, GT_F32, view, row, column, by);
}

GT_CLONES static void pixel_double(const void *self, size_t view, int row, int column, double by[GT_VELOCITIES])
{
	pixel(self, GT_F64, view, row, column, by);
}

static struct gt_pixel_derivative pixels_of(const struct rays *j)
{
	const gt_rays *g = &j->d->rays;
	return (struct gt_pixel_derivative){ j,         j->d->type == GT_F64 ? pixel_double : pixel_single, j->d->type, g->views, g->rows,
		                             g->columns };
}

static void forward(gt_backend *be, const gt_ray_derivative *d, const void *x, const double *velocity, void *y)
{
	const struct rays j = { d, x };
	const struct gt_pixel_derivative p = pixels_of(&j);
	gt_pixel_derivative_forward(be, &p, velocity, y);
}

static void adjoint(gt_backend *be, const gt_ray_derivative *d, const void *x, const void *y, double *velocity)
{
	const struct rays j = { d, x };
	const struct gt_pixel_derivative p = pixels_of(&j);
	gt_pixel_derivative_adjoint(be, &p, y, velocity);
}

static size_t scratch(gt_backend *be, const gt_ray_derivative *d)
{
	(void)be;
	return gt_pixel_derivative_scratch(d->rays.views, d->rays.columns);
}

const struct gt_ray_derivative_impl gt_ray_derivative_cpu = { scratch, forward, adjoint };
