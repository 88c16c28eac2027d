/* Penalty strength: leaves the requested noise, scales with units, and is recorded.
 * labels: property slow */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/projector.h>
#include <gantry/regularizer.h>
#include "core/random.h"
#include "geometry/projections.h"
#include "recon/noise/local_noise_model.h"
#include "recon/noise/noise_estimate.h"
#include "recon/penalty/penalty_from_spec.h"
#include "recon/noise/penalty_strength.h"
#include "tests/support/strength_problem.h"
#include "tests/support/support.h"

static struct problem *problem_of_views(const char *penalty, size_t views) { return problem_of(penalty, views, 1); }
static struct problem *problem(const char *penalty) { return problem_of_views(penalty, VIEWS); }

static const struct {
	const char *penalty;
	double noise_hu;
} wanted[] = { { "quadratic", 17 }, { "quadratic", 8 }, { "huber:delta=20HU", 20 } };

START_TEST(leaves_the_noise)
{
	struct problem *s = problem(wanted[_i].penalty);
	double beta, noise;
	ck_ok(gt_penalty_strength(&s->q, wanted[_i].noise_hu, &beta));
	noise = noise_left(s, beta);
	ck_assert_msg(fabs(noise / wanted[_i].noise_hu - 1) < 0.12, "%g HU are left, expected %g", noise, wanted[_i].noise_hu);
	ck_assert(strstr(s->said, "searching the strength of the penalty: noise at 6 positions ..."));
	ck_assert(strstr(s->said, "noise: from photons as given\n") && strstr(s->said, "(fbp, in water)"));
	problem_free(s);
}
END_TEST

/* One row and slices of a quarter of its height. All but the centre one are padding: they share the noise of the
 * row, and their response ends with them. */
START_TEST(leaves_the_noise_in_thin_slices)
{
	struct problem *s = problem_of(wanted[_i].penalty, VIEWS, THIN);
	double beta, noise;
	s->q.first_slice = THIN / 2;
	s->q.slices = 1;
	ck_ok(gt_penalty_strength(&s->q, wanted[_i].noise_hu, &beta));
	noise = noise_left(s, beta);
	ck_assert_msg(fabs(noise / wanted[_i].noise_hu - 1) < 0.12, "%g HU are left, expected %g", noise, wanted[_i].noise_hu);
	problem_free(s);
}
END_TEST

/* Samples and layers that no ray crosses are ignored; they do not make the strength 0. */
START_TEST(places_without_rays)
{
	enum { BOX = 6, LAYERS = 3, NUMBERS = BOX * LAYERS * LAYERS };
	static double F[2][NUMBERS], G[2][NUMBERS], R[NUMBERS];
	gt_noise_patches p = { .n = { BOX, 1, 1 }, .box = BOX, .layers = LAYERS, .size = BOX * LAYERS, .places = 2, .end = LAYERS, .R = R };
	for (int i = 0; i < BOX; i++) {
		const int last = (i * LAYERS + 2) * LAYERS + 2;
		F[1][last] = 2 + gt_test_normal(3, (uint64_t)i) / 9;
		G[1][last] = 0.5 + gt_test_normal(4, (uint64_t)i) / 40;
		for (int l = 0; l < LAYERS; l++)
			R[(i * LAYERS + l) * LAYERS + l] = 1 + i;
	}
	for (int k = 0; k < 2; k++)
		p.at[k] = (gt_noise_patch){ .F = F[k], .G = G[k], .square = 1 };
	const double noise = gt_noise_patches_quadratic(&p, 0.7), found = gt_noise_patches_quadratic_strength(&p, noise);
	ck_assert_msg(fabs(found / 0.7 - 1) < 1e-6, "strength %g, expected 0.7", found);
	memset(F, 0, sizeof F);
	ck_refused(gt_noise_patches_strength(&p, noise, &p.noise[0]), GT_ERR_ARG, "no weighted ray passes the object");
}
END_TEST

static double strength(const struct problem *s, double noise_hu)
{
	double beta;
	ck_ok(gt_penalty_strength(&s->q, noise_hu, &beta));
	return beta;
}

