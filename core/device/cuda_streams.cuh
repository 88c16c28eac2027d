#ifndef GT_CORE_DEVICE_CUDA_STREAMS_CUH
#define GT_CORE_DEVICE_CUDA_STREAMS_CUH
/* For *_cuda.cu files: work concurrent with the queue, so that the last blocks of a kernel leave no multiprocessor
 * idle. */
#include "core/device/cuda.cuh"
#ifdef __cplusplus
extern "C" {
#endif
/* gt_cuda_side(): gt_cuda_queue() becomes a second queue, which starts after all queued work. gt_cuda_main(): the
 * first queue again. gt_cuda_join(): later work starts after both queues. */
void gt_cuda_side(gt_backend *be);
void gt_cuda_main(gt_backend *be);
void gt_cuda_join(gt_backend *be);
#ifdef __cplusplus
}
#endif
#endif
