/* Copies a block of rows of an array at once. */
#include "core/device/backend.h"

gt_status gt_array_get_rows(const gt_array *a, const gt_array_rows *r, float *host)
{
	const size_t n = r->run * r->rows, bytes = n * sizeof *host;
	if (!a || a->tag != GT_IS_ARRAY || a->shared || !n || r->first + (r->rows - 1) * r->stride + r->run > a->n)
		return gt_fail(GT_ERR_ARG, "rows of an array: expected a range within an array that is not shared");
	gt_backend_catch_up(a->be);
	if (a->be->kind == GT_CPU || a->be->dry_run) {
		a->be->ops->rows(a->be, a->type, a->data, r, host);
		return GT_OK;
	}
	float *some = gt_backend_alloc(a->be, bytes, "slices");
	if (!some)
		return GT_ERR_MEMORY;
	a->be->ops->rows(a->be, a->type, a->data, r, some);
	gt_backend_get(a->be, some, host, bytes);
	gt_backend_free(a->be, some, bytes);
	return GT_OK;
}
