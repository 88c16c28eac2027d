/* The distance-driven pair for tilted detectors on CUDA, single and double precision. Both directions are gathers: a
 * thread owns pieces of a strip, or voxels along z. No two threads add to a value, so results are bit-identical between
 * runs.
 *
 * Scratch memory is limited by the options and the device. Forward, for views with slices perpendicular to x, it holds
 * the voxels of a slab, transposed so that y is contiguous. The adjoint stores the weighted pixels of a batch of views
 * there.
 *
 * Limit: instructions. Forward needs about 20 per piece, slice and voxel that the strip overlaps there, and 6 per piece
 * and slice. The adjoint needs about 20 per voxel, view and strip.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_TILT_ROWS /* forward: pieces of a strip per thread: 4, 8, 16, 32 */
#define GT_DD_TILT_ROWS 16
#endif
#ifndef GT_DD_TILT_VIEWS /* forward: adjacent views per block, which share voxels in the cache: 1, 2, 4, 8 */
#define GT_DD_TILT_VIEWS 8
#endif
#ifndef GT_DD_TILT_FORWARD_BLOCKS /* forward: minimum blocks per multiprocessor: 1 to 8 */
#define GT_DD_TILT_FORWARD_BLOCKS 5
#endif
#ifndef GT_DD_TILT_HEIGHT /* adjoint: voxels along z per thread: 8, 16, 32; tall voxels use LOW */
#define GT_DD_TILT_HEIGHT 32
#endif
#ifndef GT_DD_TILT_VOXELS /* adjoint: adjacent in-slice voxels per thread: 1, 2, 4 */
#define GT_DD_TILT_VOXELS 1
#endif
#ifndef GT_DD_TILT_SLICES /* adjoint: slices per block: 1, 2, 4, 8 */
#define GT_DD_TILT_SLICES 8
#endif
#ifndef GT_DD_TILT_ADJOINT_BLOCKS /* adjoint: minimum blocks per multiprocessor: 1 to 8 */
#define GT_DD_TILT_ADJOINT_BLOCKS 2
#endif
#ifndef GT_DD_TILT_BATCH /* adjoint: maximum views per launch: 16 to 256 */
#define GT_DD_TILT_BATCH 64
#endif
#include "core/device/cuda.cuh"
#include "core/device/pieces.cuh"
#include "projectors/dd/tilt/dd_tilt_adjoint.cuh"
#include "projectors/dd/tilt/dd_tilt_forward.cuh"
#include "projectors/dd/tilt/dd_tilt_operator.h"

/* Maximum rows from the centre of a thread's voxels to their ends. The single-precision adjoint counts them in float,
 * with an error of up to 8e-6 at this distance. */
static const double max_rows = 56;

enum { WARP = GT_DD_TILT_WARP, TURN_ROWS = 8, LOW = 8 /* voxels of a thread if they are tall */ };

template <typename REAL>
static __global__ void __launch_bounds__(WARP *GT_DD_TILT_VIEWS, sizeof(REAL) == 4 ? GT_DD_TILT_FORWARD_BLOCKS : 1)
	forward_kernel(gt_dd_tilt d, gt_dd_tilt_job j)
{
	const int k0 = blockIdx.x % j.blocks[0] * WARP, l0 = blockIdx.x / j.blocks[0] % j.blocks[1] * GT_DD_TILT_ROWS,
		  m = blockIdx.x / j.blocks[0] / j.blocks[1] * GT_DD_TILT_VIEWS + threadIdx.y;
	if (m >= j.views)
		return;
	const size_t at = j.view[m];
	__shared__ REAL up[GT_DD_TILT_VIEWS][GT_DD_TILT_ROWS][WARP];
	if (k0 < d.view[at].strips && l0 < d.view[at].pieces)
		gt_dd_tilt_forward_thread<REAL, GT_DD_TILT_ROWS>(d, j, at, k0 + threadIdx.x, l0, &up[threadIdx.y][0][threadIdx.x]);
}

