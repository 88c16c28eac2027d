/* kappa=noise: the noise equals the target throughout the object and follows from the weights.
 * labels: property slow */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/projector.h>
#include "geometry/projections.h"
#include "recon/noise/penalty_strength.h"
#include "recon/noise/strength_search.h"
#include "recon/penalty/penalty_from_spec.h"
#include "recon/weights/photon_weights.h"
#include "tests/support/support.h"

#define WATER 0.02
#define PHOTONS 2e4
enum { WIDE = 53, HIGH = 37, VIEWS = 90, COLUMNS = 83, RAYS = VIEWS * COLUMNS, DRAWS = 30, FEW_DRAWS = 10, SUBSETS = 4, PLACES = 4 };

/* A slice of water, elongated and off centre, with bone on one side. */
struct slice {
	gt_backend *be;
	gt_grid grid;
	gt_projections p;
	gt_subsets sub, whole; /* for the penalty; for pcg */
	gt_array *x;
	float *weights;
	gt_listener log;
	char said[4000];
};

static void remember(void *self, const gt_message *m)
{
	char *said = self;
	strncat(said, m->text, 3900 - strlen(said));
	strncat(said, "\n", 3901 - strlen(said));
}

static float body(size_t at)
{
	const double x = (double)(at % WIDE) - 24, y = (double)(at / WIDE) - 19;
	return hypot(x / 22, y / 13) > 1 ? 0 : hypot((x - 13) / 3, (y - 6) / 2) < 1 ? 2 * WATER : WATER;
}

static void fill_rays(struct slice *s, int weighted)
{
	float values[WIDE * HIGH];
	gt_linop *A = NULL;
	gt_array *y = NULL;
	for (size_t i = 0; i < WIDE * HIGH; i++)
		values[i] = body(i);
	ck_ok(gt_array_new(s->be, GT_F32, WIDE * HIGH, &s->x));
	gt_array_put_float(values, s->x);
	ck_ok(gt_projector_new("dd", s->be, GT_F32, &s->grid, s->p.scan, &A));
	ck_ok(gt_array_new(s->be, GT_F32, RAYS, &y));
	gt_forward(A, s->x, y);
	s->p.data = malloc(RAYS * sizeof *s->p.data);
	gt_array_get_float(y, s->p.data);
	s->weights = weighted ? malloc(RAYS * sizeof *s->weights) : NULL;
	for (size_t i = 0; i < RAYS && weighted; i++)
		s->weights[i] = (float)exp(-s->p.data[i]);
	gt_array_free(y);
	gt_linop_free(A);
}

static struct slice *slice_of(gt_shape shape, int weighted)
{
	const gt_orbit orbit = { .shape = shape,
		                 .views = VIEWS,
		                 .rows = 1,
		                 .columns = COLUMNS,
		                 .source_to_axis = 500,
		                 .source_to_detector = 900,
		                 .column_pitch = 7,
		                 .row_pitch = 8,
		                 .turn = 2 * GT_PI };
	struct slice *s = calloc(1, sizeof *s);
	s->be = gt_test_backend_alone();
	s->grid = (gt_grid){ { WIDE, HIGH, 1 }, { 4, 4.5, 4 }, { 3, -2, 0 } };
	s->log = (gt_listener){ remember, s->said };
	ck_ok(gt_scan_orbit(&orbit, &s->p.scan));
	fill_rays(s, weighted);
	ck_ok(gt_subsets_new("dd", s->be, GT_F32, &s->grid, s->p.scan, s->p.data, s->weights, SUBSETS, &s->sub));
	ck_ok(gt_subsets_new("dd", s->be, GT_F32, &s->grid, s->p.scan, s->p.data, s->weights, 1, &s->whole));
	return s;
}

static void slice_free(struct slice *s)
{
	gt_subsets_free(&s->sub);
	gt_subsets_free(&s->whole);
	gt_array_free(s->x);
	gt_scan_free(s->p.scan);
	free(s->p.data);
	free(s->weights);
	gt_backend_close(s->be);
	free(s);
}

static gt_penalty *penalty_of(struct slice *s, const char *spec, char **text)
{
	const gt_weights_spec counting = { .kind = GT_WEIGHTS_PHOTONS, .count = PHOTONS };
	const gt_penalty_problem c = { "dd", &s->grid, &s->p, &counting, s->weights, &s->sub, s->x, WATER,
		                       NULL, 0,        0,     NULL,      NULL,       NULL,    NULL };
	gt_penalty_spec o;
	gt_penalty *R = NULL;
	ck_ok(gt_penalty_spec_parse(spec, &o));
	const gt_status st = gt_penalty_from_spec(&s->log, &o, &c, &R, text);
	ck_assert_msg(st == GT_OK, "%s", gt_error());
	gt_penalty_spec_free(&o);
	return R;
}

