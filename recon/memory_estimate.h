#ifndef GT_RECON_MEMORY_ESTIMATE_H
#define GT_RECON_MEMORY_ESTIMATE_H
/* Memory of a reconstruction, estimated by a dry run (gt_backend_dry_run()). */
#include <gantry/data.h>
#include <gantry/recon.h>
#include "recon/modules.h"
#include "recon/penalty/penalty_spec.h"

/* Resets all but host_free and host_process, then notes the memory that the host holds. */
void gt_memory_estimate_begin(gt_memory_estimate *e, const gt_projections *p, const gt_grid *grid);
/* Note the memory after a step of the run; no-ops for e = NULL. */
void gt_memory_estimate_open  (gt_memory_estimate *e, gt_backend *be);
void gt_memory_estimate_volume(gt_memory_estimate *e, const gt_backend *be);
void gt_memory_estimate_started(gt_memory_estimate *e, const gt_backend *be);
/* x: the volume; o: NULL if there is no penalty. */
void gt_memory_estimate_penalty(gt_memory_estimate *e, const gt_array *x, const gt_grid *grid, const gt_penalty_spec *o);
void gt_memory_estimate_subsets(gt_memory_estimate *e, const gt_backend *be, const gt_subsets *s, int weighted, const gt_scan *scan);
void gt_memory_estimate_solved(gt_memory_estimate *e, const gt_backend *be, size_t held, size_t best, double moved);
void gt_memory_estimate_close (gt_memory_estimate *e, const gt_backend *be);
/* Limits the memory of the device (bytes; 0: no limit). */
void gt_memory_estimate_limit(gt_memory_estimate *e, double bytes);

/* Returns the bytes that the host holds from the weights on. */
double gt_memory_estimate_held(const gt_memory_estimate *e);

/* Assigns arrays of the host (bytes) to files if they do not fit memory. */
void gt_memory_estimate_spill(gt_memory_estimate *e, double arrays);
/* Returns the memory that arrays may fill in addition to pages of such files. */
double gt_memory_estimate_room(const gt_memory_estimate *e);

/* Changes that may make a run fit; NULL and 0: as requested. */
typedef struct { const gt_grid *grid; const void *options; int single; const char *backend; int spills; } gt_memory_variant;
typedef struct {
	gt_status (*dry_run)(void *self, const gt_memory_variant *v, gt_memory_estimate *e);
	void *self;
	const gt_method *method;
	const gt_grid *grid;
	int is_double;
	const char *read_whole;         /* file whose format alone prevents a run by slabs; else NULL */
	int may_spill;                  /* 1: arrays of the host may be in files */
	double host_limit, host_used;   /* bytes: limit of the process (0: none), and its size before the run */
} gt_memory_dry_run;
/* "needs X, Y are free; would fit: ...", malloc'ed; NULL without memory. */
char *gt_memory_estimate_explain(const gt_memory_dry_run *r, const gt_memory_estimate *e);
/* Estimates the peak on the device with keep=yes and keep=no of the solver; returns 0 if it has no such parameter. */
int gt_memory_estimate_compare(const gt_memory_dry_run *r, const gt_memory_estimate *asked, size_t *with, size_t *without);
#endif
