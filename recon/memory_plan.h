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
} app_plan;

/* Forgets all but host_free; then what the host holds. */
void app_plan_begin(app_plan *plan, const gt_projections *p, const gt_grid *grid);
/* Notes what stands after a step of the run; no-ops for plan = NULL. */
void app_plan_open  (app_plan *plan, gt_backend *be);
void app_plan_volume(app_plan *plan, const gt_backend *be);
void app_plan_started(app_plan *plan, const gt_backend *be);
void app_plan_penalty(app_plan *plan, const gt_backend *be, int finds_strength);
void app_plan_subsets(app_plan *plan, const gt_backend *be, const app_subsets *s, int weighted, const gt_scan *scan);
void app_plan_solved(app_plan *plan, const gt_backend *be, size_t held, size_t best);
void app_plan_close (app_plan *plan, const gt_backend *be);
/* No more than that may be taken on the device (bytes; 0: no limit). */
void app_plan_limit(app_plan *plan, double bytes);
int  app_plan_fits(const app_plan *plan);

/* What may be changed to make a run fit; NULL and 0: as asked for. */
typedef struct { const gt_grid *grid; const void *options; int single; } app_variant;
typedef struct {
	gt_status (*rehearse)(void *self, const app_variant *v, app_plan *plan);
	void *self;
	const app_method *method;
	const gt_grid *grid;
	int is_double;
	const char *read_whole;         /* the file, where its format alone keeps the method from going by slabs; else NULL */
} app_rehearsal;
/* "needs X, Y are free; would fit: ...", malloc'ed; NULL without memory. */
char *app_plan_explain(const app_rehearsal *r, const app_plan *plan);
/* The plan to stdout, as JSON if that is asked for. GT_ERR_MEMORY with what would fit if this does not. */
gt_status app_plan_print(const app_rehearsal *r, const app_plan *plan, const app_fact *run, int json);

/* "NAME:key=value,..." of all parameters of a projector by its text; malloc'ed, NULL without memory. */
char *app_projector_text(const char *spec);
#endif
