/* The work of one backend on several scans together: the whole run, or the part of one rank. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/clock.h"
#include "core/partition/partition.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/joint/block_operator.h"
#include "recon/joint/joint.h"
#include "recon/joint/joint_subsets.h"
#include "recon/projector_spec.h"
#include "recon/team/team_balance.h"
#include "regularizers/spec_of_water.h"

/* State of one scan. */
typedef struct {
	gt_recon_job j;
	gt_recon_found *f, own; /* own: results that the caller does not receive */
	gt_subsets s;
	float *w;
	gt_array *x; /* its part of the volumes */
} rank_part;

typedef struct {
	gt_joint *q;
	gt_backend *be;
	rank_part *part; /* [scans] */
	gt_array *x;
	gt_subsets all;
	gt_penalty *R;
	char *kernels; /* resumed run */
} rank;

/* Makes the job of a scan for this rank; ranks other than the first have no callbacks. */
static void begin_part(rank *m, const gt_recon_job *j, gt_recon_found *f, size_t i)
{
	rank_part *p = &m->part[i];
	p->j = i ? m->q->scan[i].r->job : *j;
	p->j.chosen.type = j->chosen.type;
	p->f = i == 0 ? f : gt_team_leads(m->be) ? &m->q->scan[i].r->found : &p->own;
	if (i && j->team) {
		p->j.team = &m->q->scan[i].shared;
		p->j.on.log = gt_rank(m->be) ? (gt_listener){ NULL, NULL } : p->j.on.log;
	}
}

/* Checks that the split of the first scan suits all scans. */
static gt_status check_split(const gt_split_spec *split, const gt_recon_job *j, const gt_recon_extent *e, const gt_backend *be)
{
	const gt_split_spec asked = { GT_SPLIT_GRID, split->slabs, split->blocks };
	gt_split_spec chosen;
	gt_model_case c;
	const gt_status st = gt_recon_model_case(j, e, be, &c);
	return st == GT_OK ? gt_fail_in(gt_split_choose(&asked, (size_t)gt_ranks(be), &c, &chosen), "%s", j->name) : st;
}

static gt_status new_subsets(const gt_recon_job *first, const rank_part *p, const gt_recon_extent *e, gt_backend *be, gt_subsets *s)
{
	const gt_recon_job *j = &p->j;
	const gt_team_problem q = { j->chosen.projector, j->chosen.type, &e->grid, e->p.scan, e->p.data, p->w, p->f->subsets };
	if (!first->team)
		return gt_subsets_new(q.projector, be, q.type, q.grid, q.scan, q.data, q.weights, q.subsets, s);
	return gt_team_subsets_new(&first->team->split, be, &q, s);
}

static gt_status prepare_part(rank *m, const gt_recon_job *first, size_t i)
{
	rank_part *p = &m->part[i];
	const gt_recon_job *j = &p->j;
	const gt_recon_extent *e = &m->q->scan[i].e;
	gt_recon_fraction *fraction = &m->part[0].f->fraction; /* callbacks are the first scan's */
	const size_t voxels = gt_grid_voxels(&e->grid);
	gt_status st = GT_OK;
	GT_TRY(gt_recon_count_subsets(&first->chosen.method, e->p.scan, &p->f->subsets));
	if (p->f->subsets != m->part[0].f->subsets)
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: has %zu subsets, %s has %zu: expected the same number", j->name, p->f->subsets, first->name,
		               m->part[0].f->subsets));
	if (first->team)
		GT_TRY(check_split(&first->team->split, j, e, m->be));
	GT_TRY(gt_array_part(m->x, i * voxels, voxels, &p->x));
	GT_TRY(gt_recon_weights(j, e, m->be, &p->w, p->f));
	fraction->start = i;
	fraction->starts = m->q->scans;
	GT_TRY(gt_recon_begin(j, e, p->x, fraction, &p->f->start));
	GT_TRY(new_subsets(first, p, e, m->be, &p->s));
	p->f->run.data_norm = gt_subsets_norm(&p->s);
done:
	return st;
}

/* Parameters in HU refer to the first scan's water. */
static gt_status make_penalty(rank *m, const gt_recon_job *j)
{
	const size_t scans = m->q->scans;
	char *spec = gt_penalty_spec_of_water(j->chosen.penalty->spec, j->chosen.water);
	gt_status st = spec ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(gt_regularizer_new_joint(spec, m->be, j->chosen.type, &m->q->scan[0].e.grid, scans, &m->R));
	for (size_t i = 0; i < scans && st == GT_OK; i++) {
		gt_recon_found *f = m->part[i].f;
		f->penalty = strdup(spec);
		st = f->penalty ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	}
done:
	free(spec);
	return st;
}

