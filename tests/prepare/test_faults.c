/* Planted faults of the detector: bad pixels, zingers, drifting air, stripes. All of known size, none remains,
 * nothing else changes. labels: unit physics slow  backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/phantom.h>
#include <gantry/prepare.h>
#include <gantry/recon.h>
#include "core/order_statistics.h"
#include "prepare/bad_pixels.h"
#include "tests/prepare/half_turn.h"
#include "tests/support/support.h"

static gt_projections *parallel(size_t views, size_t rows, size_t columns)
{
	return half_turn((const size_t[]){ views, rows, columns }, (const double[]){ 1, 1 }, (const double[]){ 0.3, 0 });
}

/* 20 flats and 20 darks of 200 x 200 pixels, of which 80 are hot, dead, weak or noisy. */
GT_TEST(bad_pixels)
{
	enum { SIDE = 200, N = SIDE * SIDE, IMAGES = 20, PLANTED = 80 };
	float *flat = malloc(sizeof(float) * N * IMAGES), *dark = malloc(sizeof(float) * N * IMAGES);
	unsigned char *bad = malloc(N), *planted = calloc(N, 1);
	size_t found = 0;
	double gain, photons;
	for (size_t k = 0; k < IMAGES; k++)
		for (size_t i = 0; i < N; i++) {
			const double light = 10000 * (1 + 0.3 * sin((double)(i % SIDE) / 40));
			dark[k * N + i] = (float)(100 + 5 * gt_test_normal(1, k * N + i));
			flat[k * N + i] = (float)(100 + light + sqrt(light) * gt_test_normal(2, k * N + i) +
			                          5 * gt_test_normal(3, k * N + i));
		}
	for (size_t j = 0; j < PLANTED; j++) {
		const size_t i = (j * 7919 + 1234) % N;
		planted[i] = 1;
		for (size_t k = 0; k < IMAGES; k++) {
			if (j % 4 == 0)
				dark[k * N + i] += 200;
			else if (j % 4 == 1)
				flat[k * N + i] = dark[k * N + i];
			else if (j % 4 == 2)
				flat[k * N + i] *= 0.8f;
			else
				flat[k * N + i] += (float)(600 * gt_test_normal(4, k * N + i));
		}
	}
	const gt_field_images flats = { flat, IMAGES }, darks = { dark, IMAGES };
	ck_ok(gt_bad_pixels_of_fields(&flats, &darks, SIDE, SIDE, bad, &found));
	size_t missed = 0, wrong = 0;
	for (size_t i = 0; i < N; i++) {
		missed += planted[i] && !bad[i];
		wrong += bad[i] && !planted[i];
	}
	ck_assert_uint_eq(missed, 0);
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(found, PLANTED);
	/* One count per photon. */
	memset(planted, 0, N);
	for (size_t k = 0; k < IMAGES; k++)
		for (size_t i = 0; i < N; i++)
			flat[k * N + i] = (float)(100 + 10000 + sqrt(0.65 * 10000) * gt_test_normal(5, k * N + i));
	const gt_field_images none = { NULL, 0 };
	for (size_t k = 0; k < IMAGES; k++)
		for (size_t i = 0; i < N; i++)
			dark[k * N + i] = 100;
	ck_ok(gt_detector_gain(&flats, &darks, N, &gain, &photons));
	ck_assert_double_eq_tol(gain, 0.65, 0.005);
	ck_assert_double_eq_tol(photons, 10000 / 0.65, 150);
	ck_refused(gt_detector_gain(&none, &none, N, &gain, NULL), GT_ERR_ARG, "0 flat fields");
	ck_refused(gt_bad_pixels_of_fields(&none, &none, SIDE, SIDE, bad, NULL), GT_ERR_ARG, "neither flat nor dark");
	free(flat);
	free(dark);
	free(bad);
	free(planted);
}

