/* wfbp against exact line integrals: values and places on any helix, what it refuses, what it says of incomplete slices. */
/* labels: physics property */
#include "analytic/helical.h"
#include "tests/analytic/bodies.h"

enum { ROWS = 17, COLUMNS = 91, VIEWS = 90 };
#define DISTANCE 200.0
#define ROWS_AT_AXIS (ROWS * 3 * DISTANCE / 320)

static const body rods[] = { { 1, { 1, -2, 0 }, 32, 0.02 }, { 1, { 13, -8, 0 }, 8, 0.01 }, { 1, { -12, 9, 0 }, 7.5, -0.02 } };
static const body balls[] = {
	{ 0, { 24, 3, -2 }, 5, 0.05 }, { 0, { -22, 7, 3.3 }, 4.5, 0.05 }, { 0, { 3, 24, -4 }, 5, 0.05 }, { 0, { -3, -25, 1 }, 5, 0.05 }
};
enum { RODS = 3, BALLS = 4 };

/* Off-centre, odd, three pitches. */
static const gt_grid grid = { { 49, 54, 11 }, { 1.5, 1.4, 1.7 }, { 0.4, -0.7, 0.3 } };

static gt_orbit orbit_of(gt_shape shape, double pitch, double turns)
{
	return (gt_orbit){ .shape = shape,
		           .views = (size_t)(turns * VIEWS),
		           .rows = ROWS,
		           .columns = COLUMNS,
		           .source_to_axis = DISTANCE,
		           .source_to_detector = 320,
		           .column_pitch = 1.6,
		           .row_pitch = 3,
		           .column_offset = 0.25,
		           .start_angle = 0.4,
		           .turn = 2 * PI * turns,
		           .pitch_per_turn = pitch * ROWS_AT_AXIS };
}

static gt_scan *scan_of(const gt_orbit *o)
{
	gt_scan *s;
	ck_ok(gt_scan_orbit(o, &s));
	return s;
}

static void check_mean(const char *what, const double *x, const gt_grid *g, double cx, double cy, double radius, double expected)
{
	const double mean = region_mean(g, x, cx, cy, radius, 0, 20);
	ck_assert_msg(fabs(mean - expected) <= 4e-5, "%s: mean %.6f around (%g, %g): expected %.6f", what, mean, cx, cy, expected);
}

/* 2 HU of water, and each slice within 3.5 of all: nothing with the period of the pitch. */
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

static const double pitches[] = { 0.5, 0.984, 1.375 }, turns[] = { 3, 2.4, 2.1 };

START_TEST(pitches_and_shapes)
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
END_TEST

/* An odd number of views per turn, with angles that a file has rounded: the number of directions stays. */
START_TEST(rounded_angles)
{
	gt_orbit o = orbit_of(GT_ARC, 0.984, 2.4);
	double *p = NULL, *x[2];
	o.views = 91 * 24 / 10;
	for (int i = 0; i < 2; i++) {
		o.turn = 2 * PI / 91 * (double)o.views * (i ? 1 + 2e-7 : 1 - 2e-7);
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
END_TEST

/* Every other way to number, turn and move the same machine. bit 0: views in reverse order; 1: columns mirrored; 2: rows upside down;
 * 3: the table moves the other way. */
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

START_TEST(turned_over)
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
END_TEST

/* Angular, radial and axial, in turns of two, three and four. */
START_TEST(flying_focal_spots)
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
END_TEST

/* The axis elsewhere, the table not quite even, angles with jitter. */
START_TEST(other_orbits)
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
		one.start_angle = o.start_angle + 2 * PI / VIEWS * ((double)v + 0.3 * sin(1.7 * (double)v));
		one.z_center = s->view[v].source[2] + o.pitch_per_turn * (one.start_angle - s->view[v].angle) / (2 * PI);
		gt_scan *w = scan_of(&one);
		s->view[v] = w->view[0];
		gt_scan_free(w);
	}
	check_places("uneven angles", s);
	check_values("uneven angles", s, &grid, NULL);
	gt_scan_free(s);
}
END_TEST

