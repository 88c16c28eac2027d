/* Stripes by the order of their values. The published algorithms smooth or divide every column, which removes details
 * of the object. Here only deviations from the neighbours that all views share are corrected. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "core/clones.h"
#include "core/order_statistics.h"
#include "prepare/step.h"
#include "prepare/stripes/column.h"
#include "prepare/stripes/running_medians.h"
#include "prepare/stripes/sort_column.h"
#include "prepare/stripes/stripes.h"
#include "prepare/stripes/confirmation.h"

/* A correction must exceed this number of variances of the mean. */
#define NOISE 4.0
/* Fraction of the deviation from the line between both sides that lines from each side must confirm. */
#define AGREES 0.67
/* Number of columns that a stripe of one or two columns is compared with; of up to four. */
enum { AROUND_NARROW = 5, AROUND_WIDE = 9 };
/* Maximum width of a stripe of "sorting" and of "large", if their windows are wide enough. */
enum { BROAD_NARROW = 5, BROAD_WIDE = 8, MAX_AROUND = 4 * BROAD_WIDE + 1 };

/* Columns or lines per block: the floats of a cache line. */
enum { BLOCK = GT_MEDIAN_LINES, LINE = 64, PAGE = 4096 };
/* Lines lie a page or more apart, which hardware prefetch does not cross. */
enum { AHEAD = 12 };
#ifdef __GNUC__
#define FETCH(p) __builtin_prefetch(p)
#else
#define FETCH(p) ((void)(p))
#endif

/* Distance from one column to the next: whole cache lines, not a multiple of a page. */
static size_t stride_of(size_t views)
{
	const size_t stride = (views + BLOCK - 1) / BLOCK * BLOCK;
	return stride * sizeof(float) % PAGE ? stride : stride + BLOCK;
}

/* Scratch: value, view, smooth [column][rank], with stride_of() values per column; the rest is for a block or a
 * line. */
typedef struct {
	size_t stride;
	float *value, *smooth, *block, *line, *median, *window;
	uint32_t *view;
	double *sort, *weight, *mean, *squares, *f, *level, *allowed, *few, *sides;
	unsigned char *stripe, *lined;
} arrays;

size_t gt_stripes_scratch(size_t views, size_t columns)
{
	const size_t stride = stride_of(views);
	return LINE / sizeof(double) + (3 * columns + BLOCK) * stride / 2 + gt_sort_column_scratch(views) + BLOCK * columns +
	       (gt_running_medians_scratch(columns) + 1) / 2 + (7 + GT_STRIPE_SIDES) * columns + columns / 4 + 1;
}

static arrays lay_out(const gt_stripes *t, double *scratch)
{
	const size_t stride = stride_of(t->views), n = t->columns * stride;
	arrays a = { .stride = stride };
	a.value = (float *)(((uintptr_t)scratch + LINE - 1) / LINE * LINE);
	a.smooth = a.value + n;
	a.view = (uint32_t *)(a.smooth + n);
	a.block = (float *)(a.view + n);
	a.sort = (double *)(a.block + BLOCK * stride);
	a.line = (float *)(a.sort + gt_sort_column_scratch(t->views));
	a.median = a.line + BLOCK * t->columns;
	a.window = a.median + BLOCK * t->columns;
	a.weight = (double *)(a.window + (gt_running_medians_scratch(t->columns) + 1) / 2 * 2);
	a.mean = a.weight + t->columns;
	a.squares = a.mean + t->columns;
	a.f = a.squares + t->columns;
	a.level = a.f + t->columns;
	a.allowed = a.level + t->columns;
	a.few = a.allowed + t->columns;
	a.sides = a.few + t->columns;
	a.stripe = (unsigned char *)(a.sides + GT_STRIPE_SIDES * t->columns);
	a.lined = a.stripe + t->columns;
	return a;
}

static size_t min_of(size_t a, size_t b) { return a < b ? a : b; }

/* Copies columns k ... of the sinogram to block[column][view]. */
static void gather(const gt_stripes *t, const float *s, size_t k, size_t n, const arrays *a)
{
	for (size_t v = 0; v < t->views; v++) {
		const float *row = s + v * t->columns + k;
		if (v + AHEAD < t->views)
			FETCH(row + AHEAD * t->columns);
		for (size_t j = 0; j < n; j++)
			a->block[j * a->stride + v] = row[j];
	}
}

