/* Arrays and their operations: checks shared by all backends. */
#include <math.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/backend.h"
#include "core/device/staged.h"
#include "core/arguments.h"
#include "core/partition/partition.h"
#include "core/try.h"

size_t gt_type_size(gt_type t) { return t == GT_F64 ? sizeof(double) : sizeof(float); }
const char *gt_type_name(gt_type t) { return t == GT_F64 ? "double" : "single"; }

static int is_array(const gt_array *a) { return a && a->tag == GT_IS_ARRAY; }

static const char *kind_of(const gt_array *a) { return !a ? "NULL" : is_array(a) ? "an array" : "something else"; }

/* Allocates the record of an array, which holds its backend; data is not set yet. */
static gt_status new_record(gt_backend *be, gt_type type, size_t n, gt_array **out)
{
	gt_array *a = calloc(1, sizeof *a);
	if (!a)
		return gt_fail(GT_ERR_MEMORY, "no memory for an array's record");
	*a = gt_array_at(gt_backend_hold(be), type, n, NULL);
	*out = a;
	return GT_OK;
}

static gt_status check_new(const gt_backend *be, gt_type type, size_t n)
{
	if (!be || be->tag != GT_IS_BACKEND)
		return gt_fail(GT_ERR_ARG, "an array of %zu: expected a backend, found %s", n, be ? "something else" : "NULL");
	if (type != GT_F32 && type != GT_F64)
		return gt_fail(GT_ERR_ARG, "an array of %zu of type %d: expected GT_F32 or GT_F64", n, (int)type);
	if (n > SIZE_MAX / 2 / gt_type_size(type))
		return gt_fail(GT_ERR_MEMORY, "an array of %zu elements is larger than any memory", n);
	return GT_OK;
}

gt_status gt_array_new(gt_backend *be, gt_type type, size_t n, gt_array **out)
{
	GT_NEED(out);
	char what[64];
	gt_array *a = NULL;
	gt_status st = check_new(be, type, n);
	GT_TRY(st);
	GT_TRY(new_record(be, type, n, &a));
	snprintf(what, sizeof what, "array of %zu %ss", n, type == GT_F64 ? "double" : "float");
	a->borrowed = 0;
	a->data = gt_backend_alloc(be, n * gt_type_size(type), what);
	if (!a->data) {
		gt_array_free(a);
		return be->status != GT_OK ? be->status : GT_ERR_MEMORY; /* gt_error() has the reason */
	}
	*out = a;
done:
	return st;
}

gt_status gt_array_wrap(gt_backend *be, gt_type type, size_t n, void *data, gt_array **out)
{
	GT_NEED(out);
	gt_status st = check_new(be, type, n);
	GT_TRY(st);
	if ((!data && n) || (uintptr_t)data % gt_type_size(type))
		return gt_fail(GT_ERR_ARG, "memory at %p: expected %zu %ss, aligned", data, n, type == GT_F64 ? "double" : "float");
	GT_TRY(new_record(be, type, n, out));
	(*out)->data = data;
done:
	return st;
}

gt_status gt_array_like(const gt_array *m, gt_array **out)
{
	if (!is_array(m))
		return gt_fail(GT_ERR_ARG, "gt_array_like: expected an array, found %s", kind_of(m));
	if (m->runs)
		return gt_runs_like(m, out);
	return m->shared ? gt_array_new_partition(m->be, m->type, m->all, (gt_range){ m->first, m->n }, out)
	                 : gt_array_new(m->be, m->type, m->n, out);
}

gt_status gt_array_part(const gt_array *whole, size_t first, size_t n, gt_array **out)
{
	GT_NEED(out);
	if (!is_array(whole))
		return gt_fail(GT_ERR_ARG, "gt_array_part: expected an array, found %s", kind_of(whole));
	if (first > whole->all || n > whole->all - first)
		return gt_fail(GT_ERR_ARG, "elements %zu to %zu of an array of %zu", first, first + n, whole->all);
	if (whole->shared)
		return gt_partition_part(whole, first, n, out);
	const gt_status st = new_record(whole->be, whole->type, n, out);
	if (st == GT_OK)
		(*out)->data = (char *)whole->data + first * gt_type_size(whole->type);
	return st;
}

