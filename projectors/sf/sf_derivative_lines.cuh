#ifndef GT_PROJECTORS_SF_SF_DERIVATIVE_LINES_CUH
#define GT_PROJECTORS_SF_SF_DERIVATIVE_LINES_CUH
/* Common to both directions of the derivative of sf-tr on CUDA: functions by type, and blocks of views. */
#include "projectors/kit/pixel_derivative.cuh"
#include "projectors/sf/sf_derivative.h"
#include "projectors/sf/sf_lines.h"
#include "projectors/sf/sf_voxels.h"

static const size_t max_batch = (size_t)256 << 20; /* bytes of a batch of views */

/* The functions of sf_lines.h of a type. */
template <typename T> struct lines;
#define LINES(T, AS) \
	template <> struct lines<T> { \
		typedef AS(gt_sf_climb) climb; \
		typedef AS(gt_sf_line_rows) rows; \
		typedef AS(gt_sf_line_state) state; \
		static __device__ __forceinline__ climb from(const gt_sf *d, const gt_sf_rows *r) \
		{ \
			return AS(gt_sf_climb_from)(d, r, 0); \
		} \
		static __device__ __forceinline__ state below(const rows *r, const climb *edge, int l) \
		{ \
			return AS(gt_sf_line_below)(r, edge, l); \
		} \
		static __device__ __forceinline__ void row(const rows *r, state *s, int l, T *out) \
		{ \
			AS(gt_sf_line_row)(r, s, l, out); \
		} \
		static __device__ __forceinline__ int gather(const gt_sf *d, const gt_sf_footprint *s, const T *x, const T *image, \
		                                             gt_sf_line *out) \
		{ \
			AS(gt_sf_line_data) data = { x, image, (size_t)d->n[0] * d->n[1], 0, 0 }; \
			return AS(gt_sf_line_gather)(d, s, &data, out); \
		} \
	};
#define SINGLE(name) name##_f
#define DOUBLE(name) name
LINES(float, SINGLE)
LINES(double, DOUBLE)

static size_t pixels_of(const gt_sf *d) { return (size_t)d->rows * d->columns; }

struct sf_view_block {
	size_t view, block;
};
static __device__ __forceinline__ struct sf_view_block place_of(size_t first, size_t blocks)
{
	return { first + blockIdx.x / blocks, blockIdx.x % blocks };
}
#endif
