#ifndef GT_RECON_NOISE_DIFFERENCES_H
#define GT_RECON_NOISE_DIFFERENCES_H
/* Noise of projections from differences of neighbouring pixels. */
#include "recon/noise/noise_estimate.h"

/* *scale: factor from the variances of `unit` to the variances of p, which it models; INFINITY: too few neighbouring
 * pixels were measured. GT_ERR_MEMORY. */
gt_status gt_noise_of_differences(const gt_noise_model *unit, const gt_projections *p, gt_pool *pool, double *scale);
#endif
