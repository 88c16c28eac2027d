/* The pair for tilted detectors in single precision for any processor, with vectors of 4. Memory: see dd_tilt.c. */
#define GT_DD_KERNELS gt_dd_tilt_any
#define GT_DD_KERNELS_NAME "any"
#include "projectors/dd/tilt/dd_tilt_kernels.inc"
