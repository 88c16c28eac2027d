/* Runs an iterative method: weights, start, operators, penalty, solver. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/recon.h>
#include "core/device/backend.h"
#include "core/device/shared_limit.h"
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/outside/subtract.h"
#include "recon/projector_spec.h"
#include "recon/team/team_run.h"
#include "recon/penalty/penalty_from_spec.h"
#include "team/team.h"

/* The self of the solver's callbacks. */
typedef struct {
	const gt_recon_job *j;
	const gt_recon_extent *e;
	gt_recon_found *f;
} teller;

/* For gt_recon_result(); without memory the history lacks the later costs. */
static void remember_cost(gt_recon_found *f, double cost)
{
	if (f->costs == f->costs_max) {
		const size_t max = f->costs_max ? 2 * f->costs_max : 64;
		double *more = realloc(f->cost, max * sizeof *more);
		if (!more)
			return;
		f->cost = more;
		f->costs_max = max;
	}
	f->cost[f->costs++] = cost;
}

/* Line `line` of a slice across the axis: values of x, and their place in the slice. */
static gt_array_rows line_of(const gt_recon_extent *e, int axis, size_t line, size_t *to)
{
	const size_t *n = e->asked->n, row = e->grid.n[0], plane = row * e->grid.n[1], middle = n[axis] / 2;
	const size_t base = e->below * plane + e->left[1] * row + e->left[0];
	const size_t common[2] = { n[0] < row ? n[0] : row, n[1] < e->grid.n[1] ? n[1] : e->grid.n[1] };
	*to = axis == 2 ? (e->cut[1] + line) * n[0] + e->cut[0] : line * n[!axis ? 1 : 0] + e->cut[!axis ? 1 : 0];
	if (axis == 2)
		return (gt_array_rows){ base + middle * plane + line * row, common[0], 1, row };
	if (middle < e->cut[axis] || middle - e->cut[axis] >= common[axis])
		return (gt_array_rows){ 0, 0, 0, 0 };
	return axis ? (gt_array_rows){ base + line * plane + (middle - e->cut[1]) * row, common[0], 1, row }
	            : (gt_array_rows){ base + line * plane + middle - e->cut[0], 1, common[1], row };
}

/* A slice of the requested grid through its centre. Voxels that x lacks are 0. NULL without memory: the slices are then
 * not reported. */
static float *slice_of(const gt_array *x, const gt_recon_extent *e, int axis)
{
	const size_t *n = e->asked->n, lines = axis < 2 ? n[2] : n[1] < e->grid.n[1] ? n[1] : e->grid.n[1];
	float *host = calloc((axis ? n[0] : n[1]) * (axis < 2 ? n[2] : n[1]), sizeof *host);
	gt_status st = host ? GT_OK : GT_ERR_MEMORY;
	for (size_t line = 0; line < lines && st == GT_OK; line++) {
		size_t to;
		const gt_array_rows some = line_of(e, axis, line, &to);
		if (some.rows)
			st = gt_array_get_rows(x, &some, host + to);
	}
	if (st == GT_OK)
		return host;
	free(host);
	return NULL;
}

/* Reports slices if the interval has passed. */
static void take_slices(const gt_recon_job *j, const gt_recon_extent *e, const gt_progress *g, double seconds, gt_recon_found *f)
{
	gt_recon_slices s = {
		.size = sizeof s, .grid = e->asked, .iteration = g->iteration, .water = j->chosen.water, .index = { 0, 0, 0 }
	};
	float *host[3] = { NULL, NULL, NULL };
	if (!j->on.take || !g->x || j->team)
		return;
	if (f->taken > 0 && seconds - f->taken < j->on.take_every && g->iteration < g->iterations)
		return;
	f->taken = seconds > 0 ? seconds : 1e-9;
	for (int a = 0; a < 3; a++) {
		s.index[a] = e->asked->n[a] / 2;
		s.slice[a] = host[a] = slice_of(g->x, e, a);
	}
	if (host[0] && host[1] && host[2])
		j->on.take(j->on.take_self, &s);
	for (int a = 0; a < 3; a++)
		free(host[a]);
}

