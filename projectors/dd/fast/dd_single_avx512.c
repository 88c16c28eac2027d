/* The pair in single precision for x86-64 with AVX-512 (compiler options: CMakeLists.txt). Memory: see dd_single.c. */
#ifdef GT_X86_KERNELS
#define GT_DD_KERNELS gt_dd_single_avx512
#define GT_DD_KERNELS_NAME "avx512"
#include "projectors/dd/fast/dd_single_kernels.inc"
#else
typedef int gt_dd_single_no_avx512;
#endif
