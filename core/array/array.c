/* Creation of arrays, and views of their elements. */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include "core/arguments.h"
#include "core/array/check.h"
#include "core/partition/partition.h"
#include "core/try.h"

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
	if (!gt_is_array(m))
		return gt_fail(GT_ERR_ARG, "gt_array_like: expected an array, found %s", gt_kind_of(m));
	if (m->runs)
		return gt_runs_like(m, out);
	return m->shared ? gt_array_new_partition(m->be, m->type, m->all, (gt_range){ m->first, m->n }, out)
	                 : gt_array_new(m->be, m->type, m->n, out);
}

gt_status gt_array_part(const gt_array *whole, size_t first, size_t n, gt_array **out)
{
	GT_NEED(out);
	if (!gt_is_array(whole))
		return gt_fail(GT_ERR_ARG, "gt_array_part: expected an array, found %s", gt_kind_of(whole));
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
	if (!gt_is_array(a))
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
