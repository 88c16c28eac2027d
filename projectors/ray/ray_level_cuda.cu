/* Kernels for level scans (ray_level.h), single and double. Forward: a thread takes one column and several rows, which share their
 * way in the plane; the threads of a warp are neighbouring columns on the same slice, the warps of a block neighbouring views.
 * Adjoint: a thread takes a column of voxels along z and gathers, view by view, the rays that take part of them, row by row.
 * Positions are made in double; single precision splits them into voxel and fraction in fixed point.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_RAY_FORWARD_ROWS /* detector rows per thread: 8, 16, 32 */
#define GT_RAY_FORWARD_ROWS 16
#endif
#ifndef GT_RAY_FORWARD_VIEWS /* adjacent views per block, which share lines of the volume in the cache: 1, 2, 4, 8 */
#define GT_RAY_FORWARD_VIEWS 4
#endif
#ifndef GT_RAY_FORWARD_BLOCKS /* blocks per multiprocessor that registers are left for, single precision: 4 to 8 */
#define GT_RAY_FORWARD_BLOCKS 6
#endif
#ifndef GT_RAY_ADJOINT_VOXELS /* voxels along z per thread: 8, 16, 32 */
#define GT_RAY_ADJOINT_VOXELS 16
#endif
#ifndef GT_RAY_ADJOINT_WIDTH /* warps per block, each on another slice of the view's axis: 1, 2, 4, 8 */
#define GT_RAY_ADJOINT_WIDTH 8
#endif
#ifndef GT_RAY_STRIP_SLICES /* from so many voxels along z on, Joseph's adjoint goes to ray_strip_cuda.cu: 1 and more */
#define GT_RAY_STRIP_SLICES 8
#endif
#include "projectors/ray/ray_cuda.h"

enum { WARP = GT_RAY_WARP };
#define ALL 0xffffffffu

/* A ray within the faces of voxels has no slope to speak of: gt_ray_settle(). */
static __device__ __forceinline__ int settled(double step, int slices) { return fabs(step * slices) <= 1e-7; }

static __device__ __forceinline__ int least(int x)
{
	for (int k = WARP / 2; k; k /= 2)
		x = min(x, __shfl_xor_sync(ALL, x, k));
	return x;
}

/* p + j bytes, in one instruction. */
template <typename T> static __device__ __forceinline__ const T *step_by(const T *p, int j, int bytes)
{
	const char *q;
	asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(q) : "r"(j), "r"(bytes), "l"(p));
	return (const T *)q;
}

/* Forward ------------------------------------------------------------------ */

/* What a thread knows of its column. */
template <typename T> struct path {
	gt_ray_line line;
	const T *volume;
	int nb, nz, nd, l0;
	int plane; /* bytes */
};

/* a + b q for the rows of a thread. Single precision starts from its first one: one addition less. */
template <typename T> struct rows_at;
template <> struct rows_at<float> {
	double b, a;
	__device__ __forceinline__ rows_at(const path<float> &c, double row, double zero) : b(row), a(fma((double)c.l0, row, zero)) {}
	__device__ __forceinline__ double operator[](int r) const { return fma((double)r, b, a); }
};
template <> struct rows_at<double> {
	double b, a, first;
	__device__ __forceinline__ rows_at(const path<double> &c, double row, double zero) : b(row), a(zero), first(c.l0) {}
	__device__ __forceinline__ double operator[](int r) const { return fma(first + r, b, a); }
};
template <typename T> static __device__ __forceinline__ rows_at<T> slopes(const path<T> &c)
{
	return rows_at<T>(c, c.line.row_step, c.line.z_step);
}
/* Places of the rows at n. */
template <typename T> struct places {
	rows_at<T> at;
	__device__ __forceinline__ places(const path<T> &c, double n)
	    : at(c, fma(n, c.line.row_step, c.line.row), fma(n, c.line.z_step, c.line.z))
	{
		at.a += gt_ray_place<T>::offset();
	}
	__device__ __forceinline__ gt_ray_place<T> operator[](int r) const { return gt_ray_place<T>(at[r], 0); }
};

