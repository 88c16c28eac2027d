/* A slab from projections in memory. Memory: two batches of views on the device, and two page-locked blocks on the
 * host. Page-locking much more would take as long as the computation. */
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "analytic/fbp/slab.h"
#include "core/device/upload.h"
#include "core/try.h"
#include "recon/team/direct_slab.h"

enum { MAX_VIEWS = 64, PLACES = 2 };
#define MAX_BYTES ((size_t)512 << 20) /* per batch */
#define PIECE_BYTES ((size_t)16 << 20)

struct work {
	gt_backend *be;
	gt_type type;
	const gt_scan *scan;
	const float *data;
	size_t row, rows, batch, piece; /* batch, piece: maximum numbers of views */
	gt_upload *upload;
	gt_array *as_much; /* dry run: stands for the uploads */
	void *buffer[PLACES];
	size_t packed; /* number of blocks so far */
	/* Block being packed. */
	size_t first;
	void *to;
};

static size_t cells(const struct work *w) { return w->rows * w->scan->columns; }
static size_t bytes_of(const struct work *w, size_t views) { return views * cells(w) * gt_type_size(w->type); }
static size_t min(size_t a, size_t b) { return a < b ? a : b; }
static size_t views_in(size_t bytes, size_t view) { return bytes > view ? bytes / view : 1; }

/* Concatenates the rows of some views. */
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
	w->batch = min(min(views_in(MAX_BYTES, bytes_of(w, 1)), MAX_VIEWS), w->scan->views);
	w->piece = min(views_in(PIECE_BYTES, bytes_of(w, 1)), w->batch);
	if (gt_backend_is_dry_run(w->be)) /* neither copied nor page-locked */
		return gt_array_new(w->be, w->type, PLACES * w->batch * cells(w), &w->as_much);
	GT_TRY(gt_upload_new(w->be, bytes_of(w, w->batch), &w->upload));
	for (int i = 0; i < PLACES; i++)
		if (!(w->buffer[i] = gt_locked_new(w->be, bytes_of(w, w->piece), "rows of views")))
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
	gt_array_free(w->as_much);
}

/* The host packs a block during the transfer of the previous one and the computation of the previous batch. */
static void add_batch(struct work *w, gt_slab *slab, size_t index)
{
	const size_t begin = index * w->batch, n = min(w->batch, w->scan->views - begin);
	for (size_t at = 0; at < n; at += w->piece) {
		const size_t views = min(w->piece, n - at);
		w->first = begin + at;
		w->to = w->buffer[w->packed++ % PLACES];
		gt_parallel(gt_backend_pool(w->be), views, 1, pack, w);
		gt_upload_wait(w->upload);
		gt_upload_put(w->upload, w->to, bytes_of(w, at), bytes_of(w, views));
	}
	gt_slab_filter(slab, begin, n, gt_upload_block(w->upload));
	gt_upload_turn(w->upload);
	gt_slab_back(slab);
}

static gt_status run_slab(struct work *w, const gt_slab_plan *plan, gt_range slices, gt_array *x)
{
	gt_slab *slab = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_slab_new(plan, slices.first, slices.n, w->batch, x, &slab));
	for (size_t k = 0; k * w->batch < w->scan->views && !gt_backend_is_dry_run(w->be); k++) {
		add_batch(w, slab, k);
		GT_TRY(gt_backend_known(w->be));
	}
	GT_TRY(gt_backend_status(w->be));
done:
	gt_slab_free(slab);
	return st;
}

gt_status gt_direct_slab(const gt_analytic *m, const void *options, const gt_grid *grid, const gt_scan *scan, const float *data,
                         gt_range slices, gt_array *x)
{
	gt_backend *be = gt_array_backend(x);
	struct work w = { .be = be, .type = gt_array_type(x), .scan = scan, .data = data };
	gt_slab_plan *plan = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_slab_plan_new(m, grid, scan, options, gt_backend_pool(be), &plan));
	gt_slab_plan_rows(plan, slices.first, slices.n, &w.row, &w.rows);
	GT_TRY(open_(&w));
	GT_TRY(run_slab(&w, plan, slices, x));
done:
	close_(&w);
	gt_slab_plan_free(plan);
	return st;
}
