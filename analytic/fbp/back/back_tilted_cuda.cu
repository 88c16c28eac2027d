/* Tiled kernel for views with matrices, whose rows are not parallel to slices: every voxel has its own column and row,
 * and reads four samples of the tile, in single precision. If the depth grows by a fraction e per slice, a voxel k
 * slices from the centre of a run has the row v + v' k / (1 + e k), likewise for columns. Its weight is
 * w / (1 + e k)^2. Within RUN voxels these are powers of k, which avoids the division: weights to the order DRIFT,
 * columns to DRIFT + 1, rows to at least the second. Small tiles hold pairs, a sample and the difference to the next
 * one, which halves the loads. Blocks that fit into no tile of a view are left to the plain kernel. Tiles and entries
 * are in shared memory, sums in registers; see back_tile_cuda.cu for the device. */
#include <stdlib.h>
#include "analytic/fbp/back/tile_loop.cuh"
#include "analytic/fbp/back/tile_rows.cuh"

#define SLICES 16         /* voxels along z of a block */
#define SLACK_TILTED 2e-2 /* columns and rows, for rounding and nonlinearity */
#define TILE_HEIGHTS 4    /* 1, 2 or 4: tiles as high as their view needs */
#define MAX_BEND 2e-6     /* pixels, of the omitted terms within a run */
#define MAX_DRIFT 5e-7    /* relative to the weight, likewise */
#define MAX_STEADY 1e-5   /* RMS relative to the weight, without drift */

/* (column, row, 1) / lambda of voxel (i, j, k) of the block = a, b, d . (1, i, j, k). Columns and rows are counted from
 * a pixel near the centre of the tile, which keeps them small. */
struct entry {
	float a[4], b[4], d[4];
	struct gt_tile_at at;
};
static_assert(sizeof(struct entry) == ENTRY_BYTES, "four loads of 16 bytes");

/* Returns 0 if some corner is not in front of the source. The projection of a box is within the projections of its
 * corners. */
