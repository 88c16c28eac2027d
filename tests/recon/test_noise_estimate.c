/* Noise of line integrals: known parameters enter the formula, unknown ones are estimated from the data.
 * labels: unit property backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include "core/random.h"
#include "geometry/projections.h"
#include "recon/noise/local_noise_model.h"
#include "recon/noise/noise_estimate.h"
#include "recon/weights/photon_weights.h"
#include "tests/support/support.h"

enum { VIEWS = 70, ROWS = 24, COLUMNS = 60, N = VIEWS * ROWS * COLUMNS };

/* A scan without geometry and with smooth line integrals from 1 to 4; its arrays are on the heap. */
static gt_projections *smooth(size_t views, size_t rows, size_t columns)
{
	gt_projections *p = gt_projections_blank();
	ck_ok(gt_scan_new(GT_FLAT, views, rows, columns, &p->scan));
	p->data = malloc(gt_scan_size(p->scan) * sizeof *p->data);
	for (size_t i = 0; i < gt_scan_size(p->scan); i++) {
		const double c = (double)(i % columns) / (double)columns, r = (double)(i / columns % rows) / (double)rows,
			     v = (double)(i / columns / rows) / (double)views;
		p->data[i] = (float)(2.5 + 1.2 * sin(3 * c + r) + 0.3 * cos(4 * v + 1));
	}
	return p;
}

static float *random_weights(size_t n)
{
	float *w = malloc(n * sizeof *w);
	gt_test_random(9, n, w);
	for (size_t i = 0; i < n; i++)
		w[i] = 1.25f + 0.75f * w[i];
	return w;
}

/* Adds Gaussian noise of the given variance. */
static void add_noise(gt_projections *p, const double *variance)
{
	for (size_t i = 0; i < gt_scan_size(p->scan); i++) {
		gt_random r;
		gt_random_at(5, i, &r);
		p->data[i] += (float)(sqrt(variance[i]) * gt_normal(&r));
	}
}

static void add_noise_of_photons(gt_projections *p, double photons)
{
	const size_t n = gt_scan_size(p->scan);
	double *variance = malloc(n * sizeof *variance);
	for (size_t i = 0; i < n; i++)
		variance[i] = exp(p->data[i]) / photons;
	add_noise(p, variance);
	free(variance);
}

static const double photons[] = { 3e3, 1e5, 1e8 };

/* With a mean of N photons the variance is exp(p)/N. */
START_TEST(unknown_photons)
{
	gt_projections *p = smooth(VIEWS, ROWS, COLUMNS);
	gt_noise_model *m = NULL;
	const float clean = p->data[777];
	add_noise_of_photons(p, photons[_i]);
	ck_ok(gt_noise_estimate(p, NULL, NULL, &m));
	ck_assert_double_eq_tol(gt_noise_photons(m) / photons[_i], 1, 0.06);
	ck_assert_double_eq_tol(gt_noise_scale(m) * gt_noise_photons(m), 1, 1e-12);
	ck_assert_str_eq(gt_noise_source(m), "differences of neighbouring pixels");
	ck_assert_double_eq_tol(gt_noise_variance(m, 777) * photons[_i] / exp(clean), 1, 0.2);
	ck_assert_double_eq_tol(gt_noise_variance(m, 777), gt_noise_scale(m) * exp(p->data[777]), 1e-6 * gt_noise_variance(m, 777));
	gt_noise_free(m);
	gt_projections_free(p);
}
END_TEST

