/* dd-db, branchless in double precision: Liu, Fu, De Man, Yu, IEEE Trans. Comput. Imaging 3 (2017), III-F. Integral
 * images are double for any array type and interpolated in software. Unlike the published pair, this one is exactly
 * matched. The backprojection takes the difference of the integral image between the edges of each column, at the rows
 * of the voxel edges in that column. An edge between two pixels or voxels is computed once. The backprojection walks up
 * the nodes and keeps the last difference. The forward projection reloads both rows of nodes, because independent edges
 * are faster than fewer loads.
 *
 * Limit: forward, L1 cache passes of 128 bytes: eight nodes of 8 bytes per (pixel, slice). Adjoint, double precision:
 * twelve operations per overlapping (voxel, column, view).
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_DB_CELLS /* pixels along z per thread (forward): 4, 8, 16 */
#define GT_DD_DB_CELLS 8
#endif
#ifndef GT_DD_DB_VOXELS /* voxels along z per thread (adjoint): 8, 16 */
#define GT_DD_DB_VOXELS 16
#endif
#ifndef GT_DD_DB_WARPS /* warps per block: adjacent views (forward), lines along y (adjoint): 2, 4, 8 */
#define GT_DD_DB_WARPS 4
#endif
#ifndef GT_DD_DB_BLOCKS /* minimum blocks per multiprocessor in the forward direction: 4, 6, 8 */
#define GT_DD_DB_BLOCKS 8
#endif
#include <stdlib.h>
#include "core/device/cuda.cuh"
#include "core/device/blocks.cuh"
#include "core/linop.h"
#include "projectors/dd/published/dd_integral.h"

enum { WARP = 32 };

/* Integer part and fraction of 0 <= p < 2^31, without conversions. */
static __device__ __forceinline__ double split(double p, int *whole)
{
	const double t = __dadd_rd(p, 6755399441055744.); /* 1.5 * 2^52: the sum's low bits are floor(p) */
	*whole = __double2loint(t);
	return p - (t - 6755399441055744.);
}

/* Integral between two positions along columns, from the bottom up to a row, 0 <= row <= rows, linear between rows of
 * nodes. STRIP::at(r): the integral up to node row r. */
template <typename STRIP> static __device__ __forceinline__ double up_to(const STRIP &strip, int rows, double row)
{
	int r;
	const double part = split(row, &r), below = strip.at(r);
	return below + part * (strip.at(r < rows ? r + 1 : r) - below);
}

/* up_to() for ascending positions: keeps the two rows of nodes around the last one. */
template <typename STRIP> struct climb {
	STRIP strip;
	int at, rows;
	double below, above;
	__device__ __forceinline__ climb(const STRIP &s, int last) : strip(s), at(-2), rows(last), below(0), above(0) {}
	__device__ __forceinline__ double up_to(double row)
	{
		int r;
		const double part = split(row, &r);
		if (r != at) {
			below = r == at + 1 ? above : strip.at(r);
			above = strip.at(r < rows ? r + 1 : r);
			at = r;
		}
		return below + part * (above - below);
	}
};

/* Interval [from, to] of a slice: four nodes in a row. */
struct slice_strip {
	const double *low, *high;
	double part_low, part_high;
	size_t pitch;
	__device__ __forceinline__ slice_strip(const double *image, size_t pitch_, int width, double from, double to) : pitch(pitch_)
	{
		int i, j;
		part_low = split(from, &i);
		part_high = split(to, &j);
		if (i == width) {
			i--;
			part_low = 1;
		}
		if (j == width) {
			j--;
			part_high = 1;
		}
		low = image + i;
		high = image + j;
	}
	__device__ __forceinline__ double at(int r) const
	{
		const double *l = low + r * pitch, *h = high + r * pitch;
		const double l0 = __ldg(l), h0 = __ldg(h);
		return (h0 + part_high * (__ldg(h + 1) - h0)) - (l0 + part_low * (__ldg(l + 1) - l0));
	}
};

/* A column of a view: two nodes in a row. */
struct column_strip {
	const double *p;
	size_t pitch;
	__device__ __forceinline__ double at(int r) const { return __ldg(p + r * pitch + 1) - __ldg(p + r * pitch); }
};

static __device__ __forceinline__ double between(double x, double most) { return fmin(fmax(x, 0.), most); }

/* One thread: CELLS rows of one column of the views whose slices are perpendicular to `axis`, in slices first ..
 * end-1. */