START_TEST(follows_units)
{
	struct problem *s = problem("quadratic");
	const double beta = strength(s, 15);
	ck_assert(beta == strength(s, 15));
	/* less noise needs a larger strength */
	ck_assert(strength(s, 10) > 1.3 * beta && strength(s, 25) < beta / 1.3);
	/* weights four times as large, so the strength too */
	for (int i = 0; i < VIEWS * COLUMNS; i++)
		s->weights[i] *= 4;
	ck_assert_double_eq_tol(strength(s, 15), 4 * beta, 0.01 * beta);
	for (int i = 0; i < VIEWS * COLUMNS; i++)
		s->weights[i] /= 4;
	/* a quarter of the variance and half of the noise: the same strength */
	s->known.count *= 4;
	ck_assert_double_eq_tol(strength(s, 7.5), beta, 0.01 * beta);
	s->known.count /= 4;
	/* HU refer to the given water */
	s->q.water = WATER * 1.05;
	ck_assert_double_eq_tol(strength(s, 15 / 1.05), beta, 0.01 * beta);
	s->q.water = WATER;
	/* kappa weights pairs by its square */
	float kappa[SIDE * SIDE];
	for (int i = 0; i < SIDE * SIDE; i++)
		kappa[i] = 2;
	s->q.kappa = kappa;
	ck_assert_double_eq_tol(strength(s, 15), beta / 4, 0.01 * beta);
	problem_free(s);
}
END_TEST

/* Positions of equal kappa are chosen independently of rounding, by which the sums of several ranks differ. */
START_TEST(rounding)
{
	struct problem *s = problem("quadratic");
	float kappa[SIDE * SIDE];
	double least = INFINITY, most = 0;
	s->q.kappa = kappa;
	for (uint64_t draw = 0; draw < 5; draw++) {
		for (int i = 0; i < SIDE * SIDE; i++) {
			const double radius = hypot(i % SIDE - SIDE / 2, i / SIDE - SIDE / 2);
			kappa[i] = (float)((1 + radius / SIDE) * (1 + 1e-7 * gt_test_normal(draw, (uint64_t)i)));
		}
		const double beta = strength(s, 15);
		least = fmin(least, beta);
		most = fmax(most, beta);
	}
	ck_assert_msg(most / least - 1 < 1e-5, "strengths from %.8g to %.8g", least, most);
	problem_free(s);
}
END_TEST

/* Four times the views with a quarter of the photons each; every second view is used. */
START_TEST(many_views)
{
	struct problem *few = problem_of_views("quadratic", 62), *many = problem_of_views("quadratic", 248);
	many->known.count /= 4;
	const double beta = strength(few, 15);
	ck_assert_double_eq_tol(strength(many, 15), 4 * beta, 0.08 * beta);
	problem_free(few);
	problem_free(many);
}
END_TEST

START_TEST(automatic)
{
	struct problem *s = problem("quadratic");
	gt_strength_found found, twice, max;
	ck_ok(gt_strength_find(&s->q, 0, 1, &found));
	ck_assert_double_eq_tol(found.noise_hu, 0.4 * found.reference_hu, 1e-9);
	ck_assert(found.reference_hu > 15 && found.reference_hu < 200);
	ck_ok(gt_strength_find(&s->q, 0, 2, &twice));
	ck_assert(twice.strength == 2 * found.strength && twice.noise_hu == found.noise_hu);
	ck_assert(strength(s, 0) == found.strength);
	/* the noise of the direct method is the upper bound */
	s->said[0] = 0;
	ck_ok(gt_strength_find(&s->q, 1e3 * WATER, 1, &max));
	ck_assert_double_eq_tol(max.noise_hu, max.reference_hu, 1e-9);
	ck_assert(strstr(s->said, "the strength is set for the latter"));
	problem_free(s);
}
END_TEST

/* Few photons cause a warning, and so does almost no noise. */
START_TEST(remarks)
{
	struct problem *s = problem("quadratic");
	s->known.count = 100;
	strength(s, 0);
	ck_assert(strstr(s->said, "of the rays have fewer than 10 photons"));
	s->said[0] = 0;
	s->known.count = 1e12;
	strength(s, 0);
	ck_assert(strstr(s->said, "the data have almost no noise"));
	ck_assert(!strstr(s->said, "fewer than 10 photons"));
	problem_free(s);
}
END_TEST

/* An unknown number of photons, and a scan that no direct method accepts. */
START_TEST(without_direct_method)
{
	struct problem *s = problem("quadratic");
	for (int i = 0; i < VIEWS * COLUMNS; i++) {
		s->p.data[i] += (float)(sqrt(exp(s->p.data[i]) / PHOTONS) * gt_test_normal(3, (uint64_t)i));
	}
	s->q.known = NULL;
	for (int v = 0; v < VIEWS; v++) { /* the detector rolled by 11 degrees */
		gt_view *w = &s->p.scan->view[v];
		for (int a = 0; a < 3; a++) {
			const double c = w->column_axis[a], r = w->row_axis[a];
			w->column_axis[a] = cos(0.2) * c + sin(0.2) * r;
			w->row_axis[a] = cos(0.2) * r - sin(0.2) * c;
		}
	}
	s->q.projector = "sf-tr";
	gt_strength_found found;
	const gt_status st = gt_strength_find(&s->q, 0, 1, &found);
	ck_assert_msg(st == GT_OK, "%s", gt_error());
	ck_assert_msg(strstr(s->said, "sharp iteration") != NULL, "%s", s->said);
	ck_assert(strstr(s->said, "noise: from differences of neighbouring pixels, equivalent to"));
	ck_assert(found.strength > 0 && found.reference_hu > 0);
	problem_free(s);
}
END_TEST

