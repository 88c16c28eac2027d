#ifndef GT_PROJECTORS_SF_SF_CUDA_CUH
#define GT_PROJECTORS_SF_SF_CUDA_CUH
/* Interface between the CUDA sources of this folder. limit: maximum bytes of scratch, if the smallest unit of work
 * needs less. */
#include "projectors/sf/sf_impl.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Any view, both precisions: sf_simple_cuda.cu. */
size_t gt_sf_simple_scratch(const gt_sf *d, gt_type t, size_t limit);
void gt_sf_simple_forward(gt_backend *be, const gt_sf *d, gt_type t, const void *x, void *y);
void gt_sf_simple_adjoint(gt_backend *be, const gt_sf *d, gt_type t, size_t limit, const void *y, void *x);

/* Sampling of running sums at edges of rows and slices. GT_SF_STEPS, GT_SF_FINE: without ramps. GT_SF_NARROW: half
 * widths of ramps below half an interval at all edges. GT_SF_WIDE: half widths up to GT_SF_REACH intervals; each line
 * has its number of knots to visit on each side. Positions are rounded to 2^-25 of a window, in GT_SF_FINE and
 * GT_SF_WIDE to 2^-24 of an interval. */
enum { GT_SF_STEPS, GT_SF_FINE, GT_SF_NARROW, GT_SF_WIDE };

/* Describes the class of a problem, for variants of kernels: sf_cuda.cu. */
void gt_sf_describe(const gt_sf *d, int edges, char *about, size_t size);
/* Single precision, upright views, compute capability 9.0: sf_back_cuda.cu. edges: see above; tuned: NULL, or a variant
 * of the kernel. */
typedef struct gt_sf_back_tuned gt_sf_back_tuned;
gt_status gt_sf_back_make(gt_backend *be, const gt_sf *d, int edges, gt_sf_back_tuned **tuned);
void gt_sf_back_free(gt_sf_back_tuned *tuned);
int gt_sf_back_window(const gt_sf *d); /* rows of the highest window */
size_t gt_sf_back_scratch(const gt_sf *d, const gt_sf_back_tuned *tuned, size_t limit);
void gt_sf_back(gt_backend *be, const gt_sf *d, const gt_sf_back_tuned *tuned, int edges, size_t limit, const float *y, float *x);
/* Forward direction, same conditions: sf_forward_cuda.cu, with its own tables. */
typedef struct gt_sf_ahead gt_sf_ahead;
gt_status gt_sf_forward_make(gt_backend *be, const gt_sf *host, int edges, size_t limit, gt_sf_ahead **s);
/* maximum slices of a window, if each covers `step` rows */
double gt_sf_forward_window(const gt_sf *d, double step);
void gt_sf_forward_free(gt_backend *be, gt_sf_ahead *s);
size_t gt_sf_forward_scratch(const gt_sf *d, const gt_sf_ahead *s);
void gt_sf_forward(gt_backend *be, const gt_sf *d, const gt_sf_ahead *s, const float *x, float *y);
#ifdef __cplusplus
}
#endif
#endif
