/* Distance-driven adjoint on CUDA in single precision, by tiles of few slices along z. A thread owns a column of voxels
 * along z, and two or four adjacent columns, because lanes of z edges would mostly idle.
 *
 * Detector columns arrive as running sums through the ring of dd_ring.cuh. A thread finds the columns that meet its
 * voxels, samples each at consecutive z edges and adds the differences, times the overlaps. A warp is ACROSS threads
 * along DEEP slices. Half a warp then reads about 13 adjacent columns, which begin in different banks if a column has
 * an odd number of entries. Chunks of the tile that a view does not see are skipped.
 *
 * Minimum work: 6 instructions per column of a thread and z edge, and one for each of its voxels; one to three more for
 * tall detectors.
 *
 * Precision. Differences are taken before the addition, so the error does not grow with the views. Clamping rounds the
 * position in a window of n rows by n times 3e-8, and positions that are not fractions round once more. Windows of
 * whole columns are therefore short.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_THIN_WARPS_ACROSS /* warps of a block along the slices: 1, 2, 4 */
#define GT_DD_THIN_WARPS_ACROSS 2
#endif
#ifndef GT_DD_THIN_WARPS_DEEP /* and across them: 1 to 4 */
#define GT_DD_THIN_WARPS_DEEP 2
#endif
#ifndef GT_DD_THIN_CHUNK /* slices that are skipped together: 4, 8 */
#define GT_DD_THIN_CHUNK 4
#endif
#ifndef GT_DD_THIN_SLOTS /* slots of the ring: 2 to 8 */
#define GT_DD_THIN_SLOTS 2
#endif
#ifndef GT_DD_THIN_BLOCKS /* blocks per multiprocessor for up to 40 sums per thread: 3, 4, 5 */
#define GT_DD_THIN_BLOCKS 4
#endif
#ifndef GT_DD_THIN_BLOCKS_TALL /* for more sums per thread: 2, 3 */
#define GT_DD_THIN_BLOCKS_TALL 3
#endif
/* detectors with at most this number of rows are copied in whole columns and use rounded positions: 16 to 64 */
#ifndef GT_DD_THIN_WHOLE
#define GT_DD_THIN_WHOLE 64
#endif
#ifndef GT_DD_THIN_AHEAD /* taller tiles load the next column ahead: 0 to 32 */
#define GT_DD_THIN_AHEAD 20
#endif
#ifndef GT_DD_THIN_WAITS /* taller tiles add to voxels by atomics, without loading them: 0 to 32 */
#define GT_DD_THIN_WAITS 20
#endif
#ifndef GT_DD_THIN_BESIDE /* maximum blocks per axis to run both axes concurrently: 0 to 1 << 20 */
#define GT_DD_THIN_BESIDE 4096
#endif
#ifndef GT_DD_THIN_FOLDED /* maximum rows for positions over the window: 0 to 64 */
#define GT_DD_THIN_FOLDED 40
#endif
#include <math.h>
#include "core/device/allow_shared.cuh"
#include "core/device/cuda_streams.cuh"
#include "core/device/device_math.cuh"
#include "core/device/pieces.cuh"
#include "core/device/shared_limit.h"
#include "projectors/dd/fast/dd_ring.cuh"

enum { ACROSS = 4, DEEP = WARP / ACROSS, WARPS = GT_DD_THIN_WARPS_ACROSS * GT_DD_THIN_WARPS_DEEP, THREADS = WARP * (WARPS + 1) };
enum { SLICES = DEEP * GT_DD_THIN_WARPS_DEEP };
typedef unit<SLICES> thin_unit;
static_assert(sizeof(thin_unit) % 16 == 0 && (int)SLICES <= (int)WARP, "bulk copies need 16 bytes; a lane per slice");

/* Tiles of NZ voxels along z, VOXELS adjacent columns per thread. */
template <int NZ, int VOXELS> struct thin_shape {
	enum {
		STRIP = ACROSS * VOXELS * GT_DD_THIN_WARPS_ACROSS,
		SLICES = ::SLICES,
		HEIGHT = NZ,
		CHUNK = NZ % GT_DD_THIN_CHUNK == 0 ? GT_DD_THIN_CHUNK
		        : NZ < 4                   ? NZ
		                                   : 4,
		BLOCKS = NZ * VOXELS > 40 ? GT_DD_THIN_BLOCKS_TALL : GT_DD_THIN_BLOCKS,
		SLOT = 221184 / BLOCKS / GT_DD_THIN_SLOTS / 128 * 128,
		SLOTS = GT_DD_THIN_SLOTS,
		ODD = 1,
		WHOLE = GT_DD_THIN_WHOLE
	};
};

