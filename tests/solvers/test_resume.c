/* Every solver, stopped after some iterations and resumed in a new run from its state alone, is bit-identical to an
 * uninterrupted run. Every entry of the state is necessary.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "tests/support/problem.h"
#include "tests/support/support.h"

static const struct {
	const char *solver, *options, *penalty;
	int iterations, weights;
	size_t subsets;
} cases[] = {
	{ "os-sart", "order=golden,relax=0.9,nonneg=no", NULL, 5, 0, 5 },
	{ "os-sart", "keep=no", NULL, 4, 0, 3 },
	{ "sirt", "reduce=0.8", NULL, 5, 0, 1 },
	{ "sart", "reduce=0.9", NULL, 4, 0, 12 },
	{ "sart", "momentum=yes,relax=0.5", NULL, 5, 0, 12 },
	{ "sirt", "momentum=yes", NULL, 6, 0, 1 },
	{ "sirt", "anderson=3", NULL, 9, 0, 1 },
	{ "os-sart", "anderson=2,reduce=1,nonneg=no", NULL, 7, 0, 4 },
	{ "cgls", "", NULL, 7, 0, 1 },
	{ "cgls", "", NULL, 7, 1, 1 },
	{ "lsqr", "damp=0.3", NULL, 7, 0, 1 },
	{ "lsqr", "", NULL, 7, 1, 1 },
	{ "lsmr", "damp=0.3", NULL, 7, 0, 1 },
	{ "lsmr", "", NULL, 7, 1, 1 },
	{ "ab-gmres", "steps=3", NULL, 5, 0, 1 },
	{ "ba-gmres", "steps=4", NULL, 5, 0, 1 },
	{ "ab-gmres", "steps=3", NULL, 5, 1, 1 },
	{ "ba-gmres", "steps=3", NULL, 5, 1, 1 },
	{ "hybrid-lsqr", "", NULL, 7, 0, 1 },
	{ "hybrid-lsqr", "strength=gcv", NULL, 6, 1, 1 },
	{ "hybrid-lsqr", "strength=trace", NULL, 6, 1, 1 },
	{ "mlem", "negative=zero", NULL, 5, 0, 1 },
	{ "osem", "order=golden,negative=zero", NULL, 4, 0, 4 },
	{ "mltr", "background=0.1", "huber:strength=2,delta=20HU", 5, 1, 1 },
	{ "mltr", "curvature=precomputed,order=golden", NULL, 4, 0, 4 },
	{ "saga", "seed=7", "huber:strength=2,delta=20HU", 5, 1, 4 },
	{ "saga", "nonneg=no", NULL, 5, 0, 3 },
	{ "svrg", "", "huber:strength=2,delta=20HU", 4, 1, 4 },
	{ "spdhg", "", "tv:strength=0.02,inner=4", 5, 1, 4 },
	{ "spdhg", "", NULL, 5, 0, 3 },
	{ "os-lalm", "", "huber:strength=2,delta=20HU", 5, 1, 4 },
	{ "admm", "", "tv:strength=0.02,inner=4", 5, 1, 1 },
	{ "admm", "inner=1", NULL, 5, 0, 1 },
	{ "pcg", "", NULL, 22, 1, 1 },
	{ "pcg", "preconditioner=none", "huber:strength=2,delta=20HU", 7, 0, 1 },
	{ "pcg", "", "tv:strength=0.02,inner=0", 6, 1, 1 },
	{ "pcg", "preconditioner=ramp", "huber:strength=2,delta=20HU", 8, 1, 1 },
	{ "fista", "", NULL, 7, 1, 1 },
	{ "fista", "restart=no", "fair:strength=2,delta=20HU", 7, 0, 1 },
	{ "fista", "", "qggmrf:strength=0.2", 16, 1, 1 },
	{ "fista", "prox=yes", "tv:strength=0.02,inner=4", 7, 1, 1 },
	{ "fista", "prox=yes", "wavelet:strength=0.5,inner=3,levels=2", 7, 1, 1 },
	{ "fista", "anderson=2", "fair:strength=2,delta=20HU", 8, 1, 1 },
	{ "fista", "anderson=4", "tv:strength=0.02,inner=4", 7, 0, 1 },
	{ "os-sqs", "", NULL, 7, 0, 1 },
	{ "os-sqs", "fewer=0,single=0", "huber:strength=2,delta=20HU", 7, 1, 6 },
	{ "os-sqs", "fewer=0.4,single=0.7", "huber:strength=2,delta=20HU", 11, 1, 6 },
	{ "os-sqs", "momentum=no", "tv:strength=0.02,inner=0", 5, 0, 4 },
	{ "pdhg", "", NULL, 9, 1, 1 },
	{ "pdhg", "sigma=0.05", NULL, 7, 1, 1 },
	{ "pdhg", "sigma=0.5", "hyperbola:strength=2,delta=20HU", 9, 0, 1 },
	{ "pdhg", "", "tv:strength=0.02,inner=4", 7, 1, 1 },
	{ "pdhg", "", "huber:strength=2,delta=20HU", 40, 1, 1 },
	{ "asd-pocs", "epsilon=0,r_max=0.1", "tv:strength=1,inner=0", 6, 0, 4 },
	{ "pnp-fista", "", "nlm:h=20HU,search=3", 5, 1, 1 },
	{ "pnp-fista", "momentum=no", "tgv:strength=0.02,inner=3", 5, 0, 1 },
	{ "pnp-admm", "", "tv:strength=0.02,inner=4", 4, 1, 1 },
	{ "red", "", "nlm:h=20HU,search=3", 5, 0, 1 },
	{ "asd-pocs", "epsilon=1,cosine=0.5", "huber:strength=1,delta=20HU", 6, 0, 3 },
};
enum { CASES = sizeof cases / sizeof *cases };

/* State of a run on the host. */
struct thing {
	char name[64];
	void *bytes; /* NULL: a number */
	double value;
};
struct left {
	struct thing of[GT_STATE_MAX];
	size_t n;
	int done;
};

