/* Transforms of boxes against sums, forward and back, and the spectrum of an operator from its point response.
 * labels: unit property backend: none */
#include <math.h>
#include <string.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include "core/fft/fft_box.h"
#include "tests/support/support.h"

static const size_t shapes[][3] = { { 4, 8, 2 }, { 5, 3, 1 }, { 1, 1, 1 }, { 6, 1, 7 } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void fill(gt_fft_box *b)
{
	float *x = malloc(2 * b->size * sizeof *x);
	gt_test_random(3, 2 * b->size, x);
	for (size_t i = 0; i < b->size; i++) {
		b->value[i][0] = x[2 * i];
		b->value[i][1] = x[2 * i + 1];
	}
	free(x);
}

static double phase_at(const size_t *n, size_t i, size_t k)
{
	return 2 * GT_PI *
	       ((double)(i % n[0] * (k % n[0])) / (double)n[0] + (double)(i / n[0] % n[1] * (k / n[0] % n[1])) / (double)n[1] +
	        (double)(i / n[0] / n[1] * (k / n[0] / n[1])) / (double)n[2]);
}

START_TEST(is_a_sum)
{
	gt_fft_box x, y;
	ck_ok(gt_fft_box_new(shapes[_i], &x));
	ck_ok(gt_fft_box_new(shapes[_i], &y));
	ck_assert(x.value[x.size - 1][0] == 0 && x.value[0][1] == 0);
	fill(&x);
	fill(&y);
	gt_fft_box_forward(&y);
	for (size_t k = 0; k < x.size; k++) {
		double re = 0, im = 0;
		for (size_t i = 0; i < x.size; i++) {
			const double c = cos(phase_at(x.n, i, k)), s = -sin(phase_at(x.n, i, k));
			re += c * x.value[i][0] - s * x.value[i][1];
			im += s * x.value[i][0] + c * x.value[i][1];
		}
		ck_assert_double_eq_tol(y.value[k][0], re, 1e-12);
		ck_assert_double_eq_tol(y.value[k][1], im, 1e-12);
	}
	gt_fft_box_inverse(&y);
	for (size_t i = 0; i < x.size; i++) {
		ck_assert_double_eq_tol(y.value[i][0], x.value[i][0], 1e-14);
		ck_assert_double_eq_tol(y.value[i][1], x.value[i][1], 1e-14);
	}
	gt_fft_box_free(&x);
	gt_fft_box_free(&y);
}
END_TEST

/* A response of 2 at the point and -1/2 at its neighbours along x: 2 - cos. With one neighbour alone it is the mean
 * with its mirror image. */
START_TEST(spectrum)
{
	const size_t n[3] = { 8, 4, 2 }, middle = 4 + 8 * (2 + 4 * 1);
	double response[64] = { 0 }, both[64], one[64], tapered[64];
	response[middle] = 2;
	response[middle - 1] = response[middle + 1] = -0.5;
	ck_ok(gt_fft_box_spectrum(n, response, 0, both));
	ck_ok(gt_fft_box_spectrum(n, response, 1, tapered));
	response[middle - 1] = 0;
	response[middle + 1] = -1;
	ck_ok(gt_fft_box_spectrum(n, response, 0, one));
	for (size_t k = 0; k < 64; k++) {
		const double c = cos(2 * GT_PI * (double)(k % 8) / 8);
		ck_assert_double_eq_tol(both[k], 2 - c, 1e-12);
		ck_assert_double_eq_tol(one[k], 2 - c, 1e-12);
		ck_assert_double_eq_tol(tapered[k], 2 - 0.75 * c, 1e-12);
	}
}
END_TEST

START_TEST(refused)
{
	gt_fft_box b;
	const size_t n[3] = { 4096, 4096, 4096 };
	ck_refused(gt_fft_box_new(n, &b), GT_ERR_UNSUPPORTED, "expected at most");
	gt_fft_box_free(&b);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_loop_test(tc, is_a_sum, 0, SHAPES);
	tcase_add_test(tc, spectrum);
	tcase_add_test(tc, refused);
}

int main(void) { return gt_test_main("transforms of boxes", fill_suite); }
