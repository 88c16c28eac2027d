/* Regions within an object: helices, several devices, runs by slabs, solvers and penalties. Results with the object
 * outside subtracted are compared with those of the widened grid, and with the exact voxels.
 * labels: unit physics */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/recon/region_runs.h"

#define HELIX .shape = GT_ARC, .views = 450, .rows = 16, .columns = 84, .turn = 6
static const char *const subtract[][2] = { PRESET, { "outside", "subtract" }, { NULL, NULL } };
static const region helix = { .name = "helix", HELIX, .grid = { { 12, 10, 4 }, { 3, 3, 3 }, { 10, -15, 3 } } };
static const region cone = { .name = "cone",
	                     .shape = GT_FLAT,
	                     .views = 120,
	                     .rows = 12,
	                     .columns = 84,
	                     .turn = 2,
	                     .grid = { { 12, 10, 4 }, { 3, 3, 3 }, { 10, -15, 6 } } };
static const region fan_scan = { .name = "fan",
	                         .shape = GT_FLAT,
	                         .views = 160,
	                         .rows = 1,
	                         .columns = 84,
	                         .turn = 2,
	                         .grid = { { 16, 14, 1 }, { 3, 3, 3 }, { 10, -15, 0 } } };

/* Scans of several rotations are helices. */
static gt_projections *made(const region *q) { return helix_of(q, q->turn > 2 ? 40 : 0); }

static double hu(const float *a, const float *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += pow(((double)a[i] - b[i]) * 1000 / 0.02, 2);
	return sqrt(sum / (double)n);
}

static float *voxels_of_head(const gt_grid *grid)
{
	gt_phantom *body = head();
	float *truth = calloc(gt_grid_voxels(grid), sizeof *truth);
	ck_ok(gt_phantom_voxelise(body, grid, 6, NULL, NULL, NULL, truth));
	gt_phantom_free(body);
	return truth;
}

/* A region within a helix, at its centre, at its end, and of fine voxels. `auto` widens the grid, because wfbp is less
 * accurate than iterations; part: permitted difference of the subtraction, HU. */
static const region helices[] = {
	{ .name = "centre", HELIX, .grid = { { 12, 10, 4 }, { 3, 3, 3 }, { 10, -15, 3 } }, .part = 9 },
	{ .name = "end", HELIX, .grid = { { 12, 10, 3 }, { 3, 3, 3 }, { -12, 10, 42 } }, .part = 3 },
	{ .name = "fine", HELIX, .grid = { { 24, 20, 6 }, { 1.2, 1.2, 1.2 }, { 10, -15, 3 } }, .part = 17 },
};

