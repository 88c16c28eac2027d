#ifndef GT_PROJECTORS_DD_TILT_DD_DERIVATIVE_LEVEL_CUH
#define GT_PROJECTORS_DD_TILT_DD_DERIVATIVE_LEVEL_CUH
/* Transpose of the derivative of dd for level strips on CUDA (dd_derivative_level.h), in batches of views. Threads of
 * strips weigh and sum the pixels, and add the derivatives of the weights. Threads of strips then gather
 * GT_DD_HEIGHTS heights; the warps of a block share the slices. Sums of a thread have the type of the data, all others
 * are in double. Lanes are adjacent strips. */
#include "projectors/dd/tilt/dd_derivative_level.h"
#include "projectors/kit/pixel_derivative.cuh"

enum { LANES = 32, WARPS = 8 };
#ifndef GT_DD_LEVEL_BLOCKS /* minimum blocks per multiprocessor: 1 to 4 */
#define GT_DD_LEVEL_BLOCKS 2
#endif
static const size_t max_batch = (size_t)256 << 20; /* bytes of a batch of views */

/* Sets velocity [GT_VELOCITIES] of a block from the changes of each thread. */
static __device__ void add_block(const gt_dd_derivative &d, size_t view, int k, const double *change, double *velocity)
{
	__shared__ double shared[WARPS][GT_DD_SCALARS][LANES];
	const int lane = threadIdx.x % LANES;
	for (int s = 0; s < GT_DD_SCALARS; s++)
		shared[threadIdx.x / LANES][s][lane] = change[s];
	__syncthreads();
	if (threadIdx.x >= LANES)
		return;
	double sums[GT_DD_SCALARS];
	for (int s = 0; s < GT_DD_SCALARS; s++) {
		sums[s] = 0;
		for (int w = 0; w < WARPS; w++)
			sums[s] += shared[w][s][lane];
	}
	for (int c = 0; c < GT_VELOCITIES; c++) {
		double sum = k < d.d.view[view].strips ? gt_dd_change_back(&d, view, k, sums, c) : 0;
		for (int way = LANES / 2; way; way /= 2)
			sum += __shfl_down_sync(0xffffffffu, sum, way);
		if (lane == 0)
			velocity[c] = sum;
	}
}

/* Blocks of a view: those of its pixels along the strips, then those of its voxels along the strips and along z. */
static unsigned level_strips(const gt_dd_tilt *d) { return (unsigned)pieces(d->strips, LANES); }
static unsigned level_heights(const gt_dd_tilt *d) { return (unsigned)pieces(d->n[2], GT_DD_HEIGHTS); }
static size_t level_blocks(const gt_dd_tilt *d) { return (size_t)level_strips(d) * (1 + level_heights(d)); }
static __host__ __device__ size_t level_pixels(const gt_dd_tilt *d) { return (size_t)(d->pieces + 2) * d->strips; }
static size_t level_views(const gt_dd_tilt *d)
{
	const size_t most = max_batch / (level_pixels(d) * sizeof(gt_dd_level_pixel));
	return most < 1 ? 1 : most < d->views ? most : d->views;
}

/* Views from `first` on. pixels: [view of the batch][piece, d.pieces + 2][d.strips], the first and the one after the
 * last piece without a value. part: [view][level_blocks()][GT_VELOCITIES]. */
struct level_batch {
	gt_dd_derivative d;
	size_t first, blocks;
	unsigned strips, heights;
	const float *x, *x_slices, *y, *projections;
	gt_dd_level_pixel *pixels;
	double *part;
};

