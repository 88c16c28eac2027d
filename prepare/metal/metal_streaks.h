#ifndef GT_PREPARE_METAL_STREAKS_H
#define GT_PREPARE_METAL_STREAKS_H
/* Streaks of metal in an image; private to prepare/. */
#include "prepare/step.h"

/* Adds the neighbours of the metal along each axis. metal: [z][y][x], 1 or 0. */
void gt_metal_widen(const gt_grid *grid, unsigned char *metal);
/* *ratio: streaks of `after`, an image of the corrected projections, over those of `before`. Both are changed. Rays
 * through dense parts that are consistent with the others cause no streaks, and their interpolation adds some. */
gt_status gt_metal_streak_ratio(const gt_grid *grid, gt_pool *pool, const unsigned char *metal, float *before, float *after,
                                double *ratio);

#endif
