#ifndef GT_GEOMETRY_SCAN_GAP_H
#define GT_GEOMETRY_SCAN_GAP_H
/* Gaps in the views of a full rotation, and displacements of the detector that need one. */
#include <gantry/author/constants.h>
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Widest gap (rad) that interpolation between its two neighbouring views closes: blocks of 20 x 20 mm of an ellipse of
 * 140 x 120 mm stay within 1 % of their attenuation (docs/analytic.md). */
#define GT_CLOSED_GAP ((12 + 1e-9) * GT_PI / 180)

/* Whether one side of the detector reaches less than a third of the other. Such a detector is displaced for an object
 * that extends beyond the nearer side. Both reaches in one unit. */
static inline int gt_scan_is_one_sided(double shorter, double longer) { return 3 * shorter < longer; }

/* Whether the views go all around, but for gaps of at most GT_CLOSED_GAP. 0 if a view has no angle. */
int gt_scan_is_closed(const gt_scan *scan);
/* Returns the widest gap between neighbouring views on the circle, rad. ends (NULL: not wanted): the angles of the
 * views at either end, ends[0] <= ends[1]. NAN if a view has no angle, or memory is exhausted. */
double gt_scan_widest_gap(const gt_scan *scan, double ends[2]);

#ifdef __cplusplus
}
#endif
#endif
