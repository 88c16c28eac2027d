/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC11) and exact variates on top of it: Box and Muller (1958) for the
 * normal; for Poisson sequential inversion, and above a mean of 10 the transformed rejection with squeeze PTRS of
 * W. Hoermann, "The transformed rejection method for generating Poisson random variables", Insurance: Mathematics
 * and Economics 12, 1993, with the log-probability in the cancellation-free form of C. Loader (2000). */
#include <math.h>
#include "core/random.h"

#define TWO_PI 6.283185307179586476925

void gt_philox(uint64_t seed, uint64_t counter, uint64_t stream, uint32_t out[4])
{
	uint32_t x0 = (uint32_t)counter, x1 = (uint32_t)(counter >> 32);
	uint32_t x2 = (uint32_t)stream, x3 = (uint32_t)(stream >> 32);
	uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
	for (int round = 0; round < 10; round++) {
		const uint64_t a = (uint64_t)0xD2511F53u * x0, b = (uint64_t)0xCD9E8D57u * x2;
		x0 = (uint32_t)(b >> 32) ^ x1 ^ k0;
		x1 = (uint32_t)b;
		x2 = (uint32_t)(a >> 32) ^ x3 ^ k1;
		x3 = (uint32_t)a;
		k0 += 0x9E3779B9u;
		k1 += 0xBB67AE85u;
	}
	out[0] = x0;
	out[1] = x1;
	out[2] = x2;
	out[3] = x3;
}

gt_random gt_random_at(uint64_t seed, uint64_t counter)
{
	gt_random r = { .seed = seed, .counter = counter };
	return r;
}

static uint32_t next_word(gt_random *r)
{
	if (r->left == 0) {
		gt_philox(r->seed, r->counter, r->stream++, r->word);
		r->left = 4;
	}
	return r->word[4 - r->left--];
}

/* Odd multiples of 2^-53: half a step away from 0 and from 1, and still exact in a double. */
double gt_uniform(gt_random *r)
{
	const uint64_t high = next_word(r) >> 6, low = next_word(r) >> 6;
	return ((double)(high << 26 | low) + 0.5) * 0x1p-52;
}

double gt_normal(gt_random *r)
{
	const double radius = sqrt(-2 * log(gt_uniform(r)));
	return radius * cos(TWO_PI * gt_uniform(r));
}

static double poisson_inversion(gt_random *r, double mean)
{
	double u = gt_uniform(r), p = exp(-mean), k = 0;
	/* Beyond 2^-60 the remaining tail is below the resolution of u: what is left of u there is rounding. */
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
