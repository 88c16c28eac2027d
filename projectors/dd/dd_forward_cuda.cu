/* Distance-driven forward projection on CUDA in single precision: running sums along z of each voxel column, read at the row edges of cells.
 *
 * The z-to-row interpolation depends on the slice and the detector column, not on the voxel along the slice: place and fraction are found once per
 * slice and row edge, and each line of voxels that the column meets costs two loads from shared memory. A warp owns COLUMNS columns of one view times
 * LANES ROWS rows: with few rows, several columns at a time. Only the value at the lower row edge is accumulated; differences of adjacent edges are
 * taken every few slices. Several warps of up to four neighbouring views share the lines, which one more fetches into a ring in shared memory, slice
 * after slice.
 *
 * All control flow in the loop over pairs is uniform, and known to be: what a branch hangs on comes from a ballot or from lane 0.
 *
 * Least work: two passes of shared memory per line met and 32 rows, more where cells are taller than voxels.
 *
 * Precision. A place in a window of n edges is rounded by n times 3e-8 where it is clamped, which finds the edge below it: enough to choose the edge,
 * and for all of a short window. In taller ones places are counted from the middle of the tile, and the fraction from the edge that was chosen, one
 * instruction more: no error grows with the slices then.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_FORWARD_COLUMNS /* columns per warp, up to 64 rows: 2, 4, 8 */
#define GT_DD_FORWARD_COLUMNS 4
#endif
#ifndef GT_DD_FORWARD_COLUMNS_TALL /* the same with more rows: 2, 4 */
#define GT_DD_FORWARD_COLUMNS_TALL 4
#endif
#ifndef GT_DD_FORWARD_WARPS /* warps that compute, up to 64 rows: 4, 8, 12, 16 */
#define GT_DD_FORWARD_WARPS 8
#endif
#ifndef GT_DD_FORWARD_WARPS_TALL /* the same with more rows */
#define GT_DD_FORWARD_WARPS_TALL 8
#endif
#ifndef GT_DD_FORWARD_SLOT /* bytes of one place of the ring, up to 64 rows: multiples of 128 */
#define GT_DD_FORWARD_SLOT 23552
#endif
#ifndef GT_DD_FORWARD_SLOT_TALL /* the same with more rows */
#define GT_DD_FORWARD_SLOT_TALL 33408
#endif
#ifndef GT_DD_FORWARD_SLOTS /* places of the ring: 2 to 8 */
#define GT_DD_FORWARD_SLOTS 2
#endif
#ifndef GT_DD_FORWARD_BLOCKS /* blocks per multiprocessor, up to 64 rows: 2, 3, 4 */
#define GT_DD_FORWARD_BLOCKS 4
#endif
#ifndef GT_DD_FORWARD_BLOCKS_TALL /* the same with more rows */
#define GT_DD_FORWARD_BLOCKS_TALL 3
#endif
#ifndef GT_DD_FORWARD_WHOLE /* volumes of up to so many slices of z are fetched in whole lines: 16 to 512 */
#define GT_DD_FORWARD_WHOLE 96
#endif
#ifndef GT_DD_FORWARD_SHORT /* windows of up to so many slices of z do with rounded places: 0 to 2048 */
#define GT_DD_FORWARD_SHORT 72
#endif
#ifndef GT_DD_FORWARD_BESIDE /* with up to so many blocks both axes run beside each other: 0 to 1 << 20 */
#define GT_DD_FORWARD_BESIDE 8192
#endif
#ifndef GT_DD_FORWARD_FLUSH /* running sums times slices between differences, in voxels: 512 to 8192 */
#define GT_DD_FORWARD_FLUSH 2048
#endif
#include "core/cuda_side.h"
#include "projectors/dd/dd_fast.h"
#include "projectors/staging.h"

enum { WARP = 32, MOST_SLICES = 16 };

static __host__ __device__ constexpr bool is_tall(int rows) { return rows > 2 * WARP; }
static __host__ __device__ constexpr int slot_bytes(int rows) { return is_tall(rows) ? GT_DD_FORWARD_SLOT_TALL : GT_DD_FORWARD_SLOT; }
[[maybe_unused]] static __host__ __device__ constexpr int blocks_of(int rows)
{
	return is_tall(rows) ? GT_DD_FORWARD_BLOCKS_TALL : GT_DD_FORWARD_BLOCKS;
}
static __host__ __device__ constexpr int warps_of(int rows) { return is_tall(rows) ? GT_DD_FORWARD_WARPS_TALL : GT_DD_FORWARD_WARPS; }
static __host__ __device__ constexpr int threads_of(int rows) { return WARP * (warps_of(rows) + 1); }

