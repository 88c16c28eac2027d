#ifndef GT_CORE_DEVICE_ALLOW_SHARED_CUH
#define GT_CORE_DEVICE_ALLOW_SHARED_CUH
#include <cuda_runtime.h>

/* Permits launches of a kernel on the current device with this much dynamic shared memory. The limit is only raised:
 * other threads may launch the kernel with other sizes. */
extern "C" cudaError_t gt_cuda_allow_shared(const void *kernel, size_t bytes);
/* Maximum shared memory of a block on the current device in bytes, static and dynamic: the device's, or the limit in
 * its backend name (shared_limit.h). */
extern "C" int gt_cuda_max_shared(void);
#endif
