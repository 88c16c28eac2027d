#ifndef GT_RECON_WEIGHTS_WEIGHT_MASK_H
#define GT_RECON_WEIGHTS_WEIGHT_MASK_H
#include <gantry/data.h>

/* Returns the weights of p if they are a mask, else NULL. In a mask, more than half of the weights that are not 0 are
 * exactly 1 or GT_INTERPOLATED_WEIGHT; smaller ones than 1 mark pixels that a correction interpolated. Only rays of at
 * least the mean line integral count. A mask multiplies the inverse variances of its pixels, and does not state the
 * variances of the others. At most 2^18 weights are sampled. */
const float *gt_projections_mask(const gt_projections *p);
/* GT_ERR_ARG counts weights that are negative or not finite, and names the first one. mask: of all pixels of p, or
 * NULL. */
gt_status    gt_projections_mask_check(const gt_projections *p, const float *mask);

#endif
