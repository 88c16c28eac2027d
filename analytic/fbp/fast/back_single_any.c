/* Backprojection in single precision for any processor: vectors of 4. Memory: see back_single.c. */
#define GT_BACK_KERNELS gt_back_single_any
#define GT_BACK_KERNELS_NAME "any"
#include "analytic/fbp/fast/back_single_kernels.inc"
