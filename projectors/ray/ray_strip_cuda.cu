/* Joseph's adjoint for level scans with many slices, single and double: a warp takes a strip of voxels of one slice,
 * its lanes lie along z. A column of pixels is first resampled from rows to voxels, once, and then shared by the two
 * voxels of the strip between which it passes: the hat functions of rows and columns are independent.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_RAY_STRIP /* voxels per strip: 4, 8, 16 */
#define GT_RAY_STRIP 16
#endif
#ifndef GT_RAY_STRIP_TILES /* voxels along z per lane: 1, 2, 4 */
#define GT_RAY_STRIP_TILES 2
#endif
#ifndef GT_RAY_STRIP_WARPS /* warps per block, on neighbouring slices: 4, 8, 16 */
#define GT_RAY_STRIP_WARPS 8
#endif
#include "projectors/ray/ray_cuda.cuh"

enum { WARP = GT_RAY_WARP, PAD = 4 }; /* rows of zeros on both ends of a column */
#define ALL 0xffffffffu

/* Data times the length of a slice, [view of the batch][entry][row by z], with PAD zeros round each column. */
template <typename T>
static __global__ void sort_pixels(gt_rays g, gt_ray_level v, const T *y, T *pixels, size_t first, int row_tiles, int column_tiles)
{
	__shared__ T tile[WARP][WARP + 1];
	const int p0 = blockIdx.x % column_tiles * WARP, q0 = blockIdx.x / column_tiles % row_tiles * WARP - PAD, stride = g.rows + 2 * PAD;
	const size_t batch = blockIdx.x / column_tiles / row_tiles, view = first + batch;
	const int p = p0 + threadIdx.x;
	for (int k = threadIdx.y; k < WARP && p < g.columns; k += blockDim.y) {
		const int q = q0 + k;
		const gt_ray_frame *f = v.frame + 2 * view;
		const int axis = p >= f->start && p < f->start + f->count ? 0 : 1;
		T value = 0;
		if (q >= 0 && q < g.rows) {
			const size_t at = view * g.columns + p;
			f += axis;
			const gt_ray_line l = gt_ray_level_line(GT_RAY_JOSEPH, f, v.S[at], v.W[at], 0);
			value = y[(view * g.rows + gt_ray_level_row(f, g.rows, q)) * g.columns + gt_ray_level_column(f, p)] *
			        (T)gt_ray_level_length(&l, q, g.pitch[axis], g.pitch[1 - axis], g.pitch[2]);
		}
		tile[k][threadIdx.x] = value;
	}
	__syncthreads();
	for (int k = threadIdx.y; k < WARP; k += blockDim.y)
		if (p0 + k < g.columns && q0 + PAD + threadIdx.x < stride)
			pixels[(batch * g.columns + p0 + k) * stride + q0 + PAD + threadIdx.x] = tile[threadIdx.x][k];
}

/* A column of pixels where it passes the slice: the row of the tile's first voxel and its change per voxel (see
 * gt_ray_place), height of a row in voxels, place between two voxels of the strip. */
template <typename T> struct __align__(16) passing
{
	double row, step;
	T height, fraction;
};

template <typename T> static __device__ __forceinline__ T positive(T x) { return max(x, T(0)); }
template <> __device__ __forceinline__ float positive<float>(float x) { return __saturatef(x); } /* none is above 1 */

/* Sum of rows q weighted by how near they are to the row coordinate of a voxel: 1 - height |q - place|, if positive. */
template <int ROWS, typename T> static __device__ __forceinline__ T resample(const T *column, double place, T height, int rows)
{
	const gt_ray_place<T> at(place, 0);
	const int q = min(max(at.voxel() - gt_ray_place<T>::zero, 1), rows + PAD + 1);
	const T f = at.fraction(), near = 1 - height, *p = column + q;
	T sum = positive(1 - height * f) * __ldg(p) + positive(near + height * f) * __ldg(p + 1);
	if (ROWS == 4)
		sum += positive(near - height * f) * __ldg(p - 1) + positive(near - height + height * f) * __ldg(p + 2);
	return sum;
}

/* The same for rows of less than half a voxel, of which there are many, or more than two, which ask for more digits. */
template <typename T> static __device__ __noinline__ T resample_many(const T *column, double place, double reach, int rows)
{
	const double at = place - gt_ray_place<T>::offset();
	const int from = (int)fmax(ceil(at - reach), (double)PAD), to = (int)fmin(floor(at + reach), (double)(rows + PAD - 1));
	T sum = 0;
	for (int q = from; q <= to; q++)
		sum += (T)fmax(1 - fabs(q - at) / reach, 0.) * __ldg(column + q);
	return sum;
}