/* Head of a place of the ring: consecutive slices. */
struct unit {
	int first, slices;        /* slice numbers */
	int last, bytes;          /* nothing follows; bytes of a line */
	float intervals, inverse; /* of the window in z */
	int line[MOST_SLICES];    /* first line here */
	int lines[MOST_SLICES];
	int offset[MOST_SLICES]; /* bytes from the end of the head */
	int low[MOST_SLICES];    /* first z edge of the window */
	int pad[2];
};
static_assert(sizeof(unit) % 16 == 0, "bulk copies need 16 bytes");

/* Places by the height of windows: rounded, or fractions apart. */
enum { SHORT, FINE };

struct job {
	const float *lines; /* [slice - begin][voxel][stride] running sums at z edges */
	float *y;
	int axis, begin, end; /* slices of this launch */
	int stride, add;      /* add to y, or set it */
	int first_group;      /* in gt_dd_fast.group */
	int column_blocks, groups, flush;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

struct ring {
	unsigned char *base;
	int size; /* bytes of a place */
	unsigned full, empty;
};

/* Lines and z edges of slice n that the block's columns and rows meet. */
struct reach {
	int line, lines, low, high;
};

/* Of the block's columns, per view of the group: cells' heights over R, least and greatest. */
struct heights {
	double least[GT_DD_GROUP], most[GT_DD_GROUP];
};
static __device__ struct heights heights_of(const gt_dd &d, const gt_dd_fast &f, const gt_dd_group *g, int k0, int k1)
{
	struct heights h;
	for (int i = 0; i < GT_DD_GROUP; i++) {
		const gt_dd_edge_q *e = f.height + (size_t)max(g->view[i], 0) * (d.columns + 1);
		h.least[i] = h.most[i] = e[k0].q;
		for (int k = k0 + 1; k < k1; k++) {
			h.least[i] = fmin(h.least[i], e[k].q);
			h.most[i] = fmax(h.most[i], e[k].q);
		}
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
		const double a = w->a0 + n * w->da, s = w->g0 + n * w->dg, least = s * q->least[i], most = s * q->most[i];
		const double z = w->z0 + n * w->dz, below = l0 + w->p, above = l1 + w->p;
		x_low = fmin(x_low, a + s * e[k0].U);
		x_high = fmax(x_high, a + s * e[k1].U);
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

/* The last warp: fills the ring. */
static __device__ void produce(const gt_dd &d, const gt_dd_fast &f, const job &j, struct ring ring, const gt_dd_group *g, int k0, int k1,
                               int l0, int l1, int most_slices)
{
	const int lane = threadIdx.x % WARP, room = ring.size - (int)sizeof(unit), width = d.n[1 - j.axis];
	const struct heights heights = heights_of(d, f, g, k0, k1);
	unsigned units = 0;
	auto open = [&]() {
		const unsigned slot = units % GT_DD_FORWARD_SLOTS;
		barrier_wait(ring.empty + 8 * slot, units / GT_DD_FORWARD_SLOTS % 2 ^ 1);
		return slot;
	};
	for (int n0 = j.begin; n0 < j.end; n0 += WARP) {
		const int n = n0 + lane;
		struct reach r = { 0, 0, 0, 0 };
		if (n < j.end)
			r = reach_of(d, f, g, &heights, j.axis, n, k0, k1, l0, l1);
		if (!__any_sync(~0u, r.lines > 0))
			continue;
		if (d.n[2] <= GT_DD_FORWARD_WHOLE && r.lines)
			r.low = 0, r.high = d.n[2];
		const int entries = min((__reduce_max_sync(~0u, r.high - r.low) + 2 + 3) & ~3, j.stride), bytes = entries * 4;
		r.low = min(r.low, j.stride - entries);
		int s = 0, done = 0; /* the next slice, and its lines that are done */
		while (s < WARP) {
			const int lines = __shfl_sync(~0u, r.lines, s);
			if (!lines) {
				s++;
				continue;
			}
			/* as many slices as fit, or a part of one */
			const int here = (lines - done) * bytes > room || done ? min(lines - done, room / bytes) : 0;
			int own = lane >= s && lane < s + most_slices ? r.lines * bytes : 0, sum = own;
			for (int t = 1; t < WARP; t *= 2) {
				const int other = __shfl_up_sync(~0u, sum, t);
				sum += lane >= t ? other : 0;
			}
			const unsigned fits = __ballot_sync(~0u, lane >= s && lane < s + most_slices && r.lines > 0 && sum <= room) >> s;
			const int count = here ? 1 : __ffs(~fits) - 1;
			const unsigned slot = open(), bar = ring.full + 8 * slot;
			unit *u = (unit *)(ring.base + slot * ring.size);
			const int in = lane - s, mine = in >= 0 && in < count;
			const int line = r.line + (here ? done : 0), take = here ? here : r.lines, offset = here ? 0 : sum - own;
			if (mine) {
				u->line[in] = line;
				u->lines[in] = take;
				u->offset[in] = offset;
				u->low[in] = r.low;
			}
			if (lane == 0) {
				u->first = n0 + s;
				u->slices = count;
				u->last = 0;
				u->bytes = bytes;
				u->intervals = (float)(entries - 2);
				u->inverse = 1 / (float)(entries - 2);
			}
			const int total = __shfl_sync(~0u, offset + take * bytes, s + count - 1);
			__syncwarp();
			if (lane == 0)
				barrier_expect(bar, total);
			__syncwarp();
			if (mine) {
				const float *from = j.lines + ((size_t)(n - j.begin) * width + line) * j.stride + r.low;
				const unsigned to = address_of(u + 1) + offset;
				if (entries == j.stride)
					bulk_copy(to, from, take * bytes, bar);
				else
					for (int i = 0; i < take; i++)
						bulk_copy(to + i * bytes, from + (size_t)i * j.stride, bytes, bar);
			}
			units++;
			done = here ? done + here : 0;
			if (!here || done >= lines) {
				s += count;
				done = 0;
			}
		}
	}
	const unsigned slot = open();
	if (lane == 0) {
		((unit *)(ring.base + slot * ring.size))->last = 1;
		barrier_expect(ring.full + 8 * slot, 0);
	}
}

/* Of a warp, in shared memory, because registers are for the loop over pairs. A pair is a column on a slice: weight of the first line (0: there is
 * none; below 0: there are three or more, counted in `more`), of the last (0: it is the first), place of the tile's middle, first line's
 * address. FINE: that place from the next whole one, which is in `fine`, counted from 2^23; and the height of a cell. */
template <int COLUMNS, int FORM> struct plan {
	float4 pair[WARP];
	float2 fine[FORM == SHORT ? 1 : WARP];
	float2 more[WARP]; /* number of lines, weight of those in the middle */
	double a0, da, g0, dg, z0, dz, middle, U[COLUMNS + 1], q[COLUMNS];
	int first, end;
	float shift; /* FINE: the tile's middle from that of its rows, in rows: lower than the tile where rows end */
};

/* q: the place over the window, or FINE: from `whole`. */
template <int FORM>
static __device__ __forceinline__ unsigned place_of(float q, float whole, float intervals, float inverse, float *fraction)
{
	const float in = __saturatef(FORM == SHORT ? q : fmaf(q, inverse, (whole - 8388608.f) * inverse)),
		    t = __fmaf_rd(in, intervals, 8388608.f);
	*fraction = FORM == SHORT ? fmaf(in, intervals, -(t - 8388608.f)) : __saturatef(q - (t - whole));
	return __float_as_uint(t) * 4;
}

/* Of lane (group, place): rows place + LANES r of column c WARP / LANES + group. */
template <int ROWS, int LANES, int COLUMNS> struct sums {
	enum { SPLIT = WARP / LANES, STEPS = COLUMNS / SPLIT };
	float E[STEPS][ROWS], top; /* top: of lane (column, slice of the unit) */
};

/* whole: volatile, so that it is not in registers. */
template <int ROWS, int LANES, int COLUMNS, int STEPS>
static __device__ __forceinline__ void flush(struct sums<ROWS, LANES, COLUMNS> *s, volatile float (&whole)[STEPS][ROWS])
{
	enum { SPLIT = WARP / LANES, SLICES = WARP / COLUMNS };
	const int lane = threadIdx.x % WARP, group = lane / LANES;
	float top = s->top;
#pragma unroll
	for (int t = 1; t < SLICES; t *= 2)
		top += __shfl_xor_sync(~0u, top, t);
#pragma unroll
	for (int c = 0; c < STEPS; c++) {
		const float highest = __shfl_sync(~0u, top, (c * SPLIT + group) * SLICES);
		float up[ROWS];
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			const float next = r < ROWS - 1 ? __shfl_sync(~0u, s->E[c][r < ROWS - 1 ? r + 1 : r], group * LANES) : highest;
			up[r] = __shfl_down_sync(~0u, s->E[c][r], 1);
			up[r] = lane - group * LANES == LANES - 1 ? next : up[r];
		}
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			whole[c][r] = whole[c][r] + (up[r] - s->E[c][r]);
			s->E[c][r] = 0;
		}
	}
	s->top = 0;
}

/* What the warp must know of view m and its columns from k on. */
template <int COLUMNS, int FORM>
static __device__ __forceinline__ void prepare(struct plan<COLUMNS, FORM> *p, const gt_dd &d, const gt_dd_fast &f, int m, int k,
                                               double middle, float shift)
{
	const int lane = threadIdx.x % WARP;
	const gt_dd_near *w = f.view + max(m, 0);
	const gt_dd_edge_q *e = f.height + (size_t)max(m, 0) * (d.columns + 1);
	if (lane == 0) {
		p->a0 = w->a0;
		p->da = w->da;
		p->g0 = w->g0;
		p->dg = w->dg;
		p->z0 = w->z0;
		p->dz = w->dz;
		p->middle = middle + w->p;
		p->shift = shift;
		p->first = m < 0 ? 0 : w->first;
		p->end = m < 0 ? 0 : w->end;
	}
	if (lane <= COLUMNS)
		p->U[lane] = e[min(k + lane, d.columns)].U;
	if (lane < COLUMNS)
		p->q[lane] = e[min(k + lane, d.columns - 1)].q;
	__syncwarp();
}

template <int ROWS> struct values {
	float below[ROWS], above[ROWS];
};
template <int ROWS> static __device__ __forceinline__ struct values<ROWS> values_at(const unsigned (&place)[ROWS]) {
	struct values<ROWS> v;
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		v.below[r] = load1(place[r]);
		v.above[r] = load1<4>(place[r]);
	}
	return v;
} template <int ROWS>
static __device__ __forceinline__ void add(float (&E)[ROWS], const struct values<ROWS> &v, const float (&fraction)[ROWS], float w)
{
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		E[r] = fmaf(w, fmaf(fraction[r], v.above[r] - v.below[r], v.below[r]), E[r]);
}

