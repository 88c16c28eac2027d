/* Air normalisation: divides each view by a line fitted to the open-beam columns, because source and shutter drift. In
 * line integrals its logarithm is added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "geometry/air_columns.h"
#include "prepare/step.h"

struct options {
	int left, right;
};
static const struct options defaults = { -1, -1 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "left",
	  .help = "columns at the first edge that are air in all views; -1: found",
	  .kind = GT_INT,
	  .at = AT(left),
	  .min = -1,
	  .max = 1e6 },
	{ .key = "right", .help = "the same at the last edge", .kind = GT_INT, .at = AT(right), .min = -1, .max = 1e6 },
	{ .key = NULL },
};
enum { MAX_VIEWS = 64 };

typedef struct {
	gt_air_columns air;
	double min, max; /* range of the levels */
} air_known;

static gt_status find(const gt_prepare_call *c, gt_air_columns *air)
{
	const gt_scan *s = c->source.scan;
	const size_t looked = s->views < MAX_VIEWS ? s->views : MAX_VIEWS, n = s->rows * s->columns;
	float *t = malloc(n * sizeof *t);
	double *min = malloc(2 * s->columns * sizeof *min), *one = min + s->columns;
	gt_status st = GT_OK;
	if (!t || !min)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "air: out of memory"));
	for (size_t k = 0; k < s->columns; k++)
		min[k] = INFINITY;
	for (size_t i = 0; i < looked; i++) {
		GT_TRY(c->source.read(c->source.self, looked > 1 ? i * (s->views - 1) / (looked - 1) : 0, 1, t));
		for (size_t k = 0; k < n; k++)
			t[k] = expf(-t[k]);
		GT_TRY(gt_air_min(t, s->rows, s->columns, one));
		for (size_t k = 0; k < s->columns; k++)
			min[k] = isnan(one[k]) ? 0 : fmin(min[k], one[k]);
	}
	*air = gt_air_columns_of(min, s->columns);
done:
	free(t);
	free(min);
	return st;
}

typedef struct {
	const gt_prepare_call *call;
	const gt_air_columns *air;
	float *t;      /* [workers][rows][columns of air] */
	double *level; /* [views][2] */
} air_call;

/* Columns of air only. */
static void transmission(const float *p, size_t rows, size_t columns, const gt_air_columns *air, float *t)
{
	for (size_t r = 0; r < rows; r++) {
		const float *row = p + r * columns;
		float *to = t + r * columns;
		for (size_t k = 0; k < air->left; k++)
			to[k] = expf(-row[k]);
		for (size_t k = columns - air->right; k < columns; k++)
			to[k] = expf(-row[k]);
	}
}

static void measure(void *self, size_t begin, size_t end, int worker)
{
	const air_call *a = self;
	const gt_projections *p = *a->call->p;
	const size_t rows = p->scan->rows, columns = p->scan->columns, n = rows * columns;
	float *t = a->t + (size_t)worker * n;
	for (size_t v = begin; v < end; v++) {
		transmission(p->data + v * n, rows, columns, a->air, t);
		if (gt_air_line(t, rows, columns, a->air, &a->level[2 * v], &a->level[2 * v + 1]) != GT_OK)
			a->level[2 * v] = NAN;
	}
}

static gt_status levels(const gt_prepare_call *c, const gt_air_columns *air, double *level)
{
	const gt_projections *p = *c->p;
	air_call a = { c, air, malloc((size_t)gt_pool_threads(c->pool) * p->scan->rows * p->scan->columns * sizeof(float)), level };
	if (!a.t)
		return gt_fail(GT_ERR_MEMORY, "air: out of memory");
	gt_parallel(c->pool, p->scan->views, 1, measure, &a);
	free(a.t);
	for (size_t v = 0; v < p->scan->views; v++)
		if (isnan(level[2 * v]))
			return gt_fail(GT_ERR_FORMAT,
			               "view %zu: no signal in the air columns (%zu left, %zu right): expected the open beam; "
			               "check left= and right=",
			               v, air->left, air->right);
	return GT_OK;
}

