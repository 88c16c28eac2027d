/* Symmetric matrices of a few rows, by their factors L D L'. */
#include <math.h>
#include <string.h>
#include "recon/noise/small_matrix.h"

/* A pivot below this part of its diagonal is rounding. */
#define MIN_PIVOT 1e-10

/* a = l d l', l of unit diagonal; d 0 where there is nothing but rounding. */
static void factors(size_t n, const double *a, double *l, double *d)
{
	memset(l, 0, n * n * sizeof *l);
	for (size_t j = 0; j < n; j++) {
		double pivot = a[j * n + j];
		for (size_t k = 0; k < j; k++)
			pivot -= l[j * n + k] * l[j * n + k] * d[k];
		d[j] = pivot > MIN_PIVOT * a[j * n + j] ? pivot : 0;
		l[j * n + j] = 1;
		for (size_t i = j + 1; i < n && d[j] > 0; i++) {
			double sum = a[i * n + j];
			for (size_t k = 0; k < j; k++)
				sum -= l[i * n + k] * l[j * n + k] * d[k];
			l[i * n + j] = sum / d[j];
		}
	}
}

/* x <- the solution of l d l' x = x. */
static void solve(size_t n, const double *l, const double *d, double *x)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			x[i] -= l[i * n + k] * x[k];
	for (size_t i = n; i-- > 0;) {
		x[i] = d[i] > 0 ? x[i] / d[i] : 0;
		for (size_t k = i + 1; k < n; k++)
			x[i] -= l[k * n + i] * x[k];
	}
}

void gt_small_inverse(size_t n, const double *a, double *inverse)
{
	double l[GT_SMALL_ROWS * GT_SMALL_ROWS], d[GT_SMALL_ROWS], x[GT_SMALL_ROWS];
	factors(n, a, l, d);
	for (size_t j = 0; j < n; j++) {
		for (size_t i = 0; i < n; i++)
			x[i] = i == j;
		solve(n, l, d, x);
		for (size_t i = 0; i < n; i++)
			inverse[i * n + j] = x[i];
	}
}

void gt_small_root(size_t n, const double *a, double *root)
{
	double d[GT_SMALL_ROWS];
	factors(n, a, root, d);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			root[i * n + j] *= sqrt(d[j]);
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
