/* Reconstruction from arrays in memory and from files: the same bits, what is refused, messages, progress, plans, starts and resumed runs.
 * labels: unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/phantom.h>
#include <gantry/recon.h>
#include "geometry/volume.h"
#include "geometry/projections.h"
#include "tests/support/support.h"

enum { VIEWS = 48, ROWS = 10, COLUMNS = 40 };
static const gt_grid grid = { { 24, 22, 6 }, { 6, 6, 6 }, { 0, 0, 0 } };
static const size_t voxels = (size_t)24 * 22 * 6;

/* A body in noise, on a scan that fdk takes. */
static gt_projections *projections(void)
{
	const gt_orbit orbit = { .views = VIEWS,
		                 .rows = ROWS,
		                 .columns = COLUMNS,
		                 .source_to_axis = 500,
		                 .source_to_detector = 1000,
		                 .column_pitch = 8,
		                 .row_pitch = 10,
		                 .turn = 2 * acos(-1) };
	gt_projections *p;
	gt_scan *scan;
	gt_phantom *body;
	const gt_phantom_options half = { .water = 0.02, .scale = 0.5 };
	ck_ok(gt_scan_orbit(&orbit, &scan));
	ck_ok(gt_projections_new(scan, &p));
	float *data = gt_projections_data(p);
	ck_ok(gt_phantom_new("shepp-logan", &half, &body));
	ck_ok(gt_phantom_project(body, scan, 1, NULL, NULL, NULL, data));
	gt_add_photon_noise(1e5, 0, 3, 0, NULL, data, gt_scan_size(scan));
	gt_phantom_free(body);
	gt_scan_free(scan);
	return p;
}

static gt_recon *recon(const gt_projections *p, const char *const (*set)[2])
{
	gt_recon *r;
	ck_ok(gt_recon_new(p, &r));
	ck_ok(gt_recon_set(r, "backend", getenv("GT_BACKEND") ? getenv("GT_BACKEND") : "cpu"));
	for (; set && (*set)[0]; set++)
		ck_ok(gt_recon_set(r, (*set)[0], (*set)[1]));
	return r;
}

/* The voxels of a run; the caller frees them. */
static float *run(gt_recon *r)
{
	gt_volume *v;
	float *x = malloc(voxels * sizeof *x);
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_run(r, v));
	memcpy(x, gt_volume_data(v), voxels * sizeof *x);
	gt_volume_free(v);
	return x;
}

static const char *const settings[][6][2] = {
	{ { NULL, NULL } },
	{ { "solver", "os-sart:iterations=2,subsets=4" }, { "init", "zero" }, { NULL, NULL } },
	{ { "preset", "iterative" }, { NULL, NULL } },
	{ { "solver", "pcg:iterations=3" },
	  { "weights", "photons:count=1e5" },
	  { "penalty", "huber:strength=50" },
	  { "precision", "double" },
	  { NULL, NULL } },
};
enum { SETTINGS = sizeof settings / sizeof *settings };

START_TEST(memory_as_file)
{
	char folder[] = "/tmp/test_recon_XXXXXX", scan[64], out[64];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(scan, sizeof scan, "%s/scan.nc", folder);
	snprintf(out, sizeof out, "%s/volume.nc", folder);
	gt_projections *p = projections();
	ck_ok(gt_write_projections(scan, NULL, p));
	gt_recon *r = recon(p, settings[_i]), *f;
	float *x = run(r);
	ck_ok(gt_recon_open(scan, NULL, &f));
	ck_ok(gt_recon_set(f, "backend", getenv("GT_BACKEND") ? getenv("GT_BACKEND") : "cpu"));
	for (const char *const(*s)[2] = settings[_i]; (*s)[0]; s++)
		ck_ok(gt_recon_set(f, (*s)[0], (*s)[1]));
	ck_ok(gt_recon_grid(f, &grid));
	ck_ok(gt_recon_run_to(f, out, NULL));
	gt_volume *v;
	ck_ok(gt_read_volume(out, NULL, &v));
	ck_assert_int_eq(memcmp(gt_volume_data(v), x, voxels * sizeof *x), 0);
	float most = 0;
	for (size_t i = 0; i < voxels; i++)
		most = fmaxf(most, x[i]);
	ck_assert_msg(most > 0.005f && most < 0.1f, "the densest voxel has %g/mm", (double)most);
	gt_volume_free(v);
	gt_recon_free(r);
	gt_recon_free(f);
	free(x);
	gt_projections_free(p);
	unlink(scan);
	unlink(out);
	rmdir(folder);
}
END_TEST

