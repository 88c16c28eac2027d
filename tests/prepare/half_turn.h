#ifndef GT_TESTS_HALF_TURN_H
#define GT_TESTS_HALF_TURN_H
/* Projections of half a turn by a parallel beam, for the tests of preparation. */
#include <gantry/constants.h>
#include <gantry/data.h>
#include <gantry/scan.h>
#include "tests/support/support.h"

/* Pitches of columns and rows in mm, offsets in pixels. */
static inline gt_projections *half_turn(const size_t n[3], const double pitch[2], const double offset[2])
{
	const gt_orbit orbit = { .shape = GT_PARALLEL, .views = n[0], .rows = n[1], .columns = n[2],
		                 .column_pitch = pitch[0], .row_pitch = pitch[1], .turn = GT_PI,
		                 .column_offset = offset[0], .row_offset = offset[1] };
	gt_scan *scan = NULL;
	gt_projections *p = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	ck_ok(gt_projections_new(scan, &p));
	gt_scan_free(scan);
	return p;
}
#endif
