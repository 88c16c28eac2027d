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
 * and for all of a short window. In taller ones places are counted from the window's middle, and the fraction from the edge that was chosen, one
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
#ifndef GT_DD_FORWARD_SHORT /* up to 64 rows, windows of up to so many slices of z do with rounded places: 0 to 2048 */
#define GT_DD_FORWARD_SHORT 72
#endif
#ifndef GT_DD_FORWARD_BESIDE /* with up to so many blocks both axes run beside each other: 0 to 1 << 20 */
#define GT_DD_FORWARD_BESIDE 8192
#endif
#ifndef GT_DD_FORWARD_FLUSH /* running sums times slices between differences, in voxels: 512 to 8192 */
#define GT_DD_FORWARD_FLUSH 2048
#endif
#include "core/cuda_side.h"
#include "projectors/dd/dd_forward_ring.h"
#include "projectors/pieces.h"

static __host__ __device__ constexpr bool is_tall(int rows) { return rows > 2 * WARP; }
static __host__ __device__ constexpr int slot_bytes(int rows) { return is_tall(rows) ? GT_DD_FORWARD_SLOT_TALL : GT_DD_FORWARD_SLOT; }
[[maybe_unused]] static __host__ __device__ constexpr int blocks_of(int rows)
{
	return is_tall(rows) ? GT_DD_FORWARD_BLOCKS_TALL : GT_DD_FORWARD_BLOCKS;
}
static __host__ __device__ constexpr int warps_of(int rows) { return is_tall(rows) ? GT_DD_FORWARD_WARPS_TALL : GT_DD_FORWARD_WARPS; }
static __host__ __device__ constexpr int threads_of(int rows) { return WARP * (warps_of(rows) + 1); }

/* Places in windows. SHORT: over the height of the window, and rounded so. FINE: counted from its middle; the edge below is found from what that is
 * rounded, and the fraction from that edge. */
enum { SHORT, FINE };

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* Blocks of columns from the middle of n outwards: those with little work come last. */
static __device__ __forceinline__ int outwards(int rank, int n) { return n / 2 + (rank % 2 ? -(rank + 1) / 2 : rank / 2); }

/* Of a warp, in shared memory, because registers are for the loop over pairs. A pair is a column on a slice. Pairs are planned for several slices ahead;
 * units bring one after the other. In `pair`: weight of the first line (0: there is none; below 0: there are three or more); weight of the last, or
 * in tall tiles a cell's height; place of the tile's middle from that of the window; first line's address, in its slice until that is there.
 * In `rest`: weight of the last line (0: it is the first), or where that is in `pair`, by how much more a cell's height is on the next slice; a cell's
 * height; weight of lines in the middle; number of lines. */
template <int COLUMNS> struct plan {
	float4 pair[WARP], rest[WARP];
	double a0, da, g0, dg, z0, dz, middle, U[COLUMNS + 1], q[COLUMNS];
	int first, end;
};

/* Slices that are planned. */
struct course {
	int first, end;
};

template <int FORM> struct window {
	float intervals, inverse, middle;
	__device__ __forceinline__ window(const unit *u)
	    : intervals(u->intervals), inverse(u->inverse), middle(8388608.f + 0.5f * u->intervals)
	{
	}
	__device__ __forceinline__ unsigned place_of(float q, float *fraction) const
	{
		const float in = __saturatef(FORM == SHORT ? q : fmaf(q, inverse, 0.5f)), t = __fmaf_rd(in, intervals, 8388608.f);
		*fraction = FORM == SHORT ? fmaf(in, intervals, -(t - 8388608.f)) : __saturatef(q - (t - middle));
		return __float_as_uint(t) * 4;
	}
};

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
		float up[ROWS + 1];
		/* of the lane above; the last lane has that of the first, which is the row above its next */
#pragma unroll
		for (int r = 0; r < ROWS; r++)
			up[r] = __shfl_sync(~0u, s->E[c][r], group * LANES + (lane + 1) % LANES);
		up[ROWS] = highest;
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			whole[c][r] = whole[c][r] + ((lane % LANES == LANES - 1 ? up[r + 1] : up[r]) - s->E[c][r]);
			s->E[c][r] = 0;
		}
	}
	s->top = 0;
}

/* What the warp must know of view m and its columns from k on. */
template <int COLUMNS>
static __device__ __forceinline__ void prepare(struct plan<COLUMNS> *p, const gt_dd &d, const gt_dd_fast &f, int m, int k, double middle)
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

