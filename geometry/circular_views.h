#ifndef GT_GEOMETRY_CIRCULAR_VIEWS_H
#define GT_GEOMETRY_CIRCULAR_VIEWS_H
#include <gantry/scan.h>

/* Sets the views of a parallel beam to these angles (rad), as gt_scan_orbit() does; rows run upwards (up 1) or
 * downwards (-1). The caller sets sizes and pitches first. */
void gt_place_parallel(const double *angle, int up, gt_scan *scan);
/* Sets the views of a cone beam with a flat detector, and the distances (mm) of the scan; rows run downwards. */
void gt_place_cone(const double *angle, double source_to_axis, double source_to_detector, gt_scan *scan);

#endif
