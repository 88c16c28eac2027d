#ifndef GT_RECON_STOPPING_H
#define GT_RECON_STOPPING_H
/* Runs a solver with stopping rules, checkpoints, callbacks, and the best image in case of divergence. */
#include <gantry/solver.h>
#include "recon/checkpointing.h"
#include "recon/divergence.h"

/* Limits below which, or after which, a run ends; 0: not requested. */
typedef struct {
	double change;                  /* RMS change of an iteration, mm^-1 */
	int change_in_hu;               /* 1: given in HU, here of water of GT_MU_WATER */
	double gradient;                /* gradient of the cost, relative to the first iteration */
	double seconds;                 /* since the solver began */
} gt_stop_rule;
/* Parses "change=0.1HU,gradient=1e-3,seconds=60": GT_ERR_ARG. NULL: no rules. */
gt_status gt_stop_rule_parse(const char *spec, gt_stop_rule *s);

/* The requested run, and its results. */
typedef struct {
	gt_stop_rule rule;
	gt_checkpointing checkpoint;    /* opened and freed by the caller */
	double data_norm;               /* |b|, the unit of the reported residual */
	/* Callbacks, any of them NULL, called from the thread of gt_run_solve(). */
	void (*each)(void *self, const gt_progress *g, double seconds);     /* after every iteration; seconds of the
									     * solver */
	int  (*stop)(void *self);       /* once per iteration, after each(): nonzero ends the run */
	void (*saving)(void *self, int begins);         /* before (1) and after (0) a checkpoint is written */
	void (*ready)(void *self, int done);            /* first iteration begins; done: earlier ones */
	void *self;
	/* Results. */
	int resumed;                    /* iterations before this run, available to each() */
	int iterations, max;            /* done, and maximum */
	const char *reason;             /* why it ended before all iterations; NULL: it did not */
	int interrupted;                /* 1: stop() ended it before all iterations */
	double residual;                /* |Ax-b|/|b|, NAN if not known */
	const char *diverged;           /* symptom; NULL: it did not. Points into this struct */
	int returned_iteration;         /* diverged run: iteration of x, the best one, or the last */
	size_t iterating_bytes, best_bytes;     /* dry run: bytes of an iteration on the device; best image */
	double moved;                   /* dry run: bytes of arrays that an iteration reads and writes */
	/* Private. */
	gt_divergence divergence;
	double first_gradient, started;
	const gt_array *x;
} gt_run;

/* Runs the solver; on a backend in a dry run, its first iteration. GT_OK also if it was stopped or diverged; x is then
 * the best image. GT_ERR_DIVERGED if there is none. */
gt_status gt_run_solve(gt_run *r, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x);
#endif
