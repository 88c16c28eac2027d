#ifndef GT_PROJECTORS_DD_FAST_DD_TUNED_CUH
#define GT_PROJECTORS_DD_FAST_DD_TUNED_CUH
/* Between dd_tuned_cuda.cu and dd_forward_cuda.cu, host side: the launch of a variant. */
#include <cuda_runtime.h>
#include "projectors/dd/fast/dd_fast.cuh"
struct job;
/* job: of dd_forward_ring.cuh or of dd_ring.cuh, each the one of its source. */
cudaError_t gt_dd_tuned_launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const struct job *j, size_t blocks);
cudaError_t gt_dd_tuned_back_launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const struct job *j, size_t blocks);
/* The class of a problem, for both directions. */
void gt_dd_tuned_describe(const gt_dd *d, const gt_dd_fast *f, char *about, size_t size);
#endif
