/* The model of the time per iteration against measurements on one, two and four H200 (docs/measurements.md,
 * 2026-11-23 and 27), and the split chosen by it.
 * labels: unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "recon/team/team_split.h"
#include "tests/support/support.h"

enum { GE_HD, HELICAL, CUBE512, CUBE1024, PROBLEMS };
static const gt_grid grids[PROBLEMS] = { { { 512, 512, 64 }, { 0.9765625, 0.9765625, 0.625 }, { 0, 0, 0 } },
	                                 { { 512, 512, 128 }, { 0.9765625, 0.9765625, 0.625 }, { 0, 0, 0 } },
	                                 { { 512, 512, 512 }, { 0.6, 0.6, 0.6 }, { 0, 0, 0 } },
	                                 { { 1024, 1024, 1024 }, { 0.3, 0.3, 0.3 }, { 0, 0, 0 } } };

static gt_scan *scan_of(int problem)
{
	gt_orbit o = { .shape = GT_ARC,
		       .source_to_axis = 541,
		       .source_to_detector = 949,
		       .column_pitch = 1.0239,
		       .row_pitch = 1.0963,
		       .columns = 888,
		       .rows = 64,
		       .views = 984,
		       .turn = 2 * GT_PI };
	gt_scan *scan = NULL;
	if (problem == HELICAL) {
		o.views = 2952;
		o.turn = 6 * GT_PI;
		o.pitch_per_turn = 31.0 / 32 * 64 * 1.0963 * 541 / 949;
	} else if (problem != GE_HD) {
		const size_t n = problem == CUBE512 ? 512 : 1024;
		o = (gt_orbit){ .shape = GT_FLAT,
			        .source_to_axis = 1000,
			        .source_to_detector = 1536,
			        .column_pitch = 512. / (double)n,
			        .row_pitch = 512. / (double)n,
			        .columns = n,
			        .rows = n,
			        .views = n == 512 ? 360 : 1200,
			        .turn = 2 * GT_PI };
	}
	ck_assert_msg(gt_scan_orbit(&o, &scan) == GT_OK, "%s", gt_error());
	return scan;
}

static const struct measured {
	int problem;
	const char *penalty;       /* NULL: os-sart of 12 subsets */
	double one, views, slices; /* ms; 0: not measured */
} measured[] = {
	{ GE_HD, "qggmrf", 42.08, 22.58, 31.57 },    { GE_HD, NULL, 48.20, 30.16, 34.17 },    { GE_HD, "tv", 43.81, 24.46, 33.38 },
	{ HELICAL, "qggmrf", 118.98, 61.28, 80.88 }, { HELICAL, NULL, 146.67, 87.27, 97.59 }, { HELICAL, "tv", 122.40, 64.00, 83.68 },
	{ CUBE512, "qggmrf", 103.34, 56.86, 54.59 }, { CUBE512, NULL, 125.58, 99.11, 65.33 }, { CUBE512, "tv", 122.84, 66.87, 65.27 },
	{ CUBE1024, "qggmrf", 2381.30, 1228.84, 0 }, { CUBE1024, NULL, 3010.26, 0, 1542.23 },
};

/* 2026-11-27: four GPUs, and one and two with faster kernels for few views. */
static const struct measured_later {
	int problem;
	const char *penalty;
	size_t slabs, blocks;
	double ms;
} later[] = {
	{ GE_HD, "qggmrf", 1, 1, 42.0 },     { GE_HD, "qggmrf", 1, 4, 12.3 },    { HELICAL, "qggmrf", 1, 1, 118.6 },
	{ HELICAL, "qggmrf", 1, 2, 61.2 },   { HELICAL, "qggmrf", 1, 4, 39.5 },  { CUBE512, "qggmrf", 1, 1, 103.5 },
	{ CUBE512, "qggmrf", 2, 2, 29.8 },   { CUBE1024, "qggmrf", 1, 1, 2375 }, { CUBE1024, "qggmrf", 1, 2, 1231 },
	{ CUBE1024, "qggmrf", 2, 2, 638.6 }, { GE_HD, NULL, 1, 1, 45.5 },        { GE_HD, NULL, 1, 2, 28.5 },
	{ GE_HD, NULL, 2, 2, 21.5 },         { HELICAL, NULL, 1, 1, 142.9 },     { HELICAL, NULL, 1, 2, 85.9 },
	{ HELICAL, NULL, 1, 4, 56.0 },       { CUBE512, NULL, 1, 1, 119.8 },     { CUBE512, NULL, 2, 1, 65.1 },
	{ CUBE512, NULL, 4, 1, 47.9 },       { CUBE1024, NULL, 1, 1, 3001 },     { CUBE1024, NULL, 2, 1, 1578 },
	{ GE_HD, "tv", 1, 1, 43.9 },         { GE_HD, "tv", 1, 4, 15.1 },        { HELICAL, "tv", 1, 1, 122.8 },
	{ HELICAL, "tv", 1, 4, 42.5 },       { CUBE512, "tv", 1, 1, 122.0 },     { CUBE512, "tv", 2, 2, 36.2 },
};

