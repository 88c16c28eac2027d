/* Pixel weights: rotated copies of one view share a table; other views have their own, even if similar.
 * labels: unit property, backend: none */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include "analytic/fbp/fbp.h"
#include "analytic/fbp/preweights.h"
#include "tests/support/support.h"

enum { VIEWS = 61, COLUMNS = 37 };

static const double spots[2][3] = { { -1.3, 0.4, 0 }, { 0.9, -0.5, 0.3 } };

static gt_scan *scan_of(gt_shape shape, double turn, double offset, int deflected)
{
	const gt_orbit o = { .shape = shape,
		             .views = VIEWS,
		             .rows = 5,
		             .columns = COLUMNS,
		             .source_to_axis = 200,
		             .source_to_detector = 320,
		             .column_pitch = 2.1,
		             .row_pitch = 1.7,
		             .column_offset = offset,
		             .row_offset = 0.4,
		             .start_angle = 0.7,
		             .turn = turn,
		             .spot = deflected ? spots : NULL,
		             .spots = deflected ? 2 : 0 };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&o, &s));
	return s;
}

static gt_fbp_plan *plan_of(const gt_scan *s)
{
	static const gt_grid grid = { { 9, 8, 3 }, { 2, 2, 1 }, { 0, 0, 0 } };
	gt_fbp_plan *p;
	ck_ok(gt_fbp_plan_new("test", &grid, s, &gt_fbp_defaults, NULL, &p));
	return p;
}

/* Compares the tables of the plan with the weights of each view. tables: their number; 0: any. */
static void check_tables(gt_scan *s, size_t tables)
{
	gt_fbp_plan *p = plan_of(s);
	gt_angular_coverage stand;
	ck_ok(gt_angular_coverage_new("test", s, &stand));
	const gt_preweights c = { &stand, p->tilted, fabs(stand.offset) > 4 ? GT_OFFSET_DETECTOR : GT_EACH_ONCE,
		                  GT_PI / stand.cover.range };
	ck_assert(!tables || p->tables == tables);
	for (size_t v = 0; v < s->views; v++) {
		double gain[COLUMNS], slope[COLUMNS];
		const size_t at = p->view[v].table * COLUMNS;
		ck_assert_uint_lt(p->view[v].table, p->tables);
		gt_preweights_set(&c, v, gain, slope);
		for (size_t k = 0; k < COLUMNS; k++) {
			ck_assert_double_eq_tol(p->gain[at + k], gain[k], 2e-12 * fabs(gain[k]) + 1e-300);
			ck_assert_double_eq_tol(p->slope[at + k], slope[k], 2e-12 * fabs(slope[k]) + 1e-300);
		}
	}
	gt_angular_coverage_free(&stand);
	gt_fbp_plan_free(p);
	gt_scan_free(s);
}

GT_TESTS(circles_share, GT_NSHAPES)
{
	const gt_shape shape = (gt_shape)_i;
	check_tables(scan_of(shape, shape == GT_PARALLEL ? GT_PI : 2 * GT_PI, 0.3, 0), 1);
	if (shape != GT_PARALLEL)
		check_tables(scan_of(shape, 2 * GT_PI, 6.3, 0), 1);
}

/* Around another axis, which is found from the sources. */
GT_TEST(moved_circles)
{
	gt_scan *s = scan_of(GT_FLAT, 2 * GT_PI, 0.3, 0);
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 2; a++) {
			s->view[v].source[a] += a ? -3.7 : 2.2;
			s->view[v].detector[a] += a ? -3.7 : 2.2;
			s->view[v].arc_center[a] += a ? -3.7 : 2.2;
		}
	check_tables(s, 0);
}

/* If one view differs in anything, every view has its own table. */
GT_TESTS(one_that_differs, 4)
{
	gt_scan *s = scan_of(GT_FLAT, 2 * GT_PI, 0.3, 0);
	gt_view *w = &s->view[17];
	double c = cos(1e-6), d = sin(1e-6), x = w->column_axis[0], y = w->column_axis[1];
	switch (_i) {
	case 0:
		for (int a = 0; a < 2; a++)
			w->detector[a] *= 1 + 1e-9;
		break;
	case 1:
		for (int a = 0; a < 2; a++)
			w->source[a] *= 1 + 1e-9;
		break;
	case 2:
		w->column_axis[0] = c * x - d * y;
		w->column_axis[1] = d * x + c * y;
		break;
	default:
		for (int a = 0; a < 3; a++)
			w->detector[a] += 1e-7 * w->column_axis[a];
	}
	check_tables(s, VIEWS);
}

GT_TEST(others_have_their_own)
{
	gt_fbp_plan *p;
	gt_scan *s = scan_of(GT_FLAT, 3.9, 0, 0);
	p = plan_of(s);
	ck_assert_uint_eq(p->tables, VIEWS);
	gt_fbp_plan_free(p);
	gt_scan_free(s);
	s = scan_of(GT_ARC, 2 * GT_PI, 0, 1);
	p = plan_of(s);
	ck_assert_uint_eq(p->tables, VIEWS);
	gt_fbp_plan_free(p);
	gt_scan_free(s);
}

int main(void) { return gt_test_main("cells", NULL); }
