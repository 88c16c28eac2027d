#ifndef GT_GEOMETRY_SCAN_H
#define GT_GEOMETRY_SCAN_H
/* Checks and changes of scans. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Perturbs a scan like a C-arm: displaces source and detector of each view independently by up to `shift` mm along
 * each axis. Rotates the detector by up to `tilt` rad about a random axis. The same seed gives the same scan.
 * GT_ERR_UNSUPPORTED: not a flat detector. */
gt_status gt_scan_perturb(gt_scan *scan, double shift, double tilt, uint64_t seed);
/* Position of the z axis in the images at the height of the source, in pixels; 0 is the centre of the first pixel.
 * Laminography: where the ray to `detector` is nearest to the axis.
 * Mean column and row, minimum and maximum column of all views. NAN: a view does not see the axis. It may differ from
 * the central ray (column_center), as in geometries of RTK and of C-arms. */
typedef struct { double column, row, min, max; } gt_axis_seen;
void gt_scan_see_axis(const gt_scan *scan, gt_axis_seen *seen);
/* GT_ERR_ARG: the axis is on none of the columns. */
gt_status gt_axis_check(double column, size_t columns);
/* Shifts the detector along its rows so that the mean column of the axis is `column`. *was (NULL: not wanted): the
 * column before. GT_ERR_ARG: none of the columns. */
gt_status gt_scan_move_axis(gt_scan *scan, double column, double *was);
/* Returns the angle between the ray to the centre of the detector and the x-y plane, 0 to pi/2. */
double gt_scan_inclination(const gt_scan *scan, size_t view);
/* Returns 1 if this angle exceeds rounding in every view. */
int gt_scan_has_inclined_rays(const gt_scan *scan);
/* Returns the z at which the ray to `detector` is nearest to the z axis. */
double gt_scan_axis_height(const gt_scan *scan, size_t view);
/* Returns the distance from the source to that point along the ray. */
double gt_scan_axis_distance(const gt_scan *scan, size_t view);
/* Sets the angles from the sources (parallel: from the ray directions), continuously from view to view. No change if a
 * source lies on the axis, or if rows are not along it and the sources are on no circle about it. */
void      gt_scan_derive_angles(gt_scan *scan);
/* GT_ERR_FORMAT, with both numbers, if given angles (not NAN) deviate from those of the sources by more than 0.2 rad,
 * as degrees do. */
gt_status gt_scan_check_angles(const gt_scan *scan);
/* Returns the first view whose detector lies between source and z axis, or scan->views if none does. Sets the
 * distances of both from the source, mm: along the normal of a flat detector; arc: its radius. Only directions of
 * rays matter, so a table of views may be valid, but no gantry can be built so. */
size_t gt_scan_detector_before_axis(const gt_scan *scan, double *detector, double *axis);

#ifdef __cplusplus
}
#endif
#endif
