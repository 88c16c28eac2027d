/* Weights that include the discretisation error: voxel width in pixels, known projections, threads and refusals.
 * labels: unit backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "geometry/projections.h"
#include "recon/noise/noise_estimate.h"
#include "recon/weights/model_weights.h"
#include "recon/weights/photon_weights.h"
#include "tests/support/support.h"

enum { VIEWS = 3, ROWS = 4, COLUMNS = 7, N = VIEWS * ROWS * COLUMNS };

static gt_projections *projections(void)
{
	gt_projections *p = gt_projections_blank();
	ck_ok(gt_scan_new(GT_FLAT, VIEWS, ROWS, COLUMNS, &p->scan));
	p->data = calloc(N, sizeof *p->data);
	return p;
}

static size_t at(size_t view, size_t row, size_t column) { return (view * ROWS + row) * COLUMNS + column; }

/* Variances before normalisation, for 1e4 photons. */
static void variances(const gt_projections *p, double error, double v[N])
{
	const gt_counting known = { .count = 1e4 };
	gt_noise_model *noise = NULL;
	float w[N];
	double factor;
	ck_ok(gt_noise_estimate(p, &known, NULL, &noise));
	ck_ok(gt_model_weights(NULL, noise, p, &(gt_model_error){ error, 0, 0 }, w, &factor));
	for (size_t i = 0; i < N; i++)
		v[i] = 1 / (w[i] * factor);
	gt_noise_free(noise);
}

/* Without slopes only the photon noise counts: exp(p)/N. */
GT_TEST(flat_projections)
{
	gt_projections *p = projections();
	double v[N];
	for (size_t i = 0; i < N; i++)
		p->data[i] = 1.25f;
	variances(p, 5, v);
	for (size_t i = 0; i < N; i++)
		ck_assert_double_eq_tol(v[i], exp(1.25) / 1e4, 1e-6 * v[i]);
	gt_projections_free(p);
}

/* p = 0.3 column - 0.1 row + 0.7 view. Slopes between views are ignored; smoothing reduces the step at both ends
 * of a row by a quarter. */
GT_TEST(sloped_projections)
{
	gt_projections *p = projections();
	double v[N];
	for (size_t i = 0; i < N; i++)
		p->data[i] = (float)(0.3 * (double)(i % COLUMNS) - 0.1 * (double)(i / COLUMNS % ROWS) + 0.7 * (double)(i / COLUMNS / ROWS));
	variances(p, 0.2, v);
	for (size_t view = 0; view < VIEWS; view++)
		for (size_t row = 0; row < ROWS; row++)
			for (size_t c = 0; c < COLUMNS; c++) {
				const int end = c == 0 || c == COLUMNS - 1;
				const double shift = c == 0 ? 0.075 : end ? -0.075 : 0, across = end ? 0.225 : 0.3;
				const double line = p->data[at(view, row, c)] + shift;
				const double expected = exp(line) / 1e4 + 0.04 * (across * across + 0.01);
				ck_assert_msg(fabs(v[at(view, row, c)] / expected - 1) < 1e-5,
				              "view %zu row %zu column %zu: %g, expected %g", view, row, c, v[at(view, row, c)], expected);
			}
	gt_projections_free(p);
}

/* One pixel of 4 in a row of 0, smoothed by 1 2 1: the larger of two differences, along the row and to both
 * adjacent rows. */
GT_TEST(one_pixel)
{
	gt_projections *p = projections();
	double v[N];
	p->data[at(1, 2, 3)] = 4;
	variances(p, 0.5, v);
	static const double line[COLUMNS] = { 0, 0, 1, 2, 1, 0, 0 }, across[COLUMNS] = { 0, 1, 1, 1, 1, 1, 0 };
	for (size_t view = 0; view < VIEWS; view++)
		for (size_t row = 0; row < ROWS; row++)
			for (size_t c = 0; c < COLUMNS; c++) {
				const int here = view == 1 && row == 2, beside = view == 1 && (row == 1 || row == 3);
				const double along = here || beside ? line[c] : 0;
				const double expected = exp(here ? line[c] : 0) / 1e4 + 0.25 * ((here ? across[c] : 0) + along * along);
				ck_assert_double_eq_tol(v[at(view, row, c)], expected, 1e-5 * expected);
			}
	gt_projections_free(p);
}

