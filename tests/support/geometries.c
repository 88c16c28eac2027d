/* Table of small asymmetric scans and grids. */
#include <math.h>
#include <gantry/author/constants.h>
#include "tests/support/geometries.h"
#include "tests/support/support.h"

static const double spots[3][3] = { { -1.3, 0, 0 }, { 0.9, 2.0, 0.7 }, { 0.4, -1.0, -1.1 } };

#define CLINICAL                                                                                                                       \
	.views = 9, .rows = 7, .columns = 21, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 3.1, .row_pitch = 2.7, \
	.start_angle = 0.1, .turn = 2 * GT_PI

static const struct {
	const char *name;
	gt_orbit orbit;
	gt_grid grid;
} cases[] = {
	{ "arc, circle, quarter offset",
	  { GT_ARC, CLINICAL, .column_offset = 1.25, .row_offset = 0.3 },
	  { { 11, 13, 9 }, { 2.3, 1.9, 1.3 }, { 3.1, -2.2, 0.9 } } },
	{ "arc, helix",
	  { GT_ARC, CLINICAL, .column_offset = -0.25, .pitch_per_turn = 9.5, .z_center = 1.2 },
	  { { 12, 10, 14 }, { 1.8, 2.2, 0.9 }, { -1.7, 4.4, 1.5 } } },
	{ "arc, flying focal spot",
	  { GT_ARC, CLINICAL, .spot = spots, .spots = 3, .pitch_per_turn = 5 },
	  { { 9, 12, 8 }, { 2.1, 2.4, 1.4 }, { 0.4, 1.1, -0.6 } } },
	{ "flat, circle, offset",
	  { GT_FLAT, CLINICAL, .column_offset = 4.2, .row_offset = -1.1 },
	  { { 13, 9, 11 }, { 1.7, 2.6, 1.1 }, { -4.3, 2.2, 1.4 } } },
	{ "flat, short scan, high magnification",
	  { GT_FLAT, .views = 8, .rows = 12, .columns = 20, .source_to_axis = 60, .source_to_detector = 300, .column_pitch = 2.2,
	    .row_pitch = 2.0, .start_angle = -1.9, .turn = 3.7, .end_view = 1, .column_offset = 0.4 },
	  { { 12, 12, 10 }, { 0.6, 0.7, 0.5 }, { 0.7, -0.4, 0.3 } } },
	{ "flat, one row (fan)",
	  { GT_FLAT, .views = 11, .rows = 1, .columns = 31, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 2.1,
	    .row_pitch = 1.1, .start_angle = 0.3, .turn = 2 * GT_PI },
	  { { 15, 14, 1 }, { 1.9, 2.1, 0.625 }, { 2.2, 1.0, 0.1 } } },
	{ "parallel",
	  { GT_PARALLEL, .views = 10, .rows = 5, .columns = 23, .column_pitch = 1.3, .row_pitch = 1.7, .start_angle = 0.05, .turn = GT_PI,
	    .column_offset = 1.7 },
	  { { 11, 14, 7 }, { 1.5, 1.2, 1.1 }, { 1.2, -2.3, 0.4 } } },
	{ "flat, tall cells and thin slices",
	  { GT_FLAT, .views = 6, .rows = 3, .columns = 9, .source_to_axis = 200, .source_to_detector = 280, .column_pitch = 6.5,
	    .row_pitch = 9.5, .start_angle = 0.6, .turn = 2 * GT_PI },
	  { { 17, 16, 37 }, { 1.1, 1.0, 0.7 }, { 0.6, 0.3, -1.1 } } },
	{ "arc, fine cells and thick voxels, 40 rows",
	  { GT_ARC, .views = 5, .rows = 40, .columns = 45, .source_to_axis = 300, .source_to_detector = 500, .column_pitch = 0.7,
	    .row_pitch = 0.6, .start_angle = 0.35, .turn = 2 * GT_PI, .pitch_per_turn = 3 },
	  { { 6, 7, 5 }, { 2.9, 3.3, 4.1 }, { 1.6, -0.8, 0.9 } } },
};
enum { CASES = sizeof cases / sizeof *cases, REVERSED = 2 };

int gt_test_geometries(void) { return CASES + REVERSED + 1; }

/* Reverses the columns and rows: the same image in another order. */
static void reverse(gt_scan *s)
{
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 3; a++) {
			s->view[v].column_axis[a] *= -1;
			s->view[v].row_axis[a] *= -1;
		}
}

/* Parallel rays inclined along z, on a rotated detector. */
static void tilt_rays(gt_scan *s)
{
	for (size_t v = 0; v < s->views; v++) {
		gt_view *w = &s->view[v];
		const double turn = 0.2, c = cos(turn), n = sin(turn), x = w->column_axis[0], y = w->column_axis[1];
		w->column_axis[0] = c * x - n * y;
		w->column_axis[1] = n * x + c * y;
		w->source[2] -= 105;
		w->detector[2] += 105;
	}
}

struct gt_test_geometry gt_test_geometry(int i)
{
	static const int base[REVERSED + 1] = { 0, 3, 6 };
	static const char *const names[REVERSED + 1] = { "arc, reversed rows and columns", "flat, reversed rows and columns",
		                                         "parallel, climbing rays" };
	const int k = i < CASES ? i : base[i - CASES];
	struct gt_test_geometry g = { i < CASES ? cases[k].name : names[i - CASES], NULL, cases[k].grid };
	ck_ok(gt_scan_orbit(&cases[k].orbit, &g.scan));
	if (i >= CASES + REVERSED)
		tilt_rays(g.scan);
	else if (i >= CASES)
		reverse(g.scan);
	ck_ok(gt_scan_check(g.scan));
	return g;
}

void gt_test_crop(gt_grid *g, size_t n)
{
	for (int a = 0; a < 3; a++)
		g->n[a] = g->n[a] < n ? g->n[a] : n;
}
