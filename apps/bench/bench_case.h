#ifndef GT_APPS_BENCH_BENCH_CASE_H
#define GT_APPS_BENCH_BENCH_CASE_H
/* Shared declarations of `gantry bench`: one workload on one device, its measurements and output lines. */
#include "apps/bench/bench.h"
#include "apps/cli/cli.h"

typedef struct {
	const char *workload, *operation, *projector, *vs, *solver, *method, *penalty, *output, *gpus, *split;
	long long repeat, every, vectors;
	double tilt;
} bench_options;

enum { FORWARD, BACK, DIRECT, ITERATION, PARTS, PENALTY, VECTORS, BASIS, OPERATIONS };
extern const char *const bench_operations[];            /* NULL-terminated, in the order of the enum */

/* One workload on one device. */
typedef struct {
	const cli_call *call;
	const bench_options *o;
	cJSON *results;
	const app_workload *workload;
	gt_backend *be; /* for analytic methods */
	gt_scan *scan;
	gt_grid grid;
	float *data; /* random, [view][row][column] */
	size_t cells;
	double overlap;
	int operation;
	app_timing time[2]; /* ms: [repeat] */
} bench_case;

/* Makes the workload's scan and grid according to the options. */
gt_status bench_make_workload(bench_case *b);
const char *bench_backend(const bench_case *b);
/* These functions time an operation and add its lines. An impossible combination (a projector that refuses the
 * geometry, too little memory, more subsets than views) becomes a line, not a failure. */
/* FORWARD, BACK, ITERATION or PARTS, of the projector in b->time. */
gt_status bench_measure_projector(bench_case *b, int operation);
gt_status bench_measure_direct(bench_case *b);
/* GT_ERR_UNKNOWN, GT_ERR_ARG: not an analytic method, or wrong parameters. */
gt_status bench_check_method(const char *method);
/* A penalty, operations on arrays, or on a basis: adds a line per function. */
gt_status bench_measure_row(bench_case *b, int operation, const char *spec);

/* --gpus: times complete iterations and analytic methods on several numbers of devices, a line each. */
gt_status bench_check_team(const bench_options *o);
gt_status bench_run_team(bench_case *b);
/* Times `runs` runs after a warm-up on up to 64 devices; seconds is that of the slowest, peak the largest memory of one
 * device in bytes. GT_ERR_UNSUPPORTED: the analytic method of the scan does not run by slabs. */
gt_status bench_kernels(const bench_case *b, const char *const *backend, int ranks, int runs, double *seconds, double *peak);
const char *bench_team_workloads(void);         /* default of --workload with --gpus */
int bench_wanted(const bench_options *o, const char *name);     /* 1: requested by its name or group */

/* Widths of the columns of operations and of projectors, methods and penalties. */
enum { BENCH_OPERATION = 18, BENCH_BY = 20 };
/* Makes a line of an operation as a JSON object. */
cJSON *bench_line(const bench_case *b, int operation, const app_timing *t);
/* Takes ownership of the line, and prints it unless JSON is requested. */
void bench_add(bench_case *b, cJSON *line);

/* Returns 1 if name is in the comma-separated list; "all" contains every name. */
int bench_in_list(const char *list, const char *name);
/* Checks that the list is not empty and all names are known; `also` (NULL-terminated) lists group names. */
gt_status bench_check_list(const char *what, const char *list, const char *const *also, const char *(*nth)(size_t), size_t n);
/* Calls a function for every "NAME:key=value,..." of a non-empty list, or for all projectors of the table if it is
 * "all". */
gt_status bench_each_of(const char *what, const char *list, gt_status (*each)(void *self, const char *spec), void *self);
gt_status bench_each_projector(const char *list, gt_status (*each)(void *self, const char *spec), void *self);
#endif
