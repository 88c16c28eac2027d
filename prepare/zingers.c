/* Zingers: gamma rays that hit the detector directly, single pixels that are too bright. A pixel is one if its
 * transmission is above the median of the 3 x 3 around it by more than 6 of the deviations that photons give the
 * difference, 6 * 1.2 sqrt(median/N); it gets the median of the others. Thresholds of a fixed size replace most of
 * a noisy scan. A detector of fewer than 3 rows: the views before and after in place of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
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
	const float *from; /* transmissions */
	float *to;
	double photons, sigmas;
	int dark;
	size_t *found; /* [views] */
} zinger_call;

/* The pixels around i along columns and the other axis, i the first of them. */
static size_t around(const zinger_call *z, size_t view, size_t row, size_t column, float *value)
{
	const gt_scan *s = z->scan;
	const int by_views = s->rows < 3;
	const size_t at = by_views ? view : row, most = by_views ? s->views : s->rows;
	const size_t stride = by_views ? s->rows * s->columns : s->columns, i = (view * s->rows + row) * s->columns + column;
	size_t n = 0;
	value[n++] = z->from[i];
	for (int a = -1; a <= 1; a++)
		for (int b = -1; b <= 1; b++) {
			if ((!a && !b) || (a < 0 && at == 0) || (a > 0 && at + 1 >= most) || (b < 0 && column == 0) ||
			    (b > 0 && column + 1 >= s->columns))
				continue;
			value[n++] = z->from[i + (size_t)((ptrdiff_t)stride * a + b)];
		}
	return n;
}

static void loop(void *self, size_t begin, size_t end, int worker)
{
	const zinger_call *z = self;
	const gt_scan *s = z->scan;
	(void)worker;
	for (size_t v = begin; v < end; v++)
		for (size_t r = 0; r < s->rows; r++)
			for (size_t c = 0; c < s->columns; c++) {
				float value[9], sorted[9];
				const size_t i = (v * s->rows + r) * s->columns + c, n = around(z, v, r, c, value);
				memcpy(sorted, value, sizeof sorted);
				const double median = gt_median_few(sorted, n), off = value[0] - median;
				if (!(fabs(off) > z->sigmas * SPREAD * sqrt(fmax(median, GT_LEAST_TRANSMISSION) / z->photons)) ||
				    (off < 0 && !z->dark))
					continue;
				z->to[i] = -logf(fmaxf(gt_median_few(value + 1, n - 1), (float)GT_LEAST_TRANSMISSION));
				z->found[v]++;
			}
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	gt_projections *p = *c->p;
	const size_t n = gt_scan_size(p->scan);
	const double photons = o->photons > 0 ? o->photons : gt_prepare_photons(c);
	float *t = malloc(n * sizeof *t);
	size_t *found = calloc(p->scan->views, sizeof *found), all = 0;
	gt_status st = GT_OK;
	if (!t || !found)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "zingers: out of memory"));
	if (!(photons > 0))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "the noise cannot be told from the projections: photons= says how many a pixel gets"));
	for (size_t i = 0; i < n; i++)
		t[i] = expf(-p->data[i]);
	zinger_call z = { p->scan, t, p->data, photons, o->sigmas, o->dark, found };
	gt_parallel(c->pool, p->scan->views, 1, loop, &z);
	for (size_t v = 0; v < p->scan->views; v++)
		all += found[v];
	gt_prepare_note(c, "%zu of %zu values replaced (%.2g photons a pixel)", all, n, photons);
done:
	free(t);
	free(found);
	return st;
}

const gt_preparation gt_preparation_zingers = {
	.name = "zingers",
	.about = "single pixels that are too bright, beyond what photons do, get the median of their neighbours",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
