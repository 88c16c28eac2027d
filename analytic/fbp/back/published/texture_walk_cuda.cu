/* One thread fetches all texels of layers in two orders: figure 6 of Lu, Ino, Hagihara (2016). Memory: the layers, one
 * image and a number. */
#include "analytic/fbp/back/published/published.cuh"
#include "analytic/fbp/back/published/texture_walk.h"

enum { MAX_LAYERS = 64 };

template <int LAYERED> static __device__ __forceinline__ float fetch(const struct textures_in<MAX_LAYERS> &t, int u, int v, int layer)
{
	const float x = (float)u + 0.5f, y = (float)v + 0.5f;
	return LAYERED ? tex2DLayered<float>(t.at[0], x, y, layer) : tex2D<float>(t.at[layer], x, y);
}

template <int LAYERED, int INTER>
static __global__ void walk(const __grid_constant__ struct textures_in<MAX_LAYERS> textures, int columns, int rows, int layers, float *sum)
{
	float found = 0;
	if (INTER)
		for (int v = 0; v < rows; v++)
			for (int u = 0; u < columns; u++)
#pragma unroll 8
				for (int layer = 0; layer < layers; layer++)
					found += fetch<LAYERED>(textures, u, v, layer);
	else
		for (int layer = 0; layer < layers; layer++)
			for (int v = 0; v < rows; v++)
#pragma unroll 8
				for (int u = 0; u < columns; u++)
					found += fetch<LAYERED>(textures, u, v, layer);
	*sum = found;
}

typedef void walk_kernel(struct textures_in<MAX_LAYERS> textures, int columns, int rows, int layers, float *sum);
static walk_kernel *const kernels[2][2] = { { walk<0, 0>, walk<0, 1> }, { walk<1, 0>, walk<1, 1> } };

/* Textures, their arrays, and an image with a number after it. */
struct layers {
	struct textures_in<MAX_LAYERS> textures;
	cudaArray_t array[MAX_LAYERS];
	size_t n, made;
	float *image;
	cudaEvent_t event[2];
};

static cudaError_t make_layers(struct layers *l, const struct gt_texture_walk *w, cudaStream_t queue)
{
	const size_t row = w->columns * sizeof(float), number = w->columns * w->rows;
	cudaError_t e = cudaMalloc(&l->image, (number + 1) * sizeof(float));
	if (e == cudaSuccess)
		e = cudaMemsetAsync(l->image, 0, (number + 1) * sizeof(float), queue);
	l->n = w->layered ? 1 : w->layers;
	while (e == cudaSuccess && l->made < l->n) {
		e = gt_published_texture(make_cudaExtent(w->columns, w->rows, w->layered ? w->layers : 0), &l->array[l->made],
		                         &l->textures.at[l->made]);
		l->made += l->array[l->made] != NULL;
	}
	for (size_t i = 0; e == cudaSuccess && i < w->layers; i++) {
		struct cudaMemcpy3DParms copy = {};
		copy.srcPtr = make_cudaPitchedPtr(l->image, row, w->columns, w->rows);
		copy.dstArray = l->array[w->layered ? 0 : i];
		copy.dstPos = make_cudaPos(0, 0, w->layered ? i : 0);
		copy.extent = make_cudaExtent(w->columns, w->rows, 1);
		copy.kind = cudaMemcpyDeviceToDevice;
		e = cudaMemcpy3DAsync(&copy, queue);
	}
	for (int k = 0; k < 2 && e == cudaSuccess; k++)
		e = cudaEventCreate(&l->event[k]);
	return e;
}

static void free_layers(struct layers *l)
{
	for (size_t i = 0; i < l->made; i++) {
		if (l->textures.at[i])
			cudaDestroyTextureObject(l->textures.at[i]);
		cudaFreeArray(l->array[i]);
	}
	for (int k = 0; k < 2; k++)
		if (l->event[k])
			cudaEventDestroy(l->event[k]);
	cudaFree(l->image);
}

/* A first walk of one row loads the kernel. */
static cudaError_t time_walk(const struct layers *l, const struct gt_texture_walk *w, cudaStream_t queue, double *seconds)
{
	walk_kernel *const kernel = kernels[w->layered != 0][w->inter_layer_first != 0];
	float *sum = l->image + w->columns * w->rows, ms = 0;
	kernel<<<1, 1, 0, queue>>>(l->textures, (int)w->columns, 1, (int)w->layers, sum);
	cudaEventRecord(l->event[0], queue);
	kernel<<<1, 1, 0, queue>>>(l->textures, (int)w->columns, (int)w->rows, (int)w->layers, sum);
	cudaEventRecord(l->event[1], queue);
	const cudaError_t launched = cudaGetLastError(), waited = cudaEventSynchronize(l->event[1]);
	if (launched != cudaSuccess || waited != cudaSuccess)
		return launched != cudaSuccess ? launched : waited;
	const cudaError_t e = cudaEventElapsedTime(&ms, l->event[0], l->event[1]);
	*seconds = 1e-3 * ms;
	return e;
}

static gt_status run(gt_backend *be, const struct gt_texture_walk *w, double *seconds)
{
	const cudaStream_t queue = gt_cuda_queue(be);
	struct layers l = {};
	cudaError_t e = make_layers(&l, w, queue);
	if (e == cudaSuccess)
		e = time_walk(&l, w, queue, seconds);
	free_layers(&l);
	if (e == cudaErrorMemoryAllocation) {
		cudaGetLastError(); /* else the next launch reports it */
		return gt_fail(GT_ERR_MEMORY, "textures of %zu x %zu x %zu: %s", w->columns, w->rows, w->layers, cudaGetErrorString(e));
	}
	return gt_cuda_check(be, e, "fetches of textures") ? gt_backend_status(be) : GT_OK;
}

const struct gt_texture_walk_impl gt_texture_walk_cuda = { MAX_LAYERS, run };
