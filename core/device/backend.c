/* Backends: their table, memory with counters, shared scratch, reductions, and the sticky failure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/backend.h"
#include "core/device/locked.h"
#include "core/device/mapped_files.h"
#include "core/arguments.h"
#include "core/linop.h"
#include "core/partition/rank.h"
#include "core/text.h"
#include "core/try.h"

static const struct gt_backend_ops *const backends[GT_NBACKENDS] = { &gt_backend_cpu, GT_IF_CUDA(&gt_backend_cuda) };

static gt_status open_kind(int kind, const char *arg, gt_backend **out)
{
	gt_status st = GT_OK;
	gt_backend *be = calloc(1, sizeof *be);
	if (!be)
		return gt_fail(GT_ERR_MEMORY, "no memory for backend '%s'", backends[kind]->name);
	be->tag = GT_IS_BACKEND;
	be->ops = backends[kind];
	be->kind = (gt_kind)kind;
	GT_TRY(be->ops->open(be, arg));
	st = gt_lock_new(be);
	if (st == GT_OK)
		*out = be;
	else
		be->ops->close(be);
done:
	if (st != GT_OK) {
		gt_pool_free(be->pool);
		free(be);
	}
	return st;
}

gt_status gt_backend_open_now(const char *name, gt_backend **out)
{
	if (!name || !out)
		return gt_fail(GT_ERR_ARG, "a backend is opened by a name, for a handle: one of them is NULL");
	if (!strcmp(name, "auto"))
		return backends[GT_CUDA] && open_kind(GT_CUDA, "", out) == GT_OK ? GT_OK : open_kind(GT_CPU, "", out);
	if (gt_team_is_spec(name))
		return gt_fail(GT_ERR_ARG, "backend '%s': several devices, expected one, such as cpu:2 or cuda:0", name);
	for (int k = 0; k < GT_NBACKENDS; k++) {
		const size_t len = backends[k] ? strlen(backends[k]->name) : 0;
		if (len && !strncmp(name, backends[k]->name, len) && (!name[len] || name[len] == ':'))
			return open_kind(k, name[len] ? name + len + 1 : "", out);
	}
	return gt_fail(GT_ERR_UNKNOWN, "backend '%s': expected auto, cpu, cpu:THREADS%s", name,
	               backends[GT_CUDA] ? ", cuda or cuda:DEVICE" : " (this build has no CUDA)");
}

void gt_backend_destroy(gt_backend *be)
{
	if (!be->lost) {
		for (int i = 0; i < GT_STAGED; i++)
			gt_locked_give(be, be->staged[i]);
		be->ops->close(be);
	}
	gt_mapped_files_free(be->files);
	gt_pool_free(be->pool);
	gt_lock_free(be);
	be->tag = GT_FREED;
	free(be);
}

static int is_backend(const gt_backend *be) { return be && be->tag == GT_IS_BACKEND; }

gt_status gt_backend_check(const gt_backend *be)
{
	return is_backend(be) ? GT_OK : gt_fail(GT_ERR_ARG, "expected a backend, found %s", be ? "something else" : "NULL");
}

void gt_backend_close(gt_backend *be)
{
	if (is_backend(be))
		gt_backend_let_go(be);
}

const char *gt_backend_name(const gt_backend *be) { return is_backend(be) ? be->name : "no backend"; }
const char *gt_backend_describe(const gt_backend *be) { return is_backend(be) ? be->about : "no backend"; }
int gt_backend_is_gpu(const gt_backend *be) { return is_backend(be) && be->kind != GT_CPU; }
gt_pool *gt_backend_pool(const gt_backend *be) { return is_backend(be) ? be->pool : NULL; }

gt_status gt_backend_counters(const gt_backend *be, gt_counters *count)
{
	GT_NEED(count);
	*count = (gt_counters){ 0 };
	const gt_status st = gt_backend_check(be);
	if (st != GT_OK)
		return st;
	gt_backend_lock((gt_backend *)be);
	*count = be->count;
	gt_backend_unlock((gt_backend *)be);
	return GT_OK;
}

gt_status gt_backend_gather(gt_backend *be)
{
	gt_status st = GT_OK;
	gt_backend_lock(be);
	if (!be->dry_run && be->ops->gather)
		st = be->ops->gather(be);
	gt_backend_unlock(be);
	return st;
}

void gt_backend_wait(gt_backend *be)
{
	if (!is_backend(be))
		return;
	gt_backend_lock(be);
	if (!be->lost)
		be->ops->wait(be);
	gt_backend_unlock(be);
}

void gt_backend_memory(gt_backend *be, size_t *available, size_t *total)
{
	*available = *total = 0;
	if (!is_backend(be) || be->lost)
		return;
	gt_backend_lock(be);
	be->ops->memory(be, available, total);
	gt_backend_unlock(be);
}

double gt_backend_moved(const gt_backend *be) { return be->moved; }

double gt_backend_rate(gt_backend *be, gt_resource r) { return be->lost ? 0 : be->ops->rate(be, r); }

const char *gt_resource_name(gt_resource r)
{
	static const char *const names[GT_NRESOURCES] = { "bytes", "instructions", "shared memory", "texture fetches", "double precision" };
	return names[r];
}

/* Devices ------------------------------------------------------------------ */

