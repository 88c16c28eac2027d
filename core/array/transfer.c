/* Copies between arrays and host memory, of shared arrays too. */
#include "core/array/check.h"
#include "core/array/staged.h"
#include "core/partition/partition.h"

/* A copy needs an array and host memory, which a dry run never touches. A failure sticks to the array's backend, if
 * there is one. */
static int can_copy(const gt_array *a, const void *host, const char *what)
{
	if (gt_is_array(a) && (host || !a->n || a->be->dry_run))
		return 1;
	const gt_status st = gt_fail(GT_ERR_ARG, "%s: expected an array and memory of the host, found %s and %s", what, gt_kind_of(a),
	                             host ? "memory" : "NULL");
	if (gt_is_array(a))
		gt_backend_fail(a->be, st);
	return 0;
}

static void put_runs(const void *host, gt_array *a)
{
	size_t before = 0;
	for (size_t i = 0; i < a->runs->count; i++) {
		gt_array run = gt_array_run(a, i);
		if (run.n)
			gt_array_put((const char *)host + before * gt_type_size(a->type), &run);
		before += run.all;
	}
}

void gt_array_put(const void *host, gt_array *a)
{
	if (gt_is_array(a) && a->runs)
		put_runs(host, a);
	else if (can_copy(a, host, "put")) {
		const void *from = a->first ? (const char *)host + a->first * gt_type_size(a->type) : host;
		if (!gt_array_put_staged(from, gt_array_bytes(a), 0, a))
			gt_backend_put(a->be, from, a->data, gt_array_bytes(a));
	}
}

void gt_partition_get_own(const gt_array *a, gt_type type, void *to)
{
	gt_array own = *a;
	own.shared = 0;
	own.all = own.n;
	own.first = 0;
	own.runs = NULL;
	if (!a->n)
		return;
	if (type == a->type)
		gt_array_get(&own, to);
	else
		gt_array_get_float(&own, (float *)to);
}

/* Copies a shared array to every rank that passes memory, of `type`. */
static void get_shared(const gt_array *a, gt_type type, void *host)
{
	if (a->be->dry_run)
		return;
	if (!a->runs) {
		if (gt_ranks(a->be) == 1)
			gt_partition_get_own(a, type, (char *)host + a->first * gt_type_size(type));
		else
			a->be->rank_ops->get(a, type, host);
		return;
	}
	size_t before = 0;
	for (size_t i = 0; i < a->runs->count; i++) {
		const gt_array run = gt_array_run(a, i);
		get_shared(&run, type, host ? (char *)host + before * gt_type_size(type) : NULL);
		before += run.all;
	}
}

void gt_array_get(const gt_array *a, void *host)
{
	if (gt_is_array(a) && a->shared)
		get_shared(a, a->type, host);
	else if (can_copy(a, host, "get") && !gt_array_get_staged(a, host))
		gt_backend_get(a->be, a->data, host, gt_array_bytes(a));
}

enum { PIECE = 4096 }; /* elements converted at a time, on the stack */

void gt_array_put_float(const float *host, gt_array *a)
{
	if (!gt_is_array(a) || !host || a->type == GT_F32 || a->be->dry_run) {
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
	if (gt_is_array(a) && a->shared) {
		get_shared(a, GT_F32, host);
		return;
	}
	if (!gt_is_array(a) || !host || a->type == GT_F32 || a->be->dry_run) {
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
