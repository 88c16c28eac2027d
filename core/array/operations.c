/* Operations on arrays: checks shared by all backends. */
#include <math.h>
#include "core/array/check.h"
#include "core/partition/partition.h"

static gt_backend *refuse(const gt_array *y, const gt_array *x, const char *what)
{
	gt_status st;
	if (gt_is_array(y) && gt_is_array(x))
		st = gt_fail(GT_ERR_ARG, "%s: %zu %s values on %s against %zu %s values on %s", what, y->n, gt_type_name(y->type),
		             y->be->name, x->n, gt_type_name(x->type), x->be->name);
	else
		st = gt_fail(GT_ERR_ARG, "%s: expected arrays, found %s and %s", what, gt_kind_of(y), gt_kind_of(x));
	if (gt_is_array(y) || gt_is_array(x))
		gt_backend_fail(gt_is_array(y) ? y->be : x->be, st);
	return NULL;
}

static int fits(const gt_array *y, const gt_array *x)
{
	return gt_is_array(y) && gt_is_array(x) && y->be == x->be && y->n == x->n && y->type == x->type && y->all == x->all &&
	       gt_runs_equal(y, x);
}

#define MAP(name, expr) #name,
#define RED(name, start, next)
#define BOTH(name, expr, term)
static const char *const map_names[] = {
#include "core/device/ops.def"
};
#undef MAP
#undef RED
#define MAP(name, expr)
#define RED(name, start, next) #name,
static const char *const red_names[] = {
#include "core/device/ops.def"
};

/* Common check of all operations: arrays of one backend, type and size, and a backend without a failure. Returns the
 * locked backend, or NULL. */
static gt_backend *enter(const gt_array *y, const gt_array *x, const gt_array *z, const char *what)
{
	if (!fits(y, x))
		return refuse(y, x, what);
	if (!fits(y, z))
		return refuse(y, z, what);
	gt_backend *be = y->be;
	gt_backend_lock_to_add(be);
	if (be->status == GT_OK)
		return be;
	gt_backend_unlock(be);
	return NULL;
}

static void map(enum gt_map op, const gt_array *x, const gt_array *z, double a, double b, double c, gt_array *y)
{
	const double abc[3] = { a, b, c };
	gt_backend *be = enter(y, x, z, map_names[op]);
	if (!be)
		return;
	if (y->n)
		be->ops->map(be, y->type, op, y->n, x->data, z->data, abc, y->data);
	gt_backend_unlock(be);
}

static void fill_runs(double value, gt_array *a)
{
	for (size_t i = 0; i < a->runs->count; i++) {
		gt_array run = gt_array_run(a, i);
		gt_fill(value, &run);
	}
}

void gt_fill(double a, gt_array *y)
{
	if (gt_is_array(y) && y->runs && !y->runs->dense)
		fill_runs(a, y);
	else
		map(GT_MAP_fill, y, y, a, 0, 0, y);
}
void gt_copy(const gt_array *x, gt_array *y) { map(GT_MAP_copy, x, x, 0, 0, 0, y); }
void gt_scale(double a, gt_array *y) { map(GT_MAP_scale, y, y, a, 0, 0, y); }
void gt_axpy(double a, const gt_array *x, gt_array *y) { map(GT_MAP_axpy, x, x, a, 0, 0, y); }
void gt_xpay(const gt_array *x, double a, gt_array *y) { map(GT_MAP_xpay, x, x, a, 0, 0, y); }
void gt_axpby(double a, const gt_array *x, double b, gt_array *y) { map(GT_MAP_axpby, x, x, a, b, 0, y); }
void gt_mul(const gt_array *x, gt_array *y) { map(GT_MAP_mul, x, x, 0, 0, 0, y); }
void gt_reciprocal(double min, gt_array *y) { map(GT_MAP_reciprocal, y, y, min, 0, 0, y); }
void gt_divide(const gt_array *x, double min, gt_array *y) { map(GT_MAP_divide, x, x, min, 0, 0, y); }
void gt_sub_clamped(const gt_array *x, double lo, double hi, gt_array *y) { map(GT_MAP_sub_clamped, x, x, lo, hi, 0, y); }
void gt_clamp(double lo, double hi, gt_array *y) { map(GT_MAP_clamp, y, y, lo, hi, 0, y); }
void gt_pow(double a, gt_array *y) { map(GT_MAP_pow, y, y, a, 0, 0, y); }
void gt_log(double min, double b, gt_array *y) { map(GT_MAP_log, y, y, min, b, 0, y); }
void gt_add_scaled_clamped(double a, const gt_array *x, const gt_array *w, double lo, double hi, gt_array *y)
{
	map(GT_MAP_add_scaled_clamped, x, w, a, lo, hi, y);
}
void gt_divide_step(const gt_array *x, const gt_array *d, double min, double lo, double hi, gt_array *y)
{
	map(GT_MAP_divide_step, x, d, min, lo, hi, y);
}

