/* Arnoldi process and its projected least-squares problem. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "solvers/krylov/arnoldi.h"

gt_status gt_arnoldi_new(const char *who, const gt_array *model, size_t max, gt_arnoldi *a)
{
	a->max = max;
	a->R = calloc((max + 1) * max, sizeof *a->R);
	a->c = calloc(max + 1, sizeof *a->c);
	a->s = calloc(max + 1, sizeof *a->s);
	a->g = calloc(max + 1, sizeof *a->g);
	a->y = calloc(max + 1, sizeof *a->y);
	if (!a->R || !a->c || !a->s || !a->g || !a->y)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the projected problem of %zu steps", who, max);
	return gt_basis_new(who, model, max + 1, &a->V);
}

void gt_arnoldi_free(gt_arnoldi *a)
{
	gt_basis_free(a->V);
	free(a->R);
	free(a->c);
	free(a->s);
	free(a->g);
	free(a->y);
}

double gt_arnoldi_start(gt_arnoldi *a)
{
	gt_array *r = gt_basis_vector(a->V, 0);
	const double size = sqrt(gt_dot(r, r));
	a->k = 0;
	a->g[0] = a->first = size;
	if (size > 0)
		gt_scale(1 / size, r);
	return size;
}

double gt_rotation(double a, double b, double *c, double *s)
{
	const double r = hypot(a, b);
	*c = r > 0 ? a / r : 1;
	*s = r > 0 ? b / r : 0;
	return r;
}

/* Applies the previous Givens rotations to a new column and adds one that clears its last entry. */
static void rotate(gt_arnoldi *a, double *column)
{
	const size_t k = a->k;
	for (size_t i = 0; i < k; i++) {
		const double upper = column[i];
		column[i] = a->c[i] * upper + a->s[i] * column[i + 1];
		column[i + 1] = a->s[i] * upper - a->c[i] * column[i + 1];
	}
	column[k] = gt_rotation(column[k], column[k + 1], &a->c[k], &a->s[k]);
	a->g[k + 1] = a->s[k] * a->g[k];
	a->g[k] *= a->c[k];
}

double gt_arnoldi_step(gt_arnoldi *a)
{
	const size_t k = a->k;
	double *column = a->R + k * (a->max + 1), size = 0;
	gt_array *w = gt_basis_vector(a->V, k + 1);
	gt_basis_project_out(a->V, k + 1, w, column);
	gt_basis_project_out(a->V, k + 1, w, a->y);
	for (size_t i = 0; i <= k; i++) {
		column[i] += a->y[i];
		size = hypot(size, column[i]);
	}
	column[k + 1] = sqrt(gt_dot(w, w));
	/* The remainder is rounding: the space is invariant. */
	if (column[k + 1] <= 64 * (gt_array_type(w) == GT_F64 ? DBL_EPSILON : (double)FLT_EPSILON) * size)
		column[k + 1] = 0;
	else
		gt_scale(1 / column[k + 1], w);
	rotate(a, column);
	a->k++;
	return fabs(a->g[k + 1]);
}

/* Returns the number of useful steps. For inconsistent data the residual eventually meets a nearly singular operator
 * (Morikuni and Hayami, SIAM J. Matrix Anal. Appl. 36 (2015) 225, section 2).
 * The steps have then become rounding errors and appear to grow again. */
static size_t safe_steps(const gt_arnoldi *a, double rounding)
{
	const double tiny = sqrt(64 * rounding);
	double max = 0, min = INFINITY;
	size_t shortest = 0;
	for (size_t k = 0; k < a->k; k++) {
		const double pivot = fabs(a->R[k * (a->max + 2)]), length = fabs(a->g[k]);
		max = fmax(max, pivot);
		if (!(pivot > tiny * max))
			return min < tiny * a->first ? shortest : k;
		if (min < tiny * a->first && length > 100 * min)
			return shortest;
		if (length < min) {
			min = length;
			shortest = k;
		}
	}
	return a->k;
}

double gt_arnoldi_add(gt_arnoldi *a, gt_array *w)
{
	double squares = 0;
	const size_t k = safe_steps(a, gt_array_type(w) == GT_F64 ? DBL_EPSILON : (double)FLT_EPSILON);
	for (size_t i = k; i-- > 0;) {
		const double *R = a->R + i;
		double right = a->g[i];
		for (size_t j = i + 1; j < k; j++)
			right -= R[j * (a->max + 1)] * a->y[j];
		a->y[i] = right / R[i * (a->max + 1)];
		squares += a->y[i] * a->y[i];
	}
	gt_basis_add(a->V, k, a->y, w);
	return squares;
}
