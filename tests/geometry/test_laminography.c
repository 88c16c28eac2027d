/* Orbits about a tilted axis: positions, tilt 0, angles, distances, default grids, refusals, and the geometries of other
 * programs.
 * labels: unit property, backend: none */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "geometry/laminography.h"
#include "geometry/scan.h"
#include "tests/geometry/plate_imports.h"

static double angle_between(const double *a, const double *b) { return acos(fmin(1, fabs(gt_dot3(a, b)))) * GT_DEGREES; }

/* The central ray meets the axis at the origin at the stated distances; only the panel differs. */
START_TEST(orbits)
{
	static const double z[3] = { 0, 0, 1 };
	for (int panel = 0; panel < GT_NPANELS; panel++) {
		const gt_orbit o = orbit_of(GT_FLAT, 30, (gt_panel)panel);
		gt_scan *s = scan_of(&o);
		ck_assert(gt_scan_is_laminography(s) && !gt_scan_is_helical(s));
		for (size_t v = 0; v < VIEWS; v++) {
			const gt_view *w = &s->view[v];
			double ray[3], across[3];
			for (int a = 0; a < 3; a++)
				ray[a] = (w->detector[a] - w->source[a]) / 720;
			gt_cross3(w->column_axis, w->row_axis, across);
			ck_assert_double_eq_tol(angle_between(ray, z), 60, 1e-6);
			ck_assert_double_eq_tol(w->source[2], 120, 1e-9);
			ck_assert_double_eq_tol(gt_scan_axis_height(s, v), 0, 1e-9);
			ck_assert_double_eq_tol(gt_scan_axis_distance(s, v), 240, 1e-9);
			ck_assert_double_eq_tol(angle_between(across, panel == GT_PANEL_BEAM ? ray : z), panel == GT_PANEL_AXIS ? 90 : 0,
			                        2e-6);
			ck_assert_double_eq_tol(atan2(-w->source[0], w->source[1]), remainder(w->angle, 2 * GT_PI), 1e-12);
		}
		gt_scan_free(s);
	}
}
END_TEST

START_TEST(no_tilt_is_the_circle)
{
	for (int shape = GT_FLAT; shape <= GT_PARALLEL; shape++) {
		gt_orbit o = orbit_of((gt_shape)shape, 0, GT_PANEL_AXIS);
		gt_scan *axis = scan_of(&o);
		o.panel = GT_PANEL_BEAM;
		gt_scan *beam = scan_of(&o);
		ck_assert_uint_eq(gt_scan_hash(axis), gt_scan_hash(beam));
		ck_assert(!gt_scan_is_laminography(beam));
		for (size_t v = 0; v < VIEWS; v++) {
			const double t = 0.3 + (double)v * (2 * GT_PI / VIEWS), far = shape == GT_PARALLEL ? 720 : o.source_to_detector;
			const double source[3] = { -240 * sin(t), 240 * cos(t), 0 }, inward[3] = { sin(t), -cos(t), 0 };
			const double row[3] = { 0, 0, 1 }, column[3] = { cos(t), sin(t), 0 };
			for (int a = 0; a < 3; a++) {
				const double detector = source[a] + far * inward[a];
				ck_assert(beam->view[v].source[a] == source[a] && beam->view[v].detector[a] == detector);
				ck_assert(beam->view[v].row_axis[a] == row[a] && beam->view[v].column_axis[a] == column[a]);
			}
		}
		gt_scan_free(axis);
		gt_scan_free(beam);
	}
}
END_TEST

/* Angles come from the orbit, also of panels whose rows are horizontal. */
START_TEST(angles_and_axis)
{
	static const double degrees[] = { 10, 30, 60, 75 };
	for (int i = 0; i < 4 * GT_NPANELS * 2; i++) {
		const gt_orbit o = orbit_of(i % 2 ? GT_PARALLEL : GT_FLAT, degrees[i / 2 % 4], (gt_panel)(i / 8));
		gt_scan *s = scan_of(&o);
		gt_axis_seen axis;
		for (size_t v = 0; v < VIEWS; v++)
			s->view[v].angle = NAN;
		gt_scan_derive_angles(s);
		for (size_t v = 0; v < VIEWS; v++)
			ck_assert_double_eq_tol(remainder(s->view[v].angle - 0.3 - (double)v * 2 * GT_PI / VIEWS, 2 * GT_PI), 0, 1e-9);
		gt_scan_see_axis(s, &axis);
		ck_assert_double_eq_tol(axis.column, 44.5, 1e-9);
		ck_assert(!gt_scan_is_laminography(s) || fabs(axis.row - 42.5) < 1e-9);
		s->view[5].angle += 1;
		ck_refused(gt_scan_check_angles(s), GT_ERR_FORMAT, "angle of view 5");
		gt_scan_free(s);
	}
}
END_TEST

