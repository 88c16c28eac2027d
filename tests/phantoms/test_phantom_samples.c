/* Projections and voxels of phantoms against geometry formulas, point values and volumes; threads and progress. */
/* labels: unit physics backend: none */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "tests/phantoms/bodies.h"

#define BALL "ellipsoid center=12,-23,4 radius=30 density=0.02\n"
static const double ball_center[3] = { 12, -23, 4 };

static gt_scan *orbit_scan(gt_shape shape, size_t columns, size_t rows, double column_offset)
{
	gt_scan *scan = NULL;
	const gt_orbit o = { .shape = shape,
		             .views = 7,
		             .rows = rows,
		             .columns = columns,
		             .source_to_axis = 400,
		             .source_to_detector = 700,
		             .column_pitch = 2.3,
		             .row_pitch = 3.1,
		             .column_offset = column_offset,
		             .row_offset = -0.4,
		             .start_angle = 0.3,
		             .turn = 6.283185307179586,
		             .pitch_per_turn = 20 };
	ck_ok(gt_scan_orbit(&o, &scan));
	return scan;
}

/* Chord of the ball on a pixel's ray, from the formulas of docs/geometry.md, without the code of core/. */
static double ball_chord(const gt_scan *s, size_t view, double column, double row)
{
	const double theta = s->view[view].angle, z = s->view[view].detector[2], si = sin(theta), co = cos(theta);
	const double u = (column - s->column_center) * s->column_pitch, v = (row - s->row_center) * s->row_pitch;
	const double beta = u / 700;
	double from[3] = { -400 * si, 400 * co, z }, e[3];
	if (s->shape == GT_ARC) {
		e[0] = 700 * sin(beta + theta);
		e[1] = -700 * cos(beta + theta);
		e[2] = v;
	} else if (s->shape == GT_FLAT) {
		e[0] = 700 * si + u * co;
		e[1] = -700 * co + u * si;
		e[2] = v;
	} else {
		from[0] += u * co;
		from[1] += u * si;
		from[2] += v;
		e[0] = si;
		e[1] = -co;
		e[2] = 0;
	}
	double ee = 0, ew = 0, ww = 0;
	for (int a = 0; a < 3; a++) {
		ee += e[a] * e[a];
		ew += e[a] * (ball_center[a] - from[a]);
		ww += (ball_center[a] - from[a]) * (ball_center[a] - from[a]);
	}
	const double rest = 30 * 30 - (ww - ew * ew / ee);
	return rest > 0 ? 0.02 * 2 * sqrt(rest) : 0;
}

GT_TESTS(ball_on_every_detector, GT_NSHAPES)
{
	gt_phantom *p = body(BALL);
	gt_scan *s = orbit_scan((gt_shape)_i, 90, 40, 0.25);
	float *out = malloc(gt_scan_size(s) * sizeof *out);
	ck_ok(gt_phantom_project(p, s, 1, NULL, NULL, NULL, out));
	double worst = 0, max = 0;
	for (size_t i = 0; i < gt_scan_size(s); i++) {
		const double chord = ball_chord(s, i / (90 * 40), (double)(i % 90), (double)(i / 90 % 40));
		worst = fmax(worst, fabs(out[i] - chord));
		max = fmax(max, chord);
	}
	ck_assert_double_gt(max, 1.19);
	ck_assert_double_lt(worst, 1e-6);
	free(out);
	gt_scan_free(s);
	gt_phantom_free(p);
}

/* The n x n sub-rays are the central rays of pixels n times finer. */
GT_TESTS(sub_rays_are_finer_cells, GT_NSHAPES)
{
	gt_phantom *p = body("combine replace\nunit water\n" MIXED_SHAPES);
	gt_scan *s = orbit_scan((gt_shape)_i, 40, 20, 1.3), *fine = orbit_scan((gt_shape)_i, 120, 60, 0);
	fine->column_pitch /= 3;
	fine->row_pitch /= 3;
	fine->column_center = 3 * s->column_center + 1;
	fine->row_center = 3 * s->row_center + 1;
	float *out = malloc(gt_scan_size(s) * sizeof *out), *parts = malloc(gt_scan_size(fine) * sizeof *parts);
	ck_ok(gt_phantom_project(p, s, 3, NULL, NULL, NULL, out));
	ck_ok(gt_phantom_project(p, fine, 1, NULL, NULL, NULL, parts));
	double worst = 0, max = 0;
	for (size_t i = 0; i < gt_scan_size(s); i++) {
		const size_t column = i % 40, row = i / 40 % 20, view = i / 800;
		double sum = 0;
		for (size_t k = 0; k < 9; k++)
			sum += parts[(view * 60 + 3 * row + k / 3) * 120 + 3 * column + k % 3];
		worst = fmax(worst, fabs(out[i] - sum / 9));
		max = fmax(max, out[i]);
	}
	ck_assert_double_gt(max, 10);
	ck_assert_double_lt(worst, 1e-6 * max);
	free(out);
	free(parts);
	gt_scan_free(s);
	gt_scan_free(fine);
	gt_phantom_free(p);
}

