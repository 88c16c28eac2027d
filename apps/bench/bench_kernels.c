/* Kernels of an analytic method on several devices concurrently. Each device holds its rows of all views and its slices
 * in device memory, so host transfers are excluded. */
#include <pthread.h>
#include "analytic/fbp/slab.h"
#include "apps/bench/bench_case.h"
#include "apps/cli/progress.h"

enum { BATCH = 400 }; /* views at a time */

struct range {
	gt_backend *be;
	gt_slab_plan *plan;
	gt_slab *slab;
	gt_array *x, *data;
	size_t views, batch, bytes; /* per view on the device */
	double seconds, peak;
};

static void range_free(struct range *s)
{
	gt_slab_free(s->slab);
	gt_array_free(s->x);
	gt_array_free(s->data);
	gt_slab_plan_free(s->plan);
	gt_backend_close(s->be);
}

static gt_status send(const bench_case *b, struct range *s, size_t row, size_t rows)
{
	const gt_scan *scan = b->scan;
	const size_t run = rows * scan->columns;
	gt_status st = GT_OK;
	float *packed = malloc((run ? run : 1) * scan->views * sizeof *packed);
	if (!packed)
		return gt_fail(GT_ERR_MEMORY, "%s: rows of the projections need %.3g MB", b->workload->name,
		               (double)(run * scan->views) * 4e-6);
	for (size_t v = 0; v < scan->views; v++)
		memcpy(packed + v * run, b->data + (v * scan->rows + row) * scan->columns, run * sizeof *packed);
	GT_TRY(gt_array_new(s->be, cli_type(b->call), run * scan->views, &s->data));
	gt_array_put_float(packed, s->data);
	GT_TRY(gt_backend_status(s->be));
	s->bytes = run * gt_type_size(cli_type(b->call));
done:
	free(packed);
	return st;
}

static gt_status range_new(const bench_case *b, const char *backend, size_t first, size_t n, struct range *s)
{
	size_t row, rows;
	s->views = b->scan->views;
	s->batch = s->views < BATCH ? s->views : BATCH;
	GT_OR_RETURN(gt_backend_open(backend, &s->be));
	GT_OR_RETURN(gt_slab_plan_new(gt_analytic_for(b->scan), &b->grid, b->scan, NULL, gt_backend_pool(s->be), &s->plan));
	gt_slab_plan_rows(s->plan, first, n, &row, &rows);
	GT_OR_RETURN(send(b, s, row, rows));
	GT_OR_RETURN(gt_array_new(s->be, cli_type(b->call), n * b->grid.n[0] * b->grid.n[1], &s->x));
	return gt_slab_new(s->plan, first, n, s->batch, s->x, &s->slab);
}

static void *run_range(void *self)
{
	struct range *s = self;
	const double begin = app_seconds();
	gt_fill(0, s->x);
	for (size_t v = 0; v < s->views; v += s->batch) {
		const char *data = gt_array_data(s->data);
		gt_slab_filter(s->slab, v, s->views - v < s->batch ? s->views - v : s->batch, data + v * s->bytes);
		gt_slab_back(s->slab);
	}
	gt_backend_wait(s->be);
	s->seconds = app_seconds() - begin;
	return NULL;
}

/* One thread per device; the first runs in the caller's thread. */
static gt_status side_by_side(struct range *s, int ranks)
{
	pthread_t thread[64];
	int n = 1, failed = 0;
	while (n < ranks && !(failed = pthread_create(&thread[n], NULL, run_range, &s[n])))
		n++;
	if (!failed)
		run_range(s);
	while (--n > 0)
		pthread_join(thread[n], NULL);
	return failed ? gt_fail(GT_ERR_MEMORY, "no thread for each of %d devices", ranks) : GT_OK;
}

static gt_status slowest(struct range *s, int ranks, double *seconds, double *peak)
{
	gt_status st = GT_OK;
	*seconds = *peak = 0;
	for (int k = 0; k < ranks && st == GT_OK; k++) {
		gt_counters count;
		st = gt_backend_status(s[k].be);
		if (st == GT_OK)
			st = gt_backend_counters(s[k].be, &count);
		if (st != GT_OK)
			break;
		*seconds = s[k].seconds > *seconds ? s[k].seconds : *seconds;
		*peak = (double)count.peak_bytes > *peak ? (double)count.peak_bytes : *peak;
	}
	return st;
}

gt_status bench_kernels(const bench_case *b, const char *const *backend, int ranks, int runs, double *seconds, double *peak)
{
	const size_t nz = b->grid.n[2], all = (size_t)ranks;
	gt_status st = GT_OK;
	double warm;
	struct range *s = calloc(all, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for the records of %d devices", ranks);
	if (all > nz)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%d devices for %zu slices: expected a slice for each", ranks, nz));
	for (size_t k = 0; k < all; k++)
		GT_TRY(range_new(b, backend[k], nz * k / all, nz * (k + 1) / all - nz * k / all, &s[k]));
	for (int i = -1; i < runs; i++) {
		GT_TRY(side_by_side(s, ranks));
		GT_TRY(slowest(s, ranks, i < 0 ? &warm : &seconds[i], peak));
	}
done:
	for (size_t k = 0; k < all; k++)
		range_free(&s[k]);
	free(s);
	return st;
}