/* Voxel i of a line of a slice, and perhaps i + 1. */
template <typename T> struct pair {
	const T *first; /* voxel i of plane -place::zero */
	int both, has_first, has_second;
};

template <typename T> static __device__ __forceinline__ pair<T> pair_at(const path<T> &c, int n, int i, int both)
{
	pair<T> v;
	v.first = step_by(c.volume + (size_t)n * c.nb + i, -gt_ray_place<T>::zero, c.plane);
	v.both = both;
	v.has_first = (unsigned)i < (unsigned)c.nb;
	v.has_second = (unsigned)(i + 1) < (unsigned)c.nb;
	return v;
}

/* One of them in plane j. INSIDE: it is known to be in the grid. */
template <int INSIDE, typename T> static __device__ __forceinline__ T one_of(const path<T> &c, const pair<T> &v, int j, int second)
{
	const T *p = step_by(v.first, j, c.plane) + second;
	const int has = INSIDE || ((second ? v.has_second : v.has_first) & ((unsigned)(j - gt_ray_place<T>::zero) < (unsigned)c.nz));
	const T value = __ldg(has ? p : c.volume); /* no branch: the rows' loads go out together */
	return has ? value : T(0);
}

template <int INSIDE, int ROWS, typename T>
static __device__ __forceinline__ void joseph_rows(const path<T> &c, const pair<T> &v, T f, const places<T> &z, T (&sum)[ROWS])
{
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const int j = z[r].voxel();
		const T h = z[r].fraction();
		const T p = one_of<INSIDE>(c, v, j, 0), q = one_of<INSIDE>(c, v, j, 1);
		const T s = one_of<INSIDE>(c, v, j + 1, 0), t = one_of<INSIDE>(c, v, j + 1, 1);
		const T low = p + f * (q - p), high = s + f * (t - s);
		sum[r] += low + h * (high - low);
	}
}

template <int ROWS, typename T> static __device__ __forceinline__ void joseph_slice(const path<T> &c, int n, int in, T (&sum)[ROWS])
{
	const gt_ray_place<T> x(fma((double)n, c.line.x_step, c.line.x));
	const places<T> z(c, n);
	const int low = z[0].voxel() - gt_ray_place<T>::zero, high = z[ROWS - 1].voxel() - gt_ray_place<T>::zero;
	const pair<T> v = pair_at(c, n, x.voxel() - gt_ray_place<T>::zero, 1);
	in = in && (v.has_first || v.has_second) && high >= -1 && low < c.nz;
	if (__all_sync(ALL, in && v.has_first && v.has_second && low >= 0 && high + 1 < c.nz))
		joseph_rows<1>(c, v, x.fraction(), z, sum);
	else if (in)
		joseph_rows<0>(c, v, x.fraction(), z, sum);
}

/* What Siddon's walk of a thread carries from slice to slice: the voxel of each row; bits of rows that lie in faces; and
 * what is to be added to the sums, in shared memory, one number per thread. */
template <typename T, int ROWS> struct walker {
	int voxel[ROWS], fresh;
	unsigned still;
	T *extra;
	int stride;
};

/* The voxel of each row where it enters slice n. */
template <int ROWS, typename T> static __device__ __forceinline__ void enter(const path<T> &c, int n, walker<T, ROWS> *w)
{
	const places<T> z(c, n), middle(c, 0.5 * c.nd);
	const rows_at<T> slope = slopes(c);
	w->still = 0;
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const int still = settled(slope[r], c.nd);
		w->still |= (unsigned)still << r;
		w->voxel[r] = still ? gt_ray_place<T>(middle[r].p + 1e-7, 0).voxel() : z[r].voxel();
	}
}

