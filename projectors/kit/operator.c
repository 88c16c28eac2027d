/* Size checks and table upload for the operators of all projectors with tables. Memory: the tables. */
#include <limits.h>
#include "projectors/kit/operator.h"

gt_status gt_projector_check_sizes(const char *name, const gt_grid *g, const gt_scan *scan)
{
	for (int a = 0; a < 3; a++)
		if (g->n[a] > INT_MAX / 4)
			return gt_fail(GT_ERR_UNSUPPORTED, "%s: %zu voxels along one axis: expected at most %d", name, g->n[a],
			               INT_MAX / 4);
	if (scan->rows > INT_MAX / 4 || scan->columns > INT_MAX / 4)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: a detector of %zu x %zu pixels: expected at most %d each way", name, scan->columns,
		               scan->rows, INT_MAX / 4);
	return GT_OK;
}

void *gt_projector_upload(gt_backend *be, const void *host, size_t bytes, const char *what)
{
	void *p = gt_backend_alloc(be, bytes, what);
	if (p)
		gt_backend_put(be, host, p, bytes);
	return p;
}
