/* What a projector prepares before it sums, alone, beside a copy of as many bytes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "apps/bench.h"
#include "apps/progress.h"
#include "core/linop.h"
#include "projectors/projector.h"

/* So many in a row: one is soon done, and starting and awaiting it would count too much. */
enum { ROW = 20 };

typedef struct {
	gt_linop *A;
	gt_array *in, *none, *from, *to;
} pair;

static gt_status random_array(gt_backend *be, gt_type type, size_t n, gt_array **a)
{
	float *host = malloc(n * sizeof *host);
	gt_status st = host ? GT_OK : gt_fail(GT_ERR_MEMORY, "a part's data need %.3g MB", (double)n * 4e-6);
	GT_TRY(st);
	app_fill_random(host, n);
	GT_TRY(gt_array_new(be, type, n, a));
	gt_array_put_float(host, *a);
done:
	free(host);
	return st;
}

static double one_row(gt_backend *be, const pair *p, int copies)
{
	gt_backend_wait(be);
	const double start = app_seconds();
	for (int i = 0; i < ROW; i++)
		if (copies)
			gt_copy(p->from, p->to);
		else
			gt_forward(p->A, p->in, p->none);
	gt_backend_wait(be);
	return 1e3 * (app_seconds() - start) / ROW;
}

static gt_status take_turns(gt_backend *be, const pair *p, int repeat, app_timing *t)
{
	double *copies = malloc((size_t)repeat * sizeof *copies);
	if (!copies)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (int i = -1; i < repeat; i++) {
		const double ms = one_row(be, p, 0), copy = one_row(be, p, 1);
		if (i >= 0) {
			copies[t->runs] = copy;
			t->ms[t->runs++] = ms;
		}
	}
	t->least_ms = app_median(copies, (size_t)repeat);
	t->bound = "copy";
	t->peak_bytes = (double)gt_backend_counters(be).peak_bytes;
	free(copies);
	return gt_backend_status(be);
}

gt_status app_time_part(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, size_t part, int repeat, app_timing *t)
{
	gt_backend *be = NULL;
	pair p = { 0 };
	const char *bound;
	gt_status st = GT_OK;
	t->runs = 0;
	t->least_ms = 0;
	t->why[0] = 0;
	GT_TRY(gt_backend_open(backend, &be));
	GT_TRY(gt_projector_part_new(t->projector, part, be, type, grid, scan, &p.A));
	const double bytes = gt_linop_least_seconds(p.A, 0, &bound) * gt_backend_rate(be, GT_BYTES);
	const size_t half = (size_t)(bytes / 2 / (double)gt_type_size(type));
	if (!half)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "no view of this scan needs it"));
	GT_TRY(random_array(be, type, gt_linop_nx(p.A), &p.in));
	GT_TRY(random_array(be, type, half, &p.from));
	GT_TRY(gt_array_like(p.from, &p.to));
	GT_TRY(gt_array_new(be, type, gt_linop_ny(p.A), &p.none));
	GT_TRY(take_turns(be, &p, repeat, t));
done:
	t->refused = st;
	if (st != GT_OK)
		snprintf(t->why, sizeof t->why, "%s", gt_error());
	gt_array_free(p.in);
	gt_array_free(p.none);
	gt_array_free(p.from);
	gt_array_free(p.to);
	gt_linop_free(p.A);
	gt_backend_close(be);
	return app_left_out(st) ? GT_OK : st;
}
