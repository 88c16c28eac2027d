#ifndef GT_RECON_NOISE_DIFFERENCES_H
#define GT_RECON_NOISE_DIFFERENCES_H
/* How noisy projections are, by differences of neighbouring pixels. */
#include "recon/noise/noise_estimate.h"

/* *scale: by how much the variances of `unit` must be multiplied to be those of p, of which it is a model;
 * INFINITY: too few neighbouring pixels were measured. GT_ERR_MEMORY. */
gt_status gt_noise_of_differences(const gt_noise_model *unit, const gt_projections *p, gt_pool *pool, double *scale);
#endif
