/* Distance-driven forward projection on CUDA in single precision: running sums along z of each voxel column, read at the row edges of cells.
 *
 * The z-to-row interpolation depends on the slice and the detector column, not on the voxel along the slice: place and fraction are found once per
 * slice and row edge, and each line of voxels that the column meets costs two loads from shared memory. A warp owns COLUMNS columns of one view times
 * LANES ROWS rows: with few rows, several columns at a time. Only the value at the lower row edge is accumulated; differences of adjacent edges are
 * taken every few slices. Several warps of up to four neighbouring views share the lines, which one more fetches into a ring in shared memory, slice
 * after slice.
 *
 * All control flow in the loop over pairs is uniform, and known to be: what a branch hangs on comes from a ballot or from lane 0. Several columns at a
 * time take the same turns: those of one line read the next as well, and count it by 0.
 *
 * Tiles begin at the first row of their views that sees the volume. Views of the same tiles are launched together; where a helix leaves the volume,
 * views see few rows and their tiles are low. A tile that is not full needs no upper edge of its own. Few rows more than fit the lanes are a step for all
 * columns at once.
 *
 * Least work: two passes of shared memory per line met and 32 rows, more where cells are taller than voxels.
 *
 * Precision. A place in a window of n edges is rounded by n times 3e-8 where it is clamped, which finds the edge below it: enough to choose the edge,
 * and for all of a short window, the more so where its height is a power of two, whose inverse is exact. In taller ones places are counted from the
 * window's middle, and the fraction from the edge that was chosen, one instruction more: no error grows with the slices then.
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
#ifndef GT_DD_FORWARD_SHORT_BOTH /* and these slices and the rows together: entries of both directions differ by 6e-8 times that and 3e-6: 0 to 2048 */
#define GT_DD_FORWARD_SHORT_BOTH 112
#endif
#ifndef GT_DD_FORWARD_SHORT_EXACT /* the same where the window's height is a power of two */
#define GT_DD_FORWARD_SHORT_EXACT 128
#endif
#ifndef GT_DD_FORWARD_BESIDE /* with up to so many blocks both axes run beside each other: 0 to 1 << 20 */
#define GT_DD_FORWARD_BESIDE 8192
#endif
#ifndef GT_DD_FORWARD_FLUSH /* running sums times slices between differences, in voxels: 512 to 8192 */
#define GT_DD_FORWARD_FLUSH 2048
#endif
#include "core/device/cuda_streams.cuh"
#include "core/device/pieces.cuh"
#include "projectors/dd/fast/dd_forward_lines.cuh"

