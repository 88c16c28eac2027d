/* Integral images on CUDA: one pass in tiles of 32 x 32 cells. A warp owns an image and walks its tiles along the columns, then down
 * the rows: lanes are rows while it sums along a row, columns while it adds what lies above, and a tile in shared memory turns
 * the one into the other. So there is no sum across lanes, and sizes do not matter. Sums are kept in double, nodes are stored in
 * the type asked for. Where images are interleaved in memory (slices perpendicular to x) a block takes several that lie beside
 * each other, so that it reads whole sectors.
 *
 * Limit: bytes; each cell is read once, and some rows twice for the constant; each node is written once.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_INTEGRAL_IMAGES /* interleaved images per block, a warp each: 2, 4, 8 */
#define GT_DD_INTEGRAL_IMAGES 8
#endif
#ifndef GT_DD_INTEGRAL_SAMPLE /* rows whose mean is the constant of an image: 1 to 32 */
#define GT_DD_INTEGRAL_SAMPLE 8
#endif
#include <stdlib.h>
#include <string.h>
#include "core/cuda.h"
#include "projectors/dd/dd_integral.h"

enum { WARP = 32 };

/* Where the cells of images come from: column() says what is the same all along a column, at() gives a cell of it. */
template <typename T> struct slices {
	const T *x;
	size_t image, row, column; /* from one to the next */
	struct line {
		const T *p;
		size_t row;
		__device__ double at(int r) const { return p[(size_t)r * row]; }
	};
	__device__ line line_of(size_t n, int c) const { return { x + n * image + (size_t)c * column, row }; }
};

/* Views times the slant, columns and rows in ascending order. */
template <typename T> struct weighted {
	gt_dd d;
	const T *y;
	const size_t *view;
	struct line {
		const T *p;
		gt_dd_column c;
		ptrdiff_t row;
		double pitch_z, pitch_slice;
		__device__ double at(int l) const { return p[l * row] * gt_dd_slant(&c, l, pitch_z, pitch_slice); }
	};
	__device__ line line_of(size_t n, int k) const
	{
		const size_t at = view[n];
		const gt_dd_view *v = &d.view[at];
		return { y + gt_dd_cell(&d, v, at, 0, k), d.column[at * d.columns + k],
			 v->flip_rows ? -(ptrdiff_t)d.columns : (ptrdiff_t)d.columns, d.pitch[2], d.pitch[v->axis] };
	}
};

template <int IMAGES> static __device__ __forceinline__ void meet()
{
	if (IMAGES == 1)
		__syncwarp();
	else
		__syncthreads();
}

/* The constant of each warp's image. Threads of a block read cells (image, column) = (thread % IMAGES, thread / IMAGES). */
template <typename OUT, int IMAGES, typename SOURCE>
static __device__ double constant_of(const SOURCE &source, const gt_dd_images &g, size_t image, bool mine, double *part)
{
	const int step = g.height > GT_DD_INTEGRAL_SAMPLE ? g.height / GT_DD_INTEGRAL_SAMPLE : 1;
	const int rows = min(g.height, GT_DD_INTEGRAL_SAMPLE), lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	double sum = 0;
	for (int c = threadIdx.x / IMAGES; mine && c < g.width; c += WARP) {
		const auto line = source.line_of(image, c);
#pragma unroll
		for (int r = 0; r < GT_DD_INTEGRAL_SAMPLE; r++)
			if (r < rows)
				sum += line.at(r * step + step / 2);
	}
	part[threadIdx.x] = sum;
	meet<IMAGES>();
	sum = part[lane * IMAGES + warp];
	for (int other = WARP / 2; other > 0; other /= 2)
		sum += __shfl_xor_sync(0xFFFFFFFFu, sum, other);
	return (double)(OUT)(sum / ((double)rows * g.width));
}

/* One tile: prefixes along the rows (exclusive: before a column), then down the columns (inclusive). carry: of lane's row;
 * above: of lane's column. */
