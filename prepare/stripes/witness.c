/* Medians take the peak of a wall for a stripe. The line that is furthest off counts, since others may lead through
 * columns of the same stripe. */
#include <math.h>
#include <gantry/order_statistics.h>
#include "prepare/stripes/witness.h"

/* Of what columns are off by, robustly. */
#define USUAL 3.0

static double off_lines(const double *at, ptrdiff_t to, size_t reach, double sign)
{
	double most = -INFINITY;
	for (ptrdiff_t n = 1; n <= (ptrdiff_t)reach; n++) {
		const double near = at[n * to], slope = near - at[(n + 1) * to];
		most = fmax(most, sign * (*at - near - (double)n * slope));
	}
	return most;
}

double gt_stripe_witness(const double *mean, size_t columns, size_t k, size_t reach, double sign)
{
	if (k < reach + 1 || k + reach + 1 >= columns)
		return INFINITY;
	return fmin(off_lines(mean + k, -1, reach, sign), off_lines(mean + k, 1, reach, sign));
}

double gt_stripe_unwitnessed(const double *off, size_t columns, double *scratch)
{
	for (size_t k = 0; k < columns; k++)
		scratch[k] = fabs(off[k]);
	return USUAL * 1.4826 * gt_upper_median(scratch, columns);
}
