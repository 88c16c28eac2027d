#ifndef GT_CORE_DEVICE_ALLOW_SHARED_CUH
#define GT_CORE_DEVICE_ALLOW_SHARED_CUH
#include <cuda_runtime.h>

/* Lets launches of a kernel on the current device have so much dynamic shared memory. It is raised alone: threads
 * launch the same kernel with other sizes at the same time. */
extern "C" cudaError_t gt_cuda_allow_shared(const void *kernel, size_t bytes);
/* Bytes of shared memory that a block on the current device may have, static and dynamic: what the device says, or what
 * its backend was opened with (shared_limit.h). */
extern "C" int gt_cuda_max_shared(void);
#endif
