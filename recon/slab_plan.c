/* Chooses the number of slices and views at a time for the available or given memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "analytic/fbp/slab.h"
#include "core/device/host_memory.h"
#include "core/device/upload.h"
#include "core/pipeline_stage.h"
#include "core/try.h"
#include "io/slice_writer.h"
#include "io/view_reader.h"
#include "recon/slab_pipeline.h"

/* Writing overlaps with the next slab, except for the last one; thin slabs cost more per voxel. */
enum { MIN_SLABS = 8, MIN_SLICES = 64, MAX_BATCH = 64, ALIGNED = 8 };
/* Slices written at a time: enough for several threads, few enough to leave memory for other buffers. */
#define PIECE_BYTES ((size_t)128 << 20)
/* Reserve for stacks and libraries. */
#define RESERVE_BYTES 16777216.0

/* Available bytes. both: host and device together, if the device is the host. process: already used. */
typedef struct {
	double device, host, both, process;
} capacity;

static double min(double a, double b) { return a < b ? a : b; }

static capacity find_capacity(const gt_slab_job *s)
{
	const gt_slab_case *c = s->c;
	const double available = gt_host_available(), free_host = available < 0 ? INFINITY : 0.8 * available;
	const double process = gt_host_used(), given = c->host_limit > 0 ? c->host_limit - process : INFINITY;
	size_t free_device, total;
	capacity r = { INFINITY, min(given, free_host), INFINITY, process };
	if (gt_backend_is_gpu(s->be)) {
		gt_backend_memory(s->be, &free_device, &total);
		r.device = 0.9 * (double)free_device;
	} else {
		r.both = r.host;
	}
	if (c->device_limit > 0)
		r.device = min(r.device, c->device_limit);
	return r;
}

static size_t plane_of(const gt_slab_job *s) { return s->c->grid->n[0] * s->c->grid->n[1]; }

static size_t element_of(const gt_slab_job *s) { return gt_type_size(s->c->type); }

size_t gt_slab_slices(const gt_slab_job *s, const gt_slab_cut *plan, size_t slab)
{
	const size_t left = s->c->grid->n[2] - slab * plan->slices;
	return left < plan->slices ? left : plan->slices;
}

/* Computes all that depends on the cut. *widest: the slab that sees the most rows. */
static void cut(const gt_slab_job *s, size_t slices, size_t batch, gt_slab_cut *plan, size_t *widest)
{
	*plan = (gt_slab_cut){ .slices = slices,
		               .slabs = (s->c->grid->n[2] + slices - 1) / slices,
		               .batch = batch,
		               .batches = (s->c->scan->views + batch - 1) / batch };
	*widest = 0;
	for (size_t k = 0; k < plan->slabs; k++) {
		size_t row, rows;
		gt_slab_plan_rows(s->slabs, k * slices, gt_slab_slices(s, plan, k), &row, &rows);
		if (rows > plan->rows) {
			plan->rows = rows;
			*widest = k;
		}
	}
	plan->buffer = batch * plan->rows * s->c->scan->columns * element_of(s);
	const size_t max = PIECE_BYTES / (plane_of(s) * element_of(s));
	plan->piece = max < 1 ? 1 : max < slices ? max : slices;
}

static double writer_bytes(const gt_slab_job *s)
{
	gt_write_options o = gt_write_defaults;
	o.unit = s->c->hu ? GT_HU : GT_PER_MM;
	return (double)gt_slice_writer_bytes(&o, s->c->grid);
}

static double host_bytes(const gt_slab_job *s, const gt_slab_cut *plan)
{
	const double piece = (double)plan->piece * (double)plane_of(s) * (double)element_of(s);
	return GT_STAGE_BUFFERS * ((double)plan->buffer + piece) + writer_bytes(s) + (double)gt_slab_bytes(s->slabs) +
	       (double)gt_view_reader_bytes(s->views) + RESERVE_BYTES;
}

/* Measures the bytes that the run holds on the device, by allocating them in a dry run. */
static gt_status device_bytes(const gt_slab_job *s, gt_backend *dry, const gt_slab_cut *plan, size_t slab, double *bytes)
{
	gt_array *x[2] = { NULL, NULL }, *part = NULL;
	gt_upload *upload = NULL;
	gt_slab *b = NULL;
	gt_counters count;
	gt_status st = GT_OK;
	const size_t n = gt_slab_slices(s, plan, slab);
	for (int i = 0; i < 2; i++)
		GT_TRY(gt_array_new(dry, s->c->type, plan->slices * plane_of(s), &x[i]));
	GT_TRY(gt_array_part(x[0], 0, n * plane_of(s), &part));
	GT_TRY(gt_upload_new(dry, plan->buffer, &upload));
	GT_TRY(gt_slab_new(s->slabs, slab * plan->slices, n, plan->batch, part, &b));
	GT_TRY(gt_backend_counters(dry, &count));
	*bytes = (double)count.bytes;
done:
	gt_slab_free(b);
	gt_upload_free(upload);
	gt_array_free(part);
	gt_array_free(x[0]);
	gt_array_free(x[1]);
	return st;
}

