#ifndef GT_APPS_CLI_WORKLOAD_H
#define GT_APPS_CLI_WORKLOAD_H
/* The standard problems that `gantry bench` and `gantry study` time, and what both need to run them. */
#include <gantry/grid.h>
#include <gantry/scan.h>

typedef struct { const char *name, *about; gt_orbit orbit; int matrices; double voxel[3]; size_t n[3]; } app_workload;
extern const app_workload app_workloads[];              /* ends with name = NULL */

/* Scan with every `every`-th view, and grid. */
gt_status app_workload_make(const app_workload *w, size_t every, gt_scan **scan, gt_grid *grid);

/* Turns the detector of each view about its columns' direction, in its middle, by so many radians: its rows lean
 * towards the source. */
gt_status app_workload_tilt(gt_scan *scan, double angle);

/* Uniform in [0,1); a million different values are enough for timing. */
void app_fill_random(float *x, size_t n);

/* Is st a reason to leave a case out and go on: it cannot be done, or there is no room? */
int app_left_out(gt_status st);

#endif