/* Weights w mean the variance s/w. Their unit changes s, not the variance. Pixels of weight 0 are ignored. */
START_TEST(weights_of_the_file)
{
	gt_projections *p = smooth(VIEWS, ROWS, COLUMNS);
	double *variance = malloc(N * sizeof *variance);
	gt_noise_model *m = NULL;
	p->weight = random_weights(N);
	for (size_t i = 0; i < N; i++)
		variance[i] = 4e-4 / p->weight[i];
	add_noise(p, variance);
	for (size_t i = 0; i < N; i += 97) {
		p->data[i] = 1000;
		p->weight[i] = 0;
	}
	for (int unit = 0; unit < 2; unit++) {
		ck_ok(gt_noise_estimate(p, NULL, NULL, &m));
		ck_assert_double_eq_tol(gt_noise_variance(m, 98) / variance[98], 1, 0.06);
		ck_assert_double_eq_tol(gt_noise_scale(m) / 4e-4, unit ? 1e3 : 1, unit ? 60 : 0.06);
		ck_assert(gt_noise_variance(m, 97) == 0);
		ck_assert(gt_noise_photons(m) == 0);
		ck_assert_str_eq(gt_noise_source(m), "weights of the file and differences of neighbouring pixels");
		gt_noise_free(m);
		for (size_t i = 0; i < N; i++)
			p->weight[i] *= 1000;
	}
	free(variance);
	gt_projections_free(p);
}
END_TEST

/* If most weights are 1, smaller ones mark interpolated pixels, which are too smooth for the estimate. */
START_TEST(weights_of_a_correction)
{
	gt_projections *p = smooth(VIEWS, ROWS, COLUMNS);
	gt_noise_model *m = NULL;
	add_noise_of_photons(p, 2e4);
	p->weight = malloc(N * sizeof *p->weight);
	for (size_t i = 0; i < N; i++)
		p->weight[i] = i % 6 == 1 ? 0.1f : i % COLUMNS == 9 ? 0 : 1; /* COLUMNS is a multiple of 6 */
	for (size_t i = 1; i < N; i += 6)
		p->data[i] = (p->data[i - 1] + p->data[i + 1]) / 2;
	ck_ok(gt_noise_estimate(p, NULL, NULL, &m));
	ck_assert_double_eq_tol(gt_noise_photons(m) / 2e4, 1, 0.06);
	for (int k = 30; k < 32; k++)
		ck_assert_double_eq_tol(gt_noise_variance(m, k) * p->weight[k] * gt_noise_photons(m) / exp(p->data[k]), 1, 1e-5);
	ck_assert(gt_noise_variance(m, 9) == 0 && gt_noise_weights(m)[9] == 0 && gt_noise_weights(m)[31] > 0);
	gt_noise_free(m);
	gt_projections_free(p);
}
END_TEST

/* Edges along each axis over 6 % of the pixels, and air: the estimate does not change. */
START_TEST(edges_and_air)
{
	gt_projections *p = smooth(VIEWS, ROWS, COLUMNS);
	gt_noise_model *m = NULL;
	for (size_t i = 0; i < N; i++) {
		const size_t c = i % COLUMNS, r = i / COLUMNS % ROWS, v = i / COLUMNS / ROWS;
		p->data[i] = c < 20 ? 0 : p->data[i] + (c > 40) + 0.7f * (r > 11) - 0.4f * (v > 30);
	}
	add_noise_of_photons(p, 2e4);
	ck_ok(gt_noise_estimate(p, NULL, NULL, &m));
	ck_assert_double_eq_tol(gt_noise_photons(m) / 2e4, 1, 0.12);
	gt_noise_free(m);
	gt_projections_free(p);
}
END_TEST

/* Structure far above the noise in nine tenths of the pixels, as from a coarse detector: the estimate uses the
 * rest. A tenth of the pixels is padding without noise and is ignored. */
START_TEST(structure_nearly_everywhere)
{
	gt_projections *p = smooth(VIEWS, ROWS, COLUMNS);
	gt_noise_model *m = NULL;
	float *rough = malloc(N * sizeof *rough);
	gt_test_random(31, N, rough);
	for (size_t i = 0; i < N; i++) {
		const size_t c = i % COLUMNS, v = i / COLUMNS / ROWS;
		p->data[i] += c < 40 || v < 40 ? 0.1f * rough[i] : 0;
	}
	add_noise_of_photons(p, 1e5);
	for (size_t i = 0; i < N; i++)
		if (i % COLUMNS >= 54)
			p->data[i] = 3;
	ck_ok(gt_noise_estimate(p, NULL, NULL, &m));
	ck_assert_double_eq_tol(gt_noise_photons(m) / 1e5, 1, 0.2);
	gt_noise_free(m);
	free(rough);
	gt_projections_free(p);
}
END_TEST

