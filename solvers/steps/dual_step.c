/* Dual step of primal-dual methods. */
#include <math.h>
#include "solvers/steps/dual_step.h"

/* Fraction of the strong-convexity constant used by adaptive steps. */
#define PART (1. / 3)

void gt_dual_step_next(gt_dual_step *s)
{
	const double convex = s->min > 0 ? 1 : PART;
	const double accelerated = s->plain ? s->sigma / (1 + convex * s->sigma) : s->sigma / sqrt(1 + 2 * convex * s->sigma);
	const double sigma = accelerated > s->min ? accelerated : s->min;
	s->theta = s->plain ? 1 : sigma / s->sigma;
	s->sigma = sigma;
}

void gt_dual_step_update(gt_dual_step *s, double cost)
{
	const int begins = !(s->theta > 0);
	if (begins) {
		s->begun = s->lowest = cost;
	} else if (!(s->min > 0) && cost > s->lowest + s->fine * fabs(s->lowest) && cost <= s->begun) {
		s->sigma = 1;
		s->theta = 0;
		return;
	}
	s->lowest = fmin(s->lowest, cost);
	gt_dual_step_next(s);
}
