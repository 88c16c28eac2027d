#ifndef GT_GEOMETRY_CIRCULAR_VIEWS_H
#define GT_GEOMETRY_CIRCULAR_VIEWS_H
#include <gantry/scan.h>

/* Puts the views of parallel rays at those angles (rad), as gt_scan_orbit() has them; rows run upwards (up 1) or
 * downwards (-1). Sizes and pitches of the scan are there before. */
void gt_place_parallel(const double *angle, int up, gt_scan *scan);
/* The same of a cone beam and a flat detector; rows run downwards. Distances in mm, which the scan gets. */
void gt_place_cone(const double *angle, double source_to_axis, double source_to_detector, gt_scan *scan);

#endif
