/* Default window of images: percentiles 0.5 and 99.5 of a sample of the values. */
#include <math.h>
#include <stdlib.h>
#include <gantry/image.h>
#include "core/order_statistics.h"

enum { WINDOW_SAMPLES = 400000 };

static void finite_range(const float *data, size_t n, double *low, double *high)
{
	double min = INFINITY, max = -INFINITY;
	for (size_t i = 0; i < n; i++)
		if (isfinite(data[i])) {
			min = fmin(min, (double)data[i]);
			max = fmax(max, (double)data[i]);
		}
	*low = min <= max ? min : 0;
	*high = max > min ? max : *low + fmax(1e-6, fabs(*low));
}

gt_status gt_display_window(const float *data, size_t n, double *low, double *high)
{
	const size_t stride = n / WINDOW_SAMPLES + 1;
	double *some = malloc((n / stride + 1) * sizeof *some);
	size_t taken = 0;
	if (!some)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i += stride)
		if (isfinite(data[i]))
			some[taken++] = (double)data[i];
	*low = taken ? gt_quantile(some, taken, 0.005) : 0;
	*high = taken ? gt_quantile(some, taken, 0.995) : 0;
	free(some);
	if (!(*low < *high))
		finite_range(data, n, low, high);
	return GT_OK;
}
