/* Transmitted photon counts on CUDA: one thread for each ray. */
#include "core/counts/counts_impl.h"
#include "core/device/cuda.cuh"

enum { LANES = 256, BLOCKS = 65535 };

template <typename T> static __global__ void __launch_bounds__(LANES) rays(gt_counts_work j)
{
	const T *l = (const T *)j.l, *p = (const T *)j.p, *w = (const T *)j.w;
	for (size_t i = blockIdx.x * (size_t)LANES + threadIdx.x; i < j.n; i += gridDim.x * (size_t)LANES)
		((T *)j.out)[i] = (T)((w ? (double)w[i] : 1) * gt_counts_ray(j.what, j.background, (double)l[i], (double)p[i]));
}

static void run(gt_backend *be, gt_type type, const gt_counts_work *w)
{
	const size_t blocks = (w->n + LANES - 1) / LANES;
	const unsigned grid = (unsigned)(blocks < (size_t)BLOCKS ? blocks : (size_t)BLOCKS);
	if (type == GT_F32)
		rays<float><<<grid, LANES, 0, gt_cuda_queue(be)>>>(*w);
	else
		rays<double><<<grid, LANES, 0, gt_cuda_queue(be)>>>(*w);
	gt_cuda_check(be, cudaGetLastError(), "counts of rays");
}

extern "C" const struct gt_counts_impl gt_counts_cuda = { run };
