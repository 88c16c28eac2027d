/* Total variation on CUDA. One inner iteration of the proximal step is one kernel: blocks march through slices, with
 * u and the dual of two slices in shared memory. */
#include <math.h>
#include "core/device/cuda.cuh"
#include "regularizers/tv.h"
#include "regularizers/tv_math.inc"

/* Launch parameters. */
#ifndef TV_X
#define TV_X 64 /* voxels of a tile along x: 32, 64, 128 */
#endif
#ifndef TV_Y
#define TV_Y 11 /* rows of a tile: 4, 8, 11, 15; adjacent tiles compute the first and the last; (TV_X + 2) TV_Y <= 1024 */
#endif
#ifndef TV_Y_DOUBLE
#define TV_Y_DOUBLE 8 /* likewise in double precision, limited by registers */
#endif
#ifndef TV_SLICES
#define TV_SLICES 64 /* slices that a block marches through: 16 to 256 */
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750 /* 1024 threads per multiprocessor */
#undef TV_BLOCKS
#define TV_BLOCKS 1
#endif
#ifndef TV_BLOCKS
#define TV_BLOCKS 2 /* blocks per multiprocessor: 1, 2; 3 for 8.0 and 9.0 */
#endif

/* Additional threads compute the columns on both sides of a tile. */
enum { WIDE = TV_X + 2 };
template <typename T> struct tile_of {
	enum { HEIGHT = sizeof(T) == sizeof(float) ? TV_Y : TV_Y_DOUBLE, THREADS = WIDE * HEIGHT };
};
/* Other kernels: one warp per row; sums in PARTS blocks on every device. */
enum { LANES = 32, ROWS = 8, PARTS = 1024 };

/* Proximal step ---------------------------------------------------------- */

template <typename T> struct dual_arrays {
	T *a[3];
};

template <typename T> static dual_arrays<T> typed(const struct gt_tv_dual *d)
{
	dual_arrays<T> t;
	for (int a = 0; a < 3; a++)
		t.a[a] = (T *)d->a[a];
	return t;
}

template <typename T> static __device__ T ahead(T p, T old, T factor) { return p + factor * (p - old); }

/* Inputs of a thread in a slice: voxels left of a tile and below it contribute only their part of the dual. */
template <typename T> struct sample {
	T z, p[3], old[3];
};

/* Indices are in bytes, so an address takes one addition. */
template <typename T> static __device__ __forceinline__ T at_byte(const T *x, size_t byte) { return *(const T *)((const char *)x + byte); }

template <typename T>
static __device__ __forceinline__ sample<T> read(const T *z, const dual_arrays<T> &p, const dual_arrays<T> &old, size_t byte,
                                                 const bool *needs)
{
	sample<T> s;
	const bool all = needs[0] && needs[1];
	s.z = all ? at_byte(z, byte) : (T)0;
#pragma unroll
	for (int a = 0; a < 3; a++) {
		const bool some = a < 2 ? needs[a] : all;
		s.p[a] = some ? at_byte(p.a[a], byte) : (T)0;
		s.old[a] = some ? at_byte(old.a[a], byte) : (T)0;
	}
	return s;
}

