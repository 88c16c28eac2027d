/* Passes on CUDA: a thread computes a voxel, a block a tile of a slice. Neighbours come from the caches. Passes with
 * sums run in a number of blocks that is fixed, so that the order of the additions is. */
#include <math.h>
#include "core/device/cuda.cuh"
#include <gantry/host_device.h>
#include "regularizers/pass.h"
#include "regularizers/pass_math.inc"

enum { LANES = 32, ROWS = 8, PARTS = 1024 };

/* Tiles of a volume. */
struct tiles {
	size_t x, y, all;
};

static tiles tiles_of(const size_t *n)
{
	const size_t x = (n[0] + LANES - 1) / LANES, y = (n[1] + ROWS - 1) / ROWS;
	return { x, y, x * y * n[2] };
}

/* The sum of a block in its first thread, in a fixed order. */
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

/* part: [2][PARTS], or NULL where the pass has no sums. */
#define KERNEL(name)                                                                                                           \
	template <typename T>                                                                                                  \
	static __global__ void __launch_bounds__(LANES *ROWS) name##_kernel(const pass_args<T> p, const tiles t, double *part) \
	{                                                                                                                      \
		double sum[2] = { 0, 0 };                                                                                      \
		for (size_t tile = blockIdx.x; tile < t.all; tile += gridDim.x) {                                              \
			const size_t place[3] = { tile % t.x * LANES + threadIdx.x, tile / t.x % t.y * ROWS + threadIdx.y,     \
				                  tile / t.x / t.y };                                                          \
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

template <typename T> static void launch(gt_backend *be, const size_t *n, enum gt_pass pass, const struct gt_pass_call *call, double *part)
{
	typedef void (*kernel)(const pass_args<T>, const tiles, double *);
#define X(name) name##_kernel<T>,
	static const kernel kernels[] = { GT_PASSES(X) };
#undef X
	const tiles t = tiles_of(n);
	const size_t most = 1u << 30, blocks = part ? PARTS : t.all < most ? t.all : most;
	pass_args<T> p;
	pass_args_set(&p, n, call);
	kernels[pass]<<<(unsigned)blocks, dim3(LANES, ROWS), 0, gt_cuda_queue(be)>>>(p, t, part);
}

static void run(gt_backend *be, gt_type type, const size_t *n, enum gt_pass pass, const struct gt_pass_call *call, double *first,
                double *second)
{
	double *part = first ? (double *)gt_scratch(be) : NULL;
	double *slot = first ? gt_cuda_slot(be, first) : NULL, *other = first && second ? gt_cuda_slot(be, second) : NULL;
	if (type == GT_F32)
		launch<float>(be, n, pass, call, part);
	else
		launch<double>(be, n, pass, call, part);
	if (first)
		add_parts<<<1, dim3(LANES, ROWS), 0, gt_cuda_queue(be)>>>(part, slot, other);
	gt_cuda_check(be, cudaGetLastError(), "penalty");
}

extern "C" const struct gt_pass_impl gt_pass_cuda = { 2 * PARTS * sizeof(double), run };