static gt_model_case case_of(int problem, const char *penalty, const gt_scan *scan)
{
	return (gt_model_case){
		.grid = &grids[problem], .scan = scan, .subsets = penalty ? 1 : 12, .penalty = penalty, .element = 4, .equal_views = 1
	}; /* as measured */
}

static void within(const gt_model_case *c, size_t slabs, size_t blocks, double ms)
{
	gt_model_times t;
	if (!(ms > 0))
		return;
	gt_model(c, slabs, blocks, &t);
	ck_assert_msg(fabs(1e3 * t.seconds / ms - 1) < 0.2, "%zu x %zu of %zu slices, %zu subsets, %s: %.4g ms, %.4g measured", slabs,
	              blocks, c->grid->n[2], c->subsets, c->penalty ? c->penalty : "no penalty", 1e3 * t.seconds, ms);
	ck_assert_double_eq_tol(t.seconds, t.operators + t.exchange + t.passes, 1e-9 * t.seconds);
}

GT_TEST(within_20_percent_of_what_was_measured)
{
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
		const struct measured *m = &measured[i];
		gt_scan *scan = scan_of(m->problem);
		const gt_model_case c = case_of(m->problem, m->penalty, scan);
		within(&c, 1, 1, m->one);
		within(&c, 1, 2, m->views);
		within(&c, 2, 1, m->slices);
		gt_scan_free(scan);
	}
}

GT_TEST(within_20_percent_on_one_two_and_four)
{
	for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
		const struct measured_later *m = &later[i];
		gt_scan *scan = scan_of(m->problem);
		const gt_model_case c = case_of(m->problem, m->penalty, scan);
		within(&c, m->slabs, m->blocks, m->ms);
		gt_scan_free(scan);
	}
}

/* Analytic methods from memory to memory, on one and two; and a problem for which two are slower. */
GT_TEST(within_20_percent_of_direct_methods)
{
	static const struct {
		int problem;
		double one, two;
	} direct[] = { { GE_HD, 27.5, 24.7 }, { HELICAL, 135.3, 82.8 }, { CUBE1024, 570.5, 323.6 } };
	gt_model_times one, two;
	for (size_t i = 0; i < sizeof direct / sizeof *direct; i++) {
		gt_scan *scan = scan_of(direct[i].problem);
		gt_model_case c = case_of(direct[i].problem, NULL, scan);
		c.subsets = 1;
		c.direct = 1;
		within(&c, 1, 1, direct[i].one);
		within(&c, 2, 1, direct[i].two);
		gt_scan_free(scan);
	}
	const gt_grid small = { { 64, 64, 64 }, { 4.8, 4.8, 4.8 }, { 0, 0, 0 } };
	gt_orbit o = { .shape = GT_FLAT,
		       .source_to_axis = 1000,
		       .source_to_detector = 1536,
		       .column_pitch = 8,
		       .row_pitch = 8,
		       .columns = 64,
		       .rows = 64,
		       .views = 90,
		       .turn = 2 * GT_PI };
	gt_scan *scan = NULL;
	ck_ok(gt_scan_orbit(&o, &scan));
	const gt_model_case c = { .grid = &small, .scan = scan, .subsets = 1, .direct = 1, .element = 4 };
	gt_model(&c, 1, 1, &one);
	gt_model(&c, 2, 1, &two);
	ck_assert_msg(two.seconds > one.seconds, "%g s on two, %g s on one", two.seconds, one.seconds);
	gt_scan_free(scan);
}

