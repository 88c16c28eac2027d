/* Flat fields of NXtomo before, within and after the views, with an object, dead pixels or a closed shutter.
 * labels: unit property, backend: none */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "io/fields.h"
#include "tests/io/notes.h"
#include "tests/io/others.h"
#include "tests/support/support.h"

enum { VIEWS = 12, FIELDS = 3, ROWS = 24, COLUMNS = 40, CELLS = ROWS * COLUMNS, FRAMES = VIEWS + 2 * FIELDS };
enum { GOOD, BODY_AFTER, BODY_BEFORE, LARGE_AFTER, LARGE_BEFORE, DENSE_AFTER, DENSE_BEFORE, DEAD_CELL, SHUTTER, FAULTS };
static char folder[64], path[128], notes[8192];

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.nxs", folder);
}

static void teardown(void)
{
	unlink(path);
	gt_test_folder_remove(folder);
}

static double integral_of(size_t view, size_t cell)
{
	const double u = (double)(cell % COLUMNS) - 19.5 - 2 * cos((double)view), radius = 11;
	return fabs(u) < radius ? (0.06 + 0.001 * (double)(cell / COLUMNS)) * sqrt(radius * radius - u * u) : 0;
}

/* The beam decreases by 3 % from the fields before the views to the fields after. */
static double beam_of(size_t cell, double part) { return (5000 + 31 * (double)(cell % 17)) * (1 - 0.03 * part); }

static int hidden(int fault, int after, size_t cell)
{
	const size_t row = cell / COLUMNS, column = cell % COLUMNS;
	if (fault == (after ? LARGE_AFTER : LARGE_BEFORE))
		return column >= 8 && column < 32;
	if (fault == (after ? DENSE_AFTER : DENSE_BEFORE))
		return row >= 8 && row < 16 && column >= 8 && column < 24;
	return fault == (after ? BODY_AFTER : BODY_BEFORE) && row >= 8 && row < 16 && column >= 8 && column < 24;
}

/* An opaque pin in the object, two columns wide. */
static int behind_pin(int fault, int after, size_t cell)
{
	return fault == (after ? DENSE_AFTER : DENSE_BEFORE) && hidden(fault, after, cell) && cell % COLUMNS / 2 == 7;
}

static double field_of(int fault, int after, size_t cell)
{
	const double light = beam_of(cell, after) * (behind_pin(fault, after, cell) ? 0.01 : hidden(fault, after, cell) ? 0.5 : 1);
	if (after && (fault == SHUTTER || (fault == DEAD_CELL && cell == 5 * COLUMNS + 17)))
		return 2;
	return light;
}

static size_t chunk[3]; /* 0: contiguous */

static int put(int group, const char *name, nc_type type, int rank, const size_t *size, const double *data)
{
	int dims[3], variable;
	char dimension[32];
	for (int i = 0; i < rank; i++) {
		snprintf(dimension, sizeof dimension, "%s_%d", name, i);
		nc_ok(nc_def_dim(group, dimension, size[i], &dims[i]));
	}
	nc_ok(nc_def_var(group, name, type, rank, dims, &variable));
	if (rank == 3 && chunk[0]) {
		nc_ok(nc_def_var_chunking(group, variable, NC_CHUNKED, chunk));
		nc_ok(nc_def_var_deflate(group, variable, 1, 1, 1));
	}
	nc_ok(nc_put_var_double(group, variable, data));
	return variable;
}

static void write_scan(int fault)
{
	int file, entry, detector, sample;
	double *data = malloc(sizeof *data * FRAMES * CELLS), key[FRAMES], angle[FRAMES];
	for (size_t f = 0; f < FRAMES; f++) {
		const int after = f >= FIELDS + VIEWS, field = f < FIELDS || after;
		const size_t view = field ? 0 : f - FIELDS;
		key[f] = field;
		angle[f] = 15.0 * (double)view;
		for (size_t c = 0; c < CELLS; c++)
			data[f * CELLS + c] = field ? field_of(fault, after, c)
			                            : beam_of(c, (double)view / (VIEWS - 1)) * exp(-integral_of(view, c));
	}
	nc_ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &file));
	nc_ok(nc_def_grp(file, "entry", &entry));
	nc_ok(nc_def_grp(entry, "instrument", &detector));
	nc_ok(nc_def_grp(detector, "detector", &detector));
	nc_ok(nc_def_grp(entry, "sample", &sample));
	put(detector, "data", NC_FLOAT, 3, (const size_t[]){ FRAMES, ROWS, COLUMNS }, data);
	put(detector, "image_key", NC_INT, 1, (const size_t[]){ FRAMES }, key);
	nc_ok(nc_put_att_text(sample, put(sample, "rotation_angle", NC_DOUBLE, 1, (const size_t[]){ FRAMES }, angle), "units", 3, "deg"));
	nc_ok(nc_close(file));
	free(data);
}

static gt_projections *scan_with(int fault)
{
	gt_projections *p;
	gt_read_options o = gt_read_defaults;
	gt_frames_options f = gt_frames_defaults;
	f.air = "no";
	o.frames = &f;
	o.axis = 19.5;
	o.notes = notes_into(notes);
	notes[0] = 0;
	write_scan(fault);
	ck_ok(gt_read_projections(path, &o, &p));
	return p;
}

