/* Refusals of gt_scan_check(); copies, subsets, coarser scans and hashes.
 * labels: unit, backend: none */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "tests/support/support.h"

/* Off centre, helical, asymmetric. */
static gt_orbit plain_orbit(gt_shape shape)
{
	return (gt_orbit){ .shape = shape,
		           .views = 24,
		           .rows = 10,
		           .columns = 30,
		           .source_to_axis = 54,
		           .source_to_detector = 95,
		           .column_pitch = 1.3,
		           .row_pitch = 1.7,
		           .column_offset = 1.25,
		           .row_offset = -0.5,
		           .start_angle = 0.4,
		           .turn = 2 * GT_PI,
		           .pitch_per_turn = 3,
		           .z_center = 2 };
}

static gt_scan *plain_scan(gt_shape shape)
{
	const gt_orbit orbit = plain_orbit(shape);
	gt_scan *s;
	ck_ok(gt_scan_orbit(&orbit, &s));
	return s;
}

#define refuses(shape, change, text)                               \
	do {                                                       \
		gt_scan *s = plain_scan(shape);                    \
		gt_view *const table = s->view;                    \
		ck_ok(gt_scan_check(s));                           \
		change;                                            \
		ck_refused(gt_scan_check(s), GT_ERR_FORMAT, text); \
		s->view = table;                                   \
		gt_scan_free(s);                                   \
	} while (0)

GT_TEST(refuses_sizes)
{
	refuses(GT_ARC, s->views = 0, "views=0");
	refuses(GT_ARC, s->rows = 0, "rows=0");
	refuses(GT_FLAT, s->columns = 0, "columns=0");
	refuses(GT_FLAT, s->rows = (size_t)1 << 40; s->columns = (size_t)1 << 40, "more pixels than");
	refuses(GT_FLAT, s->rows = SIZE_MAX / 8, "more pixels than");
	refuses(GT_FLAT, s->view = NULL, "no table of views");
	refuses(GT_FLAT, s->shape = GT_NSHAPES, "detector shape number 3");
	refuses(GT_ARC, s->columns = 460, "longer than its circle");
	gt_scan *none;
	ck_ok(gt_scan_new(GT_FLAT, 0, 1, 1, &none));
	ck_refused(gt_scan_check(none), GT_ERR_FORMAT, "views=0: expected at least 1");
	gt_scan_free(none);
	ck_refused(gt_scan_new(GT_FLAT, SIZE_MAX / 2, 1, 1, &none), GT_ERR_MEMORY, "no memory");
	gt_scan_free(NULL);
}

/* The refusal states the size, and nothing is allocated. */
GT_TEST(refuses_more_than_memory)
{
	gt_scan *s = NULL;
	ck_assert_int_eq(gt_scan_new(GT_FLAT, (size_t)1 << 40, 1, 1, &s), GT_ERR_MEMORY);
	ck_assert_ptr_null(s);
	ck_assert_msg(strstr(gt_error(), "the geometry of 1099511627776 views: needs") != NULL, "%s", gt_error());
}

GT_TEST(refuses_numbers)
{
	refuses(GT_ARC, s->column_pitch = 0, "column_pitch=0: expected a number greater than 0");
	refuses(GT_ARC, s->row_pitch = -1.5, "row_pitch=-1.5");
	refuses(GT_FLAT, s->row_pitch = NAN, "row_pitch=");
	refuses(GT_FLAT, s->column_center = INFINITY, "column_center=inf");
	refuses(GT_FLAT, s->row_center = -INFINITY, "row_center=-inf");
	refuses(GT_FLAT, s->source_to_axis = -2, "source_to_axis=-2: expected a number of at least 0");
	refuses(GT_FLAT, s->source_to_detector = -1, "source_to_detector=-1");
	refuses(GT_ARC, s->source_to_detector = 0, "source_to_detector=0");
	refuses(GT_PARALLEL, s->pitch_per_turn = NAN, "pitch_per_turn=");
	refuses(GT_ARC, s->pitch_per_turn = -5, "pitch_per_turn=-5: expected a number of at least 0");
}

