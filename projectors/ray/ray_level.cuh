#ifndef GT_PROJECTORS_RAY_RAY_LEVEL_CUH
#define GT_PROJECTORS_RAY_RAY_LEVEL_CUH
/* Kernel of the forward projection of level scans (ray_level.h), single and double precision. A thread owns one column
 * and several rows, which share their in-plane path. The threads of a warp are adjacent columns on the same slice, the
 * warps of a block adjacent views. Positions are computed in double; single precision splits them into voxel and
 * fraction in fixed point.
 *
 * Search space of `gantry tune`, read by tuner/space.c: one line per parameter, then the constraints. Lower-case names
 * are numbers of the problem's class.
 *
 * tune joseph-forward
 * ROWS 4 8 16 32
 * VIEWS 1 2 4 8 16
 * BLOCKS 1 2 3 4 5 6 8 12 16
 * keep 32 * VIEWS * BLOCKS <= 2048
 * keep ROWS <= rows + 8
 * end
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_RAY_FORWARD_ROWS /* detector rows per thread: 8, 16, 32 */
#define GT_RAY_FORWARD_ROWS 8
#endif
#ifndef GT_RAY_FORWARD_VIEWS /* adjacent views per block, which share lines of the volume in the cache: 1, 2, 4, 8 */
#define GT_RAY_FORWARD_VIEWS 4
#endif
/* minimum blocks per multiprocessor, Joseph in single precision: 4 to 16 */
#ifndef GT_RAY_FORWARD_BLOCKS
#define GT_RAY_FORWARD_BLOCKS 12
#endif
/* for Siddon, and for Joseph with fewer blocks than this or few rows: 4 to 8 */
#ifndef GT_RAY_FORWARD_BLOCKS_FEW
#define GT_RAY_FORWARD_BLOCKS_FEW 8
#endif
#include "projectors/ray/ray_cuda.cuh"

enum { WARP = GT_RAY_WARP };
#define ALL 0xffffffffu

static __device__ __forceinline__ int smaller(int x)
{
	for (int k = WARP / 2; k; k /= 2)
		x = min(x, __shfl_xor_sync(ALL, x, k));
	return x;
}

/* Returns p + j bytes, in one instruction. */
template <typename T> static __device__ __forceinline__ const T *step_by(const T *p, int j, int bytes)
{
	const char *q;
	asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(q) : "r"(j), "r"(bytes), "l"(p));
	return (const T *)q;
}

/* The volume in slices perpendicular to x or y: [slice][z][in-slice]. Lines take an odd number of cache lines, so that
 * neighbouring ones do not share cache sets. */
static __host__ __device__ __forceinline__ int pitch_of(int n, size_t element)
{
	const int line = (int)(128 / element), lines = (n + line - 1) / line;
	return (lines | 1) * line;
}

template <typename T> static __global__ void cut_y(const T *in, T *out, int nx, int ny, int nz, int pitch, int groups)
{
	const int x = blockIdx.x % groups * blockDim.x + threadIdx.x, y = blockIdx.x / groups % ny, z = blockIdx.x / groups / ny;
	if (x < nx)
		out[((size_t)y * nz + z) * pitch + x] = in[((size_t)z * ny + y) * nx + x];
}

template <typename T> static __global__ void cut_x(const T *in, T *out, int nx, int ny, int nz, int pitch, int tiles_x, int tiles_y)
{
	__shared__ T tile[WARP][WARP + 1];
	const int tx = blockIdx.x % tiles_x * WARP, ty = blockIdx.x / tiles_x % tiles_y * WARP, z = blockIdx.x / tiles_x / tiles_y;
	for (int k = threadIdx.y; k < WARP; k += blockDim.y)
		if (tx + threadIdx.x < nx && ty + k < ny)
			tile[k][threadIdx.x] = in[((size_t)z * ny + ty + k) * nx + tx + threadIdx.x];
	__syncthreads();
	for (int k = threadIdx.y; k < WARP; k += blockDim.y)
		if (tx + k < nx && ty + threadIdx.x < ny)
			out[((size_t)(tx + k) * nz + z) * pitch + ty + threadIdx.x] = tile[threadIdx.x][k];
}

/* Parameters of a thread's column. */
template <typename T> struct path {
	gt_ray_line line;
	const T *volume;
	int nb, nz, nd, l0;
	int plane; /* bytes from z to z + 1 */
	size_t slice;
};

/* a + b q for the rows of a thread. Single precision starts from the first row, which saves one addition. */
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
/* Positions of the rows at n. */
template <typename T> struct row_places {
	rows_at<T> at;
	__device__ __forceinline__ row_places(const path<T> &c, double n)
	    : at(c, fma(n, c.line.row_step, c.line.row), fma(n, c.line.z_step, c.line.z))
	{
		at.a += gt_ray_place<T>::offset();
	}
	__device__ __forceinline__ gt_ray_place<T> operator[](int r) const { return gt_ray_place<T>(at[r], 0); }
};

/* Voxel i of a line of a slice, and optionally i + 1. */
template <typename T> struct voxel_pair {
	const T *first; /* voxel i of plane -place::zero */
	int both, has_first, has_second;
};

