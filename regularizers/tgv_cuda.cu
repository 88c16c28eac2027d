/* Inner iteration of total generalised variation as one CUDA kernel: 14 numbers per voxel are read and 13 written,
 * instead of 44 by two passes. A block marches through the slices of a tile.
 * It also computes u, v and their extrapolation at the voxels around the tile, so its dual needs no other block. A
 * thread has eight bytes of voxels along x, which saves instructions in single precision.
 * The next slice is prefetched into registers; shared memory holds only the values that neighbours need. */
#include <math.h>
#include "core/device/allow_shared.cuh"
#include "core/device/cuda.cuh"
#include <gantry/author/host_device.h>
#include "regularizers/tgv.h"
#include "regularizers/pass_math.inc"

/* Launch parameters. */
#ifndef TGV_X
#define TGV_X 64 /* threads of a tile along x: 16, 32, 64 */
#endif
#ifndef TGV_Y
#define TGV_Y 7 /* rows of a tile: 5 to 15; adjacent tiles write the first and the last */
#endif
#ifndef TGV_SLICES
#define TGV_SLICES 64 /* slices that a block marches through: 16 to 256 */
#endif
#ifndef TGV_BLOCKS
#define TGV_BLOCKS 1 /* blocks per multiprocessor: 1, 2 */
#endif

/* Layout of shared memory, numbers per voxel: p_x and p_y of the current slice, q of the previous slice without zz,
 * the extrapolated u of two slices and v of one. */
enum { P_NOW, OLD_Q = P_NOW + 2, U_AHEAD = OLD_Q + 5, V_AHEAD = U_AHEAD + 2, SHARED = V_AHEAD + 3 };
enum { WIDE = TGV_X + 2, THREADS = WIDE * TGV_Y, ROWS = TGV_Y - 2 };

template <typename T> struct layout {
	enum {
		W = 8 / sizeof(T), /* voxels of a thread */
		ROW = WIDE * W,    /* offset of the voxel above */
		ALL = THREADS * W, /* offset of the next number of a voxel */
		X = TGV_X * W,
	};
};

template <typename T> struct alignas(8) several {
	T x[layout<T>::W];
};

/* Roles of a thread. Voxels before the tile contribute v and the dual, those after it u and the dual; unneeded
 * corners are skipped. */
struct thread_part {
	unsigned here, left, right, down, up; /* in a slice of shared memory; at tile edges any valid index serves */
	unsigned x, y, many;                  /* its first voxel; number of valid ones */
	bool dual, u, v, writes;
	size_t at;
};

template <typename T> static __device__ __forceinline__ thread_part part_of(const pass_args<T> &p, unsigned x0, unsigned y0)
{
	enum { W = layout<T>::W, ROW = layout<T>::ROW };
	const unsigned i = threadIdx.x, side = i - TGV_X * TGV_Y;
	const bool inner = i < TGV_X * TGV_Y;
	const unsigned tx = inner ? 1 + i % TGV_X : side / TGV_Y * (WIDE - 1), ty = inner ? i / TGV_X : side % TGV_Y;
	const unsigned x = x0 + tx * W, y = y0 + ty; /* counted from W and 1 */
	const bool there = x >= W && y > 0 && x < p.n[0] + W && y <= p.n[1], first = tx == 0 || ty == 0,
		   last = tx == WIDE - 1 || ty == TGV_Y - 1;
	thread_part m;
	m.here = (ty * WIDE + tx) * W;
	m.left = m.here - (tx > 0);
	m.right = m.here + (tx + 1 < WIDE ? W : 0);
	m.down = m.here - (ty > 0 ? ROW : 0);
	m.up = m.here + (ty + 1 < TGV_Y ? ROW : 0);
	m.x = x - W;
	m.y = y - 1;
	m.dual = there && !(tx == 0 && ty == 0) && !(tx == WIDE - 1 && ty == TGV_Y - 1);
	m.u = m.dual && !first;
	m.v = m.dual && !last;
	m.writes = m.u && m.v;
	m.many = there ? min((unsigned)W, (unsigned)p.n[0] - m.x) : 0;
	m.at = there ? (size_t)m.y * p.n[0] + m.x : 0;
	return m;
}

template <typename T> static __device__ __forceinline__ void get(const T *from, T *to)
{
	const several<T> s = *(const several<T> *)from;
#pragma unroll
	for (int j = 0; j < layout<T>::W; j++)
		to[j] = s.x[j];
}