/* Row r leaves its plane of voxels within slice n: what the next one has more from there on. The ray goes from one voxel of the
 * pair (the second, if from_second) to the other at the share s of the slice; s = 1 if it stays. */
template <int INSIDE, typename T>
static __device__ __forceinline__ T beyond(const path<T> &c, const pair<T> &v, int n, int r, T s, int from_second)
{
	const double step = slopes(c)[r];
	const gt_ray_place<T> z = places<T>(c, n)[r];
	const int j = z.voxel(), m = j + (step > 0 ? 1 : -1), to_second = v.both ? !from_second : from_second;
	const T t = z.leaves(step);
	T sum = 0;
	if (t < s)
		sum = (s - t) * (one_of<INSIDE>(c, v, m, from_second) - one_of<INSIDE>(c, v, j, from_second));
	if (v.both)
		sum += (1 - max(s, t)) * (one_of<INSIDE>(c, v, m, to_second) - one_of<INSIDE>(c, v, j, to_second));
	return sum;
}

/* Every row as if it stayed in its plane; then those that do not. */
template <int INSIDE, int ROWS, typename T>
static __device__ __forceinline__ void siddon_rows(const path<T> &c, const pair<T> &v, int n, T s, int from_second, walker<T, ROWS> *w,
                                                   T (&sum)[ROWS])
{
	const places<T> z(c, n + 1.0);
	const T first = from_second ? 1 - s : s, second = from_second ? s : 1 - s;
	unsigned leaves = 0;
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const int j = w->voxel[r], out = z[r].voxel();
		sum[r] += first * one_of<INSIDE>(c, v, j, 0);
		if (v.both)
			sum[r] += second * one_of<INSIDE>(c, v, j, 1);
		if (out != j)
			leaves |= 1u << r;
		if (INSIDE || !(w->still >> r & 1))
			w->voxel[r] = out;
	}
	for (leaves &= ~w->still; leaves; leaves &= leaves - 1) {
		const int r = __ffs((int)leaves) - 1;
		w->extra[r * w->stride] += beyond<INSIDE>(c, v, n, r, s, from_second);
	}
}

template <int ROWS, typename T>
static __device__ __forceinline__ void siddon_slice(const path<T> &c, int n, int in, walker<T, ROWS> *w, T (&sum)[ROWS])
{
	const gt_ray_place<T> x(fma((double)n, c.line.x_step, c.line.x)), next(fma(n + 1.0, c.line.x_step, c.line.x));
	const places<T> z(c, n);
	const int low = z[0].voxel() - gt_ray_place<T>::zero - 1, high = z[ROWS - 1].voxel() - gt_ray_place<T>::zero + 1;
	const int crosses = x.voxel() != next.voxel(), downwards = crosses && c.line.x_step < 0;
	const pair<T> v = pair_at(c, n, x.voxel() - gt_ray_place<T>::zero - downwards, crosses);
	const T s = crosses ? x.leaves(c.line.x_step) : T(1);
	in = in && (v.has_first || (v.both && v.has_second)) && high >= 0 && low < c.nz;
	if (in && !w->fresh)
		enter(c, n, w);
	w->fresh = in;
	if (__all_sync(ALL, in && v.has_first && (v.has_second || !v.both) && low >= 0 && high < c.nz && !w->still))
		siddon_rows<1>(c, v, n, s, downwards, w, sum);
	else if (in)
		siddon_rows<0>(c, v, n, s, downwards, w, sum);
}

