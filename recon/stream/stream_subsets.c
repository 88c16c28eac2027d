/* Subsets with streamed operators, and the start volume by an analytic method. */
#include <stdlib.h>
#include <string.h>
#include "analytic/fbp/slab.h"
#include "core/try.h"
#include "recon/stream/stream_impl.h"
#include "recon/team/direct_slab.h"
#include "recon/team/team_split.h"

/* Views first, first + stride, ... of host data. */
static gt_status new_data(const gt_stream_problem *q, const gt_linop *A, const float *data, size_t k, gt_array **b)
{
	const size_t view = q->scan->rows * q->scan->columns, n = gt_linop_ny(A) / view;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(q->host, q->type, gt_linop_ny(A), b));
	for (size_t v = 0; v < n && !gt_backend_is_dry_run(q->host); v++) {
		gt_array *part = NULL;
		GT_TRY(gt_array_part(*b, v * view, view, &part));
		gt_array_put_float(data + (k + v * q->subsets) * view, part);
		gt_array_free(part);
	}
done:
	return st;
}

gt_status gt_stream_subsets(const gt_stream_problem *q, const float *data, const float *weights, gt_subsets *s, gt_stream **out)
{
	gt_stream *stream = NULL;
	gt_scan *part = NULL;
	gt_status st = GT_OK;
	const size_t n = q->subsets;
	*s = (gt_subsets){ .subsets = n };
	s->A = calloc(n, sizeof *s->A);
	s->b = calloc(n, sizeof *s->b);
	s->w = weights ? calloc(n, sizeof *s->w) : NULL;
	if (!s->A || !s->b || (weights && !s->w))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_stream_is_worth(q));
	GT_TRY(gt_stream_new(q, &stream));
	for (size_t k = 0; k < n; k++) {
		GT_TRY(gt_scan_subset(q->scan, k, n, &part));
		GT_TRY(gt_stream_operator(stream, part, &s->A[k]));
		gt_scan_free(part);
		part = NULL;
		GT_TRY(new_data(q, s->A[k], data, k, &s->b[k]));
		if (weights)
			GT_TRY(new_data(q, s->A[k], weights, k, &s->w[k]));
	}
	GT_TRY(gt_backend_status(q->host));
	*out = stream;
	stream = NULL;
done:
	gt_stream_free(stream);
	gt_scan_free(part);
	if (st != GT_OK)
		gt_subsets_free(s);
	return st;
}

gt_status gt_stream_direct(const gt_stream_problem *q, const gt_analytic *m, const void *options, const gt_scan *scan, const float *data,
                           gt_array *x)
{
	const size_t plane = q->grid->n[0] * q->grid->n[1], nz = q->grid->n[2], each = gt_type_size(q->type);
	const gt_direct_case c = { m, options, q->grid, scan, data };
	gt_backend *be = NULL;
	gt_array *own = NULL, *part = NULL;
	size_t available = 0, total = 0;
	gt_status st = GT_OK;
	if (!gt_slab_plan_supports(m))
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: does not support slabs: expected --init zero", m->name);
	GT_TRY(gt_backend_open(q->device, &be));
	gt_backend_memory(be, &available, &total);
	/* A third, because batches of views take as much memory again. */
	const double space = (q->limit > 0 && q->limit < (double)available ? q->limit : (double)available) / 3;
	const size_t max = (size_t)(space / (double)(plane * each)), slices = max < 1 ? 1 : max < nz ? max : nz;
	for (size_t z = 0; z < nz && !gt_backend_is_dry_run(q->host); z += slices) {
		const gt_range range = { z, nz - z < slices ? nz - z : slices };
		GT_TRY(gt_array_new(be, q->type, range.n * plane, &own));
		GT_TRY(gt_direct_slab(&c, range, own, NULL, NULL));
		GT_TRY(gt_array_part(x, z * plane, range.n * plane, &part));
		gt_array_get(own, gt_array_data(part));
		gt_array_free(own);
		gt_array_free(part);
		own = part = NULL;
		GT_TRY(gt_backend_status(be));
	}
done:
	gt_array_free(own);
	gt_array_free(part);
	gt_backend_close(be);
	return st;
}
