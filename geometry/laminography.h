#ifndef GT_GEOMETRY_LAMINOGRAPHY_H
#define GT_GEOMETRY_LAMINOGRAPHY_H
/* Facts about scans with a tilted axis. Lengths in mm, angles in rad. gt_scan_is_laminography() recognises them. */
#include "geometry/scan.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Radii about the z axis at one height, minimum over views: within the nearer and the farther side of the columns, and
 * within the rows. Negative if the axis is outside. */
typedef struct { double shorter, longer, rows; } gt_plate_reach;
gt_plate_reach gt_scan_plate_reach(const gt_scan *scan, double z);
/* Returns the radius at z = 0 within rows and columns of every view, or 0. Sets the faces of the plate (NULL: not
 * needed) from the stated thickness, or from the largest cylinder that every view sees. */
double         gt_scan_plate(const gt_scan *scan, double *low, double *high);
/* Returns the height of the range of z about 0 in which every view sees the axis. */
double         gt_scan_plate_height(const gt_scan *scan);
/* GT_ERR_ARG if the stated thickness exceeds that height. */
gt_status      gt_scan_check_plate(const gt_scan *scan);

#ifdef __cplusplus
}
#endif
#endif
