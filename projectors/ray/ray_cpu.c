/* Ray-driven pairs on the CPU, in double precision for arrays of both types; fast/joseph_single.c takes Joseph in
 * single precision for level scans. Forward: ray by ray. Adjoint: tile by tile of the volume. Each tile takes all
 * nearby rays in the order of the data, so that sums do not depend on the threads. */
#include <stdlib.h>
#include <gantry/threads.h>
#include "core/poll.h"
#include "projectors/kit/running_sums.h"
#include "projectors/ray/fast/joseph_single.h"

enum { SIDE = 32, GRAIN = 8 };
enum { TILE = SIDE * SIDE * SIDE };

struct job {
	const gt_rays *g;
	const void *in;
	void *out;
	double *tiles; /* one per worker */
};

struct box {
	int low[3], size[3];
};

GT_INLINE void clip(const struct box *box, gt_ray *r)
{
	const int low = box->low[r->d], end = low + box->size[r->d];
	r->first = r->first > low ? r->first : low;
	r->end = r->end < end ? r->end : end;
	gt_ray_clip(0, box->low[r->b], box->low[r->b] + box->size[r->b], r);
	gt_ray_clip(1, box->low[r->c], box->low[r->c] + box->size[r->c], r);
}

/* Slice n of the ray. Forward: returns the sum over the box's voxels x. Adjoint: adds value to them. */
GT_INLINE double take_slice(gt_ray_model model, gt_type t, const gt_ray *r, int n, const struct box *box, const void *x, double *sums,
                            double value)
{
	const size_t stride[3] = { 1, (size_t)box->size[0], (size_t)box->size[0] * (size_t)box->size[1] };
	const size_t slice = (size_t)(n - box->low[r->d]) * stride[r->d];
	gt_ray_tap tap[GT_RAY_TAPS];
	const int taps = gt_ray_taps(model, r, n, tap);
	double sum = 0;
#pragma GCC unroll 4
	for (int k = 0; k < taps; k++) {
		const unsigned b = (unsigned)(tap[k].b - box->low[r->b]), c = (unsigned)(tap[k].c - box->low[r->c]);
		if (b >= (unsigned)box->size[r->b] || c >= (unsigned)box->size[r->c])
			continue;
		const size_t at = slice + b * stride[r->b] + c * stride[r->c];
		if (sums)
			sums[at] += tap[k].weight * value;
		else
			sum += tap[k].weight * get(t, x, at);
	}
	return sum;
}

GT_INLINE void forward_columns(const struct job *j, size_t i, size_t end, gt_ray_model model, gt_type t)
{
	const gt_rays *g = j->g;
	const size_t columns = (size_t)g->columns;
	const struct box box = { { 0, 0, 0 }, { g->n[0], g->n[1], g->n[2] } };
	for (int row = 0; row < g->rows; row++)
		for (size_t at = i; at < end; at++) {
			gt_ray r;
			double sum = 0;
			gt_ray_make(g, model, &g->view[at / columns], &g->column[at], row, &r);
			clip(&box, &r);
			for (int n = r.first; n < r.end; n++)
				sum += take_slice(model, t, &r, n, &box, j->in, NULL, 0);
			put(t, j->out, (at / columns * (size_t)g->rows + (size_t)row) * columns + at % columns, r.length * sum);
		}
}

