/* The way of tiles: a block takes 16 x 16 columns of ZP voxels, kept in registers, and all views of a batch. What it sees of
 * a view is a tile of few columns and rows, which the tensor memory accelerator copies into shared memory some views ahead.
 * Rows are interpolated along the columns once per row, not per voxel, by code without addresses (back_window.h): neither the
 * texture unit nor its 8-bit fractions are in the way. Places are computed relative to the tile, whose corner is found in
 * double, so that single precision keeps 1e-6 of a column. (Block, view) pairs that fit into no tile, or reach rows of which
 * there are no copies, are left to the plain kernel. Needs compute capability 9.0. */
#include "analytic/back_tile.h"
#include "analytic/back_window.h"

#define SLACK 1e-3 /* columns and rows, for rounding */

/* What a block needs of a view. Voxel (i, j) of the block:
 *   flat, parallel: 1/lambda = den, u = (A, A_i, A_j) . (1, i, j) lambda, v = (B, B_i, B_j) . (1, i, j) lambda
 *   arc: relative to the ray through the block's middle, with the distance to it as the unit: lateral a, along the ray 1 + m;
 *        e = |(a, 1 + m)| - 1, u = u0 + per_column atan(a / (1 + m)), v = (v0 + row e) / (1 + e)
 * and dv = k lambda, weight = scale lambda^2. u, v count from the tile's corner. */
struct entry {
	float a, ai, aj, b, bi, bj, d, di, dj, k, scale, per_column;
	struct gt_tile_at at;
};
static_assert(sizeof(struct entry) == ENTRY_BYTES, "four loads of 16 bytes");

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
		p.v = fmaf(q1.x, far, q0.w) * inverse;
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

/* Returns 0 if some corner is not in front of the source. */
static __host__ __device__ int find_extent(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3], int slices,
                                           struct gt_extent *e)
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

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* Is the view for a tile, for nobody, or for the plain kernel? */
static __device__ int sort_view(const struct gt_tiles_in *in, int columns, const struct gt_extent *e, const struct gt_corner *c)
{
	const double last = (double)in->grid.rows - 1;
	if (e->column[1] < -SLACK || e->column[0] > (double)(in->grid.wide - 1) + SLACK)
		return GT_UNSEEN;
	if (!in->grid.clamp_rows && (e->real[1] < -0.6 || e->real[0] > last + 0.6))
		return GT_UNSEEN;
	return c->columns <= columns && c->rows <= in->rows && e->real[0] >= SLACK - in->pad && e->real[1] <= last + in->pad - SLACK
	               ? GT_IN_TILE
	               : GT_LEFT_OUT;
}

static __device__ void linear_entry(const struct gt_back_grid *g, const struct gt_back_view *w, double x, double y, double z,
                                    struct entry *e)
{
	const int parallel = g->shape == GT_PARALLEL;
	const double d = parallel ? 1 : w->depth[0] * x + w->depth[1] * y + w->depth[2];
	const double di = parallel ? 0 : w->depth[0] * g->pitch[0], dj = parallel ? 0 : w->depth[1] * g->pitch[1];
	const double column = w->column0 - e->at.column, row = w->row0 - e->at.row;
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
	e->a = (float)(w->column0 - e->at.column + w->per_column * atan2(a, d));
	e->bi = (float)(w->row0 - e->at.row);
	e->b = (float)(w->row0 - e->at.row + lambda * (z - w->z0) * w->per_row);
	e->bj = e->d = 0;
	e->k = (float)(lambda * g->pitch[2] * w->per_row);
	e->scale = (float)(lambda * lambda);
	e->per_column = (float)w->per_column;
}

