/* A caller can cancel a long call and continue afterwards.
 * labels: unit */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <gantry/gantry.h>
#include "core/device/backend.h"
#include "core/poll.h"
#include "tests/support/clock.h"
#include "tests/support/penalties.h"
#include "tests/support/problem.h"
#include "tests/support/support.h"

/* Returns 1 from call stop_at on. */
struct asked {
	int calls, stop_at;
};

static int stop(void *self)
{
	struct asked *a = self;
	return ++a->calls >= a->stop_at;
}

enum { FORWARD, ADJOINT, FDK, LONG_CALLS };

static void call(const struct gt_test_problem *p, int which)
{
	if (which == FORWARD)
		gt_forward(p->A[0], p->truth, p->b[0]);
	else if (which == ADJOINT)
		gt_adjoint(p->A[0], p->b[0], p->x);
	else
		gt_analytic_run(gt_analytic_find("fdk"), p->be, &p->grid, p->scan, NULL, p->b[0], p->x);
}

/* NaN before the call; a method may clear its result first. */
static double part_written(gt_array *a)
{
	const size_t n = gt_array_size(a);
	size_t written = 0;
	float *host = malloc(n * sizeof *host);
	gt_array_get_float(a, host);
	for (size_t i = 0; i < n; i++)
		written += !isnan(host[i]) && host[i] != 0;
	free(host);
	return (double)written / (double)n;
}

/* Cancels at the second poll, inside the call, after the first block of the calling thread. Returns the fraction of
 * the result that was written; 1 if the other thread took all blocks. */
static double stopped_call(const struct gt_test_problem *p, int which, gt_array *out)
{
	struct asked a = { .stop_at = 2 };
	gt_fill(NAN, out);
	gt_backend_poll(p->be, stop, &a);
	call(p, which);
	ck_assert(a.calls == 1 || a.calls == 2);
	if (a.calls == 2 && which != FDK) {
		ck_refused(gt_backend_known(p->be), GT_STOPPED, "stopped by the caller");
		ck_assert_int_eq(gt_backend_status(p->be), GT_STOPPED);
	}
	gt_backend_poll(p->be, NULL, NULL);
	return a.calls == 2 ? part_written(out) : 1;
}

/* A cancelled call of one thread leaves most of its result unwritten. A second thread may finish the result before
 * the calling thread asks. */