/* A voxel is a pixel at the axis; the grid is a plate within rows and columns. */
START_TEST(default_grids)
{
	static const double degrees[] = { 20, 30, 60 };
	for (int i = 0; i < 3 * GT_NPANELS * 2; i++) {
		gt_orbit o = orbit_of(i % 2 ? GT_PARALLEL : GT_FLAT, degrees[i / 2 % 3], (gt_panel)(i / 6));
		gt_scan *s = scan_of(&o);
		gt_grid g;
		double low, high;
		const double radius = gt_scan_field_of_view(s, &low, &high);
		ck_ok(gt_grid_default(s, &g));
		for (int a = 0; a < 3; a++) {
			ck_assert_double_eq_tol(g.pitch[a], 1, 1e-12);
			ck_assert_double_eq_tol(g.center[a], 0, 1e-12);
		}
		ck_assert(radius > 10 && high == -low && high > 1);
		ck_assert_uint_eq(g.n[0], 2 * (size_t)ceil(radius - 0.005));
		ck_assert_uint_eq(g.n[2], 2 * (size_t)ceil(high - 0.005));
		gt_scan_free(s);
		o.thickness = 5;
		s = scan_of(&o);
		ck_ok(gt_grid_default(s, &g));
		ck_assert(g.n[2] == 6 && gt_scan_field_of_view(s, &low, &high) == radius && low == -2.5 && high == 2.5);
		gt_scan_free(s);
	}
}
END_TEST

/* The circle that is measured touches the edge of the columns or the rows, from inside, in every view. */
START_TEST(field_of_view)
{
	for (int i = 0; i < 2 * 3; i++) {
		gt_orbit o = orbit_of(i % 2 ? GT_PARALLEL : GT_FLAT, 35, (gt_panel)(i / 2 == 1 ? GT_PANEL_STAGE : i / 2));
		o.rows = i < 4 ? 86 : 30;
		gt_scan *s = scan_of(&o);
		const gt_detector d = gt_scan_detector(s);
		const double radius = gt_scan_field_of_view(s, NULL, NULL);
		double outside = -INFINITY;
		for (size_t v = 0; v < VIEWS; v++)
			for (int k = 0; k < 720; k++) {
				const double x[3] = { radius * cos(k * GT_PI / 360), radius * sin(k * GT_PI / 360), 0 };
				double column, row;
				ck_assert(gt_point_pixel(&d, &s->view[v], x, &column, &row));
				outside = fmax(outside,
				               fmax(fabs(column - 44.5) - 45, fabs(row - ((double)o.rows - 1) / 2) - (double)o.rows / 2));
			}
		ck_assert_msg(fabs(outside) < 1e-2, "case %d: a circle of %g mm reaches %g pixels beyond the panel", i, radius, outside);
		gt_scan_free(s);
	}
}
END_TEST

START_TEST(refusals)
{
	gt_orbit o = orbit_of(GT_FLAT, 90, GT_PANEL_BEAM);
	gt_scan *s = NULL;
	ck_refused(gt_scan_orbit(&o, &s), GT_ERR_ARG, "tilt=90 degrees of an orbit: expected less than 90");
	o = orbit_of(GT_FLAT, 3, GT_PANEL_STAGE);
	ck_refused(gt_scan_orbit(&o, &s), GT_ERR_ARG, "panel=stage at a tilt of 3 degrees: the rays meet the panel edge-on");
	o = orbit_of(GT_FLAT, 0, GT_PANEL_STAGE_FIXED);
	ck_refused(gt_scan_orbit(&o, &s), GT_ERR_ARG, "edge-on");
	o = orbit_of(GT_FLAT, 30, GT_NPANELS);
	ck_refused(gt_scan_orbit(&o, &s), GT_ERR_ARG, "panel number 4");
	o = orbit_of(GT_ARC, 30, GT_PANEL_BEAM);
	ck_refused(gt_scan_orbit(&o, &s), GT_ERR_UNSUPPORTED, "found an arc detector");
	o = orbit_of(GT_FLAT, 30, GT_PANEL_BEAM);
	o.pitch_per_turn = 3;
	ck_refused(gt_scan_orbit(&o, &s), GT_ERR_UNSUPPORTED, "found a helix");
	o = orbit_of(GT_FLAT, 30, GT_PANEL_BEAM);
	o.thickness = -1;
	ck_refused(gt_scan_orbit(&o, &s), GT_ERR_ARG, "thickness=-1 mm");
	o.thickness = 200;
	ck_refused(gt_scan_orbit(&o, &s), GT_ERR_ARG, "thickness=200 mm: every view sees");
	ck_assert_ptr_null(s);
}
END_TEST

/* Imports ------------------------------------------------------------------ */

