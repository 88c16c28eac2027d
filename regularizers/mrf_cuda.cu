/* Pairs of neighbours on CUDA, single and double. A thread holds a column of one x and a few y, together with the
 * column to its right. It marches along z with two planes of both in registers. It computes each pair of its columns
 * once and passes the right column's contribution on by one shuffle per voxel. The cost of these kernels is psi with
 * its powers and reciprocals, now evaluated 13 times per voxel instead of 26. The first column of a warp only contributes.
 *
 * Launch parameters: name, default, valid values. */
#ifndef GT_PAIRS_WARPS /* per block, along x, so that rows are equal for all its threads: 1, 2, 4, 8 */
#define GT_PAIRS_WARPS 1
#endif
#ifndef GT_PAIRS_ROWS /* y per thread in single precision: 1 to 8; registers */
#define GT_PAIRS_ROWS 4
#endif
#ifndef GT_PAIRS_ROWS_DOUBLE /* likewise in double precision */
#define GT_PAIRS_ROWS_DOUBLE 1
#endif
#ifndef GT_PAIRS_PLANES /* z per block: 1 or more; each block computes one plane's pairs twice */
#define GT_PAIRS_PLANES 32
#endif
#include <stdlib.h>
#include "core/device/cuda.cuh"
#include "regularizers/mrf.h"

enum { LANES = 32, GIVEN = (LANES - 1) * GT_PAIRS_WARPS, THREADS = LANES * GT_PAIRS_WARPS, MANY = 256 };
enum { OWN, RIGHT };
enum what { GRADIENT, VALUE, LINE };

template <typename T> struct rows {
	enum { N = sizeof(T) == 4 ? GT_PAIRS_ROWS : GT_PAIRS_ROWS_DOUBLE };
};
#define ROWS ((int)rows<T>::N)

/* Passed by value. */
template <typename T> struct tables {
	T number[GT_NNUMBERS], weight[8];
	int n[3], wide, from, end; /* wide: more than the 6 nearest; from, end: slices included in sums */
	unsigned tiles[2];
	const T *x, *p, *kappa;
	T a;
	T *g, *d;
	double *part; /* [blocks][2] */
};

/* One plane of a thread's two columns, with the rows below and above. */
template <typename T> struct plane {
	T x[2][ROWS + 2], p[2][ROWS + 2], kappa[2][ROWS + 2];
};
/* Contributions of its pairs to the columns, or to the sums. */
template <typename T> struct share {
	T g[2][ROWS + 2], d[2][ROWS + 2];
};

/* Position: column x, rows y ... y + ROWS - 1 as rows 1 to ROWS; low to high and columns x, x + 1 are in the grid. */
struct place {
	int lane, x, y, low, high, inside, right;
};
/* INNER omits bounds checks: all rows and columns of the warp are in the grid, with 26 neighbours. */

template <typename T> static __device__ __forceinline__ struct place place_of(const tables<T> &k, unsigned tile)
{
	struct place a;
	a.lane = (int)threadIdx.x % LANES;
	a.x = (int)(tile % k.tiles[0]) * GIVEN + (int)threadIdx.x / LANES * (LANES - 1) - 1 + a.lane;
	a.y = (int)(tile / k.tiles[0]) * ROWS;
	a.low = a.y == 0;
	a.high = min(ROWS + 1, k.n[1] - a.y);
	a.inside = a.x >= 0 && a.x < k.n[0];
	a.right = a.x >= 0 && a.x + 1 < k.n[0];
	return a;
}

template <int WHAT, int KAPPA, int INNER, typename T>
static __device__ __forceinline__ void load(const tables<T> &k, const struct place &a, int z, plane<T> &s)
{
	const size_t nx = k.n[0], first = (z * (size_t)k.n[1] + a.y) * nx - nx;
	const int column[2] = { INNER ? a.x : min(max(a.x, 0), k.n[0] - 1), INNER ? a.x + 1 : min(a.x + 1, k.n[0] - 1) };
#pragma unroll
	for (int r = 0; r < ROWS + 2; r++) {
		const bool there = INNER || (r >= a.low && r <= a.high);
#pragma unroll
		for (int c = 0; c < 2; c++) {
			const size_t at = first + r * nx + column[c];
			const T p = WHAT == LINE && there ? __ldg(k.p + at) : 0;
			s.x[c][r] = there ? __ldg(k.x + at) + (WHAT == LINE ? k.a * p : 0) : 0;
			if (WHAT == LINE)
				s.p[c][r] = p;
			if (KAPPA)
				s.kappa[c][r] = there ? __ldg(k.kappa + at) : 0;
		}
	}
}

