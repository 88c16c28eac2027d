/* All solvers of one cost agree on a noisy head with photon weights and a Huber penalty. Single precision on the
 * backend agrees with double on the CPU.
 * labels: property slow */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <gantry/regularizer.h>
#include "tests/support/head.h"
#include "tests/support/images.h"
#include "tests/support/support.h"

enum { N = 32, SLICES = 3, COARSE = 16, SUBSETS = 6 };
static const char penalty[] = "huber:strength=4000,delta=20HU";

static struct gt_test_head *head(gt_backend *be, gt_type type, size_t subsets, gt_penalty **R)
{
	struct gt_test_head *h = gt_test_head(be, type, N, SLICES, COARSE, subsets, 1e5);
	ck_ok(gt_regularizer_new(penalty, be, type, &h->grid, NULL, R));
	h->problem.R = *R;
	return h;
}

static double cost_of(const gt_problem *p, const gt_array *x)
{
	double cost = gt_penalty_value(p->R, x);
	for (size_t k = 0; k < p->subsets; k++) {
		gt_array *r = NULL;
		ck_ok(gt_array_like(p->b[k], &r));
		gt_forward(p->A[k], x, r);
		gt_axpy(-1, p->b[k], r);
		cost += 0.5 * gt_weighted_norm2(r, p->w[k]);
		gt_array_free(r);
	}
	return cost;
}

static void solve(const char *name, const char *text, const gt_problem *p, gt_array *x)
{
	const gt_solver *s = gt_solver_find(name);
	void *o = NULL;
	ck_assert_ptr_nonnull(s);
	ck_ok(gt_params_new(s->params, text, s->defaults, s->options_size, &o));
	gt_fill(0, x);
	ck_ok(gt_solve(s, p, o, x, NULL));
	free(o);
}

static const struct {
	const char *name, *options;
	size_t subsets;
} peers[] = { { "pcg", "iterations=120,preconditioner=ramp", 1 },
	      { "pcg", "iterations=250,preconditioner=diagonal", 1 },
	      { "fista", "iterations=450,nonneg=no", 1 },
	      { "os-sqs", "iterations=450,nonneg=no,fewer=0.02,single=0.05", SUBSETS },
	      { "pdhg", "iterations=1400,nonneg=no", 1 } };
enum { PEERS = sizeof peers / sizeof *peers };

GT_TEST(same_problem_same_answer)
{
	gt_backend *be = gt_test_backend_alone();
	double *first = NULL, first_cost = 0;
	for (int i = 0; i < PEERS; i++) {
		gt_penalty *R = NULL;
		struct gt_test_head *h = head(be, GT_F32, peers[i].subsets, &R);
		solve(peers[i].name, peers[i].options, &h->problem, h->x);
		const double cost = cost_of(&h->problem, h->x);
		if (!first) {
			first = gt_test_values(h->x);
			first_cost = cost;
		}
		const double off = gt_test_head_difference(h, h->x, first);
		printf("%s:%s: cost %.10g, %.2e of the first's away, image %.3f HU\n", peers[i].name, peers[i].options, cost,
		       cost / first_cost - 1, off);
		fflush(stdout);
		ck_assert_msg(fabs(cost / first_cost - 1) < 1e-5, "%s: cost %.9g, of the first %.9g", peers[i].name, cost, first_cost);
		ck_assert_msg(off < 0.5, "%s: %g HU from the first", peers[i].name, off);
		gt_penalty_free(R);
		gt_test_head_free(h);
	}
	free(first);
	gt_backend_close(be);
}

/* Cost within 1e-6 of the minimum and equal images, for every method without parameters of its own. Double precision
 * excludes rounding. The last one is the reference. */
static const struct {
	const char *name, *options;
	size_t subsets;
} near[] = { { "pcg", "iterations=150", 1 },
	     { "fista", "iterations=450", 1 },
	     { "pdhg", "iterations=1200", 1 },
	     { "os-sqs", "iterations=450,single=0.2,fewer=0.1", SUBSETS },
	     { "os-sqs", "iterations=450,subsets=1", 1 },
	     { "fista", "iterations=1500", 1 } };
enum { NEAR = sizeof near / sizeof *near };

