/* Running sums along z of the voxels of some slices, in single precision: what the fast forward kernels of dd read. */
#include "core/cuda.h"
#include "projectors/dd/dd_fast.h"

enum { WARP = 32, TILE = 64 };

/* A block: the lines of 32 neighbours in x. Entry e is the sum of voxels 0 .. e-1 less that of the lower half; entries past the last keep its value. */
static __global__ void sum_lines(const float *x, float *out, int nx, int ny, int nz, int stride, int axis, int begin, int end, int groups)
{
	__shared__ float tile[TILE][WARP + 1];
	__shared__ double part[8][WARP];
	const int lane = threadIdx.x, warp = threadIdx.y;
	const int from = axis == 0 ? begin : 0, to = axis == 0 ? end : nx;
	const int x0 = from + blockIdx.x % groups * WARP, i = x0 + lane, yy = blockIdx.x / groups + (axis == 1 ? begin : 0);
	const size_t plane = (size_t)nx * ny, at = (size_t)yy * nx + i;
	auto value = [&](int z) { return i < to && z < nz ? x[z * plane + at] : 0.f; };
	double low = 0, start[4];
	for (int z = warp; z < nz / 2; z += 8)
		low += value(z);
	part[warp][lane] = low;
	__syncthreads();
	for (int j = 0; j < 4; j++) {
		start[j] = 0;
		for (int w = 0; w < 8; w++)
			start[j] -= part[w][warp * 4 + j];
	}
	for (int z0 = 0; z0 < stride; z0 += TILE) {
		__syncthreads();
		for (int z = warp; z < TILE; z += 8)
			tile[z][lane] = value(z0 + z);
		__syncthreads();
#pragma unroll
		for (int j = 0; j < 4; j++) {
			const int xx = x0 + warp * 4 + j, z = z0 + 2 * lane;
			const float v0 = tile[2 * lane][warp * 4 + j], v1 = tile[2 * lane + 1][warp * 4 + j];
			float sum = v0 + v1;
			for (int s = 1; s < WARP; s *= 2) {
				const float other = __shfl_up_sync(~0u, sum, s);
				sum += lane >= s ? other : 0;
			}
			const double C = start[j] + (sum - (v0 + v1));
			const size_t line = axis == 1 ? (size_t)(yy - begin) * nx + xx : (size_t)(xx - begin) * ny + yy;
			if (xx < to && z < stride)
				*(float2 *)(out + line * stride + z) = make_float2((float)C, (float)(C + v0));
			start[j] += __shfl_sync(~0u, sum, WARP - 1);
		}
	}
}

extern "C" void gt_dd_sum_lines(gt_backend *be, const gt_dd *d, const float *x, gt_dd_lines t, float *lines)
{
	const int groups = ((t.axis == 0 ? t.end - t.begin : d->n[0]) + WARP - 1) / WARP, across = t.axis == 0 ? d->n[1] : t.end - t.begin;
	sum_lines<<<(unsigned)((size_t)groups * across), dim3(WARP, 8), 0, gt_cuda_queue(be)>>>(x, lines, d->n[0], d->n[1], d->n[2],
	                                                                                        t.stride, t.axis, t.begin, t.end, groups);
}
