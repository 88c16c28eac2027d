/* Replaces bad pixels by linear interpolation between the good pixels on both sides. Uses the row or the column,
 * whichever is shorter, or the mean of both. Single pixels, lines and clusters keep linear surroundings. At an edge the
 * nearest good pixels are averaged. */
#include <stdlib.h>
#include "core/try.h"
#include "prepare/step.h"

/* A bad pixel is the sum of weight[k] times pixel from[k]. */
enum { SIDES = 4, REACH = 7 };
typedef struct {
	size_t at, from[SIDES], n;
	double weight[SIDES];
} filling;

typedef struct {
	const gt_projections *p;
	const filling *fill;
	size_t fills;
	float *weights;
} fill_call;

/* Returns the steps from pixel i to the nearest good one in a direction; 0: none within n - 1 steps. */
static size_t reach(const unsigned char *bad, size_t i, ptrdiff_t stride, size_t n)
{
	for (size_t k = 1; k <= n; k++)
		if (!bad[(size_t)((ptrdiff_t)i + stride * (ptrdiff_t)k)])
			return k;
	return 0;
}

/* Adds linear interpolation along one direction with the given weight. */
static void add_line(filling *f, ptrdiff_t stride, size_t before, size_t after, double share)
{
	const double way = (double)(before + after);
	f->from[f->n] = (size_t)((ptrdiff_t)f->at - stride * (ptrdiff_t)before);
	f->weight[f->n++] = share * (double)after / way;
	f->from[f->n] = (size_t)((ptrdiff_t)f->at + stride * (ptrdiff_t)after);
	f->weight[f->n++] = share * (double)before / way;
}

static int plan(const unsigned char *bad, size_t rows, size_t columns, filling *f)
{
	const size_t row = f->at / columns, column = f->at % columns;
	const ptrdiff_t line = (ptrdiff_t)columns;
	const size_t left = reach(bad, f->at, -1, column), right = reach(bad, f->at, 1, columns - 1 - column),
		     below = reach(bad, f->at, -line, row), above = reach(bad, f->at, line, rows - 1 - row);
	const size_t across = left && right ? left + right : 0, along = below && above ? below + above : 0;
	f->n = 0;
	if (across && (!along || across <= along))
		add_line(f, 1, left, right, across == along ? 0.5 : 1);
	if (along && (!across || along <= across))
		add_line(f, line, below, above, across == along ? 0.5 : 1);
	if (f->n)
		return 1;
	const struct {
		size_t steps;
		ptrdiff_t stride;
	} one[] = { { left, -1 }, { right, 1 }, { below, -line }, { above, line } };
	for (int k = 0; k < SIDES; k++)
		if (one[k].steps && one[k].steps <= REACH)
			f->from[f->n++] = (size_t)((ptrdiff_t)f->at + one[k].stride * (ptrdiff_t)one[k].steps);
	for (size_t k = 0; k < f->n; k++)
		f->weight[k] = 1 / (double)f->n;
	return f->n > 0;
}

static void loop(void *self, size_t begin, size_t end, int worker)
{
	const fill_call *c = self;
	const size_t n = c->p->scan->rows * c->p->scan->columns;
	(void)worker;
	for (size_t v = begin; v < end; v++)
		for (size_t i = 0; i < c->fills; i++) {
			const filling *f = &c->fill[i];
			double sum = 0;
			for (size_t k = 0; k < f->n; k++)
				sum += f->weight[k] * c->p->data[v * n + f->from[k]];
			c->p->data[v * n + f->at] = (float)sum;
			c->weights[v * n + f->at] = 0;
		}
}

gt_status gt_prepare_fill(gt_prepare_call *c, const unsigned char *bad)
{
	const gt_scan *s = (*c->p)->scan;
	const size_t n = s->rows * s->columns;
	size_t fills = 0, at = 0;
	filling *fill = NULL;
	float *weights = NULL;
	gt_status st = GT_OK;
	for (size_t i = 0; i < n; i++)
		fills += bad[i] != 0;
	if (!(fill = calloc(fills ? fills : 1, sizeof *fill)))
		return gt_fail(GT_ERR_MEMORY, "bad pixels: out of memory");
	for (size_t i = 0; i < n; i++) {
		if (!bad[i])
			continue;
		fill[at].at = i;
		if (!plan(bad, s->rows, s->columns, &fill[at++]))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "row %zu, column %zu: no good pixel within %d of it", i / s->columns, i % s->columns,
			               REACH));
	}
	GT_TRY(gt_prepare_weights(c, &weights));
	fill_call f = { *c->p, fill, fills, weights };
	gt_parallel(c->pool, s->views, 1, loop, &f);
done:
	free(fill);
	return st;
}