static __host__ __device__ int find_extent(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3], int side,
                                           int slices, struct gt_extent *e)
{
	e->column[0] = e->row[0] = e->real[0] = INFINITY;
	e->column[1] = e->row[1] = e->real[1] = -INFINITY;
	e->step = 0;
	for (int c = 0; c < 12; c++) {
		double at[3], column, row, lambda;
		for (int a = 0; a < 2; a++) {
			const size_t last = from[a] + side - 1 < g->n[a] ? from[a] + side - 1 : g->n[a] - 1;
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

/* A column of voxels in a view: numerators and denominator of its first voxel, and their steps along z. */
struct place {
	float a, b, d, da, db, dd;
	float ai, bi, di; /* steps along x */
	float last;       /* last column of the detector */
	const struct gt_tile_at *at;
};

/* Bounds of the columns and rows that a run crosses on either side. */
template <int RUN> struct reach {
	static constexpr int U = 8, V = RUN == 1 ? 8 : 2 * RUN;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

static __device__ void set_row(const struct gt_back_grid *g, const double *row, const double *depth, int corner, double x, double y,
                               double z, float out[4])
{
	out[0] = (float)(gt_back_dot(row, x, y, z) - corner * gt_back_dot(depth, x, y, z));
	for (int a = 0; a < 3; a++)
		out[1 + a] = (float)((row[a] - corner * depth[a]) * g->pitch[a]);
}

/* Reads the sample at t = (BIAS_U + column, BIAS_V + row); base: the byte of (-BIAS_U, -BIAS_V). */
template <int PITCH, int FLOATS, int BIAS_U, int BIAS_V>
static __device__ __forceinline__ float sample(const char *stages, float base, float tu, float tv)
{
	float right, above;
	const float u = gt_cut<BIAS_U>(tu, &right), v = gt_cut<BIAS_V>(tv, &above);
	const char *q = stages + __float_as_int(fmaf(v, gt_bits(PITCH), fmaf(u, gt_bits(4 * FLOATS), base)));
	const float low = gt_row_value<FLOATS>(q, right), high = gt_row_value<FLOATS>(q + PITCH, right);
	return fmaf(above, high - low, low);
}

/* base: the byte of the origin of columns and rows; first: its column of the detector. ENDS: voxels beyond the first
 * and the last column get nothing, because samples would fade there. */
template <int ZP, int RUN, int DRIFT, int PITCH, int FLOATS, int ENDS>
static __device__ __forceinline__ void add_view(float *sum, const char *stages, float base, float first, const struct place *p)
{
	constexpr int U = reach<RUN>::U, V = reach<RUN>::V;
#pragma unroll
	for (int z = 0; z < ZP; z += RUN) {
		const float middle = z + 0.5f * (RUN - 1), lambda = gt_rcp_approx(fmaf(p->dd, middle, p->d));
		const float u = fmaf(p->da, middle, p->a) * lambda, v = fmaf(p->db, middle, p->b) * lambda, weight = lambda * lambda;
		const float du = fmaf(-u, p->dd, p->da) * lambda, dv = fmaf(-v, p->dd, p->db) * lambda;
		const float e = p->dd * lambda, bend_u = -du * e, bend_v = -dv * e, drift = -2 * e * weight;
		const float cube_u = -bend_u * e, cube_v = -bend_v * e, bow = -1.5f * e * drift;
		/* Whole columns and rows less 3 U and 3 V: BIAS 2 U and 2 V, and U and V to the left and below. */
		const float wu = __fadd_rd(u, GT_MAGIC_SIGNED) - (GT_MAGIC_SIGNED + 3 * U),
			    wv = __fadd_rd(v, GT_MAGIC_SIGNED) - (GT_MAGIC_SIGNED + 3 * V);
		const float tu = u - wu, tv = v - wv, from = fmaf(wv, gt_bits(PITCH), fmaf(wu, gt_bits(4 * FLOATS), base));
#pragma unroll
		for (int k = 0; k < RUN; k++) {
			const float step = k - 0.5f * (RUN - 1), square = step * step;
			const float slope_u = DRIFT > 1 ? fmaf(cube_u, square, du) : du,
				    slope_v = DRIFT > 1 ? fmaf(cube_v, square, dv) : dv;
			const float at = fmaf(slope_u, step, DRIFT ? fmaf(bend_u, square, tu) : tu), column = at + (wu + first);
			const float row = fmaf(slope_v, step, fmaf(bend_v, square, tv));
			const float value = sample<PITCH, FLOATS, 2 * U, 2 * V>(stages, from, at, row);
			const float w = DRIFT ? fmaf(drift, step, DRIFT > 1 ? fmaf(bow, square, weight) : weight) : weight;
			sum[z + k] = fmaf(ENDS && !(column >= 0 && column <= p->last) ? 0.f : w, value, sum[z + k]);
		}
	}
}

template <int SQUARES_, int ZP, int RUN, int DRIFT, int COLUMNS, int FLOATS> struct way {
	typedef struct entry entry;
	typedef struct place place;
	static constexpr int SQUARES = SQUARES_, HEIGHT = ZP, HEIGHTS = TILE_HEIGHTS, SIDES = 1, SAMPLE = 4 * FLOATS,
			     PITCH = SAMPLE * COLUMNS;
	/* otherwise the loop over views, short of registers, is 2 and 10 % slower */
	static constexpr int PATCHES = 0, TOGETHER = 1;
	static constexpr bool APART = false;
	static constexpr double SLACK = SLACK_TILTED;

	static __device__ int find_extent(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3],
	                                  struct gt_extent *e)
	{
		return ::find_extent(g, w, from, SQUARES * SIDE, ZP, e);
	}
	/* Columns and rows are counted from the centre of the block's projection on the tile. Its byte is in at.more,
	 * and in the low bits whether voxels may be seen at the ends of rows. */
	static __device__ void fill(const struct gt_back_grid *g, const struct gt_back_view *w, const struct gt_extent *extent, double x,
	                            double y, double z, entry *e)
	{
		const double *m = w->matrix;
		const int column = ((int)extent->column[1] - e->at.column) / 2, row = ((int)extent->row[1] - e->at.row) / 2;
		const int ends = FLOATS == 1 && (extent->column[0] < SLACK || extent->column[1] > (double)(g->wide - 1) - SLACK);
		set_row(g, m, m + 8, e->at.column + column, x, y, z, e->a);
		set_row(g, m + 4, m + 8, e->at.row + row, x, y, z, e->b);
		set_row(g, m + 8, m + 8, 0, x, y, z, e->d);
		e->at.more = 2 * (row * PITCH + SAMPLE * column) + ends;
	}
	static __device__ __forceinline__ place find(const entry *e, float i, float j, float last)
	{
		const float4 *q = (const float4 *)e;
		const float4 a = q[0], b = q[1], d = q[2];
		return { fmaf(a.z, j, fmaf(a.y, i, a.x)),
			 fmaf(b.z, j, fmaf(b.y, i, b.x)),
			 fmaf(d.z, j, fmaf(d.y, i, d.x)),
			 a.w,
			 b.w,
			 d.w,
			 a.y,
			 b.y,
			 d.y,
			 last,
			 &e->at };
	}
	/* Avoids loads of the entry, because shared memory is the bottleneck. */
	static __device__ __forceinline__ void move(place *p, const entry *, float by, float, float, float)
	{
		p->a = fmaf(by, p->ai, p->a);
		p->b = fmaf(by, p->bi, p->b);
		p->d = fmaf(by, p->di, p->d);
	}
	static __device__ __forceinline__ void add(const struct gt_tiles_in *, float *sum, const char *stages, unsigned stage,
	                                           const place *p)
	{
		const int more = p->at->more, middle = more >> 1;
		const float base = gt_bits(stage + (unsigned)middle);
		if (FLOATS == 1 && more & 1)
			add_view<ZP, RUN, DRIFT, PITCH, FLOATS, 1>(sum, stages, base, (float)(p->at->column + middle % PITCH / 4), p);
		else
			add_view<ZP, RUN, DRIFT, PITCH, FLOATS, 0>(sum, stages, base, 0, p);
	}
};

#endif

/* Blocks per multiprocessor. */
static constexpr int blocks_of(int squares) { return squares == 2 ? 2 : 4; }

template <int SQUARES, int ZP, int RUN, int DRIFT, int COLUMNS, int FLOATS>
static __global__ void __launch_bounds__(THREADS, blocks_of(SQUARES))
	back_tilted(const __grid_constant__ struct gt_tile_maps maps, const __grid_constant__ struct gt_tiles_in in)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
	gt_back_block<way<SQUARES, ZP, RUN, DRIFT, COLUMNS, FLOATS>>(&maps, &in);
#endif
}

/* The form ---------------------------------------------------------------- */

/* Available kernels. Columns: squares, voxels of a run along z, order of the weights, columns of a tile, floats of a
 * sample, cost. The cost of an update is relative to COST_PLAIN of the plain kernel. Rows of 12 or 20 modulo 32
 * samples, or 4 or 12 modulo 16 pairs, avoid bank conflicts. */
#define KINDS(X)                 \
	X(2, 16, 0, 60, 2, 0.9)  \
	X(2, 8, 0, 84, 1, 1.0)   \
	X(2, 8, 0, 140, 1, 1.0)  \
	X(2, 8, 0, 172, 1, 1.0)  \
	X(2, 8, 1, 140, 1, 1.05) \
	X(2, 16, 2, 60, 2, 1.05) \
	X(1, 8, 1, 76, 1, 1.8)   \
	X(1, 8, 1, 108, 1, 1.8)  \
	X(1, 4, 1, 76, 1, 2)     \
	X(1, 4, 1, 108, 1, 2)    \
	X(1, 1, 0, 76, 1, 3)     \
	X(1, 1, 0, 108, 1, 3)
#define COST_PLAIN 9

static const struct kind {
	int squares, run, drift, columns, floats;
	double cost;
	gt_tiles_kernel launch;
} kinds[] = {
#define KIND(squares, run, drift, columns, floats, cost) \
	{ squares, run, drift, columns, floats, cost, back_tilted<squares, SLICES, run, drift, columns, floats> },
	KINDS(KIND)
#undef KIND
};
enum { NKINDS = sizeof kinds / sizeof *kinds, ROWS_STEP = 8, MAX_ROWS = 256 };

static int stage_bytes(const struct kind *k, int rows) { return 4 * k->floats * k->columns * rows; }

enum { SAMPLE_VIEWS = 16, SAMPLE_BLOCKS = 8, SAMPLES = SAMPLE_VIEWS * SAMPLE_BLOCKS * SAMPLE_BLOCKS * 3 };

/* Requirements of a sample of blocks and views: tiles; rows and columns per slice, and the largest relative change of
 * the depth per slice. */
struct need {
	size_t seen;
	struct gt_corner corner[SAMPLES];
	double squares;                      /* sum of the squared changes */
	double bend, step, slope, low, high; /* low, high: range of visible rows */
};

static void look_at(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3], int side, struct need *n)
{
	struct gt_extent e;
	double at[3], column[2], row[2], lambda;
	if (!find_extent(g, w, from, side, SLICES, &e) || e.column[1] < 0 || e.column[0] > (double)(g->wide - 1))
		return;
	for (int a = 0; a < 3; a++)
		at[a] = g->first[a] + (double)from[a] * g->pitch[a];
	for (int k = 0; k < 2; k++)
		if (!gt_back_point(w, at[0], at[1], at[2] + (k ? g->pitch[2] : 0), &column[k], &row[k], &lambda))
			return;
	n->corner[n->seen++] = gt_find_corner(&e, 1, SLACK_TILTED);
	const double bend = fabs(w->matrix[10] * g->pitch[2]) * lambda;
	n->squares += bend * bend;
	n->bend = fmax(n->bend, bend);
	n->step = fmax(n->step, fabs(row[1] - row[0]));
	n->slope = fmax(n->slope, fabs(column[1] - column[0]));
	n->low = fmin(n->low, e.real[0]);
	n->high = fmax(n->high, e.real[1]);
}

static struct need *find_need(const struct gt_back_grid *g, const gt_fbp_plan *p, int squares)
{
	struct need *n = (struct need *)calloc(1, sizeof *n);
	const size_t side = (size_t)squares * SIDE;
	const size_t tiles[3] = { (g->n[0] + side - 1) / side, (g->n[1] + side - 1) / side, (g->n[2] + SLICES - 1) / SLICES };
	if (!n)
		return NULL;
	n->low = INFINITY;
	n->high = -INFINITY;
	for (size_t v = 0; v < SAMPLE_VIEWS; v++)
		for (size_t c = 0; c < SAMPLE_BLOCKS * SAMPLE_BLOCKS * 3; c++) {
			const size_t k[3] = { c % SAMPLE_BLOCKS, c / SAMPLE_BLOCKS % SAMPLE_BLOCKS, c / (SAMPLE_BLOCKS * SAMPLE_BLOCKS) };
			const size_t from[3] = { side * (k[0] * (tiles[0] - 1) / (SAMPLE_BLOCKS - 1)),
				                 side * (k[1] * (tiles[1] - 1) / (SAMPLE_BLOCKS - 1)),
				                 SLICES * (k[2] * (tiles[2] - 1) / 2) };
			look_at(g, &p->view[v * p->views / SAMPLE_VIEWS], from, (int)side, n);
		}
	return n;
}

/* Rows that hold the whole sample, with some margin. */
static int rows_of(const struct need *n)
{
	int rows = 0;
	for (size_t i = 0; i < n->seen; i++)
		rows = n->corner[i].rows > rows ? n->corner[i].rows : rows;
	return rows + rows / 32 + 1;
}

/* Fraction of blocks and views left to the plain kernel. */
static double left_out(const struct need *n, int columns, int rows)
{
	size_t left = 0;
	for (size_t i = 0; i < n->seen; i++)
		left += n->corner[i].columns > columns || n->corner[i].rows > rows;
	return n->seen ? (double)left / (double)n->seen : 0;
}

/* Omitted terms within half a run h, by the order d of the weights: of weights (d + 2) (e h)^(d + 1), of columns
 * u' h (e h)^(d + 1), of rows likewise, with d at least 1. Weights of order 0 omit 2 e k, which varies with voxel and
 * view, so that its mean square counts. */
static int is_straight(const struct need *n, const struct kind *k)
{
	const double half = 0.5 * (k->run - 1), far = 1.05 * half + 0.5, e = n->bend * half;
	const double mean = n->seen ? sqrt(n->squares / (double)n->seen) : 0, spread = sqrt((k->run * k->run - 1) / 12.0);
	return (k->drift ? (k->drift + 2) * pow(e, k->drift + 1) <= MAX_DRIFT : 2 * mean * spread <= MAX_STEADY) &&
	       n->slope * half * pow(e, k->drift + 1) <= MAX_BEND && n->step * half * pow(e, k->drift ? k->drift + 1 : 2) <= MAX_BEND &&
	       n->slope * far < reach<8>::U - 1 && n->step * far < (k->run == 1 ? 8 : 2 * k->run) - 1;
}

/* Cost of an update with tiles of the required height, or as high as two stages of them allow. */
static double cost_of(const struct kind *k, const struct need *n, int blocks, int *rows, int *stages)
{
	/* stages begin at multiples of 128 bytes */
	const int needed = (rows_of(n) + ROWS_STEP - 1) / ROWS_STEP * ROWS_STEP;
	for (*rows = needed < MAX_ROWS ? needed : MAX_ROWS; *rows > 0; *rows -= ROWS_STEP)
		if ((*stages = gt_stages_of(stage_bytes(k, *rows), blocks)) >= 2)
			break;
	const double left = *rows > 0 ? left_out(n, k->columns, *rows) : 1, warps = (double)blocks / blocks_of(k->squares);
	return left * COST_PLAIN + (1 - left) * k->cost * pow(warps, -0.7);
}

/* Returns the cheapest kernel. A few oblique blocks near the source do not suit tiles. NULL: hardly cheaper than
 * without tiles. */
static const struct kind *choose_kind(const struct need *const n[3], int max_floats, int *rows, int *stages)
{
	const struct kind *best = NULL;
	double min = 0.8 * COST_PLAIN;
	for (const struct kind *k = kinds; k < kinds + NKINDS; k++)
		for (int blocks = k->floats <= max_floats && is_straight(n[k->squares], k) ? blocks_of(k->squares) : 0; blocks >= 1;
		     blocks--) {
			int high, deep;
			const double cost = cost_of(k, n[k->squares], blocks, &high, &deep);
			if (!(cost < min))
				continue;
			min = cost;
			best = k;
			*rows = high;
			*stages = deep;
		}
	return best;
}

/* Copies of the first and the last row, as far as voxels need them and they cost little. */
static size_t rows_beyond(const gt_fbp_plan *p, const struct need *n)
{
	const double beyond = fmax(-n->low, n->high - (double)(p->rows - 1)), max = (double)p->rows / 4 + 16;
	return beyond > -1 ? (size_t)(fmin(fmax(beyond, 0), max) + 4) : 0;
}

static const char *choose_(gt_backend *be, const gt_fbp_plan *p, gt_type type, struct gt_back_choice *c)
{
	if (type != GT_F32)
		return "expected single precision";
	if (!p->tilted)
		return "expected views with rows that are not parallel to slices";
	const char *device = gt_tiles_device(be);
	if (device)
		return device;
	const struct gt_back_grid g = gt_plan_grid(p);
	struct need *n[3] = { NULL, find_need(&g, p, 1), find_need(&g, p, 2) };
	const char *why = n[1] && n[2] ? NULL : "expected memory for a sample of blocks";
	if (!why) {
		const struct kind *k = choose_kind(n, p->row.n ? 2 : 1, &c->rows, &c->stages);
		c->kind = k;
		c->layout = { k && k->floats == 2, (p->row.wide + 3) / 4 * 4, p->clamp_rows ? rows_beyond(p, n[1]) : 0 };
		why = c->kind ? NULL : "blocks of voxels are seen by more of the detector than fits into shared memory";
	}
	free(n[1]);
	free(n[2]);
	return why;
}

static gt_status open_(gt_backend *be, const gt_fbp_plan *p, const struct gt_back_choice *c, size_t batch, void **out)
{
	struct gt_tiles *t;
	const struct kind *k = (const struct kind *)c->kind;
	const gt_status st = gt_tiles_new(be, p, batch, k->squares * SIDE, SLICES, &t);
	if (st != GT_OK)
		return st;
	t->kind = k;
	t->rows = c->rows;
	t->heights = TILE_HEIGHTS;
	t->stages = c->stages;
	*out = t;
	return GT_OK;
}

static void run_(void *self, const struct gt_back_call *c)
{
	const struct gt_tiles *t = (const struct gt_tiles *)self;
	const struct kind *k = (const struct kind *)t->kind;
	gt_tiles_run(t, c, k->launch, k->columns);
}

const struct gt_back_form gt_back_tilted = { choose_, open_, run_, gt_tiles_free };
