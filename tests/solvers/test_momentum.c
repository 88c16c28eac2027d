/* Momentum over sweeps: the recursion of Beck and Teboulle step by step, its speed, and the reported values.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "tests/support/problem.h"
#include "tests/support/support.h"

static void solve(const struct gt_test_problem *p, const char *name, const char *text, gt_array *x, const gt_monitor *m)
{
	const gt_solver *s = gt_solver_find(name);
	void *options = NULL;
	ck_ok(gt_params_new(s->params, text, s->defaults, s->options_size, &options));
	ck_ok(gt_solve(s, &p->problem, options, x, m));
	free(options);
}

static double misfit(const struct gt_test_problem *p, const gt_array *x)
{
	gt_array *r = NULL;
	ck_ok(gt_array_like(p->b[0], &r));
	gt_forward(p->A[0], x, r);
	const double sum = gt_distance2(r, p->b[0]);
	gt_array_free(r);
	return sum;
}

/* Each iteration of the recursion is one of plain sirt, from the extrapolated point. */
GT_TEST(is_the_recursion)
{
	gt_backend *be = gt_test_backend();
	static const char *const steps[] = { "iterations=1", "iterations=2", "iterations=7", "iterations=12" };
	static const int counts[] = { 1, 2, 7, 12 };
	struct gt_test_problem p = gt_test_problem(be, GT_F64, 11, 15, 1);
	gt_array *x = NULL, *before = NULL, *next = NULL, *found = NULL;
	ck_ok(gt_array_like(p.x, &x));
	ck_ok(gt_array_like(p.x, &before));
	ck_ok(gt_array_like(p.x, &next));
	ck_ok(gt_array_like(p.x, &found));
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		char text[64];
		double t = 1;
		gt_fill(0.01, x);
		gt_fill(0.01, before);
		for (int k = 0; k < counts[i]; k++) {
			const double later = (1 + sqrt(1 + 4 * t * t)) / 2, beta = (t - 1) / later;
			t = later;
			gt_copy(x, next);
			gt_axpby(-beta, before, 1 + beta, next);
			gt_copy(x, before);
			solve(&p, "sirt", "iterations=1", next, NULL);
			gt_copy(next, x);
		}
		snprintf(text, sizeof text, "%s,momentum", steps[i]);
		gt_fill(0.01, found);
		solve(&p, "sirt", text, found, NULL);
		ck_assert_double_le(gt_distance2(found, x), 1e-24 * gt_dot(x, x));
		/* differs from the plain iteration after the first two steps, which have no momentum */
		gt_fill(0.01, next);
		solve(&p, "sirt", steps[i], next, NULL);
		const double apart = gt_distance2(found, next);
		if (counts[i] < 2)
			ck_assert_double_le(apart, 1e-24 * gt_dot(x, x));
		else
			ck_assert_double_gt(apart, 1e-8 * gt_dot(x, x));
	}
	gt_array_free(x);
	gt_array_free(before);
	gt_array_free(next);
	gt_array_free(found);
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

/* The residual falls as 1/k^2 instead of 1/k. */
GT_TEST(is_faster)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_problem p = gt_test_problem(be, GT_F32, 24, 30, 1);
	gt_array *plain = NULL, *fast = NULL;
	ck_ok(gt_array_like(p.x, &plain));
	ck_ok(gt_array_like(p.x, &fast));
	gt_fill(0, plain);
	gt_fill(0, fast);
	solve(&p, "sirt", "iterations=120", plain, NULL);
	solve(&p, "os-sart", "iterations=40,subsets=1,reduce=1,momentum", fast, NULL);
	ck_assert_double_lt(misfit(&p, fast), misfit(&p, plain));
	ck_assert_double_lt(gt_test_problem_error(&p, fast), gt_test_problem_error(&p, plain));
	gt_array_free(plain);
	gt_array_free(fast);
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

