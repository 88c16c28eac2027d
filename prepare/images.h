#ifndef GT_PREPARE_IMAGES_H
#define GT_PREPARE_IMAGES_H
/* From projections to images and back, for steps that look at the body; private to prepare/. */
#include <gantry/array.h>
#include "prepare/step.h"

/* out: [z][y][x] of these line integrals, by the direct method that fits the scan. */
gt_status gt_prepare_image(gt_backend *be, const gt_scan *scan, const float *values, const gt_grid *grid, float *out);
/* out: [view][row][column], line integrals of that image by an exact projector. */
gt_status gt_prepare_project(gt_backend *be, const gt_scan *scan, const gt_grid *grid, const float *image, float *out);
/* The grid that fits the scan, of at most that many voxels along a side. */
gt_status gt_prepare_grid(const gt_scan *scan, size_t side, gt_grid *grid);
/* Means with the 26 (8) neighbours, weights 1 2 1 along each axis: a Gaussian of 0.7 voxels. */
void gt_prepare_smooth(const gt_grid *grid, gt_pool *pool, float *image);
/* The backend of steps that reconstruct: o->backend, else "auto". */
gt_status gt_prepare_backend(const gt_prepare_call *c, gt_backend **be);
/* Why it cannot be opened, also where no step would. */
gt_status gt_prepare_backend_check(const char *name);

#endif