/* The pair of row r in column c of A and row q in column e of B, with the contributions a and b. */
template <int KIND, int WHAT, int KAPPA, typename T>
static __device__ __forceinline__ void meet(const tables<T> &k, int weight, const plane<T> &A, int c, int r, share<T> &a, const plane<T> &B,
                                            int e, int q, share<T> &b)
{
	const gt_potential kind = (gt_potential)KIND;
	const T t = A.x[c][r] - B.x[e][q];
	const T psi = WHAT == VALUE ? gt_potential_value(kind, k.number, t) : gt_potential_weight(kind, k.number, t);
	const T w = psi * k.weight[weight] * (KAPPA ? A.kappa[c][r] * B.kappa[e][q] : 1);
	if (WHAT == GRADIENT) {
		a.g[c][r] += w * t;
		a.d[c][r] += w;
		b.g[e][q] -= w * t;
		b.d[e][q] += w;
	} else if (WHAT == VALUE) {
		a.g[0][0] += w;
	} else {
		const T p = A.p[c][r] - B.p[e][q];
		a.g[0][0] += w * t * p;
		a.d[0][0] += w * p * p;
	}
}

/* Pairs within a plane. Sums leave those with the row below to the adjacent tile. */
template <int KIND, int WHAT, int KAPPA, int INNER, typename T>
static __device__ __forceinline__ void meet_within(const tables<T> &k, const struct place &a, const plane<T> &A, share<T> &s)
{
#define MEET(w, c, r, e, q) meet<KIND, WHAT, KAPPA>(k, w, A, c, r, s, A, e, q, s)
#pragma unroll
	for (int r = 0; r <= ROWS; r++) {
		if (r >= 1 && (INNER || (r <= a.high && a.right)))
			MEET(1, OWN, r, RIGHT, r);
		if ((WHAT == GRADIENT || r >= 1) && (INNER || (r >= a.low && r < a.high))) {
			MEET(2, OWN, r, OWN, r + 1);
			if (INNER || (k.wide && a.right)) {
				MEET(3, OWN, r, RIGHT, r + 1);
				MEET(3, RIGHT, r, OWN, r + 1);
			}
		}
	}
#undef MEET
}

/* Pairs of a plane with the next. */
template <int KIND, int WHAT, int KAPPA, int INNER, typename T>
static __device__ __forceinline__ void meet_next(const tables<T> &k, const struct place &a, const plane<T> &A, share<T> &s,
                                                 const plane<T> &B, share<T> &u)
{
#define MEET(w, c, r, e, q) meet<KIND, WHAT, KAPPA>(k, w, A, c, r, s, B, e, q, u)
#pragma unroll
	for (int r = 0; r <= ROWS; r++) {
		if (r >= 1 && (INNER || r <= a.high)) {
			MEET(4, OWN, r, OWN, r);
			if (INNER || (k.wide && a.right)) {
				MEET(5, OWN, r, RIGHT, r);
				MEET(5, RIGHT, r, OWN, r);
			}
		}
		if ((WHAT == GRADIENT || r >= 1) && (INNER || (k.wide && r >= a.low && r < a.high))) {
			MEET(6, OWN, r, OWN, r + 1);
			MEET(6, OWN, r + 1, OWN, r);
			if (INNER || a.right) {
				MEET(7, OWN, r, RIGHT, r + 1);
				MEET(7, OWN, r + 1, RIGHT, r);
				MEET(7, RIGHT, r, OWN, r + 1);
				MEET(7, RIGHT, r + 1, OWN, r);
			}
		}
	}
#undef MEET
}

template <typename T> static __device__ __forceinline__ void store(const tables<T> &k, const struct place &a, int z, const share<T> &s)
{
	const size_t nx = k.n[0], first = (z * (size_t)k.n[1] + a.y) * nx - nx + a.x;
#pragma unroll
	for (int r = 1; r <= ROWS; r++) {
		const T g = s.g[OWN][r] + __shfl_up_sync(~0u, s.g[RIGHT][r], 1), d = s.d[OWN][r] + __shfl_up_sync(~0u, s.d[RIGHT][r], 1);
		if (a.lane == 0 || !a.inside || r > a.high)
			continue;
		atomicAdd(k.g + first + r * nx, g); /* the only writer of the voxel; the atomic avoids waiting for the old value */
		if (k.d)
			atomicAdd(k.d + first + r * nx, 2 * d);
	}
}

/* Adds the N threads' values in a fixed order. */
template <int N> static __device__ void block_sum(double s0, double s1, double *out)
{
	__shared__ double lane[N][2];
	const int me = (int)threadIdx.x;
	lane[me][0] = s0;
	lane[me][1] = s1;
	for (int h = N / 2; h > 0; h /= 2) {
		__syncthreads();
		if (me < h) {
			lane[me][0] += lane[me + h][0];
			lane[me][1] += lane[me + h][1];
		}
	}
	if (me == 0) {
		out[0] = lane[0][0];
		out[1] = lane[0][1];
	}
}

