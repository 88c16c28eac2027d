/* Derivative of the distance-driven projections by velocities on CUDA. A thread owns a run of pieces; the lanes of a
 * warp are adjacent strips, and the warps of a block adjacent runs. Sums of a run have the type of the data, all
 * others are in double. The transpose adds the runs of a strip, the strips of a block, and then the blocks of each view
 * in their order. For level strips it visits voxels (dd_derivative_level.cuh). Views with slices perpendicular to x
 * read a copy of the volume as [z][x][y], so that adjacent strips read adjacent voxels. */
#include <gantry/linop.h>
#include "projectors/dd/tilt/dd_derivative_level.cuh"
#include "projectors/ray/ray_cuda.cuh"

enum { MIN_BLOCKS = 3 /* at most 80 registers per thread */ };

/* Blocks of a view along its strips and its pieces. */
struct tiles {
	unsigned strips, pieces;
};
static tiles tiles_of(const gt_dd_tilt *d)
{
	return { (unsigned)pieces(d->strips, LANES), (unsigned)pieces(d->pieces, WARPS * GT_DD_RUN) };
}
static size_t blocks_of(const gt_dd_tilt *d) { return (size_t)tiles_of(d).strips * tiles_of(d).pieces; }

/* gt_dd_run_forward(), or with BACK gt_dd_run_back(). */
template <bool LEVEL, bool BACK>
static __device__ __forceinline__ void run(const gt_dd_tilt *d, const gt_dd_piece *p, const gt_dd_voxels *x, float, double *change,
                                           double *y)
{
	if (BACK)
		gt_dd_run_back_single(d, p, x, LEVEL, y, change);
	else
		gt_dd_run_forward_single(d, p, x, LEVEL, change, y);
}
template <bool LEVEL, bool BACK>
static __device__ __forceinline__ void run(const gt_dd_tilt *d, const gt_dd_piece *p, const gt_dd_voxels *x, double, double *change,
                                           double *y)
{
	if (BACK)
		gt_dd_run_back_double(d, p, x, LEVEL, y, change);
	else
		gt_dd_run_forward_double(d, p, x, LEVEL, change, y);
}

/* y: data, out unless BACK. velocity: of the views; with BACK out, of the blocks. LEVEL: see gt_dd_derivative. */
template <typename T, bool LEVEL, bool BACK>
static __global__ void __launch_bounds__(LANES *WARPS, MIN_BLOCKS)
	run_pieces(gt_dd_derivative d, tiles t, const T *volume, const T *x_slices, double *velocity, T *y)
{
	const unsigned blocks = t.strips * t.pieces, block = blockIdx.x % blocks;
	const size_t view = blockIdx.x / blocks;
	const gt_dd_pose *v = &d.d.view[view];
	const int k = (int)(block % t.strips) * LANES + threadIdx.x % LANES;
	const int l0 = ((int)(block / t.strips) * WARPS + threadIdx.x / LANES) * GT_DD_RUN;
	double change[GT_DD_SCALARS], value[GT_DD_RUN];
	for (int s = 0; s < GT_DD_SCALARS; s++)
		change[s] = 0;
	if (k < v->strips && l0 < v->pieces) {
		const gt_dd_voxels x = { v->axis ? volume : x_slices, (size_t)d.d.n[1 - v->axis], 1, (size_t)d.d.n[0] * d.d.n[1] };
		gt_dd_piece piece = gt_dd_strip_of(&d, view, k);
		T *at = y + view * d.d.rows * d.d.columns + (v->start + k * v->to_strip + l0 * v->to_piece);
		piece.l = l0;
		if (!BACK)
			gt_dd_changes(&d, view, k, velocity + view * GT_VELOCITIES, change);
#pragma unroll
		for (int r = 0; r < GT_DD_RUN; r++)
			value[r] = BACK && l0 + r < v->pieces ? (double)at[r * v->to_piece] : 0;
		run<LEVEL, BACK>(&d.d, &piece, &x, T(0), change, value);
#pragma unroll
		for (int r = 0; r < GT_DD_RUN; r++)
			if (!BACK && l0 + r < v->pieces)
				at[r * v->to_piece] = (T)value[r];
	}
	if (BACK)
		add_block(d, view, k, change, velocity + (size_t)blockIdx.x * GT_VELOCITIES);
}

template <typename T, bool BACK> static void run_views(const gt_dd_derivative *d, const void *x, double *velocity, const void *y)
{
	cudaStream_t queue = gt_cuda_queue(d->be);
	T *x_slices = (T *)gt_scratch(d->be);
	const unsigned blocks = (unsigned)(blocks_of(&d->d) * d->d.views);
	auto kernel = d->level ? run_pieces<T, true, BACK> : run_pieces<T, false, BACK>;
	gt_ray_transpose_volume<T, 0>(queue, (const T *)x, x_slices, d->d.n[0], d->d.n[1], d->d.n[2]);
	kernel<<<blocks, LANES * WARPS, 0, queue>>>(*d, tiles_of(&d->d), (const T *)x, x_slices, velocity, (T *)y);
}

static void forward(void *self, const void *x, const double *velocity, void *y)
{
	const gt_dd_derivative *d = (const gt_dd_derivative *)self;
	if (d->type == GT_F32)
		run_views<float, false>(d, x, (double *)velocity, y);
	else
		run_views<double, false>(d, x, (double *)velocity, y);
	gt_cuda_check(d->be, cudaGetLastError(), "derivative by motions");
}

/* For level strips. */
static void back_by_voxels(const gt_dd_derivative *d, const float *x, const float *y, double *part)
{
	float *x_slices = (float *)gt_scratch(d->be);
	gt_forward(d->projector, d->volume, d->projections); /* uses the same scratch */
	gt_ray_transpose_volume<float, 0>(gt_cuda_queue(d->be), x, x_slices, d->d.n[0], d->d.n[1], d->d.n[2]);
	gather_views(d, x, x_slices, y, part);
}

static void adjoint(void *self, const void *x, const void *y, double *velocity)
{
	const gt_dd_derivative *d = (const gt_dd_derivative *)self;
	const size_t all = d->d.views * GT_VELOCITIES;
	double *part = (double *)((char *)gt_scratch(d->be) + gt_pixel_copy_bytes(d->d.n, d->type));
	const size_t blocks = d->projector ? level_blocks(&d->d) : blocks_of(&d->d);
	if (d->projector)
		back_by_voxels(d, (const float *)x, (const float *)y, part);
	else if (d->type == GT_F32)
		run_views<float, true>(d, x, part, y);
	else
		run_views<double, true>(d, x, part, y);
	gt_add_pixel_blocks<<<(unsigned)pieces(all, GT_PIXEL_BLOCK), GT_PIXEL_BLOCK, 0, gt_cuda_queue(d->be)>>>(all, blocks, part,
	                                                                                                        velocity);
	gt_cuda_check(d->be, cudaGetLastError(), "transpose of the derivative by motions");
}

static size_t scratch(const gt_dd_derivative *d)
{
	const size_t part = d->d.views * blocks_of(&d->d) * GT_VELOCITIES * sizeof(double);
	return gt_pixel_copy_bytes(d->d.n, d->type) + (d->projector ? level_bytes(&d->d) : part);
}

extern "C" const struct gt_dd_derivative_impl gt_dd_derivative_cuda = { { "derivative of dd", forward, adjoint, gt_dd_derivative_free },
	                                                                scratch };
