/* Likelihood, stochastic and splitting solvers: minimisers of a dense solution, monotone likelihoods, and refusals.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solvers/ordered_subsets.h"
#include "tests/support/small.h"
#include "tests/support/support.h"

enum { SUBSETS = 3 };

/* Penalty by its gradient, by its proximal step, or none. */
static const struct {
	const char *solver, *options;
	char penalty;
	size_t subsets;
} cases[] = {
	{ "saga", "iterations=1400", 'g', SUBSETS },
	{ "saga", "iterations=1500", '0', SUBSETS },
	{ "svrg", "iterations=1400", 'g', SUBSETS },
	{ "spdhg", "iterations=600", 'p', SUBSETS },
	{ "spdhg", "iterations=1500,sigma=0.03", '0', SUBSETS },
	{ "os-lalm", "iterations=500", 'g', 1 },
	{ "admm", "iterations=300", 'p', 1 },
	{ "admm", "iterations=1500,rho=0.02", '0', 1 },
};
enum { CASES = sizeof cases / sizeof *cases };

/* With some zero weights; with and without active bounds. */
GT_TESTS(reaches_the_exact_minimum, 2 * CASES)
{
	const int which = _i / 2, bounded = _i % 2;
	const char penalty = cases[which].penalty;
	const double strength = 40;
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 5, 9, cases[which].subsets, 0.05);
	gt_problem *p = &s.p.problem;
	struct gt_small_log *l = calloc(1, sizeof *l);
	gt_array *x = gt_small_start(&s), *answer = gt_small_volume(&s), *centre = gt_small_start(&s);
	gt_penalty *R = penalty == 'g' ? gt_small_rough(x, strength, 1) : penalty == 'p' ? gt_small_near_to(centre, strength) : NULL;
	char text[96];
	p->w = s.w;
	p->R = R;
	if (bounded) {
		p->lo = 0.002;
		p->hi = 0.012;
	}
	gt_small_exact(p, penalty == 'p' ? strength : 0, centre, penalty == 'g' ? strength : 0, answer);
	snprintf(text, sizeof text, "%s,nonneg=no", cases[which].options);
	const double before = gt_small_distance(x, answer);
	ck_ok(gt_small_solve(cases[which].solver, text, p, x, l));
	const double off = gt_small_distance(x, answer);
	printf("%s:%s, penalty %c, ", cases[which].solver, cases[which].options, penalty);
	printf("bounded %d: %.2e from the minimum, %.2g before\n", bounded, off, before);
	fflush(stdout);
	ck_assert_double_le(off, 1e-4);
	ck_assert_double_ge(gt_min(x), p->lo);
	ck_assert_double_le(gt_max(x), p->hi);
	gt_penalty_free(R);
	free(l);
	gt_small_noisy_free(&s);
}

/* Twenty passes with subsets of ten views each get closer than with one subset. */
GT_TEST(os_lalm_is_near_with_subsets)
{
	double off[2];
	for (int few = 0; few < 2; few++) {
		struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 6, 60, few ? 6 : 1, 0.02);
		gt_problem *p = &s.p.problem;
		gt_array *x = gt_small_start(&s), *answer = gt_small_volume(&s);
		gt_penalty *R = gt_small_rough(x, 100, 1);
		p->R = R;
		p->lo = 0;
		gt_small_exact(p, 0, NULL, 100, answer);
		ck_ok(gt_small_solve("os-lalm", "iterations=20", p, x, NULL));
		off[few] = gt_small_distance(x, answer);
		gt_penalty_free(R);
		gt_small_noisy_free(&s);
	}
	printf("os-lalm, 20 passes: %.2e from the minimum with one subset, %.2e with 6\n", off[0], off[1]);
	fflush(stdout);
	ck_assert_double_le(off[1], 0.7 * off[0]);
	ck_assert_double_le(off[1], 0.03);
}

