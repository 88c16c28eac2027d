/* NumPy files as images: types, byte orders, both axis orders, geometry of a cone beam, refusals. */
/* labels: unit, backend: none */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { VIEWS = 4, ROWS = 3, COLUMNS = 5, N = VIEWS * ROWS * COLUMNS };
static gt_frames_options frames;
static gt_read_options options;

static void setup(void)
{
	tiff_setup();
	frames = gt_frames_defaults;
	frames.angles = "10:20";
	frames.values = GT_FRAMES_LINE_INTEGRALS;
	options = gt_read_defaults;
	options.frames = &frames;
	options.axis = 2.25;
}

static double value_of(size_t i) { return (double)((i * 37) % 101); }

/* A file with this dictionary and these bytes of data. */
static void write_npy(int version, const char *dictionary, const void *data, size_t bytes)
{
	FILE *f = fopen(tiff_path("a.npy"), "wb");
	const size_t n = strlen(dictionary);
	const unsigned char lead[12] = {
		0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version, 0, (unsigned char)n, (unsigned char)(n >> 8), 0, 0
	};
	fwrite(lead, 1, version == 1 ? 10 : 12, f);
	fwrite(dictionary, 1, n, f);
	fwrite(data, 1, bytes, f);
	fclose(f);
}

static gt_projections *read_ok(void)
{
	gt_projections *p = NULL;
	ck_ok(gt_read_projections(tiff_path("a.npy"), &options, &p));
	return p;
}

static void check(const gt_projections *p, size_t views, size_t rows)
{
	ck_assert_uint_eq(p->scan->views, views);
	ck_assert_uint_eq(p->scan->rows, rows);
	ck_assert_uint_eq(p->scan->columns, COLUMNS);
	for (size_t i = 0; i < N; i++)
		ck_assert_double_eq((double)p->data[i], value_of(i));
}

GT_TEST(types_and_orders_are_read)
{
	unsigned char big[2 * N], small[N];
	float turned[N];
	double wide[N];
	gt_projections *p;
	for (size_t i = 0; i < N; i++) {
		wide[i] = value_of(i);
		big[2 * i] = 0;
		big[2 * i + 1] = small[i] = (unsigned char)value_of(i);
		turned[i % COLUMNS * (N / COLUMNS) + i / COLUMNS] = (float)value_of(i);
	}
	write_npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3, 5), }          \n", wide, sizeof wide);
	check(p = read_ok(), VIEWS, ROWS);
	gt_projections_free(p);
	write_npy(2, "{'descr': '>u2', 'fortran_order': False, 'shape': (4, 3, 5), }\n", big, sizeof big);
	check(p = read_ok(), VIEWS, ROWS);
	gt_projections_free(p);
	write_npy(3, "{'shape': (4, 3, 5), 'fortran_order': False, 'descr': '|u1'}\n", small, sizeof small);
	check(p = read_ok(), VIEWS, ROWS);
	gt_projections_free(p);
	frames.sinogram = 1;
	write_npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (12, 5), }\n", turned, sizeof turned);
	check(p = read_ok(), VIEWS * ROWS, 1);
	gt_projections_free(p);
}

GT_TEST(a_cone_beam_is_placed_as_the_orbit_has_it)
{
	double wide[N] = { 0 };
	write_npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3, 5), }\n", wide, sizeof wide);
	frames.source_to_axis = 400;
	frames.source_to_detector = 700;
	options.pixel = 0.2;
	gt_projections *p = read_ok();
	gt_scan *s = NULL;
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = VIEWS,
		                 .rows = ROWS,
		                 .columns = COLUMNS,
		                 .source_to_axis = 400,
		                 .source_to_detector = 700,
		                 .column_pitch = 0.2,
		                 .row_pitch = 0.2,
		                 .column_offset = 0.25,
		                 .start_angle = 10 * GT_PI / 180,
		                 .turn = 80 * GT_PI / 180 };
	ck_ok(gt_scan_orbit(&orbit, &s));
	ck_assert_double_eq(p->scan->column_center, 2.25);
	ck_assert_double_eq(p->scan->source_to_detector, 700);
	for (size_t v = 0; v < VIEWS; v++)
		for (int a = 0; a < 3; a++) {
			ck_assert_double_eq_tol(p->scan->view[v].source[a], s->view[v].source[a], 1e-9);
			ck_assert_double_eq_tol(p->scan->view[v].detector[a], s->view[v].detector[a], 1e-9);
			ck_assert_double_eq_tol(p->scan->view[v].column_axis[a], s->view[v].column_axis[a], 1e-12);
			ck_assert_double_eq_tol(p->scan->view[v].row_axis[a], -s->view[v].row_axis[a], 1e-12);
		}
	gt_scan_free(s);
	gt_projections_free(p);
	options.axis = NAN;
	p = read_ok();
	ck_assert_double_eq(p->scan->column_center, 2);
	gt_projections_free(p);
}

static void refuse(gt_status code, const char *why)
{
	gt_projections *p = NULL;
	ck_refused(gt_read_projections(tiff_path("a.npy"), &options, &p), code, why);
	ck_assert_ptr_null(p);
}

GT_TEST(what_is_no_array_of_images_is_refused)
{
	static const char *const all[][2] = {
		{ "{'descr': '|O', 'fortran_order': False, 'shape': (4, 3, 5), }", "its samples are '|O'" },
		{ "{'descr': '<c8', 'fortran_order': False, 'shape': (4, 3, 5), }", "its samples are '<c8', expected" },
		{ "{'descr': '<f8', 'fortran_order': True, 'shape': (4, 3, 5), }", "three dimensions in Fortran order" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (60,), }", "its shape is (60,), expected" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 3, 5), }", "its shape is (2, 2, 3, 5)" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3, 6), }",
		  "states 4 x 3 x 6 numbers of 8 bytes, but has 480 bytes" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 0, 5), }", "states 4 x 0 x 5" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 5), }",
		  "states 4294967296 x 4294967296 x 5" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 3, 5), }", "states 0 x 3 x 5" },
		{ "{'descr': '<f8', 'fortran_order': False}", "has no shape" },
		{ "", "its samples are of no type" },
	};
	double data[N] = { 0 };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		write_npy(1, all[i][0], data, sizeof data);
		refuse(GT_ERR_FORMAT, all[i][1]);
	}
	write_npy(9, all[0][0], data, sizeof data);
	refuse(GT_ERR_FORMAT, "is version 9");
	write_npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3, 5), }", data, sizeof data);
	frames.source_to_axis = 500;
	refuse(GT_ERR_ARG, "source to axis 500 mm, source to detector 0 mm: expected both");
}

int main(void) { return gt_test_main_with("npy", setup, tiff_teardown); }
