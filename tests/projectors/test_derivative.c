/* Derivatives of projections by the motions of the views: against central differences, the transpose entry by entry,
 * and the motions themselves.
 * labels: property unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include <gantry/author/vec3.h>
#include "tests/projectors/ray_scans.h"
#include "tests/support/images.h"

/* Motions include rotations if turned; other forms of dd and sf-tr are for detectors that are not. Scans at rest meet
 * kinks exactly. On the CPU, their image is moved up by `beside` mm. */
static const struct model {
	const char *name;
	int turned, rest;
	double beside;
} models[] = { { "joseph", 1, 0, 0 }, { "dd", 1, 0, 0 },    { "dd", 0, 0, 0 },       { "sf-tr", 1, 0, 0 },
	       { "sf-tr", 0, 0, 0 },  { "sf-tr", 0, 1, 0 }, { "sf-tr", 0, 1, 2e-8 }, { "dd", 0, 1, 0 } };
/* MOVED: those with motions. EVERY: one of that many scans is tested. */
enum { MODELS = sizeof models / sizeof *models, MOVED = 5, EVERY = 4 };

/* Random motions of some tenths of a mm and of a degree, so that no ray lies on a kink. */
static double *random_motion(const gt_scan *s, unsigned seed, double mm, double rad)
{
	const size_t n = s->views * GT_MOTIONS;
	float *x = malloc(n * sizeof *x);
	double *motion = malloc(n * sizeof *motion);
	gt_test_random(seed, n, x);
	for (size_t i = 0; i < n; i++) {
		const size_t which = i % GT_MOTIONS;
		motion[i] = (double)x[i] * (which >= GT_MOTION_TILT && which <= GT_MOTION_ROLL ? rad : mm);
	}
	free(x);
	return motion;
}

/* Calls `check` for scans in single and double precision. It returns 0 if the scan is refused. */
static void each_scan(const struct model *kind, size_t most, gt_backend *be,
                      int (*check)(const struct model *, const struct gt_test_geometry *, gt_backend *, gt_type))
{
	int taken = 0;
	for (int i = 0; i < ray_scans(); i += EVERY)
		for (int is_double = 0; is_double < 2; is_double++) {
			struct gt_test_geometry g = kind->rest ? ray_at_rest(i / EVERY) : ray_scan(i);
			gt_test_crop(&g.grid, most);
			taken += check(kind, &g, be, is_double ? GT_F64 : GT_F32);
			gt_scan_free(g.scan);
		}
	ck_assert_int_gt(taken, 4);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}

static void project(const char *model, const struct gt_test_geometry *g, const double *motion, const gt_array *x, gt_array *y)
{
	gt_scan *moved;
	gt_linop *A;
	ck_ok(gt_scan_move(g->scan, motion, &moved));
	ck_ok(gt_projector_new(model, gt_array_backend(x), GT_F64, &g->grid, moved, &A));
	gt_forward(A, x, y);
	gt_linop_free(A);
	gt_scan_free(moved);
}

/* (projections after the motion + h direction - those after the motion - h direction)/(2 h) */
static void difference(const char *model, const struct gt_test_geometry *g, const double *motion, const double *direction,
                       const gt_array *x, gt_array *y)
{
	const size_t n = g->scan->views * GT_MOTIONS;
	const double h = 1e-5;
	double *at = malloc(n * sizeof *at);
	gt_array *other;
	ck_ok(gt_array_like(y, &other));
	for (int side = -1; side <= 1; side += 2) {
		for (size_t i = 0; i < n; i++)
			at[i] = motion[i] + side * h * direction[i];
		project(model, g, at, x, side < 0 ? other : y);
	}
	gt_axpby(-0.5 / h, other, 0.5 / h, y);
	gt_array_free(other);
	free(at);
}

static double relative(const gt_array *found, const gt_array *expected)
{
	return sqrt(gt_distance2(found, expected) / gt_dot(expected, expected));
}

