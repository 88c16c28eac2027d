/* Uploads concurrent with the queue. The CPU's "device" is the host: one block, filled by plain copies. */
#include <stdlib.h>
#include <string.h>
#include "core/device/upload.h"
#include "core/device/upload_impl.h"
#include "core/arguments.h"
#include "core/try.h"

struct gt_upload {
	gt_backend *be;
	const struct gt_upload_impl *impl; /* NULL: the CPU */
	void *state, *block[GT_UPLOAD_BLOCKS];
	size_t bytes, blocks, now;
};

gt_status gt_upload_new(gt_backend *be, size_t bytes, gt_upload **out)
{
	GT_NEED(be);
	GT_NEED(out);
	gt_status st = GT_OK;
	gt_upload *u = calloc(1, sizeof *u);
	if (!u)
		return gt_fail(GT_ERR_MEMORY, "no memory for uploads");
	u->be = gt_backend_hold(be);
	u->impl = gt_upload_impls[be->kind];
	u->bytes = bytes;
	u->blocks = u->impl ? GT_UPLOAD_BLOCKS : 1;
	for (size_t b = 0; b < u->blocks; b++)
		if (!(u->block[b] = gt_backend_alloc(be, bytes, "uploads"))) {
			st = GT_ERR_MEMORY;
			goto done;
		}
	if (u->impl)
		GT_TRY(u->impl->open(be, &u->state));
	*out = u;
done:
	if (st != GT_OK)
		gt_upload_free(u);
	return st;
}

void gt_upload_free(gt_upload *u)
{
	if (!u)
		return;
	gt_backend *be = u->be;
	gt_backend_lock(be);
	if (u->state)
		u->impl->close(u->state);
	for (size_t b = 0; b < u->blocks; b++)
		gt_backend_free(be, u->block[b], u->bytes);
	gt_backend_unlock(be);
	free(u);
	gt_backend_let_go(be);
}

void gt_upload_put(gt_upload *u, const void *host, size_t offset, size_t bytes)
{
	char *to = (char *)u->block[u->now] + offset;
	gt_backend_lock(u->be);
	if (u->be->status == GT_OK) {
		u->be->count.puts++;
		u->be->count.put_bytes += bytes;
		if (u->impl)
			u->impl->put(u->state, u->now, host, to, bytes);
		else
			memcpy(to, host, bytes);
	}
	gt_backend_unlock(u->be);
}

void gt_upload_wait(gt_upload *u)
{
	gt_backend_lock(u->be);
	if (u->impl)
		u->impl->wait(u->state);
	gt_backend_unlock(u->be);
}

const void *gt_upload_block(gt_upload *u)
{
	gt_backend_lock(u->be);
	if (u->impl)
		u->impl->ready(u->state);
	gt_backend_unlock(u->be);
	return u->block[u->now];
}

void gt_upload_turn(gt_upload *u)
{
	gt_backend_lock(u->be);
	if (u->impl)
		u->impl->used(u->state, u->now);
	gt_backend_unlock(u->be);
	u->now = (u->now + 1) % u->blocks;
}
