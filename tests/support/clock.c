/* A clock that counts its readings, so that verdicts do not depend on the speed or load of a computer. */
#include <pthread.h>
#include <time.h>
#include "tests/support/clock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_set;
static double now = 1000, step; /* now: 0 means never in some modules */

void gt_test_clock(double seconds)
{
	pthread_mutex_lock(&lock);
	is_set = 1;
	step = seconds;
	pthread_mutex_unlock(&lock);
}

void gt_test_clock_pass(double seconds)
{
	pthread_mutex_lock(&lock);
	is_set = 1;
	now += seconds;
	pthread_mutex_unlock(&lock);
}

double gt_seconds(void)
{
	struct timespec t;
	pthread_mutex_lock(&lock);
	now += step;
	const double seconds = now;
	const int counts = is_set;
	pthread_mutex_unlock(&lock);
	clock_gettime(CLOCK_MONOTONIC, &t);
	return counts ? seconds : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double gt_seconds_coarse(void) { return gt_seconds(); }
