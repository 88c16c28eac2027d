/* Krylov solvers: minimisers of a dense solution, gradients and residuals that never rise, and refusals.
 * labels: property slow */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/small.h"
#include "tests/support/support.h"

/* With and without weights and damping: the solution of the normal equations and the reported values. The gradient
 * falls in every iteration; the one of lsqr does not. */
GT_TESTS(lsmr_solves_normal_equations, 4)
{
	const int weighted = _i & 1, damped = _i & 2;
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 4, 10, 1, 0.05);
	struct gt_small_log *l = calloc(1, sizeof *l);
	gt_array *x = gt_small_start(&s), *from = gt_small_start(&s), *answer = gt_small_volume(&s);
	s.p.problem.w = weighted ? s.w : NULL;
	l->copies = 6;
	ck_ok(gt_small_solve("lsmr", damped ? "iterations=300,tolerance=1e-12,damp=13" : "iterations=300,tolerance=1e-12", &s.p.problem, x,
	                     l));
	ck_assert_int_lt(l->calls, 300);
	gt_small_exact(&s.p.problem, damped ? 169 : 0, from, 0, answer);
	ck_assert_double_le(gt_small_distance(x, answer), 1e-8);
	for (int k = 1; k < l->calls; k++)
		ck_assert_msg(l->seen[k].gradient <= l->seen[k - 1].gradient, "the gradient rises in iteration %d", k + 1);
	for (int k = 0; k < 6; k++) {
		const gt_progress *g = &l->seen[k];
		const double held = damped ? 169. / 2 * gt_distance2(l->volumes[k], from) : 0;
		const double cost = gt_small_cost(&s.p.problem, l->volumes[k]) + held;
		ck_assert_double_eq_tol(g->cost, cost, 1e-9 * cost);
		ck_assert(weighted || damped ? isnan(g->residual) : fabs(g->residual - sqrt(2 * g->cost)) <= 1e-9 * g->residual);
		gt_array_free(l->volumes[k]);
	}
	free(l);
	gt_small_noisy_free(&s);
}

/* A start at the solution needs no step. */
GT_TESTS(stays_at_the_answer, 2)
{
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 4, 6, 1, 0);
	struct gt_small_log l = { .calls = 0 };
	gt_copy(s.p.truth, s.p.x);
	ck_ok(gt_small_solve(_i ? "lsqr" : "lsmr", "iterations=3", &s.p.problem, s.p.x, &l));
	ck_assert_int_eq(l.calls, 0);
	ck_assert_double_eq(gt_distance2(s.p.x, s.p.truth), 0);
	gt_small_noisy_free(&s);
}

/* An unmatched pair: the adjoint's volume or data are multiplied by positive numbers. The minimiser of ab-gmres for
 * the first, and of ba-gmres for both, is known: B A x = B b. */
struct skewed {
	const gt_linop *A;
	gt_array *volume, *data, *room;
};

static void skewed_forward(void *self, const gt_array *x, gt_array *y) { gt_forward(((struct skewed *)self)->A, x, y); }

static void skewed_back(void *self, const gt_array *y, gt_array *x)
{
	struct skewed *s = self;
	gt_copy(y, s->room);
	if (s->data)
		gt_mul(s->data, s->room);
	gt_adjoint(s->A, s->room, x);
	if (s->volume)
		gt_mul(s->volume, x);
}

static gt_array *positive(const gt_array *model)
{
	gt_array *a = gt_test_array(gt_array_backend(model), gt_array_type(model), gt_array_size(model), 77);
	gt_array *one = gt_test_array(gt_array_backend(model), gt_array_type(model), gt_array_size(model), 1);
	gt_fill(1, one);
	gt_scale(0.4, a);
	gt_axpy(1, one, a);
	gt_array_free(one);
	return a;
}

/* A problem with an unmatched backprojection: of = 'v' or 'd'. */
struct unmatched {
	struct gt_small_noisy s;
	struct skewed pair;
	gt_linop *A;
	gt_problem p;
};

