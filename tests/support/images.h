#ifndef GT_TESTS_IMAGES_H
#define GT_TESTS_IMAGES_H
/* Results of a projector on random numbers, as doubles on the host, and differences of such results. */
#include <gantry/array.h>
#include "tests/support/geometries.h"

/* The caller frees it. */
double *gt_test_values(const gt_array *a);

struct gt_test_images { double *x, *y; };       /* backprojection and projection of random numbers, equal on all systems */
struct gt_test_images gt_test_apply(const char *projector, gt_backend *be, gt_type type, const struct gt_test_geometry *g);
void gt_test_images_free(struct gt_test_images r);

/* |a - b| / |b|, 2-norms; INFINITY if a is NaN. Fails the test if b is zero. */
double gt_test_off(const double *a, const double *b, size_t n);
/* Largest |a - b| over the largest |b|, with the same exceptions. */
double gt_test_farthest(const double *a, const double *b, size_t n);

#endif
