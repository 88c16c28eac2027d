#ifndef GT_SF_CUDA_H
#define GT_SF_CUDA_H
/* Between the CUDA sources of this folder. limit: bytes of scratch at most, as long as the least piece of the work fits. */
#include "projectors/sf/sf_impl.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Any view, both precisions: sf_simple_cuda.cu. */
size_t gt_sf_simple_scratch(const gt_sf *d, gt_type t, size_t limit);
void   gt_sf_simple_forward(gt_backend *be, const gt_sf *d, gt_type t, const void *x, void *y);
void   gt_sf_simple_adjoint(gt_backend *be, const gt_sf *d, gt_type t, size_t limit, const void *y, void *x);

/* Single precision, upright views, compute capability 9.0: sf_back_cuda.cu. wide: ramps of SF-TT may be of half a row or slice and more. */
gt_status gt_sf_back_make(gt_backend *be, const gt_sf *d, int wide);
size_t gt_sf_back_scratch(const gt_sf *d, size_t limit);
void   gt_sf_back(gt_backend *be, const gt_sf *d, int wide, size_t limit, const float *y, float *x);
/* Likewise: sf_forward_cuda.cu. It has tables of its own. */
typedef struct gt_sf_ahead gt_sf_ahead;
gt_status gt_sf_forward_make(gt_backend *be, const gt_sf *host, int wide, size_t limit, gt_sf_ahead **s);
void      gt_sf_forward_free(gt_backend *be, gt_sf_ahead *s);
size_t    gt_sf_forward_scratch(const gt_sf *d, const gt_sf_ahead *s);
void      gt_sf_forward(gt_backend *be, const gt_sf *d, const gt_sf_ahead *s, const float *x, float *y);
#ifdef __cplusplus
}
#endif
#endif
