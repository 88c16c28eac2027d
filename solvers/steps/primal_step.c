/* Volume steps of primal-dual methods. */
#include "core/try.h"
#include "solvers/steps/primal_step.h"

gt_status gt_primal_step_new(const gt_problem *p, gt_array *r, const gt_array *x, gt_primal_step *s)
{
	gt_status st = GT_OK;
	s->p = p;
	s->prox = p->R && gt_penalty_has(p->R) & GT_HAS_PROX;
	GT_TRY(gt_array_like(x, &s->g));
	GT_TRY(gt_array_like(x, &s->step));
	gt_pwls_denominator(p, &r, NULL, s->g, s->step);
	s->max = gt_max(s->step);
	s->unseen = gt_pwls_threshold(s->step);
	if (s->prox) {
		gt_array_free(s->step);
		s->step = NULL;
	} else if (p->R) {
		GT_TRY(gt_array_like(x, &s->M));
		GT_TRY(gt_array_like(x, &s->D));
		gt_copy(s->step, s->M);
		gt_fill(0, s->D);
		gt_penalty_majorize(p->R, s->D);
		gt_scale(0.5, s->D);
	}
done:
	return st;
}

void gt_primal_step_free(gt_primal_step *s)
{
	gt_array_free(s->g);
	gt_array_free(s->M);
	gt_array_free(s->D);
	gt_array_free(s->step);
}

void gt_primal_step_take(gt_primal_step *s, double sigma, const gt_array *x)
{
	const gt_problem *p = s->p;
	if (s->prox) {
		const double t = 1 / (sigma * s->max);
		gt_xpay(x, -t, s->g);
		gt_penalty_prox(p->R, t, p->lo, p->hi, s->g, s->g);
	} else if (s->D) {
		gt_copy(s->M, s->step);
		gt_xpay(s->D, sigma, s->step);
		gt_penalty_gradient(p->R, x, s->g, NULL);
		gt_divide_step(x, s->step, sigma * s->unseen, p->lo, p->hi, s->g);
	} else {
		gt_scale(1 / sigma, s->g);
		gt_divide_step(x, s->step, s->unseen, p->lo, p->hi, s->g);
	}
}
