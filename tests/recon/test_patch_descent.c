/* Simulated noise of patches: every step lowers the cost, and every start ends at the same noise, over eight decades of
 * strength. The strength found is a smooth function of the data.
 * labels: property slow */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include <gantry/regularizer.h>
#include "core/fft/fft_box.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/noise/patch_descent.h"
#include "recon/noise/penalty_strength.h"
#include "tests/support/support.h"

#define WATER 0.02
#define VARIANCE 4e-6 /* leaves some 10 HU without a penalty */
enum { SIDE = 16, LAYERS = 3, BOX = SIDE * SIDE, NUMBERS = LAYERS * LAYERS, STEPS = 6, DECADES = 8 };

static const char *const penalties[] = { "quadratic", "huber:delta=4HU", "qggmrf:c=4HU", "tv" };
enum { PENALTIES = sizeof penalties / sizeof *penalties };

/* Patches with a response like that of a scan; no ray crosses the last layer. */
struct patches {
	gt_backend *be;
	gt_noise_patches p;
	gt_penalty *R;
	double F[BOX * NUMBERS], G[BOX * NUMBERS], Rs[BOX * NUMBERS];
	gt_patch_descents d;
	gt_patch_slots slots;
};

static void fill_data(struct patches *a)
{
	static const double between[NUMBERS] = { 1, 0.4, 0, 0.4, 1, 0, 0, 0, 0 };
	for (size_t i = 0; i < BOX; i++) {
		const double x = sin(GT_PI * (double)(i % SIDE) / SIDE), y = sin(GT_PI * (double)(i / SIDE) / SIDE);
		for (size_t j = 0; j < NUMBERS; j++)
			a->F[i * NUMBERS + j] = 1e4 * between[j] / (1 + 20 * hypot(x, y));
		for (size_t j = 0; j < NUMBERS; j++)
			a->G[i * NUMBERS + j] = VARIANCE * a->F[i * NUMBERS + j];
		gt_small_raise(LAYERS, 0.01, a->F + i * NUMBERS, NULL);
	}
}

/* The spectrum of the penalty for small differences. */
static void fill_penalty(struct patches *a)
{
	static double field[BOX * LAYERS], one[BOX];
	const size_t n[3] = { SIDE, SIDE, 1 };
	const double height = 1e-9 * WATER;
	for (size_t layer = 0; layer < LAYERS; layer++) {
		memset(field, 0, sizeof field);
		field[layer * BOX + SIDE / 2 + SIDE * (SIDE / 2)] = height;
		gt_array_put(field, a->slots.x_of[0]);
		gt_fill(0, a->p.g);
		gt_penalty_gradient(a->R, a->slots.x_of[0], a->slots.g_of[0], NULL);
		gt_array_get(a->slots.g_of[0], field);
		for (size_t l = 0; l < LAYERS; l++) {
			ck_ok(gt_fft_box_spectrum(n, field + l * BOX, 0, one));
			for (size_t i = 0; i < BOX; i++)
				a->Rs[i * NUMBERS + l * LAYERS + layer] = one[i] / height;
		}
	}
	for (size_t i = 0; i < BOX; i++)
		gt_small_raise(LAYERS, 0, a->Rs + i * NUMBERS, NULL);
}

