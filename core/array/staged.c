/* Copies of large arrays from and to memory that is not page-locked, which drivers copy with one thread. Uses two
 * page-locked buffers: one receives data while all host threads empty the other. Uploads use one, because the device
 * reads it faster than all threads fill it. The backend keeps them, 32 MB in all, because page-locking takes longer
 * than the copy. */
#include <string.h>
#include <gantry/array.h>
#include "core/device/backend.h"
#include "core/device/download.h"
#include "core/device/locked.h"
#include "core/array/staged.h"
#include "core/try.h"

#define PIECE_BYTES ((size_t)16 << 20)
enum { PLACES = GT_STAGED, GRAIN = 1 << 20 };

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

int gt_array_put_staged(const void *host, size_t block, size_t stride, gt_array *a)
{
	gt_backend *be = gt_array_backend(a);
	char *to = is_large(a, 1) ? gt_array_data(a) : NULL;
	if (!to)
		return 0;
	gt_backend_lock(be);
	const int has = has_buffers(be);
	for (size_t i = 0; has && i < gt_array_bytes(a); i += PIECE_BYTES) {
		const size_t rest = gt_array_bytes(a) - i, bytes = rest < PIECE_BYTES ? rest : PIECE_BYTES;
		copy(be, (struct copy){ host, be->staged[0], i, bytes, block, stride });
		gt_backend_put(be, be->staged[0], to + i, bytes);
	}
	gt_backend_unlock(be);
	return has;
}
