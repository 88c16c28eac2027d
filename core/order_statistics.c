/* Order statistics by quickselect; the pivot is the middle element of the remaining range. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/order_statistics.h"

static void swap(double *a, double *b)
{
	const double kept = *a;
	*a = *b;
	*b = kept;
}

/* Moves NaN to the end; returns the number of other values. */
static size_t numbers_first(double *x, size_t n)
{
	for (size_t i = 0; i < n;)
		if (isnan(x[i]))
			swap(&x[i], &x[--n]);
		else
			i++;
	return n;
}

static double select_number(double *x, size_t n, size_t k)
{
	size_t from = 0, to = n - 1;
	while (from < to) {
		const double pivot = x[from + (to - from) / 2];
		size_t i = from, j = to;
		for (;; i++, j--) {
			while (x[i] < pivot)
				i++;
			while (pivot < x[j])
				j--;
			if (i >= j)
				break;
			swap(&x[i], &x[j]);
		}
		if (k <= j)
			to = j;
		else
			from = j + 1;
	}
	return x[k];
}

double gt_select(double *x, size_t n, size_t k)
{
	const size_t numbers = numbers_first(x, n);
	return k < numbers ? select_number(x, numbers, k) : NAN;
}

double gt_quantile(double *x, size_t n, double fraction) { return n ? gt_select(x, n, (size_t)(fraction * (double)(n - 1))) : NAN; }

double gt_upper_median(double *x, size_t n) { return n ? gt_select(x, n, n / 2) : NAN; }

double gt_median(const double *x, size_t n)
{
	double *copy = n ? malloc(n * sizeof *copy) : NULL;
	if (!copy)
		return NAN;
	memcpy(copy, x, n * sizeof *copy);
	const double lower = gt_select(copy, n, (n - 1) / 2), upper = gt_select(copy, n, n / 2);
	free(copy);
	return (lower + upper) / 2;
}