static struct patches *patches_of(const char *penalty)
{
	struct patches *a = calloc(1, sizeof *a);
	const gt_grid grid = { { SIDE, SIDE, LAYERS }, { 2, 2, 2 }, { 0, 0, 0 } };
	char spec[100];
	snprintf(spec, sizeof spec, "%s%cstrength=1", penalty, strchr(penalty, ':') ? ',' : ':');
	a->be = gt_test_backend();
	ck_ok(gt_regularizer_new(spec, a->be, GT_F64, &grid, NULL, &a->R));
	a->p = (gt_noise_patches){ .n = { SIDE, SIDE, 1 },
		                   .box = BOX,
		                   .layers = LAYERS,
		                   .size = BOX * LAYERS,
		                   .end = LAYERS,
		                   .places = 2,
		                   .R = a->Rs,
		                   .penalty = a->R };
	ck_ok(gt_array_new(a->be, GT_F64, 2 * a->p.size, &a->p.x));
	ck_ok(gt_array_like(a->p.x, &a->p.g));
	ck_ok(gt_patch_slots_new(&a->p, 1, &a->slots));
	fill_data(a);
	fill_penalty(a);
	a->p.at[0] = (gt_noise_patch){ .F = a->F, .G = a->G, .square = 1 };
	a->p.at[1] = (gt_noise_patch){ .F = a->F, .G = a->G, .square = 3 };
	ck_ok(gt_patch_descents_new(&a->p, 1, &a->d));
	return a;
}

static void patches_free(struct patches *a)
{
	gt_patch_descents_free(&a->d);
	gt_patch_slots_free(&a->slots);
	gt_array_free(a->p.x);
	gt_array_free(a->p.g);
	gt_penalty_free(a->R);
	gt_backend_close(a->be);
	free(a);
}

/* Starts patch k with 0 or the linear solution; v: the noise. */
static void start(struct patches *a, size_t k, int linear, double *v)
{
	gt_patch_descent *s = &a->d.s[k];
	gt_patch_normal_field(&a->p, k, 5 + k, v, &s->t);
	gt_layers_field(&s->t, v);
	gt_layers_transform(&s->t, v);
	if (linear) {
		gt_patch_descent_start(s);
		return;
	}
	for (size_t i = 0; i < a->p.size; i++) {
		s->z[i] = 0;
		s->Fz[i] = -v[i];
	}
}

/* The descent lowers the smoothed total variation R_eps, R <= R_eps <= R + eps voxels. */
static double slack(const char *penalty) { return strcmp(penalty, "tv") ? 0 : WATER / 1000 * BOX * LAYERS; }

/* 1/2 <z, F z> - <z, v> + strength R(z). */
static double cost(struct patches *a, size_t k, const double *v)
{
	gt_patch_descent *s = &a->d.s[k];
	double sum = 0;
	for (size_t i = 0; i < a->p.size; i++)
		sum += s->z[i] * (s->Fz[i] - v[i]) / 2;
	gt_array_put(s->z, a->slots.x_of[0]);
	return sum + s->strength * gt_penalty_value(a->R, a->slots.x_of[0]);
}

/* Largest difference of Fz from F z - v, relative to v: the recursion must not drift. */
static double drift(struct patches *a, size_t k, const double *v)
{
	gt_patch_descent *s = &a->d.s[k];
	static double Fz[BOX * LAYERS];
	double off = 0, scale = 0;
	gt_layers_transform(&s->t, s->z);
	for (size_t i = 0; i < BOX; i++)
		gt_layers_multiply(&s->t, i, a->F + i * NUMBERS, NULL);
	gt_layers_field(&s->t, Fz);
	for (size_t i = 0; i < a->p.size; i++) {
		off = fmax(off, fabs(Fz[i] - v[i] - s->Fz[i]));
		scale = fmax(scale, fabs(v[i]));
	}
	return off / scale;
}

static double rms(const double *z)
{
	double sum = 0;
	for (size_t i = 0; i < BOX * LAYERS; i++)
		sum += z[i] * z[i];
	return sqrt(sum / (BOX * LAYERS));
}