/* Maximum shared memory of a ring, for any shape. */
static const int max_ring = 221184 / (GT_DD_THIN_BLOCKS_TALL < GT_DD_THIN_BLOCKS ? GT_DD_THIN_BLOCKS_TALL : GT_DD_THIN_BLOCKS);

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* A column at the voxels of a thread. */
struct course {
	unsigned column;    /* address of its sums, minus MAGIC_BYTES */
	float step, middle; /* position per z edge and of the tile's centre, over the window */
	float rows, from_middle;
};

/* Running sum at a z edge, which is relative to the tile's centre. */
template <int FORM> static __device__ __forceinline__ float sum_at(const struct course &c, float edge)
{
	const float in = __saturatef(fmaf(c.step, edge, c.middle)), t = __fmaf_rd(in, c.rows, 8388608.f);
	const float2 entry = load2(c.column + __float_as_uint(t) * 8);
	const float at = FORM == FOLDED ? in : FORM == SHORT ? fmaf(in, c.rows, c.from_middle) : fmaf(in, c.rows, 8388608.f - t);
	return fmaf(at, entry.y, entry.x);
}

/* Adds the view in u to the voxels of a thread, from number `voxel` of the strip on, on a slice. */
template <int NZ, int VOXELS, int FORM>
static __device__ __forceinline__ void consume(const thin_unit *u, int voxel, int slice, unsigned chunks, float (&sum)[VOXELS][NZ])
{
	enum { CHUNK = thin_shape<NZ, VOXELS>::CHUNK, AHEAD = NZ > GT_DD_THIN_AHEAD };
	const int count = u->columns;
	const double a = u->line[slice][0] - voxel, g = u->line[slice][1], in_rows = inverse_of(u->rows),
		     in_g = u->line[slice][2] * in_rows, above = u->line[slice][3], shift = u->shift * in_rows;
	const double2 *U = (const double2 *)(u + 1);
	const unsigned bytes = u->bytes, columns = address_of(U + count) + u->start;
	struct course c = { 0, 0, 0, (float)u->rows, (float)u->from_middle };
	const float first_edge = (float)((__ffs(chunks) - 1) * CHUNK) - 0.5f * NZ;
	/* linear interpolation estimates the first column; the edges decide */
	const float begin = (float)fma(g, U[0].x, a), end = (float)fma(g, U[count].x, a);
	int k = max(0, min(count - 1, (int)(-begin * __fdividef((float)count, end - begin) - 0.7f)));
	float low = (float)fma(g, U[k].x, a);
#pragma unroll 1
	while (low > 0 && k > 0)
		low = (float)fma(g, U[--k].x, a);
	float high = (float)fma(g, U[k + 1].x, a);
#pragma unroll 1
	while (high <= 0 && k < count - 1) {
		low = high;
		high = (float)fma(g, U[++k + 1].x, a);
	}
	if (high <= 0 || low >= VOXELS)
		return;
	double slope = U[k].y * in_g;
	c.step = (float)slope;
	c.middle = (float)(slope * above - shift);
	for (;;) {
		const float inverse = gt_rcp_approx(high - low),
			    next_high = AHEAD ? (float)fma(g, U[k + 2].x, a) : 0; /* not used after the last column */
		slope = AHEAD ? U[k + 1].y * in_g : 0;
		const float next_step = (float)slope, next_middle = (float)(slope * above - shift);
		float weight[VOXELS];
#pragma unroll
		for (int v = 0; v < VOXELS; v++)
			weight[v] = fmaxf(fminf(high, v + 1.f) - fmaxf(low, (float)v), 0.f) * inverse;
		c.column = columns + k * bytes;
		float below = sum_at<FORM>(c, first_edge);
#pragma unroll
		for (int i = 0; i < NZ / CHUNK; i++)
			if (chunks >> i & 1) {
				float value[CHUNK];
#pragma unroll
				for (int z = 0; z < CHUNK; z++)
					value[z] = sum_at<FORM>(c, i * CHUNK + z + 1 - 0.5f * NZ);
#pragma unroll
				for (int z = 0; z < CHUNK; z++) {
					const float here = value[z] - below;
					below = value[z];
#pragma unroll
					for (int v = 0; v < VOXELS; v++)
						sum[v][i * CHUNK + z] = fmaf(weight[v], here, sum[v][i * CHUNK + z]);
				}
			}
		if (++k >= count || high >= VOXELS)
			break;
		low = high;
		if (AHEAD) {
			high = next_high;
			c.step = next_step;
			c.middle = next_middle;
		} else {
			high = (float)fma(g, U[k + 1].x, a);
			slope = U[k].y * in_g;
			c.step = (float)slope;
			c.middle = (float)(slope * above - shift);
		}
	}
}

