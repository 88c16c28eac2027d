/* Unreadable files and unwritable paths: messages name file, variable and expected value.
 * labels: unit, backend: none */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "tests/io/others.h"
#include "tests/support/support.h"

static char folder[64], path[128];
static gt_projections *given;

static void setup(void)
{
	const gt_orbit orbit = {
		.shape = GT_ARC,
		.views = 6,
		.rows = 4,
		.columns = 9,
		.source_to_axis = 541,
		.source_to_detector = 949,
		.column_pitch = 1,
		.row_pitch = 1.1,
		.column_offset = 0.25,
		.turn = 2 * GT_PI,
	};
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.nc", folder);
	given = gt_projections_blank();
	ck_ok(gt_scan_orbit(&orbit, &given->scan));
	given->data = malloc(gt_scan_size(given->scan) * sizeof(float));
	gt_test_random(5, gt_scan_size(given->scan), given->data);
	ck_ok(gt_write_projections(path, NULL, given));
}

static void teardown(void)
{
	gt_projections_free(given);
	unlink(path);
	gt_test_folder_remove(folder);
}

static int change(int *variable, const char *name)
{
	int id;
	nc_ok(nc_open(path, NC_WRITE, &id));
	nc_redef(id);
	if (name)
		nc_ok(nc_inq_varid(id, name, variable));
	return id;
}

static void refused(const char *text)
{
	gt_projections *p;
	ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_FORMAT, text);
	ck_assert_ptr_null(p);
	ck_assert_ptr_nonnull(strstr(gt_error(), "/a.nc"));
}

static void put_at(const char *name, size_t a, size_t b, size_t c, double value)
{
	int variable;
	const int id = change(&variable, name);
	const size_t at[3] = { a, b, c };
	nc_ok(nc_enddef(id));
	nc_ok(nc_put_var1_float(id, variable, at, &(float){ (float)value }));
	nc_ok(nc_close(id));
}

static void put_number(const char *name, double value)
{
	const int id = change(NULL, NULL);
	nc_ok(nc_put_att_double(id, NC_GLOBAL, name, NC_DOUBLE, 1, &value));
	nc_ok(nc_close(id));
}

static void put_text(const char *variable, const char *name, const char *text)
{
	int v = NC_GLOBAL;
	const int id = change(&v, variable);
	nc_ok(nc_put_att_text(id, v, name, strlen(text), text));
	nc_ok(nc_close(id));
}

static void rename_dimension(const char *from, const char *to)
{
	int d;
	const int id = change(NULL, NULL);
	nc_ok(nc_inq_dimid(id, from, &d));
	nc_ok(nc_rename_dim(id, d, to));
	nc_ok(nc_close(id));
}

GT_TEST(numbers_that_are_none)
{
	put_at("projections", 2, 1, 7, NAN);
	refused("variable projections: 1 of 216 values are NaN, infinite or missing, the first at [2][1][7]");
	put_at("projections", 1, 3, 8, -INFINITY);
	refused("2 of 216 values are NaN, infinite or missing, the first at [1][3][8]");
}

GT_TEST(negative_weights)
{
	given->weight = calloc(gt_scan_size(given->scan), sizeof(float));
	given->weight[9] = -0.5f;
	ck_ok(gt_write_projections(path, NULL, given));
	refused("variable weight: 1 of 216 values are below 0, the first at [0][1][0]");
}

static const char *const attribute_names[] = { "column_pitch_mm",       "row_pitch_mm",      "column_center", "row_center",
	                                       "source_to_detector_mm", "source_to_axis_mm", "detector_shape" };
static const char *const vector_names[] = { "source", "detector", "column_axis", "row_axis" };

static int kept(const char *name, const char *without) { return !without || strcmp(name, without); }

