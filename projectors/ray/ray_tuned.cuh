#ifndef GT_PROJECTORS_RAY_RAY_TUNED_CUH
#define GT_PROJECTORS_RAY_RAY_TUNED_CUH
/* Tuned variants of the kernels of level scans, in single precision: choice for an operator, and launches. */
#include "projectors/ray/ray_cuda.cuh"

/* tables: in host memory. *tuned is NULL if the built-in kernels serve both directions. */
gt_status gt_ray_tuned_find(gt_backend *be, const gt_ray_operator *o, const gt_rays *tables, const gt_ray_level *level,
                            gt_ray_tuned **tuned);
void gt_ray_tuned_free(gt_ray_tuned *tuned);
int gt_ray_tuned_has(const gt_ray_tuned *tuned, int back);
typedef struct {
	size_t first, views;
} gt_ray_batch;
/* Launches a kernel. Returns 0, or the driver's error code. */
int gt_ray_tuned_forward(cudaStream_t queue, const gt_ray_tuned *tuned, const gt_rays *g, const gt_ray_level *level, const float *y_slices,
                         const float *x_slices, float *y);
int gt_ray_tuned_adjoint(cudaStream_t queue, const gt_ray_tuned *tuned, const gt_rays *g, const gt_ray_level *level, const float *pixels,
                         float *x, gt_ray_batch batch);
#endif
