#ifndef GT_RECON_STOPPING_H
#define GT_RECON_STOPPING_H
/* What goes on while a solver runs: progress, a log, Ctrl-C, reasons to stop and the best image should it diverge. */
#include <gantry/solver.h>
#include "apps/cli/progress.h"
#include "apps/cli/runlog.h"
#include "recon/checkpointing.h"
#include "recon/divergence.h"

typedef struct { double change, gradient, seconds; } gt_stop_rule;   /* mm^-1, of the first, s; 0: not asked for */
/* "change=0.1HU,gradient=1e-3,seconds=60": GT_ERR_ARG. NULL asks for nothing. */
gt_status gt_stop_rule_parse(const char *spec, gt_stop_rule *s);

typedef struct {
	app_progress progress;
	gt_stop_rule stop;
	app_runlog log;                 /* opened by who fills this in */
	gt_checkpointing checkpoint;      /* the same */
	/* what came of it */
	int iterations, most, interrupted;
	const char *reason;             /* why it ended before all iterations; NULL: it did not */
	double residual;                /* |Ax-b|/|b|, NAN if not known */
	const char *diverged;           /* how that was seen; NULL: it did not */
	size_t held, best;              /* in a rehearsal: bytes on the device in an iteration, and those of the best image */
	int kept;                       /* the iteration of which x is then: the best; the last, where there was no room for another volume */
	/* inner */
	gt_divergence guard;
	double first_gradient;
} gt_watch;

/* Runs the solver; in a rehearsal, its first iteration. The first Ctrl-C ends the iteration in progress and keeps the result, and so does SIGTERM where
 * there are checkpoints; the next one kills. GT_OK also where it was stopped, and where it diverged: x then is the best image. GT_ERR_DIVERGED if there is none. */
gt_status gt_watch_solve(gt_watch *w, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x);
/* Ends the log and draws the plot: when the result is safe. */
gt_status gt_watch_end(gt_watch *w);
/* The same, where there is none: no plot. */
void      gt_watch_drop(gt_watch *w);
#endif
