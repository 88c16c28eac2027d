/* Ray-driven pairs on CUDA, single and double precision. Kernels of ray_level_cuda.cu serve level scans. All other rays
 * are computed here: one thread per ray, adjacent threads on adjacent columns. The adjoint adds atomically to the
 * voxels that the ray samples in the forward direction.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_RAY_BLOCK /* threads per block, one ray each: 64, 128, 256, 512 */
#define GT_RAY_BLOCK 128
#endif
#include <stdlib.h>
#include "core/linop.h"
#include "projectors/kit/operator.h"
#include "projectors/ray/ray_tuned.cuh"

struct state {
	gt_ray_level level;
	gt_ray_tuned *tuned; /* NULL: built-in kernels */
	int is_level;
	size_t frame_bytes, value_bytes, guess_bytes;
};

/* The ray of pixel i of the data, clipped to the slices within the grid. */
static __device__ __forceinline__ gt_ray ray_of(const gt_rays *g, gt_ray_model model, size_t i)
{
	const size_t view = i / g->columns / g->rows, column = i % g->columns;
	gt_ray r;
	gt_ray_make(g, model, &g->view[view], &g->column[view * g->columns + column], (int)(i / g->columns % g->rows), &r);
	gt_ray_clip(0, 0, gt_ray_pick_size(g->n, r.b), &r);
	gt_ray_clip(1, 0, gt_ray_pick_size(g->n, r.c), &r);
	return r;
}

/* Forward: returns the sum over the voxels that the ray samples from `in`. Adjoint: adds value to them in `out`. Axis b
 * is the fastest of the volume that the ray traverses: [z][x][y] if it follows x, else [z][y][x]. */
template <gt_ray_model MODEL, int BACK, typename T>
static __device__ __forceinline__ T walk(const gt_rays *g, const gt_ray *r, const T *in, T *out, T value)
{
	const size_t line = gt_ray_pick_size(g->n, r->b), plane = (size_t)g->n[0] * g->n[1];
	const size_t sd = r->d == 2 ? plane : line, sc = r->d == 2 ? line : plane;
	const unsigned nb = (unsigned)line, nc = gt_ray_pick_size(g->n, r->c);
	T sum = 0;
	for (int n = r->first; n < r->end; n++) {
		gt_ray_tap tap[GT_RAY_TAPS];
		const int taps = gt_ray_taps(MODEL, r, n, tap);
#pragma unroll
		for (int k = 0; k < taps; k++) {
			if ((unsigned)tap[k].b >= nb || (unsigned)tap[k].c >= nc || tap[k].weight == 0)
				continue;
			const size_t at = n * sd + tap[k].b + tap[k].c * sc;
			if (BACK)
				atomicAdd(out + at, (T)tap[k].weight * value);
			else
				sum += (T)tap[k].weight * __ldg(in + at);
		}
	}
	return sum;
}

template <gt_ray_model MODEL, typename T>
static __global__ void forward_rays(gt_rays g, const T *volume, const T *x_slices, T *y, size_t pixels)
{
	const size_t i = blockIdx.x * (size_t)GT_RAY_BLOCK + threadIdx.x;
	if (i >= pixels)
		return;
	const gt_ray r = ray_of(&g, MODEL, i);
	y[i] = (T)r.length * walk<MODEL, 0, T>(&g, &r, r.d == 0 ? x_slices : volume, NULL, 0);
}

template <gt_ray_model MODEL, typename T> static __global__ void adjoint_rays(gt_rays g, const T *y, T *volume, T *x_slices, size_t pixels)
{
	const size_t i = blockIdx.x * (size_t)GT_RAY_BLOCK + threadIdx.x;
	if (i >= pixels || y[i] == 0)
		return;
	const gt_ray r = ray_of(&g, MODEL, i);
	walk<MODEL, 1, T>(&g, &r, NULL, r.d == 0 ? x_slices : volume, (T)r.length * y[i]);
}

static size_t pixels_of(const gt_rays *g) { return g->views * g->rows * g->columns; }
static size_t voxels_of(const gt_rays *g) { return (size_t)g->n[0] * g->n[1] * g->n[2]; }
static unsigned blocks_of(const gt_rays *g) { return (unsigned)((pixels_of(g) + GT_RAY_BLOCK - 1) / GT_RAY_BLOCK); }

template <gt_ray_model MODEL, typename T>
static void forward_as(gt_backend *be, const gt_rays *g, const gt_ray_level *, const gt_ray_tuned *, const T *x, T *y)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *x_slices = (T *)gt_scratch(be);
	gt_ray_transpose_volume<T, 0>(queue, x, x_slices, g->n[0], g->n[1], g->n[2]);
	forward_rays<MODEL, T><<<blocks_of(g), GT_RAY_BLOCK, 0, queue>>>(*g, x, x_slices, y, pixels_of(g));
	gt_cuda_check(be, cudaGetLastError(), "ray-driven forward");
}

