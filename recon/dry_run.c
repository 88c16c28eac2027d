/* Estimates the memory of a run by a dry run, and refuses runs that do not fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include "analytic/fbp/slab.h"
#include "core/device/host_memory.h"
#include "core/try.h"
#include "recon/recon.h"
#include "recon/stream/scratch.h"

/* The self of gt_memory_dry_run. */
typedef struct {
	const gt_recon *r;
	const gt_recon_job *j;
} dry;

/* Applies the limit of the device; streamed runs observe it themselves. */
static void limit(const gt_recon *r, const gt_recon_job *j, gt_memory_estimate *e)
{
	gt_memory_estimate_limit(e, gt_recon_streams(j) ? 0 : r->set.device_memory);
	if (j->with.scratch && j->chosen.method.solver)
		gt_memory_estimate_spill(e, gt_scratch_arrays(j, e));
}

/* Memory of libraries, buffers, threads and tables: growth of the process since the run began, less its projections.
 * Buffers of reading that malloc() keeps would serve the run as well, and would be counted twice. */
static double process_bytes(const gt_recon *r)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
	const gt_projections *p = r->owned;
	const double arrays = p && p->data ? 1 + (p->weight != NULL) + (p->photons != NULL) : 0;
	const double read = p ? arrays * (double)gt_scan_size(p->scan) * sizeof(float) : 0, now = gt_host_used();
	return now < 0 || r->host_used < 0 ? 0 : fmax(0, now - r->host_used - read);
}

/* Code and buffers that a run needs and a dry run does not touch: solver and penalty. Direct methods need no more than
 * the checks of the data. Measured on scans of 2 to 130 MiB (tests/cli/resident_size.sh). */
#define MIB 1048576.0
#define SOLVER_MIB 3.2
#define PENALTY_MIB 1.0
/* malloc() keeps about this part of a direct start's blocks on the CPU, unless they are large enough to be mapped. */
#define KEPT_PART 0.4
#define MAPPED_MIB 32

static double kept_by_malloc(const gt_recon_job *j)
{
	if (!j->p || (j->with.backend && !strncmp(j->with.backend, "cuda", 4)) || (j->chosen.init && !strcmp(j->chosen.init, "zero")))
		return 0;
	const double data = (double)gt_scan_size(j->p->scan) * sizeof(float),
		     volume = (double)gt_grid_voxels(&j->chosen.grid) * sizeof(float);
	return KEPT_PART * (fmin(data, MAPPED_MIB * MIB) + fmin(volume, MAPPED_MIB * MIB));
}

static double code_bytes(const gt_recon *r)
{
	const gt_recon_job *j = &r->job;
	return (j->chosen.method.solver ? MIB * SOLVER_MIB + kept_by_malloc(j) : 0) + (j->chosen.penalty ? MIB * PENALTY_MIB : 0);
}

static gt_memory_estimate before_run(const gt_recon *r)
{
	return (gt_memory_estimate){ .host_free = r->host_free, .host_process = process_bytes(r) + code_bytes(r) };
}

/* Largest fraction of the free memory for the tables that a dry run leaves; bytes if the free memory is unknown. */
static const double for_kept = 0.125, kept_anyway = 1024 * MIB;

static gt_kept_tables *new_kept(const gt_recon *r) { return gt_kept_tables_new(r->host_free < 0 ? kept_anyway : for_kept * r->host_free); }

/* Kept tables exist until the operators do, together with a subset in transfer. A run that fits only without them has
 * none. */
static void include_kept(const gt_recon_job *j, gt_memory_estimate *e)
{
	const double kept = (double)gt_kept_tables_bytes(j->kept);
	const gt_memory_estimate without = *e;
	if (!(kept > 0))
		return;
	e->host_subset += kept;
	e->host_peak = fmax(e->host_peak, e->host_process + gt_memory_estimate_held(e) + e->host_subset);
	if (gt_memory_estimate_fits(e))
		return;
	*e = without;
	gt_kept_tables_clear(j->kept);
}

static gt_status dry_run(void *self, const gt_memory_variant *variant, gt_memory_estimate *e)
{
	const dry *d = self;
	gt_recon_job j = *d->j;
	gt_recon_found f = { .plan = e };
	j.how = &gt_recon_estimating;
	j.on.log.say = NULL;
	j.on.each = NULL;
	if (variant->grid || variant->options || variant->single || variant->backend)
		j.kept = NULL;
	if (variant->single)
		j.chosen.type = GT_F32;
	if (variant->backend)
		j.with.backend = variant->backend;
	if (variant->options)
		j.chosen.method.options = (void *)variant->options;
	if (variant->spills)
		j.with.scratch = "";
	if (variant->grid) {
		j.chosen.grid = *variant->grid;
		j.chosen.grid_is_given = 1;
	}
	gt_memory_estimate_begin(e, j.p, &j.chosen.grid);
	const gt_status st = gt_recon_compute(&j, NULL, &f);
	include_kept(&j, e);
	limit(d->r, &j, e);
	gt_recon_found_free(&f);
	return st;
}

