#ifndef GT_TESTS_SUPPORT_H
#define GT_TESTS_SUPPORT_H
/* Common parts of all test programs. gt_test_main() runs a suite on the backend GT_BACKEND (default "cpu"). Each test is
 * a child process, because the parent must not use CUDA. Exits with 77 (skipped) if there is no device, or with 1 if
 * GT_REQUIRE_GPU=1. */
#include <check.h>
#include <stdint.h>
#include <gantry/array.h>
#include <gantry/linop.h>
#include <gantry/scan.h>

/* Runs the tests that the macros below define, then those that fill() adds; fill NULL: none. */
int gt_test_main(const char *name, void (*fill)(TCase *tc));
/* Runs the defined tests, each between setup() and teardown(); NULL: none. */
int gt_test_main_with(const char *name, void (*setup)(void), void (*teardown)(void));
/* Seconds until a test counts as hung. No test has a shorter limit: under sanitizers and load, a second becomes a
 * minute. ctest has a longer limit. */
enum { GT_TEST_HANGS = 1800 };
/* 1, or N with GT_TESTS_EVERY=N: run every Nth of many similar slow cases, for sanitizers. */
int gt_tests_every(void);
/* 1 with GT_LONG=1 (./run test-all): all combinations instead of a selection. */
int gt_tests_long(void);
#define gt_add_alike(tc, test, n)                                       \
	for (int gt_k = 0; gt_k < (int)(n); gt_k += gt_tests_every())   \
		tcase_add_loop_test(tc, test, gt_k, gt_k + 1)

/* Define a test, which gt_test_main() runs without an entry in a list: once; for _i from 0 to n-1, or from `begin` to
 * end-1; for every Nth _i (gt_add_alike()). The body in braces follows. */
#define GT_TEST(name) GT_TEST_ADDED_BY(name, tcase_add_test(gt_tc, name))
#define GT_TESTS(name, n) GT_TESTS_IN(name, 0, n)
#define GT_TESTS_IN(name, begin, end) GT_TEST_ADDED_BY(name, tcase_add_loop_test(gt_tc, name, begin, end))
#define GT_TESTS_ALIKE(name, n) GT_TEST_ADDED_BY(name, gt_add_alike(gt_tc, name, n))
#define GT_TEST_ADDED_BY(name, add)                                                             \
	static void name##_body(int _i);                                                        \
	START_TEST(name) { name##_body(_i); } END_TEST                                          \
	static void name##_add(TCase *gt_tc) { add; }                                           \
	static void __attribute__((constructor)) name##_define(void)                            \
	{                                                                                       \
		static gt_test_definition definition = { name##_add, NULL };                    \
		gt_test_define(&definition);                                                    \
	}                                                                                       \
	static void name##_body(int _i __attribute__((unused)))
typedef struct gt_test_definition {
	void (*add)(TCase *tc);
	struct gt_test_definition *next;
} gt_test_definition;
void gt_test_define(gt_test_definition *d);

gt_backend *gt_test_backend(void);              /* opens GT_BACKEND; fails the test if it cannot */
/* On the CPU with one thread: faster for thousands of small calls. */
gt_backend *gt_test_backend_alone(void);
int gt_test_is_gpu(void);
gt_counters gt_test_counters(const gt_backend *be);
/* Uniform in [-1,1) from a counter: equal on all systems. */
void gt_test_random(unsigned seed, size_t n, float *x);
double gt_test_normal(uint64_t seed, uint64_t counter);         /* the first of gt_random_at(seed, counter) */
gt_array *gt_test_array(gt_backend *be, gt_type t, size_t n, unsigned seed);    /* random contents */
/* |x - y| / |y|, 2-norms in double precision. */
double gt_test_rms(const float *x, const float *y, size_t n);

/* Makes a temporary folder; folder: at least 32 bytes. Removes it, and fails the test if it is not empty. */
void gt_test_folder(char *folder);
void gt_test_folder_remove(const char *folder);
void gt_test_write(const char *path, const char *text);
/* Overwrites n bytes of a file at an offset; n = 0 truncates it there. */
void gt_test_damage(const char *name, long at, const char *bytes, int n);

size_t gt_test_threads(void);                   /* threads of this process */
/* Fails the test if there are more threads a minute later; a joined thread may be listed for a moment. */
void gt_test_no_thread_left(size_t before);
int  gt_test_keeps_freed_memory(void);   /* under AddressSanitizer, process memory then has no meaning */

#define ck_ok(call) do { gt_status ck_s = (call); ck_assert_msg(ck_s == GT_OK, "%s: %s", #call, gt_error()); } while (0)
/* One test for all cases of static void NAME_of(int) in one process, because starting a device takes longer than
 * most cases. */
#define GT_TEST_ALL(name, cases) GT_TEST(name) { for (int ck_i = 0; ck_i < (cases); ck_i++) name##_of(ck_i); }
/* The call fails with this status, and the message contains the text. */
#define ck_refused(call, code, text) do { gt_status ck_s = (call);                                  \
	ck_assert_msg(ck_s == (code), "%s gave status %d (%s), not %s", #call, ck_s, gt_error(), #code); \
	ck_assert_msg(strstr(gt_error(), text) != NULL, "'%s' is not in the message '%s'", text, gt_error()); } while (0)

#endif
