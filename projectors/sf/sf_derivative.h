#ifndef GT_PROJECTORS_SF_SF_DERIVATIVE_H
#define GT_PROJECTORS_SF_SF_DERIVATIVE_H
#include <gantry/grid.h>
#include <gantry/linop.h>
#include <gantry/scan.h>

/* Derivative of the projections of sf-tr by the motions of the views; scan: after the motion, jacobian: see
 * projectors/kit/derivative.h. GT_ERR_UNSUPPORTED: a volume on a GPU. */
gt_status gt_sf_derivative_new(const gt_grid *g, const gt_scan *scan, const double *jacobian, const gt_array *volume, gt_linop **D);
#endif
