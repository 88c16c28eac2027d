/* The pair for tilted detectors in double precision, the reference, for any processor. Memory: see dd_tilt.c. */
#define GT_DD_DOUBLE
#define GT_DD_KERNELS gt_dd_tilt_any_double
#define GT_DD_KERNELS_NAME "any"
#include "projectors/dd/tilt/dd_tilt_kernels.inc"
