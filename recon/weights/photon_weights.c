/* Photon weights, or given weights, scaled to the mean 1. Formulas: recon/weights/photon_weights.h. */
#include <math.h>
#include <stdlib.h>
#include "core/arguments.h"
#include "core/vectors/sets.h"
#include "core/vectors/vector_exp.h"
#include "recon/weights/photon_weights.h"

/* Minimum per pixel; fewer photons lose precision behind an object in float. */
#define MIN_PHOTONS 1e-6
enum { GRAIN = 1 << 16, PART = 256 };

struct job {
	const gt_counting *c;   /* NULL: weights are given */
	const float *in, *mask; /* mask: NULL: 1 */
	float *w;
	double scale, *sum; /* per chunk; NaN if one of its weights is negative */
	size_t n;
};

/* NAN: no weight. */
GT_INLINE double weight_of(double photons, double electronic, double line)
{
	const double N = photons * gt_vector_exp(-line), weight = N > 0 ? N * (N / (N + electronic * electronic)) : 0;
	return fabs(line) < INFINITY && photons > 0 && photons < INFINITY ? weight : NAN;
}

GT_INLINE void find_weights(const struct job *j, size_t first, size_t n, double *restrict weight)
{
	const double electronic = j->c ? j->c->electronic : 0, count = j->c ? j->c->count : 0;
	const float *in = j->in + first, *photons = j->c && j->c->photons ? j->c->photons + first : NULL;
	if (!j->c)
		for (size_t k = 0; k < n; k++)
			weight[k] = in[k];
	else if (photons)
		for (size_t k = 0; k < n; k++)
			weight[k] = weight_of(photons[k], electronic, in[k]);
	else
		for (size_t k = 0; k < n; k++)
			weight[k] = weight_of(count, electronic, in[k]);
	for (size_t k = 0; j->mask && k < n; k++)
		weight[k] = j->mask[first + k] > 0 ? j->mask[first + k] * weight[k] : 0;
}

GT_AVX2 static void find_weights_avx2(const struct job *j, size_t first, size_t n, double *weight) { find_weights(j, first, n, weight); }
static void find_weights_any(const struct job *j, size_t first, size_t n, double *weight) { find_weights(j, first, n, weight); }

/* Sums chunks of fixed length, independent of the number of threads. */
static void weigh(void *self, size_t begin, size_t end, int worker)
{
	const struct job *j = self;
	const int avx2 = gt_runs_here("avx2");
	double weight[PART];
	(void)worker;
	for (size_t i = begin; i < end;) {
		const size_t piece = i / GRAIN, to = (piece + 1) * GRAIN < end ? (piece + 1) * GRAIN : end;
		double sum = 0;
		int negative = 0;
		for (size_t n; i < to; i += n) {
			n = to - i < PART ? to - i : PART;
			(avx2 ? find_weights_avx2 : find_weights_any)(j, i, n, weight);
			for (size_t k = 0; k < n; k++) {
				j->w[i + k] = (float)weight[k];
				negative |= weight[k] < 0;
				sum += weight[k];
			}
		}
		j->sum[piece] = negative ? NAN : sum;
	}
}

static void scale(void *self, size_t begin, size_t end, int worker)
{
	const struct job *j = self;
	(void)worker;
	for (size_t i = begin; i < end; i++)
		j->w[i] = (float)(j->w[i] * j->scale);
}

static gt_status name_bad(const struct job *j)
{
	for (size_t i = 0; i < j->n; i++) {
		if (!j->c && !(j->w[i] >= 0 && j->w[i] < INFINITY))
			return gt_fail(GT_ERR_ARG, "weight %zu of the data is %g: expected finite weights of 0 or more", i, j->w[i]);
		if (j->c && !isfinite(j->w[i]))
			return gt_fail(GT_ERR_ARG, "value %zu: cannot weight %g photons: expected counts above 0 and finite line integrals",
			               i, j->c->photons ? j->c->photons[i] : j->c->count);
	}
	return gt_fail(GT_ERR_ARG, "weights of the data: all are 0");
}

