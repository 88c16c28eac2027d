/* Monotonic wall-clock time. */
#include <time.h>
#include "core/clock.h"

static double seconds_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double gt_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }
double gt_seconds_coarse(void) { return seconds_of(CLOCK_MONOTONIC_COARSE); }
