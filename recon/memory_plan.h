#ifndef GT_RECON_MEMORY_PLAN_H
#define GT_RECON_MEMORY_PLAN_H
/* What a reconstruction would take, found by rehearsing it (core/array.h). */
#include "apps/cli/cli.h"
#include "apps/cli/runlog.h"
#include "recon/method.h"

typedef struct {
	/* bytes on the device: of the parts, and at most */
	size_t volume, data, weights, operators, penalty, solver, best, peak;
	size_t start_peak, prior_peak;  /* until the start, or all of a direct method, is computed; until the penalty is made */
	size_t free, total;             /* before anything is allocated */
	/* bytes of the command's own arrays in the host's memory; peak: with the device's where that is the host */
	double host_cells, host_projections, host_volume, host_weights, host_subset, host_strength, host_peak, host_free;
	int on_host, limited;           /* the device is the host; free is what was given */
	size_t subsets, views;
	char backend[32], about[160];
} gt_memory_estimate;

/* Forgets all but host_free; then what the host holds. */
void gt_memory_estimate_begin(gt_memory_estimate *plan, const gt_projections *p, const gt_grid *grid);
/* Notes what stands after a step of the run; no-ops for plan = NULL. */
void gt_memory_estimate_open  (gt_memory_estimate *plan, gt_backend *be);
void gt_memory_estimate_volume(gt_memory_estimate *plan, const gt_backend *be);
void gt_memory_estimate_started(gt_memory_estimate *plan, const gt_backend *be);
void gt_memory_estimate_penalty(gt_memory_estimate *plan, const gt_backend *be, int finds_strength);
void gt_memory_estimate_subsets(gt_memory_estimate *plan, const gt_backend *be, const gt_subsets *s, int weighted, const gt_scan *scan);
void gt_memory_estimate_solved(gt_memory_estimate *plan, const gt_backend *be, size_t held, size_t best);
void gt_memory_estimate_close (gt_memory_estimate *plan, const gt_backend *be);
/* No more than that may be taken on the device (bytes; 0: no limit). */
void gt_memory_estimate_limit(gt_memory_estimate *plan, double bytes);
int  gt_memory_estimate_fits(const gt_memory_estimate *plan);

/* What may be changed to make a run fit; NULL and 0: as asked for. */
typedef struct { const gt_grid *grid; const void *options; int single; } gt_memory_variant;
typedef struct {
	gt_status (*rehearse)(void *self, const gt_memory_variant *v, gt_memory_estimate *plan);
	void *self;
	const gt_method *method;
	const gt_grid *grid;
	int is_double;
	const char *read_whole;         /* the file, where its format alone keeps the method from going by slabs; else NULL */
} gt_memory_dry_run;
/* "needs X, Y are free; would fit: ...", malloc'ed; NULL without memory. */
char *gt_memory_estimate_explain(const gt_memory_dry_run *r, const gt_memory_estimate *plan);
/* The plan to stdout, as JSON if that is asked for. GT_ERR_MEMORY with what would fit if this does not. */
gt_status gt_memory_estimate_print(const gt_memory_dry_run *r, const gt_memory_estimate *plan, const app_fact *run, int json);

#endif
