#ifndef GT_PROJECTORS_DD_FAST_DD_SUMS_CUH
#define GT_PROJECTORS_DD_FAST_DD_SUMS_CUH
/* Device code: running sums along lines, in single precision with carries in double. A block of 32 x 8 threads sums 32
 * adjacent lines. A lane is a line while it reads, and a position along the line while it writes. */
#include <cuda_runtime.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750 /* 1024 threads on one multiprocessor */
#undef GT_DD_SUM_BLOCKS
#define GT_DD_SUM_BLOCKS 4
#endif
#ifndef GT_DD_SUM_BLOCKS
#define GT_DD_SUM_BLOCKS 6 /* resident blocks per multiprocessor: 1 to 6; 8 for 8.0 and 9.0 */
#endif
enum { GT_DD_SUM_LINES = 32, GT_DD_SUM_WARPS = 8, GT_DD_SUM_TILE = 2 * GT_DD_SUM_LINES };

/* value(i) returns value i of the lane's line, 0 from `count` on. store(line, i, C, v0, v1) receives values i and i+1
 * of a line, i even and below `places`. C is the sum of the values before i minus that of values 0 .. middle-1, with 0
 * <= middle < count. Lines of up to TILE values are read once; longer lines are read once more up to the centre. */
template <typename VALUE, typename STORE>
static __device__ __forceinline__ void gt_dd_running_sums(int count, int middle, int places, VALUE value, STORE store)
{
	enum { LINES = GT_DD_SUM_LINES, WARPS = GT_DD_SUM_WARPS, TILE = GT_DD_SUM_TILE, OWN = LINES / WARPS, READ = TILE / WARPS };
	__shared__ float tile[TILE][LINES + 1];
	__shared__ double part[WARPS][LINES], start[LINES]; /* start: of each line, accessed only by its warp */
	const int lane = threadIdx.x, warp = threadIdx.y;
	if (count > TILE) {
		double low = 0;
		for (int i = warp; i < middle; i += WARPS)
			low -= value(i);
		part[warp][lane] = low;
		__syncthreads();
		low = 0;
		for (int w = 0; w < WARPS && lane < OWN; w++)
			low += part[w][warp * OWN + lane];
		if (lane < OWN)
			start[warp * OWN + lane] = low;
	}
	for (int i0 = 0; i0 < places; i0 += TILE) {
		float v[READ]; /* issue all loads before the first store */
		if (i0 < count) {
#pragma unroll
			for (int i = 0; i < READ; i++)
				v[i] = value(i0 + warp + WARPS * i);
			__syncthreads();
#pragma unroll
			for (int i = 0; i < READ; i++)
				tile[warp + WARPS * i][lane] = v[i];
			__syncthreads();
		}
#pragma unroll 1
		for (int line = warp * OWN; line < (warp + 1) * OWN; line++) {
			const int i = i0 + 2 * lane;
			float v0 = 0, v1 = 0, sum = 0;
			double from = 0;
			if (i0 < count) {
				v0 = tile[2 * lane][line], v1 = tile[2 * lane + 1][line];
				sum = v0 + v1;
				for (int s = 1; s < LINES; s *= 2) {
					const float other = __shfl_up_sync(~0u, sum, s);
					sum += lane >= s ? other : 0;
				}
			}
			const float before = sum - (v0 + v1);
			if (count > TILE || i0)
				from = start[line];
			else
				from = -__shfl_sync(~0u, middle % 2 ? before + v0 : before, middle / 2);
			if (i < places)
				store(line, i, from + before, v0, v1);
			__syncwarp();
			if (lane == LINES - 1)
				start[line] = from + sum;
			__syncwarp();
		}
	}
}
#endif
