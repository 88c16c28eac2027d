/* pcg, fista, os-sqs and weighted cgls: the exact minimum of a small problem, the same minimum of a noisy one with a penalty,
 * costs that do not rise, bounds, nothing allocated and no array moved within iterations; refusals.
 * labels: property slow */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "regularizers/regularizer.h"
#include "tests/support/problem.h"
#include "tests/support/support.h"

/* strength * sum of Huber's potential of x[i+1] - x[i] in memory order; limit = INFINITY: half squares. Made of the backends' own
 * operations only, so that it runs on all of them. */
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

static const struct gt_penalty_ops chain_ops = { "chain", value, gradient, majorize, line, NULL, chain_free, NULL, NULL },
				   slopeless_ops = { "rough", value, NULL, NULL, line, NULL, chain_free, NULL, NULL },
				   lineless_ops = { "lineless", value, gradient, majorize, NULL, NULL, chain_free, NULL, NULL };

static gt_penalty *chain(const struct gt_penalty_ops *ops, const gt_array *x, double strength, double limit)
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

/* strength/2 |x|^2. */
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
static const struct gt_penalty_ops square_ops = { "square",        square_value, square_gradient,
	                                          square_majorize, square_line,  square_prox,
	                                          square_free,     NULL,         NULL },
				   prox_ops = { "proximal", square_value, NULL, NULL, NULL, square_prox, square_free, NULL, NULL };

static gt_penalty *square(const struct gt_penalty_ops *ops, const gt_array *x, double strength)
{
	struct square *q = calloc(1, sizeof *q);
	gt_penalty *R = NULL;
	q->strength = strength;
	ck_ok(gt_array_like(x, &q->ones));
	gt_fill(1, q->ones);
	ck_ok(gt_penalty_new(ops, q, gt_array_backend(x), gt_array_type(x), gt_array_size(x), 1, &R));
	return R;
}

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
static const struct gt_linop_ops stack_ops = { "stack", stack_forward, stack_adjoint, stack_free, NULL };

/* One noisy weighted problem, in subsets and as one. */
enum { SUBSETS = 6 };
struct noisy {
	struct gt_test_problem p;
	gt_problem many, one;
	gt_linop *A;
	gt_array *b, *w, *bs[SUBSETS], *ws[SUBSETS], *start;
};

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

