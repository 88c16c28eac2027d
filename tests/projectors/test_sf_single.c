/* SF-TR in single precision on the CPU: see single_pairs.h. test_sf covers tilted scans and SF-TT.
 * labels: property unit slow; backend: none */
#include "projectors/sf/fast/sf_single.h"
#include "tests/support/vector_sets.h"

#define GT_SF_KERNELS sixteen_lanes
#define GT_SF_KERNELS_NAME "sixteen"
#include "projectors/sf/fast/sf_single_kernels.inc"

GT_TEST_USE(gt_sf_single)
GT_TEST_FOUND_BY_NAME(gt_sf_single)

#define geometries sf_geometries
#define geometry sf_geometry
#include "tests/projectors/sf_scans.h"
#undef geometries
#undef geometry
#define PAIR "sf-tr"
#define SCANS sf_geometries
#define SCAN sf_geometry
#include "tests/projectors/single_pairs.h"

/* Many illuminated rows, voxels of a sixth of a row: a voxel's value is small compared with the
 * running sums that it is sampled from. */
START_TEST(thin_voxels)
{
	const gt_orbit orbit = { SCANNER(GT_FLAT, 1, 112, 9), .turn = 1, .column_pitch = 9, .row_pitch = 7, .start_angle = 0.6 };
	const gt_grid grid = { { 9, 7, 25 }, { 1.1, 1.2, 0.7 }, { 1.2, -2.3, 41 } };
	gt_scan *scan = orbit_scan(&orbit);
	const size_t nx = gt_grid_voxels(&grid), ny = gt_scan_size(scan);
	gt_backend *be = backend("cpu:1");
	float *data = malloc(ny * sizeof *data);
	gt_test_random(9, ny, data);
	for (size_t i = 0; i < ny; i++)
		data[i] += 2;
	for (int s = -1; s < SETS; s++) {
		static double *exact;
		gt_linop *A;
		gt_array *x, *y;
		if (s >= 0 && !use(sets[s]))
			continue;
		const gt_type type = s < 0 ? GT_F64 : GT_F32;
		ck_ok(gt_projector_new(PAIR, be, type, &grid, scan, &A));
		ck_ok(gt_array_new(be, type, nx, &x));
		ck_ok(gt_array_new(be, type, ny, &y));
		gt_array_put_float(data, y);
		gt_adjoint(A, y, x);
		double *values = gt_test_values(x);
		if (s < 0)
			exact = values;
		else
			ck_assert_msg(gt_test_off(values, exact, nx) <= 5e-6, "%s: %.2e", sets[s], gt_test_off(values, exact, nx));
		gt_linop_free(A), gt_array_free(x), gt_array_free(y);
	}
	gt_backend_close(be);
	gt_scan_free(scan);
	free(data);
}
END_TEST

static void fill_all(TCase *tc)
{
	fill(tc);
	tcase_add_test(tc, thin_voxels);
}

int main(void) { return gt_test_main("sf_single", fill_all); }
