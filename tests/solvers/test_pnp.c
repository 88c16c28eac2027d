/* Plug and play: a proximal step of a convex penalty gives the minimum of fista. red satisfies its stationarity
 * condition. A failing user denoiser ends the run with its name.
 * labels: unit property */
#include <math.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "tests/support/problem.h"
#include "tests/support/support.h"

static const char penalty[] = "tv:strength=0.3,inner=60";

/* Returns x of that solver, from the problem's start. */
static gt_array *solution(struct gt_test_problem *t, const char *solver, const char *options)
{
	const gt_solver *s = gt_solver_find(solver);
	gt_array *x;
	void *o;
	ck_ok(gt_params_new(s->params, options, s->defaults, s->options_size, &o));
	ck_ok(gt_array_like(t->x, &x));
	gt_fill(0.01, x);
	ck_ok(gt_solve(s, &t->problem, o, x, NULL));
	gt_free(o);
	return x;
}

/* |W(A x - b)|^2/2 + R(x) */
static double cost(const struct gt_test_problem *t, const gt_array *x)
{
	gt_array *r;
	ck_ok(gt_array_like(t->b[0], &r));
	gt_forward(t->problem.A[0], x, r);
	const double data = gt_distance2(r, t->b[0]) / 2;
	gt_array_free(r);
	return data + gt_penalty_value(t->problem.R, x);
}

GT_TEST(least_of_a_convex_penalty)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_problem t = gt_test_problem(be, GT_F64, 7, 9, 1);
	gt_penalty *R;
	ck_ok(gt_regularizer_new(penalty, be, GT_F64, &t.grid, NULL, &R));
	t.problem.R = R;
	t.problem.lo = 0;
	gt_array *want = solution(&t, "fista", "iterations=400,prox=yes"), *fista = solution(&t, "pnp-fista", "iterations=400"),
		 *plain = solution(&t, "pnp-fista", "iterations=500,momentum=no"),
		 *admm = solution(&t, "pnp-admm", "iterations=100,inner=8");
	const double min = cost(&t, want);
	ck_assert_double_gt(gt_penalty_value(R, want), 0.01 * min);
	gt_array *const found[] = { fista, plain, admm };
	for (int k = 0; k < 3; k++) {
		ck_assert_double_lt(fabs(cost(&t, found[k]) - min), 1e-5 * min);
		ck_assert_double_lt(sqrt(gt_distance2(found[k], want) / gt_dot(want, want)), 1e-2);
		ck_assert_double_ge(gt_min(found[k]), 0);
		gt_array_free(found[k]);
	}
	gt_array_free(want);
	gt_penalty_free(R);
	gt_test_problem_free(&t);
	gt_backend_close(be);
}

/* At the end of red the gradient A'(A x - b) + m (x - D(x)) is 0, without bounds. */
GT_TEST(red_ends_where_its_gradient_is_none)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_problem t = gt_test_problem(be, GT_F64, 7, 9, 1);
	gt_penalty *R;
	ck_ok(gt_regularizer_new(penalty, be, GT_F64, &t.grid, NULL, &R));
	t.problem.R = R;
	gt_array *x = solution(&t, "red", "iterations=1000,nonneg=no,mu=0.3"), *r, *g, *d;
	ck_ok(gt_array_like(t.b[0], &r));
	ck_ok(gt_array_like(x, &g));
	ck_ok(gt_array_like(x, &d));
	gt_forward(t.problem.A[0], x, r);
	gt_axpy(-1, t.b[0], r);
	gt_adjoint(t.problem.A[0], r, g);
	/* Determines the solver's eigenvalue from g, for which m must be one number. */
	gt_array *u, *p;
	ck_ok(gt_array_like(x, &u));
	ck_ok(gt_array_like(t.b[0], &p));
	double largest = 0;
	gt_fill(1 / sqrt((double)gt_array_size(u)), u);
	for (int i = 0; i < 20; i++) {
		gt_forward(t.problem.A[0], u, p);
		gt_adjoint(t.problem.A[0], p, u);
		largest = sqrt(gt_dot(u, u));
		gt_scale(1 / largest, u);
	}
	const double m = 0.3 * 1.05 * largest;
	gt_penalty_prox(R, 1 / m, -INFINITY, INFINITY, x, d);
	const double size = sqrt(gt_dot(g, g));
	gt_axpy(m, x, g);
	gt_axpy(-m, d, g);
	ck_assert_double_lt(sqrt(gt_dot(g, g)), 1e-4 * size);
	ck_assert_double_gt(gt_distance2(x, d), 0);
	gt_array_free(r), gt_array_free(g), gt_array_free(d), gt_array_free(u), gt_array_free(p), gt_array_free(x);
	gt_penalty_free(R);
	gt_test_problem_free(&t);
	gt_backend_close(be);
}

/* The third call fails. */
static gt_status fails(void *self, gt_denoise_call *c)
{
	int *calls = self;
	if (++*calls == 3)
		return gt_fail(GT_ERR_IO, "the network is gone");
	c->written = gt_grid_voxels(c->grid);
	memcpy(c->out, c->in, c->written * gt_type_size(c->type));
	return GT_OK;
}

GT_TEST(failing_denoiser_ends_the_run)
{
	static const char *const names[] = { "pnp-fista", "pnp-admm", "red", "fista" };
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 4; k++) {
		struct gt_test_problem t = gt_test_problem(be, GT_F32, 7, 9, 1);
		const gt_solver *s = gt_solver_find(names[k]);
		int calls = 0;
		const gt_denoiser d = { .size = sizeof d, .name = "mine", .denoise = fails, .self = &calls };
		gt_penalty *R;
		ck_ok(gt_penalty_of_denoiser(&d, be, GT_F32, &t.grid, &R));
		t.problem.R = R;
		ck_refused(gt_solve(s, &t.problem, NULL, t.x, NULL), GT_ERR_IO, "denoiser 'mine' failed: the network is gone");
		ck_assert_int_eq(calls, 3);
		gt_penalty_free(R);
		gt_test_problem_free(&t);
	}
	gt_backend_close(be);
}

GT_TEST(needs_a_proximal_step)
{
	static const char *const names[] = { "pnp-fista", "pnp-admm", "red" };
	gt_backend *be = gt_test_backend();
	struct gt_test_problem t = gt_test_problem(be, GT_F32, 7, 9, 1);
	gt_penalty *R;
	ck_ok(gt_regularizer_new("huber", be, GT_F32, &t.grid, NULL, &R));
	t.problem.R = R;
	for (int k = 0; k < 3; k++)
		ck_refused(gt_solve(gt_solver_find(names[k]), &t.problem, NULL, t.x, NULL), GT_ERR_ARG,
		           "needs a proximal step of a penalty, which 'huber' does not have");
	gt_penalty_free(R);
	gt_test_problem_free(&t);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("plug and play", NULL); }
