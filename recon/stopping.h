#ifndef GT_RECON_STOPPING_H
#define GT_RECON_STOPPING_H
/* A run of a solver: its caller's view of it, rules to stop, checkpoints, and the best image should it diverge. */
#include <gantry/solver.h>
#include "recon/checkpointing.h"
#include "recon/divergence.h"

/* Limits below which, or after which, a run ends; 0: this one is not asked for. */
typedef struct {
	double change;                  /* root mean square change of an iteration, mm^-1 */
	int change_in_hu;               /* 1: it was given in HU, here of water of GT_MU_WATER */
	double gradient;                /* of the cost, as a part of that of the first iteration */
	double seconds;                 /* since the solver began */
} gt_stop_rule;
/* "change=0.1HU,gradient=1e-3,seconds=60": GT_ERR_ARG. NULL asks for nothing. */
gt_status gt_stop_rule_parse(const char *spec, gt_stop_rule *s);

/* The requested run, and its results. */
typedef struct {
	gt_stop_rule rule;
	gt_checkpointing checkpoint;    /* opened and freed by the caller */
	double data_norm;               /* |b|, which the residual is told in parts of */
	/* The caller's functions, any of them NULL; all are called from the thread that called gt_run_solve(). */
	void (*each)(void *self, const gt_progress *g, double seconds);     /* after every iteration; seconds: since the solver began */
	int  (*stop)(void *self);       /* asked once per iteration, after each(): non-zero ends the run there, with the result so far */
	void (*saving)(void *self, int begins);         /* a checkpoint is about to be written (1), or has been (0) */
	void (*ready)(void *self, int done);            /* the first iteration begins, after so many that were done before this run */
	void *self;
	/* Results. */
	int resumed;                    /* iterations that were done before this run; each() may look at it */
	int iterations, max;            /* done, and at most */
	const char *reason;             /* why it ended before all iterations; NULL: it did not */
	int interrupted;                /* 1: it ended before all iterations, and stop() asked for that */
	double residual;                /* |Ax-b|/|b|, NAN if not known */
	const char *diverged;           /* how that was seen; NULL: it did not. Points into this struct */
	int returned_iteration;         /* of a run that diverged: the iteration of which x is. The best; the last, where memory had no second volume */
	size_t iterating_bytes, best_bytes;     /* of a dry run: what an iteration holds on the device in all, and of it the best image */
	double moved;                   /* of a dry run: bytes of arrays that an iteration reads and writes */
	/* Private. */
	gt_divergence divergence;
	double first_gradient, started;
	const gt_array *x;
} gt_run;

/* Runs the solver; on a backend in a dry run, its first iteration. GT_OK also where it was stopped, and where it diverged: x then is the
 * best image. GT_ERR_DIVERGED if there is none. */
gt_status gt_run_solve(gt_run *r, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x);
#endif