/* Adds a column to the voxels i and i + 1 of the strip. ORDINARY: no row is lower than half a voxel or higher than
 * two. */
template <int ORDINARY, int TILES, typename T>
static __device__ __forceinline__ void add_column(const passing<T> &shared, const T *column, int rows, int i, T (&sum)[GT_RAY_STRIP][TILES])
{
	const passing<T> c = shared;
	const double row = fma((double)threadIdx.x, c.step, c.row);
	T value[TILES] = { 0 };
	if ((ORDINARY || c.height >= T(0.5)) && c.height < 1) {
#pragma unroll
		for (int t = 0; t < TILES; t++)
			value[t] = resample<4>(column, fma((double)(t * WARP), c.step, row), c.height, rows);
	} else if (ORDINARY || (c.height >= 1 && c.height <= 2)) {
#pragma unroll
		for (int t = 0; t < TILES; t++)
			value[t] = resample<2>(column, fma((double)(t * WARP), c.step, row), c.height, rows);
	} else if (!ORDINARY) {
#pragma unroll
		for (int t = 0; t < TILES; t++)
			value[t] = resample_many(column, fma((double)(t * WARP), c.step, row), c.step, rows);
	}
#pragma unroll
	for (int t = 0; t < TILES; t++) {
		const T high = c.fraction * value[t];
		if (i >= 0)
			sum[i][t] += value[t] - high;
		if (i + 1 < GT_RAY_STRIP)
			sum[i + 1][t] += high;
	}
}

/* One view: columns in batches of a lane each, sorted along the strip; voxel by voxel those that pass before the
 * next. */
template <int ORDINARY, int TILES, typename T>
static __device__ __forceinline__ void add_view(const gt_rays &g, const gt_ray_level &v, size_t view, const gt_ray_frame *f, int slices,
                                                const T *pixels, int i0, int n, int z0, passing<T> *shared, T (&sum)[GT_RAY_STRIP][TILES])
{
	const double *S = v.S + view * g.columns, *W = v.W + view * g.columns;
	const double end = gt_ray_level_find(f, n, i0 + (double)GT_RAY_STRIP);
	int m = gt_ray_level_search(f, S, v.guess + view * g.columns, gt_ray_level_find(f, n, i0 - 1.0));
	const int stride = g.rows + 2 * PAD;
	pixels += (size_t)f->start * stride;
	for (int more = 1; more; m += WARP) {
		const int mine = m + threadIdx.x, p = f->start + min(mine, f->count - 1), takes = mine < f->count && S[p] < end;
		const gt_ray_line l = gt_ray_level_line(GT_RAY_JOSEPH, f, S[p], W[p], slices);
		const gt_ray_place<T> x(fma((double)n, l.x_step, l.x) - i0);
		const double b = fma((double)n, l.row_step, l.row), a = fma((double)n, l.z_step, l.z), inverse = 1 / b;
		const int voxel = x.voxel() - gt_ray_place<T>::zero;
		shared[threadIdx.x] = { (z0 - a) * inverse + PAD + gt_ray_place<T>::offset(), inverse, (T)b,
			                voxel < -1 ? T(0) : x.fraction() };
		more = __all_sync(ALL, takes);
		__syncwarp();
		const T *column = pixels + (size_t)m * stride;
		int k = 0;
#pragma unroll
		for (int i = -1; i < GT_RAY_STRIP; i++) {
			const int last = __popc(__ballot_sync(ALL, takes && voxel <= i));
#pragma unroll 1
			for (; k < last; k++, column += stride)
				add_column<ORDINARY>(shared[k], column, g.rows, i, sum);
		}
		__syncwarp();
	}
}

