/* Checkpoints of a run: when they are written, that a run which is continued ends in the same bits, and that one of another run is refused
 * with what differs.
 * labels: unit */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "recon/stopping.h"
#include "tests/support/problem.h"
#include "tests/support/support.h"

enum { SIZE = 6, VIEWS = 9, SUBSETS = 3, ITERATIONS = 8, VOXELS = SIZE * SIZE * SIZE };

static char folder[64], path[96], heard[2048];
static struct gt_test_problem problem;
static gt_projections p;
static gt_method method;
static float *weights;
static gt_grid grid;

static void say(void *self, const gt_message *m)
{
	(void)self;
	ck_assert_int_eq(m->subject, GT_ABOUT_CHECKPOINT);
	snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s\n", m->text);
}
static const gt_listener listener = { say, NULL };

static void setup(void)
{
	strcpy(folder, "/tmp/gantry-run-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/run.nc", folder);
	problem = gt_test_problem(gt_test_backend(), GT_F32, SIZE, VIEWS, SUBSETS);
	grid = problem.grid;
	p = (gt_projections){ .scan = problem.scan, .data = malloc(gt_scan_size(problem.scan) * sizeof(float)) };
	weights = malloc(gt_scan_size(problem.scan) * sizeof *weights);
	gt_test_random(1, gt_scan_size(problem.scan), p.data);
	gt_test_random(2, gt_scan_size(problem.scan), weights);
}

static void teardown(void)
{
	gt_backend *be = problem.be;
	gt_method_free(&method);
	free(p.data);
	free(weights);
	gt_test_problem_free(&problem);
	gt_backend_close(be);
	unlink(path);
	ck_assert_msg(rmdir(folder) == 0, "something was left in %s", folder);
}

static void set_method(const char *spec)
{
	gt_method_free(&method);
	method = (gt_method){ 0 };
	ck_ok(gt_method_parse(spec, &method));
}

static gt_run_identity identity(void)
{
	return (gt_run_identity){ .log = &listener,
		                  .type = GT_F32,
		                  .command = "gantry recon a.nc",
		                  .method = &method,
		                  .p = &p,
		                  .w = weights,
		                  .grid = &grid,
		                  .projector = "dd",
		                  .weights = "photons:count=1e5",
		                  .penalty = "huber:strength=3 strength_from=10HU",
		                  .start = "zero",
		                  .backend = gt_backend_name(problem.be) };
}

/* A run of the method, and what its file held after each iteration. */
static struct watched {
	gt_run run;
	int iteration, stop_at, saved[ITERATIONS + 1];
} w;

static void each(void *self, const gt_progress *g, double seconds)
{
	(void)self, (void)seconds;
	w.iteration = g->iteration;
}

static int stop(void *self)
{
	(void)self;
	return w.iteration == w.stop_at;
}

static void saving(void *self, int begins)
{
	gt_checkpoint *c = NULL;
	(void)self;
	if (begins)
		return;
	w.saved[w.iteration] = access(path, F_OK) == 0 && gt_checkpoint_open(path, &c) == GT_OK ? gt_checkpoint_iteration(c) : 0;
	gt_checkpoint_free(c);
}

static gt_status run(const char *spec, const char *resume, int stop_at, float *out)
{
	const gt_run_identity id = identity();
	gt_status st;
	w = (struct watched){ .run = { .data_norm = 1, .each = each, .stop = stop, .saving = saving }, .stop_at = stop_at };
	w.run.checkpoint = (gt_checkpointing){ .spec = spec, .resume = resume };
	heard[0] = 0;
	gt_fill(0, problem.x);
	st = gt_checkpointing_open(&w.run.checkpoint, &id);
	if (st == GT_OK)
		st = gt_run_solve(&w.run, method.solver, &problem.problem, method.options, problem.x);
	gt_checkpointing_free(&w.run.checkpoint);
	if (out)
		gt_array_get_float(problem.x, out);
	return st;
}

static char *with_every(int every)
{
	static char spec[128];
	snprintf(spec, sizeof spec, "%s:every=%d", path, every);
	return spec;
}

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
	problem.problem.grid = problem.place;
	p.scan = problem.scan;
}

/* Stopped after the fifth of 8 iterations and continued: the bits of a run without a stop. The checkpoint stays what it is asked to be. */
START_TEST(continued)
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
END_TEST

/* Every so many iterations, and after the last. */
START_TEST(when_it_saves)
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
END_TEST

/* Without every= it is 10; a colon without = behind it belongs to the name. */
START_TEST(default_and_colons)
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
END_TEST

