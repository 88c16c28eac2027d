/* Download of arrays in chunks. The device fills one page-locked buffer while all host threads empty the other. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/download_impl.h"
#include "core/try.h"
#include "recon/team/chunked_download.h"

enum { BUFFERS = 2, CHUNK = 4 << 20 /* elements */, GRAIN = 1 << 16 };

struct gt_chunked_download {
	gt_backend *be;
	gt_download *copies;
	float *buffer[BUFFERS];
	const gt_array *x; /* NULL: none */
	float *host;
	size_t all, asked, done; /* chunks */
	/* Chunk being emptied. */
	const float *from;
	float *to;
	size_t n;
};

gt_status gt_chunked_download_new(gt_backend *be, gt_chunked_download **out)
{
	gt_status st = GT_OK;
	gt_chunked_download *d = calloc(1, sizeof *d);
	if (!d)
		return gt_fail(GT_ERR_MEMORY, "no memory for a download");
	d->be = be;
	for (int i = 0; i < BUFFERS; i++)
		if (!(d->buffer[i] = gt_locked_new(be, CHUNK * sizeof *d->buffer[i], "chunks of a volume")))
			GT_TRY(GT_ERR_MEMORY);
	GT_TRY(gt_download_new(be, &d->copies));
	*out = d;
	d = NULL;
done:
	gt_chunked_download_free(d);
	return st;
}

void gt_chunked_download_free(gt_chunked_download *d)
{
	if (!d)
		return;
	if (d->copies)
		gt_download_wait(d->copies);
	gt_download_free(d->copies);
	for (int i = 0; i < BUFFERS; i++)
		gt_locked_free(d->be, d->buffer[i]);
	free(d);
}

size_t gt_chunked_download_chunks(size_t n) { return (n + CHUNK - 1) / CHUNK; }

static size_t size_of(const gt_chunked_download *d, size_t chunk)
{
	const size_t rest = gt_array_size(d->x) - chunk * CHUNK;
	return rest < CHUNK ? rest : CHUNK;
}

/* The first chunk waits for the queue; the others follow it. */
static gt_status ask(gt_chunked_download *d)
{
	gt_array *part = NULL;
	const size_t k = d->asked++;
	const gt_status st = gt_array_part(d->x, k * CHUNK, size_of(d, k), &part);
	if (st == GT_OK)
		(k ? gt_download_take : gt_download_get)(d->copies, part, d->buffer[k % BUFFERS]);
	gt_array_free(part);
	return st;
}

static void empty(void *self, size_t begin, size_t end, int worker)
{
	const gt_chunked_download *d = self;
	const size_t first = begin * GRAIN, last = end * GRAIN < d->n ? end * GRAIN : d->n;
	(void)worker;
	memcpy(d->to + first, d->from + first, (last - first) * sizeof *d->to);
}

gt_status gt_chunked_download_step(gt_chunked_download *d, size_t chunks)
{
	gt_status st = GT_OK;
	for (; chunks && d->done < d->all; chunks--) {
		const size_t k = d->done++;
		gt_download_wait(d->copies);
		if (d->asked < d->all)
			GT_TRY(ask(d));
		d->from = d->buffer[k % BUFFERS];
		d->to = d->host + k * CHUNK;
		d->n = size_of(d, k);
		gt_parallel(gt_backend_pool(d->be), (d->n + GRAIN - 1) / GRAIN, 1, empty, d);
	}
	st = gt_backend_known(d->be);
done:
	return st;
}

gt_status gt_chunked_download_begin(gt_chunked_download *d, const gt_array *x, float *host)
{
	gt_status st = GT_OK;
	GT_TRY(gt_chunked_download_step(d, SIZE_MAX));
	d->x = x;
	d->host = host;
	d->all = gt_chunked_download_chunks(gt_array_size(x));
	d->asked = d->done = 0;
	GT_TRY(ask(d));
done:
	return st;
}