static struct noisy *noisy(gt_backend *be, gt_type type)
{
	struct noisy *n = calloc(1, sizeof *n);
	struct stack *s = calloc(1, sizeof *s);
	size_t cells = 0, first = 0;
	n->p = gt_test_problem(be, type, 12, 30, SUBSETS);
	for (size_t k = 0; k < SUBSETS; k++)
		cells += gt_array_size(n->p.b[k]);
	n->b = gt_test_array(be, type, cells, 3);
	gt_scale(0.1, n->b);
	n->w = weights(be, type, cells);
	for (size_t k = 0; k < SUBSETS; first += gt_array_size(n->bs[k]), k++) {
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

static void noisy_free(struct noisy *n)
{
	for (size_t k = 0; k < SUBSETS; k++) {
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

static void with_penalty(struct noisy *n, const gt_penalty *R, double lo, double hi)
{
	n->one.R = n->many.R = R;
	n->one.lo = n->many.lo = lo;
	n->one.hi = n->many.hi = hi;
}

/* What a monitor saw. */
struct log {
	int calls, stop_at;
	double cost[2000], gradient[2000];
	gt_counters first, last;
	gt_array *seen; /* NULL, or room for the volume last seen */
};

static int see(void *self, const gt_progress *g)
{
	struct log *l = self;
	l->cost[l->calls] = g->cost;
	l->gradient[l->calls] = g->gradient;
	l->last = gt_backend_counters(gt_array_backend(g->x));
	if (l->calls++ == 0)
		l->first = l->last;
	if (l->seen)
		gt_copy(g->x, l->seen);
	return g->iteration == l->stop_at;
}

static gt_status solve(const char *name, const char *text, const gt_problem *p, gt_array *x, struct log *l)
{
	const gt_solver *s = gt_solver_find(name);
	void *o = NULL;
	ck_assert_ptr_nonnull(s);
	ck_ok(gt_params_new(s->params, text, s->defaults, s->options_size, &o));
	const gt_status st = gt_solve(s, p, o, x, l ? &(gt_monitor){ .each = see, .self = l } : NULL);
	free(o);
	return st;
}

/* The cost at x, and its gradient in g, from the problem alone. */
static double cost_at(const gt_problem *p, const gt_array *x, gt_array *g)
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

static double rms(const gt_array *x, const gt_array *y) { return sqrt(gt_dist2(x, y) / (double)gt_array_size(x)); }
static double norm(const gt_array *x) { return sqrt(gt_dot(x, x)); }

static void never_rises(const struct log *l, const char *who)
{
	for (int k = 1; k < l->calls; k++)
		ck_assert_msg(l->cost[k] <= l->cost[k - 1] * (1 + 1e-12), "%s, iteration %d: cost %.15g after %.15g", who, k + 1,
		              l->cost[k], l->cost[k - 1]);
}

/* Solvers of one problem reach the same cost, the same image and no gradient; pcg and fista on a way that only falls. */
enum { STRENGTH = 100 };
static const struct {
	const char *name, *options;
	int many, falls;
} peers[] = { { "pcg", "iterations=50", 0, 1 },
	      { "pcg", "iterations=80,preconditioner=none,line=1", 0, 1 },
	      { "fista", "iterations=300", 0, 1 },
	      { "os-sqs", "iterations=300,fewer=0.05,single=0.1", 1, 0 },
	      { "os-sqs", "iterations=400", 0, 0 },
	      { "fista", "iterations=500,restart=no", 0, 0 },
	      { "os-sqs", "iterations=800,single=0,momentum=no", 1, 1 } };
enum { PEERS = sizeof peers / sizeof *peers, QUICK = PEERS - 2 };

START_TEST(same_problem_same_answer)
{
	gt_backend *be = gt_test_backend();
	struct noisy *n = noisy(be, GT_F64);
	const double limit = _i ? 5e-4 : INFINITY;
	gt_penalty *R = chain(&chain_ops, n->p.x, STRENGTH, limit);
	gt_array *x[PEERS] = { NULL }, *g = NULL;
	double cost[PEERS];
	ck_ok(gt_array_like(n->start, &g));
	with_penalty(n, R, -INFINITY, INFINITY);
	cost_at(&n->one, n->start, g);
	const double steep = norm(g);
	for (int i = 0; i < (_i ? QUICK : PEERS); i++) {
		struct log l = { 0 };
		ck_ok(gt_array_like(n->start, &x[i]));
		gt_copy(n->start, x[i]);
		ck_ok(solve(peers[i].name, peers[i].options, peers[i].many ? &n->many : &n->one, x[i], &l));
		cost[i] = cost_at(&n->one, x[i], g);
		printf("%s:%s limit %g: cost %.12g, gradient %.2e, from the first %.2e\n", peers[i].name, peers[i].options, limit, cost[i],
		       norm(g) / steep, rms(x[i], x[0]));
		fflush(stdout);
		if (peers[i].falls)
			never_rises(&l, peers[i].name);
		ck_assert_msg(norm(g) < 1e-5 * steep, "%s: gradient %g of %g", peers[i].name, norm(g), steep);
		ck_assert_msg(fabs(cost[i] - cost[0]) < 1e-7 * cost[0], "%s: cost %.12g, of the first %.12g", peers[i].name, cost[i],
		              cost[0]);
		ck_assert_msg(rms(x[i], x[0]) < 2e-6, "%s: %g mm^-1 from the first", peers[i].name, rms(x[i], x[0]));
		ck_assert(rms(x[i], n->start) > 1e-3);
	}
	for (int i = 0; i < PEERS; i++)
		gt_array_free(x[i]);
	gt_array_free(g);
	gt_penalty_free(R);
	noisy_free(n);
	gt_backend_close(be);
}
END_TEST

/* The same on a problem as users have it: Huber's penalty of 26 neighbours. Single precision reaches what double does. */
START_TEST(huber_by_all)
{
	static const struct {
		const char *name, *options;
		int many;
	} all[] = { { "pcg", "iterations=60", 0 },
		    { "fista", "iterations=250", 0 },
		    { "os-sqs", "iterations=100,subsets=6,fewer=0.2,single=0.4", 1 },
		    { "pdhg", "iterations=600", 0 } };
	gt_array *first = NULL;
	double cost[2][4];
	float *image[2] = { NULL };
	for (int t = 0; t < 2; t++) {
		gt_backend *be = gt_test_backend();
		struct noisy *n = noisy(be, t ? GT_F64 : GT_F32);
		gt_penalty *R = NULL;
		gt_array *x = NULL, *g = NULL;
		ck_ok(gt_regularizer_new("huber:strength=1500,delta=5HU", be, gt_array_type(n->start), &n->p.grid, NULL, &R));
		ck_ok(gt_array_like(n->start, &x));
		ck_ok(gt_array_like(n->start, &g));
		ck_ok(gt_array_like(n->start, &first));
		with_penalty(n, R, -INFINITY, INFINITY);
		for (int i = 0; i < 4; i++) {
			gt_copy(n->start, x);
			ck_ok(solve(all[i].name, all[i].options, all[i].many ? &n->many : &n->one, x, NULL));
			cost[t][i] = cost_at(&n->one, x, g);
			if (i == 0)
				gt_copy(x, first);
			printf("huber, %s in %s: cost %.9g, from pcg %.2g mm^-1\n", all[i].name, gt_type_name(gt_array_type(x)), cost[t][i],
			       rms(x, first));
			fflush(stdout);
			ck_assert_double_lt(fabs(cost[t][i] / cost[t][0] - 1), 1e-5);
			ck_assert_double_lt(rms(x, first), 1e-5);
		}
		image[t] = malloc(gt_array_size(x) * sizeof **image);
		gt_array_get_float(first, image[t]);
		if (t)
			ck_assert_double_lt(gt_test_rms(image[0], image[1], gt_array_size(x)), 1e-3);
		gt_array_free(x);
		gt_array_free(g);
		gt_array_free(first);
		gt_penalty_free(R);
		noisy_free(n);
		gt_backend_close(be);
	}
	free(image[0]);
	free(image[1]);
}
END_TEST

/* y = M x for a small matrix on the host, rows one after the other: moves arrays, as no operator of the library may. */
enum { ROWS = 8, COLUMNS = 6, HALF = ROWS / 2 };
struct dense {
	gt_type type;
	size_t rows;
	double m[ROWS][COLUMNS];
};

static void dense_get(const gt_array *a, double *host)
{
	float single[ROWS];
	if (gt_array_type(a) == GT_F64) {
		gt_array_get(a, host);
		return;
	}
	gt_array_get(a, single);
	for (size_t i = 0; i < gt_array_size(a); i++)
		host[i] = single[i];
}

static void dense_put(const double *host, gt_array *a)
{
	float single[ROWS];
	for (size_t i = 0; i < gt_array_size(a); i++)
		single[i] = (float)host[i];
	gt_array_put(gt_array_type(a) == GT_F64 ? (const void *)host : single, a);
}

static void dense_forward(void *self, const gt_array *x, gt_array *y)
{
	const struct dense *d = self;
	double in[ROWS], out[ROWS] = { 0 };
	dense_get(x, in);
	for (size_t i = 0; i < d->rows; i++)
		for (size_t j = 0; j < COLUMNS; j++)
			out[i] += d->m[i][j] * in[j];
	dense_put(out, y);
}

static void dense_adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct dense *d = self;
	double in[ROWS], out[ROWS] = { 0 };
	dense_get(y, in);
	for (size_t i = 0; i < d->rows; i++)
		for (size_t j = 0; j < COLUMNS; j++)
			out[j] += d->m[i][j] * in[i];
	dense_put(out, x);
}
static const struct gt_linop_ops dense_ops = { "dense", dense_forward, dense_adjoint, free, NULL };

static gt_linop *dense(gt_backend *be, gt_type type, const double m[][COLUMNS], size_t rows)
{
	struct dense *d = calloc(1, sizeof *d);
	gt_linop *A = NULL;
	d->type = type;
	d->rows = rows;
	memcpy(d->m, m, rows * sizeof *m);
	ck_ok(gt_linop_new(&dense_ops, d, be, type, COLUMNS, rows, &A));
	return A;
}

/* (M'WM + strength D'D) x = M'W b by elimination; D: differences. The matrix is diagonally heavy: no pivots. */
static void normal_equations(const double m[][COLUMNS], const double *w, const double *b, double strength, double *x)
{
	double h[COLUMNS][COLUMNS + 1] = { { 0 } };
	for (int j = 0; j < COLUMNS; j++)
		for (int i = 0; i < ROWS; i++) {
			for (int k = 0; k < COLUMNS; k++)
				h[j][k] += m[i][j] * w[i] * m[i][k];
			h[j][COLUMNS] += m[i][j] * w[i] * b[i];
		}
	for (int j = 0; j + 1 < COLUMNS; j++) {
		h[j][j] += strength;
		h[j + 1][j + 1] += strength;
		h[j][j + 1] -= strength;
		h[j + 1][j] -= strength;
	}
	for (int j = 0; j < COLUMNS; j++)
		for (int i = j + 1; i < COLUMNS; i++)
			for (int k = COLUMNS; k >= j; k--)
				h[i][k] -= h[i][j] / h[j][j] * h[j][k];
	for (int j = COLUMNS - 1; j >= 0; j--) {
		x[j] = h[j][COLUMNS];
		for (int k = j + 1; k < COLUMNS; k++)
			x[j] -= h[j][k] * x[k];
		x[j] /= h[j][j];
	}
}

static const struct {
	const char *name, *options;
	int halves;
	double strength;
} exact[] = { { "pcg", "iterations=40", 0, 0.7 },    { "pcg", "iterations=60,preconditioner=none", 0, 0.7 },
	      { "fista", "iterations=400", 0, 0.7 }, { "os-sqs", "iterations=400,subsets=2,fewer=0.1,single=0.2", 1, 0.7 },
	      { "cgls", "iterations=12", 0, 0 },     { "pcg", "iterations=40", 0, 0 } };

START_TEST(minimum_of_a_small_problem)
{
	const int i = _i / 2;
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	gt_backend *be = gt_test_backend();
	float random[ROWS * COLUMNS + 2 * ROWS];
	double m[ROWS][COLUMNS], w[ROWS], b[ROWS], expected[ROWS], got[ROWS];
	gt_test_random(21, ROWS * COLUMNS + 2 * ROWS, random);
	for (int r = 0; r < ROWS; r++) {
		for (int c = 0; c < COLUMNS; c++)
			m[r][c] = 0.3 + 0.3 * (double)random[r * COLUMNS + c] + (r % COLUMNS == c);
		w[r] = r == 5 ? 0 : 1.1 + (double)random[ROWS * COLUMNS + r];
		b[r] = 3 * (double)random[ROWS * COLUMNS + ROWS + r];
	}
	normal_equations((const double(*)[COLUMNS])m, w, b, exact[i].strength, expected);
	gt_array *x = gt_test_array(be, type, COLUMNS, 4), *bs[2] = { NULL }, *ws[2] = { NULL };
	gt_linop *A[2] = { NULL };
	const size_t parts = exact[i].halves ? 2 : 1, rows = ROWS / parts;
	for (size_t k = 0; k < parts; k++) {
		A[k] = dense(be, type, (const double(*)[COLUMNS])m + k * HALF, rows);
		ck_ok(gt_array_new(be, type, rows, &bs[k]));
		ck_ok(gt_array_new(be, type, rows, &ws[k]));
		dense_put(b + k * HALF, bs[k]);
		dense_put(w + k * HALF, ws[k]);
	}
	gt_penalty *R = exact[i].strength > 0 ? chain(&chain_ops, x, exact[i].strength, INFINITY) : NULL;
	const gt_problem p = { .subsets = parts, .A = A, .b = bs, .w = ws, .R = R, .lo = -INFINITY, .hi = INFINITY };
	ck_ok(solve(exact[i].name, exact[i].options, &p, x, NULL));
	dense_get(x, got);
	for (int j = 0; j < COLUMNS; j++)
		ck_assert_msg(fabs(got[j] - expected[j]) < (type == GT_F64 ? 1e-10 : 2e-5), "%s, voxel %d: %.12g, expected %.12g",
		              exact[i].name, j, got[j], expected[j]);
	for (size_t k = 0; k < parts; k++) {
		gt_linop_free(A[k]);
		gt_array_free(bs[k]);
		gt_array_free(ws[k]);
	}
	gt_array_free(x);
	gt_penalty_free(R);
	ck_assert_uint_eq(gt_backend_counters(be).bytes, 0);
	gt_backend_close(be);
}
END_TEST

/* Where a bound holds a voxel, the cost falls beyond it only; elsewhere the gradient is zero. */
static void check_bounds(const gt_problem *p, const gt_array *x, gt_array *g, double steep, const char *who)
{
	const size_t n = gt_array_size(x);
	double *hx = malloc(n * sizeof *hx), *hg = malloc(n * sizeof *hg);
	size_t low = 0, high = 0;
	cost_at(p, x, g);
	gt_array_get(x, hx);
	gt_array_get(g, hg);
	for (size_t j = 0; j < n; j++) {
		const int at_low = hx[j] == p->lo, at_high = hx[j] == p->hi;
		ck_assert_msg(hx[j] >= p->lo && hx[j] <= p->hi, "%s, voxel %zu: %g", who, j, hx[j]);
		ck_assert_msg((at_low || hg[j] < 1e-4 * steep) && (at_high || hg[j] > -1e-4 * steep), "%s, voxel %zu: %g with gradient %g",
		              who, j, hx[j], hg[j]);
		low += at_low;
		high += at_high;
	}
	ck_assert_msg(low > n / 50 && high > n / 50 && low + high < n, "%s: %zu and %zu of %zu voxels at the bounds", who, low, high, n);
	free(hx);
	free(hg);
}

START_TEST(bounds_hold)
{
	static const struct {
		const char *name, *options;
		int many;
	} takers[] = { { "fista", "iterations=250", 0 }, { "os-sqs", "iterations=250,fewer=0.05,single=0.1", 1 } };
	gt_backend *be = gt_test_backend();
	struct noisy *n = noisy(be, GT_F64);
	gt_penalty *R = chain(&chain_ops, n->p.x, STRENGTH, 5e-4);
	gt_array *x[2] = { NULL }, *g = NULL;
	ck_ok(gt_array_like(n->start, &g));
	with_penalty(n, R, 0, 0.006);
	cost_at(&n->one, n->start, g);
	const double steep = gt_max(g);
	for (int i = 0; i < 2; i++) {
		ck_ok(gt_array_like(n->start, &x[i]));
		gt_copy(n->start, x[i]);
		struct log l = { 0 };
		ck_ok(solve(takers[i].name, takers[i].options, takers[i].many ? &n->many : &n->one, x[i], &l));
		if (!takers[i].many)
			never_rises(&l, takers[i].name);
		check_bounds(&n->one, x[i], g, steep, takers[i].name);
	}
	ck_assert_double_lt(rms(x[0], x[1]), 1e-6);
	gt_array_free(x[0]);
	gt_array_free(x[1]);
	gt_array_free(g);
	gt_penalty_free(R);
	noisy_free(n);
	gt_backend_close(be);
}
END_TEST

/* A penalty by its proximal step gives what its gradient gives. */
START_TEST(prox_is_gradient)
{
	gt_backend *be = gt_test_backend();
	struct noisy *n = noisy(be, GT_F64);
	gt_penalty *smooth = square(&square_ops, n->p.x, 2000), *proximal = square(&prox_ops, n->p.x, 2000);
	gt_array *x[3] = { NULL }, *g = NULL;
	ck_ok(gt_array_like(n->start, &g));
	cost_at(&n->one, n->start, g);
	const double steep = norm(g);
	for (int i = 0; i < 3; i++) {
		struct log l = { 0 };
		ck_ok(gt_array_like(n->start, &x[i]));
		gt_copy(n->start, x[i]);
		with_penalty(n, i == 2 ? proximal : smooth, -INFINITY, INFINITY);
		ck_ok(solve(i ? "fista" : "pcg",
		            i == 0   ? "iterations=60"
		            : i == 1 ? "iterations=200,prox=yes"
		                     : "iterations=200",
		            &n->one, x[i], &l));
		never_rises(&l, i ? "fista" : "pcg");
		ck_assert_double_lt(rms(x[i], x[0]), 1e-6);
	}
	ck_assert_double_eq(gt_dist2(x[1], x[2]), 0); /* prox=auto takes the only way there is */
	cost_at(&(gt_problem){ .subsets = 1, .A = &n->A, .b = &n->b, .w = &n->w, .R = smooth }, x[1], g);
	ck_assert_double_lt(norm(g), 1e-5 * steep);
	for (int i = 0; i < 3; i++)
		gt_array_free(x[i]);
	gt_array_free(g);
	gt_penalty_free(smooth);
	gt_penalty_free(proximal);
	noisy_free(n);
	gt_backend_close(be);
}
END_TEST

/* With its defaults, passes over the data as few as clinical use allows. */
START_TEST(ordered_subsets_are_quick)
{
	gt_backend *be = gt_test_backend();
	struct noisy *n = noisy(be, GT_F32);
	gt_penalty *R = chain(&chain_ops, n->p.x, STRENGTH, 5e-4);
	gt_array *x = NULL, *slow = NULL;
	ck_ok(gt_array_like(n->start, &x));
	ck_ok(gt_array_like(n->start, &slow));
	gt_copy(n->start, x);
	gt_copy(n->start, slow);
	with_penalty(n, R, 0, INFINITY);
	ck_ok(solve("fista", "iterations=400", &n->one, n->start, NULL));
	ck_ok(solve("fista", "iterations=60", &n->one, slow, NULL));
	ck_ok(solve("os-sqs", "subsets=6", &n->many, x, NULL));
	printf("from the minimum: os-sqs after 20 passes %.2g mm^-1, fista after 60 %.2g\n", rms(x, n->start), rms(slow, n->start));
	ck_assert_double_lt(rms(x, n->start), 3e-5);
	ck_assert_double_lt(rms(x, n->start), rms(slow, n->start));
	gt_array_free(x);
	gt_array_free(slow);
	gt_penalty_free(R);
	noisy_free(n);
	gt_backend_close(be);
}
END_TEST

/* Single precision ends where double does. */
START_TEST(single_and_double_agree)
{
	static const char *const who[] = { "pcg", "fista", "os-sqs" }, *const how[] = { "iterations=50", "iterations=200",
		                                                                        "iterations=100" };
	double cost[2];
	for (int t = 0; t < 2; t++) {
		gt_backend *be = gt_test_backend();
		struct noisy *n = noisy(be, t ? GT_F64 : GT_F32);
		gt_penalty *R = chain(&chain_ops, n->p.x, STRENGTH, 5e-4);
		struct log l = { 0 };
		with_penalty(n, R, -INFINITY, INFINITY);
		ck_ok(solve(who[_i], how[_i], _i == 2 ? &n->many : &n->one, n->start, &l));
		cost[t] = l.cost[l.calls - 1];
		gt_penalty_free(R);
		noisy_free(n);
		gt_backend_close(be);
	}
	ck_assert_double_eq_tol(cost[0] / cost[1], 1, 1e-5);
}
END_TEST

static const struct {
	const char *name, *options;
	int many;
} hot[] = { { "pcg", "iterations=22", 0 },    { "pcg", "iterations=22,preconditioner=none", 0 },
	    { "fista", "iterations=22", 0 },  { "fista", "iterations=22,prox=yes", 0 },
	    { "os-sqs", "iterations=22", 1 }, { "os-sqs", "iterations=22,momentum=no,fewer=0", 1 },
	    { "cgls", "iterations=22", 0 } };

START_TEST(iterations_stay_on_the_device)
{
	gt_backend *be = gt_test_backend();
	struct noisy *n = noisy(be, GT_F32);
	gt_penalty *R = square(&square_ops, n->p.x, 2000);
	struct log l = { 0 };
	with_penalty(n, strcmp(hot[_i].name, "cgls") ? R : NULL, -INFINITY, INFINITY);
	ck_ok(solve(hot[_i].name, hot[_i].options, hot[_i].many ? &n->many : &n->one, n->start, &l));
	ck_assert_int_eq(l.calls, 22);
	ck_assert_uint_eq(l.last.allocations, l.first.allocations);
	ck_assert_uint_eq(l.last.puts, l.first.puts);
	ck_assert_uint_eq(l.last.gets, l.first.gets);
	ck_assert_uint_eq(l.last.bytes, l.first.bytes);
	gt_penalty_free(R);
	noisy_free(n);
	ck_assert_uint_eq(gt_backend_counters(be).bytes, 0);
	gt_backend_close(be);
}
END_TEST

/* Wherever it is stopped, the caller's array holds the iterate that the monitor saw. */
START_TEST(stopped_anywhere)
{
	gt_backend *be = gt_test_backend();
	struct noisy *n = noisy(be, GT_F32);
	struct log l = { .stop_at = _i / 3 + 1 };
	static const char *const who[] = { "pcg", "fista", "os-sqs" };
	ck_ok(gt_array_like(n->start, &l.seen));
	ck_assert_int_eq(solve(who[_i % 3], "iterations=9", _i % 3 == 2 ? &n->many : &n->one, n->start, &l), GT_STOPPED);
	ck_assert_int_eq(l.calls, l.stop_at);
	ck_assert_double_eq(gt_dist2(l.seen, n->start), 0);
	gt_array_free(l.seen);
	noisy_free(n);
	gt_backend_close(be);
}
END_TEST

/* Data that overflow single precision give an error, not a volume of infinities. */
START_TEST(divergence_is_told)
{
	static const char *const who[] = { "pcg", "fista", "os-sqs", "cgls" };
	gt_backend *be = gt_test_backend();
	struct noisy *n = noisy(be, GT_F32);
	char named[32];
	snprintf(named, sizeof named, "solver '%s' diverged", who[_i]);
	gt_fill(3e38, n->b);
	ck_refused(solve(who[_i], "iterations=9", _i == 2 ? &n->many : &n->one, n->start, NULL), GT_ERR_DIVERGED, named);
	noisy_free(n);
	gt_backend_close(be);
}
END_TEST

static void refuse(const char *name, const char *options, const gt_problem *p, gt_array *x, const char *text)
{
	struct log l = { 0 };
	ck_refused(solve(name, options, p, x, &l), GT_ERR_ARG, text);
	ck_assert_int_eq(l.calls, 0);
}

START_TEST(refusals)
{
	gt_backend *be = gt_test_backend();
	struct noisy *n = noisy(be, GT_F32);
	gt_array *x = n->start, *w = n->w, *short_w = gt_test_array(be, GT_F32, 7, 1);
	gt_penalty *slopeless = chain(&slopeless_ops, x, 1, 1), *lineless = chain(&lineless_ops, x, 1, 1),
		   *good = chain(&chain_ops, x, 1, 1), *proximal = square(&prox_ops, x, 1), *small = chain(&chain_ops, short_w, 1, 1);
	static const char *const who[] = { "pcg", "fista", "os-sqs" };
	for (int i = 0; i < 3; i++) {
		n->one.w = &short_w;
		refuse(who[i], "", &n->one, x, "7 weights");
		n->one.w = &w;
		gt_scale(-1, n->w);
		refuse(who[i], "", &n->one, x, "weights from");
		gt_scale(-1, n->w);
		with_penalty(n, small, -INFINITY, INFINITY);
		refuse(who[i], "", &n->one, x, "'chain' is for 7 voxels");
		with_penalty(n, NULL, -INFINITY, INFINITY);
	}
	refuse("pcg", "", &n->many, x, "cannot take 6 subsets");
	refuse("fista", "", &n->many, x, "cannot take 6 subsets");
	with_penalty(n, slopeless, -INFINITY, INFINITY);
	refuse("pcg", "", &n->one, x, "'pcg' needs a gradient of a penalty, which 'rough' does not have");
	refuse("os-sqs", "", &n->many, x, "'os-sqs' needs a gradient of a penalty, which 'rough' does not have");
	refuse("fista", "", &n->one, x, "of a penalty, which 'rough' does not have");
	with_penalty(n, lineless, -INFINITY, INFINITY);
	refuse("pcg", "", &n->one, x, "'pcg' needs a line search of a penalty, which 'lineless' does not have");
	refuse("fista", "prox=yes", &n->one, x, "'fista' needs a proximal step of a penalty, which 'lineless' does not have");
	with_penalty(n, proximal, -INFINITY, INFINITY);
	refuse("fista", "prox=no", &n->one, x, "'fista' needs a gradient of a penalty, which 'proximal' does not have");
	with_penalty(n, good, 0, INFINITY);
	refuse("pcg", "", &n->one, x, "'pcg' cannot keep bounds");
	with_penalty(n, good, 1, -1);
	refuse("fista", "", &n->one, x, "lower one first");
	refuse("os-sqs", "", &n->one, x, "lower one first");
	with_penalty(n, good, -INFINITY, INFINITY);
	refuse("cgls", "", &n->one, x, "cannot take a penalty");
	gt_fill(NAN, n->w);
	refuse("pcg", "", &n->one, x, "weights from");
	gt_fill(INFINITY, n->w);
	refuse("os-sqs", "", &n->many, x, "subset 0: weights from");
	gt_penalty_free(slopeless);
	gt_penalty_free(lineless);
	gt_penalty_free(good);
	gt_penalty_free(proximal);
	gt_penalty_free(small);
	gt_array_free(short_w);
	noisy_free(n);
	gt_backend_close(be);
}
END_TEST

START_TEST(options_out_of_range)
{
	static const struct {
		const char *solver, *options, *text;
	} bad[] = { { "pcg", "preconditioner=magic", "preconditioner" },
		    { "pcg", "line=0", "line=0" },
		    { "pcg", "tolerance=2", "tolerance=2" },
		    { "fista", "prox=maybe", "prox" },
		    { "os-sqs", "subsets=0", "subsets=0" },
		    { "os-sqs", "single=1.5", "single=1.5" },
		    { "os-sqs", "fewer=-1", "fewer=-1" } };
	void *o = NULL;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const gt_solver *s = gt_solver_find(bad[i].solver);
		ck_refused(gt_params_new(s->params, bad[i].options, s->defaults, s->options_size, &o), GT_ERR_ARG, bad[i].text);
	}
	const gt_solver *s = gt_solver_find("os-sqs");
	size_t subsets = 0;
	ck_ok(gt_params_new(s->params, "subsets=13", s->defaults, s->options_size, &o));
	ck_refused(s->subsets(o, 12, &subsets), GT_ERR_ARG, "subsets=13: expected at most one per view, that is 12");
	ck_ok(s->subsets(o, 13, &subsets));
	ck_assert_uint_eq(subsets, 13);
	free(o);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, minimum_of_a_small_problem, 0, 2 * sizeof exact / sizeof *exact);
	tcase_add_loop_test(tc, same_problem_same_answer, 0, 2);
	tcase_add_test(tc, huber_by_all);
	tcase_add_test(tc, bounds_hold);
	tcase_add_test(tc, prox_is_gradient);
	tcase_add_test(tc, ordered_subsets_are_quick);
	tcase_add_loop_test(tc, single_and_double_agree, 0, 3);
	tcase_add_loop_test(tc, iterations_stay_on_the_device, 0, sizeof hot / sizeof *hot);
	tcase_add_loop_test(tc, stopped_anywhere, 0, 12);
	tcase_add_loop_test(tc, divergence_is_told, 0, 4);
	tcase_add_test(tc, refusals);
	tcase_add_test(tc, options_out_of_range);
}

int main(void) { return gt_test_main("pwls", fill); }
