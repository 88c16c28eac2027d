/* wfbp: helical scans. Rays are rebinned to parallel views, filtered along them, and backprojected along their true
 * inclination (Stierstorfer, Rauscher, Boese, Bruder, Schaller, Flohr, Phys. Med. Biol. 49 (2004) 2209). Views that see
 * a voxel from the same or the opposite side are weighted by the distance from the edge of their rows. Memory: the
 * plan, and on the backend the parallel views of a batch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "analytic/table.h"
#include "analytic/wfbp/from_host.h"
#include "analytic/wfbp/wfbp.h"
#include "core/array/staged.h"
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

/* Bins at a time: a bounded fraction of the memory, in at least `few` batches of about equal size, whole rounds of the
 * focal spot. */
static size_t batch_size(gt_backend *be, const gt_wfbp_plan *p, size_t view_bytes, size_t few)
{
	const size_t max_bytes = (size_t)(gt_backend_is_gpu(be) ? 8192 : 512) << 20, bin = view_bytes * p->turns * p->spots;
	size_t available, total;
	gt_backend_memory(be, &available, &total);
	const size_t bytes = available / 4 < max_bytes ? available / 4 : max_bytes, rounds = p->bins / p->spots;
	const size_t max = bytes / bin > 0 ? bytes / bin : 1, need = (rounds + max - 1) / max, batches = need > few ? need : few;
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

gt_status gt_wfbp_plan_used(gt_backend *be, const gt_grid *grid, const gt_scan *scan, const gt_wfbp_options *o, gt_wfbp_plan **plan)
{
	gt_wfbp_plan *p = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_wfbp_plan_new(grid, scan, o, be->pool, &p));
	GT_TRY(check_slices(p, be->pool));
	gt_wfbp_plan_trim(p);
	*plan = p;
	return GT_OK;
done:
	gt_wfbp_plan_free(p);
	return st;
}

gt_status gt_wfbp_open(gt_backend *be, gt_wfbp_plan *p, const gt_wfbp_options *o, double row_pitch, gt_type type, size_t batches,
                       void **state)
{
	const struct gt_wfbp_impl *impl = impls[be->kind];
	gt_status st = GT_OK;
	GT_TRY(gt_wfbp_plan_filter(p, o, row_pitch, batch_size(be, p, impl->view_bytes(p, type), batches)));
	GT_TRY(impl->open(be, p, type, state));
done:
	return st;
}

/* Projections of all views: an array of the backend, or memory of the host. */
struct source {
	const gt_array *data;
	const float *host;
};

/* Uploads the used views during the computation of batches that do not need them. */
struct supply {
	const gt_wfbp_plan *plan;
	const float *host; /* first used view; NULL in a dry run */
	gt_array *data;
	gt_staged_upload *upload;
	unsigned char *there; /* views of all spots together */
};

static gt_status supply_open(gt_backend *be, const gt_wfbp_plan *p, gt_type type, const float *host, struct supply *s)
{
	const size_t view = p->rows * p->source_columns;
	gt_status st = GT_OK;
	s->plan = p;
	s->host = host ? host + p->source_first * view : NULL;
	if (!(s->there = calloc(p->source_views, 1)))
		return gt_fail(GT_ERR_MEMORY, "wfbp: no memory for %zu views", p->source_views);
	GT_TRY(gt_array_new(be, type, p->source_views * view, &s->data));
	GT_TRY(gt_staged_upload_new(be, &s->upload));
done:
	return st;
}

static void supply_close(struct supply *s)
{
	gt_staged_upload_free(s->upload);
	gt_array_free(s->data);
	free(s->there);
}

/* Uploads views from ... end-1, counted by spot. */
static gt_status supply_views(struct supply *s, size_t from, size_t end)
{
	const size_t view = s->plan->rows * s->plan->source_columns, first = from * s->plan->spots;
	const size_t all = s->plan->source_views, last = end * s->plan->spots < all ? end * s->plan->spots : all;
	gt_array *part = NULL;
	const gt_status st = gt_array_part(s->data, first * view, (last - first) * view, &part);
	if (st == GT_OK && s->host)
		gt_staged_upload_put(s->upload, s->host + first * view, part);
	gt_array_free(part);
	memset(s->there + from, 1, end - from);
	return st;
}

