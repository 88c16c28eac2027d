/* Padding slices and view ranges: known values from the geometry of circles, parallel beams and a helix; messages;
 * contents of the padding.
 * labels: unit property */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "geometry/grid.h"
#include "geometry/projections.h"
#include "recon/z_margin.h"
#include "tests/support/support.h"

enum { VIEWS = 40, ROWS = 15, COLUMNS = 101 };
#define AXIS 400.
#define DETECTOR 1000.
#define ROW_PITCH 3.
#define COLUMN_PITCH 4.

/* All values are 1 within the central 2 m + 1 columns of rows first ... end-1, else 0. */
static gt_projections *projections(gt_shape shape, double pitch_per_turn, size_t m, size_t first, size_t end)
{
	const gt_orbit orbit = { .shape = shape,
		                 .views = VIEWS,
		                 .rows = ROWS,
		                 .columns = COLUMNS,
		                 .source_to_axis = AXIS,
		                 .source_to_detector = DETECTOR,
		                 .column_pitch = COLUMN_PITCH,
		                 .row_pitch = ROW_PITCH,
		                 .turn = pitch_per_turn > 0 ? 8 * GT_PI : 2 * GT_PI,
		                 .pitch_per_turn = pitch_per_turn };
	gt_projections *p = gt_projections_blank();
	ck_ok(gt_scan_orbit(&orbit, &p->scan));
	p->data = calloc(gt_scan_size(p->scan), sizeof *p->data);
	for (size_t i = 0; i < gt_scan_size(p->scan); i++) {
		const size_t column = i % COLUMNS, row = i / COLUMNS % ROWS;
		p->data[i] = row >= first && row < end && column + m >= COLUMNS / 2 && column <= COLUMNS / 2 + m;
	}
	return p;
}

/* Radius tangent to the ray of column COLUMNS/2 + m. */
static double radius_of(size_t m) { return AXIS * sin(atan((double)m * COLUMN_PITCH / DETECTOR)); }

/* Slices beyond a grid that ends at z = half, for the ray at detector height h that leaves the object on its far
 * side. */
static size_t slices_beyond(double h, size_t m, double half, double pitch)
{
	const double z = h * (AXIS + radius_of(m)) / DETECTOR;
	return z > half ? (size_t)ceil((z - half) / pitch - 0.01) : 0;
}

static const struct {
	size_t m, first, end;
	double up, down; /* heights of the outermost rays through the object, in rows from the detector centre */
	size_t slices;
} circles[] = {
	{ 20, 0, ROWS, 7.5, 7.5, 9 }, /* the object extends beyond both ends */
	{ 20, 0, 11, 3, 7.5, 5 },     /* it ends at row 10, whose centre is the last ray through it */
	{ 30, 4, ROWS, 7.5, 3, 3 },   { 10, 5, 9, 1, 2, 1 }, { 20, 6, 8, 0, 1, 40 },
};
enum { CIRCLES = sizeof circles / sizeof *circles };

START_TEST(circle)
{
	gt_projections *p = projections(GT_FLAT, 0, circles[_i].m, circles[_i].first, circles[_i].end);
	const gt_grid g = { { 120, 120, circles[_i].slices }, { 4, 4, 1.1 }, { 0, 0, 0 } };
	const double half = 1.1 * (double)g.n[2] / 2;
	const int rows_up = p->scan->view[0].row_axis[2] > 0;
	size_t below, above;
	ck_assert(rows_up);
	gt_z_margin(p, &g, &below, &above);
	ck_assert_uint_eq(above, slices_beyond(circles[_i].up * ROW_PITCH, circles[_i].m, half, 1.1));
	ck_assert_uint_eq(below, slices_beyond(circles[_i].down * ROW_PITCH, circles[_i].m, half, 1.1));
	gt_projections_free(p);
}
END_TEST

/* A grid with a smaller circle than the object uses its own circle; a grid that is off centre has less padding on
 * one side. */
