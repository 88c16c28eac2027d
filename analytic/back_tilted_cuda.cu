/* Tiles for views with matrices, whose rows are not parallel to slices: every voxel has a column and a row of its own. Within
 * RUN voxels along z places and weights are linear around their middle (RUN 1: exact), which saves the division; four samples
 * of the tile per voxel, in single precision. What fits into no tile is left to the plain kernel. */
#include "analytic/back_tile.h"

/* Variants. */
#ifndef TILTED_SLICES
#define TILTED_SLICES 16 /* voxels along z of a block: 16, 32 */
#endif

#define SLACK 2e-2      /* columns and rows, for rounding and for what is not linear */
#define MOST_BEND 3e-4  /* cells, of what is not linear within a run */
#define MOST_DRIFT 5e-5 /* of the weight within a run */

/* (column, row, 1) / lambda of voxel (i, j, k) of the block = a, b, d . (1, i, j, k), from the tile's corner. */
struct entry {
	float a[4], b[4], d[4];
	struct gt_tile_at at;
};
static_assert(sizeof(struct entry) == ENTRY_BYTES, "four loads of 16 bytes");

/* Returns 0 if some corner is not in front of the source. A view of a box is within that of its corners. */
static __host__ __device__ int find_extent(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3], int slices,
                                           struct gt_extent *e)
{
	e->column[0] = e->row[0] = e->real[0] = INFINITY;
	e->column[1] = e->row[1] = e->real[1] = -INFINITY;
	for (int c = 0; c < 12; c++) {
		double at[3], column, row, lambda;
		for (int a = 0; a < 2; a++) {
			const size_t last = from[a] + SIDE - 1 < g->n[a] ? from[a] + SIDE - 1 : g->n[a] - 1;
			at[a] = g->first[a] + (double)(c >> a & 1 ? last : from[a]) * g->pitch[a];
		}
		const size_t whole = from[2] + slices - 1, real = whole < g->n[2] ? whole : g->n[2] - 1;
		at[2] = g->first[2] + (double)(c < 4 ? from[2] : c < 8 ? real : whole) * g->pitch[2];
		if (!gt_back_point(w, at[0], at[1], at[2], &column, &row, &lambda))
			return 0;
		gt_widen(e->column, column);
		gt_widen(e->row, row);
		if (c < 8)
			gt_widen(e->real, row);
	}
	return 1;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

static __device__ int sort_view(const struct gt_tiles_in *in, int columns, const struct gt_extent *e, const struct gt_corner *c)
{
	const double last = (double)in->grid.rows - 1, wide = (double)(in->grid.wide - 1);
	if (e->column[1] < -SLACK || e->column[0] > wide + SLACK)
		return GT_UNSEEN;
	if (!in->grid.clamp_rows && (e->real[1] < -0.6 || e->real[0] > last + 0.6))
		return GT_UNSEEN;
	return c->columns <= columns && c->rows <= in->rows && e->real[0] >= SLACK - in->pad && e->real[1] <= last + in->pad - SLACK
	               ? GT_IN_TILE
	               : GT_LEFT_OUT;
}

static __device__ void set_row(const struct gt_back_grid *g, const double *row, const double *depth, int corner, double x, double y,
                               double z, float out[4])
{
	out[0] = (float)(gt_back_dot(row, x, y, z) - corner * gt_back_dot(depth, x, y, z));
	for (int a = 0; a < 3; a++)
		out[1 + a] = (float)((row[a] - corner * depth[a]) * g->pitch[a]);
}

template <int ZP, int COLUMNS>
static __device__ int make_entries(const struct gt_tiles_in *in, size_t first, const size_t from[3], size_t tile, struct entry *table,
                                   int *count)
{
	const struct gt_back_grid *g = &in->grid;
	const size_t v = first + threadIdx.x;
	const int there = threadIdx.x < ENTRIES && v < g->views;
	struct gt_extent extent;
	struct gt_corner corner = { 0, 0, 0, 0 };
	int kind = GT_UNSEEN, place;
	if (there && find_extent(g, &g->view[v], from, ZP, &extent)) {
		corner = gt_find_corner(&extent, 1, SLACK);
		kind = sort_view(in, COLUMNS, &extent, &corner);
	} else if (there) {
		kind = GT_LEFT_OUT;
	}
	const int total = gt_tile_sort(kind, there ? &in->left[tile * in->words + v / 32] : NULL, count, &place);
	if (kind == GT_IN_TILE) {
		const double *m = g->view[v].matrix, x = g->first[0] + (double)from[0] * g->pitch[0];
		const double y = g->first[1] + (double)from[1] * g->pitch[1], z = g->first[2] + (double)from[2] * g->pitch[2];
		struct entry e;
		set_row(g, m, m + 8, corner.column, x, y, z, e.a);
		set_row(g, m + 4, m + 8, corner.row, x, y, z, e.b);
		set_row(g, m + 8, m + 8, 0, x, y, z, e.d);
		const int ends = extent.column[0] < SLACK || extent.column[1] > (double)(g->wide - 1) - SLACK;
		e.at = { corner.column, corner.row, (int)v, ends };
		table[place] = e;
	}
	__syncthreads();
	return total;
}

template <int PITCH> static __device__ __forceinline__ float sample(const char *base, unsigned tile, float u, float v)
{
	const float wu = __fadd_rd(u, GT_MAGIC), wv = __fadd_rd(v, GT_MAGIC), right = u - (wu - GT_MAGIC), above = v - (wv - GT_MAGIC);
	const float *q = (const float *)(base + (int)(__float_as_uint(wv) * PITCH + (__float_as_uint(wu) * 4u + tile)));
	const float low = fmaf(right, q[1] - q[0], q[0]), high = fmaf(right, q[PITCH / 4 + 1] - q[PITCH / 4], q[PITCH / 4]);
	return fmaf(above, high - low, low);
}

/* ENDS: samples would fade beyond the first and the last column, and voxels that are seen there get nothing. */
template <int ZP, int RUN, int PITCH, int ENDS>
static __device__ __forceinline__ void add_view(float *sum, const char *base, unsigned tile, const struct entry *e, float i, float j,
                                                float last)
{
	const float4 *q = (const float4 *)e;
	const float4 a = q[0], b = q[1], d = q[2];
	const float a0 = fmaf(a.z, j, fmaf(a.y, i, a.x)), b0 = fmaf(b.z, j, fmaf(b.y, i, b.x)), d0 = fmaf(d.z, j, fmaf(d.y, i, d.x));
#pragma unroll
	for (int z = 0; z < ZP; z += RUN) {
		const float middle = z + 0.5f * (RUN - 1), den = fmaf(d.w, middle, d0);
		float lambda;
		asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(lambda) : "f"(den));
		const float u = fmaf(a.w, middle, a0) * lambda, v = fmaf(b.w, middle, b0) * lambda, weight = lambda * lambda;
		const float du = fmaf(-u, d.w, a.w) * lambda, dv = fmaf(-v, d.w, b.w) * lambda;
#pragma unroll
		for (int k = 0; k < RUN; k++) {
			const float step = k - 0.5f * (RUN - 1), at = fmaf(du, step, u), column = at + (float)e->at.column;
			const float value = sample<PITCH>(base, tile, at, fmaf(dv, step, v));
			sum[z + k] = fmaf(ENDS && !(column >= 0 && column <= last) ? 0.f : weight, value, sum[z + k]);
		}
	}
}

