/* Conjugate rays: planted faults are named, correct scans cause no message.
 * labels: unit property, backend: none */
#include <gantry/consistency.h>
#include "core/random.h"
#include "tests/analytic/bodies.h"

enum { COLUMNS = 83, ROWS = 11, TURN = 90 };

/* Asymmetric; one object is infinite along z, one extends beyond the fan. */
static const body plain[] = {
	{ 1, { 9, -14, 0 }, 150, 0.019 },   { 0, { 70, 35, 4 }, 31, 0.012 },   { 0, { -62, 51, -13 }, 22, 0.02 },
	{ 0, { -21, -83, 9 }, 27, -0.01 },  { 0, { 38, -61, -21 }, 18, 0.03 }, { 0, { 12, 90, 24 }, 24, -0.012 },
	{ 0, { -95, -30, 31 }, 20, 0.017 }, { 0, { 30, 11, 46 }, 29, 0.014 },  { 0, { 50, 20, -44 }, 33, -0.009 },
};
enum { BODIES = sizeof plain / sizeof *plain };

/* A scanner of clinical size with few pixels. Pitch: table feed over the height of the rows at the axis. */
static gt_orbit orbit_of(gt_shape shape, double pitch, double offset)
{
	gt_orbit o = { .shape = shape,
		       .rows = ROWS,
		       .columns = COLUMNS,
		       .source_to_axis = 541,
		       .source_to_detector = 949,
		       .column_pitch = shape == GT_PARALLEL ? 5.1 : 9.7,
		       .row_pitch = shape == GT_PARALLEL ? 3.1 : 6.3,
		       .column_offset = offset,
		       .start_angle = 0.37,
		       .views = TURN,
		       .turn = 2 * GT_PI };
	if (pitch > 0) {
		o.views = TURN * 2;
		o.turn = 4 * GT_PI;
		o.pitch_per_turn = pitch * ROWS * o.row_pitch * 541 / 949;
	}
	return o;
}

typedef struct {
	gt_scan *scan;
	float *data;
} acquired;

static acquired acquire(const gt_orbit *o, double photons, uint64_t seed)
{
	acquired a;
	ck_ok(gt_scan_orbit(o, &a.scan));
	double *exact = bodies_project(plain, BODIES, a.scan);
	const size_t n = gt_scan_size(a.scan);
	ck_assert_ptr_nonnull(a.data = malloc(n * sizeof *a.data));
	for (size_t i = 0; i < n; i++) {
		gt_random r;
		gt_random_at(seed, i, &r);
		const double mean = photons * exp(-exact[i]);
		a.data[i] = (float)(photons > 0 ? -log(fmax(1, mean + sqrt(mean) * gt_normal(&r)) / photons) : exact[i]);
	}
	free(exact);
	return a;
}

static void drop(acquired *a)
{
	gt_scan_free(a->scan);
	free(a->data);
}

static void reverse_data(acquired *a, int columns, int rows)
{
	const size_t n = gt_scan_size(a->scan), line = a->scan->columns, image = line * a->scan->rows;
	float *to = malloc(n * sizeof *to);
	ck_assert_ptr_nonnull(to);
	for (size_t i = 0; i < n; i++) {
		const size_t k = i % line, l = i / line % a->scan->rows, v = i / image;
		to[i] = a->data[v * image + (rows ? a->scan->rows - 1 - l : l) * line + (columns ? line - 1 - k : k)];
	}
	free(a->data);
	a->data = to;
}

/* A file with reversed angles, by the formulas of the orbit and not by a mirror. */
static void reverse_turn(acquired *a)
{
	for (size_t v = 0; v < a->scan->views; v++) {
		gt_view *w = &a->scan->view[v];
		const double angle = -w->angle, s = sin(angle), c = cos(angle), z = w->source[2];
		const double detector[3] = { -541 * s + 949 * s, 541 * c - 949 * c, z };
		w->angle = angle;
		w->source[0] = -541 * s;
		w->source[1] = 541 * c;
		memcpy(w->detector, detector, sizeof detector);
		memcpy(w->arc_center, w->source, sizeof w->source);
		w->column_axis[0] = c;
		w->column_axis[1] = s;
	}
}

static gt_conjugate_report check(const acquired *a)
{
	gt_conjugate_report r;
	ck_ok(gt_conjugate_check(a->scan, a->data, NULL, &r));
	return r;
}

