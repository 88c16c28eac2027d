/* Derivative of the distance-driven projections by velocities on CUDA, one thread per pixel: kit/pixel_derivative.cuh.
 * Views with slices perpendicular to x read a copy of the volume as [z][x][y], so that adjacent strips read adjacent
 * voxels. */
#include "projectors/dd/tilt/dd_derivative.h"
#include "projectors/kit/pixel_derivative.cuh"
#include "projectors/ray/ray_cuda.cuh"

static size_t pixels_of(const gt_dd_tilt *d) { return (size_t)d->rows * d->columns; }
/* Bytes of the copy, before the sums of the blocks. */
static size_t copy_bytes(const gt_dd_derivative *d)
{
	return ((size_t)d->d.n[0] * d->d.n[1] * d->d.n[2] * gt_type_size(d->type) + 255) / 256 * 256;
}

template <typename T> struct dd_pixels {
	gt_dd_derivative d;
	const T *volume, *x_slices;
	size_t views, all;
	__device__ __forceinline__ void pixel(size_t view, size_t i, double *by) const
	{
		const int axis = d.d.view[view].axis;
		const struct gt_dd_voxels x = { axis ? volume : x_slices, sizeof(T) == sizeof(float) ? GT_F32 : GT_F64,
			                        (size_t)d.d.n[1 - axis], 1, (size_t)d.d.n[0] * d.d.n[1] };
		gt_dd_pixel_by(&d, &x, view, i, by);
	}
};

template <typename T> static struct dd_pixels<T> pixels_with_copy(gt_backend *be, const gt_dd_derivative *d, const T *x) {
	T *x_slices = (T *)gt_scratch(be);
	gt_ray_transpose_volume<T, 0>(gt_cuda_queue(be), x, x_slices, d->d.n[0], d->d.n[1], d->d.n[2]);
	return { *d, x, x_slices, d->d.views, pixels_of(&d->d) };
}

template <typename T>
static void adjoint_as(gt_backend *be, const gt_dd_derivative *d, const T *x, const T *y, double *velocity)
{
	double *part = (double *)((char *)gt_scratch(be) + copy_bytes(d));
	gt_adjoint_by_pixels(be, pixels_with_copy(be, d, x), y, part, velocity);
}

static void forward(gt_backend *be, const gt_dd_derivative *d, const void *x, const double *velocity, void *y)
{
	if (d->type == GT_F32)
		gt_forward_by_pixels(be, pixels_with_copy(be, d, (const float *)x), velocity, (float *)y);
	else
		gt_forward_by_pixels(be, pixels_with_copy(be, d, (const double *)x), velocity, (double *)y);
}

static void adjoint(gt_backend *be, const gt_dd_derivative *d, const void *x, const void *y, double *velocity)
{
	if (d->type == GT_F32)
		adjoint_as(be, d, (const float *)x, (const float *)y, velocity);
	else
		adjoint_as(be, d, (const double *)x, (const double *)y, velocity);
}

static size_t scratch(gt_backend *, const gt_dd_derivative *d) { return copy_bytes(d) + gt_pixel_part_bytes(d->d.views, pixels_of(&d->d)); }

extern "C" const struct gt_dd_derivative_impl gt_dd_derivative_cuda = { scratch, forward, adjoint };