#endif

template <int ZP, int RUN, int COLUMNS>
static __global__ void __launch_bounds__(THREADS, ZP == 32 ? 3 : 4)
	back_tilted(const __grid_constant__ CUtensorMap map, const __grid_constant__ struct gt_tiles_in in)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
	constexpr int PITCH = 4 * COLUMNS;
	extern __shared__ __align__(128) char stages[];
	__shared__ __align__(8) uint64_t full[MOST_STAGES];
	__shared__ unsigned done[MOST_STAGES];
	__shared__ int count[WARPS];
	const struct gt_back_grid *g = &in.grid;
	struct entry *table = (struct entry *)(stages + in.stages * in.stage_bytes);
	const size_t tile = blockIdx.x, ty = tile / in.tiles[0],
		     from[3] = { SIDE * (tile % in.tiles[0]), SIDE * (ty % in.tiles[1]), ZP * (ty / in.tiles[1]) };
	int i, j;
	gt_lane_place(&i, &j);
	const size_t ix = from[0] + i, iy = from[1] + j;
	const double x = g->first[0] + (double)ix * g->pitch[0], y = g->first[1] + (double)iy * g->pitch[1];
	const int inside = ix < g->n[0] && iy < g->n[1] && hypot(x - g->center[0], y - g->center[1]) <= g->radius;
	if (threadIdx.x < MOST_STAGES) {
		done[threadIdx.x] = 0;
		gt_barrier_init(&full[threadIdx.x]);
	}
	if (!__syncthreads_or(inside))
		return;
	const float fi = (float)(ix < g->n[0] ? i : (int)(g->n[0] - 1 - from[0])),
		    fj = (float)(iy < g->n[1] ? j : (int)(g->n[1] - 1 - from[1]));
	float sum[ZP];
