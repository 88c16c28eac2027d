/* sirt, sart, lsqr, pdhg and asd-pocs against equivalent methods and dense solutions of small problems.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/small.h"
#include "tests/support/support.h"

GT_TEST(sirt_and_sart_are_os_sart)
{
	static const struct {
		const char *name, *options, *as;
		size_t subsets;
	} cases[] = {
		{ "sirt", "iterations=4,relax=1.5,reduce=0.9", "iterations=4,relax=1.5,reduce=0.9,subsets=1", 1 },
		{ "sart", "iterations=2,relax=0.7,order=golden,threshold=0.01",
		  "iterations=2,relax=0.7,order=golden,threshold=0.01,subsets=0", 14 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct gt_small_noisy s = gt_small_noisy(NULL, GT_F32, 12, 14, cases[i].subsets, 0.05);
		struct gt_small_log *l = calloc(2, sizeof *l);
		gt_array *x = gt_small_start(&s), *y = gt_small_start(&s);
		size_t subsets = 0;
		s.p.problem.lo = 0;
		const gt_solver *solver = gt_solver_find(cases[i].name);
		ck_ok(solver->subsets(solver->defaults, 14, &subsets));
		ck_assert_uint_eq(subsets, cases[i].subsets);
		ck_assert_int_eq(solver->nonneg(solver->defaults), 1);
		ck_ok(gt_small_solve(cases[i].name, cases[i].options, &s.p.problem, x, &l[0]));
		ck_ok(gt_small_solve("os-sart", cases[i].as, &s.p.problem, y, &l[1]));
		ck_assert_double_eq(gt_distance2(x, y), 0);
		ck_assert_int_eq(l[0].calls, l[1].calls);
		ck_assert_double_eq(l[0].seen[1].residual, l[1].seen[1].residual);
		ck_assert_double_lt(l[0].seen[1].residual, l[0].seen[0].residual);
		free(l);
		gt_small_noisy_free(&s);
	}
}

/* All iterates, with and without weights. */
GT_TESTS(lsqr_is_cgls, 2)
{
	enum { STEPS = 12 };
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 12, 14, 1, 0.05);
	struct gt_small_log *l = calloc(2, sizeof *l);
	gt_array *x = gt_small_start(&s), *y = gt_small_start(&s);
	s.p.problem.w = _i ? s.w : NULL;
	l[0].copies = l[1].copies = STEPS;
	ck_ok(gt_small_solve("lsqr", "iterations=12", &s.p.problem, x, &l[0]));
	ck_ok(gt_small_solve("cgls", "iterations=12", &s.p.problem, y, &l[1]));
	ck_assert_int_eq(l[0].calls, STEPS);
	for (int k = 0; k < STEPS; k++) {
		const gt_progress *a = &l[0].seen[k], *b = &l[1].seen[k];
		ck_assert_double_le(gt_small_distance(l[0].volumes[k], l[1].volumes[k]), 1e-8);
		ck_assert(_i ? isnan(a->residual) : fabs(a->residual - b->residual) <= 1e-8 * b->residual);
		ck_assert_double_eq_tol(a->gradient, b->gradient, 1e-8 * b->gradient);
		ck_assert_double_eq_tol(a->change, b->change, 1e-8 * b->change);
		ck_assert_double_eq_tol(a->cost, gt_small_cost(&s.p.problem, l[0].volumes[k]), 1e-8 * a->cost);
		gt_array_free(l[0].volumes[k]);
		gt_array_free(l[1].volumes[k]);
	}
	free(l);
	gt_small_noisy_free(&s);
}