/* 2048^3 voxels, 30 views per call, two ranks by slices: 1.94 s per iteration. */
GT_TEST(within_20_percent_of_a_volume_beyond_one)
{
	const gt_grid large = { { 2048, 2048, 2048 }, { 0.0042, 0.0042, 0.0042 }, { 0, 0, 0 } };
	const gt_orbit o = { .shape = GT_FLAT,
		             .source_to_axis = 50,
		             .source_to_detector = 300,
		             .column_pitch = 0.025,
		             .row_pitch = 0.025,
		             .columns = 2048,
		             .rows = 2048,
		             .views = 120,
		             .turn = 2 * GT_PI };
	gt_scan *scan = NULL;
	ck_ok(gt_scan_orbit(&o, &scan));
	const gt_model_case c = { .grid = &large, .scan = scan, .subsets = 4, .element = 4 };
	within(&c, 2, 1, 1940);
	gt_scan_free(scan);
}

/* Operator time of the slowest rank on a helix. Equal numbers of views are fair on two ranks. They are unequal on four,
 * where more views see central slices. */
GT_TEST(helices_are_not_seen_evenly)
{
	gt_scan *scan = scan_of(HELICAL);
	gt_model_case c = case_of(HELICAL, "qggmrf", scan);
	gt_model_times one, two, four;
	gt_model(&c, 1, 1, &one);
	gt_model(&c, 1, 2, &two);
	gt_model(&c, 1, 4, &four);
	ck_assert_double_lt(2 * two.operators, 1.05 * one.operators);
	ck_assert_double_gt(4 * four.operators, 1.15 * one.operators);
	c.equal_views = 0;
	gt_model(&c, 1, 4, &four);
	ck_assert_double_lt(4 * four.operators, 1.05 * one.operators);
	gt_scan_free(scan);
}

/* Parts of equal work have more views at the ends of the helix. */
GT_TEST(views_of_a_helix_are_shared_by_work)
{
	gt_scan *scan = scan_of(HELICAL);
	const size_t quarter = gt_views_with(&grids[HELICAL], scan, 0.25), half = gt_views_with(&grids[HELICAL], scan, 0.5);
	ck_assert_uint_eq(gt_views_with(&grids[HELICAL], scan, 0), 0);
	ck_assert_uint_eq(gt_views_with(&grids[HELICAL], scan, 1), scan->views);
	ck_assert_double_eq_tol((double)half, 0.5 * (double)scan->views, 2);
	ck_assert_double_eq_tol((double)quarter, 0.297 * (double)scan->views, 2);
	gt_scan_free(scan);
}

GT_TEST(the_split_that_was_faster_is_chosen)
{
	const gt_split_spec asked = { GT_SPLIT_AUTO, 0, 0 };
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
		const struct measured *m = &measured[i];
		gt_scan *scan = scan_of(m->problem);
		const gt_model_case c = case_of(m->problem, m->penalty, scan);
		gt_split_spec s;
		ck_ok(gt_split_choose(&asked, 2, &c, &s));
		const double chosen = s.slabs == 1 ? m->views : m->slices, other = s.slabs == 1 ? m->slices : m->views;
		ck_assert_msg(!(other > 0) || chosen <= other, "line %zu: %zu slabs are chosen", i, s.slabs);
		gt_scan_free(scan);
	}
}

GT_TEST(every_split_is_listed_once)
{
	gt_scan *scan = scan_of(GE_HD);
	const gt_model_case c = { .grid = &grids[GE_HD], .scan = scan, .subsets = 492, .element = 4 };
	gt_split_spec s;
	size_t n = 0;
	for (; gt_split_nth(8, &c, n, &s); n++)
		ck_assert(s.slabs * s.blocks == 8 && s.blocks <= 2); /* two views per subset */
	ck_assert_uint_eq(n, 2);
	gt_scan_free(scan);
}

int main(void) { return gt_test_main("team_model", NULL); }
