#ifndef GT_PROJECTORS_KIT_PIXEL_DERIVATIVE_CUH
#define GT_PROJECTORS_KIT_PIXEL_DERIVATIVE_CUH
/* Derivative by velocities on CUDA, one thread per pixel, in double precision. PIXELS has the members `views`, `all`
 * (pixels of a view), and pixel(view, i, by), which sets the derivative of pixel i of a view. The transpose adds the
 * pixels of a block, which belong to one view, and then the blocks of each view in their order. */
#include "core/device/blocks.cuh"
#include "core/device/cuda.cuh"
#include "projectors/kit/motion.h"

enum { GT_PIXEL_BLOCK = 256, GT_PIXEL_WARPS = GT_PIXEL_BLOCK / 32 };

template <typename T, typename PIXELS>
static __global__ void __launch_bounds__(GT_PIXEL_BLOCK) gt_forward_pixels(PIXELS d, size_t blocks, const double *velocity, T *y)
{
	const size_t view = blockIdx.x / blocks, i = blockIdx.x % blocks * GT_PIXEL_BLOCK + threadIdx.x;
	double by[GT_VELOCITIES], sum = 0;
	if (i >= d.all)
		return;
	d.pixel(view, i, by);
	for (int c = 0; c < GT_VELOCITIES; c++)
		sum = fma(by[c], velocity[view * GT_VELOCITIES + c], sum);
	y[view * d.all + i] = (T)sum;
}

/* Sets part [GT_VELOCITIES] to the sums of `by` over a block of GT_PIXEL_BLOCK threads. */
static __device__ __forceinline__ void gt_add_block(const double by[GT_VELOCITIES], double *part)
{
	__shared__ double shared[GT_PIXEL_WARPS][GT_VELOCITIES];
	for (int c = 0; c < GT_VELOCITIES; c++) {
		double sum = by[c];
		for (int lane = 16; lane; lane /= 2)
			sum += __shfl_down_sync(0xffffffffu, sum, lane);
		if (threadIdx.x % 32 == 0)
			shared[threadIdx.x / 32][c] = sum;
	}
	__syncthreads();
	if (threadIdx.x < GT_VELOCITIES) {
		double sum = 0;
		for (int w = 0; w < GT_PIXEL_WARPS; w++)
			sum += shared[w][threadIdx.x];
		part[threadIdx.x] = sum;
	}
}

template <typename T, typename PIXELS>
static __global__ void __launch_bounds__(GT_PIXEL_BLOCK) gt_adjoint_pixels(PIXELS d, size_t blocks, const T *y, double *part)
{
	const size_t view = blockIdx.x / blocks, i = blockIdx.x % blocks * GT_PIXEL_BLOCK + threadIdx.x;
	const double value = i < d.all ? (double)y[view * d.all + i] : 0;
	double by[GT_VELOCITIES];
	for (int c = 0; c < GT_VELOCITIES; c++)
		by[c] = 0;
	if (value != 0)
		d.pixel(view, i, by);
	for (int c = 0; c < GT_VELOCITIES; c++)
		by[c] *= value;
	gt_add_block(by, part + (size_t)blockIdx.x * GT_VELOCITIES);
}

static __global__ void gt_add_pixel_blocks(size_t all, size_t blocks, const double *part, double *velocity)
{
	const size_t i = blockIdx.x * (size_t)GT_PIXEL_BLOCK + threadIdx.x, view = i / GT_VELOCITIES, c = i % GT_VELOCITIES;
	double sum = 0;
	if (i >= all)
		return;
	for (size_t b = 0; b < blocks; b++)
		sum += part[(view * blocks + b) * GT_VELOCITIES + c];
	velocity[i] = sum;
}

static inline size_t gt_pixel_blocks(size_t all) { return (all + GT_PIXEL_BLOCK - 1) / GT_PIXEL_BLOCK; }
/* Bytes of `part` for the transpose. */
static inline size_t gt_pixel_part_bytes(size_t views, size_t all) { return views * gt_pixel_blocks(all) * GT_VELOCITIES * sizeof(double); }

/* Bytes of a copy of the volume, before the sums of the blocks. */
static inline size_t gt_pixel_copy_bytes(const int n[3], gt_type type)
{
	return ((size_t)n[0] * n[1] * n[2] * gt_type_size(type) + 255) / 256 * 256;
}

template <typename T, typename PIXELS> static void gt_forward_by_pixels(gt_backend *be, const PIXELS &d, const double *velocity, T *y)
{
	const size_t blocks = gt_pixel_blocks(d.all);
	gt_forward_pixels<<<(unsigned)(blocks * d.views), GT_PIXEL_BLOCK, 0, gt_cuda_queue(be)>>>(d, blocks, velocity, y);
	gt_cuda_check(be, cudaGetLastError(), "derivative by motions");
}

template <typename T, typename PIXELS>
static void gt_adjoint_by_pixels(gt_backend *be, const PIXELS &d, const T *y, double *part, double *velocity)
{
	const size_t blocks = gt_pixel_blocks(d.all), all = d.views * GT_VELOCITIES;
	cudaStream_t queue = gt_cuda_queue(be);
	gt_adjoint_pixels<<<(unsigned)(blocks * d.views), GT_PIXEL_BLOCK, 0, queue>>>(d, blocks, y, part);
	gt_add_pixel_blocks<<<(unsigned)pieces(all, GT_PIXEL_BLOCK), GT_PIXEL_BLOCK, 0, queue>>>(all, blocks, part, velocity);
	gt_cuda_check(be, cudaGetLastError(), "transpose of the derivative by motions");
}

/* By type: PIXELS<T>::of(be, d, x) makes the pixels of volume x and may copy it to gt_scratch(). */
template <template <typename> class PIXELS, typename D>
static void gt_forward_as_type(gt_backend *be, const D *d, const void *x, const double *velocity, void *y)
{
	if (d->type == GT_F32)
		gt_forward_by_pixels(be, PIXELS<float>::of(be, d, (const float *)x), velocity, (float *)y);
	else
		gt_forward_by_pixels(be, PIXELS<double>::of(be, d, (const double *)x), velocity, (double *)y);
}

template <template <typename> class PIXELS, typename D>
static void gt_adjoint_as_type(gt_backend *be, const D *d, const int n[3], const void *x, const void *y, double *velocity)
{
	double *part = (double *)((char *)gt_scratch(be) + gt_pixel_copy_bytes(n, d->type));
	if (d->type == GT_F32)
		gt_adjoint_by_pixels(be, PIXELS<float>::of(be, d, (const float *)x), (const float *)y, part, velocity);
	else
		gt_adjoint_by_pixels(be, PIXELS<double>::of(be, d, (const double *)x), (const double *)y, part, velocity);
}
#endif