/* Line integrals of a rod with pores, grains and pins in one row, each pixel the mean of four rays. Its edges
 * cross most columns, so half of all differences along any axis contain one. An estimate from samples with wide
 * neighbourhoods found 0.77 of the photons. */
static gt_projections *rod(size_t views, size_t columns)
{
	static const double cylinder[][4] = { /* x, y, radius, added attenuation */
		                              { 0, 0, 45, 0.0055 },   { -18, 12, 10, -0.0055 }, { 6, 28, 5, -0.0055 },
		                              { 22, -6, 9, 0.0035 },  { -8, -25, 8, 0.0035 },   { -3, -4, 5, 0.001 },
		                              { 25, 20, 2.4, 0.037 }, { -33, -13, 1.5, 0.037 }
	};
	gt_projections *p = smooth(views, 1, columns);
	for (size_t i = 0; i < views * columns; i++) {
		const double angle = 2 * GT_PI * (double)(i / columns) / (double)views, at = (double)(i % columns) - (double)columns / 2;
		p->data[i] = 0;
		for (size_t k = 0; k < sizeof cylinder / sizeof *cylinder; k++)
			for (int ray = 0; ray < 4; ray++) {
				const double *c = cylinder[k], t = at + (ray + 0.5) / 4 - c[0] * cos(angle) - c[1] * sin(angle);
				p->data[i] += (float)(c[3] / 2 * sqrt(fmax(0, c[2] * c[2] - t * t)));
			}
	}
	return p;
}

START_TEST(edges_that_wander)
{
	enum { SEEDS = 8 };
	double sum = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		gt_projections *p = rod(90, 128);
		gt_noise_model *m = NULL;
		gt_add_photon_noise(1e5, 0, seed, 0, NULL, p->data, gt_scan_size(p->scan));
		ck_ok(gt_noise_estimate(p, NULL, NULL, &m));
		ck_assert_double_eq_tol(gt_noise_photons(m) / 1e5, 1, 0.35);
		sum += gt_noise_photons(m) / 1e5 / SEEDS;
		gt_noise_free(m);
		gt_projections_free(p);
	}
	ck_assert_msg(sum > 0.82 && sum < 1.1, "photons found over true: %g", sum);
}
END_TEST

/* Fewer than a hundred samples in the object: all pixels are used. */
START_TEST(hardly_any_object)
{
	gt_projections *p = smooth(VIEWS, ROWS, COLUMNS);
	gt_noise_model *m = NULL;
	for (size_t i = 0; i < N; i++) {
		const size_t c = i % COLUMNS, r = i / COLUMNS % ROWS, v = i / COLUMNS / ROWS;
		p->data[i] = c % 3 == 0 && r % 8 == 0 && v % 2 == 0 ? 5 : 0.1f;
	}
	add_noise_of_photons(p, 1e4);
	ck_ok(gt_noise_estimate(p, NULL, NULL, &m));
	ck_assert(gt_noise_photons(m) > 0.5e4 && gt_noise_photons(m) < 1.2e4);
	gt_noise_free(m);
	gt_projections_free(p);
}
END_TEST

/* One row or one view: one axis suffices. */
START_TEST(one_axis)
{
	static const size_t sizes[][3] = { { 1, 1, 3000 }, { 3000, 1, 1 } };
	gt_projections *p = smooth(sizes[_i][0], sizes[_i][1], sizes[_i][2]);
	gt_noise_model *m = NULL;
	add_noise_of_photons(p, 1e5);
	ck_ok(gt_noise_estimate(p, NULL, NULL, &m));
	ck_assert_double_eq_tol(gt_noise_photons(m) / 1e5, 1, 0.3);
	gt_noise_free(m);
	gt_projections_free(p);
}
END_TEST

