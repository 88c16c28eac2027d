/* The pair for tilted detectors in single precision for x86-64 with AVX-512 (compiler options: CMakeLists.txt). Memory:
 * see dd_tilt.c. */
#ifdef GT_X86_KERNELS
#define GT_DD_KERNELS gt_dd_tilt_avx512
#define GT_DD_KERNELS_NAME "avx512"
#include "projectors/dd/tilt/dd_tilt_kernels.inc"
#else
typedef int gt_dd_tilt_no_avx512;
#endif
