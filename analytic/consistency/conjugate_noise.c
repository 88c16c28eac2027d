/* Noise of a pixel as a function of its value, from the data: medians of second differences along columns, in bins of
 * the value. Memory: 24 bytes per pair of conjugate rays. */
#include <math.h>
#include <stdlib.h>
#include "analytic/consistency/conjugate_stencil.h"
#include "core/order_statistics.h"
#include "core/try.h"

typedef struct {
	double value, noise;
} sample;

static int by_value(const void *a, const void *b)
{
	const double x = ((const sample *)a)->value, y = ((const sample *)b)->value;
	return (x > y) - (x < y);
}

gt_status gt_conjugate_noise(gt_conjugate_data *d)
{
	const gt_scan *scan = d->scan;
	const gt_conjugate_map map = { 1, 1, scan->column_center, scan->row_center };
	sample *all = malloc((d->pairs + 1) * sizeof *all);
	double *noise = malloc((d->pairs + 1) * sizeof *noise);
	size_t n = 0;
	double values = 0, variances = 0;
	gt_status st = all && noise ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	for (size_t i = 0; i < d->pairs; i++) {
		gt_stencil s;
		if (!gt_stencil_place(scan, &map, &d->pair[i].tap[0], &s))
			continue;
		const float *p = gt_stencil_first(d, &d->pair[i].tap[0], &s);
		all[n].value = p[1];
		all[n++].noise = fabs((double)p[0] - 3 * (double)p[1] + 3 * (double)p[2] - (double)p[3]) / sqrt(20);
		values += (double)p[1] * (double)p[1];
	}
	qsort(all, n, sizeof *all, by_value);
	d->bins = n < 16 * GT_CONJUGATE_BINS ? 1 : GT_CONJUGATE_BINS;
	for (size_t b = 0; b < d->bins && n; b++) {
		const size_t from = b * n / d->bins, to = (b + 1) * n / d->bins;
		d->bin_value[b] = all[(from + to) / 2].value;
		for (size_t i = from; i < to; i++)
			noise[i - from] = all[i].noise;
		const double deviation = gt_upper_median(noise, to - from) / 0.6745;
		d->bin_variance[b] = deviation * deviation;
		variances += d->bin_variance[b] / (double)d->bins;
	}
	d->value = n ? sqrt(values / (double)n) : 0;
	d->noise = sqrt(variances);
done:
	free(all);
	free(noise);
	return st;
}
