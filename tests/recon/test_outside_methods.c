/* Solvers and penalties on a region within an object. Subtracting the object outside gives the result of the widened
 * grid.
 * labels: unit physics slow */
#include <stdio.h>
#include "tests/recon/region_runs.h"

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
	{ "os-sqs:iterations=10,subsets=8", "huber:noise=10HU", 10 },
	{ "os-lalm:iterations=10,subsets=8", "qggmrf:noise=10HU", 8 },
	{ "saga:iterations=10,subsets=8", "qggmrf:noise=10HU", 8 },
	{ "svrg:iterations=10,subsets=8", "qggmrf:noise=10HU", 8 },
	{ "fista:iterations=40", "tv:strength=0.3", 8 },
	{ "fista:iterations=30", "tgv:strength=0.3", 8 },
	{ "fista:iterations=15", "wavelet:strength=0.3,levels=1", 8 },
	{ "pdhg:iterations=30", "tv:strength=0.3", 8 },
	{ "spdhg:iterations=15,subsets=8", "tv:strength=0.3", 8 },
	{ "admm:iterations=10", "tv:strength=0.3", 8 },
	{ "pcg:iterations=20", "quadratic:noise=10HU", 8 },
	{ "pcg:iterations=20", "awtv:strength=0.3", 8 },
};
enum { METHODS = sizeof methods / sizeof *methods };

GT_TESTS_ALIKE(by_method, METHODS)
{
	static const char *const modes[2] = { "subtract", "grid" };
	const char *penalty = methods[_i].penalty;
	gt_projections *p = penalty ? scan_of(&fan_scan) : exact_scan_of(&fan_scan);
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

int main(void) { return gt_test_main("outside_methods", NULL); }
