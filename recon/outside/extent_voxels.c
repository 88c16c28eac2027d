/* Voxels of a region in a wider grid: slice by slice by the host, so that every rank of a team takes part. */
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "recon/z_margin.h"

int gt_recon_extent_is_wider(const gt_recon_extent *e) { return e->grid.n[0] != e->asked->n[0] || e->grid.n[1] != e->asked->n[1]; }

/* Copies the rows of a slice, of n voxels each. */
static void copy_rows(const float *from, size_t from_stride, float *to, size_t to_stride, size_t n, size_t rows)
{
	for (size_t y = 0; y < rows; y++)
		memcpy(to + y * to_stride, from + y * from_stride, n * sizeof *to);
}

/* From the array to out, or if that is NULL, from in to the array. */
static gt_status exchange(const gt_recon_extent *e, const float *in, float *out, const gt_array *x)
{
	const size_t *n = e->asked->n, plane = n[0] * n[1], wide = e->grid.n[0];
	float *slice = malloc(wide * e->grid.n[1] * sizeof *slice), *region = slice + e->left[1] * wide + e->left[0];
	gt_backend *be = gt_array_backend(x);
	gt_array *part = NULL;
	gt_status st = GT_OK;
	if (!slice)
		return gt_fail(GT_ERR_MEMORY, "no memory for a slice of %zu voxels", wide * e->grid.n[1]);
	for (size_t z = 0; z < n[2]; z++) {
		GT_TRY(gt_slices_part(x, &e->grid, e->below + z, 1, &part));
		gt_array_get_float(part, slice);
		GT_TRY(gt_backend_status(be));
		if (out) {
			copy_rows(region, wide, out + z * plane, n[0], n[0], n[1]);
		} else {
			copy_rows(in + z * plane, n[0], region, wide, n[0], n[1]);
			gt_array_put_float(slice, part);
			GT_TRY(gt_backend_status(be));
		}
		gt_array_free(part);
		part = NULL;
	}
done:
	gt_array_free(part);
	free(slice);
	return st;
}

gt_status gt_recon_extent_get(const gt_recon_extent *e, const gt_array *x, float *out) { return exchange(e, NULL, out, x); }

gt_status gt_recon_extent_put(const gt_recon_extent *e, const float *in, gt_array *x)
{
	return gt_backend_is_dry_run(gt_array_backend(x)) ? GT_OK : exchange(e, in, NULL, x);
}
