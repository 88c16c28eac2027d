/* Pseudo-inverse and root of small symmetric matrices by Cholesky factorisation; eigenvalues by the Jacobi method. */
#include <math.h>
#include <string.h>
#include "core/basis/symmetric.h"
#include "recon/noise/small_matrix.h"

/* A pivot below this fraction of its diagonal is rounding. */
#define MIN_PIVOT 1e-13

void gt_small_inverse(size_t n, const double *a, double *inverse)
{
	double root[GT_SMALL_ROWS * GT_SMALL_ROWS], x[GT_SMALL_ROWS];
	gt_small_root(n, a, root);
	if (n == 1) { /* one layer: called millions of times */
		inverse[0] = root[0] > 0 ? 1 / root[0] / root[0] : 0;
		return;
	}
	for (size_t j = 0; j < n; j++) {
		for (size_t i = 0; i < n; i++)
			x[i] = i == j;
		gt_cholesky_solve(n, root, x);
		for (size_t i = 0; i < n; i++)
			inverse[i * n + j] = x[i];
	}
}

void gt_small_root(size_t n, const double *a, double *root)
{
	memcpy(root, a, n * n * sizeof *root);
	gt_cholesky(n, MIN_PIVOT, root);
}

/* out = vectors diag(value) vectors'. */
static void compose(size_t n, const double *vectors, const double *value, double *out)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++) {
			double sum = 0;
			for (size_t k = 0; k < n; k++)
				sum += vectors[i * n + k] * value[k] * vectors[j * n + k];
			out[i * n + j] = out[j * n + i] = sum;
		}
}

void gt_small_raise(size_t n, double min, double *a, double *above)
{
	double vectors[GT_SMALL_ROWS * GT_SMALL_ROWS], value[GT_SMALL_ROWS], ratio[GT_SMALL_ROWS];
	gt_symmetric_eigen(n, a, vectors);
	for (size_t i = 0; i < n; i++) {
		const double before = a[i * n + i];
		value[i] = fmax(min, before);
		ratio[i] = before > min ? 1 - min / before : 0;
	}
	compose(n, vectors, value, a);
	if (above)
		compose(n, vectors, ratio, above);
}

void gt_small_product(size_t n, const double *a, const double *b, double *out)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = 0;
			for (size_t k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			out[i * n + j] = sum;
		}
}
