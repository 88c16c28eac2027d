/* Plain kernel of the backprojection on CUDA: one thread per column of SLICES voxels, positions in double by the
 * functions of the CPU. Supports any plan and both precisions. Also processes the views that fit into no tile. Sums are
 * in registers; no further memory. */
#include "analytic/fbp/fbp_cuda.cuh"

/* Variants. */
#ifndef BACK_X
#define BACK_X 16 /* columns of voxels per block along x: 8, 16, 32 */
#endif
#ifndef BACK_Y
#define BACK_Y 16 /* and along y: 8, 16 */
#endif
#ifndef SLICES
#define SLICES 16 /* slices per thread, in registers: 8, 16, 32 */
#endif

#define LEFT_BLOCKS \
	2048 /* blocks that scan for views left by the tiles: roughly the number that a large device runs at
			  * a time */

/* Filtered views as scalars of T, or as pairs of floats. */
template <typename T> struct plain_rows {
	const T *q;
	size_t pitch, view, pad; /* pitch, view in samples; pad in rows */
	__device__ const T *at(size_t v, size_t row, size_t k) const { return q + v * view + (pad + row) * pitch + k; }
	static __device__ T value(const T *q, T left, T right) { return left * q[0] + right * q[1]; }
};
struct pair_rows {
	const float2 *q;
	size_t pitch, view, pad;
	__device__ const float2 *at(size_t v, size_t row, size_t k) const { return q + v * view + (pad + row) * pitch + k; }
	static __device__ float value(const float2 *q, float left, float right)
	{
		const float2 a = *q;
		return (left + right) * a.x + right * a.y;
	}
};

/* Adds one view to SLICES voxels from the iz-th on. Rows are counted from a base near them, so that their fractions
 * keep the precision of T. */
template <typename T, typename ROWS>
static __device__ void add_view(const struct gt_back_grid *in, size_t v, const ROWS &rows, double x, double y, size_t iz, T *sum)
{
	const struct gt_back_view *w = &in->view[v];
	double column, lambda;
	if (!gt_back_column(in->shape, w, x, y, &column, &lambda) || !(column >= 0 && column <= (double)(in->wide - 1)))
		return;
	size_t k = (size_t)column, from = 0, to = in->n[2];
	k = k < in->wide - 1 ? k : in->wide - 2;
	const double row0 = w->row0 + lambda * (in->first[2] - w->z0) * w->per_row, dz = lambda * in->pitch[2] * w->per_row;
	if (!in->clamp_rows)
		gt_back_slices(row0, dz, in->rows, in->n[2], &from, &to);
	const double end = (double)in->rows - 1, begin = row0 + (double)iz * dz;
	const size_t base = (size_t)fmin(fmax(begin, 0.), end);
	const T row = (T)(begin - (double)base), step = (T)dz, last = (T)(end - (double)base);
	const T square = (T)(lambda * lambda), right = square * (T)(column - (double)k), left = square - right;
	const auto *near = rows.at(v, base, k);
#pragma unroll
	for (int j = 0; j < SLICES; j++) {
		T l = row + (T)j * step;
		l = l > 0 ? l : 0;
		l = l < last ? l : last;
		const int i = (int)l;
		const auto *a = near + (size_t)i * rows.pitch, *b = i < (int)last ? a + rows.pitch : a;
		const T part = l - (T)i, low = ROWS::value(a, left, right), high = ROWS::value(b, left, right);
		sum[j] += iz + j >= from && iz + j < to ? low + part * (high - low) : (T)0;
	}
}

