/* Integral images on CUDA, in one pass. A block owns an image and walks down its rows, a few at a time. A lane owns four columns beside each
 * other: it adds cells down its columns, and what it has is summed along the rows, over the lanes of a warp by shuffles and over warps through
 * shared memory. While that is done the next rows are under way into registers. Images that are interleaved in memory (slices
 * perpendicular to x) are taken several at a time, the lanes shared out among them. Images wider than a block are done in strips: the
 * nodes at the left edge of a strip are there from the one before.
 *
 * Limit: bytes; each cell is read once (some twice, for the constant), and each node is written once.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_INTEGRAL_WARPS /* most warps per block that have an image: 4, 8, 16 */
#define GT_DD_INTEGRAL_WARPS 8
#endif
#ifndef GT_DD_INTEGRAL_BLOCKS /* of these per multiprocessor that registers leave room for: 1 to 4 */
#define GT_DD_INTEGRAL_BLOCKS 2
#endif
#ifndef GT_DD_INTEGRAL_ROWS /* rows at a time: 2, 4, 8 */
#define GT_DD_INTEGRAL_ROWS 8
#endif
#ifndef GT_DD_INTEGRAL_IMAGES /* interleaved images per block: 2, 4, 8 */
#define GT_DD_INTEGRAL_IMAGES 4
#endif
#ifndef GT_DD_INTEGRAL_IMAGES_WARPS /* most warps per block that have interleaved images: 8, 16 */
#define GT_DD_INTEGRAL_IMAGES_WARPS 16
#endif
#ifndef GT_DD_INTEGRAL_IMAGES_ROWS /* rows of them at a time, times images at most 32: 2, 4, 8 */
#define GT_DD_INTEGRAL_IMAGES_ROWS 4
#endif
#ifndef GT_DD_INTEGRAL_SAMPLE /* rows from which the constant of an image is taken: 2 to 32 */
#define GT_DD_INTEGRAL_SAMPLE 8
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/cuda.h"
#include "projectors/dd/dd_integral.h"

enum { WARP = 32, COLUMNS = 4 };

/* Four numbers beside each other, by as few instructions as can be. */
static __device__ __forceinline__ void load(const float *p, float (&v)[COLUMNS])
{
	const float4 a = __ldg((const float4 *)p);
	v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w;
}
static __device__ __forceinline__ void load(const double *p, double (&v)[COLUMNS])
{
	const double2 a = __ldg((const double2 *)p), b = __ldg((const double2 *)p + 1);
	v[0] = a.x, v[1] = a.y, v[2] = b.x, v[3] = b.y;
}
static __device__ __forceinline__ void store(float *p, float a, float b, float c, float d) { __stcg((float4 *)p, make_float4(a, b, c, d)); }
static __device__ __forceinline__ void store(double *p, double a, double b, double c, double d)
{
	__stcg((double2 *)p, make_double2(a, b));
	__stcg((double2 *)p + 1, make_double2(c, d));
}

/* The columns of a lane; those from `inside` on are not in the image. PACKED: four may be read at once. */
template <typename T, bool PACKED> struct columns {
	const T *p;
	ptrdiff_t row, column;
	int inside;
	__device__ __forceinline__ void read(int r, T (&value)[COLUMNS]) const
	{
		const T *const at = p + r * row;
		if (PACKED) {
			T v[COLUMNS];
			load(column < 0 ? at - (COLUMNS - 1) : at, v);
#pragma unroll
			for (int c = 0; c < COLUMNS; c++)
				value[c] = v[column < 0 ? COLUMNS - 1 - c : c];
		} else {
#pragma unroll
			for (int c = 0; c < COLUMNS; c++)
				value[c] = __ldg(at + (c < inside ? c * column : 0));
		}
	}
};

static __device__ __forceinline__ int inside_of(int c, int width) { return min(max(width - c, 0), (int)COLUMNS); }

/* Where cells come from: open() finds an image, columns_of() those of a lane, weight() what is the same all along one of these, and a
 * weight times what is read in row l is a cell. Weights lie in shared memory, each lane's apart: WEIGHTS rows of one for each thread. */
template <typename T, typename OUT, bool PACKED> struct slices {
	typedef T stored;
	enum { WEIGHTS = 0 };
	const T *x;
	size_t image, row, column; /* from one to the next */
	struct weight {
		__device__ __forceinline__ OUT times(T value, int) const { return value; }
	};
	struct picture {
		const T *p;
		size_t row, column;
		int width;
		__device__ __forceinline__ columns<T, PACKED> columns_of(int c, OUT *) const
		{
			const int inside = inside_of(c, width);
			return { inside ? p + (size_t)c * column : p, (ptrdiff_t)row, (ptrdiff_t)column, inside };
		}
		__device__ __forceinline__ weight weight_of(int, const OUT *) const { return {}; }
	};
	__device__ __forceinline__ picture open(size_t n, int width) const { return { x + n * image, row, column, width }; }
};