template <int KIND, int WHAT, int KAPPA, int INNER, typename T>
static __device__ __forceinline__ void march_column(const tables<T> &k, const struct place &a, int from, int end, double sum[2])
{
	plane<T> A, B;
	share<T> s = {}, u;
	int z = WHAT == GRADIENT && from > 0 ? from - 1 : from;
	load<WHAT, KAPPA, INNER>(k, a, z, A);
	for (; z < end; z++) {
		if (z >= from)
			meet_within<KIND, WHAT, KAPPA, INNER>(k, a, A, s);
		u = {};
		if (z + 1 < k.n[2]) {
			load<WHAT, KAPPA, INNER>(k, a, z + 1, B);
			meet_next<KIND, WHAT, KAPPA, INNER>(k, a, A, s, B, u);
		}
		if (WHAT == GRADIENT && z >= from)
			store(k, a, z, s);
		if (WHAT != GRADIENT && a.lane > 0 && a.inside) {
			sum[0] += (double)s.g[0][0];
			sum[1] += (double)s.d[0][0];
		}
		A = B;
		s = u;
	}
}

template <int KIND, int WHAT, int KAPPA, typename T> static __global__ void __launch_bounds__(THREADS) march(const tables<T> k)
{
	const unsigned per_chunk = k.tiles[0] * k.tiles[1];
	const struct place a = place_of(k, blockIdx.x % per_chunk);
	const int begin = (int)(blockIdx.x / per_chunk) * GT_PAIRS_PLANES, from = WHAT == GRADIENT ? begin : max(begin, k.from);
	const int end = min(begin + GT_PAIRS_PLANES, WHAT == GRADIENT ? k.n[2] : k.end);
	double sum[2] = { 0, 0 };
	if (__all_sync(~0u, k.wide && a.right && a.low == 0 && a.high == ROWS + 1))
		march_column<KIND, WHAT, KAPPA, 1>(k, a, from, end, sum);
	else
		march_column<KIND, WHAT, KAPPA, 0>(k, a, from, end, sum);
	if (WHAT != GRADIENT)
		block_sum<THREADS>(sum[0], sum[1], k.part + 2 * (size_t)blockIdx.x);
}

/* curvature may be NULL. */
static __global__ void end_sum(const double *part, size_t blocks, double *first, double *curvature)
{
	__shared__ double sum[2];
	double s0 = 0, s1 = 0;
	for (size_t i = threadIdx.x; i < blocks; i += MANY) {
		s0 += part[2 * i];
		s1 += part[2 * i + 1];
	}
	block_sum<MANY>(s0, s1, sum);
	if (threadIdx.x == 0) {
		*first = sum[0];
		if (curvature)
			*curvature = sum[1];
	}
}

/* One voxel per thread: needed once per problem. c0 = 2 c(0). */
template <typename T> static __global__ void majorize_voxels(const tables<T> k, T c0)
{
	const size_t i = blockIdx.x * (size_t)MANY + threadIdx.x, nx = k.n[0], ny = k.n[1];
	if (i >= nx * ny * k.n[2])
		return;
	const int x = (int)(i % nx), y = (int)(i / nx % ny), z = (int)(i / nx / ny);
	T sum = 0;
	for (int o = 0; o < 27; o++) {
		const int dx = o % 3 - 1, dy = o / 3 % 3 - 1, dz = o / 9 - 1;
		if (x + dx < 0 || x + dx >= k.n[0] || y + dy < 0 || y + dy >= k.n[1] || z + dz < 0 || z + dz >= k.n[2])
			continue;
		const size_t other = ((size_t)(z + dz) * ny + (y + dy)) * nx + (x + dx);
		sum += k.weight[(dx != 0) + 2 * (dy != 0) + 4 * (dz != 0)] * (k.kappa ? k.kappa[i] * k.kappa[other] : 1);
	}
	k.d[i] += c0 * sum;
}

/* Host --------------------------------------------------------------------- */

struct state {
	double *part; /* device: sums of blocks */
	size_t bytes;
};

static unsigned tiles_of(size_t n, int size) { return (unsigned)((n + size - 1) / size); }
static size_t blocks_of(const gt_mrf *s, int rows)
{
	return (size_t)tiles_of(s->n[0], GIVEN) * tiles_of(s->n[1], rows) * tiles_of(s->n[2], GT_PAIRS_PLANES);
}

