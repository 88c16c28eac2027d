/* Voxels of the requested grid in a wider or narrower one: slice by slice by the host, so that all ranks take part. */
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "recon/z_margin.h"

int gt_recon_extent_differs(const gt_recon_extent *e) { return e->grid.n[0] != e->asked->n[0] || e->grid.n[1] != e->asked->n[1]; }

/* Rows of the voxels that both grids have, in a slice of each. */
typedef struct {
	size_t n, rows;         /* voxels of a row, number of rows */
	size_t asked, computed; /* first voxel in a slice of `asked` and of `grid` */
} common_rows;

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static common_rows common_of(const gt_recon_extent *e)
{
	const size_t *asked = e->asked->n, *computed = e->grid.n;
	return (common_rows){ smaller(asked[0], computed[0]), smaller(asked[1], computed[1]), e->cut[1] * asked[0] + e->cut[0],
		              e->left[1] * computed[0] + e->left[0] };
}

static void copy_rows(const float *from, size_t from_stride, float *to, size_t to_stride, const common_rows *c)
{
	for (size_t y = 0; y < c->rows; y++)
		memcpy(to + y * to_stride, from + y * from_stride, c->n * sizeof *to);
}

/* A slice of the array from or to the host, by way of `slice`, a buffer for a slice of e->grid. in: NULL to read. A
 * process that keeps no volume passes NULL as out, too. */
static gt_status exchange_slice(const gt_recon_extent *e, const float *in, float *out, const gt_array *x, size_t z, float *slice)
{
	const common_rows c = common_of(e);
	const size_t asked = e->asked->n[0], computed = e->grid.n[0];
	gt_backend *be = gt_array_backend(x);
	gt_array *part = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_slices_part(x, &e->grid, e->below + z, 1, &part));
	gt_array_get_float(part, slice);
	GT_TRY(gt_backend_status(be));
	if (in) {
		copy_rows(in + c.asked, asked, slice + c.computed, computed, &c);
		gt_array_put_float(slice, part);
		GT_TRY(gt_backend_status(be));
	} else if (out) {
		memset(out, 0, asked * e->asked->n[1] * sizeof *out);
		copy_rows(slice + c.computed, computed, out + c.asked, asked, &c);
	}
done:
	gt_array_free(part);
	return st;
}

/* Requested slices first to end - 1: from in to the array, or if that is NULL, from the array to out. */
static gt_status exchange(const gt_recon_extent *e, const float *in, float *out, const gt_array *x, size_t first, size_t end)
{
	const size_t plane = e->asked->n[0] * e->asked->n[1], computed = e->grid.n[0] * e->grid.n[1];
	float *slice = malloc(computed * sizeof *slice);
	gt_status st = slice ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a slice of %zu voxels", computed);
	for (size_t z = first; z < end && st == GT_OK; z++)
		st = exchange_slice(e, in ? in + (z - first) * plane : NULL, out ? out + (z - first) * plane : NULL, x, z, slice);
	free(slice);
	return st;
}

gt_status gt_recon_extent_get(const gt_recon_extent *e, const gt_array *x, float *out)
{
	return exchange(e, NULL, out, x, 0, e->asked->n[2]);
}

gt_status gt_recon_extent_slice(const gt_recon_extent *e, const gt_array *x, size_t z, float *out)
{
	return exchange(e, NULL, out, x, z, z + 1);
}

gt_status gt_recon_extent_put(const gt_recon_extent *e, const float *in, gt_array *x)
{
	return gt_backend_is_dry_run(gt_array_backend(x)) ? GT_OK : exchange(e, in, NULL, x, 0, e->asked->n[2]);
}
