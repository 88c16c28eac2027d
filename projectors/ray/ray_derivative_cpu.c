/* Derivative of Joseph's projections by velocities on the CPU, in double precision, ray by ray. The transpose adds the
 * rays of each column in the order of the rows, and then the columns of a view. Sums thus do not depend on the threads.
 */
#include <string.h>
#include <gantry/threads.h>
#include "core/poll.h"
#include "projectors/kit/running_sums.h"
#include "projectors/ray/ray_derivative.h"

enum { GRAIN = 8 };

struct derivative_job {
	const gt_ray_derivative *d;
	const void *x, *y;
	void *out;
	const double *velocity;
	double *sums; /* [views][columns][GT_VELOCITIES] */
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

/* Derivative of one pixel by the velocities of its view. */
GT_INLINE void pixel(const struct derivative_job *j, gt_type t, size_t at, int row, double by[GT_VELOCITIES])
{
	const gt_rays *g = &j->d->rays;
	const size_t view = at / (size_t)g->columns;
	const gt_ray_path path = gt_ray_path_of(g, &g->view[view], &g->column[at], row);
	gt_ray_sums s = { 0, { 0, 0 }, { 0, 0 } };
	double by_q[3], by_e[3];
	gt_ray r;
	gt_ray_make(g, GT_RAY_JOSEPH, &g->view[view], &g->column[at], row, &r);
	gt_ray_clip(0, 0, g->n[r.b], &r);
	gt_ray_clip(1, 0, g->n[r.c], &r);
	walk(g, t, j->x, &r, gt_ray_pick(path.q, r.d), &s);
	gt_ray_gradients(&r, g->pitch, path.e, &s, by_q, by_e);
	gt_ray_velocities(g, &j->d->arm[view], path.moved, by_q, by_e, by);
}

GT_INLINE size_t pixel_at(const gt_rays *g, size_t at, int row)
{
	const size_t columns = (size_t)g->columns;
	return (at / columns * (size_t)g->rows + (size_t)row) * columns + at % columns;
}

GT_INLINE void forward_columns(const struct derivative_job *j, size_t i, size_t end, gt_type t)
{
	const gt_rays *g = &j->d->rays;
	for (int row = 0; row < g->rows; row++)
		for (size_t at = i; at < end; at++) {
			const double *velocity = j->velocity + at / (size_t)g->columns * GT_VELOCITIES;
			double by[GT_VELOCITIES], sum = 0;
			pixel(j, t, at, row, by);
			for (int c = 0; c < GT_VELOCITIES; c++)
				sum += by[c] * velocity[c];
			put(t, j->out, pixel_at(g, at, row), sum);
		}
}

GT_INLINE void adjoint_columns(const struct derivative_job *j, size_t i, size_t end, gt_type t)
{
	const gt_rays *g = &j->d->rays;
	for (size_t at = i; at < end; at++) {
		double *sums = j->sums + at * GT_VELOCITIES;
		memset(sums, 0, GT_VELOCITIES * sizeof *sums);
		for (int row = 0; row < g->rows; row++) {
			const double y = get(t, j->y, pixel_at(g, at, row));
			double by[GT_VELOCITIES];
			if (y == 0)
				continue;
			pixel(j, t, at, row, by);
			for (int c = 0; c < GT_VELOCITIES; c++)
				sums[c] += by[c] * y;
		}
	}
}

#define BODIES(name, type)                                                                 \
	GT_CLONES static void forward_##name(void *self, size_t i, size_t end, int worker) \
	{                                                                                  \
		(void)worker;                                                              \
		forward_columns(self, i, end, type);                                       \
	}                                                                                  \
	GT_CLONES static void adjoint_##name(void *self, size_t i, size_t end, int worker) \
	{                                                                                  \
		(void)worker;                                                              \
		adjoint_columns(self, i, end, type);                                       \
	}
BODIES(single, GT_F32)
BODIES(double, GT_F64)

static void forward(gt_backend *be, const gt_ray_derivative *d, const void *x, const double *velocity, void *y)
{
	struct derivative_job j = { .d = d, .x = x, .out = y, .velocity = velocity };
	gt_poll_part(0, 1);
	gt_parallel(be->pool, d->rays.views * (size_t)d->rays.columns, GRAIN, d->type == GT_F64 ? forward_double : forward_single, &j);
}

static void adjoint(gt_backend *be, const gt_ray_derivative *d, const void *x, const void *y, double *velocity)
{
	struct derivative_job j = { .d = d, .x = x, .y = y, .sums = gt_scratch(be) };
	const size_t columns = (size_t)d->rays.columns;
	gt_poll_part(0, 1);
	gt_parallel(be->pool, d->rays.views * columns, GRAIN, d->type == GT_F64 ? adjoint_double : adjoint_single, &j);
	memset(velocity, 0, d->rays.views * GT_VELOCITIES * sizeof *velocity);
	for (size_t i = 0; i < d->rays.views * columns; i++)
		for (size_t c = 0; c < GT_VELOCITIES; c++)
			velocity[i / columns * GT_VELOCITIES + c] += j.sums[i * GT_VELOCITIES + c];
}

static size_t scratch(gt_backend *be, const gt_ray_derivative *d)
{
	(void)be;
	return d->rays.views * (size_t)d->rays.columns * GT_VELOCITIES * sizeof(double);
}

const struct gt_ray_derivative_impl gt_ray_derivative_cpu = { scratch, forward, adjoint };
