/* wfbp against exact line integrals: values and positions on any helix with any options; the backend against double
 * precision.
 * labels: physics property */
#include "tests/analytic/helices.h"

static void check_mean(const char *what, const double *x, const gt_grid *g, double cx, double cy, double radius, double expected)
{
	const double mean = region_mean(g, x, cx, cy, radius, 0, 20);
	ck_assert_msg(fabs(mean - expected) <= 4e-5, "%s: mean %.6f around (%g, %g): expected %.6f", what, mean, cx, cy, expected);
}

/* Within 2 HU of water, and each slice within 3.5 HU of the mean: no pattern with the period of the pitch. */
static void check_values(const char *what, const gt_scan *s, const gt_grid *g, const char *text)
{
	double *p = bodies_project(rods, RODS, s), *x = reconstruct("wfbp", text, g, s, p);
	check_mean(what, x, g, 1, -24, 6, 0.02);
	check_mean(what, x, g, 14, 11, 6, 0.02);
	check_mean(what, x, g, 13, -8, 5, 0.03);
	check_mean(what, x, g, -12, 9, 4.5, 0);
	for (size_t k = 0; k < g->n[2]; k++) {
		const double slice = region_mean(g, x, 1, -2, 26, voxel_at(g, 2, k), g->pitch[2] / 3),
			     all = region_mean(g, x, 1, -2, 26, 0, 100);
		ck_assert_msg(fabs(slice - all) < 2e-5, "%s: slice %zu has the mean %.6f, all %.6f", what, k, slice, all);
	}
	free(p);
	free(x);
}

static void check_places(const char *what, const gt_scan *s)
{
	double *p = bodies_project(balls, BALLS, s), *x = reconstruct("wfbp", NULL, &grid, s, p);
	for (int i = 0; i < BALLS; i++) {
		const double off = ball_error(&grid, x, &balls[i], balls[i].radius + 2);
		ck_assert_msg(off < 0.1, "%s: ball %d is %.3f voxels from its place", what, i, off);
	}
	free(p);
	free(x);
}

GT_TEST(pitches_and_shapes)
{
	char what[64];
	for (int shape = GT_FLAT; shape <= GT_ARC; shape++)
		for (int i = 0; i < 3; i++) {
			const gt_orbit o = orbit_of((gt_shape)shape, pitches[i], turns[i]);
			gt_scan *s = scan_of(&o);
			snprintf(what, sizeof what, "%s, pitch %g", gt_shape_names[shape], pitches[i]);
			check_values(what, s, &grid, NULL);
			if (shape == GT_ARC)
				check_places(what, s);
			gt_scan_free(s);
		}
}

/* An odd number of views per rotation and rounded angles: the number of directions is kept. */
GT_TEST(rounded_angles)
{
	gt_orbit o = orbit_of(GT_ARC, 0.984, 2.4);
	double *p = NULL, *x[2];
	o.views = 91 * 24 / 10;
	for (int i = 0; i < 2; i++) {
		o.turn = 2 * GT_PI / 91 * (double)o.views * (i ? 1 + 2e-7 : 1 - 2e-7);
		gt_scan *s = scan_of(&o);
		p = p ? p : bodies_project(rods, RODS, s);
		x[i] = reconstruct("wfbp", NULL, &grid, s, p);
		gt_scan_free(s);
	}
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++)
		ck_assert_double_eq_tol(x[0][i], x[1][i], 2e-6);
	free(p);
	free(x[0]);
	free(x[1]);
}

/* Equivalent numberings of the same scan. Bit 0: views reversed; 1: columns mirrored; 2: rows upside down; 3: table
 * direction reversed. */
