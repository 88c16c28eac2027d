/* Stripes by the order of their values. Scratch of a sinogram: sorted values with their views, the same smoothed,
 * differences, some lines. The published algorithms smooth or divide every column, which takes details of a body for
 * stripes; here only what is off its neighbours in all views alike is corrected. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/order_statistics.h>
#include "prepare/stripes.h"

/* A column that fluctuates does so by this factor more, or less, than its neighbours. */
#define FLUCTUATES 1.5
/* Variances of a mean that a correction must be above. */
#define NOISE 4.0
/* Columns that a stripe is compared with: of one or two columns; of more. */
enum { AROUND_NARROW = 5, AROUND_WIDE = 9 };

/* A value and its view. Sorted by value; equal ones by view, so that the order is one. */
typedef struct {
	float value;
	unsigned view;
} ranked;

size_t gt_stripes_scratch(size_t views, size_t columns) { return 3 * views * columns + 9 * columns + 2 * views; }

static int by_value(const void *a, const void *b)
{
	const ranked *x = a, *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->view < y->view ? -1 : x->view > y->view;
}

/* Median of x[k - half ... k + half] within n values. scratch: 2 half + 1. */
static double running_median(const double *x, size_t n, size_t k, size_t window, double *scratch)
{
	const size_t half = window / 2, first = k < half ? 0 : k - half, last = k + half < n ? k + half : n - 1;
	memcpy(scratch, x + first, (last - first + 1) * sizeof *scratch);
	return gt_upper_median(scratch, last - first + 1);
}

/* sorted: [column][rank]; smooth: [rank][column]. line, few: a row each. */
static void sort_and_smooth(const gt_stripes *t, size_t window, const float *s, ranked *sorted, double *smooth, double *line, double *few)
{
	for (size_t k = 0; k < t->columns; k++) {
		ranked *column = sorted + k * t->views;
		for (size_t v = 0; v < t->views; v++)
			column[v] = (ranked){ s[v * t->columns + k], (unsigned)v };
		qsort(column, t->views, sizeof *column, by_value);
	}
	for (size_t rank = 0; rank < t->views; rank++) {
		for (size_t k = 0; k < t->columns; k++)
			line[k] = sorted[k * t->views + rank].value;
		for (size_t k = 0; k < t->columns; k++)
			smooth[rank * t->columns + k] = running_median(line, t->columns, k, window, few);
	}
}

/* weight[column]: how far a column may be a stripe, 0 to 1. A stripe is off the columns around it in all views alike,
 * the edge of a body to one side in some views and to the other in others: the mean over the views of what a median
 * along the columns differs by, against what its variance makes it by chance. */
static void stripe_weights(const gt_stripes *t, size_t around, const float *s, double *off, double *line, double *few, double *weight)
{
	for (size_t v = 0; v < t->views; v++) {
		for (size_t k = 0; k < t->columns; k++)
			line[k] = s[v * t->columns + k];
		for (size_t k = 0; k < t->columns; k++)
			off[v * t->columns + k] = running_median(line, t->columns, k, around, few) - line[k];
	}
	for (size_t k = 0; k < t->columns; k++) {
		const double views = (double)t->views;
		double mean = 0, squares = 0;
		for (size_t v = 0; v < t->views; v++) {
			mean += off[v * t->columns + k] / views;
			squares += off[v * t->columns + k] * off[v * t->columns + k];
		}
		weight[k] = mean != 0 ? 1 - fmin(1, NOISE * squares / views / views / (mean * mean)) : 0;
	}
}