/* Single pixels, a dead column and a faulty pixel in linear data are interpolated exactly, with weight 0. */
GT_TEST(filled)
{
	gt_projections *p = parallel(5, 12, 14);
	float *x = gt_projections_data(p);
	const size_t n = 12 * 14;
	for (size_t i = 0; i < 5 * n; i++)
		x[i] = (float)(0.2 + 0.01 * (double)(i / n) + 0.003 * (double)(i % n / 14) + 0.005 * (double)(i % 14));
	const size_t bad[] = { 3 * 14 + 4, 6 * 14 + 9, 2 * 14 + 12 };
	for (size_t v = 0; v < 5; v++) {
		for (size_t k = 0; k < 3; k++)
			x[v * n + bad[k]] += k == 1 ? -2.f : 3.f;
		for (size_t r = 0; r < 12; r++)
			x[v * n + r * 14 + 7] = 9;
	}
	ck_ok(gt_prepare(&p, "bad-pixels:tolerance=0.2", NULL));
	const float *w = gt_projections_weights(p);
	ck_assert_ptr_nonnull(w);
	for (size_t i = 0; i < 5 * n; i++) {
		const size_t at = i % n;
		const int gone = at == bad[0] || at == bad[1] || at == bad[2] || at % 14 == 7;
		ck_assert_float_eq_tol(x[i], (float)(0.2 + 0.01 * (double)(i / n) + 0.003 * (double)(at / 14) + 0.005 * (double)(at % 14)),
		                       2e-6f);
		ck_assert_float_eq(w[i], gone ? 0.f : 1.f);
	}
	ck_assert_ptr_nonnull(strstr(gt_projections_provenance(p)->parameters, "prepare=bad-pixels:method=auto,tolerance=0.2"));
	gt_projections_free(p);
}

/* At N photons no pixel of 40 000 is replaced, except all planted ones of +100 %. */
GT_TESTS(zingers, 3)
{
	static const double photons[] = { 100, 1000, 10000 };
	const double n0 = photons[_i];
	gt_projections *p = parallel(4, 100, 100);
	float *x = gt_projections_data(p), before[40000];
	char spec[64];
	for (size_t i = 0; i < 40000; i++) {
		const double t = exp(-0.5 - 0.4 * sin((double)(i % 100) / 20));
		x[i] = (float)-log(fmax(t + sqrt(t / n0) * gt_test_normal(9, i), 0.5 / n0));
	}
	size_t planted = 0, found = 0, wrong = 0;
	memcpy(before, x, sizeof before);
	for (size_t i = 517; i < 40000; i += 1009, planted++)
		x[i] -= (float)log(_i ? 2. : 4.);
	snprintf(spec, sizeof spec, "zingers:photons=%g", n0);
	ck_ok(gt_prepare(&p, spec, NULL));
	for (size_t i = 0; i < 40000; i++) {
		const int was = i >= 517 && (i - 517) % 1009 == 0;
		found += was && fabsf(x[i] - before[i]) < 10 / sqrt(n0);
		wrong += !was && x[i] != before[i];
	}
	ck_assert_uint_eq(found, planted);
	ck_assert_uint_eq(wrong, 0);
	gt_projections_free(p);
}