/* Bits of the pairs of one slice that a warp does at a time. */
template <int LANES, int SLICES> static __device__ __forceinline__ constexpr unsigned columns_of()
{
	unsigned bits = 0;
	for (int i = 0; i < WARP / LANES; i++)
		bits |= 1u << i * SLICES;
	return bits;
}

template <int ROWS, int LANES, int COLUMNS, int FORM>
static __device__ __forceinline__ void consume(const unit *u, struct sums<ROWS, LANES, COLUMNS> *s, struct plan<COLUMNS, FORM> *p)
{
	enum { SLICES = WARP / COLUMNS, SPLIT = WARP / LANES, STEPS = COLUMNS / SPLIT };
	const int lane = threadIdx.x % WARP, in = lane % SLICES, slices = same(u->slices), n = u->first + in;
	/* FINE: lanes from the middle, so that places within are small; rows are LANES apart */
	const float intervals = u->intervals, inverse = u->inverse,
		    row = (float)(lane % LANES) - 0.5f * LANES * (FORM == SHORT ? ROWS : 1) + (FORM == SHORT ? 0 : p->shift),
		    first_row = FORM == SHORT ? 0 : -0.5f * LANES * (ROWS - 1);
	const unsigned bytes = same(u->bytes);
	const double q = p->q[lane / SLICES], g = p->g0 + n * p->dg;
	const float A = (float)(q * g), step = FORM == SHORT ? A * inverse : A,
		    step_more = FORM == SHORT ? (float)(q * p->dg) * inverse : (float)(q * p->dg);
	int count = 0;
	float weight = 0;
	/* an address with values also where there are no lines */
	float4 pair = make_float4(0, 0, 0, __uint_as_float(address_of(u + 1) - 0x4B000000u * 4u));
	float whole = 8388608;
	if (in < slices && n >= p->first && n < p->end) {
		const int line = u->line[in], lines = u->lines[in];
		const double a = p->a0 + n * p->da, low = fma(g, p->U[lane / SLICES], a), high = fma(g, p->U[lane / SLICES + 1], a);
		const int i = low > line ? (int)low : line;
		const float x0 = (float)(low - i), x1 = (float)(high - i), from = fmaxf(x0, 0.f), to = fminf(x1, (float)(line + lines - i));
		if (to > from) {
			weight = __fdividef(1.f, (x1 - x0) * A);
			const unsigned at = address_of(u + 1) + u->offset[in] + (i - line) * bytes - 0x4B000000u * 4u;
			count = (int)ceilf(to);
			pair.x = fmaxf((fminf(to, 1.f) - from) * weight, 1e-30f);
			pair.y = count > 1 ? (to - (count - 1)) * weight : 0;
			const double middle = p->z0 + n * p->dz + q * g * p->middle - u->low[in];
			if (FORM == SHORT) {
				pair.z = (float)middle * inverse;
			} else {
				const double near = fmin(fmax(rint(middle), -4e6), 4e6);
				pair.z = (float)(middle - near);
				whole = (float)(8388608 + near);
			}
			pair.w = __uint_as_float(at);
			float fraction;
			unsigned top = at + place_of<FORM>(fmaf(step, 0.5f * ROWS * LANES + (FORM == SHORT ? 0 : p->shift), pair.z), whole,
			                                   intervals, inverse, &fraction);
#pragma unroll 1
			for (int k = 0; k < count; k++, top += bytes) {
				const float w = k == 0           ? pair.x
				                : k == count - 1 ? pair.y
				                                 : weight,
					    below = load1(top), above = load1<4>(top);
				s->top = fmaf(w, fmaf(fraction, above - below, below), s->top);
			}
		}
	}
	if (count > 2) {
		p->more[lane] = make_float2(__int_as_float(count), weight);
		pair.x = -pair.x;
	}
	p->pair[lane] = pair;
	if (FORM != SHORT)
		p->fine[lane] = make_float2(whole, A);
	/* lanes with one line, two, more: branches that hang on them are uniform */
	unsigned one = __ballot_sync(~0u, count > 0), two = __ballot_sync(~0u, count > 1), more = __ballot_sync(~0u, count > 2);
	const int group = lane / LANES;
	float steps[STEPS], steps_more[STEPS];
#pragma unroll
	for (int c = 0; c < STEPS; c++) {
		steps[c] = __shfl_sync(~0u, step, (c * SPLIT + group) * SLICES);
		steps_more[c] = __shfl_sync(~0u, step_more, (c * SPLIT + group) * SLICES);
	}
	__syncwarp();
	const unsigned pairs = address_of(p->pair + group * SLICES), middles = address_of(p->more + group * SLICES),
		       fines = address_of(p->fine + (FORM == SHORT ? 0 : group * SLICES));
	/* pairs are loaded one ahead */
	float4 ahead = load4(pairs);
	float slice = 0;
#pragma unroll 1
	for (int k = 0; k < slices; k++, slice++, one >>= 1, two >>= 1, more >>= 1) {
#pragma unroll
		for (int c = 0; c < STEPS; c++) {
			const float4 b = ahead;
			ahead = load4(pairs + 16 * (c + 1 < STEPS ? (c + 1) * SPLIT * SLICES + k : k + 1));
			const unsigned bits = columns_of<LANES, SLICES>() << c * SPLIT * SLICES;
			if (!(one & bits))
				continue;
			const float2 own = FORM == SHORT ? make_float2(0, 0) : load2(fines + 8 * (c * SPLIT * SLICES + k));
			const float h = FORM == SHORT ? fmaf(slice, steps_more[c], steps[c]) : own.y;
			unsigned place[ROWS];
			float fraction[ROWS];
			const float lowest = fmaf(h, row, b.z);
#pragma unroll
			for (int r = 0; r < ROWS; r++)
				place[r] = __float_as_uint(b.w) +
				           place_of<FORM>(fmaf(h, first_row + LANES * r, lowest), own.x, intervals, inverse, &fraction[r]);
			const struct values<ROWS> first = values_at(place);
			if (two & bits) {
				if (more & bits) {
					const float2 m = load2(middles + 8 * (c * SPLIT * SLICES + k));
					int middle = b.x < 0 ? __float_as_int(m.x) - 2 : 0;
#pragma unroll 1
					for (middle = SPLIT > 1 ? middle : same(middle); middle > 0; middle--) {
						for (int r = 0; r < ROWS; r++)
							place[r] += bytes;
						add(s->E[c], values_at(place), fraction, m.y);
					}
				}
				const unsigned next = SPLIT == 1 || b.y > 0 ? bytes : 0;
				for (int r = 0; r < ROWS; r++)
					place[r] += next;
				const struct values<ROWS> last = values_at(place);
				add(s->E[c], last, fraction, b.y);
			}
			add(s->E[c], first, fraction, fabsf(b.x));
		}
	}
	__syncwarp();
}

