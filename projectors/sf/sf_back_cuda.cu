/* Host side of the separable-footprint adjoint on CUDA, single precision, upright views. Chooses windows of rows, lines
 * of voxels and batches of views that fit the memory limit, and the tuned variant of an operator. Kernel: sf_back.cuh.
 * Memory on the device: running sums of a batch and the volume, 4 bytes per pixel and voxel. */
#include <stdio.h>
#include <stdlib.h>
#include "core/device/allow_shared.cuh"
#include "core/device/cuda.cuh"
#include "core/device/shared_limit.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "projectors/sf/sf_back.cuh"
#include "projectors/sf/sf_room.cuh"
#ifndef GT_SF_BACK_BYTES /* maximum bytes of running sums */
#define GT_SF_BACK_BYTES ((size_t)256 << 20)
#endif

/* Data times the slant -> running sums along the rows, [view of the batch][column][stride]. */
static __global__ void sum_rows(gt_sf d, const float *y, float *sums, size_t first, int stride, int groups)
{
	const size_t in_batch = blockIdx.x / groups, view = first + in_batch;
	const gt_sf_view *v = &d.view[view];
	const gt_sf_ray *ray = d.ray + view * d.columns;
	float *const out[1] = { sums + in_batch * d.columns * stride };
	const size_t step[1] = { (size_t)stride };
	write_sums<1>([&](int k, int l) { return y[gt_sf_pixel(&d, v, view, l, k)] * gt_sf_slant(v, &ray[k], l); },
	              blockIdx.x % groups * WARP, d.columns, d.rows, stride, out, step);
}

/* [y][x][deep] -> [z][y][x] */
static __global__ void publish(const float *volume, float *x, int nx, int ny, int nz, int deep, int tiles_x, int tiles_z)
{
	__shared__ float tile[WARP][WARP + 1];
	const int x0 = blockIdx.x % tiles_x * WARP, z0 = blockIdx.x / tiles_x % tiles_z * WARP;
	const size_t y = blockIdx.x / tiles_x / tiles_z;
	for (int i = threadIdx.y; i < WARP; i += blockDim.y)
		if (x0 + i < nx && z0 + threadIdx.x < nz)
			tile[i][threadIdx.x] = volume[(y * nx + x0 + i) * deep + z0 + threadIdx.x];
	__syncthreads();
	for (int i = threadIdx.y; i < WARP; i += blockDim.y)
		if (z0 + i < nz && x0 + threadIdx.x < nx)
			x[((size_t)(z0 + i) * ny + y) * nx + x0 + threadIdx.x] = tile[threadIdx.x][i];
}

/* A tuned variant: its numbers, in the order of the table, and its kernel. */
enum { HIGHER = 3 };
struct gt_sf_back_tuned {
	int value[4];
	gt_variant *kernel;
};
static const gt_variant_number numbers[] = {
	{ "BLOCKS", 1, 8, 0 }, { "STAGES", 2, 4, 0 }, { "COLUMNS", 8, 64, 0 }, { "HIGHER", 0, 1, 0 }, { NULL, 0, 0, 0 }
};
static const gt_variant_family family = { "sf-back", "projectors/sf/sf_back.cuh", "GT_SF_BACK_", numbers };
static int higher_of(const gt_sf_back_tuned *u) { return u ? u->value[HIGHER] : GT_SF_BACK_HIGHER; }

static int deep_of(const gt_sf *d) { return (d->n[2] + 7) / 8 * 8; }
static int per_lane(const gt_sf *d) { return d->n[2] > WARP ? 2 : 1; }
static int is_few(const gt_sf *d) { return d->n[2] <= FEW; }
/* Rows of a window. */
static int width_of(const gt_sf *d) { return is_few(d) ? d->rows <= FEW ? FEW : WARP : WARP * per_lane(d); }
/* Returns 1 if blocks choose the height of windows. */
static int is_any(const gt_sf *d) { return !is_few(d) && d->rows > width_of(d); }
static int stride_of(const gt_sf *d, const gt_sf_back_tuned *u) { return line_of(d, width_of(d), is_any(d), higher_of(u)); }
/* Slices of a tile: tiles are equal, and at most as high as the lanes allow. */
static int height_of(const gt_sf *d)
{
	const int max = WARP * per_lane(d);
	return pieces(d->n[2], pieces(d->n[2], max));
}
/* Lines of voxels along x that are held at a time, in whole blocks. Half of the limit is for the volume, half for the
 * running sums. */
