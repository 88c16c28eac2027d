/* Rotation axis from opposite views. In a parallel beam the view 180 degrees later is the mirror image: p(theta, c + s)
 * = p(theta + pi, c - s). Rows are averaged. The column c maximises Fisher's z of the correlation coefficient times the
 * root of the overlap, so that short overlaps do not win by chance. The search uses half columns, then cubic
 * interpolation of slightly smoothed profiles. Correlation ignores offset and gain differences between views. A range
 * of 180 degrees without its last view has no opposite views, only a pair with a gap g. Then the sum of both columns of
 * a point is 2 c + g times its depth. So c is found at g and at the next larger gap, and extrapolated to 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/order_statistics.h"
#include "core/try.h"
#include "io/frames/rotation_axis.h"

enum { MAX_PAIRS = 32, RADIUS = 4, MARGIN = 4 };

/* A view, and one or two views around the opposite angle, with the weight of the second; gap: angle missing to 180
 * degrees. */
typedef struct {
	size_t view, first, second;
	double weight, gap;
} pair;

typedef struct {
	double angle;
	size_t view;
} direction;

static int by_angle(const void *a, const void *b)
{
	const double x = ((const direction *)a)->angle, y = ((const direction *)b)->angle;
	return (x > y) - (x < y);
}

static double within_turn(double angle)
{
	const double a = fmod(angle, 2 * GT_PI);
	return a < 0 ? a + 2 * GT_PI : a;
}

/* Median of the gaps between adjacent angles: one gap may be the half that was not scanned. */
static double angular_step(const direction *sorted, size_t n, double *gap)
{
	size_t gaps = 0;
	for (size_t i = 0; i + 1 < n; i++)
		if (sorted[i + 1].angle - sorted[i].angle > 1e-9)
			gap[gaps++] = sorted[i + 1].angle - sorted[i].angle;
	return gaps ? gt_upper_median(gap, gaps) : 0;
}

/* First direction of at least this angle; n if there is none. */
static size_t lower_bound(const direction *sorted, size_t n, double angle)
{
	size_t low = 0, high = n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (sorted[middle].angle < angle)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Views on both sides of angle + pi, within a step; or one at that angle. */
static int enclose(const direction *sorted, size_t n, double step, const direction *d, pair *p)
{
	const double target = within_turn(d->angle + GT_PI), tolerance = 1.01 * step + 1e-9, same = 0.02 * step + 1e-9;
	const size_t at = lower_bound(sorted, n, target);
	const direction *above = &sorted[at % n], *below = &sorted[(at + n - 1) % n];
	const double up = within_turn(above->angle - target), down = within_turn(target - below->angle);
	*p = (pair){ .view = d->view, .first = below->view, .second = above->view };
	if (down <= same)
		return 1;
	p->weight = up <= same ? 1 : down / (up + down);
	return up <= same || (up <= tolerance && down <= tolerance);
}

/* The nearest view to angle + pi on one side, within a step; further = 1: the view after it. */
static int approach(const direction *sorted, size_t n, double step, const direction *d, size_t further, pair *p)
{
	const double target = within_turn(d->angle + GT_PI), tolerance = 1.01 * step + 1e-9;
	const size_t at = lower_bound(sorted, n, target);
	const double up = within_turn(sorted[at % n].angle - target), down = within_turn(target - sorted[(at + n - 1) % n].angle);
	if (n < 4 || (up > tolerance && down > tolerance))
		return 0;
	const direction *other = up <= tolerance ? &sorted[(at + further) % n] : &sorted[(at + n - 1 - further) % n];
	*p = (pair){ .view = d->view, .first = other->view, .second = other->view };
	p->gap = within_turn(up <= tolerance ? other->angle - target : target - other->angle);
	return p->gap < 3 * tolerance;
}

typedef struct {
	direction *sorted;
	pair *all;
	double step;
	size_t views;
} directions;

/* All pairs, thinned to MAX_PAIRS evenly spread ones. with_gap: pairs that are not opposite. */
static size_t find_pairs(const directions *d, int with_gap, size_t further, pair *pairs)
{
	size_t n = 0;
	for (size_t v = 0; v < d->views; v++)
		n += (size_t)(with_gap ? approach(d->sorted, d->views, d->step, &d->sorted[v], further, &d->all[n])
		                       : enclose(d->sorted, d->views, d->step, &d->sorted[v], &d->all[n]));
	const size_t kept = n < MAX_PAIRS ? n : MAX_PAIRS;
	for (size_t i = 0; i < kept; i++)
		pairs[i] = d->all[i * n / kept];
	return kept;
}

static void add_profile(const float *data, size_t rows, size_t columns, size_t view, double weight, double *profile)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < columns; c++)
			profile[c] += weight * data[(view * rows + r) * columns + c] / (double)rows;
}

