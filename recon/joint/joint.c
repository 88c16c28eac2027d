/* Several scans of one object, one volume each, with one penalty on all volumes: the problem of one scan whose
 * operator is block-diagonal, so that every solver runs as it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/clock.h"
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/joint/block_operator.h"
#include "recon/projector_spec.h"
#include "recon/recon.h"

/* Of one scan. */
typedef struct {
	gt_recon *r;
	gt_volume *v;
	gt_recon_extent e;
	gt_subsets s;
	float *w;
	gt_array *x; /* its part of the volume */
} scan_part;

typedef struct {
	size_t parts, subsets;
	scan_part *part;
	gt_backend *be;
	gt_array *x;
	gt_linop **A; /* [subsets] */
	gt_array **b, **w;
	gt_penalty *R;
	char *kernels; /* of the run that is continued */
} joint;

static const gt_recon_job *job_of(const joint *q, size_t i) { return &q->part[i].r->job; }

/* What is one computation in r[0] can have no other in the rest. */
static gt_status check(const joint *q)
{
	const gt_recon_job *j = job_of(q, 0);
	gt_status st = GT_OK;
	if (!j->method.solver)
		GT_TRY(gt_fail(GT_ERR_ARG, "%zu scans together: %s is an analytic method: expected an iterative --solver", q->parts,
		               gt_method_name(&j->method)));
	if (!j->penalty)
		GT_TRY(gt_fail(GT_ERR_ARG,
		               "%zu scans together: no penalty: expected --penalty joint-tv:strength=... or low-rank:strength=..., or "
		               "one scan at a time",
		               q->parts));
	if (j->penalty->automatic || j->penalty->kappa)
		GT_TRY(gt_fail(
			GT_ERR_ARG,
			"%zu scans together: penalty %s: expected joint-tv or low-rank with strength=NUMBER, and no noise= or kappa=",
			q->parts, j->penalty->spec));
	if (gt_recon_is_team(j))
		GT_TRY(gt_fail(GT_ERR_ARG, "%zu scans together: expected one device, not several (%s)", q->parts,
		               j->backend ? j->backend : "reproducible"));
	if (j->split && strcmp(j->split, "auto"))
		GT_TRY(gt_fail(GT_ERR_ARG, "--split=%s: one device computes %zu scans together: expected none", j->split, q->parts));
	for (size_t i = 1; i < q->parts && j->checkpoint; i++) {
		const gt_checkpointing c = { .spec = j->checkpoint };
		GT_TRY(gt_checkpointing_check(&c, (const char *const[]){ q->part[i].r->path, NULL }));
	}
	for (size_t i = 0; i < q->parts; i++)
		if (q->part[i].r->set.device_memory > 0 || q->part[i].r->set.host_memory > 0)
			GT_TRY(gt_fail(GT_ERR_ARG, "%zu scans together: what they need is not known before: expected no --%s-memory",
			               q->parts, q->part[i].r->set.device_memory > 0 ? "device" : "host"));
	for (size_t i = 0; i < q->parts; i++)
		if (q->part[i].r->by_slabs)
			GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: does not fit into memory as a whole, which scans together must",
			               job_of(q, i)->name));
done:
	return st;
}

/* The voxels that all compute with. */
static gt_status find_grid(joint *q, size_t i)
{
	scan_part *p = &q->part[i];
	const gt_recon_job *j = &p->r->job;
	const gt_z_margin_options margin = { j->margin, j->grid_is_given };
	const scan_part *first = &q->part[0];
	if (!gt_grid_same(&p->v->grid, &j->grid) || !gt_grid_same(&j->grid, &first->r->job.grid))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "%s: its volume is on another grid than that of %s: expected one for all (--grid, --like)", j->name,
		               first->r->job.name);
	gt_recon_extent_views(j->p, &j->grid, &p->e);
	gt_recon_extent_pad(&j->log, &margin, &p->e);
	if (p->e.grid.n[2] != first->e.grid.n[2] || p->e.below != first->e.below)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: needs %zu slices with those beyond the ends, %s %zu: expected --padding no",
		               j->name, p->e.grid.n[2], first->r->job.name, first->e.grid.n[2]);
	return GT_OK;
}

