#ifndef GT_TESTS_RECON_COARSE_TURN_H
#define GT_TESTS_RECON_COARSE_TURN_H
/* A scan and a grid that are small enough for every entry of their operator, and nowhere in the middle. */
#include <gantry/constants.h>
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "tests/support/support.h"

static const gt_grid coarse_grid = { { 6, 5, 5 }, { 20, 22, 9 }, { 2, -3, 1 } };

/* A turn; two where it climbs by pitch mm in each. */
static inline gt_scan *coarse_turn(gt_shape shape, double pitch)
{
	const gt_orbit o = { .shape = shape,
		             .views = 7,
		             .rows = 5,
		             .columns = 7,
		             .source_to_axis = 541,
		             .source_to_detector = 949,
		             .column_pitch = 40,
		             .row_pitch = 14,
		             .column_offset = 0.3,
		             .row_offset = 0.4,
		             .turn = 2 * GT_PI * (pitch > 0 ? 2 : 1),
		             .pitch_per_turn = pitch };
	gt_scan *scan;
	ck_ok(gt_scan_orbit(&o, &scan));
	return scan;
}
#endif
