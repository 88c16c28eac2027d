/* Filters of padded slices on CUDA: batches of slices by cuFFT, with a kernel before, between and after the two
 * transforms. */
#include <stdlib.h>
#include "core/device/cuda.cuh"
#include "core/fft/cufft.cuh"
#include "core/fft/fft_impl.h"

#ifndef LANES
#define LANES 256 /* threads per block: 128, 256, 512 */
#endif

struct state {
	gt_slice_filter_plan plan;
	void *plane, *work;
	size_t plane_bytes, work_bytes;
	cufftHandle forth, back;
	int has_forth, has_back;
};

struct shape {
	size_t nx, ny, wide, high, count; /* wide: padded row that also holds its transform */
};

static struct shape shape_of(const gt_slice_filter_plan *p, size_t count)
{
	return { p->n[0], p->n[1], p->padded[0] + 2, p->padded[1], count };
}

template <typename T> struct share {
	const T *scale, *place;
	double at;
	__device__ T of(size_t voxel) const { return place ? (T)gt_share(scale[voxel], place[voxel], at) : scale[voxel]; }
};

template <typename T> static __global__ void load(struct shape s, const T *x, struct share<T> w, T *plane)
{
	const size_t i = blockIdx.x * (size_t)LANES + threadIdx.x, column = i % s.wide, row = i / s.wide % s.high,
		     slice = i / s.wide / s.high;
	if (slice >= s.count)
		return;
	const size_t voxel = (slice * s.ny + row) * s.nx + column;
	plane[i] = column < s.nx && row < s.ny ? w.of(voxel) * x[voxel] : (T)0;
}

template <typename T> static __global__ void multiply(struct shape s, const T *response, T *plane)
{
	const size_t i = blockIdx.x * (size_t)LANES + threadIdx.x, waves = s.wide / 2 * s.high;
	if (i >= waves * s.count)
		return;
	const T h = response[i % waves];
	plane[2 * i] *= h;
	plane[2 * i + 1] *= h;
}

template <typename T> static __global__ void store(struct shape s, const T *plane, struct share<T> w, int add, T *y)
{
	const size_t voxel = blockIdx.x * (size_t)LANES + threadIdx.x, column = voxel % s.nx, row = voxel / s.nx % s.ny,
		     slice = voxel / s.nx / s.ny;
	if (slice >= s.count)
		return;
	const T value = w.of(voxel) * plane[(slice * s.high + row) * s.wide + column];
	y[voxel] = add ? y[voxel] + value : value;
}

static unsigned blocks(size_t elements) { return (unsigned)((elements + LANES - 1) / LANES); }

static cufftResult transform(const struct state *s, int forth)
{
	if (s->plan.type == GT_F32)
		return forth ? gt_cufft.cufftExecR2C(s->forth, (cufftReal *)s->plane, (cufftComplex *)s->plane)
		             : gt_cufft.cufftExecC2R(s->back, (cufftComplex *)s->plane, (cufftReal *)s->plane);
	return forth ? gt_cufft.cufftExecD2Z(s->forth, (cufftDoubleReal *)s->plane, (cufftDoubleComplex *)s->plane)
	             : gt_cufft.cufftExecZ2D(s->back, (cufftDoubleComplex *)s->plane, (cufftDoubleReal *)s->plane);
}

static int transform_failed(const struct state *s, int forth)
{
	cufftResult e = gt_cufft.cufftSetStream(forth ? s->forth : s->back, gt_cuda_queue(s->plan.be));
	if (e == CUFFT_SUCCESS)
		e = transform(s, forth);
	if (e != CUFFT_SUCCESS)
		gt_backend_fail(s->plan.be, gt_fail(GT_ERR_DEVICE, "filter of slices on %s: cuFFT error %d", s->plan.be->name, (int)e));
	return e != CUFFT_SUCCESS;
}

template <typename T>
static void filter_batches(const struct state *s, const T *response, const gt_slice_filter_share *with, int add, const T *x, T *y)
{
	const gt_slice_filter_plan *p = &s->plan;
	cudaStream_t queue = gt_cuda_queue(p->be);
	T *plane = (T *)s->plane;
	for (size_t z = 0; z < p->n[2]; z += p->batch) {
		const struct shape c = shape_of(p, p->n[2] - z < p->batch ? p->n[2] - z : p->batch);
		const size_t first = z * c.nx * c.ny;
		const struct share<T> w = {
			(const T *)with->scale->data + first, with->place ? (const T *)with->place->data + first : NULL, with->at
		};
		load<T><<<blocks(c.wide * c.high * c.count), LANES, 0, queue>>>(c, x + first, w, plane);
		if (gt_cuda_check(p->be, cudaGetLastError(), "filter of slices: padding") || transform_failed(s, 1))
			return;
		multiply<T><<<blocks(c.wide / 2 * c.high * c.count), LANES, 0, queue>>>(c, response, plane);
		if (gt_cuda_check(p->be, cudaGetLastError(), "filter of slices: response") || transform_failed(s, 0))
			return;
		store<T><<<blocks(c.nx * c.ny * c.count), LANES, 0, queue>>>(c, plane, w, add, y + first);
		if (gt_cuda_check(p->be, cudaGetLastError(), "filter of slices: result"))
			return;
	}
}

