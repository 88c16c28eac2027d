/* Zingers: gamma rays that hit the detector directly, single pixels that are too bright. A pixel is one if its
 * transmission is above the median of the 3 x 3 around it by more than 6 of the deviations that photons give the
 * difference, 6 * 1.2 sqrt(median/N), and nothing in the ring of 5 x 5 is half as bright; it gets the median of the
 * others. Thresholds of a fixed size replace most of a noisy scan. A detector of fewer than 3 rows: the views before
 * and after in place of rows. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "core/clones.h"
#include "core/try.h"
#include "prepare/step.h"

struct options {
	double photons, sigmas;
	int dark;
};
static const struct options defaults = { 0, 6, 0 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "photons",
	  .help = "of a pixel that nothing attenuates; 0: from the projections, else from their noise",
	  .kind = GT_REAL,
	  .at = AT(photons),
	  .min = 0,
	  .max = 1e15 },
	{ .key = "sigmas",
	  .help = "standard deviations beyond which a pixel is one",
	  .kind = GT_REAL,
	  .at = AT(sigmas),
	  .min = 1,
	  .max = 1e6 },
	{ .key = "dark", .help = "pixels that are too dark as well", .kind = GT_FLAG, .at = AT(dark) },
	{ .key = NULL },
};
/* The deviation of a value less the median of the nine around and with it, in that of the value. */
#define SPREAD 1.2

typedef struct {
	const gt_scan *scan;
	const float *was; /* line integrals to begin with */
	float *p;
	double photons, sigmas;
	int dark;
	atomic_size_t found;
} zinger_call;

/* Where a pixel is among those along the axis that is not that of the columns. */
typedef struct {
	size_t at, max, stride, index;
} place_across;

static place_across across(const zinger_call *z, size_t view, size_t row, size_t column)
{
	const gt_scan *s = z->scan;
	const size_t index = (view * s->rows + row) * s->columns + column;
	return s->rows < 3 ? (place_across){ view, s->views, s->rows * s->columns, index }
	                   : (place_across){ row, s->rows, s->columns, index };
}

/* 1: that many steps from there are on the detector, or within the views. */
static int is_there(size_t at, int steps, size_t max) { return steps < 0 ? at >= (size_t)-steps : at + (size_t)steps < max; }

static double transmission_at(const zinger_call *z, const place_across *p, int a, int b)
{
	return expf(-z->was[(size_t)((ptrdiff_t)p->index + (ptrdiff_t)p->stride * a + b)]);
}

/* Transmissions of the pixels around one along columns and the other axis, its own first. */
static size_t around(const zinger_call *z, const place_across *p, size_t column, float *value)
{
	size_t n = 0;
	value[n++] = (float)transmission_at(z, p, 0, 0);
	for (int a = -1; a <= 1; a++)
		for (int b = -1; b <= 1; b++)
			if ((a || b) && is_there(p->at, a, p->max) && is_there(column, b, z->scan->columns))
				value[n++] = (float)transmission_at(z, p, a, b);
	return n;
}

/* 1: a pixel of the ring of 5 x 5 around this one exceeds the median by more than half of `off`. A gap or a corner of
 * the object continues into the ring; a zinger of a few pixels does not. */
static int goes_on(const zinger_call *z, const place_across *p, size_t column, double median, double off)
{
	for (int a = -2; a <= 2; a++)
		for (int b = -2; b <= 2; b++)
			if ((abs(a) == 2 || abs(b) == 2) && is_there(p->at, a, p->max) && is_there(column, b, z->scan->columns) &&
			    (transmission_at(z, p, a, b) - median) / off > 0.5)
				return 1;
	return 0;
}

static int is_zinger(const zinger_call *z, double off, double median)
{
	return (off > 0 || z->dark) && fabs(off) > z->sigmas * SPREAD * sqrt(fmax(median, GT_MIN_TRANSMISSION) / z->photons);
}

static size_t mend(const zinger_call *z, size_t view, size_t row, size_t column)
{
	float value[9], sorted[9];
	const place_across p = across(z, view, row, column);
	const size_t n = around(z, &p, column, value);
	memcpy(sorted, value, sizeof sorted);
	const double median = gt_median_few(sorted, n);
	if (!is_zinger(z, value[0] - median, median) || goes_on(z, &p, column, median, value[0] - median))
		return 0;
	z->p[(view * z->scan->rows + row) * z->scan->columns + column] = -logf(
		fmaxf(gt_median_few(value + 1, n - 1), (float)GT_MIN_TRANSMISSION));
	return 1;
}

GT_INLINE float min(float a, float b) { return a < b ? a : b; }
GT_INLINE float max(float a, float b) { return a < b ? b : a; }
GT_INLINE float middle(float a, float b, float c) { return max(min(a, b), min(max(a, b), c)); }

/* Columns that are worked on at a time, whose lines stay in the nearest cache. */
enum { CHUNK = 256 };

/* Which of n pixels may be zingers, 1 or 0, by line integrals alone: with a median m of those around a pixel of p,
 * exp(-p) - exp(-m) > k exp(-m/2) is exp(m - p) - 1 > k exp(m/2), and the logarithm of 1 + x is more than x/(1 + x),
 * exp(m/2) at least (1 + m/8)^4 from -8 on: where m - p is no more than that, it is none. The median of transmissions
 * is the transmission of the median of line integrals. before, here, after: from the column before the first pixel on.
 * Returns whether there is any. */
