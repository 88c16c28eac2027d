/* Small noisy problems, penalties that any backend can compute, and their exact minimisers. */
#include "tests/support/small.h"
#include <math.h>
#include <stdlib.h>
#include "tests/support/support.h"

/* Half a strength times the squared differences of successive voxels, by backend operations. */
struct rough {
	double strength;
	gt_array *difference, *ones;
};

static void ends(const gt_array *x, gt_array **first, gt_array **last)
{
	const size_t n = gt_array_size(x);
	ck_ok(gt_array_part(x, 0, n - 1, first));
	ck_ok(gt_array_part(x, 1, n - 1, last));
}

static double rough_value(void *self, const gt_array *x)
{
	gt_array *first, *last;
	ends(x, &first, &last);
	const double squares = gt_distance2(first, last);
	gt_array_free(first);
	gt_array_free(last);
	return ((struct rough *)self)->strength / 2 * squares;
}

static void rough_gradient(void *self, const gt_array *x, gt_array *g, gt_array *d)
{
	struct rough *r = self;
	gt_array *first, *last, *g_first, *g_last;
	ends(x, &first, &last);
	ends(g, &g_first, &g_last);
	gt_copy(last, r->difference);
	gt_axpy(-1, first, r->difference);
	gt_axpy(r->strength, r->difference, g_last);
	gt_axpy(-r->strength, r->difference, g_first);
	if (d)
		gt_axpy(4 * r->strength, r->ones, d);
	gt_array_free(first);
	gt_array_free(last);
	gt_array_free(g_first);
	gt_array_free(g_last);
}

static void rough_majorize(void *self, gt_array *d) { gt_axpy(4 * ((struct rough *)self)->strength, ((struct rough *)self)->ones, d); }

static void rough_free(void *self)
{
	gt_array_free(((struct rough *)self)->difference);
	gt_array_free(((struct rough *)self)->ones);
	free(self);
}

/* Half a strength times the squared distance from a volume; has only a proximal step. */
struct near {
	double strength;
	gt_array *centre;
};

static double near_value(void *self, const gt_array *x)
{
	return ((struct near *)self)->strength / 2 * gt_distance2(x, ((struct near *)self)->centre);
}

static void near_prox(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	const struct near *p = self;
	gt_copy(z, x);
	gt_axpy(t * p->strength, p->centre, x);
	gt_scale(1 / (1 + t * p->strength), x);
	gt_clamp(lo, hi, x);
}

static void near_free(void *self)
{
	gt_array_free(((struct near *)self)->centre);
	free(self);
}

gt_penalty *gt_small_rough(const gt_array *x, double strength, int convex)
{
	static const struct gt_penalty_ops ops = {
		.name = "rough", .value = rough_value, .gradient = rough_gradient, .majorize = rough_majorize, .free = rough_free
	};
	struct rough *r = calloc(1, sizeof *r);
	gt_penalty *R = NULL;
	r->strength = strength;
	ck_ok(gt_array_new(gt_array_backend(x), gt_array_type(x), gt_array_size(x) - 1, &r->difference));
	ck_ok(gt_array_like(x, &r->ones));
	gt_fill(1, r->ones);
	ck_ok(gt_penalty_new(&ops, r, gt_array_backend(x), gt_array_type(x), gt_array_size(x), convex, &R));
	return R;
}

gt_penalty *gt_small_near_to(const gt_array *centre, double strength)
{
	static const struct gt_penalty_ops ops = { .name = "near", .value = near_value, .prox = near_prox, .free = near_free };
	struct near *p = calloc(1, sizeof *p);
	gt_penalty *R = NULL;
	p->strength = strength;
	ck_ok(gt_array_like(centre, &p->centre));
	gt_copy(centre, p->centre);
	ck_ok(gt_penalty_new(&ops, p, gt_array_backend(centre), gt_array_type(centre), gt_array_size(centre), 1, &R));
	return R;
}

static int see(void *self, const gt_progress *g)
{
	struct gt_small_log *l = self;
	ck_assert_int_lt(l->calls, GT_TEST_CALLS);
	l->last = gt_test_counters(gt_array_backend(g->x));
	if (!l->calls)
		l->first = l->last;
	if (l->calls < l->copies) {
		ck_ok(gt_array_like(g->x, &l->volumes[l->calls]));
		gt_copy(g->x, l->volumes[l->calls]);
	}
	l->seen[l->calls++] = *g;
	return g->iteration == l->stop_at;
}

gt_status gt_small_solve(const char *name, const char *text, const gt_problem *p, gt_array *x, struct gt_small_log *l)
{
	const gt_solver *s = gt_solver_find(name);
	ck_assert_ptr_nonnull(s);
	void *o = NULL;
	ck_ok(gt_params_new(s->params, text, s->defaults, s->options_size, &o));
	const gt_status st = gt_solve(s, p, o, x, l ? &(gt_monitor){ .each = see, .self = l } : NULL);
	free(o);
	return st;
}

