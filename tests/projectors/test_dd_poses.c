/* The distance-driven pair for tilted detectors on any backend: its transpose entry by entry, the results of the CPU in
 * double, also with little memory. Results are bit-identical in every run.
 * labels: property unit */
#include <string.h>
#include <gantry/projector.h>
#include "tests/projectors/poses.h"

static const double values_differ[] = { [GT_F32] = 2e-6, [GT_F64] = 1e-12 };

GT_TESTS_ALIKE(transpose, 2 * POSES)
{
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	struct gt_test_geometry g = pose(_i / 2);
	gt_backend *be = gt_test_backend_alone();
	gt_test_crop(&g.grid, 9);
	check_transpose("dd", be, type, &g, "default");
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

/* The second name limits memory to one slice and one view. */
GT_TESTS_ALIKE(as_on_the_cpu, 2 * POSES)
{
	static const char *const names[] = { "dd", "dd:memory=1e-6" };
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	const struct gt_test_geometry g = pose(_i / 2);
	gt_backend *be = gt_test_backend(), *cpu = NULL;
	ck_ok(gt_backend_open("cpu:2", &cpu));
	const struct gt_test_images exact = gt_test_apply("dd", cpu, GT_F64, &g);
	for (int k = 0; k < 2; k++) {
		const struct gt_test_images r = gt_test_apply(names[k], be, type, &g);
		const double x = gt_test_off(r.x, exact.x, gt_grid_voxels(&g.grid)), y = gt_test_off(r.y, exact.y, gt_scan_size(g.scan));
		ck_assert_msg(y <= values_differ[type] && x <= values_differ[type], "%s, %s: forward %.2e, back %.2e", g.name, names[k], y,
		              x);
		gt_test_images_free(r);
	}
	gt_test_images_free(exact);
	gt_scan_free(g.scan);
	gt_backend_close(cpu);
	gt_backend_close(be);
}

GT_TEST(same_bits)
{
	const struct gt_test_geometry g = pose(0);
	gt_backend *be = gt_test_backend();
	const struct gt_test_images a = gt_test_apply("dd", be, GT_F32, &g), b = gt_test_apply("dd", be, GT_F32, &g);
	ck_assert_int_eq(memcmp(a.y, b.y, gt_scan_size(g.scan) * sizeof *a.y), 0);
	ck_assert_int_eq(memcmp(a.x, b.x, gt_grid_voxels(&g.grid) * sizeof *a.x), 0);
	gt_test_images_free(a);
	gt_test_images_free(b);
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("dd_poses", NULL); }