static int lines_of(const gt_sf *d, size_t limit)
{
	const size_t fit = limit / 2 / ((size_t)d->n[0] * deep_of(d) * sizeof(float)) / SIDE * SIDE;
	return fit < SIDE ? SIDE : fit < (size_t)d->n[1] ? (int)fit : d->n[1];
}
static size_t volume_floats(const gt_sf *d, size_t limit) { return (size_t)d->n[0] * lines_of(d, limit) * deep_of(d); }
static size_t batch_of(const gt_sf *d, const gt_sf_back_tuned *u, size_t limit)
{
	const size_t one = (size_t)d->columns * stride_of(d, u) * sizeof(float),
		     fit = (limit / 2 < GT_SF_BACK_BYTES ? limit / 2 : GT_SF_BACK_BYTES) / one / VIEWS * VIEWS;
	return fit < VIEWS ? VIEWS : fit < d->views ? fit : d->views;
}

extern "C" size_t gt_sf_back_scratch(const gt_sf *d, const gt_sf_back_tuned *u, size_t limit)
{
	return (volume_floats(d, limit) + batch_of(d, u, limit) * d->columns * stride_of(d, u) + highest_of(width_of(d))) * sizeof(float);
}

typedef void (*kernel)(struct args);
template <int R, int EDGES, bool WHOLE> static kernel kernel_of_rows(size_t *bytes)
{
	*bytes = shared_bytes<R, EDGES, WHOLE>() + GT_SF_BACK_STAGES * stage_bytes<WARP * R, columns_for<R, EDGES, WHOLE>()>();
	return back_kernel<R, EDGES, WHOLE>;
}
template <int R, int EDGES> static kernel kernel_with(const gt_sf *d, size_t *bytes)
{
	return d->rows <= WARP * R ? kernel_of_rows<R, EDGES, true>(bytes) : kernel_of_rows<R, EDGES, false>(bytes);
}
template <int WIDTH> static kernel kernel_of_few(const gt_sf *d, size_t *bytes)
{
	*bytes = (sizeof(struct control) + 127) / 128 * 128 + GT_SF_BACK_STAGES * stage_bytes<WIDTH, GT_SF_BACK_COLUMNS>();
	return d->trapezoid ? few_kernel<WIDTH, GT_SF_WIDE> : few_kernel<WIDTH, GT_SF_FINE>;
}
template <int R> static kernel kernel_for(const gt_sf *d, int edges, size_t *bytes)
{
	return edges == GT_SF_WIDE     ? kernel_with<R, GT_SF_WIDE>(d, bytes)
	       : edges == GT_SF_NARROW ? kernel_with<R, GT_SF_NARROW>(d, bytes)
	       : edges == GT_SF_FINE   ? kernel_with<R, GT_SF_FINE>(d, bytes)
	                               : kernel_with<R, GT_SF_STEPS>(d, bytes);
}
static kernel kernel_of(const gt_sf *d, int edges, size_t *bytes)
{
	if (is_few(d))
		return width_of(d) == FEW ? kernel_of_few<FEW>(d, bytes) : kernel_of_few<WARP>(d, bytes);
	return per_lane(d) == 1 ? kernel_for<1>(d, edges, bytes) : kernel_for<2>(d, edges, bytes);
}
extern "C" int gt_sf_back_window(const gt_sf *d) { return is_any(d) ? highest_of(width_of(d)) : width_of(d); }

static gt_status compile(const gt_sf *d, int edges, gt_sf_back_tuned *u)
{
	char instance[48], bytes[200];
	const char *whole = d->rows <= WARP * per_lane(d) ? "true" : "false";
	snprintf(instance, sizeof instance, "back_kernel<%d,%d,%s>", per_lane(d), edges, whole);
	snprintf(bytes, sizeof bytes, "shared_bytes<%d,%d,%s>() + GT_SF_BACK_STAGES * stage_bytes<WARP * %d, columns_for<%d, %d, %s>()>()",
	         per_lane(d), edges, whole, per_lane(d), per_lane(d), edges, whole);
	return gt_variant_build(&family, u->value, instance, bytes, 0, &u->kernel);
}

extern "C" void gt_sf_back_free(gt_sf_back_tuned *u)
{
	if (u)
		gt_variant_free(u->kernel);
	free(u);
}

static gt_status find_variant(const gt_sf *d, int edges, gt_sf_back_tuned **out)
{
	char about[256];
	gt_sf_back_tuned t = { { GT_SF_BACK_BLOCKS, GT_SF_BACK_STAGES, GT_SF_BACK_COLUMNS, GT_SF_BACK_HIGHER }, NULL };
	int found;
	gt_sf_describe(d, edges, about, sizeof about);
	gt_status st = gt_variant_choose(&family, about, t.value, &found);
	if (st != GT_OK || !found)
		return st;
	if ((st = compile(d, edges, &t)) == GT_OK && !(*out = (gt_sf_back_tuned *)malloc(sizeof t))) {
		gt_variant_free(t.kernel);
		return gt_fail(GT_ERR_MEMORY, "no memory for a variant of sf-back");
	}
	if (st == GT_OK)
		**out = t;
	return gt_variant_settle(&family, t.value, found, st);
}

