#ifndef GT_RECON_CALIBRATION_ERRORS_H
#define GT_RECON_CALIBRATION_ERRORS_H
/* Standard errors of what was fitted to projections; private to recon/. */
#include <gantry/array.h>
#include <gantry/calibrate.h>

/* Inverts the leading n x n part of the symmetric matrix m; 0 if it is singular to 1e-8. */
int gt_calibrate_invert(int n, double m[GT_CALIBRATE_PARAMETERS][GT_CALIBRATE_PARAMETERS],
                        double inverse[GT_CALIBRATE_PARAMETERS][GT_CALIBRATE_PARAMETERS]);
/* Of the n parameters index[]: left is what remains of the projections, J[index[i]] how they change with one, inverse
 * that of J'J. What remains is not only noise: pixels that respond differently are the same in all views, edges finer
 * than voxels the same in neighbouring ones. So the sums J'left over parts of the scan are taken as the independent
 * ones, over blocks of pixels in all views and over runs of views (Cameron, Gelbach, Miller, J. Bus. Econ. Stat. 29
 * (2011) 238): error[0]. None is below error[1], of equal and independent remainders, which also tells far from the
 * end. */
gt_status gt_calibrate_errors(const gt_scan *scan, const gt_array *left, gt_array *const J[GT_CALIBRATE_PARAMETERS], int n,
                              const int *index, double inverse[GT_CALIBRATE_PARAMETERS][GT_CALIBRATE_PARAMETERS],
                              double error[2][GT_CALIBRATE_PARAMETERS]);

#endif
