/* Penalties: the checks that all share, and calls of their functions. */
#include <stdlib.h>
#include <gantry/penalty.h>
#include "core/device/backend.h"

struct gt_penalty {
	const struct gt_penalty_ops *ops;
	void *self;
	gt_backend *be;
	gt_type type;
	size_t nx;
	int convex;
};

gt_status gt_penalty_new(const struct gt_penalty_ops *ops, void *self, gt_backend *be, gt_type type, size_t nx, int convex,
                         gt_penalty **out)
{
	gt_penalty *R = malloc(sizeof *R);
	if (!R) {
		ops->free(self);
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty '%s'", ops->name);
	}
	*R = (gt_penalty){ ops, self, be, type, nx, convex };
	*out = R;
	return GT_OK;
}

void gt_penalty_free(gt_penalty *R)
{
	if (!R)
		return;
	R->ops->free(R->self);
	free(R);
}

unsigned gt_penalty_has(const gt_penalty *R)
{
	return (R->ops->gradient ? GT_HAS_GRADIENT : 0) | (R->ops->line ? GT_HAS_LINE : 0) | (R->ops->prox ? GT_HAS_PROX : 0);
}
int gt_penalty_is_convex(const gt_penalty *R) { return R->convex; }
const char *gt_penalty_name(const gt_penalty *R) { return R->ops->name; }
size_t gt_penalty_nx(const gt_penalty *R) { return R->nx; }
gt_type gt_penalty_type(const gt_penalty *R) { return R->type; }
gt_backend *gt_penalty_backend(const gt_penalty *R) { return R->be; }

static int works(const gt_penalty *R) { return R && !R->be->rehearsed; }

double gt_penalty_value(const gt_penalty *R, const gt_array *x) { return works(R) ? R->ops->value(R->self, x) : 0; }

void gt_penalty_value_async(const gt_penalty *R, const gt_array *x, double *value)
{
	if (works(R) && R->ops->later)
		R->ops->later(R->self, x, value);
	else
		*value = gt_penalty_value(R, x);
}

void gt_penalty_gradient(const gt_penalty *R, const gt_array *x, gt_array *g, gt_array *d)
{
	if (works(R))
		R->ops->gradient(R->self, x, g, d);
}

void gt_penalty_majorize(const gt_penalty *R, gt_array *d)
{
	if (works(R))
		R->ops->majorize(R->self, d);
}

void gt_penalty_line(const gt_penalty *R, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature)
{
	*slope = *curvature = 0;
	if (works(R))
		R->ops->line(R->self, x, p, a, slope, curvature);
}

void gt_penalty_prox(const gt_penalty *R, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	if (works(R)) {
		R->ops->prox(R->self, t, lo, hi, z, x);
		return;
	}
	if (x != z)
		gt_copy(z, x);
	gt_clamp(lo, hi, x);
}

size_t gt_penalty_state(const gt_penalty *R, gt_state_entry *list) { return R && R->ops->kept ? R->ops->kept(R->self, list) : 0; }
