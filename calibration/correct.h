#ifndef GT_CALIBRATION_CORRECT_H
#define GT_CALIBRATION_CORRECT_H
/* Corrections of calibrated scans. */
#include <gantry/calibrate.h>

/* Applies the corrections of gt_calibrate() to a scan. */
void gt_calibrate_apply(const double value[GT_CALIBRATE_PARAMETERS], gt_scan *scan);
#endif
