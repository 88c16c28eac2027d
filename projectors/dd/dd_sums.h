#ifndef GT_DD_SUMS_H
#define GT_DD_SUMS_H
/* Device code: running sums along lines, in single precision with carries in double.
 * A block of 32 x 8 threads sums 32 lines beside each other; lane = line while it reads, place along the line while it writes. */
#include <cuda_runtime.h>

enum { GT_DD_SUM_LINES = 32, GT_DD_SUM_WARPS = 8, GT_DD_SUM_TILE = 2 * GT_DD_SUM_LINES };

/* value(i) is value i of the lane's line, 0 past its end; store(line, i, C, v0, v1) gets values i and i+1 of one of the lines, i even and below `places`,
 * and the sum C of those before i less that of values 0 .. middle-1. */
template <typename VALUE, typename STORE>
static __device__ __forceinline__ void gt_dd_running_sums(int middle, int places, VALUE value, STORE store)
{
	enum { LINES = GT_DD_SUM_LINES, WARPS = GT_DD_SUM_WARPS, TILE = GT_DD_SUM_TILE, OWN = LINES / WARPS };
	__shared__ float tile[TILE][LINES + 1];
	__shared__ double part[WARPS][LINES];
	const int lane = threadIdx.x, warp = threadIdx.y;
	double low = 0, start[OWN];
	for (int i = warp; i < middle; i += WARPS)
		low += value(i);
	part[warp][lane] = low;
	__syncthreads();
	for (int j = 0; j < OWN; j++) {
		start[j] = 0;
		for (int w = 0; w < WARPS; w++)
			start[j] -= part[w][warp * OWN + j];
	}
	for (int i0 = 0; i0 < places; i0 += TILE) {
		__syncthreads();
		for (int i = warp; i < TILE; i += WARPS)
			tile[i][lane] = value(i0 + i);
		__syncthreads();
#pragma unroll
		for (int j = 0; j < OWN; j++) {
			const int line = warp * OWN + j, i = i0 + 2 * lane;
			const float v0 = tile[2 * lane][line], v1 = tile[2 * lane + 1][line];
			float sum = v0 + v1;
			for (int s = 1; s < LINES; s *= 2) {
				const float other = __shfl_up_sync(~0u, sum, s);
				sum += lane >= s ? other : 0;
			}
			if (i < places)
				store(line, i, start[j] + (sum - (v0 + v1)), v0, v1);
			start[j] += __shfl_sync(~0u, sum, LINES - 1);
		}
	}
}
#endif
