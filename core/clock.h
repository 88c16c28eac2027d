#ifndef GT_CORE_CLOCK_H
#define GT_CORE_CLOCK_H
/* A clock for measuring how long something takes. */

double gt_seconds(void);        /* of a clock that never goes back */
double gt_seconds_coarse(void); /* of the same clock at its last tick, some ms ago: costs less */

#endif
