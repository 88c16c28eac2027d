/* Anderson acceleration reaches the fixed points of the plain iteration in fewer steps; rejected points and refusals.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solvers/anderson.h"
#include "tests/support/small.h"
#include "tests/support/support.h"

/* fewer: the plain method needs at least this many times the iterations to come within 1e-6 of the answer. */
static const struct {
	const char *solver, *options;
	char penalty;
	size_t subsets;
	int bounded, iterations;
	double fewer;
} cases[] = {
	{ "sirt", "", '0', 1, 0, 600, 5 },
	{ "sirt", "", '0', 1, 1, 400, 4 },
	{ "os-sart", "reduce=1", '0', 3, 0, 300, 3 },
	{ "os-sart", "reduce=1,relax=0.5", '0', 3, 1, 300, 3 },
	{ "fista", "", 'g', 1, 0, 300, 1.3 },
	{ "fista", "", 'g', 1, 1, 300, 1.6 },
	{ "fista", "", 'p', 1, 1, 300, 1.6 },
};
enum { CASES = sizeof cases / sizeof *cases };

/* The row weights of sirt weigh the data: it converges to the least-squares solution with these weights. */
static gt_array *weights_of_sirt(const gt_problem *p, const gt_array *x)
{
	gt_array *w = NULL, *one = NULL;
	ck_ok(gt_array_like(p->b[0], &w));
	ck_ok(gt_array_like(x, &one));
	gt_fill(1, one);
	gt_forward(p->A[0], one, w);
	gt_reciprocal(1e-6 * gt_max(w), w);
	gt_array_free(one);
	return w;
}

/* Returns the first iterate within the given distance of the answer; calls + 1 if none is. */
static int first_within(const struct gt_small_log *l, const gt_array *answer, double distance)
{
	int k = 0;
	while (k < l->calls && gt_small_distance(l->volumes[k], answer) > distance)
		k++;
	return k + 1;
}

static void log_free(struct gt_small_log *l)
{
	for (int k = 0; k < l->calls && k < l->copies; k++)
		gt_array_free(l->volumes[k]);
	free(l);
}

static struct gt_small_log *solve(int which, const gt_problem *p, gt_array *x, const char *more, int iterations)
{
	struct gt_small_log *l = calloc(1, sizeof *l);
	char text[128];
	l->copies = iterations;
	snprintf(text, sizeof text, "iterations=%d,nonneg=no%s%s%s", iterations, *cases[which].options ? "," : "", cases[which].options,
	         more);
	ck_ok(gt_small_solve(cases[which].solver, text, p, x, l));
	return l;
}

GT_TESTS(same_fixed_point_in_fewer_iterations, CASES)
{
	const double strength = 40;
	const char penalty = cases[_i].penalty;
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 5, 12, cases[_i].subsets, 0.05);
	gt_problem *p = &s.p.problem;
	gt_array *x = gt_small_start(&s), *y = gt_small_start(&s), *centre = gt_small_start(&s), *answer = gt_small_start(&s), *w = NULL;
	gt_penalty *R = penalty == 'g' ? gt_small_rough(x, strength, 1) : penalty == 'p' ? gt_small_near_to(centre, strength) : NULL;
	p->R = R;
	p->lo = cases[_i].bounded ? 0.002 : -INFINITY;
	p->hi = cases[_i].bounded ? 0.012 : INFINITY;
	struct gt_small_log *plain = solve(_i, p, x, "", cases[_i].iterations),
			    *mixed = solve(_i, p, y, ",anderson=5", cases[_i].iterations);
	if (cases[_i].subsets > 1) {
		gt_copy(y, answer);
	} else {
		w = R ? NULL : weights_of_sirt(p, x);
		p->w = w ? &w : NULL;
		gt_small_exact(p, penalty == 'p' ? strength : 0, centre, penalty == 'g' ? strength : 0, answer);
	}
	const int slow = first_within(plain, answer, 1e-6), fast = first_within(mixed, answer, 1e-6);
	printf("%s:%s, penalty %c, bounded %d: within 1e-6 after %d iterations, with anderson=5 after %d\n", cases[_i].solver,
	       cases[_i].options, penalty, cases[_i].bounded, slow, fast);
	fflush(stdout);
	ck_assert_double_le(gt_small_distance(x, answer), 1e-6);
	ck_assert_double_le(gt_small_distance(y, answer), 1e-6);
	ck_assert_double_le(fast * cases[_i].fewer, slow);
	ck_assert_double_ge(gt_min(y), p->lo);
	ck_assert_double_le(gt_max(y), p->hi);
	log_free(plain);
	log_free(mixed);
	gt_penalty_free(R);
	gt_array_free(w);
	gt_small_noisy_free(&s);
}

