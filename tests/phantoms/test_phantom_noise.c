/* Noise of line integrals: distribution of the counts, the floor, and independence of the division of the work. */
/* labels: unit property backend: none */
#include <math.h>
#include "tests/phantoms/bodies.h"

enum { N = 200000 };

static float *noisy(double photons, double electronic, float value, uint64_t seed)
{
	float *p = malloc(N * sizeof *p);
	for (size_t i = 0; i < N; i++)
		p[i] = value;
	gt_add_photon_noise(photons, electronic, seed, 0, NULL, p, N);
	return p;
}

static const double means[] = { 0.3, 3, 30, 3000 };

/* Mean and variance of the counts; a count at the floor of one half stands for 0. */
GT_TESTS(counts_have_mean_and_variance, 4)
{
	const double mean = means[_i], value = 2.5, photons = mean * exp(value);
	float *p = noisy(photons, 0, (float)value, 11);
	double sum = 0, squares = 0;
	size_t none = 0;
	for (size_t i = 0; i < N; i++) {
		const double counts = photons * exp(-(double)p[i]), whole = round(counts * 2) / 2;
		if (fabs(counts - whole) > 2e-3 || (whole != 0.5 && whole != floor(whole)))
			ck_abort_msg("%g is no number of counts", counts);
		none += whole == 0.5;
		const double x = whole == 0.5 ? 0 : whole;
		sum += x - mean;
		squares += (x - mean) * (x - mean);
	}
	ck_assert_double_eq_tol(sum / N, 0, 4 * sqrt(mean / N));
	ck_assert_double_eq_tol(squares / N, mean, 4 * sqrt((mean + 2 * mean * mean) / N));
	ck_assert_double_eq_tol((double)none / N, exp(-mean), 4 * sqrt(exp(-mean) / N) + 1e-12);
	free(p);
}

GT_TEST(electronic_noise_adds_its_variance)
{
	const double mean = 400, photons = mean * exp(1.25);
	float *p = noisy(photons, 15, 1.25f, 5);
	double sum = 0, squares = 0;
	for (size_t i = 0; i < N; i++) {
		const double x = photons * exp(-(double)p[i]) - mean;
		sum += x;
		squares += x * x;
	}
	const double variance = mean + 15 * 15;
	ck_assert_double_eq_tol(sum / N, 0, 4 * sqrt(variance / N));
	ck_assert_double_eq_tol(squares / N, variance, 4 * sqrt((2 * variance * variance + mean) / N));
	free(p);
	/* Hardly any photons and much electronic noise: the floor keeps the logarithm finite. */
	p = noisy(100, 20, 12, 5);
	const float max = (float)log(100 / 0.5);
	size_t floors = 0;
	for (size_t i = 0; i < N; i++) {
		if (!(p[i] <= max))
			ck_abort_msg("%g is above the floor's %g", p[i], max);
		floors += p[i] == max;
	}
	ck_assert(floors > N / 3 && floors < N * 2 / 3);
	free(p);
}

GT_TEST(same_numbers_for_any_cut)
{
	float *all = noisy(2e4, 4, 3, 99), *other = malloc(N * sizeof *other);
	static const int threads[] = { 1, 2, 5 };
	for (int t = 0; t < 3; t++) {
		gt_pool *pool = NULL;
		ck_ok(gt_pool_new(threads[t], &pool));
		for (size_t i = 0; i < N; i++)
			other[i] = 3;
		gt_add_photon_noise(2e4, 4, 99, 0, pool, other, 777);
		gt_add_photon_noise(2e4, 4, 99, 777, pool, other + 777, N - 777);
		ck_assert_mem_eq(all, other, N * sizeof *all);
		gt_pool_free(pool);
	}
	float *seed = noisy(2e4, 4, 3, 98);
	size_t same = 0;
	for (size_t i = 0; i < N; i++)
		same += all[i] == seed[i] || (i && all[i] == all[i - 1]);
	ck_assert_uint_lt(same, N / 100);
	free(all);
	free(other);
	free(seed);
}

int main(void) { return gt_test_main("phantom noise", NULL); }
