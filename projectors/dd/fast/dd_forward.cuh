#ifndef GT_PROJECTORS_DD_FAST_DD_FORWARD_CUH
#define GT_PROJECTORS_DD_FAST_DD_FORWARD_CUH
/* CUDA kernel of the distance-driven forward projection in single precision: running sums along z of each voxel column,
 * sampled at the row edges of pixels.
 *
 * The z-to-row interpolation depends on the slice and the detector column, not on the in-slice voxel. Position and
 * fraction are computed once per slice and row edge. Each line of voxels that the column meets then costs two loads
 * from shared memory. A warp owns COLUMNS columns of one view times LANES ROWS rows; with few rows it processes several
 * columns at a time. Only the value at the lower row edge is accumulated; differences of adjacent edges are taken every
 * few slices. Warps of up to four adjacent views share the lines, which one more warp copies into a ring in shared
 * memory, slice by slice.
 *
 * Control flow in the loop over pairs is warp-uniform, and provably so for the compiler: conditions come from a ballot
 * or from lane 0. Columns that are processed together take the same iterations. Columns with one line also read the
 * next one, with weight 0.
 *
 * Tiles begin at the first row of their views that sees the volume. Views of equal tiles are launched together. At the
 * ends of a helix views see few rows, so their tiles are low. A tile that is not full needs no upper edge of its own. A
 * few rows beyond the lanes are one step for all columns.
 *
 * Minimum work: two passes of shared memory per line and 32 rows, more if pixels are taller than voxels.
 *
 * Precision. Clamping rounds a position in a window of n edges by n times 3e-8, which suffices to choose the edge, and
 * for everything in a short window. Windows may be longer if their height is a power of two, whose inverse is exact. In
 * taller windows positions are relative to the centre and the fraction to the chosen edge (one more instruction). The
 * error then does not grow with the slices.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_FORWARD_COLUMNS /* columns per warp, up to 64 rows: 2, 4, 8 */
#define GT_DD_FORWARD_COLUMNS 4
#endif
#ifndef GT_DD_FORWARD_COLUMNS_TALL /* with more rows: 2, 4 */
#define GT_DD_FORWARD_COLUMNS_TALL 4
#endif
#ifndef GT_DD_FORWARD_WARPS /* compute warps, up to 64 rows: 4, 8, 12, 16 */
#define GT_DD_FORWARD_WARPS 8
#endif
#ifndef GT_DD_FORWARD_WARPS_TALL /* with more rows */
#define GT_DD_FORWARD_WARPS_TALL 8
#endif
#ifndef GT_DD_FORWARD_SLOT /* bytes of a ring slot, up to 64 rows: multiples of 128 */
#define GT_DD_FORWARD_SLOT 23424
#endif
#ifndef GT_DD_FORWARD_SLOT_LOW /* up to 40 rows, with more columns per warp */
#define GT_DD_FORWARD_SLOT_LOW 22400
#endif
#ifndef GT_DD_FORWARD_SLOT_TALL /* with more rows */
#define GT_DD_FORWARD_SLOT_TALL 33152
#endif
#ifndef GT_DD_FORWARD_SLOT_NARROW /* up to 64 rows, with two columns per warp */
#define GT_DD_FORWARD_SLOT_NARROW 32128
#endif
#ifndef GT_DD_FORWARD_SLOTS /* slots of the ring: 2 to 8 */
#define GT_DD_FORWARD_SLOTS 2
#endif
#ifndef GT_DD_FORWARD_BLOCKS /* blocks per multiprocessor, up to 64 rows: 2, 3, 4 */
#define GT_DD_FORWARD_BLOCKS 4
#endif
#ifndef GT_DD_FORWARD_BLOCKS_TALL /* with more rows */
#define GT_DD_FORWARD_BLOCKS_TALL 3
#endif
#ifndef GT_DD_FORWARD_BLOCKS_NARROW /* up to 64 rows, with two columns per warp */
#define GT_DD_FORWARD_BLOCKS_NARROW 3
#endif
#ifndef GT_DD_FORWARD_WHOLE /* volumes with at most this number of slices of z are copied in whole lines: 16 to 512 */
#define GT_DD_FORWARD_WHOLE 96
#endif
#ifndef GT_DD_FORWARD_SHORT /* maximum slices of z of a window with rounded positions, up to 64 rows: 0 to 2048 */
#define GT_DD_FORWARD_SHORT 72
#endif
/* maximum sum of these slices and the rows; entries of both directions differ by 6e-8 times the sum, plus 3e-6: 0 to
 * 2048 */