static void unmatched(struct unmatched *u, gt_backend *be, char of)
{
	static const struct gt_linop_ops ops = { "skewed", skewed_forward, skewed_back, NULL };
	u->s = gt_small_noisy(be, GT_F64, 4, 10, 1, 0.05);
	gt_array *b = u->s.p.b[0];
	u->pair = (struct skewed){ .A = u->s.p.A[0],
		                   .volume = of == 'v' ? positive(u->s.p.x) : NULL,
		                   .data = of == 'd' ? positive(b) : NULL,
		                   .room = gt_test_array(be, GT_F64, gt_array_size(b), 1) };
	ck_ok(gt_linop_new(&ops, &u->pair, be, GT_F64, gt_array_size(u->s.p.x), gt_array_size(b), &u->A));
	u->p = u->s.p.problem;
	u->p.A = &u->A;
}

static void unmatched_free(struct unmatched *u)
{
	gt_linop_free(u->A);
	gt_array_free(u->pair.volume);
	gt_array_free(u->pair.data);
	gt_array_free(u->pair.room);
	gt_small_noisy_free(&u->s);
}

static const struct {
	const char *solver;
	char of;
} pairs[] = { { "ab-gmres", 'v' }, { "ba-gmres", 'v' }, { "ba-gmres", 'd' } };

GT_TESTS(gmres_solves_with_a_pair_that_is_none, sizeof pairs / sizeof *pairs)
{
	gt_backend *be = gt_test_backend();
	struct unmatched u;
	struct gt_small_log *l = calloc(1, sizeof *l);
	unmatched(&u, be, pairs[_i].of);
	gt_array *x = gt_small_start(&u.s), *answer = NULL;
	ck_ok(gt_array_like(x, &answer));
	gt_problem dense = u.s.p.problem;
	dense.w = u.pair.data ? &u.pair.data : NULL; /* B A x = B b are the normal equations with these weights */
	gt_small_exact(&dense, 0, NULL, 0, answer);
	ck_ok(gt_small_solve(pairs[_i].solver, "iterations=30,steps=20,tolerance=1e-11", &u.p, x, l));
	printf("%s: %.2e from the dense solution after %d cycles\n", pairs[_i].solver, gt_small_distance(x, answer), l->calls);
	ck_assert_double_le(gt_small_distance(x, answer), 1e-5);
	const gt_progress *g = &l->seen[l->calls - 1];
	const double cost = gt_small_cost(&u.s.p.problem, x);
	ck_assert_double_eq_tol(g->cost, cost, 1e-9 * cost);
	ck_assert_double_eq_tol(g->residual, sqrt(2 * cost), 1e-9 * g->residual);
	gt_array_free(answer);
	free(l);
	unmatched_free(&u);
	gt_backend_close(be);
}

/* Returns |b - A x| or |B (b - A x)|. */
static double what_falls(const struct unmatched *u, int ab, const gt_array *x)
{
	gt_array *r = gt_test_array(u->s.p.be, GT_F64, gt_array_size(u->s.p.b[0]), 1), *g = NULL;
	ck_ok(gt_array_like(x, &g));
	gt_forward(u->A, x, r);
	gt_xpay(u->s.p.b[0], -1, r);
	gt_adjoint(u->A, r, g);
	const double size = sqrt(ab ? gt_dot(r, r) : gt_dot(g, g));
	gt_array_free(r);
	gt_array_free(g);
	return size;
}

