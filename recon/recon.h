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
	int is_busy;                    /* 1: within a call that chooses, plans or runs: callbacks change nothing */
	int is_freed;                   /* 1: a callback of that call freed r, which goes when the call ends */
	/* Asked for. */
	const gt_projections *given;    /* borrowed; NULL: they are in the file `path` */
	char *path;
	gt_read_options read;
	gt_recon_settings set;
	gt_grid grid;
	gt_grid_from grid_from;
	const float *start;             /* borrowed; NULL: as the key init says */
	double take_every;
	void (*take)(void *self, const gt_recon_slices *s);
	void *take_self;
	gt_listener log;
	int (*each)(void *self, const gt_recon_progress *p);
	void *each_self;
	int (*cancel)(void *self);
	void *cancel_self;
	/* Chosen, by gt_recon_choose(). */
	int is_chosen, by_slabs;
	gt_projections *owned;          /* read from the file; by slabs the geometry alone */
	gt_method method;               /* where the settings have none */
	gt_penalty_spec penalty;        /* the same, */
	char *penalty_text;             /* and its text, owned; NULL: no preset has made them */
	char *streamed;                 /* owned: the backend that streams from files what memory does not hold; NULL: as asked for */
	double host_free;               /* bytes, before anything was read; < 0: not known */
	double host_used;               /* bytes of the process at that time; < 0: not known */
	gt_recon_job job;
	/* Found. */
	int has_run;
	gt_recon_found found;
	gt_slab_result slabs;
	char *text;                     /* of the last gt_recon_text() or gt_recon_plan() */
	char *parameters;
};

/* What functions that change r ask first: GT_ERR_ARG for what is no gt_recon, and from a callback, since what the call
 * around it works with would be gone. function: its name, for the message. */
gt_status gt_recon_check_idle(const char *function, const gt_recon *r);
static inline int gt_is_recon(const gt_recon *r) { return r && r->tag == GT_IS_RECON; }
/* Ends such a call, and frees r if a callback asked for it. */
void gt_recon_end_call(gt_recon *r);
/* Chooses what is open. planning: nothing will be computed, so that nothing is said of how long that takes. */
gt_status gt_recon_decide(gt_recon *r, int planning);
/* Forgets what was chosen. */
void gt_recon_undecide(gt_recon *r);
/* Forgets what the last run found. */
void gt_recon_forget(gt_recon *r);
/* Free memory of the host within the limit that is set. */
double gt_recon_host_free(const gt_recon_settings *s);

/* Remarks of a reader, its progress, and the data from a file of their own. For the geometry alone, or with all that
 * the method has use for. */
gt_status gt_recon_read(gt_recon *r, const gt_listener *log, int geometry_only, gt_projections **p);
/* Of projections in memory what readers refuse in files: geometry that is none (the caller may have changed it), and
 * values that are not finite. */
gt_status gt_recon_check_given(const gt_recon *r);
/* The grid that is asked for, else what fits the scan; checked against the scan. */
gt_status gt_recon_find_grid(gt_recon *r, const gt_listener *log, const gt_scan *scan, gt_grid *grid);
/* Chooses how the object outside the grid of an iterative method is treated (job.outside), and reports it.
 * GT_ERR_UNSUPPORTED: the requested mode does not suit the scan or the method. */
gt_status gt_recon_choose_outside(gt_recon *r);
/* Takes an automatic choice back, for scans that are reconstructed together; GT_ERR_UNSUPPORTED if it was requested. */
gt_status gt_recon_ignore_outside(gt_recon *r);
/* Returns the attenuation of water for HU: as requested, of the scan, or the default. */
double gt_recon_water(const gt_recon *r, const gt_projections *p);

/* Memory. p may be the geometry alone. What cannot be told fits: the run itself says why. */
int gt_recon_fits(const gt_recon *r, const gt_recon_job *j);
/* Refuses at once what would not fit in the end. failed: what did not, NULL if nothing did yet. */
gt_status gt_recon_check_memory(gt_recon *r, const char *failed);

/* By slabs. Whether a run from the file goes that way: *by_slabs; then all is chosen. */
gt_status gt_recon_choose_slabs(gt_recon *r, int *by_slabs);
gt_status gt_recon_plan_slabs(gt_recon *r);
gt_status gt_recon_run_slabs(gt_recon *r, const char *path, const gt_write_options *o);

/* "solver=... precision=...": all parameters, as files record them; malloc'ed, NULL without memory. */
char *gt_recon_parameters(const gt_recon_job *j, const gt_recon_found *f);
/* Lines key=value of the settings of a run; malloc'ed, NULL without memory. */
char *gt_recon_facts(const gt_recon *r, const gt_recon_found *f);
char *gt_recon_slab_facts(const gt_recon *r);
/* Fills in what files record of the volume's making. */
gt_status gt_recon_record(gt_recon *r, gt_volume *v);
#endif
