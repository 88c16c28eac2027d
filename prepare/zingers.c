/* Zingers: gamma rays that hit the detector directly, single pixels that are too bright. A pixel is one if its
 * transmission is above the median of the 3 x 3 around it by more than 6 of the deviations that photons give the
 * difference, 6 * 1.2 sqrt(median/N); it gets the median of the others. Thresholds of a fixed size replace most of
 * a noisy scan. A detector of fewer than 3 rows: the views before and after in place of rows. */
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
	  .least = 0,
	  .most = 1e15 },
	{ .key = "sigmas",
	  .help = "standard deviations beyond which a pixel is one",
	  .kind = GT_REAL,
	  .at = AT(sigmas),
	  .least = 1,
	  .most = 1e6 },
	{ .key = "dark", .help = "pixels that are too dark as well", .kind = GT_FLAG, .at = AT(dark) },
	{ .key = NULL },
};
/* The deviation of a value less the median of the nine around and with it, in that of the value. */
#define SPREAD 1.2

typedef struct {
	const gt_scan *scan;
	float *p, *t; /* line integrals, transmissions */
	double photons, sigmas;
	int dark;
	atomic_size_t found;
} zinger_call;

static void transmissions(void *self, size_t begin, size_t end, int worker)
{
	const zinger_call *z = self;
	(void)worker;
	for (size_t i = begin * z->scan->columns; i < end * z->scan->columns; i++)
		z->t[i] = expf(-z->p[i]);
}

/* The pixels around i along columns and the other axis, i the first of them. */
static size_t around(const zinger_call *z, size_t view, size_t row, size_t column, float *value)
{
	const gt_scan *s = z->scan;
	const int by_views = s->rows < 3;
	const size_t at = by_views ? view : row, most = by_views ? s->views : s->rows;
	const size_t stride = by_views ? s->rows * s->columns : s->columns, i = (view * s->rows + row) * s->columns + column;
	size_t n = 0;
	value[n++] = z->t[i];
	for (int a = -1; a <= 1; a++)
		for (int b = -1; b <= 1; b++) {
			if ((!a && !b) || (a < 0 && at == 0) || (a > 0 && at + 1 >= most) || (b < 0 && column == 0) ||
			    (b > 0 && column + 1 >= s->columns))
				continue;
			value[n++] = z->t[i + (size_t)((ptrdiff_t)stride * a + b)];
		}
	return n;
}

static int is_zinger(const zinger_call *z, double off, double median)
{
	return (off > 0 || z->dark) && fabs(off) > z->sigmas * SPREAD * sqrt(fmax(median, GT_LEAST_TRANSMISSION) / z->photons);
}

static size_t mend(const zinger_call *z, size_t view, size_t row, size_t column)
{
	float value[9], sorted[9];
	const size_t n = around(z, view, row, column, value);
	memcpy(sorted, value, sizeof sorted);
	const double median = gt_median_few(sorted, n);
	if (!is_zinger(z, value[0] - median, median))
		return 0;
	z->p[(view * z->scan->rows + row) * z->scan->columns + column] = -logf(
		fmaxf(gt_median_few(value + 1, n - 1), (float)GT_LEAST_TRANSMISSION));
	return 1;
}

static float least(float a, float b) { return a < b ? a : b; }
static float most(float a, float b) { return a < b ? b : a; }
static float middle(float a, float b, float c) { return most(least(a, b), least(most(a, b), c)); }

/* Medians of 3 x 3 around the inner columns of a row: of three columns the largest least, the middle middle and the
 * least largest one, and the middle of these. lines: [3][columns] of scratch. */
static GT_CLONES void inner_medians(const float *t, size_t columns, float *lines, float *median)
{
	float *low = lines, *mid = lines + columns, *high = mid + columns;
	for (size_t k = 0; k < columns; k++) {
		const float a = t[k], b = t[k + columns], c = t[k + 2 * columns];
		low[k] = least(least(a, b), c);
		mid[k] = middle(a, b, c);
		high[k] = most(most(a, b), c);
	}
	for (size_t k = 1; k + 1 < columns; k++)
		median[k] = middle(most(most(low[k - 1], low[k]), low[k + 1]), middle(mid[k - 1], mid[k], mid[k + 1]),
		                   least(least(high[k - 1], high[k]), high[k + 1]));
}

enum { LINES = 4 };

static size_t inner_row(const zinger_call *z, size_t view, size_t row, float *lines)
{
	const size_t columns = z->scan->columns;
	const float *t = z->t + (view * z->scan->rows + row - 1) * columns;
	float *median = lines + 3 * columns;
	size_t found = mend(z, view, row, 0) + mend(z, view, row, columns - 1);
	inner_medians(t, columns, lines, median);
	for (size_t k = 1; k + 1 < columns; k++)
		if (is_zinger(z, t[columns + k] - (double)median[k], median[k]))
			found += mend(z, view, row, k);
	return found;
}

static void loop(void *self, size_t begin, size_t end, int worker)
{
	zinger_call *z = self;
	const gt_scan *s = z->scan;
	float *lines = s->rows >= 3 && s->columns >= 3 ? malloc(LINES * s->columns * sizeof *lines) : NULL;
	size_t found = 0;
	(void)worker;
	for (size_t line = begin; line < end; line++) {
		const size_t view = line / s->rows, row = line % s->rows;
		if (lines && row > 0 && row + 1 < s->rows)
			found += inner_row(z, view, row, lines);
		else
			for (size_t k = 0; k < s->columns; k++)
				found += mend(z, view, row, k);
	}
	free(lines);
	atomic_fetch_add(&z->found, found);
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
	float *t = malloc(n * sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "zingers: out of memory");
	zinger_call z = { p->scan, p->data, t, known->photons, o->sigmas, o->dark, 0 };
	gt_parallel(c->pool, lines, 16, transmissions, &z);
	gt_parallel(c->pool, lines, 16, loop, &z);
	known->found += atomic_load(&z.found);
	known->values += n;
	free(t);
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
	.pieces = GT_BY_VIEWS,
	.look = look,
	.tell = tell,
};
