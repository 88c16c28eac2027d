/* Joseph's pair in single precision for any processor, with vectors of 4. Memory: see joseph_single.c. */
#define GT_JOSEPH_KERNELS gt_joseph_single_any
#define GT_JOSEPH_KERNELS_NAME "any"
#include "projectors/ray/fast/joseph_single_kernels.inc"