template <typename T, int ANISOTROPIC>
static __global__ void __launch_bounds__(tile_of<T>::THREADS, TV_BLOCKS)
	dual_step(const tv_constants<T> plan, unsigned tiles_x, unsigned tiles_y, const T *z, dual_arrays<T> p, dual_arrays<T> old,
                  dual_arrays<T> out)
{
	enum { HEIGHT = tile_of<T>::HEIGHT, SLICE = tile_of<T>::THREADS };
	__shared__ T shared_x[2 * SLICE], shared_y[2 * SLICE], shared_u[2 * SLICE];
	tv_constants<T> c = plan;
	c.anisotropic = ANISOTROPIC;
	const unsigned thread = threadIdx.x, side = thread - TV_X * HEIGHT;
	const bool inner = thread < TV_X * HEIGHT;
	const unsigned tx = inner ? thread % TV_X + 1 : side < HEIGHT ? 0 : TV_X + 1, ty = inner ? thread / TV_X : side % HEIGHT;
	/* in shared memory; at tile edges any valid index serves */
	const unsigned here = ty * WIDE + tx, left = here - (tx > 0), down = here - (ty > 0 ? WIDE : 0);
	const unsigned right = here + (tx + 1 < WIDE), up = here + (ty + 1 < HEIGHT ? WIDE : 0);
	const unsigned tile = blockIdx.x, x0 = tile % tiles_x * TV_X, y0 = tile / tiles_x % tiles_y * (HEIGHT - 2);
	const unsigned nx = (unsigned)c.n[0], ny = (unsigned)c.n[1], nz = (unsigned)c.n[2];
	const unsigned k0 = tile / tiles_x / tiles_y * TV_SLICES, k1 = min(k0 + TV_SLICES, nz);
	/* Counted from one before the tile. */
	const bool there = x0 + tx > 0 && y0 + ty > 0 && x0 + tx <= nx && y0 + ty <= ny;
	const bool needs[2] = { there && ty > 0, there && tx > 0 }, all = needs[0] && needs[1];
	const bool writes = all && inner && ty < HEIGHT - 1;
	const unsigned next_xy = (x0 + tx < nx ? 1u : 0) | (y0 + ty < ny ? 2u : 0);
	const size_t slice = c.stride[2] * sizeof(T);
	size_t byte = there ? ((k0 * c.n[1] + (y0 + ty - 1)) * c.n[0] + (x0 + tx - 1)) * sizeof(T) : 0;

	T below = all && k0 ? ahead(at_byte(p.a[2], byte - slice), at_byte(old.a[2], byte - slice), c.ahead) : (T)0;
	T r[3] = { 0, 0, 0 }, u = 0;
	sample<T> s = read(z, p, old, byte, needs);
	/* Computes u of slice k from its sample, then p of the previous slice, whose neighbours' u are known. */
	for (unsigned k = k0, slot = 0; k <= k1; k++, byte += slice, slot ^= SLICE) {
		T above[3], u_above = 0;
#pragma unroll
		for (int a = 0; a < 3; a++)
			above[a] = ahead(s.p[a], s.old[a], c.ahead);
		const T value = s.z;
		shared_x[slot + here] = above[0];
		shared_y[slot + here] = above[1];
		if (k < k1 && k + 1 < nz)
			s = read(z, p, old, byte + slice, needs);
		__syncthreads();
		if (k < nz) {
			const T previous[3] = { shared_x[slot + left], shared_y[slot + down], below };
			u_above = tv_primal(&c, value, above, previous);
		}
		if (k > k0 && writes) {
			const T u_next[3] = { shared_u[(slot ^ SLICE) + right], shared_u[(slot ^ SLICE) + up], u_above };
			T q[3];
			tv_dual(&c, u, u_next, next_xy | (k < nz ? 4u : 0), r, q);
#pragma unroll
			for (int a = 0; a < 3; a++)
				*(T *)((char *)out.a[a] + (byte - slice)) = q[a];
		}
		shared_u[slot + here] = u_above;
		below = above[2];
		u = u_above;
#pragma unroll
		for (int a = 0; a < 3; a++)
			r[a] = above[a];
	}
}

template <typename T>
static void launch_dual(cudaStream_t queue, const struct gt_tv_plan *plan, const struct gt_tv_step *s, const void *z,
                        const struct gt_tv_dual *p, const struct gt_tv_dual *old, const struct gt_tv_dual *out)
{
	tv_constants<T> c;
	tv_constants_set(&c, plan, s);
	enum { HEIGHT = tile_of<T>::HEIGHT };
	const size_t tiles_x = (c.n[0] + TV_X - 1) / TV_X, tiles_y = (c.n[1] + HEIGHT - 3) / (HEIGHT - 2);
	const size_t tiles = tiles_x * tiles_y * ((c.n[2] + TV_SLICES - 1) / TV_SLICES);
	const auto kernel = plan->anisotropic ? dual_step<T, 1> : dual_step<T, 0>;
	kernel<<<(unsigned)tiles, tile_of<T>::THREADS, 0, queue>>>(c, (unsigned)tiles_x, (unsigned)tiles_y, (const T *)z, typed<T>(p),
	                                                           typed<T>(old), typed<T>(out));
}