static void leave(struct left *l, const gt_progress *g)
{
	ck_assert_ptr_nonnull(g->kept);
	l->done = g->iteration;
	for (l->n = 0; g->kept[l->n].name; l->n++) {
		const gt_state_entry *k = &g->kept[l->n];
		struct thing *t = &l->of[l->n];
		ck_assert_int_lt(snprintf(t->name, sizeof t->name, "%s", k->name), (int)sizeof t->name);
		ck_assert(!k->array != !k->value);
		t->bytes = k->array ? malloc(gt_array_bytes(k->array)) : NULL;
		if (k->array)
			gt_array_get(k->array, t->bytes);
		else
			t->value = *k->value;
	}
}

static void left_free(struct left *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->of[i].bytes);
}

enum { MOST = 64 };
/* A run: started at iteration 1 (from NULL) or resumed. `spoil`: index of the entry that is corrupted; n: none. */
struct run {
	int iterations, stop_at, first, last;
	const struct left *from;
	size_t spoil;
	struct left *to; /* at stop_at */
	gt_progress seen[MOST];
};

static gt_status resume(void *self, const gt_state_entry *kept, int *done)
{
	const struct run *r = self;
	if (!r->from)
		return GT_OK;
	for (size_t i = 0; kept[i].name || i < r->from->n; i++) {
		const struct thing *t = &r->from->of[i];
		ck_assert_uint_lt(i, r->from->n);
		ck_assert_str_eq(kept[i].name, t->name);
		if (kept[i].array) {
			gt_array_put(t->bytes, kept[i].array);
			if (i == r->spoil)
				gt_scale(1.01, kept[i].array);
		} else
			*kept[i].value = i == r->spoil ? t->value * 1.01 + 1e-3 : t->value;
	}
	*done = r->from->done;
	return GT_OK;
}

static int see(void *self, const gt_progress *g)
{
	struct run *r = self;
	ck_assert_int_eq(g->iteration, r->last ? r->last + 1 : r->from ? r->from->done + 1 : 1);
	r->last = g->iteration;
	ck_assert_int_lt(g->iteration, MOST);
	r->seen[g->iteration] = *g;
	if (g->iteration == r->stop_at)
		leave(r->to, g);
	return g->iteration == r->stop_at;
}

struct setting {
	size_t which;
	gt_type type;
	gt_backend *be;
	struct gt_test_problem p;
	gt_array *w[12];
};

static struct setting setting(size_t which, gt_type type)
{
	struct setting s = { which, type, gt_test_backend(), { 0 }, { NULL } };
	s.p = gt_test_problem(s.be, type, 8, 12, cases[which].subsets);
	for (size_t k = 0; k < s.p.subsets; k++) {
		const size_t n = gt_array_size(s.p.b[k]);
		gt_array *noise = gt_test_array(s.be, type, n, 20 + (unsigned)k);
		gt_axpy(0.02 * gt_max(s.p.b[k]), noise, s.p.b[k]);
		gt_array_free(noise);
		s.w[k] = gt_test_array(s.be, type, n, 40 + (unsigned)k);
		gt_clamp(-0.9, 1, s.w[k]);
		gt_array *one = gt_test_array(s.be, type, n, 1);
		gt_fill(1, one);
		gt_axpy(1, one, s.w[k]);
		gt_array_free(one);
	}
	const gt_solver *solver = gt_solver_find(cases[which].solver);
	if (solver->nonneg && !strstr(cases[which].options, "nonneg=no"))
		s.p.problem.lo = 0;
	return s;
}