/* AXIS: the views whose slices are perpendicular to it. */
template <typename T, int ORDINARY, int TILES, int AXIS>
static __global__ void strip_kernel(gt_rays g, gt_ray_level v, const T *pixels, T *x, size_t first, size_t views, int strips, int groups)
{
	__shared__ passing<T> shared[GT_RAY_STRIP_WARPS][WARP];
	const int i0 = blockIdx.x % strips * GT_RAY_STRIP, n = blockIdx.x / strips % groups * GT_RAY_STRIP_WARPS + threadIdx.y;
	const int z0 = blockIdx.x / strips / groups * WARP * TILES;
	if (n >= g.n[AXIS])
		return;
	T sum[GT_RAY_STRIP][TILES] = { { 0 } };
	for (size_t view = first; view < first + views; view++) {
		const gt_ray_frame *f = v.frame + 2 * view + AXIS;
		if (f->count && n >= f->first && n < f->end && gt_ray_level_meets(f, g.rows, n, z0, z0 + WARP * TILES))
			add_view<ORDINARY>(g, v, view, f, g.n[AXIS], pixels + (view - first) * g.columns * (g.rows + 2 * PAD), i0, n, z0,
			                   shared[threadIdx.y], sum);
	}
	const size_t plane = (size_t)g.n[0] * g.n[1];
#pragma unroll
	for (int i = 0; i < GT_RAY_STRIP; i++)
#pragma unroll
		for (int t = 0; t < TILES; t++) {
			const int z = z0 + t * WARP + threadIdx.x;
			const size_t row = AXIS == 1 ? (size_t)n * g.n[0] + i0 + i : (size_t)(i0 + i) * g.n[0] + n;
			if (z < g.n[2] && i0 + i < g.n[1 - AXIS])
				x[z * plane + row] += sum[i][t];
		}
}

template <int ORDINARY, int TILES, int AXIS, typename T>
static void launch_strips(cudaStream_t queue, const gt_rays *g, const gt_ray_level *v, const T *pixels, T *x, size_t first, size_t views)
{
	if (!v->sliced[AXIS])
		return;
	const int strips = pieces(g->n[1 - AXIS], GT_RAY_STRIP), groups = pieces(g->n[AXIS], GT_RAY_STRIP_WARPS);
	const size_t blocks = (size_t)strips * groups * pieces(g->n[2], WARP * TILES);
	strip_kernel<T, ORDINARY, TILES, AXIS>
		<<<(unsigned)blocks, dim3(WARP, GT_RAY_STRIP_WARPS), 0, queue>>>(*g, *v, pixels, x, first, views, strips, groups);
}

template <int ORDINARY, int TILES, typename T>
static void launch_both(cudaStream_t queue, const gt_rays *g, const gt_ray_level *v, const T *pixels, T *x, size_t first, size_t views)
{
	launch_strips<ORDINARY, TILES, 0>(queue, g, v, pixels, x, first, views);
	launch_strips<ORDINARY, TILES, 1>(queue, g, v, pixels, x, first, views);
}

template <typename T> static void adjoint_as(gt_backend *be, const gt_rays *g, const gt_ray_level *v, const T *y, T *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *pixels = (T *)gt_scratch(be);
	const size_t batch = gt_ray_batch_views(g, g->rows + 2 * PAD, sizeof(T));
	const int row_tiles = pieces(g->rows + 2 * PAD, WARP), column_tiles = pieces(g->columns, WARP);
	cudaMemsetAsync(x, 0, (size_t)g->n[0] * g->n[1] * g->n[2] * sizeof(T), queue);
	for (size_t first = 0; first < g->views; first += batch) {
		const size_t views = g->views - first < batch ? g->views - first : batch;
		sort_pixels<T><<<(unsigned)(views * row_tiles * column_tiles), dim3(WARP, 8), 0, queue>>>(*g, *v, y, pixels, first,
		                                                                                          row_tiles, column_tiles);
		if (v->lowest < 0.5 || v->highest > 2)
			launch_both<0, 1>(queue, g, v, pixels, x, first, views);
		else if (g->n[2] <= WARP)
			launch_both<1, 1>(queue, g, v, pixels, x, first, views);
		else
			launch_both<1, GT_RAY_STRIP_TILES>(queue, g, v, pixels, x, first, views);
	}
	gt_cuda_check(be, cudaGetLastError(), "ray-driven adjoint");
}

void gt_ray_strip_adjoint(gt_backend *be, const gt_ray_operator *o, const gt_ray_level *level, const void *y, void *x)
{
	if (o->type == GT_F32)
		adjoint_as(be, &o->rays, level, (const float *)y, (float *)x);
	else
		adjoint_as(be, &o->rays, level, (const double *)y, (double *)x);
}

size_t gt_ray_strip_scratch(const gt_ray_operator *o)
{
	const gt_rays *g = &o->rays;
	const size_t element = gt_type_size(o->type), length = g->rows + 2 * PAD;
	return gt_ray_batch_views(g, length, element) * g->columns * length * element;
}