static gt_status prepare_part(joint *q, size_t i)
{
	scan_part *p = &q->part[i];
	const gt_recon_job *j = &p->r->job;
	gt_recon_found *f = &p->r->found;
	gt_recon_within *within = &q->part[0].r->found.within; /* callbacks are the first scan's */
	const size_t voxels = gt_grid_voxels(&p->e.grid);
	gt_status st = GT_OK;
	GT_TRY(gt_recon_count_subsets(&job_of(q, 0)->method, p->e.p.scan, &f->subsets));
	if (i == 0)
		q->subsets = f->subsets;
	if (f->subsets != q->subsets)
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: the solver cuts it into %zu subsets, and %s into %zu: expected one number for all", j->name,
		               f->subsets, job_of(q, 0)->name, q->subsets));
	GT_TRY(gt_array_part(q->x, i * voxels, voxels, &p->x));
	GT_TRY(gt_recon_weights(j, &p->e, q->be, &p->w, f));
	within->start = i;
	within->starts = q->parts;
	GT_TRY(gt_recon_begin(j, &p->e, p->x, within, &f->start));
	GT_TRY(gt_subsets_new(j->projector, q->be, j->type, &p->e.grid, p->e.p.scan, p->e.p.data, p->w, f->subsets, &p->s));
	f->run.data_norm = gt_subsets_norm(&p->s);
	snprintf(f->backend, sizeof f->backend, "%s", gt_backend_name(q->be));
done:
	return st;
}

/* The arrays of all parts in one, in the order of the parts; those of the parts go. Weights that are not there are
 * 1. */
static gt_status gather(joint *q, size_t k, int weights, gt_array **all)
{
	size_t n = 0, first = 0;
	gt_status st = GT_OK;
	for (size_t i = 0; i < q->parts; i++)
		n += gt_linop_ny(q->part[i].s.A[k]);
	GT_TRY(gt_array_new(q->be, gt_array_type(q->x), n, all));
	for (size_t i = 0; i < q->parts; i++) {
		gt_subsets *s = &q->part[i].s;
		gt_array **from = weights ? s->w : s->b;
		gt_array to = gt_block_of(*all, first, gt_linop_ny(s->A[k]));
		if (from)
			gt_copy(from[k], &to);
		else
			gt_fill(1, &to);
		first += gt_linop_ny(s->A[k]);
		if (from) {
			gt_array_free(from[k]);
			from[k] = NULL;
		}
	}
	GT_TRY(gt_backend_status(q->be));
done:
	return st;
}

static gt_status make_operators(joint *q)
{
	int weighted = 0;
	gt_linop **block = calloc(q->parts, sizeof *block);
	gt_status st = GT_OK;
	q->A = calloc(q->subsets, sizeof *q->A);
	q->b = calloc(q->subsets, sizeof *q->b);
	q->w = calloc(q->subsets, sizeof *q->w);
	if (!block || !q->A || !q->b || !q->w)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t i = 0; i < q->parts; i++)
		weighted |= q->part[i].s.w != NULL;
	for (size_t k = 0; k < q->subsets; k++) {
		for (size_t i = 0; i < q->parts; i++)
			block[i] = q->part[i].s.A[k];
		GT_TRY(gt_block_operator_new(block, q->parts, &q->A[k]));
		GT_TRY(gather(q, k, 0, &q->b[k]));
		if (weighted)
			GT_TRY(gather(q, k, 1, &q->w[k]));
	}
	if (!weighted) {
		free(q->w);
		q->w = NULL;
	}
done:
	free(block);
	return st;
}

/* Parameters in HU are of the first scan's water. */
static gt_status make_penalty(joint *q)
{
	const gt_recon_job *j = job_of(q, 0);
	char *spec = gt_penalty_spec_of_water(j->penalty->spec, j->water);
	gt_status st = spec ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(gt_regularizer_new_joint(spec, q->be, j->type, &q->part[0].e.grid, q->parts, &q->R));
	for (size_t i = 0; i < q->parts && st == GT_OK; i++) {
		gt_recon_found *f = &q->part[i].r->found;
		f->penalty = strdup(spec);
		st = f->penalty ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	}
done:
	free(spec);
	return st;
}

