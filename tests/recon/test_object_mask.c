/* Object masks of known cylinders, and of empty and full grids and the field of view.
 * labels: unit property backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/random.h"
#include "recon/object_mask.h"
#include "tests/support/support.h"

#define WATER 0.02

/* A cone beam with a field of view of radius source_to_axis sin(atan(width/2 / source_to_detector)). */
static gt_scan *scan_of(size_t columns, size_t rows)
{
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = 36,
		                 .rows = rows,
		                 .columns = columns,
		                 .source_to_axis = 500,
		                 .source_to_detector = 1000,
		                 .column_pitch = 4,
		                 .row_pitch = 4,
		                 .turn = 2 * GT_PI };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&orbit, &s));
	return s;
}

static double distance_at(const gt_grid *g, size_t i, const double center[2])
{
	return hypot(gt_grid_first(g, 0) + (double)(i % g->n[0]) * g->pitch[0] - center[0],
	             gt_grid_first(g, 1) + (double)(i / g->n[0] % g->n[1]) * g->pitch[1] - center[1]);
}

static float *cylinder(const gt_grid *g, const double center[2], double radius, double value, double noise)
{
	float *x = malloc(gt_grid_voxels(g) * sizeof *x);
	for (size_t i = 0; i < gt_grid_voxels(g); i++) {
		gt_random r;
		gt_random_at(8, i, &r);
		x[i] = (float)((distance_at(g, i, center) < radius ? value : 0) + noise * gt_normal(&r));
	}
	return x;
}

static unsigned char *mask_of(const gt_grid *g, const float *x, const gt_scan *scan, int *like_water)
{
	unsigned char *mask = malloc(gt_grid_voxels(g));
	ck_ok(gt_object_mask(g, x, scan, WATER, mask, like_water));
	return mask;
}

START_TEST(threads_find_the_same_voxels)
{
	const gt_grid g = { { 97, 83, 9 }, { 2, 2.3, 5 }, { 4, -3, 1 } };
	gt_scan *scan = scan_of(200, 60);
	float *x = cylinder(&g, (const double[]){ 15, -22 }, 60, WATER, 0.1 * WATER);
	gt_object_voxels one, several;
	gt_pool *pool;
	ck_ok(gt_pool_new(3, &pool));
	ck_ok(gt_object_voxels_find(NULL, &g, NULL, scan, x, WATER, &one));
	ck_ok(gt_object_voxels_find(pool, &g, NULL, scan, x, WATER, &several));
	ck_assert_uint_gt(one.voxels, 1000);
	ck_assert_uint_eq(one.voxels, several.voxels);
	for (size_t i = 1; i < one.voxels; i++)
		ck_assert_uint_lt(one.at[i - 1], one.at[i]);
	ck_assert_int_eq(memcmp(one.at, several.at, one.voxels * sizeof *one.at), 0);
	gt_object_voxels_free(&one);
	gt_object_voxels_free(&several);
	gt_pool_free(pool);
	gt_scan_free(scan);
	free(x);
}
END_TEST

enum { MARGIN = 4, LEFT = 21, BELOW = 18, WIDE = 36, HIGH = 28 };

/* Marks voxels of the region in a grid that has `margin` more voxels at each side. */
static size_t mark_region(const gt_grid *g, const size_t first[2], const gt_scan *scan, const float *x, int cut, unsigned char *mask)
{
	const gt_object_region region = { { first[0], first[1] }, { WIDE, HIGH } };
	gt_object_voxels found;
	size_t count = 0;
	memset(mask, 0, WIDE * HIGH);
	ck_ok(gt_object_voxels_find(NULL, g, cut ? &region : NULL, scan, x, WATER, &found));
	for (size_t i = 0; i < found.voxels; i++) {
		const size_t c = found.at[i] % g->n[0] - first[0], r = found.at[i] / g->n[0] - first[1];
		if (c < WIDE && r < HIGH) {
			mask[c + WIDE * r] = 1;
			count++;
		}
	}
	gt_object_voxels_free(&found);
	return count;
}