/* Three mixes of a linear map of two unknowns: with two differences the result is the fixed point. */
GT_TEST(two_differences_solve_two_unknowns)
{
	static const double M[2][2] = { { 0.9, -0.4 }, { 0.7, 0.2 } }, c[2] = { 1, -2 };
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F64, 2, 1), *next = gt_test_array(be, GT_F64, 2, 2);
	gt_anderson a;
	ck_ok(gt_anderson_new("a test", x, 2, &a));
	double at[2], to[2];
	for (int k = 0; k < 3; k++) {
		gt_array_get(x, at);
		for (int i = 0; i < 2; i++)
			to[i] = M[i][0] * at[0] + M[i][1] * at[1] + c[i];
		gt_array_put(to, next);
		gt_anderson_mix(&a, x, -INFINITY, INFINITY, next);
		gt_copy(next, x);
	}
	gt_array_get(x, at);
	for (int i = 0; i < 2; i++)
		ck_assert_double_eq_tol(M[i][0] * at[0] + M[i][1] * at[1] + c[i], at[i], 1e-9);
	gt_anderson_free(&a);
	gt_array_free(x);
	gt_array_free(next);
	gt_backend_close(be);
}

/* Returns the mixture of the last `depth` differences with the shortest step (see anderson.h), by normal equations
 * without pivoting. f, T: [point][N]; the last point is `now`. */
enum { N = 9, DEPTH = 3, POINTS = 11 };
static void shortest_step(double f[][N], double T[][N], int now, double *mixed)
{
	const int k = now < DEPTH ? now : DEPTH;
	double A[DEPTH][DEPTH + 1];
	for (int i = 0; i < k; i++)
		for (int j = 0; j <= k; j++) {
			A[i][j] = 0;
			for (int e = 0; e < N; e++)
				A[i][j] += (f[now - i][e] - f[now - i - 1][e]) * (j < k ? f[now - j][e] - f[now - j - 1][e] : f[now][e]);
			A[i][DEPTH] = A[i][k];
		}
	for (int i = 0; i < k; i++)
		for (int r = 0; r < k; r++) {
			const double by = A[r][i] / A[i][i];
			for (int j = 0; j <= DEPTH && r != i; j++)
				A[r][j] -= j < k || j == DEPTH ? by * A[i][j] : 0;
		}
	memcpy(mixed, T[now], N * sizeof *mixed);
	for (int i = 0; i < k; i++)
		for (int e = 0; e < N; e++)
			mixed[e] -= A[i][DEPTH] / A[i][i] * (T[now - i][e] - T[now - i - 1][e]);
}

