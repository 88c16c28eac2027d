/* An inner iteration of total generalised variation as one kernel on CUDA: 14 numbers per voxel are read and 13
 * written, where two passes move 44. A block marches through the slices of a tile. Of every slice it computes u and v
 * and what lies ahead of them also at the voxels around the tile, so that its dual needs no other block. */
#include <cuda_pipeline.h>
#include <math.h>
#include "core/device/cuda.cuh"
#include <gantry/host_device.h>
#include "regularizers/tgv.h"
#include "regularizers/pass_math.inc"

/* Variants. */
#ifndef TGV_X
#define TGV_X 64 /* voxels of a tile along x: 32, 64, 128 */
#endif
#ifndef TGV_Y
#define TGV_Y 7 /* and rows, the first and the last of which its neighbours write: 5, 7, 9 */
#endif
#ifndef TGV_Y_DOUBLE
#define TGV_Y_DOUBLE 7 /* the same in double precision: 5, 7 */
#endif
#ifndef TGV_SLICES
#define TGV_SLICES 64 /* slices that a block marches through: 16 to 256 */
#endif
#ifndef TGV_BLOCKS
#define TGV_BLOCKS 2 /* at a time on one multiprocessor, in single precision: 1, 2 */
#endif

/* What of a voxel is read; STAGES slices of it lie in shared memory: that before, the present one, and the next one,
 * which is on its way. */
enum { Z, U, V, P = V + 3, Q = P + 3, READ = Q + 6, STAGES = 3 };

template <typename T> struct tile_of {
	enum {
		WIDE = TGV_X + 2,
		HIGH = sizeof(T) == sizeof(float) ? TGV_Y : TGV_Y_DOUBLE,
		THREADS = WIDE * HIGH,
		BLOCKS = sizeof(T) == sizeof(float) ? TGV_BLOCKS : 1,
		SHARED = STAGES * READ * THREADS, /* then 2 slices of what is ahead of u, 1 of v */
		NUMBERS = SHARED + 5 * THREADS,
	};
};

/* What a thread does. Voxels beside the tile: those before it give v and the dual, those after it u and the dual; and
 * no corner is there whose numbers no one takes. */
struct thread_part {
	unsigned here, left, down, right, up; /* in a slice of shared memory; at edges of a tile any place will do */
	unsigned before, next;                /* bits of x and y */
	bool dual, u, v, writes;
	size_t at;
};

template <typename T> static __device__ __forceinline__ thread_part part_of(const pass_args<T> &p, unsigned x0, unsigned y0)
{
	enum { WIDE = tile_of<T>::WIDE, HIGH = tile_of<T>::HIGH };
	const unsigned i = threadIdx.x, side = i - TGV_X * HIGH;
	const bool inner = i < TGV_X * HIGH;
	const unsigned tx = inner ? 1 + i % TGV_X : side / HIGH * (WIDE - 1), ty = inner ? i / TGV_X : side % HIGH;
	const unsigned x = x0 + tx, y = y0 + ty; /* counted from 1 */
	const bool there = x > 0 && y > 0 && x <= p.n[0] && y <= p.n[1], first = tx == 0 || ty == 0,
		   last = tx == WIDE - 1 || ty == HIGH - 1;
	thread_part m;
	m.here = ty * WIDE + tx;
	m.left = m.here - (tx > 0);
	m.right = m.here + (tx + 1 < WIDE);
	m.down = m.here - (ty > 0 ? WIDE : 0);
	m.up = m.here + (ty + 1 < HIGH ? WIDE : 0);
	m.before = (x > 1) | (y > 1) << 1;
	m.next = (x < p.n[0]) | (y < p.n[1]) << 1;
	m.dual = there && !(tx == 0 && ty == 0) && !(tx == WIDE - 1 && ty == HIGH - 1);
	m.u = m.dual && !first;
	m.v = m.dual && !last;
	m.writes = m.u && m.v;
	m.at = there ? (size_t)(y - 1) * p.n[0] + (x - 1) : 0;
	return m;
}