START_TEST(shifted_axis)
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
END_TEST

START_TEST(options_keep_the_values)
{
	const gt_orbit o = orbit_of(GT_ARC, 0.7, 2.6);
	gt_scan *s = scan_of(&o);
	check_values("q=0", s, &grid, "q=0");
	check_values("q=0.95, hann", s, &grid, "q=0.95,filter=hann,cutoff=0.8");
	gt_scan_free(s);
}
END_TEST

/* Bodies wider than the fan: the rows go on. */
START_TEST(truncated_rows)
{
	const body wide = { 1, { 0, 0, 0 }, 60, 0.02 };
	const gt_orbit o = orbit_of(GT_ARC, 0.7, 2.6);
	gt_scan *s = scan_of(&o);
	double *p = bodies_project(&wide, 1, s), *cut = reconstruct("wfbp", "extend=none", &grid, s, p),
	       *x = reconstruct("wfbp", NULL, &grid, s, p);
	const double rim = region_mean(&grid, x, 0, -30, 6, 0, 20), inside = region_mean(&grid, x, 0, 0, 6, 0, 20);
	const double rim_cut = region_mean(&grid, cut, 0, -30, 6, 0, 20), inside_cut = region_mean(&grid, cut, 0, 0, 6, 0, 20);
	ck_assert_msg(fabs(rim - inside) < 0.5 * fabs(rim_cut - inside_cut), "rim %g and inside %g, cut off %g and %g", rim, inside,
	              rim_cut, inside_cut);
	free(p);
	free(cut);
	free(x);
	gt_scan_free(s);
}
END_TEST

/* The row weights of the views of a bin at (x, y, z): how many, and their sum after each is divided by the sum. */
static size_t share(const gt_helical_plan *p, const struct gt_helix_view *view, const double *height, double x, double y, double z,
                    double *sum)
{
	double w[16], all = 0;
	size_t n = 0;
	for (size_t k = 0; k < p->turns; k++) {
		struct gt_helix_line line;
		if (!gt_helix_see(&p->detector, &view[k], p->spot, height + k * p->detector.columns, p->reach, x, y, &line))
			continue;
		const double q = fabs(line.row0 + line.slope * z - (ROWS - 1) / 2.) / (ROWS / 2.);
		if (q < 1)
			all += w[n++] = gt_row_weight_double(q, p->flat, 1 / (1 - p->flat));
	}
	*sum = 0;
	for (size_t k = 0; k < n; k++)
		*sum += w[k] / all;
	return n;
}

/* By the plan alone: complete slices have some view in every bin, and their parts sum to 1. */
static void check_bin(const gt_helical_plan *p, const gt_grid *g, size_t b)
{
	struct gt_helix_view view[16];
	double height[16 * (COLUMNS + 8)], off = 0;
	for (size_t k = 0; k < p->turns; k++) {
		view[k] = gt_helical_view(p, b, k);
		for (size_t c = 0; c < p->detector.columns; c++) {
			struct gt_helix_tap t;
			gt_helix_find(p->direction, p->z, p->spot[0].views, p->sense * (view[k].direction - PI - p->fan[c]), &t);
			off = fmax(off, fabs(t.weight[0] + t.weight[1] + t.weight[2] + t.weight[3] - 1));
			height[k * p->detector.columns + c] = t.z;
		}
	}
	for (size_t z = 0; z < g->n[2]; z++)
		for (int at = 0; at < 48; at++) {
			const double r = 0.998 * p->complete_radius;
			double sum;
			const size_t n = share(p, view, height, r * cos(2 * PI * at / 48), r * sin(2 * PI * at / 48), voxel_at(g, 2, z),
			                       &sum);
			off = fmax(off, n ? fabs(sum - 1) : 0);
			if (!n && !p->incomplete[z])
				ck_abort_msg("slice %zu lacks rays and is called complete", z);
		}
	ck_assert_msg(off < 1e-9, "weights sum to 1 but for %g", off);
}

