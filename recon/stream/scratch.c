/* Arrays of iterations in files: chooses which ones, and refuses runs that the disk would dominate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/mapped_files.h"
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/modules.h"
#include "recon/recon.h"
#include "recon/stream/scratch.h"

#define BYTES(n) gt_bytes_text(n, (char[GT_BYTES_TEXT]){ 0 })

/* Largest ratio of the time of files to the time of operators in an iteration. */
static const double max_ratio = 8;

gt_status gt_scratch_is_worth(const gt_scratch_cost *c)
{
	const double disk = c->moved / c->rate;
	if (disk <= max_ratio * c->operators)
		return GT_OK;
	return gt_fail(
		GT_ERR_ARG,
		"--scratch=%s: an iteration of %s would read and write %s there, which takes %.3g s at the measured %s/s; "
		"its operators take %.3g s: expected a solver with less traffic, such as sirt or os-sart with few subsets, or more memory",
		c->folder, c->solver, BYTES(c->moved), disk, BYTES(c->rate), c->operators);
}

/* Modelled seconds of the operators in an iteration. */
static gt_status operators_of(const gt_recon *r, double *seconds)
{
	const gt_recon_job *j = &r->job;
	const char *device = gt_recon_streams(j) ? gt_recon_streams(j) : j->with.backend ? j->with.backend : "auto";
	gt_model_case c = { .grid = &j->chosen.grid, .scan = j->p->scan, .element = gt_type_size(j->chosen.type) };
	gt_model_times t;
	gt_backend *be = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(device, &be));
	c.on_cpu = !gt_backend_is_gpu(be);
	c.threads = gt_pool_threads(gt_backend_pool(be));
	GT_TRY(gt_recon_count_subsets(&j->chosen.method, c.scan, &c.subsets));
	gt_model(&c, 1, 1, &t);
	*seconds = t.operators;
done:
	gt_backend_close(be);
	return st;
}

static double slabs_and_views(const gt_recon_job *j, const gt_memory_estimate *e)
{
	return gt_recon_streams(j) ? (double)e->operators : 0; /* other operators' memory is on another backend */
}

double gt_scratch_arrays(const gt_recon_job *j, const gt_memory_estimate *e) { return fmax(0, (double)e->peak - slabs_and_views(j, e)); }

/* Fraction of the memory for slabs of the volume and batches of views. */
static const double for_slabs = 0.35;

static int streams_files(gt_recon *r, const gt_memory_estimate *e)
{
	gt_recon_job *j = &r->job;
	/* Never 0, which means no limit: a run that the process leaves nothing is refused by its dry run. */
	const double slabs = fmax(1, for_slabs * (e->host_free - e->host_process));
	if (!j->with.scratch || !(e->scratch > 0) || !e->on_host || j->with.arrays_limit > 0 || gt_recon_streams(j) ||
	    !(r->streamed = gt_text("stream:%s", e->backend)))
		return 0;
	j->with.backend = r->streamed;
	if (!(j->with.device_limit > 0) || j->with.device_limit > slabs)
		j->with.device_limit = slabs;
	return 1;
}

gt_status gt_recon_stream_files(gt_recon *r, gt_status (*dry_run)(gt_recon *r, gt_memory_estimate *e), gt_memory_estimate *e)
{
	gt_recon_job *j = &r->job;
	const char *backend = j->with.backend;
	const double limit = j->with.device_limit;
	gt_status st = dry_run(r, e);
	if (st != GT_OK || !streams_files(r, e))
		return st;
	st = dry_run(r, e);
	if (st != GT_ERR_MEMORY && !(st == GT_OK && !gt_memory_estimate_fits(e)))
		return st;
	j->with.backend = backend; /* slabs would be too small for their tables, or too large relative to the data */
	j->with.device_limit = limit;
	free(r->streamed);
	r->streamed = NULL;
	return dry_run(r, e);
}

/* Bytes of arrays that fit memory in addition to the rest of the run. */
static double memory_for_arrays(const gt_recon_job *j, const gt_memory_estimate *e)
{
	return gt_memory_estimate_room(e) - (e->host_peak - (double)e->peak) - slabs_and_views(j, e);
}

gt_status gt_recon_choose_scratch(gt_recon *r, const gt_memory_estimate *e)
{
	gt_recon_job *j = &r->job;
	gt_scratch_cost c = { .folder = j->with.scratch, .solver = gt_method_name(&j->chosen.method) };
	double space = 0;
	gt_status st = GT_OK;
	if (!j->with.scratch || j->with.arrays_limit > 0)
		return GT_OK;
	if (!j->chosen.method.solver)
		return gt_fail(GT_ERR_ARG, "--scratch=%s: expected an iterative method, or a run by slabs: %s computes all at once",
		               j->with.scratch, gt_method_name(&j->chosen.method));
	GT_TRY(gt_folder_space(j->with.scratch, &space));
	if (!(e->scratch > 0)) {
		j->with.arrays_limit = INFINITY;
		gt_notify(&r->on.log, GT_INFO, GT_ABOUT_MEMORY, "--scratch=%s: unused: everything fits into %s of memory", j->with.scratch,
		          BYTES(e->host_peak));
		return GT_OK;
	}
	if (e->scratch > space)
		GT_TRY(gt_fail(GT_ERR_IO, "--scratch=%s: not enough disk space: needs %s, %s available", j->with.scratch, BYTES(e->scratch),
		               BYTES(space)));
	GT_TRY(gt_folder_rate(j->with.scratch, &c.rate));
	GT_TRY(operators_of(r, &c.operators));
	c.moved = e->moved * e->scratch / gt_scratch_arrays(j, e);
	GT_TRY(gt_scratch_is_worth(&c));
	j->with.arrays_limit = fmax(1, memory_for_arrays(j, e));
	gt_notify(
		&r->on.log, GT_INFO, GT_ABOUT_MEMORY,
		"--scratch=%s: %s of %s of arrays are in files there; an iteration reads and writes about %s of them, %.3g s at %s/s; its "
		"operators take %.3g s",
		j->with.scratch, BYTES(e->scratch), BYTES(gt_scratch_arrays(j, e)), BYTES(c.moved), c.moved / c.rate, BYTES(c.rate),
		c.operators);
done:
	return st;
}
