#ifndef GT_PROJECTORS_DD_FAST_DD_FORWARD_RING_CUH
#define GT_PROJECTORS_DD_FAST_DD_FORWARD_RING_CUH
/* Device code of dd_forward_cuda.cu. Finds the lines and z edges that a block needs on each slice; one warp copies them
 * into a ring in shared memory. */
#include "core/device/async_copy.cuh"
#include "projectors/dd/fast/dd_fast.cuh"

enum { WARP = 32, MAX_SLICES = 16 };

/* A slice of a unit: first line and number of lines; first z edge of the window; byte offset after the header. */
struct __align__(16) span
{
	int line, lines, low, offset;
};

/* Header of a ring slot: consecutive slices, and parameters of the next ones. */
struct unit {
	int first, slices;        /* slice numbers */
	int last, bytes;          /* end of the ring; bytes from line to line */
	float intervals, inverse; /* height of the window in z, and its inverse */
	/* slices up to this one have windows of the same height, and all their lines in one unit */
	int until;
	int part;                 /* only some lines of one slice */
	struct span span[MAX_SLICES];
};
static_assert(sizeof(unit) % 16 == 0, "bulk copies need 16 bytes");

/* Height of the window in z for positions, in lines of `entries` entries: a power of two if possible, since its inverse
 * is exact. */
static __host__ __device__ inline int intervals_of(int entries, int slices)
{
	int power = 1;
	while (2 * power <= entries - 2)
		power *= 2;
	return power >= slices ? power : entries - 2;
}

