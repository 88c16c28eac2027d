/* Joint reconstruction of several scans of one object, one volume each, with one penalty on all volumes. It is a
 * problem with a block-diagonal operator, so every solver supports it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/log.h"
#include "core/try.h"
#include "recon/joint/joint.h"
#include "recon/modules.h"

static const gt_recon_job *job_of(const gt_joint *q, size_t i) { return &q->scan[i].r->job; }

/* Settings of the common computation in r[0] must not differ in the other scans. */
static gt_status check(const gt_joint *q)
{
	const gt_recon_job *j = job_of(q, 0);
	gt_status st = GT_OK;
	if (!j->chosen.method.solver)
		GT_TRY(gt_fail(GT_ERR_ARG, "%zu scans together: %s is an analytic method: expected an iterative --solver", q->scans,
		               gt_method_name(&j->chosen.method)));
	if (!j->chosen.penalty)
		GT_TRY(gt_fail(GT_ERR_ARG,
		               "%zu scans together: no penalty: expected --penalty joint-tv:strength=... or low-rank:strength=..., or "
		               "one scan at a time",
		               q->scans));
	if (j->chosen.penalty->automatic || j->chosen.penalty->kappa)
		GT_TRY(gt_fail(
			GT_ERR_ARG,
			"%zu scans together: penalty %s: expected joint-tv or low-rank with strength=NUMBER, and no noise= or kappa=",
			q->scans, j->chosen.penalty->spec));
	if (gt_recon_is_mpi(j))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%zu scans together: expected devices of one process, as cpu:1x4, not %s", q->scans,
		               j->with.backend));
	if (gt_recon_streams(j))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%zu scans together: expected a device that holds all of them, not %s", q->scans,
		               j->with.backend));
	if (!gt_recon_is_team(j) && j->with.split && strcmp(j->with.split, "auto"))
		GT_TRY(gt_fail(GT_ERR_ARG, "--split=%s: one device computes %zu scans together: expected none", j->with.split, q->scans));
	for (size_t i = 1; i < q->scans && j->chosen.checkpoint; i++) {
		const gt_checkpointing c = { .spec = j->chosen.checkpoint };
		GT_TRY(gt_checkpointing_check(&c, (const char *const[]){ q->scan[i].r->path, NULL }));
	}
	for (size_t i = 0; i < q->scans; i++)
		if (job_of(q, i)->with.scratch)
			GT_TRY(gt_fail(GT_ERR_ARG, "--scratch=%s: %zu scans are computed together in memory: expected one scan",
			               job_of(q, i)->with.scratch, q->scans));
	for (size_t i = 0; i < q->scans; i++)
		if (q->scan[i].r->set.device_memory > 0 || q->scan[i].r->set.host_memory > 0)
			GT_TRY(gt_fail(GT_ERR_ARG, "%zu scans together: their memory is not estimated beforehand: expected no --%s-memory",
			               q->scans, q->scan[i].r->set.device_memory > 0 ? "device" : "host"));
	for (size_t i = 0; i < q->scans; i++)
		if (q->scan[i].r->by_slabs)
			GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: does not fit into memory as a whole, as joint scans must", job_of(q, i)->name));
done:
	return st;
}

/* Finds the common grid of all scans. */
static gt_status find_grid(gt_joint *q, size_t i)
{
	gt_joint_scan *p = &q->scan[i];
	const gt_recon_job *j = &p->r->job;
	const gt_z_margin_options margin = { j->chosen.margin, j->chosen.grid_is_given };
	const gt_joint_scan *first = &q->scan[0];
	if (!gt_grid_same(&p->v->grid, &j->chosen.grid) || !gt_grid_same(&j->chosen.grid, &first->r->job.chosen.grid))
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: its grid differs from the grid of %s: expected one grid for all (--grid, --like)",
		               j->name, first->r->job.name);
	gt_recon_extent_views(j->p, &j->chosen.grid, &p->e);
	gt_recon_extent_pad(&j->on.log, &margin, &p->e);
	if (p->e.grid.n[2] != first->e.grid.n[2] || p->e.below != first->e.below)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: needs %zu slices including padding, %s %zu: expected --padding no", j->name,
		               p->e.grid.n[2], first->r->job.name, first->e.grid.n[2]);
	return GT_OK;
}

static gt_status compute_alone(gt_joint *q)
{
	const gt_recon_job *j = job_of(q, 0);
	gt_recon_found *f = &q->scan[0].r->found;
	gt_backend *be = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(j->with.backend ? j->with.backend : "auto", &be));
	gt_notify(&j->on.log, GT_INFO, GT_ABOUT_CHOICE, "backend %s: %s; %zu scans together", gt_backend_name(be), gt_backend_describe(be),
	          q->scans);
	snprintf(f->backend, sizeof f->backend, "%s", gt_backend_name(be));
	st = gt_joint_rank(j, be, &q->scan[0].e, q, f);