START_TEST(no_noise_at_all)
{
	gt_projections *p = smooth(20, 20, 20);
	gt_noise_model *m = NULL;
	for (size_t i = 0; i < 8000; i++)
		p->data[i] = 1;
	ck_ok(gt_noise_estimate(p, NULL, NULL, &m));
	ck_assert(gt_noise_scale(m) == 1e-12);
	gt_noise_free(m);
	gt_projections_free(p);
}
END_TEST

START_TEST(known_photons)
{
	gt_projections *p = smooth(3, 4, 5);
	gt_noise_model *m = NULL;
	p->photons = malloc(60 * sizeof *p->photons);
	for (size_t i = 0; i < 60; i++)
		p->photons[i] = 100.f + (float)i;
	p->weight = random_weights(60);
	const gt_counting count = { p->photons, 500, 30 }, each = { p->photons, 0, 0 };
	ck_ok(gt_noise_estimate(p, &count, NULL, &m));
	ck_assert_str_eq(gt_noise_source(m), "photons as given");
	double n = 500 * exp(-p->data[17]);
	ck_assert_double_eq_tol(gt_noise_variance(m, 17) * n * n / (n + 900), 1, 1e-6);
	ck_assert(gt_noise_scale(m) == 1 && gt_noise_photons(m) == 0);
	p->data[17] = 60; /* less than one photon counts as one */
	ck_assert_double_eq_tol(gt_noise_variance(m, 17), 901, 1e-3);
	gt_noise_free(m);
	for (int implied = 0; implied < 2; implied++) {
		ck_ok(gt_noise_estimate(p, implied ? NULL : &each, NULL, &m));
		ck_assert_str_eq(gt_noise_source(m), "photons of the file");
		ck_assert_double_eq_tol(gt_noise_variance(m, 23) * 123 * exp(-p->data[23]), 1, 1e-6);
		gt_noise_free(m);
	}
	gt_projections_free(p);
}
END_TEST

/* Two columns and three views have second differences along rows and views only: 2 (rows - 2) samples, of which
 * 100 are required. */
START_TEST(too_few_pixels)
{
	gt_projections *few = smooth(3, 51, 2), *enough = smooth(3, 52, 2);
	gt_noise_model *m = NULL;
	ck_refused(gt_noise_estimate(few, NULL, NULL, &m), GT_ERR_UNSUPPORTED, "too few neighbouring pixels were measured");
	ck_assert_ptr_null(m);
	ck_ok(gt_noise_estimate(enough, NULL, NULL, &m));
	gt_noise_free(m);
	gt_projections_free(few);
	gt_projections_free(enough);
}
END_TEST

START_TEST(deviations_and_starvation)
{
	gt_projections *p = smooth(VIEWS, ROWS, COLUMNS);
	const gt_counting count = { NULL, 200, 0 };
	gt_noise_model *m = NULL;
	gt_photon_starvation few = { 0, 0, 0 }, again = few, parts = few;
	gt_pool *pool = NULL;
	float *out = malloc(N * sizeof *out), *other = malloc(N * sizeof *other);
	size_t pixels = 0;
	double variance = 0, line = 0;
	ck_ok(gt_pool_new(3, &pool));
	ck_ok(gt_noise_estimate(p, &count, pool, &m));
	ck_ok(gt_noise_deviations(m, 0.1, NULL, 0, N, out, &few));
	for (size_t i = 0; i < N; i++) {
		const double v = exp(p->data[i]) / 200;
		ck_assert_double_eq_tol(out[i], sqrt(v), 1e-6 * sqrt(v));
		if (v > 0.1) {
			pixels++;
			variance += v;
			line += p->data[i];
		}
	}
	ck_assert(pixels > 1000 && pixels < N - 1000);
	ck_assert_uint_eq(few.pixels, pixels);
	ck_assert_double_eq_tol(few.variance, variance, 1e-6 * variance);
	ck_assert_double_eq_tol(few.line, line, 1e-6 * line);
	ck_ok(gt_noise_deviations(m, 0.1, pool, 0, N, other, &again));
	ck_assert_mem_eq(out, other, N * sizeof *out);
	ck_ok(gt_noise_deviations(m, 0.1, pool, 0, N / 3, other, &parts));
	ck_ok(gt_noise_deviations(m, 0.1, pool, N / 3, N - N / 3, other + N / 3, &parts));
	ck_assert_mem_eq(out, other, N * sizeof *out);
	ck_assert_uint_eq(parts.pixels, few.pixels);
	ck_assert_double_eq_tol(parts.variance, few.variance, 1e-12 * few.variance);
	ck_assert_double_eq_tol(parts.line, few.line, 1e-12 * few.line);
	ck_assert(again.variance == few.variance && again.line == few.line);
	free(out);
	free(other);
	gt_noise_free(m);
	gt_pool_free(pool);
	gt_projections_free(p);
}
END_TEST