/* Uploads what n bins from b on need and earlier ones did not. */
static gt_status supply_bins(struct supply *s, size_t b, size_t n)
{
	const gt_wfbp_plan *p = s->plan;
	gt_status st = GT_OK;
	for (size_t k = 0; k < p->turns; k++) {
		size_t from, end, stop;
		gt_wfbp_plan_sources(p, k * p->bins + b, n, &from, &end);
		for (; from < end; from = stop) {
			for (stop = from; stop < end && !s->there[stop]; stop++) {}
			if (stop > from)
				GT_TRY(supply_views(s, from, stop));
			else
				stop++;
		}
	}
	gt_staged_upload_ready(s->upload);
done:
	return st;
}

enum { UPLOADS = 4 /* batches, on a GPU: the first uploads about half of the views */ };

static gt_status run_on(const struct source *from, const gt_grid *grid, const gt_scan *scan, const gt_wfbp_options *o, gt_array *x,
                        gt_analytic_times *times)
{
	gt_backend *be = x->be;
	const struct gt_wfbp_impl *impl = impls[be->kind];
	gt_wfbp_plan *p = NULL;
	struct supply s = { .data = NULL };
	void *state = NULL;
	gt_status st = GT_OK;
	struct stopwatch w = { be, times, seconds() };
	GT_TRY(gt_wfbp_plan_used(be, grid, scan, o, &p));
	if (!from->data)
		GT_TRY(supply_open(be, p, x->type, from->host, &s));
	const void *data = s.data ? s.data->data : gt_wfbp_used(p, from->data);
	GT_TRY(gt_wfbp_open(be, p, o, scan->row_pitch, x->type, s.data && gt_backend_is_gpu(be) ? UPLOADS : 1, &state));
	gt_fill(0, x);
	if (times)
		*times = (gt_analytic_times){ 0 };
	lap(&w, 0);
	for (size_t b = 0; b < p->bins && gt_backend_begin(be); b += p->batch) {
		const size_t n = p->bins - b < p->batch ? p->bins - b : p->batch;
		const double before = (double)b / (double)p->bins, after = (double)(b + n) / (double)p->bins;
		gt_poll_part(before, before);
		st = s.data ? supply_bins(&s, b, n) : GT_OK;
		impl->filter(state, b, n, data);
		gt_poll_part(before, after);
		lap(&w, 1);
		impl->back(state, b, n, x->data);
		lap(&w, 2);
		gt_backend_end(be);
		GT_TRY(st);
	}
	GT_TRY(gt_backend_status(be));
done:
	if (state)
		impl->close(state);
	supply_close(&s);
	gt_wfbp_plan_free(p);
	return st;
}

static gt_status run(gt_backend *be, const gt_grid *grid, const gt_scan *scan, const void *options, const gt_array *data, gt_array *x,
                     gt_analytic_times *times)
{
	(void)be;
	return run_on(&(struct source){ data, NULL }, grid, scan, options, x, times);
}

int gt_wfbp_from_host_supports(const gt_analytic *m) { return m == &gt_analytic_wfbp; }

gt_status gt_wfbp_from_host(const gt_grid *grid, const gt_scan *scan, const void *options, const float *data, gt_array *x)
{
	gt_backend *be = gt_array_backend(x);
	gt_status st = GT_OK;
	GT_TRY(gt_scan_check(scan));
	GT_TRY(gt_grid_check(grid, scan));
	if (gt_array_size(x) != gt_grid_voxels(grid))
		return gt_fail(GT_ERR_ARG, "wfbp: %zu voxels: expected %zu", gt_array_size(x), gt_grid_voxels(grid));
	gt_backend_lock(be);
	st = run_on(&(struct source){ NULL, data }, grid, scan, options ? options : &defaults, x, NULL);
	gt_backend_unlock(be);
done:
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