static void stopped_inside(const char *backend, int which)
{
	gt_backend *be = NULL;
	ck_ok(gt_backend_open(backend, &be));
	struct gt_test_problem p = gt_test_problem(be, GT_F32, 64, 90, 1);
	gt_array *out = which == FORWARD ? p.b[0] : p.x;
	gt_fill(NAN, out);
	call(&p, which);
	const double whole = part_written(out), part = stopped_call(&p, which, out);
	ck_assert_msg(gt_pool_threads(gt_backend_pool(be)) > 1 || part < 0.5 * whole, "%g of the result is written, %g without a stop",
	              part, whole);
	call(&p, which);
	ck_ok(gt_backend_status(be));
	ck_assert_double_eq(part_written(out), whole);
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

GT_TESTS(inside_one_call, LONG_CALLS)
{
	stopped_inside("cpu:2", _i);
	stopped_inside("cpu:1", _i);
}

/* The calling thread's blocks take no time, the other's 1 ms each, so that it cannot take all of them. */
static void count_block(void *self, size_t begin, size_t end, int worker)
{
	if (worker)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	atomic_fetch_add((atomic_size_t *)self, end - begin);
}

GT_TEST(later_blocks_are_skipped)
{
	enum { BLOCKS = 100000 };
	for (int threads = 1; threads <= 2; threads++) {
		struct asked a = { .stop_at = 1 };
		gt_poll p = { .stop = stop, .self = &a };
		gt_pool *pool = NULL;
		atomic_size_t done = 0;
		ck_ok(gt_pool_new(threads, &pool));
		gt_poll_set(&p);
		gt_parallel(pool, BLOCKS, 1, count_block, &done);
		ck_assert_int_eq(a.calls, 1);
		if (threads == 1)
			ck_assert_uint_eq(done, 1);
		ck_assert_uint_lt(done, BLOCKS);
		done = 0;
		gt_parallel(pool, BLOCKS, 1, count_block, &done);
		ck_assert_uint_eq(done, 0);
		gt_poll_set(NULL);
		gt_pool_free(pool);
	}
}

GT_TEST(a_stopped_analytic_run_says_so)
{
	struct gt_test_problem p = gt_test_problem(gt_test_backend(), GT_F32, 16, 20, 1);
	struct asked a = { .stop_at = 1 };
	gt_backend_poll(p.be, stop, &a);
	ck_assert_int_eq(gt_analytic_run(gt_analytic_find("fdk"), p.be, &p.grid, p.scan, NULL, p.b[0], p.x), GT_STOPPED);
	gt_backend_poll(p.be, NULL, NULL);
	ck_ok(gt_analytic_run(gt_analytic_find("fdk"), p.be, &p.grid, p.scan, NULL, p.b[0], p.x));
	gt_test_problem_free(&p);
	gt_backend_close(p.be);
}

GT_TEST(it_sticks_until_the_status_is_asked)
{
	struct gt_test_problem p = gt_test_problem(gt_test_backend(), GT_F32, 8, 6, 1);
	struct asked a = { .stop_at = 1 };
	gt_fill(3, p.x);
	gt_backend_poll(p.be, stop, &a);
	gt_adjoint(p.A[0], p.b[0], p.x);
	gt_backend_poll(p.be, NULL, NULL);
	gt_fill(4, p.x); /* has no effect */
	ck_assert_int_eq(gt_backend_known(p.be), GT_STOPPED);
	ck_assert_int_eq(gt_backend_status(p.be), GT_STOPPED);
	ck_ok(gt_backend_known(p.be));
	ck_assert_double_eq(gt_max(p.x), 3);
	gt_test_problem_free(&p);
	gt_backend_close(p.be);
}

GT_TEST(a_solver_ends)
{
	struct gt_test_problem p = gt_test_problem(gt_test_backend(), GT_F32, 8, 6, 1);
	struct asked a = { .stop_at = 1 };
	gt_penalty *R = gt_test_square(&gt_test_square_ops, p.x, 1);
	gt_backend_poll(p.be, stop, &a);
	ck_assert_int_eq(gt_solve(gt_solver_find("cgls"), &p.problem, NULL, p.x, NULL), GT_STOPPED);
	a = (struct asked){ .stop_at = 1 };
	gt_backend_poll(p.be, stop, &a);
	gt_penalty_prox(R, 1, 0, 1, p.x, p.x);
	ck_assert_int_eq(gt_backend_status(p.be), GT_STOPPED);
	gt_backend_poll(p.be, NULL, NULL);
	gt_fill(0, p.x);
	ck_ok(gt_solve(gt_solver_find("cgls"), &p.problem, NULL, p.x, NULL));
	gt_penalty_free(R);
	gt_test_problem_free(&p);
	gt_backend_close(p.be);
}

/* The poll callback computes on another backend, which is not part of the call. */
struct busy {
	const struct gt_test_problem *other;
	const gt_backend *be;
	int calls, inside, max;
	double moved; /* progress of the call during the callback */
};

static int compute(void *self)
{
	struct busy *b = self;
	const double before = gt_backend_passes(b->be);
	b->max = ++b->inside > b->max ? b->inside : b->max;
	if (b->calls++ < 3)
		for (int i = 0; i < 4; i++) {
			call(b->other, FORWARD);
			call(b->other, FDK);
		}
	b->moved += gt_backend_passes(b->be) - before;
	b->inside--;
	return 0;
}

GT_TEST(callbacks_may_compute)
{
	gt_backend *be = NULL, *elsewhere = NULL;
	ck_ok(gt_backend_open("cpu:2", &be));
	ck_ok(gt_backend_open("cpu:2", &elsewhere));
	struct gt_test_problem p = gt_test_problem(be, GT_F32, 64, 90, 1), other = gt_test_problem(elsewhere, GT_F32, 32, 30, 1);
	struct busy b = { .other = &other, .be = be };
	gt_backend_poll(be, compute, &b);
	call(&p, FORWARD);
	ck_ok(gt_backend_status(be));
	ck_ok(gt_backend_status(elsewhere));
	ck_assert_int_ge(b.calls, 2);
	ck_assert_int_eq(b.max, 1);
	ck_assert_double_eq(b.moved, 0);
	gt_backend_poll(be, NULL, NULL);
	gt_test_problem_free(&p);
	gt_test_problem_free(&other);
	gt_backend_close(elsewhere);
	gt_backend_close(be);
}

/* Each poll is long after the previous one, so none is skipped. */
static void setup(void) { gt_test_clock(1); }

int main(void) { return gt_test_main_with("poll", setup, NULL); }
