#ifndef GT_CORE_DEVICE_OPS_KERNELS_CUH
#define GT_CORE_DEVICE_OPS_KERNELS_CUH
/* One kernel for each line of core/device/ops.def, for both types, and for arrays aligned to 16 bytes or not. Memory: a
 * reduction keeps PARTS doubles on the device, one for each block. */
#include "core/device/cuda.cuh"
#include "core/device/pack.cuh"

/* PARTS blocks on every device: sums are bit-identical on every run and GPU. */
enum { PARTS = 1024, LANES = 256 };

/* keeps NaN */
template <typename T> static __device__ __forceinline__ T within(T v, T lo, T hi) { return v < lo ? lo : v > hi ? hi : v; }

/* Combines the block's values in a fixed order. */
template <int OP> static __device__ double join(double s, double x)
{
	return OP == GT_RED_max ? (x > s ? x : s) : OP == GT_RED_min ? (x < s ? x : s) : s + x;
}

template <int OP> static __device__ void block_join(double s, double *out)
{
	__shared__ double lane[LANES];
	__syncthreads();
	lane[threadIdx.x] = s;
	for (int h = LANES / 2; h > 0; h /= 2) {
		__syncthreads();
		if (threadIdx.x < h)
			lane[threadIdx.x] = join<OP>(lane[threadIdx.x], lane[threadIdx.x + h]);
	}
	if (threadIdx.x == 0)
		*out = lane[0];
}

/* The last block combines the results of all blocks. */
template <int OP> static __device__ void finish(double start, double s, double *part, unsigned *done, double *result)
{
	__shared__ int last;
	block_join<OP>(s, part + blockIdx.x);
	if (threadIdx.x == 0) {
		__threadfence();
		last = atomicInc(done, PARTS - 1) == PARTS - 1;
	}
	__syncthreads();
	if (!last)
		return;
	__threadfence();
	s = start;
	for (int k = threadIdx.x; k < PARTS; k += LANES)
		s = join<OP>(s, __ldcg(part + k));
	block_join<OP>(s, result);
}

#define MAP(name, expr)                                                                                                               \
	template <typename T> static __device__ __forceinline__ T value_##name(T y, T x, T z, T a, T b, T c)                          \
	{                                                                                                                             \
		(void)x, (void)y, (void)z, (void)a, (void)b, (void)c;                                                                 \
		return (T)(expr);                                                                                                     \
	}                                                                                                                             \
	template <typename T, int ALIGNED> static __global__ void map_##name(size_t n, T *Y, const T *X, const T *Z, T a, T b, T c)   \
	{                                                                                                                             \
		const size_t i = (blockIdx.x * (size_t)LANES + threadIdx.x) * PACK;                                                   \
		if (i + PACK <= n) {                                                                                                  \
			const pack<T> x = load<ALIGNED>(X, i), z = load<ALIGNED>(Z, i);                                               \
			pack<T> y = load<ALIGNED>(Y, i);                                                                              \
			_Pragma("unroll") for (int k = 0; k < (int)PACK; k++) y.v[k] = value_##name(y.v[k], x.v[k], z.v[k], a, b, c); \
			store<ALIGNED>(y, Y, i);                                                                                      \
		} else {                                                                                                              \
			for (size_t k = i; k < n; k++)                                                                                \
				Y[k] = value_##name(Y[k], X[k], Z[k], a, b, c);                                                       \
		}                                                                                                                     \
	}

/* The assignment of elements to threads, and their order, depends on n only. */
#define RED(name, start, next)                                                                             \
	template <typename T, int ALIGNED>                                                                 \
	static __global__ void __launch_bounds__(LANES)                                                    \
		red_##name(size_t n, const T *X, const T *Y, double *part, unsigned *done, double *result) \
	{                                                                                                  \
		const size_t first = (blockIdx.x * (size_t)LANES + threadIdx.x) * PACK;                    \
		double s = start;                                                                          \
		size_t i = first;                                                                          \
		_Pragma("unroll 4") for (; i + PACK <= n; i += PARTS * LANES * PACK)                       \
		{                                                                                          \
			const pack<T> p = load<ALIGNED>(X, i), q = load<ALIGNED>(Y, i);                    \
			_Pragma("unroll") for (int k = 0; k < (int)PACK; k++)                              \
			{                                                                                  \
				const double x = p.v[k], y = q.v[k];                                       \
				(void)y;                                                                   \
				s = next;                                                                  \
			}                                                                                  \
		}                                                                                          \
		for (; i < n; i++) {                                                                       \
			const double x = X[i], y = Y[i];                                                   \
			(void)y;                                                                           \
			s = next;                                                                          \
		}                                                                                          \
		finish<GT_RED_##name>(start, s, part, done, result);                                       \
	}
#define BOTH(name, expr, term)                                                                                                   \
	template <typename T> static __device__ __forceinline__ T after_##name(T y, T x, T z, double *s)                         \
	{                                                                                                                        \
		{                                                                                                                \
			const double X = x, Y = y, Z = z;                                                                        \
			const double x = X, y = Y, z = Z;                                                                        \
			(void)z;                                                                                                 \
			*s += term;                                                                                              \
		}                                                                                                                \
		(void)z;                                                                                                         \
		return (T)(expr);                                                                                                \
	}                                                                                                                        \
	template <typename T, int ALIGNED>                                                                                       \
	static __global__ void __launch_bounds__(LANES)                                                                          \
		both_##name(size_t n, T *Y, const T *X, const T *Z, double *part, unsigned *done, double *result)                \
	{                                                                                                                        \
		size_t i = (blockIdx.x * (size_t)LANES + threadIdx.x) * PACK;                                                    \
		double s = 0;                                                                                                    \
		_Pragma("unroll 2") for (; i + PACK <= n; i += PARTS * LANES * PACK)                                             \
		{                                                                                                                \
			const pack<T> x = load<ALIGNED>(X, i), z = load<ALIGNED>(Z, i);                                          \
			pack<T> y = load<ALIGNED>(Y, i);                                                                         \
			_Pragma("unroll") for (int k = 0; k < (int)PACK; k++) y.v[k] = after_##name(y.v[k], x.v[k], z.v[k], &s); \
			store<ALIGNED>(y, Y, i);                                                                                 \
		}                                                                                                                \
		for (; i < n; i++)                                                                                               \
			Y[i] = after_##name(Y[i], X[i], Z[i], &s);                                                               \
		finish<GT_RED_sum>(0, s, part, done, result);                                                                    \
	}
#include "core/device/ops.def"
#undef MAP
#undef RED
#undef BOTH
#endif