START_TEST(refused)
{
	struct problem *s = problem("quadratic");
	double beta;
	ck_refused(gt_penalty_strength(&s->q, 1e-7, &beta), GT_ERR_ARG, "no strength reaches the target noise");
	ck_refused(gt_penalty_strength(&s->q, -1, &beta), GT_ERR_ARG, "noise of -1 HU");
	s->q.slices = 2;
	ck_refused(gt_penalty_strength(&s->q, 5, &beta), GT_ERR_ARG, "noise in 2 slices from slice 0 on: the grid has 1");
	s->q.slices = 0;
	s->q.water = 0;
	ck_refused(gt_penalty_strength(&s->q, 5, &beta), GT_ERR_ARG, "water of 0");
	s->q.water = WATER;
	s->q.size++;
	ck_refused(gt_penalty_strength(&s->q, 5, &beta), GT_ERR_ARG, "gt_strength_problem: size=");
	s->q.size = offsetof(gt_strength_problem, first_slice);
	ck_ok(gt_penalty_strength(&s->q, 15, &beta));
	s->q.size = sizeof s->q;
	s->q.penalty = "quadratik";
	ck_refused(gt_penalty_strength(&s->q, 5, &beta), GT_ERR_UNKNOWN, "quadratik");
	s->q.penalty = "quadratic";
	s->q.projector = "ddd";
	ck_refused(gt_penalty_strength(&s->q, 5, &beta), GT_ERR_UNKNOWN, "ddd");
	problem_free(s);
}
END_TEST

/* From the spec: kappa = sqrt(A'w / A'1), equal for subsets and all views, and its mean where no ray passes. */
START_TEST(kappa_of_weights)
{
	struct problem *s = problem("quadratic");
	gt_subsets sub = { 0 };
	gt_penalty_spec o;
	const gt_weights_spec counting = { .kind = GT_WEIGHTS_PHOTONS, .count = PHOTONS };
	gt_penalty *R = NULL, *expected = NULL;
	gt_array *w = NULL, *one = NULL, *sum[2], *g[2], *kappa = NULL;
	char *text = NULL;
	float a[SIDE * SIDE], b[SIDE * SIDE];
	double mean = 0;
	int count = 0;
	memset(s->weights, 0, COLUMNS * sizeof *s->weights);
	ck_ok(gt_subsets_new("dd", s->be, GT_F64, &s->grid, s->p.scan, s->p.data, s->weights, 3, &sub));
	gt_penalty_problem c = { "dd", &s->grid, &s->p, &counting, s->weights, &sub, s->x, WATER, NULL, 0, 0, NULL, NULL, NULL, NULL };
	ck_ok(gt_penalty_spec_parse("quadratic:strength=10,kappa=yes", &o));
	ck_ok(gt_penalty_from_spec(&s->log, &o, &c, &R, &text));
	ck_assert_str_eq(text, "quadratic:strength=10 kappa=yes");
	ck_assert_str_eq(s->said, "");
	ck_ok(gt_array_new(s->be, GT_F64, VIEWS * COLUMNS, &w));
	ck_ok(gt_array_like(w, &one));
	gt_array_put_float(s->weights, w);
	gt_fill(1, one);
	for (int i = 0; i < 2; i++) {
		ck_ok(gt_array_like(s->x, &sum[i]));
		ck_ok(gt_array_like(s->x, &g[i]));
		gt_fill(0, g[i]);
		gt_adjoint(s->A, i ? one : w, sum[i]);
	}
	gt_array_get_float(sum[0], a);
	gt_array_get_float(sum[1], b);
	for (int i = 0; i < SIDE * SIDE; i++) {
		a[i] = b[i] > 0 ? sqrtf(a[i] / b[i]) : 0;
		mean += a[i];
		count += a[i] > 0;
	}
	for (int i = 0; i < SIDE * SIDE; i++)
		a[i] = a[i] > 0 ? a[i] : (float)(mean / count);
	ck_ok(gt_array_like(s->x, &kappa));
	gt_array_put_float(a, kappa);
	ck_ok(gt_regularizer_new("quadratic:strength=10", s->be, GT_F64, &s->grid, kappa, &expected));
	gt_penalty_gradient(R, s->x, g[0], NULL);
	gt_penalty_gradient(expected, s->x, g[1], NULL);
	gt_array_get_float(g[0], a);
	gt_array_get_float(g[1], b);
	ck_assert(gt_test_rms(a, b, SIDE * SIDE) < 1e-5);
	free(text);
	/* uniform weights have a uniform kappa, which is reported */
	gt_subsets_free(&sub);
	gt_penalty_free(R);
	ck_ok(gt_subsets_new("dd", s->be, GT_F64, &s->grid, s->p.scan, s->p.data, NULL, 2, &sub));
	ck_ok(gt_penalty_from_spec(&s->log, &o, &c, &R, &text));
	ck_assert_str_eq(s->said, "kappa=yes: the weights of the data are uniform, and so is kappa\n");
	free(text);
	gt_penalty_spec_free(&o);
	gt_subsets_free(&sub);
	gt_penalty_free(R);
	gt_penalty_free(expected);
	gt_array_free(w);
	gt_array_free(one);
	gt_array_free(kappa);
	for (int i = 0; i < 2; i++) {
		gt_array_free(sum[i]);
		gt_array_free(g[i]);
	}
	problem_free(s);
}
END_TEST

