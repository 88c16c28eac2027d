/* The way of tiles: a block takes 16 x 16 columns of ZP voxels, kept in registers, and all views of a batch. What it sees of
 * a view is a tile of few columns and rows, which the tensor memory accelerator copies into shared memory some views ahead.
 * Rows are interpolated along the columns once per row, not per voxel, by code without addresses (back_window.h): neither the
 * texture unit nor its 8-bit fractions are in the way. Places are computed relative to the tile, whose corner is found in
 * double, so that single precision keeps 1e-6 of a column. (Block, view) pairs that fit into no tile, or reach rows of which
 * there are no copies, are left to the plain kernel. Needs compute capability 9.0. */
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "analytic/back_window.h"
#include "analytic/direct_cuda.h"

#define SIDE 16     /* columns of voxels of a block, along x and y */
#define THREADS 256 /* SIDE * SIDE */
#define WARPS 8     /* THREADS / 32 */
#define ENTRIES 256 /* views whose places are in shared memory: THREADS at most, a multiple of 32 */
#define MOST_STAGES 4
#define SHARED_BYTES (227 << 10) /* of a multiprocessor, for blocks */
#define STATIC_BYTES 1280        /* what a block needs besides stages and table, with the system's share */

struct tiles_in {
	struct gt_back_grid grid;
	size_t tiles[2], words;
	double pad;
	int rows, stage_bytes, stages; /* of a tile */
	unsigned *left;                /* [tile][words]: bits of the views that were left out */
	float *out;
};

/* What a block needs of a view. Voxel (i, j) of the block:
 *   flat, parallel: 1/lambda = den, u = (A, A_i, A_j) . (1, i, j) lambda, v = (B, B_i, B_j) . (1, i, j) lambda
 *   arc: relative to the ray through the block's middle, with the distance to it as the unit: lateral a, along the ray 1 + m;
 *        e = |(a, 1 + m)| - 1, u = u0 + per_column atan(a / (1 + m)), v = (v0 + row e) / (1 + e)
 * and dv = k lambda, weight = scale lambda^2. u, v count from the tile's corner. */
struct entry {
	float a, ai, aj, b, bi, bj, d, di, dj, k, scale, per_column;
	int column, row, view, none;
};
static_assert(sizeof(struct entry) == 64, "four loads of 16 bytes");

/* Place of a column of voxels in a tile. */
struct place {
	float u, v, dv, weight;
};

template <int SHAPE> static __device__ __forceinline__ struct place find_place(const struct entry *e, float i, float j)
{
	const float4 *q = (const float4 *)e;
	const float4 q0 = q[0], q1 = q[1], q2 = q[2];
	struct place p;
	if (SHAPE == GT_ARC) {
		const float x = i - 0.5f * (SIDE - 1), y = j - 0.5f * (SIDE - 1);
		const float a = fmaf(q0.z, y, q0.y * x), m = fmaf(q2.x, y, q1.w * x);
		const float square = fmaf(a, a, m * (2.f + m)), inverse = rsqrtf(1.f + square);
		const float far = square / (1.f + (1.f + square) * inverse), t = __fdividef(a, 1.f + m), tt = t * t;
		const float angle = fabsf(t) < 0.1f ? t * fmaf(tt, fmaf(tt, fmaf(tt, -1.f / 7, 1.f / 5), -1.f / 3), 1.f) : atanf(t);
		p.u = fmaf(q2.w, angle, q0.x);
		p.v = fmaf(q1.y, far, q1.x) * inverse;
		p.dv = q2.y * inverse;
		p.weight = q2.z * inverse * inverse;
		return p;
	}
	const float den = fmaf(q2.x, j, fmaf(q1.w, i, q1.z));
	const float a = fmaf(q0.z, j, fmaf(q0.y, i, q0.x)), b = fmaf(q1.y, j, fmaf(q1.x, i, q0.w));
	float lambda;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(lambda) : "f"(den));
	p.u = a * lambda;
	p.v = b * lambda;
	p.dv = q2.y * lambda;
	p.weight = lambda * lambda;
	return p;
}

/* Where a block is seen: columns and rows from ... to (rows of the whole block, and of the voxels that exist); 0 if some
 * corner is not in front of the source. */
struct extent {
	double column[2], row[2], real[2];
};

