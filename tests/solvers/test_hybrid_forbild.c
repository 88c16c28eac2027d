/* Automatic strength of hybrid-lsqr on scans of the FORBILD head with several noise realisations: errors within 20 %
 * of the best strength's.
 * labels: unit physics slow */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include <gantry/recon.h>
#include "recon/modules.h"
#include "tests/support/support.h"

/* Pixels of 16 mm at the axis, with 62 views or a quarter of them; slices as high as rows and their projection. */
static const gt_grid grid = { { 32, 32, 1 }, { 8, 8, 14 }, { 0, 0, 0 } };
enum { DRAWS = 2, ITERATIONS = 20 };

struct scene {
	gt_backend *be;
	gt_scan *scan;
	gt_phantom *body;
	gt_array *truth, *x;
	float *lines, *data, *weights;
	size_t n;
};

static struct scene scene(size_t views)
{
	struct scene s = { .be = gt_test_backend() };
	gt_orbit orbit = gt_scanner_find("ge-ct750hd")->orbit;
	float *voxels = malloc(gt_grid_voxels(&grid) * sizeof *voxels);
	gt_orbit_reduce(&orbit, 16);
	orbit.rows = 1;
	orbit.views = views;
	ck_ok(gt_scan_orbit(&orbit, &s.scan));
	s.n = gt_scan_size(s.scan);
	s.lines = malloc(s.n * sizeof *s.lines);
	s.data = malloc(s.n * sizeof *s.data);
	s.weights = malloc(s.n * sizeof *s.weights);
	ck_ok(gt_phantom_new("forbild-head", NULL, &s.body));
	ck_ok(gt_phantom_voxelise(s.body, &grid, 4, NULL, NULL, NULL, voxels));
	ck_ok(gt_phantom_project(s.body, s.scan, 4, NULL, NULL, NULL, s.lines));
	ck_ok(gt_array_new(s.be, GT_F32, gt_grid_voxels(&grid), &s.truth));
	ck_ok(gt_array_like(s.truth, &s.x));
	gt_array_put_float(voxels, s.truth);
	free(voxels);
	return s;
}

static void drop(struct scene *s)
{
	gt_phantom_free(s->body);
	gt_scan_free(s->scan);
	gt_array_free(s->truth), gt_array_free(s->x);
	free(s->lines), free(s->data), free(s->weights);
	gt_backend_close(s->be);
}

static double error_with(const struct scene *s, const gt_subsets *sub, const char *text)
{
	char spec[96];
	gt_method m;
	snprintf(spec, sizeof spec, "hybrid-lsqr:iterations=%d%s%s", ITERATIONS, *text ? "," : "", text);
	ck_ok(gt_method_parse(spec, &m));
	const gt_problem p = { .subsets = 1, .A = sub->A, .b = sub->b, .w = sub->w, .lo = -INFINITY, .hi = INFINITY };
	gt_fill(0, s->x);
	ck_ok(gt_solve(m.solver, &p, m.options, s->x, NULL));
	gt_method_free(&m);
	return sqrt(gt_distance2(s->x, s->truth) / gt_dot(s->truth, s->truth));
}

/* Compares the automatic strengths with the best one on a grid of factors of 1.7. */
static void judge(const struct scene *s, const char *what, int weighted)
{
	gt_subsets sub;
	double best = INFINITY, at = 0, weak = 0;
	ck_ok(gt_subsets_new("dd", s->be, GT_F32, &grid, s->scan, s->data, weighted ? s->weights : NULL, 1, &sub));
	for (double lambda = 0.2; lambda < 200; lambda *= 1.7) {
		char text[64];
		snprintf(text, sizeof text, "strength=fixed,lambda=%g", lambda);
		const double error = error_with(s, &sub, text);
		weak = weak > 0 ? weak : error;
		at = error < best ? lambda : at;
		best = fmin(best, error);
	}
	const double found = error_with(s, &sub, ""), trace = error_with(s, &sub, "strength=trace"),
		     gcv = error_with(s, &sub, "strength=gcv");
	printf("%s, %s: best %.4f at %.3g, without %.2f; of it: default %.3f, trace %.3f, gcv %.3f\n", what,
	       weighted ? "weighted" : "uniform", best, at, weak / best, found / best, trace / best, gcv / best);
	fflush(stdout);
	ck_assert_double_le(found, 1.2 * best);
	gt_subsets_free(&sub);
}

GT_TESTS(near_the_best_strength, 4)
{
	static const double photons[] = { 1e3, 1e5 };
	const double count = photons[_i / 2];
	struct scene s = scene(_i % 2 ? 16 : 62);
	for (int draw = 1; draw <= DRAWS; draw++) {
		char what[64];
		for (size_t i = 0; i < s.n; i++) {
			s.data[i] = s.lines[i];
			s.weights[i] = expf(-s.lines[i]);
		}
		gt_add_photon_noise(count, 0, (uint64_t)draw, 0, NULL, s.data, s.n);
		snprintf(what, sizeof what, "%zu views, %g photons, draw %d", s.scan->views, count, draw);
		judge(&s, what, 0);
		judge(&s, what, 1);
	}
	drop(&s);
}

int main(void) { return gt_test_main("hybrid_forbild", NULL); }
