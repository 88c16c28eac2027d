/* Streamed operator: parts of each slab as seen by batches of views. */
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include "core/device/backend.h"
#include "core/device/download.h"
#include "core/device/download_impl.h"
#include "core/device/upload.h"
#include "core/try.h"
#include "recon/stream/stream_impl.h"
#include "recon/team/team_split.h"

/* A batch of views that sees some slices of a slab by some rows; earlier slabs have already written the rows `adds`. */
struct seen_part {
	gt_range slices, views, rows, adds;
	gt_linop *A;
};

struct streamed {
	gt_stream *s;
	size_t plane, columns, rows, views; /* per slice; of the scan */
	struct seen_part *part;             /* by slab */
	size_t *first, parts;               /* [slabs + 1]: the parts of slab k begin at first[k] */
	gt_range *written;                  /* rows written by any slab, for each batch of views */
	int clears;                         /* 1: they are not one contiguous range */
};

static size_t slab_slices(const gt_stream *s, size_t slab)
{
	const size_t first = slab * s->cut.slices;
	return s->grid.n[2] - first < s->cut.slices ? s->grid.n[2] - first : s->cut.slices;
}

/* Computing -------------------------------------------------------------------- */

static char *at(const gt_stream *s, const gt_array *a, size_t element) { return (char *)a->data + element * gt_type_size(s->type); }

/* `n` values of the device's memory. */
static gt_array *wrap(gt_stream *s, const void *block, size_t first, size_t n)
{
	gt_array *a = NULL;
	if (gt_array_wrap(s->device, s->type, n, (char *)block + first * gt_type_size(s->type), &a) != GT_OK)
		return NULL;
	return a;
}

static size_t voxels(const struct streamed *o, const struct seen_part *p) { return p->slices.n * o->plane; }
static size_t cells(const struct streamed *o, const struct seen_part *p) { return p->views.n * p->rows.n * o->columns; }
static size_t first_cell(const struct streamed *o, const struct seen_part *p)
{
	return (p->views.first * o->rows + p->rows.first) * o->columns;
}

/* Passes failures of the device to the host's backend, which solvers check. */
static void pass_failure(const struct streamed *o)
{
	const gt_status st = gt_backend_status(o->s->device);
	if (st != GT_OK)
		gt_backend_fail(o->s->host, st);
}

static void send_slab(const struct streamed *o, const gt_array *x, size_t slab)
{
	gt_stream *s = o->s;
	const size_t n = slab_slices(s, slab) * o->plane * gt_type_size(s->type);
	gt_stream_up(s, s->slabs, 0, at(s, x, slab * s->cut.slices * o->plane), 1, n, n);
}

/* Rows [from, to) of a batch. */
static void keep_rows(const struct streamed *o, const struct seen_part *p, const char *came, size_t from, size_t to, int adds, gt_array *y)
{
	const gt_stream_runs runs = { p->views.n, (to - from) * o->columns, p->rows.n * o->columns, o->rows * o->columns };
	if (from < to)
		gt_stream_keep(o->s, came + (from - p->rows.first) * o->columns * gt_type_size(o->s->type), &runs,
		               at(o->s, y, (p->views.first * o->rows + from) * o->columns), adds);
}

/* Writes a downloaded batch, or adds it to the result of earlier slabs, during the computation of the next one. */
static void keep_batch(const struct streamed *o, const struct seen_part *p, size_t turn, gt_array *y)
{
	if (!p)
		return;
	const char *came = o->s->back[turn % GT_STREAM_TURNS];
	const gt_range adds = o->clears ? p->rows : p->adds;
	const size_t end = p->rows.first + p->rows.n, from = adds.first, to = from + adds.n;
	gt_download_wait(o->s->down);
	keep_rows(o, p, came, p->rows.first, from, 0, y);
	keep_rows(o, p, came, from, to, 1, y);
	keep_rows(o, p, came, to, end, 0, y);
}

/* Rows that no slab writes. */
struct clearing {
	const struct streamed *o;
	char *y;
};

static void clear_views(void *self, size_t v, size_t end, int worker)
{
	const struct clearing *c = self;
	const struct streamed *o = c->o;
	const size_t row = o->columns * gt_type_size(o->s->type);
	(void)worker;
	for (; v < end; v++) {
		const gt_range none = { 0, 0 }, w = o->clears ? none : o->written[v / o->s->cut.views];
		char *view = c->y + v * o->rows * row;
		memset(view, 0, w.first * row);
		memset(view + (w.first + w.n) * row, 0, (o->rows - w.first - w.n) * row);
	}
}

static void clear_rest(const struct streamed *o, gt_array *y)
{
	struct clearing c = { o, at(o->s, y, 0) };
	gt_parallel(gt_backend_pool(o->s->host), o->views, 1, clear_views, &c);
}

