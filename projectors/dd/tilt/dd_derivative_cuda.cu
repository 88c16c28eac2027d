/* Derivative of the distance-driven projections by velocities on CUDA, one thread per pixel: kit/pixel_derivative.cuh.
 * Volumes in single precision are summed in it within a slice, and over slices in double. Views with slices
 * perpendicular to x read a copy of the volume as [z][x][y], so that adjacent strips read adjacent voxels. */
#include "projectors/dd/tilt/dd_derivative.h"
#include "projectors/kit/pixel_derivative.cuh"
#include "projectors/ray/ray_cuda.cuh"

static size_t pixels_of(const gt_dd_tilt *d) { return (size_t)d->rows * d->columns; }

template <typename T> struct dd_pixels {
	gt_dd_derivative d;
	const T *volume, *x_slices;
	size_t views, all;
	__device__ __forceinline__ void pixel(size_t view, size_t i, double *by) const
	{
		const int axis = d.d.view[view].axis;
		const struct gt_dd_voxels x = { axis ? volume : x_slices,
			                        sizeof(T) == sizeof(float) ? GT_F32 : GT_F64,
			                        sizeof(T) == sizeof(float),
			                        (size_t)d.d.n[1 - axis],
			                        1,
			                        (size_t)d.d.n[0] * d.d.n[1] };
		gt_dd_pixel_by(&d, &x, view, i, by);
	}
	static dd_pixels of(gt_backend *be, const gt_dd_derivative *d, const T *x)
	{
		T *x_slices = (T *)gt_scratch(be);
		gt_ray_transpose_volume<T, 0>(gt_cuda_queue(be), x, x_slices, d->d.n[0], d->d.n[1], d->d.n[2]);
		return { *d, x, x_slices, d->d.views, pixels_of(&d->d) };
	}
};

static void forward(void *self, const void *x, const double *velocity, void *y)
{
	const gt_dd_derivative *d = (const gt_dd_derivative *)self;
	gt_forward_as_type<dd_pixels>(d->be, d, x, velocity, y);
}

static void adjoint(void *self, const void *x, const void *y, double *velocity)
{
	const gt_dd_derivative *d = (const gt_dd_derivative *)self;
	gt_adjoint_as_type<dd_pixels>(d->be, d, d->d.n, x, y, velocity);
}

static size_t scratch(const gt_dd_derivative *d)
{
	return gt_pixel_copy_bytes(d->d.n, d->type) + gt_pixel_part_bytes(d->d.views, pixels_of(&d->d));
}

extern "C" const struct gt_dd_derivative_impl gt_dd_derivative_cuda = { { "derivative of dd", forward, adjoint, gt_dd_derivative_free },
	                                                                scratch };
