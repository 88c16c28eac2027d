/* Stripes of single detector columns, which cause rings in a slice; removed row by row, for any geometry. "gain"
 * follows the LEAP toolkit: a constant per pixel, the mean over the views of the difference from a median over
 * neighbouring columns. "sorting", "large" and "dead" are algorithms 3, 5 and 6 of Vo, Atwood, Drakopoulos, Opt.
 * Express 26 (2018) 28396, with detection by algorithm 4. Confirmation from both sides of a column separates stripes
 * from objects that are round about the axis (stripes/confirmation.h). Memory: a few sinograms per thread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/clones.h"
#include "core/order_statistics.h"
#include "core/try.h"
#include "io/plausibility.h"
#include "prepare/stripes/running_medians.h"
#include "prepare/stripes/stripes.h"
#include "prepare/stripes/confirmation.h"

/* A correction must exceed this number of variances of the mean. */
#define NOISE 4.0

enum { GAIN, SORTING, LARGE, DEAD, ALL };
enum { MAX_GAIN = 63, MAX_WINDOW = 1001 };
struct options {
	int method, window, passes;
	double limit, snr, drop;
};
static const struct options defaults = { .method = GAIN, .window = 0, .passes = 3, .limit = 0.05, .snr = 3, .drop = 0.1 };
static const char *const methods[] = { "gain", "sorting", "large", "dead", "all", NULL };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "method",
	  .help = "gain: constant per pixel; sorting: partial stripes; large: wide ones; dead: unstable columns; all: the last three",
	  .kind = GT_CHOICE,
	  .at = AT(method),
	  .names = methods },
	{ .key = "window",
	  .help = "columns of the median, odd; 0: 5 of gain, a 24th of all but at most 21 of sorting, a 10th but at most 51 of the others",
	  .kind = GT_INT,
	  .at = AT(window),
	  .min = 0,
	  .max = MAX_WINDOW },
	{ .key = "passes", .help = "of gain", .kind = GT_INT, .at = AT(passes), .min = 1, .max = 20 },
	{ .key = "limit", .help = "gain: largest correction of a line integral", .kind = GT_REAL, .at = AT(limit), .min = 1e-6, .max = 10 },
	{ .key = "snr",
	  .help = "large, dead: threshold of a stripe relative to the noise of the factors",
	  .kind = GT_REAL,
	  .at = AT(snr),
	  .min = 1,
	  .max = 100 },
	{ .key = "drop",
	  .help = "large: fraction of the sorted views ignored at either end",
	  .kind = GT_REAL,
	  .at = AT(drop),
	  .min = 0,
	  .max = 0.49 },
	{ .key = NULL },
};

typedef struct {
	const gt_projections *p;
	const struct options *o;
	size_t views, columns, window[5];
	unsigned char *bad; /* [row][column]: columns that "dead" found */
	struct change {
		double squares, max;
	} * change; /* [row]: of the line integrals */
} rings_call;

/* Returns the median of `window` values around column k, within the row. */
static double neighbours_median(const float *row, size_t columns, size_t k, size_t window)
{
	float value[MAX_GAIN];
	const size_t half = window / 2, first = k < half ? 0 : k - half, last = k + half < columns ? k + half : columns - 1;
	memcpy(value, row + first, (last - first + 1) * sizeof *value);
	return gt_median_few(value, last - first + 1);
}

static void medians_of(const float *row, size_t columns, size_t window, float *median)
{
	const size_t inner = window == 5 && columns >= 5 ? 2 : columns;
	if (inner == 2)
		gt_medians_of_five(row, columns, median);
	for (size_t k = 0; k < columns; k++)
		if (k < inner || k + inner >= columns)
			median[k] = (float)neighbours_median(row, columns, k, window);
}

static double within(double limit, double x) { return x < -limit ? -limit : x > limit ? limit : x; }

static GT_CLONES void add_view(const float *restrict view, size_t n, double views, double *restrict mean)
{
	for (size_t k = 0; k < n; k++)
		mean[k] += view[k] / views;
}

/* c: the correction; of, squares: sums over the views; mean: of the uncorrected views. A correction c is reduced by
 * its part due to noise: NOISE variances out of c^2. */
