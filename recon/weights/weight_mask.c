/* Distinguishes masks of corrected pixels from statistical weights. Without noise, weights exp(-p) are 1 in air, so only
 * rays through the object count. */
#include <math.h>
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
		ones += counts && p->weight[i] == 1;
		used += (size_t)counts;
	}
	return 2 * ones > used ? p->weight : NULL;
}