/* With and without weights and damping: the solution of the normal equations and all reported values. */
GT_TESTS(lsqr_solves_normal_equations, 4)
{
	const int weighted = _i & 1, damped = _i & 2;
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 4, 10, 1, 0.05);
	struct gt_small_log *l = calloc(1, sizeof *l);
	gt_array *x = gt_small_start(&s), *from = gt_small_start(&s), *answer = gt_small_volume(&s);
	s.p.problem.w = weighted ? s.w : NULL;
	const double damp = 13;
	l->copies = 6;
	ck_ok(gt_small_solve("lsqr", damped ? "iterations=300,tolerance=1e-12,damp=13" : "iterations=300,tolerance=1e-12", &s.p.problem, x,
	                     l));
	ck_assert_int_lt(l->calls, 300);
	gt_small_exact(&s.p.problem, damped ? damp * damp : 0, from, 0, answer);
	ck_assert_double_le(gt_small_distance(x, answer), 1e-9);
	for (int k = 0; k < 6; k++) {
		const gt_progress *g = &l->seen[k];
		ck_assert_double_eq_tol(g->cost, gt_small_cost(&s.p.problem, l->volumes[k]), 1e-9 * g->cost);
		ck_assert(weighted ? isnan(g->residual) : fabs(g->residual - sqrt(2 * g->cost)) <= 1e-9 * g->residual);
		gt_array_free(l->volumes[k]);
	}
	free(l);
	gt_small_noisy_free(&s);
}

/* One step from 0 is C A'R b: sums of short rays and of voxels at the edge count too. */
GT_TEST(sirt_steps_by_all_sums)
{
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 6, 10, 1, 0.05);
	const gt_linop *A = s.p.problem.A[0];
	gt_array *x = gt_small_volume(&s), *want = gt_small_volume(&s), *columns = gt_small_volume(&s), *rows = NULL;
	ck_ok(gt_array_like(s.p.b[0], &rows));
	gt_fill(1, x);
	gt_forward(A, x, rows);
	gt_reciprocal(1e-6 * gt_max(rows), rows);
	gt_mul(s.p.b[0], rows);
	gt_adjoint(A, rows, want);
	gt_fill(1, rows);
	gt_adjoint(A, rows, columns);
	gt_reciprocal(1e-3 * gt_max(columns), columns);
	gt_mul(columns, want);
	gt_fill(0, x);
	ck_ok(gt_small_solve("sirt", "iterations=1,nonneg=no", &s.p.problem, x, NULL));
	ck_assert_double_le(gt_small_distance(x, want), 1e-12);
	gt_array_free(rows);
	gt_small_noisy_free(&s);
}

/* A penalty by its gradient, one by its proximal step, and none; with and without active bounds. */
GT_TESTS(pdhg_reaches_the_exact_minimum, 6)
{
	static const char *const options[] = { "iterations=400", "iterations=400", "iterations=900" };
	const int kind = _i / 2, bounded = _i % 2;
	const double strength = 40;
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 5, 9, 1, 0.05);
	gt_problem *p = &s.p.problem;
	struct gt_small_log *l = calloc(1, sizeof *l);
	gt_array *x = gt_small_start(&s), *answer = gt_small_volume(&s), *centre = gt_small_start(&s);
	gt_penalty *R = kind == 0 ? gt_small_rough(x, strength, 1) : kind == 1 ? gt_small_near_to(centre, strength) : NULL;
	p->w = s.w;
	p->R = R;
	if (bounded) {
		p->lo = 0.002;
		p->hi = 0.012;
	}
	gt_small_exact(p, kind == 1 ? strength : 0, centre, kind == 0 ? strength : 0, answer);
	ck_ok(gt_small_solve("pdhg", options[kind], p, x, l));
	const double min = gt_small_cost(p, answer), got = gt_small_cost(p, x);
	printf("pdhg, kind %d, bounded %d: cost %.9g, minimum %.9g after %d; distance %.2e\n", kind, bounded, got, min, l->calls,
	       gt_small_distance(x, answer));
	ck_assert_double_ge(got, min * (1 - 1e-10));
	ck_assert_double_le(got, min * (1 + 1e-5));
	ck_assert_double_eq_tol(l->seen[l->calls - 1].cost, got, 1e-10 * got);
	ck_assert_double_ge(gt_min(x), p->lo);
	ck_assert_double_le(gt_max(x), p->hi);
	gt_penalty_free(R);
	free(l);
	gt_small_noisy_free(&s);
}

