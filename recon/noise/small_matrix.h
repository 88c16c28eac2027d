#ifndef GT_RECON_SMALL_MATRIX_H
#define GT_RECON_SMALL_MATRIX_H
/* Positive semidefinite symmetric matrices of a few rows, up to rounding, [row][column]. */
#include <stddef.h>

enum { GT_SMALL_ROWS = 8 };
/* Pseudo-inverse; null directions stay 0. */
void gt_small_inverse(size_t n, const double *a, double *inverse);
/* Computes a lower triangular root r with r r' = a. */
void gt_small_root(size_t n, const double *a, double *root);
/* Raises eigenvalues l of a below min >= 0 to min. above: the matrix with the same eigenvectors and the eigenvalues
 * max(0, 1 - min/l); NULL: not wanted. */
void gt_small_raise(size_t n, double min, double *a, double *above);
/* out = a b, not in place; any matrices. */
void gt_small_product(size_t n, const double *a, const double *b, double *out);
#endif
