/* Solvers of penalised weighted least squares: equal minima of a noisy problem with a penalty, monotone costs,
 * bounds.
 * labels: property slow */
#include <math.h>
#include <stdlib.h>
#include <gantry/regularizer.h>
#include "tests/support/noisy.h"
#include "tests/support/penalties.h"
#include "tests/support/support.h"

/* Solvers of one problem reach the same cost, image and zero gradient; pcg and fista decrease monotonically. */
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

GT_TESTS(same_problem_same_answer, 2)
{
	gt_backend *be = gt_test_backend_alone();
	struct gt_test_noisy *n = gt_test_noisy(be, GT_F64);
	const double limit = _i ? 5e-4 : INFINITY;
	gt_penalty *R = gt_test_chain(&gt_test_chain_ops, n->p.x, STRENGTH, limit);
	gt_array *x[PEERS] = { NULL }, *g = NULL;
	double cost[PEERS];
	ck_ok(gt_array_like(n->start, &g));
	gt_test_noisy_penalty(n, R, -INFINITY, INFINITY);
	gt_test_cost(&n->one, n->start, g);
	const double steep = gt_test_norm(g);
	for (int i = 0; i < (_i ? QUICK : PEERS); i++) {
		struct gt_test_log l = { 0 };
		ck_ok(gt_array_like(n->start, &x[i]));
		gt_copy(n->start, x[i]);
		ck_ok(gt_test_solve(peers[i].name, peers[i].options, peers[i].many ? &n->many : &n->one, x[i], &l));
		cost[i] = gt_test_cost(&n->one, x[i], g);
		printf("%s:%s limit %g: cost %.12g, gradient %.2e, from the first %.2e\n", peers[i].name, peers[i].options, limit, cost[i],
		       gt_test_norm(g) / steep, gt_test_apart(x[i], x[0]));
		fflush(stdout);
		if (peers[i].falls)
			gt_test_never_rises(&l, peers[i].name);
		ck_assert_msg(gt_test_norm(g) < 1e-5 * steep, "%s: gradient %g of %g", peers[i].name, gt_test_norm(g), steep);
		ck_assert_msg(fabs(cost[i] - cost[0]) < 1e-7 * cost[0], "%s: cost %.12g, of the first %.12g", peers[i].name, cost[i],
		              cost[0]);
		ck_assert_msg(gt_test_apart(x[i], x[0]) < 2e-6, "%s: %g mm^-1 from the first", peers[i].name, gt_test_apart(x[i], x[0]));
		ck_assert(gt_test_apart(x[i], n->start) > 1e-3);
	}
	for (int i = 0; i < PEERS; i++)
		gt_array_free(x[i]);
	gt_array_free(g);
	gt_penalty_free(R);
	gt_test_noisy_free(n);
	gt_backend_close(be);
}

/* Likewise with a Huber penalty over 26 neighbours. Single precision reaches the result of double. */
GT_TEST(huber_by_all)
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
		gt_backend *be = gt_test_backend_alone();
		struct gt_test_noisy *n = gt_test_noisy(be, t ? GT_F64 : GT_F32);
		gt_penalty *R = NULL;
		gt_array *x = NULL, *g = NULL;
		ck_ok(gt_regularizer_new("huber:strength=1500,delta=5HU", be, gt_array_type(n->start), &n->p.grid, NULL, &R));
		ck_ok(gt_array_like(n->start, &x));
		ck_ok(gt_array_like(n->start, &g));
		ck_ok(gt_array_like(n->start, &first));
		gt_test_noisy_penalty(n, R, -INFINITY, INFINITY);
		for (int i = 0; i < 4; i++) {
			gt_copy(n->start, x);
			ck_ok(gt_test_solve(all[i].name, all[i].options, all[i].many ? &n->many : &n->one, x, NULL));
			cost[t][i] = gt_test_cost(&n->one, x, g);
			if (i == 0)
				gt_copy(x, first);
			printf("huber, %s in %s: cost %.9g, from pcg %.2g mm^-1\n", all[i].name, gt_type_name(gt_array_type(x)), cost[t][i],
			       gt_test_apart(x, first));
			fflush(stdout);
			ck_assert_double_lt(fabs(cost[t][i] / cost[t][0] - 1), 1e-5);
			ck_assert_double_lt(gt_test_apart(x, first), 1e-5);
		}
		image[t] = malloc(gt_array_size(x) * sizeof **image);
		gt_array_get_float(first, image[t]);
		if (t)
			ck_assert_double_lt(gt_test_rms(image[0], image[1], gt_array_size(x)), 1e-3);
		gt_array_free(x);
		gt_array_free(g);
		gt_array_free(first);
		gt_penalty_free(R);
		gt_test_noisy_free(n);
		gt_backend_close(be);
	}
	free(image[0]);
	free(image[1]);
}

