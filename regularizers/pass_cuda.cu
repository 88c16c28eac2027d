/* Passes on CUDA: a thread computes a voxel, a block a tile of a slice; caches serve the neighbours. Passes with sums
 * have a fixed number of blocks, so the summation order is fixed. */
#include <math.h>
#include "core/device/cuda.cuh"
#include <gantry/author/host_device.h>
#include "regularizers/pass.h"
#include "regularizers/pass_math.inc"

enum { LANES = 32, ROWS = 8, PARTS = 1024 };

/* Tiles of the slices of a range. */
struct tiles {
	size_t x, y, first, all;
};

static tiles tiles_of(const struct gt_pass_range *r)
{
	const size_t x = (r->n[0] + LANES - 1) / LANES, y = (r->n[1] + ROWS - 1) / ROWS;
	return { x, y, r->from, x * y * (r->end - r->from) };
}

/* Returns the sum of a block in its first thread, in a fixed order. */
static __device__ double block_total(double value)
{
	__shared__ double warp[ROWS];
	for (int away = LANES / 2; away > 0; away /= 2)
		value += __shfl_down_sync(~0u, value, away);
	__syncthreads();
	if (threadIdx.x == 0)
		warp[threadIdx.y] = value;
	__syncthreads();
	double total = 0;
	for (int i = 0; i < ROWS; i++)
		total += warp[i];
	return total;
}

/* part: [2][PARTS], or NULL if the pass has no sums. */
#define KERNEL(name)                                                                                                           \
	template <typename T>                                                                                                  \
	static __global__ void __launch_bounds__(LANES *ROWS) name##_kernel(const pass_args<T> p, const tiles t, double *part) \
	{                                                                                                                      \
		double sum[2] = { 0, 0 };                                                                                      \
		for (size_t tile = blockIdx.x; tile < t.all; tile += gridDim.x) {                                              \
			const size_t place[3] = { tile % t.x * LANES + threadIdx.x, tile / t.x % t.y * ROWS + threadIdx.y,     \
				                  t.first + tile / t.x / t.y };                                                \
			if (place[0] < p.n[0] && place[1] < p.n[1])                                                            \
				name<T>(&p, (place[2] * p.n[1] + place[1]) * p.n[0] + place[0], place, sum);                   \
		}                                                                                                              \
		for (int i = 0; i < 2 && part; i++) {                                                                          \
			const double total = block_total(sum[i]);                                                              \
			if (threadIdx.x == 0 && threadIdx.y == 0)                                                              \
				part[i * PARTS + blockIdx.x] = total;                                                          \
		}                                                                                                              \
	}
GT_PASSES(KERNEL)

/* second may be NULL. */
static __global__ void add_parts(const double *part, double *first, double *second)
{
	double sum[2] = { 0, 0 };
	for (unsigned i = threadIdx.y * LANES + threadIdx.x; i < PARTS; i += LANES * ROWS) {
		sum[0] += part[i];
		sum[1] += part[PARTS + i];
	}
	const double total = block_total(sum[0]), other = block_total(sum[1]);
	if (threadIdx.x == 0 && threadIdx.y == 0) {
		*first = total;
		if (second)
			*second = other;
	}
}

/* Non-local means with the default window: a block computes TALL slices of a tile from voxels in shared memory. The
 * padded volume is read about five times, through the caches; a patch is read from shared memory once per neighbour. */
enum { SEARCH = 2, RADIUS = 1, REACH = SEARCH + RADIUS, TALL = 4 };
enum { WIDE_X = LANES + 2 * REACH, WIDE_Y = ROWS + 2 * REACH, WIDE_Z = TALL + 2 * REACH };

