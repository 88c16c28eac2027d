/* Penalties on successive voxels, by operations that every backend has. */
#include <stdlib.h>
#include "tests/support/penalties.h"
#include "tests/support/support.h"

struct chain {
	double strength, limit;
	size_t n;
	gt_array *difference, *clipped, *along; /* n - 1 */
	int allows;                             /* GT_HAS_... */
};

/* y = differences of x. */
static void differ(const struct chain *c, const gt_array *x, gt_array *y)
{
	gt_array *from = NULL, *to = NULL;
	ck_ok(gt_array_part(x, 0, c->n - 1, &from));
	ck_ok(gt_array_part(x, 1, c->n - 1, &to));
	gt_copy(to, y);
	gt_axpy(-1, from, y);
	gt_array_free(from);
	gt_array_free(to);
}

/* y += a times the adjoint of the differences of c->clipped. */
static void join(const struct chain *c, double a, gt_array *y)
{
	gt_array *from = NULL, *to = NULL;
	ck_ok(gt_array_part(y, 0, c->n - 1, &from));
	ck_ok(gt_array_part(y, 1, c->n - 1, &to));
	gt_axpy(-a, c->clipped, from);
	gt_axpy(a, c->clipped, to);
	gt_array_free(from);
	gt_array_free(to);
}

static void clip(const struct chain *c)
{
	gt_copy(c->difference, c->clipped);
	gt_clamp(-c->limit, c->limit, c->clipped);
}

static double value(void *self, const gt_array *x)
{
	const struct chain *c = self;
	differ(c, x, c->difference);
	clip(c);
	return c->strength * (gt_dot(c->difference, c->clipped) - 0.5 * gt_dot(c->clipped, c->clipped));
}

static void majorize(void *self, gt_array *d)
{
	const struct chain *c = self;
	gt_fill(2 * c->strength, c->clipped);
	gt_array *from = NULL, *to = NULL;
	ck_ok(gt_array_part(d, 0, c->n - 1, &from));
	ck_ok(gt_array_part(d, 1, c->n - 1, &to));
	gt_axpy(1, c->clipped, from);
	gt_axpy(1, c->clipped, to);
	gt_array_free(from);
	gt_array_free(to);
}

static void gradient(void *self, const gt_array *x, gt_array *g, gt_array *d)
{
	const struct chain *c = self;
	differ(c, x, c->difference);
	clip(c);
	join(c, c->strength, g);
	if (d)
		majorize(self, d);
}

static void line(void *self, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature)
{
	const struct chain *c = self;
	differ(c, x, c->difference);
	differ(c, p, c->along);
	gt_axpy(a, c->along, c->difference);
	clip(c);
	*slope = c->strength * gt_dot(c->clipped, c->along);
	*curvature = c->strength * gt_dot(c->along, c->along);
}

static void chain_free(void *self)
{
	struct chain *c = self;
	gt_array_free(c->difference);
	gt_array_free(c->clipped);
	gt_array_free(c->along);
	free(c);
}

const struct gt_penalty_ops gt_test_chain_ops = { "chain", value, gradient, majorize, line, NULL, chain_free, NULL, NULL },
			    gt_test_slopeless_ops = { "rough", value, NULL, NULL, line, NULL, chain_free, NULL, NULL },
			    gt_test_lineless_ops = { "lineless", value, gradient, majorize, NULL, NULL, chain_free, NULL, NULL };

gt_penalty *gt_test_chain(const struct gt_penalty_ops *ops, const gt_array *x, double strength, double limit)
{
	struct chain *c = calloc(1, sizeof *c);
	gt_penalty *R = NULL;
	gt_backend *be = gt_array_backend(x);
	*c = (struct chain){ .strength = strength, .limit = limit, .n = gt_array_size(x) };
	ck_ok(gt_array_new(be, gt_array_type(x), c->n - 1, &c->difference));
	ck_ok(gt_array_like(c->difference, &c->clipped));
	ck_ok(gt_array_like(c->difference, &c->along));
	ck_ok(gt_penalty_new(ops, c, be, gt_array_type(x), c->n, 1, &R));
	return R;
}

struct square {
	double strength;
	gt_array *ones;
};
static double square_value(void *self, const gt_array *x) { return 0.5 * ((struct square *)self)->strength * gt_dot(x, x); }
static void square_majorize(void *self, gt_array *d) { gt_axpy(((struct square *)self)->strength, ((struct square *)self)->ones, d); }
static void square_gradient(void *self, const gt_array *x, gt_array *g, gt_array *d)
{
	gt_axpy(((struct square *)self)->strength, x, g);
	if (d)
		square_majorize(self, d);
}
static void square_line(void *self, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature)
{
	*curvature = ((struct square *)self)->strength * gt_dot(p, p);
	*slope = ((struct square *)self)->strength * gt_dot(x, p) + a * *curvature;
}
static void square_prox(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	if (x != z)
		gt_copy(z, x);
	gt_scale(1 / (1 + t * ((struct square *)self)->strength), x);
	gt_clamp(lo, hi, x);
}
static void square_free(void *self)
{
	gt_array_free(((struct square *)self)->ones);
	free(self);
}
const struct gt_penalty_ops gt_test_square_ops = { "square",        square_value, square_gradient,
	                                           square_majorize, square_line,  square_prox,
	                                           square_free,     NULL,         NULL },
			    gt_test_prox_ops = { "proximal", square_value, NULL, NULL, NULL, square_prox, square_free, NULL, NULL };

gt_penalty *gt_test_square(const struct gt_penalty_ops *ops, const gt_array *x, double strength)
{
	struct square *q = calloc(1, sizeof *q);
	gt_penalty *R = NULL;
	q->strength = strength;
	ck_ok(gt_array_like(x, &q->ones));
	gt_fill(1, q->ones);
	ck_ok(gt_penalty_new(ops, q, gt_array_backend(x), gt_array_type(x), gt_array_size(x), 1, &R));
	return R;
}
