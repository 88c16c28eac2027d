/* dd-bs, branch-based distance-driven pair on CUDA, single and double precision. Both directions are gathers of the
 * coefficients of dd_row.h by direct overlap, without running sums. A thread owns one detector column (forward) or one
 * voxel column (adjoint); adjacent threads read adjacent voxels or pixels. Positions along rows and z are made relative
 * in double before rounding, so the error does not grow with the size.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_BS_FORWARD_ROWS /* detector rows per thread: 8, 16, 32 */
#define GT_DD_BS_FORWARD_ROWS 16
#endif
#ifndef GT_DD_BS_FORWARD_VIEWS /* adjacent views per block, which share lines of the volume in the cache: 1, 2, 4, 8 */
#define GT_DD_BS_FORWARD_VIEWS 4
#endif
#ifndef GT_DD_BS_ADJOINT_SLICES /* slices of voxels per thread: 8, 16, 32 */
#define GT_DD_BS_ADJOINT_SLICES 16
#endif
#ifndef GT_DD_BS_ADJOINT_WIDTH /* warps per block, each on another slice of the view's axis: 1, 2, 4, 8 */
#define GT_DD_BS_ADJOINT_WIDTH 8
#endif
#ifndef GT_DD_BS_BATCH_BYTES /* bytes of weighted views that the adjoint holds at a time */
#define GT_DD_BS_BATCH_BYTES ((size_t)1 << 30)
#endif
#include "core/device/cuda.cuh"
#include "core/device/blocks.cuh"
#include "projectors/dd/dd_impl.h"

/* TALL: steps beyond this number of voxels or pixels use the kernels of one row or slice, in double */
enum { WARP = 32, TALL = 1024 };

static __device__ __forceinline__ float whole(float p, int *j)
{
	const float t = __fadd_rd(p, 8388608.f); /* 0 <= p < 2^23: the sum's low bits are floor(p) */
	*j = __float_as_int(t) - 0x4B000000;
	return t - 8388608.f;
}
static __device__ __forceinline__ double whole(double p, int *j)
{
	const double t = floor(p);
	*j = (int)t;
	return t;
}

template <typename T> static __device__ __forceinline__ T read(const T *p, size_t stride, int length, int j)
{
	return (unsigned)j < (unsigned)length ? __ldg(p + (size_t)j * stride) : T(0);
}

/* sum[i] += weights * overlaps of [first + i step, + step] with the unit intervals of each line; first in [0,1). Entry
 * j of line q is p[q][j stride], counted from `base`; entries outside [0, length) are zero. */
template <typename T, int COUNT, int LINES>
static __device__ __forceinline__ void add_boxes(T (&sum)[COUNT], const T *const (&p)[LINES], const T (&weight)[LINES], size_t stride,
                                                 int length, int base, T first, T step)
{
	if (step <= 1) {
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			int j;
			const T at = first + step * i, w0 = min(whole(at, &j) + 1 - at, step), w1 = step - w0;
#pragma unroll
			for (int q = 0; q < LINES; q++)
				sum[i] += weight[q] *
				          (w0 * read(p[q], stride, length, base + j) + w1 * read(p[q], stride, length, base + j + 1));
		}
	} else if (step <= 2) {
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			int j;
			const T at = first + step * i, w0 = whole(at, &j) + 1 - at, rest = step - w0, w1 = min(rest, T(1)), w2 = rest - w1;
#pragma unroll
			for (int q = 0; q < LINES; q++)
				sum[i] += weight[q] *
				          (w0 * read(p[q], stride, length, base + j) + w1 * read(p[q], stride, length, base + j + 1) +
				           w2 * read(p[q], stride, length, base + j + 2));
		}
	} else {
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			int j;
			const T at = first + step * i;
			T w = whole(at, &j) + 1 - at, rest = step;
			for (; rest > 0; j++) {
				for (int q = 0; q < LINES; q++)
					sum[i] += weight[q] * w * read(p[q], stride, length, base + j);
				rest -= w;
				w = min(rest, T(1));
			}
		}
	}
}

