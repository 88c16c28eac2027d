/* Detects outlier columns, which differ from both neighbours in all views: dead or saturated pixels, which cause
 * rings. Dead rows leave slices empty; there the object itself may change from row to row, so that only rows of one
 * value are reported. */
#include <math.h>
#include <stdlib.h>
#include "core/log.h"
#include "core/order_statistics.h"
#include "geometry/projections.h"
#include "io/plausibility.h"

/* Empirical thresholds: a multiple of the median deviation from the mean of the neighbours, and a fraction of the
 * largest mean. */
#define MEDIANS 30.0
#define PART 0.25
enum { VIEWS = 128, ROWS = 16, FREQUENT = 16 };

/* Means of all columns over a sample of views and rows, then deviations from the mean of both neighbours. Returns the
 * largest mean. */
static double deviations(const gt_projections *p, double *mean, double *off)
{
	const gt_scan *s = p->scan;
	const size_t views = 1 + (s->views - 1) / VIEWS, rows = 1 + (s->rows - 1) / ROWS;
	double max = 0, count = 0;
	for (size_t c = 0; c < s->columns; c++)
		mean[c] = 0;
	for (size_t v = 0; v < s->views; v += views)
		for (size_t l = 0; l < s->rows; l += rows, count++)
			for (size_t c = 0; c < s->columns; c++)
				mean[c] += p->data[(v * s->rows + l) * s->columns + c];
	for (size_t c = 0; c < s->columns; c++) {
		mean[c] /= count;
		max = fmax(max, mean[c]);
	}
	off[0] = off[s->columns - 1] = 0;
	for (size_t c = 1; c + 1 < s->columns; c++)
		off[c] = mean[c] - (mean[c - 1] + mean[c + 1]) / 2;
	return max;
}

void gt_projections_outlier_columns(const gt_projections *p, const gt_listener *log, const char *path)
{
	const size_t n = p->scan->columns;
	double *mean = malloc(3 * n * sizeof *mean), *off = mean + n, *size = off + n;
	size_t found = 0, worst = 0;
	if (mean && n >= 8 && p->data) {
		const double max = deviations(p, mean, off);
		for (size_t c = 0; c < n; c++)
			size[c] = fabs(off[c]);
		const double limit = fmax(MEDIANS * gt_upper_median(size, n), PART * max);
		for (size_t c = 1; c + 1 < n; c++)
			if (fabs(off[c]) > limit && fabs(off[c]) > fabs(off[c - 1]) && fabs(off[c]) > fabs(off[c + 1])) {
				worst = !found || fabs(off[c]) > fabs(off[worst]) ? c : worst;
				found++;
			}
	}
	if (found)
		gt_notify(log, GT_WARNING, GT_ABOUT_DATA,
		          "%s: %zu column%s stand%s out in the mean of views and rows, most of all column %zu with %.4g between "
		          "%.4g and %.4g: dead or saturated pixels draw rings and streaks; --auto, or prepare --rings dead, "
		          "interpolates them",
		          path, found, found == 1 ? "" : "s", found == 1 ? "s" : "", worst, mean[worst], mean[worst - 1], mean[worst + 1]);
	free(mean);
}

/* Returns 1 if the row has one value in all sampled views. */
static int is_constant(const gt_projections *p, size_t row)
{
	const gt_scan *s = p->scan;
	const size_t views = 1 + (s->views - 1) / VIEWS;
	const float *first = p->data + row * s->columns;
	for (size_t v = 0; v < s->views; v += views)
		for (size_t c = 0; c < s->columns; c++)
			if (first[v * s->rows * s->columns + c] != *first)
				return 0;
	return 1;
}

/* Returns 1 if at least 1/FREQUENT of a row has this value, as air without noise. */
static int is_frequent(const gt_projections *p, size_t row, float value)
{
	const gt_scan *s = p->scan;
	const size_t views = 1 + (s->views - 1) / VIEWS;
	size_t equal = 0, all = 0;
	for (size_t v = 0; v < s->views; v += views, all += s->columns)
		for (size_t c = 0; c < s->columns; c++)
			equal += p->data[(v * s->rows + row) * s->columns + c] == value;
	return FREQUENT * equal >= all;
}

static double row_mean(const gt_projections *p, size_t row)
{
	const gt_scan *s = p->scan;
	const size_t views = 1 + (s->views - 1) / VIEWS;
	double sum = 0, count = 0;
	for (size_t v = 0; v < s->views; v += views)
		for (size_t c = 0; c < s->columns; c++, count++)
			sum += p->data[(v * s->rows + row) * s->columns + c];
	return sum / count;
}

void gt_projections_constant_rows(const gt_projections *p, const gt_listener *log, const char *path)
{
	const size_t n = p->scan->rows;
	size_t found = 0, worst = 0;
	double above = 0, below = 0;
	/* rows at the ends may lie in air */
	for (size_t row = 1, end; p->data && p->scan->columns > 1 && row + 1 < n; row = end + 1) {
		for (end = row; end < n && is_constant(p, end);)
			end++;
		if (end == row || end == n || is_constant(p, row - 1))
			continue;
		const float value = p->data[row * p->scan->columns];
		if (is_frequent(p, row - 1, value) || is_frequent(p, end, value))
			continue; /* a gap between objects, without noise */
		const double before = row_mean(p, row - 1), after = row_mean(p, end);
		if (value > fmin(before, after) / 2 && value < 2 * fmax(before, after))
			continue;
		found += end - row;
		worst = row;
		below = before;
		above = after;
	}
	if (found)
		gt_notify(log, GT_WARNING, GT_ABOUT_DATA,
		          "%s: %zu row%s ha%s one value in all views, as row %zu with %.4g between means of %.4g and %.4g: dead rows or "
		          "missing data leave their slices wrong",
		          path, found, found == 1 ? "" : "s", found == 1 ? "s" : "ve", worst, (double)p->data[worst * p->scan->columns],
		          below, above);
}
