/* Stages of a run and their times.
 * labels: unit  backend: none */
#include <pthread.h>
#include <gantry/message.h>
#include "core/clock.h"
#include "tests/support/support.h"

static void *mark_elsewhere(void *self)
{
	gt_mark_stage("another thread");
	return self;
}

START_TEST(stages)
{
	static const char *const expected[] = { "start", "reading", "iterations" };
	const char *name;
	double seconds, sum = 0;
	pthread_t other;
	gt_mark_stage("before the clock runs");
	const double begin = gt_seconds();
	gt_timings_start();
	gt_mark_stage("reading");
	gt_mark_stage("iterations");
	gt_mark_stage("reading");
	ck_assert_int_eq(pthread_create(&other, NULL, mark_elsewhere, NULL), 0);
	ck_assert_int_eq(pthread_join(other, NULL), 0);
	const size_t n = gt_timings(0, &name, &seconds);
	ck_assert_uint_eq(n, sizeof expected / sizeof *expected);
	for (size_t i = 0; i < n; i++) {
		gt_timings(i, &name, &seconds);
		ck_assert_str_eq(name, expected[i]);
		ck_assert(seconds >= 0);
		sum += seconds;
	}
	ck_assert_msg(sum <= gt_seconds() - begin, "stages of %g s in %g s", sum, gt_seconds() - begin);
	gt_timings(n, &name, &seconds);
	ck_assert_ptr_null(name);
	ck_assert(seconds == 0);
}
END_TEST

static void fill(TCase *tc) { tcase_add_test(tc, stages); }

int main(void) { return gt_test_main("clock", fill); }