/* add_boxes() for steps beyond the range of single precision: start and step are in entries, from entry 0. */
template <typename T, int COUNT, int LINES>
static __device__ __forceinline__ void add_tall_boxes(T (&sum)[COUNT], const T *const (&p)[LINES], const T (&weight)[LINES], size_t stride,
                                                      int length, double start, double step)
{
#pragma unroll
	for (int i = 0; i < COUNT; i++) {
		const double low = max(start + i * step, 0.), high = min(start + (i + 1) * step, (double)length);
		for (int j = (int)low; j < high; j++)
			for (int q = 0; q < LINES; q++)
				sum[i] += weight[q] * (T)(min(high, j + 1.) - max(low, (double)j)) * read(p[q], stride, length, j);
	}
}

/* [z][y][x] -> [z][x][y], so that adjacent columns also read adjacent voxels in slices perpendicular to x. */
template <typename T> static __global__ void transpose(const T *in, T *out, int nx, int ny, int tiles_x, int tiles_y)
{
	__shared__ T tile[WARP][WARP + 1];
	const int tx = blockIdx.x % tiles_x * WARP, ty = blockIdx.x / tiles_x % tiles_y * WARP;
	const size_t plane = (size_t)(blockIdx.x / tiles_x / tiles_y) * nx * ny;
	for (int k = threadIdx.y; k < WARP; k += blockDim.y)
		if (tx + threadIdx.x < nx && ty + k < ny)
			tile[k][threadIdx.x] = in[plane + (size_t)(ty + k) * nx + tx + threadIdx.x];
	__syncthreads();
	for (int k = threadIdx.y; k < WARP; k += blockDim.y)
		if (tx + k < nx && ty + threadIdx.x < ny)
			out[plane + (size_t)(tx + k) * ny + ty + threadIdx.x] = tile[threadIdx.x][k];
}

/* One thread: ROWS rows of one column of one view. x_slices: the volume as [z][x][y]. */
template <typename T, int ROWS>
static __global__ void forward_kernel(gt_dd d, const T *y_slices, const T *x_slices, T *out, int column_groups, int row_tiles)
{
	const int k = blockIdx.x % column_groups * WARP + threadIdx.x, l0 = blockIdx.x / column_groups % row_tiles * ROWS;
	const size_t view = (size_t)(blockIdx.x / column_groups / row_tiles) * GT_DD_BS_FORWARD_VIEWS + threadIdx.y;
	if (k >= d.columns || view >= d.views)
		return;
	const gt_dd_view v = d.view[view];
	const gt_dd_column c = d.column[view * d.columns + k];
	const double *edge = d.edge + view * (d.columns + 1) + k, U0 = edge[0], U1 = edge[1];
	const int voxels = d.n[1 - v.axis], nz = d.n[2];
	const size_t plane = (size_t)d.n[0] * d.n[1];
	const T *volume = v.axis == 1 ? y_slices : x_slices;
	T sum[ROWS] = { 0 };
	for (int n = v.first; n < v.end; n++) {
		const double R = gt_dd_depth(&v, n), low = gt_dd_edge(&v, R, U0), high = gt_dd_edge(&v, R, U1);
		if (!(high > 0 && low < voxels))
			continue;
		const double height = gt_dd_row_height(&c, R), start = gt_dd_row_start(&c, R) + l0 * height;
		if (start >= nz || start + ROWS * height <= 0)
			continue;
		const int i0 = low > 0 ? (int)low : 0, i1 = high < voxels ? (int)ceil(high) : voxels;
		const double base = floor(start);
		const T lo = (T)(low - i0), hi = (T)(high - i0), factor = T(1) / ((hi - lo) * (T)height);
		for (int i = i0; i < i1; i += 2) {
			const T at = (T)(i - i0), two = (T)(i + 1 < i1);
			const T *line = volume + (size_t)n * voxels + i;
			const T *const p[2] = { line, line + (i + 1 < i1) };
			const T weight[2] = { (min(hi, at + 1) - max(lo, at)) * factor, two * (min(hi, at + 2) - (at + 1)) * factor };
			if (ROWS == 1 && height > TALL)
				add_tall_boxes<T, ROWS, 2>(sum, p, weight, plane, nz, start, height);
			else
				add_boxes<T, ROWS, 2>(sum, p, weight, plane, nz, (int)base, (T)(start - base), (T)height);
		}
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (l0 + r < d.rows)
			out[gt_dd_pixel(&d, &v, view, l0 + r, k)] = sum[r] * (T)gt_dd_slant(&c, l0 + r, d.pitch[2], d.pitch[v.axis]);
}

template <typename T, int ROWS> static void launch_forward(cudaStream_t queue, const gt_dd *d, const T *x, const T *transposed, T *y)
{
	const int columns = pieces(d->columns, WARP), rows = pieces(d->rows, ROWS);
	const size_t groups = (d->views + GT_DD_BS_FORWARD_VIEWS - 1) / GT_DD_BS_FORWARD_VIEWS;
	forward_kernel<T, ROWS><<<(unsigned)(groups * columns * rows), dim3(WARP, GT_DD_BS_FORWARD_VIEWS), 0, queue>>>(*d, x, transposed, y,
	                                                                                                               columns, rows);
}

template <typename T> static void forward_as(gt_backend *be, const gt_dd *d, const T *x, T *y)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *transposed = (T *)gt_scratch(be);
	if (d->sliced[0]) {
		const int tx = pieces(d->n[0], WARP), ty = pieces(d->n[1], WARP);
		transpose<T><<<(unsigned)((size_t)tx * ty * d->n[2]), dim3(WARP, 8), 0, queue>>>(x, transposed, d->n[0], d->n[1], tx, ty);
	}
	if (d->rows == 1 || d->tallest > TALL)
		launch_forward<T, 1>(queue, d, x, transposed, y);
	else if (d->rows <= 4)
		launch_forward<T, 4>(queue, d, x, transposed, y);
	else
		launch_forward<T, GT_DD_BS_FORWARD_ROWS>(queue, d, x, transposed, y);
	gt_cuda_check(be, cudaGetLastError(), "dd-bs forward");
}

