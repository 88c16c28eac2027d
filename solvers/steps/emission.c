/* Emission counts: validation of the data and initial volume. */
#include <math.h>
#include "solvers/steps/emission.h"

const char *const gt_emission_negatives[] = { "refuse", "zero", NULL };

/* Zero line integrals may be slightly negative by rounding: this fraction of the root mean square counts as 0. */
static const double rounding = 1e-5;

gt_status gt_emission_check(const char *solver, const gt_problem *p)
{
	for (size_t k = 0; k < p->subsets; k++) {
		const gt_array *b = p->b[k];
		const double min = gt_min(b);
		if (min < 0 && min < -rounding * sqrt(gt_dot(b, b) / (double)gt_array_size(b)))
			return gt_fail(
				GT_ERR_ARG,
				"solver '%s': the least datum is %g: counts are expected, none below 0; negative=zero takes them for 0",
				solver, min);
	}
	return GT_OK;
}

void gt_emission_data(const gt_problem *p, size_t k, gt_array *r)
{
	gt_copy(p->b[k], r);
	gt_clamp(0, INFINITY, r);
}

void gt_emission_lift(const gt_problem *p, double lo, gt_array *g, gt_array *const *seen, gt_array *const *off, gt_array *x)
{
	double data = 0, sum = 0;
	gt_fill(1, g);
	for (size_t k = 0; k < p->subsets; k++) {
		gt_forward(p->A[k], g, seen[k]);
		gt_emission_data(p, k, off[k]);
		sum += gt_sum(seen[k]);
		data += gt_sum(off[k]);
	}
	gt_clamp(sum > 0 ? fmax(lo, 0.01 * data / sum) : lo, p->hi, x);
}
