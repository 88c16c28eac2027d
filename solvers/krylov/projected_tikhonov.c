/* Projected problem of hybrid methods: up to some hundred unknowns, solved again in every step. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solvers/krylov/projected_tikhonov.h"

enum { SWEEPS = 60, TRIED = 240, HALVINGS = 60 };

gt_status gt_projected_new(size_t max, gt_projected *p)
{
	const size_t n = max + 1;
	*p = (gt_projected){ .max = max };
	double **const all[] = { &p->sigma, &p->c, &p->y };
	int fine = (p->W = calloc(n * n, sizeof *p->W)) != NULL;
	fine = (p->alpha = calloc(2 * n, sizeof *p->alpha)) != NULL && fine;
	fine = (p->Q = calloc(n * n, sizeof *p->Q)) != NULL && fine;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		fine = (*all[i] = calloc(n, sizeof(double))) != NULL && fine;
	p->beta = fine ? p->alpha + n : NULL;
	return fine ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a projected problem of %zu steps", max);
}

void gt_projected_free(gt_projected *p)
{
	free(p->alpha);
	free(p->W);
	free(p->Q);
	free(p->sigma);
	free(p->c);
	free(p->y);
}

static double product(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void turn(double *a, double *b, size_t n, double c, double s)
{
	for (size_t i = 0; i < n; i++) {
		const double before = a[i];
		a[i] = c * before - s * b[i];
		b[i] = s * before + c * b[i];
	}
}

/* Makes columns i and j of W orthogonal. Returns 0 if they already are. */
static int rotate(gt_projected *p, size_t i, size_t j)
{
	const size_t rows = p->k + 1;
	double *a = p->W + i * (p->max + 1), *b = p->W + j * (p->max + 1);
	const double aa = product(a, a, rows), bb = product(b, b, rows), ab = product(a, b, rows);
	if (fabs(ab) <= 4 * DBL_EPSILON * sqrt(aa * bb))
		return 0;
	const double zeta = (bb - aa) / (2 * ab), t = (zeta > 0 ? 1 : -1) / (fabs(zeta) + hypot(1, zeta)), c = 1 / hypot(1, t);
	turn(a, b, rows, c, c * t);
	turn(p->Q + i * (p->max + 1), p->Q + j * (p->max + 1), p->k, c, c * t);
	return 1;
}

static void decompose(gt_projected *p)
{
	const size_t k = p->k, row = p->max + 1;
	int changed = 1;
	memset(p->W, 0, k * row * sizeof *p->W);
	memset(p->Q, 0, k * row * sizeof *p->Q);
	for (size_t i = 0; i < k; i++) {
		p->W[i * row + i] = p->alpha[i];
		p->W[i * row + i + 1] = p->beta[i + 1];
		p->Q[i * row + i] = 1;
	}
	for (int sweep = 0; sweep < SWEEPS && changed; sweep++) {
		changed = 0;
		for (size_t i = 0; i + 1 < k; i++)
			for (size_t j = i + 1; j < k; j++)
				changed |= rotate(p, i, j);
	}
	p->rest = p->beta[0] * p->beta[0];
	for (size_t i = 0; i < k; i++) {
		const double *w = p->W + i * row;
		p->sigma[i] = sqrt(product(w, w, k + 1));
		p->c[i] = p->sigma[i] > 0 ? p->beta[0] * w[0] / p->sigma[i] : 0;
		p->rest -= p->c[i] * p->c[i];
	}
	p->rest = fmax(p->rest, 0);
}

/* Misfit and effective degrees of freedom for mu = lambda^2, with their derivatives. */
struct at {
	double misfit, freedoms, misfit_slope, freedoms_slope;
};

static struct at at(const gt_projected *p, double mu)
{
	struct at a = { .misfit = p->rest };
	for (size_t i = 0; i < p->k; i++) {
		const double squares = p->sigma[i] * p->sigma[i], sum = squares + mu, kept = sum > 0 ? squares / sum : 0, left = 1 - kept;
		a.misfit += left * left * p->c[i] * p->c[i];
		a.freedoms += kept;
		a.freedoms_slope -= sum > 0 ? kept / sum : 0;
		a.misfit_slope += sum > 0 ? 2 * left * kept / sum * p->c[i] * p->c[i] : 0;
	}
	return a;
}