START_TEST(any_number_of_threads)
{
	gt_projections *p = smooth(VIEWS, ROWS, COLUMNS);
	gt_noise_model *one = NULL, *three = NULL;
	gt_pool *pool = NULL;
	add_noise_of_photons(p, 1e4);
	ck_ok(gt_pool_new(3, &pool));
	ck_ok(gt_noise_estimate(p, NULL, NULL, &one));
	ck_ok(gt_noise_estimate(p, NULL, pool, &three));
	ck_assert(gt_noise_scale(one) == gt_noise_scale(three));
	gt_noise_free(one);
	gt_noise_free(three);
	gt_pool_free(pool);
	gt_projections_free(p);
}
END_TEST

/* Flat spectra: the variance is G/(F + beta kappa^2 R)^2, and its inverse is known. */
START_TEST(quadratic_model)
{
	enum { CELLS = 8 };
	double F[CELLS], G[CELLS], R[CELLS];
	gt_noise_patches p = { .n = { 4, 2, 1 }, .box = CELLS, .layers = 1, .size = CELLS, .end = 1, .places = GT_NOISE_PATCHES, .R = R };
	for (int i = 0; i < CELLS; i++) {
		F[i] = 5;
		G[i] = 9;
		R[i] = 2;
	}
	for (int k = 0; k < GT_NOISE_PATCHES; k++)
		p.at[k] = (gt_noise_patch){ .F = F, .G = G, .square = 1.5 };
	ck_assert_double_eq_tol(gt_noise_patches_quadratic(&p, 0), 3. / 5, 1e-12);
	ck_assert_double_eq_tol(gt_noise_patches_quadratic(&p, 7), 3. / (5 + 7 * 1.5 * 2), 1e-12);
	ck_assert_double_eq_tol(gt_noise_patches_quadratic_strength(&p, 3. / (5 + 7 * 1.5 * 2)), 7, 1e-7);
	p.at[0].square = 0; /* one place without a penalty keeps its noise */
	ck_assert_double_eq_tol(gt_noise_patches_quadratic(&p, 7), sqrt((9. / 25 + 5 * 9. / (26 * 26)) / 6), 1e-12);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_loop_test(tc, unknown_photons, 0, 3);
	tcase_add_test(tc, weights_of_the_file);
	tcase_add_test(tc, weights_of_a_correction);
	tcase_add_test(tc, edges_and_air);
	tcase_add_test(tc, structure_nearly_everywhere);
	tcase_add_test(tc, edges_that_wander);
	tcase_add_test(tc, hardly_any_object);
	tcase_add_loop_test(tc, one_axis, 0, 2);
	tcase_add_test(tc, no_noise_at_all);
	tcase_add_test(tc, known_photons);
	tcase_add_test(tc, too_few_pixels);
	tcase_add_test(tc, deviations_and_starvation);
	tcase_add_test(tc, any_number_of_threads);
	tcase_add_test(tc, quadratic_model);
}

int main(void) { return gt_test_main("noise estimate", fill_suite); }
