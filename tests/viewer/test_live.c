/* End of the live page of a reconstruction: a browser that polls gets the last slices until it confirms them or the
 * timeout passes. A closed browser is not awaited. The clock stands still.
 * labels: unit backend: none */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/image.h>
#include "tests/support/clock.h"
#include "tests/support/http.h"
#include "tests/support/support.h"
#include "viewer/live.h"

static const gt_grid grid = { { 3, 4, 2 }, { 1, 1, 1 }, { 0, 0, 0 } };
static gt_live_page *page;
static const char *address;
static pthread_t ending;

static void setup(void)
{
	static const float values[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	const gt_recon_slices s = { .size = sizeof s, .grid = &grid, .slice = { values, values, values }, .water = 0.02 };
	gt_test_clock(0);
	ck_ok(gt_live_page_new("a run", 0, &page));
	gt_live_page_slices(page, &s);
	address = gt_live_page_address(page);
}

static void *end(void *self)
{
	(void)self;
	gt_live_page_free(page, "stopped after 3 iterations");
	return NULL;
}

static void begin_to_end(void) { ck_assert_int_eq(pthread_create(&ending, NULL, end, NULL), 0); }

/* Returns after all earlier data were read. */
static void meet(void)
{
	size_t bytes;
	free(gt_test_get(address, "state/0", &bytes));
	ck_assert_uint_gt(bytes, 0);
}

static void learns_of_the_end(int browser)
{
	size_t bytes;
	char *text = gt_test_answer(browser, &bytes);
	ck_assert_msg(bytes && strstr(text, "stopped after 3 iterations"), "%s", text);
	free(text);
	free(gt_test_get(address, "slice/2", &bytes));
	ck_assert_uint_eq(bytes, 12 * sizeof(float));
}

GT_TEST(nobody_looks_on)
{
	begin_to_end();
	pthread_join(ending, NULL);
}

GT_TEST(what_is_seen_is_not_waited_for)
{
	size_t bytes;
	const int browser = gt_test_ask(address, "end"), leaves = gt_test_ask(address, "end");
	meet();
	close(leaves);
	meet();
	begin_to_end();
	learns_of_the_end(browser);
	free(gt_test_get(address, "seen", &bytes));
	pthread_join(ending, NULL);
}

GT_TEST(a_browser_that_hangs_is_waited_for_a_moment)
{
	const int browser = gt_test_ask(address, "end");
	meet();
	begin_to_end();
	learns_of_the_end(browser);
	gt_test_clock_pass(5);
	pthread_join(ending, NULL);
}

int main(void) { return gt_test_main_with("live page", setup, NULL); }
