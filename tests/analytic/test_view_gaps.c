/* Displaced detectors on rotations with missing views: values within 1 %, or a refusal that names the gap. Only the
 * outermost column decides whether a row is extended. */
/* labels: physics; backend: none */
#include "tests/analytic/bodies.h"

/* Wider than the nearer side of the detectors below. */
static const body wide[] = { { 1, { 2, -3, 0 }, 40, 0.02 }, { 1, { 20, 14, 0 }, 7, 0.01 }, { 1, { -24, 9, 0 }, 6.5, -0.02 } };
static const gt_grid grid = { { 95, 91, 1 }, { 1, 1, 1.5 }, { 0.2, -0.3, 0 } };

/* A view every 2 degrees from 20 degrees on. */
static gt_scan *turn_of(gt_shape shape, double offset)
{
	const gt_orbit o = { .shape = shape,
		             .views = 180,
		             .rows = 1,
		             .columns = 128,
		             .source_to_axis = 200,
		             .source_to_detector = 320,
		             .column_pitch = shape == GT_PARALLEL ? 0.7 : 1,
		             .row_pitch = 1.5,
		             .column_offset = offset,
		             .start_angle = 20 / GT_DEGREES,
		             .turn = 2 * GT_PI };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&o, &s));
	return s;
}

static void leave_out(gt_scan *s, size_t first, size_t n)
{
	memmove(s->view + first, s->view + first + n, (s->views - first - n) * sizeof *s->view);
	s->views -= n;
}

static void check_mean(const gt_scan *s, const double *x, const double at[2], double radius, double expected)
{
	const double mean = region_mean(&grid, x, at[0], at[1], radius, 0, 4);
	ck_assert_msg(fabs(mean - expected) <= 0.01 * 0.02, "%s, %zu views: mean %.6f around (%g, %g): expected %.6f",
	              gt_shape_names[s->shape], s->views, mean, at[0], at[1], expected);
}

static void check_values(const gt_scan *s)
{
	double *p = bodies_project(wide, 3, s), *x = reconstruct(gt_analytic_for(s)->name, NULL, &grid, s, p);
	check_mean(s, x, (double[]){ 2, -3 }, 8, 0.02);
	check_mean(s, x, (double[]){ 1, -32 }, 6, 0.02);
	check_mean(s, x, (double[]){ 33, -6 }, 4, 0.02);
	check_mean(s, x, (double[]){ 20, 14 }, 5, 0.03);
	check_mean(s, x, (double[]){ -24, 9 }, 4.5, 0);
	free(p);
	free(x);
}

/* Up to five missing views inside, at the end, and single ones: gaps of at most 12 degrees. */
GT_TESTS(gaps_are_filled, GT_NSHAPES)
{
	static const size_t missing[][2] = { { 50, 1 }, { 50, 3 }, { 50, 5 }, { 177, 3 }, { 175, 5 } };
	for (int side = 0; side < 2; side++) {
		const double offset = side ? 38.25 : -30;
		for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
			gt_scan *s = turn_of((gt_shape)_i, offset);
			leave_out(s, missing[i][0], missing[i][1]);
			check_values(s);
			gt_scan_free(s);
		}
		gt_scan *s = turn_of((gt_shape)_i, offset);
		leave_out(s, 140, 1);
		leave_out(s, 77, 4);
		leave_out(s, 20, 4);
		check_values(s);
		gt_scan_free(s);
	}
}

GT_TESTS(wide_gaps_are_refused_by_name, GT_NSHAPES)
{
	gt_scan *s = turn_of((gt_shape)_i, -40);
	const gt_analytic *m = gt_analytic_for(s);
	leave_out(s, 40, 8);
	ck_refused(gt_analytic_supports(m, &grid, s), GT_ERR_UNSUPPORTED, "displaced by 40.0 of 128 columns");
	ck_refused(gt_analytic_supports(m, &grid, s), GT_ERR_UNSUPPORTED, "no view lies between 98 and 116 degrees");
	double *p = bodies_project(wide, 3, s), *x = reconstruct(m->name, "offset=off", &grid, s, p);
	free(p);
	free(x);
	leave_out(s, 110, s->views - 110);
	ck_refused(gt_analytic_supports(m, &grid, s), GT_ERR_UNSUPPORTED, "no view lies between 254 and 380 degrees");
	gt_scan_free(s);
	/* small displacement, short arc: an object within the nearer side is accepted */
	s = turn_of((gt_shape)_i, 12);
	leave_out(s, 130, 50);
	ck_ok(gt_analytic_supports(m, &grid, s));
	gt_scan_free(s);
}