START_TEST(small_grid_off_centre)
{
	gt_projections *p = projections(GT_FLAT, 0, 40, 0, ROWS);
	const gt_grid g = { { 8, 6, 10 }, { 5, 5, 1 }, { 0, 0, 2 } };
	const double far = 7.5 * ROW_PITCH * (AXIS + 25) / DETECTOR;
	size_t below, above;
	gt_z_margin(p, &g, &below, &above);
	ck_assert_uint_eq(above, (size_t)ceil(far - 7 - 0.01));
	ck_assert_uint_eq(below, (size_t)ceil(far - 3 - 0.01));
	gt_projections_free(p);
}
END_TEST

START_TEST(parallel)
{
	gt_projections *p = projections(GT_PARALLEL, 0, 20, 0, ROWS);
	gt_grid g = { { 120, 120, ROWS }, { 4, 4, ROW_PITCH }, { 0, 0, 0 } };
	size_t below, above;
	gt_z_margin(p, &g, &below, &above);
	ck_assert(below == 0 && above == 0);
	g.n[2] = 9;
	gt_z_margin(p, &g, &below, &above);
	ck_assert(below == 3 && above == 3);
	gt_projections_free(p);
}
END_TEST

/* Without data, and on a helix, only the geometry counts. */
START_TEST(by_geometry)
{
	const gt_grid g = { { 60, 60, 6 }, { 4, 4, 2 }, { 0, 0, 1 } };
	gt_projections *all[2] = { projections(GT_FLAT, 0, 10, 6, 8), projections(GT_FLAT, 60, 10, 6, 8) };
	size_t below, above, min_below, min_above;
	free(all[0]->data);
	all[0]->data = NULL;
	for (int i = 0; i < 2; i++) {
		gt_z_margin(all[i], &g, &below, &above);
		gt_grid_margin(&g, all[i]->scan, &min_below, &min_above);
		ck_assert_uint_eq(below, min_below);
		ck_assert_uint_eq(above, min_above);
		ck_assert(below > 0 && above > 0);
		gt_projections_free(all[i]);
	}
}
END_TEST

static void remember(void *self, const gt_message *m)
{
	strncat(self, m->text, 900 - strlen(self));
	strncat(self, "\n", 901 - strlen(self));
}

START_TEST(window_of_a_helix)
{
	gt_projections *p = projections(GT_FLAT, 60, 10, 0, ROWS);
	const gt_grid g = { { 20, 20, 4 }, { 4, 4, 2 }, { 0, 0, 50 } };
	char said[1000] = "", expected[200];
	const gt_listener log = { remember, said };
	const gt_z_margin_options o = { GT_Z_MARGIN_AUTO, 1 };
	gt_recon_extent e;
	size_t first, end;
	p->weight = calloc(gt_scan_size(p->scan), sizeof *p->weight);
	gt_grid_views(&g, p->scan, &first, &end);
	ck_assert(first > 0 && end < VIEWS);
	gt_recon_extent_views(p, &g, &e);
	ck_assert(e.first_view == first && e.scan.views == end - first && e.below == 0 && e.grid.n[2] == 4);
	ck_assert_ptr_eq(e.scan.view, p->scan->view + first);
	ck_assert_ptr_eq(e.p.scan, &e.scan);
	ck_assert_ptr_eq(e.p.data, p->data + first * ROWS * COLUMNS);
	ck_assert_ptr_eq(e.p.weight, p->weight + first * ROWS * COLUMNS);
	ck_assert_ptr_null(e.p.photons);
	gt_recon_extent_pad(&log, &o, &e);
	snprintf(expected, sizeof expected, "views %zu to %zu of 40 see these slices\n", first, end - 1);
	ck_assert_msg(!strncmp(said, expected, strlen(expected)), "%s", said);
	gt_projections_free(p);
}
END_TEST

