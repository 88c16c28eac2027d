/* Shared parts of penalised weighted least squares: residuals, gradients, majorizers and momentum. */
#include <math.h>
#include <stdlib.h>
#include "core/partition/partition.h"
#include "core/random.h"
#include "core/try.h"
#include "solvers/pwls.h"

enum { POWERS = 20 };

gt_status gt_pwls_needs(const char *solver, const gt_penalty *R, unsigned needs)
{
	const unsigned lacks = R ? needs & ~gt_penalty_has(R) : 0;
	if (!lacks)
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "solver '%s' needs %s of a penalty, which '%s' does not have", solver,
	               lacks & GT_HAS_GRADIENT ? "a gradient"
	               : lacks & GT_HAS_LINE   ? "a line search"
	                                       : "a proximal step",
	               gt_penalty_name(R));
}

/* Makes subarrays of one array: all from its beginning, or contiguous ones. */
static gt_status divide_room(const gt_problem *p, int apart, gt_pwls_buffers *room)
{
	gt_status st = GT_OK;
	size_t max = 0, all = 0, first = 0;
	for (size_t k = 0; k < p->subsets; k++) {
		max = gt_array_here(p->b[k]) > max ? gt_array_here(p->b[k]) : max;
		all += gt_array_here(p->b[k]);
	}
	room->subsets = p->subsets;
	if (!(room->of = calloc(p->subsets, sizeof *room->of)))
		return gt_fail(GT_ERR_MEMORY, "no memory for the records of %zu subsets", p->subsets);
	GT_TRY(gt_array_new(gt_array_backend(p->b[0]), gt_array_type(p->b[0]), apart ? all : max, &room->whole));
	for (size_t k = 0; k < p->subsets; k++) {
		GT_TRY(gt_array_shaped(room->whole, first, p->b[k], &room->of[k]));
		first += apart ? gt_array_here(p->b[k]) : 0;
	}
done:
	return st;
}

gt_status gt_pwls_buffers_new(const gt_problem *p, gt_pwls_buffers *room) { return divide_room(p, 0, room); }
gt_status gt_pwls_table_new(const gt_problem *p, gt_pwls_buffers *table) { return divide_room(p, 1, table); }

size_t gt_pwls_pick(uint64_t seed, uint64_t count, size_t subsets)
{
	uint32_t w[4];
	gt_philox(seed, count, 0, w);
	return (size_t)(((uint64_t)w[0] * subsets) >> 32);
}

void gt_pwls_buffers_free(gt_pwls_buffers *room)
{
	for (size_t k = 0; room->of && k < room->subsets; k++)
		gt_array_free(room->of[k]);
	gt_array_free(room->whole);
	free(room->of);
}

void gt_pwls_residual_later(const gt_problem *p, size_t k, const gt_array *x, gt_array *r, double *square)
{
	gt_forward(p->A[k], x, r);
	gt_data_misfit_async(p->b[k], p->w ? p->w[k] : NULL, r, square);
}

double gt_pwls_residual(const gt_problem *p, size_t k, const gt_array *x, gt_array *r)
{
	double square;
	gt_pwls_residual_later(p, k, x, r, &square);
	gt_reductions_wait(gt_array_backend(r));
	return 0.5 * square;
}

void gt_pwls_gradient(const gt_problem *p, size_t first, size_t stride, const gt_array *x, const gt_pwls_buffers *room, gt_array *t,
                      gt_array *g, double *square)
{
	for (size_t k = first; k < p->subsets; k += stride) {
		gt_pwls_residual_later(p, k, x, room->of[k], &square[k]);
		gt_adjoint(p->A[k], room->of[k], k == first ? g : t);
		if (k != first)
			gt_axpy(1, t, g);
	}
}

/* curvature = A_k' w_k A_k one */
static void curvature_of(const gt_problem *p, size_t k, const gt_array *one, gt_array *r, gt_array *curvature)
{
	gt_forward(p->A[k], one, r);
	if (p->w)
		gt_mul(p->w[k], r);
	gt_adjoint(p->A[k], r, curvature);
}

void gt_pwls_denominator(const gt_problem *p, gt_array *const *r, gt_array *t, gt_array *one, gt_array *d)
{
	gt_fill(1, one);
	curvature_of(p, 0, one, r[0], d);
	for (size_t k = 1; k < p->subsets; k++) {
		curvature_of(p, k, one, r[k], t);
		gt_axpy(1, t, d);
	}
}

void gt_pwls_denominator_of_subsets(const gt_problem *p, gt_array *const *r, gt_array *t, gt_array *one, gt_array *d)
{
	gt_fill(1, one);
	curvature_of(p, 0, one, r[0], d);
	for (size_t k = 1; k < p->subsets; k++) {
		curvature_of(p, k, one, r[k], t);
		gt_sub_clamped(d, -INFINITY, 0, t); /* t = min(d - t, 0) */
		gt_axpy(-1, t, d);
	}
	gt_scale((double)p->subsets, d);
}

void gt_pwls_pass(const gt_problem *p, const double *square, const gt_array *before, const gt_array *x, gt_progress *progress)
{
	double moved, data = 0;
	gt_distance2_async(x, before, &moved);
	gt_reductions_wait(gt_array_backend(x));
	for (size_t k = 0; k < p->subsets; k++)
		data += square[k] / 2;
	progress->data = data;
	progress->cost = data + progress->penalty;
	progress->residual = p->w ? NAN : sqrt(2 * data);
	progress->change = sqrt(moved / (double)gt_array_size(x));
	progress->cost_of = before;
	progress->cost_is_partial = 1;
}

double gt_pwls_threshold(const gt_array *d) { return 1e-6 * gt_max(d); }

double gt_pwls_largest(const gt_problem *p, gt_array *r, gt_array *u)
{
	double size = sqrt((double)gt_array_size(u)), largest = 0;
	gt_fill(1, u);
	for (int i = 0; i < POWERS && size > 0; i++) {
		gt_scale(1 / size, u);
		gt_forward(p->A[0], u, r);
		if (p->w)
			gt_mul(p->w[0], r);
		gt_adjoint(p->A[0], r, u);
		largest = size = sqrt(gt_dot(u, u));
	}
	return 1.05 * largest;
}

double gt_pwls_momentum(gt_pwls_point *s)
{
	const double next = (1 + sqrt(1 + 4 * s->t * s->t)) / 2, beta = (s->t - 1) / next;
	s->t = next;
	return beta;
}

void gt_pwls_step(gt_pwls_point *s, double lo, double hi) { gt_divide_step(s->v, s->d, s->min, lo, hi, s->g); }

void gt_pwls_uphill_later(gt_pwls_point *s, double side[2])
{
	gt_axpy(-1, s->g, s->v);
	if (s->d)
		gt_mul(s->d, s->v);
	gt_dot_async(s->v, s->g, &side[0]);
	gt_dot_async(s->v, s->x, &side[1]);
}

void gt_pwls_accept(gt_pwls_point *s)
{
	gt_array *spare = s->v;
	s->v = s->x;
	s->x = s->g;
	s->g = spare;
}
