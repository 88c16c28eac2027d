/* Arrays and backends: the checks and counters that every backend shares. */
#include <math.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/backend.h"

static const struct gt_backend_ops *const backends[GT_NBACKENDS] = { &gt_backend_cpu, GT_IF_CUDA(&gt_backend_cuda) };

static gt_status open_kind(int kind, const char *arg, gt_backend **out)
{
	gt_backend *be = calloc(1, sizeof *be);
	if (!be)
		return gt_fail(GT_ERR_MEMORY, "no memory for backend '%s'", backends[kind]->name);
	be->ops = backends[kind];
	be->kind = (gt_kind)kind;
	const gt_status st = be->ops->open(be, arg);
	if (st != GT_OK) {
		gt_pool_free(be->pool);
		free(be);
		return st;
	}
	*out = be;
	return GT_OK;
}

gt_status gt_backend_open(const char *name, gt_backend **out)
{
	gt_backend_prefetch_end();
	return gt_backend_open_now(name, out);
}

gt_status gt_backend_open_now(const char *name, gt_backend **out)
{
	if (!strcmp(name, "auto"))
		return backends[GT_CUDA] && open_kind(GT_CUDA, "", out) == GT_OK ? GT_OK : open_kind(GT_CPU, "", out);
	for (int k = 0; k < GT_NBACKENDS; k++) {
		const size_t len = backends[k] ? strlen(backends[k]->name) : 0;
		if (len && !strncmp(name, backends[k]->name, len) && (!name[len] || name[len] == ':'))
			return open_kind(k, name[len] ? name + len + 1 : "", out);
	}
	return gt_fail(GT_ERR_UNKNOWN, "backend '%s': expected auto, cpu, cpu:THREADS%s", name,
	               backends[GT_CUDA] ? ", cuda or cuda:DEVICE" : " (this build has no CUDA)");
}

void gt_backend_close(gt_backend *be)
{
	if (!be)
		return;
	be->ops->close(be);
	gt_pool_free(be->pool);
	free(be);
}

const char *gt_backend_name(const gt_backend *be) { return be->name; }
const char *gt_backend_describe(const gt_backend *be) { return be->about; }
int gt_backend_is_gpu(const gt_backend *be) { return be->kind != GT_CPU; }
gt_pool *gt_backend_pool(const gt_backend *be) { return be->pool; }
gt_counters gt_backend_counters(const gt_backend *be) { return be->count; }
void gt_backend_wait(gt_backend *be) { be->ops->wait(be); }
void gt_backend_memory(gt_backend *be, size_t *available, size_t *total) { be->ops->memory(be, available, total); }
double gt_backend_rate(gt_backend *be, gt_resource r) { return be->ops->rate(be, r); }

const char *gt_resource_name(gt_resource r)
{
	static const char *const names[GT_NRESOURCES] = { "bytes", "instructions", "shared memory", "texture fetches", "double precision" };
	return names[r];
}

void gt_backend_fail(gt_backend *be, gt_status s)
{
	if (be->status != GT_OK)
		return;
	be->status = s;
	snprintf(be->message, sizeof be->message, "%s", gt_error());
}

gt_status gt_backend_status(gt_backend *be)
{
	be->ops->wait(be);
	const gt_status s = be->status;
	be->status = GT_OK;
	return s == GT_OK ? s : gt_fail(s, "%s", be->message);
}

void *gt_backend_alloc(gt_backend *be, size_t bytes, const char *what)
{
	void *p = bytes ? be->ops->alloc(be, bytes) : be->ops->alloc(be, 1);
	if (!p) {
		size_t available, total;
		be->ops->memory(be, &available, &total);
		gt_fail(GT_ERR_MEMORY, "%s: needs %.1f MiB on %s, where %.1f MiB of %.1f MiB are free", what, (double)bytes / 1048576,
		        be->name, (double)available / 1048576, (double)total / 1048576);
		return NULL;
	}
	be->count.allocations++;
	be->count.bytes += bytes;
	if (be->count.bytes > be->count.peak_bytes)
		be->count.peak_bytes = be->count.bytes;
	return p;
}

