/* Solvers on a problem with a known solution; no allocation or transfer within iterations; refusals.
 * labels: property slow */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include "tests/support/problem.h"
#include "tests/support/support.h"

/* Values that a monitor received. */
struct log {
	const struct gt_test_problem *p;
	int calls, stop_at;
	double residual[200], error[200];
	gt_counters first, last;
};

static int see(void *self, const gt_progress *g)
{
	struct log *l = self;
	l->residual[l->calls] = g->residual;
	l->error[l->calls] = l->p ? gt_test_problem_error(l->p, g->x) : 0;
	l->last = gt_test_counters(gt_array_backend(g->x));
	if (l->calls++ == 0)
		l->first = l->last;
	return g->iteration == l->stop_at;
}

static void *options(const gt_solver *s, const char *text)
{
	void *o = malloc(s->options_size);
	memcpy(o, s->defaults, s->options_size);
	ck_ok(gt_params_parse(s->params, text, o));
	return o;
}

static gt_status solve(const char *name, const char *text, struct gt_test_problem *p, struct log *l)
{
	const gt_solver *s = gt_solver_find(name);
	ck_assert_ptr_nonnull(s);
	void *o = options(s, text);
	const gt_status st = gt_solve(s, &p->problem, o, p->x, &(gt_monitor){ .each = see, .self = l });
	free(o);
	return st;
}

/* Project goal of the long tests: relative error 0.05 for 128^3 voxels, 180 views, 30 iterations, 10 subsets. A small
 * problem with the same iterations gets closer. */
GT_TEST(os_sart_finds_the_phantom)
{
	gt_backend *be = gt_test_backend();
	const int is_long = gt_tests_long();
	const size_t n = is_long ? 128 : 56, views = is_long ? 180 : 80;
	struct gt_test_problem p = gt_test_problem(be, GT_F32, n, views, 10);
	struct log l = { .p = &p };
	p.problem.lo = 0;
	ck_ok(solve("os-sart", "iterations=30,relax=1.9,reduce=1", &p, &l));
	ck_assert_int_eq(l.calls, 30);
	for (int k = 1; k < l.calls; k++)
		ck_assert_msg(l.error[k] < l.error[k - 1], "iteration %d: error %.5f after %.5f", k + 1, l.error[k], l.error[k - 1]);
	printf("os-sart, %zu^3, %zu views, 30 x 10: relative error %.4f\n", n, views, l.error[29]);
	ck_assert_double_le(l.error[29], is_long ? 0.05 : 0.03);
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

GT_TEST(cgls_falls)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_problem p = gt_test_problem(be, GT_F32, 48, 60, 1);
	struct log l = { .p = &p };
	ck_ok(solve("cgls", "iterations=50", &p, &l));
	ck_assert_int_eq(l.calls, 50);
	for (int k = 1; k < l.calls; k++)
		ck_assert_msg(l.residual[k] < l.residual[k - 1], "iteration %d: residual %g after %g", k + 1, l.residual[k],
		              l.residual[k - 1]);
	ck_assert_double_lt(l.error[49], 0.1);
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

/* All variants of the ordered subsets approach the truth; equivalent ones agree. */
GT_TEST(os_sart_variants)
{
	static const struct {
		size_t subsets;
		const char *options;
		double error;
	} cases[] = {
		{ 1, "iterations=20,order=sequential", 0.5 },   { 6, "iterations=8,order=golden", 0.3 },
		{ 36, "iterations=3,relax=0.7", 0.3 },          { 7, "iterations=6,nonneg=no,keep=no", 0.35 },
		{ 7, "iterations=6,nonneg=no,keep=yes", 0.35 },
	};
	double first = 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gt_backend *be = gt_test_backend();
		struct gt_test_problem p = gt_test_problem(be, GT_F32, 24, 36, cases[i].subsets);
		struct log l = { .p = &p };
		ck_ok(solve("os-sart", cases[i].options, &p, &l));
		const double error = gt_test_problem_error(&p, p.x);
		ck_assert_msg(error < cases[i].error, "%zu subsets, %s: error %.3f", cases[i].subsets, cases[i].options, error);
		ck_assert_double_lt(l.residual[l.calls - 1], l.residual[0]);
		if (i == 3)
			first = error;
		if (i == 4)
			ck_assert_double_eq(error, first); /* stored or recomputed: the same values */
		gt_test_problem_free(&p);
		gt_backend_close(be);
	}
}

static const struct {
	const char *solver, *options;
	size_t subsets;
} hot[] = {
	{ "os-sart", "iterations=4,keep=yes", 3 },
	{ "os-sart", "iterations=4,keep=no", 3 },
	{ "os-sart", "iterations=4,subsets=1", 1 },
	{ "cgls", "iterations=4", 1 },
};

GT_TESTS(iterations_stay_on_the_device, sizeof hot / sizeof *hot)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_problem p = gt_test_problem(be, GT_F32, 16, 12, hot[_i].subsets);
	struct log l = { .p = NULL };
	ck_ok(solve(hot[_i].solver, hot[_i].options, &p, &l));
	ck_assert_int_eq(l.calls, 4);
	ck_assert_uint_eq(l.last.allocations, l.first.allocations);
	ck_assert_uint_eq(l.last.puts, l.first.puts);
	ck_assert_uint_eq(l.last.gets, l.first.gets);
	ck_assert_uint_eq(l.last.bytes, l.first.bytes);
	gt_test_problem_free(&p);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0); /* all freed */
	gt_backend_close(be);
}

