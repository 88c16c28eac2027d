/* Stopping rules, cancellation and divergence of a run. The solver reports values from a table and adds 1 to its
 * volume per iteration, so a voxel holds its iteration number.
 * labels: unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "recon/stopping.h"
#include "tests/support/clock.h"
#include "tests/support/problem.h"
#include "tests/support/support.h"

enum { MAX_ITERATIONS = 12 };

static struct script {
	int iterations, runs;
	int no_memory; /* the first N runs fail with GT_ERR_MEMORY */
	gt_status end; /* status of the solver after its last iteration */
	double pause;  /* seconds per iteration */
	double change[MAX_ITERATIONS], share[MAX_ITERATIONS], gradient[MAX_ITERATIONS], cost[MAX_ITERATIONS], residual;
} script;

static double known(double v) { return v != 0 ? v : NAN; }

static gt_status run_script(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	gt_array *one = NULL;
	gt_status st = GT_OK;
	int done = 0;
	(void)p, (void)options;
	if (script.runs++ < script.no_memory)
		return gt_fail(GT_ERR_MEMORY, "the script has no memory");
	if (gt_array_like(x, &one) != GT_OK)
		return GT_ERR_MEMORY;
	gt_fill(1, one);
	st = gt_resume(m, (const gt_state_entry[]){ { "x", x, NULL }, { NULL, NULL, NULL } }, &done);
	for (int i = done; i < script.iterations && st == GT_OK; i++) {
		gt_axpy(1, one, x);
		if (script.pause > 0)
			gt_test_clock_pass(script.pause);
		gt_progress g;
		gt_progress_of(i + 1, script.iterations, x, &g);
		g.change = known(script.change[i]);
		g.subset_fraction = script.share[i] > 0 ? script.share[i] : script.share[i] < 0 ? 0 : 1;
		g.gradient = known(script.gradient[i]);
		g.cost = known(script.cost[i]);
		g.residual = known(script.residual);
		st = gt_report(m, &g);
	}
	gt_array_free(one);
	return st == GT_OK && script.end != GT_OK ? gt_fail(script.end, "the script ends so") : st;
}
static const gt_solver scripted = { .name = "scripted", .about = "reports what a table says", .run = run_script };

static struct test {
	struct gt_test_problem p;
	gt_run run;
	int calls, asked, stop_at;
	double seconds;
	char order[256];
} t;

static void note(char what, int number) { snprintf(t.order + strlen(t.order), sizeof t.order - strlen(t.order), "%c%d ", what, number); }

static void each(void *self, const gt_progress *g, double seconds)
{
	ck_assert_ptr_eq(self, &t);
	ck_assert_int_eq(g->iteration, t.calls + 1);
	ck_assert(seconds >= t.seconds);
	ck_assert_msg(!(t.run.rule.seconds > 0) || t.seconds < t.run.rule.seconds, "an iteration after %g s", t.seconds);
	t.seconds = seconds;
	t.calls = g->iteration;
	note('e', t.calls);
}

static int stop(void *self)
{
	ck_assert_ptr_eq(self, &t);
	t.asked++;
	note('s', t.asked);
	return t.stop_at && t.calls >= t.stop_at;
}

static void saving(void *self, int begins)
{
	ck_assert_ptr_eq(self, &t);
	note(begins ? 'b' : 'f', t.calls);
}

static void setup(void)
{
	script = (struct script){ .iterations = MAX_ITERATIONS };
	t = (struct test){ .p = gt_test_problem(gt_test_backend(), GT_F32, 4, 3, 1) };
	t.run.each = each;
	t.run.stop = stop;
	t.run.self = &t;
	t.run.data_norm = 4;
}

static void teardown(void)
{
	gt_backend *be = t.p.be;
	gt_test_problem_free(&t.p);
	gt_backend_close(be);
}

static gt_status solve(void) { return gt_run_solve(&t.run, &scripted, &t.p.problem, NULL, t.p.x); }

static void check_image(int iteration)
{
	float host[64];
	ck_assert_uint_eq(gt_array_size(t.p.x), 64);
	gt_array_get_float(t.p.x, host);
	for (int i = 0; i < 64; i++)
		ck_assert_msg(host[i] == (float)iteration, "the image is of iteration %g, expected %d", (double)host[i], iteration);
}

