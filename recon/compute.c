/* One computation: opens the device, runs the method, and downloads the volume. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/clock.h"
#include "core/log.h"
#include "core/partition/partition.h"
#include "core/try.h"
#include "core/variant/of_run.h"
#include "recon/checkpointing.h"
#include "recon/modules.h"
#include "recon/team/team_balance.h"
#include "recon/team/team_run.h"
#include "team/team.h"

gt_status gt_recon_get_slices(const gt_array *x, const gt_recon_extent *e, float *out)
{
	gt_array *part = NULL;
	gt_status st = GT_OK;
	if (gt_recon_extent_differs(e))
		return gt_recon_extent_get(e, x, out);
	GT_TRY(gt_slices_part(x, &e->grid, e->below, e->asked->n[2], &part));
	gt_array_get_float(part, out);
done:
	gt_array_free(part);
	return st;
}

/* Prepares a computation or a dry run. */
static gt_status begin(const gt_recon_job *j, gt_backend *be, gt_recon_found *f)
{
	gt_status st = GT_OK;
	gt_recon_fraction_open(&f->fraction, j, be);
	if (!j->how->computes)
		GT_TRY(gt_backend_dry_run(be));
	gt_memory_estimate_open(f->plan, be);
done:
	return st;
}

gt_status gt_recon_settle_kernels(const gt_recon_job *j, gt_backend *be, char **kernels)
{
	gt_status st = GT_OK;
	*kernels = NULL;
	if (j->chosen.resume && !j->with.reproducible) {
		gt_team_lock(be);
		st = gt_checkpointing_kernels(j->chosen.resume, kernels);
		gt_team_unlock(be);
	}
	gt_variant_only(j->with.reproducible ? "built-in" : *kernels);
	gt_variant_same(1); /* subsets, and scans together, may be of several classes */
	return st;
}

void gt_recon_forget_kernels(char *kernels)
{
	gt_variant_only(NULL);
	gt_variant_same(0);
	free(kernels);
}

/* 1: a direct method may fill the volume during the computation. Every rank has it, and the grid is the job's. */
static int fills_early(const gt_recon_job *j, const gt_recon_extent *e)
{
	return !gt_recon_is_mpi(j) && !gt_recon_extent_differs(e) && !e->below && e->grid.n[2] == e->asked->n[2];
}

/* The work of one backend: the whole run, or the part of one rank. */
static gt_status compute_on(const gt_recon_job *j, gt_backend *be, const gt_recon_extent *e, void *to, gt_recon_found *f)
{
	float *out = to; /* whole volume, shared by all ranks */
	gt_counters count;
	gt_array *x = NULL;
	char *kernels = NULL;
	gt_status st = GT_OK;
	GT_TRY(begin(j, be, f));
	GT_TRY(gt_recon_settle_kernels(j, be, &kernels));
	if (j->team && j->how->computes && !j->with.reproducible)
		GT_TRY(gt_team_balance(j, be, e, &j->team->split));
	if (j->chosen.method.solver)
		gt_team_connect(be);
	const double start = gt_seconds();
	gt_recon_early early = { j->how->computes ? out : NULL, 0 };
	GT_TRY(gt_array_new_shared(be, j->chosen.type, e->grid.n[0] * e->grid.n[1], e->grid.n[2], &x));
	gt_memory_estimate_volume(f->plan, be);
	if (j->chosen.method.analytic) {
		gt_recon_mark(j, "direct method");
		gt_recon_fraction_direct(&f->fraction, 1);
		GT_TRY(gt_recon_direct(j, j->chosen.method.analytic, j->chosen.method.options, e, x, fills_early(j, e) ? &early : NULL));
		gt_recon_fraction_direct(&f->fraction, 0);
	} else {
		GT_TRY(gt_recon_iterate(j, e, x, f));
	}
	GT_TRY(gt_recon_cancelled(j, &f->fraction, GT_OK));
	gt_memory_estimate_close(f->plan, be);
	gt_recon_mark(j, "volume to the host");
	if (j->how->computes && !early.is_out)
		GT_TRY(gt_recon_get_slices(x, e, out));
	GT_TRY(gt_backend_status(be));
	f->seconds = gt_seconds() - start;
	GT_TRY(gt_backend_counters(be, &count));
	f->device_peak = (double)count.peak_bytes;
done:
	st = st == GT_OK ? GT_OK : gt_recon_cancelled(j, &f->fraction, st);
	gt_recon_mark(j, "release of the device");
	gt_backend_poll(be, NULL, NULL);
	gt_recon_forget_kernels(kernels);
	gt_array_free(x);
	return st;
}

static gt_status compute_alone(const gt_recon_job *j, const gt_recon_extent *e, float *out, gt_recon_found *f)
{
	gt_backend *be = NULL;
	gt_model_case c;
	gt_status st = GT_OK;
	if (j->with.split && strcmp(j->with.split, "auto"))
		return gt_fail(GT_ERR_ARG, "--split=%s: one device computes: expected several, as --gpus 2 or --backend cpu:1x4",
		               j->with.split);
	const char *streams = gt_recon_streams(j);
	if (streams && j->chosen.method.analytic)
		return gt_fail(GT_ERR_ARG, "backend '%s': expected an iterative method: %s runs by slabs without it; use --backend %s",
		               j->with.backend, gt_method_name(&j->chosen.method), streams);
	gt_recon_mark(j, "device");
	GT_TRY(gt_backend_open(streams ? "cpu" : j->with.backend ? j->with.backend : "auto", &be));
	gt_notify(&j->on.log, GT_INFO, GT_ABOUT_CHOICE, "backend %s: %s", streams ? j->with.backend : gt_backend_name(be),
	          gt_backend_describe(be));
	snprintf(f->backend, sizeof f->backend, "%s", streams ? j->with.backend : gt_backend_name(be));
	if (j->with.scratch && j->how->computes)
		GT_TRY(gt_backend_scratch(be, j->with.scratch, j->with.arrays_limit));
	GT_TRY(gt_recon_model_case(j, e, be, &c));
	if (!streams)
		gt_model(&c, 1, 1, &f->model);
	GT_TRY(compute_on(j, be, e, out, f));
done:
	gt_backend_close(be);
	return st;
}

gt_status gt_recon_compute(const gt_recon_job *j, float *out, gt_recon_found *f)
{
	const gt_z_margin_options margin = { j->chosen.margin, j->chosen.grid_is_given };
	gt_recon_extent extent;
	if (j->with.balance == GT_BALANCE_YES && (j->with.reproducible || !gt_recon_is_team(j)))
		return gt_fail(GT_ERR_ARG, "balance=yes: %s",
		               j->with.reproducible ? "with reproducible=yes all ranks have equal ranges"
		                                    : "one device computes: expected several, as cpu:1+cpu:2");
	gt_outside_extent(&j->chosen.outside, j->p, &j->chosen.grid, &extent);
	if (j->chosen.method.solver)
		gt_recon_extent_pad(&j->on.log, &margin, &extent);
	return gt_recon_is_team(j) ? gt_recon_run_team(j, &extent, compute_on, out, f) : compute_alone(j, &extent, out, f);
}