void gt_backend_free(gt_backend *be, void *p, size_t bytes)
{
	if (!p)
		return;
	be->ops->free(be, p);
	be->count.bytes -= bytes;
}

void gt_backend_put(gt_backend *be, const void *host, void *dst, size_t bytes)
{
	if (be->status != GT_OK)
		return;
	be->count.puts++;
	be->count.put_bytes += bytes;
	be->count.waits++;
	be->ops->put(be, host, dst, bytes);
}

void gt_backend_get(gt_backend *be, const void *src, void *host, size_t bytes)
{
	if (be->status != GT_OK)
		return;
	be->count.gets++;
	be->count.get_bytes += bytes;
	be->count.waits++;
	be->ops->get(be, src, host, bytes);
}

gt_status gt_scratch_reserve(gt_backend *be, size_t bytes, const char *what)
{
	if (bytes > be->scratch_bytes) {
		const size_t before = be->scratch_bytes;
		be->ops->wait(be);
		gt_backend_free(be, be->scratch, before);
		be->scratch_bytes = 0;
		be->scratch = gt_backend_alloc(be, bytes, what);
		if (!be->scratch) {
			/* Those that asked for less go on. */
			be->scratch = before ? gt_backend_alloc(be, before, what) : NULL;
			be->scratch_bytes = be->scratch ? before : 0;
			return GT_ERR_MEMORY;
		}
		be->scratch_bytes = bytes;
	}
	be->scratch_users++;
	return GT_OK;
}

void gt_scratch_release(gt_backend *be)
{
	if (--be->scratch_users)
		return;
	gt_backend_free(be, be->scratch, be->scratch_bytes);
	be->scratch = NULL;
	be->scratch_bytes = 0;
}

void *gt_scratch(gt_backend *be) { return be->scratch; }

size_t gt_type_size(gt_type t) { return t == GT_F64 ? sizeof(double) : sizeof(float); }
const char *gt_type_name(gt_type t) { return t == GT_F64 ? "double" : "single"; }

gt_status gt_array_new(gt_backend *be, gt_type type, size_t n, gt_array **out)
{
	char what[64];
	if (n > SIZE_MAX / 2 / gt_type_size(type))
		return gt_fail(GT_ERR_MEMORY, "an array of %zu elements is larger than any memory", n);
	gt_array *a = calloc(1, sizeof *a);
	if (!a)
		return gt_fail(GT_ERR_MEMORY, "no memory for an array's record");
	snprintf(what, sizeof what, "array of %zu %ss", n, type == GT_F64 ? "double" : "float");
	*a = (gt_array){ be, type, n, gt_backend_alloc(be, n * gt_type_size(type), what), 0 };
	if (!a->data) {
		free(a);
		return GT_ERR_MEMORY;
	}
	*out = a;
	return GT_OK;
}

gt_status gt_array_like(const gt_array *m, gt_array **out) { return gt_array_new(m->be, m->type, m->n, out); }

gt_status gt_array_part(const gt_array *whole, size_t first, size_t n, gt_array **out)
{
	if (first > whole->n || n > whole->n - first)
		return gt_fail(GT_ERR_ARG, "elements %zu to %zu of an array of %zu", first, first + n, whole->n);
	gt_array *a = malloc(sizeof *a);
	if (!a)
		return gt_fail(GT_ERR_MEMORY, "no memory for an array's record");
	*a = (gt_array){ whole->be, whole->type, n, (char *)whole->data + first * gt_type_size(whole->type), 1 };
	*out = a;
	return GT_OK;
}

void gt_array_free(gt_array *a)
{
	if (!a)
		return;
	if (!a->borrowed)
		gt_backend_free(a->be, a->data, gt_array_bytes(a));
	free(a);
}