static void reported(const char *text) { ck_assert_msg(strstr(notes, text) != NULL, "'%s' is not reported: %s", text, notes); }

/* Compares with the line integrals of the object, corrected for the uncompensated beam: level(part of the scan). */
static void check(const gt_projections *p, double (*level)(double))
{
	for (size_t v = 0; v < VIEWS; v++)
		for (size_t c = 0; c < CELLS; c++) {
			const double part = (double)v / (VIEWS - 1), expected = integral_of(v, c) - log((1 - 0.03 * part) / level(part));
			ck_assert_double_eq_tol(p->data[v * CELLS + c], expected, 1e-5);
		}
}

static double followed(double part) { return 1 - 0.03 * part; }
static double before_alone(double part) { return 1 + 0 * part; }
static double after_alone(double part) { return 0.97 + 0 * part; }

static const struct {
	int fault;
	double (*level)(double);
	const char *say[2];
} cases[] = {
	{ GOOD, followed, { "flat fields of 2 times, the last with 0.97 of the first one's signal" } },
	{ BODY_AFTER,
	  before_alone,
	  { "of its signal before: these flat fields contain an object", "flat fields of that time are ignored" } },
	{ BODY_BEFORE,
	  after_alone,
	  { "of its signal in flat fields of a later time: these flat fields contain", "flat fields of the first time are ignored" } },
	{ LARGE_AFTER, before_alone, { "60 % of the detector has less than 0.7 of its signal", "flat fields of that time are ignored" } },
	{ LARGE_BEFORE,
	  after_alone,
	  { "60 % of the detector has less than 0.7 of its signal", "flat fields of the first time are ignored" } },
	{ DENSE_AFTER, before_alone, { "these flat fields contain an object", "flat fields of that time are ignored" } },
	{ DENSE_BEFORE, after_alone, { "these flat fields contain an object", "flat fields of the first time are ignored" } },
	{ SHUTTER, before_alone, { "has the shutter closed", "flat fields of that time are ignored" } },
};

GT_TESTS(sets_that_do_not_fit_are_left_out, sizeof cases / sizeof *cases)
{
	gt_projections *p = scan_with(cases[_i].fault);
	for (int k = 0; k < 2 && cases[_i].say[k]; k++)
		reported(cases[_i].say[k]);
	check(p, cases[_i].level);
	gt_projections_free(p);
}

/* A pixel that dies during the scan is no closed shutter: it is interpolated in all views. */
GT_TEST(a_dying_pixel_is_interpolated)
{
	gt_projections *good = scan_with(GOOD), *p = scan_with(DEAD_CELL);
	reported("interpolated 1 dead pixel that had signal before (first at row 5, column 17)");
	reported("flat fields of 2 times");
	for (size_t v = 0; v < VIEWS; v++)
		for (size_t r = 0; r < ROWS; r++)
			for (size_t c = 0; c < COLUMNS; c++) {
				const size_t i = v * CELLS + r * COLUMNS + c;
				const int filled = r == 5 && c == 17;
				ck_assert_float_eq_tol(p->data[i], good->data[i], (filled ? 0.05f : 1e-30f));
				ck_assert(!filled || p->data[i] != good->data[i]);
			}
	gt_projections_free(good);
	gt_projections_free(p);
}

/* Frames in a missing or unsuitable file; keys and angles of another number than the frames. */
GT_TEST(links_that_lead_nowhere_are_named)
{
	gt_projections *p = NULL;
	hid_t file, other;
	char gone[160], text[256];
	write_scan(GOOD);
	file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
	ck_assert(file >= 0 && H5Ldelete(file, "entry/instrument/detector/data", H5P_DEFAULT) >= 0);
	ck_assert(H5Lcreate_external("gone.h5", "/frames", file, "entry/instrument/detector/data", H5P_DEFAULT, H5P_DEFAULT) >= 0);
	H5Fclose(file);
	snprintf(gone, sizeof gone, "%s/gone.h5", folder);
	snprintf(text, sizeof text, "entry/instrument/detector/data: its data are in %s, which does not exist", gone);
	ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_IO, text);
	other = H5Fcreate(gone, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(other);
	snprintf(text, sizeof text, "%s exists, but has no /frames", gone);
	ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_FORMAT, text);
	unlink(gone);
}

/* Chunks of several frames, of any size, in any order of views and rows. */
GT_TEST(chunks_of_several_frames)
{
	gt_read_options o = gt_read_defaults;
	gt_frames_options f = gt_frames_defaults;
	gt_projections *p;
	gt_view_reader *r;
	float part[2 * COLUMNS];
	f.air = "no";
	o.frames = &f;
	o.axis = 19.5;
	for (chunk[0] = 2; chunk[0] <= FRAMES; chunk[0] += 3) {
		chunk[1] = chunk[0] % 7 + 1;
		chunk[2] = chunk[0] % 9 + 1;
		p = scan_with(GOOD);
		check(p, followed);
		ck_ok(gt_view_reader_open(path, &o, p->scan, &r));
		for (size_t v = VIEWS - 1; v-- > 0;)
			for (size_t row = 0; row < ROWS; row += 5) {
				ck_ok(gt_view_reader_read(r, v, 2, row, 1, part));
				for (size_t c = 0; c < 2 * COLUMNS; c++)
					ck_assert_float_eq(part[c], p->data[(v + c / COLUMNS) * CELLS + row * COLUMNS + c % COLUMNS]);
			}
		gt_view_reader_close(r);
		gt_projections_free(p);
	}
	chunk[0] = 0;
}