/* Runs the host's pending work on other arrays once the device has two batches to compute. */
static void let_catch_up(gt_stream *s, size_t turn)
{
	if (turn == 1)
		gt_backend_catch_up(s->host);
}

static void forward(void *self, const gt_array *x, gt_array *y)
{
	struct streamed *o = self;
	gt_stream *s = o->s;
	const struct seen_part *before = NULL;
	size_t turn = 0;
	send_slab(o, x, 0);
	for (size_t slab = 0; slab < s->cut.slabs && gt_backend_known(s->device) == GT_OK; slab++) {
		const void *block = gt_upload_block(s->slabs);
		for (size_t k = o->first[slab]; k < o->first[slab + 1]; k++, turn++) {
			const struct seen_part *p = &o->part[k];
			gt_array *in = wrap(s, block, (p->slices.first - slab * s->cut.slices) * o->plane, voxels(o, p)), *out = NULL;
			if (in && gt_array_part(s->part[turn % GT_STREAM_TURNS], 0, cells(o, p), &out) == GT_OK) {
				gt_forward(p->A, in, out);
				if (!turn)
					clear_rest(o, y);
				keep_batch(o, before, turn + 1, y);
				let_catch_up(s, turn);
				gt_download_get(s->down, out, s->back[turn % GT_STREAM_TURNS]);
			}
			before = p;
			gt_array_free(in);
			gt_array_free(out);
		}
		gt_upload_turn(s->slabs);
		if (slab + 1 < s->cut.slabs)
			send_slab(o, x, slab + 1);
	}
	if (!turn)
		clear_rest(o, y);
	keep_batch(o, before, turn + 1, y);
	pass_failure(o);
}

/* sum: of the slab; the first part may cover all of it. */
static void back_part(const struct streamed *o, const struct seen_part *p, size_t slab, const gt_array *y, int is_first, gt_array *sum)
{
	gt_stream *s = o->s;
	const size_t bytes = p->rows.n * o->columns * gt_type_size(s->type);
	gt_array *in = NULL, *to = NULL, *more = NULL;
	gt_stream_up(s, s->batches, 0, at(s, y, first_cell(o, p)), p->views.n, bytes, o->rows * o->columns * gt_type_size(s->type));
	in = wrap(s, gt_upload_block(s->batches), 0, cells(o, p));
	if (in && gt_array_part(sum, (p->slices.first - slab * s->cut.slices) * o->plane, voxels(o, p), &to) == GT_OK) {
		const int is_all = is_first && p->slices.n == slab_slices(s, slab);
		if (is_first && !is_all)
			gt_fill(0, sum);
		if (is_all) {
			gt_adjoint(p->A, in, to);
		} else if (gt_array_part(s->part[0], 0, voxels(o, p), &more) == GT_OK) {
			gt_adjoint(p->A, in, more);
			gt_axpy(1, more, to);
		}
	}
	gt_upload_turn(s->batches);
	gt_array_free(in);
	gt_array_free(to);
	gt_array_free(more);
}

/* A slab that is downloaded block by block during batches of the next one. */
struct leaving {
	gt_array *sum;
	char *to;
	size_t at, size; /* bytes: begin and size of the block in transfer; none: 0 */
	int turn;
};

static void next_piece(const struct streamed *o, struct leaving *l)
{
	const size_t all = gt_array_bytes(l->sum), each = gt_type_size(o->s->type), max = o->s->batch;
	gt_array *part = NULL;
	l->size = all - l->at < max ? all - l->at : max;
	if (!l->size || gt_array_part(l->sum, l->at / each, l->size / each, &part) != GT_OK) {
		l->size = 0;
		return;
	}
	/* The first block waits for the sum; later ones need not wait for the queue. */
	(l->at ? gt_download_take : gt_download_get)(o->s->down, part, o->s->back[l->turn]);
	gt_array_free(part);
}

static void leave_some(const struct streamed *o, struct leaving *l)
{
	const struct leaving came = *l;
	if (!l->size)
		return;
	gt_download_wait(o->s->down);
	l->at += l->size;
	l->turn ^= 1;
	next_piece(o, l);
	gt_stream_out(o->s, o->s->back[came.turn], came.to + came.at, came.size);
}

static void leave_all(const struct streamed *o, struct leaving *l)
{
	while (l->size)
		leave_some(o, l);
	gt_array_free(l->sum);
	*l = (struct leaving){ .sum = NULL };
}

