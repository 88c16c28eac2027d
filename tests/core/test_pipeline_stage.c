/* A pipeline stage: order of items and buffers, failures on either side, early ends, and no remaining thread.
 * labels: unit backend: none */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/pipeline_stage.h"
#include "tests/support/clock.h"
#include "tests/support/support.h"

enum { ITEMS = 9, NONE = 1000, HOUR = 3600 /* s of the clock, to write an item */ };

static struct work {
	_Atomic size_t done; /* read by the caller while the thread works */
	size_t fails_at, seen[ITEMS];
	double pause; /* seconds before each item */
	pthread_t thread;
} w;
static size_t buffers[GT_STAGE_BUFFERS];

static void sleep_for(double seconds) { nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * seconds) }, NULL); }

/* Fills its buffer with the square of the item's number. */
static gt_status fill_item(void *self, size_t item, void *buffer)
{
	ck_assert_ptr_eq(self, &w);
	w.thread = pthread_self();
	sleep_for(w.pause);
	if (item == w.fails_at)
		return gt_fail(GT_ERR_IO, "item %zu cannot be read", item);
	*(size_t *)buffer = item * item;
	w.done++;
	return GT_OK;
}

static gt_status empty_item(void *self, size_t item, void *buffer)
{
	ck_assert_ptr_eq(self, &w);
	w.thread = pthread_self();
	sleep_for(w.pause);
	gt_test_clock_pass(HOUR);
	if (item == w.fails_at)
		return gt_fail(GT_ERR_IO, "item %zu cannot be written", item);
	w.seen[item] = *(size_t *)buffer;
	w.done++;
	return GT_OK;
}

static gt_stage stage(int fills, int alone)
{
	w = (struct work){ .fails_at = NONE };
	return (gt_stage){ .work = fills ? fill_item : empty_item,
		           .self = &w,
		           .buffer = { &buffers[0], &buffers[1] },
		           .items = ITEMS,
		           .fills = fills,
		           .alone = alone };
}

/* _i: 1: without a thread. The two buffers alternate. */
GT_TESTS(filled_in_order, 2)
{
	gt_stage s = stage(1, _i);
	void *buffer;
	ck_ok(gt_stage_start(&s));
	for (size_t item = 0; item < ITEMS; item++) {
		ck_ok(gt_stage_take(&s, &buffer));
		ck_assert_ptr_eq(buffer, &buffers[item % 2]);
		ck_assert_uint_eq(*(size_t *)buffer, item * item);
		gt_stage_give(&s);
	}
	ck_ok(gt_stage_end(&s));
	ck_assert_uint_eq(w.done, ITEMS);
	ck_assert(!pthread_equal(w.thread, pthread_self()) == !_i);
	gt_stage_stop(&s);
	gt_test_no_thread_left(1);
}

GT_TESTS(emptied_in_order, 2)
{
	gt_stage s = stage(0, _i);
	void *buffer;
	ck_ok(gt_stage_start(&s));
	for (size_t item = 0; item < ITEMS; item++) {
		ck_ok(gt_stage_take(&s, &buffer));
		ck_assert_ptr_eq(buffer, &buffers[item % 2]);
		*(size_t *)buffer = 100 + item;
		gt_stage_give(&s);
	}
	ck_ok(gt_stage_end(&s)); /* everything passed is written by then */
	ck_assert_uint_eq(w.done, ITEMS);
	for (size_t item = 0; item < ITEMS; item++)
		ck_assert_uint_eq(w.seen[item], 100 + item);
	ck_assert(!pthread_equal(w.thread, pthread_self()) == !_i);
	gt_test_no_thread_left(1);
}

/* The thread is at most two buffers ahead and never overwrites the caller's buffer. */
GT_TEST(a_slow_caller)
{
	gt_stage s = stage(1, 0);
	void *buffer;
	ck_ok(gt_stage_start(&s));
	for (size_t item = 0; item < ITEMS; item++) {
		ck_ok(gt_stage_take(&s, &buffer));
		sleep_for(0.01);
		ck_assert_uint_eq(*(size_t *)buffer, item * item);
		ck_assert_uint_le(w.done, item + GT_STAGE_BUFFERS);
		gt_stage_give(&s);
	}
	ck_ok(gt_stage_end(&s));
}

