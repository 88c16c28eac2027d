#ifndef GT_GEOMETRY_PERTURB_H
#define GT_GEOMETRY_PERTURB_H
/* Random displacements of the views of a scan, as those of a C-arm. */
#include <gantry/scan.h>

/* What a C-arm does: source and detector of each view are displaced by up to `shift` mm along each axis, each by
 * itself, and the detector is turned by up to `tilt` radians around an axis of its own. Flat detectors;
 * GT_ERR_UNSUPPORTED for others. */
gt_status gt_scan_perturb(gt_scan *scan, double shift, double tilt, uint64_t seed);

#endif
