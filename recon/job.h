#ifndef GT_RECON_JOB_H
#define GT_RECON_JOB_H
/* One computation of a volume: all that was decided, and what is found while it runs. */
#include <gantry/recon.h>
#include "recon/memory_estimate.h"
#include "recon/settings.h"
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
	gt_weights_spec weights;
	const gt_penalty_spec *penalty; /* NULL: none */
	gt_stop_rule stop;
	double water;                   /* mm^-1 */
	int water_told;                 /* by the scan or the user */
} gt_recon_job;

typedef struct {
	gt_run run;                     /* of an iterative method */
	gt_memory_estimate *plan;       /* compute nothing, and note what it takes; NULL: compute */
	double seconds;                 /* of the computation */
	char *start;                    /* owned; zero, a method, a file, or "array"; NULL: not known */
	char *weights, *penalty;        /* owned; NULL: not known yet, or none */
	char *unsaved;                  /* owned; why the last checkpoint was not written; NULL: it was, or none was due */
	char backend[32], split[32];    /* split: empty where one computes alone */
	char *members;                  /* owned; of a plan for a team, what each member does; NULL: none */
	char *splits;                   /* owned; of such a plan, a line for each split; NULL: none */
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
/* 1: some of them in other processes. */
int gt_recon_is_mpi(const gt_recon_job *j);
/* Into out [z][y][x] on the job's grid; in a dry run out is not looked at. */
gt_status gt_recon_compute(const gt_recon_job *j, float *out, gt_recon_found *f);
gt_status gt_recon_count_subsets(const gt_method *m, const gt_scan *scan, size_t *subsets);

/* The steps of it: a direct method into x, where an iterative one starts, and the iterations. */
gt_status gt_recon_direct (const gt_recon_job *j, const gt_analytic *method, const void *options, const gt_recon_extent *e, gt_array *x);
gt_status gt_recon_begin  (const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, gt_recon_found *f);
gt_status gt_recon_iterate(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, gt_recon_found *f);

/* Parts of the iterations: the weights of all pixels, malloc'ed (a team's are member 0's, and no caller's to free),
 * NULL where they are 1, and their name into f; the solver's run with the caller told, unless this is a dry run; the
 * asked slices of x to the host. */
gt_status gt_recon_weights   (const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, float **w, gt_recon_found *f);
gt_status gt_recon_solve     (const gt_recon_job *j, const gt_recon_extent *e, const gt_problem *problem, gt_array *x, gt_recon_found *f);
gt_status gt_recon_get_slices(const gt_array *x, const gt_recon_extent *e, float *out);

/* Tells the caller of a phase; non-zero: it asks to stop. */
int gt_recon_tell(const gt_recon_job *j, gt_recon_phase phase, double done, const char *text);
/* Numbers that are not known yet. */
gt_recon_progress gt_recon_progress_of(const gt_recon_job *j, gt_recon_phase phase);
#endif