static __host__ __device__ constexpr bool is_tall(int rows) { return rows > 2 * WARP; }
static __host__ __device__ constexpr int slot_bytes(int rows)
{
	return is_tall(rows) ? GT_DD_FORWARD_SLOT_TALL : rows > 40 ? GT_DD_FORWARD_SLOT : GT_DD_FORWARD_SLOT_LOW;
}
[[maybe_unused]] static __host__ __device__ constexpr int blocks_of(int rows)
{
	return is_tall(rows) ? GT_DD_FORWARD_BLOCKS_TALL : GT_DD_FORWARD_BLOCKS;
}
static __host__ __device__ constexpr int warps_of(int rows) { return is_tall(rows) ? GT_DD_FORWARD_WARPS_TALL : GT_DD_FORWARD_WARPS; }
static __host__ __device__ constexpr int threads_of(int rows) { return WARP * (warps_of(rows) + 1); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* Of lane (group, place): rows place + LANES r of column c WARP / LANES + group. Plans: of lane slice * COLUMNS + column. */
template <int ROWS, int LANES, int COLUMNS> struct sums {
	enum { SPLIT = WARP / LANES, STEPS = COLUMNS / SPLIT };
	float E[STEPS][ROWS],
		top[1]; /* top: of the upper edge, of lanes as plans; with rows beyond, of their edges, of lane (column, edge) */
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

/* Tall tiles read the height of each cell: over many rows its error counts. Others have it from that of the first slice. */
static __host__ __device__ constexpr bool reads_heights(int rows) { return is_tall(rows); }

/* rows: of the tile that are there. AHEAD: units hold few slices, and pairs are planned for several of them. BEYOND: the tile has rows beyond those
 * of the lanes. */
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
__global__ void __launch_bounds__(threads_of(ROWS *LANES), blocks_of(ROWS *LANES)) forward_kernel(gt_dd d, gt_dd_fast f, job j)
{
	enum {
		SLICES = WARP / COLUMNS,
		MAIN = ROWS * LANES,
		TALL = MAIN + EXTRA,
		SPLIT = WARP / LANES,
		STEPS = COLUMNS / SPLIT,
		WARPS = warps_of(MAIN)
	};
	extern __shared__ __align__(128) unsigned char places[];
	__shared__ struct plan<COLUMNS> plans[WARPS];
	__shared__ __align__(8) unsigned long long full[GT_DD_FORWARD_SLOTS], empty[GT_DD_FORWARD_SLOTS];
	const int warp = same(threadIdx.x / WARP), lane = threadIdx.x % WARP, wide = WARPS / f.together * COLUMNS;
	const gt_dd_group *g = f.group + j.run.first + blockIdx.x % j.run.groups;
	const int k0 = gt_dd_outwards(blockIdx.x / j.run.groups % j.column_blocks, j.column_blocks) * wide, k1 = min(k0 + wide, d.columns);
	const int tile = blockIdx.x / j.run.groups / j.column_blocks, l0 = g->low + tile * TALL, l1 = min(l0 + TALL, g->high);
	const int own_rows = same(l1 - l0);
	const int size = slot_bytes(MAIN);
	const struct ring ring = { places, size, SPLIT > 1, GT_DD_FORWARD_WHOLE, address_of(full), address_of(empty) };
	struct sums<ROWS, LANES, COLUMNS> s = {
	};
	struct result<ROWS, STEPS> result;
	if (tile && own_rows <= 0)
		return;
	if (SPLIT > 1)
		clear(places, size * GT_DD_FORWARD_SLOTS);
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
		prepare(&plans[warp], d, f, g->view[warp % f.together], k0 + warp / f.together * COLUMNS, (j.begin + j.end) / 2,
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
	const int from = tile ? l0 : 0, rows = (l1 < g->high ? l1 : d.rows) - from, columns = k1 - k0;
	for (int i = threadIdx.x; i < f.together * rows * wide; i += blockDim.x) {
		const int c = i % wide, l = from + i / wide % rows, view = g->view[i / wide / rows];
		if (view < 0 || c >= columns)
			continue;
		const size_t at = (size_t)f.view[view].at;
		const gt_dd_view *v = d.view + at;
		float *y = j.y + gt_dd_cell(&d, v, at, l, k0 + c);
		const float value = l < l0 || l >= l1
		                            ? 0
		                            : out[(i / wide / rows * TALL + l - l0) * (wide + 1) + c] * (float)d.pitch[j.axis] *
		                                      sqrtf((float)gt_dd_slant_square(&d.column[at * d.columns + k0 + c], l, d.pitch[2]));
		*y = j.add ? *y + value : value;
	}
}
#else
template <int ROWS, int LANES, int COLUMNS, int EXTRA, int FORM, bool AHEAD> __global__ void forward_kernel(gt_dd d, gt_dd_fast f, job j) {}
#endif

/* Host ------------------------------------------------------------------------- */

static int stride_of(const gt_dd *d) { return (d->n[2] + 2 + 3) / 4 * 4; }

/* Shapes of a warp's tile: rows of a lane, lanes of a column, columns, rows beyond those, at most one less than there are lanes per column. */
#define FEW GT_DD_FORWARD_COLUMNS
#define MANY GT_DD_FORWARD_COLUMNS_TALL
#define OVER (WARP / MANY - 1)
#define LOW_SHAPES(X) X(4, 4, 8, 0) X(4, 4, 8, 3) X(5, 8, 4, 0) X(2, 16, 8, 0) X(3, 16, FEW, 0) X(2, 32, FEW, 0)
#define SHAPES(X) LOW_SHAPES(X) X(3, 32, MANY, 0) X(3, 32, MANY, OVER) X(4, 32, MANY, 0) X(4, 32, MANY, OVER)
static const struct shape {
	int rows, lanes, columns, extra;
} shapes[] = {
#define X(rows, lanes, columns, extra) { rows, lanes, columns, extra },
	SHAPES(X)
#undef X
};

static_assert(sizeof shapes / sizeof *shapes <= GT_DD_SHAPES, "runs are by shape");

static int main_of(int shape) { return shapes[shape].rows * shapes[shape].lanes; }
static int tall_of(int shape) { return main_of(shape) + shapes[shape].extra; }

/* That of the least instructions per column and slice: a row of a lane costs about as much as what all share, a plan a third of that, and rows beyond
 * those of lanes are one for all columns. */
extern "C" int gt_dd_fast_forward_shape(int rows)
{
	int best = 0;
	double least = 1e300;
	for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++) {
		const struct shape s = shapes[i];
		const double cost = pieces(rows, tall_of(i)) * ((s.rows + 1.) * s.lanes / WARP + 0.3 + (s.extra ? 2. / s.columns : 0));
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	return best;
}

/* Entries of a line that are fetched, at most about. */
static double entries_of(const gt_dd *d, const gt_dd_fast *f, int tall)
{
	const double window = tall * f->most_A * 1.1 * 1.2 + 0.05 * d->n[2] + 16;
	return d->n[2] <= GT_DD_FORWARD_WHOLE || window > d->n[2] ? d->n[2] + 8. : window;
}

static int is_short(const gt_dd *d, const gt_dd_fast *f, int tall)
{
	const double window = entries_of(d, f, tall) - 8;
	const int height = intervals_of(stride_of(d), d->n[2]), exact = d->n[2] <= GT_DD_FORWARD_WHOLE && (height & (height - 1)) == 0;
	return window <= GT_DD_FORWARD_SHORT && window + (double)d->rows <= (exact ? GT_DD_FORWARD_SHORT_EXACT : GT_DD_FORWARD_SHORT_BOTH);
}

static int column_blocks_of(const gt_dd *d, const gt_dd_fast *f, int shape)
{
	return pieces(d->columns, warps_of(main_of(shape)) / f->together * shapes[shape].columns);
}

/* Blocks of a run. */
static double blocks_of_run(const gt_dd *d, const gt_dd_fast *f, int axis, int i)
{
	const gt_dd_run *r = &f->run[axis][i];
	const int tiles = pieces(r->rows, tall_of(i));
	return (double)column_blocks_of(d, f, i) * r->groups * (tiles > 1 ? tiles : 1);
}

extern "C" int gt_dd_fast_forward_fits(const gt_dd *d, const gt_dd_fast *f)
{
	double blocks = 0;
	for (int axis = 0; axis < 2; axis++)
		for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++) {
			if (f->run[axis][i].groups && 2 * (entries_of(d, f, tall_of(i)) + 20) * 4 + sizeof(unit) > slot_bytes(main_of(i)))
				return 0;
			blocks += blocks_of_run(d, f, axis, i);
		}
	return f->least_A > 0.2 && f->most_A < 4 && f->most_A * d->rows < 1e6 && blocks < 2e9;
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
/* With few views the last blocks of an axis would leave most of the device idle: then the other axis runs beside it, with sums of its own. */
static int runs_beside(const gt_dd *d, const gt_dd_fast *f)
{
	double blocks = 0;
	for (int i = 0; i < 2 * (int)(sizeof shapes / sizeof *shapes); i++)
		blocks += blocks_of_run(d, f, i % 2, i / 2);
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

/* Slices whose lines a place of the ring holds. */
static double slices_of(const gt_dd *d, const gt_dd_fast *f, int tall)
{
	return (slot_bytes(tall) - sizeof(unit)) / (f->typical_lines * entries_of(d, f, tall) * sizeof(float));
}

template <int ROWS, int LANES, int COLUMNS, int EXTRA, int FORM, bool AHEAD>
static cudaError_t launch_form(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, job j, size_t blocks)
{
	const int rows = ROWS * LANES, bytes = slot_bytes(rows) * GT_DD_FORWARD_SLOTS;
	const cudaError_t e = cudaFuncSetAttribute(forward_kernel<ROWS, LANES, COLUMNS, EXTRA, FORM, AHEAD>,
	                                           cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	if (e == cudaSuccess)
		forward_kernel<ROWS, LANES, COLUMNS, EXTRA, FORM, AHEAD><<<(unsigned)blocks, threads_of(rows), bytes, queue>>>(*d, *f, j);
	return e;
}
template <int ROWS, int LANES, int COLUMNS, int EXTRA>
static cudaError_t launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const job &j, size_t blocks)
{
	constexpr int tall = ROWS * LANES + EXTRA;
	if constexpr (tall == 2 * WARP)
		if (is_short(d, f, tall) && slices_of(d, f, tall) <= WARP / COLUMNS / 2 + 0.5)
			return launch_form<ROWS, LANES, COLUMNS, EXTRA, SHORT, true>(queue, d, f, j, blocks);
	if constexpr (!is_tall(tall))
		if (is_short(d, f, tall))
			return launch_form<ROWS, LANES, COLUMNS, EXTRA, SHORT, false>(queue, d, f, j, blocks);
	return launch_form<ROWS, LANES, COLUMNS, EXTRA, FINE, is_tall(tall)>(queue, d, f, j, blocks);
}

/* The groups that a shape suits. */
static cudaError_t launch_run(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, int shape, job j)
{
	const size_t blocks = (size_t)blocks_of_run(d, f, j.axis, shape);
	j.run = f->run[j.axis][shape];
	j.column_blocks = column_blocks_of(d, f, shape);
	if (!j.run.groups)
		return cudaSuccess;
#define X(ROWS, LANES, COLUMNS, EXTRA)                                                                    \
	if (shapes[shape].rows == ROWS && shapes[shape].lanes == LANES && shapes[shape].extra == (EXTRA)) \
		return launch<ROWS, LANES, COLUMNS, EXTRA>(queue, d, f, j, blocks);
	SHAPES(X)
#undef X
	return cudaErrorInvalidConfiguration;
}

/* Runs of tall tiles first; alone: the queue has nothing else to do, so that the last blocks of a run may have those of the next beside them. */
static int launch_runs(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const job &j, int alone)
{
	const int count = (int)(sizeof shapes / sizeof *shapes);
	int runs = 0, done = 0, well = 1;
	for (int shape = 0; shape < count; shape++)
		runs += f->run[j.axis][shape].groups > 0;
	for (int shape = count - 1; shape >= 0 && well; shape--) {
		if (!f->run[j.axis][shape].groups)
			continue;
		if (alone && runs > 1 && done == 0)
			gt_cuda_side(be);
		well = !gt_cuda_check(be, launch_run(gt_cuda_queue(be), d, f, shape, j), "dd forward");
		if (alone && runs > 1 && done++ == 0)
			gt_cuda_main(be);
	}
	if (alone && runs > 1)
		gt_cuda_join(be);
	return well;
}

/* From the sums of slices begin .. end-1 of an axis; returns 0 if that failed. */
static int forward_lines(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, gt_dd_lines t, int alone, float *y)
{
	const int flush = GT_DD_FORWARD_FLUSH / d->n[2];
	const job j = {
		t.lines, y, t.axis, t.begin, t.end, t.stride, t.begin > 0, { 0, 0, 0 }, 0, flush < 8 ? 8 : flush > 32 ? 32 : flush
	};
	return launch_runs(be, d, f, j, alone);
}

/* Slices from `begin` on, as many as there is room for the sums of. */
static int forward_slab(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, int axis, int begin, float *lines, const float *x, float *y)
{
	const int end = begin + slab_of(d, f, axis) < d->n[axis] ? begin + slab_of(d, f, axis) : d->n[axis];
	const gt_dd_lines sums = { lines, axis, begin, end, stride_of(d) };
	gt_dd_sum_lines(be, d, x, sums, lines);
	if (d->n[2] > GT_DD_THIN)
		return forward_lines(be, d, f, sums, 1, y);
	gt_dd_thin_forward(be, d, f, sums, y);
	return 1;
}

static void forward_beside(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *x, float *y)
{
	float *const scratch = (float *)gt_scratch(be), *const lines[2] = { scratch, scratch + slab_bytes(d, f, 0) / sizeof(float) };
	gt_dd_sum_lines_of_both(be, d, x, stride_of(d), lines);
	gt_cuda_side(be);
	forward_lines(be, d, f, { lines[1], 1, 0, d->n[1], stride_of(d) }, 0, y);
	gt_cuda_main(be);
	forward_lines(be, d, f, { lines[0], 0, 0, d->n[0], stride_of(d) }, 0, y);
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