#pragma unroll
	for (int z = 0; z < ZP; z++)
		sum[z] = 0;
	unsigned phases = 0;
	for (size_t first = 0; first < g->views; first += ENTRIES) {
		const int n = make_entries<ZP, COLUMNS>(&in, first, from, tile, table, count);
		if (threadIdx.x == 0)
			for (int k = 0; k < in.stages && k < n; k++)
				gt_fetch(&map, &in, &table[k].at, stages + k * in.stage_bytes, &full[k]);
		int stage = 0;
#pragma unroll 1
		for (int k = 0; k < n; k++) {
			const unsigned at = (unsigned)(stage * in.stage_bytes) - GT_MAGIC_BITS * 4u - GT_MAGIC_BITS * (unsigned)PITCH;
			gt_wait_for(&full[stage], phases >> stage & 1);
			if (table[k].at.more)
				add_view<ZP, RUN, PITCH, 1>(sum, stages, at, &table[k], fi, fj, (float)(g->wide - 1));
			else
				add_view<ZP, RUN, PITCH, 0>(sum, stages, at, &table[k], fi, fj, 0);
			phases ^= 1u << stage;
			__syncwarp();
			if ((threadIdx.x & 31) == 0 && gt_leave_stage(&done[stage]) && k + in.stages < n)
				gt_fetch(&map, &in, &table[k + in.stages].at, stages + stage * in.stage_bytes, &full[stage]);
			stage = stage + 1 < in.stages ? stage + 1 : 0;
		}
		__syncthreads();
	}
	if (!inside)
		return;
	float *out = in.out + (from[2] * g->n[1] + iy) * g->n[0] + ix;
	const size_t slice = g->n[0] * g->n[1];
#pragma unroll
	for (int z = 0; z < ZP; z++)
		if (from[2] + z < g->n[2])
			out[z * slice] += sum[z];
#endif
}

/* The form ---------------------------------------------------------------- */

typedef void (*kernel)(const CUtensorMap, const struct gt_tiles_in);

/* What there is: voxels of a run and columns of a tile. */
#define KINDS(X) X(8, 44) X(8, 76) X(8, 108) X(1, 44) X(1, 76) X(1, 108)

static const struct kind {
	int run, columns;
	kernel launch;
} kinds[] = {
#define KIND(run, columns) { run, columns, back_tilted<TILTED_SLICES, run, columns> },
	KINDS(KIND)
#undef KIND
};
enum { NKINDS = sizeof kinds / sizeof *kinds, BLOCKS = TILTED_SLICES == 32 ? 3 : 4, ROWS_STEP = 8 };

static int stage_bytes(const struct kind *k, int rows) { return 4 * k->columns * rows; }

/* What blocks need, on a sample of them and of views: tiles, and the largest change of the depth per slice, in parts. */
struct need {
	int columns, rows;
	double bend, step, low, high; /* low, high: rows that are seen */
};

enum { SAMPLE_VIEWS = 16, SAMPLE_BLOCKS = 8 };

static void look_at(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3], struct need *n)
{
	struct gt_extent e;
	if (!find_extent(g, w, from, TILTED_SLICES, &e) || e.column[1] < 0 || e.column[0] > (double)(g->wide - 1))
		return;
	const struct gt_corner c = gt_find_corner(&e, 1, SLACK);
	const double depth = gt_back_dot(w->matrix + 8, g->first[0] + (double)from[0] * g->pitch[0],
	                                 g->first[1] + (double)from[1] * g->pitch[1], g->first[2] + (double)from[2] * g->pitch[2]);
	n->columns = c.columns > n->columns ? c.columns : n->columns;
	n->rows = c.rows > n->rows ? c.rows : n->rows;
	n->bend = fmax(n->bend, fabs(w->matrix[10] * g->pitch[2]) / depth);
	n->step = fmax(n->step, (e.row[1] - e.row[0]) / (TILTED_SLICES - 1));
	n->low = fmin(n->low, e.real[0]);
	n->high = fmax(n->high, e.real[1]);
}

