#ifndef GT_CORE_DEVICE_DEVICE_MATH_CUH
#define GT_CORE_DEVICE_DEVICE_MATH_CUH
/* Device instructions for reciprocals, reciprocal roots, logarithms and powers of 2 (PTX ISA, "Floating Point
 * Instructions"). Floats are accurate to one or two units in the last place and flush denormals to zero. The root of a
 * double has at least a third of its bits. They use no memory. */
#include <cuda_runtime.h>

static __device__ __forceinline__ float gt_rcp_approx(float x)
{
	float y;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}
static __device__ __forceinline__ float gt_rsqrt_approx(float x)
{
	float y;
	asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}
static __device__ __forceinline__ double gt_rsqrt_approx(double x)
{
	double y;
	asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
	return y;
}
static __device__ __forceinline__ float gt_log2_approx(float x)
{
	float y;
	asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}
static __device__ __forceinline__ float gt_exp2_approx(float x)
{
	float y;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}
#endif