/* That of one scan where all have the same, else one after the other. */
static char *projectors_of(const joint *q)
{
	char *all = gt_projector_text(job_of(q, 0)->projector);
	int unlike = 0;
	for (size_t i = 1; i < q->parts; i++)
		unlike |= strcmp(job_of(q, i)->projector, job_of(q, 0)->projector) != 0;
	for (size_t i = 1; i < q->parts && unlike && all; i++) {
		char *one = gt_projector_text(job_of(q, i)->projector), *more = one ? gt_text("%s %s", all, one) : NULL;
		free(one);
		free(all);
		all = more;
	}
	return all;
}

static gt_status open_checkpoint(joint *q)
{
	gt_run_scan *scan = calloc(q->parts, sizeof *scan);
	if (!scan)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < q->parts; i++) {
		const scan_part *p = &q->part[i];
		scan[i] = (gt_run_scan){ &p->e.p, p->w, p->r->found.weights, p->r->found.start };
	}
	const gt_status st = gt_recon_open_checkpoint(job_of(q, 0), projectors_of(q), &q->part[0].e.grid, scan, q->parts, q->be,
	                                              &q->part[0].r->found);
	free(scan);
	return st;
}

static gt_status solve(joint *q)
{
	const gt_recon_job *j = job_of(q, 0);
	const gt_solver *solver = j->method.solver;
	const gt_grid *g = &q->part[0].e.grid;
	gt_run *run = &q->part[0].r->found.run;
	double squares = 0;
	gt_status st = GT_OK;
	const gt_problem problem = { .subsets = q->subsets,
		                     .A = q->A,
		                     .b = q->b,
		                     .w = q->w,
		                     .R = q->R,
		                     .n = { g->n[0], g->n[1], q->parts * g->n[2] },
		                     .lo = solver->nonneg && solver->nonneg(j->method.options) ? 0 : -INFINITY,
		                     .hi = INFINITY };
	for (size_t i = 0; i < q->parts; i++)
		squares += pow(q->part[i].r->found.run.data_norm, 2);
	run->data_norm = sqrt(squares);
	run->rule = j->stop;
	run->rule.change *= j->stop.change_in_hu ? j->water / GT_WATER_DEFAULT : 1;
	GT_TRY(open_checkpoint(q));
	GT_TRY(gt_recon_solve(j, &q->part[0].e, &problem, q->x, &q->part[0].r->found));
done:
	gt_recon_close_checkpoint(&q->part[0].r->found);
	return st;
}

static gt_status compute(joint *q)
{
	const gt_recon_job *j = job_of(q, 0);
	gt_counters count;
	const double start = gt_seconds();
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(j->backend ? j->backend : "auto", &q->be));
	gt_recon_within_open(&q->part[0].r->found.within, j, q->be);
	gt_say(&j->log, GT_INFO, GT_ABOUT_CHOICE, "backend %s: %s; %zu scans together", gt_backend_name(q->be), gt_backend_describe(q->be),
	       q->parts);
	GT_TRY(gt_recon_settle_kernels(j, q->be, &q->kernels));
	GT_TRY(gt_array_new(q->be, j->type, q->parts * gt_grid_voxels(&q->part[0].e.grid), &q->x));
	for (size_t i = 0; i < q->parts; i++)
		GT_TRY(prepare_part(q, i));
	GT_TRY(make_operators(q));
	GT_TRY(make_penalty(q));
	GT_TRY(solve(q));
	if (j->cancel && j->cancel(j->cancel_self))
		GT_TRY(gt_fail(GT_STOPPED, "given up, as the caller asked"));
	for (size_t i = 0; i < q->parts; i++)
		GT_TRY(gt_recon_get_slices(q->part[i].x, &q->part[i].e, q->part[i].v->data));
	GT_TRY(gt_backend_status(q->be));
	GT_TRY(gt_backend_counters(q->be, &count));
	q->part[0].r->found.device_peak = (double)count.peak_bytes;
	q->part[0].r->found.seconds = gt_seconds() - start;
