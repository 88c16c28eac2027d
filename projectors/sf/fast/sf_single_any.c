/* SF-TR in single precision for any processor, with vectors of 4. Memory: see sf_single.c. */
#define GT_SF_KERNELS gt_sf_single_any
#define GT_SF_KERNELS_NAME "any"
#include "projectors/sf/fast/sf_single_kernels.inc"
