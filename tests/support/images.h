#ifndef GT_TESTS_IMAGES_H
#define GT_TESTS_IMAGES_H
/* What a projector makes of random numbers, as doubles on the host, and how far apart two such results are. */
#include <gantry/array.h>
#include "tests/support/geometries.h"

/* The caller frees it. */
double *gt_test_values(const gt_array *a);

struct gt_test_images { double *x, *y; };       /* back of random data, forward of a random volume: the same numbers everywhere */
struct gt_test_images gt_test_apply(const char *projector, gt_backend *be, gt_type type, const struct gt_test_geometry *g);
void gt_test_images_free(struct gt_test_images r);

/* |a - b| / |b|, root of sums; INFINITY where a is no number. Fails the test where b is zero. */
double gt_test_off(const double *a, const double *b, size_t n);
/* Largest |a - b| by the largest |b|, likewise. */
double gt_test_farthest(const double *a, const double *b, size_t n);

#endif
