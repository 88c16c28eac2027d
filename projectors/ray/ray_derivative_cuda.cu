/* Derivative of Joseph's projections by velocities on CUDA, one thread per ray: kit/pixel_derivative.cuh. Rays that
 * follow x read a copy of the volume as [z][x][y], so that adjacent columns read adjacent voxels. */
#include "projectors/kit/pixel_derivative.cuh"
#include "projectors/ray/ray_cuda.cuh"
#include "projectors/ray/ray_derivative.h"

static size_t pixels_of(const gt_rays *g) { return (size_t)g->rows * g->columns; }

/* Adds the slices of a ray; axis b is the fastest of the volume. */
template <typename T>
static __device__ __forceinline__ void walk(const gt_rays *g, const gt_ray *r, const T *x, double source, gt_ray_sums *s)
{
	const size_t line = gt_ray_pick_size(g->n, r->b), plane = (size_t)g->n[0] * g->n[1];
	const size_t sd = r->d == 2 ? plane : line, sc = r->d == 2 ? line : plane;
	const unsigned nb = (unsigned)line, nc = gt_ray_pick_size(g->n, r->c);
	for (int n = r->first; n < r->end; n++) {
		const int b = (int)floor(gt_ray_at(r, 0, n)), c = (int)floor(gt_ray_at(r, 1, n));
		double value[GT_RAY_TAPS];
#pragma unroll
		for (int k = 0; k < GT_RAY_TAPS; k++) {
			const int i = b + (k & 1), j = c + (k >> 1);
			value[k] = (unsigned)i < nb && (unsigned)j < nc ? (double)__ldg(x + n * sd + i + j * sc) : 0;
		}
		gt_ray_add(r, n, value, n + 0.5 - source, s);
	}
}

/* Derivative of pixel i of a view by the velocities. */
template <typename T>
static __device__ __forceinline__ void pixel(const gt_ray_derivative *d, size_t view, size_t i, const T *volume, const T *x_slices,
                                             double *by)
{
	const gt_rays *g = &d->rays;
	const gt_ray_column *column = &g->column[view * g->columns + i % g->columns];
	const int row = (int)(i / g->columns);
	const gt_ray_path path = gt_ray_path_of(g, &g->view[view], column, row);
	gt_ray_sums s = { 0, { 0, 0 }, { 0, 0 } };
	double by_q[3], by_e[3];
	gt_ray r;
	gt_ray_make(g, GT_RAY_JOSEPH, &g->view[view], column, row, &r);
	gt_ray_clip(0, 0, gt_ray_pick_size(g->n, r.b), &r);
	gt_ray_clip(1, 0, gt_ray_pick_size(g->n, r.c), &r);
	walk(g, &r, r.d == 0 ? x_slices : volume, gt_ray_pick(path.q, r.d), &s);
	gt_ray_gradients(&r, g->pitch, path.e, &s, by_q, by_e);
	gt_ray_velocities(g, &d->arm[view], path.moved, by_q, by_e, by);
}

template <typename T> struct ray_pixels {
	gt_ray_derivative d;
	const T *volume, *x_slices;
	size_t views, all;
	__device__ __forceinline__ void pixel(size_t view, size_t i, double *by) const { ::pixel(&d, view, i, volume, x_slices, by); }
	static ray_pixels of(gt_backend *be, const gt_ray_derivative *d, const T *x)
	{
		T *x_slices = (T *)gt_scratch(be);
		gt_ray_transpose_volume<T, 0>(gt_cuda_queue(be), x, x_slices, d->rays.n[0], d->rays.n[1], d->rays.n[2]);
		return { *d, x, x_slices, d->rays.views, pixels_of(&d->rays) };
	}
};

static void forward(gt_backend *be, const gt_ray_derivative *d, const void *x, const double *velocity, void *y)
{
	gt_forward_as_type<ray_pixels>(be, d, x, velocity, y);
}

static void adjoint(gt_backend *be, const gt_ray_derivative *d, const void *x, const void *y, double *velocity)
{
	gt_adjoint_as_type<ray_pixels>(be, d, d->rays.n, x, y, velocity);
}

static size_t scratch(gt_backend *, const gt_ray_derivative *d)
{
	return gt_pixel_copy_bytes(d->rays.n, d->type) + gt_pixel_part_bytes(d->rays.views, pixels_of(&d->rays));
}

extern "C" const struct gt_ray_derivative_impl gt_ray_derivative_cuda = { scratch, forward, adjoint };