/* The penalty is far below that of os-sart at nearly the same data residual. */
GT_TEST(asd_pocs_lowers_its_penalty)
{
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F32, 16, 18, 3, 0.1);
	struct gt_small_log *l = calloc(2, sizeof *l);
	gt_penalty *R = gt_small_rough(s.p.x, 1, 0);
	gt_array *y = gt_small_volume(&s);
	gt_fill(0, y);
	s.p.problem.lo = 0;
	ck_ok(gt_small_solve("os-sart", "iterations=20,subsets=3", &s.p.problem, y, &l[0]));
	const double misfit = gt_small_cost(&s.p.problem, y), before = gt_penalty_value(R, y);
	s.p.problem.R = R;
	ck_ok(gt_small_solve("asd-pocs", "iterations=20,subsets=3,epsilon=0,alpha=0.001", &s.p.problem, s.p.x, &l[1]));
	const double after = gt_penalty_value(R, s.p.x), total = gt_small_cost(&s.p.problem, s.p.x);
	printf("asd-pocs: penalty %.4g of %.4g, misfit %.4g of %.4g\n", after, before, sqrt(total - after), sqrt(misfit));
	ck_assert_int_eq(l[1].calls, 20);
	ck_assert_double_lt(after, 0.8 * before);
	ck_assert_double_lt(sqrt(total - after), 1.05 * sqrt(misfit));
	ck_assert_double_ge(gt_min(s.p.x), 0);
	const gt_progress *g = &l[1].seen[19];
	ck_assert_double_eq_tol(g->cost, total, 1e-6 * total);
	ck_assert_double_eq_tol(g->penalty, after, 1e-6 * after);
	ck_assert_double_eq_tol(g->residual, sqrt(2 * g->data), 1e-9 * g->residual);
	gt_penalty_free(R);
	free(l);
	gt_small_noisy_free(&s);
}

/* It ends by the criterion on misfit and angle, or by relaxation, and only then. */
GT_TEST(asd_pocs_stops_by_its_rule)
{
	static const struct {
		const char *options;
		int calls;
	} cases[] = {
		{ "iterations=30,reduce=0.5,epsilon=0", 9 },                  /* 0.5^8 < 0.005 */
		{ "iterations=12,epsilon=1,cosine=1", 1 },                    /* any angle, any misfit */
		{ "iterations=12,epsilon=0,cosine=1", 12 },                   /* any angle, an unreachable misfit */
		{ "iterations=12,epsilon=1,cosine=-1", 12 },                  /* no angle satisfies it */
		{ "iterations=12,epsilon=1,cosine=1,steps=0,alpha=0.5", 12 }, /* no step, no angle */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct gt_small_noisy s = gt_small_noisy(NULL, GT_F32, 10, 12, 2, 0.1);
		struct gt_small_log *l = calloc(1, sizeof *l);
		gt_penalty *R = gt_small_rough(s.p.x, 1, 1);
		s.p.problem.R = R;
		ck_ok(gt_small_solve("asd-pocs", cases[i].options, &s.p.problem, s.p.x, l));
		ck_assert_msg(l->calls == cases[i].calls, "%s: %d iterations", cases[i].options, l->calls);
		gt_penalty_free(R);
		free(l);
		gt_small_noisy_free(&s);
	}
}

static const struct {
	const char *solver, *options;
	size_t subsets;
	int penalty, weights; /* penalty: 1 with gradient, 2 with prox */
} hot[] = {
	{ "sirt", "iterations=4", 1, 0, 0 },
	{ "sart", "iterations=4", 12, 0, 0 },
	{ "lsqr", "iterations=4", 1, 0, 0 },
	{ "lsqr", "iterations=4,damp=3", 1, 0, 1 },
	{ "pdhg", "iterations=4", 1, 0, 0 },
	{ "pdhg", "iterations=4", 1, 1, 1 },
	{ "pdhg", "iterations=4", 1, 2, 1 },
	{ "asd-pocs", "iterations=4,steps=3,keep=no", 3, 1, 0 },
	{ "asd-pocs", "iterations=4,steps=3,keep=yes", 3, 1, 0 },
};