struct job {
	const float *lines; /* [slice - begin][voxel][stride] running sums at z edges */
	float *y;
	int axis, begin, end; /* slices of this launch */
	int stride, add;      /* add to y, or set it */
	gt_dd_run run;        /* groups */
	int column_blocks, flush;
	/* NULL: one tile per block. If several blocks share a tile, the first sets y, the others `more`, [part -
	 * 1][pixels]; the last to finish adds them. */
	const gt_dd_share *share;
	const float *other_lines; /* lines of axis 1, with `share`; `lines` are those of axis 0 */
	float *more;
	size_t pixels;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

struct ring {
	unsigned char *base;
	int size;  /* bytes of a slot */
	/* 1 if several columns are read at a time; then a slot ends with a free line, and lines begin in different
	 * banks */
	int spread;
	int whole; /* volumes with at most this number of slices of z are copied in whole lines */
	unsigned full, empty;
};

/* Lines and z edges of slice n that the block's columns and rows meet. */
struct reach {
	int line, lines, low, high;
};

/* Minimum and maximum pixel height over R of the block's columns, for each view of the group. */
struct heights {
	double min[GT_DD_GROUP], max[GT_DD_GROUP];
};
static __device__ struct heights heights_of(const gt_dd &d, const gt_dd_fast &f, const gt_dd_group *g, int k0, int k1)
{
	struct heights h;
#pragma unroll 1
	for (int i = 0; i < f.together; i++) {
		const gt_dd_edge_q *e = f.height + (size_t)max(g->view[i], 0) * (d.columns + 1);
		double least = e[k0].q, most = least;
#pragma unroll 1
		for (int k = k0 + (int)threadIdx.x % WARP; k < k1; k += WARP) {
			least = fmin(least, e[k].q);
			most = fmax(most, e[k].q);
		}
#pragma unroll 1
		for (int t = 1; t < WARP; t *= 2) {
			least = fmin(least, __shfl_xor_sync(~0u, least, t));
			most = fmax(most, __shfl_xor_sync(~0u, most, t));
		}
		h.min[i] = least;
		h.max[i] = most;
	}
	return h;
}

static __device__ struct reach reach_of(const gt_dd &d, const gt_dd_fast &f, const gt_dd_group *g, const struct heights *q, int axis, int n,
                                        int k0, int k1, int l0, int l1)
{
	double x_low = 1e30, x_high = -1e30, z_low = 1e30, z_high = -1e30;
	for (int i = 0; i < GT_DD_GROUP; i++) {
		if (g->view[i] < 0)
			continue;
		const gt_dd_near *w = f.view + g->view[i];
		if (n < w->first || n >= w->end)
			continue;
		const gt_dd_edge_q *e = f.height + (size_t)g->view[i] * (d.columns + 1);
		const double a = w->a0 + n * w->da, s = w->g0 + n * w->dg, least = s * q->min[i], most = s * q->max[i];
		const double z = w->z0 + n * w->dz, below = l0 + w->p, above = l1 + w->p;
		x_low = fmin(x_low, fma(s, e[k0].U, a));
		x_high = fmax(x_high, fma(s, e[k1].U, a));
		z_low = fmin(z_low, z + below * (below > 0 ? least : most));
		z_high = fmax(z_high, z + above * (above > 0 ? most : least));
	}
	struct reach r = { 0, 0, 0, 0 };
	const int width = d.n[1 - axis];
	if (x_low < width && x_high > 0 && z_low < d.n[2] && z_high > 0) {
		r.line = x_low > 0 ? (int)x_low : 0;
		r.lines = (x_high < width ? (int)ceil(x_high) : width) - r.line;
		r.low = z_low > 1 ? (int)(z_low - 0.01) & ~3 : 0;
		r.high = z_high < d.n[2] ? (int)ceil(z_high + 0.01) : d.n[2];
	}
	return r;
}

/* Bytes from line to line, so that 8 entries of three adjacent lines, or 16 of two, mostly lie in different banks. */
static __device__ __forceinline__ int apart_of(int bytes)
{
	const int bank = bytes % 128;
	return bytes + (bank < 48 ? 48 - bank : bank > 80 ? 176 - bank : 0);
}

/* Copies parts of `lines` lines to slot address `to`, by one lane. Four copies at a time use separate address
 * registers. */
static __device__ __forceinline__ void fetch(unsigned to, const float *from, int lines, unsigned bytes, unsigned apart, int stride, unsigned bar)
{
#pragma unroll 1
	for (; lines >= 4; lines -= 4) {
#pragma unroll
		for (int i = 0; i < 4; i++, to += apart, from += stride)
			bulk_copy(to, from, bytes, bar);
	}
#pragma unroll 1
	for (; lines > 0; lines--, to += apart, from += stride)
		bulk_copy(to, from, bytes, bar);
}
static __device__ __forceinline__ const float *same_from(const float *p, int lane)
{
	return (const float *)__shfl_sync(~0u, (unsigned long long)p, lane);
}

static __device__ __forceinline__ gt_dd_share share_of(const job &j)
{
	if (j.share)
		return j.share[blockIdx.x];
	const int place = blockIdx.x / j.run.groups;
	return { j.run.first + (int)(blockIdx.x % j.run.groups),
		 gt_dd_outwards(place % j.column_blocks, j.column_blocks),
		 place / j.column_blocks,
		 j.axis,
		 j.begin,
		 j.end,
		 0,
		 1,
		 0 };
}

/* The block that finishes its tile last adds the parts, in their order. */
static __device__ __forceinline__ void add_parts(const gt_dd &d, const gt_dd_fast &f, const job &j, const gt_dd_group *g,
                                                 const gt_dd_share &own, int from, int rows, int k0, int columns, volatile int *last)
{
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		*last = atomicInc(&f.done[own.at], (unsigned)own.parts - 1) == (unsigned)own.parts - 1;
	__syncthreads();
	if (!*last)
		return;
	__threadfence();
	for (int i = threadIdx.x; i < f.together * rows * columns; i += blockDim.x) {
		const int view = g->view[i / columns / rows];
		if (view < 0)
			continue;
		const size_t at = (size_t)f.view[view].at,
			     pixel = gt_dd_pixel(&d, d.view + at, at, from + i / columns % rows, k0 + i % columns);
		float sum = __ldcg(j.y + pixel);
		for (int part = 1; part < own.parts; part++)
			sum += __ldcg(j.more + (part - 1) * j.pixels + pixel);
		j.y[pixel] = sum;
	}
}

/* The last warp fills the ring with the block's slices. */
template <int SLOTS>
static __device__ void produce(const gt_dd &d, const gt_dd_fast &f, const job &j, struct ring ring, const gt_dd_group *g,
                               const gt_dd_share &own, int k0, int k1, int l0, int l1, int max_slices)
{
	const int lane = threadIdx.x % WARP, axis = own.axis, end = own.end, width = d.n[1 - axis];
	unsigned units = 0;
	const float *lines = j.share && axis ? j.other_lines : j.lines;
	const struct heights heights = heights_of(d, f, g, k0, k1);
	auto open = [&]() {
		const unsigned slot = units % SLOTS;
		barrier_wait(ring.empty + 8 * slot, units / SLOTS % 2 ^ 1);
		return slot;
	};
	for (int n0 = own.begin; n0 < end; n0 += WARP) {
		const int n = n0 + lane;
		struct reach r = { 0, 0, 0, 0 };
		if (n < end)
			r = reach_of(d, f, g, &heights, axis, n, k0, k1, l0, l1);
		if (!__any_sync(~0u, r.lines > 0))
			continue;
		if (d.n[2] <= ring.whole && r.lines)
			r.low = 0, r.high = d.n[2];
		const int window = __reduce_max_sync(~0u, r.high - r.low), entries = min((window + 2 + 3) & ~3, j.stride), bytes = entries * 4;
		const float intervals = (float)intervals_of(entries, window);
		const int apart = ring.spread && entries < j.stride ? apart_of(bytes) : bytes;
		const int room = ring.size - (int)sizeof(unit) - ring.spread * apart;
		r.low = min(r.low, j.stride - entries);
		const float *from = lines + ((size_t)(n - j.begin) * width + r.line) * j.stride + r.low;
		int before = r.lines; /* lines of the previous slices */
		for (int t = 1; t < WARP; t *= 2) {
			const int other = __shfl_up_sync(~0u, before, t);
			before += lane >= t ? other : 0;
		}
		before -= r.lines;
		int s = 0, done = 0; /* the next slice, and its finished lines */
		while (s < WARP) {
			const int all = __shfl_sync(~0u, r.lines, s);
			if (!all) {
				s++;
				continue;
			}
			/* all slices that fit, or a part of one */
			const int ahead = before - __shfl_sync(~0u, before, s), offset = ahead * apart, in = lane - s;
			const unsigned fits = __ballot_sync(~0u, in >= 0 && in < max_slices && r.lines > 0 && offset + r.lines * apart <= room) >> s;
			const int here = done || !fits ? min(all - done, room / apart) : 0, count = same(here ? 1 : __ffs(~fits) - 1);
			const unsigned slot = open(), bar = ring.full + 8 * slot;
			unit *u = (unit *)(ring.base + slot * ring.size);
			if (in >= 0 && in < max_slices)
				u->span[in] = { r.line + done, here ? here : r.lines, r.low, offset };
			if (lane == 0) {
				u->first = n0 + s;
				u->slices = count;
				u->last = 0;
				u->bytes = apart;
				u->intervals = intervals;
				u->inverse = 1 / intervals;
				u->until = here ? n0 + s + 1 : n0 + WARP;
				u->part = here > 0;
			}
			const int total = here ? here : __shfl_sync(~0u, ahead + r.lines, s + count - 1);
			__syncwarp();
			if (lane == 0)
				barrier_expect(bar, total * bytes);
			__syncwarp();
			const unsigned to = same(address_of(u + 1));
			const float *own = from + (size_t)done * j.stride;
			const int own_lines = here ? here : r.lines;
			if (entries == j.stride && in >= 0 && in < count)
				bulk_copy(to + offset, own, own_lines * bytes, bar);
			for (int t = s; t < s + count && entries < j.stride; t++) {
				const float *at = same_from(own, t);
				const unsigned to_slice = to + __shfl_sync(~0u, offset, t);
				const int take = __shfl_sync(~0u, own_lines, t);
				if (elected())
					fetch(to_slice, at, take, bytes, apart, j.stride, bar);
			}
			units++;
			done = here ? done + here : 0;
			if (!here || done >= all) {
				s += count;
				done = 0;
			}
		}
	}
	const unsigned slot = open();
	if (lane == 0)
		((unit *)(ring.base + slot * ring.size))->last = 1, barrier_expect(ring.full + 8 * slot, 0);
}
#endif
#endif
