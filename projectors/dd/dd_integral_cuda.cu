/* Integral images on CUDA, in one pass of tiles of 32 x 32 cells. A block owns an image and walks down its rows; the warps of a block take
 * tiles beside each other. In a tile lanes are rows while it sums along them, then columns while it sums what lies above, and shared memory
 * turns the one into the other: no sums across lanes, and any size. Where images are interleaved in memory (slices perpendicular to x) a
 * block takes several that lie beside each other, so that it reads whole sectors.
 *
 * Limit: bytes; each cell is read once (a few rows twice, for the constant), and each node is written once.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_INTEGRAL_WARPS /* most warps per block, a tile each: 8, 16 */
#define GT_DD_INTEGRAL_WARPS 8
#endif
#ifndef GT_DD_INTEGRAL_IMAGES /* interleaved images per block: 2, 4, 8 */
#define GT_DD_INTEGRAL_IMAGES 8
#endif
#ifndef GT_DD_INTEGRAL_SAMPLE /* rows whose mean is the constant of an image: 1 to 32 */
#define GT_DD_INTEGRAL_SAMPLE 8
#endif
#include <stdlib.h>
#include <string.h>
#include "core/cuda.h"
#include "projectors/dd/dd_integral.h"

enum { WARP = 32, THREADS = GT_DD_INTEGRAL_WARPS * WARP };

/* Where cells come from: open() finds an image, line() what is the same all along one of its columns; at() reads a row of that, and weigh()
 * makes it a cell. */
template <typename T, typename OUT> struct slices {
	typedef T stored;
	const T *x;
	size_t image, row, column; /* from one to the next */
	struct line {
		const T *p;
		size_t row;
		__device__ __forceinline__ T at(int r) const { return __ldg(p + (size_t)r * row); }
		__device__ __forceinline__ OUT weigh(T value, int) const { return value; }
	};
	struct picture {
		const T *p;
		size_t row, column;
		__device__ __forceinline__ line line_of(int c) const { return { p + (size_t)c * column, row }; }
	};
	__device__ __forceinline__ picture open(size_t n) const { return { x + n * image, row, column }; }
};

static __device__ __forceinline__ double slant(const gt_dd_column &c, int l, double pitch_z, double pitch_slice)
{
	return gt_dd_slant(&c, l, pitch_z, pitch_slice);
}

/* A column for gt_dd_slant() in single precision. */
struct single_column {
	float slope, step, square;
	__device__ __forceinline__ single_column() {}
	__device__ __forceinline__ single_column(const gt_dd_column &c)
	    : slope((float)(c.P1 + 0.5 * c.Q1)), step((float)c.Q1), square((float)c.square)
	{
	}
};
static __device__ __forceinline__ float slant(const single_column &c, int l, float pitch_z, float pitch_slice)
{
	const float slope = (c.slope + l * c.step) * pitch_z;
	return pitch_slice * sqrtf(c.square + slope * slope);
}
template <typename OUT> struct column_of {
	typedef gt_dd_column type;
};
template <> struct column_of<float> {
	typedef single_column type;
};

/* Views times the slant, columns and rows in ascending order. */
template <typename T, typename OUT> struct weighted {
	typedef T stored;
	gt_dd d;
	const T *y;
	const size_t *view;
	struct line {
		const T *p;
		ptrdiff_t row;
		typename column_of<OUT>::type c;
		OUT pitch_z, pitch_slice;
		__device__ __forceinline__ T at(int l) const { return __ldg(p + l * row); }
		__device__ __forceinline__ OUT weigh(T value, int l) const { return value * slant(c, l, pitch_z, pitch_slice); }
	};
	struct picture {
		const T *p;
		ptrdiff_t row, column;
		const gt_dd_column *c;
		OUT pitch_z, pitch_slice;
		__device__ __forceinline__ line line_of(int k) const { return { p + k * column, row, c[k], pitch_z, pitch_slice }; }
	};
	__device__ __forceinline__ picture open(size_t n) const
	{
		const size_t at = view[n];
		const gt_dd_view *v = &d.view[at];
		return { y + gt_dd_cell(&d, v, at, 0, 0),
			 v->flip_rows ? -(ptrdiff_t)d.columns : (ptrdiff_t)d.columns,
			 v->flip_columns ? -1 : 1,
			 d.column + at * d.columns,
			 (OUT)d.pitch[2],
			 (OUT)d.pitch[v->axis] };
	}
};