/* Rows of voxels in parallel views are those that the geometry of the ray's own view gives. */
START_TEST(rows_are_those_of_the_rays)
{
	const gt_grid g = { { 5, 5, 5 }, { 17, 17, 5 }, { 1, -2, 0 } };
	const gt_helical_options *options = gt_analytic_wfbp.defaults;
	for (int shape = GT_FLAT; shape <= GT_ARC; shape++) {
		gt_orbit o = orbit_of((gt_shape)shape, 0.9, 2.4);
		gt_scan *s = scan_of(&o);
		const double middle = o.start_angle + o.turn * ((double)o.views - 1) / (2 * (double)o.views);
		gt_helical_plan *p;
		double off = 0, height[COLUMNS + 8];
		ck_ok(gt_helical_plan_new(&g, s, options, NULL, &p));
		for (size_t j = 0; j < p->views; j += 7) {
			const struct gt_helix_view view = gt_helical_view(p, j % p->bins, j / p->bins);
			for (size_t c = 0; c < p->detector.columns; c++) {
				struct gt_helix_tap t;
				gt_helix_find(p->direction, p->z, p->spot[0].views, view.direction - PI - p->fan[c], &t);
				height[c] = t.z;
			}
			for (size_t i = 0; i < 125; i++) {
				const double x[3] = { voxel_at(&g, 0, i % 5), voxel_at(&g, 1, i / 5 % 5), voxel_at(&g, 2, i / 25) };
				struct gt_helix_line line;
				double column, row;
				if (!gt_helix_see(&p->detector, &view, p->spot, height, p->reach, x[0], x[1], &line))
					continue;
				gt_orbit one = o;
				one.views = 1;
				one.start_angle = view.direction - PI - asin((view.cosine * x[1] - view.sine * x[0]) / DISTANCE) - PI / 2;
				one.z_center = o.pitch_per_turn * (one.start_angle - middle) / (2 * PI);
				gt_scan *w = scan_of(&one);
				const gt_detector d = gt_scan_detector(w);
				ck_assert(gt_point_cell(&d, w->view, x, &column, &row));
				off = fmax(off, fabs(line.row0 + line.slope * x[2] - row));
				gt_scan_free(w);
			}
		}
		ck_assert_msg(off > 0 && off < 2e-3, "%s: rows are off by up to %g", gt_shape_names[shape], off);
		gt_helical_plan_free(p);
		gt_scan_free(s);
	}
}
END_TEST

START_TEST(weights_sum_to_one)
{
	const gt_grid g = { { 31, 31, 61 }, { 2.4, 2.4, 1.7 }, { 0, 0, 0 } };
	const gt_helical_options *options = gt_analytic_wfbp.defaults;
	for (int i = 0; i < 3; i++) {
		const gt_orbit o = orbit_of(GT_ARC, pitches[i], turns[i]);
		gt_scan *s = scan_of(&o);
		gt_helical_plan *p;
		size_t first, end;
		ck_ok(gt_helical_plan_new(&g, s, options, NULL, &p));
		ck_ok(gt_helical_plan_filter(p, options, s->row_pitch, p->bins));
		ck_assert(p->bins == VIEWS / 2 && p->turns <= 16 && p->detector.columns <= COLUMNS + 8);
		for (size_t b = 0; b < p->bins; b++)
			check_bin(p, &g, b);
		gt_helical_complete(p, &first, &end);
		ck_assert_msg(end - first > 5 && first > 0 && end < g.n[2], "pitch %g: slices %zu to %zu", pitches[i], first, end);
		gt_helical_plan_free(p);
		gt_scan_free(s);
	}
}
END_TEST

