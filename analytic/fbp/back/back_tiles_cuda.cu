/* Tiled kernel: a block processes one or four squares of 16 x 16 columns of ZP voxels, held in registers, in all views
 * of a batch. A view of the block is a tile of few columns and rows, which the tensor memory accelerator copies into
 * shared memory some views ahead. Up to 1.9 rows per voxel, rows are interpolated along the columns once per row
 * instead of per voxel, by code without addresses (tile_rows.cuh). The texture unit with its 8-bit fractions is not
 * used. Positions are relative to the projection of the block's centre, which is found in double. Single precision
 * therefore keeps 1e-6 of a column and of a row. (Block, view) pairs that fit into no tile, or extend to rows without
 * copies, are left to the plain kernel. If the upper half of a scan mirrors the lower one, two voxels share most of the
 * computation. Needs compute capability 9.0. */
#include "analytic/fbp/back/tile_upright.cuh"

/* Blocks per multiprocessor, by the number of sums of a thread. */
static constexpr int blocks_of(int squares, int slices)
{
	return squares * squares * slices == 64 ? 2 : squares * squares * slices == 32 ? 3 : 4;
}

template <int SHAPE, int STEPS, int SQUARES, int ZP, int COLUMNS, int FLOATS, int RUN>
static __global__ void __launch_bounds__(THREADS, blocks_of(SQUARES, ZP *GT_SIDES_OF(STEPS)))
	back_tiles(const __grid_constant__ struct gt_tile_maps maps, const __grid_constant__ struct gt_tiles_in in)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
	gt_back_block<way<SHAPE, STEPS, SQUARES, ZP, COLUMNS, FLOATS, RUN>>(&maps, &in);
#endif
}

/* The form ---------------------------------------------------------------- */

/* Available kernels, by preference. Columns of the table: steps, squares, voxels along z, columns, floats of a sample,
 * voxels of a run of any step, smallest and largest number of slices; for a flat and for an arc. 8-byte samples in rows
 * of 12 or 4 modulo 16, and single ones in rows of 12, 16 or 20 modulo 32, avoid bank conflicts. Low grids occupy the
 * multiprocessors better with blocks of 32 slices. Pairs of large steps take too many bytes. With few slices little is
 * moved in any case, and narrow tiles have the more accurate positions. */
#define ANY_HEIGHT ((size_t)-1)
#define KINDS(X)                                              \
	X(GT_STEPS_MIRRORED, 1, 32, 28, 2, 8, 64, ANY_HEIGHT) \
	X(GT_STEPS_NEAR, 1, 64, 28, 2, 8, 257, ANY_HEIGHT)    \
	X(GT_STEPS_NEAR, 1, 32, 28, 2, 8, 17, ANY_HEIGHT)     \
	X(GT_STEPS_NEAR, 1, 64, 44, 2, 8, 33, ANY_HEIGHT)     \
	X(GT_STEPS_LOW, 1, 64, 28, 2, 8, 33, ANY_HEIGHT)      \
	X(GT_STEPS_HIGH, 1, 32, 48, 1, 8, 17, ANY_HEIGHT)     \
	X(GT_STEPS_HIGH, 1, 32, 76, 1, 8, 17, ANY_HEIGHT)     \
	X(GT_STEPS_ANY, 1, 32, 52, 1, 8, 17, ANY_HEIGHT)      \
	X(GT_STEPS_ANY, 1, 16, 52, 1, 4, 1, 16)               \
	X(GT_STEPS_ANY, 1, 16, 108, 1, 4, 1, 16)              \
	X(GT_STEPS_ANY, 2, 16, 148, 1, 8, 1, ANY_HEIGHT)      \
	X(GT_STEPS_ANY, 2, 16, 148, 1, 4, 1, ANY_HEIGHT)      \
	X(GT_STEPS_ANY, 1, 32, 76, 1, 8, 17, ANY_HEIGHT)      \
	X(GT_STEPS_ANY, 1, 32, 108, 1, 8, 17, ANY_HEIGHT)     \
	X(GT_STEPS_ANY, 1, 16, 52, 1, 4, 17, ANY_HEIGHT)      \
	X(GT_STEPS_ANY, 1, 16, 108, 1, 4, 17, ANY_HEIGHT)

