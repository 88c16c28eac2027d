/* Bounds of the object in scans of many rows and of helices, and grids that end inside it.
 * labels: unit */
#include <stdio.h>
#include <string.h>
#include "recon/outside/outside.h"
#include "tests/recon/region_runs.h"

static gt_projections *empty(const gt_orbit *o)
{
	gt_scan *scan;
	gt_projections *p;
	ck_ok(gt_scan_orbit(o, &scan));
	ck_ok(gt_projections_new(scan, &p));
	gt_scan_free(scan);
	return p;
}

static gt_orbit orbit(gt_shape shape, size_t views, size_t rows, double turn)
{
	gt_orbit o = fan;
	o.shape = shape;
	o.views = views;
	o.rows = rows;
	o.columns = 84;
	o.turn = turn;
	return o;
}

static gt_projections *scan_of_shapes(const gt_orbit *o, const char *text)
{
	const gt_phantom_options options = { .water = 0.02, .scale = 1 };
	gt_projections *p = empty(o);
	gt_phantom *shapes;
	char folder[32], path[64];
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/shapes", folder);
	gt_test_write(path, text);
	ck_ok(gt_phantom_new(path, &options, &shapes));
	remove(path);
	gt_test_folder_remove(folder);
	ck_ok(gt_phantom_project(shapes, p->scan, 2, NULL, NULL, NULL, gt_projections_data(p)));
	gt_phantom_free(shapes);
	return p;
}

/* Rods on opposite sides of the axis, one above the other: no view of the helix sees both in full. */
GT_TEST(helix)
{
	gt_orbit o = orbit(GT_ARC, 300, 6, 6 * GT_PI);
	gt_object_box b;
	o.pitch_per_turn = 40;
	gt_projections *p = scan_of_shapes(&o, "cylinder center=40,0,-30 radius=10 length=40 density=1\n"
	                                       "cylinder center=-50,20,30 radius=6 length=40 density=1\n");
	ck_assert(gt_object_box_find(p, GT_ROUGH_AIR, &b));
	ck_assert(!b.is_truncated);
	ck_assert_msg(b.low[0] <= -56 && b.low[0] > -64 && b.high[0] >= 50 && b.high[0] < 58, "x from %g to %g mm", b.low[0], b.high[0]);
	ck_assert_msg(b.low[1] <= -10 && b.low[1] > -18 && b.high[1] >= 26 && b.high[1] < 34, "y from %g to %g mm", b.low[1], b.high[1]);
	gt_projections_free(p);
}

/* Noise of air is that of means over rows: a rod below the noise of single pixels belongs to the object. */
GT_TEST(faint_rod)
{
	const gt_orbit o = orbit(GT_FLAT, 60, 64, 2 * GT_PI);
	gt_object_box b;
	gt_projections *p = scan_of_shapes(&o, "cylinder center=0,0,0 radius=10 length=400 density=1\n"
	                                       "cylinder center=60,0,0 radius=8 length=400 density=0.1\n");
	gt_add_photon_noise(1e4, 0, 3, 0, NULL, gt_projections_data(p), gt_scan_size(p->scan));
	ck_assert(gt_object_box_find(p, GT_CLEAN_AIR, &b));
	ck_assert_msg(b.high[0] > 65, "x to %g mm", b.high[0]);
	gt_projections_free(p);
}

