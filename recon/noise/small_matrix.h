#ifndef GT_RECON_SMALL_MATRIX_H
#define GT_RECON_SMALL_MATRIX_H
/* Symmetric matrices of a few rows with no negative eigenvalue but for rounding, [row][column]. */
#include <stddef.h>

enum { GT_SMALL_ROWS = 8 };
/* The inverse, where a direction that the matrix does not know stays 0. */
void gt_small_inverse(size_t n, const double *a, double *inverse);
/* A root r, r r' = a: lower triangular. */
void gt_small_root(size_t n, const double *a, double *root);
/* out = a b, not in place; any matrices. */
void gt_small_product(size_t n, const double *a, const double *b, double *out);
#endif