template <typename T, int CELLS>
static __global__ void __launch_bounds__(WARP *GT_DD_DB_WARPS, GT_DD_DB_BLOCKS)
	forward_kernel(gt_dd d, gt_dd_images g, const double *nodes, const size_t *view, size_t views, T *y, int axis, int first, int end,
                       int columns, int parts)
{
	const int k = blockIdx.x % columns * WARP + threadIdx.x, l0 = blockIdx.x / columns % parts * CELLS;
	const size_t nth = (size_t)(blockIdx.x / columns / parts) * GT_DD_DB_WARPS + threadIdx.y;
	if (k >= d.columns || nth >= views)
		return;
	const size_t at = view[nth];
	const gt_dd_view v = d.view[at];
	const gt_dd_column c = d.column[at * d.columns + k];
	const double *constant = nodes + g.batch * g.stride, *edge = d.edge + at * (d.columns + 1) + k, U0 = edge[0], U1 = edge[1];
	double sum[CELLS] = { 0 };
	for (int n = max(first, v.first); n < min(end, v.end); n++) {
		const double R = gt_dd_depth(&v, n), low = gt_dd_edge(&v, R, U0), high = gt_dd_edge(&v, R, U1);
		const double from = between(low, g.width), to = between(high, g.width);
		const double height = gt_dd_row_height(&c, R), start = gt_dd_row_start(&c, R) + l0 * height;
		if (!(from < to && start < g.height && start + CELLS * height > 0))
			continue;
		const double scale = 1 / ((high - low) * height), flat = constant[n - first] * (to - from);
		const slice_strip strip(nodes + (n - first) * g.stride, g.pitch, g.width, from, to);
		double z = between(start, g.height), below = up_to(strip, g.height, z);
#pragma unroll
		for (int r = 0; r < CELLS; r++) {
			const double next = between(start + (r + 1) * height, g.height), above = up_to(strip, g.height, next);
			sum[r] += scale * ((above - below) + flat * (next - z));
			z = next;
			below = above;
		}
	}
#pragma unroll
	for (int r = 0; r < CELLS; r++)
		if (l0 + r < d.rows) {
			T *out = y + gt_dd_pixel(&d, &v, at, l0 + r, k);
			const double value = sum[r] * gt_dd_slant(&c, l0 + r, d.pitch[2], d.pitch[axis]);
			*out = (T)(first ? *out + value : value);
		}
}

template <typename T, int CELLS>
static void launch_forward(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, int axis, size_t first, size_t count, T *y)
{
	const int columns = pieces(d->columns, WARP), parts = pieces(d->rows, CELLS);
	const size_t views = b->views[axis].images, blocks = (size_t)pieces(views, GT_DD_DB_WARPS) * columns * parts;
	forward_kernel<T, CELLS>
		<<<(unsigned)blocks, dim3(WARP, GT_DD_DB_WARPS), 0, gt_cuda_queue(be)>>>(*d, b->slices[axis],
	                                                                                 (const double *)gt_scratch(be),
	                                                                                 gt_dd_views_of(b, axis), views, y, axis,
	                                                                                 (int)first, (int)(first + count), columns, parts);
	gt_cuda_check(be, cudaGetLastError(), "dd-db forward");
}

template <typename T> static void forward_batch(gt_backend *be, const gt_dd *d, void *state, int axis, size_t first, size_t count, void *y)
{
	const gt_dd_branchless *b = (const gt_dd_branchless *)state;
	if (d->rows <= 2)
		launch_forward<T, 1>(be, d, b, axis, first, count, (T *)y);
	else
		launch_forward<T, GT_DD_DB_CELLS>(be, d, b, axis, first, count, (T *)y);
}

