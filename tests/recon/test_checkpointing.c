/* Checkpoints: when they are written; a continued run is bit-identical to an uninterrupted one.
 * labels: unit */
#include "io/checkpoint.h"
#include "recon/modules.h"
#include "tests/recon/checkpointed.h"

static const char *const solvers[] = { "os-sart:iterations=8,order=golden", "cgls:iterations=8", "os-sqs:iterations=8",
	                               "fista:iterations=8", "sirt:iterations=8" };
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static void set_solver(int i)
{
	set_method(solvers[i]);
	if (strncmp(solvers[i], "os-", 3) == 0)
		return;
	const struct gt_test_problem one = gt_test_problem(problem.be, GT_F32, SIZE, VIEWS, 1);
	gt_test_problem_free(&problem);
	problem = one;
	p.scan = problem.scan;
}

/* Stopped after iteration 5 of 8 and continued: bit-identical. Checkpoints keep the requested interval. */
GT_TESTS(continued, SOLVERS)
{
	float whole[VOXELS], half[VOXELS], again[VOXELS];
	set_solver(_i);
	ck_ok(run(NULL, NULL, 0, whole));
	ck_assert_str_eq(heard, "");
	ck_ok(run(with_every(3), NULL, 5, half));
	ck_assert_str_eq(w.run.reason, "interrupted");
	ck_assert_ptr_nonnull(strstr(heard, "run.nc: checkpoint after iteration 5 of 8"));
	ck_assert_int_ne(memcmp(half, whole, sizeof whole), 0);
	ck_ok(run(NULL, path, 0, again));
	ck_assert_ptr_nonnull(strstr(heard, "continuing after iteration 5 ("));
	ck_assert_int_eq(w.run.resumed, 5);
	ck_assert_int_eq(w.run.iterations, 8);
	ck_assert_msg(memcmp(again, whole, sizeof whole) == 0, "%s: continued, it ends in other bits", solvers[_i]);
}

/* Saves every N iterations and after the last. */
GT_TEST(when_it_saves)
{
	static const struct {
		int every, saved[ITERATIONS];
	} all[] = { { 3, { 0, 0, 3, 3, 3, 6, 6, 8 } },
		    { 1, { 1, 2, 3, 4, 5, 6, 7, 8 } },
		    { 4, { 0, 0, 0, 4, 4, 4, 4, 8 } },
		    { 100, { 0, 0, 0, 0, 0, 0, 0, 8 } } };
	set_method(solvers[0]);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		unlink(path);
		ck_ok(run(with_every(all[i].every), NULL, 0, NULL));
		for (int k = 1; k <= ITERATIONS; k++)
			ck_assert_msg(w.saved[k] == all[i].saved[k - 1], "every %d: after iteration %d the file is of %d, expected %d",
			              all[i].every, k, w.saved[k], all[i].saved[k - 1]);
	}
}

/* The default is every=10; a colon not followed by KEY= belongs to the file name. */
GT_TEST(default_and_colons)
{
	gt_checkpointing c = { .spec = path };
	const gt_run_identity id = identity();
	char name[128];
	set_method(solvers[0]);
	ck_ok(gt_checkpointing_open(&c, &id));
	ck_assert_int_eq(c.every, 10);
	ck_assert_str_eq(c.path, path);
	gt_checkpointing_free(&c);
	snprintf(name, sizeof name, "%s/a:b.nc", folder);
	c = (gt_checkpointing){ .spec = name };
	ck_ok(gt_checkpointing_open(&c, &id));
	ck_assert_str_eq(c.path, name);
	gt_checkpointing_free(&c);
	c = (gt_checkpointing){ 0 };
	ck_ok(gt_checkpointing_open(&c, &id));
	ck_assert_ptr_null(c.path);
	int has = 7;
	ck_ok(gt_checkpointing_has(&c, "x", &has));
	ck_assert_int_eq(has, 0);
}

/* A solver with a cost that rises from iteration 3 on; its voxels hold the iteration number. */
static gt_status run_rising(const gt_problem *q, const void *options, gt_array *x, const gt_monitor *m)
{
	static const double cost[] = { 10, 4, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	const gt_state_entry state[] = { { "x", x, NULL }, { NULL, NULL, NULL } };
	int done = 0;
	(void)q, (void)options;
	gt_status st = gt_resume(m, state, &done);
	for (int i = done + 1; i <= 12 && st == GT_OK; i++) {
		gt_fill(i, x);
		gt_progress g;
		gt_progress_of(i, 12, x, &g);
		g.cost = cost[i - 1];
		g.gradient = 100. / i;
		g.kept = state;
		st = gt_report(m, &g);
	}
	return st;
}
static const gt_param no_params[] = { { .key = NULL } };
static const gt_solver rising = {
	.name = "rising", .about = "rises", .traits = GT_SUPPORTS_SUBSETS, .params = no_params, .run = run_rising
};

/* Stopped after iteration _i: the continued run keeps its best image, the number of cost rises and its first
 * gradient. */
GT_TESTS_IN(best_image_continued, 1, 8)
{
	float image[VOXELS];
	gt_checkpoint *c = NULL;
	method = (gt_method){ .solver = &rising };
	ck_ok(run(with_every(1), NULL, _i, NULL));
	ck_ok(gt_checkpoint_open(path, &c));
	int has = 7;
	ck_ok(gt_checkpoint_has(c, "best_image", &has));
	ck_assert_int_eq(has, _i > 3); /* before that the best image is x */
	gt_checkpoint_free(c);
	ck_ok(run(NULL, path, 0, image));
	ck_assert_int_eq(w.run.iterations, 8);
	ck_assert_int_eq(w.run.returned_iteration, 3);
	ck_assert_str_eq(w.run.diverged, "the cost rose 5 times in a row, to 2.67 times its lowest");
	for (int v = 0; v < VOXELS; v++)
		ck_assert_msg(image[v] == 3, "stopped after %d: the image is of iteration %g", _i, (double)image[v]);
}

/* The gradient rule compares with the first iteration of the run, not of the continuation. */
GT_TEST(first_gradient_continued)
{
	const gt_run_identity id = identity();
	method = (gt_method){ .solver = &rising };
	ck_ok(run(with_every(1), NULL, 2, NULL));
	w = (struct watched){ .run = { .rule.gradient = 0.25, .checkpoint.resume = path } };
	ck_ok(gt_checkpointing_open(&w.run.checkpoint, &id));
	ck_ok(gt_run_solve(&w.run, &rising, &problem.problem, NULL, problem.x));
	gt_checkpointing_free(&w.run.checkpoint);
	ck_assert_str_eq(w.run.reason, "small gradient");
	ck_assert_int_eq(w.run.iterations, 4);
}

int main(void) { return gt_test_main_with("checkpointing", setup, teardown); }
