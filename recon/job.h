#ifndef GT_RECON_JOB_H
#define GT_RECON_JOB_H
/* One computation of a volume: all that was decided, and what is found while it runs. */
#include <gantry/recon.h>
#include "recon/memory_estimate.h"
#include "recon/modules.h"
#include "recon/outside/outside.h"
#include "recon/settings.h"
#include "recon/stream/stream.h"
#include "recon/team/team_model.h"
#include "recon/z_margin.h"

/* Borrows all that it points to. A copy with another method, type or grid is another computation, for a dry run. */
typedef struct {
	gt_listener log;
	int (*each)(void *self, const gt_recon_progress *p);    /* NULL: nobody asks */
	void *each_self;
	int (*cancel)(void *self);      /* see gt_recon_on_cancel() */
	void *cancel_self;
	void (*take)(void *self, const gt_recon_slices *s);     /* see gt_recon_on_slices(); NULL: nobody */
	void *take_self;
	double take_every;              /* s */
	const gt_projections *p;
	const char *name;               /* of them: the file, for messages */
	gt_grid grid;                   /* that was asked for, or chosen */
	int grid_is_given;              /* 1: it was asked for */
	gt_method method;               /* its options are not freed with the job */
	const char *split;              /* of the work of a team; NULL: auto */
	int balance;                    /* gt_balance_mode */
	int reproducible;               /* 1: always as many members, whatever the devices */
	int compares;                   /* 1: a plan tells of every split of a team */
	struct gt_recon_team *team;     /* of the member that computes; NULL: there is one alone */
	const char *projector, *backend, *init, *checkpoint, *resume, *command; /* checkpoint, resume: NULL: not asked for */
	const float *start;             /* on grid; NULL: as init says */
	gt_type type;
	gt_z_margin_mode margin;
	gt_outside outside;             /* treats the object outside the grid of an iterative method */
	gt_weights_spec weights;
	const gt_penalty_spec *penalty; /* NULL: none */
	gt_stop_rule stop;
	const char *scratch;            /* folder of files for arrays that do not fit memory; NULL: none */
	double arrays_limit;            /* bytes of arrays that stay in memory beside those files */
	double device_limit;            /* bytes of a device that computes for arrays of the host; 0: what is free */
	double water;                   /* mm^-1 */
	int water_known;                /* by the scan or the user */
} gt_recon_job;

/* How far a run is where no iteration ends: by the operators that were applied, which the CPU's backend counts. */
typedef struct {
	const gt_recon_job *job;
	gt_backend *be;                 /* NULL: nobody is told */
	int direct;                     /* 1: a direct method runs */
	size_t start, starts;           /* of scans together: which starts, of how many; 0: one alone */
	int iteration, iterations;      /* done, and at most; iterations 0: no solver runs */
	int ready;                      /* 1: the solver has prepared its first iteration */
	double passes;                  /* when the last iteration ended */
	double each;                    /* passes of an iteration: as the last one took; before, two a subset */
	double began, first;            /* when the solver began, in s, and in passes */
	double reported;                /* when, s */
	double fraction;                /* of the iteration in progress: what was told last */
	int resumed;                    /* iterations that were done before this run */
	int stop;                       /* 1: the caller has answered that the iterations should end */
} gt_recon_fraction;

typedef struct {
	gt_recon_fraction fraction;
	gt_run run;                     /* of an iterative method */
	gt_memory_estimate *plan;       /* compute nothing, and note what it takes; NULL: compute */
	double seconds;                 /* of the computation */
	char *start;                    /* owned; zero, a method, a file, or "array"; NULL: not known */
	char *weights, *penalty;        /* owned; NULL: not known yet, or none */
	char *unsaved;                  /* owned; why the last checkpoint was not written; NULL: it was, or none was due */
	char backend[32], split[32];    /* split: empty where one computes alone */
	char *ranks;                    /* owned; of a plan for a team, what each member does; NULL: none */
	char *splits;                   /* owned; of such a plan, a line for each split, and one for the links; NULL: none */
	gt_model_times model;           /* of the split; seconds 0: not known */
	size_t subsets;
	double *cost;                   /* [costs], owned */
	size_t costs, costs_max;
	int asked_to_stop;
	double taken;                   /* when slices were last told, in seconds of the solver; 0: not yet */
	double device_peak;             /* bytes */
} gt_recon_found;
void gt_recon_found_free(gt_recon_found *f);