/* The common part: mean square of the slopes, weighted by the line integrals. */
GT_TEST(uniform_error)
{
	gt_projections *p = projections();
	const gt_counting known = { .count = 1e4 };
	gt_noise_model *noise = NULL;
	float w[N];
	double factor, slopes = 0, lines = 0;
	p->data[at(1, 2, 3)] = 4;  /* smoothed by 1 2 1; the squares are 2, 5, 2 */
	p->data[at(0, 0, 0)] = -2; /* a negative value has no weight, but a slope to its neighbours */
	slopes = 1 * 2 + 2 * 5 + 1 * 2;
	lines = 1 + 2 + 1;
	ck_ok(gt_noise_estimate(p, &known, NULL, &noise));
	ck_ok(gt_model_weights(NULL, noise, p, &(gt_model_error){ 0, 0.3, 0 }, w, &factor));
	ck_assert_double_eq_tol(1 / (w[at(2, 1, 1)] * factor), 1e-4 + 0.09 * slopes / lines, 1e-6);
	ck_assert_double_eq_tol(1 / (w[at(1, 2, 3)] * factor), exp(2) * 1e-4 + 0.09 * slopes / lines, 1e-6);
	gt_noise_free(noise);
	gt_projections_free(p);
}

/* A part of the mean variance for all rays: the geometric mean, weighted by the line integrals, of photons behind 1, 2, 1.
 * `even` becomes the fraction of the slopes that gives the same weights. */
GT_TEST(mean_variance)
{
	gt_projections *p = projections();
	gt_noise_model *noise = NULL;
	gt_model_error error = { 0.1, 0.3, 0.5 };
	float w[N], again[N];
	double factor;
	p->data[at(1, 2, 3)] = 4; /* smoothed by 1 2 1 */
	ck_ok(gt_noise_estimate(p, &(gt_counting){ .count = 1e4 }, NULL, &noise));
	ck_ok(gt_model_weights(NULL, noise, p, &error, w, &factor));
	const double slopes = (1. * 2 + 2 * 5 + 1 * 2) / 4, all = 0.09 * 14 / 4 + 0.5 * 1e-4 * exp(1.5);
	ck_assert_double_eq_tol(slopes, 3.5, 1e-12);
	ck_assert_double_eq_tol(1 / (w[at(2, 1, 1)] * factor), 1e-4 + all, 1e-6);
	ck_assert_double_eq_tol(error.even * error.even * slopes, all, 1e-9);
	ck_assert(error.noise == 0 && error.slope == 0.1);
	ck_ok(gt_model_weights(NULL, noise, p, &error, again, &factor));
	for (size_t i = 0; i < N; i++)
		ck_assert_double_eq_tol(again[i], w[i], 1e-6 * w[i]);
	gt_noise_free(noise);
	gt_projections_free(p);
}

/* 36 views of a box of 12 pixels, with 6 of them 0.01 of it in one row: the rows count by their sums. */
GT_TEST(sampling_by_views)
{
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = 36,
		                 .rows = 2,
		                 .columns = 40,
		                 .source_to_axis = 500,
		                 .source_to_detector = 1000,
		                 .column_pitch = 1,
		                 .row_pitch = 1,
		                 .turn = 2 * GT_PI };
	gt_projections *p = gt_projections_blank();
	ck_ok(gt_scan_orbit(&orbit, &p->scan));
	p->data = calloc(gt_scan_size(p->scan), sizeof *p->data);
	const double pixel[2] = { 0.5, 0.5 }, voxel[2] = { 3, 3 };
	ck_assert(gt_view_sampling(p, pixel) == INFINITY);
	for (size_t view = 0; view < 36; view++)
		for (size_t c = 0; c < 12; c++) {
			p->data[view * 80 + 5 + c] = 2;
			p->data[view * 80 + 40 + 5 + c] = c < 6 ? 0.02f : -0.01f;
		}
	const double width = (24 * 12 + 0.12 * 6) / 24.12, one = 36 / (GT_PI / 2 * width);
	ck_assert_double_eq_tol(gt_view_sampling(p, pixel), one, 1e-6 * one);
	ck_assert_double_eq_tol(gt_view_sampling(p, voxel), 3 * one, 3e-6 * one);
	const gt_model_error few = gt_model_error_of(voxel, 0.25), enough = gt_model_error_of(voxel, 1), many = gt_model_error_of(voxel, 7);
	ck_assert_double_eq_tol(few.slope, enough.slope / 4, 1e-12);
	ck_assert(many.slope == enough.slope && few.even == enough.even && few.noise == enough.noise);
	gt_projections_free(p);
}