static __host__ __device__ int find_extent(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3], int slices,
                                           struct extent *e)
{
	double lambda[2] = { INFINITY, 0 };
	e->column[0] = INFINITY;
	e->column[1] = -INFINITY;
	for (int c = 0; c < 4; c++) {
		double at[2], column, l;
		for (int a = 0; a < 2; a++) {
			const size_t last = from[a] + SIDE - 1 < g->n[a] ? from[a] + SIDE - 1 : g->n[a] - 1;
			at[a] = g->first[a] + (double)(c >> a & 1 ? last : from[a]) * g->pitch[a];
		}
		if (!gt_back_column(g->shape, w, at[0], at[1], &column, &l))
			return 0;
		e->column[0] = fmin(e->column[0], column);
		e->column[1] = fmax(e->column[1], column);
		lambda[0] = fmin(lambda[0], l);
		lambda[1] = fmax(lambda[1], l);
	}
	/* An arc is nearest to the source between corners: by a part h^2 / 8 L^2 at most, for a side h. */
	if (g->shape == GT_ARC) {
		const double x = SIDE * g->pitch[0] * lambda[1] / w->radius, y = SIDE * g->pitch[1] * lambda[1] / w->radius;
		lambda[1] *= 1 + 0.15 * (x * x + y * y);
	}
	const size_t top = from[2] + slices < g->n[2] ? from[2] + slices : g->n[2];
	e->row[0] = e->real[0] = INFINITY;
	e->row[1] = e->real[1] = -INFINITY;
	for (int c = 0; c < 6; c++) {
		const double z = g->first[2] + g->pitch[2] * (double)(c < 2 ? from[2] : c < 4 ? top - 1 : from[2] + slices - 1);
		const double row = w->row0 + lambda[c & 1] * (z - w->z0) * w->per_row;
		e->row[0] = fmin(e->row[0], row);
		e->row[1] = fmax(e->row[1], row);
		e->real[0] = c < 4 ? fmin(e->real[0], row) : e->real[0];
		e->real[1] = c < 4 ? fmax(e->real[1], row) : e->real[1];
	}
	return 1;
}

#define SLACK 1e-3 /* columns and rows, for rounding */

/* First column and row of the tile, and how many of each are needed. The accelerator wants even columns; runs read a row
 * below the first voxel's and two above the last one's. */