static void forward(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *x, void *y)
{
	(void)state;
	if (t == GT_F32)
		forward_as<float>(be, d, (const float *)x, (float *)y);
	else
		forward_as<double>(be, d, (const double *)x, (double *)y);
}

/* Data times the slant, [view of the batch][ascending row][ascending column]. */
template <typename T> static __global__ void weight_pixels(gt_dd d, const T *y, T *cells, size_t first, size_t count)
{
	const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	const int k = (int)(i % d.columns), l = (int)(i / d.columns % d.rows);
	const size_t view = first + i / d.columns / d.rows;
	const gt_dd_view v = d.view[view];
	cells[i] = y[gt_dd_pixel(&d, &v, view, l, k)] * (T)gt_dd_slant(&d.column[view * d.columns + k], l, d.pitch[2], d.pitch[v.axis]);
}

/* One thread: SLICES voxels along z. AXIS: slices of the views are perpendicular to it. */
template <typename T, int SLICES, int AXIS>
static __global__ void adjoint_kernel(gt_dd d, const T *cells, T *x, size_t first, size_t views, int groups, int slice_groups)
{
	const int i = blockIdx.x % groups * WARP + threadIdx.x;
	const int n = blockIdx.x / groups % slice_groups * GT_DD_BS_ADJOINT_WIDTH + threadIdx.y;
	const int z0 = blockIdx.x / groups / slice_groups * SLICES;
	if (i >= d.n[1 - AXIS] || n >= d.n[AXIS])
		return;
	T sum[SLICES] = { 0 };
	for (size_t view = first; view < first + views; view++) {
		const gt_dd_view *v = &d.view[view];
		if (v->axis != AXIS || n < v->first || n >= v->end)
			continue;
		const double R = gt_dd_depth(v, n), *edge = d.edge + view * (d.columns + 1);
		int k = gt_dd_first_column(&d, v, view, gt_dd_edge_at(v, R, i));
		if (k >= d.columns)
			continue;
		for (double low = gt_dd_edge(v, R, edge[k]); k < d.columns && low < i + 1; k++) {
			const double high = gt_dd_edge(v, R, edge[k + 1]), width = high - low, in = min(high, i + 1.) - max(low, (double)i);
			const gt_dd_column *c = &d.column[view * d.columns + k];
			const double step = 1 / gt_dd_row_height(c, R), start = (z0 - gt_dd_row_start(c, R)) * step, base = floor(start);
			low = high;
			if (!(in > 0) || start >= d.rows || start + SLICES * step <= 0)
				continue;
			const T *const p[1] = { cells + (view - first) * d.rows * d.columns + k };
			const T weight[1] = { (T)(in / width) };
			if (SLICES == 1 && step > TALL)
				add_tall_boxes<T, SLICES, 1>(sum, p, weight, (size_t)d.columns, d.rows, start, step);
			else
				add_boxes<T, SLICES, 1>(sum, p, weight, (size_t)d.columns, d.rows, (int)base, (T)(start - base), (T)step);
		}
	}
	const size_t row = AXIS == 1 ? (size_t)n * d.n[0] + i : (size_t)i * d.n[0] + n, plane = (size_t)d.n[0] * d.n[1];
#pragma unroll
	for (int z = 0; z < SLICES; z++)
		if (z0 + z < d.n[2])
			x[(size_t)(z0 + z) * plane + row] += sum[z];
}

