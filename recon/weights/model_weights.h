#ifndef GT_RECON_MODEL_WEIGHTS_H
#define GT_RECON_MODEL_WEIGHTS_H
/* Weights of the data by the inverse of a variance that also knows the error of the discrete model: that of voxels
 * and pixels, which have a width. docs/regularizers.md, "Weights that know the model", has formulas and figures. */
#include <gantry/grid.h>
#include "recon/noise/noise_estimate.h"

/* Widths of a voxel's shadow in pixels, along columns [0] and rows [1], as if it were a box of the same variance:
 * root mean square over the views. 0 where the middle of the grid is behind the source. */
void gt_voxel_shadow(const gt_scan *scan, const gt_grid *grid, double width[2]);
/* How far the model is off: a part of the slope of the projections at a ray, which is the difference to neighbouring
 * pixels, and for all rays alike a part of the slope that the projections have in the root mean square, weighted by
 * the line integrals. */
typedef struct { double slope, even; } gt_model_error;
gt_model_error gt_model_error_of(const double width[2]);
/* w[view][row][column] = 1/(noise + (error.slope g)^2 + error.even^2 <g^2>), with the mean 1; 0 where the noise model
 * has no variance. *factor: what they were divided by. GT_ERR_ARG: all are 0, or line integrals are not finite. */
gt_status gt_model_weights(gt_pool *pool, const gt_noise_model *noise, const gt_projections *p, const gt_model_error *error,
                           float *w, double *factor);
#endif