static const struct kind {
	int steps, squares, zp, columns, floats, run;
	size_t min, max;
	gt_tiles_kernel flat, arc;
} kinds[] = {
#define KIND(steps, squares, zp, columns, floats, run, min, max)         \
	{ steps,                                                         \
	  squares,                                                       \
	  zp,                                                            \
	  columns,                                                       \
	  floats,                                                        \
	  run,                                                           \
	  min,                                                           \
	  max,                                                           \
	  back_tiles<GT_FLAT, steps, squares, zp, columns, floats, run>, \
	  back_tiles<GT_ARC, steps, squares, zp, columns, floats, run> },
	KINDS(KIND)
#undef KIND
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static int stage_bytes(const struct kind *k, int rows) { return 4 * GT_SIDES_OF(k->steps) * k->floats * k->columns * rows; }

enum { SAMPLE_VIEWS = 16, SAMPLE_BLOCKS = 12 };

/* Finds block c of a sample of blocks in one view. Returns 0 if the mask excludes all of it. */
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

/* Smallest and largest number of rows per voxel. */
static void find_steps(const struct gt_back_grid *g, const gt_fbp_plan *p, double steps[2])
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

/* Size of a tile. */
struct need {
	int columns, rows;
};

static struct need find_need(const struct gt_back_grid *g, const gt_fbp_plan *p, const struct kind *k)
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

static int fits(const struct kind *k, const struct gt_back_grid *g, const gt_fbp_plan *p, int *rows, int *stages)
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

/* Bits for the whole rows of a run, which its fractions lack. Steps are sampled at the centres of blocks: at a corner
 * one may be a third larger. Blocks with larger steps are left to the plain kernel. */
#define MAX_BITS 5
static int bits_of(double max_step, int run)
{
	int bits = 4;
	while (1 + 1.37 * max_step * (run - 1) > 1 << bits)
		bits++;
	return bits;
}

static struct gt_bias bias_of(double max_step, int run)
{
	const int bits = bits_of(max_step, run);
	const float bias = (float)(1 << bits);
	return { -bias, GT_MAGIC_SIGNED + bias, ~0u << (23 - bits), (bias - 1) / (float)(run - 1) };
}

/* 1: the upper half of all views mirrors the lower one, in whole blocks. */
static int mirrored(const struct gt_back_grid *g, const gt_fbp_plan *p, int slices)
{
	const double middle = g->first[2] + 0.5 * (double)(g->n[2] - 1) * g->pitch[2], row = 0.5 * (double)(p->rows - 1);
	for (size_t v = 0; v < p->views; v++)
		if (!(fabs(p->view[v].row0 - row) < MIRROR_SLACK && fabs(p->view[v].z0 - middle) < MIRROR_SLACK * g->pitch[2]))
			return 0;
	return g->n[2] % (2 * (size_t)slices) == 0;
}

/* Slabs of large volumes have enough blocks of 64 slices for all multiprocessors. */
static size_t min_slices(const struct kind *k, const struct gt_back_grid *g)
{
	const size_t voxels = g->n[0] * g->n[1] * g->n[2];
	return k->zp == 64 && voxels >= (size_t)1 << 27 && k->min > 128 ? 128 : k->min;
}

static int suits(const struct kind *k, const struct gt_back_grid *g, const gt_fbp_plan *p, const double steps[2], int own)
{
	if (g->n[2] < min_slices(k, g) || g->n[2] > k->max || bits_of(steps[1], k->run) > MAX_BITS)
		return 0;
	if (k->steps == GT_STEPS_MIRRORED)
		return steps[0] > 1 - 0.99 * GT_NEAR && steps[1] < 1 + 0.99 * GT_NEAR && mirrored(g, p, k->zp);
	return k->steps == own || k->steps == GT_STEPS_ANY;
}

/* Takes the first that has runs for most steps, or supports any, and fits. */
static const struct kind *choose_kind(const struct gt_back_grid *g, const gt_fbp_plan *p, const double steps[2], int *rows, int *stages)
{
	const double middle = (steps[0] + steps[1]) / 2;
	const int own = middle > 1.9 ? GT_STEPS_ANY : middle > 1.3 ? GT_STEPS_HIGH : middle < 0.8 ? GT_STEPS_LOW : GT_STEPS_NEAR;
	for (const struct kind *k = kinds; k < kinds + NKINDS && steps[1] <= GT_MAX_STEP; k++)
		if (suits(k, g, p, steps, own) && fits(k, g, p, rows, stages))
			return k;
	return NULL;
}

static int deflected(const gt_fbp_plan *p)
{
	for (size_t v = 0; v < p->views; v++)
		if (hypot(p->view[v].offset[0], p->view[v].offset[1]) > 1e-9 * p->view[v].radius)
			return 1;
	return 0;
}

/* Rows beyond the detector that voxels need: copies of its first and last row, as far as they cost little. */
static size_t rows_beyond(const struct gt_back_grid *g, const gt_fbp_plan *p, double max_step)
{
	const double largest = max_step / g->pitch[2], max = (double)p->rows / 4 + 16;
	double beyond = 0;
	for (size_t v = 0; v < p->views; v++) {
		const struct gt_back_view *w = &p->view[v];
		const double low = w->row0 + largest * (g->first[2] - w->z0);
		const double high = w->row0 + largest * (g->first[2] + g->pitch[2] * (double)(g->n[2] - 1) - w->z0);
		beyond = fmax(beyond, fmax(-low, high - (double)(p->rows - 1)));
	}
	return beyond > 0 ? (size_t)(fmin(beyond, max) + 3) : 0;
}

static const char *choose_(gt_backend *be, const gt_fbp_plan *p, gt_type type, struct gt_back_choice *c)
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
	c->bias = bias_of(steps[1], k->run);
	return NULL;
}

static gt_status open_(gt_backend *be, const gt_fbp_plan *p, const struct gt_back_choice *c, size_t batch, void **out)
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