/* Likewise through a matrix: each voxel has its own position. */
template <typename T, typename ROWS>
static __device__ void add_tilted_view(const struct gt_back_grid *in, size_t v, const ROWS &rows, double x, double y, size_t iz, T *sum)
{
	const double last = (double)in->rows - 1;
	double column, row, lambda;
#pragma unroll
	for (int j = 0; j < SLICES; j++) {
		const double z = in->first[2] + (double)(iz + j) * in->pitch[2];
		if (!gt_back_point(&in->view[v], x, y, z, &column, &row, &lambda) ||
		    !gt_back_sees(column, row, in->wide, in->rows, in->clamp_rows))
			continue;
		row = fmin(fmax(row, 0.), last);
		size_t k = (size_t)column, l = (size_t)row;
		k = k < in->wide - 1 ? k : in->wide - 2;
		const T square = (T)(lambda * lambda), right = square * (T)(column - (double)k), left = square - right;
		const auto *a = rows.at(v, l, k), *b = l + 1 < in->rows ? a + rows.pitch : a;
		const T part = (T)(row - (double)l), low = ROWS::value(a, left, right), high = ROWS::value(b, left, right);
		sum[j] += low + part * (high - low);
	}
}

struct columns_in {
	struct gt_back_grid grid;
	size_t tiles[2];
	/* NULL: all views; else a bit per view of tiles of parts[0] blocks along x and y, parts[1] along z */
	const unsigned *left;
	size_t words, parts[2];
};

/* A block of columns of voxels in one slab; left: bits of its views, or NULL: all. */
template <typename T, typename ROWS>
static __device__ __forceinline__ void add_block(const struct columns_in &in, const ROWS &rows, T *out, size_t tx, size_t ty, size_t slab,
                                                 const unsigned *left)
{
	const struct gt_back_grid *g = &in.grid;
	const size_t ix = tx * BACK_X + threadIdx.x, iy = ty * BACK_Y + threadIdx.y, iz = slab * SLICES;
	if (ix >= g->n[0] || iy >= g->n[1] || iz >= g->n[2])
		return;
	const double x = g->first[0] + (double)ix * g->pitch[0], y = g->first[1] + (double)iy * g->pitch[1];
	if (!(hypot(x - g->center[0], y - g->center[1]) <= g->radius))
		return;
	T sum[SLICES];
#pragma unroll
	for (int j = 0; j < SLICES; j++)
		sum[j] = 0;
	for (size_t v = 0; v < g->views; v++)
		if (left && !(left[v / 32] >> v % 32 & 1))
			continue;
		else if (g->tilted)
			add_tilted_view<T, ROWS>(g, v, rows, x, y, iz, sum);
		else
			add_view<T, ROWS>(g, v, rows, x, y, iz, sum);
#pragma unroll
	for (int j = 0; j < SLICES; j++)
		if (iz + j < g->n[2])
			out[((iz + j) * g->n[1] + iy) * g->n[0] + ix] += sum[j];
}

template <typename T, typename ROWS>
static __global__ void __launch_bounds__(BACK_X *BACK_Y) back_columns(struct columns_in in, ROWS rows, T *out)
{
	const size_t per_slab = in.tiles[0] * in.tiles[1], inside = blockIdx.x % per_slab;
	add_block<T, ROWS>(in, rows, out, inside % in.tiles[0], inside / in.tiles[0], blockIdx.x / per_slab, NULL);
}

/* Views left by the tiles: mostly none, so the test must be cheap. Each block therefore scans many tiles. */
template <typename ROWS>
static __global__ void __launch_bounds__(BACK_X *BACK_Y, 1024 / (BACK_X * BACK_Y))
	back_left(struct columns_in in, ROWS rows, float *out, unsigned tiles)
{
	const unsigned side = (unsigned)in.parts[0], deep = (unsigned)in.parts[1];
	const unsigned wide = ((unsigned)in.tiles[0] + side - 1) / side, high = ((unsigned)in.tiles[1] + side - 1) / side;
	for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
		const unsigned *left = in.left + t * in.words;
		unsigned some = 0;
		for (size_t i = threadIdx.y * BACK_X + threadIdx.x; i < in.words; i += BACK_X * BACK_Y)
			some |= left[i];
		if (!__syncthreads_or((int)some))
			continue;
		for (unsigned k = 0; k < side * side * deep; k++)
			add_block<float, ROWS>(in, rows, out, t % wide * side + k % side, t / wide % high * side + k / side % side,
			                       t / wide / high * deep + k / side / side, left);
	}
}

