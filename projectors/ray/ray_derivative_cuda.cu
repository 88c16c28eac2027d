/* Derivative of Joseph's projections by velocities on CUDA: one thread per ray, in double precision. The transpose adds
 * the rays of a block, which belong to one view, and then the blocks of each view in their order. Rays that follow x
 * read a copy of the volume as [z][x][y], so that adjacent columns read adjacent voxels. */
#include "core/device/blocks.cuh"
#include "projectors/ray/ray_cuda.cuh"
#include "projectors/ray/ray_derivative.h"

enum { BLOCK = 256, WARPS = BLOCK / 32 };

static size_t voxels_of(const gt_rays *g) { return (size_t)g->n[0] * g->n[1] * g->n[2]; }
static size_t blocks_of_view(const gt_rays *g) { return ((size_t)g->rows * g->columns + BLOCK - 1) / BLOCK; }
/* Bytes of the copy, before the sums of the blocks. */
static size_t copy_bytes(const gt_ray_derivative *d) { return (voxels_of(&d->rays) * gt_type_size(d->type) + 255) / 256 * 256; }

/* Adds the slices of a ray; axis b is the fastest of the volume. */
template <typename T>
static __device__ __forceinline__ void walk(const gt_rays *g, const gt_ray *r, const T *x, double source, gt_ray_sums *s)
{
	const size_t line = gt_ray_pick_size(g->n, r->b), plane = (size_t)g->n[0] * g->n[1];
	const size_t sd = r->d == 2 ? plane : line, sc = r->d == 2 ? line : plane;
	const unsigned nb = (unsigned)line, nc = gt_ray_pick_size(g->n, r->c);
	for (int n = r->first; n < r->end; n++) {
		const int b = (int)floor(gt_ray_at(r, 0, n)), c = (int)floor(gt_ray_at(r, 1, n));
		double value[GT_RAY_TAPS];
#pragma unroll
		for (int k = 0; k < GT_RAY_TAPS; k++) {
			const int i = b + (k & 1), j = c + (k >> 1);
			value[k] = (unsigned)i < nb && (unsigned)j < nc ? (double)__ldg(x + n * sd + i + j * sc) : 0;
		}
		gt_ray_add(r, n, value, n + 0.5 - source, s);
	}
}

/* Derivative of pixel i of a view by the velocities. */
template <typename T>
static __device__ __forceinline__ void pixel(const gt_ray_derivative *d, size_t view, size_t i, const T *volume, const T *x_slices,
                                             double *by)
{
	const gt_rays *g = &d->rays;
	const gt_ray_column *column = &g->column[view * g->columns + i % g->columns];
	const int row = (int)(i / g->columns);
	const gt_ray_path path = gt_ray_path_of(g, &g->view[view], column, row);
	gt_ray_sums s = { 0, { 0, 0 }, { 0, 0 } };
	double by_q[3], by_e[3];
	gt_ray r;
	gt_ray_make(g, GT_RAY_JOSEPH, &g->view[view], column, row, &r);
	gt_ray_clip(0, 0, gt_ray_pick_size(g->n, r.b), &r);
	gt_ray_clip(1, 0, gt_ray_pick_size(g->n, r.c), &r);
	walk(g, &r, r.d == 0 ? x_slices : volume, gt_ray_pick(path.q, r.d), &s);
	gt_ray_gradients(&r, g->pitch, path.e, &s, by_q, by_e);
	gt_ray_velocities(g, &d->arm[view], path.moved, by_q, by_e, by);
}

template <typename T>
static __global__ void forward_rays(gt_ray_derivative d, size_t blocks, const T *volume, const T *x_slices, const double *velocity, T *y)
{
	const size_t view = blockIdx.x / blocks, i = blockIdx.x % blocks * BLOCK + threadIdx.x, all = (size_t)d.rays.rows * d.rays.columns;
	double by[GT_VELOCITIES], sum = 0;
	if (i >= all)
		return;
	pixel(&d, view, i, volume, x_slices, by);
	for (int c = 0; c < GT_VELOCITIES; c++)
		sum = fma(by[c], velocity[view * GT_VELOCITIES + c], sum);
	y[view * all + i] = (T)sum;
}