/* A flat scan of 6 views with 4 rows, without one of its variables. */
static void write_without(size_t columns, const char *without)
{
	static const double values[4][3] = { { 0, 5, 0 }, { 0, -5, 0 }, { 1, 0, 0 }, { 0, 0, 1 } };
	int id, dims[4], variable;
	nc_ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &id));
	nc_ok(nc_def_dim(id, "view", 6, &dims[0]));
	nc_ok(nc_def_dim(id, "row", 4, &dims[1]));
	nc_ok(nc_def_dim(id, "column", columns, &dims[2]));
	nc_ok(nc_def_dim(id, "xyz", 3, &dims[3]));
	if (kept("projections", without)) {
		nc_ok(nc_def_var(id, "projections", NC_FLOAT, 3, dims, &variable));
		nc_ok(nc_def_var_chunking(id, variable, NC_CHUNKED, (size_t[]){ 1, 1, 9 }));
		if (columns < 100) {
			float data[6 * 4 * 100];
			gt_test_random(9, 6 * 4 * columns, data);
			nc_ok(nc_put_var_float(id, variable, data));
		}
	}
	for (int i = 0; i < 6; i++)
		if (kept(attribute_names[i], without))
			nc_ok(nc_put_att_double(id, NC_GLOBAL, attribute_names[i], NC_DOUBLE, 1, &(double){ 1 + i }));
	if (kept("detector_shape", without))
		nc_ok(nc_put_att_text(id, NC_GLOBAL, "detector_shape", 4, "flat"));
	for (int i = 0; i < 4; i++) {
		if (!kept(vector_names[i], without))
			continue;
		nc_ok(nc_def_var(id, vector_names[i], NC_DOUBLE, 2, (int[]){ dims[0], dims[3] }, &variable));
		for (size_t v = 0; v < 6; v++)
			nc_ok(nc_put_vara_double(id, variable, (size_t[]){ v, 0 }, (size_t[]){ 1, 3 }, values[i]));
	}
	nc_ok(nc_close(id));
}

GT_TEST(missing_things)
{
	char text[100];
	gt_projections *p;
	write_without(9, NULL);
	ck_ok(gt_read_projections(path, NULL, &p));
	ck_assert(p->scan->row_pitch == 2 && p->scan->view[5].detector[1] == -5);
	gt_projections_free(p);
	for (size_t i = 0; i < sizeof vector_names / sizeof *vector_names; i++) {
		write_without(9, vector_names[i]);
		snprintf(text, sizeof text, "variable %s is missing", vector_names[i]);
		refused(text);
	}
	write_without(9, "projections");
	refused("variable projections is missing");
	for (size_t i = 0; i < sizeof attribute_names / sizeof *attribute_names; i++) {
		write_without(9, attribute_names[i]);
		snprintf(text, sizeof text, "attribute %s is missing", attribute_names[i]);
		refused(text);
	}
}

GT_TEST(wrong_dimensions)
{
	rename_dimension("view", "angle_index");
	refused("dimension view is missing");
	rename_dimension("angle_index", "view");
	rename_dimension("row", "slice");
	rename_dimension("column", "row");
	rename_dimension("slice", "column");
	refused("variable projections: has dimensions (view=6, column=4, row=9), expected (view, row, column)");
}

/* A file with these dimensions and no variables. */
static void write_sizes(size_t views, size_t rows, size_t columns, size_t xyz)
{
	static const char *const names[] = { "view", "row", "column", "xyz" };
	const size_t size[4] = { views, rows, columns, xyz };
	int id, dims[4], variable;
	nc_ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &id));
	for (int i = 0; i < 4; i++)
		nc_ok(nc_def_dim(id, names[i], size[i] ? size[i] : NC_UNLIMITED, &dims[i]));
	const size_t chunk[3] = { 1, 1, 16 };
	nc_ok(nc_def_var(id, "projections", NC_FLOAT, 3, dims, &variable));
	nc_ok(nc_def_var_chunking(id, variable, NC_CHUNKED, chunk));
	nc_ok(nc_put_att_text(id, NC_GLOBAL, "detector_shape", 4, "flat"));
	nc_ok(nc_close(id));
}

GT_TEST(impossible_sizes)
{
	gt_projections *p;
	write_sizes(0, 4, 16, 3);
	refused("dimension view: zero views, expected at least one");
	write_sizes(5, 4, 16, 2);
	refused("dimension xyz: is 2, expected 3");
	write_sizes((size_t)1 << 24, (size_t)1 << 24, (size_t)1 << 24, 3);
	refused("overflows");
	write_sizes((size_t)1 << 50, 16, 16, 3);
	ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_MEMORY, "GiB are available");
}

GT_TEST(larger_than_memory)
{
	gt_projections *p;
	gt_read_options o = gt_read_defaults;
	write_without((size_t)1 << 40, NULL);
	ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_MEMORY, "a.nc: projections: needs 9.83e+04 GiB of memory,");
	o.geometry_only = 1;
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_uint_eq(p->scan->columns, (size_t)1 << 40);
	gt_projections_free(p);
}

