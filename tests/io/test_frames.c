/* Folders of counts: dark and flat fields, air, dead pixels, order of files and angles, axis and refusals. */
/* labels: unit property, backend: none */
#include <math.h>
#include <sys/stat.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "tests/io/notes.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { VIEWS = 12, ROWS = 9, COLUMNS = 90, CELLS = ROWS * COLUMNS };
static const double axis = 41.7, pixel = 0.25;
static gt_frames_options frames;
static gt_read_options options;
static char notes[NOTES];

/* Three discs; rows differ. */
static double line_integral(double theta, size_t row, double column)
{
	static const double disc[][4] = { { 3, -2, 3, 0.08 }, { -3, 1, 2, 0.2 }, { 0.5, 4.5, 1.5, 0.3 } };
	double sum = 0;
	for (size_t i = 0; i < 3; i++) {
		const double d = (column - axis) * pixel - disc[i][0] * cos(theta) - disc[i][1] * sin(theta),
			     h = disc[i][2] * disc[i][2] - d * d;
		sum += h > 0 ? 2 * sqrt(h) * disc[i][3] * (1 + 0.05 * (double)row) : 0;
	}
	return sum;
}

static double angle_of(size_t v) { return (-20.0 + 30.0 * (double)v) * GT_PI / 180; }
static double dark_of(size_t i) { return 90 + (double)(i % 7); }
static double flat_of(size_t i) { return 3000 + (double)(i % 13) * 20 - (double)(i / COLUMNS) * 30; }
/* Relative intensity of the beam in view v. */
static double beam(size_t v, size_t column) { return 0.7 + 0.01 * (double)v + 0.001 * (double)column; }

static double line_integral_of(size_t v, size_t i) { return line_integral(angle_of(v), i / COLUMNS, (double)(i % COLUMNS)); }

static void write_view(const char *name, size_t v)
{
	double image[CELLS];
	for (size_t i = 0; i < CELLS; i++)
		image[i] = dark_of(i) + flat_of(i) * beam(v, i % COLUMNS) * exp(-line_integral_of(v, i));
	tiff_write(name, &tiff_float, ROWS, COLUMNS, image);
}

static void write_field(const char *name, double flat, double off, int dead)
{
	double image[CELLS];
	for (size_t i = 0; i < CELLS; i++)
		image[i] = dark_of(i) + flat * flat_of(i) + off;
	if (dead)
		image[4 * COLUMNS + 37] = image[5 * COLUMNS + 37] = dark_of(4 * COLUMNS + 37) - 1;
	tiff_write(name, &tiff_float, ROWS, COLUMNS, image);
}

static void write_text(const char *name, const char *text) { gt_test_write(tiff_path(name), text); }

static void write_angles(const char *name, const char *format, size_t n)
{
	char text[2048] = "# degrees\n";
	for (size_t v = 0; v < n; v++)
		snprintf(text + strlen(text), sizeof text - strlen(text), format, (int)(-20 + 30 * (int)v));
	write_text(name, text);
}

/* Two flat and dark fields with known means; the alphabetical order of the views differs from the numerical one. */
static void setup(void)
{
	char name[32];
	tiff_setup();
	for (size_t v = 0; v < VIEWS; v++) {
		snprintf(name, sizeof name, "scan_%zu.tif", v + 5);
		write_view(name, v);
	}
	write_field("flat_1.tif", 1, 40, 0);
	write_field("Flat_2.tif", 1, -40, 0);
	write_field("dark_001.tif", 0, 3, 0);
	write_field("dark_002.tif", 0, -3, 0);
	write_angles("angles.txt", "%d.0\r\n", VIEWS);
	frames = gt_frames_defaults;
	options = gt_read_defaults;
	options.frames = &frames;
	options.pixel = pixel;
	options.axis = axis;
	options.notes = notes_into(notes);
}

static gt_projections *read_ok(void)
{
	gt_projections *p = NULL;
	notes[0] = 0;
	ck_ok(gt_read_projections(tiff_folder, &options, &p));
	return p;
}

static void refuse(gt_status code, const char *why)
{
	gt_projections *p = NULL;
	ck_refused(gt_read_projections(tiff_folder, &options, &p), code, why);
	ck_assert_ptr_null(p);
}

