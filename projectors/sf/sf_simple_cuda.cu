/* Separable footprints on CUDA for every view, single and double precision; used for double precision and for tilted
 * detectors. Both directions are gathers. A thread owns rows of one column (forward) or voxels along z (adjoint) and
 * loops over the voxels or pixels of its coefficients. Positions and coefficients are in double, so the error does not
 * grow with the size.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_SF_FORWARD_ROWS /* rows per thread: 4, 8, 16 */
#define GT_SF_FORWARD_ROWS 8
#endif
#ifndef GT_SF_FORWARD_VIEWS /* adjacent views per block: 1, 2, 4, 8 */
#define GT_SF_FORWARD_VIEWS 4
#endif
#ifndef GT_SF_ADJOINT_SLICES /* slices per thread: 4, 8, 16 */
#define GT_SF_ADJOINT_SLICES 8
#endif
#ifndef GT_SF_ADJOINT_WIDTH /* warps per block, each on another y: 1, 2, 4, 8 */
#define GT_SF_ADJOINT_WIDTH 4
#endif
#ifndef GT_SF_BATCH_BYTES /* bytes of weighted views that the adjoint holds at a time */
#define GT_SF_BATCH_BYTES ((size_t)1 << 30)
#endif
#include "core/device/cuda.cuh"
#include "core/device/blocks.cuh"
#include "projectors/sf/sf_cuda.cuh"

enum { WARP = 32 };

static __device__ int footprint_of(const gt_sf *d, const gt_sf_view *v, int x, int y, gt_sf_footprint *s)
{
	const gt_sf_corner low[2] = { gt_sf_corner_at(v, x - 0.5, y - 0.5), gt_sf_corner_at(v, x + 0.5, y - 0.5) };
	const gt_sf_corner high[2] = { gt_sf_corner_at(v, x - 0.5, y + 0.5), gt_sf_corner_at(v, x + 0.5, y + 0.5) };
	return gt_sf_footprint_of(d, v, x, y, low, high, s);
}

/* Finds the unit intervals of [0, n) that an interval touches. */
static __device__ __forceinline__ void touched(double low, double high, int n, int *from, int *to)
{
	*from = low > 0 ? low < n ? (int)low : n : 0;
	*to = high < n ? high > 0 ? (int)ceil(high) : 0 : n;
}

/* sum[r] += projection of a voxel of this value onto row l0 + r of column k. */
template <typename T, int ROWS>
static __device__ __forceinline__ void add_rows(T (&sum)[ROWS], const gt_sf_voxel *p, int l0, int k, double value)
{
	if (value == 0 || p->low - p->low_ramp >= l0 + ROWS || p->high + p->high_ramp <= l0)
		return;
	const double weight = value * p->chord * (gt_sf_area(&p->columns, k + 1) - gt_sf_area(&p->columns, k));
	double below = gt_sf_rise(p, l0);
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const double above = gt_sf_rise(p, l0 + r + 1);
		sum[r] += (T)(weight * (above - below));
		below = above;
	}
}

/* Adds one line of voxels along z to rows [l0, l0 + ROWS) of column k. */
template <typename T, int ROWS>
static __device__ __forceinline__ void add_line(T (&sum)[ROWS], const gt_sf *d, const gt_sf_view *v, const gt_sf_wedge *w,
                                                const int (&at)[3], const T *line, int k, int l0)
{
	const size_t plane = (size_t)d->n[0] * d->n[1];
	gt_sf_voxel p;
	int z0, z1;
	if (!v->upright) {
		gt_sf_interval(w, 2, at, d->n[2], &z0, &z1);
		for (int z = z0; z < z1; z++)
			if (gt_sf_voxel_of(d, v, at[0], at[1], z, &p))
				add_rows<T, ROWS>(sum, &p, l0, k, line[z * plane]);
		return;
	}
	gt_sf_footprint s;
	if (!footprint_of(d, v, at[0], at[1], &s))
		return;
	const double spread = max(gt_sf_spread(&s.rows, 0), gt_sf_spread(&s.rows, d->n[2]));
	touched((l0 - spread - s.rows.start) / s.rows.step, (l0 + ROWS + spread - s.rows.start) / s.rows.step, d->n[2], &z0, &z1);
	for (int z = z0; z < z1; z++) {
		gt_sf_voxel_at(&s, z, &p);
		add_rows<T, ROWS>(sum, &p, l0, k, line[z * plane]);
	}
}

