#ifndef GT_CALIBRATION_ERRORS_H
#define GT_CALIBRATION_ERRORS_H
/* Standard errors of parameters that were fitted to projections; private to recon/. */
#include <gantry/array.h>
#include <gantry/calibrate.h>

/* Inverts the leading n x n part of the symmetric matrix m; 0 if it is singular to 1e-8. */
int gt_calibrate_invert(int n, double m[GT_CALIBRATE_PARAMETERS][GT_CALIBRATE_PARAMETERS],
                        double inverse[GT_CALIBRATE_PARAMETERS][GT_CALIBRATE_PARAMETERS]);
/* Computes the standard errors of the n parameters index[]. left: residual; J[index[i]]: derivatives of the
 * projections; inverse: of J'J. error[0] is robust to correlation (Cameron, Gelbach, Miller, J. Bus. Econ. Stat. 29
 * (2011) 238): sums of J'left over blocks of pixels in all views, and over runs of views, count as independent.
 * Unequal pixel response and edges finer than voxels correlate the residuals. error[1] assumes equal
 * and independent residuals, also far from the minimum. It is a lower bound of error[0]. */
gt_status gt_calibrate_errors(const gt_scan *scan, const gt_array *left, gt_array *const J[GT_CALIBRATE_PARAMETERS], int n,
                              const int *index, double inverse[GT_CALIBRATE_PARAMETERS][GT_CALIBRATE_PARAMETERS],
                              double error[2][GT_CALIBRATE_PARAMETERS]);

#endif