static const struct {
	const char *key, *value, *text;
	gt_status code;
} wrong[] = {
	{ "preset", "best", "preset=best: expected one of none, fast, iterative", GT_ERR_ARG },
	{ "quality", "best", "expected one of none", GT_ERR_ARG },
	{ "solver", "os-srat", "did you mean 'os-sart'?", GT_ERR_UNKNOWN },
	{ "solver", "pcg:iterations=-1", "iterations=-1", GT_ERR_ARG },
	{ "solver", "pcg:iteration=3", "did you mean 'iterations'?", GT_ERR_ARG },
	{ "projector", "ddd", "did you mean 'dd'?", GT_ERR_UNKNOWN },
	{ "penalty", "hubr:strength=3", "did you mean 'huber'?", GT_ERR_UNKNOWN },
	{ "penalty", "huber:noise=3HU,strength=3", "cannot be combined", GT_ERR_ARG },
	{ "weights", "fil", "did you mean 'file'?", GT_ERR_UNKNOWN },
	{ "weights", "photons:count=x", "count=x", GT_ERR_ARG },
	{ "init", "/nowhere/start.nc", "/nowhere/start.nc", GT_ERR_IO },
	{ "grid", "24x22", "24x22", GT_ERR_ARG },
	{ "margin", "maybe", "margin=maybe: expected one of auto, yes, no", GT_ERR_ARG },
	{ "z-margin", "maybe", "expected one of auto, yes, no", GT_ERR_ARG },
	{ "stop", "change=-1", "change=-1", GT_ERR_ARG },
	{ "checkpoint", "/nowhere/a.ck", "/nowhere", GT_ERR_IO },
	{ "checkpoint", "a.ck:every=0", "every=0", GT_ERR_ARG },
	{ "resume", "/nowhere/a.ck", "/nowhere/a.ck", GT_ERR_IO },
	{ "precision", "half", "precision=half: expected one of single, double", GT_ERR_ARG },
	{ "device-memory", "much", "expected a size such as 4GiB", GT_ERR_ARG },
	{ "host-memory", "-1", "expected a size such as 4GiB", GT_ERR_ARG },
	{ "keep", "here", "expected one of no, memory, scratch, auto", GT_ERR_ARG },
	{ "overlap", "perhaps", "expected one of no, yes", GT_ERR_ARG },
	{ "unit", "cm-1", "expected one of mm-1, HU, auto", GT_ERR_ARG },
	{ "water", "0", "water=0", GT_ERR_ARG },
	{ "data", "file.mhd", "the projections are in memory", GT_ERR_ARG },
	{ "output", "volume.xyz", "volume.xyz", GT_ERR_ARG },
	{ "solvr", "pcg", "did you mean 'solver'?", GT_ERR_UNKNOWN },
};

START_TEST(wrong_values)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, settings[1]);
	ck_refused(gt_recon_set(r, wrong[_i].key, wrong[_i].value), wrong[_i].code, wrong[_i].text);
	/* What was set before stays. */
	const char *solver = gt_recon_text(r, "solver");
	ck_assert_msg(!strncmp(solver, "os-sart:iterations=2,subsets=4,", 31), "the solver is now %s", solver);
	gt_recon_free(r);
	gt_projections_free(p);
}
END_TEST

