/* Flat fields with two changing modes, as of a white beam: their residual in transmissions is near photon noise. Flat
 * fields of noise alone change nothing. Dead pixels do not matter. labels: unit physics  backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/prepare.h>
#include "tests/prepare/half_turn.h"
#include "tests/support/support.h"

enum { ROWS = 64, COLUMNS = 128, N = ROWS * COLUMNS, FLATS = 60, VIEWS = 12 };
#define PHOTONS 3000.

static double mode(int k, size_t i)
{
	const double x = (double)(i % COLUMNS) / COLUMNS, y = (double)(i / COLUMNS) / ROWS;
	return k ? 0.05 * 1.41 * sin(9 * x + 3) * cos(20 * y) : 0.15 * 1.41 * sin(25 * y + 2 * x);
}

static double field(size_t i, const double *a) { return 1 + 0.2 * cos((double)(i % 13)) + a[0] * mode(0, i) + a[1] * mode(1, i); }

static double body(size_t i, size_t v)
{
	const double x = ((double)(i % COLUMNS) - 60 - (double)v) / 35, y = ((double)(i / COLUMNS) - 30) / 22, r = x * x + y * y;
	return r < 1 ? exp(-0.8 * sqrt(1 - r)) : 1;
}

/* Some pixels are dead; the views have them interpolated already. */
static int is_dead(int planted, size_t i) { return planted && i % 613 == 5; }

static gt_field_images flats_of(double strength, int dead, float *flat)
{
	for (size_t k = 0; k < FLATS; k++) {
		const double a[2] = { strength * gt_test_normal(1, k), strength * gt_test_normal(2, k) };
		for (size_t i = 0; i < N; i++) {
			const double light = PHOTONS * field(i, a) * (is_dead(dead, i) ? 1e-4 : 1);
			flat[k * N + i] = (float)(light + sqrt(light) * gt_test_normal(3, k * N + i));
		}
	}
	return (gt_field_images){ flat, FLATS };
}

/* Root-mean-square error of the transmission, up to the level of each view. */
static double error(const float *p)
{
	double sum = 0;
	for (size_t v = 0; v < VIEWS; v++) {
		double level = 0, square = 0;
		for (size_t i = 0; i < N; i++)
			level += exp(-p[v * N + i]) / body(i, v) / N;
		for (size_t i = 0; i < N; i++)
			square += pow(exp(-p[v * N + i]) / level - body(i, v), 2);
		sum += square / N / VIEWS;
	}
	return sqrt(sum);
}

GT_TESTS(changing, 2)
{
	const double none[2] = { 0, 0 };
	gt_projections *p = half_turn((const size_t[]){ VIEWS, ROWS, COLUMNS }, (const double[]){ 1, 1 }, none);
	gt_prepare_options o = gt_prepare_defaults;
	float *flat = malloc(sizeof(float) * N * FLATS), *mean = calloc(N, sizeof *mean);
	double limit = 0;
	o.flats = flats_of(1, _i, flat);
	o.backend = "cpu";
	for (size_t k = 0; k < FLATS * (size_t)N; k++)
		mean[k % N] += flat[k] / FLATS;
	float *x = gt_projections_data(p);
	for (size_t v = 0; v < VIEWS; v++) {
		const double a[2] = { gt_test_normal(4, v), gt_test_normal(5, v) };
		for (size_t i = 0; i < N; i++) {
			const double light = PHOTONS * body(i, v) * field(i, a);
			x[v * N + i] = -logf((float)((light + sqrt(light) * gt_test_normal(6, v * N + i)) / mean[i]));
			if (is_dead(_i, i))
				x[v * N + i] = -logf((float)(body(i, v) * field(i, a) / field(i, none)));
			limit += body(i, v) / field(i, a) / PHOTONS / N / VIEWS;
		}
	}
	const double before = error(x);
	ck_ok(gt_prepare(&p, "dynamic-flats", &o));
	const double after = error(x);
	fprintf(stderr, "dynamic flats: %.4f off with the mean flat field, %.4f corrected, %.4f by photons\n", before, after, sqrt(limit));
	ck_assert_double_gt(before, 0.05);
	ck_assert_double_lt(after, 1.1 * sqrt(limit));
	/* Noise alone. */
	float *copy = malloc(sizeof(float) * N * VIEWS);
	memcpy(copy, x, sizeof(float) * N * VIEWS);
	o.flats = flats_of(0, _i, flat);
	ck_ok(gt_prepare(&p, "dynamic-flats", &o));
	ck_assert_int_eq(memcmp(copy, x, sizeof(float) * N * VIEWS), 0);
	o.flats.images = 3;
	ck_refused(gt_prepare(&p, "dynamic-flats", &o), GT_ERR_ARG, "3 flat fields");
	o.flats.images = FLATS;
	memset(flat + N, 0, sizeof(float) * N);
	ck_refused(gt_prepare(&p, "dynamic-flats", &o), GT_ERR_FORMAT, "flat field 1: found a mean of 0 counts");
	ck_assert_double_gt(field(0, none), 1);
	gt_projections_free(p);
	free(flat);
	free(mean);
	free(copy);
}

int main(void) { return gt_test_main("dynamic flats", NULL); }