#ifndef GT_DD_FORWARD_SHORT_BOTH
#define GT_DD_FORWARD_SHORT_BOTH 112
#endif
#ifndef GT_DD_FORWARD_SHORT_EXACT /* the same maximum if the window's height is a power of two */
#define GT_DD_FORWARD_SHORT_EXACT 128
#endif
#ifndef GT_DD_FORWARD_BESIDE /* maximum blocks to run both axes concurrently: 0 to 1 << 20 */
#define GT_DD_FORWARD_BESIDE 8192
#endif
#ifndef GT_DD_FORWARD_FEW /* maximum waves of blocks to divide tiles by their slices: 0 to 64 */
#define GT_DD_FORWARD_FEW 20
#endif
/* maximum waves of blocks to use two columns of 64 or 128 rows per warp: 0 to 64 */
#ifndef GT_DD_FORWARD_NARROW
#define GT_DD_FORWARD_NARROW 16
#endif
#ifndef GT_DD_FORWARD_FLUSH /* running sums times slices between differences, in voxels: 512 to 8192 */
#define GT_DD_FORWARD_FLUSH 2048
#endif
/* Search space of `gantry tune`, read by tuner/space.c: one line per parameter, then the constraints. A variant's tile
 * is ROWS per lane, LANES per column, COLUMNS and EXTRA rows; the others are the macros above. Lower-case names are
 * numbers of the problem's class. Shared memory per block: the ring, plans, barriers and 1 KiB of the system's.
 *
 * tune dd-forward
 * LANES 4 8 16 32
 * ROWS 2 3 4 5 6
 * EXTRA 0 3 7
 * COLUMNS 2 4 8
 * AHEAD 0 1
 * WARPS 4 8 12 16
 * BLOCKS 1 2 3 4 5
 * SLOTS 2 3 4
 * SLOT 8192 12288 16384 19456 22400 23424 28672 32128 33152 45056
 * WHOLE 48 96 160
 * FLUSH 1024 2048 4096
 * keep COLUMNS * LANES >= 32
 * keep EXTRA <= 32 / COLUMNS - 1
 * keep ROWS * LANES + EXTRA <= rows + 32
 * keep ROWS * LANES <= 64 || AHEAD == 1
 * keep 32 * (WARPS + 1) * BLOCKS <= 2048
 * keep (ROWS * LANES + EXTRA) * (WARPS * COLUMNS + 4) * 4 <= SLOT * SLOTS
 * keep SLOT * SLOTS + WARPS * (1040 + 64 * COLUMNS) + 16 * SLOTS + 48 <= shared
 * keep (SLOT * SLOTS + WARPS * (1040 + 64 * COLUMNS) + 16 * SLOTS + 1072) * BLOCKS <= 233472
 * end */
#include "projectors/dd/fast/dd_forward_lines.cuh"