static gt_status columns_of(const gt_prepare_call *c, const struct options *o, gt_air_columns *air)
{
	const size_t columns = c->source.scan->columns;
	const int given = o->left >= 0 || o->right >= 0;
	*air = (gt_air_columns){ o->left > 0 ? (size_t)o->left : 0, o->right > 0 ? (size_t)o->right : 0 };
	if (!given) {
		const gt_status st = find(c, air);
		if (st != GT_OK)
			return st;
	}
	if (air->left + air->right == 0)
		return gt_fail(GT_ERR_FORMAT, "air: found no edge columns that see the open beam in every view: set left= and right=");
	if (air->left + air->right > columns)
		return gt_fail(GT_ERR_ARG, "left=%zu, right=%zu: the detector has %zu columns", air->left, air->right, columns);
	return GT_OK;
}

static gt_status inspect(gt_prepare_call *c, const void *options)
{
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_known(c, sizeof(air_known)));
	air_known *known = c->known;
	known->min = INFINITY;
	st = columns_of(c, options, &known->air);
done:
	return st;
}

typedef struct {
	const gt_projections *p;
	const double *level;
} line_call;

static void add_lines(void *self, size_t begin, size_t end, int worker)
{
	const line_call *l = self;
	const size_t columns = l->p->scan->columns, rows = l->p->scan->rows;
	(void)worker;
	for (size_t v = begin; v < end; v++) {
		const double *at = l->level + 2 * v, slope = columns > 1 ? (at[1] - at[0]) / (double)(columns - 1) : 0;
		for (size_t k = 0; k < columns; k++) {
			const float add = (float)log(at[0] + slope * (double)k);
			l->p->data[v * rows * columns + k] += add;
			for (size_t r = 1; r < rows; r++)
				l->p->data[(v * rows + r) * columns + k] += add;
		}
	}
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const gt_projections *p = *c->p;
	const size_t views = p->scan->views;
	air_known *known = c->known;
	double *level = malloc(2 * views * sizeof *level);
	gt_status st = GT_OK;
	(void)options;
	if (!level)
		return gt_fail(GT_ERR_MEMORY, "air: out of memory");
	GT_TRY(levels(c, &known->air, level));
	for (size_t i = 0; i < 2 * views; i++) {
		known->min = fmin(known->min, level[i]);
		known->max = fmax(known->max, level[i]);
	}
	line_call l = { p, level };
	gt_parallel(c->pool, views, 1, add_lines, &l);
done:
	free(level);
	return st;
}

static void report(gt_prepare_call *c)
{
	const air_known *known = c->known;
	gt_prepare_note(c, "%zu columns at the left and %zu at the right edge are air: of %.4g to %.4g before, 1 now", known->air.left,
	                known->air.right, known->min, known->max);
}

static gt_status advise(gt_prepare_call *c, char *spec, char *why, size_t size)
{
	const gt_projections *p = *c->p;
	gt_air_columns air;
	double *level = NULL, off = 0;
	gt_status st = find(c, &air);
	if (st != GT_OK || air.left + air.right == 0) {
		snprintf(why, size, "no columns at the edges are air in all views");
		return st;
	}
	if (!(level = malloc(2 * p->scan->views * sizeof *level)))
		return gt_fail(GT_ERR_MEMORY, "air: out of memory");
	GT_TRY(levels(c, &air, level));
	for (size_t i = 0; i < 2 * p->scan->views; i++)
		off = fmax(off, fabs(log(level[i])));
	snprintf(why, size, "line integrals in air are up to %.3g from 0", off);
	if (off > 0.005)
		snprintf(spec, size, "air:left=%zu,right=%zu", air.left, air.right);
done:
	free(level);
	return st;
}

const gt_preparation gt_preparation_air = {
	.name = "air",
	.about = "air normalisation: divides each view by a line through the open-beam columns at both sides",
	GT_STEP_MEMBERS,
	.advise = advise,
	.chunks = GT_BY_VIEWS,
	.inspect = inspect,
	.report = report,
};