static void filter_(void *self, const void *response, const gt_slice_filter_share *share, int add, const void *x, void *y)
{
	const struct state *s = (const struct state *)self;
	if (s->plan.type == GT_F32)
		filter_batches<float>(s, (const float *)response, share, add, (const float *)x, (float *)y);
	else
		filter_batches<double>(s, (const double *)response, share, add, (const double *)x, (double *)y);
}

static void close_(void *self)
{
	struct state *s = (struct state *)self;
	gt_backend_wait(s->plan.be);
	if (s->has_forth)
		gt_cufft.cufftDestroy(s->forth);
	if (s->has_back)
		gt_cufft.cufftDestroy(s->back);
	gt_backend_free(s->plan.be, s->plane, s->plane_bytes);
	gt_backend_free(s->plan.be, s->work, s->work_bytes);
	free(s);
}

/* Owns the work area, so that its memory is counted. */
static cufftResult make_transform(const struct state *s, cufftType type, int forth, cufftHandle *plan, int *has, size_t *bytes)
{
	const gt_slice_filter_plan *p = &s->plan;
	long long n[2] = { (long long)p->padded[1], (long long)p->padded[0] }, real[2] = { n[0], n[1] + 2 },
		  waves[2] = { n[0], n[1] / 2 + 1 };
	const long long reals = real[0] * real[1], complexes = waves[0] * waves[1];
	cufftResult e = gt_cufft.cufftCreate(plan);
	if (e != CUFFT_SUCCESS)
		return e;
	*has = 1;
	if ((e = gt_cufft.cufftSetAutoAllocation(*plan, 0)) != CUFFT_SUCCESS ||
	    (e = gt_cufft.cufftSetStream(*plan, gt_cuda_queue(p->be))) != CUFFT_SUCCESS)
		return e;
	return gt_cufft.cufftMakePlanMany64(*plan, 2, n, forth ? real : waves, 1, forth ? reals : complexes, forth ? waves : real, 1,
	                                    forth ? complexes : reals, type, (long long)p->batch, bytes);
}

static gt_status plan_transforms(struct state *s)
{
	const gt_slice_filter_plan *p = &s->plan;
	size_t forth = 0, back = 0;
	const gt_status opened = gt_cufft_open();
	if (opened != GT_OK)
		return opened;
	cufftResult e = make_transform(s, p->type == GT_F32 ? CUFFT_R2C : CUFFT_D2Z, 1, &s->forth, &s->has_forth, &forth);
	if (e == CUFFT_SUCCESS)
		e = make_transform(s, p->type == GT_F32 ? CUFFT_C2R : CUFFT_Z2D, 0, &s->back, &s->has_back, &back);
	if (e == CUFFT_SUCCESS) {
		s->work_bytes = forth > back ? forth : back;
		s->work_bytes = s->work_bytes ? s->work_bytes : 1;
		if (!(s->work = gt_backend_alloc(p->be, s->work_bytes, "work area of cuFFT")))
			return GT_ERR_MEMORY;
		if ((e = gt_cufft.cufftSetWorkArea(s->forth, s->work)) == CUFFT_SUCCESS)
			e = gt_cufft.cufftSetWorkArea(s->back, s->work);
	}
	if (e != CUFFT_SUCCESS)
		return gt_fail(GT_ERR_DEVICE, "no plan for %zu transforms of %zu x %zu samples: cuFFT error %d", p->batch, p->padded[0],
		               p->padded[1], (int)e);
	return GT_OK;
}

/* Slices past the end of the last batch are transformed too: their memory is initialised once. */
static gt_status open_(const gt_slice_filter_plan *p, void **out)
{
	gt_status st = GT_OK;
	struct state *s = (struct state *)calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for a filter of slices");
	s->plan = *p;
	s->plane_bytes = p->batch * gt_slice_filter_reals(p) * gt_type_size(p->type);
	if (!(s->plane = gt_backend_alloc(p->be, s->plane_bytes, "padded slices")))
		st = GT_ERR_MEMORY;
	else
		st = plan_transforms(s);
	if (st == GT_OK && !p->be->dry_run)
		gt_cuda_check(p->be, cudaMemsetAsync(s->plane, 0, s->plane_bytes, gt_cuda_queue(p->be)), "filter of slices");
	if (st != GT_OK)
		close_(s);
	else
		*out = s;
	return st;
}

extern "C" const struct gt_slice_filter_impl gt_slice_filter_cuda = { open_, filter_, close_ };