#define ck_verdict(r, wanted, what)                                                                                                       \
	ck_assert_msg((r).faults == (wanted) && (r).explained, "%s: faults %u (or %u), expected %u; %s; ratio %.2f, center %.3f +- %.3f", \
	              what, (r).faults, (r).instead, (unsigned)(wanted), (r).explained ? "explained" : "not explained",                   \
	              (r).item[(r).best].rms / (r).item[(r).best].expected, (r).center, (r).error)

static void healthy(const gt_orbit *o, double photons, const char *what)
{
	acquired a = acquire(o, photons, 3);
	const gt_conjugate_report r = check(&a);
	ck_verdict(r, 0, what);
	ck_assert_msg(fabs(r.center - a.scan->column_center) < 0.05, "%s: center %g, it is %g", what, r.center, a.scan->column_center);
	ck_assert_msg(r.item[0].rms < 1.4 * r.item[0].expected, "%s: ratio %g", what, r.item[0].rms / r.item[0].expected);
	drop(&a);
}

/* Plants each of the four faults; every: also other shifts and two faults at once. rows: row faults are detectable. */
static void planted(const gt_orbit *o, double photons, int rows, int every, const char *what)
{
	const double center = (COLUMNS - 1) / 2.0 + o->column_offset;
	char text[128];
	const struct {
		unsigned fault;
		double moved;
	} all[] = {
		{ GT_CONJUGATE_COLUMNS, 0 },
		{ GT_CONJUGATE_DIRECTION, 0 },
		{ GT_CONJUGATE_CENTER, -2 * o->column_offset },
		{ GT_CONJUGATE_ROWS, 0 },
		{ GT_CONJUGATE_CENTER, 0.3 },
		{ GT_CONJUGATE_CENTER, -7.4 },
		{ GT_CONJUGATE_ROWS | GT_CONJUGATE_COLUMNS, 0 },
		{ GT_CONJUGATE_ROWS | GT_CONJUGATE_CENTER, 1.7 },
	};
	for (size_t i = 0; i < (every ? sizeof all / sizeof *all : 4); i++) {
		if (all[i].fault & GT_CONJUGATE_ROWS && !rows)
			continue;
		acquired a = acquire(o, photons, 40 + i);
		reverse_data(&a, all[i].fault & GT_CONJUGATE_COLUMNS, all[i].fault & GT_CONJUGATE_ROWS);
		if (all[i].fault & GT_CONJUGATE_DIRECTION)
			reverse_turn(&a);
		a.scan->column_center += all[i].moved;
		const gt_conjugate_report r = check(&a);
		snprintf(text, sizeof text, "%s, %g photons, fault %u by %g", what, photons, all[i].fault, all[i].moved);
		ck_verdict(r, all[i].fault, text);
		ck_assert_msg(!r.instead, "%s: or else %u", text, r.instead);
		const double stored = all[i].fault & GT_CONJUGATE_COLUMNS ? COLUMNS - 1 - center : center;
		ck_assert_msg(fabs(r.center - stored) < 0.05, "%s: center %g +- %g, it is %g", text, r.center, r.error, stored);
		drop(&a);
	}
}

/* Every second pair of pitch and shape, or with GT_LONG=1 all. */
GT_TEST(helices)
{
	static const double pitch[] = { 0.5, 0.984, 1.375 }, photons[] = { 1e4, 1e5, 1e6 };
	char text[64];
	for (int i = 0; i < 3; i++)
		for (int shape = GT_FLAT; shape <= GT_ARC; shape++) {
			const gt_orbit o = orbit_of((gt_shape)shape, pitch[i], shape == GT_ARC ? 1.25 : -0.25);
			if (i % 2 != (shape == GT_FLAT) && !gt_tests_long())
				continue;
			snprintf(text, sizeof text, "helix of pitch %g, %s", pitch[i], gt_shape_names[shape]);
			healthy(&o, 0, text);
			healthy(&o, photons[i], text);
			planted(&o, photons[(i + shape) % 3], 1, i == 1 - (shape == GT_ARC), text);
		}
}

GT_TEST(circles)
{
	for (int shape = GT_FLAT; shape <= GT_ARC; shape++) {
		gt_orbit o = orbit_of((gt_shape)shape, 0, 0.25);
		healthy(&o, 0, gt_shape_names[shape]);
		healthy(&o, 1e4, gt_shape_names[shape]);
		planted(&o, shape == GT_ARC ? 1e6 : 3e5, 0, shape == GT_ARC, gt_shape_names[shape]);
		o.turn = GT_PI + 2 * gt_orbit_half_fan(&o);
		o.end_view = 1;
		healthy(&o, 1e5, "short scan");
		planted(&o, 1e5, 0, shape == GT_FLAT, "short scan");
	}
}