int gt_device_count(void)
{
	const struct gt_backend_ops *gpu = backends[GT_CUDA];
	return gpu ? gpu->devices() : 0;
}

const char *gt_device_text(int device)
{
	static _Thread_local char text[200];
	if (device < 0 || device >= gt_device_count()) {
		gt_fail(GT_ERR_DEVICE, "device %d: %d found", device, gt_device_count());
		return NULL;
	}
	return backends[GT_CUDA]->text(device, text, sizeof text) == GT_OK ? text : NULL;
}

/* Foreign streams ---------------------------------------------------------- */

static gt_status meet(gt_backend *be, void *stream, int after)
{
	gt_status st = gt_backend_check(be);
	if (st != GT_OK)
		return st;
	gt_backend_lock(be);
	if (be->ops->order && be->status == GT_OK)
		be->ops->order(be, stream, after);
	st = gt_backend_known(be);
	gt_backend_unlock(be);
	return st;
}

gt_status gt_backend_after(gt_backend *be, void *stream) { return meet(be, stream, 1); }
gt_status gt_backend_before(gt_backend *be, void *stream) { return meet(be, stream, 0); }
void *gt_backend_stream(gt_backend *be) { return is_backend(be) && be->ops->stream ? be->ops->stream(be) : NULL; }

/* Failures ------------------------------------------------------------------ */

void gt_backend_fail(gt_backend *be, gt_status s)
{
	gt_backend_lock(be);
	if (be->status == GT_OK) {
		be->status = s;
		snprintf(be->message, sizeof be->message, "%s", gt_error());
		if (be->rank)
			be->rank_ops->failed(be, s, be->message);
	}
	gt_backend_unlock(be);
}

static gt_status status_of(gt_backend *be, int forget)
{
	gt_status st = gt_backend_check(be);
	if (st != GT_OK)
		return st;
	gt_backend_lock(be);
	if (forget && !be->lost)
		be->ops->wait(be);
	st = be->status;
	if (st != GT_OK)
		gt_fail(st, "%s", be->message);
	if (forget && st != GT_OK)
		be->pending = 0; /* the destinations may be freed already */
	if (forget && !be->lost)
		be->status = GT_OK;
	gt_backend_unlock(be);
	return st;
}

gt_status gt_backend_status(gt_backend *be) { return status_of(be, 1); }
gt_status gt_backend_known(gt_backend *be) { return status_of(be, 0); }

/* Memory -------------------------------------------------------------------- */

#define BYTES(n) gt_bytes_text((double)(n), (char[GT_BYTES_TEXT]){ 0 }) /* lives until the end of the full expression */

/* A failed device cannot allocate either, but reports its failure only to calls that wait. */
static void *no_memory(gt_backend *be, size_t bytes, const char *what)
{
	size_t available, total;
	gt_backend_memory(be, &available, &total);
	if (!total && !be->lost)
		be->ops->wait(be);
	if (be->status != GT_OK)
		gt_fail(be->status, "%s: %s", what, be->message);
	else
		gt_fail(GT_ERR_MEMORY, "%s: needs %s on %s, where %s of %s are free", what, BYTES(bytes), be->name, BYTES(available),
		        BYTES(total));
	return NULL;
}

