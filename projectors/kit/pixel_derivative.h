#ifndef GT_PROJECTORS_KIT_PIXEL_DERIVATIVE_H
#define GT_PROJECTORS_KIT_PIXEL_DERIVATIVE_H
/* Derivative by velocities, pixel by pixel, on the CPU: forward and transpose from a function that differentiates one
 * pixel. The transpose adds the rows of each column in order, and then the columns of a view, so sums do not depend on
 * the threads. Memory: gt_pixel_derivative_scratch(). */
#include "core/device/backend.h"
#include "projectors/kit/motion.h"
#ifdef __cplusplus
extern "C" {
#endif

struct gt_pixel_derivative {
	const void *self;
	/* Sets the derivative of a pixel by the velocities of its view. */
	void (*pixel)(const void *self, size_t view, int row, int column, double by[GT_VELOCITIES]);
	gt_type type; /* of the data */
	size_t views;
	int rows, columns;
};
/* Bytes of gt_scratch() for the transpose. */
size_t gt_pixel_derivative_scratch(size_t views, int columns);
/* Sets data y from velocity [views][GT_VELOCITIES]. */
void gt_pixel_derivative_forward(gt_backend *be, const struct gt_pixel_derivative *d, const double *velocity, void *y);
/* Sets velocity from data y. */
void gt_pixel_derivative_adjoint(gt_backend *be, const struct gt_pixel_derivative *d, const void *y, double *velocity);
#ifdef __cplusplus
}
#endif
#endif