/* A solver whose cost rises from its third iteration on, and whose voxels hold the number of the iteration. */
static gt_status run_rising(const gt_problem *q, const void *options, gt_array *x, const gt_monitor *m)
{
	static const double cost[] = { 10, 4, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	const gt_state_entry state[] = { { "x", x, NULL }, { NULL, NULL, NULL } };
	int done = 0;
	(void)q, (void)options;
	gt_status st = gt_resume(m, state, &done);
	for (int i = done + 1; i <= 12 && st == GT_OK; i++) {
		gt_fill(i, x);
		gt_progress g = gt_progress_of(i, 12, x);
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

/* Stopped after iteration _i, a run knows its best image when it is continued, how often its cost rose, and its first gradient. */
START_TEST(best_image_continued)
{
	float image[VOXELS];
	gt_checkpoint *c = NULL;
	method = (gt_method){ .solver = &rising };
	ck_ok(run(with_every(1), NULL, _i, NULL));
	ck_ok(gt_checkpoint_open(path, &c));
	int has = 7;
	ck_ok(gt_checkpoint_has(c, "best_image", &has));
	ck_assert_int_eq(has, _i > 3); /* until then it is x */
	gt_checkpoint_free(c);
	ck_ok(run(NULL, path, 0, image));
	ck_assert_int_eq(w.run.iterations, 8);
	ck_assert_int_eq(w.run.returned_iteration, 3);
	ck_assert_str_eq(w.run.diverged, "the cost rose 5 times in a row, to 2.67 times its lowest");
	for (int v = 0; v < VOXELS; v++)
		ck_assert_msg(image[v] == 3, "stopped after %d: the image is of iteration %g", _i, (double)image[v]);
}
END_TEST

/* A rule on the gradient holds against that of the run's first iteration, not of the first that is continued. */
START_TEST(first_gradient_continued)
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
END_TEST

/* One thing that differs in the run that is continued, and what is said. */
static void refused(const gt_run_identity *id, const char *text)
{
	gt_checkpointing c = { .resume = path };
	ck_refused(gt_checkpointing_open(&c, id), GT_ERR_UNSUPPORTED, text);
	ck_assert_ptr_nonnull(strstr(gt_error(), "run.nc: is of another run: "));
	gt_checkpointing_free(&c);
}

static void accepted(const gt_run_identity *id)
{
	gt_checkpointing c = { .resume = path };
	ck_ok(gt_checkpointing_open(&c, id));
	gt_checkpointing_free(&c);
}

START_TEST(what_differs)
{
	gt_run_identity id;
	set_method(solvers[0]);
	ck_ok(run(with_every(1), NULL, 2, NULL));
	id = identity();
	accepted(&id);
	p.data[17] += 1;
	refused(&id, "the measured data have the hash ");
	gt_test_random(1, gt_scan_size(problem.scan), p.data);
	const double pitch = problem.scan->column_pitch;
	problem.scan->column_pitch = 1.01 * pitch;
	refused(&id, "the scan's geometry has the hash ");
	problem.scan->column_pitch = pitch;
	grid.n[2] = 7;
	refused(&id, "the grid is 6x6x6@40x40x40, expected 6x6x7@40x40x40");
	grid.n[2] = 6;
	weights[3] += 1;
	refused(&id, "the values of the weights have the hash ");
	gt_test_random(2, gt_scan_size(problem.scan), weights);
	id.w = NULL;
	refused(&id, ", expected none");
	id = identity();
	id.projector = "sf-tr";
	refused(&id, "the projector is dd, expected sf-tr");
	id = identity();
	id.weights = "uniform";
	refused(&id, "the weights are photons:count=1e5, expected uniform");
	id = identity();
	id.penalty = "huber:strength=2 strength_from=10HU";
	refused(&id, "the penalty is huber:strength=3, expected huber:strength=2");
	id.penalty = NULL;
	refused(&id, "the penalty is huber:strength=3, expected none");
	id = identity();
	id.start = "fdk";
	refused(&id, "the start is zero, expected fdk");
	id = identity();
	id.type = GT_F64;
	refused(&id, "the precision is single, expected double");
}
END_TEST

START_TEST(what_differs_of_the_solver)
{
	const gt_run_identity id = identity();
	set_method(solvers[0]);
	ck_ok(run(with_every(1), NULL, 5, NULL));
	set_method("sirt:iterations=8");
	refused(&id, "the solver is os-sart, expected sirt");
	set_method("os-sart:iterations=8,order=golden,relax=0.5");
	refused(&id, "the solver has relax=1, expected relax=0.5");
	set_method("os-sart:iterations=20,order=golden"); /* more iterations are no other run */
	accepted(&id);
	set_method("os-sart:iterations=5,order=golden");
	accepted(&id);
	set_method("os-sart:iterations=4,order=golden");
	gt_checkpointing c = { .resume = path };
	ck_refused(gt_checkpointing_open(&c, &id), GT_ERR_UNSUPPORTED,
	           "run.nc: has done 5 iterations, expected at most the 4 that iterations= asks for");
	gt_checkpointing_free(&c);
	set_method("os-sqs:iterations=8");
	ck_ok(run(with_every(1), NULL, 5, NULL));
	set_method("os-sqs:iterations=9");
	refused(&id, "the solver has iterations=8, expected iterations=9: 'os-sqs' plans its iterations by how many they will be");
}
END_TEST

/* How the strength was found, the command and the device may differ; another kind of device is a remark. */
START_TEST(what_may_differ)
{
	gt_run_identity id = identity();
	char *penalty = NULL;
	set_method(solvers[0]);
	ck_ok(run(with_every(1), NULL, 2, NULL));
	id.penalty = "huber:strength=3 strength_from=12HU";
	id.command = "gantry recon b.nc";
	heard[0] = 0;
	accepted(&id);
	ck_assert_str_eq(heard, "");
	id.backend = "abacus:7";
	accepted(&id);
	ck_assert_ptr_nonnull(strstr(heard, "run.nc was written on "));
	ck_assert_ptr_nonnull(strstr(heard, ": the result is the same but for rounding"));
	ck_ok(gt_checkpointing_penalty(path, &penalty));
	ck_assert_str_eq(penalty, "huber:strength=3");
	free(penalty);
	ck_refused(gt_checkpointing_penalty(folder, &penalty), GT_ERR_FORMAT, "--resume");
}
END_TEST

/* A file that cannot be written is said, and the run goes on to the same result. */
START_TEST(unwritable)
{
	float whole[VOXELS], out[VOXELS];
	char name[128], inner[96];
	set_method(solvers[0]);
	ck_ok(run(NULL, NULL, 0, whole));
	snprintf(inner, sizeof inner, "%s/none", folder);
	snprintf(name, sizeof name, "%s/run.nc:every=4", inner);
	ck_ok(run(name, NULL, 0, out));
	ck_assert_ptr_nonnull(strstr(heard, "no checkpoint after iteration 4: "));
	ck_assert_ptr_nonnull(strstr(heard, "no checkpoint after iteration 8: "));
	ck_assert_ptr_null(strstr(heard, "iteration 5"));
	ck_assert_int_eq(memcmp(whole, out, sizeof whole), 0);
}
END_TEST

/* What the settings alone show. */
START_TEST(checked_first)
{
	const char *const none[] = { NULL };
	char other[128], spec[160];
	gt_checkpointing c = { .spec = path };
	ck_ok(gt_checkpointing_check(&c, none));
	const char *const list[] = { "some.nc", path, NULL };
	ck_refused(gt_checkpointing_check(&c, list), GT_ERR_ARG, "is the same file as");
	c.spec = with_every(0);
	ck_refused(gt_checkpointing_check(&c, none), GT_ERR_ARG, "--checkpoint");
	c.spec = with_every(1);
	ck_ok(gt_checkpointing_check(&c, none));
	snprintf(spec, sizeof spec, "%s:evry=3", path);
	c.spec = spec;
	ck_refused(gt_checkpointing_check(&c, none), GT_ERR_ARG, "every");
	snprintf(other, sizeof other, "%s/none/run.nc", folder);
	c.spec = other;
	ck_refused(gt_checkpointing_check(&c, none), GT_ERR_IO, "--checkpoint");
	c = (gt_checkpointing){ .resume = path };
	ck_refused(gt_checkpointing_check(&c, none), GT_ERR_IO, "--resume");
	set_method(solvers[0]);
	ck_ok(run(with_every(1), NULL, 1, NULL));
	ck_ok(gt_checkpointing_check(&c, none));
	ck_ok(gt_checkpointing_check(&(gt_checkpointing){ 0 }, list));
	FILE *f = fopen(path, "w");
	fputs("no checkpoint", f);
	fclose(f);
	ck_refused(gt_checkpointing_check(&c, none), GT_ERR_FORMAT, "--resume");
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, continued, 0, SOLVERS);
	tcase_add_test(tc, when_it_saves);
	tcase_add_test(tc, default_and_colons);
	tcase_add_loop_test(tc, best_image_continued, 1, 8);
	tcase_add_test(tc, first_gradient_continued);
	tcase_add_test(tc, what_differs);
	tcase_add_test(tc, what_differs_of_the_solver);
	tcase_add_test(tc, what_may_differ);
	tcase_add_test(tc, unwritable);
	tcase_add_test(tc, checked_first);
}

int main(void) { return gt_test_main("checkpointing", fill); }