/* Each side of the grid alone ends inside the object or does not. */
GT_TEST(sides)
{
	static const double move[4][2] = { { 20, 0 }, { -20, 0 }, { 0, 20 }, { 0, -20 } };
	const gt_object_box b = { .inner_low = { -30, -40 }, .inner_high = { 30, 40 } };
	for (int i = 0; i < 4; i++) {
		gt_grid g = { { 70, 90, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
		ck_assert(!gt_outside_ends_inside(&b, &g));
		memcpy(g.center, move[i], sizeof move[i]);
		ck_assert_msg(gt_outside_ends_inside(&b, &g), "grid moved by %g, %g mm", move[i][0], move[i][1]);
	}
}

/* A grid cut to the object holds its box and a voxel more on each side, aligned with the requested voxels. */
GT_TEST(air)
{
	const gt_grid asked = { { 80, 72, 3 }, { 3, 3, 3 }, { 9, -6, 0 } };
	const gt_outside o = { GT_OUTSIDE_AIR, { .low = { -50, -31 }, .high = { 40, 61 } } };
	gt_recon_extent e;
	const gt_orbit turn = orbit(GT_FLAT, 24, 24, 2 * GT_PI);
	gt_projections *p = empty(&turn);
	gt_outside_extent(&o, p, &asked, &e);
	for (int a = 0; a < 2; a++) {
		const double half = (double)e.grid.n[a] / 2 * e.grid.pitch[a];
		ck_assert_double_le(e.grid.center[a] - half, o.box.low[a] - 3);
		ck_assert_double_ge(e.grid.center[a] + half, o.box.high[a] + 3);
		ck_assert_uint_lt(e.grid.n[a], 40);
		ck_assert_double_eq_tol(gt_grid_first(&e.grid, a), gt_grid_first(&asked, a) + 3 * (double)e.cut[a], 1e-9);
	}
	gt_projections_free(p);
}

/* Slices go to a cut grid and back; voxels that it lacks become 0. */
GT_TEST(there_and_back)
{
	const gt_grid asked = { { 80, 72, 3 }, { 3, 3, 3 }, { 9, -6, 0 } };
	const gt_outside o = { GT_OUTSIDE_AIR, { .low = { -50, -31 }, .high = { 40, 61 } } };
	const gt_orbit turn = orbit(GT_FLAT, 24, 24, 2 * GT_PI);
	const size_t n = gt_grid_voxels(&asked), plane = asked.n[0] * asked.n[1];
	gt_backend *be = gt_test_backend();
	gt_recon_extent e;
	gt_array *x = NULL;
	gt_projections *p = empty(&turn);
	float *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
	gt_test_random(1, n, in);
	gt_test_random(2, n, out);
	gt_outside_extent(&o, p, &asked, &e);
	ck_ok(gt_array_new(be, GT_F32, gt_grid_voxels(&e.grid), &x));
	ck_ok(gt_recon_extent_put(&e, in, x));
	ck_ok(gt_recon_extent_get(&e, x, out));
	for (size_t i = 0; i < n; i++) {
		const size_t at[2] = { i % asked.n[0], i % plane / asked.n[0] };
		const int is_in = at[0] - e.cut[0] < e.grid.n[0] && at[1] - e.cut[1] < e.grid.n[1];
		ck_assert_msg(out[i] == (is_in ? in[i] : 0), "voxel %zu", i);
	}
	gt_array_free(x);
	gt_projections_free(p);
	free(in), free(out);
	gt_backend_close(be);
}

/* The slices of the analytic method's grid are those of a grid widened to the object, with its padding. */
GT_TEST(coarse_slices)
{
	const gt_z_margin_options margin = { GT_Z_MARGIN_YES, 1 };
	const gt_listener silent = { NULL, NULL };
	const gt_grid asked = { { 16, 16, 24 }, { 3, 3, 0.5 }, { 0, 0, 18 } };
	gt_outside o = { GT_OUTSIDE_SUBTRACT, { .low = { -60, -60 }, .high = { 60, 60 } } };
	gt_recon_extent e, wide;
	gt_grid coarse;
	gt_orbit turn = orbit(GT_FLAT, 24, 24, 2 * GT_PI);
	turn.row_offset = 4;
	gt_projections *p = empty(&turn);
	gt_outside_extent(&o, p, &asked, &e);
	gt_recon_extent_pad(&silent, &margin, &e);
	gt_outside_coarse_grid(&o, &margin, &e, &coarse);
	o.mode = GT_OUTSIDE_GRID;
	gt_outside_extent(&o, p, &asked, &wide);
	gt_recon_extent_pad(&silent, &margin, &wide);
	ck_assert_msg(fabs(wide.grid.center[2] - e.grid.center[2]) > 0.1, "padding is equal at both ends");
	ck_assert_double_eq_tol(coarse.center[2], wide.grid.center[2], 1e-9);
	ck_assert_double_ge((double)coarse.n[2] * coarse.pitch[2], (double)wide.grid.n[2] * wide.grid.pitch[2] - 1e-9);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("object box", NULL); }