START_TEST(row_weights)
{
	for (int i = 0; i <= 1000; i++) {
		const double q = i / 1000., u = fmax(0, (q - 0.6) / 0.4), c = cos(PI / 2 * u);
		ck_assert(fabs(gt_row_weight_double(q, 0.6, 2.5) - fmax(c * c, 1e-5)) < 1e-5);
		ck_assert(fabs((double)gt_row_weight_single((float)q, 0.6f, 2.5f) - gt_row_weight_double(q, 0.6, 2.5)) < 1e-5);
		ck_assert(gt_row_weight_double(q, 0.6, 2.5) > 0);
	}
}
END_TEST

/* Incomplete ends: taken from the nearest rows, or zero. */
START_TEST(ends)
{
	const gt_grid g = { { 25, 26, 41 }, { 2, 2, 2.5 }, { 1, 0, 0 } };
	const gt_orbit o = orbit_of(GT_ARC, 0.9, 2.4);
	gt_scan *s = scan_of(&o);
	gt_analytic_seen seen;
	ck_ok(gt_analytic_wfbp.seen(&g, s, &seen));
	ck_assert(seen.first > 3 && seen.end < g.n[2] - 3 && seen.first < seen.end && isinf(seen.radius));
	double *p = bodies_project(rods, 1, s), *zero = reconstruct("wfbp", "ends=zero", &g, s, p),
	       *x = reconstruct("wfbp", NULL, &g, s, p);
	for (size_t k = 0; k < g.n[2]; k++) {
		const double z = voxel_at(&g, 2, k), a = region_mean(&g, zero, 0, 0, 15, z, 1), b = region_mean(&g, x, 0, 0, 15, z, 1);
		if (k >= seen.first && k < seen.end)
			ck_assert_msg(fabs(a - 0.02) < 4e-5 && a == b, "slice %zu: %g and %g", k, a, b);
		else
			ck_assert_msg(a == 0 && fabs(b - 0.02) < 1e-3, "slice %zu beyond the ends: %g and %g", k, a, b);
	}
	free(p);
	free(zero);
	free(x);
	gt_scan_free(s);
}
END_TEST

/* A slab of a long scan: from the views that it needs the same values as its slices have in the whole, beyond the ends too, and where the
 * pitch leaves gaps. */
START_TEST(slabs_of_long_scans)
{
	static const double spot[3][3] = { { 0.3, 0, -0.4 }, { -0.3, 0, 0.4 }, { 0, 0.5, 0 } };
	const gt_helical_options *options = gt_analytic_wfbp.defaults;
	for (int i = 0; i < 3; i++) {
		gt_orbit o = orbit_of(GT_ARC, i == 1 ? 1.8 : 0.9, 7);
		o.spot = spot;
		o.spots = i == 2 ? 3 : 0;
		gt_scan *s = scan_of(&o);
		gt_grid all = { { 19, 16, 61 }, { 5, 5, 5 }, { 1, -2, 3 } }, slab = all;
		const size_t first = i == 0 ? 1 : 29, slices = i == 0 ? 24 : 5;
		slab.n[2] = slices;
		slab.center[2] = voxel_at(&all, 2, first) + (double)(slices - 1) / 2 * all.pitch[2];
		gt_helical_plan *p;
		ck_ok(gt_helical_plan_new(&slab, s, options, NULL, &p));
		const size_t before = p->views;
		gt_helical_plan_trim(p);
		ck_assert_msg(p->views < before * 2 / 3 && p->turns == (p->views + p->bins - 1) / p->bins, "%zu of %zu views", p->views,
		              before);
		gt_helical_plan_free(p);
		const size_t n = gt_scan_cells(s), plane = all.n[0] * all.n[1];
		float *random = malloc(n * sizeof *random);
		double *data = malloc(n * sizeof *data), off = 0;
		ck_assert(random && data);
		gt_test_random(3 + (unsigned)i, n, random);
		for (size_t k = 0; k < n; k++)
			data[k] = (double)random[k];
		gt_backend *be = gt_test_backend();
		double *x = reconstruct_as(be, GT_F64, "wfbp", NULL, &all, s, data),
		       *part = reconstruct_as(be, GT_F64, "wfbp", NULL, &slab, s, data);
		for (size_t k = 0; k < slices * plane; k++)
			off = fmax(off, fabs(part[k] - x[first * plane + k]));
		ck_assert_msg(off < 1e-11, "case %d: off by %g", i, off);
		gt_backend_close(be);
		free(random);
		free(data);
		free(x);
		free(part);
		gt_scan_free(s);
	}
}
END_TEST

