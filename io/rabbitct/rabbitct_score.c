/* Error measures of the RabbitCT benchmark. */
#include <math.h>
#include <stdlib.h>
#include "io/rabbitct/rabbitct.h"

#define MAX_VALUE 4095.0 /* 12 bits */

gt_rabbitct_score gt_rabbitct_judge(const uint16_t *hu, const uint16_t *reference, size_t n)
{
	gt_rabbitct_score s = { .mse = 0 };
	for (size_t i = 0; i < n; i++) {
		const size_t off = (size_t)abs((int)hu[i] - (int)reference[i]);
		s.mse += (double)off * (double)off;
		s.max = fmax(s.max, (double)off);
		s.bin[off < GT_RCT_BINS ? off : GT_RCT_BINS - 1]++;
	}
	s.mse /= (double)n;
	s.rmse = sqrt(s.mse);
	s.psnr = s.mse > 0 ? 10 * log10(MAX_VALUE * MAX_VALUE / s.mse) : INFINITY;
	return s;
}
