/* Noisy weighted problem, its stacked operator, and monitored solver runs. */
#include <math.h>
#include <stdlib.h>
#include "core/device/backend.h"
#include "tests/support/noisy.h"
#include "tests/support/support.h"

/* All subsets of a problem as one operator. */
struct stack {
	const gt_problem *p;
	gt_array *one;
};

static void stack_forward(void *self, const gt_array *x, gt_array *y)
{
	const gt_problem *p = ((struct stack *)self)->p;
	for (size_t k = 0, first = 0; k < p->subsets; k++) {
		gt_array *part = NULL;
		ck_ok(gt_array_part(y, first, gt_array_size(p->b[k]), &part));
		gt_forward(p->A[k], x, part);
		first += gt_array_size(part);
		gt_array_free(part);
	}
}

static void stack_adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct stack *s = self;
	for (size_t k = 0, first = 0; k < s->p->subsets; k++) {
		gt_array *part = NULL;
		ck_ok(gt_array_part(y, first, gt_array_size(s->p->b[k]), &part));
		gt_adjoint(s->p->A[k], part, k ? s->one : x);
		if (k)
			gt_axpy(1, s->one, x);
		first += gt_array_size(part);
		gt_array_free(part);
	}
}

static void stack_free(void *self)
{
	gt_array_free(((struct stack *)self)->one);
	free(self);
}
static const struct gt_linop_ops stack_ops = { "stack", stack_forward, stack_adjoint, stack_free };

static gt_array *weights(gt_backend *be, gt_type type, size_t n)
{
	gt_array *w = NULL;
	float *host = malloc(n * sizeof *host);
	gt_test_random(5, n, host);
	for (size_t i = 0; i < n; i++)
		host[i] = host[i] < -0.9f ? 0 : 1.2f + host[i];
	ck_ok(gt_array_new(be, type, n, &w));
	gt_array_put_float(host, w);
	free(host);
	return w;
}

struct gt_test_noisy *gt_test_noisy(gt_backend *be, gt_type type)
{
	struct gt_test_noisy *n = calloc(1, sizeof *n);
	struct stack *s = calloc(1, sizeof *s);
	size_t cells = 0, first = 0;
	n->p = gt_test_problem(be, type, 12, 30, GT_TEST_NOISY_SUBSETS);
	for (size_t k = 0; k < GT_TEST_NOISY_SUBSETS; k++)
		cells += gt_array_size(n->p.b[k]);
	n->b = gt_test_array(be, type, cells, 3);
	gt_scale(0.1, n->b);
	n->w = weights(be, type, cells);
	for (size_t k = 0; k < GT_TEST_NOISY_SUBSETS; first += gt_array_size(n->bs[k]), k++) {
		ck_ok(gt_array_part(n->b, first, gt_array_size(n->p.b[k]), &n->bs[k]));
		ck_ok(gt_array_part(n->w, first, gt_array_size(n->p.b[k]), &n->ws[k]));
		gt_axpy(1, n->p.b[k], n->bs[k]);
	}
	n->many = n->p.problem;
	n->many.b = n->bs;
	n->many.w = n->ws;
	s->p = &n->many;
	ck_ok(gt_array_like(n->p.x, &s->one));
	ck_ok(gt_linop_new(&stack_ops, s, be, type, gt_array_size(n->p.x), cells, &n->A));
	n->one = (gt_problem){ .subsets = 1, .A = &n->A, .b = &n->b, .w = &n->w, .lo = -INFINITY, .hi = INFINITY };
	n->start = gt_test_array(be, type, gt_array_size(n->p.x), 11);
	gt_scale(0.01, n->start);
	return n;
}

void gt_test_noisy_free(struct gt_test_noisy *n)
{
	for (size_t k = 0; k < GT_TEST_NOISY_SUBSETS; k++) {
		gt_array_free(n->bs[k]);
		gt_array_free(n->ws[k]);
	}
	gt_array_free(n->b);
	gt_array_free(n->w);
	gt_array_free(n->start);
	gt_linop_free(n->A);
	gt_test_problem_free(&n->p);
	free(n);
}

void gt_test_noisy_penalty(struct gt_test_noisy *n, const gt_penalty *R, double lo, double hi)
{
	n->one.R = n->many.R = R;
	n->one.lo = n->many.lo = lo;
	n->one.hi = n->many.hi = hi;
}

static int see(void *self, const gt_progress *g)
{
	struct gt_test_log *l = self;
	l->cost[l->calls] = g->cost;
	l->gradient[l->calls] = g->gradient;
	l->last = gt_test_counters(gt_array_backend(g->x));
	if (l->calls++ == 0)
		l->first = l->last;
	if (l->seen)
		gt_copy(g->x, l->seen);
	return g->iteration == l->stop_at;
}

gt_status gt_test_solve(const char *name, const char *text, const gt_problem *p, gt_array *x, struct gt_test_log *l)
{
	const gt_solver *s = gt_solver_find(name);
	void *o = NULL;
	ck_assert_ptr_nonnull(s);
	ck_ok(gt_params_new(s->params, text, s->defaults, s->options_size, &o));
	const gt_status st = gt_solve(s, p, o, x, l ? &(gt_monitor){ .each = see, .self = l } : NULL);
	free(o);
	return st;
}

double gt_test_cost(const gt_problem *p, const gt_array *x, gt_array *g)
{
	gt_array *r = NULL, *weighted = NULL;
	ck_ok(gt_array_like(p->b[0], &r));
	ck_ok(gt_array_like(r, &weighted));
	gt_forward(p->A[0], x, r);
	gt_xpay(p->b[0], -1, r);
	gt_copy(r, weighted);
	if (p->w)
		gt_mul(p->w[0], weighted);
	const double data = 0.5 * gt_dot(r, weighted);
	gt_adjoint(p->A[0], weighted, g);
	gt_scale(-1, g);
	gt_penalty_gradient(p->R, x, g, NULL);
	gt_array_free(r);
	gt_array_free(weighted);
	return data + gt_penalty_value(p->R, x);
}

double gt_test_apart(const gt_array *x, const gt_array *y) { return sqrt(gt_distance2(x, y) / (double)gt_array_size(x)); }
double gt_test_norm(const gt_array *x) { return sqrt(gt_dot(x, x)); }

void gt_test_never_rises(const struct gt_test_log *l, const char *who)
{
	for (int k = 1; k < l->calls; k++)
		ck_assert_msg(l->cost[k] <= l->cost[k - 1] * (1 + 1e-12), "%s, iteration %d: cost %.15g after %.15g", who, k + 1,
		              l->cost[k], l->cost[k - 1]);
}
