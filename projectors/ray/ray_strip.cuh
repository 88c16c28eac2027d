#ifndef GT_PROJECTORS_RAY_RAY_STRIP_CUH
#define GT_PROJECTORS_RAY_RAY_STRIP_CUH
/* Kernel of Joseph's adjoint for level scans with many slices, single and double precision. A warp owns a strip of
 * voxels of one slice, its lanes lie along z. A column of pixels is resampled once from rows to voxels, and shared by
 * the two voxels of the strip between which it passes. The hat functions of rows and columns are independent.
 *
 * Search space of `gantry tune`, read by tuner/space.c: one line per parameter, then the constraints.
 *
 * tune joseph-back
 * STRIP 4 8 12 16 24 32
 * TILES 1 2 4
 * STRIP_WARPS 1 2 4 8 16
 * keep TILES == 1 || slices > 32
 * keep STRIP * TILES <= 64
 * end
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_RAY_STRIP /* voxels per strip: 4, 8, 16 */
#define GT_RAY_STRIP 16
#endif
#ifndef GT_RAY_STRIP_TILES /* voxels along z per lane: 1, 2, 4 */
#define GT_RAY_STRIP_TILES 2
#endif
#ifndef GT_RAY_STRIP_WARPS /* warps per block, on adjacent slices: 4, 8, 16 */
#define GT_RAY_STRIP_WARPS 8
#endif
#include "projectors/ray/ray_cuda.cuh"

enum { WARP = GT_RAY_WARP, PAD = 4 }; /* rows of zeros at both ends of a column */
#define ALL 0xffffffffu

/* A column of pixels in a slice. The members `row` and `step` are the row of the tile's first voxel and its change per
 * voxel (see gt_ray_place). The members `height` and `fraction` are the height of a row in voxels and the position
 * between two voxels of the strip. */
template <typename T> struct __align__(16) passing
{
	double row, step;
	T height, fraction;
};

template <typename T> static __device__ __forceinline__ T positive(T x) { return max(x, T(0)); }
/* all arguments are at most 1 */
template <> __device__ __forceinline__ float positive<float>(float x) { return __saturatef(x); }

/* Sum of rows q weighted by their distance from the row coordinate of a voxel: 1 - height |q - place|, if positive. */
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

/* resample() for rows below half a voxel, which are many, or above two, which need more digits. */
template <typename T> static __device__ __noinline__ T resample_many(const T *column, double place, double reach, int rows)
{
	const double at = place - gt_ray_place<T>::offset();
	const int from = (int)fmax(ceil(at - reach), (double)PAD), to = (int)fmin(floor(at + reach), (double)(rows + PAD - 1));
	T sum = 0;
	for (int q = from; q <= to; q++)
		sum += (T)fmax(1 - fabs(q - at) / reach, 0.) * __ldg(column + q);
	return sum;
}

/* Adds a column to the voxels i and i + 1 of the strip. ORDINARY: all rows are between half a voxel and two voxels
 * high. */
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

/* Adds one view. Columns are processed in batches of a lane each, sorted along the strip; for each voxel, the columns
 * before the next voxel. */
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

/* AXIS: slices of the views are perpendicular to it. */
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
#undef ALL
#endif
