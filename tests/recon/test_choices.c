/* Defaults and their messages: method, projector, grid, and coverage of the scan.
 * labels: unit backend: none */
#include <math.h>
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/projector.h>
#include <gantry/solver.h>
#include "geometry/scan.h"
#include "recon/choose.h"
#include "recon/modules.h"
#include "recon/truncation.h"
#include "tests/recon/small_recon.h"

static char said[2048];

static void say(void *self, const gt_message *m)
{
	(void)self;
	snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", m->text);
}
static const gt_listener listener = { say, NULL };

static gt_scan *helix_of(size_t views, double turn, double pitch_per_turn, double row_offset)
{
	gt_orbit orbit = small_orbit;
	gt_scan *s;
	orbit.views = views;
	orbit.row_offset = row_offset;
	orbit.turn = turn;
	orbit.pitch_per_turn = pitch_per_turn;
	said[0] = 0;
	ck_ok(gt_scan_orbit(&orbit, &s));
	return s;
}

static gt_scan *scan_of(size_t views, double turn) { return helix_of(views, turn, 0, 0); }

/* Gaps of ten degrees are accepted. */
GT_TEST(few_views)
{
	static const size_t views[] = { 48, 37, 35, 12 };
	for (size_t i = 0; i < 4; i++) {
		gt_scan *s = scan_of(views[i], 2 * GT_PI);
		gt_method m = { 0 };
		ck_ok(gt_method_for(&listener, &grid, s, &m));
		ck_assert_str_eq(gt_method_name(&m), "fdk");
		if (views[i] == 12)
			ck_assert_ptr_nonnull(strstr(said, "fdk: 12 views, 30 degrees apart: expect streaks"));
		ck_assert_int_eq(said[0] != 0, views[i] < 36);
		gt_method_free(&m);
		gt_scan_free(s);
	}
}

/* Golden angles over many rotations, and shuffled views: adjacent angles are 2 degrees apart. */
GT_TEST(views_in_another_order)
{
	for (int golden = 0; golden < 2; golden++) {
		gt_scan *s = scan_of(180, 2 * GT_PI), *turned = scan_of(180, golden ? 180 * 111.246117975 / GT_DEGREES : 2 * GT_PI);
		gt_method m = { 0 };
		for (size_t v = 0; v < 180; v++)
			s->view[v] = turned->view[golden ? v : v * 77 % 180];
		ck_ok(gt_method_for(&listener, &grid, s, &m));
		ck_assert_str_eq(gt_method_name(&m), "fdk");
		ck_assert_str_eq(said, "");
		gt_method_free(&m);
		gt_scan_free(s);
		gt_scan_free(turned);
	}
}

/* A quarter rotation is too short for fdk; a solver has at most one subset per view. */
GT_TEST(solver_in_place)
{
	gt_scan *s = scan_of(5, GT_PI / 2);
	gt_method m = { 0 };
	ck_ok(gt_method_for(&listener, &grid, s, &m));
	ck_assert_ptr_eq(m.solver, gt_solvers[0]);
	ck_assert_ptr_nonnull(strstr(said, "solver: "));
	ck_assert_ptr_null(strstr(said, "use an iterative solver"));
	char *text = gt_method_print(&m);
	ck_assert_msg(strstr(text, "subsets=5") != NULL, "%s", text);
	gt_free(text);
	gt_method_free(&m);
	gt_scan_free(s);
}

GT_TEST(projector_of_leaning_rows)
{
	gt_scan *s = scan_of(48, 2 * GT_PI);
	ck_assert_str_eq(gt_projector_for_grid(&listener, NULL, NULL, s), gt_projectors[0]->name);
	ck_assert_str_eq(said, "");
	ck_ok(gt_scan_perturb(s, 0, 0.1, 1));
	ck_assert_str_eq(gt_projector_for_grid(&listener, "ray", NULL, s), "ray");
	said[0] = 0;
	ck_assert_str_eq(gt_projector_for_grid(&listener, NULL, NULL, s), "dd");
	ck_assert_str_eq(said, "");
	gt_scan_free(s);
}

/* Roll in degrees, and the projector chosen for flat panels and for arcs. */
static const struct {
	double roll;
	const char *flat, *arc;
} rolled[] = { { 1, "dd", "dd" },      { 14.9, "dd", "dd" },   { 15.1, "joseph", "joseph" }, { 45, "joseph", "joseph" },
	       { 80, "dd", "joseph" }, { 90, "dd", "joseph" }, { 179, "dd", "dd" } };

