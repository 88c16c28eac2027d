/* State of a run: strategies, progress and remaining time, callbacks, and what the next call must not reuse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/clock.h"
#include "core/device/backend.h"
#include "core/log.h"
#include "recon/modules.h"
#include "recon/recon.h"
#include "recon/team/team_run.h"

static const double report_every = 0.1; /* s */

const gt_recon_strategy gt_recon_computing = { 1, 0, 1 };
const gt_recon_strategy gt_recon_planning = { 0, 1, 1 };
const gt_recon_strategy gt_recon_estimating = { 0, 0, 0 };

void gt_recon_found_free(gt_recon_found *f)
{
	free(f->start);
	free(f->weights);
	gt_noise_free(f->noise);
	free(f->penalty);
	free(f->cost);
	free(f->unsaved);
	free(f->ranks);
	free(f->splits);
	*f = (gt_recon_found){ .run.residual = NAN };
}

gt_recon_progress gt_recon_progress_of(const gt_recon_job *j, gt_recon_phase phase)
{
	return (gt_recon_progress){ .size = sizeof(gt_recon_progress),
		                    .phase = phase,
		                    .seconds = NAN,
		                    .cost = NAN,
		                    .data = NAN,
		                    .penalty = NAN,
		                    .gradient = NAN,
		                    .residual = NAN,
		                    .change = NAN,
		                    .fraction = NAN,
		                    .left = NAN,
		                    .water = j->chosen.water,
		                    .water_known = j->chosen.water_known };
}

int gt_recon_report(const gt_recon_job *j, gt_recon_phase phase, double done, const char *text)
{
	gt_recon_progress p = gt_recon_progress_of(j, phase);
	p.done = done;
	p.text = text;
	return j->on.each ? j->on.each(j->on.each_self, &p) : 0;
}

void gt_recon_mark(const gt_recon_job *j, const char *name)
{
	if (j->how->computes)
		gt_mark_stage(name);
}

gt_status gt_recon_count_subsets(const gt_method *m, const gt_scan *scan, size_t *subsets)
{
	*subsets = 1;
	return m->solver && m->solver->subsets ? m->solver->subsets(m->options, scan->views, subsets) : GT_OK;
}

gt_status gt_recon_model_case(const gt_recon_job *j, const gt_recon_extent *e, const gt_backend *be, gt_model_case *c)
{
	*c = (gt_model_case){ .grid = &e->grid,
		              .scan = j->chosen.method.analytic ? e->all->scan : e->p.scan,
		              .penalty = j->chosen.penalty ? j->chosen.penalty->spec : NULL,
		              .direct = j->chosen.method.analytic != NULL,
		              .on_cpu = !gt_backend_is_gpu(be),
		              .threads = gt_pool_threads(gt_backend_pool(be)),
		              .element = gt_type_size(j->chosen.type) };
	return gt_recon_count_subsets(&j->chosen.method, c->scan, &c->subsets);
}

const char *gt_recon_streams(const gt_recon_job *j) { return gt_stream_device(j->with.backend); }

int gt_recon_is_mpi(const gt_recon_job *j) { return j->with.backend && !strncmp(j->with.backend, "mpi", 3); }
int gt_recon_is_team(const gt_recon_job *j) { return j->with.reproducible || gt_team_is_spec(j->with.backend); }

/* Progress ------------------------------------------------------------------------- */

/* Returns the solver's parameter `iterations`; 0 if it has none. */
static int iterations_of(const gt_method *m)
{
	for (const gt_param *p = m->solver ? m->solver->params : NULL; p && p->key; p++)
		if (p->kind == GT_INT && !strcmp(p->key, "iterations"))
			return *(const int *)((const char *)m->options + p->at);
	return 0;
}

/* An iteration with more passes than expected neither exceeds 1 nor goes back. */
static double part_of_iteration(const gt_recon_fraction *w, double passes) { return passes / fmax(w->each, floor(passes) + 1); }

static gt_recon_progress of_iterations(gt_recon_fraction *w, double now)
{
	gt_recon_progress p = gt_recon_progress_of(w->job, GT_RECON_FRACTION);
	const double passes = gt_backend_passes(w->be), in = w->ready ? passes - w->passes : 0, made = passes - w->first;
	p.iteration = w->iteration;
	p.iterations = w->iterations;
	p.seconds = now - w->began;
	p.resumed = w->resumed;
	if (w->ready)
		p.fraction = w->fraction = fmax(w->fraction, part_of_iteration(w, in));
	p.done = (w->iteration + (w->ready ? p.fraction : 0)) / w->iterations;
	if (made > 0)
		p.left = p.seconds / made * fmax(0, (w->iterations - w->iteration) * w->each - in);
	return p;
}

static gt_recon_progress of_direct(const gt_recon_fraction *w)
{
	gt_recon_progress p = gt_recon_progress_of(w->job, GT_RECON_FRACTION);
	p.done = ((double)w->start + gt_backend_part(w->be)) / (double)(w->starts ? w->starts : 1);
	p.text = w->job->chosen.method.solver ? "start" : NULL;
	return p;
}

static int is_cancelled(const gt_recon_job *j, gt_recon_fraction *w)
{
	if (j->on.cancel && j->on.cancel(j->on.cancel_self))
		w->is_cancelled = 1;
	return w->is_cancelled;
}