START_TEST(refused_by_the_run)
{
	static const struct {
		const char *set[3][2];
		const char *text;
		gt_status code;
	} cases[] = {
		{ { { "backend", "gpu" } }, "gpu", GT_ERR_UNKNOWN },
		{ { { "solver", "fdk" }, { "penalty", "huber:strength=1" } }, "fdk is an analytic method", GT_ERR_ARG },
		{ { { "solver", "fdk" }, { "weights", "noise" } }, "fdk is an analytic method", GT_ERR_ARG },
		{ { { "solver", "fdk" }, { "stop", "seconds=1" } }, "fdk is an analytic method", GT_ERR_ARG },
		{ { { "solver", "fdk" }, { "init", "zero" } }, "fdk is an analytic method", GT_ERR_ARG },
		{ { { "solver", "pcg" }, { "preset", "fast" } }, "cannot be combined", GT_ERR_ARG },
		{ { { "solver", "pcg" }, { "weights", "file" } }, "the file has no variable weight", GT_ERR_ARG },
		{ { { "keep", "scratch" } }, "--scratch FOLDER is needed", GT_ERR_ARG },
		{ { { "grid", "8x8x8@1x1x1" }, { "like", "volume.nc" } }, "cannot be combined", GT_ERR_ARG },
		{ { { "like", "/nowhere/volume.nc" } }, "/nowhere/volume.nc", GT_ERR_IO },
		{ { { "grid", "8x8x8@1x1x1" } }, "the volume has the grid 24x22x6@6x6x6, expected 8x8x8@1x1x1", GT_ERR_UNSUPPORTED },
		{ { { "solver", "os-sart:subsets=1000" } }, "1000", GT_ERR_ARG },
		{ { { "host-memory", "1kB" } }, "of memory", GT_ERR_MEMORY },
	};
	gt_projections *p = projections();
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gt_recon *r = recon(p, cases[i].set);
		ck_refused(gt_recon_run(r, v), cases[i].code, cases[i].text);
		gt_recon_free(r);
	}
	gt_volume_free(v);
	gt_projections_free(p);
}
END_TEST

