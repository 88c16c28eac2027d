#ifndef GT_CALIBRATION_DERIVATIVE_H
#define GT_CALIBRATION_DERIVATIVE_H
/* Projector of a corrected scan, and derivatives of its projections by the corrections. */
#include <gantry/calibrate.h>
#include <gantry/linop.h>

/* The scan is not owned. */
typedef struct {
	gt_backend *be;
	gt_type type;
	gt_grid grid;
	const gt_scan *scan;
	size_t columns_by;              /* pixels of the whole scan per column */
	int by_motion;                   /* 1: derivatives by motions of the views, 0: differences of projections */
} gt_calibrate_model;

/* value: corrections, the centre in pixels of the whole scan. */
gt_status gt_calibrate_operator(const gt_calibrate_model *m, const double value[GT_CALIBRATE_PARAMETERS], gt_linop **A);

/* Sets J to the derivative of the projections of x by parameter j, averaged over the interval value[j] - h to
 * value[j] + h. work: of the size of J. */
gt_status gt_calibrate_derivative(const gt_calibrate_model *m, const double value[GT_CALIBRATE_PARAMETERS], int j, double h,
                                  const gt_array *x, gt_array *work, gt_array *J);
#endif
