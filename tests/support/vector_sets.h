#ifndef GT_TESTS_SUPPORT_VECTOR_SETS_H
#define GT_TESTS_SUPPORT_VECTOR_SETS_H
/* Tests of kernels that are compiled once per instruction set (core/vectors/sets.h). A test includes this header,
 * then the kernel under the name sixteen_lanes: vectors of 16 lanes in plain C, which run on any processor. */
#include <string.h>
#include "tests/support/support.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* everything is inlined */
#define GT_LANES 16

static const char *const sets[] = { "any", "avx2", "avx512", "sixteen" };
enum { SETS = sizeof sets / sizeof *sets };

/* use(set): selects the kernels of this set; 0 if the processor lacks it. use_in_turn(i): selects set i, or the next
 * supported one, and returns its name. kind: as in gt_KIND_find(). */
#define GT_TEST_USE(kind)                                                                              \
	static int use(const char *set)                                                                \
	{                                                                                              \
		const kind##_kernels *k = strcmp(set, "sixteen") ? kind##_find(set) : &sixteen_lanes; \
		kind##_use(k);                                                                         \
		return k != NULL;                                                                      \
	}                                                                                              \
	static inline const char *use_in_turn(int i)                                                   \
	{                                                                                              \
		while (!use(sets[i % SETS]))                                                           \
			i++;                                                                           \
		return sets[i % SETS];                                                                 \
	}

/* The test kernels_are_found_by_name. */
#define GT_TEST_FOUND_BY_NAME(kind)                                    \
	START_TEST(kernels_are_found_by_name)                          \
	{                                                              \
		ck_assert_ptr_nonnull(kind##_find(NULL));              \
		ck_assert_str_eq(kind##_find("any")->name, "any");     \
		ck_assert_ptr_null(kind##_find("none"));               \
	}                                                              \
	END_TEST
#endif
