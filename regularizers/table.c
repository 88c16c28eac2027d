/* Table of all regularizers, and the entry point that creates penalties. */
#include <stdlib.h>
#include <gantry/regularizer.h>
#include "core/device/backend.h"
#include "core/arguments.h"
#include "core/module.h"
#include "core/try.h"

#define REGULARIZERS(X) \
	X(qggmrf)       \
	X(huber)        \
	X(hyperbola) X(fair) X(logcosh) X(quadratic) X(tv) X(tgv) X(awtv) X(nltv) X(piccs) X(wavelet) X(joint_tv) X(low_rank) X(nlm)

#define DECLARE(name) extern const gt_regularizer gt_regularizer_##name;
#define LIST(name) &gt_regularizer_##name,
REGULARIZERS(DECLARE)
const gt_regularizer *const gt_regularizers[] = { REGULARIZERS(LIST) NULL };

static const gt_module *nth(size_t i) { return (const gt_module *)gt_regularizers[i]; }
const gt_module_kind gt_regularizer_kind = { "regularizer", "penalty", nth };

const gt_regularizer *gt_regularizer_find(const char *name) { return (const gt_regularizer *)gt_module_find(&gt_regularizer_kind, name); }

gt_status gt_regularizer_new(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, const gt_array *kappa, gt_penalty **R)
{
	GT_NEED(R);
	const gt_module *module;
	void *options;
	gt_status st = gt_module_parse_kind(&gt_regularizer_kind, spec, &module, &options);
	const gt_regularizer *r = (const gt_regularizer *)module;
	GT_TRY(st);
	GT_TRY(gt_grid_check(grid, NULL));
	if (kappa && (gt_array_size(kappa) != gt_grid_voxels(grid) || gt_array_type(kappa) != type || gt_array_backend(kappa) != be))
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: kappa has %zu values, expected %zu of the same precision on the same backend", r->name,
		               gt_array_size(kappa), gt_grid_voxels(grid)));
	GT_TRY(gt_backend_check(be));
	gt_backend_lock(be);
	st = r->make(be, type, grid, options, kappa, R);
	gt_backend_unlock(be);
done:
	free(options);
	return st;
}

gt_status gt_regularizer_new_joint(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, size_t volumes, gt_penalty **R)
{
	const gt_module *module;
	void *options;
	GT_NEED(R);
	gt_status st = gt_module_parse_kind(&gt_regularizer_kind, spec, &module, &options);
	GT_TRY(st);
	const gt_regularizer *r = (const gt_regularizer *)module;
	if (!r->make_joint)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "penalty '%s' is of one volume, not of %zu: expected joint-tv or low-rank", r->name,
		               volumes));
	if (volumes < 1 || volumes > 1024)
		GT_TRY(gt_fail(GT_ERR_ARG, "penalty '%s': %zu volumes: expected 1 to 1024", r->name, volumes));
	GT_TRY(gt_backend_check(be));
	GT_TRY(gt_grid_check(grid, NULL));
	gt_backend_lock(be);
	st = r->make_joint(be, type, grid, volumes, options, R);
	gt_backend_unlock(be);
done:
	free(options);
	return st;
}
