/* Check problems and error bounds. Operators choose the same kernel for a check problem; bounds follow the built-in
 * kernel up to the size of a fault.
 * labels: unit, backend: none */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/support.h"
#include "tuner/bound.h"
#include "tuner/check_problem.h"

#define ARC .shape = GT_ARC, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 1.0239, .row_pitch = 1.0963
#define FLAT .shape = GT_FLAT, .source_to_axis = 1000, .source_to_detector = 1536
#define FULL .turn = 6.283185307179586
/* Rows and slices of very different numbers, volumes outside the beam, a helix, few slices. */
static const struct {
	const char *what;
	gt_orbit orbit;
	size_t n[3];
	double pitch[3], center;
} problems[] = {
	{ "most slices out of the beam",
	  { FLAT, .columns = 509, .rows = 383, .views = 46, .column_pitch = 0.8, .row_pitch = 0.8, FULL },
	  { 251, 257, 2048 },
	  { 0.9, 0.9, 0.5 },
	  0 },
	{ "the beam at an end of the volume",
	  { FLAT, .columns = 509, .rows = 65, .views = 46, .column_pitch = 0.8, .row_pitch = 0.8, .z_center = -400, FULL },
	  { 251, 257, 2048 },
	  { 0.9, 0.9, 0.5 },
	  20 },
	{ "a long helix",
	  { ARC, .columns = 887, .rows = 37, .views = 3233, .turn = 106 * 3.14159265358979, .pitch_per_turn = 24.2 },
	  { 301, 307, 2047 },
	  { 1.6, 1.6, 0.625 },
	  0 },
	{ "equal numbers of rows and slices",
	  { ARC, .columns = 888, .rows = 64, .views = 984, FULL },
	  { 512, 512, 64 },
	  { 1, 1, 0.625 },
	  0 },
	{ "few slices, many rows", { ARC, .columns = 887, .rows = 512, .views = 491, FULL }, { 509, 515, 9 }, { 1, 1, 0.625 }, 0 },
	{ "few rows, many slices", { ARC, .columns = 887, .rows = 16, .views = 491, FULL }, { 509, 515, 203 }, { 1, 1, 0.625 }, 0 },
	{ "one slice", { ARC, .columns = 887, .rows = 16, .views = 491, FULL }, { 509, 515, 1 }, { 1, 1, 0.625 }, 0 },
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static gt_scan *make_problem(int i, gt_grid *grid)
{
	gt_scan *scan = NULL;
	ck_ok(gt_scan_orbit(&problems[i].orbit, &scan));
	for (int a = 0; a < 3; a++) {
		grid->n[a] = problems[i].n[a];
		grid->pitch[a] = problems[i].pitch[a];
		grid->center[a] = a == 2 ? problems[i].center : 0;
	}
	return scan;
}

/* Returns the height of a row at the axis, in slices. */
static double height_of(const gt_scan *scan, const gt_grid *grid)
{
	return scan->row_pitch * scan->source_to_axis / scan->source_to_detector / grid->pitch[2];
}

/* Counts the views whose central ray is within the volume. */
static size_t views_within(const gt_scan *scan, const gt_grid *g)
{
	size_t n = 0;
	for (size_t v = 0; v < scan->views; v++)
		n += fabs(scan->view[v].source[2] - g->center[2]) < (double)g->n[2] * g->pitch[2] / 2;
	return n;
}

GT_TESTS(small_problems_are_of_the_same_kind, PROBLEMS)
{
	gt_grid grid, part;
	gt_scan *scan = make_problem(_i, &grid), *small = NULL;
	const double height = height_of(scan, &grid), whole = (double)grid.n[2] * grid.pitch[2];
	for (int k = 0; k < GT_CHECK_PROBLEMS; k++) {
		ck_ok(gt_check_problem(scan, &grid, 0, k, &small, &part));
		printf("%s, %d: %zu views of %zu x %zu, %zu x %zu x %zu voxels of %g x %g x %g around %g\n", problems[_i].what, k,
		       small->views, small->rows, small->columns, part.n[0], part.n[1], part.n[2], part.pitch[0], part.pitch[1],
		       part.pitch[2], part.center[2]);
		ck_ok(gt_scan_check(small));
		ck_ok(gt_grid_check(&part, small));
		ck_assert_double_eq_tol(height_of(small, &part), height, 1e-9 * height);
		/* more rows and slices than special kernels take */
		ck_assert_uint_ge(small->rows, scan->rows < 11 ? scan->rows : 11);
		ck_assert_uint_ge(part.n[2], grid.n[2] < 11 ? grid.n[2] : 11);
		ck_assert_uint_le(part.n[0] * part.n[1] * part.n[2], 103 * 103 * 257);
		ck_assert_uint_le(small->views * small->rows * small->columns, 9 * 101 * 61);
		/* a cropped volume lies within the original, and views see it */
		if ((double)part.n[2] * part.pitch[2] < whole)
			ck_assert_double_le(fabs(part.center[2] - grid.center[2]) + (double)part.n[2] * part.pitch[2] / 2,
			                    whole / 2 * (1 + 1e-9));
		ck_assert_uint_ge(2 * views_within(small, &part), small->views);
		gt_scan_free(small);
	}
	gt_scan_free(scan);
}

GT_TEST(direct_methods_have_more_views)
{
	gt_grid grid, part;
	gt_scan *scan = make_problem(3, &grid), *small = NULL;
	ck_ok(gt_check_problem(scan, &grid, 1, 0, &small, &part));
	ck_assert_uint_ge(small->views, 48);
	gt_scan_free(small);
	gt_scan_free(scan);
}

GT_TEST(bounds_follow_the_built_in_kernel)
{
	const gt_off well = { 9e-7, 5e-6, 3e-6 }, off = { 3e-6, 2e-5, 1.22e-5 }, far = { 1, 1, 1 };
	gt_off b = gt_bound(0, well);
	ck_assert_double_eq_tol(b.rms, 2e-6, 1e-18);
	ck_assert_double_eq_tol(b.entry, 2e-5, 1e-18);
	ck_assert_double_eq_tol(b.adjoint, 1e-5, 1e-18);
	b = gt_bound(0, off);
	ck_assert_double_eq_tol(b.rms, 4.5e-6, 1e-18);
	ck_assert_double_eq_tol(b.entry, 3e-5, 1e-18);
	ck_assert_double_eq_tol(b.adjoint, 1.83e-5, 1e-18);
	ck_assert(off.rms <= b.rms && off.entry <= b.entry && off.adjoint <= b.adjoint); /* a tunable kernel */
	b = gt_bound(0, far); /* an entry wrong by 1e-4 and a missing row are found whatever the error of the built-in kernel */
	ck_assert_double_le(b.rms, 1e-5);
	ck_assert_double_lt(b.entry, 1e-4);
	ck_assert_double_lt(b.adjoint, 1e-4);
	b = gt_bound(1, off);
	ck_assert_double_eq_tol(b.rms, 5e-3, 1e-18);
	ck_assert_double_lt(gt_bound(1, far).entry, 1);
}

GT_TEST(bounds_are_told)
{
	char text[60] = "";
	const gt_off is = { 3e-6, 2e-5, 1.22e-5 };
	gt_bound_describe(gt_bound(0, is), is, text, sizeof text);
	ck_assert_str_eq(text, "4.5e-06 3.0e-05 1.8e-05 (3.0e-06 2.0e-05 1.2e-05)");
	gt_bound_describe(is, is, text, sizeof text); /* truncated to the buffer */
	ck_assert_uint_eq(strlen(text), sizeof text - 1);
}

int main(void) { return gt_test_main("small problems", NULL); }
