#ifndef GT_TESTS_TRANSPOSE_H
#define GT_TESTS_TRANSPOSE_H
#include <gantry/linop.h>
/* Compares forward and adjoint entry by entry, with unit vectors on the smaller side. The other side gets sparse
 * vectors of random signs with disjoint supports that cover it.
 * *largest: the largest entry. *difference: the largest difference of a sum, over the square root of the number of
 * its entries.
 * Slower: gt_linop_mismatch_elements() uses unit vectors on both sides. */
void gt_test_transpose(const gt_linop *A, double *difference, double *largest);
#endif