/* Tall tiles read the height of each cell: over many rows its error counts. Others have it from that of the first slice. */
static __host__ __device__ constexpr bool reads_heights(int rows) { return is_tall(rows); }

/* Units of tall tiles hold few slices: pairs are planned for several units then. */
static __host__ __device__ constexpr bool plans_ahead(int rows) { return is_tall(rows); }

/* What a lane plans: the pair, and what else plan holds of it. */
struct own {
	float4 pair, rest;
};

/* Plans pairs from the first slice of a unit on. */
template <int FORM, bool HEIGHTS, int COLUMNS>
static __device__ __forceinline__ struct own make_plan(const unit *u, struct plan<COLUMNS> *p, struct course *c)
{
	enum { SLICES = WARP / COLUMNS };
	const int lane = threadIdx.x % WARP, in = lane % SLICES, first = same(u->first), until = same(u->until), n = first + in;
	const double q = p->q[lane / SLICES], g = p->g0 + n * p->dg;
	const float unit_of = FORM == SHORT ? u->inverse : 1, A = (float)(q * g), height = A * unit_of;
	struct own o = { make_float4(0, HEIGHTS ? height : 0, 0, 0),
		         make_float4(HEIGHTS ? 0 : (float)(q * p->dg) * unit_of, height, 0, 0) };
	if (n < until && n >= p->first && n < p->end) {
		const int line = u->line[in], lines = u->lines[in];
		const double a = p->a0 + n * p->da, low = fma(g, p->U[lane / SLICES], a), high = fma(g, p->U[lane / SLICES + 1], a);
		const int i = low > line ? (int)low : line;
		const float x0 = (float)(low - i), x1 = (float)(high - i), from = fmaxf(x0, 0.f), to = fminf(x1, (float)(line + lines - i));
		if (to > from) {
			const float weight = __fdividef(1.f, (x1 - x0) * A);
			const int count = (int)ceilf(to);
			(HEIGHTS ? o.rest.x : o.pair.y) = count > 1 ? (to - (count - 1)) * weight : 0;
			o.rest.z = weight;
			o.rest.w = __int_as_float(count);
			o.pair.x = fmaxf((fminf(to, 1.f) - from) * weight, 1e-30f);
			o.pair.x = count > 2 ? -o.pair.x : o.pair.x;
			o.pair.z = (float)(p->z0 + n * p->dz + q * g * p->middle - u->low[in] - (FORM == SHORT ? 0 : 0.5 * u->intervals)) *
			           unit_of;
			o.pair.w = __int_as_float((i - line) * u->bytes);
		}
	}
	p->rest[lane] = o.rest;
	c->first = first;
	c->end = min(first + SLICES, until);
	return o;
}

/* A lane's pair, if it is of a slice that is here: its address, and the tile's upper edge, above_middle rows above the middle. Returns its lines. */
template <int FORM, bool HEIGHTS>
static __device__ __forceinline__ int settle(const unit *u, struct own *o, int at, float above_middle, float *top)
{
	if (at < 0 || at >= u->slices)
		return 0;
	const int count = __float_as_int(o->rest.w);
	const unsigned first = address_of(u + 1) + u->offset[at] + __float_as_uint(o->pair.w) - 0x4B000000u * 4u;
	o->pair.w = __uint_as_float(first);
	float fraction;
	unsigned place = first + window<FORM>(u).place_of(fmaf(o->rest.y, above_middle, o->pair.z), &fraction);
#pragma unroll 1
	for (int k = 0; k < count; k++, place += u->bytes) {
		const float w = k == 0           ? fabsf(o->pair.x)
		                : k == count - 1 ? (HEIGHTS ? o->rest.x : o->pair.y)
		                                 : o->rest.z,
			    below = load1(place), above = load1<4>(place);
		*top = fmaf(w, fmaf(fraction, above - below, below), *top);
	}
	return count;
}

