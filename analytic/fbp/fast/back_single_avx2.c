/* Backprojection in single precision for x86-64 with AVX2 and FMA: CMakeLists.txt has the options.
 * Memory: see back_single.c. */
#ifdef GT_X86_KERNELS
#define GT_BACK_KERNELS gt_back_single_avx2
#define GT_BACK_KERNELS_NAME "avx2"
#include "analytic/fbp/fast/back_single_kernels.inc"
#else
typedef int gt_back_single_no_avx2;
#endif
