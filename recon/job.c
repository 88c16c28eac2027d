/* Callbacks of a run: progress and remaining time of an iteration, or of a direct method. */
#include <math.h>
#include <string.h>
#include "core/clock.h"
#include "core/device/backend.h"
#include "recon/modules.h"
#include "recon/recon.h"

static const double report_every = 0.1; /* s */

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
	p.text = w->job->method.solver ? "start" : NULL;
	return p;
}

/* Polled by the backend; returns 1 to stop. */
static int ask(void *self)
{
	gt_recon_fraction *w = self;
	const gt_recon_job *j = w->job;
	const double now = gt_seconds();
	if (j->cancel && j->cancel(j->cancel_self))
		return 1;
	if (!w->be || now - w->reported < report_every || !(w->direct || w->iterations))
		return 0;
	w->reported = now;
	const gt_recon_progress p = w->direct ? of_direct(w) : of_iterations(w, now);
	w->stop |= j->each(j->each_self, &p) != 0;
	return w->direct && w->stop;
}

void gt_recon_fraction_open(gt_recon_fraction *w, const gt_recon_job *j, gt_backend *be)
{
	*w = (gt_recon_fraction){ .job = j, .be = j->each && !gt_backend_is_gpu(be) ? be : NULL, .reported = gt_seconds() };
	if (w->be || j->cancel)
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
	w->iterations = iterations_of(&w->job->method);
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

void gt_recon_on_message(gt_recon *r, void (*say)(void *self, const gt_message *m), void *self)
{
	if (gt_is_recon(r))
		r->job.log = r->log = (gt_listener){ say, self };
}

void gt_recon_on_progress(gt_recon *r, int (*each)(void *self, const gt_recon_progress *p), void *self)
{
	if (!gt_is_recon(r))
		return;
	r->job.each = r->each = each;
	r->job.each_self = r->each_self = self;
}

void gt_recon_on_cancel(gt_recon *r, int (*cancel)(void *self), void *self)
{
	if (!gt_is_recon(r))
		return;
	r->job.cancel = r->cancel = cancel;
	r->job.cancel_self = r->cancel_self = self;
}

void gt_recon_on_slices(gt_recon *r, double seconds, void (*take)(void *self, const gt_recon_slices *s), void *self)
{
	if (!gt_is_recon(r))
		return;
	r->job.take = r->take = take;
	r->job.take_self = r->take_self = self;
	r->job.take_every = r->take_every = seconds;
}