/* half: of the rows of the tile. */
template <int FORM, int ROWS, int LANES, int COLUMNS>
static __device__ __forceinline__ void consume(const unit *u, struct sums<ROWS, LANES, COLUMNS> *s, struct plan<COLUMNS> *p,
                                               struct course *course, float half)
{
	enum { SLICES = WARP / COLUMNS, SPLIT = WARP / LANES, STEPS = COLUMNS / SPLIT };
	constexpr bool HEIGHTS = reads_heights(ROWS * LANES), AHEAD = plans_ahead(ROWS * LANES);
	const int lane = threadIdx.x % WARP, slices = same(u->slices);
	struct own own;
	if (!AHEAD || same(u->part) || same(u->first) + slices > course->end)
		own = make_plan<FORM, HEIGHTS>(u, p, course);
	else
		own = { p->pair[lane], p->rest[lane] };
	const int begin = AHEAD ? same(u->first) - course->first : 0;
	const int count = settle<FORM, HEIGHTS>(u, &own, lane % SLICES - begin, ROWS * LANES - half, &s->top);
	p->pair[lane] = own.pair;
	__syncwarp();
	/* lanes with one line, two, more: branches that hang on them are uniform */
	unsigned one = __ballot_sync(~0u, count > 0) >> begin, two = __ballot_sync(~0u, count > 1) >> begin,
		 more = __ballot_sync(~0u, count > 2) >> begin;
	const struct window<FORM> window(u);
	const unsigned bytes = same(u->bytes), group = lane / LANES;
	float heights[STEPS], more_of[STEPS], row[ROWS];
#pragma unroll
	for (int c = 0; c < STEPS && !HEIGHTS; c++) {
		heights[c] = __shfl_sync(~0u, own.rest.y, (c * SPLIT + group) * SLICES);
		more_of[c] = __shfl_sync(~0u, own.rest.x, (c * SPLIT + group) * SLICES);
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		row[r] = (float)(lane % LANES + LANES * r) - half;
	/* pairs are loaded one ahead */
	unsigned at = address_of(p->pair + group * SLICES + begin);
	float4 ahead = load4(at);
	float slice = (float)begin;
#pragma unroll 1
	for (const unsigned end = at + 16 * slices; at != end; at += 16, slice++, one >>= 1, two >>= 1, more >>= 1) {
#pragma unroll
		for (int c = 0; c < STEPS; c++) {
			const float4 b = ahead;
			ahead = load4(at + 16 * (c + 1 < STEPS ? (c + 1) * SPLIT * SLICES : 1));
			const unsigned bits = columns_of<LANES, SLICES>() << c * SPLIT * SLICES;
			if (!(one & bits))
				continue;
			const float h = HEIGHTS ? b.y : fmaf(slice, more_of[c], heights[c]);
			unsigned place[ROWS];
			float fraction[ROWS];
#pragma unroll
			for (int r = 0; r < ROWS; r++)
				place[r] = __float_as_uint(b.w) + window.place_of(fmaf(h, row[r], b.z), &fraction[r]);
			const struct values<ROWS> first = values_at(place);
			if (two & bits) {
				const unsigned rest = at + sizeof p->pair + 16 * c * SPLIT * SLICES;
				const float w = HEIGHTS ? load1(rest) : b.y;
				if (more & bits) {
					const float2 m = load2<8>(rest);
					int between = b.x < 0 ? __float_as_int(m.y) - 2 : 0;
#pragma unroll 1
					for (between = SPLIT > 1 ? between : same(between); between > 0; between--) {
						for (int r = 0; r < ROWS; r++)
							place[r] += bytes;
						add(s->E[c], values_at(place), fraction, m.x);
					}
				}
				const unsigned next = SPLIT == 1 || w > 0 ? bytes : 0;
				for (int r = 0; r < ROWS; r++)
					place[r] += next;
				const struct values<ROWS> last = values_at(place);
				add(s->E[c], last, fraction, w);
			}
			add(s->E[c], first, fraction, fabsf(b.x));
		}
	}
	__syncwarp();
}

template <int ROWS, int LANES, int COLUMNS, int FORM>
__global__ void __launch_bounds__(threads_of(ROWS *LANES), blocks_of(ROWS *LANES)) forward_kernel(gt_dd d, gt_dd_fast f, job j)
{
	enum { SLICES = WARP / COLUMNS, TALL = ROWS * LANES, SPLIT = WARP / LANES, STEPS = COLUMNS / SPLIT, WARPS = warps_of(TALL) };
	extern __shared__ __align__(128) unsigned char places[];
	__shared__ struct plan<COLUMNS> plans[WARPS];
	__shared__ __align__(8) unsigned long long full[GT_DD_FORWARD_SLOTS], empty[GT_DD_FORWARD_SLOTS];
	const int warp = same(threadIdx.x / WARP), lane = threadIdx.x % WARP, wide = WARPS / f.together * COLUMNS;
	const gt_dd_group *g = f.group + j.first_group + blockIdx.x % j.groups;
	const int k0 = outwards(blockIdx.x / j.groups % j.column_blocks, j.column_blocks) * wide, k1 = min(k0 + wide, d.columns);
	const int l0 = (int)(blockIdx.x / j.groups / j.column_blocks) * TALL, l1 = min(l0 + TALL, d.rows);
	const int size = slot_bytes(TALL);
	const struct ring ring = { places, size, GT_DD_FORWARD_WHOLE, address_of(full), address_of(empty) };
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
		produce<GT_DD_FORWARD_SLOTS>(d, f, j, ring, g, k0, k1, l0, l1, SLICES);
	} else {
		prepare(&plans[warp], d, f, g->view[warp % f.together], k0 + warp / f.together * COLUMNS, 0.5 * (l0 + l1));
#pragma unroll
		for (int i = 0; i < STEPS * ROWS; i++)
			whole[i / ROWS][i % ROWS] = 0;
		int since = 0;
		struct course course = { 0, 0 };
		for (unsigned units = 0;; units++) {
			const unsigned slot = units % GT_DD_FORWARD_SLOTS;
			const unit *u = (const unit *)(places + slot * size);
			barrier_wait(ring.full + 8 * slot, units / GT_DD_FORWARD_SLOTS % 2);
			if (same(u->last))
				break;
			since += same(u->slices);
			consume<FORM>(u, &s, &plans[warp], &course, 0.5f * (l1 - l0));
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

static int is_short(const gt_dd *d, const gt_dd_fast *f) { return entries_of(d, f) - 8 <= GT_DD_FORWARD_SHORT; }

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
	if constexpr (!is_tall(ROWS * LANES))
		if (is_short(d, f))
			return launch_form<ROWS, LANES, COLUMNS, SHORT>(queue, d, f, j);
	return launch_form<ROWS, LANES, COLUMNS, FINE>(queue, d, f, j);
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

/* From the sums of slices begin .. end-1 of an axis; returns 0 if that failed. */
static int forward_lines(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, gt_dd_lines t, float *y)
{
	const int flush = GT_DD_FORWARD_FLUSH / d->n[2], first = t.axis ? f->groups[0] : 0;
	const job j = { t.lines, y, t.axis, t.begin, t.end, t.stride, t.begin > 0, first, 0, 0, flush < 8 ? 8 : flush > 32 ? 32 : flush };
	return !gt_cuda_check(be, launch_shape(gt_cuda_queue(be), d, f, j), "dd forward");
}

/* Slices from `begin` on, as many as there is room for the sums of. */
static int forward_slab(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, int axis, int begin, float *lines, const float *x, float *y)
{
	const int end = begin + slab_of(d, f, axis) < d->n[axis] ? begin + slab_of(d, f, axis) : d->n[axis];
	const gt_dd_lines sums = { lines, axis, begin, end, stride_of(d) };
	gt_dd_sum_lines(be, d, x, sums, lines);
	if (d->n[2] > GT_DD_THIN)
		return forward_lines(be, d, f, sums, y);
	gt_dd_thin_forward(be, d, f, sums, y);
	return 1;
}

static void forward_beside(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *x, float *y)
{
	float *const scratch = (float *)gt_scratch(be), *const lines[2] = { scratch, scratch + slab_bytes(d, f, 0) / sizeof(float) };
	gt_dd_sum_lines_of_both(be, d, x, stride_of(d), lines);
	gt_cuda_side(be);
	forward_lines(be, d, f, { lines[1], 1, 0, d->n[1], stride_of(d) }, y);
	gt_cuda_main(be);
	forward_lines(be, d, f, { lines[0], 0, 0, d->n[0], stride_of(d) }, y);
	gt_cuda_join(be);
	gt_cuda_check(be, cudaGetLastError(), "dd forward");
}

extern "C" void gt_dd_fast_forward(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *x, float *y)
{
	float *lines = (float *)gt_scratch(be);
	if (runs_beside(d, f)) {
		forward_beside(be, d, f, x, y);
		return;
	}
	for (int axis = 0; axis < 2; axis++)
		for (int begin = 0; f->groups[axis] && begin < d->n[axis]; begin += slab_of(d, f, axis))
			if (!forward_slab(be, d, f, axis, begin, lines, x, y))
				return;
	gt_cuda_check(be, cudaGetLastError(), "dd forward");
}
