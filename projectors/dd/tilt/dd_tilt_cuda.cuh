#ifndef GT_PROJECTORS_DD_TILT_DD_TILT_CUDA_CUH
#define GT_PROJECTORS_DD_TILT_DD_TILT_CUDA_CUH
/* Device code of both directions of the distance-driven pair for tilted detectors: launch parameters and single
 * instructions. Positions are computed in double, made relative to a voxel, and then converted to the type of the
 * arrays. */
#include <cuda_runtime.h>
#include "core/device/device_math.cuh"
#include "projectors/dd/tilt/dd_tilt.h"

/* Views of one axis, and slices of it. */
typedef struct {
	const void *in;
	void *out;
	const size_t *view; /* [views] */
	int views, axis, begin, end;
	size_t across, up; /* forward: values of `in` from a slice to the next, and from a z to the next */
	int add;           /* forward: 1 adds to `out` */
	int blocks[2];     /* blocks along the first and the second side of the launch */
} gt_dd_tilt_job;

enum { GT_DD_TILT_WARP = 32 };

/* Returns floor(p) of a small p; *j is its number, counted from gt_dd_tilt_zero(p). */
static __device__ __forceinline__ float gt_dd_tilt_whole(float p, int *j)
{
	const float t = __fadd_rd(p, 12582912.f); /* the low bits of the sum are the number */
	*j = __float_as_int(t);
	return t - 12582912.f;
}
static __device__ __forceinline__ double gt_dd_tilt_whole(double p, int *j)
{
	const double t = floor(p);
	*j = (int)t;
	return t;
}
static __device__ __forceinline__ int gt_dd_tilt_zero(float) { return 0x4B400000; }
static __device__ __forceinline__ int gt_dd_tilt_zero(double) { return 0; }
/* Address of element `number` in one instruction; step: in bytes. To read p[0] by the number gt_dd_tilt_zero(), offset
 * p by -zero first. */
template <typename T> static __device__ __forceinline__ T *gt_dd_tilt_numbered(T *p, int number, int step)
{
	return (T *)((size_t)p + (size_t)((long long)number * step));
}
static __device__ __forceinline__ float gt_dd_tilt_share(float a) { return __saturatef(a); }
static __device__ __forceinline__ double gt_dd_tilt_share(double a) { return fmin(fmax(a, 0.), 1.); }
static __device__ __forceinline__ float gt_dd_tilt_inverse(float a) { return gt_rcp_approx(a); }
static __device__ __forceinline__ double gt_dd_tilt_inverse(double a) { return 1 / a; }
static __device__ __forceinline__ float gt_dd_tilt_within(float a, float low, float high) { return fminf(fmaxf(a, low), high); }
static __device__ __forceinline__ double gt_dd_tilt_within(double a, double low, double high) { return fmin(fmax(a, low), high); }
/* Prevents the compiler from recomputing a value from doubles at its use. */
static __device__ __forceinline__ void gt_dd_tilt_keep(float &a) { asm volatile("" : "+f"(a)); }
static __device__ __forceinline__ void gt_dd_tilt_keep(double &) {}
template <typename T> static __device__ __forceinline__ void gt_dd_tilt_keep(T *&p) { asm volatile("" : "+l"(p)); }
/* Several values by name; a loop over the members of a struct would put it into local memory. */
template <typename REAL, typename... MORE> static __device__ __forceinline__ void gt_dd_tilt_keep(REAL &a, REAL &b, MORE &...more)
{
	gt_dd_tilt_keep(a);
	gt_dd_tilt_keep(b, more...);
}
#endif
