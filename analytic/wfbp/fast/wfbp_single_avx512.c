/* Helical backprojection in single precision for x86-64 with AVX-512: CMakeLists.txt has the options.
 * Memory: none. */
#ifdef GT_X86_KERNELS
#define GT_WFBP_KERNELS gt_wfbp_single_avx512
#define GT_WFBP_KERNELS_NAME "avx512"
#include "analytic/wfbp/fast/wfbp_single_kernels.inc"
#else
typedef int gt_wfbp_single_no_avx512;
#endif
