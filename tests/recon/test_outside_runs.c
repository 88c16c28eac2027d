/* Regions within an object: helices, several devices, runs by slabs, resumed runs. Results with the object outside
 * subtracted are compared with those of the widened grid, and with the exact voxels.
 * labels: unit physics slow */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/recon/region_runs.h"

#define HELIX .shape = GT_ARC, .rows = 16, .columns = 84
/* Searches for a strength take most of the time, so some cases have one. */
#define SEARCH "qggmrf"
#define FIXED "qggmrf:strength=7000"
static const region helix = { .name = "helix", HELIX, .turn = 6, .views = 192, .grid = { { 12, 10, 4 }, { 3, 3, 3 }, { 10, -15, 3 } } };
static const region cone = { .name = "cone",
	                     .shape = GT_FLAT,
	                     .views = 48,
	                     .rows = 12,
	                     .columns = 84,
	                     .turn = 2,
	                     .grid = { { 12, 10, 4 }, { 3, 3, 3 }, { 10, -15, 6 } } };

/* Scans of several rotations are helices. */
static gt_projections *made(const region *q) { return helix_of(q, q->turn > 2 ? 40 : 0); }

/* A region within a helix: at its end, and at its centre with voxels that are fine along x. `auto` widens the grid,
 * because wfbp is less accurate than iterations; part: permitted difference of the subtraction, HU. */
static const struct {
	region of;
	const char *penalty;
} helices[] = {
	{ { .name = "end", HELIX, .turn = 6, .views = 192, .grid = { { 12, 10, 3 }, { 3, 3, 3 }, { -12, 10, 42 } }, .part = 3 }, FIXED },
	{ { .name = "fine", HELIX, .turn = 4, .views = 200, .grid = { { 24, 10, 4 }, { 1.5, 3, 3 }, { 10, -15, 3 } }, .part = 9 }, FIXED },
};

/* outside, backend and key: NULL if not set */
typedef struct {
	const char *penalty, *outside, *backend, *key, *value;
} settings;

static gt_recon *run_with(const settings *s, const gt_projections *p, const gt_grid *g, gt_volume **v)
{
	const char *const set[][2] = { PRESET,
		                       { "penalty", s->penalty },
		                       { s->outside ? "outside" : "padding", s->outside ? s->outside : "auto" },
		                       { s->backend ? "backend" : NULL, s->backend },
		                       { s->key, s->value },
		                       { NULL, NULL } };
	return run(p, g, set, v);
}

GT_TESTS_ALIKE(helical, sizeof helices / sizeof *helices)
{
	static const char *const direct[][2] = { { NULL, NULL } };
	const region *q = &helices[_i].of;
	const settings subtract = { .penalty = helices[_i].penalty, .outside = "subtract" }, automatic = { .penalty = subtract.penalty };
	const size_t n = gt_grid_voxels(&q->grid);
	gt_projections *p = made(q);
	gt_volume *v, *wide, *wfbp;
	float *truth = voxels_of_head(&q->grid);
	gt_recon *a = run_with(&subtract, p, &q->grid, &v), *b = run_with(&automatic, p, &q->grid, &wide),
		 *c = run(p, &q->grid, direct, &wfbp);
	ck_assert_str_eq(gt_recon_text(a, "outside"), "subtract");
	ck_assert_str_eq(gt_recon_text(b, "outside"), "grid");
	ck_assert_str_eq(gt_recon_text(c, "method"), "wfbp");
	const double apart = hu(gt_volume_data(v), gt_volume_data(wide), n), error = hu(gt_volume_data(wide), truth, n),
		     most = hu(gt_volume_data(wfbp), truth, n);
	if (getenv("GT_PRINT"))
		printf("%-8s wfbp %5.1f grid %5.1f subtract %5.1f HU, %5.2f from grid\n", q->name, most, error,
		       hu(gt_volume_data(v), truth, n), apart);
	fflush(stdout);
	ck_assert_msg(apart <= q->part && error <= 0.6 * most, "%s: %g HU from grid, error %g HU, wfbp %g HU", q->name, apart, error, most);
	gt_recon_free(a);
	gt_recon_free(b);
	gt_recon_free(c);
	gt_volume_free(v);
	gt_volume_free(wide);
	gt_volume_free(wfbp);
	gt_projections_free(p);
	free(truth);
}

/* The same region on other backends. A helix streams without a direct start: the result differs by its convergence.
 * twice: run again, bit-identical. */