/* A region with a margin has the same voxels as the region in the whole grid. */
START_TEST(regions_do_not_depend_on_the_grid)
{
	const gt_grid whole = { { 97, 83, 1 }, { 2, 2, 5 }, { 0, 0, 0 } };
	gt_grid part = { { WIDE + 2 * MARGIN, HIGH + 2 * MARGIN, 1 }, { 2, 2, 5 }, { 0, 0, 0 } };
	static const size_t at[2] = { LEFT, BELOW }, margin[2] = { MARGIN, MARGIN };
	unsigned char mask[2][WIDE * HIGH];
	gt_scan *scan = scan_of(200, 60);
	float *x = cylinder(&whole, (const double[]){ 0, -5 }, 40, WATER, 0.1 * WATER), *own = malloc(gt_grid_voxels(&part) * sizeof *own);
	for (int a = 0; a < 2; a++)
		part.center[a] = gt_grid_first(&whole, a) + ((double)(at[a] - MARGIN) + ((double)part.n[a] - 1) / 2) * 2;
	for (size_t i = 0; i < gt_grid_voxels(&part); i++)
		own[i] = x[i % part.n[0] + LEFT - MARGIN + whole.n[0] * (i / part.n[0] + BELOW - MARGIN)];
	for (int cut = 1; cut >= 0; cut--) {
		const size_t count = mark_region(&whole, at, scan, x, cut, mask[0]);
		mark_region(&part, margin, scan, own, cut, mask[1]);
		ck_assert_uint_gt(count, WIDE * HIGH / 4);
		ck_assert_uint_lt(count, WIDE * HIGH);
		ck_assert_int_eq(memcmp(mask[0], mask[1], sizeof mask[0]) == 0, cut);
	}
	/* water around the region does not count */
	for (size_t i = 0; i < gt_grid_voxels(&whole); i++) {
		const size_t c = i % whole.n[0] - LEFT + 1, r = i / whole.n[0] - BELOW + 1;
		x[i] = c < WIDE + 2 && r < HIGH + 2 ? 0.01f * (float)WATER * (float)(r + 1) : (float)WATER;
	}
	ck_assert_uint_gt(mark_region(&whole, at, scan, x, 1, mask[0]), WIDE * HIGH / 4);
	gt_scan_free(scan);
	free(own);
	free(x);
}
END_TEST

static const struct {
	gt_grid grid;
	double center[2], radius, value, noise;
	int like_water;
} cylinders[] = {
	{ { { 96, 96, 3 }, { 2, 2, 5 }, { 0, 0, 0 } }, { 0, 0 }, 80, WATER, 0, 1 },
	{ { { 97, 83, 1 }, { 2, 2.3, 5 }, { 4, -3, 1 } }, { 15, -22 }, 60, 1.2 * WATER, 0, 1 },
	{ { { 96, 96, 2 }, { 2, 2, 5 }, { 0, 0, 0 } }, { -10, 20 }, 70, 0.97 * WATER, 0.2 * WATER, 1 },
	{ { { 96, 96, 2 }, { 2, 2, 5 }, { 0, 0, 0 } }, { 12, 5 }, 70, 1.3 * WATER, 0, 0 },
	{ { { 96, 96, 2 }, { 2, 2, 5 }, { 0, 0, 0 } }, { 12, 5 }, 70, 0.7 * WATER, 0.1 * WATER, 0 },
	{ { { 24, 24, 2 }, { 10, 10, 5 }, { 0, 0, 0 } }, { 20, -10 }, 90, WATER, 0, 1 },
};
enum { CYLINDERS = sizeof cylinders / sizeof *cylinders };

/* The mask lies in the cylinder and covers it except for a rim of one block plus a block at the border. */
START_TEST(known_cylinder)
{
	const gt_grid *g = &cylinders[_i].grid;
	const double block = fmax(8.1, 3 * g->pitch[1]) + g->pitch[1], rim = 2.5 * sqrt(2) * block;
	gt_scan *scan = scan_of(151, 9);
	float *x = cylinder(g, cylinders[_i].center, cylinders[_i].radius, cylinders[_i].value, cylinders[_i].noise);
	int like_water = -1;
	unsigned char *mask = mask_of(g, x, scan, &like_water);
	size_t voxels = 0;
	ck_assert_int_eq(like_water, cylinders[_i].like_water);
	for (size_t i = 0; i < gt_grid_voxels(g); i++) {
		const double d = distance_at(g, i, cylinders[_i].center);
		ck_assert_msg(!mask[i] || d < cylinders[_i].radius, "voxel %zu, %g mm from the centre, is in the mask", i, d);
		ck_assert_msg(mask[i] || d > cylinders[_i].radius - rim, "voxel %zu, %g mm from the centre, is not in the mask", i, d);
		voxels += mask[i];
	}
	ck_assert(voxels > 0);
	free(mask);
	free(x);
	gt_scan_free(scan);
}
END_TEST

/* Blocks of 8 mm are 4 x 4 voxels, larger at the end of an odd axis; border blocks lack a neighbour. */
START_TEST(full)
{
	static const size_t sides[][2] = { { 16, 16 }, { 18, 19 } };
	const gt_grid g = { { sides[_i][0], sides[_i][1], 2 }, { 2, 2, 3 }, { 0, 0, 0 } };
	gt_scan *scan = scan_of(151, 9);
	float *x = cylinder(&g, (const double[2]){ 0, 0 }, 1e3, WATER, 0);
	unsigned char *mask = mask_of(&g, x, scan, NULL);
	for (size_t i = 0; i < gt_grid_voxels(&g); i++) {
		const size_t u = i % g.n[0], v = i / g.n[0] % g.n[1];
		ck_assert_msg(mask[i] == (u >= 4 && u < 12 && v >= 4 && v < 12), "voxel %zu %zu", u, v);
	}
	free(mask);
	free(x);
	gt_scan_free(scan);
}
END_TEST