void gt_array_free(gt_array *a)
{
	if (!is_array(a))
		return;
	gt_backend *be = a->be;
	gt_backend_catch_up(be);
	if (!a->borrowed)
		gt_backend_free(be, a->data, gt_array_bytes(a));
	a->tag = GT_FREED;
	free(a->runs);
	free(a);
	gt_backend_let_go(be);
}

size_t gt_array_size(const gt_array *a) { return is_array(a) ? a->all : 0; }
gt_type gt_array_type(const gt_array *a) { return is_array(a) ? a->type : GT_F32; }
size_t gt_array_bytes(const gt_array *a) { return is_array(a) ? a->n * gt_type_size(a->type) : 0; }
gt_backend *gt_array_backend(const gt_array *a) { return is_array(a) ? a->be : NULL; }
void *gt_array_data(const gt_array *a)
{
	if (!is_array(a))
		return NULL;
	gt_backend_catch_up(a->be);
	return a->data;
}

/* A copy needs an array and host memory, which a dry run never touches. A failure sticks to the array's backend, if
 * there is one. */
static int can_copy(const gt_array *a, const void *host, const char *what)
{
	if (is_array(a) && (host || !a->n || a->be->dry_run))
		return 1;
	const gt_status st = gt_fail(GT_ERR_ARG, "%s: expected an array and memory of the host, found %s and %s", what, kind_of(a),
	                             host ? "memory" : "NULL");
	if (is_array(a))
		gt_backend_fail(a->be, st);
	return 0;
}

void gt_array_put(const void *host, gt_array *a)
{
	if (is_array(a) && a->runs)
		gt_runs_put(host, a);
	else if (can_copy(a, host, "put")) {
		const void *from = a->first ? (const char *)host + a->first * gt_type_size(a->type) : host;
		if (!gt_array_put_staged(from, gt_array_bytes(a), 0, a))
			gt_backend_put(a->be, from, a->data, gt_array_bytes(a));
	}
}

void gt_array_get(const gt_array *a, void *host)
{
	if (a && a->tag == GT_IS_ARRAY && a->shared)
		gt_partition_get(a, a->type, host);
	else if (can_copy(a, host, "get") && !gt_array_get_staged(a, host))
		gt_backend_get(a->be, a->data, host, gt_array_bytes(a));
}

enum { PIECE = 4096 }; /* elements converted at a time, on the stack */

void gt_array_put_float(const float *host, gt_array *a)
{
	if (!is_array(a) || !host || a->type == GT_F32 || a->be->dry_run) {
		gt_array_put(host, a);
		return;
	}
	if (a->runs) {
		gt_backend_fail(a->be, gt_fail(GT_ERR_UNSUPPORTED,
		                               "conversion of single precision into a double array of several runs: expected one run"));
		return;
	}
	double piece[PIECE];
	for (size_t i = 0; i < a->n; i += PIECE) {
		const size_t n = a->n - i < PIECE ? a->n - i : PIECE;
		for (size_t k = 0; k < n; k++)
			piece[k] = host[a->first + i + k];
		gt_backend_put(a->be, piece, (double *)a->data + i, n * sizeof *piece);
	}
}

void gt_array_get_float(const gt_array *a, float *host)
{
	if (is_array(a) && a->shared) {
		gt_partition_get(a, GT_F32, host);
		return;
	}
	if (!is_array(a) || !host || a->type == GT_F32 || a->be->dry_run) {
		gt_array_get(a, host);
		return;
	}
	double piece[PIECE];
	for (size_t i = 0; i < a->n; i += PIECE) {
		const size_t n = a->n - i < PIECE ? a->n - i : PIECE;
		gt_backend_get(a->be, (const double *)a->data + i, piece, n * sizeof *piece);
		for (size_t k = 0; k < n; k++)
			host[i + k] = (float)piece[k];
	}
}

