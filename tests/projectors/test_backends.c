/* Compares every projector on this backend with the CPU reference. Scans: small odd geometries, sizes that fit no tile of
 * a kernel, single rows, columns and voxels, a clinical scanner. On the CPU, results do not depend on the number of
 * threads.
 * labels: property */
#include <stdio.h>
#include <gantry/author/constants.h>
#include "tests/projectors/pairs.h"

static void same_on_both(gt_backend *one, gt_backend *other, gt_type type, const struct gt_test_geometry *g, double tolerance)
{
	for (const gt_projector *const *p = gt_projectors; *p; p++) {
		if (((*p)->cuda_only && !gt_test_is_gpu()) || ((*p)->single_only && type != GT_F32) || (*p)->off_adjoint > 0)
			continue;
		struct gt_test_images a = gt_test_apply((*p)->name, one, type, g),
				      b = gt_test_apply((*p)->model ? (*p)->model : (*p)->name, other, type, g);
		const double x = gt_test_off(a.x, b.x, gt_grid_voxels(&g->grid)), y = gt_test_off(a.y, b.y, gt_scan_size(g->scan));
		if (gt_scan_size(g->scan) > 100000)
			printf("%s, %s, %s: forward %.2e, adjoint %.2e (relative RMS)\n", (*p)->name, g->name, gt_type_name(type), y, x);
		ck_assert_msg(x <= tolerance && y <= tolerance, "%s, %s, %s: forward %.2e, adjoint %.2e", (*p)->name, g->name,
		              gt_type_name(type), y, x);
		gt_test_images_free(a);
		gt_test_images_free(b);
	}
}

/* Compares this backend with one thread; on the CPU, three threads with one. Frees the scan. */
static void check(struct gt_test_geometry g, gt_type type)
{
	gt_backend *cpu = NULL, *other = NULL;
	ck_ok(gt_backend_open("cpu:1", &cpu));
	if (gt_test_is_gpu())
		other = gt_test_backend();
	else
		ck_ok(gt_backend_open("cpu:3", &other));
	same_on_both(other, cpu, type, &g, !gt_test_is_gpu() ? 0 : type == GT_F64 ? 1e-13 : 1e-5);
	gt_scan_free(g.scan);
	gt_backend_close(cpu);
	gt_backend_close(other);
}

GT_TESTS(small_geometries, 2 * gt_test_geometries()) { check(gt_test_geometry(_i / 2), _i % 2 ? GT_F64 : GT_F32); }

#define SCANNER(s, v, r, c) \
	.shape = s, .views = v, .rows = r, .columns = c, .source_to_axis = 541, .source_to_detector = 949, .turn = 2 * GT_PI

