#ifndef GT_APPS_BENCH_BENCH_H
#define GT_APPS_BENCH_BENCH_H
/* How `gantry bench` times operators. */
#include <gantry/array.h>
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "apps/cli/workload.h"

/* Pairs of a voxel and a view in whose fan and cone some part of the voxel's height lies, as counted on a sample
 * of voxels and views: the work that cannot be left out. */
double app_overlap(const gt_scan *scan, const gt_grid *grid);

/* One projector's times. Set projector and ms ([repeat]); the rest is found. */
typedef struct {
	const char *projector;
	double *ms;                     /* of each run, in order of time */
	int runs;
	double min_ms;                  /* by the stated limit of the device; 0: none */
	const char *bound;              /* the resource of that limit */
	double peak_bytes;
	gt_status refused;              /* why it was not timed; GT_OK: it was */
	char why[512];
} app_timing;
/* Forward or back (adjoint 1) of n projectors, in turn: one run each to warm up, then `repeat` of each. data: [view][row][column].
 * A projector that refuses the scan, or that has no room, is told in its `refused`; other failures are returned. */
gt_status app_time_operators(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, const float *data, int adjoint,
                             int repeat, app_timing *t, size_t n);
/* Work whose time is held against that of a copy. Arrays of random numbers for it. */
gt_status app_random_array(gt_backend *be, gt_type type, size_t n, gt_array **a);
/* once(self), many times in a row, in turn with as many copies that read and write `bytes`, together, whose time is t's limit. */
gt_status app_time_beside_copy(gt_backend *be, gt_type type, double bytes, void (*once)(void *self), void *self, int repeat, app_timing *t);
/* One of the parts that t's projector names (struct gt_projector_parts). */
gt_status app_time_part(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, size_t part, int repeat, app_timing *t);
/* The i-th thing that the penalty does, or the i-th operation on arrays of n values; *what: its name, NULL: no such thing. */
gt_status app_time_penalty(const char *backend, gt_type type, const gt_grid *grid, const char *spec, int i, int repeat, app_timing *t,
                           const char **what);
gt_status app_time_vector(const char *backend, gt_type type, size_t n, int i, int repeat, app_timing *t, const char **what);
/* One of gt_basis_parts with so many vectors of n values. */
gt_status app_time_basis(const char *backend, gt_type type, size_t n, size_t vectors, size_t part, int repeat, app_timing *t);
/* Iterations of a solver; penalty: NULL, or a list whose first is used, with random weights. */
gt_status app_time_iteration(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, const float *data,
                             const char *solver, const char *penalty, int repeat, app_timing *t);
/* Length of the first "NAME" or "NAME:key=value,key=value" of a list: a comma before key=value is its own. */
size_t app_spec_length(const char *list);
gt_status app_iteration_check(const char *solver);
double bench_peak_bytes(const gt_backend *be);  /* allocated on be at most; 0 for NULL */

#endif
