/* The way of tiles: a block takes one or four squares of 16 x 16 columns of ZP voxels, kept in registers, and all views of a
 * batch. What it sees of a view is a tile of few columns and rows, which the tensor memory accelerator copies into shared memory
 * some views ahead. Up to 1.9 rows per voxel rows are interpolated along the columns once per row, not per voxel, by code without
 * addresses (back_window.h): neither the texture unit nor its 8-bit fractions are in the way. Places are computed relative to the
 * tile, whose corner is found in double, so that single precision keeps 1e-6 of a column. (Block, view) pairs that fit into no
 * tile, or reach rows of which there are no copies, are left to the plain kernel. Where the upper half of a scan mirrors the lower one,
 * two voxels share most of what is computed for one. Needs compute capability 9.0. */
#include "analytic/back_block.h"
#include "analytic/back_window.h"

#define SLACK_UPRIGHT 1e-3 /* columns and rows, for rounding */
#define MIRROR_SLACK 1e-8  /* rows of the detector, and slices */
#define TILE_HEIGHTS 1     /* 1, 2 or 4: more cost these kernels more than the rows that they spare */

/* What a block needs of a view. Voxel (i, j) of the block:
 *   flat, parallel: 1/lambda = den, u = (A, A_i, A_j) . (1, i, j) lambda, v = (B, B_i, B_j) . (1, i, j) lambda
 *   arc: relative to the ray through the block's middle, with the distance to it as the unit: lateral a, along the ray 1 + m;
 *        e = |(a, 1 + m)| - 1, u = u0 + per_column atan(a / (1 + m)), v = (v0 + row e) / (1 + e)
 * and dv = k lambda, weight = scale lambda^2. u counts from the tile's middle column, v from its first row. */
struct entry {
	float a, ai, aj, b, bi, bj, d, di, dj, k, scale, per_column;
	struct gt_tile_at at;
};
static_assert(sizeof(struct entry) == ENTRY_BYTES, "four loads of 16 bytes");

/* Place of a column of voxels in a tile: its column from a whole one, its first voxel's row, rows per voxel. */
struct place {
	float whole, part, v, dv, weight;
	int middle; /* byte of the column that others count from */
};

/* Fills all but the column, which it returns. */
template <int SHAPE> static __device__ __forceinline__ float find_place(const struct entry *e, float i, float j, struct place *p)
{
	const float4 *q = (const float4 *)e;
	const float4 q0 = q[0], q1 = q[1], q2 = q[2];
	if (SHAPE == GT_ARC) {
		const float x = i - 0.5f * (SIDE - 1), y = j - 0.5f * (SIDE - 1);
		const float a = fmaf(q0.z, y, q0.y * x), m = fmaf(q2.x, y, q1.w * x);
		const float square = fmaf(a, a, m * (2.f + m)), inverse = rsqrtf(1.f + square);
		const float far = square / (1.f + (1.f + square) * inverse), t = __fdividef(a, 1.f + m), tt = t * t;
		const float angle = fabsf(t) < 0.1f ? t * fmaf(tt, fmaf(tt, fmaf(tt, -1.f / 7, 1.f / 5), -1.f / 3), 1.f) : atanf(t);
		p->v = fmaf(q1.x, far, q0.w) * inverse;
		p->dv = q2.y * inverse;
		p->weight = q2.z * inverse * inverse;
		return fmaf(q2.w, angle, q0.x);
	}
	const float den = fmaf(q2.x, j, fmaf(q1.w, i, q1.z));
	const float a = fmaf(q0.z, j, fmaf(q0.y, i, q0.x)), b = fmaf(q1.y, j, fmaf(q1.x, i, q0.w));
	float lambda;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(lambda) : "f"(den));
	p->v = b * lambda;
	p->dv = q2.y * lambda;
	p->weight = lambda * lambda;
	return a * lambda;
}