/* Corners between two balls and a gap of one pixel between plates stay; zingers of one, two and four pixels go. */
GT_TEST(zingers_beside_a_body)
{
	enum { N = 61 };
	static const size_t planted[][2] = { { 20, 14 }, { 20, 25 }, { 20, 26 }, { 27, 18 }, { 27, 19 }, { 28, 18 }, { 28, 19 } };
	gt_projections *p = parallel(3, N, N);
	float *x = gt_projections_data(p), before[3 * N * N];
	size_t wrong = 0;
	for (size_t i = 0; i < 3 * N * N; i++) {
		const double c = (double)(i % N), r = (double)(i / N % N);
		const int balls = hypot(c - 18.3, r - 22.1) < 11 || hypot(c - 36.2, r - 24.4)<10.4, plates = r> 42 && r < 56 && c != 30;
		x[i] = (float)((balls ? 1.1 : 0) + (plates ? 0.8 : 0) + 0.003 * gt_test_normal(13, i));
	}
	memcpy(before, x, sizeof before);
	for (size_t k = 0; k < sizeof planted / sizeof *planted; k++)
		x[N * N + planted[k][0] * N + planted[k][1]] -= 0.7f;
	ck_ok(gt_prepare(&p, "zingers:photons=1e5", NULL));
	for (size_t k = 0; k < sizeof planted / sizeof *planted; k++) {
		const size_t i = N * N + planted[k][0] * N + planted[k][1];
		ck_assert_float_eq_tol(x[i], before[i], 0.03f);
		x[i] = before[i];
	}
	for (size_t i = 0; i < 3 * N * N; i++)
		wrong += x[i] != before[i];
	ck_assert_msg(wrong == 0, "%zu pixels of the object are taken for zingers", wrong);
	gt_projections_free(p);
}

/* A drift of 3 % over the scan and a slope across the detector are removed: air is 0, the object is unchanged. */
GT_TEST(air)
{
	gt_projections *p = parallel(60, 4, 96);
	float *x = gt_projections_data(p), truth[60 * 4 * 96];
	for (size_t i = 0; i < 60 * 4 * 96; i++) {
		const double u = (double)(i % 96) - 50, v = (double)(i / (4 * 96)) / 60;
		truth[i] = (float)(fabs(u) < 25 ? 0.05 * sqrt(625 - u * u) : 0);
		x[i] = truth[i] - (float)log((0.7 + 0.03 * v) * (1 + 0.0003 * u)) + (float)(0.004 * gt_test_normal(8, i));
	}
	ck_ok(gt_prepare(&p, "air", NULL));
	double sum = 0;
	for (size_t i = 0; i < 60 * 4 * 96; i++)
		sum += x[i] - truth[i];
	ck_assert_double_eq_tol(sum / (60 * 4 * 96), 0, 2e-4);
	for (size_t v = 0; v < 60; v++) {
		double left = 0, right = 0;
		for (size_t r = 0; r < 4; r++)
			for (size_t k = 0; k < 15; k++) {
				left += x[(v * 4 + r) * 96 + k] / 60;
				right += x[(v * 4 + r) * 96 + 95 - k] / 60;
			}
		ck_assert_double_eq_tol(left, 0, 3e-3);
		ck_assert_double_eq_tol(right, 0, 3e-3);
	}
	ck_refused(gt_prepare(&p, "air:left=60,right=60", NULL), GT_ERR_ARG, "96 columns");
	gt_projections_free(p);
}

/* Root-mean-square difference of two slices within the head. */
static double apart(const float *a, const float *b, size_t side)
{
	double sum = 0, n = 0;
	for (size_t y = 0; y < side; y++)
		for (size_t x = 0; x < side; x++) {
			const double u = (double)x - (double)(side - 1) / 2, v = (double)y - (double)(side - 1) / 2;
			if (u * u + v * v < 0.1 * (double)(side * side)) {
				sum += pow(a[y * side + x] - b[y * side + x], 2);
				n++;
			}
		}
	return sqrt(sum / n);
}

