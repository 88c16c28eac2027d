/* Corrections of a scan, against the intended orbit.
 * labels: unit, backend: none */
#include <math.h>
#include <string.h>
#include <gantry/io.h>
#include <gantry/author/scan_math.h>
#include "tests/support/support.h"

GT_TEST(corrections)
{
	gt_orbit o = { .shape = GT_FLAT,
		       .views = 12,
		       .rows = 5,
		       .columns = 9,
		       .source_to_axis = 100,
		       .source_to_detector = 150,
		       .column_pitch = 2,
		       .row_pitch = 3,
		       .turn = 5,
		       .start_angle = 0.3,
		       .column_offset = 1,
		       .pitch_per_turn = 4 };
	gt_scan *wrong, *right;
	gt_scan_correction c = gt_scan_correction_none;
	ck_ok(gt_scan_orbit(&o, &wrong));
	o.column_offset = c.column_offset = -0.75;
	o.source_to_axis = c.source_to_axis = 120;
	o.source_to_detector = c.source_to_detector = 210;
	o.column_pitch = c.column_pitch = 1.5;
	o.start_angle = c.start_angle = -1;
	o.turn = c.turn = 4;
	ck_ok(gt_scan_correct(wrong, &c));
	o.pitch_per_turn = wrong->pitch_per_turn;
	ck_ok(gt_scan_orbit(&o, &right));
	ck_assert_double_eq_tol(wrong->pitch_per_turn, 5, 1e-12);
	for (size_t v = 0; v < o.views; v++)
		for (int a = 0; a < 3; a++) {
			ck_assert_double_eq_tol(wrong->view[v].source[a], right->view[v].source[a], 1e-9);
			ck_assert_double_eq_tol(wrong->view[v].detector[a], right->view[v].detector[a], 1e-9);
			ck_assert_double_eq_tol(wrong->view[v].column_axis[a], right->view[v].column_axis[a], 1e-12);
		}
	/* a roll keeps the centre of the panel; reversing twice changes nothing */
	c = gt_scan_correction_none;
	c.roll = 0.2;
	c.reverse_columns = c.reverse_rows = c.reverse_direction = 1;
	const gt_detector before = gt_scan_detector(right);
	double p[3], q[3];
	gt_pixel_point(&before, &right->view[0], 4, 2, p);
	ck_ok(gt_scan_correct(right, &c));
	const gt_detector after = gt_scan_detector(right);
	gt_pixel_point(&after, &right->view[0], 4, 2, q);
	for (int a = 0; a < 3; a++)
		ck_assert_double_eq_tol(p[a], q[a], 1e-9);
	ck_assert(right->view[1].angle < right->view[0].angle);
	c.roll = -0.2;
	ck_ok(gt_scan_correct(right, &c));
	for (size_t v = 0; v < o.views; v++)
		for (int a = 0; a < 3; a++)
			ck_assert_double_eq_tol(wrong->view[v].detector[a], right->view[v].detector[a], 1e-9);
	gt_scan_free(wrong);
	gt_scan_free(right);
}

/* A refused correction leaves the scan unchanged. */
GT_TEST(refusals)
{
	const gt_orbit o = { .shape = GT_PARALLEL, .views = 3, .rows = 2, .columns = 4, .column_pitch = 1, .row_pitch = 1, .turn = 3 };
	gt_scan_correction c = gt_scan_correction_none;
	gt_scan *s;
	ck_ok(gt_scan_orbit(&o, &s));
	const uint64_t hash = gt_scan_hash(s);
	c.source_to_axis = 5;
	ck_assert_int_eq(gt_scan_correct(s, &c), GT_ERR_UNSUPPORTED);
	c = gt_scan_correction_none;
	c.column_pitch = -1;
	ck_assert_int_eq(gt_scan_correct(s, &c), GT_ERR_FORMAT);
	ck_assert_ptr_nonnull(strstr(gt_error(), "column_pitch"));
	s->view[1].angle = NAN;
	c = gt_scan_correction_none;
	c.reverse_direction = 1;
	ck_assert_int_eq(gt_scan_correct(s, &c), GT_ERR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(gt_error(), "view 1"));
	s->view[1].angle = 1;
	ck_assert_uint_eq(hash, gt_scan_hash(s));
	gt_scan_free(s);
}

int main(void) { return gt_test_main("scan_correct", NULL); }
