/* Helices with both rotation directions and both table directions.
 * labels: unit property, backend: none */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/scan.h>
#include "tests/support/support.h"

static gt_scan *scan_of(const gt_orbit *o)
{
	gt_scan *s = NULL;
	ck_ok(gt_scan_orbit(o, &s));
	return s;
}

static const gt_orbit base = { .shape = GT_ARC,
	                       .views = 61,
	                       .rows = 4,
	                       .columns = 9,
	                       .source_to_axis = 541,
	                       .source_to_detector = 949,
	                       .column_pitch = 1.02,
	                       .row_pitch = 1.1 };

/* Reversed rotation, table direction, or both: mirror images of the same helix. */
GT_TESTS(helices_of_both_senses, 4)
{
	gt_orbit o = base;
	o.turn = 5 * GT_PI;
	o.pitch_per_turn = 38.75;
	o.start_angle = 0.3;
	o.z_center = -7;
	gt_scan *up = scan_of(&o);
	o.turn *= _i & 1 ? -1 : 1;
	o.pitch_per_turn *= _i & 2 ? -1 : 1;
	gt_scan *s = scan_of(&o);
	for (size_t v = 0; v < s->views; v++) {
		const double rise = up->view[v].source[2] - o.z_center, turn = up->view[v].angle - 0.3;
		ck_assert_double_eq_tol(s->view[v].source[2] - o.z_center, _i & 2 ? -rise : rise, 1e-11);
		ck_assert_double_eq_tol(s->view[v].angle - 0.3, _i & 1 ? -turn : turn, 1e-11);
		ck_assert_double_eq_tol(s->view[v].source[0], -s->source_to_axis * sin(s->view[v].angle), 1e-9);
	}
	ck_assert_double_eq(s->pitch_per_turn, 38.75);
	ck_assert_int_eq(gt_scan_is_helical(s), 1);
	gt_scan_free(s);
	gt_scan_free(up);
}

int main(void) { return gt_test_main("helix_senses", NULL); }