template <typename T, int SLICES, int AXIS>
static void launch_adjoint(cudaStream_t queue, const gt_dd *d, const T *cells, T *x, size_t first, size_t views)
{
	if (!d->sliced[AXIS])
		return;
	const int groups = pieces(d->n[1 - AXIS], WARP), slice_groups = pieces(d->n[AXIS], GT_DD_BS_ADJOINT_WIDTH);
	const size_t blocks = (size_t)groups * slice_groups * pieces(d->n[2], SLICES);
	adjoint_kernel<T, SLICES, AXIS>
		<<<(unsigned)blocks, dim3(WARP, GT_DD_BS_ADJOINT_WIDTH), 0, queue>>>(*d, cells, x, first, views, groups, slice_groups);
}

template <typename T, int SLICES>
static void launch_both(cudaStream_t queue, const gt_dd *d, const T *cells, T *x, size_t first, size_t views)
{
	launch_adjoint<T, SLICES, 0>(queue, d, cells, x, first, views);
	launch_adjoint<T, SLICES, 1>(queue, d, cells, x, first, views);
}

static size_t batch_views(const gt_dd *d, gt_type t)
{
	const size_t one = (size_t)d->rows * d->columns * gt_type_size(t), most = GT_DD_BS_BATCH_BYTES / one;
	return most < 1 ? 1 : most < d->views ? most : d->views;
}

template <typename T> static void adjoint_as(gt_backend *be, const gt_dd *d, gt_type t, const T *y, T *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *cells = (T *)gt_scratch(be);
	const size_t batch = batch_views(d, t);
	cudaMemsetAsync(x, 0, (size_t)d->n[0] * d->n[1] * d->n[2] * sizeof(T), queue);
	for (size_t first = 0; first < d->views; first += batch) {
		const size_t views = d->views - first < batch ? d->views - first : batch, count = views * d->rows * d->columns;
		weight_pixels<T><<<(unsigned)((count + 255) / 256), 256, 0, queue>>>(*d, y, cells, first, count);
		if (d->n[2] == 1 || d->tallest > TALL)
			launch_both<T, 1>(queue, d, cells, x, first, views);
		else if (d->n[2] <= 4)
			launch_both<T, 4>(queue, d, cells, x, first, views);
		else
			launch_both<T, GT_DD_BS_ADJOINT_SLICES>(queue, d, cells, x, first, views);
	}
	gt_cuda_check(be, cudaGetLastError(), "dd-bs adjoint");
}

static void adjoint(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *y, void *x)
{
	(void)state;
	if (t == GT_F32)
		adjoint_as<float>(be, d, t, (const float *)y, (float *)x);
	else
		adjoint_as<double>(be, d, t, (const double *)y, (double *)x);
}

static size_t scratch(gt_backend *be, const gt_dd *d, void *state, gt_type t)
{
	(void)state;
	const size_t volume = d->sliced[0] ? (size_t)d->n[0] * d->n[1] * d->n[2] * gt_type_size(t) : 0;
	const size_t cells = batch_views(d, t) * d->rows * d->columns * gt_type_size(t);
	(void)be;
	return volume > cells ? volume : cells;
}

extern "C" const struct gt_dd_impl gt_dd_bs_cuda = { NULL, NULL, scratch, forward, adjoint, NULL, NULL };
