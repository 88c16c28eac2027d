#ifndef GT_TESTS_TRANSPOSE_H
#define GT_TESTS_TRANSPOSE_H
#include <gantry/linop.h>
/* Compares forward and back entry by entry, at the cost of the smaller side: unit vectors there, and sparse vectors of random
 * signs on the other side, whose supports are disjoint and cover it. A wrong entry changes one sum of entries. *largest: the
 * largest entry. *difference: the largest difference of a sum, divided by the square root of the number of its entries.
 * gt_linop_mismatch_elements() takes unit vectors on both sides, many times the work. */
void gt_test_transpose(const gt_linop *A, double *difference, double *largest);
#endif
