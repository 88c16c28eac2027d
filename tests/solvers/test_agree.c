/* Same problem, same answer: one noisy head, weighted by its photons, with Huber's penalty, by every solver that minimises its cost;
 * and the backend's single precision beside the CPU's double.
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

START_TEST(same_problem_same_answer)
{
	gt_backend *be = gt_test_backend();
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
END_TEST

/* The image of 100 iterations, as doubles. */
static double *hundred(gt_backend *be, gt_type type, const char *preconditioner, struct gt_test_head **h, gt_penalty **R)
{
	char text[64];
	snprintf(text, sizeof text, "iterations=100,preconditioner=%s", preconditioner);
	*h = head(be, type, 1, R);
	solve("pcg", text, &(*h)->problem, (*h)->x);
	return gt_test_values((*h)->x);
}

START_TEST(single_here_as_double_on_the_cpu)
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
END_TEST

static void fill(TCase *tc)
{
	tcase_add_test(tc, same_problem_same_answer);
	tcase_add_loop_test(tc, single_here_as_double_on_the_cpu, 0, 2);
}

int main(void) { return gt_test_main("agree", fill); }
