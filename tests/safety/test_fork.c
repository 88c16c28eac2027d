/* A forked child of a process that has computed gets the same results, or an error that names the reason.
 * labels: unit */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gantry/gantry.h>
#include "core/clones.h"
#include "tests/support/problem.h"
#include "tests/support/support.h"

#if defined(__SANITIZE_THREAD__)
#define NO_THREADS_AFTER_FORK 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NO_THREADS_AFTER_FORK 1
#endif
#endif

/* Returns the child's exit status; an alarm ends a child that hangs. */
static int in_child(int (*work)(void *), void *self)
{
	int status = 0;
	const pid_t child = fork();
	if (child == 0) {
		signal(SIGALRM, SIG_DFL);
		alarm(GT_TEST_HANGS / 2);
		_exit(work(self));
	}
	ck_assert_int_ge(child, 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct shared {
	struct gt_test_problem p;
	float *expected, *found;
};

static int project(struct shared *s, float *image)
{
	gt_forward(s->p.A[0], s->p.truth, s->p.b[0]);
	gt_adjoint(s->p.A[0], s->p.b[0], s->p.x);
	gt_array_get(s->p.x, image);
	return gt_backend_status(s->p.be) != GT_OK;
}

static int same_bits(void *self)
{
	struct shared *s = self;
	if (project(s, s->found))
		return 1;
	return memcmp(s->found, s->expected, gt_array_bytes(s->p.x)) ? 2 : 0;
}

/* Every call is refused with a message, and freeing is safe. */
static int refused(void *self)
{
	struct shared *s = self;
	gt_array *a = NULL;
	if (!project(s, s->found) || !strstr(gt_error(), "forked"))
		return 1;
	if (gt_array_new(s->p.be, GT_F32, 10, &a) == GT_OK)
		return 2;
	gt_test_problem_free(&s->p);
	gt_backend_close(s->p.be);
	return 0;
}

static struct shared setup(void)
{
	struct shared s = { .p = gt_test_problem(gt_test_backend(), GT_F32, 12, 8, 1) };
	s.expected = malloc(gt_array_bytes(s.p.x));
	s.found = malloc(gt_array_bytes(s.p.x));
	ck_assert_int_eq(project(&s, s.expected), 0);
	return s;
}

static void teardown(struct shared *s)
{
	gt_test_problem_free(&s->p);
	gt_backend_close(s->p.be);
	free(s->expected);
	free(s->found);
}

START_TEST(a_child_computes_the_same)
{
	struct shared s = setup();
	ck_assert_int_eq(in_child(gt_test_is_gpu() ? refused : same_bits, &s), 0);
	ck_assert_int_eq(project(&s, s.found), 0); /* the parent continues */
	teardown(&s);
}
END_TEST

static void *compute_on(void *self)
{
	struct shared *s = self;
	for (int i = 0; i < 40; i++)
		project(s, s->found);
	return NULL;
}

static int sum_of_own(void *self)
{
	gt_array *a = NULL;
	if (gt_array_new(self, GT_F64, 100000, &a) != GT_OK)
		return 1;
	gt_fill(2, a);
	return gt_sum(a) == 200000 ? 0 : 2;
}

/* The lock is held by a thread that the child does not have. */
START_TEST(forked_while_another_thread_computes)
{
	struct shared s = setup();
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, compute_on, &s), 0);
	for (int i = 0; i < 10 && !gt_test_is_gpu(); i++)
		ck_assert_int_eq(in_child(sum_of_own, s.p.be), 0);
	pthread_join(thread, NULL);
	teardown(&s);
}
END_TEST

static void fill(TCase *tc)
{
#ifndef NO_THREADS_AFTER_FORK
	tcase_add_test(tc, a_child_computes_the_same);
	/* The allocator of a sanitizer has locks that fork() does not handle: another thread may hold one. */
#if GT_SANITIZED
	(void)forked_while_another_thread_computes;
#else
	tcase_add_test(tc, forked_while_another_thread_computes);
#endif
#else
	(void)tc, (void)a_child_computes_the_same, (void)forked_while_another_thread_computes;
#endif
}

int main(void) { return gt_test_main("fork", fill); }
