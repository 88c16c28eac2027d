#ifndef GT_TESTS_SF_SCANS_H
#define GT_TESTS_SF_SCANS_H
/* Scans for the separable-footprint pairs: those of tests/support/geometries.c, some with a tilted detector, and steep
 * cones. */
#include <gantry/author/constants.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "tests/projectors/pairs.h"

static const char *const names[2] = { "sf-tr", "sf-tt" };

static const struct {
	const char *name;
	int base;
	double roll, pitch, sway; /* rad; sway: a roll that varies with the view */
} tilted[] = {
	{ "flat, rolled by 6 degrees", 3, 0.105, 0, 0 },
	{ "flat, pitched by 11 degrees", 3, 0, 0.19, 0 },
	{ "flat, high magnification, rolled and pitched", 4, -0.04, -0.07, 0 },
	{ "flat, swaying like a C-arm", 3, 0, 0.01, 0.02 },
	{ "arc, rolled by 3 degrees", 0, 0.052, 0, 0 },
	{ "arc, flying focal spot, rolled", 2, -0.03, 0, 0 },
	{ "parallel, climbing rays, rolled by 8 degrees", 11, 0.14, 0, 0 },
	{ "flat, tall cells, reversed, rolled by 14 degrees", 10, 0.24, 0, 0 },
};
enum { TILTED = sizeof tilted / sizeof *tilted };

static inline void tilt_scan(gt_scan *s, double roll, double pitch, double sway)
{
	for (size_t v = 0; v < s->views; v++) {
		gt_view *w = &s->view[v];
		double normal[3];
		gt_cross3(w->column_axis, w->row_axis, normal);
		rotate(w->column_axis, w->row_axis, roll + sway * sin(7.0 * (double)v));
		rotate(w->row_axis, normal, pitch);
	}
	ck_ok(gt_scan_check(s));
}

/* Ramps of SF-TT over several rows or slices, few rows, few slices. */
static const struct orbit_case steep[] = {
	{ "flat, steep cone, coarse voxels",
	  { GT_FLAT, .views = 9, .rows = 71, .columns = 17, .source_to_axis = 60, .source_to_detector = 100, .column_pitch = 2.9,
	    .row_pitch = 1.3, .start_angle = 0.2, .turn = 2 * GT_PI, .row_offset = 1.7, .column_offset = 0.3 },
	  { { 9, 10, 20 }, { 2.8, 3.1, 1.9 }, { 1.2, -0.7, 0.8 } } },
	{ "arc, steep cone, seven rows, thin slices",
	  { GT_ARC, .views = 9, .rows = 7, .columns = 21, .source_to_axis = 70, .source_to_detector = 120, .column_pitch = 2.7,
	    .row_pitch = 9.3, .start_angle = 0.7, .turn = 2 * GT_PI, .pitch_per_turn = 9, .column_offset = 0.25 },
	  { { 10, 9, 45 }, { 3.3, 2.9, 0.7 }, { -1.3, 1.9, 0.4 } } },
	{ "arc, steep cone, three thick slices",
	  { GT_ARC, .views = 10, .rows = 75, .columns = 23, .source_to_axis = 71, .source_to_detector = 117, .column_pitch = 1.9,
	    .row_pitch = 1.1, .start_angle = 0.1, .turn = 2 * GT_PI, .row_offset = -2.3 },
	  { { 11, 10, 3 }, { 2.1, 2.4, 11.3 }, { 0.9, 2.2, -1.8 } } },
	{ "flat, steep cone, fine rows: ramps of ten and more",
	  { GT_FLAT, .views = 5, .rows = 150, .columns = 9, .source_to_axis = 62, .source_to_detector = 100, .column_pitch = 6.1,
	    .row_pitch = 0.4, .start_angle = 0.6, .turn = 2 * GT_PI },
	  { { 6, 7, 11 }, { 6.2, 5.3, 3.1 }, { 1.1, -0.4, 0.7 } } },
	{ "arc, two rows, two slices",
	  { GT_ARC, .views = 9, .rows = 2, .columns = 61, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 1.1,
	    .row_pitch = 1.2, .start_angle = 0.3, .turn = 2 * GT_PI, .column_offset = 0.25, .row_offset = 0.2 },
	  { { 33, 21, 2 }, { 0.9, 1.1, 0.7 }, { 2.1, -1.4, 0.1 } } },
};
enum { STEEP = sizeof steep / sizeof *steep };

static inline int geometries(void) { return gt_test_geometries() + TILTED + STEEP; }
/* Uses every fourth view, from another first view in each geometry; more views would exercise no other code. */
static inline struct gt_test_geometry geometry(int i)
{
	const int k = i - gt_test_geometries(), n = k - TILTED;
	struct gt_test_geometry g = n >= 0 ? orbit_geometry(&steep[n]) : gt_test_geometry(k < 0 ? i : tilted[k].base);
	if (k >= 0 && n < 0) {
		g.name = tilted[k].name;
		tilt_scan(g.scan, tilted[k].roll, tilted[k].pitch, tilted[k].sway);
	}
	gt_scan *all = g.scan;
	ck_ok(gt_scan_subset(all, (size_t)i % 4, 4, &g.scan));
	gt_scan_free(all);
	return g;
}

/* Each case loops over several geometries, because a case costs a process. */
enum { CASES = 5 };

/* On the CPU test_sf_single covers SF-TR in single precision, and SF-TT is always computed in double; some geometries
 * suffice. */
static inline int skip_single(gt_type type, int geometry) { return type == GT_F32 && !gt_test_is_gpu() && geometry % 4; }

#endif
