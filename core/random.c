/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC11) and exact variates. Normal: Box and Muller (1958). Poisson:
 * sequential inversion; above a mean of 10 transformed rejection with squeeze (PTRS), W. Hoermann, "The transformed
 * rejection method for generating Poisson random variables", Insurance: Mathematics and Economics 12, 1993, with the
 * cancellation-free log-probability of C. Loader (2000). */
#include <math.h>
#include "core/random.h"
#include "core/random_math.h"

#define TWO_PI 6.283185307179586476925

void gt_philox(uint64_t seed, uint64_t counter, uint64_t stream, uint32_t out[4]) { gt_philox_of(seed, counter, stream, out); }

void gt_random_at(uint64_t seed, uint64_t counter, gt_random *r) { *r = (gt_random){ .seed = seed, .counter = counter }; }

static uint32_t next_word(gt_random *r)
{
	if (r->left == 0) {
		gt_philox(r->seed, r->counter, r->stream++, r->word);
		r->left = 4;
	}
	return r->word[4 - r->left--];
}

double gt_uniform(gt_random *r)
{
	const uint32_t high = next_word(r);
	return gt_uniform_of(high, next_word(r));
}

double gt_normal(gt_random *r)
{
	const double u = gt_uniform(r);
	return gt_normal_of(u, gt_uniform(r));
}

static double poisson_inversion(gt_random *r, double mean)
{
	double u = gt_uniform(r), p = exp(-mean), k = 0;
	/* Below 2^-60 the tail is smaller than the resolution of u, and u only contains rounding errors. */
	while (u > p && (k < mean || p > 0x1p-60)) {
		u -= p;
		k++;
		p *= mean / k;
	}
	return k;
}

static double log_probability(double k, double mean)
{
	static const double factorial[] = { 1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880 };
	if (k < 10)
		return k * log(mean) - mean - log(factorial[(int)k]);
	const double e = (k - mean) / mean, kk = k * k;
	const double stirling = (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / (1680 * kk)) / kk) / kk) / k;
	return -mean * ((1 + e) * log1p(e) - e) - 0.5 * log(TWO_PI * k) - stirling;
}

static double poisson_ptrs(gt_random *r, double mean)
{
	const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
	const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2);
	for (;;) {
		const double u = gt_uniform(r) - 0.5, v = gt_uniform(r), us = 0.5 - fabs(u);
		const double k = floor((2 * a / us + b) * u + mean + 0.43);
		if (us >= 0.07 && v <= squeeze)
			return k;
		if (k < 0 || (us < 0.013 && v > us))
			continue;
		if (log(v * inverse_alpha / (a / (us * us) + b)) <= log_probability(k, mean))
			return k;
	}
}

double gt_poisson(gt_random *r, double mean)
{
	if (!isfinite(mean))
		return mean;
	if (mean <= 0)
		return 0;
	return mean < 10 ? poisson_inversion(r, mean) : poisson_ptrs(r, mean);
}
