/* Host side of the distance-driven adjoint on CUDA in single precision. Chooses strip shapes by rows and slices,
 * batches of views whose running sums fit the memory limit, and launches by axis. Kernel and method: dd_adjoint.cuh.
 * Memory on the device: 8 bytes per pixel of a batch of views for running sums, and one volume for each concurrent
 * axis, which unfold() transposes. */
#include "core/device/allow_shared.cuh"
#include "core/device/cuda_streams.cuh"
#include "core/device/pieces.cuh"
#include "core/device/shared_limit.h"
#include "projectors/dd/fast/dd_adjoint.cuh"
#include "projectors/dd/fast/dd_room.cuh"
#include "projectors/dd/fast/dd_tuned.cuh"

/* [y][x][z] -> [z][y][x], of one volume or the sum of two, DEEP slices of WARP columns per block */
enum { DEEP = 2 * WARP, UNFOLD_WARPS = 8 };
static __global__ void __launch_bounds__(WARP *UNFOLD_WARPS)
	unfold(const float *b, const float *other, float *x, int nz, size_t columns, int tiles_z)
{
	enum { OWN = DEEP / UNFOLD_WARPS, PARTS = DEEP / WARP };
	__shared__ float tile[DEEP][WARP + 1];
	const size_t c0 = blockIdx.x / tiles_z * (size_t)WARP;
	const int z0 = blockIdx.x % tiles_z * DEEP, lane = threadIdx.x, warp = threadIdx.y;
	float v[OWN]; /* issue all loads before the first store */
#pragma unroll
	for (int i = 0; i < OWN; i++) {
		const size_t c = c0 + warp + i / PARTS * UNFOLD_WARPS;
		const int z = z0 + i % PARTS * WARP + lane;
		v[i] = c < columns && z < nz ? b[c * nz + z] : 0;
		v[i] += other && c < columns && z < nz ? other[c * nz + z] : 0;
	}
#pragma unroll
	for (int i = 0; i < OWN; i++)
		tile[i % PARTS * WARP + lane][warp + i / PARTS * UNFOLD_WARPS] = v[i];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < OWN; i++) {
		const int z = warp + i * UNFOLD_WARPS;
		if (c0 + lane < columns && z0 + z < nz)
			x[(size_t)(z0 + z) * columns + c0 + lane] = tile[z][lane];
	}
}

static int stride_of(const gt_dd *d) { return (d->rows + 2) / 2 * 2; }
extern "C" int gt_dd_adjoint_form(const gt_dd *d)
{
	return d->rows <= GT_DD_ADJOINT_SHORT ? SHORT : d->rows <= GT_DD_ADJOINT_WHOLE ? FINE : TALL;
}

/* Returns the cheapest number of z edges per lane: the cost of 16 voxels of a tile, averaged from the source side to
 * the detector side. */
