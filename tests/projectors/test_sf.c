/* The separable-footprint pairs: adjoint entry by entry, both CPU paths, sizes that fit no tile, refused input.
 * labels: property unit */
#include <stdio.h>
#include "tests/projectors/sf_scans.h"

/* Many applications: on the CPU one of both models in each geometry. */
GT_TESTS(adjoint_by_elements, CASES)
{
	gt_backend *be = gt_test_backend_alone();
	for (int i = _i; i < geometries(); i += CASES) {
		struct gt_test_geometry g = geometry(i);
		gt_test_crop(&g.grid, gt_test_is_gpu() ? 20 : 12);
		for (int k = 0; k < 4; k++) {
			const gt_type type = k % 2 ? GT_F64 : GT_F32;
			if (!skip_single(type, i) && (gt_test_is_gpu() || (i + k / 2) % 2 == 0))
				check_transpose(names[k / 2], be, type, &g, "default");
		}
		gt_scan_free(g.scan);
	}
	gt_backend_close(be);
}

/* A negligible tilt selects the voxel-by-voxel path; upright detectors use columns of voxels. Both give the same
 * result. */
static void check_paths(gt_backend *be, const char *name, struct gt_test_geometry g)
{
	const size_t nx = gt_grid_voxels(&g.grid), ny = gt_scan_size(g.scan);
	float *x = malloc(nx * sizeof *x);
	gt_test_random(6, nx, x);
	float *upright = project(name, be, GT_F64, &g.grid, g.scan, x);
	tilt_scan(g.scan, 3e-9, 0, 0);
	float *other = project(name, be, GT_F64, &g.grid, g.scan, x);
	const double difference = gt_test_rms(other, upright, ny);
	ck_assert_msg(difference < 2e-7, "%s, %s: %.3e", name, g.name, difference);
	tilt_scan(g.scan, 3e-3, 0, 0);
	float *tilted_scan = project(name, be, GT_F64, &g.grid, g.scan, x);
	ck_assert(gt_test_rms(tilted_scan, upright, ny) > 1e-4);
	gt_scan_free(g.scan);
	free(x);
	free(upright);
	free(other);
	free(tilted_scan);
}

GT_TESTS(both_paths_agree, CASES)
{
	gt_backend *be = gt_test_backend();
	for (int i = _i; i < 2 * gt_test_geometries(); i += CASES)
		check_paths(be, names[i % 2], gt_test_geometry(i / 2));
	gt_backend_close(be);
}

