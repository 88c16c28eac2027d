/* Backprojection of level scans (ray_level.h), single and double precision. A thread owns a column of voxels along z
 * and gathers the rays that meet it, view by view and row by row. Joseph's adjoint with many slices uses
 * ray_strip_cuda.cu.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_RAY_ADJOINT_VOXELS /* voxels along z per thread: 8, 16, 32 */
#define GT_RAY_ADJOINT_VOXELS 16
#endif
#ifndef GT_RAY_ADJOINT_WIDTH /* warps per block, each on another slice of the view's axis: 1, 2, 4, 8 */
#define GT_RAY_ADJOINT_WIDTH 8
#endif
#include "projectors/ray/ray_cuda.cuh"

enum { WARP = GT_RAY_WARP };

/* Data times the length of a slice, [view of the batch][row by z][entry]. */
template <typename T> static __global__ void weight_pixels(gt_rays g, gt_ray_level v, const T *y, T *pixels, size_t first, size_t count)
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
	pixels[i] = y[(view * g.rows + gt_ray_level_row(f, g.rows, q)) * g.columns + gt_ray_level_column(f, p)] *
	            (T)gt_ray_level_length(&l, q, g.pitch[axis], g.pitch[1 - axis], g.pitch[2]);
}

/* Voxels of a thread: Z sums from z0 on, in shared memory, WARP apart. */
template <typename T> struct column {
	int i, n, z0;
	T *sum;
};

template <int Z, typename T> static __device__ __forceinline__ void add(const column<T> &c, int j, T value)
{
	if ((unsigned)(j - c.z0) < (unsigned)Z)
		c.sum[(j - c.z0) * WARP] += value;
}

/* Rows [*from, *to) with positions a + q b between low and high, and possibly one more. */
static __device__ __forceinline__ void rows_between(double low, double high, double inverse, int rows, int *from, int *to)
{
	const double first = low * inverse, last = high * inverse;
	*from = first > 0 ? (first < rows ? (int)first : rows) : 0;
	*to = last < 0 ? 0 : last < rows - 1 ? (int)last + 1 : rows;
}

template <int Z, typename T>
static __device__ __forceinline__ void joseph_column(const gt_rays &g, const gt_ray_line &l, const column<T> &c, const T *pixels)
{
	const T weight = (T)(1 - fabs(fma((double)c.n, l.x_step, l.x) - c.i));
	const double b = fma((double)c.n, l.row_step, l.row), a = fma((double)c.n, l.z_step, l.z), start = a + gt_ray_place<T>::offset();
	int q, end;
	if (!(weight > 0))
		return;
	rows_between(c.z0 - 1 - a, c.z0 + Z - a, 1 / b, g.rows, &q, &end);
	for (pixels += (size_t)q * g.columns; q < end; q++, pixels += g.columns) {
		const gt_ray_place<T> z(fma((double)q, b, start), 0);
		const int j = z.voxel() - gt_ray_place<T>::zero;
		const T value = weight * __ldg(pixels), high = z.fraction() * value;
		add<Z>(c, j, value - high);
		add<Z>(c, j + 1, high);
	}
}

/* Finds the part of the slice in which the ray is in voxel i along b. Returns 0 if there is none. */
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
static __device__ __forceinline__ void siddon_column(const gt_rays &g, const gt_ray_line &l, int slices, const column<T> &c,
                                                     const T *pixels)
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
	for (pixels += (size_t)q * g.columns; q < end; q++, pixels += g.columns) {
		const gt_ray_place<T> z(fma((double)q, b, start), 0), next(fma((double)q, b1, start1), 0);
		const int j = z.voxel() - gt_ray_place<T>::zero;
		const T value = __ldg(pixels);
		const double step = fma((double)q, l.row_step, l.z_step); /* rarely used */
		if (z.near_face() && gt_ray_settled(step, slices)) {
			const gt_ray_place<T> middle(fma(0.5 * slices - c.n, step, z.p) + GT_RAY_NEARLY, 0);
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

/* AXIS: slices of the views are perpendicular to it. */
template <gt_ray_model MODEL, typename T, int Z, int AXIS>
static __global__ void adjoint_kernel(gt_rays g, gt_ray_level v, const T *pixels, T *x, size_t first, size_t views, int groups,
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
		if (!f->count || c.n < f->first || c.n >= f->end || !gt_ray_level_meets(f, g.rows, c.n, c.z0, c.z0 + Z))
			continue;
		const size_t at = view * g.columns;
		const T *data = pixels + (view - first) * g.rows * g.columns + f->start;
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
static void launch_adjoint(cudaStream_t queue, const gt_rays *g, const gt_ray_level *v, const T *pixels, T *x, size_t first, size_t views)
{
	if (!v->sliced[AXIS])
		return;
	const int groups = pieces(g->n[1 - AXIS], WARP), slice_groups = pieces(g->n[AXIS], GT_RAY_ADJOINT_WIDTH);
	const size_t blocks = (size_t)groups * slice_groups * pieces(g->n[2], Z);
	adjoint_kernel<MODEL, T, Z, AXIS>
		<<<(unsigned)blocks, dim3(WARP, GT_RAY_ADJOINT_WIDTH), 0, queue>>>(*g, *v, pixels, x, first, views, groups, slice_groups);
}

template <gt_ray_model MODEL, int Z, typename T>
static void launch_both(cudaStream_t queue, const gt_rays *g, const gt_ray_level *v, const T *pixels, T *x, size_t first, size_t views)
{
	launch_adjoint<MODEL, Z, 0>(queue, g, v, pixels, x, first, views);
	launch_adjoint<MODEL, Z, 1>(queue, g, v, pixels, x, first, views);
}

template <gt_ray_model MODEL, typename T>
static void adjoint_as(gt_backend *be, const gt_rays *g, const gt_ray_level *v, const gt_ray_tuned *, const T *y, T *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *pixels = (T *)gt_scratch(be);
	const size_t batch = gt_ray_batch_views(g, g->rows, sizeof(T));
	cudaMemsetAsync(x, 0, (size_t)g->n[0] * g->n[1] * g->n[2] * sizeof(T), queue);
	for (size_t first = 0; first < g->views; first += batch) {
		const size_t views = g->views - first < batch ? g->views - first : batch, count = views * g->rows * g->columns;
		weight_pixels<T><<<(unsigned)((count + 255) / 256), 256, 0, queue>>>(*g, *v, y, pixels, first, count);
		if (g->n[2] == 1)
			launch_both<MODEL, 1>(queue, g, v, pixels, x, first, views);
		else if (g->n[2] <= 4)
			launch_both<MODEL, 4>(queue, g, v, pixels, x, first, views);
		else
			launch_both<MODEL, GT_RAY_ADJOINT_VOXELS>(queue, g, v, pixels, x, first, views);
	}
	gt_cuda_check(be, cudaGetLastError(), "ray-driven adjoint");
}

void gt_ray_level_adjoint(gt_backend *be, const gt_ray_operator *o, const gt_ray_level *level, const gt_ray_tuned *tuned, const void *y,
                          void *x)
{
	if (gt_ray_takes_strips(o))
		gt_ray_strip_adjoint(be, o, level, tuned, y, x);
	else
		GT_RAY_EACH(adjoint_as, be, o, level, tuned, y, x);
}

size_t gt_ray_gather_scratch(const gt_ray_operator *o)
{
	const gt_rays *g = &o->rays;
	const size_t element = gt_type_size(o->type);
	return gt_ray_takes_strips(o) ? gt_ray_strip_scratch(o) : gt_ray_batch_views(g, g->rows, element) * g->rows * g->columns * element;
}
