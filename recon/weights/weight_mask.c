/* Distinguishes masks of corrected pixels from statistical weights. */
#include "geometry/projections.h"
#include "recon/weights/weight_mask.h"

enum { SAMPLES = 1 << 20 };

const float *gt_projections_mask(const gt_projections *p)
{
	const size_t n = p->weight ? gt_scan_size(p->scan) : 0, stride = (n / SAMPLES + 1) | 1;
	size_t ones = 0, used = 0;
	for (size_t i = 0; i < n; i += stride) {
		ones += p->weight[i] == 1;
		used += p->weight[i] != 0;
	}
	return 2 * ones > used ? p->weight : NULL;
}
