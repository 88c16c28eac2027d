#ifndef GT_ANALYTIC_WFBP_FROM_HOST_H
#define GT_ANALYTIC_WFBP_FROM_HOST_H
/* wfbp of projections in host memory. Only the views that the grid needs are copied to the backend. */
#include <gantry/analytic.h>

/* 1: the method is wfbp. */
int       gt_wfbp_from_host_supports(const gt_analytic *m);
/* As gt_analytic_run(). data: all views of the scan; NULL in a dry run. */
gt_status gt_wfbp_from_host(const gt_grid *grid, const gt_scan *scan, const void *options, const float *data, gt_array *x);
#endif
