#include <math.h>
#include <signal.h>
#include <string.h>
#include "apps/cli/cli.h"
#include "recon/stopping.h"

#define AT(field) offsetof(gt_stop_rule, field)
static const gt_param reasons[] = {
	{ .key = "change", .help = "root mean square change of an iteration", .kind = GT_MU, .at = AT(change), .least = 0, .most = 1e6 },
	{ .key = "gradient", .help = "of the cost, as a part of its first", .kind = GT_REAL, .at = AT(gradient), .least = 0, .most = 1 },
	{ .key = "seconds", .help = "since the first iteration began", .kind = GT_REAL, .at = AT(seconds), .least = 0, .most = 1e9 },
	{ .key = NULL },
};

gt_status gt_stop_rule_parse(const char *spec, gt_stop_rule *s)
{
	*s = (gt_stop_rule){ 0, 0, 0 };
	return gt_fail_in(gt_params_parse(reasons, spec, s), "--stop");
}

static volatile sig_atomic_t interrupted, saving;
static void on_interrupt(int number)
{
	if (interrupted && !saving)
		cli_interrupt(number);
	interrupted = number;
}

static void log_iteration(gt_watch *w, const gt_progress *g, double seconds)
{
	const double row[RUNLOG_COLUMNS] = { g->iteration,
		                             seconds,
		                             g->cost,
		                             g->data,
		                             g->penalty,
		                             g->gradient,
		                             g->residual / w->progress.data_norm,
		                             1000 * g->change / w->progress.water };
	app_runlog_add(&w->log, row);
}

static const char *reason_of(gt_watch *w, const gt_progress *g, double seconds)
{
	if (isnan(w->first_gradient))
		w->first_gradient = g->gradient;
	return interrupted                                                                   ? "interrupted"
	       : g->change < w->stop.change * g->share                                       ? "small change"
	       : w->stop.gradient > 0 && g->gradient <= w->stop.gradient * w->first_gradient ? "small gradient"
	       : w->stop.seconds > 0 && seconds >= w->stop.seconds                           ? "time"
	                                                                                     : NULL;
}

/* What the reasons to stop depend on, beside what the solver keeps. */
static void list_own(gt_watch *w, int with_image, gt_state_entry own[GT_RECON_STATE + 1])
{
	own[0] = (gt_state_entry){ "first_gradient", NULL, &w->first_gradient };
	gt_divergence_list(&w->guard, with_image, own + 1);
}

/* The best image is not saved a second time where it is x. */
static void save(gt_watch *w, const gt_progress *g, int end)
{
	gt_state_entry own[GT_RECON_STATE + 1];
	list_own(w, w->guard.best && w->guard.best_iteration < g->iteration, own);
	saving = 1;
	gt_checkpointing_save(&w->checkpoint, g, own, end);
	saving = 0;
}

static gt_status resume(void *self, const gt_state_entry *kept, int *done)
{
	gt_watch *w = self;
	gt_state_entry own[GT_RECON_STATE + 1];
	const int has_best = gt_checkpointing_has(&w->checkpoint, GT_DIVERGENCE_BEST);
	list_own(w, has_best, own);
	const gt_status st = gt_checkpointing_resume(&w->checkpoint, kept, own, done);
	w->iterations = w->most = w->progress.resumed = *done;
	for (; st == GT_OK && *done && !has_best && w->guard.best && kept->name; kept++)
		if (!strcmp(kept->name, "x"))
			gt_copy(kept->array, w->guard.best);
	return st;
}

static int each_iteration(void *self, const gt_progress *g)
{
	gt_watch *w = self;
	const double seconds = app_seconds() - w->progress.started;
	app_progress_iteration(&w->progress, g);
	log_iteration(w, g, seconds);
	w->iterations = g->iteration;
	w->most = g->iterations;
	w->residual = g->residual / w->progress.data_norm;
	w->diverged = gt_divergence_look(&w->guard, g);
	const char *reason = w->diverged ? w->diverged : reason_of(w, g, seconds);
	if (g->iteration < g->iterations || w->diverged)
		w->reason = reason;
	w->interrupted = interrupted && g->iteration < g->iterations;
	if (!w->diverged)
		save(w, g, reason || g->iteration == g->iterations);
	return reason != NULL;
}

/* Of a rehearsal. */
static int first_iteration(void *self, const gt_progress *g)
{
	gt_watch *w = self;
	gt_counters count;
	gt_backend_counters(gt_array_backend(g->x), &count);
	w->held = count.bytes;
	w->best = w->guard.best ? gt_array_bytes(w->guard.best) : 0;
	return 1;
}

static gt_status rehearse(gt_watch *w, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x)
{
	const gt_monitor monitor = { .each = first_iteration, .self = w };
	gt_divergence_start(&w->guard, x);
	const gt_status st = gt_solve(solver, problem, options, x, &monitor);
	gt_divergence_free(&w->guard);
	return st == GT_STOPPED ? GT_OK : st;
}

/* With the best image beside it, if that leaves the solver room. */
static gt_status solve(gt_watch *w, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x)
{
	const gt_monitor monitor = { each_iteration, w, resume };
	gt_divergence_start(&w->guard, x);
	gt_status st = gt_solve(solver, problem, options, x, &monitor);
	if (st == GT_ERR_MEMORY && w->guard.best) {
		gt_divergence_free(&w->guard);
		st = gt_solve(solver, problem, options, x, &monitor);
	}
	return st;
}

/* The best image instead of the last. */
static gt_status settle(gt_watch *w, gt_array *x, gt_status st)
{
	if (st == GT_ERR_DIVERGED && !w->diverged)
		w->reason = w->diverged = "its values are not finite";
	if (!w->diverged || (st != GT_OK && st != GT_STOPPED && st != GT_ERR_DIVERGED))
		return st;
	w->kept = w->guard.best ? (int)w->guard.best_iteration : w->iterations;
	if (w->guard.best)
		gt_copy(w->guard.best, x);
	else if (st == GT_ERR_DIVERGED)
		return st;
	return gt_backend_status(gt_array_backend(x));
}

gt_status gt_watch_solve(gt_watch *w, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x)
{
	struct sigaction mine = { .sa_handler = on_interrupt }, before, before_term;
	if (gt_backend_is_dry_run(gt_array_backend(x)))
		return rehearse(w, solver, problem, options, x);
	w->first_gradient = w->residual = NAN;
	sigemptyset(&mine.sa_mask);
	interrupted = 0;
	sigaction(SIGINT, &mine, &before);
	if (before.sa_handler == SIG_IGN)
		sigaction(SIGINT, &before, NULL);
	if (w->checkpoint.path)
		sigaction(SIGTERM, &mine, &before_term);
	const gt_status st = settle(w, x, solve(w, solver, problem, options, x));
	sigaction(SIGINT, &before, NULL);
	if (w->checkpoint.path)
		sigaction(SIGTERM, &before_term, NULL);
	app_progress_end(&w->progress);
	gt_divergence_free(&w->guard);
	return st == GT_STOPPED ? GT_OK : st;
}

gt_status gt_watch_end(gt_watch *w) { return app_runlog_close(&w->log, w->iterations, w->most, w->reason, 1); }
void gt_watch_drop(gt_watch *w) { app_runlog_close(&w->log, w->iterations, w->most, w->reason ? w->reason : "a failure", 0); }
