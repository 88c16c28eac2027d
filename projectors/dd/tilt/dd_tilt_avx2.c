/* The pair for tilted detectors in single precision for x86-64 with AVX2 and FMA (compiler options: CMakeLists.txt).
 * Memory: see dd_tilt.c. */
#ifdef GT_X86_KERNELS
#define GT_DD_KERNELS gt_dd_tilt_avx2
#define GT_DD_KERNELS_NAME "avx2"
#include "projectors/dd/tilt/dd_tilt_kernels.inc"
#else
typedef int gt_dd_tilt_no_avx2;
#endif