static void noted(const char *text) { ck_assert_msg(strstr(notes, text) != NULL, "'%s' is not in '%s'", text, notes); }

static double worst(const gt_projections *p, size_t but)
{
	double max = 0;
	for (size_t i = 0; i < VIEWS * CELLS; i++)
		if (i % CELLS != but && i % CELLS != but + COLUMNS)
			max = fmax(max, fabs((double)p->data[i] - line_integral_of(i / CELLS, i % CELLS)));
	return max;
}

GT_TEST(counts_become_line_integrals)
{
	gt_projections *p = read_ok();
	ck_assert_uint_eq(p->scan->views, VIEWS);
	ck_assert_double_lt(worst(p, CELLS), 2e-5);
	noted("flat field: 2 images from ");
	noted("dark field: 2 images from ");
	noted("air found in ");
	noted("12 angles from ");
	ck_assert_double_eq(p->scan->column_center, axis);
	ck_assert_double_eq(p->scan->row_center, (ROWS - 1) / 2.0);
	ck_assert_double_eq(p->scan->row_pitch, pixel);
	for (size_t v = 0; v < VIEWS; v++) {
		const gt_view *w = &p->scan->view[v];
		ck_assert_double_eq_tol(w->angle, angle_of(v), 1e-12);
		ck_assert_double_eq_tol(w->column_axis[0], cos(angle_of(v)), 1e-12);
		ck_assert_double_eq_tol(w->column_axis[1], sin(angle_of(v)), 1e-12);
		ck_assert_double_eq(w->row_axis[2], -1); /* the first row is the top one */
	}
	gt_projections_free(p);
}

GT_TEST(the_axis_is_found)
{
	options.axis = NAN;
	gt_projections *p = read_ok();
	ck_assert_double_eq_tol(p->scan->column_center, axis, 0.05);
	noted("rotation axis found at column 41.7");
	gt_projections_free(p);
	frames.air = "no"; /* the intensity profile of the beam does not rotate with the object */
	p = read_ok();
	ck_assert_double_eq_tol(p->scan->column_center, axis, 0.05);
	gt_projections_free(p);
}

GT_TEST(any_views_and_rows_are_the_same_as_all)
{
	gt_view_reader *views = NULL;
	float part[3 * 2 * COLUMNS];
	write_field("flat_1.tif", 1, 40, 1);
	write_field("Flat_2.tif", 1, -40, 1);
	gt_projections *p = read_ok();
	ck_ok(gt_view_reader_open(tiff_folder, &options, p->scan, &views));
	for (size_t row = 0; row + 2 <= ROWS; row++)
		for (size_t v = 0; v + 3 <= VIEWS; v++) {
			ck_ok(gt_view_reader_read(views, v, 3, row, 2, part));
			for (size_t i = 0; i < 3; i++)
				ck_assert_int_eq(memcmp(part + i * 2 * COLUMNS, p->data + (v + i) * CELLS + row * COLUMNS,
				                        2 * COLUMNS * sizeof *part),
				                 0);
		}
	gt_view_reader_close(views);
	gt_projections_free(p);
}

GT_TEST(dead_pixels_are_interpolated)
{
	const size_t dead = 4 * COLUMNS + 37;
	write_field("flat_1.tif", 1, 40, 1);
	write_field("Flat_2.tif", 1, -40, 1);
	gt_projections *p = read_ok();
	noted("interpolated 2 dead pixels (first at row 4, column 37)");
	ck_assert_double_lt(worst(p, dead), 2e-5);
	for (size_t v = 0; v < VIEWS; v++) {
		double min = INFINITY, max = -INFINITY;
		for (size_t r = 2; r <= 7; r++)
			for (size_t c = 36; c <= 38; c++)
				if (c != 37 || (r != 4 && r != 5)) {
					min = fmin(min, (double)p->data[v * CELLS + r * COLUMNS + c]);
					max = fmax(max, (double)p->data[v * CELLS + r * COLUMNS + c]);
				}
		ck_assert_double_ge((double)p->data[v * CELLS + dead], min);
		ck_assert_double_le((double)p->data[v * CELLS + dead], max);
	}
	gt_projections_free(p);
}