template <typename OUT>
static __device__ __forceinline__ void finish_tile(OUT (*tile)[WARP + 1], double &carry, double above, double constant, int rows,
                                                   bool inside, OUT *node, size_t pitch)
{
	const int lane = threadIdx.x % WARP;
#pragma unroll 8
	for (int c = 0; c < WARP; c++) {
		const double cell = tile[lane][c] - constant;
		tile[lane][c] = (OUT)carry;
		carry += cell;
	}
	__syncwarp();
	if (!inside)
		return;
#pragma unroll 8
	for (int r = 0; r < WARP; r++) {
		above += tile[r][lane];
		if (r < rows)
			node[(size_t)r * pitch] = (OUT)above;
	}
}

/* IMAGES warps per block, image `first + warp` of the batch each. nodes and constants: those of the batch. */
template <typename IN, typename OUT, int IMAGES, typename SOURCE>
static __global__ void __launch_bounds__(IMAGES *WARP)
	integrate(SOURCE source, gt_dd_images g, size_t first, size_t count, OUT *nodes, OUT *constants)
{
	extern __shared__ double memory[];
	OUT(*tile)[WARP][WARP + 1] = (OUT(*)[WARP][WARP + 1]) memory;
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, at = threadIdx.x % IMAGES, column = threadIdx.x / IMAGES;
	const size_t group = (size_t)blockIdx.x * IMAGES, image = group + warp;
	const bool mine = image < count, reads = group + at < count;
	const double constant = constant_of<OUT, IMAGES>(source, g, first + group + at, reads, memory);
	OUT *const base = nodes + image * g.stride;
	if (mine && lane == 0)
		constants[image] = (OUT)constant;
	for (int row = 0; row < g.height; row += WARP) {
		const int rows = min(WARP, g.height - row);
		double carry = 0;
		IN cell[WARP];
		const auto fetch = [&](int col) {
			const bool there = reads && col + column < g.width;
			const auto line = source.line_of(first + group + (there ? at : 0), there ? col + column : 0);
#pragma unroll
			for (int r = 0; r < WARP; r++)
				cell[r] = there && r < rows ? (IN)line.at(row + r) : IN(0);
		};
		fetch(0);
		for (int col = 0; col <= g.width; col += WARP) {
			const bool inside = mine && col + lane <= g.width;
			OUT *const node = base + (size_t)row * g.pitch + col + lane;
			const double above = inside && row ? *node : 0;
			meet<IMAGES>();
#pragma unroll
			for (int r = 0; r < WARP; r++)
				tile[at][r][column] = (OUT)cell[r];
			meet<IMAGES>();
			if (col + WARP < g.width)
				fetch(col + WARP);
			if (inside && row == 0)
				*node = 0;
			finish_tile(tile[warp], carry, above, constant, rows, inside, node + g.pitch, g.pitch);
		}
	}
}

template <typename IN, typename OUT, int IMAGES, typename SOURCE>
static void launch(gt_backend *be, const SOURCE &source, const gt_dd_images *g, size_t first, size_t count)
{
	const size_t bytes = sizeof(OUT) * IMAGES * WARP * (WARP + 1);
	OUT *nodes = (OUT *)gt_scratch(be);
	cudaStream_t queue = gt_cuda_queue(be);
	const auto kernel = integrate<IN, OUT, IMAGES, SOURCE>;
	cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
	kernel<<<(unsigned)((count + IMAGES - 1) / IMAGES), IMAGES * WARP, bytes, queue>>>(source, *g, first, count, nodes,
	                                                                                   nodes + g->batch * g->stride);
	gt_cuda_check(be, cudaGetLastError(), "integral images");
}

template <typename IN, typename OUT>
static void integrate_slices(gt_backend *be, const gt_dd *d, const gt_dd_images *g, int axis, const IN *x, size_t first, size_t count)
{
	const size_t nx = (size_t)d->n[0], plane = nx * d->n[1];
	if (axis == 1)
		launch<IN, OUT, 1>(be, slices<IN>{ x, nx, plane, 1 }, g, first, count);
	else
		launch<IN, OUT, GT_DD_INTEGRAL_IMAGES>(be, slices<IN>{ x, 1, plane, nx }, g, first, count);
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
	launch<OUT, OUT, 1>(be, weighted<IN>{ *d, y, view }, g, first, count);
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