struct corner {
	int column, row, columns, rows;
};
static __host__ __device__ struct corner find_corner(const struct extent *e)
{
	struct corner c;
	c.column = (int)floor(e->column[0] - SLACK) & ~1;
	c.row = (int)floor(e->row[0] - SLACK) - 1;
	c.columns = (int)floor(e->column[1] + SLACK) - c.column + 1;
	c.rows = (int)floor(e->row[1] + SLACK) + 2 - c.row + 1;
	return c;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

enum { UNSEEN, LEFT_OUT, IN_TILE };

/* Is the view for a tile, for nobody, or for the plain kernel? */
static __device__ int sort_view(const struct tiles_in *in, int columns, const struct extent *e, const struct corner *c)
{
	const double last = (double)in->grid.rows - 1;
	if (e->column[1] < -SLACK || e->column[0] > (double)(in->grid.wide - 1) + SLACK)
		return UNSEEN;
	if (!in->grid.clamp_rows && (e->real[1] < -0.6 || e->real[0] > last + 0.6))
		return UNSEEN;
	return c->columns <= columns && c->rows <= in->rows && e->real[0] >= SLACK - in->pad && e->real[1] <= last + in->pad - SLACK
	               ? IN_TILE
	               : LEFT_OUT;
}

static __device__ void linear_entry(const struct gt_back_grid *g, const struct gt_back_view *w, double x, double y, double z,
                                    struct entry *e)
{
	const int parallel = g->shape == GT_PARALLEL;
	const double d = parallel ? 1 : w->depth[0] * x + w->depth[1] * y + w->depth[2];
	const double di = parallel ? 0 : w->depth[0] * g->pitch[0], dj = parallel ? 0 : w->depth[1] * g->pitch[1];
	const double column = w->column0 - e->column, row = w->row0 - e->row;
	e->d = (float)d;
	e->di = (float)di;
	e->dj = (float)dj;
	e->a = (float)(column * d + w->across[0] * x + w->across[1] * y + w->across[2]);
	e->ai = (float)(column * di + w->across[0] * g->pitch[0]);
	e->aj = (float)(column * dj + w->across[1] * g->pitch[1]);
	e->b = (float)(row * d + (z - w->z0) * w->per_row);
	e->bi = (float)(row * di);
	e->bj = (float)(row * dj);
	e->k = (float)(g->pitch[2] * w->per_row);
	e->scale = 1;
}

/* Fields of arcs: b is v0, bi the row that e multiplies, dj and di the increments of m. */
static __device__ void arc_entry(const struct gt_back_grid *g, const struct gt_back_view *w, double x, double y, double z, struct entry *e)
{
	const double xm = x + 0.5 * (SIDE - 1) * g->pitch[0], ym = y + 0.5 * (SIDE - 1) * g->pitch[1];
	const double a = w->across[0] * xm + w->across[1] * ym + w->across[2], d = w->depth[0] * xm + w->depth[1] * ym + w->depth[2];
	const double length = hypot(a, d), c = d / length, s = a / length, lambda = w->radius / length;
	e->ai = (float)((w->across[0] * c - w->depth[0] * s) * g->pitch[0] / length);
	e->aj = (float)((w->across[1] * c - w->depth[1] * s) * g->pitch[1] / length);
	e->di = (float)((w->depth[0] * c + w->across[0] * s) * g->pitch[0] / length);
	e->dj = (float)((w->depth[1] * c + w->across[1] * s) * g->pitch[1] / length);
	e->a = (float)(w->column0 - e->column + w->per_column * atan2(a, d));
	e->bi = (float)(w->row0 - e->row);
	e->b = (float)(w->row0 - e->row + lambda * (z - w->z0) * w->per_row);
	e->bj = e->d = 0;
	e->k = (float)(lambda * g->pitch[2] * w->per_row);
	e->scale = (float)(lambda * lambda);
	e->per_column = (float)w->per_column;
}

/* Places of the views from `first` on, one per thread; those that have a tile move up to the front. Returns how many. */
template <int SHAPE, int ZP, int COLUMNS>
static __device__ int make_entries(const struct tiles_in *in, size_t first, const size_t from[3], size_t tile, struct entry *table,
                                   int *count)
{
	const int thread = (int)threadIdx.x, lane = thread & 31, warp = thread >> 5;
	const struct gt_back_grid *g = &in->grid;
	const size_t v = first + thread;
	struct extent extent;
	struct corner corner = { 0, 0, 0, 0 };
	int kind = UNSEEN;
	if (thread < ENTRIES && v < g->views) {
		kind = find_extent(g, &g->view[v], from, ZP, &extent) ? IN_TILE : LEFT_OUT;
		if (kind == IN_TILE) {
			corner = find_corner(&extent);
			kind = sort_view(in, COLUMNS, &extent, &corner);
		}
	}
	const unsigned tiled = __ballot_sync(~0u, kind == IN_TILE), left = __ballot_sync(~0u, kind == LEFT_OUT);
	if (lane == 0) {
		count[warp] = __popc(tiled);
		if (thread < ENTRIES && v < g->views)
			in->left[tile * in->words + v / 32] = left;
	}
	__syncthreads();
	int place = __popc(tiled & ((1u << lane) - 1)), total = 0;
	for (int k = 0; k < WARPS; k++) {
		place += k < warp ? count[k] : 0;
		total += count[k];
	}
	if (kind == IN_TILE) {
		const double x = g->first[0] + (double)from[0] * g->pitch[0], y = g->first[1] + (double)from[1] * g->pitch[1];
		const double z = g->first[2] + (double)from[2] * g->pitch[2];
		struct entry e;
		e.column = corner.column;
		e.row = corner.row;
		e.view = (int)v;
		e.none = 0;
		if (SHAPE == GT_ARC)
			arc_entry(g, &g->view[v], x, y, z, &e);
		else
			linear_entry(g, &g->view[v], x, y, z, &e);
		table[place] = e;
	}
	__syncthreads();
	return total;
}

static __device__ __forceinline__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

static __device__ __forceinline__ void wait_for(uint64_t *barrier, unsigned phase)
{
	asm volatile("{\n"
	             ".reg .pred done;\n"
	             "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
	             "@!done bra again;\n"
	             "}" ::"r"(shared_address(barrier)),
	             "r"(phase)
	             : "memory");
}

/* Starts the copy of an entry's tile into a stage. */
static __device__ __forceinline__ void fetch(const CUtensorMap *map, const struct tiles_in *in, const struct entry *e, char *stage,
                                             uint64_t *barrier)
{
	const unsigned b = shared_address(barrier);
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(in->stage_bytes) : "memory");
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
			     shared_address(stage)),
	             "l"(map), "r"(2 * e->column), "r"(e->row + (int)in->pad), "r"(e->view), "r"(b)
	             : "memory");
}