static gt_backend *refuse(const gt_array *y, const gt_array *x, const char *what)
{
	gt_status st;
	if (is_array(y) && is_array(x))
		st = gt_fail(GT_ERR_ARG, "%s: %zu %s values on %s against %zu %s values on %s", what, y->n, gt_type_name(y->type),
		             y->be->name, x->n, gt_type_name(x->type), x->be->name);
	else
		st = gt_fail(GT_ERR_ARG, "%s: expected arrays, found %s and %s", what, kind_of(y), kind_of(x));
	if (is_array(y) || is_array(x))
		gt_backend_fail(is_array(y) ? y->be : x->be, st);
	return NULL;
}

static int fits(const gt_array *y, const gt_array *x)
{
	return is_array(y) && is_array(x) && y->be == x->be && y->n == x->n && y->type == x->type && y->all == x->all &&
	       gt_runs_alike(y, x);
}

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

static void map(enum gt_map op, const gt_array *x, const gt_array *z, double a, double b, double c, gt_array *y, const char *what)
{
	const double abc[3] = { a, b, c };
	gt_backend *be = enter(y, x, z, what);
	if (!be)
		return;
	if (y->n)
		be->ops->map(be, y->type, op, y->n, x->data, z->data, abc, y->data);
	gt_backend_unlock(be);
}