struct gt_small_noisy gt_small_noisy(gt_backend *be, gt_type type, size_t n, size_t views, size_t subsets, double noise)
{
	struct gt_small_noisy s = { .closes = !be };
	be = be ? be : gt_test_backend();
	s.p = gt_test_problem(be, type, n, views, subsets);
	for (size_t k = 0; k < subsets; k++) {
		const size_t cells = gt_array_size(s.p.b[k]);
		gt_array *e = gt_test_array(be, type, cells, 7 + (unsigned)k);
		gt_axpy(noise, e, s.p.b[k]);
		gt_clamp(-0.3, 1, e);
		gt_copy(e, s.w[k] = gt_test_array(be, type, cells, 1));
		gt_fill(0.3, s.w[k]);
		gt_axpy(1, e, s.w[k]);
		gt_array_free(e);
	}
	return s;
}

void gt_small_noisy_free(struct gt_small_noisy *s)
{
	for (size_t k = 0; k < s->p.subsets; k++)
		gt_array_free(s->w[k]);
	for (size_t i = 0; i < s->owned; i++)
		gt_array_free(s->own[i]);
	free(s->own);
	gt_backend *be = s->p.be;
	gt_test_problem_free(&s->p);
	if (!s->closes)
		return;
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}

static gt_array *keep(struct gt_small_noisy *s, gt_array *x)
{
	s->own = realloc(s->own, (s->owned + 1) * sizeof *s->own);
	ck_assert_ptr_nonnull(s->own);
	return s->own[s->owned++] = x;
}

gt_array *gt_small_volume(struct gt_small_noisy *s)
{
	gt_array *x = NULL;
	ck_ok(gt_array_like(s->p.x, &x));
	return keep(s, x);
}

static double *host(const gt_array *a)
{
	double *h = malloc(gt_array_bytes(a));
	gt_array_get(a, h);
	return h;
}

/* Minimises 1/2 x'Hx - c'x in the box by cyclic coordinate descent until nothing changes. */
static void coordinate_descent(size_t n, const double *H, const double *c, double lo, double hi, double *x)
{
	double change = 1;
	for (int sweep = 0; sweep < 200000 && change > 1e-13; sweep++) {
		change = 0;
		for (size_t j = 0; j < n; j++) {
			double slope = -c[j];
			for (size_t i = 0; i < n; i++)
				slope += H[j * n + i] * x[i];
			const double next = fmin(fmax(x[j] - slope / H[j * n + j], lo), hi);
			change = fmax(change, fabs(next - x[j]));
			x[j] = next;
		}
	}
	ck_assert_double_le(change, 1e-13);
}

/* H += A_k' w A_k, c += A_k' w b of one subset; u is host memory, x is on the device. */
static void add_subset(const gt_problem *p, size_t k, size_t n, double *H, double *c, gt_array *x)
{
	const size_t m = gt_array_size(p->b[k]);
	gt_array *column = NULL;
	double *A = malloc(n * m * sizeof *A), *u = calloc(n, sizeof *u), *b = host(p->b[k]), *w = p->w ? host(p->w[k]) : NULL;
	ck_ok(gt_array_like(p->b[k], &column));
	for (size_t j = 0; j < n; j++) {
		u[j] = 1;
		gt_array_put(u, x);
		u[j] = 0;
		gt_forward(p->A[k], x, column);
		gt_array_get(column, A + j * m);
	}
	for (size_t j = 0; j < n; j++) {
		for (size_t i = 0; i < m; i++)
			c[j] += A[j * m + i] * (w ? w[i] : 1) * b[i];
		for (size_t l = 0; l < n; l++)
			for (size_t i = 0; i < m; i++)
				H[j * n + l] += A[j * m + i] * (w ? w[i] : 1) * A[l * m + i];
	}
	gt_array_free(column);
	free(A), free(u), free(b), free(w);
}

void gt_small_exact(const gt_problem *p, double diagonal, const gt_array *centre, double rough, gt_array *x)
{
	const size_t n = gt_array_size(x);
	double *H = calloc(n * n, sizeof *H), *c = calloc(n, sizeof *c), *u = calloc(n, sizeof *u), *z = centre ? host(centre) : NULL;
	for (size_t k = 0; k < p->subsets; k++)
		add_subset(p, k, n, H, c, x);
	for (size_t j = 0; j < n; j++) {
		c[j] += diagonal * (z ? z[j] : 0);
		H[j * n + j] += diagonal + rough * ((j > 0) + (j + 1 < n));
		if (j + 1 < n)
			H[j * n + j + 1] -= rough;
		if (j > 0)
			H[j * n + j - 1] -= rough;
	}
	coordinate_descent(n, H, c, p->lo, p->hi, u);
	gt_array_put(u, x);
	free(H), free(c), free(u), free(z);
}

double gt_small_cost(const gt_problem *p, const gt_array *x)
{
	double sum = gt_penalty_value(p->R, x);
	for (size_t k = 0; k < p->subsets; k++) {
		gt_array *r = NULL;
		ck_ok(gt_array_like(p->b[k], &r));
		gt_forward(p->A[k], x, r);
		gt_axpy(-1, p->b[k], r);
		sum += (p->w ? gt_weighted_norm2(r, p->w[k]) : gt_dot(r, r)) / 2;
		gt_array_free(r);
	}
	return sum;
}

double gt_small_distance(const gt_array *x, const gt_array *y) { return sqrt(gt_distance2(x, y) / gt_dot(y, y)); }

gt_array *gt_small_start(struct gt_small_noisy *s)
{
	gt_array *x = gt_test_array(s->p.be, gt_array_type(s->p.x), gt_array_size(s->p.x), 99);
	gt_scale(0.01, x);
	return keep(s, x);
}
