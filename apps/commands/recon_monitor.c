/* What the command does while a solver iterates: progress on stderr, the log, Ctrl-C. */
#include "apps/commands/recon.h"

static void each_iteration(void *self, const gt_progress *g, double seconds)
{
	recon_result *r = self;
	const double row[RUNLOG_COLUMNS] = { g->iteration,
		                             seconds,
		                             g->cost,
		                             g->data,
		                             g->penalty,
		                             g->gradient,
		                             g->residual / r->progress.data_norm,
		                             1000 * g->change / r->progress.water };
	r->progress.resumed = r->watch.resumed;
	app_progress_iteration(&r->progress, g);
	app_runlog_add(&r->log, row);
}

static int asked_to_stop(void *self)
{
	(void)self;
	return cli_asked_to_stop();
}

static void saving(void *self, int begins)
{
	(void)self;
	cli_saving(begins);
}

gt_status recon_solve(recon_result *r, const gt_method *m, const gt_problem *problem, gt_array *x)
{
	r->watch.each = each_iteration;
	r->watch.stop = asked_to_stop;
	r->watch.saving = saving;
	r->watch.self = r;
	if (r->plan)
		return gt_run_solve(&r->watch, m->solver, problem, m->options, x);
	cli_begin_iterating(r->watch.checkpoint.path != NULL);
	const gt_status st = gt_run_solve(&r->watch, m->solver, problem, m->options, x);
	cli_end_iterating();
	app_progress_end(&r->progress);
	return st;
}

gt_status recon_log_end(recon_result *r) { return app_runlog_close(&r->log, r->watch.iterations, r->watch.most, r->watch.reason, 1); }

void recon_log_drop(recon_result *r)
{
	app_runlog_close(&r->log, r->watch.iterations, r->watch.most, r->watch.reason ? r->watch.reason : "a failure", 0);
}