GT_TEST(a_slow_thread)
{
	gt_stage s = stage(0, 0);
	void *buffer;
	w.pause = 0.01;
	gt_test_clock(0);
	ck_ok(gt_stage_start(&s));
	for (size_t item = 0; item < ITEMS; item++) {
		ck_ok(gt_stage_take(&s, &buffer));
		*(size_t *)buffer = item;
		gt_stage_give(&s);
	}
	ck_ok(gt_stage_end(&s));
	for (size_t item = 0; item < ITEMS; item++)
		ck_assert_uint_eq(w.seen[item], item);
	ck_assert_double_eq(s.seconds, HOUR * ITEMS);
}

/* A reader that fails at item 4 gives at most the items before it, then its message on every call. */
GT_TESTS(reading_fails, 2)
{
	gt_stage s = stage(1, _i);
	void *buffer;
	size_t got = 0;
	w.fails_at = 4;
	ck_ok(gt_stage_start(&s));
	while (got < ITEMS && gt_stage_take(&s, &buffer) == GT_OK) {
		ck_assert_uint_eq(*(size_t *)buffer, got * got);
		gt_stage_give(&s);
		got++;
	}
	ck_assert_uint_le(got, 4);
	ck_refused(gt_stage_take(&s, &buffer), GT_ERR_IO, "item 4 cannot be read");
	ck_refused(gt_stage_end(&s), GT_ERR_IO, "item 4 cannot be read");
	ck_assert_uint_eq(w.done, 4);
	gt_test_no_thread_left(1);
}

GT_TESTS(writing_fails, 2)
{
	gt_stage s = stage(0, _i);
	void *buffer;
	size_t given = 0;
	w.fails_at = 3;
	ck_ok(gt_stage_start(&s));
	while (given < ITEMS && gt_stage_take(&s, &buffer) == GT_OK) {
		*(size_t *)buffer = given++;
		gt_stage_give(&s);
	}
	ck_assert_uint_ge(given, 4);
	ck_assert_uint_le(given, 4 + GT_STAGE_BUFFERS);
	ck_refused(gt_stage_end(&s), GT_ERR_IO, "item 3 cannot be written");
	ck_assert_uint_eq(w.done, 3);
	gt_test_no_thread_left(1);
}

/* The failure of the last item is reported only at the end. */
GT_TESTS(the_last_fails, 2)
{
	gt_stage s = stage(0, _i);
	void *buffer;
	w.fails_at = ITEMS - 1;
	ck_ok(gt_stage_start(&s));
	for (size_t item = 0; item < ITEMS; item++) {
		ck_ok(gt_stage_take(&s, &buffer));
		gt_stage_give(&s);
	}
	ck_refused(gt_stage_end(&s), GT_ERR_IO, "item 8 cannot be written");
}

/* The caller stops after some items: a thread that waits for a buffer ends at once. */
GT_TESTS(the_caller_stops, 2)
{
	gt_stage s = stage(_i, 0);
	void *buffer;
	ck_ok(gt_stage_start(&s));
	for (int item = 0; item < 2; item++) {
		ck_ok(gt_stage_take(&s, &buffer));
		gt_stage_give(&s);
	}
	gt_stage_stop(&s);
	gt_test_no_thread_left(1);
	ck_assert_uint_le(w.done, 2 + GT_STAGE_BUFFERS);
	gt_stage_stop(&s); /* twice is allowed */
	ck_ok(gt_stage_end(&s));
}

/* Never started, or started and never used. */
GT_TESTS(unused, 2)
{
	gt_stage never = stage(1, 0), idle = stage(_i, 0);
	gt_stage_stop(&never);
	ck_ok(gt_stage_start(&idle));
	gt_stage_stop(&idle);
	gt_test_no_thread_left(1);
}

int main(void) { return gt_test_main("pipeline_stage", NULL); }
