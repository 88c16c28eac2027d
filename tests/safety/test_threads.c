/* Threads with a common backend, or one each, get the results of one thread; calls of one pool are serialised.
 * labels: unit */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/gantry.h>
#include "tests/support/problem.h"
#include "tests/support/support.h"

enum { THREADS = 3, ROUNDS = 20 };

/* Arrays and results of one thread. */
struct caller {
	const struct gt_test_problem *p;
	size_t subset;
	float *image, *expected; /* adjoint of the subset's data */
	double dot;
	atomic_int wrong;
	pthread_t thread;
};

static void project(struct caller *c, float *image, double *dot)
{
	const struct gt_test_problem *p = c->p;
	gt_array *x = NULL, *y = NULL;
	ck_ok(gt_array_like(p->x, &x));
	ck_ok(gt_array_like(p->b[c->subset], &y));
	gt_forward(p->A[c->subset], p->truth, y);
	gt_adjoint(p->A[c->subset], y, x);
	*dot = gt_dot(x, p->truth);
	gt_array_get(x, image);
	gt_array_free(x);
	gt_array_free(y);
}

static void *repeat(void *self)
{
	struct caller *c = self;
	for (int i = 0; i < ROUNDS; i++) {
		double dot;
		project(c, c->image, &dot);
		if (dot != c->dot || memcmp(c->image, c->expected, gt_array_bytes(c->p->x)))
			atomic_fetch_add(&c->wrong, 1);
	}
	return NULL;
}

/* One operator for all threads, or one each: their scratch memory belongs to the backend. */
static void run_threads(struct gt_test_problem *const *problem)
{
	struct caller c[THREADS] = { 0 };
	for (int k = 0; k < THREADS; k++) {
		c[k].p = problem[k];
		c[k].subset = (size_t)k % c[k].p->subsets;
		c[k].image = malloc(gt_array_bytes(c[k].p->x));
		c[k].expected = malloc(gt_array_bytes(c[k].p->x));
		project(&c[k], c[k].expected, &c[k].dot);
	}
	for (int k = 0; k < THREADS; k++)
		ck_assert_int_eq(pthread_create(&c[k].thread, NULL, repeat, &c[k]), 0);
	for (int k = 0; k < THREADS; k++) {
		pthread_join(c[k].thread, NULL);
		ck_assert_int_eq(c[k].wrong, 0);
		ck_ok(gt_backend_status(c[k].p->be));
		free(c[k].image);
		free(c[k].expected);
	}
}

static void share_one(size_t subsets)
{
	struct gt_test_problem p = gt_test_problem(gt_test_backend(), GT_F32, 12, 12, subsets);
	struct gt_test_problem *const all[THREADS] = { &p, &p, &p };
	run_threads(all);
	gt_test_problem_free(&p);
	gt_backend_close(p.be);
}

GT_TEST(one_operator_for_all) { share_one(1); }

GT_TEST(one_backend_for_all) { share_one(THREADS); }

GT_TEST(a_backend_each)
{
	struct gt_test_problem p[THREADS], *all[THREADS];
	for (int k = 0; k < THREADS; k++) {
		p[k] = gt_test_problem(gt_test_backend(), GT_F32, 12, 12, 1);
		all[k] = &p[k];
	}
	run_threads(all);
	for (int k = 0; k < THREADS; k++) {
		gt_test_problem_free(&p[k]);
		gt_backend_close(p[k].be);
	}
}

/* Reductions that are pending while another thread waits for its own. */
struct sums {
	gt_backend *be;
	int seed;
	atomic_int wrong;
	pthread_t thread;
};

static void *sum_often(void *self)
{
	struct sums *s = self;
	gt_array *x = NULL;
	ck_ok(gt_array_new(s->be, GT_F64, 1000, &x));
	gt_fill(s->seed, x);
	for (int i = 0; i < 50 * ROUNDS; i++) {
		double a, b;
		gt_sum_async(x, &a);
		gt_dot_async(x, x, &b);
		gt_reductions_wait(s->be);
		if (a != 1000.0 * s->seed || b != 1000.0 * s->seed * s->seed || gt_max(x) != s->seed)
			atomic_fetch_add(&s->wrong, 1);
	}
	gt_array_free(x);
	return NULL;
}

GT_TEST(reductions_are_each_ones_own)
{
	struct sums s[THREADS];
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < THREADS; k++) {
		s[k] = (struct sums){ .be = be, .seed = k + 1 };
		ck_assert_int_eq(pthread_create(&s[k].thread, NULL, sum_often, &s[k]), 0);
	}
	for (int k = 0; k < THREADS; k++) {
		pthread_join(s[k].thread, NULL);
		ck_assert_int_eq(s[k].wrong, 0);
	}
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}

struct count {
	gt_pool *pool;
	pthread_t thread;
	size_t done[4];
};

static void count_up(void *self, size_t begin, size_t end, int worker) { ((struct count *)self)->done[worker] += end - begin; }

static void *call_the_pool(void *self)
{
	struct count *c = self;
	for (int i = 0; i < 100 * ROUNDS; i++)
		gt_parallel(c->pool, 64, 1, count_up, c);
	return NULL;
}

GT_TEST(pool_calls_are_serialised)
{
	struct count c[THREADS] = { 0 };
	gt_pool *pool = NULL;
	ck_ok(gt_pool_new(4, &pool));
	for (int k = 0; k < THREADS; k++) {
		c[k].pool = pool;
		ck_assert_int_eq(pthread_create(&c[k].thread, NULL, call_the_pool, &c[k]), 0);
	}
	for (int k = 0; k < THREADS; k++) {
		pthread_join(c[k].thread, NULL);
		ck_assert_uint_eq(c[k].done[0] + c[k].done[1] + c[k].done[2] + c[k].done[3], 64 * 100 * ROUNDS);
	}
	gt_pool_free(pool);
}

int main(void) { return gt_test_main("threads on backends", NULL); }