/* The record holds the strength and its origin. A recorded strength that differs only by rounding keeps its digits. */
START_TEST(recorded)
{
	struct problem *s = problem("quadratic");
	gt_penalty_spec o;
	const gt_weights_spec counting = { .kind = GT_WEIGHTS_PHOTONS, .count = PHOTONS };
	gt_subsets sub = { 0 };
	gt_penalty *R = NULL;
	gt_strength_found found;
	char *text = NULL, before[200], expected[200];
	gt_penalty_problem c = { "dd", &s->grid, &s->p, &counting, s->weights, &sub, s->x, WATER, NULL, 0, 0, NULL, NULL, NULL, NULL };
	ck_ok(gt_strength_find(&s->q, 20 * WATER / 1000, 1, &found));
	ck_ok(gt_penalty_spec_parse("quadratic:noise=20HU", &o));
	static const double off[] = { 1, 1.0005, 1.002 };
	for (int i = 0; i < 3; i++) {
		snprintf(before, sizeof before, "quadratic:strength=%.9g strength_from=x", off[i] * found.strength);
		c.recorded = i ? before : NULL;
		ck_ok(gt_penalty_from_spec(&s->log, &o, &c, &R, &text));
		if (i == 1)
			snprintf(expected, sizeof expected, "%.*s strength_from=noise:20HU,of:%.4gHU,factor:1,asked:20HU",
			         (int)strcspn(before, " "), before, found.reference_hu);
		else
			snprintf(expected, sizeof expected,
			         "quadratic:strength=%.6g strength_from=noise:20HU,of:%.4gHU,factor:1,asked:20HU", found.strength,
			         found.reference_hu);
		ck_assert_str_eq(text, expected);
		free(text);
		gt_penalty_free(R);
	}
	gt_penalty_spec_free(&o);
	problem_free(s);
}
END_TEST

/* A dry run allocates the memory and determines no strength. */
START_TEST(dry_run)
{
	struct problem *s = problem("quadratic");
	gt_backend *dry = gt_test_backend();
	gt_penalty_spec o;
	const gt_weights_spec counting = { .kind = GT_WEIGHTS_PHOTONS, .count = PHOTONS };
	gt_subsets sub = { 0 };
	gt_penalty *R = NULL;
	gt_array *x = NULL;
	char *text = NULL;
	ck_ok(gt_backend_dry_run(dry));
	ck_ok(gt_array_new(dry, GT_F32, SIDE * SIDE, &x));
	ck_ok(gt_penalty_spec_parse("quadratic:noise=20HU", &o));
	const gt_penalty_problem c = { "dd", &s->grid, &s->p, &counting, s->weights, &sub, x, WATER, NULL, 0, 0, NULL, NULL, NULL, NULL };
	ck_ok(gt_penalty_from_spec(&s->log, &o, &c, &R, &text));
	ck_assert_str_eq(text, "quadratic:strength=1 strength_from=noise:found when it runs");
	ck_assert_str_eq(s->said, "");
	free(text);
	gt_penalty_free(R);
	gt_penalty_spec_free(&o);
	gt_array_free(x);
	gt_backend_close(dry);
	problem_free(s);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_loop_test(tc, leaves_the_noise, 0, 3);
	tcase_add_test(tc, places_without_rays);
	tcase_add_loop_test(tc, leaves_the_noise_in_thin_slices, 0, 2);
	tcase_add_test(tc, follows_units);
	tcase_add_test(tc, rounding);
	tcase_add_test(tc, many_views);
	tcase_add_test(tc, automatic);
	tcase_add_test(tc, remarks);
	tcase_add_test(tc, without_direct_method);
	tcase_add_test(tc, refused);
	tcase_add_test(tc, kappa_of_weights);
	tcase_add_test(tc, recorded);
	tcase_add_test(tc, dry_run);
}

int main(void) { return gt_test_main("penalty strength", fill_suite); }