/* One thread: VOXELS voxels along z; lanes along x. */
template <typename T, int VOXELS, int AXIS>
static __global__ void __launch_bounds__(WARP *GT_DD_DB_WARPS)
	adjoint_kernel(gt_dd d, gt_dd_images g, const double *nodes, const size_t *view, int views, T *x, int groups, int lines)
{
	const int ix = blockIdx.x % groups * WARP + threadIdx.x, iy = blockIdx.x / groups % lines * GT_DD_DB_WARPS + threadIdx.y;
	const int z0 = blockIdx.x / groups / lines * VOXELS, n = AXIS ? iy : ix, i = AXIS ? ix : iy;
	if (ix >= d.n[0] || iy >= d.n[1])
		return;
	const double *constant = nodes + g.batch * g.stride;
	double sum[VOXELS] = { 0 };
	for (int nth = 0; nth < views; nth++) {
		const size_t at = view[nth];
		const gt_dd_view *v = &d.view[at];
		if (n < v->first || n >= v->end)
			continue;
		const double R = gt_dd_depth(v, n), *edge = d.edge + at * (d.columns + 1);
		int k = gt_dd_first_column(&d, v, at, gt_dd_edge_at(v, R, i));
		if (k >= d.columns)
			continue;
		for (double low = gt_dd_edge(v, R, edge[k]); k < d.columns && low < i + 1; k++) {
			const double high = gt_dd_edge(v, R, edge[k + 1]),
				     share = (fmin(high, i + 1.) - fmax(low, (double)i)) / (high - low);
			const gt_dd_column *c = &d.column[at * d.columns + k];
			const double step = 1 / gt_dd_row_height(c, R), start = (z0 - gt_dd_row_start(c, R)) * step;
			low = high;
			if (!(share > 0) || start >= g.height || start + VOXELS * step <= 0)
				continue;
			climb<column_strip> walk(column_strip{ nodes + nth * g.stride + k, g.pitch }, g.height);
			double row = between(start, g.height), below = walk.up_to(row);
			const double flat = constant[nth];
#pragma unroll
			for (int z = 0; z < VOXELS; z++) {
				const double next = between(start + (z + 1) * step, g.height), above = walk.up_to(next);
				sum[z] += share * ((above - below) + flat * (next - row));
				row = next;
				below = above;
			}
		}
	}
#pragma unroll
	for (int z = 0; z < VOXELS; z++)
		if (z0 + z < d.n[2])
			x[((size_t)(z0 + z) * d.n[1] + iy) * d.n[0] + ix] += (T)sum[z];
}

template <typename T, int VOXELS>
static void launch_adjoint(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, int axis, size_t first, size_t count, T *x)
{
	const int groups = pieces(d->n[0], WARP), lines = pieces(d->n[1], GT_DD_DB_WARPS);
	const auto kernel = axis ? adjoint_kernel<T, VOXELS, 1> : adjoint_kernel<T, VOXELS, 0>;
	kernel<<<(unsigned)((size_t)groups * lines * pieces(d->n[2], VOXELS)), dim3(WARP, GT_DD_DB_WARPS), 0, gt_cuda_queue(be)>>>(
		*d, b->views[axis], (const double *)gt_scratch(be), gt_dd_views_of(b, axis) + first, (int)count, x, groups, lines);
	gt_cuda_check(be, cudaGetLastError(), "dd-db back");
}

template <typename T> static void adjoint_batch(gt_backend *be, const gt_dd *d, void *state, int axis, size_t first, size_t count, void *x)
{
	const gt_dd_branchless *b = (const gt_dd_branchless *)state;
	if (d->n[2] <= 2)
		launch_adjoint<T, 1>(be, d, b, axis, first, count, (T *)x);
	else
		launch_adjoint<T, GT_DD_DB_VOXELS>(be, d, b, axis, first, count, (T *)x);
}

static gt_status make(gt_backend *be, const gt_dd *d, const gt_dd_setup *s, gt_type t, void **state)
{
	(void)d, (void)t;
	*state = calloc(1, sizeof(gt_dd_branchless));
	return *state ? gt_dd_branchless_new(be, s, GT_F64, (gt_dd_branchless *)*state)
	              : gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", s->name);
}

static void free_(gt_backend *be, void *state)
{
	gt_dd_branchless_free(be, (gt_dd_branchless *)state);
	free(state);
}

static size_t scratch(gt_backend *be, const gt_dd *d, void *state, gt_type t)
{
	(void)be, (void)d, (void)t;
	return gt_dd_branchless_scratch((gt_dd_branchless *)state);
}

static void forward(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *x, void *y)
{
	gt_dd_forward_batches(be, d, (gt_dd_branchless *)state, t, x, t == GT_F32 ? forward_batch<float> : forward_batch<double>, state, y);
}

static void adjoint(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *y, void *x)
{
	gt_dd_adjoint_batches(be, d, (gt_dd_branchless *)state, t, y, t == GT_F32 ? adjoint_batch<float> : adjoint_batch<double>, state, x);
}

static int roofline(const gt_dd *d, void *state, gt_type t, const gt_dd_counts *c, int back, gt_roofline *least)
{
	(void)state, (void)t;
	least->bound = back ? GT_DOUBLES : GT_SHARED;
	least->amount = back ? 12 * c->overlaps * d->n[2] : c->pairs * d->rows * 8 * sizeof(double) / 128;
	return 1;
}

static double images(gt_backend *be, const gt_dd *d, void *state, gt_type t, int kind, const void *in)
{
	return gt_dd_images_alone(be, d, (gt_dd_branchless *)state, t, kind, in);
}

extern "C" const struct gt_dd_impl gt_dd_db_cuda = { make, free_, scratch, forward, adjoint, roofline, images };