static void each_iteration(void *self, const gt_progress *g, double seconds)
{
	const teller *t = self;
	gt_recon_progress p = gt_recon_progress_of(t->j, GT_RECON_ITERATION);
	p.done = g->iterations > 0 ? (double)g->iteration / g->iterations : 1;
	p.iteration = g->iteration;
	p.iterations = g->iterations;
	p.resumed = t->f->run.resumed;
	p.seconds = seconds;
	p.cost = g->cost;
	p.data = g->data;
	p.penalty = g->penalty;
	p.gradient = g->gradient;
	p.residual = g->residual / t->f->run.data_norm;
	p.change = g->change;
	remember_cost(t->f, g->cost);
	take_slices(t->j, t->e, g, seconds, t->f);
	gt_recon_fraction_step(&t->f->fraction, g->iteration, g->iterations);
	/* Report the end of the iteration even if a callback asked to stop during it. */
	const int answer = t->j->on.each ? t->j->on.each(t->j->on.each_self, &p) : 0;
	t->f->asked_to_stop = t->f->fraction.stop || answer;
}

static int asked_to_stop(void *self)
{
	const teller *t = self;
	return t->f->asked_to_stop;
}

static void ready(void *self, int done)
{
	const teller *t = self;
	gt_choice_report(&t->j->on.log);
	gt_recon_fraction_ready(&t->f->fraction, done);
}

static void saving(void *self, int begins)
{
	const teller *t = self;
	gt_recon_report(t->j, GT_RECON_SAVES, begins ? 0 : 1, NULL);
}

gt_status gt_recon_open_checkpoint(const gt_recon_job *j, char *projector, const gt_grid *grid, const gt_run_scan *scan, size_t scans,
                                   gt_backend *be, gt_recon_found *f)
{
	const char *outside = gt_outside_is_active(&j->chosen.outside) ? gt_outside_names[j->chosen.outside.mode] : NULL;
	const gt_run_identity run = { &j->on.log,
		                      j->chosen.type,
		                      j->chosen.command ? j->chosen.command : "",
		                      &j->chosen.method,
		                      scan,
		                      scans,
		                      grid,
		                      projector,
		                      f->penalty,
		                      f->backend,
		                      outside };
	f->run.checkpoint = (gt_checkpointing){ .spec = j->chosen.checkpoint, .resume = j->chosen.resume };
	gt_team_lock(be);
	const gt_status st = projector ? gt_checkpointing_open(&f->run.checkpoint, &run) : gt_fail(GT_ERR_MEMORY, "out of memory");
	gt_team_unlock(be);
	free(projector);
	return st;
}

void gt_recon_close_checkpoint(gt_recon_found *f)
{
	free(f->unsaved);
	f->unsaved = f->run.checkpoint.failed;
	f->run.checkpoint.failed = NULL;
	gt_checkpointing_free(&f->run.checkpoint);
	f->run.checkpoint = (gt_checkpointing){ .spec = NULL };
}

/* Ranks read in sequence. */
static gt_status recorded_penalty(const char *path, gt_backend *be, char **text)
{
	gt_team_lock(be);
	const gt_status st = gt_checkpointing_penalty(path, text);
	gt_team_unlock(be);
	return st;
}

/* prior: complete except for the penalty that a checkpoint records. */
static gt_status new_penalty(const gt_recon_job *j, gt_penalty_problem prior, gt_penalty **R, char **text)
{
	char *recorded = NULL;
	gt_status st = GT_OK;
	if (!j->chosen.penalty)
		return GT_OK;
	if (j->chosen.resume)
		GT_TRY(recorded_penalty(j->chosen.resume, gt_array_backend(prior.x), &recorded));
	prior.recorded = recorded;
	GT_TRY(gt_penalty_from_spec(&j->on.log, j->chosen.penalty, &prior, R, text));
done:
	free(recorded);
	return st;
}

