/* Backend that only counts allocations: see gt_backend_dry_run(). */
#include "core/arguments.h"
#include "core/device/backend.h"
#include "core/linop.h"

/* An invalid address: any access fails at once. */
static void *const nowhere = (void *)4096;

static void *alloc_(gt_backend *be, size_t bytes)
{
	(void)be, (void)bytes;
	return nowhere;
}
static void free_(gt_backend *be, void *p) { (void)be, (void)p; }
static void put_(gt_backend *be, const void *host, void *dst, size_t bytes) { (void)be, (void)host, (void)dst, (void)bytes; }
static void get_(gt_backend *be, const void *src, void *host, size_t bytes) { (void)be, (void)src, (void)host, (void)bytes; }
static void wait_(gt_backend *be) { (void)be; }
static void close_(gt_backend *be) { be->dry_run->close(be); }
static double rate_(gt_backend *be, gt_resource r) { return be->dry_run->rate(be, r); }

/* Returns the memory that would be free, for callers that divide it. */
static void memory_(gt_backend *be, size_t *available, size_t *total)
{
	be->dry_run->memory(be, available, total);
	*available -= be->count.bytes < *available ? be->count.bytes : *available;
}

/* Counts memory traffic: written data are also read, as cache lines or pages. */
static void moves(gt_backend *be, gt_type t, size_t n, const void *x, const void *z, int writes)
{
	gt_backend_moves(be, (double)n * (double)gt_type_size(t) * ((x != NULL) + (z && z != x) + 2 * writes));
}

static void map_(gt_backend *be, gt_type t, enum gt_map op, size_t n, const void *x, const void *z, const double abc[3], void *y)
{
	(void)op, (void)abc, (void)y;
	moves(be, t, n, x, z, 1);
}

static void red_(gt_backend *be, gt_type t, enum gt_red op, size_t n, const void *x, const void *y, size_t slot)
{
	(void)op;
	moves(be, t, n, x, y, 0);
	be->slot[slot] = 1;
}

static void both_(gt_backend *be, gt_type t, enum gt_both op, size_t n, const void *x, const void *z, void *y, size_t slot)
{
	(void)op, (void)y;
	moves(be, t, n, x, z, 1);
	be->slot[slot] = 1;
}
static void wait_reductions_(gt_backend *be, size_t slots) { (void)be, (void)slots; }
static void rows_(gt_backend *be, gt_type t, const void *x, const gt_array_rows *r, float *y)
{
	(void)be, (void)t, (void)x, (void)r, (void)y;
}
static void mul_normals_(gt_backend *be, gt_type t, size_t n, uint64_t seed, void *y) { (void)be, (void)t, (void)n, (void)seed, (void)y; }

static const struct gt_backend_ops dry_run = {
	.name = "rehearsal",
	.rows = rows_,
	.close = close_,
	.alloc = alloc_,
	.free = free_,
	.put = put_,
	.get = get_,
	.wait = wait_,
	.memory = memory_,
	.rate = rate_,
	.map = map_,
	.red = red_,
	.both = both_,
	.wait_reductions = wait_reductions_,
	.mul_normals = mul_normals_,
};

gt_status gt_backend_dry_run(gt_backend *be)
{
	GT_NEED(be);
	if (be->count.bytes)
		return gt_fail(GT_ERR_ARG, "%s: holds %zu bytes: a dry run begins with none", be->name, be->count.bytes);
	if (!be->dry_run) {
		be->dry_run = be->ops;
		be->ops = &dry_run;
	}
	return GT_OK;
}

int gt_backend_is_dry_run(const gt_backend *be) { return be->dry_run != NULL; }