template <typename T> static tables<T> tables_of(const gt_mrf *s)
{
	tables<T> k = {};
	for (int i = 0; i < GT_NNUMBERS; i++)
		k.number[i] = (T)s->number[i];
	for (int i = 0; i < 8; i++)
		k.weight[i] = (T)s->weight[i];
	for (int a = 0; a < 3; a++)
		k.n[a] = (int)s->n[a];
	k.wide = s->weight[7] != 0;
	k.from = (int)s->from;
	k.end = (int)s->end;
	k.tiles[0] = tiles_of(s->n[0], GIVEN);
	k.tiles[1] = tiles_of(s->n[1], ROWS);
	k.kappa = (const T *)s->kappa;
	return k;
}

template <int WHAT, typename T> static void launch(gt_backend *be, const gt_mrf *s, const tables<T> &k)
{
	typedef void (*kernel)(const tables<T>);
#define KERNELS(kind) { march<GT_##kind, WHAT, 0, T>, march<GT_##kind, WHAT, 1, T> },
	static const kernel kernels[][2] = { GT_POTENTIALS(KERNELS) };
	const unsigned blocks = (unsigned)blocks_of(s, ROWS);
	kernels[s->potential][s->kappa != NULL]<<<blocks, THREADS, 0, gt_cuda_queue(be)>>>(k);
	gt_cuda_check(be, cudaGetLastError(), "penalty of pairs");
}

template <typename T> static void gradient_as(gt_backend *be, const gt_mrf *s, const void *x, void *g, void *d)
{
	tables<T> k = tables_of<T>(s);
	k.x = (const T *)x;
	k.g = (T *)g;
	k.d = (T *)d;
	launch<GRADIENT, T>(be, s, k);
}

template <typename T> static void majorize_as(gt_backend *be, const gt_mrf *s, void *d)
{
	const size_t voxels = s->n[0] * s->n[1] * s->n[2];
	tables<T> k = tables_of<T>(s);
	k.d = (T *)d;
	const T c0 = (T)(2 * gt_potential_weight(s->potential, s->number, 0.));
	majorize_voxels<T><<<(unsigned)((voxels + MANY - 1) / MANY), MANY, 0, gt_cuda_queue(be)>>>(k, c0);
	gt_cuda_check(be, cudaGetLastError(), "majorizer of pairs");
}

template <typename T> static void sum_as(gt_backend *be, const gt_mrf *s, const void *x, const void *p, double a)
{
	const struct state *o = (const struct state *)s->state;
	tables<T> k = tables_of<T>(s);
	k.x = (const T *)x;
	k.p = (const T *)p;
	k.a = (T)a;
	k.part = o->part;
	if (p)
		launch<LINE, T>(be, s, k);
	else
		launch<VALUE, T>(be, s, k);
}

static void gradient(gt_backend *be, const gt_mrf *s, const void *x, void *g, void *d)
{
	if (s->type == GT_F32)
		gradient_as<float>(be, s, x, g, d);
	else
		gradient_as<double>(be, s, x, g, d);
}

static void majorize(gt_backend *be, const gt_mrf *s, void *d)
{
	if (s->type == GT_F32)
		majorize_as<float>(be, s, d);
	else
		majorize_as<double>(be, s, d);
}

static void sum(gt_backend *be, const gt_mrf *s, const void *x, const void *p, double a, double *first, double *curvature)
{
	const struct state *o = (const struct state *)s->state;
	cudaStream_t queue = gt_cuda_queue(be);
	double *slot = gt_cuda_slot(be, first), *other = p ? gt_cuda_slot(be, curvature) : NULL;
	if (s->type == GT_F32)
		sum_as<float>(be, s, x, p, a);
	else
		sum_as<double>(be, s, x, p, a);
	end_sum<<<1, MANY, 0, queue>>>(o->part, o->bytes / (2 * sizeof(double)), slot, other);
	gt_cuda_check(be, cudaGetLastError(), "penalty of pairs");
}

static gt_status make(gt_backend *be, gt_mrf *s)
{
	const size_t blocks = blocks_of(s, s->type == GT_F32 ? (int)rows<float>::N : (int)rows<double>::N);
	if (blocks > 0x7fffffff)
		return gt_fail(GT_ERR_UNSUPPORTED, "penalty of pairs: %zu x %zu x %zu voxels are more than one launch takes", s->n[0],
		               s->n[1], s->n[2]);
	struct state *o = (struct state *)calloc(1, sizeof *o);
	if (!(s->state = o))
		return gt_fail(GT_ERR_MEMORY, "no memory for a penalty");
	o->bytes = blocks * 2 * sizeof(double);
	o->part = (double *)gt_backend_alloc(be, o->bytes, "sums of a penalty");
	return o->part ? GT_OK : GT_ERR_MEMORY;
}

static void release(gt_backend *be, gt_mrf *s)
{
	struct state *o = (struct state *)s->state;
	if (!o)
		return;
	gt_backend_free(be, o->part, o->bytes);
	free(o);
}

extern "C" const struct gt_mrf_impl gt_mrf_cuda = { make, release, gradient, majorize, sum };
