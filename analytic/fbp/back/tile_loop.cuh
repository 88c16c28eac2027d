#ifndef GT_ANALYTIC_FBP_BACK_TILE_LOOP_CUH
#define GT_ANALYTIC_FBP_BACK_TILE_LOOP_CUH
/* Loop of a block of voxels over the tiles of its views, for any layout of a tile. A WAY is a struct with:
 * - SQUARES, HEIGHT: a block has SQUARES x SQUARES squares of 16 x 16 columns of voxels, and HEIGHT slices
 * - SIDES: 2 with the same number of slices mirrored at the plane of the orbit, else 1
 * - PATCHES: 1 if consecutive blocks form patches, 0 for lines
 * - TOGETHER: number of voxels that are read before one is written
 * - HEIGHTS: maximum number of heights of tiles, 1, 2 or 4
 * - PITCH: bytes between rows of a tile
 * - entry: data of a view for a block; its member `at` is a struct gt_tile_at
 * - place: position of a column of voxels in a view
 * - APART: entries are made by a function call. Inlined, its numbers in double take registers from the loop over views,
 *   whose loads then wait for each other. Called, it costs a few words of local memory per view.
 * - SLACK: columns and rows beyond the computed ones at which a voxel may be seen
 * - find_extent(): returns 0 if some corner of the block is not in front of the source, or steps are unsupported
 * - fill(): makes an entry from the view's record; (x, y, z) is the block's first voxel
 * - find(): finds the position of column (i, j) of the block, without the tile; `last` is a column of the detector
 * - move(): moves that position by some columns along x, to column (i, j)
 * - add(): adds the tile at `stage` bytes after `stages` to the sums of a column */
#include "analytic/fbp/back/tile.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

template <class T> static __device__ __forceinline__ T gt_least(T a, T b) { return a < b ? a : b; }

/* Returns whether the view has a tile, is unseen, or is left to the plain kernel. */
template <class WAY> static __device__ int gt_sort_view(const struct gt_tiles_in *in, const struct gt_extent *e, const struct gt_corner *c)
{
	const double last = (double)in->grid.rows - 1, wide = (double)(in->grid.wide - 1);
	if (e->column[1] < -WAY::SLACK || e->column[0] > wide + WAY::SLACK)
		return GT_UNSEEN;
	if (!in->grid.clamp_rows && (e->real[1] < -0.6 || e->real[0] > last + 0.6))
		return GT_UNSEEN;
	return c->columns * 4 * in->floats <= WAY::PITCH && c->rows <= in->rows && e->step <= in->bias.step &&
	                       e->real[0] >= WAY::SLACK - in->pad && e->real[1] <= last + in->pad - WAY::SLACK
	               ? GT_IN_TILE
	               : GT_LEFT_OUT;
}

/* Finds the tile of this block along x, y and z: line by line, or by patches. */
template <int PATCHES> static __device__ __forceinline__ void gt_find_tile(const size_t tiles[2], unsigned t[3])
{
	if (!PATCHES) {
		const unsigned line = blockIdx.x / (unsigned)tiles[0];
		t[0] = blockIdx.x % (unsigned)tiles[0];
		t[1] = line % (unsigned)tiles[1];
		t[2] = line / (unsigned)tiles[1];
		return;
	}
	const unsigned wide = (unsigned)tiles[0], high = (unsigned)tiles[1], of_slab = blockIdx.x % (wide * high);
	const unsigned y = of_slab / (wide * PATCH) * PATCH, of_band = of_slab - y * wide, rows = gt_least(high - y, (unsigned)PATCH);
	const unsigned x = of_band / (rows * PATCH) * PATCH, of_patch = of_band - x * rows, columns = gt_least(wide - x, (unsigned)PATCH);
	t[0] = x + of_patch % columns;
	t[1] = y + of_patch / columns;
	t[2] = blockIdx.x / (wide * high);
}

/* Offset of the bits of a block in a slab. */
static __device__ __forceinline__ size_t gt_bits_of(const struct gt_tiles_in *in, const size_t from[3], int side, size_t slab)
{
	return ((slab * in->tiles[1] + from[1] / side) * in->tiles[0] + from[0] / side) * in->words;
}