static gt_status run(gt_pool *pool, struct job j, double *factor)
{
	const size_t pieces = (j.n + GRAIN - 1) / GRAIN;
	double sum = 0;
	j.sum = calloc(pieces ? pieces : 1, sizeof *j.sum);
	if (!j.sum)
		return gt_fail(GT_ERR_MEMORY, "no memory for the sums of weights");
	gt_parallel(pool, j.n, GRAIN, weigh, &j);
	for (size_t i = 0; i < pieces; i++)
		sum += j.sum[i];
	free(j.sum);
	if (!isfinite(sum) || !(sum > 0))
		return name_bad(&j);
	*factor = sum / (double)j.n;
	j.scale = 1 / *factor;
	gt_parallel(pool, j.n, GRAIN, scale, &j);
	for (size_t i = 0; i < j.n; i++)
		if (j.w[i] > 0)
			return GT_OK;
	return gt_fail(GT_ERR_ARG, "weights of the data: all are too small for single precision: expected larger weights");
}

gt_status gt_data_weights_masked(gt_pool *pool, const gt_counting *c, const float *mask, const float *p, size_t n, float *w, double *factor)
{
	GT_NEED(c);
	GT_NEED(p);
	GT_NEED(w);
	GT_NEED(factor);
	if (!c->photons && c->count > 0 && c->count < MIN_PHOTONS)
		return gt_fail(GT_ERR_ARG, "weights of the data: %g photons per unattenuated pixel: expected at least %g", c->count,
		               MIN_PHOTONS);
	if (!(c->electronic >= 0) || (!c->photons && !(c->count > 0)))
		return gt_fail(GT_ERR_ARG,
		               "weights of the data: %g photons and an electronic noise of %g: expected more than 0, and 0 or more",
		               c->count, c->electronic);
	return run(pool, (struct job){ .c = c, .in = p, .mask = mask, .w = w, .n = n }, factor);
}

gt_status gt_data_weights(gt_pool *pool, const gt_counting *c, const float *p, size_t n, float *w, double *factor)
{
	return gt_data_weights_masked(pool, c, NULL, p, n, w, factor);
}

struct rows {
	const float *p, *mask;
	float *q;
	size_t columns;
};

/* A pixel replaces neighbours of mask 0. */
static void smooth_masked(const float *p, const float *mask, size_t columns, float *q)
{
	for (size_t c = 0; c < columns; c++) {
		const size_t before = c && mask[c - 1] > 0 ? c - 1 : c, after = c + 1 < columns && mask[c + 1] > 0 ? c + 1 : c;
		q[c] = p[c] / 2 + (p[before] + p[after]) / 4;
	}
}

static void smooth_rows(void *self, size_t begin, size_t end, int worker)
{
	const struct rows *r = self;
	(void)worker;
	for (size_t row = begin; row < end; row++) {
		const float *p = r->p + row * r->columns;
		float *q = r->q + row * r->columns;
		if (r->mask)
			smooth_masked(p, r->mask + row * r->columns, r->columns, q);
		for (size_t c = 0; !r->mask && c < r->columns; c++)
			q[c] = p[c] / 2 + (p[c ? c - 1 : c] + p[c + 1 < r->columns ? c + 1 : c]) / 4;
	}
}

void gt_data_smooth(gt_pool *pool, const float *p, const float *mask, size_t n, size_t columns, float *q)
{
	struct rows r = { p, mask, q, columns };
	gt_parallel(pool, n / columns, GRAIN / columns + 1, smooth_rows, &r);
}

gt_status gt_data_weights_given(gt_pool *pool, const float *given, size_t n, float *w, double *factor)
{
	return run(pool, (struct job){ .in = given, .w = w, .n = n }, factor);
}