template <typename T>
static __global__ void adjoint_rays(gt_ray_derivative d, size_t blocks, const T *volume, const T *x_slices, const T *y, double *part)
{
	__shared__ double shared[WARPS][GT_VELOCITIES];
	const size_t view = blockIdx.x / blocks, i = blockIdx.x % blocks * BLOCK + threadIdx.x, all = (size_t)d.rays.rows * d.rays.columns;
	const double value = i < all ? (double)y[view * all + i] : 0;
	double by[GT_VELOCITIES];
	for (int c = 0; c < GT_VELOCITIES; c++)
		by[c] = 0;
	if (value != 0)
		pixel(&d, view, i, volume, x_slices, by);
	for (int c = 0; c < GT_VELOCITIES; c++) {
		double sum = by[c] * value;
		for (int lane = 16; lane; lane /= 2)
			sum += __shfl_down_sync(0xffffffffu, sum, lane);
		if (threadIdx.x % 32 == 0)
			shared[threadIdx.x / 32][c] = sum;
	}
	__syncthreads();
	if (threadIdx.x < GT_VELOCITIES) {
		double sum = 0;
		for (int w = 0; w < WARPS; w++)
			sum += shared[w][threadIdx.x];
		part[(size_t)blockIdx.x * GT_VELOCITIES + threadIdx.x] = sum;
	}
}

static __global__ void add_blocks(size_t all, size_t blocks, const double *part, double *velocity)
{
	const size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x, view = i / GT_VELOCITIES, c = i % GT_VELOCITIES;
	double sum = 0;
	if (i >= all)
		return;
	for (size_t b = 0; b < blocks; b++)
		sum += part[(view * blocks + b) * GT_VELOCITIES + c];
	velocity[i] = sum;
}

template <typename T> static T *copy_of(gt_backend *be, const gt_ray_derivative *d, const T *x)
{
	T *x_slices = (T *)gt_scratch(be);
	gt_ray_transpose_volume<T, 0>(gt_cuda_queue(be), x, x_slices, d->rays.n[0], d->rays.n[1], d->rays.n[2]);
	return x_slices;
}

template <typename T> static void forward_as(gt_backend *be, const gt_ray_derivative *d, const T *x, const double *velocity, T *y)
{
	const size_t blocks = blocks_of_view(&d->rays);
	const T *x_slices = copy_of(be, d, x);
	forward_rays<<<(unsigned)(blocks * d->rays.views), BLOCK, 0, gt_cuda_queue(be)>>>(*d, blocks, x, x_slices, velocity, y);
	gt_cuda_check(be, cudaGetLastError(), "derivative by motions");
}

template <typename T> static void adjoint_as(gt_backend *be, const gt_ray_derivative *d, const T *x, const T *y, double *velocity)
{
	const size_t blocks = blocks_of_view(&d->rays), all = d->rays.views * GT_VELOCITIES;
	const T *x_slices = copy_of(be, d, x);
	double *part = (double *)((char *)gt_scratch(be) + copy_bytes(d));
	cudaStream_t queue = gt_cuda_queue(be);
	adjoint_rays<<<(unsigned)(blocks * d->rays.views), BLOCK, 0, queue>>>(*d, blocks, x, x_slices, y, part);
	add_blocks<<<(unsigned)pieces(all, BLOCK), BLOCK, 0, queue>>>(all, blocks, part, velocity);
	gt_cuda_check(be, cudaGetLastError(), "transpose of the derivative by motions");
}

static void forward(gt_backend *be, const gt_ray_derivative *d, const void *x, const double *velocity, void *y)
{
	if (d->type == GT_F32)
		forward_as(be, d, (const float *)x, velocity, (float *)y);
	else
		forward_as(be, d, (const double *)x, velocity, (double *)y);
}

static void adjoint(gt_backend *be, const gt_ray_derivative *d, const void *x, const void *y, double *velocity)
{
	if (d->type == GT_F32)
		adjoint_as(be, d, (const float *)x, (const float *)y, velocity);
	else
		adjoint_as(be, d, (const double *)x, (const double *)y, velocity);
}

static size_t scratch(gt_backend *be, const gt_ray_derivative *d)
{
	(void)be;
	return copy_bytes(d) + d->rays.views * blocks_of_view(&d->rays) * GT_VELOCITIES * sizeof(double);
}

extern "C" const struct gt_ray_derivative_impl gt_ray_derivative_cuda = { scratch, forward, adjoint };
