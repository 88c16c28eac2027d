/* Unstable and dead columns. Object structure also changes an adjacent column, so a bad column must differ from both
 * neighbours. */
#include <math.h>
#include <string.h>
#include "core/order_statistics.h"
#include "prepare/stripes/stripes.h"

/* Factor by which the fluctuation of an unstable column exceeds its neighbours', or a dead one falls below it. The
 * second applies to each column of a broad stripe. */
#define FLUCTUATES 1.5
#define STRIPE_FLUCTUATES 2.0
/* Maximum width of a stripe of bad columns, and of stripes that one column at either side confirms. */
enum { BROADEST = 8, NARROW = 2 };

/* Returns the median of x[k - half ... k + half] within n values. scratch: 2 half + 1. */
static double running_median(const double *x, size_t n, size_t k, size_t window, double *scratch)
{
	const size_t half = window / 2, first = k < half ? 0 : k - half, last = k + half < n ? k + half : n - 1;
	memcpy(scratch, x + first, (last - first + 1) * sizeof *scratch);
	return gt_upper_median(scratch, last - first + 1);
}

/* d[column]: sum over the views of |s - mean of 10 views|. */
static void fluctuations(const gt_stripes *t, const float *s, double *d, double *mean)
{
	memset(d, 0, t->columns * sizeof *d);
	for (size_t v = 0; v < t->views; v++) {
		const size_t first = v < 5 ? 0 : v - 5, last = v + 4 < t->views ? v + 4 : t->views - 1;
		memset(mean, 0, t->columns * sizeof *mean);
		for (size_t i = first; i <= last; i++)
			for (size_t k = 0; k < t->columns; k++)
				mean[k] += s[i * t->columns + k];
		for (size_t k = 0; k < t->columns; k++)
			d[k] += fabs(s[v * t->columns + k] - mean[k] / (double)(last - first + 1));
	}
}

typedef struct {
	double min, max;
} range;

static void extend(range *r, const double *d, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		r->min = fmin(r->min, d[k]);
		r->max = fmax(r->max, d[k]);
	}
}

/* Tests if all of n columns from `first` fluctuate more, or less, than the adjacent columns. Next to the end of a row
 * one side suffices. It does not suffice for broad stripes with less fluctuation, because air next to an object
 * fluctuates less too. */
static int stands_out(const double *d, size_t columns, size_t first, size_t n, int more)
{
	const size_t behind = first + n, side = n > NARROW ? 2 : 1, after = columns - behind;
	const size_t left = first < side ? first : side, right = after < side ? after : side;
	const double by = n > NARROW ? STRIPE_FLUCTUATES : FLUCTUATES;
	range stripe = { INFINITY, 0 }, sides = stripe;
	if (left + right < (more || n <= NARROW ? 1 : 2 * side))
		return 0;
	extend(&stripe, d + first, n);
	extend(&sides, d + first - left, left);
	extend(&sides, d + behind, right);
	return more ? stripe.min > by * sides.max : stripe.max * by < sides.min;
}

/* Tests column k, alone and as part of wider stripes. */
static int apart(const double *d, size_t columns, size_t k, int more)
{
	for (size_t n = 1; n <= BROADEST; n++)
		for (size_t first = k + 1 < n ? 0 : k + 1 - n; first <= k && first + n <= columns; first++)
			if (stands_out(d, columns, first, n, more))
				return 1;
	return 0;
}

/* The nearest columns on both sides of k outside all stripes; twice the same column if one side has none. */
typedef struct {
	size_t left, right;
} ends;

static ends beside(const unsigned char *stripe, size_t columns, size_t k)
{
	ends e = { k, k };
	while (e.left > 0 && stripe[e.left])
		e.left--;
	while (e.right + 1 < columns && stripe[e.right])
		e.right++;
	if (stripe[e.left])
		e.left = e.right;
	else if (stripe[e.right])
		e.right = e.left;
	return e;
}

static void interpolate(const unsigned char *stripe, size_t columns, float *s, size_t views)
{
	for (size_t k = 0; k < columns; k++) {
		const ends e = beside(stripe, columns, k);
		if (!stripe[k] || stripe[e.left])
			continue;
		for (float *row = s; row < s + views * columns; row += columns) {
			const float a = row[e.left], b = row[e.right];
			row[k] = e.right > e.left ? a + (b - a) * (float)(k - e.left) / (float)(e.right - e.left) : a;
		}
	}
}

/* Marks values of d[column] that are too high, then values that are too low. High columns are replaced first, so that
 * quiet columns between them and the object are not marked. f: d relative to the median around a column. */
static void find(const gt_stripes *t, double *d, const double *f, unsigned char *stripe, unsigned char *high)
{
	for (size_t k = 0; k < t->columns; k++)
		high[k] = stripe[k] && f[k] > FLUCTUATES && apart(d, t->columns, k, 1);
	for (size_t k = 0; k < t->columns; k++)
		if (high[k]) {
			const ends e = beside(high, t->columns, k);
			d[k] = fmin(d[e.left], d[e.right]);
		}
	for (size_t k = 0; k < t->columns; k++)
		stripe[k] = high[k] || (stripe[k] && f[k] * FLUCTUATES < 1 && apart(d, t->columns, k, 0));
}

void gt_stripes_dead(const gt_stripes *t, size_t window, float *s, double *scratch, unsigned char *bad)
{
	double *d = scratch, *f = d + t->columns, *few = f + t->columns;
	unsigned char *stripe = (unsigned char *)(few + t->columns), *high = stripe + t->columns;
	fluctuations(t, s, d, few);
	for (size_t k = 0; k < t->columns; k++) {
		const double around = running_median(d, t->columns, k, window, few);
		f[k] = around > 0 ? d[k] / around : 1;
	}
	gt_stripes_detect(f, t->columns, t->snr, stripe, few);
	find(t, d, f, stripe, high);
	gt_stripes_widen(stripe, t->columns);
	interpolate(stripe, t->columns, s, t->views);
	memcpy(bad, stripe, t->columns);
}