template <typename T> static __global__ void __launch_bounds__(LANES *ROWS) nlm_tile(const pass_args<T> p, const tiles t)
{
	extern __shared__ double room[];
	T *shared = (T *)room;
	const size_t tile = blockIdx.x, x0 = tile % t.x * LANES, y0 = tile / t.x % t.y * ROWS, z0 = tile / t.x / t.y * TALL;
	const size_t px = p.n[0] + 2 * REACH, py = p.n[1] + 2 * REACH, pz = p.n[2] + 2 * REACH;
	const unsigned me = threadIdx.y * LANES + threadIdx.x;
	for (unsigned i = me; i < WIDE_X * WIDE_Y * WIDE_Z; i += LANES * ROWS) {
		const size_t x = x0 + i % WIDE_X, y = y0 + i / WIDE_X % WIDE_Y, z = z0 + i / WIDE_X / WIDE_Y;
		shared[i] = x < px && y < py && z < pz ? p.a[0][(z * py + y) * px + x] : (T)0;
	}
	__syncthreads();
	const size_t x = x0 + threadIdx.x, y = y0 + threadIdx.y;
	if (x >= p.n[0] || y >= p.n[1])
		return;
	for (unsigned k = 0; k < TALL && z0 + k < p.n[2]; k++) {
		const T *c = shared + ((k + REACH) * WIDE_Y + threadIdx.y + REACH) * WIDE_X + threadIdx.x + REACH;
		const T average = patch_average(c, WIDE_X, WIDE_X * WIDE_Y, SEARCH, RADIUS, p.k[PATCH_PER_H2]);
		p.a[1][((z0 + k) * p.n[1] + y) * p.n[0] + x] = patch_relaxed(&p, *c, average);
	}
}

/* Returns 1 if the window has that size and the kernel was launched. */
template <typename T> static int launch_nlm_tile(gt_backend *be, enum gt_pass pass, const pass_args<T> &p)
{
	const struct gt_pass_range towers = { p.n, 0, (p.n[2] + TALL - 1) / TALL };
	const tiles t = tiles_of(&towers);
	if (pass != GT_PASS_nlm_average || p.k[PATCH_SEARCH] != SEARCH || p.k[PATCH_RADIUS] != RADIUS || t.all > 0x7fffffff)
		return 0;
	const size_t bytes = (size_t)WIDE_X * WIDE_Y * WIDE_Z * sizeof(T);
	nlm_tile<T><<<(unsigned)t.all, dim3(LANES, ROWS), bytes, gt_cuda_queue(be)>>>(p, t);
	return 1;
}

template <typename T>
static void launch(gt_backend *be, const struct gt_pass_range *range, enum gt_pass pass, const struct gt_pass_call *call, double *part)
{
	typedef void (*kernel)(const pass_args<T>, const tiles, double *);
#define X(name) name##_kernel<T>,
	static const kernel kernels[] = { GT_PASSES(X) };
#undef X
	const tiles t = tiles_of(range);
	const size_t max = 1u << 30, parts = PARTS, blocks = part ? parts : t.all < max ? t.all : max;
	pass_args<T> p;
	pass_args_set(&p, range->n, call);
	if (launch_nlm_tile(be, pass, p))
		return;
	kernels[pass]<<<(unsigned)blocks, dim3(LANES, ROWS), 0, gt_cuda_queue(be)>>>(p, t, part);
}

static void run(gt_backend *be, gt_type type, const struct gt_pass_range *range, enum gt_pass pass, const struct gt_pass_call *call,
                double *first, double *second)
{
	double *part = first ? (double *)gt_scratch(be) : NULL;
	double *slot = first ? gt_cuda_slot(be, first) : NULL, *other = first && second ? gt_cuda_slot(be, second) : NULL;
	if (type == GT_F32)
		launch<float>(be, range, pass, call, part);
	else
		launch<double>(be, range, pass, call, part);
	if (first)
		add_parts<<<1, dim3(LANES, ROWS), 0, gt_cuda_queue(be)>>>(part, slot, other);
	gt_cuda_check(be, cudaGetLastError(), "penalty");
}

extern "C" const struct gt_pass_impl gt_pass_cuda = { 2 * PARTS * sizeof(double), run };
