#ifndef GT_APPS_WATCH_H
#define GT_APPS_WATCH_H
/* What goes on while a solver runs: progress, a log, Ctrl-C and reasons to stop. */
#include "apps/progress.h"
#include "solvers/solver.h"

typedef struct { double change, gradient, seconds; } app_stop;   /* mm^-1, of the first, s; 0: not asked for */
/* "change=0.1HU,gradient=1e-3,seconds=60": GT_ERR_ARG. NULL asks for nothing. */
gt_status app_stop_parse(const char *spec, app_stop *s);

typedef struct {
	app_progress progress;
	app_stop stop;
	const char *log;                /* file; NULL: none */
	/* what came of it */
	int iterations, most, interrupted;
	const char *reason;             /* why it ended before all iterations; NULL: it did not */
	double residual;                /* |Ax-b|/|b|, NAN if not known */
	/* inner */
	void *file;
	double first_gradient;
} app_watch;

/* Runs the solver. The first Ctrl-C ends the iteration in progress and keeps the result; the next one kills. GT_OK also where it was
 * stopped. */
gt_status app_watch_solve(app_watch *w, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x);
#endif