/* Places of the views from `first` on, one per thread; those that have a tile move up to the front. Returns how many. */
template <int SHAPE, int ZP, int COLUMNS>
static __device__ int make_entries(const struct gt_tiles_in *in, size_t first, const size_t from[3], size_t tile, struct entry *table,
                                   int *count)
{
	const int thread = (int)threadIdx.x;
	const struct gt_back_grid *g = &in->grid;
	const size_t v = first + thread;
	struct gt_extent extent;
	struct gt_corner corner = { 0, 0, 0, 0 };
	int kind = GT_UNSEEN;
	if (thread < ENTRIES && v < g->views) {
		kind = find_extent(g, &g->view[v], from, ZP, &extent) ? GT_IN_TILE : GT_LEFT_OUT;
		if (kind == GT_IN_TILE) {
			corner = gt_find_corner(&extent, in->floats, SLACK);
			kind = sort_view(in, COLUMNS, &extent, &corner);
		}
	}
	int place;
	unsigned *left = thread < ENTRIES && v < g->views ? &in->left[tile * in->words + v / 32] : NULL;
	const int total = gt_tile_sort(kind, left, count, &place);
	if (kind == GT_IN_TILE) {
		const double x = g->first[0] + (double)from[0] * g->pitch[0], y = g->first[1] + (double)from[1] * g->pitch[1];
		const double z = g->first[2] + (double)from[2] * g->pitch[2];
		struct entry e;
		e.at = { corner.column, corner.row, (int)v, 0 };
		if (SHAPE == GT_ARC)
			arc_entry(g, &g->view[v], x, y, z, &e);
		else
			linear_entry(g, &g->view[v], x, y, z, &e);
		table[place] = e;
	}
	__syncthreads();
	return total;
}

#endif

template <int SHAPE, int STEPS, int ZP, int COLUMNS, int FLOATS>
static __global__ void __launch_bounds__(THREADS, ZP == 64   ? 2
                                                  : ZP == 32 ? 3
                                                             : 4)
	back_tiles(const __grid_constant__ CUtensorMap map, const __grid_constant__ struct gt_tiles_in in)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
	constexpr int SAMPLE = 4 * FLOATS, PITCH = SAMPLE * COLUMNS;
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
				gt_fetch(&map, &in, &table[k].at, stages + k * in.stage_bytes, &full[k]);
		int stage = 0;
#pragma unroll 1
		for (int k = 0; k < n; k++) {
			const struct place p = find_place<SHAPE>(&table[k], fi, fj);
			const float whole = __fadd_rd(p.u, GT_MAGIC), part = p.u - (whole - GT_MAGIC);
			const unsigned at = __float_as_uint(whole) * (unsigned)SAMPLE + (unsigned)(stage * in.stage_bytes) -
			                    GT_MAGIC_BITS * (unsigned)SAMPLE - GT_MAGIC_BITS * (unsigned)PITCH;
			/* Samples without their slopes would fade beyond the last column. */
			const float column = p.u + (float)table[k].at.column;
			const float weight = FLOATS == 2 || (column >= 0 && column <= (float)(g->wide - 1)) ? p.weight : 0.f;
			gt_wait_for(&full[stage], phases >> stage & 1);
			gt_add_column<STEPS, ZP, PITCH, FLOATS>(sum, stages, at, part, p.v, p.dv, weight);
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

/* What there is: by steps, voxels along z, columns, and floats of a sample, for a flat and for an arc. 8-byte samples in rows of
 * 12 or 4 modulo 16 fall on different banks. Large steps would take too many bytes as pairs. */
#define KINDS(X)                    \
	X(GT_STEPS_NEAR, 64, 28, 2) \
	X(GT_STEPS_NEAR, 64, 44, 2) \
	X(GT_STEPS_LOW, 64, 28, 2)  \
	X(GT_STEPS_ANY, 32, 28, 2)  \
	X(GT_STEPS_ANY, 32, 44, 2)  \
	X(GT_STEPS_ANY, 32, 60, 2)  \
	X(GT_STEPS_ANY, 32, 76, 1)  \
	X(GT_STEPS_ANY, 32, 108, 1) \
	X(GT_STEPS_ANY, 16, 28, 2) X(GT_STEPS_ANY, 16, 60, 2) X(GT_STEPS_ANY, 16, 108, 1)

static const struct kind {
	int steps, zp, columns, floats;
	kernel flat, arc;
} kinds[] = {
#define KIND(steps, zp, columns, floats) \
	{ steps, zp, columns, floats, back_tiles<GT_FLAT, steps, zp, columns, floats>, back_tiles<GT_ARC, steps, zp, columns, floats> },
	KINDS(KIND)
#undef KIND
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static int stage_bytes(const struct kind *k, int rows) { return 4 * k->floats * k->columns * rows; }

static int blocks_at_once(const struct kind *k) { return k->zp == 64 ? 2 : k->zp == 32 ? 3 : 4; }

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
	struct gt_extent e;
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
		const struct gt_corner c = gt_find_corner(&e, 2, SLACK);
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
		*rows = (n.rows + 7) / 8 * 8; /* stages begin at multiples of 128 bytes */
		if (!k || *rows > 256)
			continue;
		for (int blocks = blocks_at_once(k); blocks >= (zp > 16 ? 2 : 1); blocks--)
			if ((*stages = gt_stages_of(stage_bytes(k, *rows), blocks)) >= 2)
				return k;
	}
	return NULL;
}

