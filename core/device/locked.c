/* Page-locked host memory, which devices copy without the processor. */
#include <stdlib.h>
#include <gantry/array.h>
#include "core/device/locked.h"
#include "core/device/upload_impl.h"

const struct gt_upload_impl *const gt_upload_impls[GT_NBACKENDS] = { NULL, GT_IF_CUDA(&gt_upload_cuda) };

void *gt_locked_take(gt_backend *be, size_t bytes, const char *what)
{
	const struct gt_upload_impl *impl = gt_upload_impls[be->kind];
	if (gt_host_has_memory((double)bytes, what) != GT_OK)
		return NULL;
	gt_backend_lock(be);
	void *p = impl ? impl->lock(be, bytes) : malloc(bytes ? bytes : 1);
	gt_backend_unlock(be);
	if (!p)
		gt_fail(GT_ERR_MEMORY, "%s: no %zu bytes of %smemory", what, bytes, impl ? "page-locked " : "");
	return p;
}

void gt_locked_give(gt_backend *be, void *p)
{
	if (!p)
		return;
	const struct gt_upload_impl *impl = gt_upload_impls[be->kind];
	gt_backend_lock(be);
	if (impl)
		impl->unlock(be, p);
	else
		free(p);
	gt_backend_unlock(be);
}

void *gt_locked_new(gt_backend *be, size_t bytes, const char *what)
{
	void *p = gt_locked_take(be, bytes, what);
	if (p)
		gt_backend_hold(be);
	return p;
}

void gt_locked_free(gt_backend *be, void *p)
{
	if (!p)
		return;
	gt_locked_give(be, p);
	gt_backend_let_go(be);
}
