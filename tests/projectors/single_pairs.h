#ifndef GT_TESTS_SINGLE_PAIRS_H
#define GT_TESTS_SINGLE_PAIRS_H
/* Tests of a single-precision pair on the CPU with the kernels of each instruction set. The pair is compared with the
 * pair in double and with its own transpose; threads, memory alignment and magnitudes vary. The including test defines
 * PAIR (the projector's name), SCANS() and SCAN(i) (its small scans), and use() and kernels_are_found_by_name by
 * tests/support/vector_sets.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "projectors/kit/vector_jobs.h"
#include "tests/projectors/by_sets.h"
#include "tests/projectors/pairs.h"

#define SCANNER(s, v, r, c) .shape = s, .views = v, .rows = r, .columns = c, .source_to_axis = 541, .source_to_detector = 949

/* Cases that other scans lack: very different heights of rows and voxels, restarted sums, more slices and voxels than a
 * tile. */
static const struct orbit_case special[] = {
	{ "arc, rows 5 voxels high",
	  { SCANNER(GT_ARC, 5, 9, 11), .turn = 2 * GT_PI, .column_pitch = 7.1, .row_pitch = 6.1, .start_angle = 0.6, .row_offset = 1.3 },
	  { { 9, 8, 41 }, { 5.9, 6.2, 0.7 }, { 1.2, -2.3, 1.1 } } },
	{ "flat, voxels 5 rows high",
	  { SCANNER(GT_FLAT, 5, 45, 9), .turn = 3.9, .end_view = 1, .column_pitch = 5, .row_pitch = 1.1, .start_angle = 0.4 },
	  { { 8, 7, 9 }, { 3.9, 4.2, 3.1 }, { 1.6, -2.1, 0.3 } } },
	{ "flat, voxels 7 rows high, of which many lie below the detector",
	  { SCANNER(GT_FLAT, 5, 45, 9), .turn = 3.9, .end_view = 1, .column_pitch = 5, .row_pitch = 0.8, .start_angle = 0.4 },
	  { { 8, 7, 19 }, { 3.9, 4.2, 3.1 }, { 1.6, -2.1, 0.3 } } },
	{ "flat, voxels 11 rows high",
	  { SCANNER(GT_FLAT, 5, 75, 9), .turn = 3.9, .end_view = 1, .column_pitch = 5, .row_pitch = 0.5, .start_angle = 0.4 },
	  { { 8, 7, 9 }, { 3.9, 4.2, 3.1 }, { 1.6, -2.1, 0.3 } } },
	{ "arc, rows 11 voxels high",
	  { SCANNER(GT_ARC, 5, 9, 11), .turn = 2 * GT_PI, .column_pitch = 7.1, .row_pitch = 6.1, .start_angle = 0.6, .row_offset = 1.3 },
	  { { 9, 8, 91 }, { 5.9, 6.2, 0.32 }, { 1.2, -2.3, 1.1 } } },
	{ "arc, rows 40 voxels high: not by these kernels",
	  { SCANNER(GT_ARC, 5, 3, 11), .turn = 2 * GT_PI, .column_pitch = 7.1, .row_pitch = 48, .start_angle = 0.6 },
	  { { 7, 6, 91 }, { 5.9, 6.2, 0.7 }, { 1.2, -2.3, 1.1 } } },
	{ "flat, rows 2.3 voxels high, 130 of them, 150 slices",
	  { SCANNER(GT_FLAT, 3, 130, 4), .turn = 3.9, .end_view = 1, .column_pitch = 9, .row_pitch = 2.1, .start_angle = 0.4 },
	  { { 5, 4, 150 }, { 3.9, 4.2, 0.52 }, { 1.6, -2.1, 0.3 } } },
	{ "arc, helix, 67 x 35 voxels per slice, columns that meet many of them",
	  { SCANNER(GT_ARC, 9, 5, 5), .turn = 4 * GT_PI, .column_pitch = 50, .row_pitch = 3.3, .start_angle = 0.1, .pitch_per_turn = 11 },
	  { { 67, 35, 2 }, { 2.3, 1.6, 4.2 }, { -1.7, 2.1, 1.2 } } },
	{ "arc, helix, 2 rows, 45 x 35 voxels per slice, columns that meet many of them",
	  { SCANNER(GT_ARC, 5, 2, 5), .turn = 4 * GT_PI, .column_pitch = 50, .row_pitch = 6.3, .start_angle = 0.1, .pitch_per_turn = 11 },
	  { { 45, 35, 2 }, { 2.3, 1.6, 2.2 }, { -1.7, 2.1, 1.2 } } },
	{ "flat, 4 rows, 11 slices, 7 x 35 voxels per slice",
	  { SCANNER(GT_FLAT, 3, 4, 43), .turn = 5.1, .end_view = 1, .column_pitch = 2.6, .row_pitch = 6.1, .start_angle = 0.2,
	    .column_offset = 1.3 },
	  { { 7, 35, 11 }, { 1.9, 1.1, 1.7 }, { 1.1, -2.6, 0.4 } } },
	{ "flat, 3 rows, 2000 below the source's height",
	  { SCANNER(GT_FLAT, 3, 3, 31), .turn = 4.7, .end_view = 1, .column_pitch = 16, .row_pitch = 0.4, .start_angle = 0.3,
	    .row_offset = 2000 },
	  { { 9, 13, 21 }, { 14.9, 11.4, 0.23 }, { 1.1, -2.6, -456.06 } } },
	{ "parallel, 33 x 70 voxels per slice",
	  { .shape = GT_PARALLEL,
	    .views = 5,
	    .rows = 4,
	    .columns = 37,
	    .column_pitch = 2.3,
	    .row_pitch = 1.4,
	    .start_angle = 0.3,
	    .turn = GT_PI },
	  { { 33, 70, 2 }, { 1.4, 0.9, 1.1 }, { 1.1, -0.6, 0.4 } } },
	{ "arc, 32 views of both axes: the most that go back as one batch",
	  { SCANNER(GT_ARC, 32, 7, 11), .turn = 2 * GT_PI, .column_pitch = 14.3, .row_pitch = 3.1, .start_angle = 0.2,
	    .column_offset = 0.25 },
	  { { 35, 9, 6 }, { 1.9, 5.3, 1.7 }, { 1.2, -2.3, 0.6 } } },
	{ "arc, 33 views of both axes: one more",
	  { SCANNER(GT_ARC, 33, 7, 11), .turn = 2 * GT_PI, .column_pitch = 14.3, .row_pitch = 3.1, .start_angle = 0.2,
	    .column_offset = 0.25 },
	  { { 9, 35, 6 }, { 5.3, 1.9, 1.7 }, { 1.2, -2.3, 0.6 } } },
	{ "flat, 33 views of one axis: two batches",
	  { SCANNER(GT_FLAT, 33, 6, 9), .turn = 1.1, .end_view = 1, .column_pitch = 14.3, .row_pitch = 3.3, .start_angle = -0.5,
	    .row_offset = 0.7 },
	  { { 8, 33, 5 }, { 5.3, 1.9, 1.9 }, { 1.2, -2.3, 0.6 } } },
	{ "flat, near a focal spot close to the volume",
	  { .shape = GT_FLAT,
	    .views = 5,
	    .rows = 21,
	    .columns = 15,
	    .source_to_axis = 60,
	    .source_to_detector = 200,
	    .column_pitch = 6,
	    .row_pitch = 5,
	    .turn = 2 * GT_PI,
	    .start_angle = 0.2 },
	  { { 13, 12, 17 }, { 5.1, 5.3, 2.9 }, { 1.1, -0.6, 0.4 } } },
	{ "flat, one thick slice half a voxel from the focal spot",
	  { .shape = GT_FLAT,
	    .views = 1,
	    .rows = 37,
	    .columns = 59,
	    .source_to_axis = 51.646,
	    .source_to_detector = 124.4,
	    .column_pitch = 2.51,
	    .row_pitch = 0.73,
	    .column_offset = -14.4,
	    .turn = 2 * GT_PI,
	    .start_angle = 2.1695 },
	  { { 1, 68, 8 }, { 48, 0.91, 1.76 }, { 1.6, 4.8, 0 } } },
};
enum { SPECIAL = sizeof special / sizeof *special };