static void turn_over(gt_scan *s, int how)
{
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 3; a++) {
			gt_view *w = &s->view[v];
			w->column_axis[a] *= how & 2 ? -1 : 1;
			w->row_axis[a] *= how & 4 ? -1 : 1;
			if (a == 2 && how & 8) {
				w->source[2] *= -1;
				w->detector[2] *= -1;
				w->arc_center[2] *= -1;
			}
		}
	if (how & 2)
		s->column_center = (double)s->columns - 1 - s->column_center;
	if (how & 4)
		s->row_center = (double)s->rows - 1 - s->row_center;
	for (size_t v = 0; how & 1 && v < s->views / 2; v++) {
		const gt_view w = s->view[v];
		s->view[v] = s->view[s->views - 1 - v];
		s->view[s->views - 1 - v] = w;
	}
}

GT_TEST(turned_over)
{
	for (int how = 1; how < 16; how++) {
		gt_orbit o = orbit_of(how % 3 ? GT_ARC : GT_FLAT, 0.9, 2.4);
		o.row_offset = 0.6;
		gt_scan *s = scan_of(&o);
		char what[32];
		turn_over(s, how);
		snprintf(what, sizeof what, "turned over %d", how);
		check_places(what, s);
		if (how % 4 == 1)
			check_values(what, s, &grid, NULL);
		gt_scan_free(s);
	}
}

/* Angular, radial and axial deflections, in cycles of two, three and four. */
GT_TEST(flying_focal_spots)
{
	static const double spot[4][3] = { { 0.35, 0, -0.5 }, { -0.35, 0.8, 0.5 }, { 0.35, 0.8, 0.5 }, { -0.35, 0, -0.5 } };
	for (size_t n = 2; n <= 4; n++)
		for (int shape = GT_FLAT; shape <= GT_ARC; shape++) {
			gt_orbit o = orbit_of((gt_shape)shape, 0.9, 2.6);
			o.spot = spot;
			o.spots = n;
			o.views = o.views * 3 / 2;
			gt_scan *s = scan_of(&o);
			check_places("flying focal spot", s);
			if (n == 2)
				check_values("flying focal spot", s, &grid, NULL);
			gt_scan_free(s);
		}
}

/* Another axis, an uneven table feed, angles with jitter. */
GT_TEST(other_orbits)
{
	const gt_orbit o = orbit_of(GT_ARC, 0.9, 2.6);
	gt_scan *s = scan_of(&o);
	for (size_t v = 0; v < s->views; v++) {
		const double push = 0.6 * sin(0.05 * (double)v);
		s->view[v].source[2] += push;
		s->view[v].detector[2] += push;
		s->view[v].arc_center[2] += push;
	}
	check_places("uneven table", s);
	gt_scan_free(s);
	s = scan_of(&o);
	for (size_t v = 0; v < s->views; v++) {
		gt_orbit one = o;
		one.views = 1;
		one.start_angle = o.start_angle + 2 * GT_PI / VIEWS * ((double)v + 0.3 * sin(1.7 * (double)v));
		one.z_center = s->view[v].source[2] + o.pitch_per_turn * (one.start_angle - s->view[v].angle) / (2 * GT_PI);
		gt_scan *w = scan_of(&one);
		s->view[v] = w->view[0];
		gt_scan_free(w);
	}
	check_places("uneven angles", s);
	check_values("uneven angles", s, &grid, NULL);
	gt_scan_free(s);
}

GT_TEST(shifted_axis)
{
	const gt_orbit o = orbit_of(GT_ARC, 0.9, 2.6);
	const double shift[3] = { 13, -9, 40 };
	gt_scan *s = scan_of(&o);
	body moved[BALLS];
	gt_grid g = grid;
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 3; a++) {
			s->view[v].source[a] += shift[a];
			s->view[v].detector[a] += shift[a];
			s->view[v].arc_center[a] += shift[a];
		}
	for (int a = 0; a < 3; a++)
		g.center[a] += shift[a];
	for (int i = 0; i < BALLS; i++) {
		moved[i] = balls[i];
		for (int a = 0; a < 3; a++)
			moved[i].center[a] += shift[a];
	}
	double *p = bodies_project(moved, BALLS, s), *x = reconstruct("wfbp", NULL, &g, s, p);
	for (int i = 0; i < BALLS; i++)
		ck_assert(ball_error(&g, x, &moved[i], moved[i].radius + 2) < 0.1);
	free(p);
	free(x);
	gt_scan_free(s);
}