static void gain(const rings_call *r, float *s, double *c)
{
	const size_t n = r->columns;
	const double limit = r->o->limit, views = (double)r->views;
	double *of = c + n, *squares = of + n, *mean = squares + n, *lines = mean + n, usual = 0;
	float *median = (float *)(lines + GT_STRIPE_SIDES * n);
	memset(c, 0, n * sizeof *c);
	memset(mean, 0, n * sizeof *mean);
	for (int pass = 0; pass < r->o->passes; pass++) {
		memset(of, 0, 2 * n * sizeof *of);
		for (size_t v = 0; v < r->views; v++) {
			const float *row = s + v * n;
			if (!pass)
				add_view(row, n, views, mean);
			medians_of(row, n, r->window[GAIN], median);
			for (size_t k = 0; k < n; k++) {
				const double off = within(limit, (double)median[k] - row[k]);
				of[k] += off;
				squares[k] += off * off;
			}
		}
		for (size_t k = 0; k < n; k++)
			of[k] /= views;
		usual = pass ? usual : gt_stripe_unconfirmed(of, n, (double *)median);
		const gt_stripe_sides sides = gt_stripe_sides_of(mean, n, usual, lines);
		for (size_t k = 0; k < n; k++) {
			gt_stripe_place place;
			const double wanted = c[k] + of[k],
				     confirmed = gt_stripe_confirmed(&sides, k, r->window[GAIN] / 2 + 1, wanted < 0 ? 1 : -1, &place);
			const double allowed = within(fmin(limit, fmax(usual, confirmed)), wanted);
			of[k] = allowed - c[k];
			c[k] = allowed;
		}
		for (size_t v = 0; v < r->views; v++)
			for (size_t k = 0; k < n; k++)
				s[v * n + k] += (float)of[k];
	}
	for (size_t k = 0; k < n; k++) {
		const double variance = squares[k] / views / views;
		of[k] = c[k] != 0 ? -c[k] * fmin(1, NOISE * variance / (c[k] * c[k])) : 0;
	}
	for (size_t v = 0; v < r->views; v++)
		for (size_t k = 0; k < n; k++)
			s[v * n + k] += (float)of[k];
}

enum { LANES = 8 };
static GT_CLONES struct change change_of_line(const float *restrict was, const float *restrict is, size_t n)
{
	float squares[LANES] = { 0 }, max[LANES] = { 0 };
	struct change c = { 0 };
	for (size_t k = 0; k + LANES <= n; k += LANES)
		for (size_t l = 0; l < LANES; l++) {
			const float by = fabsf(is[k + l] - was[k + l]);
			squares[l] += by * by;
			max[l] = by > max[l] ? by : max[l];
		}
	for (size_t k = n / LANES * LANES; k < n; k++) {
		const float by = fabsf(is[k] - was[k]);
		squares[0] += by * by;
		max[0] = by > max[0] ? by : max[0];
	}
	for (size_t l = 0; l < LANES; l++) {
		c.squares += squares[l];
		c.max = max[l] > c.max ? max[l] : c.max;
	}
	return c;
}

/* The projections still hold the uncorrected row. */
static struct change change_of(const rings_call *r, size_t row, const float *s)
{
	struct change c = { 0 };
	for (size_t v = 0; v < r->views; v++) {
		const struct change line = change_of_line(r->p->data + (v * r->p->scan->rows + row) * r->columns, s + v * r->columns,
		                                          r->columns);
		c.squares += line.squares;
		c.max = line.max > c.max ? line.max : c.max;
	}
	return c;
}

static void work(void *self, size_t row, float *s, double *scratch)
{
	const rings_call *r = self;
	const gt_stripes t = { r->views, r->columns, r->o->snr, r->o->drop };
	const int method = r->o->method;
	if (method == GAIN)
		gain(r, s, scratch);
	if (method == DEAD || method == ALL)
		gt_stripes_dead(&t, r->window[DEAD], s, scratch, r->bad + row * r->columns);
	if (method == ALL)
		gt_stripes_large_then_sorting(&t, r->window[LARGE], r->window[SORTING], s, scratch);
	if (method == LARGE)
		gt_stripes_large(&t, r->window[LARGE], s, scratch);
	if (method == SORTING)
		gt_stripes_sorting(&t, r->window[SORTING], s, scratch);
	r->change[row] = change_of(r, row, s);
}

static size_t odd(size_t n, size_t min, size_t max)
{
	const size_t within = n < min ? min : n > max ? max : n;
	return within | 1;
}

typedef struct {
	size_t found, pixels;
	int seeks;
	struct change change;
	double values;
} rings_known;

static gt_status inspect(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	const gt_scan *scan = c->source.scan;
	if (o->window && (o->window % 2 == 0 || o->window < 3 || (o->method == GAIN && o->window > MAX_GAIN)))
		return gt_fail(GT_ERR_ARG, "window=%d: expected an odd number from 3 to %d", o->window,
		               o->method == GAIN ? MAX_GAIN : MAX_WINDOW);
	if (scan->columns < 5 || scan->views < 4)
		return gt_fail(GT_ERR_UNSUPPORTED, "%zu views of %zu columns: expected at least 4 views of 5 columns", scan->views,
		               scan->columns);
	const gt_status st = gt_prepare_known(c, sizeof(rings_known));
	if (st == GT_OK)
		((rings_known *)c->known)->seeks = o->method == DEAD || o->method == ALL;
	return st;
}

static int weighs(const void *known) { return ((const rings_known *)known)->seeks; }