/* Creates the derivative; returns 0 if the projector refuses the scan or the backend. */
static int derivative_of(const char *model, const struct gt_test_geometry *g, const double *motion, const gt_array *x, gt_linop **D)
{
	const gt_status st = gt_projector_derivative(model, &g->grid, g->scan, motion, x, D);
	if (st == GT_ERR_UNSUPPORTED && strcmp(model, "joseph"))
		return 0;
	ck_ok(st);
	return 1;
}

/* Each parameter alone, and all of all views together. Negative: the scan is refused. */
static double largest_error(const struct model *kind, const struct gt_test_geometry *g, const gt_array *x)
{
	const char *model = kind->name;
	gt_backend *be = gt_array_backend(x);
	const size_t n = g->scan->views * GT_MOTIONS;
	double *motion = random_motion(g->scan, 3, 0.3, kind->turned * 5e-3), *direction = random_motion(g->scan, 4, 1, 1e-2), worst = 0;
	double *one = malloc(n * sizeof *one);
	gt_linop *D;
	gt_array *m, *found, *expected;
	if (!derivative_of(model, g, motion, x, &D)) {
		free(motion), free(direction), free(one);
		return -1;
	}
	ck_assert_uint_eq(gt_linop_nx(D), n);
	ck_ok(gt_array_new(be, GT_F64, n, &m));
	ck_ok(gt_array_new(be, GT_F64, gt_scan_size(g->scan), &found));
	ck_ok(gt_array_like(found, &expected));
	/* The tilt of one row in the plane of the source changes less than the differences are rounded. */
	const size_t leave = !kind->turned && g->scan->rows == 1 ? GT_MOTION_TILT : n;
	for (size_t k = 0; k <= GT_MOTIONS; k++) {
		if (k == leave)
			continue;
		for (size_t i = 0; i < n; i++)
			one[i] = k == GT_MOTIONS || i % GT_MOTIONS == k ? direction[i] : 0;
		gt_array_put(one, m);
		gt_forward(D, m, found);
		difference(model, g, motion, one, x, expected);
		ck_ok(gt_backend_status(be));
		const double size = gt_dot(expected, expected),
			     error = size > 1e-20 ? relative(found, expected) : sqrt(gt_dot(found, found));
		worst = fmax(worst, error);
	}
	gt_array_free(m), gt_array_free(found), gt_array_free(expected);
	gt_linop_free(D);
	free(motion), free(direction), free(one);
	return worst;
}

START_TEST(against_central_differences)
{
	gt_backend *be = gt_test_backend_alone();
	int taken = 0;
	for (int i = 1; i < ray_scans(); i += EVERY) {
		struct gt_test_geometry g = ray_scan(i);
		gt_test_crop(&g.grid, 8);
		gt_array *x = smooth_volume(be, GT_F64, &g.grid);
		const double error = largest_error(&models[_i], &g, x);
		if (error >= 0)
			printf("%s, %s%s: derivative off by %.1e\n", models[_i].name, g.name, models[_i].turned ? "" : ", not rotated",
			       error);
		ck_assert_double_lt(error, 1e-4);
		taken += error > 0;
		gt_array_free(x);
		gt_scan_free(g.scan);
	}
	ck_assert_int_gt(taken, 3);
	gt_backend_close(be);
}
END_TEST

