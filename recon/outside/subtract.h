#ifndef GT_RECON_SUBTRACT_H
#define GT_RECON_SUBTRACT_H
/* Data of a region inside the object, less the projections of the object outside the grid. */
#include <gantry/analytic.h>
#include "recon/job.h"

/* Subtracts the object outside the grid of the extent from the data of the subsets. The analytic method for the scan
 * reconstructs it. Collective. Does nothing if the job subtracts nothing. held: stream of the subsets; its buffers are
 * released meanwhile. NULL: none. */
gt_status gt_outside_subtract(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, gt_stream *held, gt_subsets *s);
/* Returns the slices of the outside, and their radius, that the analytic method reconstructs from data. */
gt_status gt_outside_coverage(const gt_scan *scan, const gt_grid *all, gt_analytic_coverage *c);
#endif
