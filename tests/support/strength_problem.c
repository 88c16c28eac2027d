/* A water cylinder in parallel beams, one row of pixels, and the noise of its reconstruction. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/regularizer.h>
#include "recon/noise/penalty_strength.h"
#include "recon/weights/photon_weights.h"
#include "tests/support/strength_problem.h"
#include "tests/support/support.h"

static void remember(void *self, const gt_message *m)
{
	strncat(self, m->text, 7900 - strlen(self));
	strncat(self, "\n", 7901 - strlen(self));
}

struct problem *problem_of(const char *penalty, size_t views, size_t slices)
{
	const gt_orbit orbit = { .shape = GT_PARALLEL,
		                 .views = views,
		                 .rows = 1,
		                 .columns = COLUMNS,
		                 .source_to_detector = 500,
		                 .column_pitch = 4,
		                 .row_pitch = 4,
		                 .turn = GT_PI };
	struct problem *s = calloc(1, sizeof *s);
	float *x = calloc(SIDE * SIDE * slices, sizeof *x);
	s->be = gt_test_backend();
	s->grid = (gt_grid){ { SIDE, SIDE, slices }, { 4, 4, slices > 1 ? 1 : 4 }, { 0, 0, 0 } };
	ck_ok(gt_scan_orbit(&orbit, &s->p.scan));
	for (size_t i = 0; i < SIDE * SIDE * slices; i++)
		x[i] = hypot((double)(i % SIDE) - 19.5, (double)(i / SIDE % SIDE) - 19.5) < 16 ? WATER : 0;
	ck_ok(gt_array_new(s->be, GT_F64, SIDE * SIDE * slices, &s->x));
	gt_array_put_float(x, s->x);
	free(x);
	ck_ok(gt_projector_new("dd", s->be, GT_F64, &s->grid, s->p.scan, &s->A));
	gt_array *y = NULL;
	ck_ok(gt_array_new(s->be, GT_F64, views * COLUMNS, &y));
	gt_forward(s->A, s->x, y);
	s->p.data = malloc(views * COLUMNS * sizeof *s->p.data);
	gt_array_get_float(y, s->p.data);
	gt_array_free(y);
	s->known = (gt_counting){ NULL, PHOTONS, 0 };
	s->weights = malloc(views * COLUMNS * sizeof *s->weights);
	for (size_t i = 0; i < views * COLUMNS; i++)
		s->weights[i] = (float)exp(-s->p.data[i]);
	s->log = (gt_listener){ remember, s->said };
	s->q = (gt_strength_problem){ .size = sizeof s->q,
		                      .penalty = penalty,
		                      .projector = "dd",
		                      .grid = &s->grid,
		                      .projections = &s->p,
		                      .known = &s->known,
		                      .weights = s->weights,
		                      .start = s->x,
		                      .water = WATER,
		                      .log = &s->log };
	return s;
}

void problem_free(struct problem *s)
{
	gt_array_free(s->x);
	gt_linop_free(s->A);
	gt_scan_free(s->p.scan);
	free(s->p.data);
	free(s->weights);
	gt_backend_close(s->be);
	free(s);
}

double noise_left(const struct problem *s, double beta)
{
	enum { DRAWS = 5 };
	char spec[200];
	gt_penalty *R = NULL;
	gt_array *b = NULL, *w = NULL, *x = NULL;
	float noise[VIEWS * COLUMNS], all[SIDE * SIDE * THIN];
	const float *found = all + s->grid.n[2] / 2 * SIDE * SIDE;
	double sum = 0;
	int count = 0;
	snprintf(spec, sizeof spec, "%s%cstrength=%.9g", s->q.penalty, strchr(s->q.penalty, ':') ? ',' : ':', beta);
	ck_ok(gt_regularizer_new(spec, s->be, GT_F64, &s->grid, NULL, &R));
	ck_ok(gt_array_new(s->be, GT_F64, VIEWS * COLUMNS, &b));
	ck_ok(gt_array_like(b, &w));
	ck_ok(gt_array_like(s->x, &x));
	gt_array_put_float(s->weights, w);
	const gt_solver *pcg = gt_solver_find("pcg");
	void *options = NULL;
	ck_ok(gt_params_new(pcg->params, "iterations=40", pcg->defaults, pcg->options_size, &options));
	const gt_problem problem = { .subsets = 1,
		                     .A = (gt_linop **)&s->A,
		                     .b = &b,
		                     .w = &w,
		                     .R = R,
		                     .n = { s->grid.n[0], s->grid.n[1], s->grid.n[2] },
		                     .lo = -INFINITY,
		                     .hi = INFINITY };
	for (int draw = 0; draw < DRAWS; draw++) {
		for (int i = 0; i < VIEWS * COLUMNS; i++) {
			const double normal = gt_test_normal(90 + (uint64_t)draw, (uint64_t)i);
			noise[i] = (float)(sqrt(exp(s->p.data[i]) / PHOTONS) * normal);
		}
		gt_array_put_float(noise, b);
		gt_fill(0, x);
		ck_ok(gt_solve(pcg, &problem, options, x, NULL));
		gt_array_get_float(x, all);
		for (int i = 0; i < SIDE * SIDE; i++)
			if (hypot(i % SIDE - 19.5, i / SIDE - 19.5) < 12) {
				sum += (double)found[i] * found[i];
				count++;
			}
	}
	free(options);
	gt_penalty_free(R);
	gt_array_free(b);
	gt_array_free(w);
	gt_array_free(x);
	return 1000 / WATER * sqrt(sum / count);
}