/* 1: several members compute. */
int gt_recon_is_team(const gt_recon_job *j);
/* The device, where arrays are the host's (recon/stream/stream.h); else NULL. */
const char *gt_recon_streams(const gt_recon_job *j);
/* 1: some of them in other processes. */
int gt_recon_is_mpi(const gt_recon_job *j);
/* Into out [z][y][x] on the job's grid; in a dry run out is not looked at. */
gt_status gt_recon_compute(const gt_recon_job *j, float *out, gt_recon_found *f);
gt_status gt_recon_count_subsets(const gt_method *m, const gt_scan *scan, size_t *subsets);

/* The steps of it: a direct method into x, where an iterative one starts, and the iterations. */
gt_status gt_recon_direct (const gt_recon_job *j, const gt_analytic *method, const void *options, const gt_recon_extent *e, gt_array *x);
/* The same, into `out` as well, [z][y][x] on the job's grid, where *is_out is 1. */
gt_status gt_recon_direct_to(const gt_recon_job *j, const gt_analytic *method, const void *options, const gt_recon_extent *e, gt_array *x,
                             float *out, int *is_out);
/* w: of the run, which may be of several scans; *start: takes the place of what is there, as in gt_recon_found. */
gt_status gt_recon_begin  (const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, gt_recon_fraction *w, char **start);
/* Which kernels the operators of this thread had to leave for want of shared memory (core/device/shared_limit.h). */
void gt_recon_report_left(const gt_listener *log);
gt_status gt_recon_iterate(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, gt_recon_found *f);

/* Parts of the iterations: the weights of all pixels, malloc'ed (a team's are member 0's, and no caller's to free),
 * NULL where they are 1, and their name into f; checkpoints, opened before the solver runs and closed after it; the
 * solver's run with the caller told, unless this is a dry run; the asked slices of x to the host. */
gt_status gt_recon_weights   (const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, float **w, gt_recon_found *f);
/* projector: of all scans; malloc'ed, freed here; NULL: GT_ERR_MEMORY. */
gt_status gt_recon_open_checkpoint(const gt_recon_job *j, char *projector, const gt_grid *grid, const gt_run_scan *scan, size_t scans,
                                   gt_backend *be, gt_recon_found *f);
void      gt_recon_close_checkpoint(gt_recon_found *f);
/* Operators that this thread makes from here on have kernels whose bits do not hang on what was tuned here: the
 * built-in ones, or those of the run that is continued. The second call, with the first one's *kernels, ends that. */
gt_status gt_recon_settle_kernels(const gt_recon_job *j, gt_backend *be, char **kernels);
void      gt_recon_forget_kernels(char *kernels);
gt_status gt_recon_solve     (const gt_recon_job *j, const gt_recon_extent *e, const gt_problem *problem, gt_array *x, gt_recon_found *f);
gt_status gt_recon_get_slices(const gt_array *x, const gt_recon_extent *e, float *out);

/* Streamed operators, of that many subsets. */
gt_stream_problem gt_recon_stream_problem(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *host, size_t subsets);

/* recon/job.c. The backend is polled for the caller, who is asked whether to stop, and told how far it is; w is used
 * until the backend is polled for nobody. */
void gt_recon_fraction_open (gt_recon_fraction *w, const gt_recon_job *j, gt_backend *be);
void gt_recon_fraction_direct(gt_recon_fraction *w, int begins);        /* a direct method begins, or has ended */
void gt_recon_fraction_start(gt_recon_fraction *w, size_t subsets);     /* the solver begins */
void gt_recon_fraction_ready(gt_recon_fraction *w, int done);           /* so many iterations were done before */
void gt_recon_fraction_step (gt_recon_fraction *w, int done, int max);  /* an iteration has ended */
void gt_recon_fraction_end  (gt_recon_fraction *w);                     /* the solver has */

/* Tells the caller of a phase; non-zero: it asks to stop. */
int gt_recon_report(const gt_recon_job *j, gt_recon_phase phase, double done, const char *text);
/* Numbers that are not known yet. */
gt_recon_progress gt_recon_progress_of(const gt_recon_job *j, gt_recon_phase phase);
#endif
