/* Derivative of the projections of sf-tr by velocities on CUDA, one thread per pixel, in double precision:
 * kit/pixel_derivative.cuh. A thread visits the voxels whose footprints meet its pixel. */
#include "projectors/kit/pixel_derivative.cuh"
#include "projectors/sf/sf_derivative.h"

/* Without a copy of the volume in the scratch. */
static const int no_copy[3] = { 0, 0, 0 };

template <typename T> struct sf_pixels {
	gt_sf_derivative d;
	const T *volume;
	size_t views, all;
	__device__ __forceinline__ void pixel(size_t view, size_t i, double *by) const
	{
		const gt_sf_view v = d.d.view[view];
		const gt_sf_pose p = gt_sf_pose_of(&d, view);
		const int row = (int)(i / d.d.columns), at[2] = { (int)(i % d.d.columns), v.flip_rows ? d.d.rows - 1 - row : row };
		gt_sf_pixel_by(&d.d, &v, &p, at, volume, sizeof(T) == sizeof(float), by);
	}
	static sf_pixels of(gt_backend *, const gt_sf_derivative *d, const T *x)
	{
		return { *d, x, d->d.views, (size_t)d->d.rows * d->d.columns };
	}
};

static void forward(void *self, const void *x, const double *velocity, void *y)
{
	const gt_sf_derivative *d = (const gt_sf_derivative *)self;
	gt_forward_as_type<sf_pixels>(d->be, d, x, velocity, y);
}

static void adjoint(void *self, const void *x, const void *y, double *velocity)
{
	const gt_sf_derivative *d = (const gt_sf_derivative *)self;
	gt_adjoint_as_type<sf_pixels>(d->be, d, no_copy, x, y, velocity);
}

static size_t scratch(const gt_sf_derivative *d) { return gt_pixel_part_bytes(d->d.views, (size_t)d->d.rows * d->d.columns); }

extern "C" const struct gt_sf_derivative_impl gt_sf_derivative_cuda = { { "derivative of sf-tr", forward, adjoint, gt_sf_derivative_free },
	                                                                scratch };
