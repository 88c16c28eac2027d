/* The pair in single precision for x86-64 with AVX2 and FMA (compiler options: CMakeLists.txt). Memory: see
 * dd_single.c. */
#ifdef GT_X86_KERNELS
#define GT_DD_KERNELS gt_dd_single_avx2
#define GT_DD_KERNELS_NAME "avx2"
#include "projectors/dd/fast/dd_single_kernels.inc"
#else
typedef int gt_dd_single_no_avx2;
#endif
