#ifndef GT_PROJECTORS_DD_FAST_DD_RING_CUH
#define GT_PROJECTORS_DD_FAST_DD_RING_CUH
/* Device code of the adjoint kernels in dd_adjoint_cuda.cu and dd_thin_adjoint_cuda.cu. Detector columns are running
 * sums along the rows; one warp copies them into a ring in shared memory for the others. A struct SHAPE describes the
 * blocks of a kernel. A block owns STRIP voxels along SLICES slices, in tiles of HEIGHT voxels along z. Chunks of CHUNK
 * voxels are skipped if no row sees them. The ring has SLOTS slots of SLOT bytes. Up to WHOLE rows are copied in whole
 * columns. */
#include "core/device/async_copy.cuh"
#include "projectors/dd/fast/dd_fast.cuh"
#include "projectors/dd/fast/dd_sums.cuh"

enum { WARP = 32 };

/* Excess of the bits of a float 2^23 + n over n, times the size of an entry. */
enum { MAGIC_BYTES = 0x4B000000u * 8u & 0xffffffffu };

/* Header of a unit of the ring. */
struct __align__(16) order
{
	int edge, flush, last; /* first z edge of the tile; 1: a new group begins; 1: end of the ring */
	int valid;             /* bit per slice */
};
template <int SLICES> struct unit {
	/* X of U = 0 from the strip's start, voxels per U, its inverse, centre of the tile above z0 */
	double line[SLICES][4];
	double shift;           /* row coordinate of the window's first row: p + low */
	int rows, from_middle;  /* rows of the window, and its first row relative to the middle */
	int columns, bytes;     /* columns of this unit, bytes of each */
	unsigned start;         /* bytes from the last edge to the first column, minus MAGIC_BYTES */
	unsigned chunks;        /* bit per chunk of the tile that rows may meet */
	struct order order;
};

struct job {
	const float2 *sums; /* [views of the batch][columns][stride]: see sum_rows */
	float *b;           /* [y][x][nz] */
	int first, views;   /* in gt_dd_fast.view */
	int bundle, bundles;
	int axis, stride, middle, form;
	size_t view_stride; /* sums per view, even */
	int strips, slice_groups;
	/* slices of z that a block owns; tiles of different bundles may overlap, those of different blocks must not */
	int part;
	int early; /* starts after the last blocks of the previous launch have started */
	int sets;  /* each part is one tile, which blocks set first; b may be uninitialised */
	/* [nz][y][x], 16-byte aligned, nx a multiple of 4, or NULL: blocks of axis 1 add b to their sums and set x */
	float *x;
};

/* Host: maximum rows that the z edges of a tile meet, for blocks of this number of slices. */
static inline double rows_at_most(const gt_dd *d, const gt_dd_fast *f, int height, int slices)
{
	const double window = height / f->min_A * 1.1 + (0.02 + f->spread * slices / GT_DD_SPREAD) * d->rows + 8;
	return window < d->rows ? window : d->rows;
}

/* Forms by the number of rows. FOLDED: positions over the window only; SHORT: positions in rows; FINE: separate
 * fractions; TALL: also sums from the tile's upper edge. */
enum { SHORT, FINE, TALL, FOLDED };
/* Separate fractions are multiples of UNIT. A float with the bits n, times 2^127, is n times UNIT. */
static constexpr float UNIT = 0x1p-22f, ROWS_IN_UNITS = 0x1p127f;

/* A block sums 32 columns of one view. G is the data times the slant, C its running sum from the central row. Entry l
 * of a column is (C_l - l G_l, rows G_l) if FOLDED, (C_l - (l - middle) G_l, G_l) if SHORT: one multiplication by the
 * position then gives the sum. Otherwise it is (C_l, G_l / fraction), for fractions in that unit. */