enum { SIDE = 192, VIEWS = 240, ALL = SIDE * VIEWS };
static void slice(const float *x, float *out)
{
	const gt_grid grid = { { SIDE, SIDE, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_projections *p = parallel(VIEWS, 1, SIDE);
	gt_recon *r = NULL;
	gt_volume *v = NULL;
	memcpy(gt_projections_data(p), x, ALL * sizeof *x);
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_new(p, &r));
	ck_ok(gt_recon_set(r, "solver", "fbp"));
	ck_ok(gt_recon_set(r, "backend", "cpu:2"));
	ck_ok(gt_recon_set(r, "check", "no"));
	ck_ok(gt_recon_run(r, v));
	memcpy(out, gt_volume_data(v), SIDE * SIDE * sizeof *out);
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}

static gt_projections *head(void)
{
	gt_projections *p = parallel(VIEWS, 1, SIDE);
	gt_phantom_options o = gt_phantom_defaults;
	gt_phantom *body = NULL;
	o.scale = 0.75;
	o.rotate = 0.3;
	o.water = 0.01;
	ck_ok(gt_phantom_new("forbild-head", &o, &body));
	ck_ok(gt_phantom_project(body, gt_projections_scan(p), 1, NULL, NULL, NULL, gt_projections_data(p)));
	gt_phantom_free(body);
	return p;
}

/* Column gains of 1 %: the error of the slice relative to that of noise alone. */
GT_TEST(rings)
{
	float *exact = malloc(3 * SIDE * SIDE * sizeof *exact), *noisy = exact + SIDE * SIDE, *corrected = noisy + SIDE * SIDE, *without;
	gt_projections *p = head();
	float *x = gt_projections_data(p);
	slice(x, exact);
	gt_add_photon_noise(5e4, 0, 4, 0, NULL, x, ALL);
	without = malloc(ALL * sizeof *without);
	memcpy(without, x, ALL * sizeof *x);
	slice(x, noisy);
	const double noise = apart(noisy, exact, SIDE);
	ck_ok(gt_prepare(&p, "rings", NULL));
	slice(x, corrected);
	const double none = apart(corrected, exact, SIDE) / noise;
	for (size_t i = 0; i < ALL; i++)
		x[i] = without[i] + (float)(0.01 * gt_test_normal(6, i % SIDE));
	slice(x, corrected);
	const double fault = apart(corrected, exact, SIDE) / noise;
	ck_ok(gt_prepare(&p, "rings:method=gain", NULL));
	slice(x, corrected);
	const double after = apart(corrected, exact, SIDE) / noise;
	fprintf(stderr, "rings: error with the fault %.3f, corrected %.3f, without a fault %.3f of that of noise\n", fault, after, none);
	ck_assert_double_gt(fault, 1.6);
	ck_assert_double_lt(after, 1.2);
	ck_assert_double_lt(none, 1.06);
	gt_projections_free(p);
	free(exact);
	free(without);
}

/* Without a fault, sorting and all keep details of the head; gains of 1 % are reduced. */
GT_TESTS(no_stripes, 2)
{
	static const char *const specs[] = { "rings:method=sorting", "rings:method=all" };
	static const double max[2][2] = { { 1.03, 0.73 }, { 1.05, 0.66 } };
	float *exact = malloc(3 * SIDE * SIDE * sizeof *exact), *noisy = exact + SIDE * SIDE, *corrected = noisy + SIDE * SIDE, *without;
	gt_projections *p = head();
	float *x = gt_projections_data(p);
	double error[2], faulty = 0;
	slice(x, exact);
	gt_add_photon_noise(5e4, 0, 4, 0, NULL, x, ALL);
	without = malloc(ALL * sizeof *without);
	memcpy(without, x, ALL * sizeof *x);
	slice(x, noisy);
	const double noise = apart(noisy, exact, SIDE);
	for (int fault = 1; fault >= 0; fault--) {
		for (size_t i = 0; i < ALL; i++)
			x[i] = without[i] + (float)(fault * 0.01 * gt_test_normal(6, i % SIDE));
		slice(x, corrected);
		faulty = fault ? apart(corrected, exact, SIDE) / noise : faulty;
		ck_ok(gt_prepare(&p, specs[_i], NULL));
		x = gt_projections_data(p);
		slice(x, corrected);
		error[fault] = apart(corrected, exact, SIDE) / noise;
	}
	fprintf(stderr, "%s: error with the fault %.3f, corrected %.3f, without a fault %.3f of that of noise\n", specs[_i], faulty,
	        error[1], error[0]);
	ck_assert_double_lt(error[0], max[_i][0]);
	ck_assert_double_lt(error[1], max[_i][1] * faulty);
	gt_projections_free(p);
	free(exact);
	free(without);
}

/* Stripes of 0.05 in all views of smooth data: three quarters are removed, the rest is unchanged. */
GT_TESTS(stripes, 2)
{
	static const char *const specs[] = { "rings:method=sorting,window=7", "rings:method=all,window=7" };
	gt_projections *p = parallel(90, 1, 80);
	float *x = gt_projections_data(p), truth[90 * 80];
	double before = 0, after = 0, elsewhere = 0;
	for (size_t i = 0; i < 90 * 80; i++) {
		const double u = (double)(i % 80) - 40, shift = 6 * sin((double)(i / 80) / 20);
		truth[i] = (float)(1.5 * exp(-pow((u - shift) / 60, 2)) + 0.002 * gt_test_normal(12, i));
		const int faulty = i % 80 == 30 || i % 80 == 51;
		x[i] = truth[i] + (faulty ? 0.05f : 0);
	}
	for (size_t i = 0; i < 90 * 80; i++)
		before += pow(x[i] - truth[i], 2);
	ck_ok(gt_prepare(&p, specs[_i], NULL));
	x = gt_projections_data(p);
	for (size_t i = 0; i < 90 * 80; i++)
		*(i % 80 == 30 || i % 80 == 51 ? &after : &elsewhere) += pow(x[i] - truth[i], 2);
	fprintf(stderr, "%s: %.3g of the stripes are left, %.2g elsewhere\n", specs[_i], sqrt(after / before), sqrt(elsewhere / (90 * 78)));
	ck_assert_double_lt(sqrt(after / before), 0.25);
	ck_assert_double_lt(sqrt(elsewhere / (90 * 78)), 0.014);
	gt_projections_free(p);
}

/* Two unstable columns are found, and no columns far from them. */
GT_TEST(fluctuating)
{
	gt_projections *p = head();
	float *x = gt_projections_data(p);
	gt_add_photon_noise(5e4, 0, 4, 0, NULL, x, ALL);
	for (size_t v = 0; v < VIEWS; v++) {
		x[v * SIDE + 50] += (float)(0.5 * gt_test_normal(7, v));
		x[v * SIDE + 77] += (float)(0.5 * gt_test_normal(8, v));
	}
	ck_ok(gt_prepare(&p, "rings:method=dead", NULL));
	const float *w = gt_projections_weights(p);
	ck_assert_ptr_nonnull(w);
	size_t found = 0;
	for (size_t k = 0; k < SIDE; k++)
		found += w[k] < 1;
	ck_assert_float_eq(w[50], 0.1f);
	ck_assert_float_eq(w[77], 0.1f);
	ck_assert_uint_le(found, 20);
	gt_projections_free(p);
}

/* The backend is checked even if the step does not use one. */
GT_TEST(backend_is_checked)
{
	gt_projections *p = parallel(8, 3, 20);
	gt_prepare_options o = gt_prepare_defaults;
	o.backend = "cpu:1x2";
	ck_refused(gt_prepare(&p, "views:range=0:4", &o), GT_ERR_ARG, "backend 'cpu:1x2': several devices");
	o.backend = "gpu";
	ck_refused(gt_prepare(&p, "bin:rows=1,columns=2", &o), GT_ERR_UNKNOWN, "backend 'gpu': expected auto");
	ck_refused(gt_prepare_auto(&p, &o, NULL), GT_ERR_UNKNOWN, "backend 'gpu'");
	ck_assert_uint_eq(gt_projections_scan(p)->columns, 20);
	o.backend = "cpu:2";
	ck_ok(gt_prepare(&p, "bin:rows=1,columns=2", &o));
	ck_assert_uint_eq(gt_projections_scan(p)->columns, 10);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("faults", NULL); }