/* Makes the entries of the views from `first` on, one per thread; entries with a tile are moved to the front. Returns
 * their number. */
template <class WAY>
static __device__ int gt_make_entries(const struct gt_tiles_in *in, size_t first, const size_t from[3], typename WAY::entry *table, int *count)
{
	const struct gt_back_grid *g = &in->grid;
	const size_t v = first + threadIdx.x;
	const int there = threadIdx.x < ENTRIES && v < g->views;
	struct gt_extent extent;
	struct gt_corner corner = { 0, 0, 0, 0 };
	int kind = GT_UNSEEN, place;
	if (there && WAY::find_extent(g, &g->view[v], from, &extent)) {
		corner = gt_find_corner(&extent, in->floats, WAY::SLACK);
		kind = gt_sort_view<WAY>(in, &extent, &corner);
	} else if (there) {
		kind = GT_LEFT_OUT;
	}
	const size_t slab = from[2] / WAY::HEIGHT;
	unsigned *left = there ? &in->left[gt_bits_of(in, from, WAY::SQUARES * SIDE, slab) + v / 32] : NULL;
	const int total = gt_tile_sort(kind, left, count, &place);
	if (WAY::SIDES == 2 && left && threadIdx.x % 32 == 0)
		in->left[gt_bits_of(in, from, WAY::SQUARES * SIDE, g->n[2] / WAY::HEIGHT - 1 - slab) + v / 32] = *left;
	if (kind == GT_IN_TILE) {
		const double x = g->first[0] + (double)from[0] * g->pitch[0], y = g->first[1] + (double)from[1] * g->pitch[1];
		const double z = g->first[2] + (double)from[2] * g->pitch[2];
		typename WAY::entry e;
		const int height = WAY::HEIGHTS > 1 ? gt_least((in->rows - corner.rows) / HEIGHT_STEP, in->heights - 1) : 0;
		e.at = { corner.column, corner.row, WAY::HEIGHTS * (int)v + height, 0 };
		WAY::fill(g, &g->view[v], &extent, x, y, z, &e);
		table[place] = e;
	}
	__syncthreads();
	return total;
}

template <class WAY>
static __device__ __noinline__ int gt_make_entries_apart(const struct gt_tiles_in *in, size_t first, const size_t from[3],
                                                         typename WAY::entry *table, int *count)
{
	return gt_make_entries<WAY>(in, first, from, table, count);
}

static __device__ __forceinline__ int gt_is_inside(const struct gt_back_grid *g, size_t ix, size_t iy)
{
	const double x = g->first[0] + (double)ix * g->pitch[0], y = g->first[1] + (double)iy * g->pitch[1];
	return ix < g->n[0] && iy < g->n[1] && hypot(x - g->center[0], y - g->center[1]) <= g->radius;
}

/* Adds sums to voxels `stride` apart, of which RUN are read before the first is written. */
template <int N, int RUN> static __device__ __forceinline__ void gt_add_to(float *out, ptrdiff_t stride, const float *sum, int there)
{
	static_assert(N % RUN == 0, "whole runs");
#pragma unroll
	for (int from = 0; from < N; from += RUN, out += RUN * stride) {
		float was[RUN];
#pragma unroll
		for (int z = 0; z < RUN; z++)
			was[z] = from + z < there ? out[z * stride] : 0.f;
#pragma unroll
		for (int z = 0; z < RUN; z++)
			if (from + z < there)
				out[z * stride] = was[z] + sum[from + z];
	}
}