static __global__ void __launch_bounds__(GT_DD_SUM_LINES *GT_DD_SUM_WARPS, GT_DD_SUM_BLOCKS)
	sum_rows(gt_dd d, const gt_dd_near *view, const float *y, float2 *out, size_t view_stride, int stride, int middle,
                                int form, float fraction, int groups)
{
	const int k0 = blockIdx.x % groups * WARP, k = k0 + threadIdx.x, inside = k < d.columns;
	const size_t m = blockIdx.x / groups, at = (size_t)view[m].at;
	const gt_dd_view v = d.view[at];
	const gt_dd_column c = d.column[at * d.columns + (inside ? k : 0)];
	gt_dd_running_sums(
		d.rows, middle, stride,
		[&](int l) {
			return inside && l < d.rows ? y[gt_dd_pixel(&d, &v, at, l, k)] * (float)d.pitch[v.axis] *
		                                              sqrtf((float)gt_dd_slant_square(&c, l, d.pitch[2]))
		                                    : 0.f;
		},
		[&](int line, int l, double C, float v0, float v1) {
			float2 *to = out + m * view_stride + (size_t)(k0 + line) * stride + l;
			const double place = form == FOLDED ? l : l - middle;
			const float scale = form == FOLDED ? d.rows : 1;
			if (k0 + line >= d.columns)
				return;
			const float4 two = form == SHORT || form == FOLDED
			                           ? make_float4((float)(C - place * v0), v0 * scale, (float)(C + v0 - (place + 1) * v1), v1 * scale)
			                           : make_float4((float)C, v0 / fraction, (float)(C + v0), v1 / fraction);
			if (stride % 2 == 0) {
				*(float4 *)to = two;
				return;
			}
			to[0] = make_float2(two.x, two.y);
			if (l + 1 < stride)
				to[1] = make_float2(two.z, two.w);
		});
}