/* Water everywhere: blocks and slices that no view covers at their centre are excluded. */
START_TEST(field_of_view)
{
	const gt_grid g = { { 120, 120, 40 }, { 2, 2, 2 }, { 0, 0, 0 } };
	gt_scan *scan = scan_of(41, 9);
	float *x = cylinder(&g, (const double[2]){ 0, 0 }, 1e3, WATER, 0);
	double low, high, max = 0;
	int slices[40] = { 0 };
	const double radius = gt_scan_field_of_view(scan, &low, &high);
	unsigned char *mask = mask_of(&g, x, scan, NULL);
	ck_assert(radius > 30 && radius < 60 && high < 20);
	for (size_t i = 0; i < gt_grid_voxels(&g); i++) {
		const double z = gt_grid_first(&g, 2) + (double)(i / g.n[0] / g.n[1]) * g.pitch[2];
		const double d = distance_at(&g, i, (const double[2]){ 0, 0 });
		ck_assert(!mask[i] || (d < radius + 4 * sqrt(2) && z >= low && z <= high));
		/* scan and grid are mirror-symmetric */
		ck_assert_int_eq(mask[i], mask[gt_grid_voxels(&g) - 1 - i]);
		ck_assert_int_eq(mask[i], mask[i / g.n[0] * g.n[0] + g.n[0] - 1 - i % g.n[0]]);
		max = mask[i] && d > max ? d : max;
		slices[i / g.n[0] / g.n[1]] |= mask[i];
	}
	ck_assert(max > radius - 25);
	for (size_t k = 0; k < g.n[2]; k++) {
		const double z = gt_grid_first(&g, 2) + (double)k * g.pitch[2];
		ck_assert_msg(slices[k] == (z >= low && z <= high), "slice %zu at %g mm, seen from %g to %g mm", k, z, low, high);
	}
	free(mask);
	free(x);
	gt_scan_free(scan);
}
END_TEST

START_TEST(nothing_there)
{
	const gt_grid g = { { 16, 16, 1 }, { 2, 2, 3 }, { 0, 0, 0 } }, voxel = { { 1, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_scan *scan = scan_of(151, 9);
	float below[256], one = (float)WATER;
	int like_water = -1;
	for (int i = 0; i < 256; i++)
		below[i] = -1;
	unsigned char *mask = mask_of(&g, below, scan, &like_water);
	ck_assert_int_eq(like_water, 0);
	for (int i = 0; i < 256; i++)
		ck_assert_int_eq(mask[i], 1);
	free(mask);
	mask = mask_of(&voxel, &one, scan, &like_water);
	ck_assert_int_eq(mask[0], 1);
	free(mask);
	gt_scan_free(scan);
}
END_TEST

/* A small specimen: the same image at a fortieth of the size has the same mask. */
START_TEST(small_specimen)
{
	const double center[2] = { 15, -22 };
	gt_grid g = { { 97, 83, 2 }, { 2, 2.3, 5 }, { 4, -3, 1 } };
	gt_scan *scan = scan_of(151, 9);
	int like_water[2];
	float *x = cylinder(&g, center, 60, WATER, 0.1 * WATER);
	unsigned char *large = mask_of(&g, x, scan, &like_water[0]);
	for (int a = 0; a < 3; a++) {
		g.pitch[a] /= 40;
		g.center[a] /= 40;
	}
	scan->column_pitch /= 40;
	scan->row_pitch /= 40;
	for (size_t v = 0; v < scan->views; v++)
		for (int a = 0; a < 3; a++) {
			scan->view[v].source[a] /= 40;
			scan->view[v].detector[a] /= 40;
		}
	unsigned char *small = mask_of(&g, x, scan, &like_water[1]);
	ck_assert(like_water[0] && like_water[1]);
	size_t apart = 0, in = 0;
	for (size_t i = 0; i < gt_grid_voxels(&g); i++) {
		apart += large[i] != small[i];
		in += large[i];
	}
	ck_assert_msg(apart <= in / 5 && in > 1000, "%zu of %zu voxels differ", apart, in);
	free(large);
	free(small);
	free(x);
	gt_scan_free(scan);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_test(tc, small_specimen);
	gt_add_alike(tc, known_cylinder, CYLINDERS);
	tcase_add_loop_test(tc, full, 0, 2);
	tcase_add_test(tc, field_of_view);
	tcase_add_test(tc, threads_find_the_same_voxels);
	tcase_add_test(tc, regions_do_not_depend_on_the_grid);
	tcase_add_test(tc, nothing_there);
}

int main(void) { return gt_test_main("object mask", fill_suite); }