GT_TEST(refuses_views)
{
	refuses(GT_FLAT, s->view[7].source[1] = NAN, "source of view 7");
	refuses(GT_FLAT, s->view[8].detector[2] = INFINITY, "detector of view 8");
	refuses(GT_ARC, s->view[9].arc_center[0] = NAN, "arc_center of view 9");
	refuses(GT_ARC, s->view[23].angle = INFINITY, "angle of view 23");
	refuses(GT_PARALLEL, s->view[3].column_axis[0] *= 1.1, "column_axis of view 3 has length");
	refuses(GT_FLAT, s->view[4].row_axis[2] = 1 + 2e-6, "row_axis of view 4 has length 1.000002: expected 1");
	refuses(GT_FLAT, s->view[5].row_axis[0] = 2e-3; s->view[5].row_axis[2] = sqrt(1 - 4e-6), "not perpendicular");
	refuses(GT_FLAT, memcpy(s->view[6].source, s->view[6].detector, sizeof s->view[6].source), "detector of view 6 is at its source");
	refuses(GT_PARALLEL, memcpy(s->view[6].detector, s->view[6].source, sizeof s->view[6].source),
	        "detector of view 6 is at its source");
	refuses(GT_FLAT, for (int a = 0; a < 3; a++) s->view[2].source[a] = s->view[2].detector[a] + 9 * s->view[2].column_axis[a],
	        "source of view 2 lies in the plane");
	refuses(GT_ARC, s->source_to_detector *= 1.001, "view 0");
	refuses(GT_ARC, s->view[11].detector[0] += 1, "view 11");
	refuses(GT_ARC, memcpy(s->view[1].column_axis, s->view[2].column_axis, sizeof s->view[1].column_axis),
	        "column_axis of view 1 is not tangent");
	refuses(GT_ARC, for (int a = 0; a < 2; a++) s->view[10].source[a] *= 5, "source of view 10");
}

GT_TEST(accepts_what_files_round)
{
	gt_scan *s = plain_scan(GT_ARC);
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 3; a++) {
			gt_view *w = &s->view[v];
			w->source[a] = (float)w->source[a];
			w->detector[a] = (float)w->detector[a];
			w->arc_center[a] = (float)w->arc_center[a];
			w->column_axis[a] = (float)w->column_axis[a];
			w->angle = NAN;
		}
	ck_ok(gt_scan_check(s));
	gt_scan_free(s);
}

GT_TEST(subsets_are_every_nth_view)
{
	gt_scan *s = plain_scan(GT_ARC), *part;
	s->views = 23;
	size_t seen = 0;
	for (size_t first = 0; first < 5; first++) {
		ck_ok(gt_scan_subset(s, first, 5, &part));
		ck_ok(gt_scan_check(part));
		ck_assert_uint_eq(gt_scan_size(part), part->views * 300);
		for (size_t v = 0; v < part->views; v++)
			ck_assert_mem_eq(&part->view[v], &s->view[first + 5 * v], sizeof *part->view);
		seen += part->views;
		gt_scan_free(part);
	}
	ck_assert_uint_eq(seen, 23);
	ck_refused(gt_scan_subset(s, 23, 5, &part), GT_ERR_ARG, "first view 23");
	ck_refused(gt_scan_subset(s, 0, 0, &part), GT_ERR_ARG, "stride=0");
	gt_scan_free(s);
}

GT_TEST(hash_tells_scans_apart)
{
	gt_scan *s = plain_scan(GT_ARC), *copy;
	ck_ok(gt_scan_clone(s, &copy));
	const uint64_t h = gt_scan_hash(s);
	ck_assert(h == gt_scan_hash(copy));
	double *const value[] = { &copy->column_pitch,        &copy->row_pitch,
		                  &copy->column_center,       &copy->row_center,
		                  &copy->source_to_detector,  &copy->source_to_axis,
		                  &copy->pitch_per_turn,      &copy->view[3].source[2],
		                  &copy->view[4].detector[0], &copy->view[5].column_axis[1],
		                  &copy->view[6].row_axis[2], &copy->view[7].arc_center[0],
		                  &copy->view[23].angle };
	for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
		const double was = *value[i];
		*value[i] = nextafter(was, 1e9);
		ck_assert_msg(h != gt_scan_hash(copy), "value %zu does not change the hash", i);
		*value[i] = was;
	}
	copy->view[3].source[2] = copy->view[3].source[2] == 0 ? -0.0 : copy->view[3].source[2];
	ck_assert(h == gt_scan_hash(copy));
	copy->rows = 30;
	copy->columns = 10;
	ck_assert(h != gt_scan_hash(copy));
	gt_scan_free(copy);
	gt_scan_free(s);
}