/* At active bounds the gradient points outwards; elsewhere it is zero. */
static void check_bounds(const gt_problem *p, const gt_array *x, gt_array *g, double steep, const char *who)
{
	const size_t n = gt_array_size(x);
	double *hx = malloc(n * sizeof *hx), *hg = malloc(n * sizeof *hg);
	size_t low = 0, high = 0;
	gt_test_cost(p, x, g);
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

GT_TEST(bounds_hold)
{
	static const struct {
		const char *name, *options;
		int many;
	} takers[] = { { "fista", "iterations=250", 0 }, { "os-sqs", "iterations=250,fewer=0.05,single=0.1", 1 } };
	gt_backend *be = gt_test_backend();
	struct gt_test_noisy *n = gt_test_noisy(be, GT_F64);
	gt_penalty *R = gt_test_chain(&gt_test_chain_ops, n->p.x, STRENGTH, 5e-4);
	gt_array *x[2] = { NULL }, *g = NULL;
	ck_ok(gt_array_like(n->start, &g));
	gt_test_noisy_penalty(n, R, 0, 0.006);
	gt_test_cost(&n->one, n->start, g);
	const double steep = gt_max(g);
	for (int i = 0; i < 2; i++) {
		ck_ok(gt_array_like(n->start, &x[i]));
		gt_copy(n->start, x[i]);
		struct gt_test_log l = { 0 };
		ck_ok(gt_test_solve(takers[i].name, takers[i].options, takers[i].many ? &n->many : &n->one, x[i], &l));
		if (!takers[i].many)
			gt_test_never_rises(&l, takers[i].name);
		check_bounds(&n->one, x[i], g, steep, takers[i].name);
	}
	ck_assert_double_lt(gt_test_apart(x[0], x[1]), 1e-6);
	gt_array_free(x[0]);
	gt_array_free(x[1]);
	gt_array_free(g);
	gt_penalty_free(R);
	gt_test_noisy_free(n);
	gt_backend_close(be);
}

/* The proximal step of a penalty gives the result of its gradient. */
GT_TEST(prox_is_gradient)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_noisy *n = gt_test_noisy(be, GT_F64);
	gt_penalty *smooth = gt_test_square(&gt_test_square_ops, n->p.x, 2000), *proximal = gt_test_square(&gt_test_prox_ops, n->p.x, 2000);
	gt_array *x[3] = { NULL }, *g = NULL;
	ck_ok(gt_array_like(n->start, &g));
	gt_test_cost(&n->one, n->start, g);
	const double steep = gt_test_norm(g);
	for (int i = 0; i < 3; i++) {
		struct gt_test_log l = { 0 };
		ck_ok(gt_array_like(n->start, &x[i]));
		gt_copy(n->start, x[i]);
		gt_test_noisy_penalty(n, i == 2 ? proximal : smooth, -INFINITY, INFINITY);
		ck_ok(gt_test_solve(i ? "fista" : "pcg",
		                    i == 0   ? "iterations=60"
		                    : i == 1 ? "iterations=200,prox=yes"
		                             : "iterations=200",
		                    &n->one, x[i], &l));
		gt_test_never_rises(&l, i ? "fista" : "pcg");
		ck_assert_double_lt(gt_test_apart(x[i], x[0]), 1e-6);
	}
	ck_assert_double_eq(gt_distance2(x[1], x[2]), 0); /* prox=auto uses the only possible form */
	gt_test_cost(&(gt_problem){ .subsets = 1, .A = &n->A, .b = &n->b, .w = &n->w, .R = smooth }, x[1], g);
	ck_assert_double_lt(gt_test_norm(g), 1e-5 * steep);
	for (int i = 0; i < 3; i++)
		gt_array_free(x[i]);
	gt_array_free(g);
	gt_penalty_free(smooth);
	gt_penalty_free(proximal);
	gt_test_noisy_free(n);
	gt_backend_close(be);
}

/* With its defaults it needs as few passes over the data as clinical use allows. */
GT_TEST(ordered_subsets_are_quick)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_noisy *n = gt_test_noisy(be, GT_F32);
	gt_penalty *R = gt_test_chain(&gt_test_chain_ops, n->p.x, STRENGTH, 5e-4);
	gt_array *x = NULL, *slow = NULL;
	ck_ok(gt_array_like(n->start, &x));
	ck_ok(gt_array_like(n->start, &slow));
	gt_copy(n->start, x);
	gt_copy(n->start, slow);
	gt_test_noisy_penalty(n, R, 0, INFINITY);
	ck_ok(gt_test_solve("fista", "iterations=400", &n->one, n->start, NULL));
	ck_ok(gt_test_solve("fista", "iterations=60", &n->one, slow, NULL));
	ck_ok(gt_test_solve("os-sqs", "subsets=6", &n->many, x, NULL));
	printf("from the minimum: os-sqs after 20 passes %.2g mm^-1, fista after 60 %.2g\n", gt_test_apart(x, n->start),
	       gt_test_apart(slow, n->start));
	ck_assert_double_lt(gt_test_apart(x, n->start), 3e-5);
	ck_assert_double_lt(gt_test_apart(x, n->start), gt_test_apart(slow, n->start));
	gt_array_free(x);
	gt_array_free(slow);
	gt_penalty_free(R);
	gt_test_noisy_free(n);
	gt_backend_close(be);
}

/* Single precision reaches the result of double. */
GT_TESTS(single_and_double_agree, 3)
{
	static const char *const who[] = { "pcg", "fista", "os-sqs" }, *const how[] = { "iterations=50", "iterations=200",
		                                                                        "iterations=100" };
	double cost[2];
	for (int t = 0; t < 2; t++) {
		gt_backend *be = gt_test_backend();
		struct gt_test_noisy *n = gt_test_noisy(be, t ? GT_F64 : GT_F32);
		gt_penalty *R = gt_test_chain(&gt_test_chain_ops, n->p.x, STRENGTH, 5e-4);
		struct gt_test_log l = { 0 };
		gt_test_noisy_penalty(n, R, -INFINITY, INFINITY);
		ck_ok(gt_test_solve(who[_i], how[_i], _i == 2 ? &n->many : &n->one, n->start, &l));
		cost[t] = l.cost[l.calls - 1];
		gt_penalty_free(R);
		gt_test_noisy_free(n);
		gt_backend_close(be);
	}
	ck_assert_double_eq_tol(cost[0] / cost[1], 1, 1e-5);
}

int main(void) { return gt_test_main("pwls", NULL); }