static void dual_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const struct gt_tv_step *s, const void *z,
                  const struct gt_tv_dual *p, const struct gt_tv_dual *old, const struct gt_tv_dual *out)
{
	cudaStream_t queue = gt_cuda_queue(be);
	if (type == GT_F32)
		launch_dual<float>(queue, plan, s, z, p, old, out);
	else
		launch_dual<double>(queue, plan, s, z, p, old, out);
	gt_cuda_check(be, cudaGetLastError(), "tv proximal step");
}

/* Row by row ------------------------------------------------------------- */

/* Runs the following statement for the voxels of the rows first, first + step, ...: y, z, i, at and next are set. */
#define FOR_VOXELS(first, step) FOR_VOXELS_OF(first, step, c.n[1] * c.n[2])
#define FOR_VOXELS_OF(first, step, rows)                        \
	for (size_t row = (first); row < (rows); row += (step)) \
		for (size_t y = row % c.n[1], z = row / c.n[1], i = threadIdx.x; i < c.n[0]; i += LANES)
#define OWN_ROW (blockIdx.x * (size_t)ROWS + threadIdx.y)

template <typename T> static __global__ void primal_rows(tv_constants<T> c, const T *value, dual_arrays<T> p, T *x)
{
	FOR_VOXELS(OWN_ROW, (size_t)gridDim.x * ROWS)
	{
		const size_t at = row * c.n[0] + i;
		const unsigned before = gt_tv_previous(i, y, z);
		T r[3], previous[3];
#pragma unroll
		for (int a = 0; a < 3; a++) {
			r[a] = p.a[a][at];
			previous[a] = before >> a & 1 ? p.a[a][at - c.stride[a]] : (T)0;
		}
		x[at] = tv_primal(&c, value[at], r, previous);
	}
}

template <typename T> static __global__ void gradient_rows(tv_constants<T> c, const T *x, T *g, T *d)
{
	FOR_VOXELS(OWN_ROW, (size_t)gridDim.x * ROWS)
	{
		const size_t at = row * c.n[0] + i;
		T slope = 0, bound = 0;
		tv_gradient(&c, x, at, gt_tv_next(c.n, i, y, z), gt_tv_previous(i, y, z), &slope, &bound);
		g[at] += c.strength * slope;
		if (d)
			d[at] += c.strength * bound;
	}
}

template <typename T> static __global__ void majorize_rows(tv_constants<T> c, T *d)
{
	FOR_VOXELS(OWN_ROW, (size_t)gridDim.x * ROWS)
	d[row * c.n[0] + i] += c.strength * tv_largest_bound(&c, gt_tv_next(c.n, i, y, z), gt_tv_previous(i, y, z));
}

/* Sums of a block in a fixed order; curvature may be NULL. */
static __device__ void block_sum(double s0, double s1, double *first, double *curvature)
{
	__shared__ double lane[2][LANES * ROWS];
	const unsigned me = threadIdx.y * LANES + threadIdx.x;
	lane[0][me] = s0;
	lane[1][me] = s1;
	for (unsigned half = LANES * ROWS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (me < half) {
			lane[0][me] += lane[0][me + half];
			lane[1][me] += lane[1][me + half];
		}
	}
	if (me == 0) {
		*first = lane[0][0];
		if (curvature)
			*curvature = lane[1][0];
	}
}

template <typename T> static __global__ void sum_rows(tv_constants<T> c, const T *x, const T *p, T a, double *part)
{
	double sum[2] = { 0, 0 };
	FOR_VOXELS_OF(c.n[1] * c.from + OWN_ROW, (size_t)PARTS * ROWS, c.n[1] * c.end)
	{
		const unsigned next = gt_tv_next(c.n, i, y, z);
		T d[3], along[3], slope = 0, curvature = 0;
		tv_differences_at(&c, x, row * c.n[0] + i, next, d);
		if (p) {
			tv_differences_at(&c, p, row * c.n[0] + i, next, along);
#pragma unroll
			for (int k = 0; k < 3; k++)
				d[k] += a * along[k];
			tv_line(&c, d, along, &slope, &curvature);
		} else {
			slope = tv_size(c.anisotropic, d);
		}
		sum[0] += slope;
		sum[1] += curvature;
	}
	block_sum(sum[0], sum[1], part + blockIdx.x, part + PARTS + blockIdx.x);
}

