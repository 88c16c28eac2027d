/* A slab from projections in memory. Page-locked memory of two batches on the host, two on the device. */
#include <stdlib.h>
#include <string.h>
#include <gantry/slab.h>
#include <gantry/upload.h>
#include "core/try.h"
#include "recon/team/direct_slab.h"

enum { MOST_VIEWS = 32, PLACES = 2 };
#define MOST_BYTES ((size_t)96 << 20)

struct work {
	gt_backend *be;
	gt_type type;
	const gt_scan *scan;
	const float *data;
	size_t row, rows, batch; /* batch: views at most */
	gt_upload *upload;
	void *buffer[PLACES];
	/* Of the batch that is packed. */
	size_t first;
	void *to;
};

static size_t cells(const struct work *w) { return w->rows * w->scan->columns; }
static size_t batch_bytes(const struct work *w) { return w->batch * cells(w) * gt_type_size(w->type); }

/* Rows of some views, one after the other. */
static void pack(void *self, size_t begin, size_t end, int worker)
{
	const struct work *w = self;
	const size_t n = cells(w);
	(void)worker;
	for (size_t v = begin; v < end; v++) {
		const float *from = w->data + ((w->first + v) * w->scan->rows + w->row) * w->scan->columns;
		if (w->type == GT_F32) {
			memcpy((float *)w->to + v * n, from, n * sizeof *from);
			continue;
		}
		double *to = (double *)w->to + v * n;
		for (size_t i = 0; i < n; i++)
			to[i] = from[i];
	}
}

static gt_status open_(struct work *w)
{
	gt_status st = GT_OK;
	gt_array *as_much = NULL;
	const size_t view = cells(w) * gt_type_size(w->type), fits = MOST_BYTES / view;
	w->batch = fits < 1 ? 1 : fits < MOST_VIEWS ? fits : MOST_VIEWS;
	w->batch = w->batch < w->scan->views ? w->batch : w->scan->views;
	if (gt_backend_is_dry_run(w->be)) { /* nothing is copied, nor page-locked */
		st = gt_array_new(w->be, w->type, PLACES * w->batch * cells(w), &as_much);
		gt_array_free(as_much);
		return st;
	}
	GT_TRY(gt_upload_new(w->be, batch_bytes(w), &w->upload));
	for (int i = 0; i < PLACES; i++)
		if (!(w->buffer[i] = gt_locked_new(w->be, batch_bytes(w), "rows of views")))
			GT_TRY(GT_ERR_MEMORY);
done:
	return st;
}

static void close_(struct work *w)
{
	if (w->upload)
		gt_upload_wait(w->upload);
	for (int i = 0; i < PLACES; i++)
		gt_locked_free(w->be, w->buffer[i]);
	gt_upload_free(w->upload);
}

/* While the host packs a batch, the one before is on its way, and the one before that is computed. */
static void add_batch(struct work *w, gt_slab *slab, size_t index)
{
	const size_t left = w->scan->views - index * w->batch, n = left < w->batch ? left : w->batch;
	w->first = index * w->batch;
	w->to = w->buffer[index % PLACES];
	gt_parallel(gt_backend_pool(w->be), n, 1, pack, w);
	gt_upload_wait(w->upload);
	gt_upload_put(w->upload, w->to, 0, n * cells(w) * gt_type_size(w->type));
	gt_slab_filter(slab, w->first, n, gt_upload_block(w->upload));
	gt_upload_turn(w->upload);
	gt_slab_back(slab);
}

gt_status gt_direct_slab(const gt_analytic *m, const void *options, const gt_grid *grid, const gt_scan *scan, const float *data,
                         gt_range slices, gt_array *x)
{
	gt_backend *be = gt_array_backend(x);
	struct work w = { .be = be, .type = gt_array_type(x), .scan = scan, .data = data };
	gt_slab_plan *plan = NULL;
	gt_slab *slab = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_slab_plan_new(m, grid, scan, options, gt_backend_pool(be), &plan));
	gt_slab_plan_rows(plan, slices.first, slices.n, &w.row, &w.rows);
	GT_TRY(open_(&w));
	GT_TRY(gt_slab_new(plan, slices.first, slices.n, w.batch, x, &slab));
	for (size_t k = 0; k * w.batch < scan->views && !gt_backend_is_dry_run(be); k++) {
		add_batch(&w, slab, k);
		GT_TRY(gt_backend_known(be));
	}
	GT_TRY(gt_backend_status(be));
done:
	gt_slab_free(slab);
	close_(&w);
	gt_slab_plan_free(plan);
	return st;
}
