#ifndef GT_REGULARIZERS_HALO_H
#define GT_REGULARIZERS_HALO_H
/* Inside this room: a member's slices of a volume that a team shares, with those below and above, up to `reach`, which
 * others own, be it one of them or several. Rooms hold them dense: the slices below, those of the member, those above;
 * rooms of several fields hold that for each field. */
#include <gantry/grid.h>
#include "core/team/partition.h"

struct gt_halo {
	gt_backend *be;
	gt_type type;
	size_t plane;                   /* voxels of a slice */
	size_t slices;                  /* of the volume */
	size_t reach;
	gt_range own;                   /* of these */
	size_t below, above;            /* slices of others, as many as there are */
	size_t lead;                    /* slices of a room before the member's: below, or more, which are nobody's */
};
void gt_halo_open(struct gt_halo *h, gt_backend *be, gt_type type, const gt_grid *grid, size_t reach);
/* All 0. */
gt_status gt_halo_room(const struct gt_halo *h, size_t fields, gt_array **room);
/* Voxels of a field of a room. */
size_t gt_halo_apart(const struct gt_halo *h);
/* Slices from the lowest that is somebody's to the uppermost; and where these begin in a room. */
size_t gt_halo_slices(const struct gt_halo *h);
void  *gt_halo_begin (const struct gt_halo *h, const gt_array *room);
/* Slices that count here among these: those of the member. */
void   gt_halo_counts(const struct gt_halo *h, size_t *from, size_t *end);
/* A member's x with its neighbours into a room, each of several volumes into a field of its own; the neighbours' slices
 * of rooms that hold the member's. All members call these. */
void   gt_halo_fetch  (const struct gt_halo *h, const gt_array *x, gt_array *room);
void   gt_halo_refresh(const struct gt_halo *h, gt_array *const *rooms, size_t n);
/* What a room has of the member's slices, in its first field; what is here of a shared array: arrays of their own. */
gt_array gt_halo_own  (const struct gt_halo *h, const gt_array *room);
gt_array gt_halo_local(const gt_array *x);
/* y += what a room has of the member's slices; y = that: of as many fields as y has volumes. */
void   gt_halo_add (const struct gt_halo *h, const gt_array *room, gt_array *y);
void   gt_halo_take(const struct gt_halo *h, const gt_array *room, gt_array *y);
/* What a room has of the member's slices as a part of what the team shares, from field `first` on; lives as long as
 * the room. */
gt_status gt_halo_shared(const struct gt_halo *h, const gt_array *room, size_t first, gt_array **shared);
#endif