template <typename REAL, int HEIGHT>
static __global__ void __launch_bounds__(WARP *GT_DD_TILT_SLICES, sizeof(REAL) == 4 ? GT_DD_TILT_ADJOINT_BLOCKS : 1)
	adjoint_kernel(const __grid_constant__ gt_dd_tilt d, const __grid_constant__ gt_dd_tilt_job j)
{
	enum { VOXELS = GT_DD_TILT_VOXELS };
	__shared__ int near[GT_DD_TILT_BATCH];
	const int a0 = blockIdx.x % j.blocks[0] * (WARP * VOXELS), n0 = blockIdx.x / j.blocks[0] % j.blocks[1] * GT_DD_TILT_SLICES,
		  z0 = blockIdx.x / j.blocks[0] / j.blocks[1] * HEIGHT, voxel = a0 + threadIdx.x * VOXELS, n = n0 + threadIdx.y,
		  width = d.n[1 - j.axis];
	for (int b = threadIdx.y * WARP + threadIdx.x; b < j.views; b += WARP * GT_DD_TILT_SLICES)
		near[b] = gt_dd_tilt_middle(d, j.view[b], n0 + GT_DD_TILT_SLICES / 2, a0 + WARP * VOXELS / 2, z0 + HEIGHT / 2);
	__syncthreads();
	if (voxel >= width || n >= d.n[j.axis])
		return;
	REAL sum[VOXELS][HEIGHT] = {};
	for (int b = 0; b < j.views; b++)
		gt_dd_tilt_add_view<REAL, HEIGHT, VOXELS>(d, j, b, n, voxel, z0, near[b], sum);
	const size_t nx = d.n[0], plane = nx * d.n[1], to_voxel = j.axis ? 1 : nx;
	REAL *out = (REAL *)j.out + z0 * plane + n * (j.axis ? nx : 1) + voxel * to_voxel;
#pragma unroll
	for (int e = 0; e < HEIGHT; e++)
#pragma unroll
		for (int i = 0; i < VOXELS; i++)
			if (z0 + e < d.n[2] && voxel + i < width)
				out[e * plane + i * to_voxel] += sum[i][e];
}

/* Voxels [z][y][x] of slices begin .. end-1 across x -> [z][x - begin][y]. */
template <typename REAL>
static __global__ void turn_kernel(const REAL *in, REAL *out, int nx, int ny, int begin, int end, int across, int up)
{
	__shared__ REAL tile[WARP][WARP + 1];
	const int x0 = begin + blockIdx.x % across * WARP, y0 = blockIdx.x / across % up * WARP, lane = threadIdx.x;
	const size_t z = blockIdx.x / across / up;
	for (int i = threadIdx.y; i < WARP; i += TURN_ROWS)
		if (y0 + i < ny && x0 + lane < end)
			tile[i][lane] = in[(z * ny + (y0 + i)) * nx + (x0 + lane)];
	__syncthreads();
	for (int i = threadIdx.y; i < WARP; i += TURN_ROWS)
		if (x0 + i < end && y0 + lane < ny)
			out[(z * (end - begin) + (x0 + i - begin)) * ny + (y0 + lane)] = tile[lane][i];
}

/* Pixels times their weights -> the values of [view][piece, d.pieces + 1][d.strips]. */
template <typename REAL> static __global__ void weigh_kernel(const __grid_constant__ gt_dd_tilt d, const __grid_constant__ gt_dd_tilt_job j)
{
	const int k = blockIdx.x % j.blocks[0] * WARP + threadIdx.x, l = blockIdx.x / j.blocks[0] % j.blocks[1] * TURN_ROWS + threadIdx.y,
		  b = blockIdx.x / j.blocks[0] / j.blocks[1];
	const size_t at = j.view[b];
	const gt_dd_pose v = d.view[at];
	if (k >= v.strips || l > v.pieces)
		return;
	const gt_dd_tilt_edge *e = d.edge + at * (d.longest + 1) + k;
	const REAL *in = (const REAL *)j.in + at * d.rows * d.columns;
	const double y = l < v.pieces ? in[v.start + k * v.to_strip + l * v.to_piece] *
	                                        gt_dd_tilt_weight(&d, &v, e, d.strip + at * d.longest + k, l)
	                              : 0;
	((gt_dd_tilt_sum<REAL> *)j.out)[((size_t)b * (d.pieces + 1) + l) * d.strips + k].value = (REAL)y;
}