template <typename T> static __device__ __forceinline__ voxel_pair<T> pair_at(const path<T> &c, int n, int i, int both)
{
	voxel_pair<T> v;
	v.first = step_by(c.volume + n * c.slice + i, -gt_ray_place<T>::zero, c.plane);
	v.both = both;
	v.has_first = (unsigned)i < (unsigned)c.nb;
	v.has_second = (unsigned)(i + 1) < (unsigned)c.nb;
	return v;
}

/* One voxel of the pair in plane j. INSIDE: it lies in the grid. */
template <int INSIDE, typename T> static __device__ __forceinline__ T one_of(const path<T> &c, const voxel_pair<T> &v, int j, int second)
{
	const T *p = step_by(v.first, j, c.plane) + second;
	const int has = INSIDE || ((second ? v.has_second : v.has_first) & ((unsigned)(j - gt_ray_place<T>::zero) < (unsigned)c.nz));
	const T value = __ldg(has ? p : c.volume); /* no branch, so that the loads of all rows are issued together */
	return has ? value : T(0);
}

/* value = *p if wanted, without a branch, so that loads are issued together. */
static __device__ __forceinline__ void load_if(int wanted, const float *p, float *value)
{
	asm("{ .reg .pred q; setp.ne.s32 q, %1, 0; @q ld.global.nc.f32 %0, [%2]; }" : "+f"(*value) : "r"(wanted), "l"(p));
}
static __device__ __forceinline__ void load_if(int wanted, const double *p, double *value)
{
	asm("{ .reg .pred q; setp.ne.s32 q, %1, 0; @q ld.global.nc.f64 %0, [%2]; }" : "+d"(*value) : "r"(wanted), "l"(p));
}

/* Loads both voxels of plane j if it is new, and interpolates along the line at f. */
template <int INSIDE, typename T> struct voxel_plane {
	T first, second;
	__device__ __forceinline__ voxel_plane() : first(0), second(0) {}
	__device__ __forceinline__ T at(const path<T> &c, const voxel_pair<T> &v, int j, int is_new, T f)
	{
		const T *p = step_by(v.first, j, c.plane);
		if (INSIDE) {
			load_if(is_new, p, &first);
			load_if(is_new, p + 1, &second);
		} else {
			const int in = (unsigned)(j - gt_ray_place<T>::zero) < (unsigned)c.nz;
			first = in ? first : T(0);
			second = in ? second : T(0);
			load_if(is_new & in & v.has_first, p, &first);
			load_if(is_new & in & v.has_second, p + 1, &second);
		}
		return first + f * (second - first);
	}
};

/* Rows in ascending z: the upper plane of one row is often the lower or upper plane of the next. LOW: rows are at most
 * one voxel apart, so that no plane is skipped. */
template <int INSIDE, int LOW, int ROWS, typename T>
static __device__ __forceinline__ void joseph_rows(const path<T> &c, const voxel_pair<T> &v, T f, const row_places<T> &z, T (&sum)[ROWS])
{
	voxel_plane<INSIDE, T> under, over;
	int last = z[0].voxel();
	T low = under.at(c, v, last, 1, f), high = over.at(c, v, last + 1, 1, f);
	sum[0] += low + z[0].fraction() * (high - low);
#pragma unroll
	for (int r = 1; r < ROWS; r++) {
		const int j = z[r].voxel();
		if (!LOW) {
			const T skipped = under.at(c, v, j, j > last + 1, f);
			low = j > last + 1 ? skipped : low;
		}
		low = j == last + 1 ? high : low;
		high = over.at(c, v, j + 1, j != last, f);
		sum[r] += low + z[r].fraction() * (high - low);
		last = j;
	}
}

template <int ROWS, typename T> static __device__ __forceinline__ void joseph_slice(const path<T> &c, int n, int in, T (&sum)[ROWS])
{
	const gt_ray_place<T> x(fma((double)n, c.line.x_step, c.line.x));
	const row_places<T> z(c, n);
	const int low = z[0].voxel() - gt_ray_place<T>::zero, high = z[ROWS - 1].voxel() - gt_ray_place<T>::zero;
	const voxel_pair<T> v = pair_at(c, n, x.voxel() - gt_ray_place<T>::zero, 1);
	in = in && (v.has_first || v.has_second) && high >= -1 && low < c.nz;
	const int inside = __all_sync(ALL, in && v.has_first && v.has_second && low >= 0 && high + 1 < c.nz);
	if (__all_sync(ALL, z.at.b <= 1)) {
		if (inside)
			joseph_rows<1, 1>(c, v, x.fraction(), z, sum);
		else if (in)
			joseph_rows<0, 1>(c, v, x.fraction(), z, sum);
	} else {
		if (inside)
			joseph_rows<1, 0>(c, v, x.fraction(), z, sum);
		else if (in)
			joseph_rows<0, 0>(c, v, x.fraction(), z, sum);
	}
}