template <gt_ray_model MODEL, typename T, int ROWS>
static __global__ void __launch_bounds__(WARP *GT_RAY_FORWARD_VIEWS, sizeof(T) == 4 ? GT_RAY_FORWARD_BLOCKS : 1)
	forward_kernel(gt_rays g, gt_ray_level v, const T *volume, const T *x_slices, T *out, int groups, int tiles)
{
	const int entry = blockIdx.x % groups * WARP + threadIdx.x, p = min(entry, g.columns - 1);
	const size_t view = (size_t)(blockIdx.x / groups / tiles) * GT_RAY_FORWARD_VIEWS + threadIdx.y;
	if (view >= g.views)
		return;
	const gt_ray_frame *f = v.frame + 2 * view;
	const int axis = p >= f->start && p < f->start + f->count ? 0 : 1;
	const size_t at = view * g.columns + p;
	f += axis;
	path<T> c;
	c.nb = axis ? g.n[0] : g.n[1];
	c.nd = axis ? g.n[1] : g.n[0];
	c.nz = g.n[2];
	c.l0 = blockIdx.x / groups % tiles * ROWS;
	c.plane = g.n[0] * g.n[1] * (int)sizeof(T);
	c.volume = axis ? volume : x_slices;
	c.line = gt_ray_level_line(MODEL, f, v.S[at], v.W[at], c.nd);
	gt_ray r;
	r.first = f->first;
	r.end = f->end;
	r.at[0] = c.line.x;
	r.step[0] = c.line.x_step;
	gt_ray_clip(0, 0, c.nb, &r);
	__shared__ T extra[MODEL == GT_RAY_SIDDON ? ROWS : 1][GT_RAY_FORWARD_VIEWS][WARP];
	T sum[ROWS] = { 0 };
	walker<T, ROWS> w = { { 0 }, 0, 0, &extra[0][threadIdx.y][threadIdx.x], GT_RAY_FORWARD_VIEWS * WARP };
	for (int k = 0; MODEL == GT_RAY_SIDDON && k < ROWS; k++)
		w.extra[k * w.stride] = 0;
	const int end = -least(-r.end);
	for (int n = least(r.first); n < end; n++) {
		const int in = n >= r.first && n < r.end;
		if (MODEL == GT_RAY_JOSEPH)
			joseph_slice(c, n, in, sum);
		else
			siddon_slice(c, n, in, &w, sum);
	}
	if (entry >= g.columns)
		return;
	const int column = gt_ray_level_column(f, p);
#pragma unroll
	for (int k = 0; k < ROWS; k++)
		if (c.l0 + k < g.rows)
			out[(view * g.rows + gt_ray_level_row(f, g.rows, c.l0 + k)) * g.columns + column] =
				(sum[k] + (MODEL == GT_RAY_SIDDON ? w.extra[k * w.stride] : T(0))) *
				(T)gt_ray_level_length(&c.line, c.l0 + k, g.pitch[axis], g.pitch[1 - axis], g.pitch[2]);
}

template <gt_ray_model MODEL, int ROWS, typename T>
static void launch_forward(cudaStream_t queue, const gt_rays *g, const gt_ray_level *v, const T *x, const T *x_slices, T *y)
{
	const int groups = gt_ray_pieces(g->columns, WARP), tiles = gt_ray_pieces(g->rows, ROWS);
	const size_t views = (g->views + GT_RAY_FORWARD_VIEWS - 1) / GT_RAY_FORWARD_VIEWS;
	forward_kernel<MODEL, T, ROWS>
		<<<(unsigned)(views * groups * tiles), dim3(WARP, GT_RAY_FORWARD_VIEWS), 0, queue>>>(*g, *v, x, x_slices, y, groups, tiles);
}

template <gt_ray_model MODEL, typename T> static void forward_as(gt_backend *be, const gt_rays *g, const gt_ray_level *v, const T *x, T *y)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *x_slices = (T *)gt_scratch(be);
	if (v->sliced[0])
		gt_ray_transpose_volume<T, 0>(queue, x, x_slices, g->n[0], g->n[1], g->n[2]);
	if (g->rows == 1)
		launch_forward<MODEL, 1>(queue, g, v, x, x_slices, y);
	else if (g->rows <= 4)
		launch_forward<MODEL, 4>(queue, g, v, x, x_slices, y);
	else
		launch_forward<MODEL, GT_RAY_FORWARD_ROWS>(queue, g, v, x, x_slices, y);
	gt_cuda_check(be, cudaGetLastError(), "ray-driven forward");
}

