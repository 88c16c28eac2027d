/* Helical backprojection in single precision for x86-64 with AVX2 and FMA: CMakeLists.txt has the options.
 * Memory: none. */
#ifdef GT_X86_KERNELS
#define GT_WFBP_KERNELS gt_wfbp_single_avx2
#define GT_WFBP_KERNELS_NAME "avx2"
#include "analytic/wfbp/fast/wfbp_single_kernels.inc"
#else
typedef int gt_wfbp_single_no_avx2;
#endif
