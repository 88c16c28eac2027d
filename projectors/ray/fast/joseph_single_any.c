/* Joseph's pair in single precision for any processor: vectors of 4, which all that matter have. Memory: see
 * joseph_single.c. */
#define GT_JOSEPH_KERNELS gt_joseph_single_any
#define GT_JOSEPH_KERNELS_NAME "any"
#include "projectors/ray/fast/joseph_single_kernels.inc"