gt_status gt_recon_cancelled(const gt_recon_job *j, gt_recon_fraction *w, gt_status st)
{
	const int may_follow = st == GT_OK || st == GT_ERR_ARG || st == GT_ERR_DIVERGED;
	return may_follow && is_cancelled(j, w) ? gt_fail(GT_STOPPED, "stopped, as the caller requested") : st;
}

/* Polled by the backend; returns 1 to stop. */
static int ask(void *self)
{
	gt_recon_fraction *w = self;
	const gt_recon_job *j = w->job;
	const double now = gt_seconds();
	if (is_cancelled(j, w))
		return 1;
	if (!w->be || now - w->reported < report_every || !(w->direct || w->iterations))
		return 0;
	w->reported = now;
	const gt_recon_progress p = w->direct ? of_direct(w) : of_iterations(w, now);
	w->stop |= j->on.each(j->on.each_self, &p) != 0;
	return w->direct && w->stop;
}

void gt_recon_fraction_open(gt_recon_fraction *w, const gt_recon_job *j, gt_backend *be)
{
	*w = (gt_recon_fraction){ .job = j, .be = j->on.each && !gt_backend_is_gpu(be) ? be : NULL, .reported = gt_seconds() };
	if (w->be || j->on.cancel)
		gt_backend_poll(be, ask, w);
}

void gt_recon_fraction_direct(gt_recon_fraction *w, int begins)
{
	w->direct = begins;
	if (begins && w->be) /* resets the progress of an earlier start */
		gt_backend_poll(w->be, ask, w);
}

void gt_recon_fraction_start(gt_recon_fraction *w, size_t subsets)
{
	if (!w->be)
		return;
	w->iterations = iterations_of(&w->job->chosen.method);
	w->each = 2 * (double)subsets;
	w->passes = w->first = gt_backend_passes(w->be);
	w->began = gt_seconds();
}

void gt_recon_fraction_ready(gt_recon_fraction *w, int done)
{
	if (!w->be)
		return;
	w->ready = 1;
	w->iteration = w->resumed = done;
	w->fraction = 0;
	w->passes = gt_backend_passes(w->be);
}

void gt_recon_fraction_step(gt_recon_fraction *w, int done, int max)
{
	if (!w->be)
		return;
	const double passes = gt_backend_passes(w->be);
	w->each = fmax(1, passes - w->passes);
	w->passes = passes;
	w->fraction = 0;
	w->iteration = done;
	w->iterations = max;
	w->reported = gt_seconds();
}

void gt_recon_fraction_end(gt_recon_fraction *w) { w->iterations = 0; }

/* Calls ---------------------------------------------------------------------------- */

gt_status gt_recon_check_is(const char *function, const gt_recon *r)
{
	return gt_is_recon(r) ? GT_OK
	                      : gt_fail(GT_ERR_ARG, "%s: %s", function, r ? "expected a gt_recon, found something else" : "r is NULL");
}

gt_status gt_recon_check_idle(const char *function, const gt_recon *r)
{
	const gt_status st = gt_recon_check_is(function, r);
	if (st == GT_OK && r->is_busy)
		return gt_fail(GT_ERR_ARG, "%s: called from a callback of the same gt_recon: expected a call after that one returned",
		               function);
	return st;
}

void gt_recon_drop_kept(gt_recon *r)
{
	gt_kept_tables_free(r->job.kept);
	r->job.kept = NULL;
}

void gt_recon_undecide(gt_recon *r)
{
	gt_recon_drop_kept(r);
	gt_method_free(&r->method);
	gt_penalty_spec_free(&r->penalty);
	free(r->penalty_text);
	free(r->streamed);
	r->streamed = NULL;
	gt_projections_free(r->owned);
	r->method = (gt_method){ 0 };
	r->owned = NULL;
	r->penalty_text = NULL;
	r->is_chosen = r->by_slabs = 0;
}

void gt_recon_forget(gt_recon *r)
{
	gt_recon_found_free(&r->found);
	free(r->parameters);
	r->parameters = NULL;
	r->slabs = (gt_slab_result){ .whole = 0 };
	r->has_run = 0;
}

/* Callbacks may change after the choice, and within a run. */
void gt_recon_on_message(gt_recon *r, void (*say)(void *self, const gt_message *m), void *self)
{
	if (!gt_is_recon(r))
		return;
	r->on.log = (gt_listener){ say, self };
	r->job.on = r->on;
}

void gt_recon_on_progress(gt_recon *r, int (*each)(void *self, const gt_recon_progress *p), void *self)
{
	if (!gt_is_recon(r))
		return;
	r->on.each = each;
	r->on.each_self = self;
	r->job.on = r->on;
}

void gt_recon_on_cancel(gt_recon *r, int (*cancel)(void *self), void *self)
{
	if (!gt_is_recon(r))
		return;
	r->on.cancel = cancel;
	r->on.cancel_self = self;
	r->job.on = r->on;
}

void gt_recon_on_slices(gt_recon *r, double seconds, void (*take)(void *self, const gt_recon_slices *s), void *self)
{
	if (!gt_is_recon(r))
		return;
	r->on.take = take;
	r->on.take_self = self;
	r->on.take_every = seconds;
	r->job.on = r->on;
}
