/* Distinguishes masks of corrected pixels from statistical weights. Without noise, weights exp(-p) are 1 in air, so
 * only rays through the object count. */
#include <math.h>
#include <gantry/status.h>
#include "core/arguments.h"
#include "geometry/projections.h"
#include "recon/weights/weight_mask.h"

enum { SAMPLES = 1 << 18 };

/* Returns the mean of the sampled line integrals that have a weight. */
static double mean_line(const gt_projections *p, size_t n, size_t stride)
{
	double sum = 0;
	size_t used = 0;
	for (size_t i = 0; i < n; i += stride)
		if (p->weight[i] != 0 && isfinite(p->data[i])) {
			sum += p->data[i];
			used++;
		}
	return used ? sum / (double)used : 0;
}

const float *gt_projections_mask(const gt_projections *p)
{
	const size_t n = p->weight ? gt_scan_size(p->scan) : 0, stride = (n / SAMPLES + 1) | 1;
	const float line = n && p->data ? (float)mean_line(p, n, stride) : 0;
	size_t ones = 0, used = 0;
	for (size_t i = 0; i < n; i += stride) {
		const int counts = p->weight[i] != 0 && (!p->data || p->data[i] >= line);
		ones += counts && (p->weight[i] == 1 || p->weight[i] == GT_INTERPOLATED_WEIGHT);
		used += (size_t)counts;
	}
	return 2 * ones > used ? p->weight : NULL;
}

gt_status gt_projections_mask_check(const gt_projections *p, const float *mask)
{
	const gt_scan *s = p->scan;
	const size_t n = mask ? gt_scan_size(s) : 0, view = s->rows * s->columns;
	size_t bad = 0, first = 0;
	for (size_t i = 0; i < n; i++)
		bad += (size_t) !(mask[i] >= 0 && mask[i] < INFINITY);
	if (!bad)
		return GT_OK;
	while (mask[first] >= 0 && mask[first] < INFINITY)
		first++;
	return gt_fail(GT_ERR_ARG,
	               "variable weight: %zu of %zu weights are negative or not finite, the first %g in view %zu, row %zu, column %zu: "
	               "expected 0 or more",
	               bad, n, (double)mask[first], first / view, first % view / s->columns, first % s->columns);
}
