#ifndef GT_TESTS_RECON_CHECKPOINTED_H
#define GT_TESTS_RECON_CHECKPOINTED_H
/* A small problem, and runs of it that save checkpoints or continue from one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "io/checkpoint.h"
#include "recon/modules.h"
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
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/run.nc", folder);
	problem = gt_test_problem(gt_test_backend(), GT_F32, SIZE, VIEWS, SUBSETS);
	grid = problem.grid;
	p = (gt_projections){ .tag = GT_IS_PROJECTIONS, .scan = problem.scan, .data = malloc(gt_scan_size(problem.scan) * sizeof(float)) };
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
	gt_test_folder_remove(folder);
}

static void set_method(const char *spec)
{
	gt_method_free(&method);
	method = (gt_method){ 0 };
	ck_ok(gt_method_parse(spec, &method));
}

/* identity() resets it; tests change it afterwards. */
static gt_run_scan scan;

static gt_run_identity identity(void)
{
	scan = (gt_run_scan){ &p, weights, "photons:count=1e5", "zero" };
	return (gt_run_identity){ .log = &listener,
		                  .type = GT_F32,
		                  .command = "gantry recon a.nc",
		                  .method = &method,
		                  .scan = &scan,
		                  .scans = 1,
		                  .grid = &grid,
		                  .projector = "dd",
		                  .penalty = "huber:strength=3 strength_from=10HU",
		                  .backend = gt_backend_name(problem.be) };
}

/* One run, and the iteration count in its checkpoint file after each iteration. */
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
#endif