/* A thread reads cells of image `image` and column `column` of the tiles of its group, `groups` tiles beside each other for each
 * of IMAGES images; its warp works on image `own`. */
template <int IMAGES> struct place {
	int lane, group, groups, image, column, own;
	__device__ __forceinline__ place()
	    : lane(threadIdx.x % WARP), group(threadIdx.x / (WARP * IMAGES)), groups(blockDim.x / (WARP * IMAGES)),
	      image(threadIdx.x % IMAGES), column(threadIdx.x % (WARP * IMAGES) / IMAGES), own(threadIdx.x / WARP % IMAGES)
	{
	}
};

/* Padded so that neither rows nor columns nor a column of several images meet in one bank. */
template <typename OUT, int IMAGES> struct tile_of {
	OUT cell[WARP][WARP + 1], pad[128 / sizeof(OUT) / IMAGES];
};

/* The warps that share tiles. */
template <int IMAGES> static __device__ __forceinline__ void meet(int group)
{
	if (IMAGES == 1)
		__syncwarp();
	else
		asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(IMAGES * WARP) : "memory");
}

/* Mean of a sample of rows of the image that the warp works on. part: of each thread. */
template <typename STORED, int IMAGES, typename PICTURE>
static __device__ __forceinline__ double mean_of(const PICTURE &picture, const gt_dd_images &g, bool reads, double *part)
{
	const place<IMAGES> me;
	const int step = g.height > GT_DD_INTEGRAL_SAMPLE ? g.height / GT_DD_INTEGRAL_SAMPLE : 1,
		  rows = min(g.height, GT_DD_INTEGRAL_SAMPLE);
	double sum = 0;
	for (int c = me.group * WARP + me.column; reads && c < g.width; c += me.groups * WARP) {
		const auto line = picture.line_of(c);
		STORED value[GT_DD_INTEGRAL_SAMPLE];
#pragma unroll
		for (int r = 0; r < GT_DD_INTEGRAL_SAMPLE; r++)
			value[r] = line.at(min(r, rows - 1) * step + step / 2);
#pragma unroll
		for (int r = 0; r < GT_DD_INTEGRAL_SAMPLE; r++)
			sum += r < rows ? line.weigh(value[r], r * step + step / 2) : 0;
	}
	part[threadIdx.x] = sum;
	__syncthreads();
	sum = 0;
	for (int k = 0; k < me.groups; k++)
		sum += part[(k * WARP + me.lane) * IMAGES + me.own];
	for (int other = WARP / 2; other > 0; other /= 2)
		sum += __shfl_xor_sync(0xFFFFFFFFu, sum, other);
	__syncthreads();
	return sum / ((double)rows * g.width);
}

/* Sums along the rows of a tile, lanes are rows: cell c becomes the sum of those before it; returns that of all. */
template <typename OUT> static __device__ __forceinline__ OUT sum_rows(const OUT *row, OUT constant, OUT (&sum)[WARP])
{
	OUT all = 0;
#pragma unroll
	for (int c = 0; c < WARP; c++)
		sum[c] = row[c];
#pragma unroll
	for (int c = 0; c < WARP; c++) {
		const OUT cell = sum[c] - constant;
		sum[c] = all;
		all += cell;
	}
	return all;
}

