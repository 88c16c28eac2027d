/* Separable footprints on CUDA: which kernels serve an operator. */
#include "projectors/sf/sf_cuda.h"

static size_t scratch(gt_backend *be, const gt_sf *d, void *state, gt_type t)
{
	(void)be;
	(void)state;
	return gt_sf_simple_scratch(d, t);
}

static void forward(gt_backend *be, const gt_sf *d, void *state, gt_type t, const void *x, void *y)
{
	(void)state;
	gt_sf_simple_forward(be, d, t, x, y);
}

static void adjoint(gt_backend *be, const gt_sf *d, void *state, gt_type t, const void *y, void *x)
{
	(void)state;
	gt_sf_simple_adjoint(be, d, t, y, x);
}

extern "C" const struct gt_sf_impl gt_sf_cuda = { NULL, NULL, scratch, forward, adjoint, NULL };
