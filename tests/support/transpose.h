#ifndef GT_TESTS_TRANSPOSE_H
#define GT_TESTS_TRANSPOSE_H
#include <gantry/linop.h>
/* How far forward and back are from being transposes, entry by entry, at the cost of the smaller side: unit vectors there, and
 * sparse vectors of random signs on the other side, whose supports are disjoint and cover it. A wrong entry changes one number of
 * one of these. *difference: the most that such a number is off; *largest: of the entries. gt_linop_mismatch_elements() takes unit
 * vectors on both sides, many times the work. */
void gt_test_transpose(const gt_linop *A, double *difference, double *largest);
#endif