done:
	return st;
}

/* What is said in a run's own memory is said in that of another one. */
static const char *said(const char *text, const gt_run *from, const gt_run *to)
{
	return text == from->divergence.why ? to->divergence.why : text;
}

static void end_as(const gt_recon_found *one, gt_recon_found *f)
{
	const gt_run *from = &one->run;
	gt_run *to = &f->run;
	to->iterations = from->iterations;
	to->most = from->most;
	to->residual = from->residual;
	to->interrupted = from->interrupted;
	to->returned_iteration = from->returned_iteration;
	memcpy(to->divergence.why, from->divergence.why, sizeof to->divergence.why);
	to->reason = said(from->reason, from, to);
	to->diverged = said(from->diverged, from, to);
	f->seconds = one->seconds;
	f->device_peak = one->device_peak;
	free(f->cost);
	f->cost = malloc((one->costs + 1) * sizeof *f->cost);
	if (f->cost) /* without memory it has no history, as in a run of one scan */
		for (size_t i = 0; i < one->costs; i++)
			f->cost[i] = one->cost[i];
	f->costs = f->costs_max = f->cost ? one->costs : 0;
}

/* All have run as the first did. */
static gt_status record(joint *q)
{
	const gt_recon_found *one = &q->part[0].r->found;
	for (size_t i = 0; i < q->parts; i++) {
		if (i > 0)
			end_as(one, &q->part[i].r->found);
		const gt_status st = gt_recon_record(q->part[i].r, q->part[i].v);
		if (st != GT_OK)
			return st;
		q->part[i].r->has_run = 1;
	}
	return GT_OK;
}

static void release(joint *q)
{
	for (size_t k = 0; k < q->subsets; k++) {
		gt_linop_free(q->A ? q->A[k] : NULL);
		gt_array_free(q->b ? q->b[k] : NULL);
		gt_array_free(q->w ? q->w[k] : NULL);
	}
	free(q->A);
	free(q->b);
	free(q->w);
	for (size_t i = 0; i < q->parts; i++) {
		if (q->part[i].s.subsets)
			gt_subsets_free(&q->part[i].s);
		free(q->part[i].w);
		gt_array_free(q->part[i].x);
		q->part[i].r->is_busy = 0;
	}
	gt_recon_forget_kernels(q->kernels);
	gt_penalty_free(q->R);
	gt_array_free(q->x);
	gt_backend_close(q->be);
	free(q->part);
}

static gt_status begin_part(gt_recon *r, gt_volume *v, const gt_grid *grid, scan_part *p)
{
	gt_status st = gt_recon_check_idle("gt_recon_run_joint", r);
	GT_TRY(st);
	GT_TRY(gt_volume_is("gt_recon_run_joint", v));
	if (!v->data)
		GT_TRY(gt_fail(GT_ERR_ARG, "gt_recon_run_joint: the data of v is NULL"));
	const int asked = r->set.text[GT_SET_GRID] || r->set.text[GT_SET_LIKE] || r->grid_from == GT_GRID_GIVEN;
	if (!asked && !(r->is_chosen && gt_grid_same(&r->job.grid, grid)))
		GT_TRY(gt_recon_grid(r, grid));
	GT_TRY(gt_recon_decide(r, 0));
	gt_recon_forget(r);
	*p = (scan_part){ .r = r, .v = v };
	r->is_busy = 1;
done:
	return st;
}

gt_status gt_recon_run_joint(gt_recon *const *r, size_t n, gt_volume *const *v)
{
	joint q = { .parts = 0 };
	gt_status st = GT_OK;
	if (!r || !v || n < 1 || n > 1024)
		return gt_fail(GT_ERR_ARG, "gt_recon_run_joint: %zu scans: expected 1 to 1024, and a volume for each", n);
	if (!(q.part = calloc(n, sizeof *q.part)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++) {
		GT_TRY(begin_part(r[i], v[i], &v[0]->grid, &q.part[i]));
		q.parts = i + 1;
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