/* Nodes of a tile below the row of nodes at `node`, lanes are columns. */
template <typename OUT>
static __device__ __forceinline__ void add_columns(const OUT (*tile)[WARP + 1], int rows, OUT *node, size_t pitch, OUT above)
{
	const int lane = threadIdx.x % WARP;
	OUT sum[WARP], all = 0;
#pragma unroll
	for (int r = 0; r < WARP; r++)
		sum[r] = tile[r][lane];
#pragma unroll
	for (int r = 0; r < WARP; r++) {
		all += sum[r];
		if (r < rows)
			node[(size_t)(r + 1) * pitch] = above + all;
	}
}

/* The last column of nodes, lanes are rows: the sums of whole rows, added from above. */
template <typename OUT> static __device__ __forceinline__ void add_last(OUT sum, int rows, OUT *node, size_t pitch)
{
	const int lane = threadIdx.x % WARP;
	for (int up = 1; up < WARP; up *= 2) {
		const OUT other = __shfl_up_sync(0xFFFFFFFFu, sum, up);
		sum += lane >= up ? other : 0;
	}
	if (lane < rows)
		node[(size_t)(lane + 1) * pitch] = *node + sum;
}

/* Images first, first + 1, ... into nodes and constants of the batch. */
template <typename OUT, int IMAGES, typename SOURCE>
static __global__ void __launch_bounds__(THREADS)
	integrate(SOURCE source, gt_dd_images g, size_t first, size_t count, OUT *nodes, OUT *constants)
{
	extern __shared__ double memory[];
	__shared__ OUT totals[2][THREADS], constant_of[IMAGES];
	const place<IMAGES> me;
	tile_of<OUT, IMAGES> *const tile = (tile_of<OUT, IMAGES> *)memory + me.group * IMAGES;
	const size_t block = (size_t)blockIdx.x * IMAGES, image = block + me.own;
	const bool mine = image < count, reads = block + me.image < count;
	const auto picture = source.open(first + block + (reads ? me.image : 0));
	const OUT constant = (OUT)mean_of<typename SOURCE::stored, IMAGES>(picture, g, reads, memory);
	OUT *const base = nodes + image * g.stride;
	if (me.group == 0 && me.lane == 0)
		constant_of[me.own] = constant;
	if (mine && me.group == 0 && me.lane == 0)
		constants[image] = constant;
	if (mine)
		for (int c = me.group * WARP + me.lane; c <= g.width; c += me.groups * WARP)
			base[c] = 0;
	__syncthreads();
	const OUT beyond = constant_of[me.image];
	for (int row = 0, parity = 0; row < g.height; row += WARP) {
		const int rows = min(WARP, g.height - row);
		typename SOURCE::line line;
		typename SOURCE::stored cell[WARP];
		OUT carry = 0;
		const auto fetch = [&](int c) {
			line = picture.line_of(min(c + me.column, g.width - 1));
#pragma unroll
			for (int r = 0; r < WARP; r++)
				cell[r] = line.at(row + min(r, rows - 1));
		};
		fetch(me.group * WARP);
		for (int col = me.group * WARP; col - me.group * WARP < g.width; col += me.groups * WARP, parity ^= 1) {
			OUT sum[WARP];
			const bool inside = mine && col + me.lane < g.width;
			OUT *const node = base + (size_t)row * g.pitch + col + me.lane;
			meet<IMAGES>(me.group);
#pragma unroll
			for (int r = 0; r < WARP; r++)
				tile[me.image].cell[r][me.column] = col + me.column < g.width ? line.weigh(cell[r], row + r) : beyond;
			meet<IMAGES>(me.group);
			if (col + me.groups * WARP < g.width)
				fetch(col + me.groups * WARP);
			totals[parity][threadIdx.x] = sum_rows(tile[me.own].cell[me.lane], constant, sum);
			const OUT above = inside && row ? *node : 0;
			__syncthreads();
			OUT before = 0;
			for (int k = 0; k < me.groups; k++) {
				if (k == me.group)
					before = carry;
				carry += totals[parity][(k * IMAGES + me.own) * WARP + me.lane];
			}
#pragma unroll
			for (int c = 0; c < WARP; c++)
				tile[me.own].cell[me.lane][c] = sum[c] + before;
			__syncwarp();
			if (inside)
				add_columns(tile[me.own].cell, rows, node, g.pitch, above);
		}
		if (mine && me.group == 0)
			add_last(carry, rows, base + (size_t)row * g.pitch + g.width, g.pitch);
	}
}