START_TEST(helical)
{
	static const char *const direct[][2] = { { NULL, NULL } }, *const automatic[][2] = { PRESET, { NULL, NULL } };
	const region *q = &helices[_i];
	const size_t n = gt_grid_voxels(&q->grid);
	gt_projections *p = made(q);
	gt_volume *v, *wide, *wfbp;
	float *truth = voxels_of_head(&q->grid);
	gt_recon *a = run(p, &q->grid, subtract, &v), *b = run(p, &q->grid, automatic, &wide), *c = run(p, &q->grid, direct, &wfbp);
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
END_TEST

/* The same region on another backend. A helix streams without a direct start: the result differs by its convergence. */
static const struct {
	const region *of;
	const char *backend, *more[2];
	double max; /* HU */
} backends[] = {
	{ &cone, "cpu:1x2", { "split", "views" }, 0.05 },
	{ &cone, "cpu:1x3", { "split", "slices" }, 0.05 },
	{ &cone, "cpu:1x4", { "split", "2x2" }, 0.05 },
	{ &cone, "cpu:2", { "reproducible", "yes" }, 0.05 },
	{ &cone, "stream:cpu:1", { "device-memory", "8MB" }, 0.05 },
	{ &helix, "cpu:1x2", { "split", "views" }, 0.05 },
	{ &helix, "cpu:1x2", { "split", "slices" }, 0.05 },
	{ &helix, "stream:cpu:1", { "device-memory", "8MB" }, 2 },
	{ &fan_scan, "cpu:1x3", { "precision", "double" }, 0.05 },
};

START_TEST(on_backends)
{
	const region *q = backends[_i].of;
	const char *const other[][2] = { PRESET,
		                         { "outside", "subtract" },
		                         { "backend", backends[_i].backend },
		                         { backends[_i].more[0], backends[_i].more[1] },
		                         { NULL, NULL } };
	gt_projections *p = made(q);
	gt_volume *v, *same;
	gt_recon *a = run(p, &q->grid, subtract, &v), *b = run(p, &q->grid, other, &same);
	ck_assert_str_eq(gt_recon_text(b, "outside"), "subtract");
	const double apart = hu(gt_volume_data(same), gt_volume_data(v), gt_grid_voxels(&q->grid));
	if (getenv("GT_PRINT"))
		printf("%-6s %-12s %-8s %.3g HU\n", q->name, backends[_i].backend, backends[_i].more[1], apart);
	fflush(stdout);
	ck_assert_msg(apart <= backends[_i].max, "%s on %s: %g HU", q->name, backends[_i].backend, apart);
	gt_recon_free(a);
	gt_recon_free(b);
	gt_volume_free(v);
	gt_volume_free(same);
	gt_projections_free(p);
}
END_TEST

/* Two runs on a team are bit-identical. */
START_TEST(repeated)
{
	static const char *const team[][2] = { PRESET, { "outside", "subtract" }, { "backend", "cpu:1x3" }, { NULL, NULL } };
	gt_projections *p = made(&cone);
	gt_volume *v[2];
	gt_recon *a = run(p, &cone.grid, team, &v[0]), *b = run(p, &cone.grid, team, &v[1]);
	ck_assert(!memcmp(gt_volume_data(v[0]), gt_volume_data(v[1]), gt_grid_voxels(&cone.grid) * sizeof(float)));
	gt_recon_free(a);
	gt_recon_free(b);
	gt_volume_free(v[0]);
	gt_volume_free(v[1]);
	gt_projections_free(p);
}
END_TEST

/* Solvers and penalties; those without a penalty amplify noise, and their data have none. Steps by single views and
 * unmatched pairs also amplify the difference of both models. max: from the widened grid, HU. */
static const struct {
	const char *solver, *penalty;
	double max;
} methods[] = {
	{ "os-sart:iterations=4,subsets=8", NULL, 15 },
	{ "sirt:iterations=20", NULL, 15 },
	{ "sart:iterations=1", NULL, 70 },
	{ "cgls:iterations=4", NULL, 15 },
	{ "lsqr:iterations=4", NULL, 15 },
	{ "lsmr:iterations=4", NULL, 15 },
	{ "ab-gmres:iterations=3", NULL, 100 },
	{ "ba-gmres:iterations=3", NULL, 100 },
	{ "pcg:iterations=20", "qggmrf:noise=10HU", 8 },
	{ "os-sqs:iterations=20,subsets=8", "huber:noise=10HU", 10 },
	{ "os-lalm:iterations=20,subsets=8", "qggmrf:noise=10HU", 8 },
	{ "saga:iterations=20,subsets=8", "qggmrf:noise=10HU", 8 },
	{ "svrg:iterations=20,subsets=8", "qggmrf:noise=10HU", 8 },
	{ "fista:iterations=40", "tv:strength=0.3", 8 },
	{ "fista:iterations=30", "tgv:strength=0.3", 8 },
	{ "fista:iterations=30", "wavelet:strength=0.3,levels=1", 8 },
	{ "pdhg:iterations=60", "tv:strength=0.3", 8 },
	{ "spdhg:iterations=30,subsets=8", "tv:strength=0.3", 8 },
	{ "admm:iterations=20", "tv:strength=0.3", 8 },
	{ "pcg:iterations=20", "quadratic:noise=10HU", 8 },
	{ "pcg:iterations=20", "awtv:strength=0.3", 8 },
};
enum { METHODS = sizeof methods / sizeof *methods };

START_TEST(by_method)
{
	static const char *const modes[2] = { "subtract", "grid" };
	const char *penalty = methods[_i].penalty;
	gt_projections *p = penalty ? made(&fan_scan) : exact_helix_of(&fan_scan, 0);
	gt_volume *v[2];
	for (int i = 0; i < 2; i++) {
		const char *const set[][2] = {
			{ "solver", methods[_i].solver }, { "outside", modes[i] }, { penalty ? "penalty" : NULL, penalty }, { NULL, NULL }
		};
		gt_recon_free(run(p, &fan_scan.grid, set, &v[i]));
	}
	const size_t n = gt_grid_voxels(&fan_scan.grid);
	float *truth = voxels_of_head(&fan_scan.grid);
	const double apart = hu(gt_volume_data(v[0]), gt_volume_data(v[1]), n);
	if (getenv("GT_PRINT"))
		printf("%-34s %-22s %.3g HU; errors %.3g, grid %.3g HU\n", methods[_i].solver, penalty ? penalty : "", apart,
		       hu(gt_volume_data(v[0]), truth, n), hu(gt_volume_data(v[1]), truth, n));
	free(truth);
	fflush(stdout);
	ck_assert_msg(apart <= methods[_i].max, "%s: %g HU", methods[_i].solver, apart);
	gt_volume_free(v[0]);
	gt_volume_free(v[1]);
	gt_projections_free(p);
}
END_TEST

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
START_TEST(resumed)
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
END_TEST

static void fill(TCase *c)
{
	gt_add_alike(c, helical, sizeof helices / sizeof *helices);
	gt_add_alike(c, on_backends, sizeof backends / sizeof *backends);
	tcase_add_test(c, repeated);
	tcase_add_test(c, resumed);
	gt_add_alike(c, by_method, METHODS);
}

int main(void) { return gt_test_main("outside_runs", fill); }
