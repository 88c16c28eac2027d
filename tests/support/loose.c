/* Unaligned arrays, declared in loose.h. */
#include <stdlib.h>
#include "tests/support/loose.h"
#include "tests/support/support.h"

enum { AROUND = 16 }; /* floats of the widest vector */

static const float untouched = -77;

struct gt_test_loose gt_test_loose(gt_backend *be, size_t n, size_t beside)
{
	struct gt_test_loose a = { .memory = aligned_alloc(64, (n + 3 * AROUND) / AROUND * AROUND * sizeof(float)),
		                   .n = n,
		                   .beside = beside };
	ck_assert(a.memory && beside < AROUND);
	for (size_t i = 0; i < n + 2 * AROUND; i++)
		a.memory[i] = untouched;
	ck_ok(gt_array_wrap(be, GT_F32, n, gt_test_loose_values(&a), &a.array));
	return a;
}

float *gt_test_loose_values(const struct gt_test_loose *a) { return a->memory + a->beside; }

void gt_test_loose_free(struct gt_test_loose *a)
{
	for (size_t i = 0; i < a->n + 2 * AROUND; i++)
		ck_assert_msg((i >= a->beside && i < a->beside + a->n) || a->memory[i] == untouched,
		              "float %zu of %zu, next to the array, is %g", i - a->beside, a->n, (double)a->memory[i]);
	gt_array_free(a->array);
	free(a->memory);
}