void gt_ray_level_forward(gt_backend *be, const gt_ray_operator *o, const gt_ray_level *level, const void *x, void *y)
{
	GT_RAY_EACH(forward_as, be, o, level, x, y);
}

/* Adjoint ------------------------------------------------------------------ */

/* Data times the length of a slice, [view of the batch][row by z][entry]. */
template <typename T> static __global__ void weight_cells(gt_rays g, gt_ray_level v, const T *y, T *cells, size_t first, size_t count)
{
	const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	const int p = (int)(i % g.columns), q = (int)(i / g.columns % g.rows);
	const size_t view = first + i / g.columns / g.rows, at = view * g.columns + p;
	const gt_ray_frame *f = v.frame + 2 * view;
	const int axis = p >= f->start && p < f->start + f->count ? 0 : 1;
	f += axis;
	const gt_ray_line l = gt_ray_level_line(GT_RAY_JOSEPH, f, v.S[at], v.W[at], 0);
	cells[i] = y[(view * g.rows + gt_ray_level_row(f, g.rows, q)) * g.columns + gt_ray_level_column(f, p)] *
	           (T)gt_ray_level_length(&l, q, g.pitch[axis], g.pitch[1 - axis], g.pitch[2]);
}

/* The voxels of a thread: sums of Z of them from z0 on, in shared memory, WARP apart. */
template <typename T> struct column {
	int i, n, z0;
	T *sum;
};

template <int Z, typename T> static __device__ __forceinline__ void add(const column<T> &c, int j, T value)
{
	if ((unsigned)(j - c.z0) < (unsigned)Z)
		c.sum[(j - c.z0) * WARP] += value;
}

/* Rows [*from, *to) with positions a + q b between low and high, and perhaps one more. */
static __device__ __forceinline__ void rows_between(double low, double high, double inverse, int rows, int *from, int *to)
{
	const double first = low * inverse, last = high * inverse;
	*from = first > 0 ? (first < rows ? (int)first : rows) : 0;
	*to = last < 0 ? 0 : last < rows - 1 ? (int)last + 1 : rows;
}

template <int Z, typename T>
static __device__ __forceinline__ void joseph_column(const gt_rays &g, const gt_ray_line &l, const column<T> &c, const T *cells)
{
	const T weight = (T)(1 - fabs(fma((double)c.n, l.x_step, l.x) - c.i));
	const double b = fma((double)c.n, l.row_step, l.row), a = fma((double)c.n, l.z_step, l.z), start = a + gt_ray_place<T>::offset();
	int q, end;
	if (!(weight > 0))
		return;
	rows_between(c.z0 - 1 - a, c.z0 + Z - a, 1 / b, g.rows, &q, &end);
	for (cells += (size_t)q * g.columns; q < end; q++, cells += g.columns) {
		const gt_ray_place<T> z(fma((double)q, b, start), 0);
		const int j = z.voxel() - gt_ray_place<T>::zero;
		const T value = weight * __ldg(cells), high = z.fraction() * value;
		add<Z>(c, j, value - high);
		add<Z>(c, j + 1, high);
	}
}

/* The part of the slice in which the ray is in voxel i along b; 0 if there is none. */
template <typename T> static __device__ __forceinline__ int part_of_slice(const gt_ray_line &l, int n, int voxel, T *from, T *to)
{
	const gt_ray_place<T> x(fma((double)n, l.x_step, l.x)), next(fma(n + 1.0, l.x_step, l.x));
	const int i = x.voxel() - gt_ray_place<T>::zero, crosses = x.voxel() != next.voxel();
	const T s = crosses ? x.leaves(l.x_step) : T(1);
	*from = i == voxel ? T(0) : s;
	*to = i == voxel ? s : T(1);
	return i == voxel || (crosses && i + (l.x_step > 0 ? 1 : -1) == voxel);
}

