/* Derivative of the projections of sf-tr by velocities on CUDA.
 *
 * Forward: threads of columns of voxels write the changes of their footprints. Threads of pixels add the columns of
 * voxels that they meet (sf_lines.h), in the type of the data.
 *
 * Transpose: the projector gives the projections, which the derivatives of the slants need. Threads of pixels multiply
 * the data by the slants. Threads of columns of voxels gather moments from the products, in the type of the data, and
 * add their derivatives in double.
 *
 * In views that are not upright, threads visit voxels one by one, in double. Sums have a fixed order. Memory: the
 * projections or a copy of the volume, and batches of views. */
#include "projectors/sf/sf_derivative_ahead.cuh"
#include "projectors/sf/sf_derivative_back.cuh"

static void forward(void *self, const void *x, const double *velocity, void *y)
{
	const gt_sf_derivative *d = (const gt_sf_derivative *)self;
	if (d->type == GT_F32)
		project(d, (const float *)x, velocity, (float *)y);
	else
		project(d, (const double *)x, velocity, (double *)y);
}

static void adjoint(void *self, const void *x, const void *y, double *velocity)
{
	const gt_sf_derivative *d = (const gt_sf_derivative *)self;
	if (d->type == GT_F32)
		gather(d, (const float *)x, (const float *)y, velocity);
	else
		gather(d, (const double *)x, (const double *)y, velocity);
}

static size_t scratch(const gt_sf_derivative *d)
{
	const size_t back = projections_at(d) + pixels_of(&d->d) * d->d.views * gt_type_size(d->type);
	const size_t ahead = turned_bytes(d) + record_views(d) * record_bytes(d);
	return back > ahead ? back : ahead;
}

extern "C" const struct gt_sf_derivative_impl gt_sf_derivative_cuda = { { "derivative of sf-tr", forward, adjoint, gt_sf_derivative_free },
	                                                                scratch,
	                                                                &gt_sf_cuda };