static __host__ __device__ constexpr bool is_tall(int rows) { return rows > 2 * WARP; }
static __host__ __device__ constexpr int slot_bytes(int rows, int columns)
{
	return is_tall(rows)  ? GT_DD_FORWARD_SLOT_TALL
	       : columns == 2 ? GT_DD_FORWARD_SLOT_NARROW
	       : rows > 40    ? GT_DD_FORWARD_SLOT
	                      : GT_DD_FORWARD_SLOT_LOW;
}
[[maybe_unused]] static __host__ __device__ constexpr int blocks_of(int rows, int columns)
{
	return is_tall(rows) ? GT_DD_FORWARD_BLOCKS_TALL : columns == 2 ? GT_DD_FORWARD_BLOCKS_NARROW : GT_DD_FORWARD_BLOCKS;
}
static __host__ __device__ constexpr int warps_of(int rows) { return is_tall(rows) ? GT_DD_FORWARD_WARPS_TALL : GT_DD_FORWARD_WARPS; }
static __host__ __device__ constexpr int threads_of(int rows) { return WARP * (warps_of(rows) + 1); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* Lane (group, position) has rows position + LANES r of column c WARP / LANES + group. In plans, lane slice * COLUMNS +
 * column. */
template <int ROWS, int LANES, int COLUMNS> struct sums {
	enum { SPLIT = WARP / LANES, STEPS = COLUMNS / SPLIT };
	float E[STEPS][ROWS],
		/* top: the upper edge, in lanes of plans; with extra rows, their edges, in lane (column, edge) */
		top[1];
};

/* Volatile to keep it out of registers. beyond: extra row of lane (column, row). */
template <int ROWS, int STEPS> struct result {
	volatile float whole[STEPS][ROWS], beyond;
};

template <bool BEYOND, int ROWS, int LANES, int COLUMNS, int STEPS>
static __device__ __forceinline__ void flush(struct sums<ROWS, LANES, COLUMNS> *s, struct result<ROWS, STEPS> *to)
{
	enum { SPLIT = WARP / LANES };
	const int lane = threadIdx.x % WARP, group = lane / LANES;
	float top = s->top[0];
#pragma unroll
	for (int t = COLUMNS; t < WARP && !BEYOND; t *= 2)
		top += __shfl_xor_sync(~0u, top, t);
	if (BEYOND)
		to->beyond = to->beyond + (__shfl_down_sync(~0u, top, 1) - top);
#pragma unroll
	for (int c = 0; c < STEPS; c++) {
		const int column = c * SPLIT + group;
		const float highest = __shfl_sync(~0u, top, BEYOND ? column * (WARP / COLUMNS) : column);
		float up[ROWS + 1];
		/* the lane above; the last lane reads the first, whose next row follows */
#pragma unroll
		for (int r = 0; r < ROWS; r++)
			up[r] = __shfl_sync(~0u, s->E[c][r], group * LANES + (lane + 1) % LANES);
		up[ROWS] = highest;
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			to->whole[c][r] = to->whole[c][r] + ((lane % LANES == LANES - 1 ? up[r + 1] : up[r]) - s->E[c][r]);
			s->E[c][r] = 0;
		}
	}
	s->top[0] = 0;
}

/* Tall tiles read the height of each pixel, because its error grows with the rows. Other tiles extrapolate it from the
 * first slice. */
static __host__ __device__ constexpr bool reads_heights(int rows) { return is_tall(rows); }

/* rows: rows of the tile that exist. AHEAD: units hold few slices, and pairs are planned for several of them. BEYOND:
 * the tile has rows beyond those of the lanes. */
