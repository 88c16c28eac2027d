#ifndef GT_SF_CUDA_H
#define GT_SF_CUDA_H
/* Between the CUDA sources of this folder. */
#include "projectors/sf/sf_impl.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Any view, both precisions: sf_simple_cuda.cu. */
size_t gt_sf_simple_scratch(const gt_sf *d, gt_type t);
void   gt_sf_simple_forward(gt_backend *be, const gt_sf *d, gt_type t, const void *x, void *y);
void   gt_sf_simple_adjoint(gt_backend *be, const gt_sf *d, gt_type t, const void *y, void *x);
#ifdef __cplusplus
}
#endif
#endif