template <typename T, int ROWS> static __global__ void forward_kernel(gt_sf d, const T *x, T *out, int column_groups, int row_tiles)
{
	const int k = blockIdx.x % column_groups * WARP + threadIdx.x, l0 = blockIdx.x / column_groups % row_tiles * ROWS;
	const size_t view = (size_t)(blockIdx.x / column_groups / row_tiles) * GT_SF_FORWARD_VIEWS + threadIdx.y;
	if (k >= d.columns || view >= d.views)
		return;
	const gt_sf_view v = d.view[view];
	const gt_sf_ray ray = d.ray[view * d.columns + k];
	const int along = 1 - v.axis;
	gt_sf_wedge w = gt_sf_wedge_of(&v.frame, k, k + 1);
	if (!v.upright)
		gt_sf_wedge_rows(&d, &v, l0, l0 + ROWS, &w);
	T sum[ROWS] = { 0 };
	for (int n = 0; n < d.n[v.axis]; n++) {
		int i0, i1;
		gt_sf_span(&d, &v, &w, n, &i0, &i1);
		for (int i = i0; i < i1; i++) {
			const int at[3] = { along == 0 ? i : n, along == 0 ? n : i, 0 };
			add_line<T, ROWS>(sum, &d, &v, &w, at, x + (size_t)at[1] * d.n[0] + at[0], k, l0);
		}
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (l0 + r < d.rows)
			out[gt_sf_pixel(&d, &v, view, l0 + r, k)] = sum[r] * (T)gt_sf_slant(&v, &ray, l0 + r);
}

template <typename T, int ROWS> static void launch_forward(cudaStream_t queue, const gt_sf *d, const T *x, T *y)
{
	const int columns = pieces(d->columns, WARP), rows = pieces(d->rows, ROWS);
	const size_t groups = (d->views + GT_SF_FORWARD_VIEWS - 1) / GT_SF_FORWARD_VIEWS;
	forward_kernel<T, ROWS>
		<<<(unsigned)(groups * columns * rows), dim3(WARP, GT_SF_FORWARD_VIEWS), 0, queue>>>(*d, x, y, columns, rows);
}

template <typename T> static void forward_as(gt_backend *be, const gt_sf *d, const T *x, T *y)
{
	if (d->rows == 1)
		launch_forward<T, 1>(gt_cuda_queue(be), d, x, y);
	else
		launch_forward<T, GT_SF_FORWARD_ROWS>(gt_cuda_queue(be), d, x, y);
	gt_cuda_check(be, cudaGetLastError(), "separable footprint, forward");
}

extern "C" void gt_sf_simple_forward(gt_backend *be, const gt_sf *d, gt_type t, const void *x, void *y)
{
	if (t == GT_F32)
		forward_as<float>(be, d, (const float *)x, (float *)y);
	else
		forward_as<double>(be, d, (const double *)x, (double *)y);
}

/* Data times the slant, [view of the batch][ascending row][column]. */
template <typename T> static __global__ void weight_pixels(gt_sf d, const T *y, T *pixels, size_t first, size_t count)
{
	const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	const int k = (int)(i % d.columns), l = (int)(i / d.columns % d.rows);
	const size_t view = first + i / d.columns / d.rows;
	const gt_sf_view *v = &d.view[view];
	pixels[i] = y[gt_sf_pixel(&d, v, view, l, k)] * (T)gt_sf_slant(v, &d.ray[view * d.columns + k], l);
}

/* Sum of coefficients times pixels for one voxel. */
template <typename T> static __device__ __forceinline__ double gather(const gt_sf *d, const gt_sf_voxel *p, const T *pixels)
{
	int k0, k1, l0, l1;
	touched(p->columns.at[0], p->columns.at[3], d->columns, &k0, &k1);
	touched(p->low - p->low_ramp, p->high + p->high_ramp, d->rows, &l0, &l1);
	double sum = 0, below = gt_sf_rise(p, l0);
	for (int l = l0; l < l1; l++) {
		const double above = gt_sf_rise(p, l + 1);
		double across = 0, low = gt_sf_area(&p->columns, k0);
		for (int k = k0; k < k1; k++) {
			const double high = gt_sf_area(&p->columns, k + 1);
			across += (high - low) * __ldg(pixels + (size_t)l * d->columns + k);
			low = high;
		}
		sum += (above - below) * across;
		below = above;
	}
	return sum * p->chord;
}

/* One thread: SLICES voxels along z. */
template <typename T, int SLICES>
static __global__ void adjoint_kernel(gt_sf d, const T *pixels, T *out, size_t first, size_t views, int groups, int lines)
{
	const int x = blockIdx.x % groups * WARP + threadIdx.x, y = blockIdx.x / groups % lines * GT_SF_ADJOINT_WIDTH + threadIdx.y;
	const int z0 = blockIdx.x / groups / lines * SLICES;
	if (x >= d.n[0] || y >= d.n[1])
		return;
	T sum[SLICES] = { 0 };
	for (size_t view = 0; view < views; view++) {
		const gt_sf_view *v = &d.view[first + view];
		const T *image = pixels + view * d.rows * d.columns;
		gt_sf_footprint s;
		if (v->upright && (!footprint_of(&d, v, x, y, &s) || s.columns.at[3] <= 0 || s.columns.at[0] >= d.columns))
			continue;
#pragma unroll
		for (int z = 0; z < SLICES; z++) {
			gt_sf_voxel p;
			int there = 1;
			if (v->upright)
				gt_sf_voxel_at(&s, z0 + z, &p);
			else
				there = gt_sf_voxel_of(&d, v, x, y, z0 + z, &p);
			if (there)
				sum[z] += (T)gather(&d, &p, image);
		}
	}
#pragma unroll
	for (int z = 0; z < SLICES; z++)
		if (z0 + z < d.n[2])
			out[((size_t)(z0 + z) * d.n[1] + y) * d.n[0] + x] += sum[z];
}

template <typename T, int SLICES>
static void launch_adjoint(cudaStream_t queue, const gt_sf *d, const T *pixels, T *x, size_t first, size_t views)
{
	const int groups = pieces(d->n[0], WARP), lines = pieces(d->n[1], GT_SF_ADJOINT_WIDTH);
	const size_t blocks = (size_t)groups * lines * pieces(d->n[2], SLICES);
	adjoint_kernel<T, SLICES>
		<<<(unsigned)blocks, dim3(WARP, GT_SF_ADJOINT_WIDTH), 0, queue>>>(*d, pixels, x, first, views, groups, lines);
}

static size_t batch_views(const gt_sf *d, gt_type t, size_t limit)
{
	const size_t one = (size_t)d->rows * d->columns * gt_type_size(t),
		     most = (limit < GT_SF_BATCH_BYTES ? limit : GT_SF_BATCH_BYTES) / one;
	return most < 1 ? 1 : most < d->views ? most : d->views;
}

template <typename T> static void adjoint_as(gt_backend *be, const gt_sf *d, gt_type t, size_t limit, const T *y, T *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *pixels = (T *)gt_scratch(be);
	const size_t batch = batch_views(d, t, limit);
	cudaMemsetAsync(x, 0, (size_t)d->n[0] * d->n[1] * d->n[2] * sizeof(T), queue);
	for (size_t first = 0; first < d->views; first += batch) {
		const size_t views = d->views - first < batch ? d->views - first : batch, count = views * d->rows * d->columns;
		weight_pixels<T><<<(unsigned)((count + 255) / 256), 256, 0, queue>>>(*d, y, pixels, first, count);
		if (d->n[2] == 1)
			launch_adjoint<T, 1>(queue, d, pixels, x, first, views);
		else
			launch_adjoint<T, GT_SF_ADJOINT_SLICES>(queue, d, pixels, x, first, views);
	}
	gt_cuda_check(be, cudaGetLastError(), "separable footprint, adjoint");
}

extern "C" void gt_sf_simple_adjoint(gt_backend *be, const gt_sf *d, gt_type t, size_t limit, const void *y, void *x)
{
	if (t == GT_F32)
		adjoint_as<float>(be, d, t, limit, (const float *)y, (float *)x);
	else
		adjoint_as<double>(be, d, t, limit, (const double *)y, (double *)x);
}

extern "C" size_t gt_sf_simple_scratch(const gt_sf *d, gt_type t, size_t limit)
{
	return batch_views(d, t, limit) * d->rows * d->columns * gt_type_size(t);
}