static int edges_of(const gt_dd *d, const gt_dd_fast *f, double *least)
{
	enum { HEIGHTS = 9 };
	static const double cost[] = { 0, 470, 566, 920, 1000 };
	const double mean = (f->min_A + f->max_A) / 2, step = (f->max_A - f->min_A) / (HEIGHTS - 1);
	int best = 1;
	*least = 1e300;
	for (int edges = 1; edges <= 4; edges++) {
		double sum = 0;
		for (int i = 0; i < HEIGHTS; i++) {
			const double seen = fmin(f->typical_span + (f->min_A + i * step - mean) * d->rows, d->n[2]);
			sum += cost[edges] * ceil(seen / (WARP * edges)) / HEIGHTS;
		}
		if (sum < *least) {
			*least = sum;
			best = edges;
		}
	}
	return best;
}
/* Returns 1 if bundles see only a part of the slices. */
static int is_part(const gt_dd *d, const gt_dd_fast *f) { return f->typical_span < 0.8 * d->n[2]; }
/* Cutting tiles at the ends of parts costs more than idle blocks. */
enum { FEW_BLOCKS = 800, MANY_BLOCKS = 2400 };
extern "C" gt_dd_strip gt_dd_adjoint_strip(const gt_dd *d, const gt_dd_fast *f)
{
	static const int strip[] = { 0, GT_DD_ADJOINT_STRIP, GT_DD_ADJOINT_STRIP, GT_DD_ADJOINT_STRIP3, GT_DD_ADJOINT_STRIP4 };
	double least;
	if (f->back)
		return *gt_dd_tuned_back_strip(f->back);
	const int edges = edges_of(d, f, &least);
	return { edges,
		 strip[edges],
		 slot_of(gt_dd_adjoint_form(d)),
		 GT_DD_ADJOINT_SLOTS,
		 GT_DD_ADJOINT_BLOCKS,
		 is_part(d, f) ? FEW_BLOCKS : MANY_BLOCKS };
}
static int thin_is_best(const gt_dd *d, const gt_dd_fast *f)
{
	double least;
	edges_of(d, f, &least);
	return !f->back && gt_dd_thin_adjoint_cost(d, f) < least;
}
/* Blocks of an axis if each owns all slices of z. */
static size_t columns_of(const gt_dd *d, const gt_dd_strip *s, int axis)
{
	return (size_t)pieces(d->n[1 - axis], s->strip) * pieces(d->n[axis], SLICES);
}
/* Slices of z that a block owns: all, unless the blocks would be too few for the device. */
static int part_of(const gt_dd *d, const gt_dd_strip *s, size_t blocks)
{
	const int height = WARP * s->edges, tiles = pieces(d->n[2], height),
		  parts = blocks < (size_t)s->fill ? pieces(s->fill, (int)blocks) : 1;
	return pieces(tiles, parts < tiles ? parts : tiles) * height;
}

/* Returns 1 if the slices of z of each block are one tile, which the block can set. */
static int sets_tiles(const gt_dd *d, const gt_dd_fast *f)
{
	const gt_dd_strip s = gt_dd_adjoint_strip(d, f);
	for (int axis = 0; axis < 2; axis++)
		if (part_of(d, &s, columns_of(d, &s, axis)) > WARP * s.edges)
			return 0;
	return 1;
}

extern "C" int gt_dd_fast_adjoint_fits(const gt_dd *d, const gt_dd_fast *f)
{
	const gt_dd_strip s = gt_dd_adjoint_strip(d, f);
	const double rows = d->rows <= GT_DD_ADJOINT_WHOLE ? d->rows : rows_at_most(d, f, WARP * s.edges, SLICES);
	return f->min_A > 0.2 && f->max_A < 4 && (rows + 4) * 8 + sizeof(strip_unit) + 64 <= (size_t)s.slot &&
	       (double)pieces(d->n[0], 8) * pieces(d->n[1], 8) * pieces(d->n[2], WARP) < 2e9;
}

/* Checks the shared memory of a block: the ring, and the terms of the search space in dd_adjoint.cuh. */
extern "C" int gt_dd_fast_adjoint_has_room(const gt_dd *d, const gt_dd_fast *f)
{
	const gt_dd_strip s = gt_dd_adjoint_strip(d, f);
	return thin_is_best(d, f) ||
	       gt_shared_suffices("dd back", (size_t)(s.slot * s.slots + 5632 + (d->rows > 64 ? 4224 : 0)), gt_cuda_most_shared());
}

static size_t volume_bytes(const gt_dd *d) { return ((size_t)d->n[0] * d->n[1] * d->n[2] * sizeof(float) + 255) / 256 * 256; }
static size_t batch_views(const gt_dd *d, const gt_dd_fast *f)
{
	const size_t one = (size_t)d->columns * stride_of(d) * sizeof(float2),
		     views = f->views[0] > f->views[1] ? f->views[0] : f->views[1];
	const size_t most = f->limit / one;
	return most < 1 ? 1 : most < views ? most : views;
}
static size_t sums_bytes(const gt_dd *d, size_t views) { return (views * d->columns * stride_of(d) * sizeof(float2) + 255) / 256 * 256; }
/* The last blocks of an axis would leave most of the device idle. With few views the blocks of the other axis start
 * early, and wait before they add. */