typedef struct {
	const char *backend, *more[2];
	double max; /* HU */
	int twice;
} other_backend;
static const struct {
	const region *of;
	const char *penalty;
	other_backend on[4];
} backends[] = {
	{ &cone,
	  FIXED,
	  { { "cpu:1x2", { "split", "views" }, 0.05, 0 },
	    { "cpu:1x3", { "split", "slices" }, 0.05, 1 },
	    { "stream:cpu:1", { "device-memory", "8MB" }, 0.05, 0 } } },
	{ &helix, FIXED, { { "cpu:1x4", { "split", "2x2" }, 0.05, 0 }, { "stream:cpu:1", { "device-memory", "8MB" }, 2, 0 } } },
	{ &fan_scan, SEARCH, { { "cpu:1x3", { "precision", "double" }, 0.05, 0 }, { "cpu:2", { "reproducible", "yes" }, 0.05, 0 } } },
};

static gt_volume *volume_on(const settings *s, const gt_projections *p, const gt_grid *g)
{
	gt_volume *v;
	gt_recon *r = run_with(s, p, g, &v);
	ck_assert_str_eq(gt_recon_text(r, "outside"), "subtract");
	gt_recon_free(r);
	return v;
}

GT_TESTS_ALIKE(on_backends, sizeof backends / sizeof *backends)
{
	const region *q = backends[_i].of;
	const size_t n = gt_grid_voxels(&q->grid);
	gt_projections *p = made(q);
	const settings usual = { .penalty = backends[_i].penalty, .outside = "subtract" };
	gt_volume *v = volume_on(&usual, p, &q->grid);
	for (const other_backend *o = backends[_i].on; o->backend; o++) {
		const settings here = { usual.penalty, usual.outside, o->backend, o->more[0], o->more[1] };
		gt_volume *same = volume_on(&here, p, &q->grid), *again = o->twice ? volume_on(&here, p, &q->grid) : NULL;
		const double apart = hu(gt_volume_data(same), gt_volume_data(v), n);
		if (getenv("GT_PRINT"))
			printf("%-6s %-12s %-8s %.3g HU\n", q->name, o->backend, o->more[1], apart);
		fflush(stdout);
		ck_assert_msg(apart <= o->max, "%s on %s: %g HU", q->name, o->backend, apart);
		ck_assert(!again || !memcmp(gt_volume_data(again), gt_volume_data(same), n * sizeof(float)));
		gt_volume_free(same);
		gt_volume_free(again);
	}
	gt_volume_free(v);
	gt_projections_free(p);
}

static gt_status checkpointed(const gt_projections *p, const char *solver, const char *mode, const char *key, const char *file,
                              gt_volume **v)
{
	const char *const set[][2] = { { "solver", solver }, { "outside", mode }, { file ? key : NULL, file }, { NULL, NULL } };
	gt_recon *r = ready(p, &fan_scan.grid, set);
	ck_ok(gt_volume_new(&fan_scan.grid, v));
	const gt_status st = gt_recon_run(r, *v);
	gt_recon_free(r);
	return st;
}

/* A resumed run is bit-identical; another mode is refused. */
GT_TEST(resumed)
{
	char folder[64], file[96];
	gt_test_folder(folder);
	snprintf(file, sizeof file, "%s/run.nc", folder);
	gt_projections *p = made(&fan_scan);
	gt_volume *v[4];
	ck_ok(checkpointed(p, "sirt:iterations=6", "subtract", NULL, NULL, &v[0]));
	ck_ok(checkpointed(p, "sirt:iterations=3", "subtract", "checkpoint", file, &v[1]));
	ck_ok(checkpointed(p, "sirt:iterations=6", "subtract", "resume", file, &v[2]));
	ck_assert(!memcmp(gt_volume_data(v[0]), gt_volume_data(v[2]), gt_grid_voxels(&fan_scan.grid) * sizeof(float)));
	ck_refused(checkpointed(p, "sirt:iterations=6", "grid", "resume", file, &v[3]), GT_ERR_UNSUPPORTED,
	           "the mode of the object outside the grid is subtract, expected grid; --outside subtract continues it");
	for (int i = 0; i < 4; i++)
		gt_volume_free(v[i]);
	gt_projections_free(p);
	remove(file);
	gt_test_folder_remove(folder);
}

int main(void) { return gt_test_main("outside_runs", NULL); }
