#ifndef GT_CORE_CLOCK_H
#define GT_CORE_CLOCK_H

double gt_seconds(void);        /* of a clock that never goes back */

#endif