void gt_mul_normals(uint64_t seed, gt_array *y)
{
	gt_backend *be = enter(y, y, y, "normal numbers");
	if (!be)
		return;
	if (y->n && !y->shared) {
		gt_backend_catch_up(be);
		be->ops->mul_normals(be, y->type, y->n, seed, y->data);
	}
	gt_backend_unlock(be);
	if (y->shared)
		gt_partition_mul_normals(seed, y);
}

/* Slot for a reduction over an array; for a shared array it is combined over the team. */
static size_t slot_of(const gt_array *a, int join, double *result)
{
	const size_t slot = gt_backend_slot(a->be, result);
	if (a->shared)
		a->be->rank_ops->slot(a->be, slot, join);
	return slot;
}

static int join_of(enum gt_red op) { return op == GT_RED_max ? GT_JOIN_MAX : op == GT_RED_min ? GT_JOIN_MIN : GT_JOIN_SUM; }

static void later(enum gt_red op, const gt_array *x, const gt_array *y, double *result)
{
	*result = NAN;
	gt_backend *be = enter(x, y, y, red_names[op]);
	if (!be)
		return;
	be->ops->red(be, x->type, op, x->n, x->data, y->data, slot_of(x, join_of(op), result));
	gt_backend_unlock(be);
}

static void both(enum gt_both op, const gt_array *x, const gt_array *z, gt_array *y, double *result, const char *what)
{
	*result = NAN;
	gt_backend *be = enter(y, x, z, what);
	if (!be)
		return;
	be->ops->both(be, y->type, op, y->n, x->data, z->data, y->data, slot_of(y, GT_JOIN_SUM, result));
	gt_backend_unlock(be);
}

void gt_sum_async(const gt_array *x, double *result) { later(GT_RED_sum, x, x, result); }
void gt_dot_async(const gt_array *x, const gt_array *y, double *result) { later(GT_RED_dot, x, y, result); }
void gt_weighted_norm2_async(const gt_array *x, const gt_array *w, double *result) { later(GT_RED_weighted_norm2, x, w, result); }
void gt_distance2_async(const gt_array *x, const gt_array *y, double *result) { later(GT_RED_distance2, x, y, result); }
void gt_poisson_misfit_async(const gt_array *x, const gt_array *y, double *result) { later(GT_RED_poisson_misfit, x, y, result); }
void gt_weighted_residual_async(const gt_array *x, const gt_array *w, gt_array *y, double *result)
{
	both(GT_BOTH_weighted_residual, x, w, y, result, "weighted_residual");
}
void gt_data_misfit_async(const gt_array *x, const gt_array *w, gt_array *y, double *result)
{
	both(w ? GT_BOTH_weighted_data_misfit : GT_BOTH_data_misfit, x, w ? w : x, y, result, "data_misfit");
}

/* Locks once, so that another thread's wait cannot intervene. */
static double now(enum gt_red op, const gt_array *x, const gt_array *y)
{
	double result = NAN;
	gt_backend *be = enter(x, y, y, red_names[op]);
	if (!be) {
		gt_reductions_wait(gt_array_backend(x));
		return NAN;
	}
	be->ops->red(be, x->type, op, x->n, x->data, y->data, slot_of(x, join_of(op), &result));
	gt_reductions_wait(be);
	gt_backend_unlock(be);
	return result;
}

double gt_sum(const gt_array *x) { return now(GT_RED_sum, x, x); }
double gt_dot(const gt_array *x, const gt_array *y) { return now(GT_RED_dot, x, y); }
double gt_weighted_norm2(const gt_array *x, const gt_array *w) { return now(GT_RED_weighted_norm2, x, w); }
double gt_max(const gt_array *x) { return now(GT_RED_max, x, x); }
double gt_min(const gt_array *x) { return now(GT_RED_min, x, x); }
double gt_distance2(const gt_array *x, const gt_array *y) { return now(GT_RED_distance2, x, y); }
