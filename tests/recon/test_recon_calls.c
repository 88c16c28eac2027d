/* Refusals of gt_recon: wrong values, exclusive settings, NULL, and results requested before the run.
 * labels: unit */
#include <string.h>
#include "tests/recon/small_recon.h"

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
	{ "padding", "maybe", "padding=maybe: expected one of auto, yes, no", GT_ERR_ARG },
	{ "margin", "maybe", "expected one of auto, yes, no", GT_ERR_ARG },
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

GT_TESTS(wrong_values, sizeof wrong / sizeof *wrong)
{
	gt_projections *p = projections();
	static const char *const before[][2] = { { "solver", "os-sart:iterations=2,subsets=4" }, { NULL, NULL } };
	gt_recon *r = recon(p, before);
	ck_refused(gt_recon_set(r, wrong[_i].key, wrong[_i].value), wrong[_i].code, wrong[_i].text);
	/* earlier settings remain */
	const char *solver = gt_recon_text(r, "solver");
	ck_assert_msg(!strncmp(solver, "os-sart:iterations=2,subsets=4,", 31), "the solver is now %s", solver);
	gt_recon_free(r);
	gt_projections_free(p);
}

GT_TEST(refused_by_the_run)
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
		{ { { "solver", "fdk" }, { "preset", "iterative" } }, "fdk is an analytic method", GT_ERR_ARG },
		{ { { "solver", "os-sart" }, { "preset", "iterative" } }, "'os-sart' cannot take weights", GT_ERR_ARG },
		{ { { "solver", "pcg" }, { "weights", "file" } }, "the file has no variable weight", GT_ERR_ARG },
		{ { { "keep", "scratch" } }, "expected --scratch FOLDER", GT_ERR_ARG },
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

GT_TEST(null)
{
	gt_projections *p = projections();
	gt_recon *r = NULL;
	gt_volume *v;
	gt_recon_outcome how = { .size = sizeof how };
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
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}

/* Results requested before the run that gives them. */
GT_TEST(order)
{
	gt_projections *p = projections();
	gt_recon *r;
	gt_volume *v;
	gt_grid g;
	gt_recon_outcome how = { .size = sizeof how };
	gt_recon_slabs slabs = { .size = sizeof slabs };
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_new(p, &r));
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

/* Every key has a name, and NULL resets its value. */
GT_TEST(keys)
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

int main(void) { return gt_test_main("recon_calls", NULL); }