/* An object behind the source of view 0 is not projected, except by parallel rays, which have no origin. */
GT_TESTS(nothing_behind_the_source, GT_NSHAPES)
{
	gt_phantom *p = NULL;
	gt_scan *s = orbit_scan((gt_shape)_i, 9, 5, 0);
	const double *source = s->view[0].source;
	const gt_phantom_options o = { .water = 1, .scale = 1, .shift = { 1.5 * source[0], 1.5 * source[1], source[2] } };
	ck_ok(body_read("ellipsoid radius=30 density=1\n", 30, &o, &p));
	float *out = malloc(gt_scan_size(s) * sizeof *out), sum = 0;
	ck_ok(gt_phantom_project(p, s, 1, NULL, NULL, NULL, out));
	for (size_t i = 0; i < 9 * 5; i++)
		sum += out[i];
	if (_i == GT_PARALLEL)
		ck_assert_float_gt(sum, 1000);
	else
		ck_assert_float_eq(sum, 0);
	free(out);
	gt_scan_free(s);
	gt_phantom_free(p);
}

/* Sizes that put no sample on a surface. */
static const gt_grid odd_grid = { { 37, 29, 23 }, { 2.91237, 3.70713, 4.30191 }, { 1.10871, -2.70437, 0.90173 } };

GT_TESTS(voxels_are_mean_points, 3)
{
	gt_phantom *p = _i < 2 ? body(_i ? "combine replace\n" MIXED_SHAPES : MIXED_SHAPES) : NULL;
	gt_grid g = odd_grid;
	if (!p) {
		ck_ok(gt_phantom_new("forbild-head", NULL, &p));
		g.pitch[0] = 7.10133;
		g.pitch[1] = 9.30217;
		g.pitch[2] = 0.830471;
	}
	const int n = 3;
	float *out = malloc(gt_grid_voxels(&g) * sizeof *out);
	ck_ok(gt_phantom_voxelise(p, &g, n, NULL, NULL, NULL, out));
	double worst = 0, max = 0;
	for (size_t i = 0; i < gt_grid_voxels(&g); i++) {
		const double at[3] = { (double)(i % g.n[0]), (double)(i / g.n[0] % g.n[1]), (double)(i / (g.n[0] * g.n[1])) };
		double sum = 0, x[3];
		for (int k = 0; k < n * n * n; k++) {
			const int part[3] = { k % n, k / n % n, k / n / n };
			for (int a = 0; a < 3; a++)
				x[a] = g.center[a] + (at[a] - ((double)g.n[a] - 1) / 2 + (part[a] + 0.5) / n - 0.5) * g.pitch[a];
			sum += gt_phantom_value(p, x);
		}
		worst = fmax(worst, fabs(out[i] - sum / (n * n * n)));
		max = fmax(max, out[i]);
	}
	ck_assert_double_gt(max, 0.02);
	ck_assert_double_lt(worst, 1e-6 * max);
	free(out);
	gt_phantom_free(p);
}

static double mean_of(const gt_phantom *p, const gt_grid *g, int points)
{
	double sum = 0;
	float *out = malloc(gt_grid_voxels(g) * sizeof *out);
	ck_ok(gt_phantom_voxelise(p, g, points, NULL, NULL, NULL, out));
	for (size_t i = 0; i < gt_grid_voxels(g); i++)
		sum += out[i];
	free(out);
	return sum / (double)gt_grid_voxels(g);
}

GT_TEST(voxels_hold_the_volume)
{
	const struct {
		const char *text;
		double mass;
	} bodies[] = {
		{ "ellipsoid center=6,-9,3 radii=21,13,17 angles=20,40,-60 density=1.3\n", 1.3 * 4 / 3 * GT_PI * 21 * 13 * 17 },
		{ "cylinder center=6,-9,3 radii=12,17 length=31 axis=1,2,3 density=0.7\n", 0.7 * GT_PI * 12 * 17 * 31 },
		{ "cone center=6,-9,3 radii=12,8 end=3 length=31 axis=-1,2,3 density=2\n", 2 * GT_PI / 3 * 31 * (12 * 8 + 3 * 2 + 3 * 8) },
		{ "box center=6,-9,3 size=22,13,31 angles=20,40,-60 density=-1\n", -22.0 * 13 * 31 },
		{ "ellipsoid center=6,-9,3 radius=20 clip=0,0,-3,-9 density=1\n", 2 * GT_PI / 3 * 8000 },
		{ "ellipsoid center=6,-9,3 radius=20 clip=2,1,-1,0 density=1\n", 2 * GT_PI / 3 * 8000 },
	};
	const gt_grid g = { { 43, 41, 39 }, { 1.5, 1.5, 1.6 }, { 5, -8, 3 + 0.8 / 3 } }; /* the plane z = 3 is midway between samples */
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		gt_phantom *p = body(bodies[i].text);
		const double mass = mean_of(p, &g, 3) * 43 * 1.5 * 41 * 1.5 * 39 * 1.6;
		ck_assert_msg(fabs(mass / bodies[i].mass - 1) < 1e-3, "%s: mass %g, expected %g", bodies[i].text, mass, bodies[i].mass);
		gt_phantom_free(p);
	}
}