/* Sizes that fit no tile, window or stage of a kernel, in single precision against the reference. */
static const struct orbit_case sizes[] = {
	{ "many rows and slices",
	  { GT_ARC, .views = 5, .rows = 131, .columns = 51, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 1.1,
	    .row_pitch = 1.3, .start_angle = 0.2, .turn = 2 * GT_PI, .pitch_per_turn = 21, .column_offset = 0.25 },
	  { { 23, 19, 151 }, { 0.9, 1.1, 0.7 }, { 1.3, -2.1, 0.4 } } },
	{ "voxels of many columns and rows",
	  { GT_FLAT, .views = 4, .rows = 203, .columns = 317, .source_to_axis = 300, .source_to_detector = 500, .column_pitch = 0.31,
	    .row_pitch = 0.29, .start_angle = 0.3, .turn = 2 * GT_PI },
	  { { 9, 8, 11 }, { 5.1, 4.3, 3.7 }, { 0.9, 1.7, -2.2 } } },
	{ "thin slices",
	  { GT_FLAT, .views = 4, .rows = 21, .columns = 33, .source_to_axis = 400, .source_to_detector = 700, .column_pitch = 1.9,
	    .row_pitch = 3.1, .start_angle = 0.5, .turn = 2 * GT_PI, .row_offset = 2.3 },
	  { { 17, 18, 333 }, { 1.2, 1.3, 0.1 }, { -1.9, 0.7, 1.2 } } },
	{ "parallel",
	  { GT_PARALLEL, .views = 7, .rows = 70, .columns = 90, .column_pitch = 0.7, .row_pitch = 0.6, .start_angle = 0.05, .turn = GT_PI,
	    .column_offset = 1.7 },
	  { { 41, 37, 67 }, { 1.1, 1.2, 0.7 }, { 1.2, -2.3, 0.4 } } },
	{ "wide cone, voxels larger than cells",
	  { GT_ARC, .views = 7, .rows = 203, .columns = 91, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 2.1,
	    .row_pitch = 2.3, .start_angle = 0.2, .turn = 2 * GT_PI, .pitch_per_turn = 11, .column_offset = 0.25 },
	  { { 29, 31, 141 }, { 5.1, 4.7, 1.9 }, { 3.3, -4.1, 1.4 } } },
	{ "wide cone, flat, many views, voxels larger than cells",
	  { GT_FLAT, .views = 150, .rows = 67, .columns = 41, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 6.1,
	    .row_pitch = 7.3, .start_angle = 0.2, .turn = 2 * GT_PI, .row_offset = 2.3 },
	  { { 19, 21, 67 }, { 9.1, 8.7, 4.9 }, { 3.3, -4.1, 1.4 } } },
	{ "one row, one slice",
	  { GT_ARC, .views = 123, .rows = 1, .columns = 111, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 4.1,
	    .row_pitch = 1.1, .start_angle = 0.2, .turn = 2 * GT_PI, .column_offset = 0.25 },
	  { { 65, 61, 1 }, { 3.9, 4.1, 0.7 }, { 3.3, -4.1, 0.1 } } },
	{ "five rows, many slices",
	  { GT_FLAT, .views = 37, .rows = 5, .columns = 111, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 2.1,
	    .row_pitch = 19, .start_angle = 0.2, .turn = 2 * GT_PI },
	  { { 35, 31, 301 }, { 2.9, 3.1, 0.3 }, { 3.3, -4.1, 0.1 } } },
	{ "many rows, seven slices",
	  { GT_ARC, .views = 41, .rows = 133, .columns = 111, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 2.1,
	    .row_pitch = 1.1, .start_angle = 0.2, .turn = 2 * GT_PI },
	  { { 35, 31, 7 }, { 2.9, 3.1, 11.3 }, { 3.3, -4.1, 0.1 } } },
	{ "footprints of views do not overlap, grid away from the axis",
	  { GT_ARC, .views = 6, .rows = 64, .columns = 300, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 1.02,
	    .row_pitch = 1.1, .start_angle = 0.2, .turn = 2 * GT_PI },
	  { { 33, 70, 40 }, { 1.3, 0.8, 0.7 }, { 60, -90, 3 } } },
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void check_size(const char *name, const char *what, const double *y, const double *exact, size_t n)
{
	double size = 0, max = 0;
	for (size_t i = 0; i < n; i++) {
		size += exact[i] * exact[i];
		max = fmax(max, fabs(y[i] - exact[i]));
	}
	const double rms = gt_test_off(y, exact, n), largest = max / sqrt(size / (double)n);
	printf("%s, %s: rms %.1e, largest %.1e\n", name, what, rms, largest);
	ck_assert_msg(rms < 1e-5 && largest < 2e-4, "%s, %s: rms %.1e, largest %.1e", name, what, rms, largest);
}

GT_TESTS(odd_sizes, SIZES)
{
	const struct gt_test_geometry g = orbit_geometry(&sizes[_i]);
	gt_backend *be = gt_test_backend(), *cpu = NULL;
	ck_ok(gt_backend_open("cpu", &cpu));
	for (int k = 0; k < 2; k++) {
		const struct gt_test_images exact = gt_test_apply(names[k], cpu, GT_F64, &g),
					    found = gt_test_apply(names[k], be, GT_F32, &g);
		printf("%s: ", g.name);
		check_size(names[k], "forward", found.y, exact.y, gt_scan_size(g.scan));
		printf("%s: ", g.name);
		check_size(names[k], "back", found.x, exact.x, gt_grid_voxels(&g.grid));
		gt_test_images_free(exact);
		gt_test_images_free(found);
	}
	gt_scan_free(g.scan);
	gt_backend_close(be);
	gt_backend_close(cpu);
}

GT_TEST(refusals)
{
	gt_backend *be = gt_test_backend();
	gt_linop *A = NULL;
	struct gt_test_geometry g = gt_test_geometry(3);
	rotate(g.scan->view[5].column_axis, g.scan->view[5].row_axis, 0.3);
	ck_refused(gt_projector_new("sf-tr", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED,
	           "sf-tr: view 5: lines along z are seen at 17.");
	gt_scan_free(g.scan);
	g = gt_test_geometry(11);
	g.scan->view[2].detector[2] += 3000;
	ck_refused(gt_projector_new("sf-tt", be, GT_F64, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED, "sf-tt: view 2: the rays of column 0");
	gt_scan_free(g.scan);
	gt_orbit wide = { GT_FLAT,
		          .views = 4,
		          .rows = 3,
		          .columns = 101,
		          .source_to_axis = 100,
		          .source_to_detector = 150,
		          .column_pitch = 70,
		          .row_pitch = 1,
		          .turn = 2 * GT_PI };
	g.scan = orbit_scan(&wide);
	ck_refused(gt_projector_new("sf-tr", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED,
	           "sf-tr: view 0: the ray of column 0 is 87");
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("sf", NULL); }
