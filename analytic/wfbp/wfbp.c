/* wfbp: helical scans. Rays are rebinned to parallel views, filtered along them, and backprojected along their true
 * inclination (Stierstorfer, Rauscher, Boese, Bruder, Schaller, Flohr, Phys. Med. Biol. 49 (2004) 2209). Views that see
 * a voxel from the same or the opposite side are weighted by the distance from the edge of their rows. Memory: the
 * plan, and on the backend the parallel views of a batch. */
#include <math.h>
#include <time.h>
#include "analytic/table.h"
#include "analytic/wfbp/wfbp.h"
#include "core/poll.h"
#include "core/try.h"

static const char *const extend_names[] = { "cosine", "none", NULL };
static const char *const ends_names[] = { "extend", "zero", NULL };
static const char *const mask_names[] = { "fov", "none", NULL };

#define AT(field) offsetof(gt_wfbp_options, field)
static const gt_param params[] = {
	{ "filter", "window on the ramp filter", GT_CHOICE, AT(filter), 0, 0, gt_window_names },
	{ "cutoff", "cut-off frequency of the window, relative to the highest frequency", GT_REAL, AT(cutoff), 0.01, 1, NULL },
	{ "q", "fraction of the rows with full weight; less: fewer windmill artefacts, more noise", GT_REAL, AT(flat), 0, 0.99, NULL },
	{ "extend", "truncation extension: how rows of a truncated object continue beyond the detector", GT_CHOICE, AT(extend), 0, 0,
	  extend_names },
	{ "ends", "slices not seen over 180 degrees: filled from the nearest rows, or zero", GT_CHOICE, AT(ends), 0, 0, ends_names },
	{ "mask", "voxels outside the field of view: set to 0, or left as computed", GT_CHOICE, AT(mask), 0, 0, mask_names },
	{ .key = NULL },
};
static const gt_wfbp_options defaults = { .filter = GT_RAM_LAK, .cutoff = 1, .flat = 0.6 };

static const struct gt_wfbp_impl *const impls[GT_NBACKENDS] = { &gt_wfbp_cpu, GT_IF_CUDA(&gt_wfbp_cuda) };

/* Bins at a time: a bounded fraction of the memory, in batches of about equal size, whole rounds of the focal spot. */
static size_t batch_size(gt_backend *be, const gt_wfbp_plan *p, size_t view_bytes)
{
	const size_t max_bytes = (size_t)(gt_backend_is_gpu(be) ? 8192 : 512) << 20, bin = view_bytes * p->turns * p->spots;
	size_t available, total;
	gt_backend_memory(be, &available, &total);
	const size_t bytes = available / 4 < max_bytes ? available / 4 : max_bytes, rounds = p->bins / p->spots;
	const size_t max = bytes / bin > 0 ? bytes / bin : 1, batches = (rounds + max - 1) / max;
	return (rounds + batches - 1) / batches * p->spots;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct stopwatch {
	gt_backend *be;
	gt_analytic_times *times; /* NULL: not timed */
	double last;
};

static void lap(struct stopwatch *w, size_t stage)
{
	if (!w->times)
		return;
	double *const sum[] = { &w->times->plan, &w->times->filter, &w->times->back };
	gt_backend_wait(w->be);
	const double now = seconds();
	*sum[stage] += now - w->last;
	w->last = now;
}

/* Refuses a volume without a complete slice. */
static gt_status check_slices(const gt_wfbp_plan *p, gt_pool *pool)
{
	const gt_grid *g = &p->grid;
	size_t first, end;
	gt_wfbp_complete(p, &first, &end);
	if (first < end)
		return GT_OK;
	double low, high;
	const gt_status st = gt_wfbp_range(p, pool, &low, &high);
	if (st != GT_OK)
		return st;
	return gt_fail(
		GT_ERR_UNSUPPORTED,
		"wfbp: none of the %zu slices from z=%.6g to %.6g mm is seen over 180 degrees within %.4g mm of the axis: %s z=%.6g to %.6g mm",
		g->n[2], gt_grid_first(g, 2), gt_grid_first(g, 2) + (double)(g->n[2] - 1) * g->pitch[2], p->complete_radius,
		low < high ? "the scan shows" : "the scan shows no slice over 180 degrees, its sources are at", fmin(low, high),
		fmax(low, high));
}

gt_status gt_wfbp_open(gt_backend *be, const gt_grid *grid, const gt_scan *scan, const gt_wfbp_options *o, gt_type type,
                       gt_wfbp_plan **plan, void **state)
{
	const struct gt_wfbp_impl *impl = impls[be->kind];
	gt_wfbp_plan *p = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_wfbp_plan_new(grid, scan, o, be->pool, &p));
	GT_TRY(check_slices(p, be->pool));
	gt_wfbp_plan_trim(p);
	GT_TRY(gt_wfbp_plan_filter(p, o, scan->row_pitch, batch_size(be, p, impl->view_bytes(p, type))));
	GT_TRY(impl->open(be, p, type, state));
	*plan = p;
done:
	if (st != GT_OK)
		gt_wfbp_plan_free(p);
	return st;
}

static gt_status run(gt_backend *be, const gt_grid *grid, const gt_scan *scan, const void *options, const gt_array *data, gt_array *x,
                     gt_analytic_times *times)
{
	const struct gt_wfbp_impl *impl = impls[be->kind];
	gt_wfbp_plan *p = NULL;
	void *state = NULL;
	gt_status st = GT_OK;
	struct stopwatch w = { be, times, seconds() };
	GT_TRY(gt_wfbp_open(be, grid, scan, options, data->type, &p, &state));
	gt_fill(0, x);
	if (times)
		*times = (gt_analytic_times){ 0 };
	lap(&w, 0);
	for (size_t b = 0; b < p->bins && gt_backend_begin(be); b += p->batch) {
		const size_t n = p->bins - b < p->batch ? p->bins - b : p->batch;
		const double before = (double)b / (double)p->bins, after = (double)(b + n) / (double)p->bins;
		gt_poll_part(before, before);
		impl->filter(state, b, n, data->data);
		gt_poll_part(before, after);
		lap(&w, 1);
		impl->back(state, b, n, x->data);
		lap(&w, 2);
		gt_backend_end(be);
	}
	GT_TRY(gt_backend_status(be));
done:
	if (state)
		impl->close(state);
	gt_wfbp_plan_free(p);
	return st;
}

static gt_status coverage(const gt_grid *grid, const gt_scan *scan, gt_analytic_coverage *s)
{
	gt_wfbp_plan *p;
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	if (gt_pool_new(0, &pool) != GT_OK)
		pool = NULL; /* one thread finds it too */
	GT_TRY(gt_wfbp_plan_new(grid, scan, &defaults, pool, &p));
	gt_wfbp_complete(p, &s->first, &s->end);
	s->radius = p->pitch <= p->limit ? INFINITY : p->complete_radius;
	s->pitch = p->pitch;
	s->limit = p->limit;
	gt_wfbp_plan_free(p);
done:
	gt_pool_free(pool);
	return st;
}

const gt_analytic gt_analytic_wfbp = {
	.name = "wfbp",
	.about = "weighted filtered backprojection of helical scans (Stierstorfer et al.)",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof(gt_wfbp_options),
	.run = run,
	.coverage = coverage,
};