struct stop {
	int at;
	gt_array *seen;
};
static int stop_there(void *self, const gt_progress *g)
{
	const struct stop *s = self;
	if (g->iteration == s->at)
		gt_copy(g->x, s->seen);
	return g->iteration == s->at;
}

/* At any end the result is the last reported iterate. */
GT_TEST(result_is_the_last_iterate)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_problem p = gt_test_problem(be, GT_F32, 12, 14, 2);
	struct stop s = { 0, NULL };
	const gt_monitor m = { .each = stop_there, .self = &s };
	const gt_solver *solver = gt_solver_find("os-sart");
	ck_ok(gt_array_like(p.x, &s.seen));
	for (s.at = 1; s.at <= 4; s.at++) {
		void *options = NULL;
		ck_ok(gt_params_new(solver->params, s.at % 2 ? "subsets=2,momentum" : "subsets=2", solver->defaults, solver->options_size,
		                    &options));
		gt_fill(0, p.x);
		ck_assert_int_eq(gt_solve(solver, &p.problem, options, p.x, &m), GT_STOPPED);
		ck_assert_double_eq(gt_distance2(p.x, s.seen), 0);
		ck_assert_double_gt(gt_dot(p.x, p.x), 0);
		free(options);
	}
	gt_array_free(s.seen);
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

/* Reported values belong to the reported image, to rounding, with momentum and restarts, weights and a penalty. */
static const struct figures {
	const char *solver, *options, *penalty;
	size_t subsets;
	int weights;
} figures[] = {
	{ "sirt", "iterations=30,momentum", NULL, 1, 0 },
	{ "os-sart", "iterations=12,relax=0.7,reduce=0.9,keep=no,momentum", NULL, 1, 0 },
	{ "sirt", "iterations=8", NULL, 1, 0 },
	{ "os-sqs", "iterations=60", NULL, 1, 0 },
	{ "os-sqs", "iterations=40", "fair:strength=2,delta=20HU", 1, 1 },
	{ "os-sqs", "iterations=60,fewer=0.1,single=0.2", "qggmrf:strength=0.5", 5, 1 },
	{ "os-sqs", "iterations=12,momentum=no,single=0.3", "huber:strength=2,delta=20HU", 4, 0 },
	{ "os-sqs", "iterations=30,fewer=0.4,single=0.7,restart=no", "huber:strength=2,delta=20HU", 6, 1 },
	{ "fista", "iterations=40", "huber:strength=2,delta=20HU", 1, 1 },
	{ "fista", "iterations=15,prox=yes", "tv:strength=0.02,inner=4", 1, 0 },
};
enum { FIGURES = sizeof figures / sizeof *figures };

struct judge {
	const gt_problem *p;
	double tolerance, ahead; /* largest distance from x to the image of the values */
	int known, partial;
};

static double cost_of(const gt_problem *p, const gt_array *x, double *data, double *square)
{
	*data = *square = 0;
	for (size_t k = 0; k < p->subsets; k++) {
		gt_array *r = NULL;
		ck_ok(gt_array_like(p->b[k], &r));
		gt_forward(p->A[k], x, r);
		*square += gt_distance2(r, p->b[k]);
		gt_axpy(-1, p->b[k], r);
		double weighted = gt_dot(r, r);
		if (p->w) {
			gt_weighted_norm2_async(r, p->w[k], &weighted);
			gt_reductions_wait(gt_array_backend(r));
		}
		*data += weighted / 2;
		gt_array_free(r);
	}
	return *data + gt_penalty_value(p->R, x);
}

