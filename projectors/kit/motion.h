#ifndef GT_PROJECTORS_KIT_MOTION_H
#define GT_PROJECTORS_KIT_MOTION_H
/* Derivatives of the motions of gt_scan_move(). */
#include <gantry/projector.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Velocities of a view in the axes of the scan: T of the point `detector`, W angular velocity of the detector about it,
 * V of the source. A pixel p moves by T + W x (p - detector). */
enum { GT_VELOCITY_T = 0, GT_VELOCITY_W = 3, GT_VELOCITY_V = 6, GT_VELOCITIES = 9 };
/* Fills jacobian [views][GT_VELOCITIES][GT_MOTIONS]: derivatives of the velocities by the parameters at `motion`; NULL:
 * 0. scan: before the motion. */
void gt_motion_jacobian(const gt_scan *scan, const double *motion, double *jacobian);
#ifdef __cplusplus
}
#endif
#endif