/* The backend's single precision against double on the CPU: random data and grids that end anywhere. */
START_TEST(cpu_double_and_backend)
{
	static const double spot[2][3] = { { 0.3, 0, -0.4 }, { -0.3, 0, 0.4 } };
	const gt_grid g = { { 37, 23, 29 }, { 2.1, 2.3, 1.9 }, { 3, -2, 4 } };
	for (int i = 0; i < 4; i++) {
		gt_orbit o = orbit_of(i & 1 ? GT_FLAT : GT_ARC, i & 1 ? 1.3 : 0.6, 2.7);
		o.spot = spot;
		o.spots = i & 2 ? 2 : 0;
		gt_scan *s = scan_of(&o);
		const size_t n = gt_scan_cells(s), voxels = gt_grid_voxels(&g);
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
		ck_assert_uint_eq(gt_backend_counters(be).bytes, 0);
		free(want);
		free(p);
		free(random);
		gt_backend_close(cpu);
		gt_backend_close(be);
		gt_scan_free(s);
	}
}
END_TEST

static gt_status run(const gt_grid *g, const gt_scan *s)
{
	gt_backend *be = gt_test_backend();
	gt_array *p = gt_test_array(be, GT_F32, gt_scan_cells(s), 1), *x = gt_test_array(be, GT_F32, gt_grid_voxels(g), 2);
	const gt_status st = gt_analytic_run(&gt_analytic_wfbp, be, g, s, NULL, p, x);
	gt_array_free(p);
	gt_array_free(x);
	ck_assert_uint_eq(gt_backend_counters(be).bytes, 0);
	gt_backend_close(be);
	return st;
}

#define REFUSED(g, s, text)                                      \
	do {                                                     \
		ck_refused(run(g, s), GT_ERR_UNSUPPORTED, text); \
		gt_scan_free(s);                                 \
	} while (0)

START_TEST(other_scans_are_refused)
{
	gt_orbit o = orbit_of(GT_ARC, 0, 2);
	gt_scan *s = scan_of(&o);
	REFUSED(&grid, s, "this one is circular: use fdk");
	s = scan_of(&o);
	s->pitch_per_turn = 30;
	REFUSED(&grid, s, "pitch_per_turn=30 mm), but the table stands still: all sources are at z=0");
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
	REFUSED(&grid, s, "stands still or turns back from view 100");
	s = scan_of(&o);
	lean(&s->view[3], 0.01, 0);
	REFUSED(&grid, s, "row_axis of view 3");
	s = scan_of(&o);
	s->view[9].angle = NAN;
	REFUSED(&grid, s, "view 9 has none");
}
END_TEST

START_TEST(bad_orbits_are_refused)
{
	gt_orbit o = orbit_of(GT_ARC, 0.9, 2.4);
	gt_scan *s = scan_of(&o);
	for (size_t v = 50; v + 5 < s->views; v++)
		s->view[v] = s->view[v + 5];
	s->views -= 5;
	REFUSED(&grid, s, "view 50 stands 24 degrees after view 49: expected steps of about");
	s = scan_of(&o);
	for (int a = 0; a < 2; a++)
		s->view[40].source[a] *= 1.01;
	for (int a = 0; a < 2; a++)
		s->view[40].arc_center[a] *= 1.01, s->view[40].detector[a] += 0.01 * s->view[40].source[a] / 1.01;
	REFUSED(&grid, s, "source and detector of view 40 do not stand as");
	o = orbit_of(GT_ARC, 0.9, 0.55);
	s = scan_of(&o);
	REFUSED(&grid, s, "cover 198.00 degrees: expected at least 205");
	o = orbit_of(GT_ARC, 0.9, 2.4);
	o.columns = 7;
	o.column_pitch = 20;
	s = scan_of(&o);
	REFUSED(&grid, s, "has 7 columns");
}
END_TEST

