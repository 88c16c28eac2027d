/* Redundancy weights of short scans (Parker, Med. Phys. 9 (1982) 254) and of displaced detectors (Wang, Med. Phys. 29
 * (2002) 1634), and angular weights of unequally spaced views. Memory: one index per view during the sort. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include "analytic/fbp/redundancy.h"
#include "core/order_statistics.h"

static double sin_squared(double x) { return sin(x) * sin(x); }

double gt_parker_weight(double t, double beta, double range)
{
	const double delta = (range - GT_PI) / 2, b = fmax(-delta, fmin(delta, beta));
	if (t < 0 || t > range)
		return 0;
	if (t < 2 * (delta - b))
		return sin_squared(GT_PI / 4 * t / (delta - b));
	if (t < GT_PI - 2 * b)
		return 1;
	return delta + b > 0 ? sin_squared(GT_PI / 4 * (range - t) / (delta + b)) : 0;
}

double gt_offset_weight(double beta, double overlap)
{
	if (beta <= -overlap)
		return 0;
	return beta >= overlap ? 2 : 1 + sin(GT_PI * beta / (2 * overlap));
}

struct place {
	double at;
	size_t index;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->index > y->index) - (x->index < y->index);
}

/* Groups sorted positions on the circle that are closer than `same`: group[k] is the first of group k. */
static size_t make_groups(const struct place *p, size_t n, double same, size_t *group)
{
	size_t groups = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || p[i].at - p[group[groups - 1]].at > same)
			group[groups++] = i;
	return groups;
}

/* gap[k]: from group k to the next; returns the largest. */
static size_t measure_gaps(const struct place *p, const size_t *group, size_t groups, double period, double *gap)
{
	size_t widest = 0;
	for (size_t k = 0; k < groups; k++) {
		gap[k] = k + 1 < groups ? p[group[k + 1]].at - p[group[k]].at : p[group[0]].at + period - p[group[k]].at;
		widest = gap[k] > gap[widest] ? k : widest;
	}
	return widest;
}

static double median_without(const double *gap, size_t groups, size_t out, double *scratch)
{
	size_t n = 0;
	for (size_t k = 0; k < groups; k++)
		if (k != out)
			scratch[n++] = gap[k];
	return n ? gt_upper_median(scratch, n) : 0;
}

/* A circle is closed if its widest gap could come from a golden-ratio sequence with a lost view. For few views this
 * limit is a wide angle; then the gap must be about as wide as the others. */
static int is_closed(double widest, double step)
{
	return widest <= 3 * step * (1 + 1e-9) && (widest <= 1.5 * step || widest <= 20 * GT_PI / 180);
}

static void share(const struct place *p, size_t begin, size_t end, double part, double *weight)
{
	for (size_t i = begin; i < end; i++)
		weight[p[i].index] = part / (double)(end - begin);
}

struct circle {
	double period, closes;
	double *gap;   /* [2 n]: the second half is scratch */
	size_t *group; /* [n] */
};

/* p is sorted. */
static void cover(struct place *p, size_t n, const struct circle *of, gt_coverage *c, double *weight)
{
	const double period = of->period, *gap = of->gap;
	const size_t *group = of->group;
	/* The last direction may equal the first up to rounding. */
	const double same = 0.02 * period / (double)n;
	while (n > 1 && p[0].at + period - p[n - 1].at <= same) {
		struct place last = p[n - 1];
		for (size_t i = n - 1; i > 0; i--)
			p[i] = p[i - 1];
		last.at -= period;
		p[0] = last;
	}
	const size_t groups = make_groups(p, n, same, of->group);
	const size_t widest = measure_gaps(p, group, groups, period, of->gap);
	c->step = median_without(gap, groups, widest, of->gap + n);
	c->full = groups > 1 && (is_closed(gap[widest], c->step) || gap[widest] <= of->closes);
	c->hole = c->full ? gap[widest] : 0;
	for (size_t k = 0; !c->full && k < groups; k++)
		if (k != widest)
			c->hole = fmax(c->hole, gap[k]);
	const size_t start = (widest + 1) % groups, before = (widest + groups - 1) % groups;
	const double wide = gap[widest], first_step = groups > 1 ? gap[start] : 0, last_step = groups > 1 ? gap[before] : 0;
	c->range = c->full ? period : groups > 1 ? period - wide + (first_step + last_step) / 2 : 0;
	c->first = c->full ? 0 : p[group[start]].at - first_step / 2;
	for (size_t k = 0; k < groups; k++) {
		const size_t previous = (k + groups - 1) % groups;
		const double after_gap = !c->full && k == widest ? last_step : gap[k];
		const double before_gap = !c->full && previous == widest ? first_step : gap[previous];
		share(p, group[k], k + 1 < groups ? group[k + 1] : n, groups > 1 ? (after_gap + before_gap) / 2 : 0, weight);
	}
}

gt_status gt_directions_cover(const double *direction, size_t n, double period, double closes, gt_coverage *c, double *weight)
{
	struct place *p = malloc(n * sizeof *p);
	double *gap = malloc(2 * n * sizeof *gap);
	size_t *group = malloc(n * sizeof *group);
	gt_status st = GT_OK;
	if (p && gap && group) {
		for (size_t i = 0; i < n; i++) {
			const double at = fmod(direction[i], period);
			p[i] = (struct place){ at < 0 ? at + period : at, i };
		}
		qsort(p, n, sizeof *p, by_place);
		const struct circle of = { period, closes, gap, group };
		cover(p, n, &of, c, weight);
	} else {
		st = gt_fail(GT_ERR_MEMORY, "no memory for the directions of %zu views", n);
	}
	free(p);
	free(gap);
	free(group);
	return st;
}
