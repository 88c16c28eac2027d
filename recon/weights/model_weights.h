#ifndef GT_RECON_MODEL_WEIGHTS_H
#define GT_RECON_MODEL_WEIGHTS_H
/* Weights of the data by inverse variance, including the discretisation error of voxels and pixels.
 * docs/regularizers.md, "Weights that know the model", has formulas and figures. */
#include <gantry/grid.h>
#include "recon/noise/noise_estimate.h"

/* Widths of a voxel's projection in pixels, along columns [0] and rows [1], as a box of equal variance: RMS over the
 * views. 0 if the centre of the grid is behind the source. */
void gt_voxel_shadow(const gt_scan *scan, const gt_grid *grid, double width[2]);
/* Views per rotation over pi/2 times the width of the object's projection in pixels, or in voxels if these are wider.
 * Below 1 views are too few to determine all voxels. INFINITY: no object. */
double gt_view_sampling(const gt_projections *p, const double width[2]);
/* Model error. `slope` is a fraction of the slope of the projections at a ray, from differences of neighbouring
 * pixels. `even` applies to all rays: a fraction of the RMS slope weighted by the line integrals. `noise` does too: a
 * fraction of the variance of the noise, geometric mean over the rays, weighted likewise. */
typedef struct { double slope, even, noise; } gt_model_error;
gt_model_error gt_model_error_of(const double width[2], double sampling);
/* w[view][row][column] = 1/(noise + (error.slope g)^2 + error.even^2 <g^2> + error.noise <noise>), scaled to the
 * mean 1; 0 if the noise model has no variance. *factor: the divisor. *error is changed: `even` includes the last
 * part, `noise` is 0, and the weights would be the same. Without slopes `noise` has no effect. GT_ERR_ARG: all are 0,
 * or line integrals are not finite. */
gt_status gt_model_weights(gt_pool *pool, const gt_noise_model *noise, const gt_projections *p, gt_model_error *error, float *w,
                           double *factor);
#endif
