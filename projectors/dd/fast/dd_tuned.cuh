#ifndef GT_PROJECTORS_DD_FAST_DD_TUNED_CUH
#define GT_PROJECTORS_DD_FAST_DD_TUNED_CUH
/* Launch of tuned variants: interface between dd_tuned_cuda.cu, dd_tuned_adjoint_cuda.cu and their callers, host
 * side. */
#include <cuda_runtime.h>
#include "projectors/dd/fast/dd_fast.cuh"
struct job;
/* job: defined in dd_forward_ring.cuh or dd_ring.cuh, by direction. */
cudaError_t gt_dd_tuned_launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const struct job *j, size_t blocks);
cudaError_t gt_dd_tuned_back_launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const struct job *j, size_t blocks);
/* Describes the class of a problem, for both directions. */
void gt_dd_tuned_describe(const gt_dd *d, const gt_dd_fast *f, char *about, size_t size);
#endif