/* 1 / n to 14 digits, without a division. */
static __device__ __forceinline__ double inverse_of(int n)
{
	const double i = __fdividef(1.f, (float)n);
	return i * (2 - n * i);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* A view seen from the block: columns, rows and z edges that meet its voxels. */
struct reach {
	int first, last; /* columns; first > last: none */
	float min_A, max_A;
	double low, high; /* z0 at both ends of the slices */
	float z_low, z_high;
};

template <typename SHAPE>
static __device__ struct reach reach_of(const gt_dd &d, const gt_dd_fast &f, const gt_dd_near *w, int m, int i0, int n0)
{
	struct reach r = { 1, 0, 0, 0, 0, 0, 0, 0 };
	const int nA = max(n0, w->first), nB = min(n0 + SHAPE::SLICES, w->end) - 1;
	if (nA > nB)
		return r;
	const gt_dd_view *v = &d.view[w->at];
	const double gA = w->g0 + nA * w->dg, gB = w->g0 + nB * w->dg, aA = w->a0 + nA * w->da, aB = w->a0 + nB * w->da;
	const double low = fmin((i0 - aA) / gA, (i0 - aB) / gB), high = fmax((i0 + SHAPE::STRIP - aA) / gA, (i0 + SHAPE::STRIP - aB) / gB);
	const gt_dd_edge_q *edge = f.height + (size_t)m * (d.columns + 1);
	if (high <= edge[0].U || low >= edge[d.columns].U)
		return r;
	r.first = gt_dd_first_column(&d, v, (size_t)w->at, low);
	r.last = min(gt_dd_first_column(&d, v, (size_t)w->at, high), d.columns - 1);
	double least = edge[r.first].q, most = least;
	for (int k = r.first + 1; k <= r.last; k++) {
		least = fmin(least, edge[k].q);
		most = fmax(most, edge[k].q);
	}
	r.min_A = (float)(least * fmin(gA, gB) * (1 - 1e-6));
	r.max_A = (float)(most * fmax(gA, gB) * (1 + 1e-6));
	r.low = fmin(w->z0 + nA * w->dz, w->z0 + nB * w->dz);
	r.high = fmax(w->z0 + nA * w->dz, w->z0 + nB * w->dz);
	const double top = w->p + d.rows;
	r.z_low = (float)(r.low + w->p * (w->p < 0 ? r.max_A : r.min_A)) - 0.01f;
	r.z_high = (float)(r.high + top * (top > 0 ? r.max_A : r.min_A)) + 0.01f;
	return r;
}

/* Rows low .. high-1 of a view that z edges e .. e + height meet. */
static __device__ void rows_of(const gt_dd &d, const struct reach &r, double p, int e, int height, int *low, int *high)
{
	const float below = (float)(e - r.high), above = (float)(e + height - r.low), shift = (float)p;
	const float first = (below > 0 ? below / r.max_A : below / r.min_A) - shift,
		    last = (above > 0 ? above / r.min_A : above / r.max_A) - shift;
	*low = (int)fminf(fmaxf(floorf(first) - 1, 0.f), (float)d.rows) & ~1;
	*high = (int)fminf(fmaxf(ceilf(last) + 1, 0.f), (float)d.rows);
}

struct ring {
	unsigned char *base;
	unsigned full, empty; /* addresses of the barriers, 8 bytes apart */
};

/* State of the last warp of a block, which fills the ring. */
struct writer {
	struct ring ring;
	unsigned units;
};
template <typename SHAPE> static __device__ unsigned open(const struct writer *w)
{
	const unsigned slot = w->units % SHAPE::SLOTS;
	barrier_wait(w->ring.empty + 8 * slot, w->units / SHAPE::SLOTS % 2 ^ 1);
	return slot;
}

/* Bits of the chunks between z_low and z_high. */
template <typename SHAPE> static __device__ unsigned chunks_between(float z_low, float z_high)
{
	enum { CHUNKS = SHAPE::HEIGHT / SHAPE::CHUNK };
	const int from = max((int)floorf(z_low * (1.f / SHAPE::CHUNK)), 0), to = min((int)ceilf(z_high * (1.f / SHAPE::CHUNK)), (int)CHUNKS);
	return from < to ? (2u << (to - 1)) - (1u << from) : 0;
}

/* Copies the views of a bundle for the tile of z edges from e on, up to z edge `end`; r, m: the lane's view. */
template <typename SHAPE>
static __device__ void fetch(const gt_dd &d, const gt_dd_fast &f, const job &j, struct writer *w, const struct reach &r, int m, int i0,
                             int n0, int e, int end)
{
	typedef unit<SHAPE::SLICES> block_unit;
	const int lane = threadIdx.x % WARP, some = r.first <= r.last;
	int low = 0, high = 0;
	if (some)
		rows_of(d, r, f.view[m].p, e, SHAPE::HEIGHT, &low, &high);
	if (some && d.rows <= SHAPE::WHOLE && high > low)
		low = 0, high = d.rows;
	const unsigned chunks = (int)SHAPE::CHUNK == (int)SHAPE::HEIGHT ? 1 : chunks_between<SHAPE>(r.z_low - (float)e, fminf(r.z_high, (float)end) - (float)e);
	unsigned todo = __ballot_sync(~0u, some && high > low && chunks);
	for (int fresh = 1; todo; todo &= todo - 1) {
		const int src = __ffs(todo) - 1, at = __shfl_sync(~0u, m, src), first = __shfl_sync(~0u, r.first, src),
			  last = __shfl_sync(~0u, r.last, src), from = __shfl_sync(~0u, low, src),
			  rows = __shfl_sync(~0u, high, src) - from;
		const unsigned seen = (int)SHAPE::CHUNK == (int)SHAPE::HEIGHT ? 1 : __shfl_sync(~0u, chunks, src);
		const gt_dd_near *v = f.view + at;
		/* loaded before a slot is free, so that the wait hides the latency */
		const int n = n0 + lane, valid = lane < SHAPE::SLICES && n >= v->first && n < v->end;
		const unsigned bits = __ballot_sync(~0u, valid);
		const double g = v->g0 + n * v->dg, start = v->a0 + n * v->da - i0, above = e + SHAPE::HEIGHT * 0.5 - (v->z0 + n * v->dz),
			     shift = v->p + from;
		const int whole = rows == d.rows, bytes = whole ? j.stride * 8 : (rows + 2) / 2 * 16;
		/* copies begin at even columns and have an even number of them */
		const int pair = SHAPE::ODD && whole && j.stride % 2;
		const int room = (SHAPE::SLOT - (int)sizeof(block_unit) - 16) / (bytes + 16) - 2 * pair;
		for (int k = first; k <= last; k += room, w->units++, fresh = 0) {
			const unsigned slot = open<SHAPE>(w), count = min(room, last + 1 - k), bar = w->ring.full + 8 * slot;
			const unsigned skip = pair ? k % 2 : 0, copied = pair ? (skip + count + 1) / 2 * 2 : count;
			unsigned char *place = w->ring.base + slot * SHAPE::SLOT;
			block_unit *u = (block_unit *)place;
			if (valid) {
				u->line[lane][0] = start;
				u->line[lane][1] = g;
				u->line[lane][2] = 1 / g;
				u->line[lane][3] = above;
			}
			if (lane == 0) {
				u->shift = shift;
				u->rows = rows;
				u->from_middle = from - j.middle;
				u->columns = (int)count;
				u->bytes = bytes;
				/* a value known at the reader would be added to each address there */
				u->start = 16 + skip * bytes - MAGIC_BYTES;
				u->chunks = seen;
				u->order.edge = e;
				u->order.flush = fresh;
				u->order.last = 0;
				u->order.valid = (int)bits;
			}
			__syncwarp();
			const float2 *sums = j.sums + (size_t)(at - j.first) * j.view_stride + (size_t)(k - skip) * j.stride + from;
			const unsigned edges = address_of(place) + sizeof(block_unit), columns = edges + (count + 1) * 16;
			const bool together = bytes == j.stride * 8;
			if (elected()) {
				barrier_expect(bar, (count + 1) * 16 + copied * bytes);
				bulk_copy(edges, f.inverse + (size_t)at * (d.columns + 1) + k, (count + 1) * 16, bar);
#pragma unroll 1
				for (unsigned c = 0; c < (together ? 1 : count); c++)
					bulk_copy(columns + c * bytes, sums + (size_t)c * j.stride, together ? copied * bytes : bytes, bar);
			}
			__syncwarp();
		}
	}
}

template <typename SHAPE>
static __device__ void produce(const gt_dd &d, const gt_dd_fast &f, const job &j, struct ring ring, int i0, int n0, int z0, int z1)
{
	const int lane = threadIdx.x % WARP;
	struct writer w = { ring, 0 };
	for (int b = j.bundle; b < j.bundle + j.bundles; b++) {
		const int begin = max(f.bundle[b], j.first), end = min(f.bundle[b + 1], j.first + j.views), m = min(begin + lane, end - 1);
		if (begin >= end)
			continue;
		struct reach r = reach_of<SHAPE>(d, f, f.view + m, m, i0, n0);
		if (begin + lane >= end)
			r.last = r.first - 1;
		float z_low = r.first <= r.last ? r.z_low : 3e38f, z_high = r.first <= r.last ? r.z_high : -3e38f;
		for (int s = WARP / 2; s > 0; s /= 2) {
			z_low = fminf(z_low, __shfl_xor_sync(~0u, z_low, s));
			z_high = fmaxf(z_high, __shfl_xor_sync(~0u, z_high, s));
		}
		if (z_low < z1)
			for (int e = z1 - z0 <= SHAPE::HEIGHT ? z0 : max(z0, (int)floorf(z_low)); e < z1 && (float)e < z_high;
			     e += SHAPE::HEIGHT)
				fetch<SHAPE>(d, f, j, &w, r, m, i0, n0, e, z1);
	}
	const unsigned slot = open<SHAPE>(&w);
	if (lane == 0) {
		((unit<SHAPE::SLICES> *)(ring.base + slot * SHAPE::SLOT))->order.last = 1;
		barrier_expect(ring.full + 8 * slot, 0);
	}
}
#endif
#endif