/* Returns sum Ax - b + b log(b/Ax) on the host. */
static double likelihood(const gt_problem *p, const gt_array *x)
{
	double sum = 0;
	for (size_t k = 0; k < p->subsets; k++) {
		const size_t n = gt_array_size(p->b[k]);
		gt_array *y = gt_test_array(gt_array_backend(x), GT_F64, n, 1);
		double *mean = malloc(n * sizeof *mean), *count = malloc(n * sizeof *count);
		gt_forward(p->A[k], x, y);
		gt_array_get(y, mean);
		gt_array_get(p->b[k], count);
		for (size_t i = 0; i < n; i++)
			if (mean[i] > 0)
				sum += mean[i] - count[i] + (count[i] > 0 ? count[i] * log(count[i] / mean[i]) : 0);
		gt_array_free(y);
		free(mean), free(count);
	}
	return sum;
}

static struct gt_small_noisy counts(gt_backend *be, size_t subsets)
{
	struct gt_small_noisy s = gt_small_noisy(be, GT_F64, 6, 12, subsets, 0.05);
	for (size_t k = 0; k < subsets; k++)
		gt_clamp(0, INFINITY, s.p.b[k]);
	return s;
}

/* The likelihood rises in every iteration and is reported as the cost; finally the Karush-Kuhn-Tucker conditions
 * hold. */
GT_TEST(mlem_raises_the_likelihood)
{
	enum { STEPS = 900 };
	gt_backend *be = gt_test_backend();
	struct gt_small_noisy s = counts(be, 1);
	gt_problem *p = &s.p.problem;
	struct gt_small_log *l = calloc(1, sizeof *l);
	gt_array *x = gt_test_array(be, GT_F64, gt_array_size(s.p.x), 4), *ratio = NULL, *slope = NULL, *seen = NULL;
	ck_ok(gt_array_like(p->b[0], &ratio));
	ck_ok(gt_array_like(x, &slope));
	ck_ok(gt_array_like(x, &seen));
	l->copies = 5;
	ck_ok(gt_small_solve("mlem", "iterations=900", p, x, l));
	ck_assert_int_eq(l->calls, STEPS);
	for (int k = 1; k < STEPS; k++) {
		const double now = l->seen[k].cost, before = l->seen[k - 1].cost;
		ck_assert_msg(now < before * (1 + 1e-12), "iteration %d: %.17g after %.17g", k + 1, now, before);
	}
	for (int k = 0; k < 5; k++) {
		const double told = l->seen[k + 1].cost, want = likelihood(p, l->volumes[k]);
		ck_assert_double_eq_tol(told, want, 1e-9 * want);
		gt_array_free(l->volumes[k]);
	}
	gt_forward(p->A[0], x, ratio);
	gt_reciprocal(0, ratio);
	gt_mul(p->b[0], ratio);
	gt_adjoint(p->A[0], ratio, slope);
	gt_fill(1, ratio);
	gt_adjoint(p->A[0], ratio, seen);
	gt_axpy(-1, seen, slope); /* upwards */
	const double max = gt_max(seen);
	ck_assert_double_le(gt_max(slope), 1e-2 * max);
	gt_mul(x, slope);
	ck_assert_double_le(sqrt(gt_dot(slope, slope)), 1e-4 * max * sqrt(gt_dot(x, x)));
	ck_assert_double_ge(gt_min(x), 0);
	gt_array_free(x);
	gt_array_free(ratio);
	gt_array_free(slope);
	gt_array_free(seen);
	free(l);
	gt_small_noisy_free(&s);
	gt_backend_close(be);
}

/* Equal numbers of passes get further; with one subset it is mlem. */
GT_TEST(osem_is_faster_at_first)
{
	gt_backend *be = gt_test_backend();
	struct gt_small_noisy s = counts(be, 4), one = counts(be, 1);
	gt_array *x = gt_small_start(&s), *y = gt_small_start(&s), *z = gt_small_start(&s);
	const double start = likelihood(&s.p.problem, x);
	ck_ok(gt_small_solve("osem", "iterations=4,subsets=4", &s.p.problem, x, NULL));
	ck_ok(gt_small_solve("mlem", "iterations=4", &one.p.problem, y, NULL));
	ck_ok(gt_small_solve("osem", "iterations=4,subsets=1", &one.p.problem, z, NULL));
	ck_assert_double_eq(gt_distance2(y, z), 0);
	const double by_subsets = likelihood(&s.p.problem, x), by_all = likelihood(&s.p.problem, y);
	ck_assert_double_lt(by_all, start);
	ck_assert_double_lt(by_subsets, by_all);
	gt_small_noisy_free(&s);
	gt_small_noisy_free(&one);
	gt_backend_close(be);
}