/* Views are independent: 9 forward calls give all entries of D, and a call per pixel all entries of D'. */
static void check_entries(const gt_linop *D, const gt_scan *s)
{
	const size_t pixels = s->rows * s->columns, n = gt_linop_nx(D), all = gt_linop_ny(D);
	const gt_type type = gt_linop_type(D);
	float *zero = calloc(all, sizeof *zero);
	double *row[GT_MOTIONS], largest = 0, off = 0;
	gt_array *m, *y;
	ck_ok(gt_array_new(gt_linop_backend(D), type, n, &m));
	ck_ok(gt_array_new(gt_linop_backend(D), type, all, &y));
	for (size_t c = 0; c < GT_MOTIONS; c++) {
		for (size_t i = 0; i < n; i++)
			zero[i] = i % GT_MOTIONS == c;
		gt_array_put_float(zero, m);
		gt_forward(D, m, y);
		row[c] = gt_test_values(y);
	}
	for (size_t p = 0; p < pixels; p++) {
		for (size_t i = 0; i < all; i++)
			zero[i] = i % pixels == p;
		gt_array_put_float(zero, y);
		gt_adjoint(D, y, m);
		double *back = gt_test_values(m);
		for (size_t i = 0; i < n; i++) {
			const double entry = row[i % GT_MOTIONS][i / GT_MOTIONS * pixels + p];
			off = fmax(off, fabs(entry - back[i]));
			largest = fmax(largest, fabs(entry));
		}
		free(back);
	}
	ck_assert_double_gt(largest, 0);
	ck_assert_double_lt(off, (type == GT_F64 ? 1e-13 : 1e-6) * largest);
	for (size_t c = 0; c < GT_MOTIONS; c++)
		free(row[c]);
	free(zero);
	gt_array_free(m), gt_array_free(y);
}

static int same_transpose(const struct model *kind, const struct gt_test_geometry *g, gt_backend *be, gt_type type)
{
	gt_array *x = smooth_volume(be, type, &g->grid);
	double *motion = random_motion(g->scan, 5, !kind->rest, kind->turned * 0.02);
	gt_linop *D;
	const int taken = derivative_of(kind->name, g, motion, x, &D);
	if (taken) {
		check_entries(D, g->scan);
		gt_linop_free(D);
	}
	gt_array_free(x);
	free(motion);
	return taken;
}

START_TEST(transpose_by_elements) { each_scan(&models[_i], 5, gt_test_backend_alone(), same_transpose); }
END_TEST

/* D and D' on the backend are those on the CPU in double precision. Random input of all views and pixels. */
static int near_the_cpu(const struct model *kind, const struct gt_test_geometry *g, gt_backend *be, gt_type type)
{
	double *motion = random_motion(g->scan, 5, !kind->rest, kind->turned * 0.02), *value[2][2];
	const size_t n[2] = { g->scan->views * GT_MOTIONS, gt_scan_size(g->scan) };
	gt_backend *on[2] = { be, NULL };
	int taken = 1;
	ck_ok(gt_backend_open("cpu:1", &on[1]));
	for (int side = 0; side < 2 && taken; side++) {
		const gt_type t = side ? GT_F64 : type;
		gt_array *x = smooth_volume(on[side], t, &g->grid), *m = gt_test_array(on[side], t, n[0], 8);
		gt_array *y = gt_test_array(on[side], t, n[1], 9);
		gt_linop *D;
		for (size_t v = 0; side && v < g->scan->views; v++) {
			motion[v * GT_MOTIONS + GT_MOTION_SHIFT_U] -= kind->beside;
			motion[v * GT_MOTIONS + GT_MOTION_SHIFT_V] -= g->scan->view[v].row_axis[2] > 0 ? kind->beside : -kind->beside;
		}
		taken = derivative_of(kind->name, g, motion, x, &D);
		for (int way = 0; way < 2 && taken; way++) {
			gt_array *in = gt_test_array(on[side], t, n[way], way ? 9 : 8);
			(way ? gt_adjoint : gt_forward)(D, in, way ? m : y);
			value[side][way] = gt_test_values(way ? m : y);
			gt_array_free(in);
		}
		ck_ok(gt_backend_status(on[side]));
		if (taken)
			gt_linop_free(D);
		gt_array_free(x), gt_array_free(m), gt_array_free(y);
	}
	for (int way = 0; way < 2 && taken; way++) {
		double largest = 0, off = 0;
		for (size_t i = 0; i < n[!way]; i++) {
			off = fmax(off, fabs(value[0][way][i] - value[1][way][i]));
			largest = fmax(largest, fabs(value[1][way][i]));
		}
		printf("%s, %s%s, %s: %s off the CPU by %.1e\n", kind->name, g->name, kind->turned ? "" : ", not rotated",
		       type == GT_F64 ? "double" : "single", way ? "transpose" : "forward", off / largest);
		ck_assert_double_gt(largest, 0);
		ck_assert_double_lt(off, (type == GT_F64 && kind->beside == 0 ? 1e-10 : 1e-5) * largest);
		free(value[0][way]), free(value[1][way]);
	}
	gt_backend_close(on[1]);
	free(motion);
	return taken;
}

