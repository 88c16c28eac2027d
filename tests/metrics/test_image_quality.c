/* Regions, profiles, MTF, NPS and FSC against known results for Gaussian blur and noise. Absolute values.
 * labels: unit physics backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/metrics.h>
#include "tests/support/support.h"

/* A disc of radius 20 mm, off the centre, blurred by a Gaussian of 0.5 mm; voxels of 0.25 mm: MTF50 = sqrt(ln
 * 2/2)/(pi sigma), with the voxel's sinc 0.371/mm. */
GT_TESTS(mtf, 2)
{
	enum { N = 240 };
	const gt_grid g = { { N, N, 2 }, { 0.25, 0.25, 1 }, { 1, -2, 5 } };
	float *x = malloc(sizeof(float) * 2 * N * N);
	gt_mtf m;
	for (size_t i = 0; i < 2 * N * N; i++) {
		double sum = 0;
		/* the voxel is the mean of 5 x 5 points; the blurred edge of a large disc is an error function of
		 * the distance */
		for (int k = 0; k < 25; k++) {
			const double u = gt_grid_first(&g, 0) + ((double)(i % N) + (k % 5 - 2) / 5.) * 0.25 - 1.37;
			const double v = gt_grid_first(&g, 1) + ((double)(i / N % N) + (k / 5 - 2) / 5.) * 0.25 + 2.21;
			sum += 0.5 * erfc((hypot(u, v) - 20) / (0.5 * sqrt(2))) / 25;
		}
		x[i] = (float)(0.02 * sum + 0.001 + _i * 0.0004 * gt_test_normal(3, i));
	}
	const gt_disc disc = { { 1.1, -2 }, 21, 0, 2 };
	ck_ok(gt_mtf_of_disc(&g, x, &disc, &m));
	const double expected = 0.371;
	fprintf(stderr, "mtf50 %.4f, expected %.4f; mtf10 %.4f; width %.4f; radius %.4f\n", m.f50, expected, m.f10, m.width, m.radius);
	ck_assert_double_eq_tol(m.f50 / expected, 1, _i ? 0.03 : 0.015);
	ck_assert_double_eq_tol(m.radius, 20, 0.02);
	ck_assert_double_eq_tol(m.center[0], 1.37, 0.01);
	ck_assert_double_eq_tol(m.center[1], -2.21, 0.01);
	ck_assert_double_eq_tol(m.width, 2.3548 * 0.5, _i ? 0.12 : 0.05);
	ck_assert_double_eq_tol(m.inside, 0.021, 2e-5);
	gt_curve_free(&m.mtf);
	const gt_disc nowhere = { { 20, 20 }, 3, 0, 2 };
	ck_refused(gt_mtf_of_disc(&g, x, &nowhere, &m), GT_ERR_ARG, "there is no edge");
	const gt_disc above = { { 0, 0 }, 3, 1, 2 };
	ck_refused(gt_mtf_of_disc(&g, x, &above, &m), GT_ERR_ARG, "the volume has 2");
	free(x);
}

/* White noise on a trend: the sum is the variance to 1 %, the NPS is flat at variance pitch^2, the trend is removed. */
GT_TEST(nps)
{
	enum { N = 200 };
	const gt_grid g = { { N, N, 3 }, { 0.5, 0.5, 1 }, { 0, 0, 0 } };
	float *x = malloc(sizeof(float) * 6 * N * N), *y = x + 3 * N * N;
	gt_nps s;
	for (size_t i = 0; i < 3 * N * N; i++) {
		const double trend = 1e-4 * (double)(i % N) + 1e-6 * pow((double)(i / N % N), 2);
		x[i] = (float)(5 + trend + 0.3 * gt_test_normal(1, i));
		y[i] = (float)(5 + trend + 0.3 * gt_test_normal(2, i));
	}
	const gt_roi roi = { { 0, 0, 0 }, 80, 3 };
	for (int pair = 0; pair < 2; pair++) {
		ck_ok(gt_nps_measure(&g, x, pair ? y : NULL, &roi, 32, &s));
		ck_assert_uint_ge(s.squares, 30);
		fprintf(stderr, "nps: its sum is %.4f of the variance\n", s.sum / 0.09);
		ck_assert_double_eq_tol(s.sum / s.variance, 1, 1e-9);
		/* the polynomial takes 6 of 1024 degrees of freedom */
		ck_assert_double_eq_tol(s.sum / 0.09, 1018. / 1024, 0.01);
		for (size_t b = 6; b < s.radial.n; b++)
			ck_assert_double_eq_tol(s.radial.value[b] / (0.09 * 0.25), 1, 0.12);
		ck_assert_double_eq_tol(s.radial.frequency[4], 4 / 16., 1e-12);
		gt_curve_free(&s.radial);
	}
	const gt_roi small = { { 0, 0, 0 }, 3, 3 };
	ck_refused(gt_nps_measure(&g, x, NULL, &small, 32, &s), GT_ERR_ARG, "no square of 32 x 32");
	free(x);
}