GT_TEST(air_is_left_alone_where_that_is_asked_for)
{
	frames.air = "no";
	gt_projections *p = read_ok();
	for (size_t v = 0; v < VIEWS; v++)
		for (size_t i = 0; i < CELLS; i++)
			ck_assert_double_eq_tol((double)p->data[v * CELLS + i], line_integral_of(v, i) - log(beam(v, i % COLUMNS)), 2e-5);
	gt_projections_free(p);
	frames.air = "4,0";
	p = read_ok();
	for (size_t v = 0; v < VIEWS; v++)
		ck_assert_double_eq_tol((double)p->data[v * CELLS + COLUMNS - 1], log((beam(v, 1) + beam(v, 2)) / 2 / beam(v, COLUMNS - 1)),
		                        1e-3);
	gt_projections_free(p);
	frames.air = "50,40";
	refuse(GT_ERR_ARG, "air 50,40: expected auto, no, or the numbers of air columns");
	frames.air = "x";
	refuse(GT_ERR_ARG, "air x: expected");
}

GT_TEST(without_flats_white_or_air_is_needed)
{
	frames.flat = "none";
	frames.air = "no";
	refuse(GT_ERR_ARG, "neither flat fields nor a white level");
	frames.white = 3000;
	frames.dark = "none";
	gt_projections *p = read_ok();
	ck_assert_double_eq_tol((double)p->data[7 * CELLS + 5],
	                        -log((dark_of(5) + flat_of(5) * beam(7, 5) * exp(-line_integral_of(7, 5))) / 3000), 1e-5);
	gt_projections_free(p);
	frames.flat = NULL;
	refuse(GT_ERR_ARG, "white=3000, and a flat field");
	frames.white = -1;
	refuse(GT_ERR_ARG, "white=-1: expected blank-scan counts");
}

GT_TEST(angles_may_be_a_rule_or_have_commas)
{
	frames.angles = "-20:30";
	gt_projections *p = read_ok(), *q;
	frames.angles = "-20..310";
	q = read_ok();
	for (size_t v = 0; v < VIEWS; v++) {
		ck_assert_double_eq_tol(p->scan->view[v].angle, angle_of(v), 1e-12);
		ck_assert_double_eq_tol(q->scan->view[v].angle, angle_of(v), 1e-12);
	}
	gt_projections_free(p);
	gt_projections_free(q);
	static const char *const same[] = { "-20deg:30deg", "-20..310\xc2\xb0", "-0.3490658503988659rad..5.410520681182422rad",
		                            "-0.3490658503988659:0.5235987755982988rad" };
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		frames.angles = same[i];
		p = read_ok();
		for (size_t v = 0; v < VIEWS; v++)
			ck_assert_double_eq_tol(p->scan->view[v].angle, angle_of(v), 1e-12);
		gt_projections_free(p);
	}
	frames.angles = "-20deg..5.4rad";
	refuse(GT_ERR_IO, "-20deg..5.4rad: No such file or directory (angles: a file, FIRST:STEP or FIRST..LAST");
	frames.angles = NULL;
	write_angles("angles.txt", "%d,00\n", VIEWS);
	p = read_ok();
	ck_assert_double_eq_tol(p->scan->view[3].angle, angle_of(3), 1e-12);
	noted("commas are taken as decimal points");
	gt_projections_free(p);
}

GT_TEST(wrong_angles_are_refused)
{
	write_angles("angles.txt", "%d\n", VIEWS + 20);
	refuse(GT_ERR_FORMAT, "has 32 angles, expected 12, one for each view (do they include flat and dark fields?)");
	write_text("angles.txt", "1\n2\nthree\n");
	refuse(GT_ERR_FORMAT, "line 3 is 'three', expected one number");
	write_text("angles.txt", "1,2,3\n");
	refuse(GT_ERR_FORMAT, "line 1 is '1,2,3', expected one number");
	unlink(tiff_path("angles.txt"));
	refuse(GT_ERR_FORMAT, "no angles: expected a file angles.txt next to the images");
	frames.angles = "nothing.txt";
	refuse(GT_ERR_IO, "nothing.txt");
}

