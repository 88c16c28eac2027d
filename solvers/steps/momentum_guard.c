/* Detection and restart of runaway momentum. */
#include <math.h>
#include "solvers/steps/momentum_guard.h"

/* Factors over the previous pass's data term. RISE: more than the limit cycle of groups, less than a runaway pass.
 * FAR: the pass is rejected. */
static const double RISE = 1.1, FAR = 2;
/* LESS: factor on the momentum after a repeated rise. Below LEAST the momentum is 0. */
static const double LESS = 0.5, LEAST = 0.1;

int gt_momentum_runs_away(const gt_grouped *s, const gt_grouped_found *pass) { return !(pass->data <= RISE * s->data); }

void gt_momentum_guard(gt_grouped *s, gt_grouped_found *pass, double prior)
{
	const double rise = pass->data - s->data + prior - s->prior;
	if (rise <= (RISE - 1) * s->data) /* the penalty fell by about as much or more */
		return;
	pass->undone = !(rise <= (FAR - 1) * s->data) && s->share > 0;
	if (pass->undone || !(s->data < s->lowest))
		s->share = s->share > LEAST ? LESS * s->share : 0;
	s->lowest = s->data;
	s->at.t = 1;
	if (pass->undone) {
		gt_copy(s->old, s->at.x);
		gt_copy(s->old, s->at.v);
		pass->data = s->data;
		pass->change2 = 0;
	}
}