static void sort_columns(const gt_stripes *t, const float *s, const arrays *a)
{
	for (size_t k = 0; k < t->columns; k += BLOCK) {
		const size_t n = min_of(BLOCK, t->columns - k);
		gather(t, s, k, n, a);
		for (size_t j = 0; j < n; j++) {
			const size_t at = (k + j) * a->stride;
			gt_sort_column(a->block + j * a->stride, t->views, a->sort, a->value + at, a->view + at);
		}
	}
}

/* Medians along the columns at each rank, of sorted columns. */
static void smooth_ranks(const gt_stripes *t, size_t window, const arrays *a)
{
	/* Lines past the last view hold arbitrary numbers. */
	for (size_t k = 0; k < t->columns; k++)
		for (size_t rank = t->views; rank < a->stride; rank++)
			a->value[k * a->stride + rank] = 0;
	for (size_t rank = 0; rank < t->views; rank += BLOCK) {
		for (size_t k = 0; k < t->columns; k++) {
			const float *from = a->value + k * a->stride + rank;
			if (k + AHEAD < t->columns)
				FETCH(from + AHEAD * a->stride);
			memcpy(a->line + k * BLOCK, from, BLOCK * sizeof *from);
		}
		gt_running_medians(a->line, t->columns, window, a->window, a->median);
		for (size_t k = 0; k < t->columns; k++)
			memcpy(a->smooth + k * a->stride + rank, a->median + k * BLOCK, BLOCK * sizeof *a->smooth);
	}
}

static GT_CLONES void add_off(const float *restrict median, const float *restrict x, size_t n, double views, double *restrict mean,
                              double *restrict squares, double *restrict level)
{
	for (size_t k = 0; k < n; k++) {
		const double here = x[k], off = (double)median[k] - here;
		mean[k] += off / views;
		squares[k] += off * off;
		level[k] += here / views;
	}
}

/* Adds the deviation of column k from the median of the columns around a stripe of the given width. */
static void off_broad(const gt_stripes *t, const float *s, size_t k, size_t width, const arrays *a)
{
	const size_t half = 2 * width, first = k < half ? 0 : k - half, n = min_of(t->columns, k + half + 1) - first;
	a->mean[k] = a->squares[k] = 0;
	for (size_t v = 0; v < t->views; v++) {
		float around[MAX_AROUND];
		memcpy(around, s + v * t->columns + first, n * sizeof *around);
		const double off = (double)gt_median_few(around, n) - s[v * t->columns + k];
		a->mean[k] += off / (double)t->views;
		a->squares[k] += off * off;
	}
}

/* Columns on either side of a stripe, odd, and the relative position of column k between their centres. */
typedef struct {
	size_t columns, left, right;
	double part;
} sides;

static sides sides_of(size_t k, gt_stripe_place stripe)
{
	const size_t n = stripe.width < 3 ? 3 : stripe.width | 1;
	return (sides){ n, stripe.first - n, stripe.first + stripe.width,
		        ((double)(k - stripe.first) + 0.5 * (double)(n + 1)) / (double)(stripe.width + n) };
}

/* Sets the mean deviation of a column; its variance over the views is that about the median. */
static void set_off(const gt_stripes *t, size_t k, double off, const arrays *a)
{
	a->squares[k] += (double)t->views * (off * off - a->mean[k] * a->mean[k]);
	a->mean[k] = off;
}

/* Sets the deviation of column k of the mean view from the line through the medians of equally many columns on both
 * sides of a stripe. Slopes shift the median across, but not this line. Returns 0 if the row ends before, or if the
 * confirmed deviation has another sign or height. */
static int off_sides(const gt_stripes *t, size_t k, gt_stripe_place stripe, double height, const arrays *a)
{
	const sides side = sides_of(k, stripe);
	if (stripe.first < side.columns || side.right + side.columns > t->columns)
		return 0;
	double few[BROAD_WIDE + 1];
	memcpy(few, a->level + side.left, side.columns * sizeof *few);
	const double left = gt_upper_median(few, side.columns);
	memcpy(few, a->level + side.right, side.columns * sizeof *few);
	const double off = left + side.part * (gt_upper_median(few, side.columns) - left) - a->level[k];
	if (height * off >= 0 || fabs(height) < AGREES * fabs(off))
		return 0;
	set_off(t, k, off, a);
	return 1;
}

/* Sets the deviation from the parabola that continues through the stripe. */
static int off_parabola(const gt_stripes *t, size_t k, const gt_stripe_step *step, const arrays *a)
{
	const sides side = sides_of(k, step->place);
	if (step->height == 0 || step->place.first < side.columns || side.right + side.columns > t->columns)
		return 0;
	set_off(t, k, -step->height, a);
	return 1;
}