/* For every number of steps, and from cycle to cycle; `change` is the change of x. */
GT_TESTS(what_gmres_minimises_never_rises, sizeof pairs / sizeof *pairs)
{
	gt_backend *be = gt_test_backend();
	struct unmatched u;
	const int ab = !strcmp(pairs[_i].solver, "ab-gmres");
	unmatched(&u, be, pairs[_i].of);
	for (int cycles = 1; cycles <= 3; cycles += 2) {
		double before = INFINITY;
		for (int steps = 1; steps <= 12; steps++) {
			char text[64];
			struct gt_small_log l = { .calls = 0 };
			gt_array *x = gt_small_start(&u.s), *from = gt_small_start(&u.s);
			snprintf(text, sizeof text, "iterations=%d,steps=%d", cycles, steps);
			if (cycles == 1) {
				ck_ok(gt_small_solve(pairs[_i].solver, text, &u.p, x, &l));
				const double now = what_falls(&u, ab, x), moved = sqrt(gt_distance2(x, from) / (double)gt_array_size(x));
				ck_assert_msg(now < before, "%s: %g after %d steps, before %g", pairs[_i].solver, now, steps, before);
				ck_assert_double_eq_tol(l.seen[0].change, moved, 1e-9 * moved);
				before = now;
			} else {
				before = what_falls(&u, ab, x);
				l.copies = cycles;
				ck_ok(gt_small_solve(pairs[_i].solver, text, &u.p, x, &l));
				for (int k = 0; k < l.calls; k++) {
					const double now = what_falls(&u, ab, l.volumes[k]);
					ck_assert_msg(now < before, "%s: %g after cycle %d, before %g", pairs[_i].solver, now, k + 1,
					              before);
					before = now;
					gt_array_free(l.volumes[k]);
				}
			}
		}
	}
	unmatched_free(&u);
	gt_backend_close(be);
}

/* Fewer than the maximum of steps span the space: exact solution and no NaN. */
GT_TESTS(gmres_ends_where_the_space_is_exhausted, 4)
{
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 3, 6, 1, 0.05);
	gt_array *answer = gt_small_volume(&s), *x = gt_small_start(&s);
	s.p.problem.w = _i > 1 ? s.w : NULL;
	gt_small_exact(&s.p.problem, 0, NULL, 0, answer);
	ck_ok(gt_small_solve(_i % 2 ? "ab-gmres" : "ba-gmres", "iterations=3,steps=60", &s.p.problem, x, NULL));
	ck_assert_double_le(gt_small_distance(x, answer), 1e-6);
	gt_copy(s.p.truth, x);
	gt_forward(s.p.A[0], x, s.p.b[0]);
	struct gt_small_log l = { .calls = 0 };
	ck_ok(gt_small_solve(_i % 2 ? "ab-gmres" : "ba-gmres", "iterations=3,steps=60", &s.p.problem, x, &l));
	ck_assert_int_eq(l.calls, 0);
	gt_small_noisy_free(&s);
}

/* With a fixed strength and all steps: the damped normal equations, with and without weights. */
GT_TESTS(hybrid_with_a_fixed_strength_is_tikhonov, 2)
{
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 4, 10, 1, 0.05);
	gt_array *x = gt_small_start(&s), *from = gt_small_start(&s), *answer = gt_small_volume(&s);
	struct gt_small_log *l = calloc(1, sizeof *l);
	s.p.problem.w = _i ? s.w : NULL;
	gt_small_exact(&s.p.problem, 169, from, 0, answer);
	ck_ok(gt_small_solve("hybrid-lsqr", "iterations=64,strength=fixed,lambda=13", &s.p.problem, x, l));
	ck_assert_double_le(gt_small_distance(x, answer), 1e-9);
	const gt_progress *g = &l->seen[l->calls - 1];
	const double cost = gt_small_cost(&s.p.problem, x);
	ck_assert_double_eq_tol(g->cost, cost, 1e-8 * cost);
	free(l);
	gt_small_noisy_free(&s);
}

/* A head of 16^3 in few views, with this noise relative to the norm of the data. */
static struct gt_small_noisy noisy_head(gt_backend *be, double noise)
{
	struct gt_small_noisy s = gt_small_noisy(be, GT_F64, 16, 16, 1, 0);
	gt_array *b = s.p.b[0], *e = gt_test_array(be, GT_F64, gt_array_size(b), 5);
	gt_axpy(noise * sqrt(gt_dot(b, b) / gt_dot(e, e)), e, b);
	gt_array_free(e);
	return s;
}

