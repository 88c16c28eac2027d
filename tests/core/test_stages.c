/* Stages of a run and their times.
 * labels: unit  backend: none */
#include <pthread.h>
#include <gantry/message.h>
#include "core/log.h"
#include "tests/support/clock.h"
#include "tests/support/support.h"

static void *mark_elsewhere(void *self)
{
	gt_mark_stage("another thread");
	return self;
}

/* Marks a stage that lasts some seconds. */
static void stage(const char *name, double seconds)
{
	gt_mark_stage(name);
	gt_test_clock_pass(seconds);
}

GT_TEST(stages)
{
	static const struct {
		const char *name;
		double seconds;
	} expected[] = { { "start", 1 }, { "reading", 2.5 + 0.25 }, { "iterations", 4 } };
	const char *name;
	double seconds;
	pthread_t other;
	gt_test_clock(0);
	gt_mark_stage("before the clock runs");
	gt_timings_start();
	gt_test_clock_pass(1);
	stage("reading", 2.5);
	stage("iterations", 4);
	stage("reading", 0.25);
	ck_assert_int_eq(pthread_create(&other, NULL, mark_elsewhere, NULL), 0);
	ck_assert_int_eq(pthread_join(other, NULL), 0);
	const size_t n = gt_timings(0, &name, &seconds);
	ck_assert_uint_eq(n, sizeof expected / sizeof *expected);
	for (size_t i = 0; i < n; i++) {
		gt_timings(i, &name, &seconds);
		ck_assert_str_eq(name, expected[i].name);
		ck_assert_double_eq_tol(seconds, expected[i].seconds, 1e-9);
	}
	gt_timings(n, &name, &seconds);
	ck_assert_ptr_null(name);
	ck_assert(seconds == 0);
}

int main(void) { return gt_test_main("stages", NULL); }
