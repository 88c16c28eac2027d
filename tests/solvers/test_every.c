/* Every solver of the table: bit-identical results for any number of threads and the same values on a GPU. Its result
 * is the minimiser of a dense solution, or in single that of double precision.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "tests/support/small.h"
#include "tests/support/support.h"

enum { SUBSETS = 3, TEN = 10 };
static const double strength = 40;

/* penalty: 'g' by its gradient, 'p' by its proximal step, '0' none, 'w' weights only, 'd' the method's own damping,
 * 'n' non-local means.
 * to: 'e' the exact minimiser, 's' the result in double. Then the iterations, and the tolerances in double and single. */
static const struct {
	const char *solver, *options;
	char penalty;
	size_t subsets;
	char to;
	int many;
	double close;
} all[] = {
	{ "os-sart", "reduce=1", '0', SUBSETS, 's', 150, 1e-4 },
	{ "os-sart", "reduce=1,anderson=3", '0', SUBSETS, 's', 60, 1e-4 },
	{ "sirt", "", '0', 1, 's', 300, 1e-4 },
	{ "sirt", "anderson=4", '0', 1, 's', 100, 1e-4 },
	{ "sart", "reduce=0.9", '0', 9, 's', 40, 1e-4 },
	{ "cgls", "", '0', 1, 'e', 60, 1e-4 },
	{ "pcg", "", '0', 1, 'e', 100, 1e-4 },
	{ "fista", "", 'g', 1, 'e', 150, 1e-4 },
	{ "fista", "anderson=8", 'g', 1, 'e', 100, 1e-4 },
	{ "fista", "", 'p', 1, 'e', 250, 1e-4 },
	{ "os-sqs", "fewer=0,single=0", 'g', 1, 'e', 200, 1e-4 },
	{ "lsqr", "", '0', 1, 'e', 60, 1e-4 },
	{ "pdhg", "", 'p', 1, 'e', 350, 1e-4 },
	{ "asd-pocs", "epsilon=0,nonneg=no", 'g', 1, 's', 20, 1e-3 },
	{ "lsmr", "", '0', 1, 'e', 60, 1e-4 },
	{ "ab-gmres", "steps=4", '0', 1, 'e', 40, 1e-4 },
	{ "ba-gmres", "steps=4", '0', 1, 'e', 40, 1e-4 },
	{ "ab-gmres", "steps=6", 'w', 1, 'e', 40, 1e-4 },
	{ "ba-gmres", "steps=6", 'w', 1, 'e', 40, 1e-4 },
	{ "lsmr", "", 'w', 1, 'e', 80, 1e-4 },
	{ "hybrid-lsqr", "strength=fixed,lambda=6.32455532", 'd', 1, 'e', 60, 1e-4 },
	{ "mlem", "negative=zero", '0', 1, 's', 200, 1e-4 },
	{ "osem", "negative=zero", '0', SUBSETS, 's', 60, 1e-4 },
	{ "mltr", "background=0.05", 'g', 1, 's', 200, 1e-4 },
	{ "mltr", "curvature=precomputed", 'g', SUBSETS, 's', 100, 1e-4 },
	{ "saga", "", 'g', SUBSETS, 'e', 1400, 1e-4 },
	{ "svrg", "", 'g', SUBSETS, 'e', 1500, 1e-4 },
	{ "spdhg", "", 'p', SUBSETS, 'e', 500, 1e-4 },
	{ "os-lalm", "", 'g', 1, 'e', 500, 1e-4 },
	{ "admm", "", 'p', 1, 'e', 200, 1e-4 },
	{ "pnp-fista", "", 'n', 1, 's', 30, 1e-3 },
	{ "pnp-admm", "", 'n', 1, 's', 20, 1e-3 },
	{ "red", "", 'n', 1, 's', 30, 1e-3 },
};
enum { ALL = sizeof all / sizeof *all };

static gt_penalty *penalty_of(char kind, const struct gt_small_noisy *s, const gt_array *centre)
{
	gt_penalty *R = NULL;
	if (kind == 'g')
		R = gt_small_rough(centre, strength, 1);
	if (kind == 'p')
		R = gt_small_near_to(centre, strength);
	if (kind == 'n')
		ck_ok(gt_regularizer_new("nlm:h=20HU,search=3", s->p.be, gt_array_type(s->p.x), &s->p.grid, NULL, &R));
	return R;
}

/* One run: its volume in double, owned by the caller; exact: the minimiser in double, if requested. */
struct run {
	int which, iterations;
	const char *backend;
	gt_type type;
	size_t n;
	double *exact;
};

static double *host_of(const gt_array *x)
{
	double *result = malloc(gt_array_size(x) * sizeof *result);
	float *single = malloc(gt_array_size(x) * sizeof *single);
	gt_array_get(x, gt_array_type(x) == GT_F64 ? (void *)result : (void *)single);
	for (size_t i = 0; gt_array_type(x) == GT_F32 && i < gt_array_size(x); i++)
		result[i] = single[i];
	free(single);
	return result;
}