static void adjoint(void *self, const gt_array *y, gt_array *x)
{
	struct streamed *o = self;
	gt_stream *s = o->s;
	struct leaving before = { .sum = NULL };
	size_t turn = 0;
	for (size_t slab = 0; slab < s->cut.slabs && gt_backend_known(s->device) == GT_OK; slab++) {
		gt_array *sum = NULL;
		if (gt_array_part(s->sum[slab % GT_STREAM_TURNS], 0, slab_slices(s, slab) * o->plane, &sum) != GT_OK)
			break;
		if (o->first[slab] == o->first[slab + 1])
			gt_fill(0, sum);
		for (size_t k = o->first[slab]; k < o->first[slab + 1]; k++) {
			back_part(o, &o->part[k], slab, y, k == o->first[slab], sum);
			leave_some(o, &before);
			let_catch_up(s, turn++);
		}
		leave_all(o, &before);
		before = (struct leaving){ .sum = sum, .to = at(s, x, slab * s->cut.slices * o->plane) };
		if (slab + 1 < s->cut.slabs)
			next_piece(o, &before);
		else
			gt_stream_down(s, sum, before.to, 0);
	}
	leave_all(o, &before);
	pass_failure(o);
}

/* Making ------------------------------------------------------------------------- */

static void destroy(void *self)
{
	struct streamed *o = self;
	for (size_t k = 0; k < o->parts; k++)
		gt_linop_free(o->part[k].A);
	free(o->part);
	free(o->written);
	free(o->first);
	gt_stream_free(o->s);
	free(o);
}

static gt_status new_part(const struct streamed *o, const gt_scan *scan, struct seen_part *p)
{
	const gt_grid g = gt_grid_slab(&o->s->grid, p->slices);
	gt_scan *own = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_scan_window(scan, p->views, p->rows, &own));
	GT_TRY(gt_projector_new(o->s->projector, o->s->device, o->s->type, &g, own, &p->A));
done:
	gt_scan_free(own);
	return st;
}

/* Rows of adjacent slabs form one range; otherwise all rows are cleared first and added to. */
static void note_rows(struct streamed *o, gt_range *written, struct seen_part *p)
{
	const size_t end = p->rows.first + p->rows.n, before = written->first + written->n;
	const size_t from = written->first > p->rows.first ? written->first : p->rows.first, to = before < end ? before : end;
	if (!written->n) {
		p->adds = (gt_range){ p->rows.first, 0 };
		*written = p->rows;
		return;
	}
	if (from > to) {
		o->clears = 1;
		return;
	}
	p->adds = (gt_range){ from, to - from };
	written->first = written->first < p->rows.first ? written->first : p->rows.first;
	written->n = (before > end ? before : end) - written->first;
}

/* Parts of a slab; views that do not see it have none. */
static gt_status add_slab(struct streamed *o, const gt_scan *scan, size_t slab)
{
	const gt_range all = { slab * o->s->cut.slices, slab_slices(o->s, slab) };
	gt_status st = GT_OK;
	o->first[slab] = o->parts;
	for (size_t v = 0; v < scan->views; v += o->s->cut.views) {
		struct seen_part *p = &o->part[o->parts];
		p->views = (gt_range){ v, scan->views - v < o->s->cut.views ? scan->views - v : o->s->cut.views };
		p->slices = gt_seen_slices(gt_backend_pool(o->s->host), &o->s->grid, scan, all, p->views);
		p->rows = p->slices.n ? gt_seen_rows(&o->s->grid, scan, p->slices, p->views) : (gt_range){ 0, 0 };
		if (!p->slices.n || !p->rows.n)
			continue;
		note_rows(o, &o->written[v / o->s->cut.views], p);
		GT_TRY(new_part(o, scan, p));
		o->parts++;
	}
	o->first[slab + 1] = o->parts;
done:
	return st;
}

gt_status gt_stream_operator(gt_stream *s, const gt_scan *scan, gt_linop **A)
{
	static const struct gt_linop_ops ops = { .name = "streamed", .forward = forward, .adjoint = adjoint, .free = destroy };
	const size_t batches = (scan->views + s->cut.views - 1) / s->cut.views;
	gt_status st = GT_OK;
	struct streamed *o = calloc(1, sizeof *o);
	if (!o)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	*o = (struct streamed){
		.s = s, .plane = s->grid.n[0] * s->grid.n[1], .columns = scan->columns, .rows = scan->rows, .views = scan->views
	};
	s->users++;
	o->part = calloc(s->cut.slabs * batches, sizeof *o->part);
	o->first = calloc(s->cut.slabs + 1, sizeof *o->first);
	o->written = calloc(batches, sizeof *o->written);
	if (!o->part || !o->first || !o->written)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t slab = 0; slab < s->cut.slabs; slab++)
		GT_TRY(add_slab(o, scan, slab));
	st = gt_linop_new(&ops, o, s->host, s->type, gt_grid_voxels(&s->grid), gt_scan_size(scan), A);
	if (st == GT_OK)
		gt_linop_lets_wait(*A);
	return st;
done:
	destroy(o);
	return st;
}