/* Sums of these values along the strips, minus half the total; one strip per thread. */
template <typename REAL> static __global__ void sum_kernel(const __grid_constant__ gt_dd_tilt d, const __grid_constant__ gt_dd_tilt_job j)
{
	const int k = blockIdx.x % j.blocks[0] * WARP + threadIdx.x, b = blockIdx.x / j.blocks[0], strips = d.view[j.view[b]].strips,
		  pieces = d.view[j.view[b]].pieces;
	gt_dd_tilt_sum<REAL> *sums = (gt_dd_tilt_sum<REAL> *)j.out + (size_t)b * (d.pieces + 1) * d.strips + k;
	double before = 0;
	if (k >= strips)
		return;
	for (int l = 0; l < pieces / 2; l++)
		before -= sums[(size_t)l * d.strips].value;
	for (int l = 0; l <= pieces; l++) {
		const REAL value = sums[(size_t)l * d.strips].value;
		sums[(size_t)l * d.strips] = { (REAL)before, value };
		before += value;
	}
}

/* Slices across x that fit the limit. */
static int slab_of(const gt_dd_tilt_plan *p, gt_type t)
{
	const size_t slice = (size_t)p->d.n[1] * p->d.n[2] * gt_type_size(t), fit = p->limit / slice;
	return fit < 1 ? 1 : fit < (size_t)p->d.n[0] ? (int)fit : p->d.n[0];
}
/* Views whose pixels fit the limit. */
static size_t batch_of(const gt_dd_tilt_plan *p, gt_type t)
{
	const size_t view = (size_t)p->d.strips * (p->d.pieces + 1) * 2 * gt_type_size(t), fit = p->limit / view;
	return fit < 1 ? 1 : fit < GT_DD_TILT_BATCH ? fit : GT_DD_TILT_BATCH;
}

static size_t scratch(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t)
{
	const size_t turned = p->count[0] ? (size_t)slab_of(p, t) * p->d.n[1] * p->d.n[2] : 0,
		     most = p->count[0] > p->count[1] ? p->count[0] : p->count[1], views = batch_of(p, t) < most ? batch_of(p, t) : most,
		     pixels = views * p->d.strips * (p->d.pieces + 1) * 2;
	(void)be;
	return (turned > pixels ? turned : pixels) * gt_type_size(t);
}

template <typename REAL> static void turn(gt_backend *be, const gt_dd_tilt *d, const REAL *x, int begin, int end, REAL *turned)
{
	const int across = pieces(end - begin, WARP), up = pieces(d->n[1], WARP);
	turn_kernel<<<(unsigned)((size_t)across * up * d->n[2]), dim3(WARP, TURN_ROWS), 0, gt_cuda_queue(be)>>>(x, turned, d->n[0], d->n[1],
	                                                                                                        begin, end, across, up);
	gt_cuda_check(be, cudaGetLastError(), "dd forward, turned voxels");
}

template <typename REAL> static void forward_slices(gt_backend *be, const gt_dd_tilt *d, gt_dd_tilt_job j)
{
	j.blocks[0] = pieces(d->strips, WARP);
	j.blocks[1] = pieces(d->pieces, GT_DD_TILT_ROWS);
	const size_t blocks = (size_t)j.blocks[0] * j.blocks[1] * pieces(j.views, GT_DD_TILT_VIEWS);
	forward_kernel<REAL><<<(unsigned)blocks, dim3(WARP, GT_DD_TILT_VIEWS), 0, gt_cuda_queue(be)>>>(*d, j);
	gt_cuda_check(be, cudaGetLastError(), "dd forward, tilted");
}

