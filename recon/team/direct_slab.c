/* A slab from projections in memory. Memory: two batches of views on the device, and the two page-locked buffers of the
 * backend. A large slab is computed in parts, and each part leaves the device during the computation of the next one,
 * by two more buffers. Rows that two parts see are uploaded and filtered for both. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "analytic/fbp/slab.h"
#include "core/array/staged.h"
#include "core/device/upload.h"
#include "core/try.h"
#include "recon/team/chunked_download.h"
#include "recon/team/direct_slab.h"

enum { MAX_VIEWS = 64, PLACES = GT_STAGED_BUFFERS, GRAIN = 1 << 16, PARTS = 3, HEIGHT = 64 /* slices of a block of the kernel */ };
#define LARGE ((size_t)2 << 30)       /* bytes of a volume whose download during the computation saves time */
#define MAX_BYTES ((size_t)512 << 20) /* per batch */
#define LOW_BYTES ((size_t)32 << 20)  /* batches of low views may have more than MAX_VIEWS: kernels take longer for few */

struct work {
	gt_backend *be;
	gt_type type;
	const gt_scan *scan;
	const float *data;
	size_t row, rows, batch; /* batch: maximum number of views */
	size_t piece;            /* values of a buffer */
	gt_upload *upload;
	gt_array *as_much; /* dry run: stands for the uploads */
	void *buffer[PLACES];
	size_t packed; /* number of blocks so far */
	/* Block being packed: values at, at + 1 ... of the rows of all views. */
	size_t at, values;
	void *to;
};

static size_t cells(const struct work *w) { return w->rows * w->scan->columns; }
static size_t bytes_of(const struct work *w, size_t views) { return views * cells(w) * gt_type_size(w->type); }
static size_t min(size_t a, size_t b) { return a < b ? a : b; }
static size_t views_in(size_t bytes, size_t view) { return bytes > view ? bytes / view : 1; }

/* Concatenates the rows of some views, GRAIN values at a time. */
static void pack(void *self, size_t begin, size_t end, int worker)
{
	const struct work *w = self;
	const size_t n = cells(w), last = min(end * GRAIN, w->values);
	(void)worker;
	for (size_t i = begin * GRAIN, run; i < last; i += run) {
		const size_t view = (w->at + i) / n, in_view = (w->at + i) % n;
		const float *from = w->data + (view * w->scan->rows + w->row) * w->scan->columns + in_view;
		run = min(n - in_view, last - i);
		if (w->type == GT_F32) {
			memcpy((float *)w->to + i, from, run * sizeof *from);
			continue;
		}
		for (size_t k = 0; k < run; k++)
			((double *)w->to)[i + k] = from[k];
	}
}

static gt_status open_(struct work *w)
{
	gt_status st = GT_OK;
	const size_t few = gt_backend_is_gpu(w->be) ? views_in(LOW_BYTES, bytes_of(w, 1)) : 1;
	w->batch = min(min(views_in(MAX_BYTES, bytes_of(w, 1)), few > MAX_VIEWS ? few : MAX_VIEWS), w->scan->views);
	if (gt_backend_is_dry_run(w->be)) /* neither copied nor page-locked */
		return gt_array_new(w->be, w->type, PLACES * w->batch * cells(w), &w->as_much);
	GT_TRY(gt_upload_new(w->be, bytes_of(w, w->batch), &w->upload));
	if (gt_backend_is_gpu(w->be)) {
		w->piece = GT_STAGED_BYTES / gt_type_size(w->type);
		return gt_staged_take(w->be, w->buffer);
	}
	w->piece = min(GT_STAGED_BYTES, bytes_of(w, w->batch)) / gt_type_size(w->type);
	if (!(w->buffer[0] = gt_locked_new(w->be, w->piece * gt_type_size(w->type), "rows of views")))
		st = GT_ERR_MEMORY;
done:
	return st;
}

static void close_(struct work *w)
{
	if (w->upload)
		gt_upload_wait(w->upload);
	if (gt_backend_is_gpu(w->be))
		gt_staged_give(w->be, w->buffer);
	else
		gt_locked_free(w->be, w->buffer[0]);
	gt_upload_free(w->upload);
	gt_array_free(w->as_much);
}

/* The host packs a block during the transfer of the previous one and the computation of the previous batch. */
static void add_batch(struct work *w, gt_slab *slab, size_t index)
{
	const size_t begin = index * w->batch, n = min(w->batch, w->scan->views - begin);
	const size_t each = gt_type_size(w->type), values = n * cells(w);
	for (size_t i = 0; i < values; i += w->piece) {
		w->at = begin * cells(w) + i;
		w->values = min(w->piece, values - i);
		w->to = w->buffer[gt_backend_is_gpu(w->be) ? w->packed++ % PLACES : 0];
		gt_parallel(gt_backend_pool(w->be), (w->values + GRAIN - 1) / GRAIN, 1, pack, w);
		gt_upload_wait(w->upload);
		gt_upload_put(w->upload, w->to, i * each, w->values * each);
	}
	gt_slab_filter(slab, begin, n, gt_upload_block(w->upload));
	gt_upload_turn(w->upload);
	gt_slab_back(slab);
}

