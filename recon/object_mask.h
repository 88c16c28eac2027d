#ifndef GT_RECON_OBJECT_MASK_H
#define GT_RECON_OBJECT_MASK_H
/* Where in a volume the body is, and where it is like water. */
#include <gantry/grid.h>
#include <gantry/scan.h>

typedef struct {
	size_t voxels;                  /* in `at` */
	size_t *at;                     /* indices, ascending; owned */
	int water;                      /* 1: they are like water; 0: no such place, they are body of any kind */
} gt_object_mask;
/* Voxels within what the scan covers and away from borders of the body, by means over blocks, so that noise does not decide. x: mm^-1. */
gt_status gt_object_mask_find(const gt_grid *grid, const gt_scan *scan, const float *x, double water, gt_object_mask *body);
void gt_object_mask_free(gt_object_mask *body);
#endif
