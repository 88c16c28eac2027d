#ifndef GT_TESTS_RECON_COARSE_TURN_H
#define GT_TESTS_RECON_COARSE_TURN_H
/* A scan and a grid small enough for a dense operator matrix, both off centre. */
#include <gantry/author/constants.h>
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "tests/support/support.h"

static const gt_grid coarse_grid = { { 6, 5, 5 }, { 20, 22, 9 }, { 2, -3, 1 } };

/* One rotation, or two if the helical pitch (mm per rotation) is not 0. */
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
