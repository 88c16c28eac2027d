/* Penalties: common checks and calls. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/penalty.h>
#include "core/device/backend.h"
#include "core/arguments.h"
#include "core/penalty.h"

struct gt_penalty {
	gt_tag tag;
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
	GT_NEED(ops);
	if (!be || be->tag != GT_IS_BACKEND) {
		if (ops->free)
			ops->free(self);
		return gt_fail(GT_ERR_ARG, "penalty '%s': expected a backend, found %s", ops->name, be ? "something else" : "NULL");
	}
	gt_penalty *R = malloc(sizeof *R);
	if (!R) {
		if (ops->free)
			ops->free(self);
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty '%s'", ops->name);
	}
	*R = (gt_penalty){ GT_IS_PENALTY, ops, self, gt_backend_hold(be), type, nx, convex };
	*out = R;
	return GT_OK;
}

static int is_penalty(const gt_penalty *R) { return R && R->tag == GT_IS_PENALTY; }

void gt_penalty_free(gt_penalty *R)
{
	if (!is_penalty(R))
		return;
	gt_backend *be = R->be;
	gt_backend_lock(be);
	if (R->ops->free)
		R->ops->free(R->self);
	gt_backend_unlock(be);
	R->tag = GT_FREED;
	free(R);
	gt_backend_let_go(be);
}

unsigned gt_penalty_has(const gt_penalty *R)
{
	if (!is_penalty(R))
		return 0;
	return (R->ops->gradient ? GT_HAS_GRADIENT : 0) | (R->ops->line ? GT_HAS_LINE : 0) | (R->ops->prox ? GT_HAS_PROX : 0);
}
int gt_penalty_is_convex(const gt_penalty *R) { return !is_penalty(R) || R->convex; }
const char *gt_penalty_name(const gt_penalty *R) { return is_penalty(R) ? R->ops->name : "no penalty"; }
size_t gt_penalty_nx(const gt_penalty *R) { return is_penalty(R) ? R->nx : 0; }
gt_type gt_penalty_type(const gt_penalty *R) { return is_penalty(R) ? R->type : GT_F32; }
gt_backend *gt_penalty_backend(const gt_penalty *R) { return is_penalty(R) ? R->be : NULL; }

/* Checks that R implements a function, and that the arrays are on its backend. The penalty itself checks sizes and
 * types. */
static int fits(const gt_penalty *R, int has, const char *what, const gt_array *const *a, size_t arrays)
{
	if (!has) {
		gt_backend_fail(R->be, gt_fail(GT_ERR_ARG, "penalty '%s' has no %s", R->ops->name, what));
		return 0;
	}
	for (size_t i = 0; i < arrays; i++)
		if (gt_array_backend(a[i]) != R->be) {
			gt_backend_fail(R->be, gt_fail(GT_ERR_ARG, "%s of penalty '%s': an array on %s: expected one on %s", what,
			                               R->ops->name, gt_backend_name(gt_array_backend(a[i])), gt_backend_name(R->be)));
			return 0;
		}
	for (size_t i = 0; i < arrays; i++)
		gt_backend_moves(R->be, 2 * (double)gt_array_bytes(a[i]));
	return 1;
}

/* Result without a computation: 0 without a penalty and in a dry run, else NAN for the failure. */
static double nothing(const gt_penalty *R) { return !R || (is_penalty(R) && R->be->dry_run) ? 0 : NAN; }

/* 1: locks the backend for R until gt_backend_end(). 0: nothing to compute. */
#define BEGIN(R, function, ...)                                                                   \
	(is_penalty(R) &&                                                                         \
	 fits(R, (R)->ops->function != NULL, #function, (const gt_array *const[]){ __VA_ARGS__ }, \
	      sizeof((const gt_array *const[]){ __VA_ARGS__ }) / sizeof(gt_array *)) &&           \
	 gt_backend_begin((R)->be))

double gt_penalty_value(const gt_penalty *R, const gt_array *x)
{
	if (!BEGIN(R, value, x))
		return nothing(R);
	const double value = R->ops->value(R->self, x);
	gt_backend_end(R->be);
	return value;
}

void gt_penalty_value_async(const gt_penalty *R, const gt_array *x, double *value)
{
	if (!is_penalty(R) || !R->ops->value_async) {
		*value = gt_penalty_value(R, x);
		return;
	}
	*value = nothing(R);
	if (BEGIN(R, value_async, x)) {
		R->ops->value_async(R->self, x, value);
		gt_backend_end(R->be);
	}
}

void gt_penalty_gradient(const gt_penalty *R, const gt_array *x, gt_array *g, gt_array *d)
{
	if (BEGIN(R, gradient, x, g, d ? d : g)) {
		R->ops->gradient(R->self, x, g, d);
		gt_backend_end(R->be);
	}
}

void gt_penalty_majorize(const gt_penalty *R, gt_array *d)
{
	if (BEGIN(R, majorize, d)) {
		R->ops->majorize(R->self, d);
		gt_backend_end(R->be);
	}
}

void gt_penalty_line(const gt_penalty *R, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature)
{
	*slope = *curvature = nothing(R);
	if (BEGIN(R, line, x, p)) {
		R->ops->line(R->self, x, p, a, slope, curvature);
		gt_backend_end(R->be);
	}
}

void gt_penalty_prox(const gt_penalty *R, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	if (is_penalty(R)) {
		if (BEGIN(R, prox, z, x)) {
			R->ops->prox(R->self, t, lo, hi, z, x);
			gt_backend_end(R->be);
		}
		return;
	}
	if (x != z)
		gt_copy(z, x);
	gt_clamp(lo, hi, x);
}

size_t gt_penalty_state(const gt_penalty *R, gt_state_entry *list)
{
	return is_penalty(R) && R->ops->state ? R->ops->state(R->self, list) : 0;
}
