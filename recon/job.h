#ifndef GT_RECON_JOB_H
#define GT_RECON_JOB_H
/* One computation of a volume: choices, callbacks, resources and strategy; and its results. */
#include <gantry/recon.h>
#include "core/device/kept_tables.h"
#include "recon/memory_estimate.h"
#include "recon/modules.h"
#include "recon/outside/agreement.h"
#include "recon/outside/outside.h"
#include "recon/settings.h"
#include "recon/stream/stream.h"
#include "recon/team/team_model.h"
#include "recon/z_margin.h"

/* Callbacks of the caller; NULL: none. */
typedef struct {
	gt_listener log;
	int (*each)(void *self, const gt_recon_progress *p);
	void *each_self;
	int (*cancel)(void *self);      /* see gt_recon_on_cancel() */
	void *cancel_self;
	void (*take)(void *self, const gt_recon_slices *s);     /* see gt_recon_on_slices() */
	void *take_self;
	double take_every;              /* s */
} gt_recon_callbacks;

/* Devices and memory limits. */
typedef struct {
	const char *backend;            /* NULL: auto */
	const char *split;              /* partition of a team's work; NULL: auto */
	int balance;                    /* gt_balance_mode */
	int reproducible;               /* 1: always the same number of ranks, for any devices */
	const char *scratch;            /* folder of files for arrays that do not fit memory; NULL: none */
	double arrays_limit;            /* bytes of arrays that stay in memory in addition to these files */
	double device_limit;            /* bytes of a device that computes for host arrays; 0: free memory */
} gt_recon_resources;

/* How a computation proceeds. The caller of gt_recon_compute() picks one of the three. */
typedef struct {
	int computes;                   /* 1: computes a volume. 0: a dry run, which counts the memory of its steps */
	int compares;                   /* 1: a dry run of every split of a team */
	int has_weights;                /* 1: makes the values of the weights; 0: only their size */
} gt_recon_strategy;
/* Computation; dry run with all settings that a plan reports; dry run for the memory alone. */
extern const gt_recon_strategy gt_recon_computing, gt_recon_planning, gt_recon_estimating;

/* Settings of the caller, completed by gt_recon_choose(). */
typedef struct {
	gt_grid grid;                   /* requested, or chosen */
	int grid_is_given;              /* 1: it was requested */
	gt_method method;               /* its options are not freed with the job */
	const char *projector, *init, *checkpoint, *resume, *command;           /* checkpoint, resume may be NULL */
	const float *start;             /* on grid; NULL: see init */
	gt_type type;
	gt_z_margin_mode margin;
	gt_outside outside;             /* treats the object outside the grid of an iterative method */
	gt_weights_spec weights;
	const gt_penalty_spec *penalty; /* NULL: none */
	gt_stop_rule stop;
	double water;                   /* mm^-1 */
	int water_known;                /* by the scan or the user */
} gt_recon_choices;

/* One computation. Borrows all that it points to. A copy with another method, type or grid serves a dry run. */
typedef struct {
	gt_recon_choices chosen;
	gt_recon_callbacks on;
	gt_recon_resources with;
	const gt_recon_strategy *how;
	struct gt_recon_team *team;     /* state of the computing rank; NULL: a single backend */
	gt_kept_tables *kept;           /* tables of the operators on a GPU, from the dry run before; NULL: none */
	const gt_projections *p;
	const char *name;               /* file of p, for messages */
} gt_recon_job;

/* Progress within an iteration: counts applied operators, which only the CPU backend does. */
typedef struct {
	const gt_recon_job *job;
	gt_backend *be;                 /* NULL: no callback */
	int direct;                     /* 1: an analytic method runs */
	size_t start, starts;           /* index and number of starts of joint scans; 0: a single scan */
	int iteration, iterations;      /* done, and maximum; iterations 0: no solver runs */
	int ready;                      /* 1: the solver has prepared its first iteration */
	double passes;                  /* when the last iteration ended */
	double each;                    /* passes per iteration: of the last one; two per subset before */
	double began, first;            /* begin of the solver, in s and in passes */
	double reported;                /* time of the last report, s */
	double fraction;                /* fraction of the iteration in progress, as last reported */
	int resumed;                    /* iterations that were done before this run */
	int stop;                       /* 1: the caller requested the end of the iterations */
	int is_cancelled;               /* 1: the caller cancelled the run */
} gt_recon_fraction;

typedef struct {
	gt_recon_fraction fraction;
	gt_run run;                     /* iterative method */
	gt_memory_estimate *plan;       /* memory that a dry run counts; else NULL */
	double seconds;                 /* time of the computation */
	char *start;                    /* owned; zero, a method, a file, or "array"; NULL: unknown */
	char *weights, *penalty;        /* owned; NULL: not known yet, or none */
	gt_noise_model *noise;          /* owned; noise that the weights are based on; NULL: unknown */
	char *unsaved;                  /* owned; why the last checkpoint was not written; NULL: it was, or not due */
	char backend[32], split[32];    /* split: empty for a single backend */
	char *ranks;                    /* owned; the ranks of a team; NULL: none */
	char *splits;                   /* owned; plan of a team: a line per split, and one for the links; NULL: none */
	gt_model_times model;           /* predicted for the split; seconds 0: unknown */
	size_t subsets;
	double *cost;                   /* [costs], owned */
	size_t costs, costs_max;
	int asked_to_stop;
	double taken;                   /* time of the last slices, in seconds of the solver; 0: none yet */
	double device_peak;             /* bytes */
	gt_agreement agreement;         /* iterative result against its start by the analytic method */
} gt_recon_found;
void gt_recon_found_free(gt_recon_found *f);

