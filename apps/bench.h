#ifndef GT_APPS_BENCH_H
#define GT_APPS_BENCH_H
/* The standard problems that `gantry bench` times. */
#include "core/scan.h"

typedef struct { const char *name, *about; gt_orbit orbit; int matrices; double voxel[3]; size_t n[3]; } app_workload;
extern const app_workload app_workloads[];              /* ends with name = NULL */

/* Scan with every `every`-th view, and grid. */
gt_status app_workload_make(const app_workload *w, size_t every, gt_scan **scan, gt_grid *grid);

#endif