/* Returns the projector that all scans share, else the list of all projectors. */
static char *projectors_of(const gt_joint *q)
{
	char *all = gt_projector_text(q->scan[0].r->job.chosen.projector);
	int unlike = 0;
	for (size_t i = 1; i < q->scans; i++)
		unlike |= strcmp(q->scan[i].r->job.chosen.projector, q->scan[0].r->job.chosen.projector) != 0;
	for (size_t i = 1; i < q->scans && unlike && all; i++) {
		char *one = gt_projector_text(q->scan[i].r->job.chosen.projector), *more = one ? gt_text("%s %s", all, one) : NULL;
		free(one);
		free(all);
		all = more;
	}
	return all;
}

/* Replaces the subsets of the scans by common ones, which borrow their operators. */
static gt_status join_parts(rank *m)
{
	const size_t scans = m->q->scans;
	gt_subsets *s = malloc(scans * sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < scans; i++)
		s[i] = m->part[i].s;
	const gt_status st = gt_joint_subsets_new(s, scans, &m->all);
	free(s);
	return st;
}

static gt_status open_checkpoint(const rank *m, const gt_recon_job *j)
{
	const size_t scans = m->q->scans;
	gt_run_scan *scan = calloc(scans, sizeof *scan);
	if (!scan)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < scans; i++) {
		const rank_part *p = &m->part[i];
		scan[i] = (gt_run_scan){ &m->q->scan[i].e.p, p->w, p->f->weights, p->f->start };
	}
	const gt_status st = gt_recon_open_checkpoint(j, projectors_of(m->q), &m->q->scan[0].e.grid, scan, scans, m->be, m->part[0].f);
	free(scan);
	return st;
}

static gt_status solve(rank *m, const gt_recon_job *j)
{
	const gt_solver *solver = j->chosen.method.solver;
	const gt_grid *g = &m->q->scan[0].e.grid;
	gt_recon_found *f = m->part[0].f;
	double squares = 0;
	gt_status st = GT_OK;
	const gt_problem problem = { .subsets = m->all.subsets,
		                     .A = m->all.A,
		                     .b = m->all.b,
		                     .w = m->all.w,
		                     .R = m->R,
		                     .n = { g->n[0], g->n[1], m->q->scans * g->n[2] },
		                     .lo = solver->nonneg && solver->nonneg(j->chosen.method.options) ? 0 : -INFINITY,
		                     .hi = INFINITY };
	for (size_t i = 0; i < m->q->scans; i++)
		squares += pow(m->part[i].f->run.data_norm, 2);
	f->run.data_norm = sqrt(squares);
	f->run.rule = j->chosen.stop;
	f->run.rule.change *= j->chosen.stop.change_in_hu ? j->chosen.water / GT_MU_WATER : 1;
	GT_TRY(open_checkpoint(m, j));
	GT_TRY(gt_recon_solve(j, &m->q->scan[0].e, &problem, m->x, f));
done:
	gt_recon_close_checkpoint(f);
	return st;
}

static void release(rank *m)
{
	gt_penalty_free(m->R);
	gt_subsets_free(&m->all);
	for (size_t i = 0; m->part && i < m->q->scans; i++) {
		rank_part *p = &m->part[i];
		gt_subsets_free(&p->s);
		gt_array_free(p->x);
		gt_recon_found_free(&p->own);
		if (!p->j.team)
			free(p->w);
	}
	gt_array_free(m->x);
	free(m->part);
}

gt_status gt_joint_rank(const gt_recon_job *j, gt_backend *be, const gt_recon_extent *e, void *to, gt_recon_found *f)
{
	rank m = { .q = to, .be = be };
	gt_counters count;
	const double start = gt_seconds();
	gt_status st = GT_OK;
	gt_recon_fraction_open(&f->fraction, j, be);
	GT_TRY(gt_recon_settle_kernels(j, be, &m.kernels));
	if (!(m.part = calloc(m.q->scans, sizeof *m.part)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t i = 0; i < m.q->scans; i++)
		begin_part(&m, j, f, i);
	if (j->team && !j->with.reproducible)
		GT_TRY(gt_team_balance(j, be, e, &j->team->split));
	GT_TRY(gt_joint_volumes_new(be, j->chosen.type, &e->grid, m.q->scans, &m.x));
	for (size_t i = 0; i < m.q->scans; i++)
		GT_TRY(prepare_part(&m, j, i));
	GT_TRY(join_parts(&m));
	GT_TRY(make_penalty(&m, j));
	GT_TRY(solve(&m, j));
	GT_TRY(gt_recon_cancelled(j, &f->fraction, GT_OK));
	for (size_t i = 0; i < m.q->scans; i++)
		GT_TRY(gt_recon_get_slices(m.part[i].x, &m.q->scan[i].e, m.q->scan[i].v->data));
	GT_TRY(gt_backend_status(be));
	GT_TRY(gt_backend_counters(be, &count));
	f->device_peak = (double)count.peak_bytes;
	f->seconds = gt_seconds() - start;
done:
	st = st == GT_OK ? GT_OK : gt_recon_cancelled(j, &f->fraction, st);
	gt_backend_poll(be, NULL, NULL);
	gt_recon_forget_kernels(m.kernels);
	release(&m);
	return st;
}