GT_TEST(threads_do_not_matter)
{
	gt_phantom *p = NULL;
	ck_ok(gt_phantom_new("forbild-head", NULL, &p));
	gt_scan *s = orbit_scan(GT_ARC, 70, 13, 0.25);
	const size_t cells = gt_scan_size(s), voxels = gt_grid_voxels(&odd_grid);
	float *one = malloc(cells * sizeof *one), *other = malloc(cells * sizeof *other);
	float *body_one = malloc(voxels * sizeof *body_one), *body_other = malloc(voxels * sizeof *body_other);
	ck_ok(gt_phantom_project(p, s, 2, NULL, NULL, NULL, one));
	ck_ok(gt_phantom_voxelise(p, &odd_grid, 2, NULL, NULL, NULL, body_one));
	for (int threads = 1; threads < 6; threads += 2) {
		gt_pool *pool = NULL;
		ck_ok(gt_pool_new(threads, &pool));
		memset(other, 255, cells * sizeof *other);
		memset(body_other, 255, voxels * sizeof *body_other);
		ck_ok(gt_phantom_project(p, s, 2, pool, NULL, NULL, other));
		ck_ok(gt_phantom_voxelise(p, &odd_grid, 2, pool, NULL, NULL, body_other));
		ck_assert_mem_eq(one, other, cells * sizeof *one);
		ck_assert_mem_eq(body_one, body_other, voxels * sizeof *body_one);
		gt_pool_free(pool);
	}
	free(one);
	free(other);
	free(body_one);
	free(body_other);
	gt_scan_free(s);
	gt_phantom_free(p);
}

typedef struct {
	pthread_t caller;
	double last;
	int calls, stop_at, wrong;
} watcher;

static int watch(void *self, double done)
{
	watcher *w = self;
	w->wrong += !pthread_equal(w->caller, pthread_self()) || done <= w->last || done > 1;
	w->last = done;
	return ++w->calls == w->stop_at;
}

GT_TEST(progress_and_stop)
{
	gt_phantom *p = body(BALL);
	gt_scan *s = orbit_scan(GT_FLAT, 90, 40, 0);
	gt_pool *pool = NULL;
	ck_ok(gt_pool_new(3, &pool));
	float *out = malloc(gt_scan_size(s) * sizeof *out), *voxels = malloc(gt_grid_voxels(&odd_grid) * sizeof *voxels);
	watcher w = { .caller = pthread_self() };
	ck_ok(gt_phantom_project(p, s, 1, pool, watch, &w, out));
	ck_assert(w.calls > 2 && w.last == 1 && !w.wrong);
	w = (watcher){ .caller = pthread_self() };
	ck_ok(gt_phantom_voxelise(p, &odd_grid, 2, pool, watch, &w, voxels));
	ck_assert(w.calls > 2 && w.last == 1 && !w.wrong);
	w = (watcher){ .caller = pthread_self(), .stop_at = 2 };
	ck_assert_int_eq(gt_phantom_project(p, s, 1, pool, watch, &w, out), GT_STOPPED);
	ck_assert_int_eq(w.calls, 2);
	w = (watcher){ .caller = pthread_self(), .stop_at = 2 };
	ck_assert_int_eq(gt_phantom_voxelise(p, &odd_grid, 1, pool, watch, &w, voxels), GT_STOPPED);
	ck_assert_int_eq(w.calls, 2);
	free(out);
	free(voxels);
	gt_pool_free(pool);
	gt_scan_free(s);
	gt_phantom_free(p);
}

GT_TEST(wrong_requests_are_refused)
{
	gt_phantom *p = body(BALL);
	gt_scan *s = orbit_scan(GT_FLAT, 4, 3, 0);
	gt_grid g = odd_grid;
	float out[1];
	ck_refused(gt_phantom_project(p, s, 0, NULL, NULL, NULL, out), GT_ERR_ARG, "rays=0");
	ck_refused(gt_phantom_project(p, s, 100000, NULL, NULL, NULL, out), GT_ERR_ARG, "from 1 to");
	ck_refused(gt_phantom_voxelise(p, &g, -1, NULL, NULL, NULL, out), GT_ERR_ARG, "points=-1");
	g.pitch[1] = -1;
	ck_assert_int_ne(gt_phantom_voxelise(p, &g, 1, NULL, NULL, NULL, out), GT_OK);
	s->column_pitch = NAN;
	ck_assert_int_ne(gt_phantom_project(p, s, 1, NULL, NULL, NULL, out), GT_OK);
	gt_scan_free(s);
	gt_phantom_free(p);
}

int main(void) { return gt_test_main("phantom samples", NULL); }