/* ROWS of a lane times LANES: a power of two. */
template <int ROWS, int LANES, int COLUMNS, int FORM>
__global__ void __launch_bounds__(threads_of(ROWS *LANES), blocks_of(ROWS *LANES)) forward_kernel(gt_dd d, gt_dd_fast f, job j)
{
	enum { SLICES = WARP / COLUMNS, TALL = ROWS * LANES, SPLIT = WARP / LANES, STEPS = COLUMNS / SPLIT, WARPS = warps_of(TALL) };
	extern __shared__ __align__(128) unsigned char places[];
	__shared__ struct plan<COLUMNS, FORM> plans[WARPS];
	__shared__ __align__(8) unsigned long long full[GT_DD_FORWARD_SLOTS], empty[GT_DD_FORWARD_SLOTS];
	const int warp = same(threadIdx.x / WARP), lane = threadIdx.x % WARP, wide = WARPS / f.together * COLUMNS;
	const int k0 = blockIdx.x % j.column_blocks * wide, k1 = min(k0 + wide, d.columns);
	const gt_dd_group *g = f.group + j.first_group + blockIdx.x / j.column_blocks % j.groups;
	const int l0 = (int)(blockIdx.x / j.column_blocks / j.groups) * TALL, l1 = min(l0 + TALL, d.rows);
	const int size = slot_bytes(TALL);
	const struct ring ring = { places, size, address_of(full), address_of(empty) };
	struct sums<ROWS, LANES, COLUMNS> s = {
	};
	volatile float whole[STEPS][ROWS];
	if (threadIdx.x == 0) {
		for (int i = 0; i < GT_DD_FORWARD_SLOTS; i++) {
			barrier_init(ring.full + 8 * i, 1);
			barrier_init(ring.empty + 8 * i, WARPS);
		}
		barrier_fence();
	}
	__syncthreads();
	if (warp == WARPS) {
		produce(d, f, j, ring, g, k0, k1, l0, l1, SLICES);
	} else {
		prepare(&plans[warp], d, f, g->view[warp % f.together], k0 + warp / f.together * COLUMNS,
		        FORM == SHORT ? l0 + 0.5 * TALL : 0.5 * (l0 + l1), FORM == SHORT ? 0 : 0.5f * (TALL - (l1 - l0)));
#pragma unroll
		for (int i = 0; i < STEPS * ROWS; i++)
			whole[i / ROWS][i % ROWS] = 0;
		int since = 0;
		for (unsigned units = 0;; units++) {
			const unsigned slot = units % GT_DD_FORWARD_SLOTS;
			const unit *u = (const unit *)(places + slot * size);
			barrier_wait(ring.full + 8 * slot, units / GT_DD_FORWARD_SLOTS % 2);
			if (same(u->last))
				break;
			since += same(u->slices);
			consume(u, &s, &plans[warp]);
			if (lane == 0)
				barrier_arrive(ring.empty + 8 * slot);
			if (since >= j.flush) {
				flush(&s, whole);
				since = 0;
			}
		}
		flush(&s, whole);
	}
	__syncthreads();
	/* [view of the group][row][column] through shared memory, so that rows are written along columns */
	float *out = (float *)places;
	if (warp < WARPS)
#pragma unroll
		for (int c = 0; c < STEPS; c++)
#pragma unroll
			for (int r = 0; r < ROWS; r++)
				out[(warp % f.together * TALL + LANES * r + lane % LANES) * (wide + 1) + warp / f.together * COLUMNS +
				    c * SPLIT + lane / LANES] = whole[c][r];
	__syncthreads();
	const int rows = l1 - l0, columns = k1 - k0;
	for (int i = threadIdx.x; i < f.together * rows * wide; i += blockDim.x) {
		const int c = i % wide, r = i / wide % rows, view = g->view[i / wide / rows];
		if (view < 0 || c >= columns)
			continue;
		const size_t at = (size_t)f.view[view].at;
		const gt_dd_view *v = d.view + at;
		float *y = j.y + gt_dd_cell(&d, v, at, l0 + r, k0 + c);
		const float value = out[(i / wide / rows * TALL + r) * (wide + 1) + c] * (float)d.pitch[j.axis] *
		                    sqrtf((float)gt_dd_slant_square(&d.column[at * d.columns + k0 + c], l0 + r, d.pitch[2]));
		*y = j.add ? *y + value : value;
	}
}
#else
template <int ROWS, int LANES, int COLUMNS, int FORM> __global__ void forward_kernel(gt_dd d, gt_dd_fast f, job j) {}
#endif

