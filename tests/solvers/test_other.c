/* sirt, sart, lsqr, pdhg and asd-pocs: equal to what they must equal, on problems small enough to be solved otherwise.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/problem.h"
#include "tests/support/support.h"

/* Half a strength times the squared differences of successive voxels, in the operations that all backends have. */
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

/* Half a strength times the squared distance from a volume; it knows its proximal step only. */
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

static gt_penalty *rough(const gt_array *x, double strength, int convex)
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

static gt_penalty *near_to(const gt_array *centre, double strength)
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

/* What a monitor saw. */
enum { MOST = 1000 };
struct log {
	int calls, stop_at;
	gt_progress seen[MOST];
	gt_array *volumes[MOST]; /* copies of the iterates, for calls below `copies` */
	int copies;
	gt_counters first, last;
};

static int see(void *self, const gt_progress *g)
{
	struct log *l = self;
	ck_assert_int_lt(l->calls, MOST);
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

static gt_status solve(const char *name, const char *text, const gt_problem *p, gt_array *x, struct log *l)
{
	const gt_solver *s = gt_solver_find(name);
	ck_assert_ptr_nonnull(s);
	void *o = NULL;
	ck_ok(gt_params_new(s->params, text, s->defaults, s->options_size, &o));
	const gt_status st = gt_solve(s, p, o, x, l ? &(gt_monitor){ .each = see, .self = l } : NULL);
	free(o);
	return st;
}

/* A problem with noise, so that no volume meets the data; and weights of them, some of them 0. */
struct noisy {
	struct gt_test_problem p;
	gt_array *w[40];
};

static struct noisy noisy(gt_backend *be, gt_type type, size_t n, size_t views, size_t subsets, double noise)
{
	struct noisy s = { .p = gt_test_problem(be, type, n, views, subsets) };
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

static void noisy_free(struct noisy *s)
{
	for (size_t k = 0; k < s->p.subsets; k++)
		gt_array_free(s->w[k]);
	gt_test_problem_free(&s->p);
}

static double *host(const gt_array *a)
{
	double *h = malloc(gt_array_bytes(a));
	gt_array_get(a, h);
	return h;
}

/* The least 1/2 x'Hx - c'x in the box, by minimisation along one coordinate after the other until nothing changes. */
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

/* x = the exact minimiser of 1/2 |A x - b|_w^2 + diagonal/2 |x - centre|^2 + rough/2 |differences|^2 in the problem's box (double).
 * The matrix is read off the operator. centre: NULL is 0. */
static void exact(const gt_problem *p, double diagonal, const gt_array *centre, double rough, gt_array *x)
{
	const size_t n = gt_array_size(x), m = gt_array_size(p->b[0]);
	gt_array *column = NULL;
	double *A = malloc(n * m * sizeof *A), *H = calloc(n * n, sizeof *H), *c = calloc(n, sizeof *c), *u = calloc(n, sizeof *u);
	double *b = host(p->b[0]), *w = p->w ? host(p->w[0]) : NULL, *z = centre ? host(centre) : NULL;
	ck_ok(gt_array_like(p->b[0], &column));
	for (size_t j = 0; j < n; j++) {
		u[j] = 1;
		gt_array_put(u, x);
		u[j] = 0;
		gt_forward(p->A[0], x, column);
		gt_array_get(column, A + j * m);
	}
	for (size_t j = 0; j < n; j++) {
		for (size_t i = 0; i < m; i++)
			c[j] += A[j * m + i] * (w ? w[i] : 1) * b[i];
		for (size_t k = 0; k < n; k++)
			for (size_t i = 0; i < m; i++)
				H[j * n + k] += A[j * m + i] * (w ? w[i] : 1) * A[k * m + i];
		c[j] += diagonal * (z ? z[j] : 0);
		H[j * n + j] += diagonal + rough * ((j > 0) + (j + 1 < n));
		if (j + 1 < n)
			H[j * n + j + 1] -= rough;
		if (j > 0)
			H[j * n + j - 1] -= rough;
	}
	coordinate_descent(n, H, c, p->lo, p->hi, u);
	gt_array_put(u, x);
	gt_array_free(column);
	free(A), free(H), free(c), free(u), free(b), free(w), free(z);
}

static double cost(const gt_problem *p, const gt_array *x)
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

static double distance(const gt_array *x, const gt_array *y) { return sqrt(gt_distance2(x, y) / gt_dot(y, y)); }

/* A volume to start from that is neither zero nor the answer. */
static gt_array *start(const struct noisy *s)
{
	gt_array *x = gt_test_array(s->p.be, gt_array_type(s->p.x), gt_array_size(s->p.x), 99);
	gt_scale(0.01, x);
	return x;
}

START_TEST(sirt_and_sart_are_os_sart)
{
	static const struct {
		const char *name, *options, *as;
		size_t subsets;
	} cases[] = {
		{ "sirt", "iterations=4,relax=1.5,reduce=0.9", "iterations=4,relax=1.5,reduce=0.9,subsets=1", 1 },
		{ "sart", "iterations=2,relax=0.7,order=golden,threshold=0.01",
		  "iterations=2,relax=0.7,order=golden,threshold=0.01,subsets=0", 14 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gt_backend *be = gt_test_backend();
		struct noisy s = noisy(be, GT_F32, 12, 14, cases[i].subsets, 0.05);
		struct log *l = calloc(2, sizeof *l);
		gt_array *x = start(&s), *y = start(&s);
		size_t subsets = 0;
		s.p.problem.lo = 0;
		const gt_solver *solver = gt_solver_find(cases[i].name);
		ck_ok(solver->subsets(solver->defaults, 14, &subsets));
		ck_assert_uint_eq(subsets, cases[i].subsets);
		ck_assert_int_eq(solver->nonneg(solver->defaults), 1);
		ck_ok(solve(cases[i].name, cases[i].options, &s.p.problem, x, &l[0]));
		ck_ok(solve("os-sart", cases[i].as, &s.p.problem, y, &l[1]));
		ck_assert_double_eq(gt_distance2(x, y), 0);
		ck_assert_int_eq(l[0].calls, l[1].calls);
		ck_assert_double_eq(l[0].seen[1].residual, l[1].seen[1].residual);
		ck_assert_double_lt(l[0].seen[1].residual, l[0].seen[0].residual);
		gt_array_free(x);
		gt_array_free(y);
		free(l);
		noisy_free(&s);
		gt_backend_close(be);
	}
}
END_TEST

/* Iterate by iterate, without weights and with. */
START_TEST(lsqr_is_cgls)
{
	enum { STEPS = 12 };
	gt_backend *be = gt_test_backend();
	struct noisy s = noisy(be, GT_F64, 12, 14, 1, 0.05);
	struct log *l = calloc(2, sizeof *l);
	gt_array *x = start(&s), *y = start(&s);
	s.p.problem.w = _i ? s.w : NULL;
	l[0].copies = l[1].copies = STEPS;
	ck_ok(solve("lsqr", "iterations=12", &s.p.problem, x, &l[0]));
	ck_ok(solve("cgls", "iterations=12", &s.p.problem, y, &l[1]));
	ck_assert_int_eq(l[0].calls, STEPS);
	for (int k = 0; k < STEPS; k++) {
		const gt_progress *a = &l[0].seen[k], *b = &l[1].seen[k];
		ck_assert_double_le(distance(l[0].volumes[k], l[1].volumes[k]), 1e-8);
		ck_assert(_i ? isnan(a->residual) : fabs(a->residual - b->residual) <= 1e-8 * b->residual);
		ck_assert_double_eq_tol(a->gradient, b->gradient, 1e-8 * b->gradient);
		ck_assert_double_eq_tol(a->change, b->change, 1e-8 * b->change);
		ck_assert_double_eq_tol(a->cost, cost(&s.p.problem, l[0].volumes[k]), 1e-8 * a->cost);
		gt_array_free(l[0].volumes[k]);
		gt_array_free(l[1].volumes[k]);
	}
	gt_array_free(x);
	gt_array_free(y);
	free(l);
	noisy_free(&s);
	gt_backend_close(be);
}
END_TEST

/* With and without weights and damping: the solution of the normal equations, and every number that is told on the way. */
START_TEST(lsqr_solves_normal_equations)
{
	const int weighted = _i & 1, damped = _i & 2;
	gt_backend *be = gt_test_backend();
	struct noisy s = noisy(be, GT_F64, 4, 10, 1, 0.05);
	struct log *l = calloc(1, sizeof *l);
	gt_array *x = start(&s), *from = start(&s), *answer = NULL;
	ck_ok(gt_array_like(x, &answer));
	s.p.problem.w = weighted ? s.w : NULL;
	const double damp = 13;
	l->copies = 6;
	ck_ok(solve("lsqr", damped ? "iterations=300,tolerance=1e-12,damp=13" : "iterations=300,tolerance=1e-12", &s.p.problem, x, l));
	ck_assert_int_lt(l->calls, 300);
	exact(&s.p.problem, damped ? damp * damp : 0, from, 0, answer);
	ck_assert_double_le(distance(x, answer), 1e-9);
	for (int k = 0; k < 6; k++) {
		const gt_progress *g = &l->seen[k];
		ck_assert_double_eq_tol(g->cost, cost(&s.p.problem, l->volumes[k]), 1e-9 * g->cost);
		ck_assert(weighted ? isnan(g->residual) : fabs(g->residual - sqrt(2 * g->cost)) <= 1e-9 * g->residual);
		gt_array_free(l->volumes[k]);
	}
	gt_array_free(x);
	gt_array_free(from);
	gt_array_free(answer);
	free(l);
	noisy_free(&s);
	gt_backend_close(be);
}
END_TEST

/* From the answer itself nothing is left to do. */
START_TEST(lsqr_stays_at_the_answer)
{
	gt_backend *be = gt_test_backend();
	struct noisy s = noisy(be, GT_F64, 4, 6, 1, 0);
	struct log l = { .calls = 0 };
	gt_copy(s.p.truth, s.p.x);
	ck_ok(solve("lsqr", "iterations=3", &s.p.problem, s.p.x, &l));
	ck_assert_int_eq(l.calls, 0);
	ck_assert_double_eq(gt_distance2(s.p.x, s.p.truth), 0);
	noisy_free(&s);
	gt_backend_close(be);
}
END_TEST

/* A penalty by its gradient, one by its proximal step, and none; with bounds that hold back some voxels, and without. */
START_TEST(pdhg_reaches_the_exact_minimum)
{
	static const char *const options[] = { "iterations=400,sigma=0.05", "iterations=400,sigma=0.05", "iterations=900,sigma=0.01" };
	const int kind = _i / 2, bounded = _i % 2;
	const double strength = 40;
	gt_backend *be = gt_test_backend();
	struct noisy s = noisy(be, GT_F64, 5, 9, 1, 0.05);
	gt_problem *p = &s.p.problem;
	struct log *l = calloc(1, sizeof *l);
	gt_array *x = start(&s), *answer = NULL, *centre = start(&s);
	gt_penalty *R = kind == 0 ? rough(x, strength, 1) : kind == 1 ? near_to(centre, strength) : NULL;
	ck_ok(gt_array_like(x, &answer));
	p->w = s.w;
	p->R = R;
	if (bounded) {
		p->lo = 0.002;
		p->hi = 0.012;
	}
	exact(p, kind == 1 ? strength : 0, centre, kind == 0 ? strength : 0, answer);
	ck_ok(solve("pdhg", options[kind], p, x, l));
	const double least = cost(p, answer), got = cost(p, x);
	printf("pdhg, kind %d, bounded %d: cost %.9g, least %.9g after %d; distance %.2e\n", kind, bounded, got, least, l->calls,
	       distance(x, answer));
	ck_assert_double_ge(got, least * (1 - 1e-10));
	ck_assert_double_le(got, least * (1 + 1e-5));
	ck_assert_double_eq_tol(l->seen[l->calls - 1].cost, got, 1e-10 * got);
	ck_assert_double_ge(gt_min(x), p->lo);
	ck_assert_double_le(gt_max(x), p->hi);
	gt_array_free(x);
	gt_array_free(centre);
	gt_array_free(answer);
	gt_penalty_free(R);
	free(l);
	noisy_free(&s);
	gt_backend_close(be);
}
END_TEST

/* The penalty falls well below that of os-sart, and the data are met nearly as well. */
START_TEST(asd_pocs_lowers_its_penalty)
{
	gt_backend *be = gt_test_backend();
	struct noisy s = noisy(be, GT_F32, 16, 18, 3, 0.1);
	struct log *l = calloc(2, sizeof *l);
	gt_penalty *R = rough(s.p.x, 1, 0);
	gt_array *y = NULL;
	ck_ok(gt_array_like(s.p.x, &y));
	gt_fill(0, y);
	s.p.problem.lo = 0;
	ck_ok(solve("os-sart", "iterations=20,subsets=3", &s.p.problem, y, &l[0]));
	const double misfit = cost(&s.p.problem, y), before = gt_penalty_value(R, y);
	s.p.problem.R = R;
	ck_ok(solve("asd-pocs", "iterations=20,subsets=3,epsilon=0,alpha=0.001", &s.p.problem, s.p.x, &l[1]));
	const double after = gt_penalty_value(R, s.p.x), total = cost(&s.p.problem, s.p.x);
	printf("asd-pocs: penalty %.4g of %.4g, misfit %.4g of %.4g\n", after, before, sqrt(total - after), sqrt(misfit));
	ck_assert_int_eq(l[1].calls, 20);
	ck_assert_double_lt(after, 0.8 * before);
	ck_assert_double_lt(sqrt(total - after), 1.05 * sqrt(misfit));
	ck_assert_double_ge(gt_min(s.p.x), 0);
	const gt_progress *g = &l[1].seen[19];
	ck_assert_double_eq_tol(g->cost, total, 1e-6 * total);
	ck_assert_double_eq_tol(g->penalty, after, 1e-6 * after);
	ck_assert_double_eq_tol(g->residual, sqrt(2 * g->data), 1e-9 * g->residual);
	gt_array_free(y);
	gt_penalty_free(R);
	free(l);
	noisy_free(&s);
	gt_backend_close(be);
}
END_TEST

/* It ends where the misfit and the angle say so, or with its relaxation; else it does not. */
START_TEST(asd_pocs_stops_by_its_rule)
{
	static const struct {
		const char *options;
		int calls;
	} cases[] = {
		{ "iterations=30,reduce=0.5,epsilon=0", 9 },                  /* 0.5^8 < 0.005 */
		{ "iterations=12,epsilon=1,cosine=1", 1 },                    /* any angle, any misfit */
		{ "iterations=12,epsilon=0,cosine=1", 12 },                   /* any angle, a misfit out of reach */
		{ "iterations=12,epsilon=1,cosine=-1", 12 },                  /* no angle is below */
		{ "iterations=12,epsilon=1,cosine=1,steps=0,alpha=0.5", 12 }, /* no step, no angle */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gt_backend *be = gt_test_backend();
		struct noisy s = noisy(be, GT_F32, 10, 12, 2, 0.1);
		struct log *l = calloc(1, sizeof *l);
		gt_penalty *R = rough(s.p.x, 1, 1);
		s.p.problem.R = R;
		ck_ok(solve("asd-pocs", cases[i].options, &s.p.problem, s.p.x, l));
		ck_assert_msg(l->calls == cases[i].calls, "%s: %d iterations", cases[i].options, l->calls);
		gt_penalty_free(R);
		free(l);
		noisy_free(&s);
		gt_backend_close(be);
	}
}
END_TEST

static const struct {
	const char *solver, *options;
	size_t subsets;
	int penalty, weights; /* penalty: 1 with gradient, 2 with prox */
} hot[] = {
	{ "sirt", "iterations=4", 1, 0, 0 },
	{ "sart", "iterations=4", 12, 0, 0 },
	{ "lsqr", "iterations=4", 1, 0, 0 },
	{ "lsqr", "iterations=4,damp=3", 1, 0, 1 },
	{ "pdhg", "iterations=4", 1, 0, 0 },
	{ "pdhg", "iterations=4", 1, 1, 1 },
	{ "pdhg", "iterations=4", 1, 2, 1 },
	{ "asd-pocs", "iterations=4,steps=3,keep=no", 3, 1, 0 },
	{ "asd-pocs", "iterations=4,steps=3,keep=yes", 3, 1, 0 },
};

/* In both precisions, which agree; nothing allocated, nothing moved, all given back. */
START_TEST(iterations_stay_on_the_device)
{
	double norm[2];
	for (int t = 0; t < 2; t++) {
		gt_backend *be = gt_test_backend();
		struct noisy s = noisy(be, t ? GT_F64 : GT_F32, 10, 12, hot[_i].subsets, 0.05);
		struct log l = { .calls = 0 };
		gt_penalty *R = hot[_i].penalty == 1 ? rough(s.p.x, 3, 1) : hot[_i].penalty == 2 ? near_to(s.p.x, 3) : NULL;
		s.p.problem.R = R;
		s.p.problem.w = hot[_i].weights ? s.w : NULL;
		ck_ok(solve(hot[_i].solver, hot[_i].options, &s.p.problem, s.p.x, &l));
		ck_assert_int_eq(l.calls, 4);
		ck_assert_uint_eq(l.last.allocations, l.first.allocations);
		ck_assert_uint_eq(l.last.puts, l.first.puts);
		ck_assert_uint_eq(l.last.gets, l.first.gets);
		ck_assert_uint_eq(l.last.bytes, l.first.bytes);
		norm[t] = gt_dot(s.p.x, s.p.x);
		gt_penalty_free(R);
		noisy_free(&s);
		ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
		gt_backend_close(be);
	}
	ck_assert_double_gt(norm[1], 0);
	ck_assert_double_eq_tol(norm[0], norm[1], 1e-4 * norm[1]);
}
END_TEST

START_TEST(monitor_stops)
{
	static const char *const names[] = { "sirt", "lsqr", "pdhg", "asd-pocs" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		gt_backend *be = gt_test_backend();
		struct noisy s = noisy(be, GT_F32, 8, 10, 1, 0.05);
		struct log l = { .stop_at = 2 };
		gt_penalty *R = rough(s.p.x, 1, 1);
		s.p.problem.R = i < 2 ? NULL : R;
		ck_assert_int_eq(solve(names[i], "iterations=9", &s.p.problem, s.p.x, &l), GT_STOPPED);
		ck_assert_int_eq(l.calls, 2);
		gt_penalty_free(R);
		noisy_free(&s);
		gt_backend_close(be);
	}
}
END_TEST

START_TEST(refusals)
{
	gt_backend *be = gt_test_backend();
	struct noisy s = noisy(be, GT_F32, 8, 10, 2, 0.05);
	gt_problem *p = &s.p.problem, one = *p;
	gt_penalty *R = rough(s.p.x, 1, 1), *bent = rough(s.p.x, 1, 0), *prox = near_to(s.p.truth, 1);
	struct log l = { .calls = 0 };
	one.subsets = 1;
	ck_refused(solve("lsqr", "", p, s.p.x, &l), GT_ERR_ARG, "cannot take 2 subsets");
	ck_refused(solve("pdhg", "", p, s.p.x, &l), GT_ERR_ARG, "cannot take 2 subsets");
	ck_refused(solve("asd-pocs", "", p, s.p.x, &l), GT_ERR_ARG, "'asd-pocs' needs a penalty");
	one.R = R;
	ck_refused(solve("sirt", "", &one, s.p.x, &l), GT_ERR_ARG, "cannot take a penalty");
	ck_refused(solve("lsqr", "", &one, s.p.x, &l), GT_ERR_ARG, "cannot take a penalty");
	one.R = bent;
	ck_refused(solve("pdhg", "", &one, s.p.x, &l), GT_ERR_ARG, "'pdhg' needs a convex penalty, which 'rough' is not");
	one.R = prox;
	ck_refused(solve("asd-pocs", "", &one, s.p.x, &l), GT_ERR_ARG, "needs a gradient");
	one.R = NULL;
	one.lo = 0;
	ck_refused(solve("lsqr", "", &one, s.p.x, &l), GT_ERR_ARG, "does not support bounds");
	one.w = s.w;
	ck_refused(solve("sirt", "", &one, s.p.x, &l), GT_ERR_ARG, "cannot take weights");
	one.R = R;
	ck_refused(solve("asd-pocs", "", &one, s.p.x, &l), GT_ERR_ARG, "cannot take weights");
	gt_fill(0, s.w[0]);
	one.R = prox;
	ck_refused(solve("pdhg", "", &one, s.p.x, &l), GT_ERR_ARG, "no ray of weight above 0");
	ck_assert_int_eq(l.calls, 0);
	ck_assert_double_eq(gt_dot(s.p.x, s.p.x), 0); /* untouched */
	gt_penalty_free(R);
	gt_penalty_free(bent);
	gt_penalty_free(prox);
	noisy_free(&s);
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_test(tc, sirt_and_sart_are_os_sart);
	tcase_add_loop_test(tc, lsqr_is_cgls, 0, 2);
	tcase_add_loop_test(tc, lsqr_solves_normal_equations, 0, 4);
	tcase_add_test(tc, lsqr_stays_at_the_answer);
	tcase_add_loop_test(tc, pdhg_reaches_the_exact_minimum, 0, 6);
	tcase_add_test(tc, asd_pocs_lowers_its_penalty);
	tcase_add_test(tc, asd_pocs_stops_by_its_rule);
	tcase_add_loop_test(tc, iterations_stay_on_the_device, 0, sizeof hot / sizeof *hot);
	tcase_add_test(tc, monitor_stops);
	tcase_add_test(tc, refusals);
}

int main(void) { return gt_test_main("solvers-other", fill); }
