/* Running sums along z of the voxels of several slices, in single precision, for the fast forward kernels of dd.
 * Memory: provided by the caller, 4 bytes per voxel of these slices. */
#include "core/device/cuda.cuh"
#include "projectors/dd/fast/dd_fast.cuh"
#include "projectors/dd/fast/dd_sums.cuh"

/* A block: the lines of 32 neighbours in x. Entry e is the sum of voxels 0 .. e-1 minus the sum of the lower half of
 * the line. Entries past the last repeat its value. `other` is NULL or, for a whole volume, the lines of the other
 * axis. */
static __global__ void __launch_bounds__(GT_DD_SUM_LINES *GT_DD_SUM_WARPS, GT_DD_SUM_BLOCKS)
	sum_lines(const float *x, float *out, float *other, int nx, int ny, int nz, int stride, int axis, int begin, int end, int groups)
{
	const int from = axis == 0 ? begin : 0, to = axis == 0 ? end : nx;
	const int x0 = from + blockIdx.x % groups * GT_DD_SUM_LINES, i = x0 + threadIdx.x,
		  yy = blockIdx.x / groups + (axis == 1 ? begin : 0);
	const size_t plane = (size_t)nx * ny, at = (size_t)yy * nx + i;
	gt_dd_running_sums(
		nz, nz / 2, stride, [&](int z) { return i < to && z < nz ? x[z * plane + at] : 0.f; },
		[&](int line, int z, double C, float v0, float) {
			const int xx = x0 + line;
			const size_t of_y = (size_t)(yy - begin) * nx + xx, of_x = (size_t)(xx - begin) * ny + yy;
			const float2 sums = make_float2((float)C, (float)(C + v0));
			if (xx < to)
				*(float2 *)(out + (axis == 1 ? of_y : of_x) * stride + z) = sums;
			if (xx < to && other)
				*(float2 *)(other + of_y * stride + z) = sums;
		});
}

static void launch(gt_backend *be, const gt_dd *d, const float *x, gt_dd_lines t, float *lines, float *other)
{
	const int groups = ((t.axis == 0 ? t.end - t.begin : d->n[0]) + GT_DD_SUM_LINES - 1) / GT_DD_SUM_LINES,
		  across = t.axis == 0 ? d->n[1] : t.end - t.begin;
	sum_lines<<<(unsigned)((size_t)groups * across), dim3(GT_DD_SUM_LINES, GT_DD_SUM_WARPS), 0, gt_cuda_queue(be)>>>(
		x, lines, other, d->n[0], d->n[1], d->n[2], t.stride, t.axis, t.begin, t.end, groups);
}

extern "C" void gt_dd_sum_lines(gt_backend *be, const gt_dd *d, const float *x, gt_dd_lines t, float *lines)
{
	launch(be, d, x, t, lines, NULL);
}

extern "C" void gt_dd_sum_lines_of_both(gt_backend *be, const gt_dd *d, const float *x, int stride, float *const lines[2])
{
	const gt_dd_lines all = { lines[0], 0, 0, d->n[0], stride };
	launch(be, d, x, all, lines[0], lines[1]);
}
