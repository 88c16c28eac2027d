#ifndef GT_PREPARE_IMAGES_H
#define GT_PREPARE_IMAGES_H
/* Reconstruction and projection for steps that inspect an image of the object; private to prepare/. */
#include <gantry/array.h>
#include "prepare/step.h"

/* Reconstructs out[z][y][x] by the direct method that fits the scan. */
gt_status gt_prepare_image(gt_backend *be, const gt_scan *scan, const float *values, const gt_grid *grid, float *out);
/* Projects an image to out[view][row][column] by an exact projector. */
gt_status gt_prepare_project(gt_backend *be, const gt_scan *scan, const gt_grid *grid, const float *image, float *out);
/* The default grid of the scan, coarsened to at most `side` voxels along a side. */
gt_status gt_prepare_grid(const gt_scan *scan, size_t side, gt_grid *grid);
/* Smooths with the weights 1 2 1 along each axis, a Gaussian of 0.7 voxels. */
void gt_prepare_smooth(const gt_grid *grid, gt_pool *pool, float *image);
/* Opens the backend of steps that reconstruct: o->backend, else "auto". */
gt_status gt_prepare_backend(const gt_prepare_call *c, gt_backend **be);
/* Returns the error of opening that backend. */
gt_status gt_prepare_backend_check(const char *name);

#endif
