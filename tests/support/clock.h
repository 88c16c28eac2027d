#ifndef GT_TESTS_CLOCK_H
#define GT_TESTS_CLOCK_H
/* A settable clock in place of core/clock.c, linked by programs that call these functions. It shows system time
 * until the first call. Thread-safe. */
#include "core/clock.h"

/* From now on each reading is `step` seconds after the reading before. */
void gt_test_clock(double step);
/* Moves the clock ahead. */
void gt_test_clock_pass(double seconds);

#endif