template <typename T> static __device__ __forceinline__ void put(const T *from, T *to)
{
	several<T> s;
#pragma unroll
	for (int j = 0; j < layout<T>::W; j++)
		s.x[j] = from[j];
	*(several<T> *)to = s;
}

/* Streaming store: the array is read again only after all of it is written. ALIGNED: rows are multiples of eight
 * bytes. */
static __device__ __forceinline__ void write_through(float *to, several<float> s) { __stcs((float2 *)to, make_float2(s.x[0], s.x[1])); }
static __device__ __forceinline__ void write_through(double *to, several<double> s) { __stcs(to, s.x[0]); }
template <bool ALIGNED, typename T> static __device__ __forceinline__ void write(const thread_part &m, const T *from, T *to)
{
	several<T> s;
#pragma unroll
	for (int j = 0; j < layout<T>::W; j++) {
		s.x[j] = from[j];
		if (!ALIGNED && j < m.many)
			__stcs(to + j, from[j]);
	}
	if (ALIGNED)
		write_through(to, s);
}

template <bool ALIGNED, typename T> static __device__ __forceinline__ void read(const thread_part &m, const T *from, T *to)
{
	if (ALIGNED)
		get(from, to);
#pragma unroll
	for (int j = 0; j < layout<T>::W && !ALIGNED; j++)
		to[j] = j < m.many ? from[j] : (T)0;
}

/* Inputs of a slice at the thread's voxels, 0 if unneeded. */
template <typename T> struct slice {
	T u[layout<T>::W], z[layout<T>::W], v[3][layout<T>::W], y[9][layout<T>::W];
};

template <bool ALIGNED, typename T>
static __device__ __forceinline__ void read_slice(const pass_args<T> &p, const thread_part &m, size_t at, slice<T> &s)
{
	if (m.u) {
		read<ALIGNED>(m, p.a[0] + at, s.z);
		read<ALIGNED>(m, p.a[1] + at, s.u);
	}
#pragma unroll
	for (int a = 0; a < 3; a++)
		if (m.v)
			read<ALIGNED>(m, p.a[1] + (a + 1) * p.voxels + at, s.v[a]);
#pragma unroll
	for (int i = 0; i < 9; i++)
		if (m.dual)
			read<ALIGNED>(m, p.a[3] + i * p.voxels + at, s.y[i]);
}

/* State of the previous slice: u and v with their extrapolation, v of the slice before it, and the values before the
 * step. */
template <typename T> struct kept {
	T u_ahead[layout<T>::W], v_ahead[3][layout<T>::W], v_below[3][layout<T>::W], v[3][layout<T>::W], y[9][layout<T>::W];
};

/* Computes u of the slice `now`, with p_x and p_y of others in shared memory; y_below: p_z of the previous slice. */
template <typename T>
static __device__ __forceinline__ void next_u(const pass_args<T> &p, const thread_part &m, const T *p_room, const slice<T> &now,
                                              const T *y_below, T *u)
{
	enum { ALL = layout<T>::ALL };
	const T left = p_room[m.left];
	T down[layout<T>::W];
	get(p_room + ALL + m.down, down);
#pragma unroll
	for (int j = 0; j < layout<T>::W; j++) {
		const T y[3] = { now.y[0][j], now.y[1][j], now.y[2][j] };
		const T before[3] = { j ? now.y[0][j ? j - 1 : 0] : left, down[j], y_below[j] };
		u[j] = tgv_next_u(&p, now.u[j], now.z[j], tgv_fall(&p, y, before));
	}
}

/* Axis bits of voxel j of a thread: it has a previous, a next voxel. z: the bit of that axis. */
static __device__ __forceinline__ unsigned before_of(const thread_part &m, int j, unsigned z)
{
	return (m.x + j > 0) | (m.y > 0) << 1 | z << 2;
}
template <typename T> static __device__ __forceinline__ unsigned next_of(const pass_args<T> &p, const thread_part &m, int j, unsigned z)
{
	return (m.x + j + 1 < p.n[0]) | (m.y + 1 < p.n[1]) << 1 | z << 2;
}

/* Index of q of a pair among five. */
static __device__ __forceinline__ constexpr int old_q(int pair) { return pair < 2 ? pair : pair - 1; }