/* Corners of the detector, in mm. */
static void edges(const gt_scan *s, size_t v, double corner[2][3])
{
	const gt_detector d = gt_scan_detector(s);
	gt_pixel_point(&d, &s->view[v], -0.5, -0.5, corner[0]);
	gt_pixel_point(&d, &s->view[v], (double)s->columns - 0.5, (double)s->rows - 0.5, corner[1]);
}

GT_TESTS(coarse_detectors_keep_their_edges, GT_NSHAPES)
{
	gt_scan *s = plain_scan((gt_shape)_i), *coarse;
	double fine[2][3], large[2][3];
	ck_ok(gt_scan_coarsen(s, 7, 3, 11, &coarse));
	ck_ok(gt_scan_check(coarse));
	ck_assert_uint_eq(coarse->rows, 3);
	ck_assert_uint_eq(coarse->columns, 11);
	ck_assert_uint_eq(coarse->views, 6);
	for (size_t v = 0; v < coarse->views; v++) {
		ck_assert_mem_eq(&coarse->view[v], &s->view[4 * v], sizeof *s->view);
		edges(s, 4 * v, fine);
		edges(coarse, v, large);
		for (int i = 0; i < 6; i++)
			ck_assert_double_eq_tol(fine[i / 3][i % 3], large[i / 3][i % 3], 1e-11);
	}
	gt_scan_free(coarse);
	ck_ok(gt_scan_coarsen(s, 1000, 1000, 1000, &coarse));
	ck_assert(gt_scan_hash(coarse) == gt_scan_hash(s));
	gt_scan_free(coarse);
	ck_ok(gt_scan_coarsen(s, 1, 1, 1, &coarse));
	ck_ok(gt_scan_check(coarse));
	gt_scan_free(coarse);
	ck_refused(gt_scan_coarsen(s, 0, 1, 1, &coarse), GT_ERR_ARG, "0 views");
	gt_scan_free(s);
}

GT_TEST(coarse_views_keep_the_turn)
{
	static const struct {
		gt_shape shape;
		size_t views, max, expect;
		double turn;
		int end_view, both_ends;
	} job[] = {
		{ GT_ARC, 984, 90, 82, 2 * GT_PI, 0, 0 },    { GT_ARC, 983, 90, 90, 2 * GT_PI, 0, 0 },
		{ GT_ARC, 2952, 500, 492, 6 * GT_PI, 0, 0 }, { GT_FLAT, 496, 100, 100, 3.5, 1, 1 },
		{ GT_FLAT, 361, 50, 46, 3.9, 1, 1 },         { GT_PARALLEL, 180, 40, 36, GT_PI, 0, 0 },
		{ GT_PARALLEL, 181, 40, 37, GT_PI, 1, 1 },
	};
	for (size_t j = 0; j < sizeof job / sizeof *job; j++) {
		gt_orbit orbit = plain_orbit(job[j].shape);
		gt_scan *s, *c;
		orbit.views = job[j].views;
		orbit.turn = job[j].turn;
		orbit.end_view = job[j].end_view;
		ck_ok(gt_scan_orbit(&orbit, &s));
		ck_ok(gt_scan_coarsen(s, job[j].max, 5, 5, &c));
		ck_assert_msg(c->views == job[j].expect, "job %zu: %zu views, not %zu", j, c->views, job[j].expect);
		const double step = orbit.turn / (double)(s->views - (size_t)orbit.end_view);
		const double coarse_step = orbit.turn / (double)(c->views - (size_t)job[j].both_ends);
		ck_assert_double_eq_tol(c->view[0].angle, orbit.start_angle, 1e-12);
		for (size_t v = 1; v < c->views; v++)
			ck_assert_double_eq_tol(c->view[v].angle - c->view[v - 1].angle, coarse_step, 1.01 * step);
		if (job[j].both_ends)
			ck_assert_double_eq_tol(c->view[c->views - 1].angle, s->view[s->views - 1].angle, 1e-12);
		else
			ck_assert_double_eq_tol(gt_scan_angular_range(c), orbit.turn, 1.01 * step);
		gt_scan_free(c);
		gt_scan_free(s);
	}
}

int main(void) { return gt_test_main("scan", NULL); }