template <int NZ, int VOXELS>
static __device__ void flush(const gt_dd &d, const job &j, float (&sum)[VOXELS][NZ], int i, int n, int e, int end)
{
	enum { PART = NZ < 4 ? NZ : 4 };
	const size_t plane = (size_t)d.n[0] * d.n[1];
#pragma unroll
	for (int v = 0; v < VOXELS; v++) {
		if (n < d.n[j.axis] && i + v < d.n[1 - j.axis]) {
			float *x = j.b + (size_t)e * plane + (j.axis == 1 ? (size_t)n * d.n[0] + i + v : (size_t)(i + v) * d.n[0] + n);
#pragma unroll
			for (int first = 0; first < NZ; first += PART) {
				/* the atomic addition avoids a load, although no other thread adds here */
				if (NZ > GT_DD_THIN_WAITS) {
#pragma unroll
					for (int z = 0; z < PART; z++)
						if (e + first + z < end)
							atomicAdd(&x[z * plane], sum[v][first + z]);
				} else {
					float old[PART];
#pragma unroll
					/* issued together, so that their latencies overlap */
					for (int z = 0; z < PART; z++)
						old[z] = e + first + z < end ? x[z * plane] : 0;
#pragma unroll
					for (int z = 0; z < PART; z++)
						if (e + first + z < end)
							x[z * plane] = old[z] + sum[v][first + z];
				}
				x += PART * plane;
			}
		}
#pragma unroll
		for (int z = 0; z < NZ; z++)
			sum[v][z] = 0;
	}
}

template <int NZ, int VOXELS, int FORM>
__global__ void __launch_bounds__(THREADS, (thin_shape<NZ, VOXELS>::BLOCKS)) thin_kernel(gt_dd d, gt_dd_fast f, job j)
{
	typedef thin_shape<NZ, VOXELS> S;
	extern __shared__ __align__(128) unsigned char places[];
	__shared__ __align__(8) unsigned long long full[GT_DD_THIN_SLOTS], empty[GT_DD_THIN_SLOTS];
	const int warp = same(threadIdx.x / WARP), lane = threadIdx.x % WARP;
	const int i0 = gt_dd_outwards(blockIdx.x / j.slice_groups % j.strips, j.strips) * S::STRIP,
		  n0 = blockIdx.x % j.slice_groups * SLICES, z0 = blockIdx.x / j.strips / j.slice_groups * j.part,
		  z1 = min(z0 + j.part, d.n[2]);
	const struct ring ring = { places, address_of(full), address_of(empty) };
	if (threadIdx.x == 0) {
		for (int i = 0; i < GT_DD_THIN_SLOTS; i++) {
			barrier_init(ring.full + 8 * i, 1);
			barrier_init(ring.empty + 8 * i, WARPS);
		}
		barrier_fence();
	}
	__syncthreads();
	if (warp == WARPS) {
		produce<S>(d, f, j, ring, i0, n0, z0, z1);
		return;
	}
	const int voxel = (warp % GT_DD_THIN_WARPS_ACROSS * ACROSS + lane % ACROSS) * VOXELS,
		  slice = warp / GT_DD_THIN_WARPS_ACROSS * DEEP + lane / ACROSS;
	float sum[VOXELS][NZ] = { { 0 } };
	int e = -1; /* no tile yet */
	for (unsigned units = 0;; units++) {
		const unsigned slot = units % GT_DD_THIN_SLOTS;
		const thin_unit *u = (const thin_unit *)(places + slot * S::SLOT);
		barrier_wait(ring.full + 8 * slot, units / GT_DD_THIN_SLOTS % 2);
		const struct order order = u->order;
		if (same(order.last))
			break;
		if (same(order.edge) != e) {
			if (e >= 0)
				flush<NZ, VOXELS>(d, j, sum, i0 + voxel, n0 + slice, e, z1);
			e = same(order.edge);
		}
		if (order.valid >> slice & 1)
			consume<NZ, VOXELS, FORM>(u, voxel, slice, u->chunks, sum);
		__syncwarp();
		if (lane == 0)
			barrier_arrive(ring.empty + 8 * slot);
	}
	if (e >= 0)
		flush<NZ, VOXELS>(d, j, sum, i0 + voxel, n0 + slice, e, z1);
}
#else
template <int NZ, int VOXELS, int FORM> __global__ void thin_kernel(gt_dd d, gt_dd_fast f, job j) {}
#endif

