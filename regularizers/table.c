/* Every regularizer, one line each, and the one door through which penalties are made. */
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/device/backend.h"
#include "core/try.h"

#define REGULARIZERS(X) X(qggmrf) X(huber) X(hyperbola) X(fair) X(logcosh) X(quadratic) X(tv)

#define DECLARE(name) extern const gt_regularizer gt_regularizer_##name;
#define LIST(name) &gt_regularizer_##name,
REGULARIZERS(DECLARE)
const gt_regularizer *const gt_regularizers[] = { REGULARIZERS(LIST) NULL };

static const gt_regularizer *find(const char *name, size_t length)
{
	for (const gt_regularizer *const *r = gt_regularizers; *r; r++)
		if (strlen((*r)->name) == length && !strncmp((*r)->name, name, length))
			return *r;
	return NULL;
}

const gt_regularizer *gt_regularizer_find(const char *name) { return find(name, strlen(name)); }

gt_status gt_regularizer_new(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, const gt_array *kappa, gt_penalty **R)
{
	const size_t length = strcspn(spec, ":");
	const gt_regularizer *r = find(spec, length);
	void *options = NULL;
	gt_status st = GT_OK;
	if (!r)
		return gt_fail(GT_ERR_UNKNOWN, "unknown penalty '%.*s'", (int)length, spec);
	GT_TRY(gt_params_new(r->params, spec[length] ? spec + length + 1 : NULL, r->defaults, r->options_size, &options));
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