gt_status gt_backend_scratch(gt_backend *be, const char *folder, double memory)
{
	if (be->kind != GT_CPU || be->files)
		return gt_fail(GT_ERR_ARG, "%s: %s", be->name,
		               be->files ? "its arrays already have a folder" : "only arrays of the CPU may lie in files");
	return gt_mapped_files_new(folder, memory, &be->files);
}

static void *take(gt_backend *be, size_t bytes, const char *what)
{
	void *p = be->files && gt_mapped_files_want(be->files, be->count.bytes, bytes) ? NULL : be->ops->alloc(be, bytes ? bytes : 1);
	if (!p && be->files)
		return gt_mapped_files_take(be->files, bytes ? bytes : 1, what);
	return p ? p : no_memory(be, bytes, what);
}

void *gt_backend_alloc(gt_backend *be, size_t bytes, const char *what)
{
	gt_backend_lock(be);
	void *p = NULL;
	if (be->lost)
		gt_backend_known(be);
	else
		p = take(be, bytes, what);
	if (p) {
		be->count.allocations++;
		be->count.bytes += bytes;
		if (be->count.bytes > be->count.peak_bytes)
			be->count.peak_bytes = be->count.bytes;
	}
	gt_backend_unlock(be);
	return p;
}

void gt_backend_free(gt_backend *be, void *p, size_t bytes)
{
	if (!p)
		return;
	gt_backend_lock(be);
	if (!be->lost && !(be->files && gt_mapped_files_give(be->files, p)))
		be->ops->free(be, p);
	be->count.bytes -= bytes;
	gt_backend_unlock(be);
}

void gt_backend_put(gt_backend *be, const void *host, void *dst, size_t bytes)
{
	gt_backend_lock(be);
	if (be->status == GT_OK) {
		be->count.puts++;
		be->count.put_bytes += bytes;
		be->count.waits++;
		be->ops->put(be, host, dst, bytes);
	}
	gt_backend_unlock(be);
}

void gt_backend_get(gt_backend *be, const void *src, void *host, size_t bytes)
{
	gt_backend_lock(be);
	if (be->status == GT_OK) {
		be->count.gets++;
		be->count.get_bytes += bytes;
		be->count.waits++;
		be->ops->get(be, src, host, bytes);
	}
	gt_backend_unlock(be);
}

/* Scratch ------------------------------------------------------------------- */

/* If growing fails, operators with smaller reservations keep the old size. */
static gt_status grow_scratch(gt_backend *be, size_t bytes, const char *what)
{
	const size_t before = be->scratch_bytes;
	gt_backend_wait(be);
	gt_backend_free(be, be->scratch, before);
	be->scratch_bytes = 0;
	be->scratch = gt_backend_alloc(be, bytes, what);
	if (!be->scratch) {
		be->scratch = before ? gt_backend_alloc(be, before, what) : NULL;
		be->scratch_bytes = be->scratch ? before : 0;
		return GT_ERR_MEMORY;
	}
	be->scratch_bytes = bytes;
	return GT_OK;
}

gt_status gt_scratch_reserve(gt_backend *be, size_t bytes, const char *what)
{
	gt_backend_lock(be);
	const gt_status st = bytes > be->scratch_bytes ? grow_scratch(be, bytes, what) : GT_OK;
	be->scratch_users += st == GT_OK;
	gt_backend_unlock(be);
	return st;
}

void gt_scratch_release(gt_backend *be)
{
	gt_backend_lock(be);
	if (!--be->scratch_users) {
		gt_backend_free(be, be->scratch, be->scratch_bytes);
		be->scratch = NULL;
		be->scratch_bytes = 0;
	}
	gt_backend_unlock(be);
}

void *gt_scratch(gt_backend *be) { return be->scratch; }

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
	if (!is_backend(be))
		return;
	gt_backend_lock(be);
	wait_reductions(be);
	gt_backend_unlock(be);
}
