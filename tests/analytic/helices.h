#ifndef GT_TESTS_ANALYTIC_HELICES_H
#define GT_TESTS_ANALYTIC_HELICES_H
/* Helices of a small scanner, and the grid for tests of wfbp. */
#include "analytic/wfbp/wfbp.h"
#include "tests/analytic/bodies.h"

enum { ROWS = 17, COLUMNS = 91, VIEWS = 90 };
#define DISTANCE 200.0
#define ROWS_AT_AXIS (ROWS * 3 * DISTANCE / 320)

static const body rods[] = { { 1, { 1, -2, 0 }, 32, 0.02 }, { 1, { 13, -8, 0 }, 8, 0.01 }, { 1, { -12, 9, 0 }, 7.5, -0.02 } };
static const body balls[] = {
	{ 0, { 24, 3, -2 }, 5, 0.05 }, { 0, { -22, 7, 3.3 }, 4.5, 0.05 }, { 0, { 3, 24, -4 }, 5, 0.05 }, { 0, { -3, -25, 1 }, 5, 0.05 }
};
enum { RODS = 3, BALLS = 4 };

/* Off centre, odd sizes, three pitches. */
static const gt_grid grid = { { 49, 54, 11 }, { 1.5, 1.4, 1.7 }, { 0.4, -0.7, 0.3 } };

static inline gt_orbit orbit_of(gt_shape shape, double pitch, double turns)
{
	return (gt_orbit){ .shape = shape,
		           .views = (size_t)(turns * VIEWS),
		           .rows = ROWS,
		           .columns = COLUMNS,
		           .source_to_axis = DISTANCE,
		           .source_to_detector = 320,
		           .column_pitch = 1.6,
		           .row_pitch = 3,
		           .column_offset = 0.25,
		           .start_angle = 0.4,
		           .turn = 2 * GT_PI * turns,
		           .pitch_per_turn = pitch * ROWS_AT_AXIS };
}

static inline gt_scan *scan_of(const gt_orbit *o)
{
	gt_scan *s;
	ck_ok(gt_scan_orbit(o, &s));
	return s;
}

static const double pitches[] = { 0.5, 0.984, 1.375 }, turns[] = { 3, 2.4, 2.1 };

#endif