/* Deviation at each rank. It varies between ranks only if the column varies more than both sides do. Columns further
 * off would show other parts of the object. */
static void smooth_between(const gt_stripes *t, size_t k, gt_stripe_place stripe, const arrays *a)
{
	const sides side = sides_of(k, stripe);
	const float *value = a->value + k * a->stride;
	float *smooth = a->smooth + k * a->stride, few[2][BROAD_WIDE + 1];
	double off = 0, offs = 0, apart = 0, aparts = 0;
	const double views = (double)t->views;
	for (size_t rank = 0; rank < t->views; rank++) {
		for (size_t j = 0; j < side.columns; j++) {
			few[0][j] = a->value[(side.left + j) * a->stride + rank];
			few[1][j] = a->value[(side.right + j) * a->stride + rank];
		}
		const double left = gt_median_few(few[0], side.columns), half = 0.5 * (gt_median_few(few[1], side.columns) - left);
		smooth[rank] = (float)(left + 2 * side.part * half - value[rank]);
		off += smooth[rank] / views;
		offs += smooth[rank] * smooth[rank] / views;
		apart += half / views;
		aparts += half * half / views;
	}
	const double varies = offs - off * off, part = varies > 0 ? 1 - fmin(1, (aparts - apart * apart) / varies) : 0;
	for (size_t rank = 0; rank < t->views; rank++)
		smooth[rank] = (float)(value[rank] + off + part * (smooth[rank] - off));
}

/* Returns the allowed part of a change. */
static double within(double allowed, double change) { return fabs(change) > allowed ? allowed / fabs(change) : 1; }

/* Returns the part of a change that leads to the neighbours, and not past them. */
static double towards(const arrays *a, size_t k, double change)
{
	const double off = a->weight[k] * a->mean[k];
	return change * off <= 0 ? 0 : within(fmin(a->allowed[k], fabs(off)), change);
}

/* A structure that continues to one side is not a stripe. The median around a stripe detects it only if its window is
 * twice as wide. */
static void find_confirmed(const gt_stripes *t, size_t around, size_t broadest, const float *s, const arrays *a)
{
	const double usual = gt_stripe_unconfirmed(a->mean, t->columns, a->few), views = (double)t->views;
	const gt_stripe_sides both = gt_stripe_sides_of(a->level, t->columns, usual, a->sides);
	for (size_t k = 0; k < t->columns; k++) {
		gt_stripe_place place, other;
		double sign = a->mean[k] < 0 ? 1 : -1, height = gt_stripe_confirmed(&both, k, broadest, sign, &place);
		const double against = gt_stripe_confirmed(&both, k, broadest, -sign, &other);
		if (other.width > around / 2 && against > (fabs(a->mean[k]) > usual ? height : usual)) {
			height = against;
			place = other;
			sign = -sign;
		}
		const gt_stripe_step step = gt_stripe_step_of(&both, k, broadest);
		a->lined[k] = !step.bent && height > usual && off_sides(t, k, place, sign * height, a);
		if (!a->lined[k] && off_parabola(t, k, &step, a)) {
			a->lined[k] = 1;
			place = step.place;
		}
		if (a->lined[k])
			smooth_between(t, k, place, a);
		if (height > usual && !a->lined[k] && place.width > around / 2)
			off_broad(t, s, k, place.width, a);
		const double off = a->mean[k];
		a->allowed[k] = a->lined[k] ? fabs(off) : fmax(usual, height);
		a->weight[k] = off != 0 ? 1 - fmin(1, NOISE * a->squares[k] / views / views / (off * off)) : 0;
		a->weight[k] *= within(a->allowed[k], off);
	}
}

/* weight[column]: fraction of a column that is a stripe, 0 to 1. A stripe differs from the columns around it in all
 * views. The edge of an object differs to one side in some views and to the other in others. So the mean deviation
 * from a running median is compared with its variance. */
static void stripe_weights(const gt_stripes *t, size_t around, size_t broadest, const float *s, const arrays *a)
{
	const double views = (double)t->views;
	memset(a->mean, 0, t->columns * sizeof *a->mean);
	memset(a->squares, 0, t->columns * sizeof *a->squares);
	memset(a->level, 0, t->columns * sizeof *a->level);
	for (size_t v = 0; v < t->views; v++) {
		gt_short_medians(s + v * t->columns, t->columns, around, a->median);
		add_off(a->median, s + v * t->columns, t->columns, views, a->mean, a->squares, a->level);
	}
	find_confirmed(t, around, broadest, s, a);
}

/* Computes smooth, the corrected values; returns 0 if the column stays. */
typedef int (*correction)(const arrays *a, size_t column, const float *value, float *smooth, size_t n);

