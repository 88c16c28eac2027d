/* Weights of line integrals: formula, mean of 1, threads and refusals.
 * labels: unit backend: none */
#include <math.h>
#include <stdlib.h>
#include "core/random.h"
#include "recon/weights/photon_weights.h"
#include "tests/support/support.h"

enum { N = 200003 };

static float *integrals(void)
{
	float *p = malloc(N * sizeof *p);
	gt_random r;
	gt_random_at(7, 0, &r);
	for (size_t i = 0; i < N; i++)
		p[i] = (float)(9 * gt_uniform(&r) - 0.2);
	return p;
}

static double mean_of(const float *w)
{
	double sum = 0;
	for (size_t i = 0; i < N; i++)
		sum += w[i];
	return sum / N;
}

GT_TESTS(inverse_variance, 2)
{
	float *p = integrals(), *w = malloc(N * sizeof *w);
	const gt_counting c = { NULL, 3e4, _i ? 20. : 0. };
	double factor;
	ck_ok(gt_data_weights(NULL, &c, p, N, w, &factor));
	ck_assert_double_eq_tol(mean_of(w), 1, 1e-6);
	for (size_t i = 0; i < N; i += 37) {
		const double n = 3e4 * exp(-p[i]), expected = n * n / (n + c.electronic * c.electronic) / factor;
		ck_assert_msg(fabs(w[i] - expected) <= 1e-6 * expected, "%zu: %g, expected %g", i, w[i], expected);
	}
	free(p);
	free(w);
}

/* Blank-scan counts per ray; in place; any number of threads. */
GT_TEST(counts_of_rays)
{
	float *p = integrals(), *photons = integrals(), *w = malloc(N * sizeof *w);
	gt_pool *pool = NULL;
	double one, three;
	for (size_t i = 0; i < N; i++)
		photons[i] = 1e3f * (photons[i] + 1);
	const gt_counting c = { photons, 0, 5 };
	ck_ok(gt_pool_new(3, &pool));
	ck_ok(gt_data_weights(NULL, &c, p, N, w, &one));
	const double n = photons[777] * exp(-p[777]);
	ck_assert_double_eq_tol(w[777] * one / (n * n / (n + 25)), 1, 1e-6);
	ck_ok(gt_data_weights(pool, &c, p, N, p, &three));
	ck_assert(one == three);
	ck_assert_mem_eq(p, w, N * sizeof *w);
	gt_pool_free(pool);
	free(p);
	free(photons);
	free(w);
}

GT_TEST(no_light_is_no_weight)
{
	const float p[] = { 1, 800, 2 };
	float w[3];
	double factor;
	ck_ok(gt_data_weights(NULL, &(gt_counting){ NULL, 100, 0 }, p, 3, w, &factor));
	ck_assert(w[0] > w[2] && w[2] > 0 && w[1] == 0);
}

GT_TEST(given_ones)
{
	const float given[] = { 1, 0, 5, 2 };
	float w[4];
	double factor;
	ck_ok(gt_data_weights_given(NULL, given, 4, w, &factor));
	ck_assert(factor == 2 && w[0] == 0.5f && w[1] == 0 && w[2] == 2.5f && w[3] == 1);
}

