#ifndef GT_GEOMETRY_PATIENT_POSITION_H
#define GT_GEOMETRY_PATIENT_POSITION_H
/* Positions of the patient: names, directions of axes. */
#include <gantry/data.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Returns the position of this name; GT_POSITION_AUTO for other names. */
gt_position gt_position_find(const char *name);
/* Coordinates of the patient (right, front, head) are sign times those of the scanner. Returns 1 or -1. */
int         gt_position_sign(gt_position position, int axis);
/* Returns the letter of the side to which an axis points in direction 1 or -1: R L A P H F. */
char        gt_position_letter(gt_position position, int axis, int direction);

#ifdef __cplusplus
}
#endif
#endif