static double *solve(struct run *r)
{
	const char kind = all[r->which].penalty, *options = all[r->which].options;
	gt_backend *be = NULL;
	ck_ok(gt_backend_open(r->backend, &be));
	struct gt_small_noisy s = gt_small_noisy(be, r->type, 5, 9, all[r->which].subsets, 0.05);
	gt_problem *p = &s.p.problem;
	gt_array *x = gt_small_start(&s), *start = gt_small_start(&s);
	char text[128];
	p->R = penalty_of(kind, &s, start);
	if (gt_solver_find(all[r->which].solver)->traits & GT_SUPPORTS_WEIGHTS && kind != '0')
		p->w = s.w;
	if (r->exact) {
		gt_array *answer = gt_small_start(&s);
		gt_small_exact(p, kind == 'p' || kind == 'd' ? strength : 0, start, kind == 'g' ? strength : 0, answer);
		gt_array_get(answer, r->exact);
	}
	snprintf(text, sizeof text, "iterations=%d%s%s", r->iterations, *options ? "," : "", options);
	ck_ok(gt_small_solve(all[r->which].solver, text, p, x, NULL));
	r->n = gt_array_size(x);
	double *result = host_of(x);
	gt_penalty_free((gt_penalty *)p->R);
	gt_small_noisy_free(&s);
	gt_backend_close(be);
	return result;
}

static double distance(const double *a, const double *b, size_t n)
{
	double off = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		off += (a[i] - b[i]) * (a[i] - b[i]);
		size += b[i] * b[i];
	}
	ck_assert_double_gt(size, 0);
	return sqrt(off / size);
}

GT_TESTS(any_number_of_threads_gives_the_same_bits, ALL)
{
	static const char *const more[] = { "cpu:2", "cpu:5", "cpu:8" };
	for (gt_type t = GT_F32; t <= GT_F64; t++) {
		struct run r = { _i, TEN, "cpu:1", t, 0, NULL };
		double *one = solve(&r);
		for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
			r.backend = more[i];
			double *some = solve(&r);
			ck_assert_msg(!memcmp(one, some, r.n * sizeof *one), "%s on %s: other bits", all[_i].solver, more[i]);
			free(some);
		}
		free(one);
	}
}

/* Double after ten iterations matches the CPU, which is trivial on the CPU. Single stays near double. */
GT_TESTS(here_as_on_the_cpu, ALL)
{
	struct run r = { _i, TEN, "cpu", GT_F64, 0, NULL };
	double *cpu = solve(&r), off[2];
	for (gt_type t = GT_F32; t <= GT_F64; t++) {
		r = (struct run){ _i, TEN, gt_test_is_gpu() ? "cuda:0" : "cpu:3", t, 0, NULL };
		double *here = solve(&r);
		off[t == GT_F64] = distance(here, cpu, r.n);
		free(here);
	}
	printf("%s: double %.2e, single %.2e from double on the CPU\n", all[_i].solver, off[1], off[0]);
	fflush(stdout);
	ck_assert_double_le(off[1], 1e-8);
	ck_assert_double_le(off[0], 2e-2);
	free(cpu);
}

GT_TESTS(ends_where_it_should, ALL)
{
	struct run r = { _i, all[_i].many, gt_test_is_gpu() ? "cuda:0" : "cpu:1", GT_F64, 0, NULL };
	double *exact = calloc(5 * 5 * 5, sizeof *exact), off[2] = { 0, 0 };
	r.exact = all[_i].to == 'e' ? exact : NULL;
	double *end = solve(&r);
	r.exact = NULL;
	r.type = GT_F32;
	double *single = solve(&r);
	ck_assert_uint_eq(r.n, 5 * 5 * 5);
	if (all[_i].to == 'e')
		off[0] = distance(end, exact, r.n);
	off[1] = distance(single, all[_i].to == 'e' ? exact : end, r.n);
	printf("%s:%s after %d: double %.2e, single %.2e from %s\n", all[_i].solver, all[_i].options, all[_i].many, off[0], off[1],
	       all[_i].to == 'e' ? "the dense solution" : "double");
	fflush(stdout);
	ck_assert_double_le(off[0], all[_i].close);
	ck_assert_double_le(off[1], all[_i].close);
	free(end);
	free(single);
	free(exact);
}

GT_TEST(no_solver_is_left_out)
{
	for (const gt_solver *const *s = gt_solvers; *s; s++) {
		size_t i = 0;
		while (i < ALL && strcmp(all[i].solver, (*s)->name))
			i++;
		ck_assert_msg(i < ALL, "no line for solver '%s'", (*s)->name);
	}
}

int main(void) { return gt_test_main("solvers-every", NULL); }
