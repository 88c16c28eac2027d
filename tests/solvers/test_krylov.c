/* Solvers on a Krylov space: the minimisers that a dense solution has, gradients and residuals that never rise, and what is refused.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/small.h"
#include "tests/support/support.h"

/* With and without weights and damping: the solution of the normal equations, and the numbers that are told on the way; the gradient
 * falls in every iteration, where that of lsqr does not. */
START_TEST(lsmr_solves_normal_equations)
{
	const int weighted = _i & 1, damped = _i & 2;
	gt_backend *be = gt_test_backend();
	struct gt_small_noisy s = gt_small_noisy(be, GT_F64, 4, 10, 1, 0.05);
	struct gt_small_log *l = calloc(1, sizeof *l);
	gt_array *x = gt_small_start(&s), *from = gt_small_start(&s), *answer = NULL;
	ck_ok(gt_array_like(x, &answer));
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
	gt_array_free(x);
	gt_array_free(from);
	gt_array_free(answer);
	free(l);
	gt_small_noisy_free(&s);
	gt_backend_close(be);
}
END_TEST

/* From the answer itself nothing is left to do. */
START_TEST(lsmr_stays_at_the_answer)
{
	gt_backend *be = gt_test_backend();
	struct gt_small_noisy s = gt_small_noisy(be, GT_F64, 4, 6, 1, 0);
	struct gt_small_log l = { .calls = 0 };
	gt_copy(s.p.truth, s.p.x);
	ck_ok(gt_small_solve("lsmr", "iterations=3", &s.p.problem, s.p.x, &l));
	ck_assert_int_eq(l.calls, 0);
	ck_assert_double_eq(gt_distance2(s.p.x, s.p.truth), 0);
	gt_small_noisy_free(&s);
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, lsmr_solves_normal_equations, 0, 4);
	tcase_add_test(tc, lsmr_stays_at_the_answer);
}

int main(void) { return gt_test_main("solvers-krylov", fill); }