static int judge(void *self, const gt_progress *g)
{
	struct judge *j = self;
	double data, square;
	if (g->cost_is_partial) {
		const double penalty = gt_penalty_value(j->p->R, g->cost_of);
		ck_assert_msg(fabs(g->penalty - penalty) <= 1e-12 * penalty,
		              "iteration %d: penalty %.17g, of the image that is named %.17g", g->iteration, g->penalty, penalty);
		ck_assert_double_eq(g->cost, g->data + g->penalty);
		ck_assert(isfinite(g->data) && g->data > 0);
		j->partial++;
		return 0;
	}
	const double cost = cost_of(j->p, g->cost_of, &data, &square);
	const double wrong = !isnan(g->cost) ? fabs(g->cost / cost - 1) : fabs(g->residual / sqrt(square) - 1);
	ck_assert_msg(wrong < j->tolerance, "iteration %d: %.9g instead of %.9g, wrong by %.1e", g->iteration,
	              !isnan(g->cost) ? g->cost : g->residual, !isnan(g->cost) ? cost : sqrt(square), wrong);
	if (!isnan(g->data))
		ck_assert_double_lt(fabs(g->data / data - 1), j->tolerance);
	if (!isnan(g->residual))
		ck_assert_double_lt(fabs(g->residual / sqrt(square) - 1), j->tolerance);
	j->ahead = fmax(j->ahead, gt_distance2(g->x, g->cost_of));
	j->known++;
	return 0;
}

GT_TESTS(figures_are_of_the_image_that_is_named, 2 * FIGURES)
{
	const struct figures *f = &figures[_i / 2];
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	gt_backend *be = gt_test_backend();
	struct gt_test_problem p = gt_test_problem(be, type, 11, 15, f->subsets);
	gt_array **w = gt_test_weights(&p);
	gt_penalty *R = NULL;
	for (size_t k = 0; k < f->subsets; k++) {
		gt_array *noise = gt_test_array(be, type, gt_array_size(p.b[k]), 20 + (unsigned)k);
		gt_axpy(0.02 * gt_max(p.b[k]), noise, p.b[k]);
		gt_array_free(noise);
	}
	if (f->penalty)
		ck_ok(gt_regularizer_new(f->penalty, be, type, &p.grid, NULL, &R));
	p.problem.R = R;
	p.problem.w = f->weights ? w : NULL;
	p.problem.lo = 0;
	struct judge j = { .p = &p.problem, .tolerance = type == GT_F64 ? 1e-9 : 1e-5 };
	solve(&p, f->solver, f->options, p.x, &(gt_monitor){ .each = judge, .self = &j });
	ck_assert_int_gt(j.known, 7);
	ck_assert(j.partial > 0 || f->subsets == 1);
	if (strcmp(f->solver, "fista"))
		ck_assert_double_gt(j.ahead, 0);
	gt_test_weights_free(&p, w);
	gt_penalty_free(R);
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

static int count_rises(void *self, const gt_progress *g)
{
	double *seen = self; /* previous data term; number of rises by a tenth */
	seen[1] += g->data > 1.1 * seen[0];
	seen[0] = g->data;
	return 0;
}

/* From an image that overfits the data a penalty raises the data term: os-sqs keeps its momentum. */
GT_TEST(a_penalty_may_raise_the_data_term)
{
	static const char *const runs[] = { "iterations=12,fewer=1,single=1,restart=no", "iterations=12,fewer=1,single=1" };
	gt_backend *be = gt_test_backend();
	struct gt_test_problem p = gt_test_problem(be, GT_F64, 11, 15, 3);
	gt_array *x[2] = { NULL, NULL };
	gt_penalty *R = NULL;
	ck_ok(gt_regularizer_new("quadratic:strength=1", be, GT_F64, &p.grid, NULL, &R));
	p.problem.R = R;
	for (int i = 0; i < 2; i++) {
		double seen[2] = { INFINITY, 0 };
		ck_ok(gt_array_like(p.x, &x[i]));
		gt_copy(p.truth, x[i]);
		solve(&p, "os-sqs", runs[i], x[i], &(gt_monitor){ .each = count_rises, .self = seen });
		ck_assert_double_gt(seen[1], 0);
	}
	ck_assert_double_eq(gt_distance2(x[0], x[1]), 0);
	gt_array_free(x[0]);
	gt_array_free(x[1]);
	gt_penalty_free(R);
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("momentum", NULL); }