/* 1: several ranks compute. */
int gt_recon_is_team(const gt_recon_job *j);
/* Returns the device that computes for host arrays (recon/stream/stream.h), else NULL. */
const char *gt_recon_streams(const gt_recon_job *j);
/* 1: some ranks are in other processes. */
int gt_recon_is_mpi(const gt_recon_job *j);
/* Computes into out [z][y][x] on the job's grid; a dry run ignores out. */
gt_status gt_recon_compute(const gt_recon_job *j, float *out, gt_recon_found *f);
gt_status gt_recon_count_subsets(const gt_method *m, const gt_scan *scan, size_t *subsets);

/* Volume on the host. A direct method may fill it during the computation, which is faster. is_out: 1 if all ranks did
 * so. */
typedef struct {
	float *out;
	int is_out;
} gt_recon_early;
/* Steps of a computation: an analytic method into x, the start of an iterative one, and the iterations. early: may be
 * NULL. */
gt_status gt_recon_direct (const gt_recon_job *j, const gt_analytic *method, const void *options, const gt_recon_extent *e, gt_array *x,
                           gt_recon_early *early);
/* w: progress of the run, which may have several scans; *start: replaced, as in gt_recon_found. */
gt_status gt_recon_begin  (const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, gt_recon_fraction *w, char **start);
/* Reports the kernels that this thread's operators avoided for lack of shared memory (core/device/shared_limit.h). */
void gt_recon_report_left(const gt_listener *log);
gt_status gt_recon_iterate(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, gt_recon_found *f);
/* Warns if the result disagrees with the direct method (f->agreement). */
void gt_recon_report_agreement(const gt_recon_job *j, const gt_recon_found *f);

/* Computes the weights of all pixels, malloc'ed; NULL if they are 1. A team's weights belong to rank 0. Their name goes
 * to f. */
gt_status gt_recon_weights   (const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, float **w, gt_recon_found *f);
/* Weights in three steps. Begin uses a thread if the caller will wait for a GPU and `thread` is not NULL. Begin and end
 * do nothing on ranks that do not lead their process. Take is collective and returns the weights of the process. */
struct gt_weights_thread;
gt_status gt_recon_weights_begin(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, float **w, gt_recon_found *f,
                                 struct gt_weights_thread **thread);
gt_status gt_recon_weights_end  (const gt_recon_job *j, struct gt_weights_thread *thread, float **w, gt_recon_found *f);
gt_status gt_recon_weights_take (const gt_recon_job *j, gt_backend *be, float **w, gt_recon_found *f);
/* projector: of all scans; malloc'ed, freed here; NULL: GT_ERR_MEMORY. Opened before the solver runs, closed after
 * it. */
gt_status gt_recon_open_checkpoint(const gt_recon_job *j, char *projector, const gt_grid *grid, const gt_run_scan *scan, size_t scans,
                                   gt_backend *be, gt_recon_found *f);
void      gt_recon_close_checkpoint(gt_recon_found *f);
/* Makes this thread's operators use kernels independent of local tuning: the built-in ones, or those of the resumed
 * run. Pass *kernels to gt_recon_forget_kernels(), which ends that. */
gt_status gt_recon_settle_kernels(const gt_recon_job *j, gt_backend *be, char **kernels);
void      gt_recon_forget_kernels(char *kernels);
gt_status gt_recon_solve     (const gt_recon_job *j, const gt_recon_extent *e, const gt_problem *problem, gt_array *x, gt_recon_found *f);
gt_status gt_recon_get_slices(const gt_array *x, const gt_recon_extent *e, float *out);

/* Streamed operators for this number of subsets. */
gt_stream_problem gt_recon_stream_problem(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *host, size_t subsets);

/* recon/job.c. The backend polls the caller for cancellation, and progress is reported. w must live until the polling
 * ends. */
void gt_recon_fraction_open (gt_recon_fraction *w, const gt_recon_job *j, gt_backend *be);
void gt_recon_fraction_direct(gt_recon_fraction *w, int begins);        /* an analytic method begins, or has ended */
void gt_recon_fraction_start(gt_recon_fraction *w, size_t subsets);     /* the solver begins */
void gt_recon_fraction_ready(gt_recon_fraction *w, int done);           /* done: iterations before this run */
void gt_recon_fraction_step (gt_recon_fraction *w, int done, int max);  /* an iteration has ended */
void gt_recon_fraction_end  (gt_recon_fraction *w);                     /* the solver has */
/* Asks the caller. Returns GT_STOPPED if the caller has cancelled the run, else st. A stopped solver returns GT_OK with
 * an undefined volume, and checks refuse values that were not computed. */
gt_status gt_recon_cancelled(const gt_recon_job *j, gt_recon_fraction *w, gt_status st);

/* Reports a phase; nonzero: the caller requests to stop. */
int gt_recon_report(const gt_recon_job *j, gt_recon_phase phase, double done, const char *text);
/* Marks a stage of gt_timings(), except in a dry run. */
void gt_recon_mark(const gt_recon_job *j, const char *name);
/* All values unknown. */
gt_recon_progress gt_recon_progress_of(const gt_recon_job *j, gt_recon_phase phase);
#endif