static struct need find_need(const struct gt_back_grid *g, const gt_direct_plan *p)
{
	struct need n = { 0, 0, 0, 0, INFINITY, -INFINITY };
	const size_t tiles[3] = { (g->n[0] + SIDE - 1) / SIDE, (g->n[1] + SIDE - 1) / SIDE, (g->n[2] + TILTED_SLICES - 1) / TILTED_SLICES };
	for (size_t v = 0; v < SAMPLE_VIEWS; v++)
		for (size_t c = 0; c < SAMPLE_BLOCKS * SAMPLE_BLOCKS * 3; c++) {
			const size_t k[3] = { c % SAMPLE_BLOCKS, c / SAMPLE_BLOCKS % SAMPLE_BLOCKS, c / (SAMPLE_BLOCKS * SAMPLE_BLOCKS) };
			const size_t from[3] = { SIDE * (k[0] * (tiles[0] - 1) / (SAMPLE_BLOCKS - 1)),
				                 SIDE * (k[1] * (tiles[1] - 1) / (SAMPLE_BLOCKS - 1)),
				                 TILTED_SLICES * (k[2] * (tiles[2] - 1) / 2) };
			look_at(g, &p->view[v * p->views / SAMPLE_VIEWS], from, &n);
		}
	n.rows += n.rows / 32 + 1;
	n.columns += 2;
	return n;
}

/* Within half a run h, v = v0 + dv k + dv bend k^2 + ..., weight = w0 (1 + 2 bend k + ...). */
static const struct kind *choose(const gt_direct_plan *p, int *rows, int *stages)
{
	const struct gt_back_grid g = gt_plan_grid(p);
	const struct need n = find_need(&g, p);
	const double half = 3.5;
	const int run = n.step * n.bend * half * half <= MOST_BEND && 2 * half * n.bend <= MOST_DRIFT ? 8 : 1;
	*rows = (n.rows + ROWS_STEP - 1) / ROWS_STEP * ROWS_STEP; /* stages begin at multiples of 128 bytes */
	for (int i = 0; i < NKINDS; i++)
		if (kinds[i].run == run && kinds[i].columns >= n.columns && *rows <= 256)
			for (int blocks = BLOCKS; blocks >= 1; blocks--)
				if ((*stages = gt_stages_of(stage_bytes(&kinds[i], *rows), blocks)) >= 2)
					return &kinds[i];
	return NULL;
}

static const char *cannot_(gt_backend *be, const gt_direct_plan *p, gt_type type)
{
	int rows, stages;
	if (type != GT_F32)
		return "expected single precision";
	if (!p->tilted)
		return "expected views with rows that are not parallel to slices";
	const char *device = gt_tiles_device(be);
	if (device)
		return device;
	return choose(p, &rows, &stages) ? NULL : "a block of voxels is seen by more of the detector than fits into shared memory";
}

static void layout_(gt_backend *, const gt_direct_plan *p, gt_type, gt_layout *l)
{
	const struct gt_back_grid g = gt_plan_grid(p);
	*l = { 0, (p->row.wide + 3) / 4 * 4, 0 };
	if (!p->clamp_rows)
		return;
	const struct need n = find_need(&g, p);
	const double beyond = fmax(-n.low, n.high - (double)(p->rows - 1)), most = (double)p->rows / 4 + 16;
	l->pad = beyond > -1 ? (size_t)(fmin(fmax(beyond, 0), most) + 4) : 0;
}

static gt_status open_(gt_backend *be, const gt_direct_plan *p, gt_type, size_t batch, void **out)
{
	struct gt_tiles *t;
	int rows, stages;
	const struct kind *k = choose(p, &rows, &stages);
	const gt_status st = gt_tiles_new(be, p, batch, TILTED_SLICES, &t);
	if (st != GT_OK)
		return st;
	t->kind = k;
	t->rows = rows;
	t->stages = stages;
	*out = t;
	return GT_OK;
}

static void run_(void *self, const struct gt_back_call *c)
{
	const struct gt_tiles *t = (const struct gt_tiles *)self;
	const struct kind *k = (const struct kind *)t->kind;
	struct gt_tiles_in in;
	CUtensorMap map;
	const size_t blocks = gt_tiles_in_of(c, TILTED_SLICES, &in);
	if (gt_tiles_describe(c, k->columns, t->rows, &map))
		return;
	in.words = t->words;
	in.left = t->left;
	in.rows = t->rows;
	in.stages = t->stages;
	in.stage_bytes = stage_bytes(k, t->rows);
	const int bytes = in.stages * in.stage_bytes + ENTRY_BYTES * ENTRIES;
	if (gt_cuda_check(c->be, cudaFuncSetAttribute(k->launch, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
	                  "backprojection: shared memory"))
		return;
	k->launch<<<(unsigned)blocks, THREADS, (size_t)bytes, gt_cuda_queue(c->be)>>>(map, in);
	if (!gt_cuda_check(c->be, cudaGetLastError(), "backprojection of tilted tiles"))
		gt_back_leftovers(c, t->left, t->words, TILTED_SLICES);
}

const struct gt_back_form gt_back_tilted = { cannot_, layout_, open_, run_, gt_tiles_free };
