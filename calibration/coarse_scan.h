#ifndef GT_CALIBRATION_COARSE_SCAN_H
#define GT_CALIBRATION_COARSE_SCAN_H
#include "geometry/grid.h"
#include "geometry/projections.h"

/* Reduces the projections to at most `columns` columns and `views` views for estimation of few parameters. Pixels are
 * binned, then smoothed by a Gaussian of sigma new pixels (0: none); views are subsampled. by[2]: columns and rows per
 * new pixel. */
gt_status gt_coarse_scan(const gt_projections *p, size_t columns, size_t views, double sigma, gt_projections **out, size_t by[2]);

#endif