gt_status gt_recon_solve(const gt_recon_job *j, const gt_recon_extent *e, const gt_problem *problem, gt_array *x, gt_recon_found *f)
{
	teller t = { j, e, f };
	gt_recon_mark(j, "iterations");
	if (!j->how->computes)
		return gt_run_solve(&f->run, j->chosen.method.solver, problem, j->chosen.method.options, x);
	f->run.each = each_iteration;
	f->run.stop = asked_to_stop;
	f->run.saving = saving;
	f->run.ready = ready;
	f->run.self = &t;
	if (gt_recon_report(j, GT_RECON_BEGINS, 0, NULL))
		return gt_fail(GT_STOPPED, "stopped before the first iteration");
	gt_recon_fraction_start(&f->fraction, problem->subsets);
	const gt_status st = gt_run_solve(&f->run, j->chosen.method.solver, problem, j->chosen.method.options, x);
	gt_recon_fraction_end(&f->fraction);
	gt_recon_report(j, GT_RECON_ENDS, 1, NULL);
	return st;
}

gt_stream_problem gt_recon_stream_problem(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *host, size_t subsets)
{
	return (gt_stream_problem){ &j->on.log,
		                    gt_recon_streams(j),
		                    j->with.device_limit,
		                    host,
		                    j->chosen.type,
		                    j->chosen.projector,
		                    &e->grid,
		                    e->p.scan,
		                    subsets,
		                    0,
		                    0 };
}

static gt_status new_subsets(const gt_recon_job *j, const gt_recon_extent *e, const float *w, gt_array *x, gt_subsets *s,
                             gt_stream **stream)
{
	gt_backend *be = gt_array_backend(x);
	const float *data = e->p.data;
	size_t subsets;
	const gt_status st = gt_recon_count_subsets(&j->chosen.method, e->p.scan, &subsets);
	if (st != GT_OK)
		return st;
	if (gt_recon_streams(j)) {
		const gt_stream_problem q = gt_recon_stream_problem(j, e, be, subsets);
		return gt_stream_subsets(&q, data, w, s, stream);
	}
	if (!j->team)
		return gt_subsets_new(j->chosen.projector, be, gt_array_type(x), &e->grid, e->p.scan, data, w, subsets, s);
	const gt_team_problem q = { j->chosen.projector, gt_array_type(x), &e->grid, e->p.scan, data, w, subsets };
	return gt_team_subsets_new(&j->team->split, be, &q, s);
}

void gt_recon_report_left(const gt_listener *log)
{
	if (*gt_shared_left())
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "slower kernels run because a thread block has too little shared memory: %s",
		          gt_shared_left());
}

/* 1: the start is the volume of an analytic method. */
static int is_started_directly(const gt_recon_found *f) { return f->start && gt_analytic_find(f->start) != NULL; }

