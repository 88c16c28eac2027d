/* Integral images on CUDA, in one pass. A block owns an image and processes its rows from the first on, several at a
 * time. A lane owns a few adjacent columns and adds cells down its columns. Column sums are summed along the rows, over
 * the lanes of a warp by shuffles and over warps through shared memory. Loads of the next rows are in flight meanwhile.
 * Several interleaved images (slices perpendicular to x) are processed together, with the lanes divided among them.
 * Images wider than a block are processed in strips; the nodes at the left edge of a strip come from the previous
 * strip.
 *
 * Limit: bytes. A cell is read once (some twice, for the constant), a node is written once.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_INTEGRAL_WARPS /* maximum warps per block of one image: 4, 8, 16 */
#define GT_DD_INTEGRAL_WARPS 8
#endif
#ifndef GT_DD_INTEGRAL_ROWS /* rows at a time: 2, 4, 8 */
#define GT_DD_INTEGRAL_ROWS 8
#endif
#ifndef GT_DD_INTEGRAL_BLOCKS /* minimum blocks of WARPS per multiprocessor: 1 to 4 */
#define GT_DD_INTEGRAL_BLOCKS 2
#endif
#ifndef GT_DD_INTEGRAL_AHEAD /* groups of ROWS rows in flight: 1 to 4 */
#define GT_DD_INTEGRAL_AHEAD 3
#endif
#ifndef GT_DD_INTEGRAL_IMAGES /* interleaved images per block: 2, 4, 8 */
#define GT_DD_INTEGRAL_IMAGES 4
#endif
#ifndef GT_DD_INTEGRAL_IMAGES_WARPS /* maximum warps per block of interleaved images: 8, 16 */
#define GT_DD_INTEGRAL_IMAGES_WARPS 16
#endif
#ifndef GT_DD_INTEGRAL_IMAGES_ROWS /* their rows at a time, times images at most 32: 2, 4, 8 */
#define GT_DD_INTEGRAL_IMAGES_ROWS 4
#endif
#ifndef GT_DD_INTEGRAL_SAMPLE /* rows sampled for the constant of an image: 2 to 32 */
#define GT_DD_INTEGRAL_SAMPLE 8
#endif
#include <cuda_pipeline.h>
#include <stdint.h>
#include "core/device/allow_shared.cuh"
#include "core/device/cuda.cuh"
#include "projectors/dd/published/dd_integral_sources.cuh"

/* Launch shape: a lane owns COLUMNS of one image; the lanes of an image span SPAN columns. */
template <typename OUT, bool INTERLEAVED> struct shape {
	static constexpr int IMAGES = INTERLEAVED ? GT_DD_INTEGRAL_IMAGES : 1;
	static constexpr int COLUMNS = INTERLEAVED ? 4 : 16 / (int)sizeof(OUT), SPAN = WARP / IMAGES * COLUMNS;
	static constexpr int WARPS = INTERLEAVED ? GT_DD_INTEGRAL_IMAGES_WARPS : GT_DD_INTEGRAL_WARPS;
	static constexpr int BLOCKS = INTERLEAVED ? 1 : GT_DD_INTEGRAL_BLOCKS;
	static constexpr int ROWS = INTERLEAVED ? GT_DD_INTEGRAL_IMAGES_ROWS : GT_DD_INTEGRAL_ROWS;
	static constexpr int AHEAD = INTERLEAVED ? 0 : GT_DD_INTEGRAL_AHEAD; /* 0: in registers */
	static int warps(int width)
	{
		const int tiles = (width + SPAN - 1) / SPAN, strips = (tiles + WARPS - 1) / WARPS;
		return (tiles + strips - 1) / strips;
	}
};