/* Host ------------------------------------------------------------------------- */

static int pieces(int n, int size) { return (n + size - 1) / size; }
static int stride_of(const gt_dd *d) { return (d->n[2] + 2 + 3) / 4 * 4; }

/* Shapes of a warp's tile: rows of a lane, lanes of a column, columns. */
#define FEW GT_DD_FORWARD_COLUMNS
#define MANY GT_DD_FORWARD_COLUMNS_TALL
#define SHAPES(X) X(4, 4, 8) X(2, 16, 8) X(3, 16, FEW) X(2, 32, FEW) X(3, 32, MANY) X(4, 32, MANY)
static const struct shape {
	int rows, lanes;
} shapes[] = {
#define X(rows, lanes, columns) { rows, lanes },
	SHAPES(X)
#undef X
};

/* That of the least instructions per column and slice: a row of a lane costs about as much as what all share, and a plan a third of that. */
static struct shape shape_of(const gt_dd *d)
{
	struct shape best = shapes[0];
	double least = 1e300;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shape s = shapes[i];
		const double cost = pieces(d->rows, s.rows * s.lanes) * ((s.rows + 1.) * s.lanes / WARP + 0.3);
		if (cost < least) {
			least = cost;
			best = s;
		}
	}
	return best;
}
static int tall_of(const gt_dd *d) { return shape_of(d).rows * shape_of(d).lanes; }

