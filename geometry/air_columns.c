/* Finds the air columns. Medians over bands of rows suppress noise, and still show an object that covers few rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/float_medians.h"
#include "core/order_statistics.h"
#include "core/try.h"
#include "geometry/air_columns.h"

/* Lowest transmission of air relative to the view's maximum, minimum number of air columns, number of bands. */
#define AIR_FROM 0.85
enum { MIN_COLUMNS = 8, BANDS = 16 };

static gt_status out_of_memory(void) { return gt_fail(GT_ERR_MEMORY, "air: out of memory"); }

gt_status gt_air_line(const float *t, size_t rows, size_t columns, const gt_air_columns *air, double *at_left, double *at_right)
{
	const size_t last = columns - 1;
	double left = NAN, right = NAN;
	if (air->left)
		left = gt_region_median(t, rows, columns, air->left);
	if (air->right)
		right = gt_region_median(t + columns - air->right, rows, columns, air->right);
	/* The line passes through the centres of both sides. */
	if (air->left && air->right) {
		const double a = (double)(air->left - 1) / 2, b = (double)last - (double)(air->right - 1) / 2,
			     slope = (right - left) / (b - a);
		left -= slope * a;
		right = left + slope * (double)last;
	} else {
		left = right = air->left ? left : right;
	}
	if (!(left > 0) || !(right > 0))
		return gt_fail(GT_ERR_FORMAT,
		               "air columns: found a transmission of %.3g at the left edge and %.3g at the right one: expected more than 0",
		               left, right);
	*at_left = left;
	*at_right = right;
	return GT_OK;
}

gt_status gt_air_min(const float *t, size_t rows, size_t columns, double *min)
{
	const size_t bands = rows < BANDS ? rows : BANDS;
	float *median = malloc(columns * sizeof *median);
	double *all = malloc(bands * columns * sizeof *all);
	gt_status st = GT_OK;
	if (!median || !all)
		GT_TRY(out_of_memory());
	for (size_t c = 0; c < columns; c++)
		min[c] = INFINITY;
	for (size_t b = 0; b < bands; b++) {
		const size_t first = b * rows / bands, end = (b + 1) * rows / bands;
		GT_TRY(gt_column_medians(t + first * columns, end - first, columns, columns, median));
		for (size_t c = 0; c < columns; c++) {
			all[c * bands + b] = median[c];
			min[c] = fmin(min[c], median[c]);
		}
	}
	const double brightest = gt_quantile(all, bands * columns, 0.99);
	for (size_t c = 0; c < columns; c++)
		min[c] /= brightest > 0 ? brightest : NAN;
done:
	free(median);
	free(all);
	return st;
}

/* Counts the air columns from one edge, except a few at the object's blurred edge. The count is large, because columns
 * near the object show the local beam intensity best. */
static size_t outer(const double *min, size_t n, int from_right)
{
	size_t air = 0;
	while (air < n && min[from_right ? n - 1 - air : air] > AIR_FROM)
		air++;
	const size_t blurred = air / 8 < 2 ? 2 : air / 8;
	return air < n && air >= MIN_COLUMNS + blurred ? air - blurred : 0;
}

gt_air_columns gt_air_columns_of(const double *min, size_t columns)
{
	return (gt_air_columns){ outer(min, columns, 0), outer(min, columns, 1) };
}

gt_status gt_air_columns_parse(const char *air, size_t columns, gt_air_columns *out)
{
	int end = 0;
	if (sscanf(air, "%zu,%zu%n", &out->left, &out->right, &end) == 2 && !air[end] && !strchr(air, '-') && out->left + out->right > 0 &&
	    out->left < columns && out->right < columns - out->left)
		return GT_OK;
	return gt_fail(GT_ERR_ARG,
	               "air %s: expected auto, no, or the numbers of air columns at the left and the right edge (of %zu), as in 20,30", air,
	               columns);
}