static const struct orbit_case odd[] = {
	{ "several tiles",
	  { SCANNER(GT_ARC, 7, 67, 133), .column_pitch = 3.7, .row_pitch = 1.1, .start_angle = 0.1, .column_offset = 0.3 },
	  { { 69, 67, 65 }, { 3.1, 3.2, 0.63 }, { 3, -2, 0.1 } } },
	{ "several tiles, helix",
	  { SCANNER(GT_ARC, 7, 131, 135), .column_pitch = 3.7, .row_pitch = 0.55, .start_angle = 0.2, .pitch_per_turn = 21 },
	  { { 37, 65, 167 }, { 3.1, 3.2, 0.33 }, { 3, -2, 0.1 } } },
	{ "one row",
	  { SCANNER(GT_ARC, 9, 1, 57), .column_pitch = 16, .row_pitch = 7, .start_angle = 0.3 },
	  { { 45, 43, 3 }, { 9.2, 9.3, 4 }, { 3, -2, 0.3 } } },
	{ "one column",
	  { SCANNER(GT_FLAT, 9, 13, 1), .column_pitch = 300, .row_pitch = 7, .start_angle = 0.3 },
	  { { 40, 38, 6 }, { 4.1, 4, 6 }, { 3, -2, 1 } } },
	{ "one view",
	  { SCANNER(GT_ARC, 1, 9, 57), .column_pitch = 16, .row_pitch = 7, .start_angle = 0.7 },
	  { { 45, 43, 9 }, { 9.2, 9.3, 4 }, { 3, -2, 0.3 } } },
	{ "one voxel",
	  { SCANNER(GT_ARC, 9, 5, 57), .column_pitch = 16, .row_pitch = 17, .start_angle = 0.3 },
	  { { 1, 1, 1 }, { 31, 27, 14 }, { 13, -12, 1 } } },
	{ "one voxel along x",
	  { SCANNER(GT_FLAT, 9, 11, 57), .column_pitch = 9, .row_pitch = 7, .start_angle = 0.3 },
	  { { 1, 37, 29 }, { 20, 3, 2 }, { 3, -2, 1 } } },
	{ "one voxel along y",
	  { SCANNER(GT_ARC, 9, 11, 57), .column_pitch = 9, .row_pitch = 7, .start_angle = 0.3 },
	  { { 37, 1, 29 }, { 3, 20, 2 }, { 3, -2, 1 } } },
	{ "one voxel along z",
	  { .shape = GT_PARALLEL, .views = 9, .rows = 11, .columns = 57, .column_pitch = 2.3, .row_pitch = 1.4, .turn = GT_PI },
	  { { 37, 35, 1 }, { 3, 2.6, 9 }, { 3, -2, 0.6 } } },
	{ "bars of voxels, thin slices",
	  { SCANNER(GT_ARC, 9, 11, 57), .column_pitch = 16, .row_pitch = 7, .start_angle = 0.3 },
	  { { 91, 17, 61 }, { 4, 22, 0.7 }, { 3, -2, 1 } } },
	{ "a grid aside, most of it out of the fan",
	  { SCANNER(GT_ARC, 9, 11, 57), .column_pitch = 9, .row_pitch = 7, .start_angle = 0.3 },
	  { { 41, 39, 21 }, { 6, 7, 4 }, { 150, -120, 7 } } },
	{ "more slices than the cone sees",
	  { SCANNER(GT_ARC, 9, 11, 57), .column_pitch = 16, .row_pitch = 7, .start_angle = 0.3 },
	  { { 21, 23, 91 }, { 16, 15, 3 }, { 3, -2, 40 } } },
	{ "a source close to the grid",
	  { .shape = GT_FLAT,
	    .views = 9,
	    .rows = 33,
	    .columns = 61,
	    .source_to_axis = 90,
	    .source_to_detector = 300,
	    .column_pitch = 9,
	    .row_pitch = 11,
	    .start_angle = 0.2,
	    .turn = 2 * GT_PI },
	  { { 31, 29, 21 }, { 4, 4.1, 5 }, { 2, -3, 1 } } },
	{ "a detector between source and grid",
	  { .shape = GT_FLAT,
	    .views = 9,
	    .rows = 17,
	    .columns = 61,
	    .source_to_axis = 541,
	    .source_to_detector = 200,
	    .column_pitch = 4,
	    .row_pitch = 4,
	    .start_angle = 0.2,
	    .turn = 2 * GT_PI },
	  { { 41, 39, 9 }, { 9, 9, 4 }, { 3, -2, 1 } } },
};
enum { ODD = sizeof odd / sizeof *odd };

GT_TESTS(odd_geometries, 2 * ODD) { check(orbit_geometry(&odd[_i / 2]), _i % 2 ? GT_F64 : GT_F32); }

GT_TESTS(clinical_geometry, 2)
{
	if (!gt_test_is_gpu())
		return;
	gt_orbit orbit = gt_scanner_find("ge-ct750hd")->orbit;
	orbit.column_offset = 0;
	gt_backend *cpu = NULL, *gpu = gt_test_backend();
	gt_scan *whole = orbit_scan(&orbit);
	struct gt_test_geometry g = { "ge-hd, every 41st view", NULL, { { 512, 512, 64 }, { 0.9765625, 0.9765625, 0.625 }, { 0, 0, 0 } } };
	ck_ok(gt_scan_subset(whole, 0, 41, &g.scan));
	ck_ok(gt_backend_open("cpu", &cpu));
	same_on_both(gpu, cpu, _i ? GT_F64 : GT_F32, &g, _i ? 1e-12 : 1e-5);
	gt_scan_free(whole);
	gt_scan_free(g.scan);
	gt_backend_close(cpu);
	gt_backend_close(gpu);
}

int main(void) { return gt_test_main("backends", NULL); }
