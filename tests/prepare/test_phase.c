/* A cylinder of water of 0.2 mm in parallel rays of 20 keV. Its wave is propagated over 20 to 400 mm by Fresnel's
 * integral; phase retrieval recovers the thickness. At a Fresnel number of pixels of 0.16 (100 mm) the error is half
 * a per cent. labels: physics  backend: cpu */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include <gantry/prepare.h>
#include "tests/prepare/half_turn.h"

/* Samples of the wave per pixel; lengths in mm. */
enum { FINE = 8, POINTS = 16384, COLUMNS = 720, ROWS = 5 };
static const double pixel = 1e-3, radius = 0.1, off = 0.0123, energy = 20, ratio = 1500, delta = 5.76e-7;

/* Radix-2 transform; sign: of the exponent. */
static void transform(double complex *x, size_t n, size_t stride, double sign, double complex *out)
{
	if (n == 1) {
		out[0] = x[0];
		return;
	}
	transform(x, n / 2, 2 * stride, sign, out);
	transform(x + stride, n / 2, 2 * stride, sign, out + n / 2);
	for (size_t k = 0; k < n / 2; k++) {
		const double complex even = out[k], odd = out[k + n / 2] * cexp(sign * 2 * GT_PI * I * (double)k / (double)n);
		out[k] = even + odd;
		out[k + n / 2] = even - odd;
	}
}

static double thickness(double x) { return fabs(x - off) < radius ? 2 * sqrt(radius * radius - (x - off) * (x - off)) : 0; }

/* Intensity of each column, the mean over its samples. */
static void propagate(double distance, double *intensity)
{
	const double wavelength = 1.239841984e-6 / energy, step = pixel / FINE;
	double complex *wave = malloc(2 * POINTS * sizeof *wave), *spectrum = wave + POINTS;
	for (size_t i = 0; i < POINTS; i++) {
		const double t = thickness(((double)i - POINTS / 2. + 0.5) * step), k = 2 * GT_PI / wavelength;
		wave[i] = cexp(-k * t * (delta / ratio + I * delta));
	}
	transform(wave, POINTS, 1, -1, spectrum);
	for (size_t i = 0; i < POINTS; i++) {
		const double f = ((double)i - (2 * i < POINTS ? 0 : POINTS)) / (POINTS * step);
		spectrum[i] *= cexp(-I * GT_PI * wavelength * distance * f * f) / POINTS;
	}
	transform(spectrum, POINTS, 1, 1, wave);
	for (size_t k = 0; k < COLUMNS; k++) {
		intensity[k] = 0;
		for (size_t i = 0; i < FINE; i++)
			intensity[k] += pow(cabs(wave[POINTS / 2 + FINE * k - FINE * COLUMNS / 2 + i]), 2) / FINE;
	}
	free(wave);
}

/* Root-mean-square error of line integrals against mu T, relative to the largest. */
static double error_of(const float *p)
{
	const double mu = 4 * GT_PI * delta / ratio * energy / 1.239841984e-6;
	double squares = 0;
	for (size_t k = 0; k < COLUMNS; k++)
		squares += pow(p[k] / mu - thickness(((double)k - (COLUMNS - 1) / 2.) * pixel), 2);
	return sqrt(squares / COLUMNS) / (2 * radius);
}

static const struct {
	double distance, max, fringes; /* mm; error of the thickness; minimum error without the step */
} cases[] = { { 20, 0.002, 0.1 }, { 100, 0.005, 0.5 }, { 400, 0.013, 1 } };

GT_TESTS(thickness_of_a_cylinder, sizeof cases / sizeof *cases)
{
	static const char *const methods[] = { "paganin", "generalised" };
	double intensity[COLUMNS], before = 0, after[2];
	propagate(cases[_i].distance, intensity);
	for (int m = 0; m < 2; m++) {
		gt_projections *p = half_turn((const size_t[3]){ 2, ROWS, COLUMNS }, (const double[]){ pixel, pixel },
		                              (const double[]){ 0, 0 });
		char spec[128];
		for (size_t i = 0; i < 2 * ROWS * COLUMNS; i++)
			gt_projections_data(p)[i] = (float)-log(intensity[i % COLUMNS]);
		before = error_of(gt_projections_data(p));
		snprintf(spec, sizeof spec, "phase:method=%s,energy=%g,distance=%g,delta-beta=%g", methods[m], energy, cases[_i].distance,
		         ratio);
		ck_ok(gt_prepare(&p, spec, NULL));
		after[m] = error_of(gt_projections_data(p) + (ROWS + 2) * COLUMNS);
		gt_projections_free(p);
	}
	fprintf(stderr, "%g mm: thickness off by %.3f of the largest, %.5f by paganin, %.5f by generalised\n", cases[_i].distance, before,
	        after[0], after[1]);
	ck_assert_double_gt(before, cases[_i].fringes);
	ck_assert_double_le(after[0], cases[_i].max);
	ck_assert_double_le(after[1], cases[_i].max);
}

int main(void) { return gt_test_main("phase", NULL); }