static void put_noise(const struct slice *s, int draw)
{
	float values[RAYS];
	for (size_t i = 0; i < RAYS; i++)
		values[i] = (float)(sqrt(exp(s->p.data[i]) / PHOTONS) * gt_test_normal(70 + (uint64_t)draw, i));
	gt_array_put_float(values, s->whole.b[0]);
}

/* Noise in HU at the centre, both ends and one side: RMS over 7 x 7 voxels and all draws. */
static void noise_left(struct slice *s, gt_penalty *R, int draws, double left[PLACES])
{
	static const size_t middle[PLACES][2] = { { 24, 19 }, { 7, 19 }, { 41, 18 }, { 23, 28 } };
	const gt_solver *pcg = gt_solver_find("pcg");
	void *options = NULL;
	float z[WIDE * HIGH];
	ck_ok(gt_params_new(pcg->params, "iterations=12", pcg->defaults, pcg->options_size, &options));
	const gt_problem problem = { .subsets = 1,
		                     .A = s->whole.A,
		                     .b = s->whole.b,
		                     .w = s->whole.w,
		                     .R = R,
		                     .n = { WIDE, HIGH, 1 },
		                     .lo = -INFINITY,
		                     .hi = INFINITY };
	memset(left, 0, PLACES * sizeof *left);
	for (int draw = 0; draw < draws; draw++) {
		put_noise(s, draw);
		gt_fill(0, s->x);
		ck_ok(gt_solve(pcg, &problem, options, s->x, NULL));
		gt_array_get_float(s->x, z);
		for (int k = 0; k < PLACES; k++)
			for (size_t i = 0; i < 49; i++)
				left[k] += pow(z[middle[k][0] - 3 + i % 7 + WIDE * (middle[k][1] - 3 + i / 7)], 2) / (49 * draws);
	}
	for (int k = 0; k < PLACES; k++)
		left[k] = 1000 / WATER * sqrt(left[k]);
	free(options);
}

static const struct {
	gt_shape shape;
	int weighted;
	const char *penalty, *other; /* other: a kappa with non-uniform noise */
	double noise_hu;
} wanted[] = {
	{ GT_FLAT, 1, "quadratic:noise=18HU", "yes", 18 },
	{ GT_ARC, 1, "huber:delta=120HU,noise=16HU", "yes", 16 },
	{ GT_FLAT, 0, "quadratic:noise=14HU", "no", 14 },
};
enum { WANTED = sizeof wanted / sizeof *wanted };

/* With kappa=noise every sample has the target noise; with another kappa some sample does not. */
START_TEST(noise_is_uniform)
{
	const char *const kappas[] = { wanted[_i].other, "noise" };
	for (int even = 0; even < 2; even++) {
		struct slice *s = slice_of(wanted[_i].shape, wanted[_i].weighted);
		char spec[100], *text = NULL;
		double left[PLACES], max = 0;
		snprintf(spec, sizeof spec, "%s,kappa=%s", wanted[_i].penalty, kappas[even]);
		gt_penalty *R = penalty_of(s, spec, &text);
		ck_assert_msg(even == !!strstr(text, " kappa=noise strength_from=noise:"), "%s", text);
		ck_assert_msg(!even || strstr(s->said, "uniform noise, not resolution"), "%s", s->said);
		noise_left(s, R, even ? DRAWS : FEW_DRAWS, left);
		for (int k = 0; k < PLACES; k++)
			max = fmax(max, fabs(left[k] / wanted[_i].noise_hu - 1));
		ck_assert_msg(even ? max < 0.1 : max > 0.13, "kappa=%s: %g, %g, %g, %g HU, expected %g", kappas[even], left[0], left[1],
		              left[2], left[3], wanted[_i].noise_hu);
		free(text);
		gt_penalty_free(R);
		slice_free(s);
	}
}
END_TEST