/* Asks for a slice of what the thread reads; `to` is the thread's place. */
template <typename T> static __device__ __forceinline__ void fetch(const pass_args<T> &p, const thread_part &m, size_t at, T *to)
{
	enum { THREADS = tile_of<T>::THREADS };
	if (m.u) {
		__pipeline_memcpy_async(to + Z * THREADS, p.a[0] + at, sizeof(T));
		__pipeline_memcpy_async(to + U * THREADS, p.a[1] + at, sizeof(T));
	}
	if (m.v) {
		const T *v = p.a[1] + p.voxels + at;
#pragma unroll
		for (int a = 0; a < 3; a++, v += p.voxels)
			__pipeline_memcpy_async(to + (V + a) * THREADS, v, sizeof(T));
	}
	if (m.dual) {
		const T *y = p.a[3] + at;
#pragma unroll
		for (int i = 0; i < 9; i++, y += p.voxels)
			__pipeline_memcpy_async(to + (P + i) * THREADS, y, sizeof(T));
	}
	__pipeline_commit();
}

/* What a thread keeps of its voxel in the slice before: u and v with what lies ahead, v of the slice before that, and
 * what was there before the step. */
template <typename T> struct kept {
	T u_ahead, v_ahead[3], v_below[3], v[3], y[9];
};

/* u of the slice `now`, from the dual there, y of which is the thread's, and in the slice before. */
template <typename T>
static __device__ __forceinline__ T next_u(const pass_args<T> &p, const thread_part &m, const T *now, const T *y, T y_below)
{
	enum { N = tile_of<T>::THREADS };
	const T y_before[3] = { now[P * N + m.left], now[(P + 1) * N + m.down], y_below };
	return tgv_next_u(&p, now[U * N + m.here], now[Z * N + m.here], tgv_fall(&p, y, y_before));
}

/* v of the slice `old`, from its dual and that of the next slice. */
template <typename T>
static __device__ __forceinline__ void next_v(const pass_args<T> &p, const thread_part &m, const T *old, const kept<T> &was,
                                              const T *y_above, unsigned before, T *v)
{
	enum { N = tile_of<T>::THREADS };
#pragma unroll
	for (int a = 0; a < 3; a++) {
		const T q_next[3] = { old[(Q + tgv_pair(a, 0)) * N + m.right], old[(Q + tgv_pair(a, 1)) * N + m.up],
			              y_above[3 + tgv_pair(a, 2)] };
		v[a] = tgv_next_v(&p, was.v[a], tgv_unbend(&p, a, was.y + 3, q_next, before), was.y[a]);
	}
}

/* The dual of the slice that is kept, into the array. u_ahead and v_ahead: of that slice, in shared memory; u_above: of
 * the thread's voxel in the slice after it. */
template <typename T>
static __device__ __forceinline__ void write_dual(const pass_args<T> &p, const thread_part &m, kept<T> &was, const T *u_ahead,
                                                  const T *v_ahead, T u_above, unsigned before, unsigned next, size_t at)
{
	enum { N = tile_of<T>::THREADS };
	T d[3], e[6], v_before[3][3];
	const T u_next[3] = { u_ahead[m.right], u_ahead[m.up], u_above };
#pragma unroll
	for (int a = 0; a < 3; a++) {
		v_before[0][a] = v_ahead[a * N + m.left];
		v_before[1][a] = v_ahead[a * N + m.down];
		v_before[2][a] = was.v_below[a];
	}
	tgv_rise(&p, was.u_ahead, u_next, was.v_ahead, next, d);
	tgv_bend(&p, was.v_ahead, v_before, before, e);
	tgv_next_dual(&p, d, e, was.y);
	T *to = p.a[6] + at;
#pragma unroll
	for (int i = 0; i < 9; i++, to += p.voxels)
		*to = was.y[i];
}

template <typename T> static __device__ __forceinline__ void keep(const thread_part &m, kept<T> &was, const T *now, const T *y, T u_ahead)
{
	was.u_ahead = u_ahead;
#pragma unroll
	for (int i = 0; i < 9; i++)
		was.y[i] = y[i];
#pragma unroll
	for (int a = 0; a < 3; a++) {
		was.v_below[a] = was.v_ahead[a];
		was.v[a] = now[(V + a) * tile_of<T>::THREADS + m.here];
	}
}