static __global__ void __launch_bounds__(LANES *WARPS) weigh_level(level_batch b)
{
	__shared__ double shared[WARPS][LANES];
	const gt_dd_tilt *d = &b.d.d;
	const size_t view = b.first + blockIdx.x / b.strips, block = blockIdx.x % b.strips;
	const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, k = (int)block * LANES + lane;
	gt_dd_piece p = gt_dd_strip_of(&b.d, view, k);
	const int seen = k < p.v->strips ? p.v->pieces : 0, from = seen * warp / WARPS, to = seen * (warp + 1) / WARPS;
	const size_t at = view * d->rows * d->columns + (p.v->start + k * p.v->to_strip);
	gt_dd_level_pixel *out = b.pixels + (view - b.first) * level_pixels(d) + d->strips + k;
	double sum = 0, before = 0, change[GT_DD_SCALARS];
	for (int l = from; l < to; l++)
		sum += (double)b.y[at + l * p.v->to_piece] * gt_dd_tilt_weight(d, p.v, p.e, p.strip, l);
	shared[warp][lane] = sum;
	__syncthreads();
	for (int s = 0; s < GT_DD_SCALARS; s++)
		change[s] = 0;
	for (int w = 0; w < WARPS; w++)
		before += (w < warp ? 0.5 : -0.5) * shared[w][lane];
	if (seen && warp == 0)
		out[-d->strips] = { (float)before, 0 };
	for (p.l = from; p.l < to; p.l++) {
		const size_t pixel = at + p.l * p.v->to_piece;
		const double y = b.y[pixel], value = y * gt_dd_tilt_weight(d, p.v, p.e, p.strip, p.l);
		out[(ptrdiff_t)p.l * d->strips] = { (float)before, (float)value };
		before += value;
		gt_dd_add_weight(d, &p, y * (double)b.projections[pixel], change);
	}
	if (seen && warp == WARPS - 1)
		out[(ptrdiff_t)seen * d->strips] = { (float)before, 0 };
	add_block(b.d, view, k, change, b.part + (view * b.blocks + block) * GT_VELOCITIES);
}

static __global__ void __launch_bounds__(LANES *WARPS, GT_DD_LEVEL_BLOCKS) gather_level(level_batch b)
{
	const gt_dd_tilt *d = &b.d.d;
	const unsigned block = blockIdx.x % (b.strips * b.heights);
	const size_t view = b.first + blockIdx.x / (b.strips * b.heights);
	const int k = (int)(block % b.strips) * LANES + threadIdx.x % LANES;
	gt_dd_piece p = gt_dd_strip_of(&b.d, view, k);
	double change[GT_DD_SCALARS];
	for (int s = 0; s < GT_DD_SCALARS; s++)
		change[s] = 0;
	if (k < p.v->strips) {
		const gt_dd_voxels x = { p.v->axis ? b.x : b.x_slices, (size_t)d->n[1 - p.v->axis], 1, (size_t)d->n[0] * d->n[1] };
		gt_dd_level_column c;
		c.z = (int)(block / b.strips) * GT_DD_HEIGHTS;
		c.heights = min(d->n[2] - c.z, (int)GT_DD_HEIGHTS);
		c.from = b.pixels + (view - b.first) * level_pixels(d) + d->strips + k;
		c.row = d->strips * (int)sizeof(gt_dd_level_pixel);
		p.l = gt_dd_middle_piece(&p, c.z, c.heights);
		gt_dd_set_column(&p, p.v->first + threadIdx.x / LANES, WARPS, &c);
		while (c.n < p.v->end)
			gt_dd_add_column(d, &p, &x, &c);
		GT_DD_RELOAD(p);
		gt_dd_column_by(&p, &c, change);
	}
	add_block(b.d, view, k, change, b.part + (view * b.blocks + b.strips + block) * GT_VELOCITIES);
}

/* Bytes of gt_scratch() after a copy of the volume: the sums of blocks, and a batch of views. */
static size_t level_part_bytes(const gt_dd_tilt *d)
{
	return (d->views * level_blocks(d) * GT_VELOCITIES * sizeof(double) + 255) / 256 * 256;
}
static size_t level_bytes(const gt_dd_tilt *d)
{
	return level_part_bytes(d) + level_views(d) * level_pixels(d) * sizeof(gt_dd_level_pixel);
}

/* x: the volume, and x_slices its copy [z][x][y]; scratch: level_bytes(). Sets part, blocks of all views. */
static void gather_views(const gt_dd_derivative *d, const float *x, const float *x_slices, const float *y, void *scratch)
{
	cudaStream_t queue = gt_cuda_queue(d->be);
	const size_t most = level_views(&d->d);
	level_batch b = { *d, 0,        level_blocks(&d->d), level_strips(&d->d), level_heights(&d->d),
		             x,  x_slices, y,                   (const float *)gt_array_data(d->projections),
		             (gt_dd_level_pixel *)((char *)scratch + level_part_bytes(&d->d)), (double *)scratch };
	for (; b.first < d->d.views; b.first += most) {
		const size_t views = d->d.views - b.first < most ? d->d.views - b.first : most;
		weigh_level<<<(unsigned)(views * b.strips), LANES * WARPS, 0, queue>>>(b);
		gather_level<<<(unsigned)(views * b.strips * b.heights), LANES * WARPS, 0, queue>>>(b);
	}
}
#endif