/* Over an arc of 260 degrees, the extent of the object decides. */
GT_TESTS(objects_beyond_the_nearer_side_are_refused, GT_NSHAPES)
{
	static const body narrow = { 1, { 1, -2, 0 }, 20, 0.02 };
	for (int side = -1; side <= 1; side += 2) {
		gt_scan *s = turn_of((gt_shape)_i, 12 * side);
		const gt_analytic *m = gt_analytic_for(s);
		gt_backend *be = gt_test_backend();
		gt_array *data, *x;
		leave_out(s, 130, 50);
		double *p = bodies_project(wide, 1, s), *fits = bodies_project(&narrow, 1, s);
		ck_ok(gt_array_new(be, GT_F64, gt_scan_size(s), &data));
		ck_ok(gt_array_new(be, GT_F64, gt_grid_voxels(&grid), &x));
		gt_array_put(p, data);
		ck_refused(gt_analytic_run(m, be, &grid, s, NULL, data, x), GT_ERR_UNSUPPORTED,
		           "the object extends beyond the nearer side of a detector displaced by 12.0 of 128 columns");
		ck_refused(gt_analytic_run(m, be, &grid, s, NULL, data, x), GT_ERR_UNSUPPORTED,
		           "no view lies between 278 and 380 degrees: found a gap of 102");
		run_method(be, m->name, "offset=off", &grid, s, data, x);
		gt_array_put(fits, data);
		run_method(be, m->name, NULL, &grid, s, data, x);
		free(p);
		free(fits);
		gt_array_free(data);
		gt_array_free(x);
		gt_backend_close(be);
		gt_scan_free(s);
	}
}

/* The default grid keeps the width of the full rotation if the last views are missing. */
GT_TESTS(grids_do_not_shrink, GT_NSHAPES)
{
	static const double offset[] = { -16, 48, 48 };
	static const size_t missing[] = { 5, 5, 80 };
	for (size_t i = 0; i < 3; i++) {
		gt_scan *s = turn_of((gt_shape)_i, offset[i]);
		gt_grid whole, g;
		ck_ok(gt_grid_default(s, &whole));
		s->views -= missing[i];
		ck_ok(gt_grid_default(s, &g));
		ck_assert_msg(gt_grid_same(&g, &whole), "%zu voxels across without %zu views, %zu with them", g.n[0], missing[i],
		              whole.n[0]);
		s->views -= 60;
		ck_ok(gt_grid_default(s, &g));
		ck_assert_msg((g.n[0] < whole.n[0]) == (i == 0), "offset %g: %zu voxels across", offset[i], g.n[0]);
		gt_scan_free(s);
	}
}

/* A disc that leaves the outermost column on either side empty. */
GT_TESTS(one_column_of_air_is_enough, GT_NSHAPES)
{
	gt_scan *s = turn_of((gt_shape)_i, 0);
	const double half = 63 * s->column_pitch, fan = s->shape == GT_ARC ? half / 320 : atan(half / 320);
	const body disc = { 1, { 0, 0, 0 }, s->shape == GT_PARALLEL ? half : 200 * sin(fan), 0.02 };
	double *p = bodies_project(&disc, 1, s), *x = reconstruct(gt_analytic_for(s)->name, NULL, &grid, s, p);
	ck_assert(p[0] == 0 && p[127] == 0 && p[2] > 0);
	const double mean = region_mean(&grid, x, 0, 0, 0.8 * disc.radius, 0, 4),
		     rim = region_mean(&grid, x, 0.8 * disc.radius, 0, 3, 0, 4);
	ck_assert_msg(fabs(mean - 0.02) < 0.005 * 0.02, "mean %g: expected 0.02", mean);
	ck_assert_msg(fabs(rim - 0.02) < 0.005 * 0.02, "%g at the rim: expected 0.02", rim);
	free(p);
	free(x);
	gt_scan_free(s);
}

int main(void) { return gt_test_main("view_gaps", NULL); }