static GT_CLONES int candidates(const float *restrict before, const float *restrict here, const float *restrict after, size_t n, float k,
                                int dark, int *restrict candidate)
{
	float low[CHUNK + 2], mid[CHUNK + 2], high[CHUNK + 2];
	const float lower = dark ? -1.f : 0.f;
	int any = 0;
	for (size_t i = 0; i < n + 2; i++) {
		const float a = before[i], b = here[i], c = after[i];
		low[i] = min(min(a, b), c);
		mid[i] = middle(a, b, c);
		high[i] = max(max(a, b), c);
	}
	for (size_t i = 0; i < n; i++) {
		/* Of three columns the largest least, the middle middle, the least largest one: their middle. */
		const float m = middle(max(max(low[i], low[i + 1]), low[i + 2]), middle(mid[i], mid[i + 1], mid[i + 2]),
		                       min(min(high[i], high[i + 1]), high[i + 2]));
		const float root = max(1 + m / 8, 0), square = root * root, y = min(k * square * square, 1e30f), by = m - here[i + 1];
		candidate[i] = (by > 0 ? by : by * lower) > 0.999f * y / (1 + y);
	}
	for (size_t i = 0; i < n; i++)
		any |= candidate[i];
	return any;
}

/* A line with lines on both sides of it; stride: values from one to the next. */
static size_t inner_line(const zinger_call *z, size_t view, size_t row, size_t stride)
{
	const size_t columns = z->scan->columns;
	const float *here = z->was + (view * z->scan->rows + row) * columns;
	const float k = (float)(z->sigmas * SPREAD / sqrt(z->photons));
	size_t found = mend(z, view, row, 0) + mend(z, view, row, columns - 1);
	int candidate[CHUNK];
	for (size_t first = 1; first + 1 < columns; first += CHUNK) {
		const size_t left = columns - 1 - first, n = left < CHUNK ? left : CHUNK;
		const float *at = here + first - 1;
		if (!candidates(at - stride, at, at + stride, n, k, z->dark, candidate))
			continue;
		for (size_t i = 0; i < n; i++)
			if (candidate[i])
				found += mend(z, view, row, first + i);
	}
	return found;
}

static void loop(void *self, size_t begin, size_t end, int worker)
{
	zinger_call *z = self;
	const gt_scan *s = z->scan;
	const int by_views = s->rows < 3;
	size_t found = 0;
	(void)worker;
	for (size_t line = begin; line < end; line++) {
		const size_t view = line / s->rows, row = line % s->rows, at = by_views ? view : row;
		if (s->columns >= 3 && at > 0 && at + 1 < (by_views ? s->views : s->rows))
			found += inner_line(z, view, row, by_views ? s->rows * s->columns : s->columns);
		else
			for (size_t k = 0; k < s->columns; k++)
				found += mend(z, view, row, k);
	}
	atomic_fetch_add(&z->found, found);
}

typedef struct {
	const float *from;
	float *to;
} copy_call;

static void copy(void *self, size_t begin, size_t end, int worker)
{
	const copy_call *c = self;
	(void)worker;
	memcpy(c->to + begin, c->from + begin, (end - begin) * sizeof *c->to);
}

typedef struct {
	double photons;
	size_t found, values;
} zinger_known;

static gt_status look(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	gt_status st = GT_OK;
	if (c->source.scan->rows < 3)
		GT_TRY(gt_prepare_needs_all(c, "a detector of fewer than 3 rows"));
	GT_TRY(gt_prepare_known(c, sizeof(zinger_known)));
	zinger_known *known = c->known;
	known->photons = o->photons;
	if (!(o->photons > 0))
		GT_TRY(gt_prepare_photons(c, &known->photons));
	if (!(known->photons > 0))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "the noise cannot be told from the projections: photons= says how many a pixel gets"));
done:
	return st;
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	const gt_projections *p = *c->p;
	zinger_known *known = c->known;
	const size_t n = gt_scan_size(p->scan), lines = p->scan->views * p->scan->rows;
	float *was = malloc(n * sizeof *was);
	if (!was)
		return gt_fail(GT_ERR_MEMORY, "zingers: out of memory");
	zinger_call z = { p->scan, was, p->data, known->photons, o->sigmas, o->dark, 0 };
	copy_call all = { p->data, was };
	gt_parallel(c->pool, n, 1 << 16, copy, &all);
	gt_parallel(c->pool, lines, 16, loop, &z);
	known->found += atomic_load(&z.found);
	known->values += n;
	free(was);
	return GT_OK;
}

static void tell(gt_prepare_call *c)
{
	const zinger_known *known = c->known;
	gt_prepare_note(c, "%zu of %zu values replaced (%.2g photons a pixel)", known->found, known->values, known->photons);
}

const gt_preparation gt_preparation_zingers = {
	.name = "zingers",
	.about = "single pixels that are too bright, beyond what photons do, get the median of their neighbours",
	GT_STEP_MEMBERS,
	.chunks = GT_BY_VIEWS,
	.look = look,
	.tell = tell,
};
