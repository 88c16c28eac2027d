#ifndef GT_RECON_SUBTRACT_H
#define GT_RECON_SUBTRACT_H
/* Data of a region inside the object, less the projections of the object outside the grid. */
#include "recon/job.h"

/* *rest: the extent's data less the projections of the object outside its grid, as the analytic method for the scan
 * reconstructs it; malloc'ed. NULL if the job subtracts nothing, and in a dry run, which counts the arrays of be. */
gt_status gt_outside_subtract(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, float **rest);
/* |data| of an extent. */
double gt_outside_data_norm(const gt_recon_extent *e);
#endif