template <int FORM, bool AHEAD, bool BEYOND, int ROWS, int LANES, int COLUMNS>
static __device__ __forceinline__ void consume(const unit *u, struct sums<ROWS, LANES, COLUMNS> *s, struct plan<COLUMNS> *p,
                                               struct course *course, int rows)
{
	enum {
		SLICES = WARP / COLUMNS,
		SPLIT = WARP / LANES,
		STEPS = COLUMNS / SPLIT,
		TURNS = STEPS == 1 ? 2 : 1,
		ALL = (1 << COLUMNS) - 1
	};
	constexpr bool HEIGHTS = reads_heights(ROWS * LANES), KEPT = AHEAD || HEIGHTS; /* `rest` is always read */
	const int lane = threadIdx.x % WARP, slices = same(u->slices);
	struct own own;
	if (!AHEAD || same(u->part) || same(u->first) + slices > course->end) {
		own = make_plan<FORM, HEIGHTS>(u, p, course);
		if (KEPT)
			p->rest[lane] = own.rest;
	} else
		own = { p->pair[lane], p->rest[lane] };
	const int begin = AHEAD ? same(u->first) - course->first : 0;
	const float half = 0.5f * rows;
	/* for rows inside the tile the upper edge is the next lower edge */
	const int count = settle<FORM, HEIGHTS>(u, &own, lane / COLUMNS - begin, !BEYOND && rows == ROWS * LANES, half, s->top);
	/* lanes with at least one, two, three lines; uniform conditions */
	unsigned one = __ballot_sync(~0u, count > 0) >> begin * COLUMNS, two = __ballot_sync(~0u, count > 1) >> begin * COLUMNS,
		 more = __ballot_sync(~0u, count > 2) >> begin * COLUMNS;
	p->pair[lane] = own.pair;
	if (!KEPT && more)
		p->rest[lane] = own.rest;
	__syncwarp();
	const struct window<FORM> window(u);
	const unsigned bytes = same(u->bytes), group = lane / LANES;
	float heights[STEPS], more_of[STEPS], row[ROWS];
#pragma unroll
	for (int c = 0; c < STEPS && !HEIGHTS; c++) {
		heights[c] = __shfl_sync(~0u, own.rest.y, c * SPLIT + group);
		more_of[c] = __shfl_sync(~0u, own.rest.x, c * SPLIT + group);
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		row[r] = (float)(lane % LANES + LANES * r) - half;
	const float beyond[] = { (float)(ROWS * LANES + lane % SLICES) - half },
		    height_beyond = BEYOND && !HEIGHTS ? __shfl_sync(~0u, own.rest.y, lane / SLICES) : 0,
		    more_beyond = BEYOND && !HEIGHTS ? __shfl_sync(~0u, own.rest.x, lane / SLICES) : 0;
	/* pairs are loaded one ahead */
	unsigned at = address_of(p->pair + begin * COLUMNS + group);
	float4 ahead = load4(at);
	float slice = (float)begin;
#pragma unroll(TURNS)
	for (int left = slices; left > 0; left--, at += 16 * COLUMNS, slice++, one >>= COLUMNS, two >>= COLUMNS, more >>= COLUMNS) {
		if (BEYOND && rows >= ROWS * LANES && one & ALL) {
			const unsigned own_at = at + 16 * (lane / SLICES - group);
			const float4 b = load4(own_at);
			meet<HEIGHTS, COLUMNS, false>(window, own_at, b, HEIGHTS ? b.y : fmaf(slice, more_beyond, height_beyond), beyond,
			                              bytes, two & ALL, more & ALL, s->top);
		}
#pragma unroll
		for (int c = 0; c < STEPS; c++) {
			const float4 b = ahead;
			ahead = load4(at + 16 * SPLIT * (c + 1));
			const unsigned bits = ((1u << SPLIT) - 1) << c * SPLIT;
			if (one & bits)
				meet<HEIGHTS, SPLIT, true>(window, at + 16 * SPLIT * c, b,
				                           HEIGHTS ? b.y : fmaf(slice, more_of[c], heights[c]), row, bytes, two & bits,
				                           more & bits, s->E[c]);
		}
	}
	__syncwarp();
}

/* Clears the ring: 0 times the entries after the last line must be 0. */
static __device__ __forceinline__ void clear(unsigned char *places, int bytes)
{
	for (int i = threadIdx.x * 16; i < bytes; i += blockDim.x * 16)
		store4(address_of(places) + i, 0.f, 0.f, 0.f, 0.f);
	fence_for_bulk_copies();
}

template <int ROWS, int LANES, int COLUMNS, int EXTRA, int FORM, bool AHEAD>
__global__ void __launch_bounds__(threads_of(ROWS *LANES), blocks_of(ROWS *LANES, COLUMNS)) forward_kernel(gt_dd d, gt_dd_fast f, job j)
{
	enum { SLICES = WARP / COLUMNS, MAIN = ROWS * LANES, TALL = MAIN + EXTRA };
	enum { SPLIT = WARP / LANES, STEPS = COLUMNS / SPLIT, WARPS = warps_of(MAIN) };
	extern __shared__ __align__(128) unsigned char places[];
	__shared__ struct plan<COLUMNS> plans[WARPS];
	__shared__ gt_dd_share own;
	__shared__ __align__(8) unsigned long long full[GT_DD_FORWARD_SLOTS], empty[GT_DD_FORWARD_SLOTS];
	const int warp = same(threadIdx.x / WARP), lane = threadIdx.x % WARP, wide = WARPS / f.together * COLUMNS;
	const int size = slot_bytes(MAIN, COLUMNS);
	const struct ring ring = { places, size, SPLIT > 1, GT_DD_FORWARD_WHOLE, address_of(full), address_of(empty) };
	struct sums<ROWS, LANES, COLUMNS> s = {
	};
	struct result<ROWS, STEPS> result;
	if (SPLIT > 1)
		clear(places, size * GT_DD_FORWARD_SLOTS);
	if (threadIdx.x == 0) {
		own = share_of(j);
		for (int i = 0; i < GT_DD_FORWARD_SLOTS; i++) {
			barrier_init(ring.full + 8 * i, 1);
			barrier_init(ring.empty + 8 * i, WARPS);
		}
		barrier_fence();
	}
	__syncthreads();
	const gt_dd_group *g = f.group + own.group;
	const int k0 = own.column * wide, k1 = min(k0 + wide, d.columns);
	const int l0 = g->low + own.tile * TALL, l1 = min(l0 + TALL, g->high);
	const int own_rows = same(l1 - l0);
	if (own.tile && own_rows <= 0)
		return;
	if (warp == WARPS) {
		produce<GT_DD_FORWARD_SLOTS>(d, f, j, ring, g, own, k0, k1, l0, l1, SLICES);
	} else {
		prepare(&plans[warp], d, f, g->view[warp % f.together], k0 + warp / f.together * COLUMNS, (own.begin + own.end) / 2,
		        0.5 * (l0 + l1));
#pragma unroll
		for (int i = 0; i < STEPS * ROWS; i++)
			result.whole[i / ROWS][i % ROWS] = 0;
		result.beyond = 0;
		int since = 0;
		struct course course = { 0, 0 };
		for (unsigned units = 0;; units++) {
			const unsigned slot = units % GT_DD_FORWARD_SLOTS;
			const unit *u = (const unit *)(places + slot * size);
			barrier_wait(ring.full + 8 * slot, units / GT_DD_FORWARD_SLOTS % 2);
			if (same(u->last))
				break;
			since += same(u->slices);
			consume<FORM, AHEAD, (EXTRA > 0)>(u, &s, &plans[warp], &course, own_rows);
			if (lane == 0)
				barrier_arrive(ring.empty + 8 * slot);
			if (since >= j.flush) {
				flush<(EXTRA > 0)>(&s, &result);
				since = 0;
			}
		}
		flush<(EXTRA > 0)>(&s, &result);
	}
	__syncthreads();
	/* [view of the group][row][column] through shared memory, so that stores run along columns */
	float *out = (float *)places;
	if (warp < WARPS) {
		float *own = out + warp % f.together * TALL * (wide + 1) + warp / f.together * COLUMNS;
#pragma unroll
		for (int c = 0; c < STEPS; c++)
#pragma unroll
			for (int r = 0; r < ROWS; r++)
				own[(LANES * r + lane % LANES) * (wide + 1) + c * SPLIT + lane / LANES] = result.whole[c][r];
		if (lane % SLICES < EXTRA)
			own[(MAIN + lane % SLICES) * (wide + 1) + lane / SLICES] = result.beyond;
	}
	__syncthreads();
	/* including the rows below the first tile and above the last, which miss the volume */
	const int from = own.tile ? l0 : 0, rows = (l1 < g->high ? l1 : d.rows) - from, columns = k1 - k0;
	for (int i = threadIdx.x; i < f.together * rows * wide; i += blockDim.x) {
		const int c = i % wide, l = from + i / wide % rows, view = g->view[i / wide / rows];
		if (view < 0 || c >= columns)
			continue;
		const size_t at = (size_t)f.view[view].at;
		const gt_dd_view *v = d.view + at;
		float *y = (own.part ? j.more + (own.part - 1) * j.pixels : j.y) + gt_dd_pixel(&d, v, at, l, k0 + c);
		const float value = l < l0 || l >= l1
		                            ? 0
		                            : out[(i / wide / rows * TALL + l - l0) * (wide + 1) + c] * (float)d.pitch[own.axis] *
		                                      sqrtf((float)gt_dd_slant_square(&d.column[at * d.columns + k0 + c], l, d.pitch[2]));
		*y = j.add ? *y + value : value;
	}
	if (own.parts > 1)
		add_parts(d, f, j, g, own, from, rows, k0, columns, (volatile int *)places);
}
#else
template <int ROWS, int LANES, int COLUMNS, int EXTRA, int FORM, bool AHEAD> __global__ void forward_kernel(gt_dd d, gt_dd_fast f, job j) {}
#endif
#endif