template <typename OUT, int IMAGES, typename SOURCE>
static void launch(gt_backend *be, const SOURCE &source, const gt_dd_images *g, size_t first, size_t count)
{
	const int tiles = (g->width + WARP - 1) / WARP, most = GT_DD_INTEGRAL_WARPS / IMAGES, steps = (tiles + most - 1) / most,
		  groups = (tiles + steps - 1) / steps;
	const size_t bytes = sizeof(tile_of<OUT, IMAGES>) * groups * IMAGES;
	OUT *nodes = (OUT *)gt_scratch(be);
	cudaStream_t queue = gt_cuda_queue(be);
	const auto kernel = integrate<OUT, IMAGES, SOURCE>;
	cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
	kernel<<<(unsigned)((count + IMAGES - 1) / IMAGES), groups * IMAGES * WARP, bytes, queue>>>(source, *g, first, count, nodes,
	                                                                                            nodes + g->batch * g->stride);
	gt_cuda_check(be, cudaGetLastError(), "integral images");
}

template <typename IN, typename OUT>
static void integrate_slices(gt_backend *be, const gt_dd *d, const gt_dd_images *g, int axis, const IN *x, size_t first, size_t count)
{
	const size_t nx = (size_t)d->n[0], plane = nx * d->n[1];
	if (axis == 1)
		launch<OUT, 1>(be, slices<IN, OUT>{ x, nx, plane, 1 }, g, first, count);
	else
		launch<OUT, GT_DD_INTEGRAL_IMAGES>(be, slices<IN, OUT>{ x, 1, plane, nx }, g, first, count);
}

extern "C" void gt_dd_integrate_slices(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, int axis, gt_type t, const void *x,
                                       size_t first, size_t count)
{
	const gt_dd_images *g = &b->slices[axis];
	if (b->type == GT_F32)
		integrate_slices<float, float>(be, d, g, axis, (const float *)x, first, count);
	else if (t == GT_F32)
		integrate_slices<float, double>(be, d, g, axis, (const float *)x, first, count);
	else
		integrate_slices<double, double>(be, d, g, axis, (const double *)x, first, count);
}

template <typename IN, typename OUT>
static void integrate_views(gt_backend *be, const gt_dd *d, const gt_dd_images *g, const size_t *view, const IN *y, size_t first,
                            size_t count)
{
	launch<OUT, 1>(be, weighted<IN, OUT>{ *d, y, view }, g, first, count);
}

extern "C" void gt_dd_integrate_views(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, int axis, gt_type t, const void *y,
                                      size_t first, size_t count)
{
	const gt_dd_images *g = &b->views[axis];
	const size_t *view = gt_dd_views_of(b, axis);
	if (b->type == GT_F32)
		integrate_views<float, float>(be, d, g, view, (const float *)y, first, count);
	else if (t == GT_F32)
		integrate_views<float, double>(be, d, g, view, (const float *)y, first, count);
	else
		integrate_views<double, double>(be, d, g, view, (const double *)y, first, count);
}

/* Batches ------------------------------------------------------------------ */

extern "C" gt_dd_images gt_dd_images_of(int width, int height, size_t images)
{
	gt_dd_images g = { width, height, ((size_t)width / WARP + 1) * WARP, 0, images, images };
	g.stride = g.pitch * ((size_t)height + 1);
	return g;
}

extern "C" size_t gt_dd_images_bytes(const gt_dd_images *g, gt_type nodes) { return g->batch * (g->stride + 1) * gt_type_size(nodes); }

