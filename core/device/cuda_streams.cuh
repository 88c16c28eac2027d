#ifndef GT_CORE_DEVICE_CUDA_STREAMS_CUH
#define GT_CORE_DEVICE_CUDA_STREAMS_CUH
/* For *_cuda.cu files: work that runs beside other work of the queue, so that the last blocks of one kernel leave no
 * multiprocessor idle. */
#include "core/device/cuda.cuh"
#ifdef __cplusplus
extern "C" {
#endif
/* From here on gt_cuda_queue() is a second queue, which starts when all that was queued so far is done; after
 * gt_cuda_main() it is the first one again. gt_cuda_join(): what is queued from here on starts when both are done. */
void gt_cuda_side(gt_backend *be);
void gt_cuda_main(gt_backend *be);
void gt_cuda_join(gt_backend *be);
#ifdef __cplusplus
}
#endif
#endif
