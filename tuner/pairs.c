/* Alternating timing of a variant and the built-in kernel, because clock rates change. */
#include "tuner/pairs.h"
#include <math.h>
#include "core/clock.h"
#include "core/order_statistics.h"
#include "tuner/tuner.h"

/* A sample has enough runs to last sample_ms. Timing stops after three pairs if a variant is slower by the factor
 * hopeless. */
static const double sample_ms = 2, hopeless = 1.25;

/* Returns the ms of one run. */
static double sample(const gt_evaluation_pair *c, const gt_operation *A, int times)
{
	double own = 0, sum = 0;
	gt_backend_wait(A->be);
	const double begin = gt_seconds();
	for (int i = 0; i < times; i++) {
		if (gt_operation_run(A, c->in, c->out, &own) != GT_OK)
			return INFINITY;
		sum += own;
	}
	gt_backend_wait(A->be);
	return (A->A ? gt_seconds() - begin : sum) / times * 1000;
}

/* Adds pairs until the median ratio differs from 1 by more than its spread, or the limits are reached. */
gt_status gt_evaluation_pair_time(const gt_evaluation_pair *c, const gt_operation *A, gt_tune_evaluation *t)
{
	double own[GT_MAX_PAIRS], other[GT_MAX_PAIRS], ratio[GT_MAX_PAIRS];
	sample(c, A, 2);
	const double once = sample(c, c->built_in, 2);
	const int times = once > 0 && once < sample_ms && A->A ? (int)(sample_ms / once) + 1 : 1;
	const double begin = gt_seconds();
	for (t->pairs = 0; t->pairs < c->max;) {
		const int k = t->pairs++;
		own[k] = sample(c, A, times);
		other[k] = sample(c, c->built_in, times);
		ratio[k] = own[k] / other[k];
		t->built_in_ms = gt_median(other, (size_t)t->pairs);
		t->ms = gt_median(ratio, (size_t)t->pairs) * t->built_in_ms;
		if (t->pairs >= 3 && (t->ms > hopeless * t->built_in_ms || gt_seconds() - begin > c->seconds))
			break;
	}
	return gt_backend_status(A->be);
}
