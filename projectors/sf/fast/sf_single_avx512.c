/* SF-TR in single precision for x86-64 with AVX-512 (compiler options: CMakeLists.txt). Memory: see sf_single.c. */
#ifdef GT_X86_KERNELS
#define GT_SF_KERNELS gt_sf_single_avx512
#define GT_SF_KERNELS_NAME "avx512"
#include "projectors/sf/fast/sf_single_kernels.inc"
#else
typedef int gt_sf_single_no_avx512;
#endif
