/* The pair in single precision for any processor, with vectors of 4. Memory: see dd_single.c. */
#define GT_DD_KERNELS gt_dd_single_any
#define GT_DD_KERNELS_NAME "any"
#include "projectors/dd/fast/dd_single_kernels.inc"
