/* Derivative of the projections of sf-tr by velocities on CUDA, in double precision. Forward: one thread per pixel
 * visits the voxels whose footprints meet it. Transpose: threads of pixels multiply the data by the slants and add the
 * derivatives of the slants. Then threads of voxels gather from the products, so a footprint is differentiated once per
 * voxel and view. Sums have a fixed order. */
#include "projectors/kit/pixel_derivative.cuh"
#include "projectors/sf/sf_derivative.h"

enum { HEIGHTS = 8 /* voxels of a thread, along z */ };

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

static size_t pixels_of(const gt_sf *d) { return (size_t)d->rows * d->columns; }
/* Threads of the voxels of a view. */
static size_t runs_of(const gt_sf *d) { return (size_t)d->n[0] * d->n[1] * pieces((size_t)d->n[2], (size_t)HEIGHTS); }
/* Blocks of a view: first those of pixels, then those of voxels. */
static size_t blocks_of(const gt_sf *d) { return gt_pixel_blocks(pixels_of(d)) + gt_pixel_blocks(runs_of(d)); }

/* image [view][ascending row][column]: data times slants. */
template <typename T>
static __global__ void __launch_bounds__(GT_PIXEL_BLOCK)
	slant_pixels(gt_sf_derivative d, size_t all, size_t blocks, size_t stride, const T *x, const T *y, double *image, double *part)
{
	const size_t view = blockIdx.x / blocks, block = blockIdx.x % blocks, i = block * GT_PIXEL_BLOCK + threadIdx.x;
	double by[GT_VELOCITIES];
	for (int c = 0; c < GT_VELOCITIES; c++)
		by[c] = 0;
	if (i < all) {
		const gt_sf_view v = d.d.view[view];
		const gt_sf_pose p = gt_sf_pose_of(&d, view);
		const int at[2] = { (int)(i % d.d.columns), (int)(i / d.d.columns) };
		const double value = y[gt_sf_pixel(&d.d, &v, view, at[1], at[0])], slant = gt_sf_slant_by(&p, at[0], at[1], by);
		const double plain = value == 0 ? 0 : gt_sf_pixel_sum(&d.d, &v, &p, at, x, sizeof(T) == sizeof(float), NULL);
		image[view * all + i] = slant * value;
		for (int c = 0; c < GT_VELOCITIES; c++)
			by[c] *= value * plain;
	}
	gt_add_block(by, part + (view * stride + block) * GT_VELOCITIES);
}

template <typename T>
static __global__ void __launch_bounds__(GT_PIXEL_BLOCK)
	gather_voxels(gt_sf_derivative d, size_t all, size_t blocks, size_t stride, const T *x, const double *image, double *part)
{
	const size_t view = blockIdx.x / blocks, block = blockIdx.x % blocks, i = block * GT_PIXEL_BLOCK + threadIdx.x;
	const size_t slice = (size_t)d.d.n[0] * d.d.n[1];
	const gt_sf_view v = d.d.view[view];
	const gt_sf_pose p = gt_sf_pose_of(&d, view);
	int at[3] = { (int)(i % d.d.n[0]), (int)(i / d.d.n[0] % d.d.n[1]), (int)(i / slice) * HEIGHTS };
	double in_frame[GT_VELOCITIES], by[GT_VELOCITIES];
	for (int c = 0; c < GT_VELOCITIES; c++)
		in_frame[c] = by[c] = 0;
	for (const int end = min(at[2] + HEIGHTS, d.d.n[2]); at[2] < end; at[2]++) {
		const double value = x[at[2] * slice + i % slice];
		double change[GT_SF_QUANTITIES];
		gt_sf_voxel voxel;
		if (value != 0 && gt_sf_voxel_of(&d.d, &v, at[0], at[1], at[2], &voxel) &&
		    gt_sf_gather(&d.d, &voxel, value, image + view * all, change))
			gt_sf_changes_back(&d.d, &v, &p, at, change, in_frame);
	}
	gt_sf_out_of_frame(&p, 1, in_frame, by);
	gt_add_block(by, part + (view * stride + block) * GT_VELOCITIES);
}

template <typename T> static void gather(const gt_sf_derivative *d, const T *x, const T *y, double *velocity)
{
	const size_t all = pixels_of(&d->d), stride = blocks_of(&d->d), of_pixels = gt_pixel_blocks(all), of_voxels = stride - of_pixels;
	double *image = (double *)gt_scratch(d->be), *part = image + all * d->d.views;
	cudaStream_t queue = gt_cuda_queue(d->be);
	slant_pixels<T><<<(unsigned)(of_pixels * d->d.views), GT_PIXEL_BLOCK, 0, queue>>>(*d, all, of_pixels, stride, x, y, image, part);
	gather_voxels<T><<<(unsigned)(of_voxels * d->d.views), GT_PIXEL_BLOCK, 0, queue>>>(*d, all, of_voxels, stride, x, image,
	                                                                                   part + of_pixels * GT_VELOCITIES);
	gt_add_pixel_blocks<<<(unsigned)pieces(d->d.views * GT_VELOCITIES, (size_t)GT_PIXEL_BLOCK), GT_PIXEL_BLOCK, 0, queue>>>(
		d->d.views * GT_VELOCITIES, stride, part, velocity);
	gt_cuda_check(d->be, cudaGetLastError(), "transpose of the derivative by motions");
}

static void forward(void *self, const void *x, const double *velocity, void *y)
{
	const gt_sf_derivative *d = (const gt_sf_derivative *)self;
	gt_forward_as_type<sf_pixels>(d->be, d, x, velocity, y);
}

static void adjoint(void *self, const void *x, const void *y, double *velocity)
{
	const gt_sf_derivative *d = (const gt_sf_derivative *)self;
	if (d->type == GT_F32)
		gather(d, (const float *)x, (const float *)y, velocity);
	else
		gather(d, (const double *)x, (const double *)y, velocity);
}

static size_t scratch(const gt_sf_derivative *d)
{
	return (pixels_of(&d->d) + blocks_of(&d->d) * GT_VELOCITIES) * d->d.views * sizeof(double);
}

extern "C" const struct gt_sf_derivative_impl gt_sf_derivative_cuda = { { "derivative of sf-tr", forward, adjoint, gt_sf_derivative_free },
	                                                                scratch };
