#ifndef GT_RECON_CALIBRATION_COARSE_SCAN_H
#define GT_RECON_CALIBRATION_COARSE_SCAN_H
#include "geometry/grid.h"
#include "geometry/projections.h"

/* The projections with at most that many columns and views, for who looks for a few numbers: means of line
 * integrals over whole pixels, smoothed by a Gaussian of sigma of the new ones (0: not), every so
 * manieth view. by[2]: columns and rows to one. */
gt_status gt_coarse_scan(const gt_projections *p, size_t columns, size_t views, double sigma, gt_projections **out, size_t by[2]);

#endif