size_t gt_array_size(const gt_array *a) { return a->n; }
gt_type gt_array_type(const gt_array *a) { return a->type; }
size_t gt_array_bytes(const gt_array *a) { return a->n * gt_type_size(a->type); }
gt_backend *gt_array_backend(const gt_array *a) { return a->be; }
void gt_array_put(const void *host, gt_array *a) { gt_backend_put(a->be, host, a->data, gt_array_bytes(a)); }
void gt_array_get(const gt_array *a, void *host) { gt_backend_get(a->be, a->data, host, gt_array_bytes(a)); }

enum { PIECE = 4096 }; /* elements converted at a time, on the stack */

void gt_array_put_float(const float *host, gt_array *a)
{
	if (a->type == GT_F32 || a->be->rehearsed) {
		gt_array_put(host, a);
		return;
	}
	double piece[PIECE];
	for (size_t i = 0; i < a->n; i += PIECE) {
		const size_t n = a->n - i < PIECE ? a->n - i : PIECE;
		for (size_t k = 0; k < n; k++)
			piece[k] = host[i + k];
		gt_backend_put(a->be, piece, (double *)a->data + i, n * sizeof *piece);
	}
}

void gt_array_get_float(const gt_array *a, float *host)
{
	if (a->type == GT_F32 || a->be->rehearsed) {
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

/* The one check of every operation: healthy backend, same backend, type and size. */
static int fits(const gt_array *y, const gt_array *x, const char *what)
{
	if (y->be->status != GT_OK)
		return 0;
	if (y->be != x->be || y->n != x->n || y->type != x->type)
		gt_backend_fail(y->be, gt_fail(GT_ERR_ARG, "%s: %zu %s values on %s against %zu %s values on %s", what, y->n,
		                               gt_type_name(y->type), y->be->name, x->n, gt_type_name(x->type), x->be->name));
	return y->be->status == GT_OK;
}

static void map(enum gt_map op, const gt_array *x, const gt_array *z, double a, double b, double c, gt_array *y, const char *what)
{
	const double abc[3] = { a, b, c };
	if (fits(y, x, what) && fits(y, z, what) && y->n)
		y->be->ops->map(y->be, y->type, op, y->n, x->data, z->data, abc, y->data);
}

void gt_fill(double a, gt_array *y) { map(GT_MAP_fill, y, y, a, 0, 0, y, "fill"); }
void gt_copy(const gt_array *x, gt_array *y) { map(GT_MAP_copy, x, x, 0, 0, 0, y, "copy"); }
void gt_scale(double a, gt_array *y) { map(GT_MAP_scale, y, y, a, 0, 0, y, "scale"); }
void gt_axpy(double a, const gt_array *x, gt_array *y) { map(GT_MAP_axpy, x, x, a, 0, 0, y, "axpy"); }
void gt_xpay(const gt_array *x, double a, gt_array *y) { map(GT_MAP_xpay, x, x, a, 0, 0, y, "xpay"); }
void gt_axpby(double a, const gt_array *x, double b, gt_array *y) { map(GT_MAP_axpby, x, x, a, b, 0, y, "axpby"); }
void gt_mul(const gt_array *x, gt_array *y) { map(GT_MAP_mul, x, x, 0, 0, 0, y, "mul"); }
void gt_reciprocal(double least, gt_array *y) { map(GT_MAP_inv, y, y, least, 0, 0, y, "inv"); }
void gt_divide(const gt_array *x, double least, gt_array *y) { map(GT_MAP_over, x, x, least, 0, 0, y, "over"); }
void gt_sub_clamped(const gt_array *x, double lo, double hi, gt_array *y) { map(GT_MAP_less, x, x, lo, hi, 0, y, "less"); }
void gt_clamp(double lo, double hi, gt_array *y) { map(GT_MAP_clamp, y, y, lo, hi, 0, y, "clamp"); }
void gt_pow(double a, gt_array *y) { map(GT_MAP_raise, y, y, a, 0, 0, y, "raise"); }
void gt_log(double least, double b, gt_array *y) { map(GT_MAP_log, y, y, least, b, 0, y, "log"); }
void gt_add_scaled_clamped(double a, const gt_array *x, const gt_array *w, double lo, double hi, gt_array *y)
{
	map(GT_MAP_climb, x, w, a, lo, hi, y, "climb");
}
void gt_divide_step(const gt_array *x, const gt_array *d, double least, double lo, double hi, gt_array *y)
{
	map(GT_MAP_descend, x, d, least, lo, hi, y, "descend");
}

void gt_mul_normals(uint64_t seed, gt_array *y)
{
	if (y->be->status == GT_OK && y->n)
		y->be->ops->mul_normals(y->be, y->type, y->n, seed, y->data);
}

/* Reductions --------------------------------------------------------------- */

size_t gt_backend_slot(gt_backend *be, double *result)
{
	if (be->pending == GT_SLOTS)
		gt_reductions_wait(be);
	*result = NAN;
	be->later[be->pending] = result;
	return be->pending++;
}

void gt_reductions_wait(gt_backend *be)
{
	const size_t n = be->pending;
	be->pending = 0;
	if (!n || be->status != GT_OK)
		return;
	be->count.waits++;
	be->ops->settle(be, n);
	for (size_t k = 0; k < n && be->status == GT_OK; k++)
		*be->later[k] = be->slot[k];
}

static void later(enum gt_red op, const gt_array *x, const gt_array *y, double *result, const char *what)
{
	*result = NAN;
	if (fits(x, y, what))
		x->be->ops->red(x->be, x->type, op, x->n, x->data, y->data, gt_backend_slot(x->be, result));
}

static void both(enum gt_both op, const gt_array *x, const gt_array *z, gt_array *y, double *result, const char *what)
{
	*result = NAN;
	if (fits(y, x, what) && fits(y, z, what))
		y->be->ops->both(y->be, y->type, op, y->n, x->data, z->data, y->data, gt_backend_slot(y->be, result));
}

void gt_sum_async(const gt_array *x, double *result) { later(GT_RED_sum, x, x, result, "sum"); }
void gt_dot_async(const gt_array *x, const gt_array *y, double *result) { later(GT_RED_dot, x, y, result, "dot"); }
void gt_weighted_norm2_async(const gt_array *x, const gt_array *w, double *result) { later(GT_RED_wdot, x, w, result, "wdot"); }
void gt_distance2_async(const gt_array *x, const gt_array *y, double *result) { later(GT_RED_dist2, x, y, result, "dist2"); }
void gt_weighted_residual_async(const gt_array *x, const gt_array *w, gt_array *y, double *result)
{
	both(GT_BOTH_rest, x, w, y, result, "rest");
}
void gt_data_misfit_async(const gt_array *x, const gt_array *w, gt_array *y, double *result)
{
	both(w ? GT_BOTH_wmisfit : GT_BOTH_misfit, x, w ? w : x, y, result, "misfit");
}

static double now(enum gt_red op, const gt_array *x, const gt_array *y, const char *what)
{
	double result;
	later(op, x, y, &result, what);
	gt_reductions_wait(x->be);
	return result;
}

double gt_sum(const gt_array *x) { return now(GT_RED_sum, x, x, "sum"); }
double gt_dot(const gt_array *x, const gt_array *y) { return now(GT_RED_dot, x, y, "dot"); }
double gt_weighted_norm2(const gt_array *x, const gt_array *w) { return now(GT_RED_wdot, x, w, "wdot"); }
double gt_max(const gt_array *x) { return now(GT_RED_max, x, x, "max"); }
double gt_min(const gt_array *x) { return now(GT_RED_min, x, x, "min"); }
double gt_distance2(const gt_array *x, const gt_array *y) { return now(GT_RED_dist2, x, y, "dist2"); }
