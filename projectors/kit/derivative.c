/* The operator of derivatives by motions: motion -> velocities -> projections, and the transpose. Memory: 90 doubles
 * per view, in addition to the projector's. */
#include <stdlib.h>
#include "core/try.h"
#include "projectors/kit/derivative.h"
#include "projectors/kit/operator.h"

_Static_assert((int)GT_VELOCITIES == (int)GT_MOTIONS, "the Jacobian of a view is square");

struct derivative {
	struct gt_linop_ops linop;
	const struct gt_derivative_ops *ops;
	const struct gt_derivative_impl *impl;
	void *self;
	gt_backend *be;
	const gt_array *volume;
	double *jacobian, *velocity;
	size_t views;
	int has_scratch;
};

static size_t jacobian_bytes(size_t views) { return views * GT_VELOCITIES * GT_MOTIONS * sizeof(double); }
static size_t velocity_bytes(size_t views) { return views * GT_VELOCITIES * sizeof(double); }

static void multiply(gt_backend *be, size_t views, const double *jacobian, int transposed, gt_type t, void *motion, double *velocity)
{
	(void)be;
	for (size_t v = 0; v < views; v++) {
		const double *J = jacobian + v * GT_VELOCITIES * GT_MOTIONS;
		double in[GT_MOTIONS];
		for (size_t c = 0; c < GT_MOTIONS; c++) {
			const size_t at = v * GT_MOTIONS + c;
			in[c] = transposed ? velocity[at] : t == GT_F64 ? ((double *)motion)[at] : (double)((float *)motion)[at];
		}
		for (size_t c = 0; c < GT_MOTIONS; c++) {
			const double out = gt_derivative_row(J, transposed, (int)c, in);
			const size_t at = v * GT_MOTIONS + c;
			if (!transposed)
				velocity[at] = out;
			else if (t == GT_F64)
				((double *)motion)[at] = out;
			else
				((float *)motion)[at] = (float)out;
		}
	}
}
const struct gt_derivative_impl gt_derivative_cpu = { multiply };

static void forward(void *self, const gt_array *motion, gt_array *y)
{
	const struct derivative *d = self;
	d->impl->multiply(d->be, d->views, d->jacobian, 0, motion->type, motion->data, d->velocity);
	d->ops->forward(d->self, gt_array_data(d->volume), d->velocity, y->data);
}

static void adjoint(void *self, const gt_array *y, gt_array *motion)
{
	const struct derivative *d = self;
	d->ops->adjoint(d->self, gt_array_data(d->volume), y->data, d->velocity);
	d->impl->multiply(d->be, d->views, d->jacobian, 1, motion->type, motion->data, d->velocity);
}

static void destroy(void *self)
{
	struct derivative *d = self;
	d->ops->free(d->self);
	gt_backend_free(d->be, d->jacobian, jacobian_bytes(d->views));
	gt_backend_free(d->be, d->velocity, velocity_bytes(d->views));
	if (d->has_scratch)
		gt_scratch_release(d->be);
	free(d);
}

gt_status gt_derivative_new(const struct gt_derivative_ops *ops, void *self, size_t scratch, const gt_scan *scan, const double *jacobian,
                            const gt_array *volume, gt_linop **D)
{
	static const struct gt_derivative_impl *const impl[GT_NBACKENDS] = { &gt_derivative_cpu, GT_IF_CUDA(&gt_derivative_cuda) };
	static const char what[] = "tables of the derivative by motions";
	gt_backend *be = gt_array_backend(volume);
	gt_status st = GT_OK;
	struct derivative *d = calloc(1, sizeof *d);
	if (!d) {
		ops->free(self);
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the derivative", ops->name);
	}
	d->linop = (struct gt_linop_ops){ .name = ops->name, .forward = forward, .adjoint = adjoint, .free = destroy };
	d->ops = ops;
	d->impl = impl[be->kind];
	d->self = self;
	d->be = be;
	d->volume = volume;
	d->views = scan->views;
	if (!(d->jacobian = gt_projector_upload(be, jacobian, jacobian_bytes(d->views), what)) ||
	    !(d->velocity = gt_backend_alloc(be, velocity_bytes(d->views), what)))
		GT_TRY(GT_ERR_MEMORY);
	GT_TRY(gt_scratch_reserve(be, scratch, "scratch of the derivative by motions"));
	d->has_scratch = 1;
	return gt_linop_new(&d->linop, d, be, gt_array_type(volume), d->views * GT_MOTIONS, gt_scan_size(scan), D);
done:
	destroy(d);
	return st;
}
