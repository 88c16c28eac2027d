/* Random numbers: published values of the generator, and distributions against their probabilities. */
/* labels: unit backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/random.h"
#include "tests/support/support.h"

static void check_words(uint64_t seed, uint64_t counter, uint64_t stream, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	uint32_t w[4];
	gt_philox(seed, counter, stream, w);
	ck_assert_uint_eq(w[0], a);
	ck_assert_uint_eq(w[1], b);
	ck_assert_uint_eq(w[2], c);
	ck_assert_uint_eq(w[3], d);
}

/* Random123 1.x, kat_vectors, philox4x32 with 10 rounds: zeros, ones, digits of pi. */
GT_TEST(known_answers)
{
	check_words(0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
	check_words(UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
	check_words(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

GT_TEST(sequences_repeat_and_differ)
{
	gt_random a, b, c, d;
	gt_random_at(5, 77, &a);
	gt_random_at(5, 77, &b);
	gt_random_at(5, 78, &c);
	gt_random_at(6, 77, &d);
	for (int i = 0; i < 20; i++) {
		const double x = gt_uniform(&a);
		ck_assert_double_eq(x, gt_uniform(&b));
		ck_assert_double_ne(x, gt_uniform(&c));
		ck_assert_double_ne(x, gt_uniform(&d));
	}
}

/* Mean and variance of n numbers within 4.5 of their standard errors; fourth: central moment of the distribution. */
static void check_moments(const double *x, size_t n, double mean, double variance, double fourth)
{
	double sum = 0, squares = 0;
	for (size_t i = 0; i < n; i++) {
		sum += x[i] - mean;
		squares += (x[i] - mean) * (x[i] - mean);
	}
	ck_assert(isfinite(squares));
	const double m = sum / (double)n, v = squares / (double)n;
	ck_assert_msg(fabs(m) < 4.5 * sqrt(variance / (double)n), "mean is off by %g, expected about %g", m, sqrt(variance / (double)n));
	const double scatter = sqrt((fourth - variance * variance) / (double)n);
	ck_assert_msg(fabs(v - variance) < 4.5 * scatter, "variance %g, expected %g +- %g", v, variance, scatter);
}

GT_TEST(uniform_and_normal)
{
	const size_t n = 400000;
	double *x = malloc(n * sizeof *x), min = 1, max = 0;
	gt_random r;
	gt_random_at(1, 2, &r);
	for (size_t i = 0; i < n; i++) {
		x[i] = gt_uniform(&r);
		min = fmin(min, x[i]);
		max = fmax(max, x[i]);
	}
	check_moments(x, n, 0.5, 1.0 / 12, 1.0 / 80);
	ck_assert(min > 0 && min < 1e-4 && max < 1 && max > 1 - 1e-4);
	size_t beyond_one = 0;
	for (size_t i = 0; i < n; i++) {
		x[i] = gt_normal(&r);
		beyond_one += x[i] > 1;
	}
	check_moments(x, n, 0, 1, 3);
	const double p = 0.5 * erfc(sqrt(0.5));
	ck_assert_double_eq_tol((double)beyond_one, p * (double)n, 4.5 * sqrt(p * (1 - p) * (double)n));
	free(x);
}

/* Two words per draw give 53 bits: the low bits are random too. */
GT_TEST(uniform_has_fine_bits)
{
	gt_random r;
	gt_random_at(9, 0, &r);
	int odd = 0;
	for (int i = 0; i < 4000; i++) {
		const double scaled = gt_uniform(&r) * 0x1p52;
		odd += (int)fmod(floor(scaled), 2);
	}
	ck_assert_int_gt(odd, 1850);
	ck_assert_int_lt(odd, 2150);
}

static double probability(double k, double mean) { return exp(k * log(mean) - mean - lgamma(k + 1)); }

/* Pearson's chi-square of n counts against the distribution, with pooled tails; a wrong mean must fail. */
static double chi_square_excess(const double *x, size_t n, double mean)
{
	const size_t max = (size_t)(mean + 12 * sqrt(mean) + 20);
	double *seen = calloc(max + 1, sizeof *seen), chi = 0, expected = 0, found = 0, cells = 0, left = (double)n;
	for (size_t i = 0; i < n; i++) {
		if (!(x[i] >= 0 && x[i] <= (double)max && floor(x[i]) == x[i]))
			ck_abort_msg("%g is no count that a mean of %g gives", x[i], mean);
		seen[(size_t)x[i]]++;
	}
	for (size_t k = 0; k <= max; k++) {
		const double e = (double)n * probability((double)k, mean);
		expected += e;
		found += seen[k];
		left -= e;
		if ((expected >= 20 && left >= 20) || k == max) {
			chi += (found - expected) * (found - expected) / fmax(expected, 1e-3);
			cells++;
			expected = found = 0;
		}
	}
	free(seen);
	const double freedom = cells - 1;
	return (chi - freedom) / sqrt(2 * freedom);
}

static const double means[] = { 0.3, 3, 9.99, 10, 10.5, 30, 3000 };

GT_TESTS(poisson_follows_its_law, (int)(sizeof means / sizeof *means))
{
	const size_t n = 300000;
	const double mean = means[_i];
	double *x = malloc(n * sizeof *x);
	for (size_t i = 0; i < n; i++) {
		gt_random r;
		gt_random_at(42, i, &r);
		x[i] = gt_poisson(&r, mean);
	}
	check_moments(x, n, mean, mean, mean * (1 + 3 * mean));
	const double excess = chi_square_excess(x, n, mean), wrong = chi_square_excess(x, n, mean * 1.03);
	ck_assert_msg(excess < 4.5, "chi-square is %g standard deviations above its freedom", excess);
	ck_assert_msg(wrong > 4.5, "a mean wrong by 3 %% was not seen: %g", wrong);
	free(x);
}

GT_TEST(poisson_of_large_and_odd_means)
{
	const size_t n = 100000;
	double *x = malloc(n * sizeof *x);
	for (double mean = 1e6; mean < 1e13; mean *= 1e3) {
		gt_random r;
		gt_random_at(3, (uint64_t)mean, &r);
		for (size_t i = 0; i < n; i++)
			x[i] = gt_poisson(&r, mean);
		check_moments(x, n, mean, mean, mean * (1 + 3 * mean));
	}
	free(x);
	gt_random r;
	gt_random_at(1, 1, &r);
	ck_assert_double_eq(gt_poisson(&r, 0), 0);
	ck_assert_double_eq(gt_poisson(&r, -1), 0);
	ck_assert_double_eq(gt_poisson(&r, 1e-300), 0);
	ck_assert(isnan(gt_poisson(&r, NAN)));
	ck_assert(isinf(gt_poisson(&r, INFINITY)));
}

int main(void) { return gt_test_main("random", NULL); }