/* Four times the weights, and four times the photons with half of the noise: the same kappa map. */
START_TEST(follows_units)
{
	enum { N = WIDE * HIGH };
	float kappa[3][N];
	gt_strength_found found[3];
	for (int k = 0; k < 3; k++) {
		struct slice *s = slice_of(GT_FLAT, 1);
		const gt_counting known = { NULL, k == 2 ? 4 * PHOTONS : PHOTONS, 0 };
		for (int i = 0; i < RAYS && k == 1; i++)
			s->weights[i] *= 4;
		const gt_strength_problem q = { .size = sizeof q,
			                        .penalty = "quadratic",
			                        .projector = "dd",
			                        .grid = &s->grid,
			                        .projections = &s->p,
			                        .known = &known,
			                        .weights = s->weights,
			                        .start = s->x,
			                        .water = WATER,
			                        .log = &s->log };
		ck_ok(gt_strength_find_even(&q, &s->sub, (k == 2 ? 6 : 12) * WATER / 1000, 1, kappa[k], &found[k]));
		slice_free(s);
	}
	ck_assert_double_eq_tol(found[1].strength, 4 * found[0].strength, 0.01 * found[0].strength);
	ck_assert_double_eq_tol(found[2].strength, found[0].strength, 0.01 * found[0].strength);
	double min = INFINITY, max = 0;
	for (size_t i = 0; i < N; i++) {
		ck_assert(kappa[0][i] > 0 && isfinite(kappa[0][i]));
		min = fmin(min, body(i) > 0 ? kappa[0][i] : INFINITY);
		max = fmax(max, body(i) > 0 ? kappa[0][i] : 0);
	}
	ck_assert(max > 1.1 * min);
	ck_assert(gt_test_rms(kappa[0], kappa[1], N) < 1e-3 && gt_test_rms(kappa[0], kappa[2], N) < 1e-3);
}
END_TEST

/* Differences below the noise that count as edges are reported. */
START_TEST(edges)
{
	static const char *const few[] = { "huber:delta=20HU,noise=16HU,kappa=noise", "huber:delta=100HU,noise=16HU,kappa=noise" };
	for (int k = 0; k < 2; k++) {
		struct slice *s = slice_of(GT_ARC, 1);
		char *text = NULL;
		gt_penalty_free(penalty_of(s, few[k], &text));
		ck_assert_msg(!k == !!strstr(s->said, "kappa=noise: delta=20HU is less than 6 times the noise"), "%s", s->said);
		ck_assert_msg(!k == !!strstr(s->said, "set delta=96HU"), "%s", s->said);
		free(text);
		slice_free(s);
	}
}
END_TEST

/* Weights that are no inverse variances give no strength with any kappa. _i: scattered over 60 decades; falling
 * with the line integrals, far faster than photon weights. */
START_TEST(weights_of_sixty_decades)
{
	static const char *const kappas[] = { "no", "yes", "noise" };
	int told = 0;
	for (int k = 0; k < 3; k++) {
		struct slice *s = slice_of(GT_FLAT, 1);
		const gt_weights_spec counting = { .kind = _i ? GT_WEIGHTS_PHOTONS : GT_WEIGHTS_FILE, .count = _i ? PHOTONS : 0 };
		const gt_penalty_problem c = { "dd", &s->grid, &s->p, &counting, s->weights, &s->sub, s->x, WATER,
			                       NULL, 0,        0,     NULL,      NULL,       NULL,    NULL };
		double max = 0;
		char spec[60], *text = NULL;
		gt_penalty_spec o;
		gt_penalty *R = NULL;
		for (size_t i = 0; i < RAYS; i++)
			max = fmax(max, s->p.data[i]);
		for (size_t i = 0; i < RAYS; i++)
			s->weights[i] = (float)pow(10, 30 - 60 * (_i ? (double)s->p.data[i] / max : fmod(0.618034 * (double)i, 1)));
		s->p.weight = _i ? NULL : s->weights;
		gt_subsets_free(&s->sub);
		ck_ok(gt_subsets_new("dd", s->be, GT_F32, &s->grid, s->p.scan, s->p.data, s->weights, SUBSETS, &s->sub));
		snprintf(spec, sizeof spec, "quadratic:noise=18HU,kappa=%s", kappas[k]);
		ck_ok(gt_penalty_spec_parse(spec, &o));
		ck_assert_msg(gt_penalty_from_spec(&s->log, &o, &c, &R, &text) == GT_ERR_ARG, "kappa=%s: %s", kappas[k], text);
		ck_assert_msg(strstr(gt_error(), "inverse variances") && strstr(gt_error(), "expected"), "%s", gt_error());
		told += !!strstr(gt_error(), "a target of 18 HU");
		ck_assert_ptr_null(R);
		free(text);
		gt_penalty_spec_free(&o);
		s->p.weight = NULL;
		slice_free(s);
	}
	ck_assert_int_ge(told, _i);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_loop_test(tc, noise_is_uniform, 0, WANTED);
	tcase_add_test(tc, follows_units);
	tcase_add_test(tc, edges);
	tcase_add_loop_test(tc, weights_of_sixty_decades, 0, 2);
}

int main(void) { return gt_test_main("uniform noise", fill_suite); }