/* Entries of a line that are fetched, at most about. */
static double entries_of(const gt_dd *d, const gt_dd_fast *f)
{
	const double window = tall_of(d) * f->most_A * 1.1 * 1.2 + 0.05 * d->n[2] + 16;
	return d->n[2] <= GT_DD_FORWARD_WHOLE || window > d->n[2] ? d->n[2] + 8. : window;
}
static int form_of(const gt_dd *d, const gt_dd_fast *f) { return entries_of(d, f) - 8 <= GT_DD_FORWARD_SHORT ? SHORT : FINE; }

extern "C" int gt_dd_fast_forward_fits(const gt_dd *d, const gt_dd_fast *f)
{
	const double entries = entries_of(d, f);
	return f->least_A > 0.2 && f->most_A < 4 && entries * 4 + sizeof(unit) <= slot_bytes(tall_of(d)) && f->most_A * d->rows < 1e6 &&
	       (double)(f->groups[0] + f->groups[1]) * d->columns * pieces(d->rows, tall_of(d)) < 2e9;
}

/* Slices whose running sums are held at a time. */
static int slab_of(const gt_dd *d, const gt_dd_fast *f, int axis)
{
	const size_t one = (size_t)d->n[1 - axis] * stride_of(d) * sizeof(float), most = f->limit / one;
	const int tiles = (int)(most / WARP < (size_t)pieces(d->n[axis], WARP) ? most / WARP : (size_t)pieces(d->n[axis], WARP));
	return tiles < 1 ? WARP : tiles * WARP;
}
static size_t slab_bytes(const gt_dd *d, const gt_dd_fast *f, int axis)
{
	const size_t slices = slab_of(d, f, axis) < d->n[axis] ? slab_of(d, f, axis) : d->n[axis];
	return slices * d->n[1 - axis] * stride_of(d) * sizeof(float);
}
static int column_blocks_of(const gt_dd *d, const gt_dd_fast *f, int tall, int columns)
{
	return pieces(d->columns, warps_of(tall) / f->together * columns);
}