START_TEST(same_as_on_the_cpu) { each_scan(&models[_i], 8, gt_test_backend(), near_the_cpu); }
END_TEST

START_TEST(many_voxels_and_pixels)
{
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = 5,
		                 .rows = 61,
		                 .columns = 37,
		                 .source_to_axis = 300,
		                 .source_to_detector = 600,
		                 .column_pitch = 5,
		                 .row_pitch = 2.7,
		                 .column_offset = 0.3,
		                 .turn = 2 * GT_PI,
		                 .start_angle = 0.2 };
	struct gt_test_geometry g = { "flat, tall", NULL, { { 17, 14, 133 }, { 2.1, 1.9, 0.6 }, { 1, -2, 3 } } };
	gt_backend *be = gt_test_backend();
	ck_ok(gt_scan_orbit(&orbit, &g.scan));
	ck_assert_int_eq(near_the_cpu(&models[2], &g, be, GT_F32), 1);
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

/* Each parameter moves source and detector as documented. */
START_TEST(motions_of_a_view)
{
	const gt_orbit orbit = {
		GT_FLAT,           .views = 3,     .rows = 4,         .columns = 5,      .source_to_axis = 300, .source_to_detector = 700,
		.column_pitch = 2, .row_pitch = 3, .turn = 2 * GT_PI, .start_angle = 0.3
	};
	for (int which = 0; which < GT_MOTIONS; which++) {
		double motion[3][GT_MOTIONS] = { { 0 } }, normal[3], shift[3], step[3];
		const double by = which >= GT_MOTION_TILT && which <= GT_MOTION_ROLL ? 0.1 : 1.5;
		gt_scan *s, *m;
		ck_ok(gt_scan_orbit(&orbit, &s));
		motion[1][which] = by;
		ck_ok(gt_scan_move(s, motion[0], &m));
		const gt_view *a = &s->view[1], *b = &m->view[1];
		ck_assert_mem_eq(&s->view[2], &m->view[2], sizeof *a);
		for (int k = 0; k < 3; k++) {
			normal[k] = (a->detector[k] - a->source[k]) / 700;
			shift[k] = b->detector[k] - a->detector[k];
			step[k] = b->source[k] - a->source[k];
		}
		ck_assert_double_eq_tol(gt_dot3(shift, a->column_axis), which == GT_MOTION_SHIFT_U ? by : 0, 1e-12);
		ck_assert_double_eq_tol(gt_dot3(shift, a->row_axis), which == GT_MOTION_SHIFT_V ? by : 0, 1e-12);
		ck_assert_double_eq_tol(gt_dot3(shift, normal), which == GT_MOTION_DISTANCE ? by : 0, 1e-12);
		for (int k = 0; k < 3; k++)
			ck_assert_double_eq_tol(step[k], which == GT_MOTION_SOURCE_X + k ? by : 0, 1e-12);
		ck_assert_double_eq_tol(gt_dot3(b->row_axis, normal), which == GT_MOTION_TILT ? sin(by) : 0, 1e-12);
		ck_assert_double_eq_tol(gt_dot3(b->column_axis, normal), which == GT_MOTION_SLANT ? sin(by) : 0, 1e-12);
		ck_assert_double_eq_tol(gt_dot3(b->column_axis, a->row_axis), which == GT_MOTION_ROLL ? sin(by) : 0, 1e-12);
		ck_assert_double_eq_tol(gt_dot3(b->column_axis, b->row_axis), 0, 1e-12);
		gt_scan_free(s), gt_scan_free(m);
	}
	for (int which = 0; which < GT_MOTIONS; which++)
		ck_assert_ptr_nonnull(gt_motion_names[which]);
	ck_assert_ptr_null(gt_motion_names[GT_MOTIONS]);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_geometry g = ray_scan(0);
	gt_test_crop(&g.grid, 6);
	gt_array *x = smooth_volume(be, GT_F32, &g.grid), *small;
	double *motion = random_motion(g.scan, 5, 2, 0.05);
	gt_linop *D = NULL;
	gt_scan *m = NULL;
	ck_ok(gt_array_new(be, GT_F32, 7, &small));
	ck_refused(gt_projector_derivative("siddon", &g.grid, g.scan, NULL, x, &D), GT_ERR_UNSUPPORTED,
	           "projector siddon: has no derivative by the geometry");
	ck_refused(gt_projector_derivative("nonsense", &g.grid, g.scan, NULL, x, &D), GT_ERR_UNKNOWN, "nonsense");
	ck_refused(gt_projector_derivative("joseph", &g.grid, g.scan, NULL, small, &D), GT_ERR_ARG, "a volume of 7 values, expected");
	ck_refused(gt_projector_derivative("joseph", &g.grid, g.scan, NULL, NULL, &D), GT_ERR_ARG, "volume is NULL");
	motion[GT_MOTIONS + GT_MOTION_ROLL] = NAN;
	ck_refused(gt_projector_derivative("joseph", &g.grid, g.scan, motion, x, &D), GT_ERR_ARG, "motion: roll of view 1 is nan");
	motion[GT_MOTIONS + GT_MOTION_ROLL] = 0;
	for (int a = 0; a < 3; a++) /* the source moves to the detector */
		motion[GT_MOTION_SOURCE_X + a] = g.scan->view[0].detector[a] - g.scan->view[0].source[a];
	for (int p = 0; p < GT_MOTION_SOURCE_X; p++)
		motion[p] = 0;
	ck_refused(gt_scan_move(g.scan, motion, &m), GT_ERR_FORMAT, "view 0");
	ck_assert(!D && !m);
	free(motion);
	gt_array_free(x), gt_array_free(small);
	gt_scan_free(g.scan);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}