/* Every pixel has the ray of the expected scan, and the angles agree up to a constant. */
static void check_import(const char *what, const gt_scan *s, const gt_scan *expected)
{
	const gt_detector d = gt_scan_detector(s), e = gt_scan_detector(expected);
	ck_assert(gt_scan_is_laminography(s));
	ck_assert_msg(s->shape == GT_PARALLEL || (fabs(s->source_to_axis - 240) < 1e-6 && fabs(s->source_to_detector - 720) < 1e-6),
	              "%s: distances %g and %g mm", what, s->source_to_axis, s->source_to_detector);
	for (size_t v = 0; v < VIEWS; v++) {
		ck_assert_double_eq_tol(remainder(s->view[v].angle - expected->view[v].angle, 2 * GT_PI), 0, 1e-9);
		for (int i = 0; i < 4; i++) {
			const double column = i & 1 ? 87 : 2, row = i & 2 ? 80 : 5;
			double p[3], q[3], r[3], t[3], across[3];
			gt_pixel_ray(&d, &s->view[v], column, row, p, q);
			gt_pixel_ray(&e, &expected->view[v], column, row, r, t);
			for (int a = 0; a < 3; a++)
				p[a] -= r[a];
			gt_cross3(q, t, across);
			ck_assert_msg(sqrt(gt_dot3(across, across)) < 1e-9 * sqrt(gt_dot3(q, q) * gt_dot3(t, t)) && gt_dot3(q, t) > 0,
			              "%s: view %zu: another direction of the ray of (%g, %g)", what, v, column, row);
			gt_cross3(p, t, across);
			ck_assert_msg(sqrt(gt_dot3(across, across) / gt_dot3(t, t)) < 1e-7, "%s: view %zu: another ray of (%g, %g)", what,
			              v, column, row);
		}
	}
}

START_TEST(imports)
{
	static const double degrees[] = { 30, 60 };
	for (int i = 0; i < 4; i++) {
		const int parallel = i % 2;
		const double tilt = degrees[i / 2] / GT_DEGREES;
		for (int panel = 0; panel < GT_NPANELS; panel++) {
			const gt_orbit o = orbit_of(parallel ? GT_PARALLEL : GT_FLAT, degrees[i / 2], (gt_panel)panel);
			gt_scan *expected = scan_of(&o), *s = from_astra(parallel, tilt, (gt_panel)panel);
			check_import("ASTRA", s, expected);
			gt_scan_free(s);
			gt_scan_free(expected);
		}
		const gt_orbit o = orbit_of(parallel ? GT_PARALLEL : GT_FLAT, degrees[i / 2], GT_PANEL_BEAM);
		gt_scan *expected = scan_of(&o), *s = from_tigre(parallel, tilt);
		turn_to(expected, s);
		check_import("TIGRE", s, expected);
		gt_scan_free(s);
		s = from_cil(parallel, tilt);
		turn_to(expected, s);
		check_import("CIL", s, expected);
		gt_scan_free(s);
		gt_scan_free(expected);
	}
}
END_TEST

/* Matrices determine the panel across the ray. */
START_TEST(matrices)
{
	const gt_orbit o = orbit_of(GT_FLAT, 60, GT_PANEL_BEAM);
	gt_scan *expected = scan_of(&o), *s;
	double matrix[VIEWS][12];
	for (size_t v = 0; v < VIEWS; v++)
		ck_ok(gt_matrix_from_view(expected, v, matrix[v]));
	ck_ok(gt_scan_from_matrices((const double(*)[12])matrix, VIEWS, 86, 90, 720, &s));
	check_import("matrices", s, expected);
	gt_scan_free(s);
	gt_scan_free(expected);
}
END_TEST

/* Other distances of a scan: the orbit with these distances, for any panel. */
START_TEST(corrected_distances)
{
	for (int panel = 0; panel < GT_NPANELS; panel++) {
		gt_orbit o = orbit_of(GT_FLAT, 40, (gt_panel)panel);
		gt_scan_correction c = gt_scan_correction_none;
		gt_scan *s = scan_of(&o);
		c.source_to_axis = o.source_to_axis = 250;
		c.source_to_detector = o.source_to_detector = 690;
		ck_ok(gt_scan_correct(s, &c));
		gt_scan *expected = scan_of(&o);
		for (size_t v = 0; v < VIEWS; v++)
			for (int a = 0; a < 3; a++) {
				ck_assert_double_eq_tol(s->view[v].source[a], expected->view[v].source[a], 1e-9);
				ck_assert_double_eq_tol(s->view[v].detector[a], expected->view[v].detector[a], 1e-9);
			}
		gt_scan_free(s);
		gt_scan_free(expected);
	}
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_test(tc, orbits);
	tcase_add_test(tc, no_tilt_is_the_circle);
	tcase_add_test(tc, angles_and_axis);
	tcase_add_test(tc, default_grids);
	tcase_add_test(tc, field_of_view);
	tcase_add_test(tc, refusals);
	tcase_add_test(tc, imports);
	tcase_add_test(tc, matrices);
	tcase_add_test(tc, corrected_distances);
}

int main(void) { return gt_test_main("laminography_geometry", fill); }