static gt_status try_cut(const gt_slab_job *s, gt_backend *dry, size_t slices, size_t batch, gt_slab_cut *plan)
{
	size_t widest;
	cut(s, slices, batch, plan, &widest);
	plan->host = host_bytes(s, plan);
	return device_bytes(s, dry, plan, widest, &plan->device);
}

static int fits(const capacity *r, const gt_slab_cut *p)
{
	return p->device <= r->device && p->host <= r->host && p->device + p->host <= r->both;
}

static size_t max_slices(size_t nz)
{
	const size_t part = (nz + MIN_SLABS - 1) / MIN_SLABS, half = (nz + 1) / 2;
	const size_t n = part >= MIN_SLICES ? part : half < MIN_SLICES ? half : MIN_SLICES;
	return n < ALIGNED ? n : (n + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static size_t fewer(size_t slices)
{
	const size_t n = slices * 3 / 4;
	return n >= 2 * ALIGNED ? n - n % ALIGNED : n;
}

/* Finds the thickest slabs with at least `views` views at a time, then the most views. */
static gt_status search(const gt_slab_job *s, gt_backend *dry, const capacity *r, size_t views, gt_slab_cut *plan, int *found)
{
	gt_status st = GT_OK;
	*found = 0;
	for (size_t slices = max_slices(s->c->grid->n[2]); slices; slices = fewer(slices))
		for (size_t batch = MAX_BATCH; batch >= views; batch /= 2) {
			GT_TRY(try_cut(s, dry, slices, batch < s->c->scan->views ? batch : s->c->scan->views, plan));
			if ((*found = fits(r, plan)))
				goto done;
		}
done:
	return st;
}

/* Returns the bytes reserved for kept projections before the cut is chosen. */
static double kept_bytes(const gt_slab_case *c)
{
	if (c->keep != GT_VIEW_CACHE_AUTO)
		return gt_view_cache_bytes(c->keep, c->scan);
	return c->scratch ? gt_view_cache_bytes(GT_VIEW_CACHE_SCRATCH, c->scan) : 0;
}

static int keeps(const gt_slab_job *s, const capacity *r, gt_view_cache_place where, gt_slab_cut *plan)
{
	const double without = plan->host;
	plan->kept = where;
	plan->host += gt_view_cache_bytes(where, s->c->scan);
	if (fits(r, plan))
		return 1;
	plan->kept = GT_VIEW_CACHE_NOT;
	plan->host = without;
	return 0;
}

/* Keeps projections in memory if the cut stays the same. */
static void choose_kept(const gt_slab_job *s, const capacity *r, gt_slab_cut *plan)
{
	if (s->c->keep != GT_VIEW_CACHE_AUTO)
		keeps(s, r, s->c->keep, plan);
	else if (plan->slabs > 1 && !keeps(s, r, GT_VIEW_CACHE_HOST, plan) && s->c->scratch)
		keeps(s, r, GT_VIEW_CACHE_SCRATCH, plan);
}

/* Returns the bytes of the host, with the process; on the CPU the device's part is in host memory too. */
static double host_in_all(const gt_slab_job *s, const gt_slab_cut *plan, double process)
{
	return process + plan->host + (gt_backend_is_gpu(s->be) ? 0 : plan->device);
}

static gt_status too_small(const gt_slab_job *s, const gt_slab_cut *one, double aside, const capacity *r)
{
	const double mib = 1048576, process = s->c->host_limit > 0 ? r->process : 0, host = host_in_all(s, one, process) + aside;
	char taken[64] = "";
	if (process > 0)
		snprintf(taken, sizeof taken, "%.0f taken already, ", process / mib);
	return gt_fail(GT_ERR_MEMORY,
	               "%s by slabs, one slice and one view at a time, needs %.2f MiB on %s (--device-memory), %.2f free, "
	               "and %.0f MiB of host memory (--host-memory), %s%.0f in reserve, %.0f free",
	               s->c->method->name, ceil(100 * one->device / mib) / 100, gt_backend_name(s->be),
	               floor(100 * fmax(0, min(r->device, r->both)) / mib) / 100, ceil(host / mib), taken, RESERVE_BYTES / mib,
	               floor(fmax(0, min(r->host, r->both) + process) / mib));
}

gt_status gt_slab_job_choose(const gt_slab_job *s, gt_slab_cut *plan)
{
	static const size_t views[] = { 16, 4, 1 };
	gt_backend *dry = NULL;
	const capacity all = find_capacity(s);
	const double aside = kept_bytes(s->c);
	const capacity r = { all.device, all.host - aside, all.both - aside, all.process };
	int found = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(gt_backend_name(s->be), &dry));
	GT_TRY(gt_backend_dry_run(dry));
	for (size_t i = 0; i < sizeof views / sizeof *views && !found; i++)
		GT_TRY(search(s, dry, &r, views[i], plan, &found));
	if (!found) {
		st = too_small(s, plan, aside, &all);
		goto done;
	}
	choose_kept(s, &all, plan);
	plan->process = host_in_all(s, plan, all.process);
	plan->reserve = RESERVE_BYTES;
done:
	gt_backend_close(dry);
	return st;
}