GT_TEST(wrong_units)
{
	put_text("source", "units", "cm");
	refused("variable source: units are 'cm', expected 'mm'");
	put_text("source", "units", "mm");
	put_text("angle", "units", "degree");
	refused("variable angle: units are 'degree', expected 'rad'");
	int v;
	const int id = change(&v, "angle");
	nc_ok(nc_del_att(id, v, "units"));
	nc_ok(nc_close(id));
	gt_projections *p;
	ck_ok(gt_read_projections(path, NULL, &p));
	gt_projections_free(p);
}

/* An attribute longer than the reader's buffer. */
GT_TEST(many_fill_values)
{
	const float many[100] = { 1 };
	int id, dims[3], v;
	static const char *const names[3] = { "z", "y", "x" };
	nc_ok(nc_create(path, NC_CLOBBER, &id));
	for (int a = 0; a < 3; a++) {
		nc_ok(nc_def_dim(id, names[a], 3, &dims[a]));
		nc_ok(nc_def_var(id, names[a], NC_DOUBLE, 1, &dims[a], &v));
	}
	nc_ok(nc_def_var(id, "attenuation", NC_FLOAT, 3, dims, &v));
	nc_ok(nc_put_att_float(id, v, "_FillValuX", NC_FLOAT, 100, many));
	nc_ok(nc_enddef(id));
	for (int a = 0; a < 3; a++)
		nc_ok(nc_put_var_double(id, a, (const double[]){ 0, 1, 2 }));
	nc_ok(nc_close(id));
	/* the library refuses to write such an attribute, so its name is changed in the file */
	char head[4096];
	FILE *f = fopen(path, "r+b");
	const size_t n = fread(head, 1, sizeof head, f);
	const char *name = memmem(head, n, "_FillValuX", 10);
	ck_assert_ptr_nonnull(name);
	ck_assert(fseek(f, name + 9 - head, SEEK_SET) == 0 && fputc('e', f) == 'e' && fclose(f) == 0);
	gt_volume *volume;
	ck_refused(gt_read_volume(path, NULL, &volume), GT_ERR_FORMAT, "attribute _FillValue: holds 100 numbers, expected one");
}

GT_TEST(wrong_geometry)
{
	put_at("column_axis", 3, 2, 0, 0.01);
	refused("of view 3");
	put_at("column_axis", 3, 2, 0, 0);
	put_number("column_pitch_mm", -1.0);
	refused("column_pitch");
	put_number("column_pitch_mm", NAN);
	refused("attribute column_pitch_mm: is nan, expected a finite number");
	put_number("column_pitch_mm", 1);
	put_text(NULL, "row_center", "middle");
	refused("attribute row_center: expected one number");
	put_number("row_center", 1.5);
	put_text(NULL, "detector_shape", "sphere");
	refused("attribute detector_shape: is 'sphere', expected flat, arc or parallel");
	put_text(NULL, "detector_shape", "arc");
	put_number("gantry_schema", 2);
	refused("attribute gantry_schema: is 2, expected 1");
}

static void write_bytes(const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");
	ck_assert(f && fwrite(bytes, 1, n, f) == n);
	fclose(f);
}

static size_t read_bytes(char **bytes)
{
	struct stat s;
	FILE *f = fopen(path, "rb");
	ck_assert(f && stat(path, &s) == 0);
	*bytes = malloc((size_t)s.st_size);
	ck_assert_uint_eq(fread(*bytes, 1, (size_t)s.st_size, f), (size_t)s.st_size);
	fclose(f);
	return (size_t)s.st_size;
}

GT_TEST(not_such_a_file)
{
	gt_projections *p;
	gt_volume *v;
	write_bytes("These are not projections, but they could be a letter.\n", 55);
	refused("not a file of a known format; expected one of: HDF5 Data Exchange, NeXus NXtomo (HDF5)");
	write_bytes("", 0);
	refused("the file is empty");
	write_bytes("CDF\001", 4);
	refused("truncated");
	unlink(path);
	ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_IO, "a.nc: No such file");
	ck_refused(gt_read_projections(folder, NULL, &p), GT_ERR_FORMAT, "is a folder that holds no files of a known format");
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_IO, "a.nc: No such file");
}

