/* fdk and fbp about a tilted axis: closed forms of spheres and discs, all panels, the limit of parallel rays. */
/* labels: physics */
#include "tests/analytic/plates.h"

static const double tilts[] = { 20, 30, 45, 60 };
enum { TILTS = 4 };

static const gt_grid middle = { { 5, 5, 5 }, { 1, 1, 1 }, { 0, 0, 0 } };

static double middle_value(const gt_orbit *o, const solid *b)
{
	gt_scan *s = plate_scan(o);
	double *p = solids_project(b, 1, s), *x = reconstruct(plate_method(s), "extend=none,rows=zero,mask=none", &middle, s, p);
	const double value = region_mean(&middle, x, 0, 0, 1.5, 0, 0.1);
	free(p);
	free(x);
	gt_scan_free(s);
	return value;
}

/* The missing cone of half angle alpha leaves cos(alpha) of a sphere, and of a disc of radius a and thickness t
 * 2/pi asin(t cot(alpha) / 2a). */
START_TEST(closed_forms)
{
	static const solid ball = { BALL, { 0, 0, 0 }, { 14 }, 1 },
			   discs[] = { { DISC, { 0, 0, 0 }, { 40, 3 }, 1 }, { DISC, { 0, 0, 0 }, { 20, 2 }, 1 } };
	const double tilt = tilts[_i] * GT_PI / 180;
	gt_orbit o = plate_orbit(GT_PARALLEL, tilt, GT_PANEL_BEAM);
	o.views = 360;
	const double left = middle_value(&o, &ball);
	printf("tilt %g: ball %.4f, expected %.4f\n", tilts[_i], left, cos(tilt));
	ck_assert_msg(fabs(left - cos(tilt)) < 5e-3 * cos(tilt), "a sphere has %.5f at its centre at %g degrees: expected %.5f", left,
	              tilts[_i], cos(tilt));
	for (int i = 0; i < 2; i++) {
		const double expected = 2 / GT_PI * asin(fmin(1, discs[i].size[1] / discs[i].size[0] / tan(tilt))),
			     found = middle_value(&o, &discs[i]);
		printf("tilt %g: disc %d %.4f, expected %.4f\n", tilts[_i], i, found, expected);
		ck_assert_msg(fabs(found - expected) < 5e-3 * expected, "disc %d has %.5f at its centre at %g degrees: expected %.5f", i,
		              found, tilts[_i], expected);
	}
}
END_TEST

/* Parallel rays with any inclination, for which 180 degrees are not enough. */
START_TEST(small_tilts)
{
	static const solid ball = { BALL, { 0, 0, 0 }, { 14 }, 1 };
	const double tilt = 5 / GT_DEGREES;
	const gt_orbit o = plate_orbit(GT_PARALLEL, tilt, GT_PANEL_BEAM);
	const double left = middle_value(&o, &ball);
	ck_assert_msg(fabs(left - cos(tilt)) < 5e-3, "a sphere has %.5f at its centre at 5 degrees: expected %.5f", left, cos(tilt));
}
END_TEST

/* Off the axis and off z = 0, where a wrong sign of the tilt or of the rotation shows. */
static const solid board[] = {
	{ BALL, { 0, 0, 0 }, { 9 }, 1 },         { BALL, { 30, 0, 0 }, { 6 }, 1 },          { BALL, { -8, -28, 10 }, { 6 }, 1 },
	{ BOX, { -25, 18, 0 }, { 8, 8, 4 }, 1 }, { BOX, { 20, -25, -8 }, { 2, 10, 2 }, 1 }, { BOX, { 28, -25, -8 }, { 2, 10, 2 }, 1 },
};
enum { SOLIDS = 6, BALLS = 3 };

typedef struct {
	double ball[BALLS], edge[2];
} measured;

/* Position of half the height of a line of voxels between from and to, rising or falling. */
static double half_height(const gt_grid *g, const double *x, double half, double from, double to)
{
	for (size_t i = 0; i + 1 < g->n[0]; i++) {
		const double at = voxel_at(g, 0, i);
		if (at >= from && at <= to && (x[i] < half) != (x[i + 1] < half))
			return at + g->pitch[0] * (half - x[i]) / (x[i + 1] - x[i]);
	}
	ck_abort_msg("no edge between %g and %g mm", from, to);
	return NAN;
}

static double line_mean(const gt_grid *g, const double *x, double from, double to)
{
	double sum = 0, n = 0;
	for (size_t i = 0; i < g->n[0]; i++)
		if (voxel_at(g, 0, i) >= from && voxel_at(g, 0, i) <= to) {
			sum += x[i];
			n++;
		}
	return sum / n;
}

static measured measure(const gt_scan *s)
{
	static const char text[] = "extend=none,rows=zero,mask=none";
	const gt_grid line = { { 41, 1, 1 }, { 1, 1, 1 }, { -25, 18, 0 } };
	double *p = solids_project(board, SOLIDS, s);
	measured m;
	for (int i = 0; i < BALLS; i++) {
		gt_grid g = middle;
		memcpy(g.center, board[i].center, sizeof g.center);
		double *x = reconstruct(plate_method(s), text, &g, s, p);
		m.ball[i] = region_mean(&g, x, g.center[0], g.center[1], 1.5, g.center[2], 1);
		free(x);
	}
	double *x = reconstruct(plate_method(s), text, &line, s, p);
	const double half = (line_mean(&line, x, -27, -23) + (line_mean(&line, x, -42, -38) + line_mean(&line, x, -12, -8)) / 2) / 2;
	m.edge[0] = half_height(&line, x, half, -40, -26);
	m.edge[1] = half_height(&line, x, half, -24, -10);
	free(x);
	free(p);
	return m;
}

