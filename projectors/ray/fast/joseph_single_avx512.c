/* Joseph's pair in single precision for x86-64 with AVX-512 (compiler options: CMakeLists.txt). Memory: see
 * joseph_single.c. */
#ifdef GT_X86_KERNELS
#define GT_JOSEPH_KERNELS gt_joseph_single_avx512
#define GT_JOSEPH_KERNELS_NAME "avx512"
#include "projectors/ray/fast/joseph_single_kernels.inc"
#else
typedef int gt_joseph_single_no_avx512;
#endif