GT_TEST(refusals)
{
	const float p[] = { 1, NAN, 2 }, endless[] = { 1, 2, INFINITY }, photons[] = { 5, 0, 3 }, fine[] = { 1, 2, 3 };
	const float negative[] = { 2, -1, 3 }, zero[] = { 0, 0, 0 };
	float w[3];
	double factor;
	ck_refused(gt_data_weights(NULL, &(gt_counting){ NULL, 100, 0 }, p, 3, w, &factor), GT_ERR_ARG, "value 1");
	ck_refused(gt_data_weights(NULL, &(gt_counting){ NULL, 100, 0 }, endless, 3, w, &factor), GT_ERR_ARG, "value 2");
	ck_refused(gt_data_weights(NULL, &(gt_counting){ photons, 0, 0 }, fine, 3, w, &factor), GT_ERR_ARG,
	           "value 1: cannot weight 0 photons");
	ck_refused(gt_data_weights(NULL, &(gt_counting){ NULL, 0, 0 }, fine, 3, w, &factor), GT_ERR_ARG, "0 photons");
	ck_refused(gt_data_weights(NULL, &(gt_counting){ NULL, 1e-300, 0 }, fine, 3, w, &factor), GT_ERR_ARG, "1e-300 photons");
	const float few[] = { 1e-30f, 1e-30f, 1e-30f }, dark[] = { 40, 45, 49 };
	ck_refused(gt_data_weights(NULL, &(gt_counting){ few, 0, 0 }, dark, 3, w, &factor), GT_ERR_ARG, "too small for single precision");
	ck_refused(gt_data_weights(NULL, &(gt_counting){ NULL, 5, -1 }, fine, 3, w, &factor), GT_ERR_ARG, "noise of -1");
	ck_refused(gt_data_weights_given(NULL, negative, 3, w, &factor), GT_ERR_ARG, "weight 1 of the data is -1");
	ck_refused(gt_data_weights_given(NULL, p, 3, w, &factor), GT_ERR_ARG, "weight 1 of the data is nan");
	ck_refused(gt_data_weights_given(NULL, zero, 3, w, &factor), GT_ERR_ARG, "all are 0");
}

/* Hand-computed values, at both ends of a row and inside; rows are independent. */
GT_TEST(smoothed_along_rows)
{
	static const float p[] = { 1, 2, 4, 8, 16, -3, 0, 5, 7, 7 },
			   expected[] = { 1.25f, 2.25f, 4.5f, 9, 14, -2.25f, .5f, 4.25f, 6.5f, 7 };
	float q[10], single[3];
	gt_pool *pool = NULL;
	ck_ok(gt_pool_new(3, &pool));
	gt_data_smooth(pool, p, NULL, 10, 5, q);
	for (size_t i = 0; i < 10; i++)
		ck_assert_float_eq(q[i], expected[i]);
	gt_data_smooth(NULL, p, NULL, 3, 1, single);
	ck_assert_mem_eq(single, p, sizeof single);
	gt_pool_free(pool);
}

/* At low counts N, uniform weights bias the mean of logarithms by +1/(2N), weights from the same counts by
 * -1/(2N). Smoothed weights cancel the bias. */
GT_TESTS(smoothed_weights_cancel_the_bias_of_logarithms, 3)
{
	static const double means[] = { 8, 20, 60 };
	const double mean = means[_i], photons = 1000, truth = log(photons / mean);
	enum { COLUMNS = 887, ROWS = 1200, CELLS = COLUMNS * ROWS };
	float *p = malloc(CELLS * sizeof *p), *w = malloc(CELLS * sizeof *w);
	const gt_counting c = { NULL, photons, 0 };
	double sum[3] = { 0, 0, 0 }, factor;
	for (size_t i = 0; i < CELLS; i++) {
		gt_random r;
		gt_random_at(11, i, &r);
		p[i] = (float)log(photons / fmax(0.5, gt_poisson(&r, mean)));
	}
	for (int kind = 0; kind < 3; kind++) {
		double total = 0;
		if (kind == 2)
			gt_data_smooth(NULL, p, NULL, CELLS, COLUMNS, w);
		if (kind)
			ck_ok(gt_data_weights(NULL, &c, kind == 2 ? w : p, CELLS, w, &factor));
		for (size_t i = 0; i < CELLS; i++) {
			sum[kind] += (kind ? w[i] : 1) * (p[i] - truth);
			total += kind ? w[i] : 1;
		}
		sum[kind] *= 2 * mean / total;
	}
	ck_assert_double_eq_tol(sum[0], 1, 0.05 + 1.5 / mean);
	ck_assert_double_eq_tol(sum[1], -1, 0.05 + 1.5 / mean);
	ck_assert_double_lt(fabs(sum[2]), 0.1);
	free(p);
	free(w);
}

int main(void) { return gt_test_main("data weights", NULL); }