START_TEST(null_and_order)
{
	gt_projections *p = projections();
	gt_recon *r = NULL;
	gt_volume *v;
	gt_grid g;
	gt_recon_outcome how = { .size = sizeof how };
	gt_recon_slabs slabs = { .size = sizeof slabs };
	const char *lines;
	ck_ok(gt_volume_new(&grid, &v));
	ck_refused(gt_recon_new(NULL, &r), GT_ERR_ARG, "p is NULL");
	ck_refused(gt_recon_new(p, NULL), GT_ERR_ARG, "r is NULL");
	ck_refused(gt_recon_open(NULL, NULL, &r), GT_ERR_ARG, "path is NULL");
	ck_refused(gt_recon_open("scan.nc", NULL, NULL), GT_ERR_ARG, "r is NULL");
	ck_refused(gt_recon_set(NULL, "solver", "pcg"), GT_ERR_ARG, "r is NULL");
	ck_refused(gt_recon_grid(NULL, &grid), GT_ERR_ARG, "r is NULL");
	ck_refused(gt_recon_start(NULL, NULL), GT_ERR_ARG, "r is NULL");
	ck_refused(gt_recon_choose(NULL), GT_ERR_ARG, "r is NULL");
	ck_refused(gt_recon_plan(NULL, NULL, &lines), GT_ERR_ARG, "r is NULL");
	ck_refused(gt_recon_run(NULL, v), GT_ERR_ARG, "r is NULL");
	ck_refused(gt_recon_run_to(NULL, "a.nc", NULL), GT_ERR_ARG, "r is NULL");
	ck_refused(gt_recon_result(NULL, &how), GT_ERR_ARG, "r is NULL");
	ck_assert_ptr_null(gt_recon_text(NULL, "solver"));
	ck_assert_int_eq(gt_recon_iterates(NULL), -1);
	ck_refused(gt_recon_check(NULL, "pcg"), GT_ERR_ARG, "key is NULL");
	ck_refused(gt_recon_check("solver", NULL), GT_ERR_ARG, "value is NULL");
	ck_refused(gt_recon_check("solver", "pgc"), GT_ERR_UNKNOWN, "did you mean 'pcg'?");
	ck_ok(gt_recon_check("solver", "pcg"));
	ck_refused(gt_recon_help("solver", NULL, stdout), GT_ERR_ARG, "expected weights or preset");
	gt_recon_on_message(NULL, NULL, NULL);
	gt_recon_on_progress(NULL, NULL, NULL);
	gt_recon_free(NULL);
	ck_ok(gt_recon_new(p, &r));
	ck_refused(gt_recon_set(r, NULL, "pcg"), GT_ERR_ARG, "key is NULL");
	ck_refused(gt_recon_run(r, NULL), GT_ERR_ARG, "v is NULL");
	ck_refused(gt_recon_run_to(r, NULL, NULL), GT_ERR_ARG, "path is NULL");
	ck_refused(gt_recon_result(r, &how), GT_ERR_ARG, "nothing has run yet");
	ck_refused(gt_recon_slabs_result(r, &slabs), GT_ERR_ARG, "not by slabs");
	ck_refused(gt_recon_chosen_grid(r, &g), GT_ERR_ARG, "nothing is chosen yet");
	ck_assert_ptr_null(gt_recon_text(r, "parameters"));
	ck_assert_ptr_null(gt_recon_text(r, "no such text"));
	ck_assert_int_eq(gt_recon_iterates(r), -1);
	const gt_grid bad = { { 0, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
	ck_assert_int_eq(gt_recon_grid(r, &bad), GT_ERR_ARG);
	ck_ok(gt_recon_choose(r));
	ck_ok(gt_recon_chosen_grid(r, &g));
	ck_assert_int_eq(gt_recon_iterates(r), 0);
	ck_ok(gt_recon_set(r, "solver", "pcg:iterations=1"));
	ck_refused(gt_recon_chosen_grid(r, &g), GT_ERR_ARG, "nothing is chosen yet");
	ck_ok(gt_recon_set(r, "solver", NULL));
	ck_ok(gt_recon_run(r, v));
	ck_ok(gt_recon_result(r, &how));
	how.size = 0;
	ck_refused(gt_recon_result(r, &how), GT_ERR_ARG, "sizeof");
	gt_recon_free(r);
	ck_ok(gt_recon_open("/nowhere/scan.nc", NULL, &r));
	ck_refused(gt_recon_choose(r), GT_ERR_IO, "/nowhere/scan.nc");
	ck_refused(gt_recon_run(r, v), GT_ERR_IO, "/nowhere/scan.nc");
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}
END_TEST

/* Every key has a name, and NULL takes its value back. */
START_TEST(keys)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, NULL);
	size_t n = 0;
	for (; gt_recon_key(n); n++)
		ck_ok(gt_recon_set(r, gt_recon_key(n), NULL));
	ck_assert_uint_ge(n, 23);
	ck_ok(gt_recon_set(r, "solver", "pcg"));
	ck_assert_int_eq(gt_recon_iterates(r), 1);
	ck_ok(gt_recon_set(r, "solver", NULL));
	ck_assert_int_eq(gt_recon_iterates(r), -1);
	gt_recon_free(r);
	gt_projections_free(p);
}
END_TEST

static void collect(void *self, const gt_message *m)
{
	char *all = self;
	ck_assert_uint_eq(m->size, sizeof *m);
	ck_assert_uint_lt(strlen(all) + strlen(m->text) + 2, 4096);
	strcat(strcat(all, m->text), "\n");
}

START_TEST(messages)
{
	char all[4096] = "";
	gt_projections *p = projections();
	gt_recon *r = recon(p, settings[2]);
	gt_recon_on_message(r, collect, all);
	free(run(r));
	static const char *const expected[] = { "--quality iterative: --solver os-sqs", "backend ", "start: fdk",
		                                "preparing 3 subsets of 48 views", "strength " };
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		ck_assert_msg(strstr(all, expected[i]) != NULL, "'%s' is not in: %s", expected[i], all);
	/* What was chosen is told once. */
	all[0] = 0;
	free(run(r));
	ck_assert_ptr_null(strstr(all, "--quality"));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "solver"), "os-sqs:"));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "projector"), "dd"));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "weights"), "noise"));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "penalty"), "qggmrf:"));
	ck_assert_str_eq(gt_recon_text(r, "grid"), "24x22x6@6x6x6");
	ck_assert_str_eq(gt_recon_text(r, "start"), "fdk");
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "parameters"), "done=20/20"));
	gt_recon_free(r);
	gt_projections_free(p);
}
END_TEST

