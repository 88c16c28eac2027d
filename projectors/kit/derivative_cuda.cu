/* Jacobians of the views on CUDA: one thread per view and component. */
#include "core/device/blocks.cuh"
#include "core/device/cuda.cuh"
#include "projectors/kit/derivative.h"

enum { BLOCK = 128 };

template <typename T> static __global__ void multiply_views(size_t all, const double *jacobian, int transposed, T *motion, double *velocity)
{
	const size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x, view = i / GT_MOTIONS;
	double in[GT_MOTIONS];
	if (i >= all)
		return;
	for (int c = 0; c < GT_MOTIONS; c++)
		in[c] = transposed ? velocity[view * GT_MOTIONS + c] : (double)motion[view * GT_MOTIONS + c];
	const double out = gt_derivative_row(jacobian + view * GT_VELOCITIES * GT_MOTIONS, transposed, (int)(i % GT_MOTIONS), in);
	if (transposed)
		motion[i] = (T)out;
	else
		velocity[i] = out;
}

static void multiply(gt_backend *be, size_t views, const double *jacobian, int transposed, gt_type t, void *motion, double *velocity)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const size_t all = views * GT_MOTIONS;
	const unsigned blocks = (unsigned)pieces(all, BLOCK);
	if (t == GT_F32)
		multiply_views<<<blocks, BLOCK, 0, queue>>>(all, jacobian, transposed, (float *)motion, velocity);
	else
		multiply_views<<<blocks, BLOCK, 0, queue>>>(all, jacobian, transposed, (double *)motion, velocity);
	gt_cuda_check(be, cudaGetLastError(), "motions of the views");
}

extern "C" const struct gt_derivative_impl gt_derivative_cuda = { multiply };
