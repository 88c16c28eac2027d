/* Slabs from projections in memory. Memory: two batches of views on the device, and two page-locked blocks on the host.
 * Page-locking much more would take as long as the computation. */
#include <stdlib.h>
#include <string.h>
#include <gantry/host_memory.h>
#include "analytic/fbp/slab.h"
#include "core/device/download.h"
#include "core/device/download_impl.h"
#include "core/device/upload.h"
#include "core/try.h"
#include "recon/team/direct_slab.h"

enum { MAX_VIEWS = 64, PLACES = 2, MIN_SLICES = 64, GRAIN = 1 << 20 /* bytes that a thread copies at once */ };
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

/* What leaves ------------------------------------------------------------------- */

/* A finished slab is downloaded in blocks, between batches of the next slab. */
struct outlet {
	gt_download *down;
	void *buffer[PLACES];
	const gt_array *x; /* slabs, from element `first` on `all` */
	size_t first, all, each, sent, copied, pieces;
	char *to;
	size_t part; /* elements per batch */
	gt_status st;
};

struct copying {
	const char *from;
	char *to;
	size_t bytes;
};

static void copy_part(void *self, size_t begin, size_t end, int worker)
{
	const struct copying *c = self;
	const size_t last = min(end * GRAIN, c->bytes);
	(void)worker;
	memcpy(c->to + begin * GRAIN, c->from + begin * GRAIN, last - begin * GRAIN);
}

/* Downloads until `until` elements are on the host. The host copies one block during the transfer of the next. */
static void let_out(struct work *w, struct outlet *o, size_t until)
{
	while (o->copied < min(until, o->all) && o->st == GT_OK) {
		const size_t here = o->sent, n = min(PIECE_BYTES / o->each, o->all - o->sent);
		gt_array *part = NULL;
		gt_download_wait(o->down);
		if (n && (o->st = gt_array_part(o->x, o->first + o->sent, n, &part)) == GT_OK)
			gt_download_take(o->down, part, o->buffer[o->pieces++ % PLACES]);
		gt_array_free(part);
		o->sent += n;
		if (here == o->copied)
			continue; /* nothing downloaded yet */
		struct copying c = { o->buffer[(o->pieces + (n ? 0 : 1)) % PLACES], o->to + o->copied * o->each,
			             (here - o->copied) * o->each };
		gt_parallel(gt_backend_pool(w->be), (c.bytes + GRAIN - 1) / GRAIN, 1, copy_part, &c);
		o->copied = here;
	}
}

static gt_status outlet_new(const struct work *w, const gt_array *x, struct outlet *o)
{
	gt_status st = GT_OK;
	const size_t bytes = min(PIECE_BYTES, gt_array_bytes(x));
	*o = (struct outlet){ .x = x, .each = gt_type_size(w->type) };
	GT_TRY(gt_download_new(w->be, &o->down));
	for (int i = 0; i < PLACES; i++)
		if (!(o->buffer[i] = gt_locked_new(w->be, bytes, "slices of a volume")))
			GT_TRY(GT_ERR_MEMORY);
done:
	return st;
}

static void outlet_free(struct work *w, struct outlet *o)
{
	if (o->down)
		gt_download_wait(o->down);
	gt_download_free(o->down);
	for (int i = 0; i < PLACES; i++)
		gt_locked_free(w->be, o->buffer[i]);
}

/* Slabs --------------------------------------------------------------------------- */

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

static gt_status run_slab(struct work *w, const gt_slab_plan *plan, gt_range slices, gt_array *x, struct outlet *before)
{
	gt_slab *slab = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_slab_new(plan, slices.first, slices.n, w->batch, x, &slab));
	for (size_t k = 0; k * w->batch < w->scan->views && !gt_backend_is_dry_run(w->be); k++) {
		add_batch(w, slab, k);
		if (before)
			let_out(w, before, (k + 1) * before->part);
		GT_TRY(gt_backend_known(w->be));
	}
	GT_TRY(gt_backend_status(w->be));