/* Computes v_a of the stored slice from its q, that of others in shared memory, and that of the slice above. */
template <typename T>
static __device__ __forceinline__ void next_v(const pass_args<T> &p, const thread_part &m, const T *q_room, const kept<T> &was,
                                              const slice<T> &above, int a, unsigned before_z, T *v)
{
	enum { W = layout<T>::W, ALL = layout<T>::ALL };
	const int along_x = tgv_pair(a, 0), along_y = tgv_pair(a, 1), along_z = tgv_pair(a, 2);
	const T right = q_room[old_q(along_x) * ALL + m.right];
	T up[W], q[6];
	get(q_room + old_q(along_y) * ALL + m.up, up);
#pragma unroll
	for (int j = 0; j < W; j++) {
		const T q_next[3] = { j + 1 < W ? was.y[3 + along_x][j + 1 < W ? j + 1 : 0] : right, up[j], above.y[3 + along_z][j] };
#pragma unroll
		for (int i = 0; i < 6; i++)
			q[i] = was.y[3 + i][j];
		v[j] = tgv_next_v(&p, was.v[a][j], tgv_unbend(&p, a, q, q_next, before_of(m, j, before_z)), was.y[a][j]);
	}
}

/* Computes the dual of the stored slice. u_ahead and v_ahead: of that slice, in shared memory; u_above: the thread's
 * voxels in the slice after it. */
template <typename T>
static __device__ __forceinline__ void next_dual(const pass_args<T> &p, const thread_part &m, kept<T> &was, const T *u_ahead,
                                                 const T *v_ahead, const T *u_above, unsigned before_z, unsigned next_z)
{
	enum { W = layout<T>::W, ALL = layout<T>::ALL };
	const T right = u_ahead[m.right];
	T up[W], left[3], down[3][W];
	get(u_ahead + m.up, up);
#pragma unroll
	for (int a = 0; a < 3; a++) {
		left[a] = v_ahead[a * ALL + m.left];
		get(v_ahead + a * ALL + m.down, down[a]);
	}
#pragma unroll
	for (int j = 0; j < W; j++) {
		const T u_next[3] = { j + 1 < W ? was.u_ahead[j + 1 < W ? j + 1 : 0] : right, up[j], u_above[j] };
		T d[3], e[6], v[3], v_before[3][3], y[9];
#pragma unroll
		for (int a = 0; a < 3; a++) {
			v[a] = was.v_ahead[a][j];
			v_before[0][a] = j ? was.v_ahead[a][j ? j - 1 : 0] : left[a];
			v_before[1][a] = down[a][j];
			v_before[2][a] = was.v_below[a][j];
		}
#pragma unroll
		for (int i = 0; i < 9; i++)
			y[i] = was.y[i][j];
		tgv_rise(&p, was.u_ahead[j], u_next, v, next_of(p, m, j, next_z), d);
		tgv_bend(&p, v, v_before, before_of(m, j, before_z), e);
		tgv_next_dual(&p, d, e, y);
#pragma unroll
		for (int i = 0; i < 9; i++)
			was.y[i][j] = y[i];
	}
}

/* Stores q in shared memory too, for the neighbours' v in the next step. */
template <typename T>
static __device__ __forceinline__ void keep(const thread_part &m, kept<T> &was, const slice<T> &now, const T *u_ahead, T *q_room)
{
#pragma unroll
	for (int j = 0; j < layout<T>::W; j++) {
		was.u_ahead[j] = u_ahead[j];
#pragma unroll
		for (int i = 0; i < 9; i++)
			was.y[i][j] = now.y[i][j];
#pragma unroll
		for (int a = 0; a < 3; a++) {
			was.v_below[a][j] = was.v_ahead[a][j];
			was.v[a][j] = now.v[a][j];
		}
	}
#pragma unroll
	for (int i = 0; i < 6; i++)
		if (i != 2)
			put(now.y[3 + i], q_room + old_q(i) * layout<T>::ALL + m.here);
}

/* Stores v of the stored slice in the array if `writes`, and computes its extrapolation. */
template <bool ALIGNED, typename T>
static __device__ __forceinline__ void move_v(const pass_args<T> &p, const thread_part &m, const slice<T> &above, kept<T> &was, T *room,
                                              unsigned before_z, T *to, bool writes)
{
	enum { ALL = layout<T>::ALL };
#pragma unroll
	for (int a = 0; a < 3; a++, to += p.voxels) {
		T v[layout<T>::W];
		next_v(p, m, room + OLD_Q * ALL, was, above, a, before_z, v);
		if (writes)
			write<ALIGNED>(m, v, to);
#pragma unroll
		for (int j = 0; j < layout<T>::W; j++)
			was.v_ahead[a][j] = 2 * v[j] - was.v[a][j];
		put(was.v_ahead[a], room + (V_AHEAD + a) * ALL + m.here);
	}
}

