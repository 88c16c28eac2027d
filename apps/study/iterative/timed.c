/* An operator with a clock. It neither holds nor moves an array: what is resident stays so. */
#include <stdlib.h>
#include "apps/study/iterative/iterative.h"

typedef struct {
	gt_linop *A;
	study_clock *clock;
} timed;

static double now(const timed *t)
{
	gt_backend_wait(gt_linop_backend(t->A));
	return app_seconds();
}

static void forward(void *self, const gt_array *x, gt_array *y)
{
	const timed *t = self;
	const double start = now(t);
	gt_forward(t->A, x, y);
	t->clock->forward += now(t) - start;
	t->clock->forwards++;
}

static void adjoint(void *self, const gt_array *y, gt_array *x)
{
	const timed *t = self;
	const double start = now(t);
	gt_adjoint(t->A, y, x);
	t->clock->back += now(t) - start;
	t->clock->backs++;
}

gt_status study_timed_new(gt_linop *A, study_clock *clock, gt_linop **out)
{
	static const struct gt_linop_ops ops = { .name = "timed", .forward = forward, .adjoint = adjoint, .free = free };
	timed *t = malloc(sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	*t = (timed){ A, clock };
	return gt_linop_new(&ops, t, gt_linop_backend(A), gt_linop_type(A), gt_linop_nx(A), gt_linop_ny(A), out);
}