/* Mean of a sample of the lane's image; each warp reads rows that its neighbours do not. */
template <int IMAGES, int COLUMNS, typename STORED, typename OUT, typename PICTURE>
static __device__ __forceinline__ double mean_of(const PICTURE &picture, const gt_dd_images &g, OUT *room, double (*part)[2 * IMAGES])
{
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
	constexpr int SPAN = WARP / IMAGES * COLUMNS;
	const int rows = min(g.height, GT_DD_INTEGRAL_SAMPLE), step = g.height / rows, apart = min(warps, max(rows / 2, 1));
	double sum = 0, cells = 0;
	for (int first = warp * SPAN; first < g.width; first += warps * SPAN) {
		const auto from = picture.columns_of(first + lane / IMAGES * COLUMNS, room);
		for (int k = warp % apart; k < rows; k += apart) {
			const int r = k * step + step / 2;
			STORED value[COLUMNS];
			from.read(r, value);
#pragma unroll
			for (int c = 0; c < COLUMNS; c++) {
				const OUT cell = picture.weight_of(c, room).times(value[c], r);
				sum += c < from.inside ? cell : 0;
			}
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

/* Steps of a block, several rows at a time: read them, add them down the columns, sum along the rows, write nodes. */
template <typename T, int ROWS, int COLUMNS, bool PACKED>
static __device__ __forceinline__ void read_rows(const columns<T, COLUMNS, PACKED> &from, int row, int height, T (&value)[ROWS][COLUMNS])
{
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		from.read(min(row + r, height - 1), value[r]);
}

/* Copies rows from `row` on asynchronously into the lane's own buffer, where rows are `apart` cells apart. */
template <typename T, int ROWS, int COLUMNS, bool PACKED>
static __device__ __forceinline__ void ask_rows(const columns<T, COLUMNS, PACKED> &from, int row, int height, T *room, int apart)
{
	if (row < height)
#pragma unroll
		for (int r = 0; r < ROWS; r++)
			from.ask(min(row + r, height - 1), room + r * apart);
	__pipeline_commit();
}

/* Cells outside the image reach only nodes that are never read; skipping them would cost a branch per cell. */
template <typename PICTURE, typename T, typename OUT, int ROWS, int COLUMNS>
static __device__ __forceinline__ void add_down(const PICTURE &picture, const OUT *room, int row, const T (&value)[ROWS][COLUMNS],
                                                OUT constant, OUT (&above)[COLUMNS], OUT (&node)[ROWS][COLUMNS])
{
#pragma unroll
	for (int c = 0; c < COLUMNS; c++) {
		const auto weight = picture.weight_of(c, room);
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			above[c] += weight.times(value[r][c], row + r) - constant;
			node[r][c] = above[c];
		}
	}
}

/* Exclusive prefix sum over the lanes of one image, which are IMAGES apart. The last lanes store the total in
 * *total. */
template <int IMAGES, typename OUT> static __device__ __forceinline__ OUT sum_before(OUT sum, OUT *total)
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

/* Replaces each value by the sum of those before it in the warp; total: [row][image]. */
template <int IMAGES, typename OUT, int ROWS, int COLUMNS>
static __device__ __forceinline__ void sum_along(OUT (&node)[ROWS][COLUMNS], OUT *total)
{
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		OUT sum = 0;
#pragma unroll
		for (int c = 0; c < COLUMNS; c++) {
			const OUT cell = node[r][c];
			node[r][c] = sum;
			sum += cell;
		}
		sum = sum_before<IMAGES>(sum, total + r * IMAGES + threadIdx.x % IMAGES);
#pragma unroll
		for (int c = 0; c < COLUMNS; c++)
			node[r][c] += sum;
	}
}

/* Adds the sums and writes the rows of a lane. `before` is the sum left of the warp, for the row and image of lane row
 * * IMAGES + image. */
template <int IMAGES, typename OUT, int ROWS, int COLUMNS>
static __device__ __forceinline__ void write_rows(OUT (&node)[ROWS][COLUMNS], OUT before, int rows, OUT *to, size_t pitch)
{
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const OUT left = __shfl_sync(0xFFFFFFFFu, before, r * IMAGES + threadIdx.x % IMAGES);
#pragma unroll
		for (int c = 0; c < COLUMNS; c++)
			node[r][c] += left;
		if (r < rows)
			store(to + r * pitch, node[r]);
	}
}