/* Every order visits each subset once; bit reversal of 6 skips what 8 has in addition. */
GT_TEST(orders_are_permutations)
{
	static const size_t reversed[] = { 0, 4, 2, 1, 5, 3 };
	size_t order[64];
	for (size_t n = 1; n <= 64; n++)
		for (int kind = 0; gt_ordered_subsets_orders[kind]; kind++) {
			int seen[64] = { 0 };
			gt_ordered_subsets_fill_order((enum gt_ordered_subsets_order)kind, n, order);
			for (size_t i = 0; i < n; i++)
				ck_assert_msg(order[i] < n && !seen[order[i]]++, "%s, %zu subsets: %zu at %zu",
				              gt_ordered_subsets_orders[kind], n, order[i], i);
		}
	gt_ordered_subsets_fill_order(GT_OS_BIT_REVERSED, 6, order);
	ck_assert_mem_eq(order, reversed, sizeof reversed);
}

GT_TEST(refusals)
{
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F32, 6, 8, 2, 0.05);
	gt_problem *p = &s.p.problem, one = *p;
	gt_penalty *R = gt_small_rough(s.p.x, 1, 1), *bent = gt_small_rough(s.p.x, 1, 0), *prox = gt_small_near_to(s.p.truth, 1);
	size_t n;
	one.subsets = 1;
	gt_fill(0.5, s.p.b[0]);
	gt_fill(-0.25, s.p.b[1]);
	ck_refused(gt_small_solve("osem", "", p, s.p.x, NULL), GT_ERR_ARG,
	           "solver 'osem': the least datum is -0.25: counts are expected, none below 0; negative=zero takes them for 0");
	ck_ok(gt_small_solve("osem", "negative=zero", p, s.p.x, NULL));
	gt_fill(-1, s.p.b[0]);
	ck_refused(gt_small_solve("mlem", "", &one, s.p.x, NULL), GT_ERR_ARG, "solver 'mlem': the least datum is -1");
	gt_fill(0, s.p.b[0]);
	gt_fill(0, s.p.x);
	ck_ok(gt_small_solve("mlem", "", &one, s.p.x, NULL)); /* nothing was emitted */
	ck_assert_double_eq(gt_dot(s.p.x, s.p.x), 0);
	one.w = s.w;
	ck_refused(gt_small_solve("mlem", "", &one, s.p.x, NULL), GT_ERR_ARG, "'mlem' cannot take weights");
	ck_refused(gt_small_solve("admm", "", p, s.p.x, NULL), GT_ERR_ARG, "'admm' cannot take 2 subsets");
	one.R = R;
	ck_refused(gt_small_solve("admm", "", &one, s.p.x, NULL), GT_ERR_ARG, "'admm' needs a proximal step");
	ck_refused(gt_small_solve("spdhg", "", &one, s.p.x, NULL), GT_ERR_ARG, "'spdhg' needs a proximal step");
	one.R = prox;
	ck_refused(gt_small_solve("saga", "", &one, s.p.x, NULL), GT_ERR_ARG, "'saga' needs a gradient");
	ck_refused(gt_small_solve("os-lalm", "", &one, s.p.x, NULL), GT_ERR_ARG, "'os-lalm' needs a gradient");
	gt_fill(0, s.w[0]);
	ck_refused(gt_small_solve("spdhg", "", &one, s.p.x, NULL), GT_ERR_ARG, "solver 'spdhg': no ray of weight above 0");
	ck_refused(gt_small_solve("admm", "", &one, s.p.x, NULL), GT_ERR_ARG, "solver 'admm': no ray of weight above 0");
	static const char *const by_subsets[] = { "saga", "spdhg", "os-lalm", "osem" };
	for (size_t i = 0; i < sizeof by_subsets / sizeof *by_subsets; i++) {
		const gt_solver *solver = gt_solver_find(by_subsets[i]);
		ck_refused(solver->subsets(solver->defaults, 5, &n), GT_ERR_ARG, "expected at most one per view, that is 5");
	}
	gt_penalty_free(R);
	gt_penalty_free(bent);
	gt_penalty_free(prox);
	gt_small_noisy_free(&s);
}

int main(void) { return gt_test_main("solvers-subsets", NULL); }
