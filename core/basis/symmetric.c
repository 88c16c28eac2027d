/* Factors, inverse and eigenvectors of small symmetric matrices: Cholesky factorisation and the cyclic Jacobi method
 * (Golub, Van Loan, Matrix Computations, 4th edition, 4.2 and 8.5). */
#include "core/basis/symmetric.h"
#include <math.h>

enum { MAX_SWEEPS = 30 };
static const double negligible = 1e-15; /* entries, relative to the root of the product of their diagonals */

size_t gt_cholesky(size_t n, double tolerance, double *a)
{
	size_t rank = 0;
	for (size_t j = 0; j < n; j++) {
		const double diagonal = a[j * n + j];
		double pivot = diagonal;
		for (size_t k = 0; k < j; k++)
			pivot -= a[j * n + k] * a[j * n + k];
		const int regular = pivot > 0 && pivot > tolerance * diagonal && isfinite(pivot);
		a[j * n + j] = regular ? sqrt(pivot) : 0;
		rank += (size_t)regular;
		for (size_t i = j + 1; i < n; i++) {
			double sum = a[i * n + j];
			for (size_t k = 0; k < j; k++)
				sum -= a[i * n + k] * a[j * n + k];
			a[i * n + j] = regular ? sum / a[j * n + j] : 0;
			a[j * n + i] = 0;
		}
	}
	return rank;
}

void gt_cholesky_solve(size_t n, const double *L, double *x)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			x[i] -= L[i * n + k] * x[k];
		x[i] = L[i * n + i] > 0 ? x[i] / L[i * n + i] : 0;
	}
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			x[i] -= L[k * n + i] * x[k];
		x[i] = L[i * n + i] > 0 ? x[i] / L[i * n + i] : 0;
	}
}

int gt_symmetric_invert(size_t n, double tolerance, double *a)
{
	if (gt_cholesky(n, tolerance, a) < n)
		return 0;
	for (size_t j = 0; j < n; j++) { /* the inverse of L */
		a[j * n + j] = 1 / a[j * n + j];
		for (size_t i = j + 1; i < n; i++) {
			double sum = 0;
			for (size_t k = j; k < i; k++)
				sum -= a[i * n + k] * a[k * n + j];
			a[i * n + j] = sum / a[i * n + i];
		}
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++) {
			double sum = 0;
			for (size_t k = i; k < n; k++)
				sum += a[k * n + i] * a[k * n + j];
			a[i * n + j] = a[j * n + i] = sum;
		}
	return 1;
}

static void rotate_pair(double *x, double *y, double c, double s)
{
	const double before = *x;
	*x = c * before - s * *y;
	*y = s * before + c * *y;
}

/* Makes a[p][q] zero. Returns 0 if it is negligible already. */
static int rotate(size_t n, double *a, double *v, size_t p, size_t q)
{
	if (fabs(a[p * n + q]) <= negligible * sqrt(fabs(a[p * n + p] * a[q * n + q])))
		return 0;
	const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
	const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
	for (size_t k = 0; k < n; k++) {
		rotate_pair(&a[k * n + p], &a[k * n + q], c, s);
		rotate_pair(&v[k * n + p], &v[k * n + q], c, s);
	}
	for (size_t k = 0; k < n; k++)
		rotate_pair(&a[p * n + k], &a[q * n + k], c, s);
	return 1;
}

void gt_symmetric_eigen(size_t n, double *a, double *vectors)
{
	int changed = 1;
	for (size_t i = 0; i < n * n; i++)
		vectors[i] = i / n == i % n;
	for (int sweep = 0; sweep < MAX_SWEEPS && changed; sweep++) {
		changed = 0;
		for (size_t p = 0; p + 1 < n; p++)
			for (size_t q = p + 1; q < n; q++)
				changed |= rotate(n, a, vectors, p, q);
	}
}
