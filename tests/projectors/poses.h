#ifndef GT_TESTS_POSES_H
#define GT_TESTS_POSES_H
/* Scans with detectors in all poses for the distance-driven pair. */
#include <gantry/author/constants.h>
#include "tests/projectors/pairs.h"

/* Rotates the detectors, in rad: slant about row_axis, tilt about column_axis, roll in the detector plane; sway: a roll
 * that varies with the view. */
static inline void turn_detectors(gt_scan *s, double roll, double tilt, double sway, double slant)
{
	for (size_t v = 0; v < s->views; v++) {
		gt_view *w = &s->view[v];
		double normal[3], arm = 0;
		gt_cross3(w->column_axis, w->row_axis, normal);
		for (int a = 0; a < 3; a++)
			arm += (w->detector[a] - w->arc_center[a]) * normal[a];
		rotate(w->column_axis, normal, slant);
		gt_cross3(w->column_axis, w->row_axis, normal);
		rotate(w->row_axis, normal, tilt);
		rotate(w->column_axis, w->row_axis, roll + sway * sin(7.0 * (double)v));
		gt_cross3(w->column_axis, w->row_axis, normal);
		for (int a = 0; a < 3 && s->shape == GT_ARC; a++) /* the axis of the arc rotates with it */
			w->arc_center[a] = w->detector[a] - arm * normal[a];
	}
	ck_ok(gt_scan_check(s));
}

#define SMALL(shape, v, r, c) \
	shape, .views = v, .rows = r, .columns = c, .source_to_axis = 541, .source_to_detector = 949, .turn = 2 * GT_PI
