#ifndef GT_TESTS_LOOSE_H
#define GT_TESTS_LOOSE_H
/* Float arrays in unaligned caller memory, between guard floats. */
#include <gantry/array.h>

struct gt_test_loose { gt_array *array; float *memory; size_t n, beside; };
struct gt_test_loose gt_test_loose(gt_backend *be, size_t n, size_t beside);   /* on the CPU; contents: -77 */
float *gt_test_loose_values(const struct gt_test_loose *a);
/* Fails the test if a guard float was changed. */
void gt_test_loose_free(struct gt_test_loose *a);
#endif