static int geometries(void) { return SCANS() + SPECIAL; }
static struct gt_test_geometry geometry(int i) { return i < SCANS() ? SCAN(i) : orbit_geometry(&special[i - SCANS()]); }

START_TEST(as_in_double)
{
	const struct gt_test_geometry g = geometry(_i);
	check_by_double(PAIR, use, &g);
	gt_scan_free(g.scan);
}
END_TEST

/* Forward and adjoint have equal entries. Scans use the instruction sets in turn; as_in_double() compares all sets for
 * each scan. */
START_TEST(transpose)
{
	struct gt_test_geometry g = geometry(_i);
	gt_backend *be = backend("cpu:1");
	if (_i < SCANS())
		gt_test_crop(&g.grid, 9);
	for (int s = _i; s < _i + (gt_tests_long() ? SETS : 1); s++)
		check_transpose(PAIR, be, GT_F32, &g, use_in_turn(s));
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

/* 75 views of a volume larger than a tile in each direction; few 0: 37 rows, 1: 3 high rows. */
static struct gt_test_geometry large_scan(int few)
{
	const struct orbit_case large = { "large",
		                          { SCANNER(GT_ARC, 75, few ? 3 : 37, 147),
		                            .column_pitch = 2.1,
		                            .row_pitch = few ? 4.7 : 1.7,
		                            .start_angle = 0.1,
		                            .turn = 2 * GT_PI,
		                            .column_offset = 0.25 },
		                          { { 71, 67, 67 }, { 2.3, 2.4, 0.6 }, { 3.1, -2.2, 0.9 } } };
	return orbit_geometry(&large);
}

START_TEST(threads)
{
	const struct gt_test_geometry g = large_scan(_i);
	const size_t nx = gt_grid_voxels(&g.grid), ny = gt_scan_size(g.scan);
	static const int numbers[] = { 1, 2, 3, 5, 8 };
	struct gt_test_images one = { NULL, NULL };
	for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
		const int n = numbers[k];
		char name[16];
		snprintf(name, sizeof name, "cpu:%d", n);
		gt_backend *be = backend(name);
		const struct gt_test_images r = gt_test_apply(PAIR, be, GT_F32, &g);
		if (n == 1)
			one = r;
		else {
			ck_assert_msg(!memcmp(r.x, one.x, nx * sizeof *r.x), "back: %d threads make other numbers than one", n);
			ck_assert_msg(!memcmp(r.y, one.y, ny * sizeof *r.y), "forward: %d threads make other numbers than one", n);
			gt_test_images_free(r);
		}
		gt_backend_close(be);
	}
	gt_test_images_free(one);
	gt_scan_free(g.scan);
}
END_TEST

