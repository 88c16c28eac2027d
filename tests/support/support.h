#ifndef GT_TESTS_SUPPORT_H
#define GT_TESTS_SUPPORT_H
/* What every test program shares. A program:
 *   int main(void) { return gt_test_main("dd", suite_function); }
 * runs its suite on the backend named by GT_BACKEND (default "cpu"), forked per test (no CUDA in the parent);
 * exits 77 (skipped) where that backend has no device, or 1 if GT_REQUIRE_GPU=1. */
#include <check.h>
#include <stdint.h>
#include <gantry/array.h>
#include <gantry/linop.h>
#include <gantry/scan.h>

int gt_test_main(const char *name, void (*fill)(TCase *tc));
/* s: a test that takes longer hangs. No test has a shorter limit: under sanitizers, beside other programs, a second
 * becomes a minute. ctest ends programs later than that. */
enum { GT_TEST_HANGS = 1800 };
/* Of n cases that are much alike all, or with GT_TESTS_EVERY=N every Nth, where each takes long: under sanitizers. */
int gt_tests_every(void);
/* 1 with GT_LONG=1, which ./run test-all sets: all combinations, of which else some are tested. */
int gt_tests_long(void);
#define gt_add_alike(tc, test, n)                                       \
	for (int gt_k = 0; gt_k < (int)(n); gt_k += gt_tests_every())   \
		tcase_add_loop_test(tc, test, gt_k, gt_k + 1)

gt_backend *gt_test_backend(void);              /* opens GT_BACKEND; fails the test if it cannot */
/* On the CPU with one thread: threads cost more than they save in thousands of small calls. */
gt_backend *gt_test_backend_alone(void);
int gt_test_is_gpu(void);
gt_counters gt_test_counters(const gt_backend *be);
/* Uniform in [-1,1) from a counter: the same numbers everywhere. */
void gt_test_random(unsigned seed, size_t n, float *x);
double gt_test_normal(uint64_t seed, uint64_t counter);         /* the first of gt_random_at(seed, counter) */
gt_array *gt_test_array(gt_backend *be, gt_type t, size_t n, unsigned seed);    /* random contents */
/* |x - y| / |y|, root of sums in double. */
double gt_test_rms(const float *x, const float *y, size_t n);

size_t gt_test_threads(void);                   /* of this process, now */
/* Fails the test if there are more threads than that a minute later: one that was joined may be listed a moment
 * longer. */
void gt_test_no_thread_left(size_t before);
int  gt_test_keeps_freed_memory(void);   /* AddressSanitizer does: how much a process holds says nothing then */

#define ck_ok(call) do { gt_status ck_s = (call); ck_assert_msg(ck_s == GT_OK, "%s: %s", #call, gt_error()); } while (0)
/* A test of all cases of static void NAME_of(int), in one process: a device is begun once, which takes longer than
 * most cases. */
#define GT_TEST_ALL(name, cases) START_TEST(name) { for (int ck_i = 0; ck_i < (cases); ck_i++) name##_of(ck_i); } END_TEST
/* The call fails with that status, and the message holds the text. */
#define ck_refused(call, code, text) do { gt_status ck_s = (call);                                  \
	ck_assert_msg(ck_s == (code), "%s gave status %d (%s), not %s", #call, ck_s, gt_error(), #code); \
	ck_assert_msg(strstr(gt_error(), text) != NULL, "'%s' is not in the message '%s'", text, gt_error()); } while (0)

#endif