static gt_status run(gt_prepare_call *c, const void *options)
{
	const gt_scan *scan = (*c->p)->scan;
	const size_t few = odd(scan->columns / 24, 5, 21), many = odd(scan->columns / 10, 5, 51);
	rings_call r = { *c->p, options, scan->views, scan->columns, { 5, few, many, many, 0 }, NULL, NULL };
	rings_known *known = c->known;
	const size_t pixels = scan->rows * scan->columns;
	size_t found = 0;
	gt_status st = GT_OK;
	for (int m = 0; r.o->window && m < 5; m++)
		r.window[m] = (size_t)r.o->window;
	r.bad = calloc(pixels, 1);
	r.change = calloc(scan->rows, sizeof *r.change);
	if (!r.bad || !r.change)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "rings: out of memory"));
	GT_TRY(gt_prepare_rows(c, work, &r,
	                       r.o->method == GAIN ? (5 + GT_STRIPE_SIDES) * scan->columns
	                                           : gt_stripes_scratch(scan->views, scan->columns)));
	for (size_t row = 0; row < scan->rows; row++) {
		known->change.squares += r.change[row].squares;
		known->change.max = fmax(known->change.max, r.change[row].max);
	}
	known->values += (double)gt_scan_size(scan);
	for (size_t i = 0; i < pixels; i++)
		found += r.bad[i];
	if (found)
		GT_TRY(gt_prepare_mark(c, r.bad, pixels, GT_INTERPOLATED_WEIGHT));
	known->found += found;
	known->pixels += pixels;
done:
	free(r.bad);
	free(r.change);
	return st;
}

static void report(gt_prepare_call *c)
{
	const rings_known *known = c->known;
	gt_prepare_note(c, "line integrals changed by %.2g (root mean square), by %.2g at most",
	                sqrt(known->change.squares / known->values), known->change.max);
	if (known->seeks)
		gt_prepare_note(c, "%zu of %zu pixels are unstable: interpolated, weight %g", known->found, known->pixels,
		                (double)GT_INTERPOLATED_WEIGHT);
}

static size_t common_divisor(size_t a, size_t b)
{
	while (b) {
		const size_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Third differences along columns hold noise and pattern, their changes from view to view noise alone. */
static gt_status advise_gain(gt_prepare_call *c, char *spec, char *why, size_t size)
{
	const gt_projections *p = *c->p;
	const size_t rows = p->scan->rows, columns = p->scan->columns, views = p->scan->views, n = rows * columns;
	double *all = NULL, *change = NULL;
	size_t m = 0;
	const size_t max = 200000;
	size_t step = views * n / max + 1;
	/* A step that shares a divisor with the columns would skip some of them. */
	while (common_divisor(step, columns) > 1)
		step++;
	all = malloc((max + views) * sizeof *all);
	change = malloc((max + views) * sizeof *change);
	if (!all || !change) {
		free(all);
		free(change);
		return gt_fail(GT_ERR_MEMORY, "rings: out of memory");
	}
	for (size_t i = 0; i + n < views * n && m < max; i += step) {
		if (i % columns + 3 >= columns)
			continue;
		const float *a = p->data + i, *b = a + n;
		const double here = a[3] - 3. * a[2] + 3. * a[1] - a[0], next = b[3] - 3. * b[2] + 3. * b[1] - b[0];
		all[m] = fabs(here);
		change[m++] = fabs(next - here);
	}
	const double both = 1.4826 * gt_median(all, m) / sqrt(20), noise = 1.4826 * gt_median(change, m) / sqrt(40);
	const double pattern = sqrt(fmax(0, both * both - noise * noise));
	free(all);
	free(change);
	snprintf(why, size, "a fixed pattern of %.2g of a line integral, noise of %.2g", pattern, noise);
	if (pattern > 0.3 * noise && pattern > 1e-4)
		snprintf(spec, size, "rings:method=gain");
	return GT_OK;
}

/* The warning of gt_projections_outlier_columns(). */
typedef struct {
	char *text;
	size_t size;
} heard_warning;

static void hear(void *self, const gt_message *m)
{
	const heard_warning *heard = self;
	snprintf(heard->text, heard->size, "%.*s", (int)strcspn(m->text, ";"), m->text);
}

/* Columns that recon warns of are interpolated first. The pattern of the others is inspected afterwards. */
static gt_status advise(gt_prepare_call *c, char *spec, char *why, size_t size)
{
	const gt_projections *p = *c->p;
	heard_warning heard = { why, size };
	if (p->scan->columns < 16 || p->scan->views < 8) {
		snprintf(why, size, "too few views or columns to detect a pattern");
		return GT_OK;
	}
	if (!c->round)
		gt_projections_outlier_columns(p, &(gt_listener){ hear, &heard }, "projections");
	if (!why[0])
		return advise_gain(c, spec, why, size);
	snprintf(spec, size, "rings:method=dead");
	c->ask_again = 1;
	return GT_OK;
}

const gt_preparation gt_preparation_rings = {
	.name = "rings",
	.about = "rings: removes stripes of single detector columns; objects that are round about the axis resemble rings",
	GT_STEP_MEMBERS,
	.advise = advise,
	.chunks = GT_BY_ROWS,
	.inspect = inspect,
	.report = report,
	.weighs = weighs,
};