/* The same volume: 1 everywhere; independent noise in each half: S/(S + N) in every shell. */
GT_TEST(fsc)
{
	enum { N = 48, ALL = N * N * N };
	const gt_grid g = { { N, N, N }, { 0.5, 0.5, 0.5 }, { 0, 0, 0 } };
	float *x = malloc(sizeof(float) * 2 * ALL), *y = x + ALL;
	gt_fsc f;
	for (size_t i = 0; i < ALL; i++)
		x[i] = (float)(3 + gt_test_normal(1, i));
	ck_ok(gt_fsc_measure(&g, x, x, &f));
	for (size_t k = 0; k < f.fsc.n; k++)
		ck_assert_double_eq_tol(f.fsc.value[k], 1, 1e-9);
	ck_assert_double_nan(f.resolution);
	gt_fsc_free(&f);
	for (size_t i = 0; i < ALL; i++) {
		const float signal = x[i];
		x[i] = signal + (float)(0.7 * gt_test_normal(2, i));
		y[i] = signal + (float)(0.7 * gt_test_normal(3, i));
	}
	ck_ok(gt_fsc_measure(&g, x, y, &f));
	for (size_t k = 8; k < f.fsc.n; k++)
		ck_assert_double_eq_tol(f.fsc.value[k], 1 / 1.49, 0.06);
	gt_fsc_free(&f);
	/* uncorrelated: below both limits */
	for (size_t i = 0; i < ALL; i++)
		y[i] = (float)gt_test_normal(9, i);
	ck_ok(gt_fsc_measure(&g, x, y, &f));
	ck_assert_double_gt(f.resolution, 4);
	ck_assert_double_gt(f.resolution_143, 2);
	gt_fsc_free(&f);
	free(x);
}

GT_TEST(regions)
{
	const gt_grid g = { { 40, 30, 5 }, { 1, 2, 3 }, { 4, -5, 6 } };
	float x[40 * 30 * 5];
	double line[11];
	gt_roi_figures f, h;
	for (size_t i = 0; i < 6000; i++)
		x[i] = (float)(1000 + 0.5 * (double)(i % 40) + 0.25 * (double)(i / 40 % 30) + (double)(i / 1200));
	/* the voxel 20, 15, 2 is at 4.5, -4, 6 */
	const gt_roi roi = { { 4.5, -4, 6 }, 4.1, 0 }, away = { { 99, 0, 0 }, 3, 0 }, tall = { { 4.5, -4, 6 }, 4.1, 7 };
	ck_ok(gt_roi_measure(&g, x, &roi, &f));
	ck_assert_uint_eq(f.count, 9 + 2 * 7 + 2 * 1);
	ck_assert_double_eq_tol(f.mean, 1000 + 10 + 3.75 + 2, 1e-6);
	ck_assert_double_eq_tol(f.max, 1000 + 12 + 3.75 + 2, 1e-6);
	ck_ok(gt_roi_measure(&g, x, &tall, &h));
	ck_assert_uint_eq(h.count, 3 * f.count);
	ck_refused(gt_roi_measure(&g, x, &away, &h), GT_ERR_ARG, "no voxel");
	ck_ok(gt_line_profile(&g, x, (double[]){ 4.5 - 5, -4 - 4, 6 }, (double[]){ 4.5 + 5, -4 + 4, 9 }, 11, line));
	for (int k = 0; k < 11; k++)
		ck_assert_double_eq_tol(line[k], 1000 + 0.5 * (15 + k) + 0.25 * (13 + 0.4 * k) + 2 + 0.1 * k, 1e-4);
	ck_refused(gt_line_profile(&g, x, (double[]){ 99, 0, 6 }, (double[]){ 0, 0, 6 }, 11, line), GT_ERR_ARG, "its begin, 99,0,6");
	/* white noise: the error of the mean is sd/sqrt(n) */
	for (size_t i = 0; i < 6000; i++)
		x[i] = (float)gt_test_normal(4, i);
	const gt_roi all = { { 4, -5, 6 }, 60, 30 };
	ck_ok(gt_roi_measure(&g, x, &all, &f));
	ck_assert_uint_eq(f.count, 6000);
	ck_assert_double_eq_tol(f.sd, 1, 0.03);
	ck_assert_double_eq_tol(f.error * sqrt(6000), 1, 0.15);
	h = f;
	h.mean = f.mean + 5 * f.sd;
	ck_assert_double_eq_tol(gt_contrast_to_noise(&f, &h), 5, 1e-9);
}

int main(void) { return gt_test_main("image_quality", NULL); }