done:
	gt_backend_close(be);
	return st;
}

static gt_status compute(gt_joint *q)
{
	gt_joint_scan *first = &q->scan[0];
	if (!gt_recon_is_team(job_of(q, 0)))
		return compute_alone(q);
	return gt_recon_run_team(job_of(q, 0), &first->e, gt_joint_rank, q, &first->r->found);
}

/* Translates a pointer to a text within one run to the text of another run. */
static const char *said(const char *text, const gt_run *from, const gt_run *to)
{
	return text == from->divergence.why ? to->divergence.why : text;
}

static void end_as(const gt_recon_found *one, gt_recon_found *f)
{
	const gt_run *from = &one->run;
	gt_run *to = &f->run;
	to->iterations = from->iterations;
	to->max = from->max;
	to->residual = from->residual;
	to->interrupted = from->interrupted;
	to->returned_iteration = from->returned_iteration;
	memcpy(to->divergence.why, from->divergence.why, sizeof to->divergence.why);
	to->reason = said(from->reason, from, to);
	to->diverged = said(from->diverged, from, to);
	snprintf(f->backend, sizeof f->backend, "%s", one->backend);
	snprintf(f->split, sizeof f->split, "%s", one->split);
	f->seconds = one->seconds;
	f->device_peak = one->device_peak;
	free(f->cost);
	f->cost = malloc((one->costs + 1) * sizeof *f->cost);
	if (f->cost) /* without memory it has no history, as a run of one scan */
		for (size_t i = 0; i < one->costs; i++)
			f->cost[i] = one->cost[i];
	f->costs = f->costs_max = f->cost ? one->costs : 0;
}

/* All scans have the result of the first. */
static gt_status record(gt_joint *q)
{
	const gt_recon_found *one = &q->scan[0].r->found;
	for (size_t i = 0; i < q->scans; i++) {
		if (i > 0)
			end_as(one, &q->scan[i].r->found);
		gt_recon *r = q->scan[i].r;
		const gt_type own = r->job.chosen.type;
		r->job.chosen.type = job_of(q, 0)->chosen.type;
		const gt_status st = gt_recon_record(r, q->scan[i].v);
		r->job.chosen.type = own;
		if (st != GT_OK)
			return st;
		r->has_run = 1;
	}
	return GT_OK;
}

static void release(gt_joint *q)
{
	for (size_t i = 0; i < q->scans; i++) {
		free(q->scan[i].shared.w);
		free(q->scan[i].shared.weights);
		gt_recon_end_call(q->scan[i].r);
	}
	free(q->scan);
}

static gt_status begin_part(gt_recon *r, gt_volume *v, const gt_grid *grid, gt_joint_scan *p)
{
	gt_status st = gt_recon_check_idle("gt_recon_run_joint", r);
	GT_TRY(st);
	GT_TRY(gt_volume_is("gt_recon_run_joint", v));
	if (!v->data)
		GT_TRY(gt_fail(GT_ERR_ARG, "gt_recon_run_joint: the data of v is NULL"));
	const int asked = r->set.text[GT_SET_GRID] || r->set.text[GT_SET_LIKE] || r->grid_from == GT_GRID_GIVEN;
	if (!asked && !(r->is_chosen && gt_grid_same(&r->job.chosen.grid, grid)))
		GT_TRY(gt_recon_grid(r, grid));
	GT_TRY(gt_recon_decide(r, 0));
	GT_TRY(gt_recon_ignore_outside(r));
	gt_recon_forget(r);
	*p = (gt_joint_scan){ .r = r, .v = v };
	r->is_busy = 1;
done:
	return st;
}

gt_status gt_recon_run_joint(gt_recon *const *r, size_t n, gt_volume *const *v)
{
	gt_joint q = { .scans = 0 };
	gt_status st = GT_OK;
	if (!r || !v || n < 1 || n > 1024)
		return gt_fail(GT_ERR_ARG, "gt_recon_run_joint: %zu scans: expected 1 to 1024, and a volume for each", n);
	if (!(q.scan = calloc(n, sizeof *q.scan)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++) {
		GT_TRY(begin_part(r[i], v[i], &v[0]->grid, &q.scan[i]));
		q.scans = i + 1;
	}
	GT_TRY(check(&q));
	for (size_t i = 0; i < n; i++)
		GT_TRY(find_grid(&q, i));
	GT_TRY(compute(&q));
	GT_TRY(record(&q));
done:
	release(&q);
	return st;
}
