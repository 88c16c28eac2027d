#ifndef GT_PROJECTORS_KIT_DERIVATIVE_H
#define GT_PROJECTORS_KIT_DERIVATIVE_H
/* Derivative of the projections of a volume by the motions of the views, as an operator. A projector provides the
 * derivative by velocities (projectors/kit/motion.h); this operator multiplies by the Jacobian of each view. */
#include <math.h>
#include <gantry/author/host_device.h>
#include <gantry/grid.h>
#include "core/device/backend.h"
#include "projectors/kit/motion.h"
#ifdef __cplusplus
extern "C" {
#endif

struct gt_derivative_ops {
	const char *name;
	/* volume: voxels of the operator's type. velocity: [views][GT_VELOCITIES], doubles on the backend. y:
	 * projections. adjoint sets velocity. */
	void (*forward)(void *self, const void *volume, const double *velocity, void *y);
	void (*adjoint)(void *self, const void *volume, const void *y, double *velocity);
	void (*free   )(void *self);
};
/* Takes ownership of self, also on failure. scratch: bytes of gt_scratch() that forward and adjoint need. jacobian:
 * [views][GT_VELOCITIES][GT_MOTIONS] on the host, copied. The operator holds the volume by reference. */
gt_status gt_derivative_new(const struct gt_derivative_ops *ops, void *self, size_t scratch, const gt_scan *scan,
                            const double *jacobian, const gt_array *volume, gt_linop **D);

/* For each view: velocity = J motion, or with transposed 1 motion = J' velocity. The motion has type t. */
struct gt_derivative_impl {
	void (*multiply)(gt_backend *be, size_t views, const double *jacobian, int transposed, gt_type t, void *motion, double *velocity);
};
extern const struct gt_derivative_impl gt_derivative_cpu, gt_derivative_cuda;

/* Row c of `out` for one view, shared by both backends. */
GT_HD double gt_derivative_row(const double *jacobian, int transposed, int c, const double *in)
{
	double sum = 0;
	for (int i = 0; i < GT_MOTIONS; i++)
		sum = fma(jacobian[transposed ? i * GT_MOTIONS + c : c * GT_MOTIONS + i], in[i], sum);
	return sum;
}
#ifdef __cplusplus
}
#endif
#endif
