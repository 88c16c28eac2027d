#ifndef GT_PROJECTORS_DD_FAST_DD_TUNED_CUH
#define GT_PROJECTORS_DD_FAST_DD_TUNED_CUH
/* Between dd_tuned_cuda.cu and dd_forward_cuda.cu, host side: the launch of a variant. */
#include <cuda_runtime.h>
#include "projectors/dd/fast/dd_fast.cuh"
struct job;
cudaError_t gt_dd_tuned_launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const struct job *j, size_t blocks);
#endif
