/* Copies of large arrays from and to memory that is not page-locked, which drivers copy with one thread. Uses two
 * page-locked buffers: the device fills or empties one while all host threads copy from or to the other. The backend
 * keeps them, 32 MB in all. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/device/backend.h"
#include "core/device/download.h"
#include "core/device/locked.h"
#include "core/device/upload_impl.h"
#include "core/array/staged.h"
#include "core/try.h"

#define PIECE_BYTES GT_STAGED_BYTES
enum { PLACES = GT_STAGED_BUFFERS, GRAIN = 1 << 18 };
static_assert((int)PLACES == (int)GT_STAGED, "the backend keeps these buffers");

/* Byte i of the copy is byte i % block of the block at i / block * stride. */
struct copy {
	const char *from;
	char *to;
	size_t first, bytes, block, stride;
};

static void copy_part(void *self, size_t begin, size_t end, int worker)
{
	const struct copy *c = self;
	const size_t last = c->first + (end * GRAIN < c->bytes ? end * GRAIN : c->bytes);
	(void)worker;
	for (size_t i = c->first + begin * GRAIN, n; i < last; i += n) {
		const size_t rest = c->block - i % c->block;
		n = rest < last - i ? rest : last - i;
		memcpy(c->to + (i - c->first), c->from + i / c->block * c->stride + i % c->block, n);
	}
}

static void copy(gt_backend *be, struct copy c) { gt_parallel(gt_backend_pool(be), (c.bytes + GRAIN - 1) / GRAIN, 1, copy_part, &c); }

static gt_status get(const gt_array *a, char *host, gt_download *d, void *const buffer[PLACES])
{
	gt_backend *be = gt_array_backend(a);
	const size_t each = gt_type_size(gt_array_type(a)), max = PIECE_BYTES / each, all = gt_array_size(a);
	gt_array *part[PLACES] = { NULL, NULL };
	gt_status st = GT_OK;
	for (size_t k = 0; k * max < all + max; k++) {
		const size_t n = k * max < all ? all - k * max < max ? all - k * max : max : 0;
		gt_download_wait(d);
		if (n) {
			gt_array_free(part[k % PLACES]);
			part[k % PLACES] = NULL;
			GT_TRY(gt_array_part(a, k * max, n, &part[k % PLACES]));
			gt_download_get(d, part[k % PLACES], buffer[k % PLACES]);
		}
		if (!k)
			continue;
		const size_t bytes = gt_array_bytes(part[(k - 1) % PLACES]);
		copy(be, (struct copy){ buffer[(k - 1) % PLACES], host + (k - 1) * max * each, 0, bytes, bytes, 0 });
	}
done:
	gt_download_wait(d);
	for (int i = 0; i < PLACES; i++)
		gt_array_free(part[i]);
	return st;
}

static int has_buffers(gt_backend *be)
{
	for (int i = 0; i < PLACES; i++)
		if (!be->staged[i] && !(be->staged[i] = gt_locked_take(be, PIECE_BYTES, "chunks of an array")))
			return 0;
	return 1;
}

/* Returns 1 if the array has at least this number of chunks, is on a GPU that has not failed, and this is no dry
 * run. */
static int is_large(const gt_array *a, size_t pieces)
{
	gt_backend *be = gt_array_backend(a);
	return gt_backend_is_gpu(be) && gt_array_bytes(a) >= pieces * PIECE_BYTES && !gt_backend_is_dry_run(be) &&
	       gt_backend_known(be) == GT_OK;
}

/* The lock of the backend keeps other threads from the buffers. */
int gt_array_get_staged(const gt_array *a, void *host)
{
	gt_backend *be = gt_array_backend(a);
	gt_download *d = NULL;
	if (!is_large(a, 2))
		return 0;
	gt_backend_lock(be);
	const int done = has_buffers(be) && gt_download_new(be, &d) == GT_OK && get(a, host, d, be->staged) == GT_OK;
	gt_download_free(d);
	gt_backend_unlock(be);
	return done;
}