/* part is [2][PARTS] */
static __global__ void sum_parts(const double *part, double strength, double *first, double *curvature)
{
	double sum[2] = { 0, 0 };
	for (unsigned k = threadIdx.y * LANES + threadIdx.x; k < PARTS; k += LANES * ROWS) {
		sum[0] += part[k];
		sum[1] += part[k + PARTS];
	}
	block_sum(strength * sum[0], strength * sum[1], first, curvature);
}

/* Without a step. */
template <typename T> static tv_constants<T> constants(const struct gt_tv_plan *plan)
{
	static const struct gt_tv_step none = { 0, 0, 0, 0, 0 };
	tv_constants<T> c;
	tv_constants_set(&c, plan, &none);
	return c;
}

static unsigned row_blocks(const struct gt_tv_plan *p)
{
	const size_t blocks = (p->n[1] * p->n[2] + ROWS - 1) / ROWS, max = 1 << 30;
	return (unsigned)(blocks < max ? blocks : max);
}

static void primal_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const struct gt_tv_step *s, const void *z,
                    const struct gt_tv_dual *p, void *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const dim3 block(LANES, ROWS);
	if (type == GT_F32) {
		tv_constants<float> c;
		tv_constants_set(&c, plan, s);
		primal_rows<<<row_blocks(plan), block, 0, queue>>>(c, (const float *)z, typed<float>(p), (float *)x);
	} else {
		tv_constants<double> c;
		tv_constants_set(&c, plan, s);
		primal_rows<<<row_blocks(plan), block, 0, queue>>>(c, (const double *)z, typed<double>(p), (double *)x);
	}
	gt_cuda_check(be, cudaGetLastError(), "tv proximal step");
}

static void gradient_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const void *x, void *g, void *d)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const dim3 block(LANES, ROWS);
	if (type == GT_F32)
		gradient_rows<<<row_blocks(plan), block, 0, queue>>>(constants<float>(plan), (const float *)x, (float *)g, (float *)d);
	else
		gradient_rows<<<row_blocks(plan), block, 0, queue>>>(constants<double>(plan), (const double *)x, (double *)g, (double *)d);
	gt_cuda_check(be, cudaGetLastError(), "tv gradient");
}

static void majorize_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, void *d)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const dim3 block(LANES, ROWS);
	if (type == GT_F32)
		majorize_rows<<<row_blocks(plan), block, 0, queue>>>(constants<float>(plan), (float *)d);
	else
		majorize_rows<<<row_blocks(plan), block, 0, queue>>>(constants<double>(plan), (double *)d);
	gt_cuda_check(be, cudaGetLastError(), "tv majorizer");
}

static size_t scratch_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type)
{
	(void)be, (void)plan, (void)type;
	return 2 * PARTS * sizeof(double);
}

static void sums_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const void *x, const void *p, double a, double *first,
                  double *curvature)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const dim3 block(LANES, ROWS);
	double *part = (double *)gt_scratch(be), *slot = gt_cuda_slot(be, first), *other = p ? gt_cuda_slot(be, curvature) : NULL;
	if (type == GT_F32)
		sum_rows<<<PARTS, block, 0, queue>>>(constants<float>(plan), (const float *)x, (const float *)p, (float)a, part);
	else
		sum_rows<<<PARTS, block, 0, queue>>>(constants<double>(plan), (const double *)x, (const double *)p, a, part);
	sum_parts<<<1, block, 0, queue>>>(part, plan->strength, slot, other);
	gt_cuda_check(be, cudaGetLastError(), "tv sum");
}

extern "C" const struct gt_tv_impl gt_tv_cuda = { scratch_, sums_, gradient_, majorize_, dual_, primal_ };