/* Even numbers of rows, one row, few rows; another number of columns; a strongly displaced detector; a flying spot. */
GT_TEST(other_correct_scans)
{
	static const double spot[3][3] = { { 0.8, 0, 1.1 }, { -0.8, 4, -1.1 }, { 0.1, -2, 0.4 } };
	for (int helix = 0; helix < 2; helix++)
		for (int shape = GT_FLAT; shape <= GT_ARC; shape++) {
			gt_orbit o = orbit_of((gt_shape)shape, helix ? 0.8 : 0, 0.25);
			o.spot = spot;
			o.spots = 2;
			healthy(&o, 1e5, "two spots");
			o.spots = 3;
			healthy(&o, 0, "three spots");
			o.spots = 0;
			o.rows = 12;
			o.columns = 90;
			healthy(&o, 1e5, "even sizes");
			o.column_pitch = 3.1;
			healthy(&o, 1e5, "truncated");
			o.column_pitch = 9.7;
			o.column_offset = 0;
			healthy(&o, 1e5, "no offset");
			o.column_offset = 17.75;
			healthy(&o, 1e5, "shifted detector");
			o.rows = helix ? 3 : 1;
			o.row_pitch *= helix ? 4 : 1;
			healthy(&o, 1e5, "few rows");
		}
}

GT_TEST(flying_spots_and_faults)
{
	static const double spot[2][3] = { { 0.8, 0, 1.1 }, { -0.8, 4, -1.1 } };
	gt_orbit o = orbit_of(GT_ARC, 0.984, 1.25);
	o.spot = spot;
	o.spots = 2;
	acquired a = acquire(&o, 1e5, 7);
	reverse_data(&a, 1, 0);
	gt_conjugate_report r = check(&a);
	ck_verdict(r, GT_CONJUGATE_COLUMNS, "columns");
	a.scan->column_center -= 2.5;
	r = check(&a);
	ck_verdict(r, GT_CONJUGATE_DIRECTION, "columns, with the offset's sign the same as if the turn were wrong: the simpler of both");
	drop(&a);
}

/* A detector displaced so far that its centre lies outside the rays. */
GT_TEST(shifted_detector_taken_for_centered)
{
	const gt_orbit o = orbit_of(GT_FLAT, 0, 17.75);
	acquired a = acquire(&o, 1e5, 11);
	a.scan->column_center = (COLUMNS - 1) / 2.0;
	const gt_conjugate_report r = check(&a);
	ck_verdict(r, GT_CONJUGATE_CENTER, "shifted detector");
	ck_assert_msg(fabs(r.center - a.scan->column_center - 17.75) < 0.1, "center %g +- %g", r.center, r.error);
	drop(&a);
}

GT_TEST(not_identifiable)
{
	/* without an offset, reversed columns and reversed angles are mirror images of each other */
	gt_orbit o = orbit_of(GT_ARC, 0.984, 0);
	acquired a = acquire(&o, 1e6, 5);
	reverse_data(&a, 1, 0);
	gt_conjugate_report r = check(&a);
	ck_verdict(r, GT_CONJUGATE_COLUMNS, "columns");
	ck_assert_uint_eq(r.instead, GT_CONJUGATE_DIRECTION);
	ck_assert_uint_eq(r.hidden, 0);
	/* both at once are the mirror image of a correct scan */
	reverse_turn(&a);
	r = check(&a);
	ck_verdict(r, 0, "columns and turn");
	drop(&a);
	/* reversed rows on a circle */
	o = orbit_of(GT_ARC, 0, 0.25);
	a = acquire(&o, 1e6, 5);
	reverse_data(&a, 0, 1);
	r = check(&a);
	ck_verdict(r, 0, "rows on a circle");
	ck_assert_uint_eq(r.hidden, GT_CONJUGATE_ROWS);
	drop(&a);
	/* constant along z: rows are not identifiable; rotationally symmetric: columns and angles neither */
	static const body endless[] = { { 1, { 60, -40, 0 }, 70, 0.02 }, { 1, { -70, 30, 0 }, 33, 0.03 } },
			  round = { 1, { 0, 0, 0 }, 90, 0.02 };
	o = orbit_of(GT_ARC, 0.984, 0.25);
	for (int i = 0; i < 2; i++) {
		ck_ok(gt_scan_orbit(&o, &a.scan));
		double *exact = bodies_project(i ? &round : endless, i ? 1 : 2, a.scan);
		ck_assert_ptr_nonnull(a.data = malloc(gt_scan_size(a.scan) * sizeof *a.data));
		for (size_t k = 0; k < gt_scan_size(a.scan); k++)
			a.data[k] = (float)exact[k];
		free(exact);
		r = check(&a);
		ck_verdict(r, 0, i ? "round" : "endless");
		ck_assert_uint_eq(r.hidden, i ? GT_CONJUGATE_ROWS | GT_CONJUGATE_COLUMNS | GT_CONJUGATE_DIRECTION : GT_CONJUGATE_ROWS);
		drop(&a);
	}
}