/* Fraction of the data's degrees of freedom that a solution with mu leaves: the trace of mu (AA' + mu)^-1 over their
 * number. */
static double freedoms_left(const gt_projected *p, double mu)
{
	double sum = p->rest;
	for (size_t i = 0; i < p->k; i++)
		sum += mu > 0 ? mu / (p->sigma[i] * p->sigma[i] + mu) * p->c[i] * p->c[i] : 0;
	return sum / (p->beta[0] * p->beta[0]);
}

static double gcv(const gt_projected *p, double mu, double weight)
{
	const struct at a = at(p, mu);
	const double left = p->random ? freedoms_left(p->random, mu) : (double)(p->k + 1) - weight * a.freedoms;
	return a.misfit / (left * left);
}

static void range_of(const gt_projected *p, double *min, double *max)
{
	*max = 0;
	*min = INFINITY;
	for (size_t i = 0; i < p->k; i++) {
		*max = fmax(*max, p->sigma[i]);
		*min = fmin(*min, p->sigma[i]);
	}
}

/* Minimises GCV on a logarithmic grid, then between its neighbours by golden sections. */
static double minimise(const gt_projected *p, double weight)
{
	double min, max, best = INFINITY, middle = 0;
	range_of(p, &min, &max);
	const double from = 2 * log(1e-6 * max), step = (2 * log(10 * max) - from) / TRIED, ratio = (sqrt(5) - 1) / 2;
	for (int i = 0; i <= TRIED; i++) {
		const double value = gcv(p, exp(from + i * step), weight);
		if (value < best) {
			best = value;
			middle = from + i * step;
		}
	}
	double low = middle - step, high = middle + step;
	for (int i = 0; i < HALVINGS; i++) {
		const double a = high - ratio * (high - low), b = low + ratio * (high - low);
		if (gcv(p, exp(a), weight) < gcv(p, exp(b), weight))
			high = b;
		else
			low = a;
	}
	return exp((low + high) / 2);
}

/* Returns the mean over all steps of the weight for which GCV selects the smallest singular value. The choice is
 * right while k is small. */
static double weight_of(gt_projected *p)
{
	double min, max;
	range_of(p, &min, &max);
	const struct at a = at(p, min * min);
	const double weight = (double)(p->k + 1) * a.misfit_slope / (a.misfit_slope * a.freedoms - 2 * a.misfit * a.freedoms_slope);
	p->weights += weight > 0 && weight < 1 ? weight : 1;
	return p->weights / (double)p->k;
}

/* Solves misfit = squares for mu by bisection in log(mu); the misfit grows with mu. */
static double meet(const gt_projected *p, double squares)
{
	double min, max;
	range_of(p, &min, &max);
	double low = 2 * log(1e-8 * max), high = 2 * log(1e8 * max);
	for (int i = 0; i < 2 * HALVINGS; i++) {
		const double middle = (low + high) / 2;
		if (at(p, exp(middle)).misfit < squares)
			low = middle;
		else
			high = middle;
	}
	return exp((low + high) / 2);
}

void gt_projected_probe(gt_projected *p, size_t k)
{
	p->k = k;
	decompose(p);
}

double gt_projected_solve(gt_projected *p, size_t k, enum gt_strength how, double level, double *lambda)
{
	p->k = k;
	decompose(p);
	const double mu = how == GT_STRENGTH_FIXED         ? level * level
	                  : how == GT_STRENGTH_DISCREPANCY ? meet(p, level * level)
	                                                   : minimise(p, how == GT_STRENGTH_WEIGHTED ? weight_of(p) : 1);
	for (size_t i = 0; i < k; i++)
		p->y[i] = 0;
	for (size_t j = 0; j < k; j++) {
		const double sum = p->sigma[j] * p->sigma[j] + mu, part = sum > 0 ? p->sigma[j] * p->c[j] / sum : 0;
		for (size_t i = 0; i < k; i++)
			p->y[i] += part * p->Q[j * (p->max + 1) + i];
	}
	*lambda = sqrt(mu);
	return at(p, mu).misfit;
}
