/* Loops over rows of the detector, and medians. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/clones.h"
#include "core/float_medians.h"
#include "core/order_statistics.h"
#include "core/try.h"
#include "prepare/step.h"

typedef struct {
	const gt_prepare_call *call;
	gt_row_work work;
	void *self;
	float *sinogram;
	double *scratch;
	size_t scratch_size;
} rows_call;

static void rows_loop(void *self, size_t begin, size_t end, int worker)
{
	const rows_call *r = self;
	const gt_projections *p = *r->call->p;
	const size_t views = p->scan->views, rows = p->scan->rows, columns = p->scan->columns;
	float *s = r->sinogram + (size_t)worker * views * columns;
	for (size_t row = begin; row < end; row++) {
		for (size_t v = 0; v < views; v++)
			memcpy(s + v * columns, p->data + (v * rows + row) * columns, columns * sizeof *s);
		r->work(r->self, row, s, r->scratch + (size_t)worker * r->scratch_size);
		for (size_t v = 0; v < views; v++)
			memcpy(p->data + (v * rows + row) * columns, s + v * columns, columns * sizeof *s);
	}
}

gt_status gt_prepare_rows(const gt_prepare_call *c, gt_row_work work, void *self, size_t scratch)
{
	const gt_scan *scan = (*c->p)->scan;
	const size_t threads = (size_t)gt_pool_threads(c->pool);
	rows_call r = { c,
		        work,
		        self,
		        malloc(threads * scan->views * scan->columns * sizeof(float)),
		        malloc(threads * (scratch ? scratch : 1) * sizeof(double)),
		        scratch };
	gt_status st = GT_OK;
	if (!r.sinogram || !r.scratch)
		st = gt_fail(GT_ERR_MEMORY, "sinograms: out of memory");
	else
		gt_parallel(c->pool, scan->rows, 1, rows_loop, &r);
	free(r.sinogram);
	free(r.scratch);
	return st;
}

float gt_median_few(float *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const float moving = x[i];
		size_t k = i;
		for (; k > 0 && x[k - 1] > moving; k--)
			x[k] = x[k - 1];
		x[k] = moving;
	}
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

gt_status gt_robust_spread(const float *x, size_t n, double *median, double *deviation)
{
	float *off = malloc(n * sizeof *off);
	if (!off)
		return gt_fail(GT_ERR_MEMORY, "medians: out of memory");
	*median = gt_region_median(x, 1, n, n);
	for (size_t i = 0; i < n; i++)
		off[i] = (float)fabs(x[i] - *median);
	*deviation = 1.4826 * gt_region_median(off, 1, n, n);
	free(off);
	return GT_OK;
}

typedef struct {
	const float *x;
	size_t rows, columns;
	float *out;
} medians_call;

/* The window is symmetric, because an asymmetric one would shift the median on slopes. */
static size_t reach_of(size_t at, size_t n)
{
	const size_t after = n - 1 - at, min = at < after ? at : after;
	return min < 2 ? min : 2;
}

static float median_at(const medians_call *m, size_t row, size_t column)
{
	const size_t up = reach_of(row, m->rows), across = reach_of(column, m->columns);
	float value[25];
	size_t n = 0;
	for (size_t r = row - up; r <= row + up; r++)
		for (size_t c = column - across; c <= column + across; c++)
			value[n++] = m->x[r * m->columns + c];
	return gt_median_few(value, n);
}

enum { LANES = 16, SQUARE = 25, KEPT = SQUARE / 2 + 2 };

/* Copies exclude aliasing, so that the loops vectorise. */
GT_INLINE void put_in_order(float *a, float *b)
{
	float x[LANES], y[LANES], low[LANES], high[LANES];
	memcpy(x, a, sizeof x);
	memcpy(y, b, sizeof y);
	for (size_t l = 0; l < LANES; l++) {
		low[l] = x[l] < y[l] ? x[l] : y[l];
		high[l] = x[l] < y[l] ? y[l] : x[l];
	}
	memcpy(a, low, sizeof low);
	memcpy(b, high, sizeof high);
}

/* Medians of the 5 x 5 around LANES pixels of a row. Neither the smallest nor the largest of 14 values is the median
 * of 25: both are dropped and the next value is added, until three are left. */
static GT_CLONES void medians_of_square(const float *x, size_t columns, float *out)
{
	float v[KEPT][LANES];
	size_t next = 0;
	for (; next < KEPT; next++)
		memcpy(v[next], x + next / 5 * columns + next % 5, sizeof v[next]);
	for (size_t m = KEPT;; m--) {
		const size_t half = m / 2;
		for (size_t i = 0; i < half; i++)
			put_in_order(v[i], v[m - 1 - i]);
		for (size_t i = 1; i < m - half; i++)
			put_in_order(v[0], v[i]);
		for (size_t i = half; i + 1 < m; i++)
			put_in_order(v[i], v[m - 1]);
		if (next == SQUARE)
			break;
		memcpy(v[0], x + next / 5 * columns + next % 5, sizeof v[0]);
		next++;
	}
	memcpy(out, v[1], sizeof v[1]);
}

static void medians_loop(void *self, size_t begin, size_t end, int worker)
{
	const medians_call *m = self;
	(void)worker;
	for (size_t row = begin; row < end; row++) {
		float *out = m->out + row * m->columns;
		size_t column = 0;
		while (column < m->columns)
			if (row >= 2 && row + 2 < m->rows && column >= 2 && column + LANES + 2 <= m->columns) {
				medians_of_square(m->x + (row - 2) * m->columns + column - 2, m->columns, out + column);
				column += LANES;
			} else {
				out[column] = median_at(m, row, column);
				column++;
			}
	}
}

void gt_local_medians(const float *x, size_t rows, size_t columns, gt_pool *pool, float *out)
{
	medians_call m = { x, rows, columns, out };
	gt_parallel(pool, rows, 1, medians_loop, &m);
}