static void check_end(int iterations, const char *reason)
{
	ck_assert_int_eq(t.calls, iterations);
	ck_assert_int_eq(t.run.iterations, iterations);
	ck_assert_int_eq(t.run.max, MAX_ITERATIONS);
	ck_assert_pstr_eq(t.run.reason, reason);
	ck_assert_ptr_null(t.run.diverged);
	check_image(iterations);
}

GT_TEST(parse)
{
	gt_stop_rule s = { .change = 1, .gradient = 1, .seconds = 1 };
	ck_ok(gt_stop_rule_parse(NULL, &s));
	ck_assert(s.change == 0 && s.gradient == 0 && s.seconds == 0);
	ck_ok(gt_stop_rule_parse("change=20HU,gradient=1e-3,seconds=60", &s));
	ck_assert(fabs(s.change - 4e-4) < 1e-15 && s.gradient == 1e-3 && s.seconds == 60 && s.change_in_hu);
	ck_ok(gt_stop_rule_parse("gradient=1e-3,change=4e-4", &s));
	ck_assert(s.change == 4e-4 && !s.change_in_hu);
	ck_ok(gt_stop_rule_parse("seconds=7", &s));
	ck_assert(s.change == 0 && s.gradient == 0 && s.seconds == 7);
	ck_refused(gt_stop_rule_parse("gradient=2", &s), GT_ERR_ARG, "--stop");
	ck_refused(gt_stop_rule_parse("sceonds=2", &s), GT_ERR_ARG, "seconds");
}

GT_TEST(all_iterations)
{
	script.residual = 2;
	script.change[MAX_ITERATIONS - 1] = 1e-9;
	t.run.rule.change = 1;
	ck_ok(solve());
	check_end(MAX_ITERATIONS, NULL); /* a small change in the last iteration is no reason to stop */
	ck_assert(t.run.residual == 0.5 && !t.run.interrupted && t.run.resumed == 0 && script.runs == 1);
	ck_assert_int_eq(t.asked, MAX_ITERATIONS);
}

/* Without a callback and rules, no report is made. */
GT_TEST(without_listener)
{
	t.run = (gt_run){ .data_norm = 1 };
	ck_ok(solve());
	ck_assert_int_eq(t.run.iterations, MAX_ITERATIONS);
	ck_assert(isnan(t.run.residual) && !t.run.reason && t.calls == 0);
}

GT_TEST(small_change)
{
	const double change[] = { 1, 0.5, 0.25, 0.2499, 0.1 };
	memcpy(script.change, change, sizeof change);
	t.run.rule.change = 0.25; /* equal to the limit: continues */
	ck_ok(solve());
	check_end(4, "small change");
}

/* The limit is scaled by the fraction of the steps in an iteration; an iteration without steps is ignored. */
GT_TEST(small_change_of_subsets)
{
	const double change[] = { 1, 1e-9, 0.12, 0.06, 0.04 }, share[] = { 1, -1, 0.5, 0.25, 0.25 };
	memcpy(script.change, change, sizeof change);
	memcpy(script.share, share, sizeof share);
	t.run.rule.change = 0.2;
	ck_ok(solve());
	check_end(5, "small change");
}

GT_TEST(small_gradient)
{
	const double gradient[] = { 0, 8, 4, 2.0001, 2, 1 }; /* the first is unknown */
	memcpy(script.gradient, gradient, sizeof gradient);
	t.run.rule.gradient = 0.25; /* equal to the limit: stops */
	ck_ok(solve());
	check_end(5, "small gradient");
}

GT_TEST(time_limit)
{
	script.pause = 20;
	t.run.rule.seconds = 50;
	gt_test_clock(0);
	ck_ok(solve());
	ck_assert_double_eq(t.seconds, 60);
	check_end(3, "time");
}

GT_TEST(stopped_by_the_caller)
{
	const double change[] = { 1, 1, 1e-9 };
	memcpy(script.change, change, sizeof change);
	t.run.rule.change = 0.5;
	t.stop_at = 3; /* reported although the change is small too */
	ck_ok(solve());
	check_end(3, "interrupted");
	ck_assert_int_eq(t.run.interrupted, 1);
}

GT_TEST(stopped_after_the_last)
{
	t.stop_at = MAX_ITERATIONS;
	ck_ok(solve());
	check_end(MAX_ITERATIONS, NULL);
	ck_assert_int_eq(t.run.interrupted, 0);
}