static void cross3(const double *a, const double *b, double *out)
{
	for (int i = 0; i < 3; i++)
		out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Finds rows [*from, *to) of a column whose rays pass near the box. Lengths along each axis are in units of half the
 * box, so that it lies in a ball of squared radius 3 around its centre. The distance of ray l from the centre is
 * quadratic in l: |A + l B|^2 <= 3 |C + l D|^2. A + l B is the cross product of the vector from the ray's point to the
 * centre with the direction C + l D. */
static void rows_near(const gt_rays *g, const gt_ray_view *v, const gt_ray_column *column, const struct box *box, int *from, int *to)
{
	const double radius = 3;
	double way[3], base[3], at[3], row[3], A[3], B[3];
	for (int a = 0; a < 3; a++) {
		const double half = 0.5 * box->size[a] + 1.5, centre = box->low[a] + 0.5 * box->size[a];
		base[a] = (v->base[a] - (g->fan ? centre : 0)) / half;
		at[a] = (column->at[a] - (g->fan ? 0 : centre)) / half;
		row[a] = v->row[a] / half;
		way[a] = g->fan ? -base[a] : -at[a];
	}
	cross3(way, g->fan ? at : base, A);
	if (g->fan)
		cross3(way, row, B);
	else
		cross3(base, row, B);
	const double *C = g->fan ? at : base, zero[3] = { 0 }, *D = g->fan ? row : zero;
	const double q2 = gt_dot3(B, B) - radius * gt_dot3(D, D), q1 = gt_dot3(A, B) - radius * gt_dot3(C, D),
		     q0 = gt_dot3(A, A) - radius * gt_dot3(C, C), inside = q1 * q1 - q2 * q0;
	*from = 0;
	*to = g->rows;
	if (!(q2 > 1e-6 * gt_dot3(B, B)) || gt_dot3(way, way) > 1e10)
		return;
	const double middle = -q1 / q2, half = inside > 0 ? sqrt(inside) / q2 + 0.5 : -1;
	*from = middle - half > 0 ? (middle - half < g->rows ? (int)(middle - half) : g->rows) : 0;
	*to = middle + half + 1 < g->rows ? (middle + half + 1 > *from ? (int)(middle + half + 1) : *from) : g->rows;
}

GT_INLINE void adjoint_tile(const struct job *j, const struct box *box, double *sums, gt_ray_model model, gt_type t)
{
	const gt_rays *g = j->g;
	const size_t columns = (size_t)g->columns;
	for (size_t view = 0; view < g->views; view++)
		for (size_t k = 0; k < columns; k++) {
			const gt_ray_column *column = &g->column[view * columns + k];
			int row, last;
			rows_near(g, &g->view[view], column, box, &row, &last);
			for (; row < last; row++) {
				const double y = get(t, j->in, (view * (size_t)g->rows + (size_t)row) * columns + k);
				gt_ray r;
				if (y == 0)
					continue;
				gt_ray_make(g, model, &g->view[view], column, row, &r);
				clip(box, &r);
				for (int n = r.first; n < r.end; n++)
					take_slice(model, t, &r, n, box, NULL, sums, r.length * y);
			}
		}
}

static size_t tiles_along(int n) { return ((size_t)n + SIDE - 1) / SIDE; }

GT_INLINE void adjoint_tiles(const struct job *j, size_t i, size_t end, int worker, gt_ray_model model, gt_type t)
{
	const gt_rays *g = j->g;
	double *sums = j->tiles + (size_t)worker * TILE;
	for (; i < end; i++) {
		struct box box;
		size_t at = i, voxel = 0;
		for (int a = 0; a < 3; a++) {
			box.low[a] = (int)(at % tiles_along(g->n[a])) * SIDE;
			box.size[a] = g->n[a] - box.low[a] < SIDE ? g->n[a] - box.low[a] : SIDE;
			at /= tiles_along(g->n[a]);
		}
		memset(sums, 0, TILE * sizeof *sums);
		adjoint_tile(j, &box, sums, model, t);
		for (int z = box.low[2]; z < box.low[2] + box.size[2]; z++)
			for (int y = box.low[1]; y < box.low[1] + box.size[1]; y++)
				for (int x = box.low[0]; x < box.low[0] + box.size[0]; x++)
					put(t, j->out, ((size_t)z * (size_t)g->n[1] + (size_t)y) * (size_t)g->n[0] + (size_t)x,
					    sums[voxel++]);
	}
}

#define BODIES(name, model, type)                                                          \
	GT_CLONES static void forward_##name(void *self, size_t i, size_t end, int worker) \
	{                                                                                  \
		(void)worker;                                                              \
		forward_columns(self, i, end, model, type);                                \
	}                                                                                  \
	GT_CLONES static void adjoint_##name(void *self, size_t i, size_t end, int worker) \
	{                                                                                  \
		adjoint_tiles(self, i, end, worker, model, type);                          \
	}
BODIES(joseph_single, GT_RAY_JOSEPH, GT_F32)
BODIES(joseph_double, GT_RAY_JOSEPH, GT_F64)
BODIES(siddon_single, GT_RAY_SIDDON, GT_F32)
BODIES(siddon_double, GT_RAY_SIDDON, GT_F64)

/* Returns the tables for single precision, or NULL if the kernels above are used. */
static const gt_joseph_tables *level_of(const gt_ray_operator *o)
{
	const gt_joseph_tables *t = o->state;
	return t && t->bytes ? t : NULL;
}

static gt_status make(gt_backend *be, const gt_rays *host, gt_ray_operator *o)
{
	if (o->model != GT_RAY_JOSEPH || o->type != GT_F32)
		return GT_OK;
	gt_joseph_tables *t = o->state = calloc(1, sizeof *t);
	return t ? gt_joseph_single_make(be, host, t) : gt_fail(GT_ERR_MEMORY, "joseph: no memory for the operator");
}

static void release(gt_backend *be, gt_ray_operator *o)
{
	if (o->state)
		gt_joseph_single_free(be, o->state);
	free(o->state);
}

static void forward(gt_backend *be, const gt_ray_operator *o, const void *x, void *y)
{
	static const gt_loop body[2][2] = { { forward_joseph_single, forward_joseph_double },
		                            { forward_siddon_single, forward_siddon_double } };
	struct job j = { &o->rays, x, y, NULL };
	if (level_of(o)) {
		gt_joseph_single_forward(be, &o->rays, level_of(o), x, y);
		return;
	}
	gt_poll_part(0, 1);
	gt_parallel(be->pool, o->rays.views * (size_t)o->rays.columns, GRAIN, body[o->model][o->type], &j);
}

static void adjoint(gt_backend *be, const gt_ray_operator *o, const void *y, void *x)
{
	static const gt_loop body[2][2] = { { adjoint_joseph_single, adjoint_joseph_double },
		                            { adjoint_siddon_single, adjoint_siddon_double } };
	struct job j = { &o->rays, y, x, gt_scratch(be) };
	const int *n = o->rays.n;
	if (level_of(o)) {
		gt_joseph_single_adjoint(be, &o->rays, level_of(o), y, x);
		return;
	}
	gt_poll_part(0, 1);
	gt_parallel(be->pool, tiles_along(n[0]) * tiles_along(n[1]) * tiles_along(n[2]), 1, body[o->model][o->type], &j);
}

static size_t scratch(gt_backend *be, const gt_ray_operator *o)
{
	if (level_of(o))
		return gt_joseph_single_scratch(be, &o->rays);
	return (size_t)gt_pool_threads(be->pool) * TILE * sizeof(double);
}

const struct gt_ray_impl gt_ray_cpu = { .make = make, .free = release, .scratch = scratch, .forward = forward, .adjoint = adjoint };
