#ifndef GT_APPS_BENCH_BENCH_H
#define GT_APPS_BENCH_BENCH_H
/* Timing of operators, penalties, bases and solvers for `gantry bench`. Its sources take the standard headers and
 * GT_TRY() from here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "apps/cli/try.h"
#include "apps/cli/workload.h"

/* Estimates the unavoidable work from a sample: the number of pairs of a voxel and a view whose beam contains some
 * part of the voxel. */
double app_overlap(const gt_scan *scan, const gt_grid *grid);

/* Times of one projector. Set projector and ms ([repeat]); the rest is output. */
typedef struct {
	const char *projector;
	double *ms;                     /* per run, ascending */
	int runs;
	double min_ms;                  /* lower bound by the device's stated limit; 0: unknown */
	const char *bound;              /* the resource of that limit */
	double peak_bytes;
	gt_status refused;              /* reason why it was not timed, or GT_OK */
	char why[512];
} app_timing;
/* Times forward or back (adjoint 1) of n projectors alternately: one warm-up run and `repeat` runs each. data:
 * [view][row][column]. A projector that refuses the scan or lacks memory has its status in `refused`; other failures
 * are returned. */
gt_status app_time_operators(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, const float *data, int adjoint,
                             int repeat, app_timing *t, size_t n);
/* Makes an array of random numbers for work that is compared with a copy. */
gt_status app_random_array(gt_backend *be, gt_type type, size_t n, gt_array **a);
/* Times many runs of once(self) alternately with copies that read and write `bytes` together. The copy's time is the
 * limit in t. */
gt_status app_time_beside_copy(gt_backend *be, gt_type type, double bytes, void (*once)(void *self), void *self, int repeat, app_timing *t);
/* Times one of the parts that t's projector names (struct gt_projector_parts). */
gt_status app_time_part(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, size_t part, int repeat, app_timing *t);
/* Times the i-th function of the penalty, or the i-th operation on arrays of n values. Sets *what to its name, or
 * NULL. */
gt_status app_time_penalty(const char *backend, gt_type type, const gt_grid *grid, const char *spec, int i, int repeat, app_timing *t,
                           const char **what);
gt_status app_time_vector(const char *backend, gt_type type, size_t n, int i, int repeat, app_timing *t, const char **what);
/* Times one of gt_basis_parts for the given number of vectors of n values. */
gt_status app_time_basis(const char *backend, gt_type type, size_t n, size_t vectors, size_t part, int repeat, app_timing *t);
/* Times iterations of a solver; penalty: NULL, or a list whose first entry is used, with random weights. */
gt_status app_time_iteration(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, const float *data,
                             const char *solver, const char *penalty, int repeat, app_timing *t);
/* Returns the length of the first "NAME" or "NAME:key=value,key=value" of a list: a comma before key=value belongs to
 * it. */
size_t app_spec_length(const char *list);
gt_status app_iteration_check(const char *solver);
double bench_peak_bytes(const gt_backend *be);  /* peak allocation on be; 0 for NULL */

#endif