/* Turn k: u of slice k, v of slice k - 1, then, when all know these, the dual of slice k - 1. */
template <typename T>
static __global__ void __launch_bounds__(tile_of<T>::THREADS, tile_of<T>::BLOCKS)
	step_kernel(const pass_args<T> p, unsigned tiles_x, unsigned tiles_y)
{
	enum { N = tile_of<T>::THREADS, ROWS = tile_of<T>::HIGH - 2 };
	extern __shared__ double room[];
	T *const stage = (T *)room, *const u_room = stage + tile_of<T>::SHARED, *const v_room = u_room + 2 * N;
	const unsigned tile = blockIdx.x, nz = (unsigned)p.n[2];
	const thread_part m = part_of(p, tile % tiles_x * TGV_X, tile / tiles_x % tiles_y * ROWS);
	const unsigned k0 = tile / tiles_x / tiles_y * TGV_SLICES, k1 = min(k0 + TGV_SLICES, nz), first = k0 ? k0 - 1 : 0;
	for (int i = 0; i < STAGES * READ; i++) /* what is not there stays 0 */
		stage[i * N + m.here] = 0;
	__syncthreads();
	kept<T> was = {};
	T *now = stage, *old = stage + 2 * READ * N, *coming = stage + READ * N;
	fetch(p, m, first * p.stride[2] + m.at, now + m.here);
	for (unsigned k = first; k <= k1; k++) {
		const size_t at = k * p.stride[2] + m.at;
		T *const u_ahead = u_room + (k & 1) * N, u_above = 0, y[9], v[3] = { 0, 0, 0 };
		const unsigned before = m.before | (k > 1) << 2, next = m.next | (k < nz) << 2; /* of slice k - 1 */
		__pipeline_wait_prior(0);
		__syncthreads();
		if (k < k1 && k + 1 < nz)
			fetch(p, m, at + p.stride[2], coming + m.here);
#pragma unroll
		for (int i = 0; i < 9; i++)
			y[i] = k < nz ? now[(P + i) * N + m.here] : (T)0;
		if (k < nz && m.u) {
			const T u = next_u(p, m, now, y, was.y[2]);
			if (m.writes && k >= k0 && k < k1)
				p.a[5][at] = u;
			u_above = 2 * u - now[U * N + m.here];
			u_ahead[m.here] = u_above;
		}
		if (k > first && m.v) {
			next_v(p, m, old, was, y, before, v);
			T *to = p.a[5] + p.voxels + at - p.stride[2];
#pragma unroll
			for (int a = 0; a < 3; a++, to += p.voxels) {
				if (m.writes && k > k0)
					*to = v[a];
				was.v_ahead[a] = 2 * v[a] - was.v[a];
				v_room[a * N + m.here] = was.v_ahead[a];
			}
		}
		__syncthreads();
		if (k > k0 && m.writes)
			write_dual(p, m, was, u_room + (~k & 1) * N, v_room, u_above, before, next, at - p.stride[2]);
		keep(m, was, now, y, u_above);
		T *const oldest = old;
		old = now;
		now = coming;
		coming = oldest;
	}
}

template <typename T> static size_t bytes() { return (size_t)tile_of<T>::NUMBERS * sizeof(T); }

static int fits(gt_type type)
{
	int device, most = 0;
	if (cudaGetDevice(&device) != cudaSuccess)
		return 0;
	cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
	return (type == GT_F32 ? bytes<float>() : bytes<double>()) <= (size_t)most;
}

template <typename T> static void launch(gt_backend *be, const size_t *n, const struct gt_pass_call *call)
{
	enum { ROWS = tile_of<T>::HIGH - 2 };
	const size_t x = (n[0] + TGV_X - 1) / TGV_X, y = (n[1] + ROWS - 1) / ROWS, z = (n[2] + TGV_SLICES - 1) / TGV_SLICES;
	pass_args<T> p;
	pass_args_set(&p, n, call);
	if (gt_cuda_check(be, cudaFuncSetAttribute(step_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes<T>()), "tgv"))
		return;
	step_kernel<T><<<(unsigned)(x * y * z), tile_of<T>::THREADS, bytes<T>(), gt_cuda_queue(be)>>>(p, (unsigned)x, (unsigned)y);
}

static void step(gt_backend *be, gt_type type, const size_t *n, const struct gt_pass_call *call)
{
	if (type == GT_F32)
		launch<float>(be, n, call);
	else
		launch<double>(be, n, call);
	gt_cuda_check(be, cudaGetLastError(), "tgv proximal step");
}

extern "C" const struct gt_tgv_impl gt_tgv_cuda = { fits, step };
