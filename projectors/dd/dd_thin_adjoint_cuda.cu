/* Distance-driven adjoint on CUDA in single precision, of volumes of few slices along z: a thread owns the voxels above each other, because lanes that are
 * z edges would mostly idle.
 *
 * Running sums along the rows of each detector column as for taller volumes, but with columns beside each other, so that threads beside each other
 * read what lies beside each other.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_THIN_SLICES /* slices across the block's strip of 32 voxels: 2 to 32 */
#define GT_DD_THIN_SLICES 8
#endif
#include "core/cuda.h"
#include "projectors/dd/dd_fast.h"

enum { WARP = 32 };

/* Entry (view, row l, column) of out is (C_l, G_l), with G the data times the slant, 0 past the last row, and C its running sum from the middle row. */
static __global__ void sum_rows(gt_dd d, const gt_dd_near *view, const float *y, float2 *out, int groups)
{
	const int k = blockIdx.x % groups * blockDim.x + threadIdx.x, middle = d.rows / 2;
	const size_t m = blockIdx.x / groups, at = (size_t)view[m].at;
	if (k >= d.columns)
		return;
	const gt_dd_view v = d.view[at];
	const gt_dd_column c = d.column[at * d.columns + k];
	auto value = [&](int l) {
		return y[gt_dd_cell(&d, &v, at, l, k)] * (float)d.pitch[v.axis] * sqrtf((float)gt_dd_slant_square(&c, l, d.pitch[2]));
	};
	double C = 0;
	for (int l = 0; l < middle; l++)
		C -= value(l);
	out += m * (d.rows + 1) * d.columns + k;
	for (int l = 0; l <= d.rows; l++, out += d.columns) {
		const float G = l < d.rows ? value(l) : 0;
		*out = make_float2((float)C, G);
		C += G;
	}
}

/* sums: of views first .. first+views-1 of f, all of this axis. */
template <int NZ>
static __global__ void thin_kernel(gt_dd d, gt_dd_fast f, const float2 *sums, float *x, int axis, int first, int views, int strips)
{
	const int i = blockIdx.x % strips * WARP + threadIdx.x, n = blockIdx.x / strips * GT_DD_THIN_SLICES + threadIdx.y;
	if (i >= d.n[1 - axis] || n >= d.n[axis])
		return;
	float sum[NZ] = { 0 };
	for (int m = 0; m < views; m++, sums += (size_t)(d.rows + 1) * d.columns) {
		const gt_dd_near w = f.view[first + m];
		if (n < w.first || n >= w.end)
			continue;
		const double g = w.g0 + n * w.dg, a = w.a0 + n * w.da - i, z0 = w.z0 + n * w.dz, in_g = 1 / g;
		const gt_dd_edge_q *edge = f.inverse + (size_t)(first + m) * (d.columns + 1);
		int k = gt_dd_first_column(&d, &d.view[w.at], (size_t)w.at, -a * in_g);
		if (k >= d.columns)
			continue;
		gt_dd_edge_q own = edge[k];
		for (float low = (float)fma(g, own.U, a); k < d.columns && low < 1; k++) {
			const gt_dd_edge_q next = edge[k + 1];
			const double slope = own.q * in_g, place = fmin(fmax(-z0 * slope - w.p, 0.), (double)d.rows);
			const int base = (int)place;
			/* rows from the base, which keeps them small */
			const float high = (float)fma(g, next.U, a), step = (float)slope, start = (float)(-z0 * slope - w.p - base),
				    first_row = -(float)base, last_row = (float)(d.rows - base),
				    weight = __fdividef(fminf(high, 1.f) - fmaxf(low, 0.f), high - low);
			const float2 *column = sums + (size_t)base * d.columns + k;
			float below = 0;
#pragma unroll
			for (int z = 0; z <= NZ; z++) {
				const float row = fminf(fmaxf(fmaf(step, (float)z, start), first_row), last_row), whole = floorf(row);
				const float2 entry = __ldg(column + (ptrdiff_t)(int)whole * d.columns);
				const float value = fmaf(row - whole, entry.y, entry.x);
				if (z > 0)
					sum[z - 1] = fmaf(weight, value - below, sum[z - 1]);
				below = value;
			}
			low = high;
			own = next;
		}
	}
	const size_t plane = (size_t)d.n[0] * d.n[1];
	x += axis == 1 ? (size_t)n * d.n[0] + i : (size_t)i * d.n[0] + n;
#pragma unroll
	for (int z = 0; z < NZ; z++)
		if (z < d.n[2])
			x[z * plane] += sum[z];
}

static int pieces(int n, int size) { return (n + size - 1) / size; }
static size_t view_bytes(const gt_dd *d) { return (size_t)(d->rows + 1) * d->columns * sizeof(float2); }
static size_t batch_views(const gt_dd *d, const gt_dd_fast *f)
{
	const size_t views = f->views[0] > f->views[1] ? f->views[0] : f->views[1], most = f->limit / view_bytes(d);
	return most < 1 ? 1 : most < views ? most : views;
}
extern "C" size_t gt_dd_thin_adjoint_scratch(const gt_dd *d, const gt_dd_fast *f) { return batch_views(d, f) * view_bytes(d); }

template <int NZ>
static void launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const float2 *sums, float *x, int axis, int first, int views)
{
	const int strips = pieces(d->n[1 - axis], WARP), slices = pieces(d->n[axis], GT_DD_THIN_SLICES);
	thin_kernel<NZ><<<(unsigned)((size_t)strips * slices), dim3(WARP, GT_DD_THIN_SLICES), 0, queue>>>(*d, *f, sums, x, axis, first,
	                                                                                                  views, strips);
}

extern "C" void gt_dd_thin_adjoint(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *y, float *x)
{
	static_assert(GT_DD_THIN_BACK == 8, "the largest of these");
	static void (*const launches[])(cudaStream_t, const gt_dd *, const gt_dd_fast *, const float2 *, float *, int, int,
	                                int) = { launch<1>, launch<2>, launch<4>, launch<8> };
	static const int most[] = { 1, 2, 4, 8 };
	cudaStream_t queue = gt_cuda_queue(be);
	const int groups = pieces(d->columns, 128);
	const size_t batch = batch_views(d, f);
	float2 *sums = (float2 *)gt_scratch(be);
	int size = 0;
	while (most[size] < d->n[2])
		size++;
	cudaMemsetAsync(x, 0, (size_t)d->n[0] * d->n[1] * d->n[2] * sizeof(float), queue);
	for (int axis = 0, begin = 0; axis < 2; begin += f->views[axis++])
		for (size_t done = 0; done < (size_t)f->views[axis]; done += batch) {
			const int first = begin + (int)done, views = (int)(f->views[axis] - done < batch ? f->views[axis] - done : batch);
			sum_rows<<<(unsigned)((size_t)views * groups), 128, 0, queue>>>(*d, f->view + first, y, sums, groups);
			launches[size](queue, d, f, sums, x, axis, first, views);
		}
	gt_cuda_check(be, cudaGetLastError(), "dd adjoint");
}
