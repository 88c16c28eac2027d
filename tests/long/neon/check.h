#ifndef GT_TESTS_LONG_NEON_CHECK_H
#define GT_TESTS_LONG_NEON_CHECK_H
/* Replacement of the library Check for processors without it. Tests run in sequence in one process; the first
 * failure ends it. GT_TESTS_EVERY=N runs every Nth case of a loop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GT_TESTS_AT_MAX = 1024, CK_NORMAL = 0 };
typedef struct { const char *name; void (*function)(int _i); } gt_check_test;
typedef struct { int count; struct { const gt_check_test *test; int begin, end; } all[GT_TESTS_AT_MAX]; } TCase;
typedef TCase *Suite;
typedef TCase SRunner;

#define START_TEST(id)                                                     \
	static void id##_function(int _i);                                 \
	static const gt_check_test id##_test = { #id, id##_function };     \
	static const gt_check_test *const id = &id##_test;                 \
	static void id##_function(int _i __attribute__((unused)))
#define END_TEST

#define ck_assert_msg(expression, ...)                                     \
	do {                                                               \
		if (!(expression)) {                                       \
			printf("%s:%d: ", __FILE__, __LINE__);             \
			printf("" __VA_ARGS__);                            \
			putchar('\n');                                     \
			exit(1);                                           \
		}                                                          \
	} while (0)
#define ck_assert(expression) ck_assert_msg(expression, "%s", #expression)
#define ck_assert_int_eq(a, b) ck_assert((a) == (b))
#define ck_assert_int_ne(a, b) ck_assert((a) != (b))
#define ck_assert_int_ge(a, b) ck_assert((a) >= (b))
#define ck_assert_uint_eq(a, b) ck_assert((a) == (b))
#define ck_assert_uint_le(a, b) ck_assert((a) <= (b))
#define ck_assert_ptr_nonnull(a) ck_assert((a) != NULL)
#define ck_assert_ptr_null(a) ck_assert((a) == NULL)
#define ck_assert_ptr_eq(a, b) ck_assert((a) == (b))
#define ck_assert_str_eq(a, b) ck_assert(!strcmp(a, b))

static inline void tcase_add_loop_test(TCase *tc, const gt_check_test *test, int begin, int end)
{
	ck_assert(tc->count < GT_TESTS_AT_MAX);
	tc->all[tc->count].test = test;
	tc->all[tc->count].begin = begin;
	tc->all[tc->count++].end = end;
}
static inline void tcase_add_test(TCase *tc, const gt_check_test *test) { tcase_add_loop_test(tc, test, 0, 1); }
static inline TCase *tcase_create(const char *name) { return name ? calloc(1, sizeof(TCase)) : NULL; }
static inline void tcase_add_checked_fixture(TCase *tc, void (*setup)(void), void (*teardown)(void))
{
	(void)tc, (void)setup, (void)teardown;
}
static inline void tcase_set_timeout(TCase *tc, double seconds) { (void)tc, (void)seconds; }
static inline Suite *suite_create(const char *name) { return name ? calloc(1, sizeof(Suite)) : NULL; }
static inline void suite_add_tcase(Suite *s, TCase *tc) { *s = tc; }
static inline SRunner *srunner_create(Suite *s) { return *s; }
static inline void srunner_run_all(SRunner *r, int verbosity)
{
	const char *text = getenv("GT_TESTS_EVERY");
	const int every = text && atoi(text) > 1 ? atoi(text) : 1;
	(void)verbosity;
	for (int i = 0; i < r->count; i++)
		for (int k = r->all[i].begin; k < r->all[i].end; k += every) {
			printf("%s %d\n", r->all[i].test->name, k);
			fflush(stdout);
			r->all[i].test->function(k);
		}
}
static inline int srunner_ntests_failed(SRunner *r) { return r->count == 0; }
static inline void srunner_free(SRunner *r) { free(r); }
#endif
