/* Host side of the forward projection of level scans (ray_level.h): reorders the volume into slices perpendicular to x
 * and y, and launches the kernel of ray_level.cuh. Memory on the device: the volume in one or both orders. */
#include "projectors/ray/ray_level.cuh"
#include "projectors/ray/ray_tuned.cuh"

template <typename T> static size_t slices_size(const gt_rays *g, int axis)
{
	return (size_t)g->n[axis] * g->n[2] * pitch_of(g->n[1 - axis], sizeof(T));
}

static int processors(void)
{
	int device = 0, count = 0;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
	return count;
}

template <gt_ray_model MODEL, int ROWS, typename T>
static void launch_forward(cudaStream_t queue, const gt_rays *g, const gt_ray_level *v, const T *y_slices, const T *x_slices, T *y)
{
	const int groups = pieces(g->columns, WARP), tiles = pieces(g->rows, ROWS);
	const size_t views = (g->views + GT_RAY_FORWARD_VIEWS - 1) / GT_RAY_FORWARD_VIEWS;
	const size_t blocks = views * groups * tiles;
	const dim3 threads(WARP, GT_RAY_FORWARD_VIEWS);
	constexpr int few = sizeof(T) == 4 ? GT_RAY_FORWARD_BLOCKS_FEW : 1;
	if constexpr (MODEL == GT_RAY_JOSEPH && sizeof(T) == 4 && ROWS == GT_RAY_FORWARD_ROWS)
		if (blocks > (size_t)few * processors()) {
			forward_kernel<MODEL, T, ROWS>
				<<<(unsigned)blocks, threads, 0, queue>>>(*g, *v, y_slices, x_slices, y, groups, tiles);
			return;
		}
	forward_kernel<MODEL, T, ROWS, few><<<(unsigned)blocks, threads, 0, queue>>>(*g, *v, y_slices, x_slices, y, groups, tiles);
}

/* tuned: for Joseph in single precision. */
template <gt_ray_model MODEL, typename T>
static void forward_as(gt_backend *be, const gt_rays *g, const gt_ray_level *v, const gt_ray_tuned *tuned, const T *x, T *y)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *y_slices = (T *)gt_scratch(be), *x_slices = y_slices + (v->sliced[1] ? slices_size<T>(g, 1) : 0);
	const int nx = g->n[0], ny = g->n[1], nz = g->n[2], tx = pieces(nx, WARP), ty = pieces(ny, WARP);
	if (v->sliced[1])
		cut_y<T><<<(unsigned)((size_t)pieces(nx, 128) * ny * nz), 128, 0, queue>>>(x, y_slices, nx, ny, nz, pitch_of(nx, sizeof(T)),
		                                                                           pieces(nx, 128));
	if (v->sliced[0])
		cut_x<T><<<(unsigned)((size_t)tx * ty * nz), dim3(WARP, 8), 0, queue>>>(x, x_slices, nx, ny, nz, pitch_of(ny, sizeof(T)),
		                                                                        tx, ty);
	int e = 0;
	if (MODEL == GT_RAY_JOSEPH && sizeof(T) == 4 && gt_ray_tuned_has(tuned, 0))
		e = gt_ray_tuned_forward(queue, tuned, g, v, (const float *)y_slices, (const float *)x_slices, (float *)y);
	else if (g->rows == 1)
		launch_forward<MODEL, 1>(queue, g, v, y_slices, x_slices, y);
	else if (g->rows <= 4)
		launch_forward<MODEL, 4>(queue, g, v, y_slices, x_slices, y);
	else
		launch_forward<MODEL, GT_RAY_FORWARD_ROWS>(queue, g, v, y_slices, x_slices, y);
	gt_cuda_check(be, e ? (cudaError_t)e : cudaGetLastError(), "ray-driven forward");
}

void gt_ray_level_forward(gt_backend *be, const gt_ray_operator *o, const gt_ray_level *level, const gt_ray_tuned *tuned, const void *x,
                          void *y)
{
	GT_RAY_EACH(forward_as, be, o, level, tuned, x, y);
}

size_t gt_ray_level_scratch(const gt_ray_operator *o, const gt_ray_level *level)
{
	size_t volume = 0;
	for (int axis = 0; axis < 2; axis++)
		if (level->sliced[axis])
			volume += o->type == GT_F32 ? slices_size<float>(&o->rays, axis) * sizeof(float)
			                            : slices_size<double>(&o->rays, axis) * sizeof(double);
	return volume;
}

void gt_ray_level_numbers(int value[3])
{
	value[0] = GT_RAY_FORWARD_ROWS;
	value[1] = GT_RAY_FORWARD_VIEWS;
	value[2] = GT_RAY_FORWARD_BLOCKS;
}
