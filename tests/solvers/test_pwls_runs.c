/* Runs of pcg, fista, os-sqs and weighted cgls: no allocation or transfer within iterations, stops, divergence,
 * refusals.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/backend.h"
#include "tests/support/noisy.h"
#include "tests/support/penalties.h"
#include "tests/support/support.h"

static const struct {
	const char *name, *options;
	int many;
} hot[] = { { "pcg", "iterations=22", 0 },    { "pcg", "iterations=22,preconditioner=none", 0 },
	    { "fista", "iterations=22", 0 },  { "fista", "iterations=22,prox=yes", 0 },
	    { "os-sqs", "iterations=22", 1 }, { "os-sqs", "iterations=22,momentum=no,fewer=0", 1 },
	    { "cgls", "iterations=22", 0 } };

GT_TESTS(iterations_stay_on_the_device, sizeof hot / sizeof *hot)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_noisy *n = gt_test_noisy(be, GT_F32);
	gt_penalty *R = gt_test_square(&gt_test_square_ops, n->p.x, 2000);
	struct gt_test_log l = { 0 };
	gt_test_noisy_penalty(n, strcmp(hot[_i].name, "cgls") ? R : NULL, -INFINITY, INFINITY);
	ck_ok(gt_test_solve(hot[_i].name, hot[_i].options, hot[_i].many ? &n->many : &n->one, n->start, &l));
	ck_assert_int_eq(l.calls, 22);
	ck_assert_uint_eq(l.last.allocations, l.first.allocations);
	ck_assert_uint_eq(l.last.puts, l.first.puts);
	ck_assert_uint_eq(l.last.gets, l.first.gets);
	ck_assert_uint_eq(l.last.bytes, l.first.bytes);
	gt_penalty_free(R);
	gt_test_noisy_free(n);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}

/* After any stop the caller's array holds the iterate of the monitor. */
GT_TESTS(stopped_anywhere, 12)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_noisy *n = gt_test_noisy(be, GT_F32);
	struct gt_test_log l = { .stop_at = _i / 3 + 1 };
	static const char *const who[] = { "pcg", "fista", "os-sqs" };
	ck_ok(gt_array_like(n->start, &l.seen));
	ck_assert_int_eq(gt_test_solve(who[_i % 3], "iterations=9", _i % 3 == 2 ? &n->many : &n->one, n->start, &l), GT_STOPPED);
	ck_assert_int_eq(l.calls, l.stop_at);
	ck_assert_double_eq(gt_distance2(l.seen, n->start), 0);
	gt_array_free(l.seen);
	gt_test_noisy_free(n);
	gt_backend_close(be);
}

/* Data that overflow single precision give an error instead of infinities. */
GT_TESTS(divergence_is_told, 4)
{
	static const char *const who[] = { "pcg", "fista", "os-sqs", "cgls" };
	gt_backend *be = gt_test_backend();
	struct gt_test_noisy *n = gt_test_noisy(be, GT_F32);
	char named[32];
	snprintf(named, sizeof named, "solver '%s' diverged", who[_i]);
	gt_fill(3e38, n->b);
	ck_refused(gt_test_solve(who[_i], "iterations=9", _i == 2 ? &n->many : &n->one, n->start, NULL), GT_ERR_DIVERGED, named);
	gt_test_noisy_free(n);
	gt_backend_close(be);
}

static void refuse(const char *name, const char *options, const gt_problem *p, gt_array *x, const char *text)
{
	struct gt_test_log l = { 0 };
	ck_refused(gt_test_solve(name, options, p, x, &l), GT_ERR_ARG, text);
	ck_assert_int_eq(l.calls, 0);
}

GT_TEST(refusals)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_noisy *n = gt_test_noisy(be, GT_F32);
	gt_array *x = n->start, *w = n->w, *short_w = gt_test_array(be, GT_F32, 7, 1);
	gt_penalty *slopeless = gt_test_chain(&gt_test_slopeless_ops, x, 1, 1), *lineless = gt_test_chain(&gt_test_lineless_ops, x, 1, 1),
		   *good = gt_test_chain(&gt_test_chain_ops, x, 1, 1), *proximal = gt_test_square(&gt_test_prox_ops, x, 1),
		   *small = gt_test_chain(&gt_test_chain_ops, short_w, 1, 1);
	static const char *const who[] = { "pcg", "fista", "os-sqs" };
	for (int i = 0; i < 3; i++) {
		n->one.w = &short_w;
		refuse(who[i], "", &n->one, x, "7 weights");
		n->one.w = &w;
		gt_scale(-1, n->w);
		refuse(who[i], "", &n->one, x, "least weight");
		gt_scale(-1, n->w);
		gt_test_noisy_penalty(n, small, -INFINITY, INFINITY);
		refuse(who[i], "", &n->one, x, "'chain' is for 7 voxels");
		gt_test_noisy_penalty(n, NULL, -INFINITY, INFINITY);
	}
	refuse("pcg", "", &n->many, x, "cannot take 6 subsets");
	refuse("fista", "", &n->many, x, "cannot take 6 subsets");
	gt_test_noisy_penalty(n, slopeless, -INFINITY, INFINITY);
	refuse("pcg", "", &n->one, x, "'pcg' needs a gradient of a penalty, which 'rough' does not have");
	refuse("os-sqs", "", &n->many, x, "'os-sqs' needs a gradient of a penalty, which 'rough' does not have");
	refuse("fista", "", &n->one, x, "of a penalty, which 'rough' does not have");
	gt_test_noisy_penalty(n, lineless, -INFINITY, INFINITY);
	refuse("pcg", "", &n->one, x, "'pcg' needs a line search of a penalty, which 'lineless' does not have");
	refuse("fista", "prox=yes", &n->one, x, "'fista' needs a proximal step of a penalty, which 'lineless' does not have");
	gt_test_noisy_penalty(n, proximal, -INFINITY, INFINITY);
	refuse("fista", "prox=no", &n->one, x, "'fista' needs a gradient of a penalty, which 'proximal' does not have");
	gt_test_noisy_penalty(n, good, 0, INFINITY);
	refuse("pcg", "", &n->one, x, "'pcg' does not support bounds");
	gt_test_noisy_penalty(n, good, 1, -1);
	refuse("fista", "", &n->one, x, "lower one first");
	refuse("os-sqs", "", &n->one, x, "lower one first");
	gt_test_noisy_penalty(n, good, -INFINITY, INFINITY);
	refuse("cgls", "", &n->one, x, "cannot take a penalty");
	gt_fill(NAN, n->w);
	refuse("pcg", "", &n->one, x, "least weight");
	gt_fill(INFINITY, n->w);
	refuse("os-sqs", "", &n->many, x, "subset 0: least weight");
	gt_penalty_free(slopeless);
	gt_penalty_free(lineless);
	gt_penalty_free(good);
	gt_penalty_free(proximal);
	gt_penalty_free(small);
	gt_array_free(short_w);
	gt_test_noisy_free(n);
	gt_backend_close(be);
}

GT_TEST(options_out_of_range)
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

int main(void) { return gt_test_main("pwls-runs", NULL); }