GT_TEST(truncated_anywhere)
{
	char *bytes;
	const size_t n = read_bytes(&bytes);
	for (size_t cut = 1; cut <= n; cut = cut < 100 ? cut + 7 : cut * 5 / 4) {
		gt_projections *p;
		write_bytes(bytes, n - cut);
		ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_FORMAT, n - cut > 8 ? "truncated" : "a.nc");
	}
	write_bytes(bytes, 60);
	refused("truncated: has 60 bytes, expected");
	free(bytes);
}

GT_TEST(truncated_classic_volume)
{
	int id, dims[3], v;
	static const char *const names[] = { "z", "y", "x" };
	nc_ok(nc_create(path, NC_CLOBBER, &id));
	for (int a = 0; a < 3; a++) {
		nc_ok(nc_def_dim(id, names[a], 8, &dims[a]));
		nc_ok(nc_def_var(id, names[a], NC_DOUBLE, 1, &dims[a], &v));
	}
	nc_ok(nc_def_var(id, "attenuation", NC_FLOAT, 3, dims, &v));
	nc_ok(nc_enddef(id));
	for (int a = 0; a < 3; a++)
		nc_ok(nc_put_var_double(id, a, (double[]){ 1, 2, 3, 4, 5, 6, 7, 8 }));
	float values[512];
	gt_test_random(6, 512, values);
	nc_ok(nc_put_var_float(id, v, values));
	nc_ok(nc_close(id));
	gt_volume *volume;
	ck_ok(gt_read_volume(path, NULL, &volume));
	gt_volume_free(volume);
	char *bytes;
	const size_t n = read_bytes(&bytes);
	write_bytes(bytes, n - 40);
	ck_refused(gt_read_volume(path, NULL, &volume), GT_ERR_FORMAT, "truncated");
	free(bytes);
}

/* Writing ----------------------------------------------------------------- */

GT_TEST(places_that_cannot_be_written)
{
	char other[200];
	snprintf(other, sizeof other, "%s/none/b.nc", folder);
	ck_refused(gt_write_projections(other, NULL, given), GT_ERR_IO, "none/");
	ck_refused(gt_can_write_projections(other, NULL), GT_ERR_IO, "none/': No such file");
	ck_refused(gt_can_write_volume("/a.nc/b", NULL), GT_ERR_ARG, "no extension");
	ck_refused(gt_can_write_volume("a.jpeg", NULL), GT_ERR_ARG, "'.jpeg': expected a name that ends in one of: .nc .nc4 .mha .mhd");
	ck_refused(gt_can_write_projections("a.mha", NULL), GT_ERR_ARG, "one of: .nc .nc4");
	snprintf(other, sizeof other, "%s/c.nc", folder);
	ck_assert_int_eq(mkdir(other, 0777), 0);
	ck_refused(gt_write_projections(other, NULL, given), GT_ERR_IO, "already exists and is a folder");
	ck_refused(gt_can_write_projections(other, NULL), GT_ERR_IO, "already exists and is a folder");
	rmdir(other);
	ck_ok(gt_can_write_projections(path, NULL));
	if (geteuid() != 0) {
		chmod(folder, 0555);
		ck_refused(gt_can_write_projections(path, NULL), GT_ERR_IO, "Permission denied");
		ck_refused(gt_write_projections(path, NULL, given), GT_ERR_IO, "Permission denied");
		chmod(folder, 0777);
	}
	gt_write_options o = gt_write_defaults;
	o.deflate = 10;
	ck_refused(gt_write_projections(path, &o, given), GT_ERR_ARG, "deflate=10");
}

GT_TEST(invalid_scans_are_not_written)
{
	given->scan->view[1].row_axis[2] = 2;
	char other[200];
	snprintf(other, sizeof other, "%s/b.nc", folder);
	ck_refused(gt_write_projections(other, NULL, given), GT_ERR_FORMAT, "b.nc: row_axis of view 1");
}

GT_TEST(temporary_files_become_ordinary_ones)
{
	struct stat s;
	char *tmp, other[200];
	snprintf(other, sizeof other, "%s/b.nc", folder);
	umask(027);
	ck_ok(gt_tmp_path(other, &tmp));
	ck_assert(access(other, F_OK) != 0);
	ck_ok(gt_tmp_commit(tmp, other));
	ck_assert(stat(other, &s) == 0 && (s.st_mode & 0777) == 0640);
	unlink(other);
}

int main(void) { return gt_test_main_with("refusals", setup, teardown); }
