#ifndef GT_RECON_SMALL_MATRIX_H
#define GT_RECON_SMALL_MATRIX_H
/* Positive semidefinite symmetric matrices of a few rows, up to rounding, [row][column]. */
#include <stddef.h>

enum { GT_SMALL_ROWS = 8 };
/* Pseudo-inverse; null directions stay 0. */
void gt_small_inverse(size_t n, const double *a, double *inverse);
/* Computes a lower triangular root r with r r' = a. */
void gt_small_root(size_t n, const double *a, double *root);
/* out = a b, not in place; any matrices. */
void gt_small_product(size_t n, const double *a, const double *b, double *out);
#endif