/* 1 for the last warp that is done with a stage. */
static __device__ __forceinline__ int leave_stage(unsigned *done)
{
	unsigned before;
	asm volatile("atom.acq_rel.cta.shared::cta.inc.u32 %0, [%1], %2;"
	             : "=r"(before)
	             : "r"(shared_address(done)), "n"(WARPS - 1)
	             : "memory");
	return before == WARPS - 1;
}

#endif

/* Lanes of a half warp take 4 x 4 columns of voxels: their tiles' columns differ, so that few fall on the same bank. */
static __device__ __forceinline__ void lane_place(int *i, int *j)
{
	const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	*i = (lane & 3) + 4 * (lane >> 4) + 8 * (warp & 1);
	*j = (lane >> 2 & 3) + 4 * (warp >> 1);
}

template <int SHAPE, int STEPS, int ZP, int COLUMNS>
static __global__ void __launch_bounds__(THREADS, ZP == 64   ? 2
                                                  : ZP == 32 ? 3
                                                             : 4)
	back_tiles(const __grid_constant__ CUtensorMap map, const __grid_constant__ struct tiles_in in)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
	constexpr int PITCH = 8 * COLUMNS;
	extern __shared__ __align__(128) char stages[];
	__shared__ __align__(8) uint64_t full[MOST_STAGES];
	__shared__ unsigned done[MOST_STAGES];
	__shared__ int count[WARPS];
	const struct gt_back_grid *g = &in.grid;
	struct entry *table = (struct entry *)(stages + in.stages * in.stage_bytes);
	const size_t tile = blockIdx.x, ty = tile / in.tiles[0],
		     from[3] = { SIDE * (tile % in.tiles[0]), SIDE * (ty % in.tiles[1]), ZP * (ty / in.tiles[1]) };
	int i, j;
	lane_place(&i, &j);
	const size_t ix = from[0] + i, iy = from[1] + j;
	const double x = g->first[0] + (double)ix * g->pitch[0], y = g->first[1] + (double)iy * g->pitch[1];
	const int inside = ix < g->n[0] && iy < g->n[1] && hypot(x - g->center[0], y - g->center[1]) <= g->radius;
	if (threadIdx.x < MOST_STAGES) {
		done[threadIdx.x] = 0;
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[threadIdx.x])) : "memory");
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	}
	if (!__syncthreads_or(inside))
		return;
	/* Lanes beyond the grid stay within the tile. */
	const float fi = (float)(ix < g->n[0] ? i : (int)(g->n[0] - 1 - from[0])),
		    fj = (float)(iy < g->n[1] ? j : (int)(g->n[1] - 1 - from[1]));
	float sum[ZP];