/* Bit-identical for any number of threads, with mean 1. */
GT_TEST(threads)
{
	gt_projections *p = projections();
	gt_noise_model *noise = NULL;
	gt_pool *pool = NULL;
	float one[N], many[N];
	double factor, sum = 0;
	gt_test_random(7, N, p->data);
	ck_ok(gt_pool_new(3, &pool));
	ck_ok(gt_noise_estimate(p, &(gt_counting){ .count = 100 }, NULL, &noise));
	ck_ok(gt_model_weights(NULL, noise, p, &(gt_model_error){ 0.1, 0.3, 0 }, one, &factor));
	ck_ok(gt_model_weights(pool, noise, p, &(gt_model_error){ 0.1, 0.3, 0 }, many, &factor));
	ck_assert(!memcmp(one, many, sizeof one));
	for (size_t i = 0; i < N; i++)
		sum += one[i];
	ck_assert_double_eq_tol(sum / N, 1, 1e-6);
	gt_noise_free(noise);
	gt_pool_free(pool);
	gt_projections_free(p);
}

GT_TEST(refused)
{
	gt_projections *p = projections();
	gt_noise_model *noise = NULL;
	float w[N];
	double factor;
	ck_ok(gt_noise_estimate(p, &(gt_counting){ .count = 100 }, NULL, &noise));
	p->data[5] = NAN;
	ck_refused(gt_model_weights(NULL, noise, p, &(gt_model_error){ 0.1, 0.3, 0 }, w, &factor), GT_ERR_ARG, "expected finite weights");
	p->data[5] = INFINITY;
	ck_refused(gt_model_weights(NULL, noise, p, &(gt_model_error){ 0.1, 0.3, 0 }, w, &factor), GT_ERR_ARG, "expected finite weights");
	gt_noise_free(noise);
	gt_projections_free(p);
}

/* A voxel of 1.5 x 2 x 0.7 mm halfway between the source and the detector, magnified twice. */
GT_TEST(projection_of_a_voxel)
{
	gt_projections *p = projections();
	gt_scan *s = p->scan;
	const gt_grid g = { .n = { 4, 4, 4 }, .pitch = { 1.5, 2, 0.7 } };
	double width[2];
	s->column_pitch = 0.5;
	s->row_pitch = 0.25;
	s->column_center = 3;
	s->row_center = 1.5;
	for (int v = 0; v < VIEWS; v++) {
		s->view[v].source[1] = 300;
		s->view[v].detector[1] = -300;
	}
	gt_voxel_shadow(s, &g, width);
	ck_assert_double_eq_tol(width[0], 2 * 1.5 / 0.5, 1e-4);
	ck_assert_double_eq_tol(width[1], 2 * 0.7 / 0.25, 1e-4);
	/* columns along 3x + 4y: a box of equal variance is as wide as the root of (0.6 1.5)^2 + (0.8 2)^2 */
	s->shape = GT_PARALLEL;
	for (int v = 0; v < VIEWS; v++)
		s->view[v] = (gt_view){
			.source = { -240, 180, 0 }, .detector = { 240, -180, 0 }, .column_axis = { 0.6, 0.8, 0 }, .row_axis = { 0, 0, 1 }
		};
	gt_voxel_shadow(s, &g, width);
	ck_assert_double_eq_tol(width[0], sqrt(0.81 + 2.56) / 0.5, 1e-9);
	ck_assert_double_eq_tol(width[1], 0.7 / 0.25, 1e-9);
	/* a voxel behind the source has no projection */
	s->shape = GT_FLAT;
	for (int v = 0; v < VIEWS; v++)
		s->view[v] = (gt_view){
			.source = { 0, -300, 0 }, .detector = { 0, -900, 0 }, .column_axis = { 1, 0, 0 }, .row_axis = { 0, 0, 1 }
		};
	gt_voxel_shadow(s, &g, width);
	ck_assert(width[0] == 0 && width[1] == 0);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("model weights", NULL); }