/* Copies in progress: all host threads fill a buffer while the device reads the other. */
struct gt_staged_upload {
	gt_backend *be;
	const struct gt_upload_impl *impl; /* NULL: the CPU */
	void *copies, *buffer[PLACES];
	size_t next; /* chunks so far */
};

/* Copies `all` bytes to the device. */
static void put(struct gt_staged_upload *u, struct copy c, size_t all, char *to)
{
	for (size_t i = 0; i < all; i += PIECE_BYTES) {
		c.first = i;
		c.bytes = all - i < PIECE_BYTES ? all - i : PIECE_BYTES;
		c.to = u->buffer[u->next++ % PLACES];
		copy(u->be, c);
		u->impl->wait(u->copies);
		u->impl->put(u->copies, 0, c.to, to + i, c.bytes);
		u->be->count.puts++;
		u->be->count.put_bytes += c.bytes;
	}
}

int gt_array_put_staged(const void *host, size_t block, size_t stride, gt_array *a)
{
	gt_backend *be = gt_array_backend(a);
	gt_staged_upload *u = NULL;
	if (!is_large(a, 1) || !gt_array_data(a))
		return 0;
	gt_backend_lock(be);
	const int can = gt_staged_upload_new(be, &u) == GT_OK;
	if (can) {
		u->impl->used(u->copies, 0); /* copies wait for the queue */
		put(u, (struct copy){ .from = host, .block = block, .stride = stride }, gt_array_bytes(a), gt_array_data(a));
	}
	gt_staged_upload_free(u);
	gt_backend_unlock(be);
	return can;
}

gt_status gt_staged_upload_new(gt_backend *be, gt_staged_upload **out)
{
	gt_status st = GT_OK;
	gt_staged_upload *u = calloc(1, sizeof *u);
	if (!u)
		return gt_fail(GT_ERR_MEMORY, "no memory for uploads");
	u->be = be;
	if (gt_backend_is_gpu(be) && !gt_backend_is_dry_run(be)) {
		GT_TRY(gt_staged_take(be, u->buffer));
		u->impl = gt_upload_impls[be->kind];
		GT_TRY(u->impl->open(be, &u->copies));
	}
	*out = u;
	u = NULL;
done:
	gt_staged_upload_free(u);
	return st;
}

void gt_staged_upload_free(gt_staged_upload *u)
{
	if (!u)
		return;
	gt_backend_lock(u->be);
	if (u->copies) {
		u->impl->wait(u->copies);
		u->impl->close(u->copies);
	}
	if (u->impl)
		gt_staged_give(u->be, u->buffer);
	gt_backend_unlock(u->be);
	free(u);
}

void gt_staged_upload_put(gt_staged_upload *u, const float *host, gt_array *part)
{
	const size_t bytes = gt_array_bytes(part);
	if (!u->impl || part->type != GT_F32) {
		gt_array_put_float(host, part);
		return;
	}
	gt_backend_lock(u->be);
	if (u->be->status == GT_OK)
		put(u, (struct copy){ .from = (const char *)host, .block = bytes }, bytes, part->data);
	gt_backend_unlock(u->be);
}

void gt_staged_upload_ready(gt_staged_upload *u)
{
	gt_backend_lock(u->be);
	if (u->impl)
		u->impl->ready(u->copies);
	gt_backend_unlock(u->be);
}

gt_status gt_staged_take(gt_backend *be, void *buffer[PLACES])
{
	gt_backend_lock(be);
	const int has = has_buffers(be);
	for (int i = 0; i < PLACES; i++) {
		buffer[i] = has ? be->staged[i] : NULL;
		if (has)
			be->staged[i] = NULL;
	}
	gt_backend_unlock(be);
	return has ? GT_OK : GT_ERR_MEMORY;
}

void gt_staged_give(gt_backend *be, void *buffer[PLACES])
{
	gt_backend_lock(be);
	for (int i = 0; i < PLACES; i++) {
		if (be->staged[i])
			gt_locked_give(be, buffer[i]);
		else
			be->staged[i] = buffer[i];
		buffer[i] = NULL;
	}
	gt_backend_unlock(be);
}