static const struct {
	const char *name;
	gt_orbit orbit;
	gt_grid grid;
	double roll, tilt, sway, slant; /* degrees; sway: rad */
} poses[] = {
	{ "flat, tilted by 1 degree",
	  { SMALL(GT_FLAT, 5, 14, 9), .column_pitch = 4.1, .row_pitch = 3.3, .start_angle = 0.2, .column_offset = 0.7,
	  .row_offset = -1.1 }, { { 37, 35, 21 }, { 2.3, 1.9, 1.7 }, { 1.3, -2.2, 0.4 } }, 0, 1, 0, 0 },
	{ "flat, all of it by 1 degree",
	  { SMALL(GT_FLAT, 5, 13, 19), .column_pitch = 3.1, .row_pitch = 3.3, .start_angle = 0.9 },
	  { { 13, 15, 17 }, { 2.3, 1.9, 1.7 }, { 1.3, -2.2, 0.4 } }, 1, -1, 0, 1 },
	{ "flat, tilted by 80 degrees",
	  { SMALL(GT_FLAT, 5, 41, 11), .column_pitch = 4.1, .row_pitch = 3.3, .start_angle = 0.2, .row_offset = 2.1 },
	  { { 11, 12, 10 }, { 2.3, 1.9, 1.7 }, { 1.3, -2.2, 0.4 } }, 0, 80, 0, 0 },
	{ "flat, rolled by 90 degrees",
	  { SMALL(GT_FLAT, 5, 9, 17), .column_pitch = 4.1, .row_pitch = 3.3, .start_angle = 0.2, .column_offset = 1.2 },
	  { { 11, 12, 17 }, { 2.3, 1.9, 1.7 }, { 1.3, -2.2, 0.4 } }, 90, 0, 0, 0 },
	{ "flat, rolled by 91 degrees, tilted",
	  { SMALL(GT_FLAT, 5, 9, 71), .column_pitch = 2.1, .row_pitch = 3.3, .start_angle = 0.7 },
	  { { 9, 12, 67 }, { 2.3, 1.9, 0.9 }, { 1.3, -2.2, 0.4 } }, 91, 3, 0, -2 },
	{ "flat, seen from behind",
	  { SMALL(GT_FLAT, 5, 11, 12), .column_pitch = 4.1, .row_pitch = 3.3, .start_angle = 0.2, .column_offset = 1.2 },
	  { { 11, 12, 9 }, { 2.3, 1.9, 1.7 }, { 1.3, -2.2, 0.4 } }, 2, 0, 0, 180 },
	{ "flat, rolled by 45 degrees",
	  { SMALL(GT_FLAT, 5, 11, 12), .column_pitch = 4.1, .row_pitch = 4.3, .start_angle = 0.2 },
	  { { 11, 12, 9 }, { 2.3, 1.9, 1.7 }, { 1.3, -2.2, 0.4 } }, 45, 0, 0, 0 },
	{ "flat, upside down and askew",
	  { SMALL(GT_FLAT, 7, 11, 12), .column_pitch = 4.1, .row_pitch = 3.3, .start_angle = 0.2 },
	  { { 11, 12, 9 }, { 2.3, 1.9, 1.7 }, { 1.3, -2.2, 0.4 } }, -130, 10, 0, 20 },
	{ "flat, rows in some views and columns in others along z",
	  { SMALL(GT_FLAT, 7, 15, 12), .column_pitch = 3.1, .row_pitch = 3.3 },
	  { { 11, 12, 9 }, { 2.3, 1.9, 1.7 }, { 1.3, -2.2, 0.4 } }, 40, 0, 1, 0 },
	{ "flat, near the focal spot, coarse voxels",
	  { GT_FLAT, .views = 5, .rows = 21, .columns = 15, .source_to_axis = 60, .source_to_detector = 200, .column_pitch = 6,
	    .row_pitch = 5,
	    .turn = 2 * GT_PI, .start_angle = 0.2 }, { { 9, 8, 11 }, { 5.1, 5.3, 2.9 }, { 1.1, -0.6, 0.4 } }, 4, -7, 0, 3 },
	{ "flat, rows 5 voxels high",
	  { SMALL(GT_FLAT, 5, 9, 11), .column_pitch = 7.1, .row_pitch = 6.1, .start_angle = 0.6, .row_offset = 1.3 },
	  { { 9, 8, 41 }, { 5.9, 6.2, 0.7 }, { 1.2, -2.3, 1.1 } }, 3, 2, 0, 0 },
	{ "flat, voxels 5 rows high",
	  { SMALL(GT_FLAT, 5, 75, 9), .column_pitch = 5, .row_pitch = 1.1, .start_angle = 0.4 },
	  { { 8, 7, 9 }, { 3.9, 4.2, 3.1 }, { 1.6, -2.1, 0.3 } }, -3, 2, 0, 0 },
	{ "flat, voxels 11 rows high",
	  { SMALL(GT_FLAT, 5, 75, 9), .column_pitch = 5, .row_pitch = 0.5, .start_angle = 0.4 },
	  { { 8, 7, 9 }, { 3.9, 4.2, 3.1 }, { 1.6, -2.1, 0.3 } }, -3, 2, 0, 0 },
	{ "flat, rows 11 voxels high",
	  { SMALL(GT_FLAT, 5, 9, 11), .column_pitch = 7.1, .row_pitch = 6.1, .start_angle = 0.6, .row_offset = 1.3 },
	  { { 9, 8, 91 }, { 5.9, 6.2, 0.32 }, { 1.2, -2.3, 1.1 } }, 3, 2, 0, 0 },
	{ "flat, voxels twice as high as the detector, rolled by 30 degrees",
	  { SMALL(GT_FLAT, 5, 3, 13), .column_pitch = 3.1, .row_pitch = 3.3, .start_angle = 0.2 },
	  { { 9, 8, 3 }, { 2.3, 1.9, 11 }, { 1.3, -2.2, 0.4 } }, 30, 5, 0, 0 },
	{ "parallel, rolled by 8 degrees",
	  { GT_PARALLEL, .views = 6, .rows = 15, .columns = 23, .column_pitch = 1.3, .row_pitch = 1.7,
	  .start_angle = 0.05, .turn = GT_PI, .column_offset = 1.7 },
	  { { 11, 14, 17 }, { 1.5, 1.2, 1.1 }, { 1.2, -2.3, 0.4 } }, 8, 5, 0, 0 },
	{ "parallel, rolled by 91 degrees",
	  { GT_PARALLEL, .views = 6, .rows = 15, .columns = 13, .column_pitch = 1.3, .row_pitch = 1.7,
	  .start_angle = 0.05, .turn = GT_PI }, { { 11, 14, 7 }, { 1.5, 1.2, 1.1 }, { 1.2, -2.3, 0.4 } }, 91, 3, 0, 2 },
	{ "arc, tilted by 1 degree",
	  { SMALL(GT_ARC, 5, 14, 9), .column_pitch = 4.1, .row_pitch = 3.3, .start_angle = 0.2, .column_offset = 0.7,
	  .row_offset = -1.1 }, { { 37, 35, 21 }, { 2.3, 1.9, 1.7 }, { 1.3, -2.2, 0.4 } }, 0, 1, 0, 0 },
	{ "arc, rolled by 20 degrees, slanted",
	  { SMALL(GT_ARC, 5, 13, 29), .column_pitch = 3.1, .row_pitch = 3.3, .start_angle = 0.9 },
	  { { 13, 15, 17 }, { 2.3, 1.9, 1.7 }, { 1.3, -2.2, 0.4 } }, 20, -3, 0, 4 },
};
#undef SMALL
enum { POSES = sizeof poses / sizeof *poses };

static inline struct gt_test_geometry pose(int i)
{
	const struct gt_test_geometry g = { poses[i].name, orbit_scan(&poses[i].orbit), poses[i].grid };
	turn_detectors(g.scan, poses[i].roll * GT_PI / 180, poses[i].tilt * GT_PI / 180, poses[i].sway, poses[i].slant * GT_PI / 180);
	return g;
}

#endif