/* Square root of what is neither tiny nor huge, without branches: from that of the hardware by Newton's steps, right to the last bit or nearly. */
static __device__ __forceinline__ float root(float s)
{
	const float r = rsqrtf(s), near = s * r;
	return fmaf(0.5f * r, fmaf(-near, near, s), near);
}
static __device__ __forceinline__ double root(double s)
{
	const double first = rsqrtf((float)s), r = fma(0.5 * first, fma(-first * first, s, 1.), first), near = s * r;
	return fma(0.5 * r, fma(-near, near, s), near);
}

/* Views times the slant, columns and rows in ascending order. */
template <typename T, typename OUT, bool PACKED> struct weighted {
	typedef T stored;
	enum { WEIGHTS = 3 * COLUMNS };
	gt_dd d;
	const T *y;
	const size_t *view;
	/* A column for gt_dd_slant(), with what is the same for all rows taken out of it. */
	struct weight {
		OUT slope, step, square, pitch;
		__device__ __forceinline__ OUT times(T value, int l) const
		{
			const OUT at = slope + l * step;
			return value * (pitch * root(square + at * at));
		}
	};
	struct picture {
		const T *p;
		ptrdiff_t row, column;
		const gt_dd_column *of;
		int width;
		double pitch_z;
		OUT pitch;
		__device__ __forceinline__ columns<T, PACKED> columns_of(int k, OUT *room) const
		{
			const int inside = inside_of(k, width), at = inside ? k : 0;
#pragma unroll
			for (int c = 0; c < COLUMNS; c++) {
				const gt_dd_column *v = &of[min(k + c, width - 1)];
				OUT *const to = room + 3 * c * blockDim.x;
				to[0] = (OUT)((v->P1 + 0.5 * v->Q1) * pitch_z);
				to[blockDim.x] = (OUT)(v->Q1 * pitch_z);
				to[2 * blockDim.x] = (OUT)v->square;
			}
			return { p + at * column, row, column, inside };
		}
		__device__ __forceinline__ weight weight_of(int c, const OUT *room) const
		{
			const OUT *const from = room + 3 * c * blockDim.x;
			return { from[0], from[blockDim.x], from[2 * blockDim.x], pitch };
		}
	};
	__device__ __forceinline__ picture open(size_t n, int width) const
	{
		const size_t at = view[n];
		const gt_dd_view *v = &d.view[at];
		return { y + gt_dd_cell(&d, v, at, 0, 0),
			 v->flip_rows ? -(ptrdiff_t)d.columns : (ptrdiff_t)d.columns,
			 v->flip_columns ? -1 : 1,
			 d.column + at * d.columns,
			 width,
			 d.pitch[2],
			 (OUT)(v->axis ? d.pitch[1] : d.pitch[0]) };
	}
};

/* Launch shape: lanes with the columns of one image span SPAN of them; so many warps, images and rows at a time. */
template <typename OUT, int IMAGES> struct shape {
	static constexpr int SPAN = WARP / IMAGES * COLUMNS;
	static constexpr int WARPS = IMAGES > 1 ? GT_DD_INTEGRAL_IMAGES_WARPS : GT_DD_INTEGRAL_WARPS;
	static constexpr int BLOCKS = IMAGES > 1 ? 1 : GT_DD_INTEGRAL_BLOCKS;
	static constexpr int MOST = IMAGES > 1 ? GT_DD_INTEGRAL_IMAGES_ROWS : GT_DD_INTEGRAL_ROWS;
	static constexpr int ROWS = sizeof(OUT) == 8 && MOST > 4 ? 4 : MOST;
};

