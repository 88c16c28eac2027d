#ifndef GT_TESTS_BY_SETS_H
#define GT_TESTS_BY_SETS_H
/* Compares a single-precision pair on the CPU, with the kernels of each instruction set, with the pair in double.
 * use_set: use() of tests/support/vector_sets.h. */
#include "tests/projectors/odd_arrays.h"
#include "tests/support/vector_sets.h"

/* Forward projection of a random volume and backprojection of random data, with the kernels of each set, against the
 * pair in double. */
static void check_by_double(const char *pair, int (*use_set)(const char *set), const struct gt_test_geometry *g)
{
	gt_backend *be = backend("cpu:2");
	const struct gt_test_images exact = gt_test_apply(pair, be, GT_F64, g);
	for (int s = 0; s < SETS; s++) {
		if (!use_set(sets[s]))
			continue;
		const struct gt_test_images r = gt_test_apply(pair, be, GT_F32, g);
		const size_t nx = gt_grid_voxels(&g->grid), ny = gt_scan_size(g->scan);
		const double x = gt_test_off(r.x, exact.x, nx), y = gt_test_off(r.y, exact.y, ny);
		ck_assert_msg(y <= 2e-6 && x <= 2e-6, "%s, %s: forward %.2e, back %.2e from double", g->name, sets[s], y, x);
		const double max_x = gt_test_farthest(r.x, exact.x, nx), max_y = gt_test_farthest(r.y, exact.y, ny);
		ck_assert_msg(max_y <= 5e-6 && max_x <= 5e-6,
		              "%s, %s: forward %.2e, back %.2e of the largest from double", g->name, sets[s],
		              max_y, max_x);
		gt_test_images_free(r);
	}
	gt_test_images_free(exact);
	gt_backend_close(be);
}

/* Checks denormal numbers with the kernels of each set. */
static inline void check_denormals_by_sets(const char *pair, int (*use_set)(const char *set), const struct gt_test_geometry *g)
{
	for (int s = 0; s < SETS; s++)
		if (use_set(sets[s]))
			check_denormals(pair, sets[s], g);
}
#endif
