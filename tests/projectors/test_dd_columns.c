/* Z-line backprojection with other numbers of slices per thread, in registers and in shared memory: equal to the default.
 * The CPU has one form: skipped there.
 * labels: property */
#include <stdio.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "tests/projectors/pairs.h"

static const char *const forms[] = { "dd-bz:w=shared", "dd-bz:entries=33", "dd-bz:entries=33,w=shared", "dd-bz:entries=all",
	                             "dd-bz:entries=all,w=shared" };

GT_TESTS(equal_to_the_default, gt_test_geometries())
{
	gt_backend *be = gt_test_backend();
	const struct gt_test_geometry g = gt_test_geometry(_i);
	const struct gt_test_images b = gt_test_apply("dd-bz", be, GT_F32, &g);
	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
		const struct gt_test_images a = gt_test_apply(forms[k], be, GT_F32, &g);
		const double x = gt_test_farthest(a.x, b.x, gt_grid_voxels(&g.grid)), y = gt_test_farthest(a.y, b.y, gt_scan_size(g.scan));
		ck_assert_msg(y <= 0 && x <= 1e-6, "%s on %s: forward %.2e, back %.2e from dd-bz", forms[k], g.name, y, x);
		gt_test_images_free(a);
	}
	gt_test_images_free(b);
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

int main(void) { return gt_test_is_gpu() ? gt_test_main("dd_columns", NULL) : 77; }