/* Writes the node to the right of the last lane, and fills its sector, which is never read. */
template <int COLUMNS, typename OUT> static __device__ __forceinline__ void write_edge(OUT node, OUT *to)
{
	OUT edge[COLUMNS];
	for (int c = 0; c < COLUMNS; c++)
		edge[c] = node;
	for (int c = 0; c < (int)(32 / sizeof(OUT)); c += COLUMNS)
		store(to + c, edge);
}

/* Integrates images first, first + 1, ... into nodes and constants of the batch. */
template <typename OUT, bool INTERLEAVED, typename SOURCE>
static __global__ void __launch_bounds__(shape<OUT, INTERLEAVED>::WARPS *WARP, shape<OUT, INTERLEAVED>::BLOCKS)
	integrate(SOURCE source, gt_dd_images g, size_t first, size_t count, OUT *nodes, OUT *constants)
{
	typedef shape<OUT, INTERLEAVED> S;
	constexpr int ROWS = S::ROWS, COLUMNS = S::COLUMNS, IMAGES = S::IMAGES;
	__shared__ OUT totals[2][S::WARPS][ROWS * IMAGES];
	__shared__ double part[S::WARPS][2 * IMAGES];
	__shared__ OUT weights[SOURCE::WEIGHTS ? SOURCE::WEIGHTS * S::WARPS * WARP : 1];
	typedef typename SOURCE::stored T;
	constexpr int AHEAD = S::AHEAD;
	extern __shared__ __align__(16) unsigned char under_way[]; /* [AHEAD][ROWS][lanes][COLUMNS] */
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP, image = lane % IMAGES;
	const size_t block = (size_t)blockIdx.x * IMAGES, own = block + image < count ? block + image : count - 1;
	const bool mine = block + image < count;
	const auto picture = source.open(first + own, g.width);
	OUT *const room = weights + threadIdx.x, *const base = nodes + own * g.stride;
	const int apart = blockDim.x * COLUMNS, line = lane / IMAGES % ROWS; /* row whose warp sums this lane has */
	T *const hall = (T *)under_way + threadIdx.x * COLUMNS;
	OUT constant = 0;
	for (int start = 0, parity = 0; start < g.width; start += warps * S::SPAN) {
		const int column = start + warp * S::SPAN + lane / IMAGES * COLUMNS, end = start + warps * S::SPAN;
		const auto cells = picture.columns_of(column, room);
		for (int a = 0; a < AHEAD; a++)
			ask_rows<T, ROWS>(cells, a * ROWS, g.height, hall + a * ROWS * apart, apart);
		if (start == 0) {
			constant = (OUT)mean_of<IMAGES, COLUMNS, T>(picture, g, room, part);
			if (mine && threadIdx.x < IMAGES)
				constants[own] = constant;
			if (mine)
				for (int c = threadIdx.x / IMAGES; c <= g.width; c += blockDim.x / IMAGES)
					base[c] = 0;
			picture.columns_of(column, room); /* weights again: mean_of() overwrote them */
		}
		T value[ROWS][COLUMNS];
		OUT above[COLUMNS] = { 0 };
		if constexpr (AHEAD == 0)
			read_rows(cells, 0, g.height, value);
		for (int row = 0, slot = 0; row < g.height; row += ROWS, parity ^= 1, slot = slot == AHEAD - 1 ? 0 : slot + 1) {
			OUT node[ROWS][COLUMNS], *const to = base + (size_t)(row + 1) * g.pitch;
			T *const from = hall + slot * ROWS * apart;
			if constexpr (AHEAD > 0) {
				__pipeline_wait_prior(AHEAD - 1);
#pragma unroll
				for (int r = 0; r < ROWS; r++)
					cells.take(from + r * apart, value[r]);
			}
			add_down(picture, room, row, value, constant, above, node);
			if constexpr (AHEAD > 0)
				ask_rows<T, ROWS>(cells, row + AHEAD * ROWS, g.height, from, apart);
			else if (row + ROWS < g.height)
				read_rows(cells, row + ROWS, g.height, value);
			const bool there = mine && row + line < g.height;
			OUT before = start && there ? __ldcg(to + line * g.pitch + start) : 0;
			sum_along<IMAGES>(node, totals[parity][warp]);
			__syncthreads();
			for (int w = 0; w < warp; w++)
				before += totals[parity][w][line * IMAGES + image];
			write_rows<IMAGES>(node, before, mine && column <= g.width ? g.height - row : 0, to + column, g.pitch);
			if (end <= g.width && warp == warps - 1 && there && lane < ROWS * IMAGES)
				write_edge<COLUMNS>(before + totals[parity][warp][line * IMAGES + image], to + line * g.pitch + end);
		}
		__syncthreads();
	}
}