/* Gaussian of one column's width, ends repeated: less smoothing makes interpolation between columns inaccurate. */
static void smooth(const double *from, size_t n, double *to)
{
	for (size_t c = 0; c < n; c++) {
		double sum = 0, weights = 0;
		for (int k = -RADIUS; k <= RADIUS; k++) {
			const double w = exp(-0.5 * k * k);
			const ptrdiff_t at = (ptrdiff_t)c + k, last = (ptrdiff_t)n - 1;
			sum += w * from[at < 0 ? 0 : at > last ? last : at];
			weights += w;
		}
		to[c] = sum / weights;
	}
}

static double cubic(const double *p, double x)
{
	const double f = floor(x), t = x - f;
	p += (ptrdiff_t)f;
	if (t == 0)
		return p[0];
	return p[0] + 0.5 * t * (p[1] - p[-1] + t * (2 * p[-1] - 5 * p[0] + 4 * p[1] - p[2] + t * (3 * (p[0] - p[1]) + p[2] - p[-1])));
}

/* Correlation of a[k] with b[2 center - k] over columns [begin, end) of a. */
static double correlation(const double *a, const double *b, double center, size_t begin, size_t end)
{
	const int whole = 2 * center == floor(2 * center);
	const ptrdiff_t mirror = (ptrdiff_t)(2 * center);
	double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
	const double n = (double)(end - begin);
	for (size_t k = begin; k < end; k++) {
		const double x = a[k], y = whole ? b[mirror - (ptrdiff_t)k] : cubic(b, 2 * center - (double)k);
		sa += x;
		sb += y;
		saa += x * x;
		sbb += y * y;
		sab += x * y;
	}
	const double va = saa - sa * sa / n, vb = sbb - sb * sb / n;
	return va > 1e-12 * saa && vb > 1e-12 * sbb ? (sab - sa * sb / n) / sqrt(va * vb) : 0;
}

/* profiles: pairs times [2][columns]. */
static double score(const double *profiles, size_t pairs, size_t columns, double center, size_t begin, size_t end, double *mean)
{
	double sum = 0, r = 0;
	for (size_t i = 0; i < pairs; i++) {
		const double *a = profiles + 2 * i * columns, each = correlation(a, a + columns, center, begin, end);
		sum += atanh(fmax(-0.999999, fmin(0.999999, each)));
		r += each;
	}
	*mean = r / (double)pairs;
	return sum / (double)pairs * sqrt((double)(end - begin));
}

static double coarse(const double *profiles, size_t pairs, size_t columns, double *mean)
{
	const size_t min = columns / 10 > 8 ? columns / 10 : 8, last = columns - 1;
	double best = -INFINITY, at = 0;
	*mean = 0;
	for (size_t twice = 0; twice <= 2 * last; twice++) {
		const size_t begin = twice > last ? twice - last : 0, end = (twice < last ? twice : last) + 1;
		double r;
		if (end - begin < min)
			continue;
		const double s = score(profiles, pairs, columns, 0.5 * (double)twice, begin, end, &r);
		if (s > best) {
			best = s;
			at = 0.5 * (double)twice;
			*mean = r;
		}
	}
	return at;
}