/* Mean of a sample of the image that the lane works on: each warp reads some of the rows, other ones than its neighbours. */
template <int IMAGES, int SPAN, typename STORED, typename OUT, typename PICTURE>
static __device__ __forceinline__ double mean_of(const PICTURE &picture, const gt_dd_images &g, OUT *room, double (*part)[2 * IMAGES])
{
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
	const int rows = min(g.height, GT_DD_INTEGRAL_SAMPLE), step = g.height / rows, apart = min(warps, max(rows / 2, 1));
	double sum = 0, cells = 0;
	for (int first = warp * SPAN; first < g.width; first += warps * SPAN) {
		const auto from = picture.columns_of(first + lane / IMAGES * COLUMNS, room);
		for (int k = warp % apart; k < rows; k += apart) {
			const int r = k * step + step / 2;
			STORED value[COLUMNS];
			from.read(r, value);
#pragma unroll
			for (int c = 0; c < COLUMNS; c++)
				sum += c < from.inside ? picture.weight_of(c, room).times(value[c], r) : 0;
			cells += from.inside;
		}
	}
	for (int other = IMAGES; other < WARP; other *= 2) {
		sum += __shfl_xor_sync(0xFFFFFFFFu, sum, other);
		cells += __shfl_xor_sync(0xFFFFFFFFu, cells, other);
	}
	if (lane < IMAGES) {
		part[warp][2 * lane] = sum;
		part[warp][2 * lane + 1] = cells;
	}
	__syncthreads();
	sum = cells = 0;
	for (int w = 0; w < warps; w++) {
		sum += part[w][2 * (lane % IMAGES)];
		cells += part[w][2 * (lane % IMAGES) + 1];
	}
	return sum / cells;
}

/* Each of these sums, over lanes a number of images apart, becomes that of the lanes before; the last lanes leave those of all in `total`. */
template <typename OUT, int IMAGES> static __device__ __forceinline__ OUT sum_before(OUT sum, OUT *total)
{
	const int lane = threadIdx.x % WARP;
#pragma unroll
	for (int up = IMAGES; up < WARP; up *= 2) {
		const OUT other = __shfl_up_sync(0xFFFFFFFFu, sum, up);
		if (lane >= up)
			sum += other;
	}
	if (lane >= WARP - IMAGES)
		*total = sum;
	const OUT before = __shfl_up_sync(0xFFFFFFFFu, sum, IMAGES);
	return lane < IMAGES ? 0 : before;
}

/* Images first, first + 1, ... into nodes and constants of the batch. */
template <typename OUT, int IMAGES, typename SOURCE>
static __global__ void __launch_bounds__(shape<OUT, IMAGES>::WARPS *WARP, shape<OUT, IMAGES>::BLOCKS)
	integrate(SOURCE source, gt_dd_images g, size_t first, size_t count, OUT *nodes, OUT *constants)
{
	typedef shape<OUT, IMAGES> S;
	typedef typename SOURCE::stored stored;
	constexpr int ROWS = S::ROWS;
	__shared__ OUT totals[2][S::WARPS][ROWS * IMAGES];
	__shared__ double part[S::WARPS][2 * IMAGES];
	__shared__ OUT weights[SOURCE::WEIGHTS ? SOURCE::WEIGHTS * S::WARPS * WARP : 1];
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP, image = lane % IMAGES;
	const size_t block = (size_t)blockIdx.x * IMAGES, own = block + image < count ? block + image : count - 1;
	const bool mine = block + image < count;
	const auto picture = source.open(first + own, g.width);
	OUT *const room = weights + threadIdx.x;
	OUT *const base = nodes + own * g.stride;
	const OUT constant = (OUT)mean_of<IMAGES, S::SPAN, stored>(picture, g, room, part);
	if (mine && threadIdx.x < IMAGES)
		constants[own] = constant;
	if (mine)
		for (int c = threadIdx.x / IMAGES; c <= g.width; c += blockDim.x / IMAGES)
			base[c] = 0;
	/* of the row and image that this lane has the sums of warps for */
	const int line = lane / IMAGES % ROWS;
	for (int start = 0, parity = 0; start < g.width; start += warps * S::SPAN) {
		const int column = start + warp * S::SPAN + lane / IMAGES * COLUMNS, end = start + warps * S::SPAN;
		const auto cells = picture.columns_of(column, room);
		stored value[ROWS][COLUMNS];
		OUT above[COLUMNS] = { 0 };
#pragma unroll
		for (int r = 0; r < ROWS; r++)
			cells.read(min(r, g.height - 1), value[r]);
		for (int row = 0; row < g.height; row += ROWS, parity ^= 1) {
			OUT node[ROWS][COLUMNS];
#pragma unroll
			for (int c = 0; c < COLUMNS; c++) {
				const auto weight = picture.weight_of(c, room);
#pragma unroll
				for (int r = 0; r < ROWS; r++) {
					above[c] += c < cells.inside ? weight.times(value[r][c], row + r) - constant : 0;
					node[r][c] = above[c];
				}
			}
			if (row + ROWS < g.height) {
#pragma unroll
				for (int r = 0; r < ROWS; r++)
					cells.read(min(row + ROWS + r, g.height - 1), value[r]);
			}
			OUT *const at = base + (size_t)(row + 1) * g.pitch;
			const bool there = mine && row + line < g.height;
			OUT before = start && there ? __ldcg(at + line * g.pitch + start) : 0;
#pragma unroll
			for (int r = 0; r < ROWS; r++) {
				OUT sum = 0;
#pragma unroll
				for (int c = 0; c < COLUMNS; c++) {
					const OUT cell = node[r][c];
					node[r][c] = sum;
					sum += cell;
				}
				sum = sum_before<OUT, IMAGES>(sum, &totals[parity][warp][r * IMAGES + image]);
#pragma unroll
				for (int c = 0; c < COLUMNS; c++)
					node[r][c] += sum;
			}
			__syncthreads();
			for (int w = 0; w < warp; w++)
				before += totals[parity][w][line * IMAGES + image];
#pragma unroll
			for (int r = 0; r < ROWS; r++) {
				const OUT left = __shfl_sync(0xFFFFFFFFu, before, r * IMAGES + image);
				if (mine && row + r < g.height && column <= g.width)
					store(at + r * g.pitch + column, node[r][0] + left, node[r][1] + left, node[r][2] + left,
					      node[r][3] + left);
			}
			/* nodes to the right of the strip, whose places up to the next sector are never read */
			if (end <= g.width && warp == warps - 1 && there && lane < ROWS * IMAGES) {
				const OUT edge = before + totals[parity][warp][line * IMAGES + image];
				for (int c = 0; c < (int)(32 / sizeof(OUT)); c += COLUMNS)
					store(at + line * g.pitch + end + c, edge, edge, edge, edge);
			}
		}
		__syncthreads();
	}
}