/* Odd if columns are copied whole. */
static int stride_of(const gt_dd *d) { return d->rows <= GT_DD_THIN_WHOLE ? (d->rows + 1) | 1 : (d->rows + 2) / 2 * 2; }
static int form_of(const gt_dd *d) { return d->rows <= GT_DD_THIN_FOLDED ? FOLDED : d->rows <= GT_DD_THIN_WHOLE ? SHORT : FINE; }
static size_t view_stride(const gt_dd *d) { return ((size_t)d->columns + 2) / 2 * 2 * stride_of(d); }
static size_t batch_views(const gt_dd *d, const gt_dd_fast *f)
{
	const size_t views = f->views[0] > f->views[1] ? f->views[0] : f->views[1], most = f->limit / (view_stride(d) * sizeof(float2));
	return most < 1 ? 1 : most < views ? most : views;
}
template <int NZ, int VOXELS, int FORM> static cudaError_t launch_form(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, job j)
{
	typedef thin_shape<NZ, VOXELS> S;
	const int bytes = S::SLOT * S::SLOTS;
	j.strips = pieces(d->n[1 - j.axis], S::STRIP);
	j.slice_groups = pieces(d->n[j.axis], SLICES);
	const size_t columns = (size_t)j.strips * j.slice_groups;
	j.part = d->n[2];
	const cudaError_t e = cudaFuncSetAttribute(thin_kernel<NZ, VOXELS, FORM>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	if (e == cudaSuccess)
		thin_kernel<NZ, VOXELS, FORM><<<(unsigned)columns, THREADS, bytes, queue>>>(*d, *f, j);
	return e;
}
template <int NZ, int VOXELS> static cudaError_t launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, job j)
{
	return j.form == FOLDED  ? launch_form<NZ, VOXELS, FOLDED>(queue, d, f, j)
	       : j.form == SHORT ? launch_form<NZ, VOXELS, SHORT>(queue, d, f, j)
	                         : launch_form<NZ, VOXELS, FINE>(queue, d, f, j);
}

static const int thin_heights[] = { 1, 2, 4, 8, 16, 20, 28, 32 };
enum { TALLEST = 32, MANY = 6 };

/* Index of the lowest tile that holds all slices; for more slices, one that leaves registers for loads ahead. */
static int size_of(const gt_dd *d)
{
	int i = 0;
	if (d->n[2] > TALLEST)
		return MANY;
	while (thin_heights[i] < d->n[2])
		i++;
	return i;
}

/* A tile has a fixed cost and a cost for each slice that a view sees. Windows of tall detectors must fit, and pay off
 * only for very few slices. */
extern "C" double gt_dd_thin_adjoint_cost(const gt_dd *d, const gt_dd_fast *f)
{
	enum { STEPS = 9, A_TILE = 60, A_SLICE = 10, VERY_FEW = 8 };
	const int height = thin_heights[size_of(d)], most = gt_cuda_most_shared();
	const double mean = (f->min_A + f->max_A) / 2, step = (f->max_A - f->min_A) / (STEPS - 1);
	if ((d->rows > GT_DD_THIN_WHOLE && d->n[2] > VERY_FEW) ||
	    (rows_at_most(d, f, height, SLICES) + 4) * 8 + sizeof(thin_unit) + 64 > thin_shape<1, 1>::SLOT ||
	    !(d->n[2] > TALLEST ? max_ring + 64 <= most /* no message: other kernels are better anyway */
	                        : gt_shared_suffices("dd back of few slices", (size_t)max_ring + 64, most)))
		return 1e300;
	double sum = 0;
	for (int i = 0; i < STEPS; i++) {
		const double seen = (f->min_A + i * step) * d->rows, span = f->typical_span + seen - mean * d->rows;
		sum += A_TILE * ceil(fmin(span, d->n[2]) / height) + A_SLICE * fmin(seen, d->n[2]);
	}
	return sum / STEPS;
}

