/* Checks a walk through textures and runs it on the device of the backend. */
#include "analytic/fbp/back/published/texture_walk.h"
#include "core/arguments.h"
#include "core/try.h"

static const struct gt_texture_walk_impl *const impls[GT_NBACKENDS] = { NULL, GT_IF_CUDA(&gt_texture_walk_cuda) };

gt_status gt_texture_walk(gt_backend *be, const struct gt_texture_walk *w, double *seconds)
{
	gt_status st;
	GT_NEED(be);
	GT_NEED(w);
	GT_NEED(seconds);
	const struct gt_texture_walk_impl *impl = impls[be->kind];
	if (!impl)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: fetches of textures need a GPU", be->name);
	if (!w->columns || !w->rows || !w->layers || w->layers > impl->max_layers)
		return gt_fail(GT_ERR_UNSUPPORTED, "textures: found %zu layers of %zu x %zu texels: expected 1 to %zu layers with texels",
		               w->layers, w->columns, w->rows, impl->max_layers);
	gt_backend_lock(be);
	st = impl->run(be, w, seconds);
	gt_backend_unlock(be);
	return st;
}
