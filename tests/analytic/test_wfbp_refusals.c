/* Scans and grids that wfbp refuses, and the message for each; scans that default to wfbp.
 * labels: unit */
#include "tests/analytic/helices.h"

static gt_status run(const gt_grid *g, const gt_scan *s)
{
	gt_backend *be = gt_test_backend();
	gt_array *p = gt_test_array(be, GT_F32, gt_scan_size(s), 1), *x = gt_test_array(be, GT_F32, gt_grid_voxels(g), 2);
	const gt_status st = gt_analytic_run(&gt_analytic_wfbp, be, g, s, NULL, p, x);
	gt_array_free(p);
	gt_array_free(x);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
	return st;
}

#define REFUSED(g, s, text)                                      \
	do {                                                     \
		ck_refused(run(g, s), GT_ERR_UNSUPPORTED, text); \
		gt_scan_free(s);                                 \
	} while (0)

GT_TEST(other_scans_are_refused)
{
	gt_orbit o = orbit_of(GT_ARC, 0, 2);
	gt_scan *s = scan_of(&o);
	REFUSED(&grid, s, "this one is circular: use fdk");
	s = scan_of(&o);
	s->pitch_per_turn = 30;
	REFUSED(&grid, s, "pitch_per_turn=30 mm, but the table does not move: all sources are at z=0");
	o.shape = GT_PARALLEL;
	s = scan_of(&o);
	REFUSED(&grid, s, "parallel: use fbp");
	o = orbit_of(GT_ARC, 0.9, 2.4);
	s = scan_of(&o);
	for (size_t v = 100; v < s->views; v++) {
		const double back = s->view[100].source[2] - s->view[v].source[2];
		s->view[v].source[2] += back;
		s->view[v].detector[2] += back;
		s->view[v].arc_center[2] += back;
	}
	REFUSED(&grid, s, "does not move or reverses from view 100");
	s = scan_of(&o);
	tilt_view(&s->view[3], 0.01, 0);
	REFUSED(&grid, s, "row_axis of view 3");
	s = scan_of(&o);
	s->view[9].angle = NAN;
	REFUSED(&grid, s, "view 9 has none");
}

GT_TEST(bad_orbits_are_refused)
{
	gt_orbit o = orbit_of(GT_ARC, 0.9, 2.4);
	gt_scan *s = scan_of(&o);
	for (size_t v = 50; v + 5 < s->views; v++)
		s->view[v] = s->view[v + 5];
	s->views -= 5;
	REFUSED(&grid, s, "view 50 is 24 degrees after view 49: expected steps of about");
	s = scan_of(&o);
	for (int a = 0; a < 2; a++)
		s->view[40].source[a] *= 1.01;
	for (int a = 0; a < 2; a++)
		s->view[40].arc_center[a] *= 1.01, s->view[40].detector[a] += 0.01 * s->view[40].source[a] / 1.01;
	REFUSED(&grid, s, "source and detector of view 40 have other positions than");
	o = orbit_of(GT_ARC, 0.9, 0.55);
	s = scan_of(&o);
	REFUSED(&grid, s, "cover 198.00 degrees: expected at least 205");
	o = orbit_of(GT_ARC, 0.9, 2.4);
	o.columns = 7;
	o.column_pitch = 20;
	s = scan_of(&o);
	REFUSED(&grid, s, "has 7 columns");
}

GT_TEST(pitch_beyond_the_limit)
{
	gt_orbit o = orbit_of(GT_ARC, 2.1, 4);
	gt_scan *s = scan_of(&o);
	REFUSED(&grid, s, "wfbp: pitch 2.1");
	/* in between it is complete up to a radius: 2 pi cos g / (pi + 2 g) = 1.8 at r = 200 sin g */
	o.pitch_per_turn = 1.8 * ROWS_AT_AXIS;
	s = scan_of(&o);
	gt_analytic_coverage seen;
	ck_ok(gt_analytic_wfbp.coverage(&grid, s, &seen));
	const double g = asin(seen.radius / DISTANCE);
	ck_assert_msg(fabs(2 * GT_PI * cos(g) / (GT_PI + 2 * g) - seen.pitch) < 1e-6 && fabs(seen.pitch - 1.8) < 1e-3,
	              "radius %g of pitch %g", seen.radius, seen.pitch);
	ck_assert(seen.limit < 1.8 && seen.first < seen.end);
	ck_ok(run(&grid, s));
	gt_scan_free(s);
}

GT_TEST(slices_outside)
{
	const gt_orbit o = orbit_of(GT_ARC, 0.9, 2.4);
	gt_grid g = grid;
	g.center[2] = 55;
	gt_scan *s = scan_of(&o);
	REFUSED(&g, s, "is seen over 180 degrees");
	g.center[2] = -55;
	s = scan_of(&o);
	REFUSED(&g, s, "the scan shows z=-");
	s = scan_of(&o);
	g.center[2] = 20;
	ck_ok(run(&g, s));
	gt_scan_free(s);
}

GT_TEST(is_the_method_of_helices)
{
	const gt_orbit o = orbit_of(GT_FLAT, 0.9, 2.4), still = orbit_of(GT_FLAT, 0, 2);
	gt_scan *s = scan_of(&o), *c = scan_of(&still);
	ck_assert(gt_analytic_for(s) == &gt_analytic_wfbp && gt_analytic_find("wfbp") == &gt_analytic_wfbp);
	ck_assert_str_eq(gt_analytic_for(c)->name, "fdk");
	gt_scan_free(s);
	gt_scan_free(c);
}

int main(void) { return gt_test_main("wfbp_refusals", NULL); }
