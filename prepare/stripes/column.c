/* Sums and updates of one column of a sinogram. */
#include "core/clones.h"
#include "prepare/stripes/column.h"

GT_CLONES static void mix(double weight, const float *restrict value, float *restrict smooth, size_t n)
{
	for (size_t i = 0; i < n; i++)
		smooth[i] = value[i] + (float)(weight * ((double)smooth[i] - (double)value[i]));
}

void gt_column_mix(double weight, const float *value, float *smooth, size_t n) { mix(weight, value, smooth, n); }

void gt_column_shift(double by, const float *value, float *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (float)(value[i] + by);
}

enum { LANES = 8 };
GT_CLONES static double sum_of(const float *x, size_t n)
{
	double sum[LANES] = { 0 };
	for (size_t i = 0; i + LANES <= n; i += LANES)
		for (size_t l = 0; l < LANES; l++)
			sum[l] += x[i + l];
	for (size_t i = n / LANES * LANES; i < n; i++)
		sum[0] += x[i];
	for (size_t l = 1; l < LANES; l++)
		sum[0] += sum[l];
	return sum[0];
}

double gt_column_sum(const float *x, size_t n) { return sum_of(x, n); }