static void setting_free(struct setting *s)
{
	for (size_t k = 0; k < s->p.subsets; k++)
		gt_array_free(s->w[k]);
	gt_test_problem_free(&s->p);
	gt_backend_close(s->be);
}

/* Returns the final volume, owned by the caller. All objects are new, as after a program start. */
static void *solve(struct setting *s, struct run *r)
{
	const gt_solver *solver = gt_solver_find(cases[s->which].solver);
	char text[256];
	void *o = NULL;
	gt_penalty *R = NULL;
	gt_array *x = gt_test_array(s->be, s->type, gt_array_size(s->p.x), r->from ? 3 : 2);
	void *result = malloc(gt_array_bytes(x));
	gt_scale(0.01, x);
	snprintf(text, sizeof text, "iterations=%d,%s", r->iterations, cases[s->which].options);
	text[strlen(text) - !*cases[s->which].options] = 0;
	ck_ok(gt_params_new(solver->params, text, solver->defaults, solver->options_size, &o));
	if (cases[s->which].penalty)
		ck_ok(gt_regularizer_new(cases[s->which].penalty, s->be, s->type, &s->p.grid, NULL, &R));
	gt_problem p = s->p.problem;
	p.R = R;
	p.w = cases[s->which].weights ? s->w : NULL;
	const gt_status st = gt_solve(solver, &p, o, x, &(gt_monitor){ .each = see, .self = r, .resume = resume });
	ck_assert_msg(st == GT_OK || st == GT_STOPPED, "%s: %s", cases[s->which].solver, gt_error());
	gt_array_get(x, result);
	gt_penalty_free(R);
	gt_array_free(x);
	free(o);
	return result;
}

static int same_number(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)); }

/* Compares the volume and all reported values of the resumed iterations. */
static int same(const struct setting *s, const void *x, const struct run *continued, const void *whole, const struct run *all)
{
	for (int k = continued->from->done + 1; k <= continued->last; k++) {
		const gt_progress *a = &continued->seen[k], *b = &all->seen[k];
		if (!same_number(a->cost, b->cost) || !same_number(a->change, b->change) || !same_number(a->gradient, b->gradient) ||
		    !same_number(a->residual, b->residual))
			return 0;
	}
	return !memcmp(x, whole, gt_array_bytes(s->p.x)) && (continued->last ? continued->last : continued->from->done) == all->last;
}

static void check_continued(struct setting *s, int stop_at, int more, const void *whole, const struct run *long_run)
{
	const char *who = cases[s->which].solver;
	struct left l = { .n = 0 };
	struct run first = { .iterations = cases[s->which].iterations - more, .stop_at = stop_at, .to = &l };
	free(solve(s, &first));
	struct run second = { .iterations = cases[s->which].iterations, .from = &l, .spoil = l.n };
	void *x = solve(s, &second);
	ck_assert_msg(same(s, x, &second, whole, long_run), "%s (%s), %s: stopped after %d of %d iterations, the end is another", who,
	              cases[s->which].options, gt_type_name(s->type), stop_at, first.iterations);
	free(x);
	left_free(&l);
}

GT_TESTS(ends_with_the_same_bits, CASES)
{
	for (gt_type t = GT_F32; t <= GT_F64; t++) {
		struct setting s = setting((size_t)_i, t);
		const int n = cases[_i].iterations, stops[] = { 1, 3, n - 1, n };
		struct run all = { .iterations = n };
		void *whole = solve(&s, &all);
		for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
			if (stops[i] <= all.last)
				check_continued(&s, stops[i], 0, whole, &all);
		/* A completed run that gets more iterations. */
		if (!(gt_solver_find(cases[_i].solver)->traits & GT_PLANS_ITERATIONS) && all.last > 2)
			check_continued(&s, all.last - 2, n - all.last + 2, whole, &all);
		free(whole);
		setting_free(&s);
	}
}

/* Returns 1 for entries unused without a tolerance, weights or damping. */
static int may_be_idle(size_t which, const char *name)
{
	static const char *const damping[] = { "gradient", "damped", "z", "cosine", "sine", "size", NULL };
	const char *const *d = damping;
	if (!strcmp(cases[which].solver, "lsqr") && !strstr(cases[which].options, "damp"))
		while (*d && strcmp(*d, name))
			d++;
	/* Values of the subsets are not carried from iterate to iterate. */
	if (!strcmp(cases[which].solver, "os-sqs") && cases[which].subsets > 1 && !strstr(cases[which].options, "fewer=0,") &&
	    !strcmp(name, "data"))
		return 1;
	/* They decide restarts when the cost rises; a wrong minimum only delays them. */
	if (!strcmp(cases[which].solver, "pdhg") && (!strcmp(name, "begun") || !strcmp(name, "lowest")))
		return 1;
	/* Unused if the cost never rises twice; `near` is found again. */
	if ((!strcmp(cases[which].solver, "os-sqs") && !strcmp(name, "lowest")) || !strcmp(name, "near"))
		return 1;
	return !strcmp(name, "first") || (d != damping && *d) || (!strcmp(cases[which].solver, "lsqr") && !strcmp(name, "gradient")) ||
	       (!strcmp(cases[which].solver, "cgls") && !cases[which].weights && !strcmp(name, "data"));
}