static measured measure_panel(gt_shape shape, double tilt, gt_panel panel, double sod)
{
	gt_orbit o = plate_orbit(shape, tilt, panel);
	if (tilt * GT_DEGREES < 25)
		o.views = 240; /* with 160, view aliasing moves an edge by 0.06 mm */
	if (sod > 0) {
		o.source_to_axis = sod;
		o.source_to_detector = 3 * sod;
	}
	gt_scan *s = plate_scan(&o);
	const measured m = measure(s);
	printf("tilt %g, %s: balls/cos %.4f %.4f %.4f, edges %.3f %.3f\n", tilt * GT_DEGREES, gt_panel_names[panel], m.ball[0] / cos(tilt),
	       m.ball[1] / cos(tilt), m.ball[2] / cos(tilt), m.edge[0], m.edge[1]);
	gt_scan_free(s);
	return m;
}

static void check_same(const char *what, const measured *m, const measured *expected, double of_value, double of_edge)
{
	for (int i = 0; i < BALLS; i++)
		ck_assert_msg(fabs(m->ball[i] - expected->ball[i]) < of_value * fabs(expected->ball[i]),
		              "%s: ball %d has %.5f, expected %.5f", what, i, m->ball[i], expected->ball[i]);
	for (int i = 0; i < 2; i++)
		ck_assert_msg(fabs(m->edge[i] - expected->edge[i]) < of_edge, "%s: edge at %.4f mm, expected %.4f", what, m->edge[i],
		              expected->edge[i]);
}

/* The panel parallel to the axis is the virtual detector of Feldkamp's method, without any change for the tilt. */
START_TEST(all_panels_give_one_volume)
{
	const double tilt = tilts[_i] * GT_PI / 180;
	const measured axis = measure_panel(GT_FLAT, tilt, GT_PANEL_AXIS, 0), beam = measure_panel(GT_FLAT, tilt, GT_PANEL_BEAM, 0),
		       stage = measure_panel(GT_FLAT, tilt, GT_PANEL_STAGE, 0);
	check_same("beam panel", &beam, &axis, 3e-3, 0.05);
	check_same("stage panel", &stage, &axis, 3e-3, 0.05);
	for (int i = 0; i < 2; i++)
		ck_assert_msg(fabs(beam.edge[i] - (i ? -17 : -33)) < 0.15, "edge at %.4f mm", beam.edge[i]);
	for (int i = 0; i < BALLS; i++)
		ck_assert_msg(fabs(beam.ball[i] / cos(tilt) - 1) < 0.05, "ball %d has %.4f of its value", i, beam.ball[i] / cos(tilt));
}
END_TEST

START_TEST(parallel_panels_give_one_volume)
{
	const double tilt = tilts[_i] * GT_PI / 180;
	const measured beam = measure_panel(GT_PARALLEL, tilt, GT_PANEL_BEAM, 0),
		       stage = measure_panel(GT_PARALLEL, tilt, GT_PANEL_STAGE, 0),
		       axis = measure_panel(GT_PARALLEL, tilt, GT_PANEL_AXIS, 0);
	check_same("stage panel", &stage, &beam, 3e-3, 0.05);
	check_same("axis panel", &axis, &beam, 3e-3, 0.05);
}
END_TEST

START_TEST(far_sources_are_parallel)
{
	const measured far = measure_panel(GT_FLAT, 0.6, GT_PANEL_BEAM, 1e6), parallel = measure_panel(GT_PARALLEL, 0.6, GT_PANEL_BEAM, 0);
	check_same("1 km away", &far, &parallel, 1e-3, 0.01);
}
END_TEST

/* Mirrored columns and rows, views in reverse order, and another sense of the tilt: the same body. */
START_TEST(other_senses_give_one_volume)
{
	gt_orbit o = plate_orbit(GT_FLAT, 0.5, GT_PANEL_BEAM);
	gt_scan *s = plate_scan(&o);
	const measured expected = measure(s);
	for (int i = 0; i < 3; i++) {
		gt_scan_correction c = gt_scan_correction_none;
		c.reverse_columns = i == 0;
		c.reverse_rows = i == 1;
		c.reverse_direction = i == 2;
		ck_ok(gt_scan_correct(s, &c));
		const measured m = measure(s);
		check_same("other order", &m, &expected, 1e-3, 0.01);
	}
	gt_scan_free(s);
	o.tilt = -0.5;
	s = plate_scan(&o);
	const measured below = measure(s);
	check_same("from below", &below, &expected, 0.06, 0.1);
	gt_scan_free(s);
}
END_TEST

/* Half of a wide detector beyond the axis: the weights of displaced detectors. */
START_TEST(displaced_detectors)
{
	gt_orbit o = plate_orbit(GT_FLAT, 0.6, GT_PANEL_BEAM);
	gt_scan *s = plate_scan(&o);
	const measured expected = measure(s);
	gt_scan_free(s);
	o.columns = 72;
	o.column_offset = 16;
	s = plate_scan(&o);
	const measured m = measure(s);
	check_same("displaced", &m, &expected, 0.02, 0.1);
	gt_scan_free(s);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, closed_forms, 0, TILTS);
	tcase_add_test(tc, small_tilts);
	const int step = gt_tests_long() ? 1 : 2;
	for (int i = step - 1; i < TILTS; i += step)
		tcase_add_loop_test(tc, all_panels_give_one_volume, i, i + 1);
	for (int i = 0; i < TILTS; i += step)
		tcase_add_loop_test(tc, parallel_panels_give_one_volume, i, i + 1);
	tcase_add_test(tc, far_sources_are_parallel);
	tcase_add_test(tc, other_senses_give_one_volume);
	tcase_add_test(tc, displaced_detectors);
}

int main(void) { return gt_test_main("laminography", fill); }
