#ifndef GT_REGULARIZERS_HALO_H
#define GT_REGULARIZERS_HALO_H
/* Inside this room: a member's slices of a volume that a team shares, with the one below and the one above, which
 * others own. Rooms hold them dense: one slice below, also at the lower end of the volume, where it is nobody's;
 * those of the member; one above, where there is one. */
#include <gantry/grid.h>
#include "core/team/share.h"

struct gt_halo {
	gt_backend *be;
	gt_type type;
	size_t plane;                   /* voxels of a slice */
	size_t slices;                  /* of the volume */
	gt_range own;                   /* of these */
	int lower, upper;               /* members that own the slices below and above; -1: none */
};
void gt_halo_open(struct gt_halo *h, gt_backend *be, gt_type type, const gt_grid *grid);
gt_status gt_halo_room(const struct gt_halo *h, gt_array **room);
/* Slices from the lowest that is somebody's to the uppermost; and where these begin in a room. */
size_t gt_halo_slices(const struct gt_halo *h);
void  *gt_halo_begin (const struct gt_halo *h, const gt_array *room);
/* Slices that count here among these: those of the member. */
void   gt_halo_counts(const struct gt_halo *h, size_t *from, size_t *end);
/* A member's x with its neighbours into a room; the neighbours' slices of rooms that hold the member's. All
 * members call these. */
void   gt_halo_fetch  (const struct gt_halo *h, const gt_array *x, gt_array *room);
void   gt_halo_refresh(const struct gt_halo *h, gt_array *const *rooms, size_t n);
/* y += what a room has of the member's slices; y = that. */
void   gt_halo_add (const struct gt_halo *h, const gt_array *room, gt_array *y);
void   gt_halo_take(const struct gt_halo *h, const gt_array *room, gt_array *y);
/* What a room has of the member's slices as a part of the volume that the team shares; lives as long as the room. */
gt_status gt_halo_shared(const struct gt_halo *h, const gt_array *room, gt_array **shared);
#endif
