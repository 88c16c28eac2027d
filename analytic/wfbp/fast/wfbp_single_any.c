/* Helical backprojection in single precision for any processor: vectors of 4.
 * Memory: none. */
#define GT_WFBP_KERNELS gt_wfbp_single_any
#define GT_WFBP_KERNELS_NAME "any"
#include "analytic/wfbp/fast/wfbp_single_kernels.inc"