static struct columns_in columns_of(const struct gt_back_call *c)
{
	struct columns_in in = { gt_back_grid_of(c), { 0, 0 }, NULL, 0, { 1, 1 } };
	in.tiles[0] = (in.grid.n[0] + BACK_X - 1) / BACK_X;
	in.tiles[1] = (in.grid.n[1] + BACK_Y - 1) / BACK_Y;
	return in;
}

template <typename T, typename ROWS> static void launch(const struct gt_back_call *c, const struct columns_in *in, const ROWS &rows)
{
	const size_t slabs = (in->grid.n[2] + SLICES - 1) / SLICES;
	back_columns<T, ROWS>
		<<<(unsigned)(in->tiles[0] * in->tiles[1] * slabs), dim3(BACK_X, BACK_Y), 0, gt_cuda_queue(c->be)>>>(*in, rows, (T *)c->x);
	gt_cuda_check(c->be, cudaGetLastError(), "backprojection");
}

static_assert(BACK_X == 16 && BACK_Y == 16 && 16 % SLICES == 0, "blocks that divide the tiles of back_tiles_cuda.cu");

template <typename ROWS> static void launch_left(const struct gt_back_call *c, const struct columns_in *in, const ROWS &rows)
{
	const size_t side = in->parts[0], slices = in->parts[1] * SLICES;
	const size_t wide = (in->tiles[0] + side - 1) / side, high = (in->tiles[1] + side - 1) / side;
	const unsigned tiles = (unsigned)(wide * high * ((in->grid.n[2] + slices - 1) / slices));
	const unsigned blocks = tiles < LEFT_BLOCKS ? tiles : LEFT_BLOCKS;
	back_left<ROWS><<<blocks, dim3(BACK_X, BACK_Y), 0, gt_cuda_queue(c->be)>>>(*in, rows, (float *)c->x, tiles);
	gt_cuda_check(c->be, cudaGetLastError(), "backprojection of what fits into no tile");
}

void gt_back_leftovers(const struct gt_back_call *c, const unsigned *left, size_t words, size_t side, size_t slices)
{
	const size_t pitch = c->layout.pitch, all = (c->plan->rows + 2 * c->layout.pad) * pitch;
	struct columns_in in = columns_of(c);
	in.left = left;
	in.words = words;
	in.parts[0] = side / BACK_X;
	in.parts[1] = slices / SLICES;
	if (c->layout.pairs)
		launch_left(c, &in, pair_rows{ (const float2 *)c->filtered, pitch, all, c->layout.pad });
	else
		launch_left(c, &in, plain_rows<float>{ (const float *)c->filtered, pitch, all, c->layout.pad });
}

/* The form ---------------------------------------------------------------- */

static const char *choose_(gt_backend *, const gt_fbp_plan *p, gt_type, struct gt_back_choice *c)
{
	c->layout = { 0, p->row.wide, 0 };
	return NULL;
}

static gt_status open_(gt_backend *, const gt_fbp_plan *, const struct gt_back_choice *, size_t, void **self)
{
	*self = NULL;
	return GT_OK;
}

static void run_(void *, const struct gt_back_call *c)
{
	const struct columns_in in = columns_of(c);
	const size_t pitch = c->layout.pitch, all = c->plan->rows * pitch;
	if (c->type == GT_F32)
		launch<float>(c, &in, plain_rows<float>{ (const float *)c->filtered, pitch, all, 0 });
	else
		launch<double>(c, &in, plain_rows<double>{ (const double *)c->filtered, pitch, all, 0 });
}

static void close_(void *) {}

const struct gt_back_form gt_back_plain = { choose_, open_, run_, close_ };