done:
	gt_slab_free(slab);
	return st;
}

/* Returns the slices of the k-th slab. A large range has several slabs, so that one is downloaded during the
 * computation of the next. The last one is the smallest, because nothing hides its download. n 0: none is left. */
static gt_range nth_slab(gt_range all, int is_large, size_t k)
{
	static const double ends[] = { 0.3, 0.6, 0.85, 1 };
	if (!is_large)
		return k ? (gt_range){ 0, 0 } : all;
	if (k >= sizeof ends / sizeof *ends)
		return (gt_range){ 0, 0 };
	const size_t begin = k ? (size_t)((double)all.n * ends[k - 1]) / 16 * 16 : 0,
		     end = ends[k] < 1 ? (size_t)((double)all.n * ends[k]) / 16 * 16 : all.n;
	return (gt_range){ all.first + begin, end - begin };
}

/* Finds the largest number of rows that see any of the slabs. */
static void max_rows(struct work *w, const gt_slab_plan *plan, gt_range all, int is_large)
{
	size_t row, rows;
	w->rows = 0;
	for (size_t k = 0;; k++) {
		const gt_range r = nth_slab(all, is_large, k);
		if (!r.n)
			return;
		gt_slab_plan_rows(plan, r.first, r.n, &row, &rows);
		w->rows = rows > w->rows ? rows : w->rows;
	}
}

gt_status gt_direct_slabs(const gt_analytic *m, const void *options, const gt_grid *grid, const gt_scan *scan, const float *data,
                          const gt_direct_share *share, gt_array *x)
{
	gt_backend *be = gt_array_backend(x);
	struct work w = { .be = be, .type = gt_array_type(x), .scan = scan, .data = data };
	struct outlet o = { .down = NULL };
	const size_t plane = grid->n[0] * grid->n[1];
	const gt_range slices = share->slices;
	float *const out = share->to;
	const int is_large = out && slices.n >= MIN_SLICES && slices.n * plane * gt_type_size(w.type) >= share->large;
	gt_slab_plan *plan = NULL;
	gt_array *part = NULL;
	gt_range r;
	gt_status st = GT_OK;
	GT_TRY(gt_slab_plan_new(m, grid, scan, options, gt_backend_pool(be), &plan));
	max_rows(&w, plan, slices, is_large);
	GT_TRY(open_(&w));
	if (out)
		GT_TRY(outlet_new(&w, x, &o));
	for (size_t k = 0; (r = nth_slab(slices, is_large, k)).n; k++) {
		gt_slab_plan_rows(plan, r.first, r.n, &w.row, &w.rows);
		GT_TRY(gt_array_part(x, (r.first - slices.first) * plane, r.n * plane, &part));
		GT_TRY(run_slab(&w, plan, r, part, k && out ? &o : NULL));
		gt_array_free(part);
		part = NULL;
		if (!out)
			continue;
		let_out(&w, &o, o.all);
		GT_TRY(o.st);
		const size_t batches = (scan->views + w.batch - 1) / w.batch;
		o = (struct outlet){ o.down,
			             { o.buffer[0], o.buffer[1] },
			             x,
			             (r.first - slices.first) * plane,
			             r.n * plane,
			             o.each,
			             0,
			             0,
			             0,
			             (char *)(out + (r.first - slices.first) * plane),
			             r.n * plane / batches + 1,
			             GT_OK };
	}
	if (out)
		let_out(&w, &o, o.all);
	GT_TRY(o.st);
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(part);
	outlet_free(&w, &o);
	close_(&w);
	gt_slab_plan_free(plan);
	return st;
}

gt_status gt_direct_slab(const gt_analytic *m, const void *options, const gt_grid *grid, const gt_scan *scan, const float *data,
                         gt_range slices, gt_array *x)
{
	return gt_direct_slabs(m, options, grid, scan, data, &(gt_direct_share){ slices, NULL, 0 }, x);
}
