#ifndef GT_CORE_DEVICE_CUDA_CUH
#define GT_CORE_DEVICE_CUDA_CUH
/* For *_cuda.cu files only: the queue of a CUDA backend and the check after each launch. */
#include <cuda_runtime.h>
#include "core/device/backend.h"
#ifdef __cplusplus
extern "C" {
#endif
cudaStream_t gt_cuda_queue(gt_backend *be);
/* Records e, if it is a failure, on the backend as "what: text of e" and returns non-zero. After a launch:
 * gt_cuda_check(be, cudaGetLastError(), "dd forward"). */
int gt_cuda_check(gt_backend *be, cudaError_t e, const char *what);
/* Device address where a kernel stores a value for gt_reductions_wait() to copy to *result. */
double *gt_cuda_slot(gt_backend *be, double *result);
#ifdef __cplusplus
}
#endif
#endif