/* Both precisions agree; nothing is allocated or transferred, and all is freed. */
GT_TESTS(iterations_stay_on_the_device, sizeof hot / sizeof *hot)
{
	double norm[2];
	for (int t = 0; t < 2; t++) {
		struct gt_small_noisy s = gt_small_noisy(NULL, t ? GT_F64 : GT_F32, 10, 12, hot[_i].subsets, 0.05);
		struct gt_small_log l = { .calls = 0 };
		gt_penalty *R = hot[_i].penalty == 1   ? gt_small_rough(s.p.x, 3, 1)
		                : hot[_i].penalty == 2 ? gt_small_near_to(s.p.x, 3)
		                                       : NULL;
		s.p.problem.R = R;
		s.p.problem.w = hot[_i].weights ? s.w : NULL;
		ck_ok(gt_small_solve(hot[_i].solver, hot[_i].options, &s.p.problem, s.p.x, &l));
		ck_assert_int_eq(l.calls, 4);
		ck_assert_uint_eq(l.last.allocations, l.first.allocations);
		ck_assert_uint_eq(l.last.puts, l.first.puts);
		ck_assert_uint_eq(l.last.gets, l.first.gets);
		ck_assert_uint_eq(l.last.bytes, l.first.bytes);
		norm[t] = gt_dot(s.p.x, s.p.x);
		gt_penalty_free(R);
		gt_small_noisy_free(&s);
	}
	ck_assert_double_gt(norm[1], 0);
	ck_assert_double_eq_tol(norm[0], norm[1], 1e-4 * norm[1]);
}

GT_TEST(monitor_stops)
{
	static const char *const names[] = { "sirt", "lsqr", "pdhg", "asd-pocs" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct gt_small_noisy s = gt_small_noisy(NULL, GT_F32, 8, 10, 1, 0.05);
		struct gt_small_log l = { .stop_at = 2 };
		gt_penalty *R = gt_small_rough(s.p.x, 1, 1);
		s.p.problem.R = i < 2 ? NULL : R;
		ck_assert_int_eq(gt_small_solve(names[i], "iterations=9", &s.p.problem, s.p.x, &l), GT_STOPPED);
		ck_assert_int_eq(l.calls, 2);
		gt_penalty_free(R);
		gt_small_noisy_free(&s);
	}
}

GT_TEST(refusals)
{
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F32, 8, 10, 2, 0.05);
	gt_problem *p = &s.p.problem, one = *p;
	gt_penalty *R = gt_small_rough(s.p.x, 1, 1), *bent = gt_small_rough(s.p.x, 1, 0), *prox = gt_small_near_to(s.p.truth, 1);
	struct gt_small_log l = { .calls = 0 };
	one.subsets = 1;
	ck_refused(gt_small_solve("lsqr", "", p, s.p.x, &l), GT_ERR_ARG, "cannot take 2 subsets");
	ck_refused(gt_small_solve("pdhg", "", p, s.p.x, &l), GT_ERR_ARG, "cannot take 2 subsets");
	ck_refused(gt_small_solve("asd-pocs", "", p, s.p.x, &l), GT_ERR_ARG, "'asd-pocs' needs a penalty");
	one.R = R;
	ck_refused(gt_small_solve("sirt", "", &one, s.p.x, &l), GT_ERR_ARG, "cannot take a penalty");
	ck_refused(gt_small_solve("lsqr", "", &one, s.p.x, &l), GT_ERR_ARG, "cannot take a penalty");
	one.R = bent;
	ck_refused(gt_small_solve("pdhg", "", &one, s.p.x, &l), GT_ERR_ARG, "'pdhg' needs a convex penalty, which 'rough' is not");
	one.R = prox;
	ck_refused(gt_small_solve("asd-pocs", "", &one, s.p.x, &l), GT_ERR_ARG, "needs a gradient");
	one.R = NULL;
	one.lo = 0;
	ck_refused(gt_small_solve("lsqr", "", &one, s.p.x, &l), GT_ERR_ARG, "does not support bounds");
	one.w = s.w;
	ck_refused(gt_small_solve("sirt", "", &one, s.p.x, &l), GT_ERR_ARG, "cannot take weights");
	one.R = R;
	ck_refused(gt_small_solve("asd-pocs", "", &one, s.p.x, &l), GT_ERR_ARG, "cannot take weights");
	gt_fill(0, s.w[0]);
	one.R = prox;
	ck_refused(gt_small_solve("pdhg", "", &one, s.p.x, &l), GT_ERR_ARG, "no ray of weight above 0");
	ck_assert_int_eq(l.calls, 0);
	ck_assert_double_eq(gt_dot(s.p.x, s.p.x), 0); /* unchanged */
	gt_penalty_free(R);
	gt_penalty_free(bent);
	gt_penalty_free(prox);
	gt_small_noisy_free(&s);
}

int main(void) { return gt_test_main("solvers-other", NULL); }
