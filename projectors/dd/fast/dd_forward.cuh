#ifndef GT_PROJECTORS_DD_FAST_DD_FORWARD_CUH
#define GT_PROJECTORS_DD_FAST_DD_FORWARD_CUH
/* The kernel of the distance-driven forward projection on CUDA in single precision: running sums along z of each voxel
 * column, read at the row edges of pixels.
 *
 * The z-to-row interpolation depends on the slice and the detector column, not on the voxel along the slice: place and
 * fraction are found once per slice and row edge, and each line of voxels that the column meets costs two loads from
 * shared memory. A warp owns COLUMNS columns of one view times LANES ROWS rows: with few rows, several columns at a
 * time. Only the value at the lower row edge is accumulated; differences of adjacent edges are taken every few slices.
 * Several warps of up to four neighbouring views share the lines, which one more fetches into a ring in shared memory,
 * slice after slice.
 *
 * All control flow in the loop over pairs is uniform, and known to be: what a branch hangs on comes from a ballot or
 * from lane 0. Several columns at a time take the same turns: those of one line read the next as well, and count it by
 * 0.
 *
 * Tiles begin at the first row of their views that sees the volume. Views of the same tiles are launched together;
 * where a helix leaves the volume, views see few rows and their tiles are low. A tile that is not full needs no upper
 * edge of its own. Few rows more than fit the lanes are a step for all columns at once.
 *
 * Least work: two passes of shared memory per line met and 32 rows, more where pixels are taller than voxels.
 *
 * Precision. A place in a window of n edges is rounded by n times 3e-8 where it is clamped, which finds the edge below
 * it: enough to choose the edge, and for all of a short window, the more so where its height is a power of two, whose
 * inverse is exact. In taller ones places are counted from the window's middle, and the fraction from the edge that was
 * chosen, one instruction more: no error grows with the slices then.
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
#define GT_DD_FORWARD_SLOT 23424
#endif
#ifndef GT_DD_FORWARD_SLOT_LOW /* the same, up to 40 rows: warps own more columns then */
#define GT_DD_FORWARD_SLOT_LOW 22400
#endif
#ifndef GT_DD_FORWARD_SLOT_TALL /* the same with more rows */
#define GT_DD_FORWARD_SLOT_TALL 33152
#endif
#ifndef GT_DD_FORWARD_SLOT_NARROW /* the same up to 64 rows, where a warp owns two columns */
#define GT_DD_FORWARD_SLOT_NARROW 32128
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
#ifndef GT_DD_FORWARD_BLOCKS_NARROW /* the same up to 64 rows, where a warp owns two columns */
#define GT_DD_FORWARD_BLOCKS_NARROW 3
#endif
#ifndef GT_DD_FORWARD_WHOLE /* volumes of up to so many slices of z are fetched in whole lines: 16 to 512 */
#define GT_DD_FORWARD_WHOLE 96
#endif
#ifndef GT_DD_FORWARD_SHORT /* up to 64 rows, windows of up to so many slices of z do with rounded places: 0 to 2048 */
#define GT_DD_FORWARD_SHORT 72
#endif
/* and these slices and the rows together: entries of both directions differ by 6e-8 times that and 3e-6: 0 to 2048 */
#ifndef GT_DD_FORWARD_SHORT_BOTH
#define GT_DD_FORWARD_SHORT_BOTH 112
#endif
#ifndef GT_DD_FORWARD_SHORT_EXACT /* the same where the window's height is a power of two */
#define GT_DD_FORWARD_SHORT_EXACT 128
#endif
#ifndef GT_DD_FORWARD_BESIDE /* with up to so many blocks both axes run beside each other: 0 to 1 << 20 */
#define GT_DD_FORWARD_BESIDE 8192
#endif
#ifndef GT_DD_FORWARD_FEW /* with up to so many waves of blocks, they are shared out by their slices: 0 to 64 */
#define GT_DD_FORWARD_FEW 20
#endif
/* with up to so many waves of such blocks, warps own two columns of 64 or 128 rows: 0 to 64 */
#ifndef GT_DD_FORWARD_NARROW
#define GT_DD_FORWARD_NARROW 16
#endif
#ifndef GT_DD_FORWARD_FLUSH /* running sums times slices between differences, in voxels: 512 to 8192 */
#define GT_DD_FORWARD_FLUSH 2048
#endif
/* What `gantry tune` may choose, read by tuner/space.c: a variant's tile (ROWS of a lane, LANES of a column, COLUMNS,
 * EXTRA rows) and what is defined above, one line each; then what must hold, where small letters are numbers of the
 * problem's class. Shared memory: the ring, plans, barriers and 1 KiB of the system's, for each of BLOCKS.
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

/* Of lane (group, place): rows place + LANES r of column c WARP / LANES + group. Plans: of lane slice * COLUMNS +
 * column. */
template <int ROWS, int LANES, int COLUMNS> struct sums {
	enum { SPLIT = WARP / LANES, STEPS = COLUMNS / SPLIT };
	float E[STEPS][ROWS],
		/* top: of the upper edge, of lanes as plans; with rows beyond, of their edges, of lane (column,
		 * edge) */
		top[1];
};

/* Volatile, so that they are not in registers. beyond: of lane (column, row). */
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
		/* of the lane above; the last lane has that of the first, which is the row above its next */
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

/* Tall tiles read the height of each pixel: over many rows its error counts. Others have it from that of the first
 * slice. */
static __host__ __device__ constexpr bool reads_heights(int rows) { return is_tall(rows); }

/* rows: of the tile that are there. AHEAD: units hold few slices, and pairs are planned for several of them. BEYOND:
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
	constexpr bool HEIGHTS = reads_heights(ROWS * LANES), KEPT = AHEAD || HEIGHTS; /* is `rest` read in any case? */
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
	/* the upper edge of a row that is not the last lane's is the lower edge of the next */
	const int count = settle<FORM, HEIGHTS>(u, &own, lane / COLUMNS - begin, !BEYOND && rows == ROWS * LANES, half, s->top);
	/* lanes with one line, two, more: branches that hang on them are uniform */
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

/* Numbers in all of the ring: 0 times what follows the last line must be 0. */
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
	/* [view of the group][row][column] through shared memory, so that rows are written along columns */
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
	/* with the rows below the first tile and above the last, which miss the volume */
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