/* Iterates on x, which holds the start. w: weights; NULL: 1. */
static gt_status iterate(const gt_recon_job *j, const gt_recon_extent *e, const float *w, gt_array *x, gt_recon_found *f)
{
	const gt_solver *solver = j->chosen.method.solver;
	const gt_scan *scan = e->p.scan;
	gt_backend *be = gt_array_backend(x);
	gt_subsets s = { 0 };
	gt_stream *stream = NULL;
	gt_penalty *R = NULL;
	gt_status st = GT_OK;
	gt_notify(&j->on.log, GT_INFO, GT_ABOUT_STEP, "preparing %zu subset%s of %zu view%s, weights %s ...", f->subsets,
	          f->subsets == 1 ? "" : "s", scan->views, scan->views == 1 ? "" : "s", f->weights);
	gt_shared_left_forget();
	gt_choice_report(NULL); /* forgets the note of an earlier solver */
	gt_recon_mark(j, "operators and data of the subsets");
	gt_kept_tables_use(gt_backend_is_gpu(be) ? j->kept : NULL, !j->how->computes);
	GT_TRY(new_subsets(j, e, w, x, &s, &stream));
	gt_kept_tables_use(NULL, 0);
	gt_recon_report_left(&j->on.log);
	gt_memory_estimate_subsets(f->plan, be, &s, w != NULL, scan);
	f->run.data_norm = gt_subsets_norm(&s); /* all ranks have their operators */
	if (j->how->computes)
		gt_kept_tables_clear(j->kept);
	GT_TRY(gt_outside_subtract(j, e, be, stream, &s));
	const gt_method *direct = is_started_directly(f) ? &j->chosen.method : NULL;
	/* clang-format off */
	const gt_penalty_problem prior = { j->chosen.projector, &e->grid, &e->p, &j->chosen.weights, w, &s, x, j->chosen.water,
		                           NULL, e->below, e->asked->n[2], stream, e, direct, f->noise };
	/* clang-format on */
	gt_recon_mark(j, "penalty");
	GT_TRY(new_penalty(j, prior, &R, &f->penalty));
	const gt_problem problem = { .subsets = f->subsets,
		                     .A = s.A,
		                     .b = s.b,
		                     .w = s.w,
		                     .R = R,
		                     .n = { e->grid.n[0], e->grid.n[1], e->grid.n[2] },
		                     .hi = INFINITY,
		                     .lo = solver->nonneg && solver->nonneg(j->chosen.method.options) ? 0 : -INFINITY };
	gt_memory_estimate_penalty(f->plan, x, &e->grid, j->chosen.penalty);
	f->run.rule = j->chosen.stop;
	f->run.rule.change *= j->chosen.stop.change_in_hu ? j->chosen.water / GT_MU_WATER : 1;
	const gt_run_scan run = { &e->p, w, f->weights, f->start };
	if (j->how->computes)
		GT_TRY(gt_recon_open_checkpoint(j, gt_projector_text(j->chosen.projector), &e->grid, &run, 1, be, f));
	GT_TRY(gt_recon_solve(j, e, &problem, x, f));
	gt_memory_estimate_solved(f->plan, be, f->run.iterating_bytes, f->run.best_bytes, f->run.moved);
	if (f->run.reason)
		gt_notify(&j->on.log, GT_INFO, GT_ABOUT_STEP, "ended after %d of %d iterations: %s", f->run.iterations, f->run.max,
		          f->run.reason);
done:
	gt_kept_tables_use(NULL, 0);
	gt_recon_close_checkpoint(f);
	gt_subsets_free(&s);
	gt_penalty_free(R);
	gt_stream_free(stream);
	return st;
}

/* Makes weights and the start, together if the start waits for a GPU. */
static gt_status prepare(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, float **w, gt_recon_found *f)
{
	gt_backend *be = gt_array_backend(x);
	struct gt_weights_thread *thread = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_recon_weights_begin(j, e, be, w, f, &thread));
	gt_recon_mark(j, "start image");
	const gt_status begun = gt_recon_begin(j, e, x, &f->fraction, &f->start);
	if (thread)
		gt_recon_mark(j, "weights");
	GT_TRY(gt_recon_weights_end(j, thread, w, f));
	GT_TRY(begun);
	GT_TRY(gt_recon_weights_take(j, be, w, f));
done:
	return st;
}

gt_status gt_recon_iterate(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, gt_recon_found *f)
{
	gt_backend *be = gt_array_backend(x);
	gt_soft_parts soft = { 0, NULL };
	float *w = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_recon_count_subsets(&j->chosen.method, e->p.scan, &f->subsets));
	GT_TRY(prepare(j, e, x, &w, f));
	/* in laminography direct methods lack a part of the mean */
	const int is_direct = j->how->computes && is_started_directly(f) && !gt_scan_is_laminography(e->p.scan);
	if (is_direct)
		GT_TRY(gt_soft_parts_keep(e, x, j->chosen.water, &soft));
	gt_memory_estimate_started(f->plan, be);
	GT_TRY(iterate(j, e, w, x, f));
	if (is_direct && !f->run.diverged) {
		GT_TRY(gt_soft_parts_compare(e, x, &soft, &f->agreement));
		gt_recon_report_agreement(j, f);
	}
done:
	gt_soft_parts_free(&soft);
	if (!j->team)
		free(w);
	return st;
}
