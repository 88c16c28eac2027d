/* Host side of Joseph's adjoint for level scans with many slices: pixels sorted by columns, batches of views, launches.
 * Kernel: ray_strip.cuh. Memory on the device: the sorted pixels of a batch. */
#ifndef GT_RAY_STRIP_SLICES /* minimum voxels along z for Joseph's adjoint in strips: 1 and more */
#define GT_RAY_STRIP_SLICES 8
#endif
#include "projectors/ray/ray_strip.cuh"
#include "projectors/ray/ray_tuned.cuh"

/* Data times the length of a slice, [view of the batch][entry][row by z], with PAD zeros around each column. */
template <typename T>
static __global__ void sort_pixels(gt_rays g, gt_ray_level v, const T *y, T *pixels, size_t first, int row_tiles, int column_tiles)
{
	__shared__ T tile[WARP][WARP + 1];
	const int p0 = blockIdx.x % column_tiles * WARP, q0 = blockIdx.x / column_tiles % row_tiles * WARP - PAD, stride = g.rows + 2 * PAD;
	const size_t batch = blockIdx.x / column_tiles / row_tiles, view = first + batch;
	const int p = p0 + threadIdx.x;
	for (int k = threadIdx.y; k < WARP && p < g.columns; k += blockDim.y) {
		const int q = q0 + k;
		const gt_ray_frame *f = v.frame + 2 * view;
		const int axis = p >= f->start && p < f->start + f->count ? 0 : 1;
		T value = 0;
		if (q >= 0 && q < g.rows) {
			const size_t at = view * g.columns + p;
			f += axis;
			const gt_ray_line l = gt_ray_level_line(GT_RAY_JOSEPH, f, v.S[at], v.W[at], 0);
			value = y[(view * g.rows + gt_ray_level_row(f, g.rows, q)) * g.columns + gt_ray_level_column(f, p)] *
			        (T)gt_ray_level_length(&l, q, g.pitch[axis], g.pitch[1 - axis], g.pitch[2]);
		}
		tile[k][threadIdx.x] = value;
	}
	__syncthreads();
	for (int k = threadIdx.y; k < WARP; k += blockDim.y)
		if (p0 + k < g.columns && q0 + PAD + threadIdx.x < stride)
			pixels[(batch * g.columns + p0 + k) * stride + q0 + PAD + threadIdx.x] = tile[threadIdx.x][k];
}

template <int ORDINARY, int TILES, int AXIS, typename T>
static void launch_strips(cudaStream_t queue, const gt_rays *g, const gt_ray_level *v, const T *pixels, T *x, size_t first, size_t views)
{
	if (!v->sliced[AXIS])
		return;
	const int strips = pieces(g->n[1 - AXIS], GT_RAY_STRIP), groups = pieces(g->n[AXIS], GT_RAY_STRIP_WARPS);
	const size_t blocks = (size_t)strips * groups * pieces(g->n[2], WARP * TILES);
	strip_kernel<T, ORDINARY, TILES, AXIS>
		<<<(unsigned)blocks, dim3(WARP, GT_RAY_STRIP_WARPS), 0, queue>>>(*g, *v, pixels, x, first, views, strips, groups);
}

template <int ORDINARY, int TILES, typename T>
static void launch_both(cudaStream_t queue, const gt_rays *g, const gt_ray_level *v, const T *pixels, T *x, size_t first, size_t views)
{
	launch_strips<ORDINARY, TILES, 0>(queue, g, v, pixels, x, first, views);
	launch_strips<ORDINARY, TILES, 1>(queue, g, v, pixels, x, first, views);
}

template <typename T>
static void adjoint_as(gt_backend *be, const gt_rays *g, const gt_ray_level *v, const gt_ray_tuned *tuned, const T *y, T *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *pixels = (T *)gt_scratch(be);
	const size_t batch = gt_ray_batch_views(g, g->rows + 2 * PAD, sizeof(T));
	const int row_tiles = pieces(g->rows + 2 * PAD, WARP), column_tiles = pieces(g->columns, WARP);
	int e = 0;
	cudaMemsetAsync(x, 0, (size_t)g->n[0] * g->n[1] * g->n[2] * sizeof(T), queue);
	for (size_t first = 0; first < g->views; first += batch) {
		const size_t views = g->views - first < batch ? g->views - first : batch;
		sort_pixels<T><<<(unsigned)(views * row_tiles * column_tiles), dim3(WARP, 8), 0, queue>>>(*g, *v, y, pixels, first,
		                                                                                          row_tiles, column_tiles);
		if (sizeof(T) == 4 && gt_ray_tuned_has(tuned, 1))
			e = e ? e : gt_ray_tuned_adjoint(queue, tuned, g, v, (const float *)pixels, (float *)x, { first, views });
		else if (v->lowest < 0.5 || v->highest > 2)
			launch_both<0, 1>(queue, g, v, pixels, x, first, views);
		else if (g->n[2] <= WARP)
			launch_both<1, 1>(queue, g, v, pixels, x, first, views);
		else
			launch_both<1, GT_RAY_STRIP_TILES>(queue, g, v, pixels, x, first, views);
	}
	gt_cuda_check(be, e ? (cudaError_t)e : cudaGetLastError(), "ray-driven adjoint");
}

void gt_ray_strip_adjoint(gt_backend *be, const gt_ray_operator *o, const gt_ray_level *level, const gt_ray_tuned *tuned, const void *y,
                          void *x)
{
	if (o->type == GT_F32)
		adjoint_as(be, &o->rays, level, tuned, (const float *)y, (float *)x);
	else
		adjoint_as(be, &o->rays, level, tuned, (const double *)y, (double *)x);
}

size_t gt_ray_strip_scratch(const gt_ray_operator *o)
{
	const gt_rays *g = &o->rays;
	const size_t element = gt_type_size(o->type), length = g->rows + 2 * PAD;
	return gt_ray_batch_views(g, length, element) * g->columns * length * element;
}

int gt_ray_takes_strips(const gt_ray_operator *o) { return o->model == GT_RAY_JOSEPH && o->rays.n[2] >= GT_RAY_STRIP_SLICES; }

void gt_ray_strip_numbers(const gt_rays *g, const gt_ray_level *v, int value[3])
{
	value[0] = GT_RAY_STRIP;
	value[1] = !(v->lowest < 0.5 || v->highest > 2) && g->n[2] > WARP ? GT_RAY_STRIP_TILES : 1;
	value[2] = GT_RAY_STRIP_WARPS;
}
