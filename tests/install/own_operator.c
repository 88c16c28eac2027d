/* A program outside the tree with its own operator (running sums) and penalty (squared norm), used by solvers of the
 * library. It includes only installed headers; docs/adding.md describes it. */
#include <gantry/linop.h>
#include <gantry/author/penalty.h>
#include <gantry/solver.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 40 };

/* y[i] = step (x[0] + ... + x[i]) and its transpose, computed on the host; custom kernels could work on the device. */
struct sums {
	double step, in[N], out[N];
};

static void sums_forward(void *self, const gt_array *x, gt_array *y)
{
	struct sums *s = self;
	double sum = 0;
	gt_array_get(x, s->in);
	for (int i = 0; i < N; i++)
		s->out[i] = s->step * (sum += s->in[i]);
	gt_array_put(s->out, y);
}

static void sums_adjoint(void *self, const gt_array *y, gt_array *x)
{
	struct sums *s = self;
	double sum = 0;
	gt_array_get(y, s->in);
	for (int i = N - 1; i >= 0; i--)
		s->out[i] = s->step * (sum += s->in[i]);
	gt_array_put(s->out, x);
}

static const struct gt_linop_ops sums = { .name = "running sums", .forward = sums_forward, .adjoint = sums_adjoint, .free = free };

static gt_status sums_new(gt_backend *be, gt_linop **A)
{
	struct sums *s = malloc(sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "running sums: no memory for %d numbers", N);
	s->step = 0.3;
	return gt_linop_new(&sums, s, be, GT_F64, N, N, A);
}

/* R(x) = strength/2 |x|^2, by array operations only, so that it works on any device. */
struct square {
	double strength;
	gt_array *ones;
};

static double square_value(void *self, const gt_array *x)
{
	const struct square *s = self;
	return s->strength / 2 * gt_dot(x, x);
}

static void square_majorize(void *self, gt_array *d)
{
	const struct square *s = self;
	gt_axpy(s->strength, s->ones, d);
}

static void square_gradient(void *self, const gt_array *x, gt_array *g, gt_array *d)
{
	const struct square *s = self;
	gt_axpy(s->strength, x, g);
	if (d)
		square_majorize(self, d);
}

static void square_line(void *self, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature)
{
	const struct square *s = self;
	const double squares = gt_dot(p, p);
	*slope = s->strength * (gt_dot(x, p) + a * squares);
	*curvature = s->strength * squares;
}

static const struct gt_penalty_ops square = {
	.name = "square",
	.value = square_value,
	.gradient = square_gradient,
	.majorize = square_majorize,
	.line = square_line,
};

/* At the minimum the gradient A'(A x - b) + strength x is zero. */
static double gradient(const gt_linop *A, const gt_array *b, const gt_penalty *R, const gt_array *x, gt_array *r, gt_array *g)
{
	gt_forward(A, x, r);
	gt_axpy(-1, b, r);
	gt_adjoint(A, r, g);
	gt_penalty_gradient(R, x, g, NULL);
	return sqrt(gt_dot(g, g));
}

static gt_status solve(const char *name, const char *options, const gt_linop *A, const gt_array *b, const gt_penalty *R, gt_array *x)
{
	const gt_solver *s = gt_solver_find(name);
	const gt_problem problem = {
		.subsets = 1, .A = (gt_linop *const *)&A, .b = (gt_array *const *)&b, .lo = -INFINITY, .hi = INFINITY, .R = R
	};
	void *o = NULL;
	gt_status st = gt_params_new(s->params, options, s->defaults, s->options_size, &o);
	gt_fill(0, x);
	if (st == GT_OK)
		st = gt_solve(s, &problem, o, x, NULL);
	free(o);
	return st;
}

int main(void)
{
	double b[N], mismatch = 1;
	struct square penalty = { .strength = 0.7 };
	gt_backend *be = NULL;
	gt_linop *A = NULL;
	gt_penalty *R = NULL;
	gt_array *data = NULL, *x = NULL, *r = NULL, *g = NULL;
	gt_status st;
	for (int i = 0; i < N; i++)
		b[i] = sin(1 + 0.37 * i * i);
	if ((st = gt_backend_open("cpu:1", &be)) || (st = sums_new(be, &A)) || (st = gt_linop_mismatch(A, 1, &mismatch)) ||
	    (st = gt_array_new(be, GT_F64, N, &penalty.ones)) || (st = gt_penalty_new(&square, &penalty, be, GT_F64, N, 1, &R)) ||
	    (st = gt_array_new(be, GT_F64, N, &data)) || (st = gt_array_like(data, &x)) || (st = gt_array_like(data, &r)) ||
	    (st = gt_array_like(data, &g)))
		goto done;
	gt_array_put(b, data);
	gt_fill(1, penalty.ones);
	printf("mismatch of the pair: %.2g\n", mismatch);
	if ((st = solve("cgls", "iterations=60", A, data, NULL, x)))
		goto done;
	const double alone = gradient(A, data, NULL, x, r, g);
	if ((st = solve("pcg", "iterations=200", A, data, R, x)))
		goto done;
	const double with = gradient(A, data, R, x, r, g), without = gradient(A, data, NULL, x, r, g);
	printf("gradient of the cost: %.2g alone, %.2g with the penalty, which itself is %.2g\n", alone, with, without);
	if (!(mismatch < 1e-14) || !(alone < 1e-6) || !(with < 1e-6) || !(without > 1e-2))
		st = gt_fail(GT_ERR_DIVERGED, "own_operator: the solvers did not find the minimum");
done:
	if (st != GT_OK)
		fprintf(stderr, "%s\n", gt_error());
	gt_array_free(data);
	gt_array_free(penalty.ones);
	gt_array_free(x);
	gt_array_free(r);
	gt_array_free(g);
	gt_penalty_free(R);
	gt_linop_free(A);
	gt_backend_close(be);
	return st != GT_OK;
}