GT_TESTS(all_that_is_kept_is_needed, CASES)
{
	struct setting s = setting((size_t)_i, GT_F64);
	const int n = cases[_i].iterations;
	struct left l = { .n = 0 };
	struct run all = { .iterations = n }, first = { .iterations = n, .stop_at = 2, .to = &l };
	void *whole = solve(&s, &all);
	free(solve(&s, &first));
	for (size_t i = 0; i < l.n && all.last > 2; i++) {
		struct run second = { .iterations = n, .from = &l, .spoil = i };
		void *x = solve(&s, &second);
		ck_assert_msg(may_be_idle((size_t)_i, l.of[i].name) || !same(&s, x, &second, whole, &all), "%s (%s): '%s' comes to nothing",
		              cases[_i].solver, cases[_i].options, l.of[i].name);
		free(x);
	}
	free(whole);
	left_free(&l);
	setting_free(&s);
}

static void counts_to(const char *options, size_t which, int *iterations)
{
	struct setting s = setting(which, GT_F64);
	struct left l = { .n = 0 };
	const gt_solver *solver = gt_solver_find(cases[which].solver);
	for (int part = 0; part < 2; part++) {
		struct run r = { .from = part ? &l : NULL, .spoil = GT_STATE_MAX, .stop_at = part ? 0 : 2, .to = &l };
		void *o = NULL;
		gt_array *x = gt_test_array(s.be, GT_F64, gt_array_size(s.p.x), 2);
		ck_ok(gt_params_new(solver->params, options, solver->defaults, solver->options_size, &o));
		gt_solve(solver, &s.p.problem, o, x, &(gt_monitor){ .each = see, .self = &r, .resume = resume });
		iterations[part] = r.last;
		if (!part) {
			struct run whole = { .iterations = 0 };
			gt_array_free(x);
			x = gt_test_array(s.be, GT_F64, gt_array_size(s.p.x), 2);
			ck_ok(gt_solve(solver, &s.p.problem, o, x, &(gt_monitor){ .each = see, .self = &whole, .resume = resume }));
			iterations[0] = whole.last;
		}
		gt_array_free(x);
		free(o);
	}
	left_free(&l);
	setting_free(&s);
}

/* A tolerance refers to the gradient at the first start, not at the second. */
GT_TEST(tolerance_counts_from_the_first_start)
{
	static const char *const who[] = { "cgls", "lsqr", "pcg" };
	for (size_t w = 0; w < 3; w++) {
		size_t which = 0;
		int iterations[2];
		while (strcmp(cases[which].solver, who[w]))
			which++;
		counts_to("iterations=60,tolerance=0.02", which, iterations);
		ck_assert_int_gt(iterations[0], 3);
		ck_assert_int_lt(iterations[0], 60);
		ck_assert_msg(iterations[0] == iterations[1], "%s: ends after %d iterations, continued after %d", who[w], iterations[0],
		              iterations[1]);
	}
}

GT_TEST(no_solver_is_left_out)
{
	for (const gt_solver *const *s = gt_solvers; *s; s++) {
		size_t i = 0;
		while (i < CASES && strcmp(cases[i].solver, (*s)->name))
			i++;
		ck_assert_msg(i < CASES, "no case for solver '%s'", (*s)->name);
	}
}

static gt_status refuse(void *self, const gt_state_entry *kept, int *done)
{
	(void)self, (void)kept, (void)done;
	return gt_fail(GT_ERR_FORMAT, "another run");
}

GT_TEST(a_refusal_ends_the_run)
{
	for (size_t i = 0; i < CASES; i++) {
		struct setting s = setting(i, GT_F32);
		gt_penalty *R = NULL;
		if (cases[i].penalty)
			ck_ok(gt_regularizer_new(cases[i].penalty, s.be, s.type, &s.p.grid, NULL, &R));
		s.p.problem.R = R;
		const gt_solver *solver = gt_solver_find(cases[i].solver);
		void *o = NULL;
		ck_ok(gt_params_new(solver->params, cases[i].options, solver->defaults, solver->options_size, &o));
		ck_refused(gt_solve(solver, &s.p.problem, o, s.p.x, &(gt_monitor){ .resume = refuse }), GT_ERR_FORMAT, "another run");
		free(o);
		gt_penalty_free(R);
		setting_free(&s);
	}
}

int main(void) { return gt_test_main("resume", NULL); }
