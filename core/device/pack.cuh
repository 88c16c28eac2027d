#ifndef GT_CORE_DEVICE_PACK_CUH
#define GT_CORE_DEVICE_PACK_CUH
/* Array access in units of 16 bytes, for *_cuda.cu files only. */
#include <stddef.h>

/* Threads process 16 bytes of each array, as one load or store if all arrays are aligned. */
template <typename T> struct alignas(16) pack {
	enum { N = 16 / sizeof(T) };
	T v[N];
};
#define PACK ((size_t)pack<T>::N)

template <int ALIGNED, typename T> static __device__ __forceinline__ pack<T> load(const T *x, size_t i)
{
	if constexpr (ALIGNED) {
		return *(const pack<T> *)(x + i);
	} else {
		pack<T> p;
#pragma unroll
		for (int k = 0; k < (int)PACK; k++)
			p.v[k] = x[i + k];
		return p;
	}
}

template <int ALIGNED, typename T> static __device__ __forceinline__ void store(const pack<T> &p, T *x, size_t i)
{
	if constexpr (ALIGNED) {
		*(pack<T> *)(x + i) = p;
	} else {
#pragma unroll
		for (int k = 0; k < (int)PACK; k++)
			x[i + k] = p.v[k];
	}
}

#endif