void gt_fill(double a, gt_array *y)
{
	if (is_array(y) && y->runs && !y->runs->dense)
		gt_runs_fill(a, y);
	else
		map(GT_MAP_fill, y, y, a, 0, 0, y, "fill");
}
void gt_copy(const gt_array *x, gt_array *y) { map(GT_MAP_copy, x, x, 0, 0, 0, y, "copy"); }
void gt_scale(double a, gt_array *y) { map(GT_MAP_scale, y, y, a, 0, 0, y, "scale"); }
void gt_axpy(double a, const gt_array *x, gt_array *y) { map(GT_MAP_axpy, x, x, a, 0, 0, y, "axpy"); }
void gt_xpay(const gt_array *x, double a, gt_array *y) { map(GT_MAP_xpay, x, x, a, 0, 0, y, "xpay"); }
void gt_axpby(double a, const gt_array *x, double b, gt_array *y) { map(GT_MAP_axpby, x, x, a, b, 0, y, "axpby"); }
void gt_mul(const gt_array *x, gt_array *y) { map(GT_MAP_mul, x, x, 0, 0, 0, y, "mul"); }
void gt_reciprocal(double min, gt_array *y) { map(GT_MAP_reciprocal, y, y, min, 0, 0, y, "reciprocal"); }
void gt_divide(const gt_array *x, double min, gt_array *y) { map(GT_MAP_divide, x, x, min, 0, 0, y, "divide"); }
void gt_sub_clamped(const gt_array *x, double lo, double hi, gt_array *y) { map(GT_MAP_sub_clamped, x, x, lo, hi, 0, y, "sub_clamped"); }
void gt_clamp(double lo, double hi, gt_array *y) { map(GT_MAP_clamp, y, y, lo, hi, 0, y, "clamp"); }
void gt_pow(double a, gt_array *y) { map(GT_MAP_pow, y, y, a, 0, 0, y, "pow"); }
void gt_log(double min, double b, gt_array *y) { map(GT_MAP_log, y, y, min, b, 0, y, "log"); }
void gt_add_scaled_clamped(double a, const gt_array *x, const gt_array *w, double lo, double hi, gt_array *y)
{
	map(GT_MAP_add_scaled_clamped, x, w, a, lo, hi, y, "add_scaled_clamped");
}
void gt_divide_step(const gt_array *x, const gt_array *d, double min, double lo, double hi, gt_array *y)
{
	map(GT_MAP_divide_step, x, d, min, lo, hi, y, "divide_step");
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

/* Reductions --------------------------------------------------------------- */

size_t gt_backend_slot(gt_backend *be, double *result)
{
	if (be->pending == GT_SLOTS)
		gt_reductions_wait(be);
	*result = NAN;
	be->later[be->pending] = result;
	if (be->rank)
		be->rank_ops->slot(be, be->pending, GT_JOIN_NOT);
	return be->pending++;
}

/* Requires the lock. */
static void wait_reductions(gt_backend *be)
{
	const size_t n = be->pending;
	be->pending = 0;
	if (!n || be->status != GT_OK)
		return;
	be->count.waits++;
	be->ops->wait_reductions(be, n);
	if (be->rank)
		be->rank_ops->allreduce(be, n);
	for (size_t k = 0; k < n && be->status == GT_OK; k++)
		*be->later[k] = be->slot[k];
}

void gt_reductions_wait(gt_backend *be)
{
	if (!be || be->tag != GT_IS_BACKEND)
		return;
	gt_backend_lock(be);
	wait_reductions(be);
	gt_backend_unlock(be);
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

static void later(enum gt_red op, const gt_array *x, const gt_array *y, double *result, const char *what)
{
	*result = NAN;
	gt_backend *be = enter(x, y, y, what);
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

void gt_sum_async(const gt_array *x, double *result) { later(GT_RED_sum, x, x, result, "sum"); }
void gt_dot_async(const gt_array *x, const gt_array *y, double *result) { later(GT_RED_dot, x, y, result, "dot"); }
void gt_weighted_norm2_async(const gt_array *x, const gt_array *w, double *result)
{
	later(GT_RED_weighted_norm2, x, w, result, "weighted_norm2");
}
void gt_distance2_async(const gt_array *x, const gt_array *y, double *result) { later(GT_RED_distance2, x, y, result, "distance2"); }
void gt_poisson_misfit_async(const gt_array *x, const gt_array *y, double *result)
{
	later(GT_RED_poisson_misfit, x, y, result, "poisson_misfit");
}
void gt_weighted_residual_async(const gt_array *x, const gt_array *w, gt_array *y, double *result)
{
	both(GT_BOTH_weighted_residual, x, w, y, result, "weighted_residual");
}
void gt_data_misfit_async(const gt_array *x, const gt_array *w, gt_array *y, double *result)
{
	both(w ? GT_BOTH_weighted_data_misfit : GT_BOTH_data_misfit, x, w ? w : x, y, result, "data_misfit");
}

/* Locks once, so that another thread's wait cannot intervene. */
static double now(enum gt_red op, const gt_array *x, const gt_array *y, const char *what)
{
	double result = NAN;
	gt_backend *be = enter(x, y, y, what);
	if (!be) {
		gt_reductions_wait(gt_array_backend(x));
		return NAN;
	}
	be->ops->red(be, x->type, op, x->n, x->data, y->data, slot_of(x, join_of(op), &result));
	wait_reductions(be);
	gt_backend_unlock(be);
	return result;
}

double gt_sum(const gt_array *x) { return now(GT_RED_sum, x, x, "sum"); }
double gt_dot(const gt_array *x, const gt_array *y) { return now(GT_RED_dot, x, y, "dot"); }
double gt_weighted_norm2(const gt_array *x, const gt_array *w) { return now(GT_RED_weighted_norm2, x, w, "weighted_norm2"); }
double gt_max(const gt_array *x) { return now(GT_RED_max, x, x, "max"); }
double gt_min(const gt_array *x) { return now(GT_RED_min, x, x, "min"); }
double gt_distance2(const gt_array *x, const gt_array *y) { return now(GT_RED_distance2, x, y, "distance2"); }