/* Full rotations with even and odd numbers of views, 180 degrees with both ends and without the last. */
GT_TEST(parallel_beams)
{
	static const struct {
		const char *what;
		size_t views;
		double turns, error;
		int end;
	} all[] = { { "full turn", 150, 1, 0.05, 0 },
		    { "odd number of views", 151, 1, 0.05, 0 },
		    { "180 degrees", 91, 0.5, 0.05, 1 },
		    { "180 degrees without the end", 180, 0.5, 0.3, 0 } };
	gt_orbit o = orbit_of(GT_PARALLEL, 0, 3.4);
	o.source_to_axis = o.source_to_detector = 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		o.views = all[i].views;
		o.turn = 2 * GT_PI * all[i].turns;
		o.end_view = all[i].end;
		acquired a = acquire(&o, 1e5, 9);
		gt_conjugate_report r = check(&a);
		ck_verdict(r, 0, all[i].what);
		ck_assert_msg(r.hidden == (GT_CONJUGATE_ROWS | GT_CONJUGATE_COLUMNS | GT_CONJUGATE_DIRECTION),
		              "%s: hidden %u, center %g +- %g", all[i].what, r.hidden, r.center, r.error);
		a.scan->column_center -= 3.4;
		r = check(&a);
		ck_verdict(r, GT_CONJUGATE_CENTER, all[i].what);
		ck_assert_msg(fabs(r.center - a.scan->column_center - 3.4) < all[i].error, "%s: center %g, it is %g", all[i].what, r.center,
		              a.scan->column_center + 3.4);
		drop(&a);
	}
}

/* Other faults: sources at another distance than in the file, and displaced views. */
GT_TEST(other_faults)
{
	gt_orbit o = orbit_of(GT_ARC, 0.984, 0.25);
	acquired a = acquire(&o, 1e6, 13);
	o.source_to_axis = 400;
	gt_scan_free(a.scan);
	ck_ok(gt_scan_orbit(&o, &a.scan));
	gt_conjugate_report r = check(&a);
	ck_assert_msg(!r.explained, "another distance: faults %u, ratio %g", r.faults, r.item[r.best].rms / r.item[r.best].expected);
	drop(&a);
}

GT_TEST(refusals)
{
	gt_conjugate_report r;
	gt_orbit o = orbit_of(GT_ARC, 0, 0.25);
	o.turn = 1.5;
	o.views = 50;
	acquired a = acquire(&o, 0, 1);
	ck_refused(gt_conjugate_check(a.scan, a.data, NULL, &r), GT_ERR_UNSUPPORTED, "conjugate rays: found 0 pairs");
	drop(&a);
	o = orbit_of(GT_ARC, 0, 0.25);
	a = acquire(&o, 0, 1);
	memset(a.data, 0, gt_scan_size(a.scan) * sizeof *a.data);
	ck_refused(gt_conjugate_check(a.scan, a.data, NULL, &r), GT_ERR_UNSUPPORTED, "pass through the object");
	a.scan->columns = 3;
	ck_refused(gt_conjugate_check(a.scan, a.data, NULL, &r), GT_ERR_UNSUPPORTED, "conjugate rays: 3 columns");
	drop(&a);
}

GT_TEST(same_on_any_number_of_threads)
{
	const gt_orbit o = orbit_of(GT_ARC, 0.984, 0.25);
	acquired a = acquire(&o, 1e5, 17);
	gt_conjugate_report one = check(&a), three;
	gt_pool *pool;
	ck_ok(gt_pool_new(3, &pool));
	ck_ok(gt_conjugate_check(a.scan, a.data, pool, &three));
	gt_pool_free(pool);
	ck_assert(one.center == three.center && one.error == three.error && one.cases == three.cases);
	for (size_t i = 0; i < one.cases; i++)
		ck_assert(one.item[i].rms == three.item[i].rms && one.item[i].expected == three.item[i].expected);
	drop(&a);
}

int main(void) { return gt_test_main("conjugate", NULL); }
