/* Passes over a volume: the checks that penalties made of them share, and the choice of the backend. */
#include <math.h>
#include <string.h>
#include "core/try.h"
#include "regularizers/pass.h"

static const struct gt_pass_impl *impl(const gt_backend *be) { return gt_backend_is_gpu(be) ? GT_IF_CUDA(&gt_pass_cuda) : &gt_pass_cpu; }

gt_status gt_site_open(struct gt_site *s, const char *name, gt_backend *be, gt_type type, const gt_grid *grid)
{
	*s = (struct gt_site){ .be = be, .type = type, .name = name, .voxels = gt_grid_voxels(grid) };
	memcpy(s->n, grid->n, sizeof s->n);
	const gt_status st = gt_scratch_reserve(be, impl(be)->scratch, "sums of a penalty");
	s->open = st == GT_OK;
	return st;
}

void gt_site_close(struct gt_site *s)
{
	if (s->open)
		gt_scratch_release(s->be);
	s->open = 0;
}

int gt_site_fits(const struct gt_site *s, const gt_array *a)
{
	if (s->be->status != GT_OK)
		return 0;
	if (a->be != s->be || a->type != s->type || a->n != s->voxels)
		gt_backend_fail(s->be, gt_fail(GT_ERR_ARG, "%s is for %zu %s values on %s, not %zu (%s, %s)", s->name, s->voxels,
		                               gt_type_name(s->type), s->be->name, a->n, gt_type_name(a->type), a->be->name));
	return s->be->status == GT_OK;
}

int gt_site_takes_step(const struct gt_site *s, double t, double lo, double hi)
{
	if (t >= 0 && isfinite(t) && lo <= hi)
		return 1;
	gt_backend_fail(s->be, gt_fail(GT_ERR_ARG, "%s: proximal step of %g between %g and %g: expected one of 0 or more, bounds in order",
	                               s->name, t, lo, hi));
	return 0;
}

void gt_site_run(const struct gt_site *s, enum gt_pass pass, const struct gt_pass_call *call, double *first, double *second)
{
	impl(s->be)->run(s->be, s->type, s->n, pass, call, first, second);
}

void gt_site_run_on(const struct gt_site *s, const size_t *n, enum gt_pass pass, const struct gt_pass_call *call)
{
	impl(s->be)->run(s->be, s->type, n, pass, call, NULL, NULL);
}