static size_t sums_bytes(const gt_dd *d, const gt_dd_fast *f)
{
	return (batch_views(d, f) * view_stride(d) * sizeof(float2) + 255) / 256 * 256;
}
static size_t volume_bytes(const gt_dd *d) { return (size_t)d->n[0] * d->n[1] * d->n[2] * sizeof(float); }
/* As in dd_adjoint_cuda.cu; one of the volumes is the result. */
static int runs_beside(const gt_dd *d, const gt_dd_fast *f)
{
	const double blocks = (double)d->n[0] * d->n[1] / (thin_shape<1, 2>::STRIP * SLICES);
	const int batch = (int)batch_views(d, f);
	return f->views[0] && f->views[1] && batch >= f->views[0] && batch >= f->views[1] && blocks <= GT_DD_THIN_BESIDE &&
	       2 * sums_bytes(d, f) + volume_bytes(d) <= f->limit;
}
extern "C" size_t gt_dd_thin_adjoint_scratch(const gt_dd *d, const gt_dd_fast *f)
{
	return runs_beside(d, f) ? 2 * sums_bytes(d, f) + volume_bytes(d) : sums_bytes(d, f);
}

static __global__ void add(float *x, const float *y, size_t n)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
		x[i] += y[i];
}

/* Adds the views of an axis to x. Returns 0 on failure. */
static int adjoint_axis(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, int axis, const float *y, float2 *sums, float *x)
{
	static cudaError_t (*const launches[])(cudaStream_t, const gt_dd *, const gt_dd_fast *,
	                                       job) = { launch<1, 4>,  launch<2, 4>,  launch<4, 2>,  launch<8, 2>,
		                                        launch<16, 2>, launch<20, 2>, launch<28, 2>, launch<32, 2> };
	cudaStream_t queue = gt_cuda_queue(be);
	const int groups = pieces(d->columns, WARP), middle = d->rows / 2, form = form_of(d), stride = stride_of(d), size = size_of(d),
		  first = axis ? f->views[0] : 0, bundle = axis ? f->bundles[0] : 0;
	const size_t batch = batch_views(d, f), apart = view_stride(d);
	for (size_t done = 0; done < (size_t)f->views[axis]; done += batch) {
		const int views = (int)(f->views[axis] - done < batch ? f->views[axis] - done : batch);
		const job j = {
			sums, x, first + (int)done, views, bundle, f->bundles[axis], axis, stride, middle, form, apart, 0, 0, 0, 0, 0, NULL
		};
		sum_rows<<<(unsigned)((size_t)views * groups), dim3(GT_DD_SUM_LINES, GT_DD_SUM_WARPS), 0, queue>>>(*d, f->view + j.first, y,
		                                                                                                   sums, apart, stride,
		                                                                                                   middle, form, 1.f,
		                                                                                                   groups);
		if (gt_cuda_check(be, launches[size](queue, d, f, j), "dd adjoint"))
			return 0;
	}
	return 1;
}

extern "C" void gt_dd_thin_adjoint(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *y, float *x)
{
	enum { ADD_BLOCKS = 1024, ADD_THREADS = 256 };
	const int beside = runs_beside(d, f);
	char *scratch = (char *)gt_scratch(be);
	float2 *sums = (float2 *)scratch, *other_sums = (float2 *)(scratch + sums_bytes(d, f));
	float *other = (float *)(scratch + 2 * sums_bytes(d, f));
	if (beside) {
		gt_cuda_side(be);
		cudaMemsetAsync(other, 0, volume_bytes(d), gt_cuda_queue(be));
		adjoint_axis(be, d, f, 1, y, other_sums, other);
		gt_cuda_main(be);
	}
	cudaMemsetAsync(x, 0, volume_bytes(d), gt_cuda_queue(be));
	const int fine = adjoint_axis(be, d, f, 0, y, sums, x) && (beside || adjoint_axis(be, d, f, 1, y, sums, x));
	if (beside) {
		gt_cuda_join(be);
		add<<<ADD_BLOCKS, ADD_THREADS, 0, gt_cuda_queue(be)>>>(x, other, volume_bytes(d) / sizeof *x);
	}
	if (fine)
		gt_cuda_check(be, cudaGetLastError(), "dd adjoint");
}