static void check_descent(struct patches *a, const char *penalty, double strength, double noise[2])
{
	static double v[2][BOX * LAYERS];
	for (int linear = 0; linear < 2; linear++) {
		double before[2] = { INFINITY, INFINITY };
		for (int steps = 0; steps <= STEPS; steps++) {
			for (size_t k = 0; k < 2; k++)
				start(a, k, linear, v[k]);
			gt_patch_descents_run(&a->d, 0, 2, steps);
			for (size_t k = 0; k < 2; k++) {
				const double now = cost(a, k, v[k]);
				ck_assert_msg(now <= before[k] + 1e-10 * fabs(now) + strength * a->p.at[k].square * slack(penalty),
				              "%s at %g: cost %.12g after %.12g, step %d", penalty, strength, now, before[k], steps);
				before[k] = now;
			}
		}
		gt_patch_descents_run(&a->d, 0, 2, GT_PATCH_ITERATIONS);
		ck_assert_msg(!a->d.s[0].active && !a->d.s[1].active, "%s not converged at strength %g", penalty, strength);
		ck_assert(drift(a, 0, v[0]) < 1e-8 && drift(a, 1, v[1]) < 1e-8);
		noise[linear] = hypot(rms(a->d.s[0].z), rms(a->d.s[1].z));
	}
}

START_TEST(every_strength)
{
	struct patches *a = patches_of(penalties[_i]);
	const double target = 0.4 * gt_noise_patches_quadratic(&a->p, 0);
	double found, last = INFINITY;
	ck_ok(gt_noise_patches_strength(&a->p, target, &found));
	ck_assert_double_eq_tol(gt_noise_patches_mean(&a->p), target, 1e-9 * target);
	for (int decade = 0; decade <= DECADES; decade++) {
		const double strength = found * pow(10, decade - DECADES / 2);
		double noise[2];
		ck_ok(gt_noise_patches_linearise(&a->p, strength));
		gt_patch_descents_at(&a->d, strength, a->p.curvature);
		check_descent(a, penalties[_i], strength, noise);
		ck_assert_msg(fabs(noise[1] / noise[0] - 1) < 0.02, "%s at %g: noise %g and %g, depending on the start", penalties[_i],
		              strength, noise[0], noise[1]);
		ck_assert_msg(noise[1] < 1.01 * last, "%s: noise %g at strength %g, %g at a tenth", penalties[_i], noise[1], strength,
		              last);
		last = noise[1];
	}
	patches_free(a);
}
END_TEST

/* Eigenvalues below the bound are raised to it, and left out of `above`. */
START_TEST(raised_eigenvalues)
{
	double a[4] = { 1, 2, 2, 1 }, above[4]; /* eigenvalues 3 and -1 */
	gt_small_raise(2, 1, a, above);
	for (int i = 0; i < 4; i++) {
		ck_assert_double_eq_tol(a[i], i % 3 ? 1 : 2, 1e-14);
		ck_assert_double_eq_tol(above[i], 1. / 3, 1e-14);
	}
}
END_TEST

enum { VIEWS = 24, ROWS = 9, COLUMNS = 31, RAYS = VIEWS * ROWS * COLUMNS };

/* A short cone-beam scan of a small object, whose outer slices no ray crosses, and the start of a solver. */
struct scan {
	gt_backend *be;
	gt_grid grid;
	gt_projections *p;
	gt_subsets data;
	float *weights;
	gt_array *x;
};

