/* Every view is divided by the straight line through what the columns beside the body have: source and shutter
 * change within a scan, and between it and the flat field. In line integrals its logarithm is added. */
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
	  .least = -1,
	  .most = 1e6 },
	{ .key = "right", .help = "the same at the last edge", .kind = GT_INT, .at = AT(right), .least = -1, .most = 1e6 },
	{ .key = NULL },
};
enum { MOST_VIEWS = 64 };

static void transmission(const gt_projections *p, size_t view, float *t)
{
	const size_t n = p->scan->rows * p->scan->columns;
	for (size_t i = 0; i < n; i++)
		t[i] = expf(-p->data[view * n + i]);
}

static gt_status find(const gt_projections *p, gt_air_columns *air)
{
	const gt_scan *s = p->scan;
	const size_t looked = s->views < MOST_VIEWS ? s->views : MOST_VIEWS;
	float *t = malloc(s->rows * s->columns * sizeof *t);
	double *least = malloc(2 * s->columns * sizeof *least), *one = least + s->columns;
	gt_status st = GT_OK;
	if (!t || !least)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "air: out of memory"));
	for (size_t c = 0; c < s->columns; c++)
		least[c] = INFINITY;
	for (size_t i = 0; i < looked; i++) {
		transmission(p, looked > 1 ? i * (s->views - 1) / (looked - 1) : 0, t);
		GT_TRY(gt_air_least(t, s->rows, s->columns, one));
		for (size_t c = 0; c < s->columns; c++)
			least[c] = isnan(one[c]) ? 0 : fmin(least[c], one[c]);
	}
	*air = gt_air_columns_of(least, s->columns);
done:
	free(t);
	free(least);
	return st;
}

typedef struct {
	const gt_projections *p;
	const gt_air_columns *air;
	float *t;
	double *level; /* [views][2] */
} air_call;

static void measure(void *self, size_t begin, size_t end, int worker)
{
	const air_call *a = self;
	const gt_scan *s = a->p->scan;
	float *t = a->t + (size_t)worker * s->rows * s->columns;
	for (size_t v = begin; v < end; v++) {
		transmission(a->p, v, t);
		if (gt_air_line(t, s->rows, s->columns, a->air, &a->level[2 * v], &a->level[2 * v + 1]) != GT_OK)
			a->level[2 * v] = NAN;
	}
}

static gt_status levels(const gt_prepare_call *c, const gt_air_columns *air, double *level)
{
	const gt_projections *p = *c->p;
	air_call a = { p, air, malloc((size_t)gt_pool_threads(c->pool) * p->scan->rows * p->scan->columns * sizeof(float)), level };
	if (!a.t)
		return gt_fail(GT_ERR_MEMORY, "air: out of memory");
	gt_parallel(c->pool, p->scan->views, 1, measure, &a);
	free(a.t);
	for (size_t v = 0; v < p->scan->views; v++)
		if (isnan(level[2 * v]))
			return gt_fail(GT_ERR_FORMAT,
			               "view %zu has no light in the columns that should be air, %zu at the left and %zu at the right edge",
			               v, air->left, air->right);
	return GT_OK;
}

static gt_status columns_of(const gt_prepare_call *c, const struct options *o, gt_air_columns *air)
{
	const size_t columns = (*c->p)->scan->columns;
	const int given = o->left >= 0 || o->right >= 0;
	*air = (gt_air_columns){ o->left > 0 ? (size_t)o->left : 0, o->right > 0 ? (size_t)o->right : 0 };
	if (!given) {
		const gt_status st = find(*c->p, air);
		if (st != GT_OK)
			return st;
	}
	if (air->left + air->right == 0)
		return gt_fail(GT_ERR_FORMAT, "no columns at the edges are air in all views: left= and right= say how many are");
	if (air->left + air->right > columns)
		return gt_fail(GT_ERR_ARG, "left=%zu, right=%zu: the detector has %zu columns", air->left, air->right, columns);
	return GT_OK;
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const gt_projections *p = *c->p;
	const size_t views = p->scan->views, rows = p->scan->rows, columns = p->scan->columns;
	gt_air_columns air;
	gt_status st = columns_of(c, options, &air);
	double *level = malloc(2 * views * sizeof *level), least = INFINITY, most = 0;
	if (!level)
		st = gt_fail(GT_ERR_MEMORY, "air: out of memory");
	GT_TRY(st);
	GT_TRY(levels(c, &air, level));
	for (size_t v = 0; v < views; v++) {
		const double slope = columns > 1 ? (level[2 * v + 1] - level[2 * v]) / (double)(columns - 1) : 0;
		least = fmin(least, fmin(level[2 * v], level[2 * v + 1]));
		most = fmax(most, fmax(level[2 * v], level[2 * v + 1]));
		for (size_t k = 0; k < columns; k++) {
			const float add = (float)log(level[2 * v] + slope * (double)k);
			for (size_t r = 0; r < rows; r++)
				p->data[(v * rows + r) * columns + k] += add;
		}
	}
	gt_prepare_note(c, "%zu columns at the left and %zu at the right edge are air: of %.4g to %.4g before, 1 now", air.left, air.right,
	                least, most);
done:
	free(level);
	return st;
}

static gt_status advise(gt_prepare_call *c, char *spec, char *why, size_t size)
{
	const gt_projections *p = *c->p;
	gt_air_columns air;
	double *level = NULL, off = 0;
	gt_status st = find(p, &air);
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
	.about = "the air beside the body is 0 in every view, by a straight line through both sides",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.advise = advise,
};
