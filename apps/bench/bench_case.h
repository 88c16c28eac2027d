#ifndef GT_APPS_BENCH_BENCH_CASE_H
#define GT_APPS_BENCH_BENCH_CASE_H
/* What the files of `gantry bench` share: one workload on one device, its measurements, their lines. */
#include "apps/bench/bench.h"
#include "apps/cli/cli.h"

typedef struct {
	const char *workload, *operation, *projector, *vs, *solver, *method, *penalty, *output, *gpus, *split;
	long long repeat, every, vectors;
	double tilt;
} bench_options;

enum { FORWARD, BACK, DIRECT, ITERATION, PARTS, PENALTY, VECTORS, BASIS, OPERATIONS };
extern const char *const bench_operations[];            /* NULL-terminated, in that order */

/* One workload on one device. */
typedef struct {
	const cli_call *call;
	const bench_options *o;
	cJSON *results;
	const app_workload *workload;
	gt_backend *be; /* of direct */
	gt_scan *scan;
	gt_grid grid;
	float *data; /* random, [view][row][column] */
	size_t cells;
	double overlap;
	int operation;
	app_timing time[2]; /* ms: [repeat] */
} bench_case;

/* The workload's scan and grid, as the options want them. */
gt_status bench_make_workload(bench_case *b);
const char *bench_backend(const bench_case *b);
/* Each times an operation and adds its lines. What cannot be done for a workload (a projector that refuses its geometry, too little memory,
 * more subsets than views) is a line, and no failure. */
/* FORWARD, BACK, ITERATION or PARTS, of the projector that b->time names. */
gt_status bench_measure_projector(bench_case *b, int operation);
gt_status bench_measure_direct(bench_case *b);
/* GT_ERR_UNKNOWN, GT_ERR_ARG: no direct method, or not with these parameters. */
gt_status bench_check_method(const char *method);
/* A penalty, the operations on arrays, or on a basis: a line for each thing that it does. */
gt_status bench_measure_row(bench_case *b, int operation, const char *spec);

/* --gpus: whole iterations and direct methods on several numbers of devices, a line each. */
gt_status bench_check_team(const bench_options *o);
gt_status bench_run_team(bench_case *b);
/* seconds: of `runs` after one that warms up, of the slowest of the members (64 at most), each with its backend; peak:
 * the most bytes of one. GT_ERR_UNSUPPORTED: the direct method of the scan does not go by slabs. */
gt_status bench_kernels(const bench_case *b, const char *const *backend, int ranks, int runs, double *seconds, double *peak);
const char *bench_team_workloads(void);         /* where none is asked for */
int bench_wanted(const bench_options *o, const char *name);     /* by its name, or as one of a group: those whose names start so */

/* Width of the column of projectors, methods and penalties: the standard ones. */
enum { BENCH_OPERATION = 18, BENCH_BY = 20 };
/* A line of an operation as an object. */
cJSON *bench_line(const bench_case *b, int operation, const app_timing *t);
/* Takes the line over, and prints it unless JSON is wanted. */
void bench_add(bench_case *b, cJSON *line);

/* Is name one of the comma-separated list? "all" holds every name. */
int bench_in_list(const char *list, const char *name);
/* Every name of the list must be known, and there must be one; `also` (NULL-terminated) are those that stand for several. */
gt_status bench_check_list(const char *what, const char *list, const char *const *also, const char *(*nth)(size_t), size_t n);
/* Every "NAME:key=value,..." of a list, which holds one at least; every projector of it, or of the table if it is "all". */
gt_status bench_each_of(const char *what, const char *list, gt_status (*each)(void *self, const char *spec), void *self);
gt_status bench_each_projector(const char *list, gt_status (*each)(void *self, const char *spec), void *self);
#endif