GT_TEST(all_reach_the_minimum)
{
	gt_backend *be = gt_test_backend_alone();
	double *x[NEAR], cost[NEAR];
	gt_penalty *R = NULL;
	struct gt_test_head *h = NULL;
	for (int i = 0; i < NEAR; i++) {
		h = gt_test_head(be, GT_F64, 16, 2, 32, near[i].subsets, 1e5);
		ck_ok(gt_regularizer_new("huber:strength=40000,delta=20HU", be, GT_F64, &h->grid, NULL, &R));
		h->problem.R = R;
		solve(near[i].name, near[i].options, &h->problem, h->x);
		cost[i] = cost_of(&h->problem, h->x);
		x[i] = gt_test_values(h->x);
		gt_penalty_free(R);
		if (i + 1 < NEAR)
			gt_test_head_free(h);
	}
	for (int i = 0; i < NEAR - 1; i++) {
		const double gap = cost[i] / cost[NEAR - 1] - 1;
		gt_array_put(x[i], h->x);
		const double off = gt_test_head_difference(h, h->x, x[NEAR - 1]);
		printf("%s:%s: gap %.2e, image %.4f HU\n", near[i].name, near[i].options, gap, off);
		ck_assert_msg(gap < 1e-6 && gap > -1e-9, "%s:%s: gap %g", near[i].name, near[i].options, gap);
		ck_assert_msg(off < 0.1, "%s:%s: %g HU", near[i].name, near[i].options, off);
	}
	for (int i = 0; i < NEAR; i++)
		free(x[i]);
	gt_test_head_free(h);
	gt_backend_close(be);
}

/* Total variation has a gradient of its smoothed form only: by default fista uses the proximal step, and agrees with
 * pdhg. */
GT_TEST(fista_takes_the_proximal_step)
{
	static const char *const runs[][2] = { { "pdhg", "iterations=250" },
		                               { "fista", "iterations=250" },
		                               { "fista", "iterations=250,prox=yes" },
		                               { "fista", "iterations=250,prox=no" } };
	gt_backend *be = gt_test_backend();
	double cost[4];
	for (int i = 0; i < 4; i++) {
		gt_penalty *R = NULL;
		struct gt_test_head *h = gt_test_head(be, GT_F64, 16, 2, 32, 1, 1e5);
		ck_ok(gt_regularizer_new("tv:strength=10", be, GT_F64, &h->grid, NULL, &R));
		h->problem.R = R;
		h->problem.lo = 0;
		solve(runs[i][0], runs[i][1], &h->problem, h->x);
		cost[i] = cost_of(&h->problem, h->x);
		printf("tv, %s:%s: cost %.9g\n", runs[i][0], runs[i][1], cost[i]);
		gt_penalty_free(R);
		gt_test_head_free(h);
	}
	ck_assert_double_lt(fabs(cost[1] / cost[0] - 1), 1e-4);
	ck_assert_double_eq(cost[1], cost[2]);
	ck_assert_double_gt(cost[3], 1.01 * cost[0]);
	gt_backend_close(be);
}

/* Returns the image after 100 iterations in double. */
static double *hundred(gt_backend *be, gt_type type, const char *preconditioner, struct gt_test_head **h, gt_penalty **R)
{
	char text[64];
	snprintf(text, sizeof text, "iterations=100,preconditioner=%s", preconditioner);
	*h = head(be, type, 1, R);
	solve("pcg", text, &(*h)->problem, (*h)->x);
	return gt_test_values((*h)->x);
}

GT_TESTS(single_here_as_double_on_the_cpu, 2)
{
	gt_backend *be = gt_test_backend(), *cpu = NULL;
	struct gt_test_head *mine, *truth;
	gt_penalty *R[2] = { NULL };
	ck_ok(gt_backend_open("cpu", &cpu));
	double *want = hundred(cpu, GT_F64, _i ? "ramp" : "diagonal", &truth, &R[0]);
	double *got = hundred(be, GT_F32, _i ? "ramp" : "diagonal", &mine, &R[1]);
	const double off = gt_test_head_difference(mine, mine->x, want);
	gt_fill(0, mine->x);
	const double size = gt_test_head_difference(mine, mine->x, want);
	printf("100 iterations of pcg, %s: single is %.4f HU from double on the CPU, of %.0f\n", _i ? "ramp" : "diagonal", off, size);
	ck_assert_double_lt(off, 0.5);
	ck_assert_double_gt(size, 300);
	free(want), free(got);
	for (int i = 0; i < 2; i++)
		gt_penalty_free(R[i]);
	gt_test_head_free(mine);
	gt_test_head_free(truth);
	gt_backend_close(cpu);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("agree", NULL); }