/* Streaming stores, as for large volumes and their lines, give bit-identical results. */
START_TEST(past_the_caches)
{
	struct gt_test_geometry g = large_scan(_i);
	g.grid.n[0] = 96; /* whole cache lines */
	gt_backend *be = backend("cpu:3");
	for (int s = 0; s < SETS; s++) {
		struct gt_test_images r[2];
		if (!use(sets[s]))
			continue;
		for (int past = 0; past < 2; past++) {
			gt_line_past(past);
			r[past] = gt_test_apply(PAIR, be, GT_F32, &g);
		}
		ck_assert_msg(!memcmp(r[0].x, r[1].x, gt_grid_voxels(&g.grid) * sizeof *r[0].x), "%s: back", sets[s]);
		ck_assert_msg(!memcmp(r[0].y, r[1].y, gt_scan_size(g.scan) * sizeof *r[0].y), "%s: forward", sets[s]);
		gt_test_images_free(r[0]);
		gt_test_images_free(r[1]);
	}
	gt_line_past(0);
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

START_TEST(loose_memory)
{
	const struct gt_test_geometry g = large_scan(_i);
	check_loose_memory(PAIR, &g);
	gt_scan_free(g.scan);
}
END_TEST

START_TEST(denormals)
{
	const struct gt_test_geometry g = geometry(_i);
	check_denormals_by_sets(PAIR, use, &g);
	gt_scan_free(g.scan);
}
END_TEST

static void fill(TCase *tc)
{
	gt_add_alike(tc, as_in_double, geometries());
	gt_add_alike(tc, transpose, geometries());
	gt_add_alike(tc, threads, 2);
	gt_add_alike(tc, past_the_caches, 2);
	gt_add_alike(tc, loose_memory, 2);
	gt_add_alike(tc, denormals, geometries());
	tcase_add_test(tc, kernels_are_found_by_name);
}
#endif