extern "C" int gt_sf_back_has_room(const gt_sf *d, int edges, const gt_sf_back_tuned *u)
{
	size_t bytes;
	kernel_of(d, edges, &bytes);
	return u || gt_shared_suffices("sf back", bytes, gt_cuda_max_shared());
}

extern "C" gt_status gt_sf_back_make(gt_backend *be, const gt_sf *d, int edges, gt_sf_back_tuned **u)
{
	size_t bytes;
	const kernel k = kernel_of(d, edges, &bytes);
	gt_cuda_queue(be);
	*u = NULL;
	const gt_status st = is_few(d) ? GT_OK : find_variant(d, edges, u);
	if (st != GT_OK || *u || !gt_sf_back_has_room(d, edges, NULL))
		return st;
	if (cudaFuncSetAttribute((const void *)k, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) != cudaSuccess)
		return gt_fail(GT_ERR_DEVICE, "the separable-footprint kernels need %zu bytes of shared memory on %s", bytes, be->name);
	return GT_OK;
}

static int launch(cudaStream_t queue, const gt_sf *d, const gt_sf_back_tuned *u, int edges, size_t blocks, struct args *a)
{
	if (u) {
		void *arguments[] = { a };
		const gt_variant_grid g = { blocks, { WARPS * WARP, 1 }, 0, queue };
		return gt_variant_launch(u->kernel, &g, arguments);
	}
	size_t bytes;
	const kernel run = kernel_of(d, edges, &bytes);
	run<<<(unsigned)blocks, WARPS * WARP, bytes, queue>>>(*a);
	return 0;
}

/* Adds all views to the lines of voxels [a->first_y, + lines). */
static int back_lines(cudaStream_t queue, const gt_sf *d, const gt_sf_back_tuned *u, int edges, size_t batch, int lines, const float *y,
                      struct args *a)
{
	float *const sums = (float *)a->sums;
	int e = 0;
	const int groups = pieces(d->columns, WARP);
	a->tiles_y = pieces(lines, SIDE);
	const size_t blocks = (size_t)a->tiles_x * a->tiles_y * pieces(d->n[2], a->height);
	for (size_t first = 0; first < d->views; first += batch) {
		const size_t views = d->views - first < batch ? d->views - first : batch;
		sum_rows<<<(unsigned)(views * groups), dim3(WARP, GT_SF_PARTS), 0, queue>>>(*d, y, sums, first, a->stride, groups);
		for (a->in_batch = 0; a->in_batch < views; a->in_batch += VIEWS) {
			a->first = first + a->in_batch;
			a->views = (int)(views - a->in_batch < VIEWS ? views - a->in_batch : VIEWS);
			a->fresh = a->first == 0;
			e = e ? e : launch(queue, d, u, edges, blocks, a);
		}
	}
	return e;
}

extern "C" void gt_sf_back(gt_backend *be, const gt_sf *d, const gt_sf_back_tuned *u, int edges, size_t limit, const float *y, float *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const int slab = lines_of(d, limit), tiles_x = pieces(d->n[0], WARP), tiles_z = pieces(d->n[2], WARP);
	struct args a;
	a.d = *d;
	a.volume = (float *)gt_scratch(be);
	a.sums = (float *)gt_scratch(be) + volume_floats(d, limit);
	a.stride = stride_of(d, u);
	a.deep = deep_of(d);
	a.height = height_of(d);
	a.tiles_x = pieces(d->n[0], SIDE);
	for (a.first_y = 0; a.first_y < d->n[1]; a.first_y += slab) {
		const int lines = d->n[1] - a.first_y < slab ? d->n[1] - a.first_y : slab;
		if (gt_cuda_check(be, (cudaError_t)back_lines(queue, d, u, edges, batch_of(d, u, limit), lines, y, &a),
		                  "separable footprint, adjoint"))
			return;
		publish<<<(unsigned)((size_t)tiles_x * tiles_z * lines), dim3(WARP, 8), 0, queue>>>(a.volume,
		                                                                                    x + (size_t)a.first_y * d->n[0],
		                                                                                    d->n[0], d->n[1], d->n[2], a.deep,
		                                                                                    tiles_x, tiles_z);
	}
	gt_cuda_check(be, cudaGetLastError(), "separable footprint, adjoint");
}
