/* Transfers between host arrays and a device: threads copy a block into or out of page-locked memory during the
 * transfer of the previous block. */
#include <string.h>
#include <gantry/array.h>
#include "core/device/backend.h"
#include "core/device/download.h"
#include "core/device/upload.h"
#include "core/try.h"
#include "recon/stream/stream_impl.h"

/* Two blocks fit a cache of some ten MiB, so uploads read memory once and do not write it. */
#define PIECE_BYTES ((size_t)16 << 20)
enum { GRAIN = 1 << 18 }; /* bytes that a thread copies at once */

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

/* A dense range of n runs of `bytes`, from its byte `first` on; the host's runs are `stride` apart. */
struct copying {
	char *packed, *host;
	size_t first, all, bytes, stride;
	int gives_back;
};

static void copy_part(void *self, size_t begin, size_t end, int worker)
{
	const struct copying *c = self;
	const size_t last = min(end * GRAIN, c->all);
	(void)worker;
	for (size_t at = begin * GRAIN; at < last;) {
		const size_t run = (c->first + at) / c->bytes, into = (c->first + at) % c->bytes, n = min(c->bytes - into, last - at);
		char *host = c->host + run * c->stride + into;
		if (c->gives_back)
			memcpy(host, c->packed + at, n);
		else
			memcpy(c->packed + at, host, n);
		at += n;
	}
}

static void copy(gt_stream *s, struct copying c) { gt_parallel(gt_backend_pool(s->host), (c.all + GRAIN - 1) / GRAIN, 1, copy_part, &c); }

void gt_stream_up(gt_stream *s, gt_upload *to, size_t into, const void *from, size_t n, size_t bytes, size_t stride)
{
	const size_t all = n * bytes;
	for (size_t at = 0; at < all; at += s->piece) {
		char *piece = s->up[s->packed++ % GT_STREAM_TURNS];
		const size_t size = min(s->piece, all - at);
		copy(s, (struct copying){ piece, (char *)from, at, size, bytes, stride, 0 });
		gt_upload_wait(to); /* the previous block: its memory is filled next */
		gt_upload_put(to, piece, into + at, size);
	}
	gt_upload_wait(to);
}

void gt_stream_out(gt_stream *s, void *packed, void *to, size_t bytes) { copy(s, (struct copying){ packed, to, 0, bytes, bytes, 0, 1 }); }

/* Stores the values of one block on the host, or adds them. */
static void unpack(gt_stream *s, char *packed, char *to, size_t bytes, int adds)
{
	const size_t each = gt_type_size(s->type), run = GRAIN / each, runs = bytes / each / run, rest = bytes / each % run;
	if (!adds) {
		gt_stream_out(s, packed, to, bytes);
		return;
	}
	gt_stream_keep(s, packed, &(gt_stream_runs){ runs, run, run, run }, to, 1);
	gt_stream_keep(s, packed + runs * GRAIN, &(gt_stream_runs){ rest != 0, rest, rest, rest }, to + runs * GRAIN, 1);
}

void gt_stream_down(gt_stream *s, const gt_array *x, void *to, int adds)
{
	const size_t all = gt_array_bytes(x), each = gt_type_size(s->type);
	for (size_t at = 0, before = 0, k = 0; at < all || before; k++) {
		const size_t size = min(s->piece, all - at);
		gt_array *part = NULL;
		if (before)
			gt_download_wait(s->down);
		if (size && gt_array_part(x, at / each, size / each, &part) == GT_OK)
			gt_download_get(s->down, part, s->up[k % GT_STREAM_TURNS]);
		if (before)
			unpack(s, s->up[(k + 1) % GT_STREAM_TURNS], (char *)to + at - before, before, adds);
		gt_array_free(part);
		at += size;
		before = size;
	}
}

struct keeping {
	const char *from;
	char *y;
	const gt_stream_runs *of;
	gt_type type;
	int adds;
};

static void keep_part(void *self, size_t k, size_t end, int worker)
{
	const struct keeping *a = self;
	const size_t each = gt_type_size(a->type), run = a->of->run;
	(void)worker;
	for (; k < end; k++) {
		const char *from = a->from + k * a->of->from_stride * each;
		char *y = a->y + k * a->of->stride * each;
		if (!a->adds)
			memcpy(y, from, run * each);
		else if (a->type == GT_F32)
			for (size_t i = 0; i < run; i++)
				((float *)y)[i] += ((const float *)from)[i];
		else
			for (size_t i = 0; i < run; i++)
				((double *)y)[i] += ((const double *)from)[i];
	}
}

void gt_stream_keep(gt_stream *s, const void *from, const gt_stream_runs *of, void *y, int adds)
{
	struct keeping a = { from, y, of, s->type, adds };
	gt_parallel(gt_backend_pool(s->host), of->n, 1, keep_part, &a);
}

gt_status gt_stream_buffers_new(gt_stream *s)
{
	const size_t each = gt_type_size(s->type), larger = s->slab > s->batch ? s->slab : s->batch, sums = gt_stream_sums(s);
	const int dry = gt_backend_is_dry_run(s->device);
	gt_status st = GT_OK;
	s->piece = min(PIECE_BYTES, larger);
	if (dry) { /* like the uploads of a real run */
		GT_TRY(gt_array_new(s->device, s->type, GT_STREAM_TURNS * (s->slab + s->batch) / each, &s->sum[0]));
		GT_TRY(gt_array_new(s->device, s->type, sums * s->slab / each, &s->part[0]));
		return gt_array_new(s->device, s->type, (larger + s->batch) / each, &s->part[1]);
	}
	GT_TRY(gt_upload_new(s->device, s->slab, &s->slabs));
	GT_TRY(gt_upload_new(s->device, s->batch, &s->batches));
	GT_TRY(gt_download_new(s->device, &s->down));
	for (size_t i = 0; i < sums; i++)
		GT_TRY(gt_array_new(s->device, s->type, s->slab / each, &s->sum[i]));
	GT_TRY(gt_array_new(s->device, s->type, larger / each, &s->part[0]));
	GT_TRY(gt_array_new(s->device, s->type, s->batch / each, &s->part[1]));
	for (int i = 0; i < GT_STREAM_TURNS; i++) {
		if (!(s->up[i] = gt_locked_new(s->device, s->piece, "blocks being uploaded")))
			GT_TRY(GT_ERR_MEMORY);
		if (!(s->back[i] = gt_locked_new(s->device, s->batch, "views being downloaded")))
			GT_TRY(GT_ERR_MEMORY);
	}
done:
	return st;
}

void gt_stream_buffers_free(gt_stream *s)
{
	for (int i = 0; i < GT_STREAM_TURNS; i++) {
		gt_array_free(s->sum[i]);
		gt_array_free(s->part[i]);
		gt_locked_free(s->device, s->up[i]);
		gt_locked_free(s->device, s->back[i]);
		s->sum[i] = s->part[i] = NULL;
		s->up[i] = s->back[i] = NULL;
	}
	gt_upload_free(s->slabs);
	gt_upload_free(s->batches);
	gt_download_free(s->down);
	s->slabs = s->batches = NULL;
	s->down = NULL;
}