GT_TEST(missing_and_repeated_numbers_are_refused)
{
	unlink(tiff_path("scan_9.tif"));
	refuse(GT_ERR_FORMAT, "number 9 is missing: scan_8.tif is followed by scan_10.tif");
	frames.gaps = 1;
	gt_projections *p = read_ok(); /* angles.txt has an angle per position */
	ck_assert_uint_eq(p->scan->views, VIEWS - 1);
	ck_assert_double_eq_tol(p->scan->view[3].angle, angle_of(3), 1e-12);
	ck_assert_double_eq_tol(p->scan->view[4].angle, angle_of(5), 1e-12);
	gt_projections_free(p);
	write_view("scan_9.tif", 4);
	write_view("scan_09.tif", 4);
	refuse(GT_ERR_FORMAT, "have the same number");
}

GT_TEST(other_files_are_left_out_and_told)
{
	write_view("preview_1.tif", 0);
	gt_projections *p = read_ok();
	ck_assert_uint_eq(p->scan->views, VIEWS);
	noted("1 images of other names than scan_5.tif are ignored");
	gt_projections_free(p);
}

GT_TEST(frames_of_another_size_or_type_are_refused)
{
	double image[CELLS + COLUMNS] = { 0 };
	tiff_write("scan_8.tif", &tiff_float, ROWS + 1, COLUMNS, image);
	refuse(GT_ERR_FORMAT, "scan_8.tif: is 10 rows x 90 columns of float32, expected 9 x 90 of float32");
	tiff_write("scan_8.tif", &tiff_u16, ROWS, COLUMNS, image);
	refuse(GT_ERR_FORMAT, "scan_8.tif: is 9 rows x 90 columns of uint16");
	write_view("scan_8.tif", 3);
	tiff_write("flat_1.tif", &tiff_float, ROWS - 1, COLUMNS, image);
	tiff_write("Flat_2.tif", &tiff_float, ROWS - 1, COLUMNS, image);
	refuse(GT_ERR_FORMAT, "a flat field of 8 rows x 90 columns, expected 9 x 90");
}

GT_TEST(a_flat_field_that_is_dark_is_refused)
{
	write_field("flat_1.tif", 0, -5, 0);
	write_field("Flat_2.tif", 0, -5, 0);
	refuse(GT_ERR_FORMAT, "the flat field is not above the dark field in 810 of 810 pixels");
}

GT_TEST(not_a_number_is_refused_by_file_and_place)
{
	double image[CELLS];
	for (size_t i = 0; i < CELLS; i++)
		image[i] = 3000;
	image[3 * COLUMNS + 11] = NAN;
	tiff_write("scan_10.tif", &tiff_float, ROWS, COLUMNS, image);
	refuse(GT_ERR_FORMAT, "scan_10.tif: NaN or infinite in view 5 at row 3, column 11");
}

/* Images of one detector row in all views give the same result as images of the views. */
GT_TEST(sinograms_are_views_turned)
{
	double image[VIEWS * COLUMNS];
	for (size_t v = 0; v < VIEWS; v++)
		for (size_t c = 0; c < COLUMNS; c++)
			image[v * COLUMNS + c] = 5000 * beam(v, c) * exp(-line_integral_of(v, 3 * COLUMNS + c));
	tiff_write("x.tif", &tiff_float, VIEWS, COLUMNS, image);
	frames.sinogram = 1;
	frames.angles = "-20:30";
	gt_projections *p = NULL;
	ck_ok(gt_read_projections(tiff_path("x.tif"), &options, &p));
	ck_assert_uint_eq(p->scan->views, VIEWS);
	ck_assert_uint_eq(p->scan->rows, 1);
	for (size_t v = 0; v < VIEWS; v++)
		for (size_t c = 0; c < COLUMNS; c++)
			ck_assert_double_eq_tol((double)p->data[v * COLUMNS + c], line_integral_of(v, 3 * COLUMNS + c), 2e-5);
	gt_projections_free(p);
}

int main(void) { return gt_test_main_with("frames", setup, tiff_teardown); }
