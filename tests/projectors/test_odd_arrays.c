/* Unusual arrays (odd_arrays.h) for all pairs except dd, with detectors in all poses. dd: test_dd_tilt.c.
 * labels: property unit; backend: none */
#include "tests/projectors/odd_arrays.h"
#include "tests/projectors/poses.h"

static const struct {
	const char *name;
	int poses; /* minimum number of poses that it takes */
} pairs[] = { { "joseph", POSES }, { "siddon", POSES }, { "sf-tr", 9 }, { "sf-tt", 9 } };
enum { PAIRS = sizeof pairs / sizeof *pairs };

static int takes(const char *pair, const struct gt_test_geometry *g)
{
	gt_backend *be = backend("cpu:1");
	gt_linop *A = NULL;
	const gt_status s = gt_projector_new(pair, be, GT_F32, &g->grid, g->scan, &A);
	ck_assert_msg(s == GT_OK || s == GT_ERR_UNSUPPORTED, "%s, %s: %s", pair, g->name, gt_error());
	gt_linop_free(A);
	gt_backend_close(be);
	return s == GT_OK;
}

static void check_poses(int pair, void (*check)(const char *pair, const struct gt_test_geometry *g))
{
	int taken = 0;
	for (int i = 0; i < POSES; i++) {
		const struct gt_test_geometry g = pose(i);
		if (takes(pairs[pair].name, &g)) {
			check(pairs[pair].name, &g);
			taken++;
		}
		gt_scan_free(g.scan);
	}
	ck_assert_msg(taken >= pairs[pair].poses, "%s takes %d poses", pairs[pair].name, taken);
}

static void check_small(const char *pair, const struct gt_test_geometry *g) { check_denormals(pair, "one way", g); }

GT_TESTS_ALIKE(denormals, PAIRS) { check_poses(_i, check_small); }

GT_TESTS_ALIKE(loose_memory, PAIRS) { check_poses(_i, check_loose_memory); }

GT_TESTS_ALIKE(any_number_of_threads, PAIRS) { check_poses(_i, check_threads); }

int main(void) { return gt_test_main("odd_arrays", NULL); }