static int begins_early(const gt_dd *d, const gt_dd_fast *f)
{
	const size_t sums = sums_bytes(d, (size_t)f->views[0] + f->views[1]);
	return f->views[0] && f->views[1] && sums <= volume_bytes(d) && sums <= f->limit;
}
/* With more views and few blocks, both axes run concurrently, each with its own volume and sums. */
static int runs_beside(const gt_dd *d, const gt_dd_fast *f)
{
	const double blocks = (double)d->n[0] * d->n[1] / (gt_dd_adjoint_strip(d, f).strip * SLICES);
	const size_t batch = batch_views(d, f);
	return f->views[0] && f->views[1] && !begins_early(d, f) && batch >= (size_t)f->views[0] && batch >= (size_t)f->views[1] &&
	       blocks <= GT_DD_ADJOINT_BESIDE && 2 * (volume_bytes(d) + sums_bytes(d, batch)) <= f->limit;
}
extern "C" size_t gt_dd_fast_adjoint_scratch(const gt_dd *d, const gt_dd_fast *f)
{
	if (thin_is_best(d, f))
		return gt_dd_thin_adjoint_scratch(d, f);
	if (begins_early(d, f))
		return volume_bytes(d) + sums_bytes(d, (size_t)f->views[0] + f->views[1]);
	return (volume_bytes(d) + sums_bytes(d, batch_views(d, f))) * (runs_beside(d, f) ? 2 : 1);
}

template <int STRIP, int EDGES, int FORM>
static cudaError_t launch_form(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const job &j, size_t blocks)
{
	const int bytes = slot_of(FORM) * GT_DD_ADJOINT_SLOTS;
	cudaLaunchAttribute early = {};
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	cudaLaunchConfig_t c = {};
	c.gridDim = (unsigned)blocks;
	c.blockDim = THREADS;
	c.dynamicSmemBytes = bytes;
	c.stream = queue;
	c.attrs = &early;
	c.numAttrs = j.early;
	const cudaError_t e = cudaFuncSetAttribute(adjoint_kernel<STRIP, EDGES, FORM>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	return e == cudaSuccess ? cudaLaunchKernelEx(&c, adjoint_kernel<STRIP, EDGES, FORM>, *d, *f, j) : e;
}
template <int STRIP, int EDGES>
static cudaError_t launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const job &j, size_t blocks)
{
	return j.form == SHORT  ? launch_form<STRIP, EDGES, SHORT>(queue, d, f, j, blocks)
	       : j.form == FINE ? launch_form<STRIP, EDGES, FINE>(queue, d, f, j, blocks)
	                        : launch_form<STRIP, EDGES, TALL>(queue, d, f, j, blocks);
}

static cudaError_t launch_edges(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, job j)
{
	const gt_dd_strip s = gt_dd_adjoint_strip(d, f);
	j.strips = pieces(d->n[1 - j.axis], s.strip);
	j.slice_groups = pieces(d->n[j.axis], SLICES);
	const size_t columns = columns_of(d, &s, j.axis);
	j.part = part_of(d, &s, columns);
	const size_t blocks = columns * pieces(d->n[2], j.part);
	if (f->back)
		return gt_dd_tuned_back_launch(queue, d, f, &j, blocks);
	return s.edges == 1   ? launch<GT_DD_ADJOINT_STRIP, 1>(queue, d, f, j, blocks)
	       : s.edges == 2 ? launch<GT_DD_ADJOINT_STRIP, 2>(queue, d, f, j, blocks)
	       : s.edges == 3 ? launch<GT_DD_ADJOINT_STRIP3, 3>(queue, d, f, j, blocks)
	                      : launch<GT_DD_ADJOINT_STRIP4, 4>(queue, d, f, j, blocks);
}

