#ifndef GT_REGULARIZERS_HALO_H
#define GT_REGULARIZERS_HALO_H
/* Private to regularizers/. Local slices of a rank in a distributed volume, with a halo of up to `reach` slices below
 * and above from one or several ranks. Buffers hold halo below, local slices and halo above densely, for each field. */
#include <gantry/grid.h>
#include "core/partition/partition.h"

struct gt_halo {
	gt_backend *be;
	gt_type type;
	size_t plane;                   /* voxels of a slice */
	size_t slices;                  /* slices of the volume */
	size_t reach;
	gt_range own;                   /* local slices */
	size_t below, above;            /* available halo slices */
	size_t lead;                    /* slices of a buffer before the local ones: below, or more, which are unused */
};
void gt_halo_open(struct gt_halo *h, gt_backend *be, gt_type type, const gt_grid *grid, size_t reach);
/* Allocates a buffer of zeros. */
gt_status gt_halo_room(const struct gt_halo *h, size_t fields, gt_array **room);
/* Returns the voxels of a field of a buffer. */
size_t gt_halo_apart(const struct gt_halo *h);
/* Return the number of slices from the lowest used to the highest used one, and the offset of the first in a buffer. */
size_t gt_halo_slices(const struct gt_halo *h);
void  *gt_halo_begin (const struct gt_halo *h, const gt_array *room);
/* Returns the local range within these slices, for sums. */
void   gt_halo_counts(const struct gt_halo *h, size_t *from, size_t *end);
/* Collective. gt_halo_fetch() copies local x and its halo into a buffer, each volume into a field. Then
 * gt_halo_refresh() updates the halo of buffers whose local slices are set. */
void   gt_halo_fetch  (const struct gt_halo *h, const gt_array *x, gt_array *room);
void   gt_halo_refresh(const struct gt_halo *h, gt_array *const *rooms, size_t n);
/* Views of the local slices in the first field of a buffer, and of the local part of a distributed array. */
gt_array gt_halo_own  (const struct gt_halo *h, const gt_array *room);
gt_array gt_halo_local(const gt_array *x);
/* Add to y, or store in y, the local slices of a buffer; the number of fields is that of y's volumes. */
void   gt_halo_add (const struct gt_halo *h, const gt_array *room, gt_array *y);
void   gt_halo_take(const struct gt_halo *h, const gt_array *room, gt_array *y);
/* Makes a distributed view of the local slices of a buffer, from field `first` on; it lives as long as the buffer. */
gt_status gt_halo_shared(const struct gt_halo *h, const gt_array *room, size_t first, gt_array **shared);
#endif
