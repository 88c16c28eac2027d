/* Passes over groups of subsets. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "solvers/ordered_subsets.h"
#include "solvers/steps/grouped_pass.h"
#include "solvers/steps/momentum_guard.h"

gt_status gt_grouped_new(const char *solver, gt_array *x, gt_grouped *s)
{
	gt_status st = GT_OK;
	const gt_problem *p = s->p;
	s->data = s->lowest = INFINITY;
	s->share = 1;
	GT_TRY(gt_pwls_needs(solver, p->R, GT_HAS_GRADIENT));
	s->square = malloc(p->subsets * sizeof *s->square);
	if (!(s->order = malloc(p->subsets * sizeof *s->order)) || !s->square)
		return gt_fail(GT_ERR_MEMORY, "no memory for the order of %zu subsets", p->subsets);
	GT_TRY(gt_pwls_buffers_new(p, &s->room));
	GT_TRY(gt_array_like(x, &s->own[0]));
	GT_TRY(gt_array_like(x, &s->own[1]));
	GT_TRY(gt_array_like(x, &s->d));
	if (p->subsets > 1) {
		GT_TRY(gt_array_like(x, &s->t));
		GT_TRY(gt_array_like(x, &s->old));
	}
	s->at = (gt_pwls_point){ .x = x, .v = s->own[0], .g = s->own[1], .d = s->d, .t = 1 };
	gt_pwls_denominator_of_subsets(p, s->room.of, s->t, s->at.g, s->d);
	gt_penalty_majorize(p->R, s->d);
	s->at.min = gt_pwls_threshold(s->d);
	gt_clamp(p->lo, p->hi, x);
	gt_copy(x, s->at.v);
done:
	return st;
}

void gt_grouped_begin(gt_grouped *s)
{
	if (s->p->subsets < 2)
		return;
	gt_penalty_value_async(s->p->R, s->at.x, &s->prior);
	gt_reductions_wait(gt_array_backend(s->at.x));
}

/* Makes one step from the subsets of one group. */
static void step(gt_grouped *s, size_t group, gt_grouped_found *pass)
{
	const gt_problem *p = s->p;
	gt_pwls_point *at = &s->at;
	const double beta = s->momentum ? s->share * gt_pwls_momentum(at) : 0;
	pass->beta = beta;
	gt_axpby(1 + beta, at->x, -beta, at->v);
	gt_pwls_gradient(p, group, s->groups, at->v, &s->room, s->t, at->g, s->square);
	if (s->groups > 1)
		gt_scale((double)s->groups, at->g);
	if (s->groups == 1 && beta > 0) {
		gt_dot_async(at->g, at->v, &pass->along[0]);
		gt_dot_async(at->g, at->x, &pass->along[1]);
	}
	gt_penalty_gradient(p->R, at->v, at->g, NULL);
	if (s->groups == 1) {
		gt_penalty_value_async(p->R, at->x, &pass->penalty);
		gt_dot_async(at->g, at->g, &pass->gradient2);
	}
	gt_pwls_step(at, p->lo, p->hi);
	if (s->groups == 1 && beta > 0)
		gt_pwls_uphill_later(at, pass->side);
	gt_pwls_accept(at);
}

/* Returns the data term at x from value and slope at z = x + beta (x - previous x) and the value at the previous x. */
static double at_iterate(const gt_grouped_found *pass, double before)
{
	const double b = pass->beta, l = 1 + b, rise = pass->along[0] - pass->along[1];
	return b > 0 ? fmax(0, pass->data - rise + b / l / l * (l * rise - b * (pass->data - before))) : pass->data;
}

gt_grouped_found gt_grouped_pass(gt_grouped *s, size_t groups, int first)
{
	gt_grouped_found pass = { 0, NAN, NAN, 0, { 0, 0 }, 0, { 0, 0 }, 0 };
	const int watched = groups > 1 && s->restart && s->momentum;
	double prior = 0;
	if (groups > 1)
		pass.penalty = s->prior;
	if (groups != s->groups) {
		s->groups = groups;
		gt_ordered_subsets_fill_order(GT_OS_BIT_REVERSED, groups, s->order);
	}
	if (first) {
		s->at.t = 1;
		s->share = 1;
		s->lowest = INFINITY;
	}
	if (groups > 1)
		gt_copy(s->at.x, s->old);
	for (size_t i = 0; i < groups; i++)
		step(s, s->order[i], &pass);
	gt_distance2_async(s->at.x, groups > 1 ? s->old : s->at.v, &pass.change2);
	if (groups > 1)
		gt_penalty_value_async(s->p->R, s->at.x, &prior);
	gt_reductions_wait(gt_array_backend(s->at.x));
	for (size_t k = 0; k < s->p->subsets; k++)
		pass.data += s->square[k] / 2;
	if (groups == 1)
		pass.data = at_iterate(&pass, s->data);
	if (watched && gt_momentum_runs_away(s, &pass))
		gt_momentum_guard(s, &pass, prior);
	else if (s->restart && pass.side[0] > pass.side[1])
		s->at.t = 1;
	s->data = pass.data;
	if (!pass.undone)
		s->prior = prior;
	return pass;
}

void gt_grouped_free(gt_grouped *s)
{
	gt_pwls_buffers_free(&s->room);
	gt_array_free(s->own[0]);
	gt_array_free(s->own[1]);
	gt_array_free(s->d);
	gt_array_free(s->t);
	gt_array_free(s->old);
	free(s->order);
	free(s->square);
}
