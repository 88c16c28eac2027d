#ifndef GT_RECON_RECON_H
#define GT_RECON_RECON_H
/* The contents of a gt_recon: requested settings, choices, and results. */
#include <gantry/recon.h>
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "recon/job.h"
#include "recon/modules.h"
#include "recon/slab_pipeline.h"

/* Source of the grid, in addition to the keys grid and like. */
typedef enum { GT_GRID_NOT_GIVEN, GT_GRID_GIVEN, GT_GRID_OF_VOLUME } gt_grid_from;

struct gt_recon {
	gt_tag tag;                     /* GT_IS_RECON */
	int is_busy;                    /* 1: within a call that chooses, plans or runs: callbacks must not change r */
	int is_freed;                   /* 1: a callback freed r; it is freed when the call ends */
	/* Requested. */
	const gt_projections *given;    /* borrowed; NULL: read from `path` */
	char *path;
	gt_read_options read;
	gt_recon_settings set;
	gt_grid grid;
	gt_grid_from grid_from;
	const float *start;             /* borrowed; NULL: see key init */
	gt_recon_callbacks on;
	/* Chosen by gt_recon_choose(). */
	int is_chosen, by_slabs;
	gt_projections *owned;          /* read from the file; by slabs only the geometry */
	gt_method method;               /* if the settings have none */
	gt_penalty_spec penalty;        /* likewise */
	char *penalty_text;             /* text of the penalty, owned; NULL: no preset made one */
	char *streamed;                 /* owned: backend that streams from files for lack of memory; NULL: none */
	double host_free;               /* bytes before anything was read; < 0: unknown */
	double host_used, host_peak;    /* bytes of the process at that time, and their maximum before; < 0: unknown */
	gt_recon_job job;
	/* Results. */
	int has_run;
	gt_recon_found found;
	gt_slab_result slabs;
	char *text;                     /* last gt_recon_text() or gt_recon_plan() */
	char *parameters;
};

/* GT_ERR_ARG if r is not a gt_recon. function: the caller's name, with which the message begins. */
gt_status gt_recon_check_is(const char *function, const gt_recon *r);
/* For functions that change r. GT_ERR_ARG if r is not a gt_recon, or in a callback, because the enclosing call still
 * uses r. function: its name, for the message. */
gt_status gt_recon_check_idle(const char *function, const gt_recon *r);
static inline int gt_is_recon(const gt_recon *r) { return r && r->tag == GT_IS_RECON; }
/* Ends a call that set is_busy, and frees r if a callback requested it. */
void gt_recon_end_call(gt_recon *r);
/* Decides the open settings. planning: nothing will be computed, so no remaining time is announced. */
gt_status gt_recon_decide(gt_recon *r, int planning);
/* Frees tables that a dry run has left. */
void gt_recon_drop_kept(gt_recon *r);
/* Discards the choices. */
void gt_recon_undecide(gt_recon *r);
/* Discards the results of the last run. */
void gt_recon_forget(gt_recon *r);
/* Returns the free memory of the host within the set limit. */
double gt_recon_host_free(const gt_recon_settings *s);

/* Reads the projections, or only the geometry, with the reader's messages and progress. The data may be in another
 * file. */
gt_status gt_recon_read(gt_recon *r, const gt_listener *log, int geometry_only, gt_projections **p);
/* Checks projections in memory like a reader: valid geometry (the caller may have changed it) and finite values. */
gt_status gt_recon_check_given(const gt_recon *r);
/* Finds the requested grid, else the default of the scan; checked against the scan. */
gt_status gt_recon_find_grid(gt_recon *r, const gt_listener *log, const gt_scan *scan, gt_grid *grid);
/* Chooses how the object outside the grid of an iterative method is treated (job.outside), and reports it.
 * GT_ERR_UNSUPPORTED: the requested mode does not suit the scan or the method. */
gt_status gt_recon_choose_outside(gt_recon *r);
/* Takes an automatic choice back, for scans that are reconstructed together; GT_ERR_UNSUPPORTED if it was requested. */
gt_status gt_recon_ignore_outside(gt_recon *r);
/* Returns the attenuation of water for HU: as requested, of the scan, or the default. */
double gt_recon_water(const gt_recon *r, const gt_projections *p);

/* Returns 1 if the run fits memory, or if that is unknown: the run then reports the reason. p may be the geometry
 * alone. */
int gt_recon_fits(const gt_recon *r, const gt_recon_job *j);
/* Plans a run in memory. *known: e holds its memory, even if that is too much. */
gt_status gt_recon_plan_whole(gt_recon *r, gt_memory_estimate *e, int *known);
/* Refuses a run that would not fit. failed: message of an earlier failure, or NULL: the job then keeps tables for the
 * run. */
gt_status gt_recon_check_memory(gt_recon *r, const char *failed);

/* *by_slabs: 1 if the run goes by slabs; everything is then decided. */
gt_status gt_recon_choose_slabs(gt_recon *r, int *by_slabs);
gt_status gt_recon_plan_slabs(gt_recon *r);
gt_status gt_recon_run_slabs(gt_recon *r, const char *path, const gt_write_options *o);

/* "solver=... precision=...": all parameters as recorded in files; malloc'ed, NULL without memory. */
char *gt_recon_parameters(const gt_recon_job *j, const gt_recon_found *f);
/* Lines key=value of the settings of a run; malloc'ed, NULL without memory. */
char *gt_recon_facts(const gt_recon *r, const gt_recon_found *f);
char *gt_recon_slab_facts(const gt_recon *r);
/* Adds the provenance that files record to v. */
gt_status gt_recon_record(gt_recon *r, gt_volume *v);
#endif