#pragma unroll
	for (int z = 0; z < ZP; z++)
		sum[z] = 0;
	unsigned phases = 0;
	for (size_t first = 0; first < g->views; first += ENTRIES) {
		const int n = make_entries<SHAPE, ZP, COLUMNS>(&in, first, from, tile, table, count);
		if (threadIdx.x == 0)
			for (int k = 0; k < in.stages && k < n; k++)
				fetch(&map, &in, &table[k], stages + k * in.stage_bytes, &full[k]);
		int stage = 0;
#pragma unroll 1
		for (int k = 0; k < n; k++) {
			const struct place p = find_place<SHAPE>(&table[k], fi, fj);
			const float whole = __fadd_rd(p.u, GT_MAGIC), part = p.u - (whole - GT_MAGIC);
			const unsigned at = __float_as_uint(whole) * 8u + (unsigned)(stage * in.stage_bytes) - GT_MAGIC_BITS * 8u -
			                    GT_MAGIC_BITS * (unsigned)PITCH;
			wait_for(&full[stage], phases >> stage & 1);
			gt_add_column<STEPS, ZP, PITCH>(sum, stages, at, part, p.v, p.dv, p.weight);
			phases ^= 1u << stage;
			__syncwarp();
			if ((threadIdx.x & 31) == 0 && leave_stage(&done[stage]) && k + in.stages < n)
				fetch(&map, &in, &table[k + in.stages], stages + stage * in.stage_bytes, &full[stage]);
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

typedef void (*kernel)(const CUtensorMap, const struct tiles_in);

/* What there is: by steps, voxels along z and columns, for a flat and for an arc. 8-byte samples in rows of 12 or 4 modulo
 * 16 fall on different banks. */
#define KINDS(X)                 \
	X(GT_STEPS_NEAR, 64, 28) \
	X(GT_STEPS_NEAR, 64, 44) \
	X(GT_STEPS_LOW, 64, 28)  \
	X(GT_STEPS_ANY, 32, 28)  \
	X(GT_STEPS_ANY, 32, 44)  \
	X(GT_STEPS_ANY, 32, 60) X(GT_STEPS_ANY, 32, 92) X(GT_STEPS_ANY, 16, 28) X(GT_STEPS_ANY, 16, 44) X(GT_STEPS_ANY, 16, 92)

static const struct kind {
	int steps, zp, columns;
	kernel flat, arc;
} kinds[] = {
#define KIND(steps, zp, columns) { steps, zp, columns, back_tiles<GT_FLAT, steps, zp, columns>, back_tiles<GT_ARC, steps, zp, columns> },
	KINDS(KIND)
#undef KIND
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

struct tiles {
	gt_backend *be;
	const struct kind *kind;
	int rows, stages;
	size_t words, left_bytes;
	unsigned *left;
};

static int stage_bytes(const struct kind *k, int rows) { return 8 * k->columns * rows; }

static int blocks_at_once(const struct kind *k) { return k->zp == 64 ? 2 : k->zp == 32 ? 3 : 4; }

static int stages_of(const struct kind *k, int rows, int blocks)
{
	const int bytes = SHARED_BYTES / blocks - STATIC_BYTES - (int)sizeof(struct entry) * ENTRIES;
	const int n = bytes / stage_bytes(k, rows);
	return n < MOST_STAGES ? n : MOST_STAGES;
}

/* What tiles of zp slices need, on a sample of blocks and views. */
struct need {
	int columns, rows;
	double steps[2]; /* least and largest dv */
};

enum { SAMPLE_VIEWS = 16, SAMPLE_BLOCKS = 12 };

static void look_at(const struct gt_back_grid *g, const gt_direct_plan *p, const struct gt_back_view *w, size_t from[3], int zp,
                    struct need *n)
{
	const double x = g->first[0] + ((double)from[0] + SIDE / 2) * g->pitch[0],
		     y = g->first[1] + ((double)from[1] + SIDE / 2) * g->pitch[1];
	const size_t last = (g->n[2] - 1) / (size_t)zp * (size_t)zp;
	struct extent e;
	double column, lambda;
	if (hypot(x - p->center[0], y - p->center[1]) > p->radius + SIDE * (g->pitch[0] + g->pitch[1]) ||
	    !gt_back_column(g->shape, w, x, y, &column, &lambda))
		return;
	n->steps[0] = fmin(n->steps[0], lambda * g->pitch[2] * w->per_row);
	n->steps[1] = fmax(n->steps[1], lambda * g->pitch[2] * w->per_row);
	for (int end = 0; end < 2; end++) {
		from[2] = end ? last : 0;
		if (!find_extent(g, w, from, zp, &e) || e.column[1] < 0 || e.column[0] > (double)(p->row.wide - 1))
			continue;
		const struct corner c = find_corner(&e);
		n->columns = c.columns > n->columns ? c.columns : n->columns;
		n->rows = c.rows > n->rows ? c.rows : n->rows;
	}
}

static struct need find_need(const struct gt_back_grid *g, const gt_direct_plan *p, int zp)
{
	struct need n = { 0, 0, { INFINITY, 0 } };
	const size_t tiles[2] = { (g->n[0] + SIDE - 1) / SIDE, (g->n[1] + SIDE - 1) / SIDE };
	for (size_t v = 0; v < SAMPLE_VIEWS; v++)
		for (int c = 0; c < SAMPLE_BLOCKS * SAMPLE_BLOCKS; c++) {
			size_t from[3];
			for (int a = 0; a < 2; a++) {
				const size_t k = (size_t)(a ? c / SAMPLE_BLOCKS : c % SAMPLE_BLOCKS);
				from[a] = SIDE * (k * (tiles[a] - 1) / (SAMPLE_BLOCKS - 1));
			}
			look_at(g, p, &p->view[v * p->views / SAMPLE_VIEWS], from, zp, &n);
		}
	n.rows += n.rows / 32 + 1;
	n.columns += 1;
	return n;
}

static const struct kind *find_kind(int steps, int zp, int columns)
{
	for (int i = 0; i < NKINDS; i++)
		if (kinds[i].steps == steps && kinds[i].zp == zp && kinds[i].columns >= columns)
			return &kinds[i];
	return NULL;
}

/* The kind that fits: many voxels along z for steps that have runs, fewer for the others and where tiles get large. */
static const struct kind *choose(const struct gt_back_grid *g, const gt_direct_plan *p, int *rows, int *stages)
{
	for (int zp = g->n[2] > 32 ? 64 : g->n[2] > 16 ? 32 : 16; zp >= 16; zp /= 2) {
		const struct need n = find_need(g, p, zp);
		const double middle = (n.steps[0] + n.steps[1]) / 2;
		const int steps = zp < 64 || middle > 1.3 ? GT_STEPS_ANY : middle < 0.8 ? GT_STEPS_LOW : GT_STEPS_NEAR;
		const struct kind *k = find_kind(steps, zp, n.columns);
		*rows = (n.rows + 1) / 2 * 2;
		if (!k || *rows > 256)
			continue;
		*stages = stages_of(k, *rows, blocks_at_once(k));
		if (*stages < 2 && zp == 16)
			*stages = stages_of(k, *rows, 1);
		if (*stages >= 2)
			return k;
	}
	return NULL;
}

static struct gt_back_grid grid_of(const gt_direct_plan *p)
{
	struct gt_back_call c = {};
	c.plan = p;
	c.views = p->views;
	c.view = p->view;
	return gt_back_grid_of(&c);
}

static int deflected(const gt_direct_plan *p)
{
	for (size_t v = 0; v < p->views; v++)
		if (hypot(p->view[v].offset[0], p->view[v].offset[1]) > 1e-9 * p->view[v].radius)
			return 1;
	return 0;
}

typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                                    const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static encode_function find_encode(void)
{
	void *p = NULL;
	cudaDriverEntryPointQueryResult found;
	if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &p, 12000, cudaEnableDefault, &found) != cudaSuccess ||
	    found != cudaDriverEntryPointSuccess) {
		cudaGetLastError();
		return NULL;
	}
	return (encode_function)p;
}

static const char *cannot_(gt_backend *be, const gt_direct_plan *p, gt_type type)
{
	int device = 0, major = 0, rows, stages;
	if (type != GT_F32)
		return "expected single precision";
	gt_cuda_queue(be);
	if (cudaGetDevice(&device) != cudaSuccess ||
	    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess || major < 9 || !find_encode())
		return "expected a device of compute capability 9.0 or more";
	if (p->tilted)
		return "expected rows of the detector parallel to slices";
	if (p->shape == GT_ARC && deflected(p))
		return "expected arcs around their source, not a deflected focal spot";
	const struct gt_back_grid g = grid_of(p);
	return choose(&g, p, &rows, &stages) ? NULL : "a block of voxels is seen by more of the detector than fits into shared memory";
}

/* Rows beyond the detector that voxels reach: copies of its first and last row, as far as they cost little. */
static void layout_(gt_backend *, const gt_direct_plan *p, gt_type, gt_layout *l)
{
	const struct gt_back_grid g = grid_of(p);
	double beyond = 0;
	*l = { 1, (p->row.wide + 1) / 2 * 2, 0 };
	if (!p->clamp_rows)
		return;
	const struct need n = find_need(&g, p, 16);
	for (size_t v = 0; v < p->views; v++) {
		const struct gt_back_view *w = &p->view[v];
		const double largest = n.steps[1] / g.pitch[2], low = w->row0 + largest * (g.first[2] - w->z0);
		const double high = w->row0 + largest * (g.first[2] + g.pitch[2] * (double)(g.n[2] - 1) - w->z0);
		beyond = fmax(beyond, fmax(-low, high - (double)(p->rows - 1)));
	}
	const double most = (double)p->rows / 4 + 16;
	l->pad = beyond > 0 ? (size_t)(fmin(beyond, most) + 3) : 0;
}

static void close_(void *self)
{
	struct tiles *t = (struct tiles *)self;
	gt_backend_free(t->be, t->left, t->left_bytes);
	free(t);
}

static gt_status open_(gt_backend *be, const gt_direct_plan *p, gt_type, size_t batch, void **out)
{
	struct tiles *t = (struct tiles *)calloc(1, sizeof *t);
	const struct gt_back_grid g = grid_of(p);
	gt_status st = GT_OK;
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "no memory for filtered backprojection");
	t->be = be;
	t->kind = choose(&g, p, &t->rows, &t->stages);
	t->words = (batch + 31) / 32;
	const size_t zp = (size_t)t->kind->zp;
	t->left_bytes = (g.n[0] + SIDE - 1) / SIDE * ((g.n[1] + SIDE - 1) / SIDE) * ((g.n[2] + zp - 1) / zp) * t->words * sizeof *t->left;
	if (!(t->left = (unsigned *)gt_backend_alloc(be, t->left_bytes, "views that fit into no tile"))) {
		st = GT_ERR_MEMORY;
		goto done;
	}
	*out = t;
done:
	if (st != GT_OK)
		close_(t);
	return st;
}