GT_TEST(single_and_double_agree)
{
	double error[2];
	for (int t = 0; t < 2; t++) {
		gt_backend *be = gt_test_backend();
		struct gt_test_problem p = gt_test_problem(be, t ? GT_F64 : GT_F32, 24, 36, 4);
		struct log l = { .p = &p };
		ck_ok(solve("os-sart", "iterations=5,order=golden", &p, &l));
		error[t] = gt_test_problem_error(&p, p.x);
		gt_test_problem_free(&p);
		gt_backend_close(be);
	}
	ck_assert_double_eq_tol(error[0], error[1], 1e-5);
}

/* One view per subset of a helix: most of them miss a short grid and change nothing. */
GT_TEST(views_that_miss_the_grid)
{
	gt_backend *be = gt_test_backend();
	const gt_orbit orbit = { .shape = GT_ARC,
		                 .views = 30,
		                 .rows = 4,
		                 .columns = 20,
		                 .source_to_axis = 541,
		                 .source_to_detector = 949,
		                 .column_pitch = 20,
		                 .row_pitch = 4,
		                 .turn = 18,
		                 .pitch_per_turn = 40 };
	const gt_grid grid = { { 12, 11, 3 }, { 9, 8, 2 }, { 3, -5, 1 } };
	gt_scan *scan = NULL, *part = NULL;
	gt_linop *A[30];
	gt_array *b[30], *x = gt_test_array(be, GT_F32, gt_grid_voxels(&grid), 1),
			 *truth = gt_test_array(be, GT_F32, gt_grid_voxels(&grid), 2);
	ck_ok(gt_scan_orbit(&orbit, &scan));
	for (size_t k = 0; k < 30; k++) {
		ck_ok(gt_scan_subset(scan, k, 30, &part));
		ck_ok(gt_projector_new("dd", be, GT_F32, &grid, part, &A[k]));
		ck_ok(gt_array_new(be, GT_F32, gt_scan_size(part), &b[k]));
		gt_forward(A[k], truth, b[k]);
		gt_scan_free(part);
	}
	const gt_solver *s = gt_solver_find("os-sart");
	void *o = options(s, "iterations=3,subsets=0,nonneg=no");
	const gt_problem p = { .subsets = 30, .A = A, .b = b, .lo = -INFINITY, .hi = INFINITY };
	const double before = gt_distance2(x, truth);
	ck_ok(gt_solve(s, &p, o, x, NULL));
	ck_assert_double_lt(gt_distance2(x, truth), before);
	for (size_t k = 0; k < 30; k++) {
		gt_linop_free(A[k]);
		gt_array_free(b[k]);
	}
	free(o);
	gt_array_free(x);
	gt_array_free(truth);
	gt_scan_free(scan);
	gt_backend_close(be);
}

/* Data that overflow single precision give an error instead of infinities. */
GT_TEST(divergence_is_told)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_problem p = gt_test_problem(be, GT_F32, 16, 12, 1);
	struct log l = { .p = NULL };
	gt_fill(3e38, p.b[0]);
	ck_refused(solve("cgls", "iterations=2", &p, &l), GT_ERR_DIVERGED, "not finite");
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

GT_TEST(monitor_stops)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_problem p = gt_test_problem(be, GT_F32, 16, 12, 3);
	struct log l = { .p = &p, .stop_at = 2 };
	ck_assert_int_eq(solve("os-sart", "iterations=9", &p, &l), GT_STOPPED);
	ck_assert_int_eq(l.calls, 2);
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

GT_TEST(refusals)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_problem p = gt_test_problem(be, GT_F32, 16, 12, 3);
	struct log l = { .p = &p };
	ck_refused(solve("cgls", "", &p, &l), GT_ERR_ARG, "cannot take 3 subsets");
	p.problem.subsets = 1;
	p.problem.lo = 0;
	ck_refused(solve("cgls", "", &p, &l), GT_ERR_ARG, "does not support bounds");
	p.problem.hi = -1;
	ck_refused(solve("os-sart", "", &p, &l), GT_ERR_ARG, "lower one first");
	p.problem.lo = p.problem.hi = 0;
	p.problem.subsets = 0;
	ck_refused(solve("os-sart", "", &p, &l), GT_ERR_ARG, "no subsets");
	p.problem.subsets = 1;
	gt_array *b = p.b[0];
	p.b[0] = p.truth;
	ck_refused(solve("os-sart", "", &p, &l), GT_ERR_ARG, "subset 0");
	p.b[0] = b;
	const gt_solver *s = gt_solver_find("os-sart");
	void *o = options(s, "subsets=13");
	size_t n = 0;
	ck_refused(s->subsets(o, 12, &n), GT_ERR_ARG, "subsets=13: expected at most one per view, that is 12");
	ck_ok(s->subsets(o, 13, &n));
	ck_assert_uint_eq(n, 13);
	ck_assert_ptr_null(gt_solver_find("magic"));
	free(o);
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("solvers", NULL); }
