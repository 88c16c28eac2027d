/* Detects columns whose factor stands out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "prepare/stripes/stripes.h"

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

void gt_stripes_detect(const double *f, size_t columns, double snr, unsigned char *stripe, double *scratch)
{
	const size_t drop = columns / 4, n = columns - 2 * drop;
	double mean_x = 0, mean_y = 0, xx = 0, xy = 0, max = -INFINITY, min = INFINITY;
	memcpy(scratch, f, columns * sizeof *f);
	qsort(scratch, columns, sizeof *scratch, ascending);
	memset(stripe, 0, columns);
	for (size_t i = drop; i < drop + n; i++) {
		mean_x += (double)i / (double)n;
		mean_y += scratch[i] / (double)n;
	}
	for (size_t i = drop; i < drop + n; i++) {
		xx += ((double)i - mean_x) * ((double)i - mean_x);
		xy += ((double)i - mean_x) * (scratch[i] - mean_y);
	}
	const double slope = xx > 0 ? xy / xx : 0, low = mean_y - slope * mean_x, high = low + slope * (double)(columns - 1),
		     noise = high - low;
	/* Without noise there is no threshold. */
	if (!(noise > 1e-5))
		return;
	max = scratch[columns - 1];
	min = scratch[0];
	for (size_t k = 0; k < columns; k++)
		stripe[k] = (unsigned char)((max - high > snr * noise && f[k] > high + 0.5 * snr * noise) ||
		                            (low - min > snr * noise && f[k] < low - 0.5 * snr * noise));
}

void gt_stripes_widen(unsigned char *stripe, size_t columns)
{
	for (size_t k = 0; k < columns; k++)
		if (stripe[k] & 1) {
			if (k > 0)
				stripe[k - 1] |= 2;
			if (k + 1 < columns)
				stripe[k + 1] |= 2;
		}
	for (size_t k = 0; k < columns; k++)
		stripe[k] = stripe[k] != 0;
}