/* State of Siddon's traversal from slice to slice: the voxel of each row, and bits of rows that lie in faces.
 * Corrections of the sums, `extra`, are in shared memory, one value per thread. */
template <typename T, int ROWS> struct walker {
	int voxel[ROWS], fresh;
	unsigned still;
	T *extra;
	int stride;
};

/* Sets the voxel of each row where it enters slice n. */
template <int ROWS, typename T> static __device__ __forceinline__ void enter(const path<T> &c, int n, walker<T, ROWS> *w)
{
	const row_places<T> z(c, n), middle(c, 0.5 * c.nd);
	const rows_at<T> slope = slopes(c);
	w->still = 0;
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const int still = gt_ray_settled(slope[r], c.nd);
		w->still |= (unsigned)still << r;
		w->voxel[r] = still ? gt_ray_place<T>(middle[r].p + GT_RAY_NEARLY, 0).voxel() : z[r].voxel();
	}
}

/* Returns the correction for row r, which leaves its plane of voxels within slice n: the next plane minus this one from
 * there on. The ray changes voxels of the pair (from the second, if from_second) at the fraction s of the slice; s = 1
 * if it does not. */
template <int INSIDE, typename T>
static __device__ __forceinline__ T beyond(const path<T> &c, const voxel_pair<T> &v, int n, int r, T s, int from_second)
{
	const double step = slopes(c)[r];
	const gt_ray_place<T> z = row_places<T>(c, n)[r];
	const int j = z.voxel(), m = j + (step > 0 ? 1 : -1), to_second = v.both ? !from_second : from_second;
	const T t = z.leaves(step);
	T sum = 0;
	if (t < s)
		sum = (s - t) * (one_of<INSIDE>(c, v, m, from_second) - one_of<INSIDE>(c, v, j, from_second));
	if (v.both)
		sum += (1 - max(s, t)) * (one_of<INSIDE>(c, v, m, to_second) - one_of<INSIDE>(c, v, j, to_second));
	return sum;
}

/* Adds every row as if it stayed in its plane, then corrects the rows that do not. */
template <int INSIDE, int ROWS, typename T>
static __device__ __forceinline__ void siddon_rows(const path<T> &c, const voxel_pair<T> &v, int n, T s, int from_second,
                                                   walker<T, ROWS> *w, T (&sum)[ROWS])
{
	const row_places<T> z(c, n + 1.0);
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
	const row_places<T> z(c, n);
	const int low = z[0].voxel() - gt_ray_place<T>::zero - 1, high = z[ROWS - 1].voxel() - gt_ray_place<T>::zero + 1;
	const int crosses = x.voxel() != next.voxel(), downwards = crosses && c.line.x_step < 0;
	const voxel_pair<T> v = pair_at(c, n, x.voxel() - gt_ray_place<T>::zero - downwards, crosses);
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

/* Drops slices in which the lowest row lies above the grid, or the highest below it. */
template <typename T> static __device__ __forceinline__ void clip_rows(const path<T> &c, int rows, gt_ray *r)
{
	const int far = 1 << 20;
	r->at[1] = fma((double)c.l0, c.line.row, c.line.z);
	r->step[1] = fma((double)c.l0, c.line.row_step, c.line.z_step);
	gt_ray_clip(1, -far, c.nz, r);
	r->at[1] = fma(c.l0 + rows - 1.0, c.line.row, c.line.z);
	r->step[1] = fma(c.l0 + rows - 1.0, c.line.row_step, c.line.z_step);
	gt_ray_clip(1, 0, far, r);
}

template <gt_ray_model MODEL, typename T, int ROWS, int BLOCKS = GT_RAY_FORWARD_BLOCKS>
static __global__ void __launch_bounds__(WARP *GT_RAY_FORWARD_VIEWS, BLOCKS)
	forward_kernel(gt_rays g, gt_ray_level v, const T *y_slices, const T *x_slices, T *out, int groups, int tiles)
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
	c.plane = pitch_of(c.nb, sizeof(T)) * (int)sizeof(T);
	c.slice = (size_t)c.nz * pitch_of(c.nb, sizeof(T));
	c.volume = axis ? y_slices : x_slices;
	c.line = gt_ray_level_line(MODEL, f, v.S[at], v.W[at], c.nd);
	gt_ray r;
	r.first = f->first;
	r.end = f->end;
	r.at[0] = c.line.x;
	r.step[0] = c.line.x_step;
	gt_ray_clip(0, 0, c.nb, &r);
	clip_rows(c, ROWS, &r);
	__shared__ T extra[MODEL == GT_RAY_SIDDON ? ROWS : 1][GT_RAY_FORWARD_VIEWS][WARP];
	T sum[ROWS] = { 0 };
	walker<T, ROWS> w = { { 0 }, 0, 0, &extra[0][threadIdx.y][threadIdx.x], GT_RAY_FORWARD_VIEWS * WARP };
	for (int k = 0; MODEL == GT_RAY_SIDDON && k < ROWS; k++)
		w.extra[k * w.stride] = 0;
	const int end = -smaller(-r.end);
	for (int n = smaller(r.first); n < end; n++) {
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
#undef ALL
#endif