/* Reading may already have taken more than the run will. */
static void include_reading(const gt_recon *r, gt_memory_estimate *e)
{
	const double reached = gt_host_peak();
	if (reached > r->host_peak && r->host_used >= 0)
		e->host_peak = fmax(e->host_peak, reached - r->host_used);
}

static gt_status dry_run_of(gt_recon *r, gt_memory_estimate *e)
{
	dry d = { r, &r->job };
	return dry_run(&d, &(gt_memory_variant){ 0 }, e);
}

/* The file, if importing it would allow the method to run by slabs. */
static const char *read_whole(const gt_recon *r, const gt_recon_job *j)
{
	const char *path = r->set.text[GT_SET_DATA] ? r->set.text[GT_SET_DATA] : r->path;
	const gt_format *format = NULL;
	int projections;
	if (!path || !j->chosen.method.analytic || !gt_slab_plan_supports(j->chosen.method.analytic) ||
	    gt_file_kind(path, &format, &projections) != GT_OK || format->open_views)
		return NULL;
	return path;
}

static gt_memory_dry_run again(dry *d)
{
	return (gt_memory_dry_run){ dry_run,
		                    d,
		                    &d->j->chosen.method,
		                    &d->j->chosen.grid,
		                    d->j->chosen.type == GT_F64,
		                    read_whole(d->r, d->j),
		                    !gt_recon_is_team(d->j),
		                    d->r->set.host_memory,
		                    d->r->host_used };
}

int gt_recon_fits(const gt_recon *r, const gt_recon_job *j)
{
	dry d = { r, j };
	gt_memory_estimate e = before_run(r);
	return dry_run(&d, &(gt_memory_variant){ 0 }, &e) != GT_OK || gt_memory_estimate_fits(&e);
}

gt_status gt_recon_check_memory(gt_recon *r, const char *failed)
{
	dry d = { r, &r->job };
	const gt_memory_dry_run more = again(&d);
	gt_recon_drop_kept(r);
	gt_memory_estimate e = before_run(r);
	r->job.kept = failed ? NULL : new_kept(r);
	gt_status st = gt_recon_stream_files(r, dry_run_of, &e);
	if (st == GT_ERR_DEVICE && !failed) /* the run itself reports the device failure better */
		return GT_OK;
	if (st != GT_OK)
		return st;
	char *needs = gt_memory_estimate_fits(&e) ? NULL : gt_memory_estimate_explain(&more, &e);
	if (needs)
		st = gt_fail(GT_ERR_MEMORY, "%s%s%s", failed ? failed : "", failed ? "; in total it " : "", needs);
	else if (failed)
		st = gt_fail(GT_ERR_MEMORY, "%s", failed);
	else
		st = gt_recon_choose_scratch(r, &e);
	free(needs);
	return st;
}

gt_status gt_recon_plan_whole(gt_recon *r, gt_memory_estimate *e, int *known)
{
	dry d = { r, &r->job };
	const gt_memory_dry_run more = again(&d);
	gt_status st = GT_OK;
	gt_recon_forget(r);
	*e = before_run(r);
	if (r->job.with.scratch)
		gt_recon_stream_files(r, dry_run_of, e);
	gt_recon_job j = r->job;
	j.on.each = NULL;
	j.how = &gt_recon_planning;
	*e = before_run(r);
	gt_memory_estimate_begin(e, j.p, &j.chosen.grid);
	r->found.plan = e;
	j.kept = new_kept(r);
	st = gt_recon_compute(&j, NULL, &r->found);
	include_kept(&j, e);
	gt_kept_tables_free(j.kept);
	GT_TRY(st);
	limit(r, &j, e);
	*known = 1;
	if (!gt_memory_estimate_compare(&more, e, &e->keep_yes_peak, &e->keep_no_peak))
		e->keep_yes_peak = e->keep_no_peak = 0;
	if (!gt_memory_estimate_fits(e)) {
		char *text = gt_memory_estimate_explain(&more, e);
		st = gt_fail(GT_ERR_MEMORY, "%s", text ? text : "out of memory");
		free(text);
	} else {
		st = gt_recon_choose_scratch(r, e);
	}
	include_reading(r, e);
done:
	r->found.plan = NULL;
	return st;
}