/* With few views the last blocks of an axis would leave most of the device idle: then the other axis runs beside it, with sums of its own. */
static int runs_beside(const gt_dd *d, const gt_dd_fast *f)
{
	const struct shape s = shape_of(d);
	int columns = 1;
#define X(ROWS, LANES, COLUMNS)                 \
	if (s.rows == ROWS && s.lanes == LANES) \
		columns = COLUMNS;
	SHAPES(X)
#undef X
	const double blocks = (double)column_blocks_of(d, f, tall_of(d), columns) * (f->groups[0] + f->groups[1]) *
	                      pieces(d->rows, tall_of(d));
	for (int axis = 0; axis < 2; axis++)
		if (!f->groups[axis] || slab_of(d, f, axis) < d->n[axis])
			return 0;
	return d->n[2] > GT_DD_THIN && blocks <= GT_DD_FORWARD_BESIDE && slab_bytes(d, f, 0) + slab_bytes(d, f, 1) <= f->limit;
}

extern "C" size_t gt_dd_fast_forward_scratch(const gt_dd *d, const gt_dd_fast *f)
{
	size_t most = 0;
	if (runs_beside(d, f))
		return slab_bytes(d, f, 0) + slab_bytes(d, f, 1);
	for (int axis = 0; axis < 2; axis++)
		most = d->sliced[axis] && slab_bytes(d, f, axis) > most ? slab_bytes(d, f, axis) : most;
	return most;
}