template <class WAY> static __device__ __forceinline__ void gt_back_block(const struct gt_tile_maps *maps, const struct gt_tiles_in *in)
{
	extern __shared__ __align__(128) char stages[];
	__shared__ __align__(8) uint64_t full[MAX_STAGES];
	__shared__ unsigned done[MAX_STAGES];
	__shared__ int count[WARPS];
	const struct gt_back_grid *g = &in->grid;
	typename WAY::entry *table = (typename WAY::entry *)(stages + in->stages * in->stage_bytes);
	constexpr int S = WAY::SQUARES, N = S * S, Z = WAY::HEIGHT, SUMS = WAY::SIDES * Z;
	static_assert(S <= 2, "one step from square to square");
	unsigned t[3];
	gt_find_tile<WAY::PATCHES>(in->tiles, t);
	const size_t from[3] = { S * SIDE * t[0], S * SIDE * t[1], (size_t)Z * t[2] };
	float fi, fj[S], beside = 0; /* beside: columns to the next square */
	int i, j;
	unsigned inside = 0, live = 0; /* by squares: this thread's column, some column of this warp */
	gt_lane_place(&i, &j);
#pragma unroll
	for (int q = 0; q < N; q++) {
		inside |= (unsigned)gt_is_inside(g, from[0] + i + SIDE * (q % S), from[1] + j + SIDE * (q / S)) << q;
		live |= (unsigned)__any_sync(~0u, inside >> q & 1) << q;
	}
	/* Lanes beyond the grid stay within the tile. */
	const int max[2] = { (int)gt_least(g->n[0] - 1 - from[0], (size_t)S * SIDE),
		              (int)gt_least(g->n[1] - 1 - from[1], (size_t)S * SIDE) };
	fi = (float)gt_least(i, max[0]);
	if (S > 1)
		beside = (float)gt_least(i + SIDE, max[0]) - fi;
#pragma unroll
	for (int q = 0; q < S; q++)
		fj[q] = (float)gt_least(j + SIDE * q, max[1]);
	if (threadIdx.x < MAX_STAGES) {
		done[threadIdx.x] = 0;
		barrier_init<1>(address_of(&full[threadIdx.x]));
		barrier_fence();
		fence_for_bulk_copies();
	}
	if (!__syncthreads_or((int)inside))
		return;
	float sum[N][SUMS];
#pragma unroll
	for (int q = 0; q < N; q++)
#pragma unroll
		for (int z = 0; z < SUMS; z++)
			sum[q][z] = 0;
	unsigned phases = 0;
	for (size_t first = 0; first < g->views; first += ENTRIES) {
		const int n = WAY::APART ? gt_make_entries_apart<WAY>(in, first, from, table, count) :
		                           gt_make_entries<WAY>(in, first, from, table, count);
		if (threadIdx.x == 0)
			for (int k = 0; k < in->stages && k < n; k++)
				gt_fetch<WAY::HEIGHTS, WAY::SIDES>(maps, in, &table[k].at, stages + k * in->stage_bytes, &full[k]);
		int stage = 0;
#pragma unroll 1
		for (int k = 0; k < n; k++) {
			typename WAY::place p;
#pragma unroll
			for (int q = 0; q < N; q++) {
				if (q % S == 0)
					p = WAY::find(&table[k], fi, fj[q / S], in->last);
				else
					WAY::move(&p, &table[k], beside, fi + beside, fj[q / S], in->last);
				if (q == 0)
					barrier_wait_tight(&full[stage], phases >> stage & 1);
				if (N == 1 || live >> q & 1)
					WAY::add(in, sum[q], stages, (unsigned)(stage * in->stage_bytes), &p);
			}
			phases ^= 1u << stage;
			__syncwarp();
			if ((threadIdx.x & 31) == 0 && gt_leave_stage(&done[stage]) && k + in->stages < n)
				gt_fetch<WAY::HEIGHTS, WAY::SIDES>(maps, in, &table[k + in->stages].at, stages + stage * in->stage_bytes, &full[stage]);
			stage = stage + 1 < in->stages ? stage + 1 : 0;
		}
		__syncthreads();
	}
	const ptrdiff_t slice = (ptrdiff_t)(g->n[0] * g->n[1]);
	const int high = (int)gt_least(g->n[2] - from[2], (size_t)Z);
#pragma unroll
	for (int q = 0; q < N; q++) {
		const size_t ix = from[0] + i + SIDE * (q % S), iy = from[1] + j + SIDE * (q / S), at = iy * g->n[0] + ix;
		const int there = inside >> q & 1 ? high : 0;
		gt_add_to<Z, WAY::TOGETHER>(in->out + from[2] * slice + at, slice, sum[q], there);
		if (WAY::SIDES == 2)
			gt_add_to<Z, WAY::TOGETHER>(in->out + (g->n[2] - 1 - from[2]) * slice + at, -slice, sum[q] + Z, there);
	}
}

#endif
#endif