/* As many as fit in `bytes`, at least one, in batches of nearly one size. */
static void divide(gt_dd_images *g, gt_type nodes, double bytes)
{
	const double most = bytes / ((double)(g->stride + 1) * gt_type_size(nodes));
	if (most >= (double)g->images)
		return;
	const size_t fit = most > 1 ? (size_t)most : 1, batches = (g->images + fit - 1) / fit;
	g->batch = (g->images + batches - 1) / batches;
}

extern "C" gt_status gt_dd_branchless_new(gt_backend *be, const gt_dd_setup *s, gt_type nodes, gt_dd_branchless *b)
{
	const gt_dd *d = &s->host;
	const gt_dd_options *o = (const gt_dd_options *)s->options;
	size_t available, total, of[2] = { 0, 0 }, place[2] = { 0, 0 };
	be->ops->memory(be, &available, &total);
	const double half = ((double)available + (double)be->scratch_bytes) / 2, limit = o->memory * 1048576;
	for (size_t v = 0; v < d->views; v++)
		of[d->view[v].axis]++;
	place[1] = of[0];
	b->type = nodes;
	for (int axis = 0; axis < 2; axis++) {
		b->slices[axis] = gt_dd_images_of(d->n[1 - axis], d->n[2], of[axis] ? (size_t)d->n[axis] : 0);
		b->views[axis] = gt_dd_images_of(d->columns, d->rows, of[axis]);
		divide(&b->slices[axis], nodes, half < limit ? half : limit);
		divide(&b->views[axis], nodes, half < limit ? half : limit);
	}
	b->view_bytes = d->views * sizeof *b->view;
	size_t *view = (size_t *)malloc(b->view_bytes);
	if (!view)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for a list of %zu views", s->name, d->views);
	for (size_t v = 0; v < d->views; v++)
		view[place[d->view[v].axis]++] = v;
	b->view = (size_t *)gt_dd_upload(be, view, b->view_bytes);
	free(view);
	return b->view ? GT_OK : GT_ERR_MEMORY;
}

extern "C" void gt_dd_branchless_free(gt_backend *be, gt_dd_branchless *b) { gt_backend_free(be, b->view, b->view_bytes); }

extern "C" size_t gt_dd_branchless_scratch(const gt_dd_branchless *b)
{
	size_t most = 0;
	for (int axis = 0; axis < 2; axis++) {
		const size_t slices = gt_dd_images_bytes(&b->slices[axis], b->type), views = gt_dd_images_bytes(&b->views[axis], b->type);
		most = slices > most ? slices : most;
		most = views > most ? views : most;
	}
	return most;
}

static size_t batch_at(const gt_dd_images *g, size_t first) { return g->images - first < g->batch ? g->images - first : g->batch; }

extern "C" void gt_dd_forward_batches(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, gt_type t, const void *x, gt_dd_each *each,
                                      void *state, void *y)
{
	for (int axis = 0; axis < 2; axis++)
		for (size_t first = 0; first < b->slices[axis].images; first += b->slices[axis].batch) {
			const size_t count = batch_at(&b->slices[axis], first);
			gt_dd_integrate_slices(be, d, b, axis, t, x, first, count);
			each(be, d, state, axis, first, count, y);
		}
}

extern "C" void gt_dd_adjoint_batches(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, gt_type t, const void *y, gt_dd_each *each,
                                      void *state, void *x)
{
	cudaMemsetAsync(x, 0, (size_t)d->n[0] * d->n[1] * d->n[2] * gt_type_size(t), gt_cuda_queue(be));
	for (int axis = 0; axis < 2; axis++)
		for (size_t first = 0; first < b->views[axis].images; first += b->views[axis].batch) {
			const size_t count = batch_at(&b->views[axis], first);
			gt_dd_integrate_views(be, d, b, axis, t, y, first, count);
			each(be, d, state, axis, first, count, x);
		}
}