template <typename OUT, int IMAGES, typename SOURCE>
static void launch(gt_backend *be, const SOURCE &source, const gt_dd_images *g, size_t first, size_t count)
{
	typedef shape<OUT, IMAGES> S;
	const int tiles = (g->width + S::SPAN - 1) / S::SPAN, strips = (tiles + S::WARPS - 1) / S::WARPS,
		  warps = (tiles + strips - 1) / strips;
	OUT *nodes = (OUT *)gt_scratch(be);
	cudaStream_t queue = gt_cuda_queue(be);
	integrate<OUT, IMAGES, SOURCE><<<(unsigned)((count + IMAGES - 1) / IMAGES), warps * WARP, 0, queue>>>(source, *g, first, count,
	                                                                                                      nodes,
	                                                                                                      nodes + g->batch * g->stride);
	gt_cuda_check(be, cudaGetLastError(), "integral images");
}

/* May all rows of so many cells be read four at once? */
template <typename T> static bool packed(const T *p, size_t row) { return row % COLUMNS == 0 && (uintptr_t)p % 16 == 0; }

template <typename IN, typename OUT>
static void integrate_slices(gt_backend *be, const gt_dd *d, const gt_dd_images *g, int axis, const IN *x, size_t first, size_t count)
{
	const size_t nx = (size_t)d->n[0], plane = nx * d->n[1];
	if (axis == 0)
		launch<OUT, GT_DD_INTEGRAL_IMAGES>(be, slices<IN, OUT, false>{ x, 1, plane, nx }, g, first, count);
	else if (packed(x, nx))
		launch<OUT, 1>(be, slices<IN, OUT, true>{ x, nx, plane, 1 }, g, first, count);
	else
		launch<OUT, 1>(be, slices<IN, OUT, false>{ x, nx, plane, 1 }, g, first, count);
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
	if (packed(y, (size_t)d->columns))
		launch<OUT, 1>(be, weighted<IN, OUT, true>{ *d, y, view }, g, first, count);
	else
		launch<OUT, 1>(be, weighted<IN, OUT, false>{ *d, y, view }, g, first, count);
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

extern "C" double gt_dd_images_alone(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, gt_type t, int kind, const void *in)
{
	double bytes = 0;
	for (int axis = 0; axis < 2; axis++) {
		const gt_dd_images *g = kind == 2 ? &b->views[axis] : &b->slices[axis];
		if (kind < 2 && kind != axis)
			continue;
		bytes += (double)g->images * ((double)g->width * g->height * gt_type_size(t) +
		                              ((double)g->width + 1) * ((double)g->height + 1) * gt_type_size(b->type));
		for (size_t first = 0; in && first < g->images; first += g->batch)
			if (kind == 2)
				gt_dd_integrate_views(be, d, b, axis, t, in, first, batch_at(g, first));
			else
				gt_dd_integrate_slices(be, d, b, axis, t, in, first, batch_at(g, first));
	}
	return bytes;
}