GT_TESTS(projector_of_rolled_rows, 14)
{
	const int i = _i / 2, arc = _i % 2;
	const char *const expected = arc ? rolled[i].arc : rolled[i].flat;
	const gt_orbit orbit = { arc ? GT_ARC : GT_FLAT,    .views = 3,        .rows = 5,      .columns = 6,  .source_to_axis = 500,
		                 .source_to_detector = 900, .column_pitch = 1, .row_pitch = 1, .turn = GT_PI, .start_angle = 0.1 };
	const double c = cos(rolled[i].roll * GT_PI / 180), n = sin(rolled[i].roll * GT_PI / 180);
	gt_scan *s = NULL;
	ck_ok(gt_scan_orbit(&orbit, &s));
	gt_view *w = &s->view[2];
	for (int a = 0; a < 3; a++) {
		const double u = w->column_axis[a], v = w->row_axis[a];
		w->column_axis[a] = c * u + n * v;
		w->row_axis[a] = c * v - n * u;
	}
	ck_ok(gt_scan_check(s));
	said[0] = 0;
	ck_assert_str_eq(gt_projector_for_grid(&listener, NULL, NULL, s), expected);
	ck_assert_int_eq(strstr(said, "of view 2") != NULL, !strcmp(expected, "joseph"));
	gt_scan_free(s);
}

static const struct {
	double turn, pitch_per_turn, row_offset;
	int is_even; /* equal numbers of slices are lost at both ends */
} helices[] = { { 6 * GT_PI, 40, 1.5, 1 }, { 5.3 * GT_PI, 30, -4, 0 }, { 5.3 * GT_PI, 60, 4, 0 } };

/* The default grid of a helix has all slices that are measured over 180 degrees, and no others. */
GT_TESTS(grid_of_a_helix, sizeof helices / sizeof *helices)
{
	gt_scan *s = helix_of(122, helices[_i].turn, helices[_i].pitch_per_turn, helices[_i].row_offset);
	gt_grid all, g, more;
	gt_analytic_coverage seen;
	size_t below, above;
	ck_ok(gt_grid_default(s, &all));
	ck_ok(gt_recon_default_grid(s, &g, &below, &above));
	ck_assert_uint_gt(below + above, 0);
	ck_assert_int_eq(below == above, helices[_i].is_even);
	ck_assert_uint_eq((size_t)g.n[2] + below + above, (size_t)all.n[2]);
	const double bottom = all.center[2] - (double)all.n[2] / 2 * all.pitch[2] + (double)below * all.pitch[2];
	ck_assert_double_eq_tol(g.center[2] - (double)g.n[2] / 2 * g.pitch[2], bottom, 1e-9);
	ck_ok(gt_analytic_for(s)->coverage(&g, s, &seen));
	ck_assert(seen.first == 0 && seen.end == (size_t)g.n[2]);
	more = g;
	more.n[2] += 2;
	ck_ok(gt_analytic_for(s)->coverage(&more, s, &seen));
	ck_assert(seen.first == 1 && seen.end == (size_t)g.n[2] + 1);
	gt_scan_free(s);
}

/* A grid that cuts the object is reported, one that holds it is not. */
GT_TEST(sides)
{
	gt_projections *p = projections();
	gt_grid narrow = grid;
	said[0] = 0;
	gt_note_sides(&listener, &grid, p);
	ck_assert_str_eq(said, "");
	narrow.n[0] = narrow.n[1] = 8;
	gt_note_sides(&listener, &narrow, p);
	ck_assert_ptr_nonnull(strstr(said, "rays outside the grid were attenuated too"));
	gt_projections_free(p);
}

/* Device kernels have no effect on the CPU, which is reported once per request. */
GT_TEST(form_of_the_device)
{
	gt_projections *p = projections();
	static const char *const fdk[][2] = { { "solver", "fdk:kernel=plain" }, { NULL, NULL } };
	gt_recon *r = recon(p, fdk);
	gt_volume *v;
	said[0] = 0;
	ck_ok(gt_volume_new(&grid, &v));
	gt_recon_on_message(r, say, NULL);
	ck_ok(gt_recon_run(r, v));
	ck_assert_int_eq(strstr(said, "fdk: kernel=plain needs CUDA; cpu") != NULL, !gt_test_is_gpu());
	gt_volume_free(v);
	gt_recon_free(r);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("choices", NULL); }
