/* Proximal and projected gradient steps, with momentum or Anderson acceleration (see solvers/fista.c). */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/fista_step.h"

gt_status gt_fista_majorize(gt_fista *s)
{
	gt_status st = GT_OK;
	if (s->prox) {
		s->at.L = gt_pwls_largest(s->p, s->q, s->at.g);
		return GT_OK;
	}
	GT_TRY(gt_array_like(s->at.x, &s->d));
	gt_pwls_denominator(s->p, &s->q, NULL, s->at.g, s->d);
	gt_penalty_majorize(s->p->R, s->d);
	s->at.d = s->d;
	s->at.min = gt_pwls_threshold(s->d);
done:
	return st;
}

void gt_fista_stand_still(gt_fista *s)
{
	s->at.t = 1;
	gt_copy(s->at.x, s->at.v);
	gt_copy(s->r, s->q);
}

/* Computes the next iterate in g from v and its residual in q. */
static void step(gt_fista *s)
{
	const gt_problem *p = s->p;
	gt_pwls_point *at = &s->at;
	gt_adjoint(p->A[0], s->q, at->g);
	if (!s->prox) {
		gt_penalty_gradient(p->R, at->v, at->g, NULL);
		gt_pwls_step(at, p->lo, p->hi);
	} else if (at->L > 0) {
		gt_axpby(1, at->v, -1 / at->L, at->g);
		gt_penalty_prox(p->R, 1 / at->L, p->lo, p->hi, at->g, at->g);
	} else {
		gt_copy(at->v, at->g);
	}
}

/* Computes residual, data term and penalty at the next iterate and its distance; returns its cost. */
static double judge(gt_fista *s, double *data, double *penalty)
{
	double square;
	gt_pwls_residual_later(s->p, 0, s->at.g, s->q, &square);
	gt_penalty_value_async(s->p->R, s->at.g, penalty);
	gt_distance2_async(s->at.g, s->at.x, &s->moved);
	gt_reductions_wait(gt_array_backend(s->q));
	*data = square / 2;
	return *data + *penalty;
}

/* Increases within the rounding of the residuals do not count. */
static int rises(const gt_fista *s, double cost, double before)
{
	return cost > before + (gt_array_type(s->at.x) == GT_F64 ? 1e-13 : 1e-6) * fabs(before);
}

void gt_fista_iterate(gt_fista *s, double *data, double *penalty)
{
	gt_pwls_point *at = &s->at;
	const double before = s->data + s->penalty, beta = gt_pwls_momentum(at);
	double side[2] = { 0, 0 };
	gt_axpby(1 + beta, at->x, -beta, at->v);
	gt_axpby(1 + beta, s->r, -beta, s->q);
	step(s);
	if (s->o->restart && beta > 0)
		gt_pwls_uphill_later(at, side);
	const double cost = judge(s, data, penalty);
	if (s->o->restart && beta > 0 && rises(s, cost, before)) {
		gt_fista_stand_still(s);
		step(s);
		judge(s, data, penalty);
	}
	if (side[0] > side[1])
		at->t = 1;
}

void gt_fista_iterate_mixed(gt_fista *s, double *data, double *penalty)
{
	const double before = s->data + s->penalty;
	gt_fista_stand_still(s);
	step(s);
	gt_anderson_mix(&s->mixed, s->at.x, s->p->lo, s->p->hi, s->at.g);
	if (rises(s, judge(s, data, penalty), before)) {
		gt_anderson_undo(&s->mixed, s->at.g);
		judge(s, data, penalty);
	}
}

void gt_fista_accept(gt_fista *s)
{
	gt_array *spare = s->r;
	gt_pwls_accept(&s->at);
	s->r = s->q;
	s->q = spare;
}