END_TEST

/* A derivative without a motion is the one at motion 0, and the volume is read in each call. */
START_TEST(volume_is_read_in_each_call)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_geometry g = ray_scan(0);
	gt_test_crop(&g.grid, 10);
	gt_array *x = smooth_volume(be, GT_F64, &g.grid), *y[2], *m;
	double *zero = calloc(g.scan->views * GT_MOTIONS, sizeof *zero);
	gt_linop *D[2];
	m = gt_test_array(be, GT_F64, g.scan->views * GT_MOTIONS, 8);
	for (int k = 0; k < 2; k++) {
		ck_ok(gt_projector_derivative("joseph", &g.grid, g.scan, k ? zero : NULL, x, &D[k]));
		ck_ok(gt_array_new(be, GT_F64, gt_scan_size(g.scan), &y[k]));
		gt_forward(D[k], m, y[k]);
	}
	ck_assert_double_eq(gt_distance2(y[0], y[1]), 0);
	ck_assert_double_gt(gt_dot(y[0], y[0]), 0);
	gt_scale(-3, x);
	gt_forward(D[0], m, y[0]);
	gt_scale(-3, y[1]);
	ck_assert_double_lt(gt_distance2(y[0], y[1]), 1e-26 * gt_dot(y[1], y[1]));
	for (int k = 0; k < 2; k++)
		gt_linop_free(D[k]), gt_array_free(y[k]);
	gt_array_free(x), gt_array_free(m);
	free(zero);
	gt_scan_free(g.scan);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, against_central_differences, 0, MOVED);
	tcase_add_loop_test(tc, transpose_by_elements, 0, MODELS);
	tcase_add_loop_test(tc, same_as_on_the_cpu, 0, MODELS);
	tcase_add_test(tc, many_voxels_and_pixels);
	tcase_add_test(tc, motions_of_a_view);
	tcase_add_test(tc, wrong_arguments_are_refused);
	tcase_add_test(tc, volume_is_read_in_each_call);
}

int main(void) { return gt_test_main("derivatives by motions", fill); }