/* The object reaches 3 rows up and extends beyond the lower end: different padding at both ends. */
START_TEST(padding)
{
	gt_projections *p = projections(GT_FLAT, 0, 20, 0, 11);
	const gt_grid g = { { 120, 120, 5 }, { 4, 4, 1.1 }, { 0, 0, 0.5 } };
	char said[1000] = "", expected[300];
	const gt_listener log = { remember, said };
	gt_z_margin_options o = { GT_Z_MARGIN_AUTO, 1 };
	gt_recon_extent e;
	size_t below, above, all_below, all_above;
	gt_z_margin(p, &g, &below, &above);
	gt_grid_margin(&g, p->scan, &all_below, &all_above);
	ck_assert(below > above && above > 0 && all_above > above);
	gt_recon_extent_views(p, &g, &e);
	gt_recon_extent_pad(&log, &o, &e);
	ck_assert(e.below == below && e.grid.n[2] == 5 + below + above && e.scan.views == VIEWS);
	ck_assert_double_eq_tol(gt_grid_first(&e.grid, 2) + 1.1 * (double)below, gt_grid_first(&g, 2), 1e-12);
	snprintf(expected, sizeof expected,
	         "adds %zu padding slices below and %zu above the grid: reconstructed but not written (--padding no omits them)\n", below,
	         above);
	ck_assert_str_eq(said, expected);

	said[0] = 0;
	o.mode = GT_Z_MARGIN_YES;
	gt_recon_extent_views(p, &g, &e);
	gt_recon_extent_pad(&log, &o, &e);
	ck_assert(e.below == all_below && e.grid.n[2] == 5 + all_below + all_above);
	ck_assert(strstr(said, "but not written\n") != NULL);

	said[0] = 0;
	o = (gt_z_margin_options){ GT_Z_MARGIN_NO, 1 };
	gt_recon_extent_views(p, &g, &e);
	gt_recon_extent_pad(&log, &o, &e);
	snprintf(expected, sizeof expected, "the content of %zu slices below and %zu above appears in the outermost slices", below, above);
	ck_assert(e.below == 0 && e.grid.n[2] == 5 && strstr(said, expected));

	/* a grid made for the scan has the padding of the geometry; a missing listener is allowed */
	o = (gt_z_margin_options){ GT_Z_MARGIN_AUTO, 0 };
	gt_recon_extent_views(p, &g, &e);
	gt_recon_extent_pad(NULL, &o, &e);
	ck_assert_uint_eq(e.below, all_below);
	gt_projections_free(p);
}
END_TEST

START_TEST(nothing_to_pad)
{
	gt_projections *p = projections(GT_FLAT, 0, 20, 6, 8);
	const gt_grid g = { { 120, 120, 40 }, { 4, 4, 1.1 }, { 0, 0, 0 } };
	char said[1000] = "";
	const gt_listener log = { remember, said };
	const gt_z_margin_options o = { GT_Z_MARGIN_AUTO, 1 };
	gt_recon_extent e;
	gt_recon_extent_views(p, &g, &e);
	gt_recon_extent_pad(&log, &o, &e);
	ck_assert(e.below == 0 && e.grid.n[2] == 40);
	ck_assert_str_eq(said, "");
	gt_projections_free(p);
}
END_TEST

START_TEST(outermost_slices_are_repeated)
{
	const gt_grid asked = { { 3, 2, 2 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_recon_extent e = { .asked = &asked, .grid = asked, .below = 2 };
	gt_backend *be = gt_test_backend();
	gt_array *x = NULL;
	float host[42];
	e.grid.n[2] = 7;
	for (int i = 0; i < 42; i++)
		host[i] = (float)i;
	ck_ok(gt_array_new(be, GT_F32, 42, &x));
	gt_array_put_float(host, x);
	ck_ok(gt_recon_extent_fill_padding(&e, x));
	gt_array_get_float(x, host);
	for (int i = 0; i < 42; i++) {
		const int from = i / 6 < 2 ? 2 : i / 6 > 3 ? 3 : i / 6;
		ck_assert_int_eq((int)host[i], 6 * from + i % 6);
	}
	gt_array_free(x);
	gt_backend_close(be);
}
END_TEST

static void fill_suite(TCase *tc)
{
	tcase_add_loop_test(tc, circle, 0, CIRCLES);
	tcase_add_test(tc, small_grid_off_centre);
	tcase_add_test(tc, parallel);
	tcase_add_test(tc, by_geometry);
	tcase_add_test(tc, window_of_a_helix);
	tcase_add_test(tc, padding);
	tcase_add_test(tc, nothing_to_pad);
	tcase_add_test(tc, outermost_slices_are_repeated);
}

int main(void) { return gt_test_main("z margin", fill_suite); }