/* Returns 0 if some corner is not in front of the source. */
static __host__ __device__ int find_extent(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3], int side,
                                           int slices, struct gt_extent *e)
{
	double lambda[2] = { INFINITY, 0 };
	e->column[0] = INFINITY;
	e->column[1] = -INFINITY;
	for (int c = 0; c < 4; c++) {
		double at[2], column, l;
		for (int a = 0; a < 2; a++) {
			const size_t last = from[a] + side - 1 < g->n[a] ? from[a] + side - 1 : g->n[a] - 1;
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
		const double x = side * g->pitch[0] * lambda[1] / w->radius, y = side * g->pitch[1] * lambda[1] / w->radius;
		lambda[1] *= 1 + 0.15 * (x * x + y * y);
	}
	e->step = lambda[1] * g->pitch[2] * fabs(w->per_row);
	e->least = lambda[0] * g->pitch[2] * fabs(w->per_row);
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

/* Columns count from `middle` of the tile: that keeps them small. */
static __device__ void linear_entry(const struct gt_back_grid *g, const struct gt_back_view *w, int middle, double x, double y, double z,
                                    struct entry *e)
{
	const int parallel = g->shape == GT_PARALLEL;
	const double d = parallel ? 1 : w->depth[0] * x + w->depth[1] * y + w->depth[2];
	const double di = parallel ? 0 : w->depth[0] * g->pitch[0], dj = parallel ? 0 : w->depth[1] * g->pitch[1];
	const double column = w->column0 - e->at.column - middle, row = w->row0 - e->at.row;
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
static __device__ void arc_entry(const struct gt_back_grid *g, const struct gt_back_view *w, int middle, double x, double y, double z,
                                 struct entry *e)
{
	const double xm = x + 0.5 * (SIDE - 1) * g->pitch[0], ym = y + 0.5 * (SIDE - 1) * g->pitch[1];
	const double a = w->across[0] * xm + w->across[1] * ym + w->across[2], d = w->depth[0] * xm + w->depth[1] * ym + w->depth[2];
	const double length = hypot(a, d), c = d / length, s = a / length, lambda = w->radius / length;
	e->ai = (float)((w->across[0] * c - w->depth[0] * s) * g->pitch[0] / length);
	e->aj = (float)((w->across[1] * c - w->depth[1] * s) * g->pitch[1] / length);
	e->di = (float)((w->depth[0] * c + w->across[0] * s) * g->pitch[0] / length);
	e->dj = (float)((w->depth[1] * c + w->across[1] * s) * g->pitch[1] / length);
	e->a = (float)(w->column0 - e->at.column - middle + w->per_column * atan2(a, d));
	e->bi = (float)(w->row0 - e->at.row);
	e->b = (float)(w->row0 - e->at.row + lambda * (z - w->z0) * w->per_row);
	e->bj = e->d = 0;
	e->k = (float)(lambda * g->pitch[2] * w->per_row);
	e->scale = (float)(lambda * lambda);
	e->per_column = (float)w->per_column;
}

template <int SHAPE, int STEPS, int SQUARES_, int ZP, int COLUMNS, int FLOATS> struct way {
	typedef struct entry entry;
	typedef struct place place;
	static constexpr int SQUARES = SQUARES_, HEIGHT = ZP, SAMPLE = 4 * FLOATS, PITCH = SAMPLE * COLUMNS, MIDDLE = COLUMNS / 2;
	static constexpr int HEIGHTS = TILE_HEIGHTS, SIDES = GT_SIDES_OF(STEPS), PATCHES = 1, TOGETHER = 16;
	static constexpr double SLACK = SLACK_UPRIGHT;

	static __device__ int find_extent(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3],
	                                  struct gt_extent *e)
	{
		return ::find_extent(g, w, from, SQUARES * SIDE, ZP, e) &&
		       (STEPS != GT_STEPS_MIRRORED || (e->least > 1 - GT_NEAR && e->step < 1 + GT_NEAR));
	}
	/* Wide tiles count columns from one in the midst of what the block sees: its byte is in at.more, and below it whether voxels may be
	 * seen at the ends of rows. */
	static __device__ void fill(const struct gt_back_grid *g, const struct gt_back_view *w, const struct gt_extent *extent, double x,
	                            double y, double z, entry *e)
	{
		const int middle = FLOATS == 2 ? MIDDLE : ((int)extent->column[1] - e->at.column) / 2;
		const int ends = extent->column[0] < SLACK || extent->column[1] > (double)(g->wide - 1) - SLACK;
		e->at.more = 2 * middle * SAMPLE + ends;
		if (SHAPE == GT_ARC)
			arc_entry(g, w, middle, x, y, z, e);
		else
			linear_entry(g, w, middle, x, y, z, e);
	}
	static __device__ __forceinline__ place find(const entry *e, float i, float j, float last)
	{
		place p;
		const float u = find_place<SHAPE>(e, i, j, &p);
		p.whole = __fadd_rd(u, GT_MAGIC_SIGNED);
		p.part = u - (p.whole - GT_MAGIC_SIGNED);
		p.middle = FLOATS == 2 ? MIDDLE * SAMPLE : e->at.more >> 1;
		/* Samples without their slopes would fade beyond the last column. */
		if (FLOATS == 1 && (e->at.more & 1)) {
			const float column = u + (float)(e->at.column + p.middle / SAMPLE);
			p.weight = column >= 0 && column <= last ? p.weight : 0.f;
		}
		return p;
	}
	static __device__ __forceinline__ void move(place *p, const entry *e, float, float i, float j, float last)
	{
		*p = find(e, i, j, last);
	}
	static __device__ __forceinline__ void add(const struct gt_tiles_in *in, float *sum, const char *stages, unsigned stage,
	                                           const place *p)
	{
		const unsigned at = __float_as_uint(p->whole) * (unsigned)SAMPLE + (stage + (unsigned)p->middle) -
		                    GT_MAGIC_SIGNED_BITS * (unsigned)SAMPLE - GT_MAGIC_BITS * (unsigned)PITCH;
		const unsigned other = at + (unsigned)(in->half_bytes + (in->rows - 1) * PITCH) + 2 * GT_MAGIC_BITS * (unsigned)PITCH;
		gt_add_column<STEPS, ZP, PITCH, FLOATS>(sum, stages, at, other, &in->bias, p->part, p->v, p->dv, p->weight);
	}
};

#endif

/* Blocks that a multiprocessor takes at a time, by the sums of a thread. */
static constexpr int blocks_of(int squares, int slices)
{
	return squares * squares * slices == 64 ? 2 : squares * squares * slices == 32 ? 3 : 4;
}

template <int SHAPE, int STEPS, int SQUARES, int ZP, int COLUMNS, int FLOATS>
static __global__ void __launch_bounds__(THREADS, blocks_of(SQUARES, ZP *GT_SIDES_OF(STEPS)))
	back_tiles(const __grid_constant__ struct gt_tile_maps maps, const __grid_constant__ struct gt_tiles_in in)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
	gt_back_block<way<SHAPE, STEPS, SQUARES, ZP, COLUMNS, FLOATS>>(&maps, &in);
#endif
}

/* The form ---------------------------------------------------------------- */

/* What there is, by preference: steps, squares, voxels along z, columns, floats of a sample, and the least and the most slices of a
 * grid; for a flat and for an arc. 8-byte samples in rows of 12 or 4 modulo 16, and single ones in rows of 12, 16 or 20 modulo 32, fall
 * on different banks. Low grids fill the multiprocessors better with blocks of 32 slices; pairs of large steps take too many bytes; of few
 * slices little is moved in any case, and narrow tiles have the better places. */
#define ANY_HEIGHT ((size_t)-1)
#define KINDS(X)                                           \
	X(GT_STEPS_MIRRORED, 1, 32, 28, 2, 64, ANY_HEIGHT) \
	X(GT_STEPS_NEAR, 1, 64, 28, 2, 257, ANY_HEIGHT)    \
	X(GT_STEPS_NEAR, 1, 32, 28, 2, 17, ANY_HEIGHT)     \
	X(GT_STEPS_NEAR, 1, 64, 44, 2, 33, ANY_HEIGHT)     \
	X(GT_STEPS_LOW, 1, 64, 28, 2, 33, ANY_HEIGHT)      \
	X(GT_STEPS_HIGH, 1, 32, 48, 1, 17, ANY_HEIGHT)     \
	X(GT_STEPS_HIGH, 1, 32, 76, 1, 17, ANY_HEIGHT)     \
	X(GT_STEPS_ANY, 1, 32, 52, 1, 17, ANY_HEIGHT)      \
	X(GT_STEPS_ANY, 1, 16, 52, 1, 1, 16)               \
	X(GT_STEPS_ANY, 2, 16, 148, 1, 1, ANY_HEIGHT)      \
	X(GT_STEPS_ANY, 1, 32, 76, 1, 17, ANY_HEIGHT)      \
	X(GT_STEPS_ANY, 1, 32, 108, 1, 17, ANY_HEIGHT)     \
	X(GT_STEPS_ANY, 1, 16, 52, 1, 17, ANY_HEIGHT)      \
	X(GT_STEPS_ANY, 1, 16, 108, 1, 1, ANY_HEIGHT)

static const struct kind {
	int steps, squares, zp, columns, floats;
	size_t least, most;
	gt_tiles_kernel flat, arc;
} kinds[] = {
#define KIND(steps, squares, zp, columns, floats, least, most)      \
	{ steps,                                                    \
	  squares,                                                  \
	  zp,                                                       \
	  columns,                                                  \
	  floats,                                                   \
	  least,                                                    \
	  most,                                                     \
	  back_tiles<GT_FLAT, steps, squares, zp, columns, floats>, \
	  back_tiles<GT_ARC, steps, squares, zp, columns, floats> },
	KINDS(KIND)
#undef KIND
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static int stage_bytes(const struct kind *k, int rows) { return 4 * GT_SIDES_OF(k->steps) * k->floats * k->columns * rows; }

enum { SAMPLE_VIEWS = 16, SAMPLE_BLOCKS = 12 };

/* Block c of a sample of those of one view. Returns 0 if the mask leaves nothing of it. */
static int sample_block(const struct gt_back_grid *g, int c, int side, size_t from[3])
{
	double at[2];
	for (int a = 0; a < 2; a++) {
		const size_t k = (size_t)(a ? c / SAMPLE_BLOCKS : c % SAMPLE_BLOCKS), tiles = (g->n[a] + side - 1) / side;
		from[a] = side * (k * (tiles - 1) / (SAMPLE_BLOCKS - 1));
		at[a] = g->first[a] + ((double)from[a] + 0.5 * side) * g->pitch[a] - g->center[a];
	}
	return hypot(at[0], at[1]) <= g->radius + side * (g->pitch[0] + g->pitch[1]);
}

/* Least and largest rows per voxel. */
static void find_steps(const struct gt_back_grid *g, const gt_direct_plan *p, double steps[2])
{
	size_t from[3];
	double column, lambda;
	steps[0] = INFINITY;
	steps[1] = 0;
	for (size_t v = 0; v < SAMPLE_VIEWS; v++)
		for (int c = 0; c < SAMPLE_BLOCKS * SAMPLE_BLOCKS; c++) {
			const struct gt_back_view *w = &p->view[v * p->views / SAMPLE_VIEWS];
			if (!sample_block(g, c, SIDE, from) ||
			    !gt_back_column(g->shape, w, g->first[0] + ((double)from[0] + SIDE / 2) * g->pitch[0],
			                    g->first[1] + ((double)from[1] + SIDE / 2) * g->pitch[1], &column, &lambda))
				continue;
			steps[0] = fmin(steps[0], lambda * g->pitch[2] * w->per_row);
			steps[1] = fmax(steps[1], lambda * g->pitch[2] * w->per_row);
		}
}

/* What tiles of a kind need. */
struct need {
	int columns, rows;
};

static struct need find_need(const struct gt_back_grid *g, const gt_direct_plan *p, const struct kind *k)
{
	const size_t last = (g->n[2] - 1) / (size_t)k->zp * (size_t)k->zp;
	struct need n = { 0, 0 };
	for (size_t v = 0; v < SAMPLE_VIEWS; v++)
		for (int c = 0; c < 2 * SAMPLE_BLOCKS * SAMPLE_BLOCKS; c++) {
			size_t from[3] = { 0, 0, c & 1 ? last : 0 };
			struct gt_extent e;
			if (!sample_block(g, c / 2, k->squares * SIDE, from) ||
			    !find_extent(g, &p->view[v * p->views / SAMPLE_VIEWS], from, k->squares * SIDE, k->zp, &e) || e.column[1] < 0 ||
			    e.column[0] > (double)(p->row.wide - 1))
				continue;
			const struct gt_corner corner = gt_find_corner(&e, k->floats, SLACK_UPRIGHT);
			n.columns = corner.columns > n.columns ? corner.columns : n.columns;
			n.rows = corner.rows > n.rows ? corner.rows : n.rows;
		}
	n.rows += n.rows / 32 + 1;
	n.columns += 1;
	return n;
}

static int fits(const struct kind *k, const struct gt_back_grid *g, const gt_direct_plan *p, int *rows, int *stages)
{
	const struct need n = find_need(g, p, k);
	*rows = (n.rows + 7) / 8 * 8; /* stages begin at multiples of 128 bytes */
	if (n.columns > k->columns || *rows > 256)
		return 0;
	for (int blocks = blocks_of(k->squares, k->zp * GT_SIDES_OF(k->steps)); blocks >= (k->squares * k->zp > 16 ? 2 : 1); blocks--)
		if ((*stages = gt_stages_of(stage_bytes(k, *rows), blocks)) >= 2)
			return 1;
	return 0;
}

/* The upper half of all views mirrors the lower one, in whole blocks. */
static int mirrored(const struct gt_back_grid *g, const gt_direct_plan *p, int slices)
{
	const double middle = g->first[2] + 0.5 * (double)(g->n[2] - 1) * g->pitch[2], row = 0.5 * (double)(p->rows - 1);
	for (size_t v = 0; v < p->views; v++)
		if (!(fabs(p->view[v].row0 - row) < MIRROR_SLACK && fabs(p->view[v].z0 - middle) < MIRROR_SLACK * g->pitch[2]))
			return 0;
	return g->n[2] % (2 * (size_t)slices) == 0;
}

static int suits(const struct kind *k, const struct gt_back_grid *g, const gt_direct_plan *p, const double steps[2], int own)
{
	if (g->n[2] < k->least || g->n[2] > k->most)
		return 0;
	if (k->steps == GT_STEPS_MIRRORED)
		return steps[0] > 1 - 0.99 * GT_NEAR && steps[1] < 1 + 0.99 * GT_NEAR && mirrored(g, p, k->zp);
	return k->steps == own || k->steps == GT_STEPS_ANY;
}

/* The first that has runs for most steps, or takes any, and fits. */
static const struct kind *choose_kind(const struct gt_back_grid *g, const gt_direct_plan *p, const double steps[2], int *rows, int *stages)
{
	const double middle = (steps[0] + steps[1]) / 2;
	const int own = middle > 1.9 ? GT_STEPS_ANY : middle > 1.3 ? GT_STEPS_HIGH : middle < 0.8 ? GT_STEPS_LOW : GT_STEPS_NEAR;
	for (const struct kind *k = kinds; k < kinds + NKINDS && steps[1] <= GT_MOST_STEP; k++)
		if (suits(k, g, p, steps, own) && fits(k, g, p, rows, stages))
			return k;
	return NULL;
}

/* Sampled in the middle of blocks: at a corner a step may be a third larger. Blocks with larger steps are left out. */
static struct gt_bias bias_of(double most_step)
{
	int bits = 4;
	while (bits < 6 && 1 + 1.37 * most_step * (GT_ANY_RUN - 1) > 1 << bits)
		bits++;
	const float bias = (float)(1 << bits);
	return { -bias, GT_MAGIC + bias, ~0u << (23 - bits), (bias - 1) / (GT_ANY_RUN - 1) };
}

static int deflected(const gt_direct_plan *p)
{
	for (size_t v = 0; v < p->views; v++)
		if (hypot(p->view[v].offset[0], p->view[v].offset[1]) > 1e-9 * p->view[v].radius)
			return 1;
	return 0;
}

/* Rows beyond the detector that voxels reach: copies of its first and last row, as far as they cost little. */
static size_t rows_beyond(const struct gt_back_grid *g, const gt_direct_plan *p, double most_step)
{
	const double largest = most_step / g->pitch[2], most = (double)p->rows / 4 + 16;
	double beyond = 0;
	for (size_t v = 0; v < p->views; v++) {
		const struct gt_back_view *w = &p->view[v];
		const double low = w->row0 + largest * (g->first[2] - w->z0);
		const double high = w->row0 + largest * (g->first[2] + g->pitch[2] * (double)(g->n[2] - 1) - w->z0);
		beyond = fmax(beyond, fmax(-low, high - (double)(p->rows - 1)));
	}
	return beyond > 0 ? (size_t)(fmin(beyond, most) + 3) : 0;
}

static const char *choose_(gt_backend *be, const gt_direct_plan *p, gt_type type, struct gt_back_choice *c)
{
	double steps[2];
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
	find_steps(&g, p, steps);
	const struct kind *k = choose_kind(&g, p, steps, &c->rows, &c->stages);
	if (!k)
		return "a block of voxels is seen by more of the detector than fits into shared memory";
	c->kind = k;
	c->layout = { k->floats == 2, (p->row.wide + 3) / 4 * 4, p->clamp_rows ? rows_beyond(&g, p, steps[1]) : 0 };
	c->bias = bias_of(steps[1]);
	return NULL;
}

static gt_status open_(gt_backend *be, const gt_direct_plan *p, const struct gt_back_choice *c, size_t batch, void **out)
{
	struct gt_tiles *t;
	const struct kind *k = (const struct kind *)c->kind;
	const gt_status st = gt_tiles_new(be, p, batch, k->squares * SIDE, k->zp, &t);
	if (st != GT_OK)
		return st;
	t->kind = k;
	t->bias = c->bias;
	t->rows = c->rows;
	t->heights = TILE_HEIGHTS;
	t->sides = GT_SIDES_OF(k->steps);
	t->stages = c->stages;
	*out = t;
	return GT_OK;
}

static void run_(void *self, const struct gt_back_call *c)
{
	const struct gt_tiles *t = (const struct gt_tiles *)self;
	const struct kind *k = (const struct kind *)t->kind;
	gt_tiles_run(t, c, c->plan->shape == GT_ARC ? k->arc : k->flat, k->columns);
}

const struct gt_back_form gt_back_tiles = { choose_, open_, run_, gt_tiles_free };
