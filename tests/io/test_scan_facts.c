/* Properties derived from source positions: angles, helical motion, and voxel sizes.
 * labels: unit backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "tests/support/support.h"

static char path[64];
enum { VIEWS = 48 };

static void setup(void)
{
	strcpy(path, "/tmp/gantry-facts-XXXXXX");
	const int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
}

static void teardown(void) { unlink(path); }

static gt_scan *scan_of(gt_shape shape)
{
	const gt_orbit o = { .shape = shape,
		             .views = VIEWS,
		             .rows = 200,
		             .columns = 9,
		             .source_to_axis = 541,
		             .source_to_detector = 949,
		             .column_pitch = 1,
		             .row_pitch = 1.5,
		             .start_angle = 0.4,
		             .turn = 3 * GT_PI };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&o, &s));
	return s;
}

static gt_status there_and_back(const gt_scan *s, gt_projections **p)
{
	const gt_write_options o = { .size = sizeof o, .format = "netcdf" };
	ck_ok(gt_projections_wrap(s, NULL, NULL, NULL, p));
	ck_ok(gt_write_projections(path, &o, *p));
	gt_projections_free(*p);
	const gt_read_options geometry = {
		.size = sizeof geometry, .geometry_only = 1, .axis = NAN, .pixel = NAN, .slope = NAN, .offset = NAN
	};
	return gt_read_projections(path, &geometry, p);
}

GT_TEST(angles_are_derived)
{
	for (int shape = 0; shape < GT_NSHAPES; shape++) {
		gt_scan *s = scan_of((gt_shape)shape), *bare = scan_of((gt_shape)shape);
		gt_projections *p;
		for (size_t v = 0; v < VIEWS; v++)
			bare->view[v].angle = NAN;
		ck_ok(there_and_back(bare, &p));
		for (size_t v = 0; v < VIEWS; v++)
			ck_assert_double_eq_tol(gt_projections_scan(p)->view[v].angle, s->view[v].angle, 1e-9);
		gt_projections_free(p);
		gt_scan_free(s);
		gt_scan_free(bare);
	}
}

/* Degrees instead of radians disagree with the sources; a constant offset is allowed. */
GT_TEST(angles_in_degrees)
{
	gt_scan *s = scan_of(GT_ARC);
	gt_projections *p;
	for (size_t v = 0; v < VIEWS; v++)
		s->view[v].angle += 1;
	ck_ok(there_and_back(s, &p));
	gt_projections_free(p);
	for (size_t v = 0; v < VIEWS; v++)
		s->view[v].angle *= 180 / GT_PI;
	ck_refused(there_and_back(s, &p), GT_ERR_FORMAT, "angle of view 1 is 11.25 rad from that of view 0, but its source 0.19635 rad");
	gt_scan_free(s);
}

GT_TEST(water_that_is_none)
{
	gt_scan *s = scan_of(GT_FLAT);
	gt_projections *p;
	const gt_write_options o = { .size = sizeof o, .format = "netcdf" };
	ck_ok(gt_projections_wrap(s, NULL, NULL, NULL, &p));
	p->water = 1e39;
	ck_ok(gt_write_projections(path, &o, p));
	gt_projections_free(p);
	ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_FORMAT, "attribute water_attenuation_mm-1: is 1e+39");
	gt_scan_free(s);
}

/* Axial motion: a sine of a seventh of the rows; linear by the same amount, also in shuffled views; arbitrary by all
 * rows. */
GT_TEST(wobbling_is_no_helix)
{
	gt_scan *s = scan_of(GT_FLAT);
	const double rows = 200 * 1.5 * 541 / 949;
	for (size_t v = 0; v < VIEWS; v++)
		s->view[v].source[2] = rows / 14 * sin(s->view[v].angle);
	ck_assert_int_eq(gt_scan_is_helical(s), 0);
	for (size_t v = 0; v < VIEWS; v++)
		s->view[v].source[2] = rows / 7 * (double)v / VIEWS;
	ck_assert_int_eq(gt_scan_is_helical(s), 1);
	for (size_t v = 0; v < VIEWS; v++) {
		s->view[v].angle = fmod(17.0 * (double)v, 59);
		s->view[v].source[2] = -rows / 7 * s->view[v].angle / 59;
	}
	ck_assert_int_eq(gt_scan_is_helical(s), 1);
	for (size_t v = 0; v < VIEWS; v++)
		s->view[v].source[2] = rows * (double)(v * v % 7) / 6;
	ck_assert_int_eq(gt_scan_is_helical(s), 1);
	gt_scan_free(s);
}

GT_TEST(voxels_far_below_a_pixel)
{
	gt_scan *s = scan_of(GT_FLAT);
	gt_grid tiny = { { 4, 4, 4 }, { 1, 1e-6, 1 }, { 0, 0, 0 } };
	ck_refused(gt_grid_check(&tiny, s), GT_ERR_ARG, "grid has a pitch of 1e-06 mm along y, for pixels of ");
	tiny.pitch[1] = 1e-3;
	ck_ok(gt_grid_check(&tiny, s));
	gt_scan_free(s);
}

int main(void) { return gt_test_main_with("scan_facts", setup, teardown); }