static int deflected(const gt_direct_plan *p)
{
	for (size_t v = 0; v < p->views; v++)
		if (hypot(p->view[v].offset[0], p->view[v].offset[1]) > 1e-9 * p->view[v].radius)
			return 1;
	return 0;
}

static const char *cannot_(gt_backend *be, const gt_direct_plan *p, gt_type type)
{
	int rows, stages;
	if (type != GT_F32)
		return "expected single precision";
	const char *device = gt_tiles_device(be);
	if (device)
		return device;
	if (p->tilted)
		return "expected rows of the detector parallel to slices";
	if (p->shape == GT_ARC && deflected(p))
		return "expected arcs around their source, not a deflected focal spot";
	const struct gt_back_grid g = gt_plan_grid(p);
	return choose(&g, p, &rows, &stages) ? NULL : "a block of voxels is seen by more of the detector than fits into shared memory";
}

/* Rows beyond the detector that voxels reach: copies of its first and last row, as far as they cost little. */
static void layout_(gt_backend *, const gt_direct_plan *p, gt_type, gt_layout *l)
{
	const struct gt_back_grid g = gt_plan_grid(p);
	double beyond = 0;
	int rows, stages;
	const struct kind *k = choose(&g, p, &rows, &stages);
	*l = { k->floats == 2, (p->row.wide + 3) / 4 * 4, 0 };
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

static gt_status open_(gt_backend *be, const gt_direct_plan *p, gt_type, size_t batch, void **out)
{
	const struct gt_back_grid g = gt_plan_grid(p);
	struct gt_tiles *t;
	int rows, stages;
	const struct kind *k = choose(&g, p, &rows, &stages);
	const gt_status st = gt_tiles_new(be, p, batch, k->zp, &t);
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
	const size_t blocks = gt_tiles_in_of(c, k->zp, &in);
	if (gt_tiles_describe(c, k->columns, t->rows, &map))
		return;
	in.words = t->words;
	in.left = t->left;
	in.rows = t->rows;
	in.stages = t->stages;
	in.stage_bytes = stage_bytes(k, t->rows);
	const kernel run = c->plan->shape == GT_ARC ? k->arc : k->flat;
	const int bytes = in.stages * in.stage_bytes + ENTRY_BYTES * ENTRIES;
	cudaStream_t queue = gt_cuda_queue(c->be);
	if (gt_cuda_check(c->be, cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
	                  "backprojection: shared memory"))
		return;
	run<<<(unsigned)blocks, THREADS, (size_t)bytes, queue>>>(map, in);
	if (!gt_cuda_check(c->be, cudaGetLastError(), "backprojection of tiles"))
		gt_back_leftovers(c, t->left, t->words, (size_t)k->zp);
}

const struct gt_back_form gt_back_tiles = { cannot_, layout_, open_, run_, gt_tiles_free };
