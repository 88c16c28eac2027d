/* Ray-driven pairs on CUDA, single and double. Any ray: one thread each, neighbouring threads neighbouring columns; the adjoint adds
 * atomically to the voxels that the ray takes forward.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_RAY_BLOCK /* threads per block, one ray each: 64, 128, 256, 512 */
#define GT_RAY_BLOCK 128
#endif
#include "core/cuda.h"
#include "projectors/ray/ray_impl.h"

/* The ray of cell i of the data, without the slices that lie outside the grid. */
static __device__ __forceinline__ gt_ray ray_of(const gt_rays *g, gt_ray_model model, size_t i)
{
	const size_t view = i / g->columns / g->rows, column = i % g->columns;
	gt_ray r;
	gt_ray_make(g, model, &g->view[view], &g->column[view * g->columns + column], (int)(i / g->columns % g->rows), &r);
	gt_ray_clip(0, 0, gt_ray_pick_size(g->n, r.b), &r);
	gt_ray_clip(1, 0, gt_ray_pick_size(g->n, r.c), &r);
	return r;
}

/* Forward: returns the sum over the voxels that the ray takes from `in`. Adjoint: adds value to them in `out`. */
template <gt_ray_model MODEL, int BACK, typename T>
static __device__ __forceinline__ T walk(const gt_rays *g, const gt_ray *r, const T *in, T *out, T value)
{
	const size_t y = g->n[0], z = y * g->n[1];
	const size_t sd = r->d == 0 ? 1 : r->d == 1 ? y : z, sb = r->b == 0 ? 1 : y, sc = r->c == 1 ? y : z;
	const unsigned nb = gt_ray_pick_size(g->n, r->b), nc = gt_ray_pick_size(g->n, r->c);
	T sum = 0;
	for (int n = r->first; n < r->end; n++) {
		gt_ray_tap tap[GT_RAY_TAPS];
		const int taps = gt_ray_taps(MODEL, r, n, tap);
#pragma unroll
		for (int k = 0; k < taps; k++) {
			if ((unsigned)tap[k].b >= nb || (unsigned)tap[k].c >= nc || tap[k].weight == 0)
				continue;
			const size_t at = n * sd + tap[k].b * sb + tap[k].c * sc;
			if (BACK)
				atomicAdd(out + at, (T)tap[k].weight * value);
			else
				sum += (T)tap[k].weight * __ldg(in + at);
		}
	}
	return sum;
}

template <gt_ray_model MODEL, typename T> static __global__ void forward_rays(gt_rays g, const T *x, T *y, size_t cells)
{
	const size_t i = blockIdx.x * (size_t)GT_RAY_BLOCK + threadIdx.x;
	if (i >= cells)
		return;
	const gt_ray r = ray_of(&g, MODEL, i);
	y[i] = (T)r.length * walk<MODEL, 0, T>(&g, &r, x, NULL, 0);
}

template <gt_ray_model MODEL, typename T> static __global__ void adjoint_rays(gt_rays g, const T *y, T *x, size_t cells)
{
	const size_t i = blockIdx.x * (size_t)GT_RAY_BLOCK + threadIdx.x;
	if (i >= cells || y[i] == 0)
		return;
	const gt_ray r = ray_of(&g, MODEL, i);
	walk<MODEL, 1, T>(&g, &r, NULL, x, (T)r.length * y[i]);
}

static size_t cells_of(const gt_rays *g) { return g->views * g->rows * g->columns; }
static unsigned blocks_of(const gt_rays *g) { return (unsigned)((cells_of(g) + GT_RAY_BLOCK - 1) / GT_RAY_BLOCK); }

template <gt_ray_model MODEL, typename T> static void forward_as(gt_backend *be, const gt_rays *g, const T *x, T *y)
{
	forward_rays<MODEL, T><<<blocks_of(g), GT_RAY_BLOCK, 0, gt_cuda_queue(be)>>>(*g, x, y, cells_of(g));
	gt_cuda_check(be, cudaGetLastError(), MODEL == GT_RAY_JOSEPH ? "joseph forward" : "siddon forward");
}

template <gt_ray_model MODEL, typename T> static void adjoint_as(gt_backend *be, const gt_rays *g, const T *y, T *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	cudaMemsetAsync(x, 0, (size_t)g->n[0] * g->n[1] * g->n[2] * sizeof(T), queue);
	adjoint_rays<MODEL, T><<<blocks_of(g), GT_RAY_BLOCK, 0, queue>>>(*g, y, x, cells_of(g));
	gt_cuda_check(be, cudaGetLastError(), MODEL == GT_RAY_JOSEPH ? "joseph adjoint" : "siddon adjoint");
}

#define EACH(which, o, in, out)                                                                   \
	switch ((o)->model * 2 + (o)->type) {                                                     \
	case GT_RAY_JOSEPH * 2 + GT_F32:                                                          \
		which##_as<GT_RAY_JOSEPH>(be, &(o)->rays, (const float *)(in), (float *)(out));   \
		break;                                                                            \
	case GT_RAY_JOSEPH * 2 + GT_F64:                                                          \
		which##_as<GT_RAY_JOSEPH>(be, &(o)->rays, (const double *)(in), (double *)(out)); \
		break;                                                                            \
	case GT_RAY_SIDDON * 2 + GT_F32:                                                          \
		which##_as<GT_RAY_SIDDON>(be, &(o)->rays, (const float *)(in), (float *)(out));   \
		break;                                                                            \
	default:                                                                                  \
		which##_as<GT_RAY_SIDDON>(be, &(o)->rays, (const double *)(in), (double *)(out)); \
	}

static void forward(gt_backend *be, const gt_ray_operator *o, const void *x, void *y) { EACH(forward, o, x, y) }
static void adjoint(gt_backend *be, const gt_ray_operator *o, const void *y, void *x) { EACH(adjoint, o, y, x) }

static size_t scratch(gt_backend *be, const gt_ray_operator *o)
{
	(void)be, (void)o;
	return 0;
}

extern "C" const struct gt_ray_impl gt_ray_cuda = { NULL, NULL, scratch, forward, adjoint, NULL };
