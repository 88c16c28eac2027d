#ifndef GT_CORE_CLOCK_H
#define GT_CORE_CLOCK_H

double gt_seconds(void);        /* seconds on a monotonic clock */
double gt_seconds_coarse(void); /* the same clock at its last tick, some ms ago; cheaper */

#endif
