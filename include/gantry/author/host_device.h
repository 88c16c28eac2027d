#ifndef GANTRY_AUTHOR_HOST_DEVICE_H
#define GANTRY_AUTHOR_HOST_DEVICE_H
/* GT_HD marks inline functions for C, C++ and CUDA. */
#ifdef __CUDACC__
#define GT_HD static __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define GT_HD static inline __attribute__((always_inline, unused))
#else
#define GT_HD static inline
#endif
#endif