/* Step k: u of slice k, v of slice k - 1, then, after a barrier, the dual of slice k - 1. */
template <typename T, bool ALIGNED>
static __global__ void __launch_bounds__(THREADS, TGV_BLOCKS) step_kernel(const pass_args<T> p, unsigned tiles_x, unsigned tiles_y)
{
	enum { W = layout<T>::W, ALL = layout<T>::ALL };
	extern __shared__ double shared[];
	T *const room = (T *)shared;
	const unsigned tile = blockIdx.x, nz = (unsigned)p.n[2];
	const thread_part m = part_of(p, tile % tiles_x * layout<T>::X, tile / tiles_x % tiles_y * ROWS);
	const unsigned k0 = tile / tiles_x / tiles_y * TGV_SLICES, k1 = min(k0 + TGV_SLICES, nz), first = k0 ? k0 - 1 : 0;
	const T none[W] = {};
	for (int i = 0; i < SHARED; i++) /* values outside the volume stay 0 */
		put(none, room + i * ALL + m.here);
	__syncthreads();
	kept<T> was = {};
	slice<T> next = {};
	read_slice<ALIGNED>(p, m, first * p.stride[2] + m.at, next);
	for (unsigned k = first; k <= k1; k++) {
		const size_t at = k * p.stride[2] + m.at, below = at - p.stride[2];
		const slice<T> now = next;
		T *const u_room = room + (U_AHEAD + (k & 1)) * ALL, *const u_old = room + (U_AHEAD + (~k & 1)) * ALL;
		T u[W], u_ahead[W] = {};
		put(now.y[0], room + P_NOW * ALL + m.here);
		put(now.y[1], room + (P_NOW + 1) * ALL + m.here);
		next = {};
		if (k < k1 && k + 1 < nz)
			read_slice<ALIGNED>(p, m, at + p.stride[2], next);
		__syncthreads();
		if (k < nz && m.u) {
			next_u(p, m, room + P_NOW * ALL, now, was.y[2], u);
			if (m.writes && k >= k0 && k < k1)
				write<ALIGNED>(m, u, p.a[5] + at);
#pragma unroll
			for (int j = 0; j < W; j++)
				u_ahead[j] = 2 * u[j] - now.u[j];
			put(u_ahead, u_room + m.here);
		}
		if (k > first && m.v)
			move_v<ALIGNED>(p, m, now, was, room, k > 1, p.a[5] + p.voxels + below, m.writes && k > k0);
		__syncthreads();
		if (k > k0 && m.writes) {
			next_dual(p, m, was, u_old, room + V_AHEAD * ALL, u_ahead, k > 1, k < nz);
#pragma unroll
			for (int i = 0; i < 9; i++)
				write<ALIGNED>(m, was.y[i], p.a[6] + i * p.voxels + below);
		}
		keep(m, was, now, u_ahead, room + OLD_Q * ALL);
	}
}

template <typename T> static size_t bytes() { return (size_t)SHARED * layout<T>::ALL * sizeof(T); }

static int fits(gt_type type) { return (type == GT_F32 ? bytes<float>() : bytes<double>()) <= (size_t)gt_cuda_max_shared(); }

template <typename T> static void launch(gt_backend *be, const size_t *n, const struct gt_pass_call *call)
{
	void (*const kernel)(const pass_args<T>, unsigned, unsigned) = n[0] % layout<T>::W ? step_kernel<T, false> : step_kernel<T, true>;
	const size_t x = (n[0] + layout<T>::X - 1) / layout<T>::X, y = (n[1] + ROWS - 1) / ROWS, z = (n[2] + TGV_SLICES - 1) / TGV_SLICES;
	pass_args<T> p;
	pass_args_set(&p, n, call);
	if (gt_cuda_check(be, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes<T>()), "tgv"))
		return;
	kernel<<<(unsigned)(x * y * z), THREADS, bytes<T>(), gt_cuda_queue(be)>>>(p, (unsigned)x, (unsigned)y);
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
