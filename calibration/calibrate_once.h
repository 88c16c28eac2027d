#ifndef GT_CALIBRATION_CALIBRATE_ONCE_H
#define GT_CALIBRATION_CALIBRATE_ONCE_H
#include <gantry/calibrate.h>

/* gt_calibrate() at one size of the pixels: its errors are those of noise and unequal pixels. o: complete, checked. */
gt_status gt_calibrate_once(gt_projections *p, const gt_calibrate_options *o, gt_calibration *out);

#endif
