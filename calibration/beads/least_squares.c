/* Nonlinear least squares of few unknowns (Levenberg-Marquardt). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/beads/least_squares.h"
#include "core/basis/symmetric.h"
#include "core/try.h"

enum { MAX_STEPS = 100 };

typedef struct {
	double *J, *r, *side, *normal, *damped, *pull, *there;
} work;

static double squares_of(const gt_least_squares *s, const double *x, double *r)
{
	double sum = 0;
	s->residual(s->self, x, r);
	for (size_t i = 0; i < s->residuals; i++)
		sum += r[i] * r[i];
	return sum;
}

/* Computes J [unknowns][residuals], J'J and J'r. */
static void linearise(const gt_least_squares *s, const double *x, work *w)
{
	const size_t n = s->unknowns, m = s->residuals;
	memcpy(w->there, x, n * sizeof *x);
	for (size_t j = 0; j < n; j++) {
		double *J = w->J + j * m;
		w->there[j] = x[j] + s->step[j];
		s->residual(s->self, w->there, J);
		w->there[j] = x[j] - s->step[j];
		s->residual(s->self, w->there, w->side);
		w->there[j] = x[j];
		for (size_t i = 0; i < m; i++)
			J[i] = (J[i] - w->side[i]) / (2 * s->step[j]);
	}
	for (size_t j = 0; j < n; j++) {
		const double *a = w->J + j * m;
		w->pull[j] = 0;
		for (size_t i = 0; i < m; i++)
			w->pull[j] += a[i] * w->r[i];
		for (size_t k = 0; k <= j; k++) {
			const double *b = w->J + k * m;
			double sum = 0;
			for (size_t i = 0; i < m; i++)
				sum += a[i] * b[i];
			w->normal[j * n + k] = w->normal[k * n + j] = sum;
		}
	}
}

/* Makes one step that does not increase the sum of squares. Returns 0 if there is none, 1 if it was as small as
 * rounding, else 2. */
static int step(const gt_least_squares *s, double *x, double *damping, double *squares, work *w)
{
	const size_t n = s->unknowns;
	for (; *damping < 1e8; *damping *= 10) {
		double largest = 0;
		memcpy(w->damped, w->normal, n * n * sizeof *w->damped);
		for (size_t i = 0; i < n; i++)
			w->damped[i * n + i] *= 1 + *damping;
		if (!gt_symmetric_invert(n, GT_LEAST_SQUARES_PIVOT, w->damped))
			continue;
		for (size_t i = 0; i < n; i++) {
			double move = 0;
			for (size_t j = 0; j < n; j++)
				move -= w->damped[i * n + j] * w->pull[j];
			w->there[i] = x[i] + move;
			largest = fmax(largest, fabs(move) / s->step[i]);
		}
		const double now = squares_of(s, w->there, w->side);
		if (isfinite(now) && now <= *squares) {
			const int small = largest < 1e-6 || now > *squares * (1 - 1e-10);
			memcpy(x, w->there, n * sizeof *x);
			*squares = now;
			*damping = fmax(1e-12, *damping / 30);
			return small ? 1 : 2;
		}
		if (largest < 1e-6)
			return 0;
	}
	return 0;
}

gt_status gt_least_squares_fit(const gt_least_squares *s, double *x, double *inverse, double *squares)
{
	const size_t n = s->unknowns, m = s->residuals;
	double damping = 1e-4;
	gt_status st = GT_OK;
	work w = { malloc(n * m * sizeof(double)), malloc(m * sizeof(double)), malloc(m * sizeof(double)), malloc(n * n * sizeof(double)),
		   malloc(n * n * sizeof(double)), malloc(n * sizeof(double)), malloc(n * sizeof(double)) };
	if (!w.J || !w.r || !w.side || !w.normal || !w.damped || !w.pull || !w.there)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	if (m < n)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "the geometry is not unique: %zu residuals for %zu unknowns", m, n));
	*squares = squares_of(s, x, w.r);
	for (int k = 0, on = 2; on == 2 && k < MAX_STEPS; k++) {
		linearise(s, x, &w);
		on = step(s, x, &damping, squares, &w);
		*squares = squares_of(s, x, w.r);
	}
	if (!isfinite(*squares))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "the geometry is not unique: rays miss the detector on the way to a solution"));
	if (inverse) {
		linearise(s, x, &w);
		memcpy(inverse, w.normal, n * n * sizeof *inverse);
		if (!gt_symmetric_invert(n, GT_LEAST_SQUARES_PIVOT, inverse))
			GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "the geometry is not unique: bead projections depend equally, or not at all, on "
			                                   "some requested parameters"));
	}
done:
	free(w.J);
	free(w.r);
	free(w.side);
	free(w.normal);
	free(w.damped);
	free(w.pull);
	free(w.there);
	return st;
}