template <typename REAL> static void forward_of(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, const REAL *x, REAL *y)
{
	const gt_dd_tilt *d = &p->d;
	const size_t nx = d->n[0], ny = d->n[1];
	REAL *turned = (REAL *)gt_scratch(be);
	for (int axis = 0; axis < 2; axis++) {
		const int slab = axis ? d->n[1] : slab_of(p, t);
		gt_dd_tilt_job j = { x, y, p->order + (axis ? p->count[0] : 0), (int)p->count[axis], axis, 0, 0, nx, nx * ny, 0, { 0, 0 } };
		for (; j.views && j.begin < d->n[axis]; j.begin = j.end) {
			j.end = d->n[axis] - j.begin < slab ? d->n[axis] : j.begin + slab;
			j.add = j.begin > 0;
			if (axis == 0) {
				turn(be, d, x, j.begin, j.end, turned);
				j.in = turned;
				j.across = ny;
				j.up = (size_t)(j.end - j.begin) * ny;
			}
			forward_slices<REAL>(be, d, j);
		}
	}
}

template <typename REAL, int HEIGHT> static void adjoint_voxels(gt_backend *be, const gt_dd_tilt *d, gt_dd_tilt_job j)
{
	j.blocks[0] = pieces(d->n[1 - j.axis], WARP * GT_DD_TILT_VOXELS);
	j.blocks[1] = pieces(d->n[j.axis], GT_DD_TILT_SLICES);
	const size_t blocks = (size_t)j.blocks[0] * j.blocks[1] * pieces(d->n[2], HEIGHT);
	adjoint_kernel<REAL, HEIGHT><<<(unsigned)blocks, dim3(WARP, GT_DD_TILT_SLICES), 0, gt_cuda_queue(be)>>>(*d, j);
	gt_cuda_check(be, cudaGetLastError(), "dd back, tilted");
}

template <typename REAL> static void adjoint_batch(gt_backend *be, const gt_dd_tilt_plan *p, gt_dd_tilt_job j, const REAL *y, REAL *x)
{
	const gt_dd_tilt *d = &p->d;
	REAL *pixels = (REAL *)gt_scratch(be);
	j.in = y;
	j.out = pixels;
	j.blocks[0] = pieces(d->strips, WARP);
	j.blocks[1] = pieces(d->pieces + 1, TURN_ROWS);
	weigh_kernel<REAL><<<(unsigned)((size_t)j.blocks[0] * j.blocks[1] * j.views), dim3(WARP, TURN_ROWS), 0, gt_cuda_queue(be)>>>(*d, j);
	sum_kernel<REAL><<<(unsigned)((size_t)j.blocks[0] * j.views), WARP, 0, gt_cuda_queue(be)>>>(*d, j);
	j.in = pixels;
	j.out = x;
	if (sizeof(REAL) > 4 || p->rows * (GT_DD_TILT_HEIGHT / 2) <= max_rows)
		adjoint_voxels<REAL, GT_DD_TILT_HEIGHT>(be, d, j);
	else
		adjoint_voxels<float, LOW>(be, d, j);
}

template <typename REAL> static void adjoint_of(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, const REAL *y, REAL *x)
{
	const gt_dd_tilt *d = &p->d;
	const size_t most = batch_of(p, t);
	cudaMemsetAsync(x, 0, (size_t)d->n[0] * d->n[1] * d->n[2] * sizeof *x, gt_cuda_queue(be));
	for (int axis = 0; axis < 2; axis++)
		for (size_t done = 0, batch; done < p->count[axis]; done += batch) {
			const size_t left = p->count[axis] - done, batches = (left + most - 1) / most;
			batch = (left + batches - 1) / batches;
			const gt_dd_tilt_job j = {
				NULL, NULL, p->order + (axis ? p->count[0] : 0) + done, (int)batch, axis, 0, d->n[axis], 0, 0, 0, { 0, 0 }
			};
			adjoint_batch(be, p, j, y, x);
		}
}

static void forward(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, const void *x, void *y)
{
	if (t == GT_F32)
		forward_of(be, p, t, (const float *)x, (float *)y);
	else
		forward_of(be, p, t, (const double *)x, (double *)y);
}

static void adjoint(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, const void *y, void *x)
{
	if (t == GT_F32)
		adjoint_of(be, p, t, (const float *)y, (float *)x);
	else
		adjoint_of(be, p, t, (const double *)y, (double *)x);
}

extern "C" const struct gt_dd_tilt_impl gt_dd_tilt_cuda = { scratch, forward, adjoint };
