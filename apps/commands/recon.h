#ifndef GT_APPS_COMMANDS_RECON_H
#define GT_APPS_COMMANDS_RECON_H
/* The parts of `gantry recon`: the run itself, and its rehearsal. */
#include "apps/cli/cli.h"
#include "apps/cli/progress.h"
#include "apps/cli/runlog.h"
#include "recon/memory_estimate.h"
#include "recon/method.h"
#include "recon/stopping.h"

typedef struct {
	const char *output, *grid, *like, *solver, *projector, *init, *weights, *penalty, *stop, *log, *plot, *checkpoint, *resume;
	const char *data, *device_memory, *host_memory, *scratch;
	int unit, quality, dry_run, margin, no_overlap, keep;
	double water;
} recon_options;

/* What a run did, for the report. */
typedef struct {
	gt_run watch; /* of an iterative method */
	app_progress progress;
	app_runlog log;
	gt_memory_estimate *plan;  /* rehearse only, and note what that takes; NULL: run */
	double seconds;
	const char *start;
	char *weights, *penalty; /* owned */
	char backend[32];
} recon_result;

int recon_starts_from_file(const char *init);
/* What HU are made with: as asked for, as the scan states, or the default. */
double recon_water(const cli_call *call, const recon_options *o, const gt_projections *p);

extern const char *const recon_margins[];       /* NULL-terminated */
/* What a run computes with: `below` slices more than were asked for, and a margin above; the views that see those that were, as a window into
 * all of them. It points into itself: do not copy it. Nothing to free. */
typedef struct {
	const gt_projections *all;
	const gt_grid *asked;
	gt_grid grid;
	size_t below, first_view;
	gt_scan scan;
	gt_projections p;
} recon_ground;
void      recon_window_of(const gt_projections *all, const gt_grid *asked, recon_ground *ground);
void      recon_ground_of(const cli_call *call, const recon_options *o, const gt_method *m, const gt_projections *all, const gt_grid *asked,
                          recon_ground *ground);
/* Slices of x, which is on g. */
gt_status recon_part(const gt_array *x, const gt_grid *g, size_t first, size_t slices, gt_array **part);
/* Repeats the outermost of the asked slices below and above them. */
gt_status recon_fill_margin(gt_array *x, const recon_ground *ground);

gt_status recon_count_subsets(const gt_method *m, const gt_scan *scan, size_t *subsets);
/* Fills in v, but not in a rehearsal. */
gt_status recon_compute(const cli_call *call, const recon_options *o, const gt_method *m, const gt_projections *p, gt_volume *v,
                        recon_result *r);

/* Runs the solver with progress on stderr, the log and Ctrl-C; in a rehearsal with none of them. */
gt_status recon_solve(recon_result *r, const gt_method *m, const gt_problem *problem, gt_array *x);
/* Ends the log and draws the plot: when the result is safe. */
gt_status recon_log_end(recon_result *r);
/* The same, where there is none: no plot. */
void      recon_log_drop(recon_result *r);

/* What a run is: the head of its log, and the plan. */
typedef struct {
	app_fact list[11];
	char grid[256], *method, *projector;
} recon_facts;
gt_status recon_facts_new(const cli_call *call, const recon_options *o, const gt_method *m, const gt_grid *grid, const recon_result *r,
                          recon_facts *f);
void      recon_facts_free(recon_facts *f);

/* A run that is to be rehearsed. */
typedef struct {
	const cli_call *call;
	const recon_options *o;
	const gt_method *m;
	const gt_projections *p;
	const gt_grid *grid;
	double host_free, device_limit; /* when the command began; bytes, 0: none */
} recon_case;
/* The estimate to stdout, as JSON if that is asked for. GT_ERR_MEMORY with what would fit if this does not. */
gt_status recon_print_memory(const gt_memory_dry_run *r, const gt_memory_estimate *p, const app_fact *run, int json);
/* --dry-run. */
gt_status recon_dry_run(recon_case *a);
/* Does the run fit into the memory that is free or given? p may be the geometry alone. What cannot be told fits: the run itself says why. */
int recon_fits(recon_case *a);
/* Bytes; 0: not given. */
gt_status recon_limits(const recon_options *o, double *device, double *host);
/* Filtered backprojection by slabs, from the file and to it, where that is what does not fit: all of the command. Else *done is 0. */
gt_status recon_by_slabs(const cli_call *call, const recon_options *o, double host_free, int *done);
/* What reports have in common. */
cJSON *recon_json(const recon_options *o, const gt_volume *v, const char *backend, double seconds);
/* "solver=... precision=... backend=..." of a direct method; malloc'ed, NULL without memory. */
char *recon_direct_text(const cli_call *call, const gt_method *m, const char *backend);
/* Refuses at once what would not fit in the end (GT_ERR_MEMORY, with what would), then makes and computes the volume. */
gt_status recon_compute_if_it_fits(recon_case *a, gt_volume **v, recon_result *r);
#endif
