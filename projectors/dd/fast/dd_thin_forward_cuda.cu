/* Distance-driven forward projection on CUDA in single precision, for volumes of few slices along z. A thread owns a
 * column of a view and 16 of its rows, because running sums would be sampled for many rows that meet no voxel. The
 * fraction of row l in a voxel, |[Z_l, Z_l+1] & [z, z+1]|, is the difference of two saturated positions, without table
 * or branch.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_THIN_ROWS /* rows of a thread: 4 to 32 */
#define GT_DD_THIN_ROWS 16
#endif
#ifndef GT_DD_THIN_VIEWS /* warps of a block, one view each: 1 to 8 */
#define GT_DD_THIN_VIEWS 4
#endif
#include "core/device/cuda.cuh"
#include "core/device/blocks.cuh"
#include "projectors/dd/fast/dd_fast.cuh"

enum { WARP = 32, ROWS = GT_DD_THIN_ROWS };

/* sum[z] += weight times voxel z of a line, from its running sums. */
template <int NZ> static __device__ __forceinline__ void add_line(float (&sum)[NZ], const float *line, float weight)
{
	float C[(NZ + 4) / 4 * 4];
#pragma unroll
	for (int i = 0; i <= NZ; i += 4) {
		const float4 four = __ldg((const float4 *)(line + i));
		C[i] = four.x;
		C[i + 1] = four.y;
		C[i + 2] = four.z;
		C[i + 3] = four.w;
	}
#pragma unroll
	for (int z = 0; z < NZ; z++)
		sum[z] = fmaf(weight, C[z + 1] - C[z], sum[z]);
}

/* m0: first view of the axis. */
template <int NZ>
static __global__ void thin_kernel(gt_dd d, gt_dd_fast f, gt_dd_lines t, float *y, int column_groups, int row_tiles, int m0)
{
	const int k = blockIdx.x % column_groups * WARP + threadIdx.x, l0 = blockIdx.x / column_groups % row_tiles * ROWS;
	const int m = blockIdx.x / column_groups / row_tiles * GT_DD_THIN_VIEWS + threadIdx.y;
	if (k >= d.columns || m >= f.views[t.axis])
		return;
	const gt_dd_near w = f.view[m0 + m];
	const gt_dd_edge_q *e = f.height + (size_t)(m0 + m) * (d.columns + 1) + k;
	const double U0 = e[0].U, U1 = e[1].U, q = e[0].q, lowest = l0 + w.p;
	const int width = d.n[1 - t.axis];
	float sum[ROWS] = { 0 };
	for (int n = max(w.first, t.begin); n < min(w.end, t.end); n++) {
		const double a = w.a0 + n * w.da, g = w.g0 + n * w.dg, low = fma(g, U0, a), high = fma(g, U1, a);
		const float A = (float)(q * g), z0 = (float)(w.z0 + n * w.dz + q * g * lowest);
		if (!(high > 0 && low < width && z0 < d.n[2] && fmaf(A, ROWS, z0) > 0))
			continue;
		const int i = low > 0 ? (int)low : 0;
		const float x0 = (float)(low - i), x1 = (float)(high - i), to = fminf(x1, (float)(width - i)),
			    weight = __fdividef(1.f, (x1 - x0) * A);
		const float *line = t.lines + ((size_t)(n - t.begin) * width + i) * t.stride;
		float voxel[NZ] = { 0 }, at = fmaxf(x0, 0.f), below[NZ];
#pragma unroll 1
		for (float next = 1; at < to; next++, line += t.stride) {
			const float end = fminf(next, to);
			add_line<NZ>(voxel, line, (end - at) * weight);
			at = end;
		}
#pragma unroll
		for (int z = 0; z < NZ; z++)
			below[z] = __saturatef(z0 - z);
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int z = 0; z < NZ; z++) {
				const float above = __saturatef(fmaf(A, r + 1, z0 - z));
				sum[r] = fmaf(voxel[z], above - below[z], sum[r]);
				below[z] = above;
			}
	}
	const size_t view = (size_t)w.at;
	const gt_dd_view *v = d.view + view;
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (l0 + r < d.rows) {
			float *out = y + gt_dd_pixel(&d, v, view, l0 + r, k);
			const float value = sum[r] * (float)d.pitch[t.axis] *
			                    sqrtf((float)gt_dd_slant_square(&d.column[view * d.columns + k], l0 + r, d.pitch[2]));
			*out = t.begin > 0 ? *out + value : value;
		}
}

template <int NZ> static void launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, gt_dd_lines t, float *y)
{
	const int columns = pieces(d->columns, WARP), rows = pieces(d->rows, ROWS), views = pieces(f->views[t.axis], GT_DD_THIN_VIEWS);
	thin_kernel<NZ>
		<<<(unsigned)((size_t)columns * rows * views), dim3(WARP, GT_DD_THIN_VIEWS), 0, queue>>>(*d, *f, t, y, columns, rows,
	                                                                                                 t.axis == 0 ? 0 : f->views[0]);
}

extern "C" void gt_dd_thin_forward(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, gt_dd_lines t, float *y)
{
	cudaStream_t queue = gt_cuda_queue(be);
	static_assert(GT_DD_THIN == 6, "the largest of these");
	if (d->n[2] == 1)
		launch<1>(queue, d, f, t, y);
	else if (d->n[2] == 2)
		launch<2>(queue, d, f, t, y);
	else if (d->n[2] <= 4)
		launch<4>(queue, d, f, t, y);
	else
		launch<6>(queue, d, f, t, y);
}