/* Writes corrected values back to their views. */
static void put_back(const gt_stripes *t, const arrays *a, correction correct, float *s)
{
	for (size_t k = 0; k < t->columns; k += BLOCK) {
		const size_t n = min_of(BLOCK, t->columns - k);
		size_t changed[BLOCK], changes = 0;
		for (size_t j = 0; j < n; j++) {
			const size_t at = (k + j) * a->stride;
			if (!correct(a, k + j, a->value + at, a->smooth + at, t->views))
				continue;
			float *to = a->block + changes * a->stride;
			for (size_t rank = 0; rank < t->views; rank++)
				to[a->view[at + rank]] = a->smooth[at + rank];
			/* Corrected values are still sorted, so the permutation to views stays valid. */
			memcpy(a->value + at, a->smooth + at, t->views * sizeof *a->value);
			changed[changes++] = k + j;
		}
		for (size_t v = 0; v < t->views && changes; v++) {
			float *row = s + v * t->columns;
			if (v + AHEAD < t->views)
				FETCH(row + AHEAD * t->columns + k);
			for (size_t j = 0; j < changes; j++)
				row[changed[j]] = a->block[j * a->stride + v];
		}
	}
}

/* Windows are wider than those of the weights, so they deviate more without a stripe. If the line between both sides
 * is known, the mean is moved onto it. */
static int towards_smooth(const arrays *a, size_t k, const float *value, float *smooth, size_t n)
{
	if (!(a->weight[k] > 0))
		return 0;
	double by = (gt_column_sum(smooth, n) - gt_column_sum(value, n)) / (double)n;
	if (a->lined[k]) {
		gt_column_shift(a->mean[k] - by, smooth, smooth, n);
		by = a->mean[k];
	}
	gt_column_mix(a->weight[k] * towards(a, k, a->weight[k] * by), value, smooth, n);
	return 1;
}

static void sorting(const gt_stripes *t, size_t window, float *s, const arrays *a)
{
	smooth_ranks(t, window, a);
	stripe_weights(t, AROUND_NARROW, min_of(BROAD_NARROW, window / 2), s, a);
	put_back(t, a, towards_smooth, s);
}

void gt_stripes_sorting(const gt_stripes *t, size_t window, float *s, double *scratch)
{
	const arrays a = lay_out(t, scratch);
	sort_columns(t, s, &a);
	sorting(t, window, s, &a);
}

/* A ratio to a wide window would follow the object. */
static int shifted(const arrays *a, size_t k, const float *value, float *smooth, size_t n)
{
	if (a->stripe[k] && a->lined[k])
		return towards_smooth(a, k, value, smooth, n);
	if (!(a->weight[k] > 0))
		return 0;
	gt_column_shift(a->weight[k] * a->mean[k], value, smooth, n);
	return 1;
}

static void large(const gt_stripes *t, size_t window, float *s, const arrays *a)
{
	const size_t drop = (size_t)(t->drop * (double)t->views), kept = t->views - 2 * drop;
	double max = 0;
	smooth_ranks(t, window, a);
	for (size_t k = 0; k < t->columns; k++) {
		a->level[k] = gt_column_sum(a->smooth + k * a->stride + drop, kept);
		a->f[k] = gt_column_sum(a->value + k * a->stride + drop, kept);
		max = fmax(max, fabs(a->level[k]));
	}
	/* In air a ratio is not defined. */
	for (size_t k = 0; k < t->columns; k++)
		a->f[k] = fabs(a->level[k]) > 0.02 * max ? a->f[k] / a->level[k] : 1;
	stripe_weights(t, AROUND_WIDE, min_of(BROAD_WIDE, window / 2), s, a);
	gt_stripes_detect(a->f, t->columns, t->snr, a->stripe, a->few);
	for (size_t k = 0; k < t->columns; k++)
		a->stripe[k] &= a->weight[k] > 0;
	gt_stripes_widen(a->stripe, t->columns);
	put_back(t, a, shifted, s);
}

void gt_stripes_large(const gt_stripes *t, size_t window, float *s, double *scratch)
{
	const arrays a = lay_out(t, scratch);
	sort_columns(t, s, &a);
	large(t, window, s, &a);
}

void gt_stripes_large_then_sorting(const gt_stripes *t, size_t wide, size_t narrow, float *s, double *scratch)
{
	const arrays a = lay_out(t, scratch);
	sort_columns(t, s, &a);
	large(t, wide, s, &a);
	sorting(t, narrow, s, &a);
}
