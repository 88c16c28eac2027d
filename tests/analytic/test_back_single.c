/* Backprojection on the CPU in single precision: every instruction set against double, and any number of threads.
 * labels: property unit; backend: none */
#include <malloc.h>
#include "analytic/fbp/fast/back_single.h"
#include "tests/analytic/back_problems.h"
#include "tests/analytic/loose_arrays.h"
#include "tests/support/vector_sets.h"

#define GT_BACK_KERNELS sixteen_lanes
#define GT_BACK_KERNELS_NAME "sixteen"
#include "analytic/fbp/fast/back_single_kernels.inc"

GT_TEST_USE(gt_back_single)

static double *volume_of(const char *backend, const problem *p, const gt_grid *g, const gt_scan *s, const double *data, gt_type type)
{
	gt_backend *be;
	ck_ok(gt_backend_open(backend, &be));
	double *x = reconstruct_as(be, type, gt_analytic_for(s)->name, p->text, g, s, data);
	gt_backend_close(be);
	return x;
}

/* Tilted detectors use the code of double precision and differ by the rounding of positions. */
START_TEST(single_is_double)
{
	const problem *p = &problems[_i];
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	double *data = random_data(gt_scan_size(s)), *truth = volume_of("cpu:1", p, &g, s, data, GT_F64);
	for (int k = 0; k < SETS && !p->tilt; k++) {
		if (!use(sets[k]))
			continue;
		double *x = volume_of("cpu:2", p, &g, s, data, GT_F32);
		const double d = difference(x, truth, gt_grid_voxels(&g));
		printf("%-40s %-8s %.2e\n", p->name, sets[k], d);
		ck_assert_msg(d < (p->step > 2 ? 1.2e-6 : 1e-6), "%s, %s: single differs from double by %g", p->name, sets[k], d);
		free(x);
	}
	gt_back_single_use(NULL);
	free(truth);
	free(data);
	gt_scan_free(s);
}
END_TEST

START_TEST(bits_do_not_depend_on_threads)
{
	static const char *const threads[] = { "cpu:2", "cpu:3", "cpu:131" };
	const problem *p = &problems[_i ? 36 : 1];
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	double *data = random_data(gt_scan_size(s)), *one = volume_of("cpu:1", p, &g, s, data, GT_F32);
	for (int k = 0; k < 3; k++) {
		double *x = volume_of(threads[k], p, &g, s, data, GT_F32);
		ck_assert_msg(!memcmp(x, one, gt_grid_voxels(&g) * sizeof *x), "%s: other bits with %s", p->name, threads[k]);
		free(x);
	}
	free(one);
	free(data);
	gt_scan_free(s);
}
END_TEST

/* One per kind of kernel. */
static const int some[] = { 0, 3, 7, 13, 20, 22, 39 };
enum { SOME = sizeof some / sizeof *some };

START_TEST(loose_memory)
{
	const problem *p = &problems[some[_i]];
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	double *data = random_data(gt_scan_size(s));
	for (int k = 0; k < SETS; k++)
		if (use(sets[k]))
			check_loose_arrays(gt_analytic_for(s)->name, p->text, &g, s, data);
	gt_back_single_use(NULL);
	free(data);
	gt_scan_free(s);
}
END_TEST

START_TEST(denormals)
{
	const problem *p = &problems[some[_i]];
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	for (int k = 0; k < SETS; k++)
		if (use(sets[k]))
			check_denormal_data(gt_analytic_for(s)->name, p->text, sets[k], &g, s);
	gt_back_single_use(NULL);
	gt_scan_free(s);
}
END_TEST

/* Decreasing rows and flying focal spots, which the other problems lack. */
START_TEST(spots_and_rows_that_run_down)
{
	problem p = problems[13 + 2 * _i]; /* arcs */
	gt_grid g;
	gt_scan *s = scan_of(&p, &g);
	for (size_t v = 0; v < s->views; v++) {
		gt_view *w = &s->view[v];
		for (int a = 0; a < 3; a++) {
			w->source[a] += (v % 2 ? .4 : -.4) * w->column_axis[a];
			w->row_axis[a] = -w->row_axis[a];
		}
	}
	double *data = random_data(gt_scan_size(s)), *truth = volume_of("cpu:1", &p, &g, s, data, GT_F64);
	for (int k = 0; k < SETS; k++) {
		if (!use(sets[k]))
			continue;
		double *x = volume_of("cpu:2", &p, &g, s, data, GT_F32);
		const double d = difference(x, truth, gt_grid_voxels(&g));
		ck_assert_msg(d < 1e-6, "%s, %s: single differs from double by %g", p.name, sets[k], d);
		free(x);
	}
	gt_back_single_use(NULL);
	free(truth);
	free(data);
	gt_scan_free(s);
}
END_TEST

/* Slices from the centre of the first row to the centre of the last: pixels outside the rows have no influence,
 * however positions are rounded. */
START_TEST(slices_begin_on_the_first_row)
{
	const double pitch = 0.3 + 0.037 * _i;
	const gt_orbit o = {
		GT_PARALLEL,       .views = 7,     .rows = 23,   .columns = 17, .source_to_axis = 500, .source_to_detector = 1000,
		.column_pitch = 1, .row_pitch = 1, .turn = GT_PI
	};
	gt_grid g = { { 9, 8, 1 + (size_t)(22 / pitch) }, { 1, 1, pitch }, { 0, 0, 0 } };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&o, &s));
	g.center[2] = ((double)(g.n[2] - 1) * pitch - 22) / 2;
	const problem p = { .text = _i % 2 ? "mask=none" : "mask=none,rows=zero" };
	double *data = random_data(gt_scan_size(s)), *truth = volume_of("cpu:1", &p, &g, s, data, GT_F64);
#ifdef M_PERTURB
	mallopt(M_PERTURB, 1); /* large values in new memory */
#endif
	for (int k = 0; k < SETS; k++) {
		if (!use(sets[k]))
			continue;
		double *x = volume_of("cpu:2", &p, &g, s, data, GT_F32);
		const double d = difference(x, truth, gt_grid_voxels(&g));
		ck_assert_msg(d < 1e-6, "slices of %g, %s: single differs from double by %g", pitch, sets[k], d);
		free(x);
	}
#ifdef M_PERTURB
	mallopt(M_PERTURB, 0);
#endif
	gt_back_single_use(NULL);
	free(truth);
	free(data);
	gt_scan_free(s);
}
END_TEST

GT_TEST_FOUND_BY_NAME(gt_back_single)

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, single_is_double, 0, PROBLEMS);
	gt_add_alike(tc, loose_memory, SOME);
	gt_add_alike(tc, denormals, SOME);
	tcase_add_loop_test(tc, bits_do_not_depend_on_threads, 0, 2);
	tcase_add_loop_test(tc, spots_and_rows_that_run_down, 0, 2);
	tcase_add_loop_test(tc, slices_begin_on_the_first_row, 0, 12);
	tcase_add_test(tc, kernels_are_found_by_name);
}

int main(void) { return gt_test_main("back_single", fill); }