GT_TEST(order_of_calls)
{
	script.iterations = 2;
	t.run.saving = saving;
	ck_ok(solve());
	ck_assert_str_eq(t.order, "e1 s1 b1 f1 e2 s2 b2 f2 ");
}

static void rising_cost(void)
{
	const double cost[] = { 10, 4, 3, 4, 5, 6, 7, 8, 9 };
	memcpy(script.cost, cost, sizeof cost);
}

/* Divergence ends with the best image; diverged iterates are not saved. */
GT_TEST(diverged)
{
	rising_cost();
	t.run.saving = saving;
	ck_ok(solve());
	ck_assert_int_eq(t.run.iterations, 8);
	ck_assert_int_eq(t.run.returned_iteration, 3);
	ck_assert_str_eq(t.run.diverged, "the cost rose 5 times in a row, to 2.67 times its lowest");
	ck_assert_ptr_eq(t.run.reason, t.run.diverged);
	ck_assert_ptr_null(strstr(t.order, "b8"));
	ck_assert_ptr_nonnull(strstr(t.order, "b7"));
	check_image(3);
}

/* Divergence in the last iteration, which has no other reason to stop. */
GT_TEST(diverged_at_the_end)
{
	rising_cost();
	script.iterations = 8;
	ck_ok(solve());
	ck_assert_ptr_nonnull(t.run.diverged);
	ck_assert_ptr_eq(t.run.reason, t.run.diverged);
	check_image(3);
}

GT_TEST(diverged_as_the_solver_says)
{
	const double cost[] = { 10, 4, 3, 5 };
	memcpy(script.cost, cost, sizeof cost);
	script.iterations = 4;
	script.end = GT_ERR_DIVERGED;
	ck_ok(solve());
	ck_assert_str_eq(t.run.diverged, "its values are not finite");
	ck_assert_int_eq(t.run.returned_iteration, 3);
	check_image(3);
}

/* The solver's memory takes precedence over the best image; a diverged run then returns its last image. */
GT_TEST(no_memory_for_the_best_image)
{
	rising_cost();
	script.no_memory = 1;
	ck_ok(solve());
	ck_assert_int_eq(script.runs, 2);
	ck_assert_int_eq(t.run.returned_iteration, 8);
	check_image(8);
}

GT_TEST(no_memory_and_no_image)
{
	script.no_memory = 1;
	script.end = GT_ERR_DIVERGED;
	ck_refused(solve(), GT_ERR_DIVERGED, "the script ends so");
}

GT_TEST(failures)
{
	script.no_memory = 2;
	ck_refused(solve(), GT_ERR_MEMORY, "the script has no memory");
	ck_assert_int_eq(script.runs, 2);
	script = (struct script){ .iterations = 3, .end = GT_ERR_DEVICE };
	t.calls = 0;
	ck_refused(solve(), GT_ERR_DEVICE, "the script ends so");
	ck_assert_int_eq(script.runs, 1);
	ck_assert_ptr_null(t.run.diverged);
}

GT_TEST(dry_run)
{
	gt_backend *be = gt_test_backend();
	ck_ok(gt_backend_dry_run(be));
	struct gt_test_problem p = gt_test_problem(be, GT_F64, 4, 3, 1);
	const size_t before = gt_test_counters(be).bytes;
	t.stop_at = 1;
	ck_ok(gt_run_solve(&t.run, &scripted, &p.problem, NULL, p.x));
	ck_assert_int_eq(script.runs, 1);
	ck_assert_int_eq(t.calls, 0); /* nothing is computed, so nothing is reported */
	ck_assert_uint_eq(t.run.best_bytes, 64 * sizeof(double));
	ck_assert_uint_eq(t.run.iterating_bytes, before + 2 * 64 * sizeof(double)); /* best image and solver arrays */
	ck_assert_uint_eq(gt_test_counters(be).bytes, before);
	script.no_memory = 9;
	ck_refused(gt_run_solve(&t.run, &scripted, &p.problem, NULL, p.x), GT_ERR_MEMORY, "no memory");
	gt_test_problem_free(&p);
	gt_backend_close(be);
}

int main(void) { return gt_test_main_with("stopping", setup, teardown); }
