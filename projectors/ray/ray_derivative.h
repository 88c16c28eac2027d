#ifndef GT_PROJECTORS_RAY_RAY_DERIVATIVE_H
#define GT_PROJECTORS_RAY_RAY_DERIVATIVE_H
/* Derivative of Joseph's projections by the velocities of the views: kernels of each backend. */
#include <gantry/grid.h>
#include "core/device/backend.h"
#include "projectors/ray/ray_gradient.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	gt_type type;
	gt_rays rays;                   /* tables on the backend */
	const gt_ray_arm *arm;          /* [views], likewise */
} gt_ray_derivative;

struct gt_ray_derivative_impl {
	size_t (*scratch)(gt_backend *be, const gt_ray_derivative *d);          /* bytes of gt_scratch() */
	void   (*forward)(gt_backend *be, const gt_ray_derivative *d, const void *x, const double *velocity, void *y);
	void   (*adjoint)(gt_backend *be, const gt_ray_derivative *d, const void *x, const void *y, double *velocity);
};
extern const struct gt_ray_derivative_impl gt_ray_derivative_cpu, gt_ray_derivative_cuda;

/* Derivative by the motions of the views; scan: after the motion, jacobian: see projectors/kit/derivative.h. */
gt_status gt_ray_derivative_new(const gt_grid *g, const gt_scan *scan, const double *jacobian, const gt_array *volume, gt_linop **D);
#ifdef __cplusplus
}
#endif
#endif
