#ifndef GT_CORE_BASIS_SYMMETRIC_H
#define GT_CORE_BASIS_SYMMETRIC_H
/* Small symmetric matrices on the host, double, [row][column]; n is at most some hundred. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
/* Replaces a, which is positive semidefinite, by its Cholesky factor L, a = L L', with zeros above the diagonal. Reads
 * the lower triangle. Columns whose pivot is at most tolerance times the diagonal of a become 0. Returns the rank: the
 * number of the other columns. */
size_t gt_cholesky(size_t n, double tolerance, double *a);
/* Replaces x by the solution of L L' y = x. Components of zero columns become 0. */
void   gt_cholesky_solve(size_t n, const double *L, double *x);
/* Replaces a, which is positive definite, by its inverse. Returns 0 and leaves a undefined if the rank is below n. */
int    gt_symmetric_invert(size_t n, double tolerance, double *a);
/* Makes a diagonal: its eigenvalues, unsorted. vectors[n][n] receives orthonormal eigenvectors as columns. */
void   gt_symmetric_eigen(size_t n, double *a, double *vectors);
#ifdef __cplusplus
}
#endif
#endif
