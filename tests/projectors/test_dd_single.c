/* The distance-driven pair in single precision on the CPU: see single_pairs.h.
 * labels: property unit; backend: none */
#include "core/vectors/linop_step.h"
#include "projectors/dd/fast/dd_single.h"
#include "tests/support/vector_sets.h"

#define GT_DD_KERNELS sixteen_lanes
#define GT_DD_KERNELS_NAME "sixteen"
#include "projectors/dd/fast/dd_single_kernels.inc"

GT_TEST_USE(gt_dd_single)
GT_TEST_FOUND_BY_NAME(gt_dd_single)

#define PAIR "dd"
#define SCANS gt_test_geometries
#define SCAN gt_test_geometry
#include "tests/projectors/single_pairs.h"

/* Returns 1 if the operator took the step itself and left g. */
static int check_step(const char *what, const gt_linop *A, int in_place)
{
	gt_backend *be = gt_linop_backend(A);
	const size_t nx = gt_linop_nx(A);
	gt_array *y = gt_test_array(be, GT_F32, gt_linop_ny(A), 1), *w = gt_test_array(be, GT_F32, nx, 2),
		 *from = gt_test_array(be, GT_F32, nx, 3), *g = gt_test_array(be, GT_F32, nx, 4), *seven = gt_test_array(be, GT_F32, nx, 5),
		 *x = gt_test_array(be, GT_F32, nx, in_place ? 3 : 6), *want = gt_test_array(be, GT_F32, nx, 7);
	gt_step s = { 0.7, -0.1, 0.8, w, from };
	gt_fill(7, seven);
	gt_adjoint(A, y, g);
	gt_take_step(&s, g, want);
	gt_fill(7, g);
	s.from = in_place ? x : from;
	gt_adjoint_step(A, y, &s, g, x);
	ck_assert_msg(gt_distance2(x, want) == 0, "%s, %s: another step", what, in_place ? "in place" : "from another volume");
	const int taken = gt_distance2(g, seven) == 0;
	gt_array *const all[] = { y, w, from, g, seven, x, want };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		gt_array_free(all[i]);
	return taken;
}

/* Whole rows of tiles, which streaming stores write. */
static const struct orbit_case whole = { "flat, 64 x 48 voxels per slice",
	                                 { SCANNER(GT_FLAT, 7, 21, 33), .turn = 2 * GT_PI, .column_pitch = 6.1, .row_pitch = 3.1 },
	                                 { { 64, 48, 20 }, { 1.9, 2.1, 1.3 }, { 1.1, -0.6, 0.4 } } };

/* A step that the backprojection takes has the bits of the backprojection and then the step. */
GT_TEST(steps_at_once)
{
	gt_backend *be = backend("cpu:2");
	gt_line_past(1);
	for (int s = 0; s < SETS; s++) {
		int taken = 0, steps = 0;
		for (int i = 0; i <= SCANS() && use(sets[s]); i++) {
			const struct gt_test_geometry g = i < SCANS() ? SCAN(i) : orbit_geometry(&whole);
			gt_linop *A = NULL;
			ck_ok(gt_projector_new("dd", be, GT_F32, &g.grid, g.scan, &A));
			for (int in_place = 0; in_place < 2; in_place++, steps++)
				taken += check_step(g.name, A, in_place);
			gt_linop_free(A);
			gt_scan_free(g.scan);
		}
		ck_assert_msg(!steps || (taken > 0 && taken < steps), "%s: %d of %d steps taken at once", sets[s], taken, steps);
	}
	gt_line_past(0);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("dd_single", fill); }