static struct scan scan_of(int from_zero)
{
	const gt_orbit orbit = { .shape = GT_ARC,
		                 .views = VIEWS,
		                 .rows = ROWS,
		                 .columns = COLUMNS,
		                 .source_to_axis = 500,
		                 .source_to_detector = 1000,
		                 .row_pitch = 2.5,
		                 .column_pitch = 4,
		                 .row_offset = 0.4,
		                 .column_offset = -0.7,
		                 .start_angle = 0.2,
		                 .turn = 2 * GT_PI };
	const gt_phantom_options small = { .water = WATER, .scale = 0.35, .shift = { 0.5, 3, -2 }, .rotate = 0.3 };
	struct scan s = { .be = gt_test_backend(), .grid = { { 20, 18, 6 }, { 4, 4.5, 3.5 }, { 1, -2, 0.5 } } };
	gt_scan *scan = NULL;
	gt_phantom *body = NULL;
	gt_array *data = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	ck_ok(gt_projections_new(scan, &s.p));
	ck_ok(gt_phantom_new("shepp-logan", &small, &body));
	ck_ok(gt_phantom_project(body, scan, 1, NULL, NULL, NULL, s.p->data));
	gt_add_photon_noise(1e5, 0, 3, 0, NULL, s.p->data, RAYS);
	s.weights = malloc(RAYS * sizeof *s.weights);
	for (size_t i = 0; i < RAYS; i++)
		s.weights[i] = (float)(1e5 * exp(-s.p->data[i]));
	ck_ok(gt_array_new(s.be, GT_F64, RAYS, &data));
	ck_ok(gt_array_new(s.be, GT_F64, s.grid.n[0] * s.grid.n[1] * s.grid.n[2], &s.x));
	gt_array_put_float(s.p->data, data);
	gt_fill(0, s.x);
	if (!from_zero)
		ck_ok(gt_analytic_run(gt_analytic_for(scan), s.be, &s.grid, scan, NULL, data, s.x));
	ck_ok(gt_subsets_new("sf-tr", s.be, GT_F64, &s.grid, scan, s.p->data, s.weights, 1, &s.data));
	gt_array_free(data);
	gt_phantom_free(body);
	gt_scan_free(scan);
	return s;
}

static void scan_free(struct scan *s)
{
	gt_subsets_free(&s->data);
	gt_array_free(s->x);
	gt_projections_free(s->p);
	gt_backend_close(s->be);
	free(s->weights);
}

/* The start already is the result. */
static gt_status no_run(const void *self, double strength, const float *kappa, gt_array *x)
{
	(void)self;
	(void)strength;
	(void)kappa;
	(void)x;
	return GT_OK;
}

static gt_strength_found strength_of(const struct scan *s, const char *penalty, double noise_hu, double photons)
{
	const gt_counting known = { NULL, photons, 0 };
	const gt_short_run run = { no_run, NULL, &s->data };
	const gt_strength_problem q = { .size = sizeof q,
		                        .penalty = penalty,
		                        .projector = "sf-tr",
		                        .grid = &s->grid,
		                        .projections = s->p,
		                        .known = &known,
		                        .weights = s->weights,
		                        .start = s->x,
		                        .water = WATER,
		                        .short_run = &run };
	gt_strength_found found;
	const gt_status st = gt_strength_find(&q, noise_hu * WATER / 1000, 1, &found);
	ck_assert_msg(st == GT_OK, "%s: %s", penalty, gt_error());
	return found;
}

/* A change of the variances of 1e-10 changes the strength by less than 1e-3, at targets that need no, a weak and a
 * strong penalty. Twice the target is always had with a weaker penalty. Each penalty with one of both starts, or with
 * GT_LONG=1 with both. */
START_TEST(smooth)
{
	static const double targets[] = { 60, 4, 2 };
	struct scan s = scan_of((_i + _i / PENALTIES) % 2);
	double last = 0;
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		const char *penalty = penalties[_i % PENALTIES];
		const gt_strength_found a = strength_of(&s, penalty, targets[i], 1e5),
					b = strength_of(&s, penalty, targets[i], 1e5 * (1 + 1e-10));
		ck_assert_msg(fabs(log(a.strength / b.strength)) < 1e-3, "%s, %g HU: strengths %g and %g", penalty, targets[i], a.strength,
		              b.strength);
		ck_assert_msg(a.strength > last, "%s: strength %g for %g HU, %g for more", penalty, a.strength, targets[i], last);
		ck_assert_msg(a.noise_hu < 1.2 * targets[i] && a.noise_hu < 12, "%s: %g HU for %g HU", penalty, a.noise_hu, targets[i]);
		last = a.strength;
	}
	scan_free(&s);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_test(tc, raised_eigenvalues);
	tcase_add_loop_test(tc, every_strength, 0, PENALTIES);
	tcase_add_loop_test(tc, smooth, 0, gt_tests_long() ? 2 * PENALTIES : PENALTIES);
}

int main(void) { return gt_test_main("patch descent", fill_suite); }
