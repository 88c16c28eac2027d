#ifndef GT_RECON_OBJECT_MASK_H
#define GT_RECON_OBJECT_MASK_H
/* Voxels of the object, as a list or a mask. */
#include <gantry/grid.h>
#include <gantry/scan.h>
#include <gantry/threads.h>

typedef struct {
	size_t voxels;                  /* in `at` */
	size_t *at;                     /* indices, ascending; owned */
	int like_water;                 /* 1: they are similar to water; 0: none is, they are any object */
} gt_object_voxels;
/* A part of the grid along x and y: first voxel and number; 0: all. */
typedef struct { size_t first[2], voxels[2]; } gt_object_region;
/* x: mm^-1, [z][y][x]. pool: NULL: one thread. region: only its blocks count, on any grid
 * around it; NULL: the grid. If there are none, all voxels are listed. Call gt_object_voxels_free() in any case. */
gt_status gt_object_voxels_find(gt_pool *pool, const gt_grid *grid, const gt_object_region *region, const gt_scan *scan, const float *x,
                                double water, gt_object_voxels *object);
void gt_object_voxels_free(gt_object_voxels *object);

/* Marks the object: mask[z][y][x] is 1 for voxels inside the field of view whose neighbourhood is within a quarter of
 * water. Neighbourhoods are blocks of 8 mm, or of a thirtieth of the field of view if that is less. Voxels at the
 * borders of the object are excluded. Without such voxels, the neighbourhood must be above a tenth of the densest
 * one; else the mask is 1 everywhere. x: mm^-1, [z][y][x]. *like_water (may be NULL): 1 in the first case. */
gt_status gt_object_mask(const gt_grid *grid, const float *x, const gt_scan *scan, double water, unsigned char *mask, int *like_water);
#endif