typedef struct {
	int phase[GT_RECON_WRITES + 1], last, stop_at;
	double cost;
} seen;

static int look(void *self, const gt_recon_progress *p)
{
	seen *s = self;
	ck_assert_uint_eq(p->size, sizeof *p);
	s->phase[p->phase]++;
	if (p->phase != GT_RECON_ITERATION)
		return s->stop_at == 0 && p->phase == GT_RECON_BEGINS;
	ck_assert_int_eq(p->iteration, ++s->last);
	ck_assert_int_eq(p->iterations, 6);
	ck_assert_double_gt(p->water, 0.01);
	s->cost = p->cost;
	return p->iteration == s->stop_at;
}

START_TEST(progress)
{
	static const char *const pcg[][2] = { { "solver", "pcg:iterations=6" }, { NULL, NULL } };
	gt_projections *p = projections();
	gt_recon *r = recon(p, pcg);
	gt_recon_outcome how = { .size = sizeof how };
	seen all = { .stop_at = 99 }, some = { .stop_at = 2 }, none = { .stop_at = 0 };
	gt_recon_on_progress(r, look, &all);
	free(run(r));
	ck_ok(gt_recon_result(r, &how));
	ck_assert_int_eq(all.phase[GT_RECON_BEGINS], 1);
	ck_assert_int_eq(all.phase[GT_RECON_ITERATION], 6);
	ck_assert_int_eq(all.phase[GT_RECON_ENDS], 1);
	ck_assert_int_eq(how.iterations, 6);
	ck_assert_int_eq(how.stopped, 0);
	ck_assert_ptr_null(how.reason);
	ck_assert_uint_eq(how.costs, 6);
	ck_assert_double_eq(how.cost[5], all.cost);
	ck_assert_double_lt(how.cost[5], how.cost[0]);
	ck_assert_double_gt(how.seconds, 0);
	gt_recon_on_progress(r, look, &some);
	free(run(r));
	ck_ok(gt_recon_result(r, &how));
	ck_assert_int_eq(how.iterations, 2);
	ck_assert_int_eq(how.most, 6);
	ck_assert_int_eq(how.stopped, 1);
	ck_assert_str_eq(how.reason, "interrupted");
	gt_recon_on_progress(r, look, &none);
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_refused(gt_recon_run(r, v), GT_STOPPED, "before the first iteration");
	ck_refused(gt_recon_result(r, &how), GT_ERR_ARG, "nothing has run yet");
	gt_volume_free(v);
	gt_recon_free(r);
	gt_projections_free(p);
}
END_TEST

START_TEST(plan_is_what_is_taken)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, settings[_i]);
	gt_memory_estimate m = { .size = sizeof m };
	gt_recon_outcome how = { .size = sizeof how };
	const char *lines;
	ck_ok(gt_recon_grid(r, &grid));
	ck_ok(gt_recon_plan(r, &m, &lines));
	ck_assert_ptr_nonnull(strstr(lines, "grid=24x22x6@6x6x6\n"));
	ck_assert_ptr_nonnull(strstr(lines, "solver="));
	ck_refused(gt_recon_result(r, &how), GT_ERR_ARG, "nothing has run yet");
	free(run(r));
	ck_ok(gt_recon_result(r, &how));
	ck_assert_double_eq((double)m.peak, how.device_peak);
	ck_assert_uint_ge(m.peak, voxels * 4);
	ck_ok(gt_recon_set(r, "device-memory", "1kB"));
	ck_refused(gt_recon_plan(r, &m, &lines), GT_ERR_MEMORY, "needs ");
	ck_assert_uint_eq(m.free, 1000);
	ck_assert_ptr_nonnull(lines);
	gt_recon_free(r);
	gt_projections_free(p);
}
END_TEST