START_TEST(pitch_beyond_the_limit)
{
	gt_orbit o = orbit_of(GT_ARC, 2.1, 4);
	gt_scan *s = scan_of(&o);
	REFUSED(&grid, s, "wfbp: pitch 2.1");
	/* Between: complete as far as it is. 2 pi cos g / (pi + 2 g) = 1.8 at r = 200 sin g. */
	o.pitch_per_turn = 1.8 * ROWS_AT_AXIS;
	s = scan_of(&o);
	gt_analytic_seen seen;
	ck_ok(gt_analytic_wfbp.seen(&grid, s, &seen));
	const double g = asin(seen.radius / DISTANCE);
	ck_assert_msg(fabs(2 * PI * cos(g) / (PI + 2 * g) - seen.pitch) < 1e-6 && fabs(seen.pitch - 1.8) < 1e-3, "radius %g of pitch %g",
	              seen.radius, seen.pitch);
	ck_assert(seen.limit < 1.8 && seen.first < seen.end);
	ck_ok(run(&grid, s));
	gt_scan_free(s);
}
END_TEST

START_TEST(slices_outside)
{
	const gt_orbit o = orbit_of(GT_ARC, 0.9, 2.4);
	gt_grid g = grid;
	g.center[2] = 55;
	gt_scan *s = scan_of(&o);
	REFUSED(&g, s, "is seen over half a turn");
	g.center[2] = -55;
	s = scan_of(&o);
	REFUSED(&g, s, "the scan shows z=-");
	s = scan_of(&o);
	g.center[2] = 20;
	ck_ok(run(&g, s));
	gt_scan_free(s);
}
END_TEST

START_TEST(is_the_method_of_helices)
{
	const gt_orbit o = orbit_of(GT_FLAT, 0.9, 2.4), still = orbit_of(GT_FLAT, 0, 2);
	gt_scan *s = scan_of(&o), *c = scan_of(&still);
	ck_assert(gt_analytic_for(s) == &gt_analytic_wfbp && gt_analytic_find("wfbp") == &gt_analytic_wfbp);
	ck_assert_str_eq(gt_analytic_for(c)->name, "fdk");
	gt_scan_free(s);
	gt_scan_free(c);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_test(tc, pitches_and_shapes);
	tcase_add_test(tc, rounded_angles);
	tcase_add_test(tc, turned_over);
	tcase_add_test(tc, flying_focal_spots);
	tcase_add_test(tc, other_orbits);
	tcase_add_test(tc, shifted_axis);
	tcase_add_test(tc, options_keep_the_values);
	tcase_add_test(tc, truncated_rows);
	tcase_add_test(tc, rows_are_those_of_the_rays);
	tcase_add_test(tc, weights_sum_to_one);
	tcase_add_test(tc, row_weights);
	tcase_add_test(tc, ends);
	tcase_add_test(tc, slabs_of_long_scans);
	tcase_add_test(tc, cpu_double_and_backend);
	tcase_add_test(tc, other_scans_are_refused);
	tcase_add_test(tc, bad_orbits_are_refused);
	tcase_add_test(tc, pitch_beyond_the_limit);
	tcase_add_test(tc, slices_outside);
	tcase_add_test(tc, is_the_method_of_helices);
}

int main(void) { return gt_test_main("wfbp", fill); }
