#ifndef GT_CORE_DEVICE_BLOCKS_CUH
#define GT_CORE_DEVICE_BLOCKS_CUH
/* For *_cuda.cu files: number of pieces of a given size that cover n, for blocks, tiles and loop iterations. */
#include <cuda_runtime.h>

template <typename N> static __host__ __device__ inline int pieces(N n, int size) { return (int)((n + size - 1) / size); }
#endif