/* The last view is an alignment frame by image_key_control, if present, and a view by image_key. */
GT_TESTS(alignment_frames_are_no_views, 2)
{
	gt_projections *p = NULL;
	gt_read_options o = gt_read_defaults;
	int control[FRAMES];
	const hsize_t n = FRAMES;
	write_scan(GOOD);
	const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), group = H5Gopen2(file, "entry/instrument/detector", H5P_DEFAULT),
		    space = H5Screate_simple(1, &n, NULL),
		    id = H5Dcreate2(group, "image_key_control", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	for (int i = 0; i < FRAMES; i++)
		control[i] = i < FIELDS || i >= FIELDS + VIEWS ? 1 : i == FIELDS + VIEWS - 1 ? -1 : 0;
	ck_assert(id >= 0 && H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, control) >= 0);
	ck_assert(_i == 0 || H5Ldelete(group, "image_key", H5P_DEFAULT) >= 0);
	H5Dclose(id);
	H5Sclose(space);
	H5Gclose(group);
	ck_assert(H5Fclose(file) >= 0);
	o.axis = 19.5;
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_uint_eq(p->scan->views, VIEWS - 1);
	gt_projections_free(p);
}

static size_t uncompressed;

/* Compresses nothing and counts the chunks that are read. */
static size_t count_chunks(unsigned flags, size_t values, const unsigned *value, size_t bytes, size_t *size, void **buffer)
{
	(void)values, (void)value, (void)size, (void)buffer;
	uncompressed += (flags & H5Z_FLAG_REVERSE) != 0;
	return bytes;
}

/* With chunks of one row of all frames, each chunk is read once for views, flat fields and single rows. */
GT_TEST(chunks_are_uncompressed_once)
{
	static const H5Z_class2_t counter = { H5Z_CLASS_T_VERS, 300, 1, 1, "counter", NULL, NULL, count_chunks };
	static const char name[] = "entry/instrument/detector/data";
	static float data[FRAMES * CELLS];
	const hsize_t size[] = { FRAMES, ROWS, COLUMNS }, row[] = { FRAMES, 1, COLUMNS };
	gt_read_options o = gt_read_defaults;
	gt_frames_options f = gt_frames_defaults;
	gt_projections *p;
	ck_assert(H5Zregister(&counter) >= 0);
	write_scan(GOOD);
	const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), from = H5Dopen2(file, name, H5P_DEFAULT),
		    made = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, size, NULL);
	ck_assert(H5Dread(from, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
	H5Dclose(from);
	ck_assert(H5Ldelete(file, name, H5P_DEFAULT) >= 0 && H5Pset_chunk(made, 3, row) >= 0);
	ck_assert(H5Pset_filter(made, 300, 0, 0, NULL) >= 0);
	const hid_t to = H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, made, H5P_DEFAULT);
	ck_assert(to >= 0 && H5Dwrite(to, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
	H5Dclose(to);
	H5Sclose(space);
	H5Pclose(made);
	ck_assert(H5Fclose(file) >= 0);
	f.air = "no";
	o.axis = 19.5;
	o.frames = &f;
	uncompressed = 0;
	ck_ok(gt_read_projections(path, &o, &p));
	check(p, followed);
	gt_projections_free(p);
	ck_assert_uint_eq(uncompressed, ROWS);
}

/* Single fields, for an assessment of the detector. */
GT_TEST(fields_by_their_keys)
{
	gt_fields f;
	gt_projections_free(scan_with(GOOD));
	ck_ok(gt_read_fields(path, NULL, &(gt_fields_request){ ROWS, COLUMNS, 0 }, &f));
	ck_assert_uint_eq(f.images, 2 * FIELDS);
	for (size_t c = 0; c < CELLS; c++) {
		ck_assert_double_eq_tol(f.data[c], field_of(GOOD, 0, c), 1e-3);
		ck_assert_double_eq_tol(f.data[FIELDS * CELLS + c], field_of(GOOD, 1, c), 1e-3);
	}
	gt_fields_free(&f);
	ck_ok(gt_read_fields(path, NULL, &(gt_fields_request){ ROWS, COLUMNS, 1 }, &f));
	ck_assert_uint_eq(f.images, 0);
	gt_fields_free(&f);
	ck_refused(gt_read_fields(path, NULL, &(gt_fields_request){ ROWS, COLUMNS + 1, 0 }, &f), GT_ERR_FORMAT, "expected 24 x 41");
}

int main(void) { return gt_test_main_with("nxtomo", setup, teardown); }