/* Uses the same columns for every candidate, so that the score is a smooth function of the centre. */
static double fine(const double *profiles, size_t pairs, size_t columns, double start, double *mean)
{
	enum { TRIALS = 25 };
	const double width = 0.05, lo = fmax(0, 2 * start - (double)(columns - 1)) + MARGIN,
		     hi = fmin((double)(columns - 1), 2 * start) - MARGIN;
	double s[TRIALS], r;
	int best = 0;
	if (hi - lo < MARGIN)
		return start;
	for (int i = 0; i < TRIALS; i++) {
		/* slightly off half columns, so that every candidate is interpolated */
		s[i] = score(profiles, pairs, columns, start + (i - TRIALS / 2) * width + 1e-7, (size_t)lo, (size_t)hi, &r);
		if (s[i] > s[best]) {
			best = i;
			*mean = r;
		}
	}
	double shift = 0;
	if (best > 0 && best < TRIALS - 1) {
		const double bend = s[best - 1] - 2 * s[best] + s[best + 1];
		if (bend < 0)
			shift = 0.5 * (s[best - 1] - s[best + 1]) / bend;
	}
	return start + (best - TRIALS / 2 + shift) * width;
}

typedef struct {
	const float *data;
	size_t views, rows, columns;
} sinogram;

static gt_status find_for_pairs(const sinogram *x, const pair *pairs, size_t npairs, gt_axis_found *found)
{
	const size_t columns = x->columns;
	double *raw = calloc(2 * npairs * columns, sizeof *raw), *smoothed = malloc(2 * npairs * columns * sizeof *smoothed);
	gt_status st = GT_OK;
	if (!raw || !smoothed)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t i = 0; i < npairs; i++) {
		double *a = raw + 2 * i * columns, *b = a + columns, *to = smoothed + 2 * i * columns;
		add_profile(x->data, x->rows, columns, pairs[i].view, 1, a);
		add_profile(x->data, x->rows, columns, pairs[i].first, 1 - pairs[i].weight, b);
		add_profile(x->data, x->rows, columns, pairs[i].second, pairs[i].weight, b);
		smooth(a, columns, to);
		smooth(b, columns, to + columns);
	}
	found->pairs = npairs;
	found->column = coarse(smoothed, npairs, columns, &found->correlation);
	found->column = fine(smoothed, npairs, columns, found->column, &found->correlation);
done:
	free(raw);
	free(smoothed);
	return st;
}

static double mean_gap(const pair *pairs, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += pairs[i].gap;
	return sum / (double)n;
}

static gt_status find_with_directions(const sinogram *x, const directions *d, gt_axis_found *found)
{
	pair near[MAX_PAIRS], next[MAX_PAIRS];
	gt_status st = GT_OK;
	size_t n = find_pairs(d, 0, 0, near);
	if (n)
		return find_for_pairs(x, near, n, found);
	if (!(n = find_pairs(d, 1, 0, near)))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "no two views are 180 degrees apart: the rotation axis cannot be found: expected its column (--axis), or "
		               "angles in their unit (--angle-unit)");
	GT_TRY(find_for_pairs(x, near, n, found));
	const size_t others = find_pairs(d, 1, 1, next);
	if (others) {
		const double gap = mean_gap(near, n), wider = mean_gap(next, others);
		gt_axis_found second;
		GT_TRY(find_for_pairs(x, next, others, &second));
		if (wider > gap && fabs(second.column - found->column) < 0.02 * (double)x->columns)
			found->column -= gap / (wider - gap) * (second.column - found->column);
	}
done:
	return st;
}

gt_status gt_axis_find(const float *data, size_t views, size_t rows, size_t columns, const double *angle, gt_axis_found *found)
{
	const sinogram x = { data, views, rows, columns };
	directions d = { malloc(views * sizeof *d.sorted), malloc(views * sizeof *d.all), 0, views };
	double *gap = malloc(views * sizeof *gap);
	gt_status st = GT_OK;
	memset(found, 0, sizeof *found);
	if (!d.sorted || !d.all || !gap)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	if (columns < 16)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%zu columns are too few to find the rotation axis: set its column (--axis)", columns));
	for (size_t v = 0; v < views; v++)
		d.sorted[v] = (direction){ within_turn(angle[v]), v };
	qsort(d.sorted, views, sizeof *d.sorted, by_angle);
	d.step = angular_step(d.sorted, views, gap);
	GT_TRY(find_with_directions(&x, &d, found));
	if (found->correlation < 0.3)
		st = gt_fail(
			GT_ERR_UNSUPPORTED,
			"opposite views are not mirror images (correlation %.2f at best): the rotation axis cannot be found: expected its column "
			"(--axis), or images in the order of their angles",
			found->correlation);
done:
	free(d.sorted);
	free(d.all);
	free(gap);
	return st;
}