template <int Z, typename T>
static __device__ __forceinline__ void siddon_column(const gt_rays &g, const gt_ray_line &l, int slices, const column<T> &c, const T *cells)
{
	const double b = fma((double)c.n, l.row_step, l.row), a = fma((double)c.n, l.z_step, l.z), start = a + gt_ray_place<T>::offset();
	const double b1 = fma(c.n + 1.0, l.row_step, l.row), a1 = fma(c.n + 1.0, l.z_step, l.z), start1 = a1 + gt_ray_place<T>::offset();
	T from, to;
	int q, end, first, last;
	if (!part_of_slice(l, c.n, c.i, &from, &to))
		return;
	rows_between(c.z0 - 1e-6 - a, c.z0 + Z + 1e-6 - a, 1 / b, g.rows, &q, &end);
	rows_between(c.z0 - 1e-6 - a1, c.z0 + Z + 1e-6 - a1, 1 / b1, g.rows, &first, &last);
	q = min(q, first);
	end = max(end, last);
	for (cells += (size_t)q * g.columns; q < end; q++, cells += g.columns) {
		const gt_ray_place<T> z(fma((double)q, b, start), 0), next(fma((double)q, b1, start1), 0);
		const int j = z.voxel() - gt_ray_place<T>::zero;
		const T value = __ldg(cells);
		const double step = fma((double)q, l.row_step, l.z_step); /* seldom wanted */
		if (z.near_face() && settled(step, slices)) {
			const gt_ray_place<T> middle(fma(0.5 * slices - c.n, step, z.p) + 1e-7, 0);
			add<Z>(c, middle.voxel() - gt_ray_place<T>::zero, (to - from) * value);
		} else if (z.voxel() == next.voxel()) {
			add<Z>(c, j, (to - from) * value);
		} else {
			const T t = z.leaves(step);
			add<Z>(c, j, max(min(t, to) - from, T(0)) * value);
			add<Z>(c, j + (step > 0 ? 1 : -1), max(to - max(t, from), T(0)) * value);
		}
	}
}

/* AXIS: the views whose slices are perpendicular to it. */
template <gt_ray_model MODEL, typename T, int Z, int AXIS>
static __global__ void adjoint_kernel(gt_rays g, gt_ray_level v, const T *cells, T *x, size_t first, size_t views, int groups,
                                      int slice_groups)
{
	__shared__ T sums[GT_RAY_ADJOINT_WIDTH][Z][WARP];
	column<T> c;
	c.i = blockIdx.x % groups * WARP + threadIdx.x;
	c.n = blockIdx.x / groups % slice_groups * GT_RAY_ADJOINT_WIDTH + threadIdx.y;
	c.z0 = blockIdx.x / groups / slice_groups * Z;
	c.sum = &sums[threadIdx.y][0][threadIdx.x];
	if (c.i >= g.n[1 - AXIS] || c.n >= g.n[AXIS])
		return;
	for (int z = 0; z < Z; z++)
		c.sum[z * WARP] = 0;
	for (size_t view = first; view < first + views; view++) {
		const gt_ray_frame *f = v.frame + 2 * view + AXIS;
		if (!f->count || c.n < f->first || c.n >= f->end)
			continue;
		const size_t at = view * g.columns;
		const T *data = cells + (view - first) * g.rows * g.columns + f->start;
		const double end = gt_ray_level_find(f, c.n, c.i + 1.0);
		for (int m = gt_ray_level_search(f, v.S + at, v.guess + at, gt_ray_level_find(f, c.n, c.i - 1.0)); m < f->count; m++) {
			const double S = v.S[at + f->start + m];
			if (S >= end)
				break;
			const gt_ray_line l = gt_ray_level_line(MODEL, f, S, v.W[at + f->start + m], g.n[AXIS]);
			if (MODEL == GT_RAY_JOSEPH)
				joseph_column<Z>(g, l, c, data + m);
			else
				siddon_column<Z>(g, l, g.n[AXIS], c, data + m);
		}
	}
	const size_t row = AXIS == 1 ? (size_t)c.n * g.n[0] + c.i : (size_t)c.i * g.n[0] + c.n, plane = (size_t)g.n[0] * g.n[1];
	for (int z = 0; z < Z && c.z0 + z < g.n[2]; z++)
		x[(size_t)(c.z0 + z) * plane + row] += c.sum[z * WARP];
}

