#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include "apps/cli.h"
#include "apps/watch.h"

#define AT(field) offsetof(app_stop, field)
static const gt_param reasons[] = {
	{ .key = "change", .help = "root mean square change of an iteration", .kind = GT_MU, .at = AT(change), .least = 0, .most = 1e6 },
	{ .key = "gradient", .help = "of the cost, as a part of its first", .kind = GT_REAL, .at = AT(gradient), .least = 0, .most = 1 },
	{ .key = "seconds", .help = "since the first iteration began", .kind = GT_REAL, .at = AT(seconds), .least = 0, .most = 1e9 },
	{ .key = NULL },
};

gt_status app_stop_parse(const char *spec, app_stop *s)
{
	*s = (app_stop){ 0, 0, 0 };
	return gt_fail_in(gt_params_parse(reasons, spec, s), "--stop");
}

static volatile sig_atomic_t interrupted;
static void on_interrupt(int number)
{
	if (interrupted)
		cli_interrupt(number);
	interrupted = number;
}

static void print(FILE *f, double value)
{
	if (isnan(value))
		fputc(',', f);
	else
		fprintf(f, ",%.9g", value);
}

/* Seen by who looks on while it runs. */
static void write_log(const app_watch *w, const gt_progress *g, double seconds)
{
	FILE *f = w->file;
	if (!f)
		return;
	const double values[] = { seconds,
		                  g->cost,
		                  g->data,
		                  g->penalty,
		                  g->gradient,
		                  g->residual / w->progress.data_norm,
		                  1000 * g->change / w->progress.water };
	fprintf(f, "%d", g->iteration);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		print(f, values[i]);
	fputc('\n', f);
	fflush(f);
}

static const char *reason_of(app_watch *w, const gt_progress *g, double seconds)
{
	if (isnan(w->first_gradient))
		w->first_gradient = g->gradient;
	return interrupted                                                                   ? "interrupted"
	       : g->change < w->stop.change                                                  ? "small change"
	       : w->stop.gradient > 0 && g->gradient <= w->stop.gradient * w->first_gradient ? "small gradient"
	       : w->stop.seconds > 0 && seconds >= w->stop.seconds                           ? "time"
	                                                                                     : NULL;
}

static int each_iteration(void *self, const gt_progress *g)
{
	app_watch *w = self;
	const double seconds = app_seconds() - w->progress.started;
	app_progress_iteration(&w->progress, g);
	write_log(w, g, seconds);
	w->iterations = g->iteration;
	w->most = g->iterations;
	w->residual = g->residual / w->progress.data_norm;
	const char *reason = reason_of(w, g, seconds);
	if (g->iteration < g->iterations)
		w->reason = reason;
	w->interrupted = interrupted && g->iteration < g->iterations;
	return reason != NULL;
}

static gt_status open_log(app_watch *w)
{
	w->file = w->log ? fopen(w->log, "w") : NULL;
	if (w->log && !w->file)
		return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", w->log, strerror(errno));
	if (w->file)
		fputs("iteration,seconds,cost,data,penalty,gradient,relative_residual,change_HU\n", w->file);
	return GT_OK;
}

static gt_status close_log(app_watch *w)
{
	FILE *f = w->file;
	const int bad = f && ferror(f), closed = f ? fclose(f) : 0;
	w->file = NULL;
	return bad || closed ? gt_fail(GT_ERR_IO, "%s: could not be written in full", w->log) : GT_OK;
}

gt_status app_watch_solve(app_watch *w, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x)
{
	struct sigaction mine = { .sa_handler = on_interrupt }, before;
	const gt_monitor monitor = { .each = each_iteration, .self = w };
	w->first_gradient = w->residual = NAN;
	const gt_status opened = open_log(w);
	if (opened != GT_OK)
		return opened;
	sigemptyset(&mine.sa_mask);
	interrupted = 0;
	sigaction(SIGINT, &mine, &before);
	if (before.sa_handler == SIG_IGN)
		sigaction(SIGINT, &before, NULL);
	const gt_status st = gt_solve(solver, problem, options, x, &monitor);
	sigaction(SIGINT, &before, NULL);
	app_progress_end(&w->progress);
	const gt_status closed = close_log(w);
	return st != GT_OK && st != GT_STOPPED ? st : closed;
}