template <int ROWS, int LANES, int COLUMNS, int FORM>
static cudaError_t launch_form(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, job j)
{
	const int tall = ROWS * LANES, bytes = slot_bytes(tall) * GT_DD_FORWARD_SLOTS;
	j.column_blocks = column_blocks_of(d, f, tall, COLUMNS);
	j.groups = f->groups[j.axis];
	const size_t blocks = (size_t)j.column_blocks * j.groups * pieces(d->rows, tall);
	const cudaError_t e = cudaFuncSetAttribute(forward_kernel<ROWS, LANES, COLUMNS, FORM>, cudaFuncAttributeMaxDynamicSharedMemorySize,
	                                           bytes);
	if (e == cudaSuccess && blocks)
		forward_kernel<ROWS, LANES, COLUMNS, FORM><<<(unsigned)blocks, threads_of(tall), bytes, queue>>>(*d, *f, j);
	return e;
}
template <int ROWS, int LANES, int COLUMNS> static cudaError_t launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, job j)
{
	return form_of(d, f) == SHORT ? launch_form<ROWS, LANES, COLUMNS, SHORT>(queue, d, f, j)
	                              : launch_form<ROWS, LANES, COLUMNS, FINE>(queue, d, f, j);
}

static cudaError_t launch_shape(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, job j)
{
	const struct shape s = shape_of(d);
#define X(ROWS, LANES, COLUMNS)                 \
	if (s.rows == ROWS && s.lanes == LANES) \
		return launch<ROWS, LANES, COLUMNS>(queue, d, f, j);
	SHAPES(X)
#undef X
	return cudaErrorInvalidConfiguration;
}

/* Slices begin .. end-1 of an axis; returns 0 if that failed. */
static int forward_slab(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, int axis, int begin, float *lines, const float *x, float *y)
{
	const int stride = stride_of(d), flush = GT_DD_FORWARD_FLUSH / d->n[2], first = axis ? f->groups[0] : 0;
	const int end = begin + slab_of(d, f, axis) < d->n[axis] ? begin + slab_of(d, f, axis) : d->n[axis];
	const gt_dd_lines sums = { lines, axis, begin, end, stride };
	const job j = { lines, y, axis, begin, end, stride, begin > 0, first, 0, 0, flush < 8 ? 8 : flush > 32 ? 32 : flush };
	gt_dd_sum_lines(be, d, x, sums, lines);
	if (d->n[2] > GT_DD_THIN)
		return !gt_cuda_check(be, launch_shape(gt_cuda_queue(be), d, f, j), "dd forward");
	gt_dd_thin_forward(be, d, f, sums, y);
	return 1;
}

extern "C" void gt_dd_fast_forward(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *x, float *y)
{
	float *lines = (float *)gt_scratch(be);
	if (runs_beside(d, f)) {
		gt_cuda_side(be);
		forward_slab(be, d, f, 1, 0, lines + slab_bytes(d, f, 0) / sizeof *lines, x, y);
		gt_cuda_main(be);
		forward_slab(be, d, f, 0, 0, lines, x, y);
		gt_cuda_join(be);
		gt_cuda_check(be, cudaGetLastError(), "dd forward");
		return;
	}
	for (int axis = 0; axis < 2; axis++)
		for (int begin = 0; f->groups[axis] && begin < d->n[axis]; begin += slab_of(d, f, axis))
			if (!forward_slab(be, d, f, axis, begin, lines, x, y))
				return;
	gt_cuda_check(be, cudaGetLastError(), "dd forward");
}
