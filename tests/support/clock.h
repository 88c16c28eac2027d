#ifndef GT_TESTS_CLOCK_H
#define GT_TESTS_CLOCK_H
/* A clock for the library that a test sets, in place of core/clock.c. Programs that call one of these functions link it.
 * It shows the time of the system until the first call. Any thread may read and move it. */
#include "core/clock.h"

/* From here on each reading of the clock is `step` seconds after the reading before. */
void gt_test_clock(double step);
/* Moves it ahead, as something that takes so long. */
void gt_test_clock_pass(double seconds);

#endif