template <gt_ray_model MODEL, int Z, int AXIS, typename T>
static void launch_adjoint(cudaStream_t queue, const gt_rays *g, const gt_ray_level *v, const T *cells, T *x, size_t first, size_t views)
{
	if (!v->sliced[AXIS])
		return;
	const int groups = gt_ray_pieces(g->n[1 - AXIS], WARP), slice_groups = gt_ray_pieces(g->n[AXIS], GT_RAY_ADJOINT_WIDTH);
	const size_t blocks = (size_t)groups * slice_groups * gt_ray_pieces(g->n[2], Z);
	adjoint_kernel<MODEL, T, Z, AXIS>
		<<<(unsigned)blocks, dim3(WARP, GT_RAY_ADJOINT_WIDTH), 0, queue>>>(*g, *v, cells, x, first, views, groups, slice_groups);
}

template <gt_ray_model MODEL, int Z, typename T>
static void launch_both(cudaStream_t queue, const gt_rays *g, const gt_ray_level *v, const T *cells, T *x, size_t first, size_t views)
{
	launch_adjoint<MODEL, Z, 0>(queue, g, v, cells, x, first, views);
	launch_adjoint<MODEL, Z, 1>(queue, g, v, cells, x, first, views);
}

template <gt_ray_model MODEL, typename T> static void adjoint_as(gt_backend *be, const gt_rays *g, const gt_ray_level *v, const T *y, T *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *cells = (T *)gt_scratch(be);
	const size_t batch = gt_ray_batch_views(g, g->rows, sizeof(T));
	cudaMemsetAsync(x, 0, (size_t)g->n[0] * g->n[1] * g->n[2] * sizeof(T), queue);
	for (size_t first = 0; first < g->views; first += batch) {
		const size_t views = g->views - first < batch ? g->views - first : batch, count = views * g->rows * g->columns;
		weight_cells<T><<<(unsigned)((count + 255) / 256), 256, 0, queue>>>(*g, *v, y, cells, first, count);
		if (g->n[2] == 1)
			launch_both<MODEL, 1>(queue, g, v, cells, x, first, views);
		else if (g->n[2] <= 4)
			launch_both<MODEL, 4>(queue, g, v, cells, x, first, views);
		else
			launch_both<MODEL, GT_RAY_ADJOINT_VOXELS>(queue, g, v, cells, x, first, views);
	}
	gt_cuda_check(be, cudaGetLastError(), "ray-driven adjoint");
}

static int takes_strips(const gt_ray_operator *o) { return o->model == GT_RAY_JOSEPH && o->rays.n[2] >= GT_RAY_STRIP_SLICES; }

void gt_ray_level_adjoint(gt_backend *be, const gt_ray_operator *o, const gt_ray_level *level, const void *y, void *x)
{
	if (takes_strips(o))
		gt_ray_strip_adjoint(be, o, level, y, x);
	else
		GT_RAY_EACH(adjoint_as, be, o, level, y, x);
}

size_t gt_ray_level_scratch(const gt_ray_operator *o, const gt_ray_level *level)
{
	const gt_rays *g = &o->rays;
	const size_t element = gt_type_size(o->type), volume = level->sliced[0] ? (size_t)g->n[0] * g->n[1] * g->n[2] * element : 0;
	const size_t cells = takes_strips(o) ? gt_ray_strip_scratch(o)
	                                     : gt_ray_batch_views(g, g->rows, element) * g->rows * g->columns * element;
	return volume > cells ? volume : cells;
}
