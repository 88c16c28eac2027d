/* Thread pool: every index once, for any number of threads and chunks, also in nested calls.
 * labels: unit backend: none */
#include <stdatomic.h>
#include <stdlib.h>
#include <gantry/array.h>
#include <gantry/threads.h>
#include "core/poll.h"
#include "tests/support/support.h"

struct count {
	atomic_int *hits;
	gt_pool *pool;
	int threads;
	atomic_int bad;
};

static void hit(void *self, size_t i, size_t end, int worker)
{
	struct count *c = self;
	if (worker < 0 || worker >= c->threads || i >= end)
		atomic_fetch_add(&c->bad, 1);
	for (; i < end; i++)
		atomic_fetch_add(&c->hits[i], 1);
}

static void hit_inside(void *self, size_t i, size_t end, int worker)
{
	struct count *c = self;
	struct count inner = { c->hits, NULL, worker + 1, 0 };
	gt_parallel(c->pool, end - i, 1, hit, &inner); /* a nested call runs on one thread */
	if (inner.bad)
		atomic_fetch_add(&c->bad, 1);
}

GT_TEST(every_index_once)
{
	static const size_t sizes[] = { 0, 1, 2, 7, 1000, 12345 }, grains[] = { 0, 1, 3, 100000 };
	for (int threads = 1; threads <= 9; threads += 4) {
		gt_pool *pool = NULL;
		ck_ok(gt_pool_new(threads, &pool));
		ck_assert_int_eq(gt_pool_threads(pool), threads);
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
			for (size_t g = 0; g < sizeof grains / sizeof *grains; g++) {
				struct count c = { calloc(sizes[s] + 1, sizeof(atomic_int)), pool, threads, 0 };
				gt_parallel(pool, sizes[s], grains[g], hit, &c);
				ck_assert_int_eq(c.bad, 0);
				for (size_t i = 0; i < sizes[s]; i++)
					ck_assert_int_eq(c.hits[i], 1);
				free(c.hits);
			}
		gt_pool_free(pool);
	}
}

GT_TEST(threads_of_one_call)
{
	for (size_t n = 999; n <= 1001; n++) {
		struct count c = { calloc(n, sizeof(atomic_int)), NULL, n > 1000 ? 65536 : 1, 0 };
		gt_parallel_once(n, 1000, 10, hit, &c);
		ck_assert_int_eq(c.bad, 0);
		for (size_t i = 0; i < n; i++)
			ck_assert_int_eq(c.hits[i], 1);
		free(c.hits);
	}
}

GT_TEST(calls_within_calls)
{
	gt_pool *pool = NULL;
	ck_ok(gt_pool_new(4, &pool));
	struct count c = { calloc(1000, sizeof(atomic_int)), pool, 4, 0 };
	gt_parallel(pool, 1000, 10, hit_inside, &c);
	ck_assert_int_eq(c.bad, 0);
	int sum = 0;
	for (int i = 0; i < 1000; i++)
		sum += c.hits[i];
	ck_assert_int_eq(sum, 1000);
	free(c.hits);
	gt_pool_free(pool);
}

GT_TEST(no_pool_and_bad_numbers)
{
	gt_pool *pool = NULL;
	struct count c = { calloc(5, sizeof(atomic_int)), NULL, 1, 0 };
	gt_parallel(NULL, 5, 1, hit, &c);
	ck_assert(c.hits[0] == 1 && c.hits[4] == 1 && c.bad == 0);
	ck_assert_int_eq(gt_pool_threads(NULL), 1);
	ck_refused(gt_pool_new(-1, &pool), GT_ERR_ARG, "threads=-1");
	ck_ok(gt_pool_new(0, &pool));
	ck_assert_int_ge(gt_pool_threads(pool), 1);
	gt_pool_free(pool);
	gt_pool_free(NULL);
	free(c.hits);
}

GT_TEST(backends_of_too_many_threads)
{
	gt_backend *be;
	ck_refused(gt_backend_open("cpu:65536", &be), GT_ERR_ARG, "backend cpu:THREADS=65536: expected a whole number from 1 to");
}

int main(void) { return gt_test_main("threads", NULL); }
