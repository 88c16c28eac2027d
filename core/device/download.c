/* Downloads concurrent with the queue. The CPU's "device" is the host: a plain copy. */
#include <stdlib.h>
#include <string.h>
#include "core/device/download.h"
#include "core/device/download_impl.h"
#include "core/arguments.h"
#include "core/try.h"

static const struct gt_download_impl *const impls[GT_NBACKENDS] = { NULL, GT_IF_CUDA(&gt_download_cuda) };

struct gt_download {
	gt_backend *be;
	const struct gt_download_impl *impl; /* NULL: the CPU */
	void *state;
};

gt_status gt_download_new(gt_backend *be, gt_download **out)
{
	GT_NEED(be);
	GT_NEED(out);
	gt_status st = GT_OK;
	gt_download *d = calloc(1, sizeof *d);
	if (!d)
		return gt_fail(GT_ERR_MEMORY, "no memory for downloads");
	d->be = gt_backend_hold(be);
	d->impl = impls[be->kind];
	if (d->impl)
		GT_TRY(d->impl->open(be, &d->state));
	*out = d;
done:
	if (st != GT_OK)
		gt_download_free(d);
	return st;
}

void gt_download_free(gt_download *d)
{
	if (!d)
		return;
	gt_backend *be = d->be;
	gt_backend_lock(be);
	if (d->state)
		d->impl->close(d->state);
	gt_backend_unlock(be);
	free(d);
	gt_backend_let_go(be);
}

static void get(gt_download *d, const gt_array *x, void *host, int is_complete)
{
	const size_t bytes = gt_array_bytes(x);
	gt_backend_lock(d->be);
	if (d->be->status == GT_OK && !d->be->dry_run) {
		d->be->count.gets++;
		d->be->count.get_bytes += bytes;
		if (d->impl)
			(is_complete ? d->impl->take : d->impl->get)(d->state, x->data, host, bytes);
		else
			memcpy(host, x->data, bytes);
	}
	gt_backend_unlock(d->be);
}

void gt_download_get(gt_download *d, const gt_array *x, void *host) { get(d, x, host, 0); }
void gt_download_take(gt_download *d, const gt_array *x, void *host) { get(d, x, host, 1); }

void gt_download_wait(gt_download *d)
{
	gt_backend_lock(d->be);
	if (d->impl)
		d->impl->wait(d->state);
	gt_backend_unlock(d->be);
}