/* Bytes of dynamic shared memory available to a kernel; before compute capability 9.0 wide images would need more. */
static int room_for(const void *kernel)
{
	struct cudaFuncAttributes a;
	const int most = gt_cuda_max_shared();
	return cudaFuncGetAttributes(&a, kernel) == cudaSuccess ? most - (int)a.sharedSizeBytes : most;
}

template <typename OUT, bool INTERLEAVED, typename SOURCE>
static void launch(gt_backend *be, const SOURCE &source, const gt_dd_images *g, size_t first, size_t count)
{
	typedef shape<OUT, INTERLEAVED> S;
	OUT *nodes = (OUT *)gt_scratch(be);
	const void *kernel = (const void *)integrate<OUT, INTERLEAVED, SOURCE>;
	const int per_warp = S::AHEAD * S::ROWS * WARP * S::COLUMNS * (int)sizeof(typename SOURCE::stored);
	const int room = room_for(kernel);
	int warps = S::warps(g->width);
	while (warps > 1 && warps * per_warp > room)
		warps--;
	const cudaError_t e = gt_cuda_allow_shared(kernel, (size_t)(warps * per_warp));
	if (gt_cuda_check(be, e, "integral images"))
		return;
	integrate<OUT, INTERLEAVED, SOURCE>
		<<<(unsigned)((count + S::IMAGES - 1) / S::IMAGES), warps * WARP, warps * per_warp, gt_cuda_queue(be)>>>(
			source, *g, first, count, nodes, nodes + g->batch * g->stride);
	gt_cuda_check(be, cudaGetLastError(), "integral images");
}

/* Returns whether all rows can be read by aligned vector loads of `columns` values. */
template <typename T> static bool packed(const T *p, size_t row, int columns)
{
	return row % (size_t)columns == 0 && (uintptr_t)p % (columns * sizeof(T)) == 0;
}

template <typename IN, typename OUT>
static void integrate_slices(gt_backend *be, const gt_dd *d, const gt_dd_images *g, int axis, const IN *x, size_t first, size_t count)
{
	constexpr int COLUMNS = shape<OUT, false>::COLUMNS;
	const size_t nx = (size_t)d->n[0], plane = nx * d->n[1];
	if (axis == 0)
		launch<OUT, true>(be, slices<IN, OUT, shape<OUT, true>::COLUMNS, false>{ x, 1, plane, nx }, g, first, count);
	else if (packed(x, nx, COLUMNS))
		launch<OUT, false>(be, slices<IN, OUT, COLUMNS, true>{ x, nx, plane, 1 }, g, first, count);
	else
		launch<OUT, false>(be, slices<IN, OUT, COLUMNS, false>{ x, nx, plane, 1 }, g, first, count);
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
	constexpr int COLUMNS = shape<OUT, false>::COLUMNS;
	if (packed(y, (size_t)d->columns, COLUMNS))
		launch<OUT, false>(be, weighted<IN, OUT, COLUMNS, true>{ *d, y, view }, g, first, count);
	else
		launch<OUT, false>(be, weighted<IN, OUT, COLUMNS, false>{ *d, y, view }, g, first, count);
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