static double error_with(const struct gt_small_noisy *s, const char *text, double *residual)
{
	struct gt_small_log *l = calloc(1, sizeof *l);
	gt_fill(0, s->p.x);
	ck_ok(gt_small_solve("hybrid-lsqr", text, &s->p.problem, s->p.x, l));
	*residual = l->seen[l->calls - 1].residual;
	free(l);
	return gt_small_distance(s->p.x, s->p.truth);
}

/* On noisy data the error is within 20 % of the minimum over all strengths; the discrepancy is the noise. */
GT_TESTS(hybrid_finds_its_strength, 4)
{
	static const double levels[] = { 0.005, 0.02, 0.07, 0.15 };
	gt_backend *be = gt_test_backend();
	const double noise = levels[_i];
	struct gt_small_noisy s = noisy_head(be, noise);
	double best = INFINITY, weakest = 0, at = 0, residual;
	char text[96];
	for (double lambda = 0.1; lambda < 1e3; lambda *= 2) {
		snprintf(text, sizeof text, "iterations=40,strength=fixed,lambda=%g", lambda);
		const double error = error_with(&s, text, &residual);
		weakest = weakest > 0 ? weakest : error;
		at = error < best ? lambda : at;
		best = fmin(best, error);
	}
	const double trace = error_with(&s, "iterations=40,strength=trace", &residual);
	const double weighted = error_with(&s, "iterations=40", &residual), gcv = error_with(&s, "iterations=40,strength=gcv", &residual);
	snprintf(text, sizeof text, "iterations=40,strength=discrepancy,noise=%g", noise);
	const double discrepancy = error_with(&s, text, &residual);
	printf("noise %g: best %.4f at %.3g, without %.4f; trace %.4f, wgcv %.4f, gcv %.4f, discrepancy %.4f\n", noise, best, at, weakest,
	       trace, weighted, gcv, discrepancy);
	fflush(stdout);
	ck_assert_double_le(trace, 1.1 * best);
	if (noise > 0.05) {
		ck_assert_double_gt(weakest, 1.15 * best);
		ck_assert_double_le(weighted, 1.2 * best);
		ck_assert_double_le(gcv, 2 * best); /* GCV oversmooths */
		ck_assert_double_le(discrepancy, 1.2 * best);
	}
	const double b = sqrt(gt_dot(s.p.b[0], s.p.b[0]));
	ck_assert_double_eq_tol(residual, noise * b, 1e-6 * noise * b);
	gt_small_noisy_free(&s);
	gt_backend_close(be);
}

GT_TEST(refusals)
{
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F32, 6, 6, 1, 0.05);
	gt_problem p = s.p.problem;
	ck_refused(gt_small_solve("hybrid-lsqr", "strength=discrepancy", &p, s.p.x, NULL), GT_ERR_ARG,
	           "noise=0: with strength=discrepancy expected the norm of the noise");
	ck_refused(gt_small_solve("hybrid-lsqr", "noise=0.05", &p, s.p.x, NULL), GT_ERR_ARG,
	           "noise=0.05: strength=wgcv has no use for it: expected strength=discrepancy");
	ck_refused(gt_small_solve("hybrid-lsqr", "strength=trace,lambda=2", &p, s.p.x, NULL), GT_ERR_ARG,
	           "lambda=2: strength=trace finds its own: expected strength=fixed");
	gt_fill(3e38, s.p.b[0]);
	ck_refused(gt_small_solve("hybrid-lsqr", "", &p, s.p.x, NULL), GT_ERR_DIVERGED, "'hybrid-lsqr' diverged");
	ck_refused(gt_small_solve("ab-gmres", "", &p, s.p.x, NULL), GT_ERR_DIVERGED, "'ab-gmres' diverged");
	ck_refused(gt_small_solve("lsmr", "", &p, s.p.x, NULL), GT_ERR_DIVERGED, "'lsmr' diverged");
	gt_small_noisy_free(&s);
}

int main(void) { return gt_test_main("solvers-krylov", NULL); }
