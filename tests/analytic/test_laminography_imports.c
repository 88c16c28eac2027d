/* The geometries of ASTRA (LEAP states the same vectors), TIGRE and CIL give one volume of the data of one scan. */
/* labels: physics */
#include "tests/analytic/plates.h"
#include "tests/geometry/plate_imports.h"

static const solid bodies[] = { { BALL, { 5, -3, 6 }, { 9 }, 1 }, { BOX, { -14, 8, -5 }, { 6, 4, 3 }, 2 } };
static const gt_grid grid = { { 41, 37, 25 }, { 1, 1, 1 }, { 0, 0, 0 } };

static double *volume_of(const gt_scan *s, const double *data)
{
	return reconstruct(plate_method(s), "extend=none,rows=zero,mask=none", &grid, s, data);
}

/* Frees s. */
static void check_volume(const char *what, gt_scan *s, const double *data, const double *expected)
{
	double *x = volume_of(s, data), largest = 0, off = 0;
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++) {
		largest = fmax(largest, fabs(expected[i]));
		off = fmax(off, fabs(x[i] - expected[i]));
	}
	ck_assert(largest > 0.5);
	printf("%s: off by %.2g of the largest value\n", what, off / largest);
	ck_assert_msg(off < 1e-5 * largest, "%s: the volume is off by %.3g of its largest value", what, off / largest);
	free(x);
	gt_scan_free(s);
}

START_TEST(imports_give_one_volume)
{
	const int parallel = _i % 2;
	const double degrees = _i / 2 ? 60 : 30, tilt = degrees / GT_DEGREES;
	for (int panel = 0; panel < GT_NPANELS; panel++) {
		const gt_orbit o = orbit_of(parallel ? GT_PARALLEL : GT_FLAT, degrees, (gt_panel)panel);
		if (panel == GT_PANEL_STAGE_FIXED)
			continue; /* no direct method */
		gt_scan *s = scan_of(&o);
		double *data = solids_project(bodies, 2, s), *expected = volume_of(s, data);
		check_volume("ASTRA", from_astra(parallel, tilt, (gt_panel)panel), data, expected);
		for (int program = 0; program < 2 && panel == GT_PANEL_BEAM; program++) {
			gt_scan *other = program ? from_cil(parallel, tilt) : from_tigre(parallel, tilt);
			turn_to(s, other);
			check_volume(program ? "CIL" : "TIGRE", other, data, expected);
		}
		free(data);
		free(expected);
		gt_scan_free(s);
	}
}
END_TEST

static void fill(TCase *tc) { tcase_add_loop_test(tc, imports_give_one_volume, 0, 4); }

int main(void) { return gt_test_main("laminography_imports", fill); }