void gt_stripes_sorting(const gt_stripes *t, size_t window, float *s, double *scratch)
{
	const size_t n = t->views * t->columns;
	ranked *sorted = (ranked *)scratch;
	double *smooth = scratch + n, *off = smooth + n, *line = off + n, *few = line + t->columns, *weight = few + t->columns;
	sort_and_smooth(t, window, s, sorted, smooth, line, few);
	stripe_weights(t, AROUND_NARROW, s, off, line, few, weight);
	for (size_t k = 0; k < t->columns; k++)
		for (size_t rank = 0; rank < t->views && weight[k] > 0; rank++) {
			float *value = s + sorted[k * t->views + rank].view * t->columns + k;
			*value += (float)(weight[k] * (smooth[rank * t->columns + k] - *value));
		}
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

void gt_stripes_detect(const double *f, size_t columns, double snr, unsigned char *stripe, double *scratch)
{
	const size_t drop = columns / 4, n = columns - 2 * drop;
	double mean_x = 0, mean_y = 0, xx = 0, xy = 0, most = -INFINITY, least = INFINITY;
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
	/* Without noise there is no measure of what stands out. */
	if (!(noise > 1e-5))
		return;
	most = scratch[columns - 1];
	least = scratch[0];
	for (size_t k = 0; k < columns; k++)
		stripe[k] = (unsigned char)((most - high > snr * noise && f[k] > high + 0.5 * snr * noise) ||
		                            (low - least > snr * noise && f[k] < low - 0.5 * snr * noise));
}

/* One column more on either side. */
static void dilate(unsigned char *stripe, size_t columns)
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

void gt_stripes_large(const gt_stripes *t, size_t window, float *s, double *scratch)
{
	const size_t n = t->views * t->columns, drop = (size_t)(t->drop * (double)t->views);
	ranked *sorted = (ranked *)scratch;
	double *smooth = scratch + n, *off = smooth + n, *line = off + n, *few = line + t->columns, *f = few + t->columns,
	       *level = f + t->columns, *weight = level + t->columns;
	unsigned char *stripe = (unsigned char *)(weight + t->columns);
	double most = 0;
	sort_and_smooth(t, window, s, sorted, smooth, line, few);
	for (size_t k = 0; k < t->columns; k++) {
		f[k] = level[k] = 0;
		for (size_t rank = drop; rank < t->views - drop; rank++) {
			f[k] += sorted[k * t->views + rank].value;
			level[k] += smooth[rank * t->columns + k];
		}
		most = fmax(most, fabs(level[k]));
	}
	/* A ratio means nothing in air. */
	for (size_t k = 0; k < t->columns; k++)
		f[k] = fabs(level[k]) > 0.02 * most ? f[k] / level[k] : 1;
	stripe_weights(t, AROUND_WIDE, s, off, line, few, weight);
	gt_stripes_detect(f, t->columns, t->snr, stripe, line);
	for (size_t k = 0; k < t->columns; k++)
		stripe[k] &= weight[k] > 0;
	dilate(stripe, t->columns);
	for (size_t k = 0; k < t->columns; k++)
		for (size_t rank = 0; rank < t->views && (stripe[k] || weight[k] > 0); rank++) {
			float *value = s + sorted[k * t->views + rank].view * t->columns + k;
			if (stripe[k])
				*value = (float)smooth[rank * t->columns + k];
			else if (f[k] > 0.5)
				*value = (float)(*value * (1 + weight[k] * (1 / f[k] - 1)));
		}
}

/* Sum over the views of |s - mean of 10 views|. */
static double fluctuation(const gt_stripes *t, const float *s, size_t k)
{
	double sum = 0;
	for (size_t v = 0; v < t->views; v++) {
		const size_t first = v < 5 ? 0 : v - 5, last = v + 4 < t->views ? v + 4 : t->views - 1;
		double mean = 0;
		for (size_t i = first; i <= last; i++)
			mean += s[i * t->columns + k] / (double)(last - first + 1);
		sum += fabs(s[v * t->columns + k] - mean);
	}
	return sum;
}

static void interpolate(const gt_stripes *t, const unsigned char *stripe, float *row)
{
	for (size_t k = 0; k < t->columns; k++) {
		size_t left = k, right = k;
		if (!stripe[k])
			continue;
		while (left > 0 && stripe[left])
			left--;
		while (right + 1 < t->columns && stripe[right])
			right++;
		if (stripe[left] && stripe[right])
			continue;
		const float a = row[stripe[left] ? right : left], b = row[stripe[right] ? left : right];
		row[k] = right > left ? a + (b - a) * (float)(k - left) / (float)(right - left) : a;
	}
}

void gt_stripes_dead(const gt_stripes *t, size_t window, float *s, double *scratch, unsigned char *bad)
{
	double *d = scratch, *f = d + t->columns, *few = f + t->columns;
	unsigned char *stripe = (unsigned char *)(few + t->columns);
	for (size_t k = 0; k < t->columns; k++)
		d[k] = fluctuation(t, s, k);
	for (size_t k = 0; k < t->columns; k++) {
		const double around = running_median(d, t->columns, k, window, few);
		f[k] = around > 0 ? d[k] / around : 1;
	}
	gt_stripes_detect(f, t->columns, t->snr, stripe, few);
	/* Noise that differs from column to column is no fault. */
	for (size_t k = 0; k < t->columns; k++)
		stripe[k] &= f[k] > FLUCTUATES || f[k] < 1 / FLUCTUATES;
	dilate(stripe, t->columns);
	for (size_t v = 0; v < t->views; v++)
		interpolate(t, stripe, s + v * t->columns);
	memcpy(bad, stripe, t->columns);
}