START_TEST(start_volume)
{
	static const char *const one[][2] = { { "solver", "cgls:iterations=1" }, { NULL, NULL } };
	static const char *const zero[][2] = { { "solver", "cgls:iterations=1" }, { "init", "zero" }, { NULL, NULL } };
	gt_projections *p = projections();
	gt_recon *r = recon(p, one), *z = recon(p, zero);
	float *start = calloc(voxels, sizeof *start);
	ck_ok(gt_recon_start(r, start));
	float *x = run(r), *y = run(z);
	ck_assert_int_eq(memcmp(x, y, voxels * sizeof *x), 0);
	ck_assert_str_eq(gt_recon_text(r, "start"), "array");
	for (size_t i = 0; i < voxels; i++)
		start[i] = 0.01f;
	ck_ok(gt_recon_start(r, start));
	free(x);
	x = run(r);
	ck_assert_int_ne(memcmp(x, y, voxels * sizeof *x), 0);
	ck_ok(gt_recon_set(r, "solver", "fdk"));
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_refused(gt_recon_run(r, v), GT_ERR_ARG, "starts from nothing");
	ck_ok(gt_recon_start(r, NULL));
	ck_ok(gt_recon_run(r, v));
	gt_volume_free(v);
	free(start);
	free(x);
	free(y);
	gt_recon_free(r);
	gt_recon_free(z);
	gt_projections_free(p);
}
END_TEST

START_TEST(resumed)
{
	char folder[] = "/tmp/test_recon_XXXXXX", file[64];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(file, sizeof file, "%s/a.ck", folder);
	gt_projections *p = projections();
	gt_recon *r = recon(p, NULL);
	gt_recon_outcome how = { .size = sizeof how };
	seen s = { .stop_at = 99 };
	ck_ok(gt_recon_set(r, "solver", "pcg:iterations=6"));
	float *whole = run(r);
	ck_ok(gt_recon_set(r, "solver", "pcg:iterations=3"));
	ck_ok(gt_recon_set(r, "checkpoint", file));
	ck_assert_str_eq(gt_recon_text(r, "checkpoint"), file);
	gt_recon_on_progress(r, look, NULL);
	gt_recon_on_progress(r, NULL, NULL);
	free(run(r));
	ck_ok(gt_recon_set(r, "solver", "pcg:iterations=6"));
	ck_ok(gt_recon_set(r, "checkpoint", NULL));
	ck_ok(gt_recon_set(r, "resume", file));
	s.last = 3;
	gt_recon_on_progress(r, look, &s);
	float *x = run(r);
	ck_assert_int_eq(s.phase[GT_RECON_ITERATION], 3);
	ck_ok(gt_recon_result(r, &how));
	ck_assert_int_eq(how.iterations, 6);
	ck_assert_int_eq(memcmp(x, whole, voxels * sizeof *x), 0);
	gt_projections_data(p)[7] += 1;
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_refused(gt_recon_run(r, v), GT_ERR_UNSUPPORTED, "is of another run");
	gt_volume_free(v);
	free(whole);
	free(x);
	gt_recon_free(r);
	gt_projections_free(p);
	unlink(file);
	rmdir(folder);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, memory_as_file, 0, SETTINGS);
	tcase_add_loop_test(tc, wrong_values, 0, sizeof wrong / sizeof *wrong);
	tcase_add_test(tc, refused_by_the_run);
	tcase_add_test(tc, null_and_order);
	tcase_add_test(tc, keys);
	tcase_add_test(tc, messages);
	tcase_add_test(tc, progress);
	tcase_add_loop_test(tc, plan_is_what_is_taken, 0, SETTINGS);
	tcase_add_test(tc, start_volume);
	tcase_add_test(tc, resumed);
}

int main(void) { return gt_test_main("recon", fill); }