template <gt_ray_model MODEL, typename T>
static void adjoint_as(gt_backend *be, const gt_rays *g, const gt_ray_level *, const gt_ray_tuned *, const T *y, T *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	T *x_slices = (T *)gt_scratch(be);
	cudaMemsetAsync(x, 0, voxels_of(g) * sizeof(T), queue);
	cudaMemsetAsync(x_slices, 0, voxels_of(g) * sizeof(T), queue);
	adjoint_rays<MODEL, T><<<blocks_of(g), GT_RAY_BLOCK, 0, queue>>>(*g, y, x, x_slices, pixels_of(g));
	gt_ray_transpose_volume<T, 1>(queue, x_slices, x, g->n[1], g->n[0], g->n[2]);
	gt_cuda_check(be, cudaGetLastError(), "ray-driven adjoint");
}

static const gt_ray_level *level_of(const gt_ray_operator *o)
{
	const struct state *s = (const struct state *)o->state;
	return s->is_level ? &s->level : NULL;
}

static const gt_ray_tuned *tuned_of(const gt_ray_operator *o) { return ((const struct state *)o->state)->tuned; }

static void forward(gt_backend *be, const gt_ray_operator *o, const void *x, void *y)
{
	if (level_of(o))
		gt_ray_level_forward(be, o, level_of(o), tuned_of(o), x, y);
	else
		GT_RAY_EACH(forward_as, be, o, NULL, NULL, x, y);
}

static void adjoint(gt_backend *be, const gt_ray_operator *o, const void *y, void *x)
{
	if (level_of(o))
		gt_ray_level_adjoint(be, o, level_of(o), tuned_of(o), y, x);
	else
		GT_RAY_EACH(adjoint_as, be, o, NULL, NULL, y, x);
}

static size_t scratch(gt_backend *be, const gt_ray_operator *o)
{
	(void)be;
	if (!level_of(o))
		return voxels_of(&o->rays) * gt_type_size(o->type);
	const size_t forward = gt_ray_level_scratch(o, level_of(o)), back = gt_ray_gather_scratch(o);
	return forward > back ? forward : back;
}

/* Roofline of level scans, in L1 passes of 32 words. Joseph reads four voxels of a slice, Siddon one, or two if the ray
 * crosses a face. The adjoint reads each ray once per column of voxels, and reads and writes each voxel's sum. */
static int roofline(const gt_ray_operator *o, int back, gt_roofline *min)
{
	const gt_ray_level *v = level_of(o);
	if (!v)
		return 0;
	const double columns = o->model == GT_RAY_JOSEPH ? 2 * v->samples : v->samples + v->crossings;
	const double voxels = o->model == GT_RAY_JOSEPH ? 2 * columns : columns;
	min->bound = GT_SHARED;
	min->amount = (back ? columns + 2 * voxels : voxels) * (o->type == GT_F64 ? 2 : 1) / 32;
	return 1;
}

static const void *upload(gt_backend *be, const void *host, size_t bytes)
{
	return gt_projector_upload(be, host, bytes, "tables of the ray-driven projector");
}

static gt_status upload_level(gt_backend *be, const gt_ray_frame *frame, const double *S, const double *W, const int *guess,
                              struct state *s)
{
	gt_ray_level *v = &s->level;
	if (!(v->frame = (const gt_ray_frame *)upload(be, frame, s->frame_bytes)) ||
	    !(v->S = (const double *)upload(be, S, s->value_bytes)) || !(v->W = (const double *)upload(be, W, s->value_bytes)) ||
	    !(v->guess = (const int *)upload(be, guess, s->guess_bytes)))
		return GT_ERR_MEMORY;
	s->is_level = 1;
	return GT_OK;
}

static gt_status make(gt_backend *be, const gt_rays *host, gt_ray_operator *o)
{
	const size_t columns = host->views * host->columns;
	gt_status st = GT_OK;
	struct state *s = (struct state *)calloc(1, sizeof *s);
	gt_ray_frame *frame = (gt_ray_frame *)calloc(host->views * 2, sizeof *frame);
	double *S = (double *)malloc(columns * sizeof *S), *W = (double *)malloc(columns * sizeof *W);
	int *guess = (int *)malloc(columns * sizeof *guess);
	o->state = s;
	if (!s || !frame || !S || !W || !guess) {
		st = gt_fail(GT_ERR_MEMORY, "no memory for the tables of %zu views", host->views);
	} else {
		s->frame_bytes = host->views * 2 * sizeof *frame;
		s->value_bytes = columns * sizeof *S;
		s->guess_bytes = columns * sizeof *guess;
		if (gt_ray_level_fill(host, frame, S, W, guess, &s->level))
			st = upload_level(be, frame, S, W, guess, s);
		if (st == GT_OK && s->is_level)
			st = gt_ray_tuned_find(be, o, host, &s->level, &s->tuned);
	}
	free(frame);
	free(S);
	free(W);
	free(guess);
	return st;
}

static void release(gt_backend *be, gt_ray_operator *o)
{
	struct state *s = (struct state *)o->state;
	if (!s)
		return;
	gt_ray_tuned_free(s->tuned);
	gt_backend_free(be, (void *)s->level.frame, s->frame_bytes);
	gt_backend_free(be, (void *)s->level.S, s->value_bytes);
	gt_backend_free(be, (void *)s->level.W, s->value_bytes);
	gt_backend_free(be, (void *)s->level.guess, s->guess_bytes);
	free(s);
}

extern "C" const struct gt_ray_impl gt_ray_cuda = { make, release, scratch, forward, adjoint, roofline };
