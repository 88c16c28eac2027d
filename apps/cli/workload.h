#ifndef GT_APPS_CLI_WORKLOAD_H
#define GT_APPS_CLI_WORKLOAD_H
/* Standard problems of `gantry bench` and `gantry study`, and functions to run them. */
#include <gantry/grid.h>
#include <gantry/scan.h>

typedef struct { const char *name, *about; gt_orbit orbit; int matrices; double voxel[3]; size_t n[3]; } app_workload;
extern const app_workload app_workloads[];              /* ends with name = NULL */

/* Makes the scan, with every `every`-th view, and the grid. */
gt_status app_workload_make(const app_workload *w, size_t every, gt_scan **scan, gt_grid *grid);

/* Rotates the detector of each view by angle (rad) about its centre and the direction of its columns, which tilts the
 * rows towards the source. */
gt_status app_workload_tilt(gt_scan *scan, double angle);

/* Fills x with uniform values in [0,1); they repeat after a million, which suffices for timing. */
void app_fill_random(float *x, size_t n);

/* 1: skip the case, because it is unsupported or exceeds the memory. */
int app_left_out(gt_status st);

#endif