GT_TEST(options_keep_the_values)
{
	const gt_orbit o = orbit_of(GT_ARC, 0.7, 2.6);
	gt_scan *s = scan_of(&o);
	check_values("q=0", s, &grid, "q=0");
	check_values("q=0.95, hann", s, &grid, "q=0.95,filter=hann,cutoff=0.8");
	gt_scan_free(s);
}

/* Objects wider than the fan: the rows are extrapolated. */
GT_TEST(truncated_rows)
{
	const body wide = { 1, { 0, 0, 0 }, 60, 0.02 };
	const gt_orbit o = orbit_of(GT_ARC, 0.7, 2.6);
	gt_scan *s = scan_of(&o);
	double *p = bodies_project(&wide, 1, s), *cut = reconstruct("wfbp", "extend=none", &grid, s, p),
	       *x = reconstruct("wfbp", NULL, &grid, s, p);
	const double rim = region_mean(&grid, x, 0, -30, 6, 0, 20), inside = region_mean(&grid, x, 0, 0, 6, 0, 20);
	const double rim_cut = region_mean(&grid, cut, 0, -30, 6, 0, 20), inside_cut = region_mean(&grid, cut, 0, 0, 6, 0, 20);
	ck_assert_msg(fabs(rim - inside) < 0.5 * fabs(rim_cut - inside_cut), "rim %g and inside %g, without extension %g and %g", rim,
	              inside, rim_cut, inside_cut);
	free(p);
	free(cut);
	free(x);
	gt_scan_free(s);
}

/* Single precision of the backend against double on the CPU: random data and any grid sizes. */
GT_TEST(cpu_double_and_backend)
{
	static const double spot[2][3] = { { 0.3, 0, -0.4 }, { -0.3, 0, 0.4 } };
	const gt_grid g = { { 37, 23, 29 }, { 2.1, 2.3, 1.9 }, { 3, -2, 4 } };
	for (int i = 0; i < 4; i++) {
		gt_orbit o = orbit_of(i & 1 ? GT_FLAT : GT_ARC, i & 1 ? 1.3 : 0.6, 2.7);
		o.spot = spot;
		o.spots = i & 2 ? 2 : 0;
		gt_scan *s = scan_of(&o);
		const size_t n = gt_scan_size(s), voxels = gt_grid_voxels(&g);
		float *random = malloc(n * sizeof *random);
		double *p = malloc(n * sizeof *p), off = 0, all = 0;
		gt_backend *cpu, *be = gt_test_backend();
		ck_assert(random && p);
		gt_test_random(7 + (unsigned)i, n, random);
		for (size_t k = 0; k < n; k++)
			p[k] = (double)random[k];
		ck_ok(gt_backend_open("cpu:3", &cpu));
		double *want = reconstruct_as(cpu, GT_F64, "wfbp", NULL, &g, s, p);
		for (int type = GT_F32; type <= GT_F64; type++) {
			double *x = reconstruct_as(be, (gt_type)type, "wfbp", NULL, &g, s, p);
			off = all = 0;
			for (size_t k = 0; k < voxels; k++) {
				off += (x[k] - want[k]) * (x[k] - want[k]);
				all += want[k] * want[k];
			}
			ck_assert_msg(sqrt(off / all) < (type == GT_F32 ? 2e-5 : 1e-9), "case %d, %s: off by %g", i,
			              gt_type_name((gt_type)type), sqrt(off / all));
			free(x);
		}
		ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
		free(want);
		free(p);
		free(random);
		gt_backend_close(cpu);
		gt_backend_close(be);
		gt_scan_free(s);
	}
}

int main(void) { return gt_test_main("wfbp", NULL); }