/* Nonlinear map, so no mixture terminates: tests the cyclic reuse of columns and the clamping to bounds. */
GT_TEST(every_mixture_has_the_shortest_step)
{
	static const double lo = -0.6, hi = 0.9;
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F64, N, 1), *next = gt_test_array(be, GT_F64, N, 2);
	double f[POINTS][N], T[POINTS][N], at[N], want[N], max = 0;
	int held = 0;
	gt_anderson a;
	ck_ok(gt_anderson_new("a test", x, DEPTH, &a));
	for (int k = 0; k < POINTS; k++) {
		gt_array_get(x, at);
		for (int i = 0; i < N; i++) {
			T[k][i] = 0.8 * sin(3.1 * at[(i + 2) % N] + i) + 0.5 * at[i] * at[(i + 5) % N] + 0.1 * i - 0.3;
			f[k][i] = T[k][i] - at[i];
		}
		shortest_step(f, T, k, want);
		gt_array_put(T[k], next);
		gt_anderson_mix(&a, x, lo, hi, next);
		gt_array_get(next, at);
		for (int i = 0; i < N; i++) {
			held += want[i] < lo || want[i] > hi;
			max = fmax(max, fabs(at[i] - fmin(fmax(want[i], lo), hi)));
		}
		ck_assert_msg(max < 1e-9, "mixture %d is off by %g", k, max);
		gt_copy(next, x);
	}
	ck_assert_int_gt(held, POINTS);
	ck_assert_int_lt(held, POINTS * N / 2);
	gt_anderson_free(&a);
	gt_array_free(x);
	gt_array_free(next);
	gt_backend_close(be);
}

/* A step more than twice as long rejects the point and restores the map of the previous one; any longer step discards
 * the differences. */
GT_TEST(bad_points_are_taken_back)
{
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F64, N, 1), *f = gt_test_array(be, GT_F64, N, 2), *next = NULL, *good = NULL;
	gt_anderson a;
	ck_ok(gt_array_like(x, &next));
	ck_ok(gt_array_like(x, &good));
	ck_ok(gt_anderson_new("a test", x, 3, &a));
	const double sizes[] = { 1, 0.7, 0.9, 0.6, 1.3 };
	for (int k = 0; k < 5; k++) {
		gt_array *turn = gt_test_array(be, GT_F64, N, 50 + (unsigned)k);
		gt_axpy(0.3, turn, f);
		gt_array_free(turn);
		gt_copy(x, next);
		gt_axpy(sizes[k] / sqrt(gt_dot(f, f)), f, next);
		if (k < 4)
			gt_copy(next, good);
		gt_anderson_guarded(&a, x, -10, 10, next);
		if (k == 0 || k == 2)
			ck_assert_double_eq(gt_distance2(next, good), 0); /* nothing to mix: at first, and after it grew */
		else if (k < 4)
			ck_assert_double_gt(gt_distance2(next, good), 1e-6);
		if (k < 4)
			gt_copy(next, x);
	}
	/* 1.3 is more than twice 0.6. */
	gt_copy(x, f);
	ck_assert_double_eq(a.columns, 0);
	gt_anderson_undo(&a, f);
	ck_assert_double_eq(gt_distance2(next, f), 0);
	ck_assert_double_eq(gt_distance2(next, good), 0);
	gt_anderson_free(&a);
	gt_array_free(x);
	gt_array_free(f);
	gt_array_free(next);
	gt_array_free(good);
	gt_backend_close(be);
}

GT_TEST(refusals)
{
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F32, 6, 6, 1, 0.05);
	gt_problem *p = &s.p.problem;
	ck_refused(gt_small_solve("sirt", "anderson=3,momentum=yes", p, s.p.x, NULL), GT_ERR_ARG,
	           "anderson=3 with momentum=yes: expected one");
	ck_refused(gt_small_solve("os-sart", "subsets=1,anderson=3", p, s.p.x, NULL), GT_ERR_ARG,
	           "anderson=3 with reduce=0.99: steps that shrink have no fixed point, expected reduce=1");
	/* A volume of a hundredth of all memory, which is never written. */
	size_t available, total;
	gt_array *large;
	gt_anderson a;
	double nothing;
	gt_backend_memory(s.p.be, &available, &total);
	ck_ok(gt_array_wrap(s.p.be, GT_F64, total / 60 / sizeof nothing, &nothing, &large));
	ck_refused(gt_anderson_new("solver", large, 40, &a), GT_ERR_MEMORY, "'solver': anderson=40 keeps 81 volumes of");
	gt_anderson_free(&a);
	const char *max = strstr(gt_error(), "expected ");
	ck_assert_ptr_nonnull(max);
	ck_assert_int_lt(atoi(max + 9), 31);
	gt_array_free(large);
	gt_small_noisy_free(&s);
}

int main(void) { return gt_test_main("solvers-anderson", NULL); }