/* The batch as a tensor of floats: pairs of columns, rows with their copies, views. */
static int describe(const struct tiles *t, const struct gt_back_call *c, CUtensorMap *map)
{
	const size_t row = gt_layout_row(&c->layout, c->type), rows = c->plan->rows + 2 * c->layout.pad;
	const cuuint64_t size[3] = { 2 * c->layout.pitch, rows, c->views }, stride[2] = { row, row * rows };
	const cuuint32_t box[3] = { 2 * (cuuint32_t)t->kind->columns, (cuuint32_t)t->rows, 1 }, step[3] = { 1, 1, 1 };
	const CUresult e = find_encode()(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, (void *)c->filtered, size, stride, box, step,
	                                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
	                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	if (e != CUDA_SUCCESS)
		gt_backend_fail(c->be, gt_fail(GT_ERR_DEVICE, "backprojection: no tensor map of %zu x %zu x %zu samples (error %d)",
		                               c->layout.pitch, rows, c->views, (int)e));
	return e != CUDA_SUCCESS;
}

static void run_(void *self, const struct gt_back_call *c)
{
	struct tiles *t = (struct tiles *)self;
	const struct kind *k = t->kind;
	struct tiles_in in = {};
	CUtensorMap map;
	if (describe(t, c, &map))
		return;
	in.grid = gt_back_grid_of(c);
	in.tiles[0] = (in.grid.n[0] + SIDE - 1) / SIDE;
	in.tiles[1] = (in.grid.n[1] + SIDE - 1) / SIDE;
	in.words = t->words;
	in.pad = (double)c->layout.pad;
	in.rows = t->rows;
	in.stage_bytes = stage_bytes(k, t->rows);
	in.stages = t->stages;
	in.left = t->left;
	in.out = (float *)c->x;
	const kernel run = c->plan->shape == GT_ARC ? k->arc : k->flat;
	const size_t slabs = (in.grid.n[2] + (size_t)k->zp - 1) / (size_t)k->zp;
	const int bytes = in.stages * in.stage_bytes + (int)sizeof(struct entry) * ENTRIES;
	cudaStream_t queue = gt_cuda_queue(c->be);
	if (gt_cuda_check(c->be, cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
	                  "backprojection: shared memory"))
		return;
	run<<<(unsigned)(in.tiles[0] * in.tiles[1] * slabs), THREADS, (size_t)bytes, queue>>>(map, in);
	if (gt_cuda_check(c->be, cudaGetLastError(), "backprojection of tiles"))
		return;
	gt_back_leftovers(c, t->left, t->words, (size_t)k->zp);
}

const struct gt_back_form gt_back_tiles = { cannot_, layout_, open_, run_, close_ };