static size_t view_stride_of(const gt_dd *d) { return (size_t)d->columns * stride_of(d); }
static void sum_views(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const float *y, int first, int views, float2 *sums)
{
	const int groups = pieces(d->columns, WARP);
	sum_rows<<<(unsigned)((size_t)views * groups), dim3(GT_DD_SUM_LINES, GT_DD_SUM_WARPS), 0, queue>>>(
		*d, f->view + first, y, sums, view_stride_of(d), stride_of(d), d->rows / 2, gt_dd_adjoint_form(d), UNIT, groups);
}

struct how {
	int early, sets; /* early: the sums exist already; sets: the launch sets b */
	float *x;        /* volume that the last launch sets, or NULL */
};
/* Adds the views of an axis to b, or sets it. The sums follow b in memory; they exist already or are computed by
 * batches. Returns 0 on failure. */
static int adjoint_axis(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, int axis, const float *y, float *b, struct how how)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const int first = axis ? f->views[0] : 0, end = first + f->views[axis];
	const size_t batch = batch_views(d, f);
	float2 *sums = (float2 *)((char *)b + volume_bytes(d));
	job j = { sums,
		  b,
		  first,
		  0,
		  axis ? f->bundles[0] : 0,
		  f->bundles[axis],
		  axis,
		  stride_of(d),
		  d->rows / 2,
		  gt_dd_adjoint_form(d),
		  view_stride_of(d),
		  0,
		  0,
		  0,
		  how.early && axis,
		  how.sets,
		  NULL };
	for (; j.first < end; j.first += j.views, j.sets = 0) {
		j.views = (size_t)(end - j.first) < batch ? end - j.first : (int)batch;
		j.x = j.first + j.views < end ? NULL : how.x;
		if (how.early)
			j.sums = sums + j.first * j.view_stride;
		else
			sum_views(queue, d, f, y, j.first, j.views, sums);
		if (gt_cuda_check(be, launch_edges(queue, d, f, j), "dd adjoint"))
			return 0;
	}
	return 1;
}

/* Minimum number of views to let the last launch set x. Its extra time does not depend on the number of views, and with
 * few views no other work hides it. */
enum { SET_BY_LAST = 16 };

extern "C" void gt_dd_fast_adjoint(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *y, float *x)
{
	if (thin_is_best(d, f)) {
		gt_dd_thin_adjoint(be, d, f, y, x);
		return;
	}
	const size_t columns = (size_t)d->n[0] * d->n[1];
	const int tiles = pieces(d->n[2], DEEP), early = begins_early(d, f), beside = runs_beside(d, f);
	float *b = (float *)gt_scratch(be), *other = NULL;
	const int sets = f->views[0] && sets_tiles(d, f);
	const int last = sets && d->views >= SET_BY_LAST && !beside && f->views[1] &&
	                 sets_volume(gt_dd_adjoint_strip(d, f).edges, gt_dd_adjoint_form(d)) && d->n[0] % 4 == 0 && (size_t)x % 16 == 0;
	if (beside) {
		other = (float *)((char *)b + volume_bytes(d) + sums_bytes(d, batch_views(d, f)));
		gt_cuda_side(be);
		if (!sets)
			cudaMemsetAsync(other, 0, volume_bytes(d), gt_cuda_queue(be));
		adjoint_axis(be, d, f, 1, y, other, { 0, sets, NULL });
		gt_cuda_main(be);
	}
	cudaStream_t queue = gt_cuda_queue(be);
	if (!sets)
		cudaMemsetAsync(b, 0, volume_bytes(d), queue);
	if (early)
		sum_views(queue, d, f, y, 0, f->views[0] + f->views[1], (float2 *)((char *)b + volume_bytes(d)));
	const int fine = adjoint_axis(be, d, f, 0, y, b, { early, sets, NULL }) &&
	                 (beside || adjoint_axis(be, d, f, 1, y, b, { early, 0, last ? x : NULL }));
	if (beside)
		gt_cuda_join(be);
	if (!fine || last)
		return;
	unfold<<<(unsigned)((columns + WARP - 1) / WARP * tiles), dim3(WARP, UNFOLD_WARPS), 0, queue>>>(b, other, x, d->n[2], columns,
	                                                                                                tiles);
	gt_cuda_check(be, cudaGetLastError(), "dd adjoint");
}