static size_t batches(const struct work *w) { return (w->scan->views + w->batch - 1) / w->batch; }

static gt_status add_batches(struct work *w, gt_slab *slab, size_t first, size_t end)
{
	gt_status st = GT_OK;
	for (size_t k = first; k < end && !gt_backend_is_dry_run(w->be); k++) {
		add_batch(w, slab, k);
		GT_TRY(gt_backend_known(w->be));
	}
done:
	return st;
}

static gt_status run_slab(struct work *w, const gt_slab_plan *plan, gt_range slices, gt_array *x)
{
	gt_slab *slab = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_slab_new(plan, slices.first, slices.n, w->batch, x, &slab));
	GT_TRY(add_batches(w, slab, 0, batches(w)));
	GT_TRY(gt_backend_status(w->be));
done:
	gt_slab_free(slab);
	return st;
}

/* A part of the slices. */
struct slab_part {
	gt_range slices; /* of x */
	size_t row, rows;
	gt_array *x;
	gt_slab *slab;
};

static gt_status part_new(const struct work *w, const gt_slab_plan *plan, gt_range all, gt_array *x, struct slab_part *p)
{
	const size_t plane = gt_array_size(x) / all.n;
	gt_status st = GT_OK;
	gt_slab_plan_rows(plan, all.first + p->slices.first, p->slices.n, &p->row, &p->rows);
	GT_TRY(gt_array_part(x, p->slices.first * plane, p->slices.n * plane, &p->x));
	GT_TRY(gt_slab_new(plan, all.first + p->slices.first, p->slices.n, w->batch, p->x, &p->slab));
done:
	return st;
}

/* Computes one part, during the download of the previous one. */
static gt_status run_part(struct work *w, struct slab_part *p, gt_chunked_download *d, size_t chunks)
{
	const size_t n = batches(w);
	gt_status st = GT_OK;
	w->row = p->row;
	w->rows = p->rows;
	for (size_t k = 0; k < n; k++) {
		GT_TRY(add_batches(w, p->slab, k, k + 1));
		GT_TRY(gt_chunked_download_step(d, (chunks + n - 1) / n));
	}
done:
	return st;
}

/* First slice of a part: whole blocks, the last part is the smallest. */
static size_t first_of(size_t part, size_t slices) { return min((part * slices / PARTS + HEIGHT - 1) / HEIGHT * HEIGHT, slices); }

/* All slabs are made first, because that waits for the queue. */
static gt_status run_parts(struct work *w, const gt_slab_plan *plan, gt_range slices, gt_array *x, float *out)
{
	const size_t plane = gt_array_size(x) / slices.n;
	struct slab_part part[PARTS] = { 0 };
	gt_chunked_download *d = NULL;
	gt_status st = GT_OK;
	for (size_t i = 0; i < PARTS; i++) {
		const size_t from = first_of(i, slices.n);
		part[i].slices = (gt_range){ from, first_of(i + 1, slices.n) - from };
		GT_TRY(part_new(w, plan, slices, x, &part[i]));
	}
	if (!gt_backend_is_dry_run(w->be))
		GT_TRY(gt_chunked_download_new(w->be, &d));
	for (size_t i = 0; i < PARTS && d; i++) {
		GT_TRY(run_part(w, &part[i], d, gt_chunked_download_chunks(part[0].slices.n * plane)));
		GT_TRY(gt_chunked_download_begin(d, part[i].x, out + part[i].slices.first * plane));
	}
	if (d)
		GT_TRY(gt_chunked_download_step(d, SIZE_MAX));
	GT_TRY(gt_backend_status(w->be));
done:
	gt_chunked_download_free(d);
	for (size_t i = 0; i < PARTS; i++) {
		gt_slab_free(part[i].slab);
		gt_array_free(part[i].x);
	}
	return st;
}

/* Also decides for a dry run, which has no memory for the volume. */
static int downloads_early(const struct work *w, const gt_array *x, size_t slices)
{
	return gt_backend_is_gpu(w->be) && w->type == GT_F32 && gt_array_bytes(x) >= LARGE && slices >= 2 * PARTS * HEIGHT;
}

gt_status gt_direct_slab(const gt_direct_case *c, gt_range slices, gt_array *x, float *out, int *is_out)
{
	gt_backend *be = gt_array_backend(x);
	struct work w = { .be = be, .type = gt_array_type(x), .scan = c->scan, .data = c->data };
	gt_slab_plan *plan = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_slab_plan_new(c->method, c->grid, c->scan, c->options, gt_backend_pool(be), &plan));
	gt_slab_plan_rows(plan, slices.first, slices.n, &w.row, &w.rows);
	GT_TRY(open_(&w));
	if (is_out && (out || gt_backend_is_dry_run(be)) && downloads_early(&w, x, slices.n)) {
		GT_TRY(run_parts(&w, plan, slices, x, out));
		*is_out = out != NULL;
	} else {
		GT_TRY(run_slab(&w, plan, slices, x));
	}
done:
	close_(&w);
	gt_slab_plan_free(plan);
	return st;
}
