/* Data Exchange files: flat and dark fields, order of rows, angles, pixel sizes, the rotation axis, what is refused.
 * The files are made through NetCDF-4, whose groups and variables are those of HDF5.
 * labels: unit property, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/constants.h>
#include <gantry/io.h>
#include <gantry/scan_math.h>
#include "geometry/projections.h"
#include "tests/io/notes.h"
#include "tests/io/others.h"
#include "tests/support/support.h"

static char folder[64], path[128];

static void setup(void)
{
	strcpy(folder, "/tmp/gantry-exchange-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.h5", folder);
}

static void teardown(void)
{
	unlink(path);
	ck_assert_msg(rmdir(folder) == 0, "something was left in %s", folder);
}

/* Discs of a slice: place, radius, attenuation. */
static const double discs[][4] = { { 12, -7, 14, 0.02 }, { -21, 9, 6, 0.05 }, { 3, 24, 4, 0.08 }, { -5, -26, 3, -0.01 } };

static double line_integral(double theta, double s)
{
	double sum = 0;
	for (size_t i = 0; i < sizeof discs / sizeof *discs; i++) {
		const double d = s - discs[i][0] * cos(theta) - discs[i][1] * sin(theta), h = discs[i][2] * discs[i][2] - d * d;
		sum += h > 0 ? 2 * sqrt(h) * discs[i][3] : 0;
	}
	return sum;
}

typedef struct {
	size_t views, rows, columns, flats, angles; /* flats 0: one, of two dimensions */
	double axis, first, step;                   /* degrees */
	nc_type type;
	const char *units;
	int radians, string_units, no_dark, no_white, wrong_white, dead;
	double bad, pixel_um;
} exchange;
static const exchange usual = {
	.views = 90, .rows = 3, .columns = 101, .flats = 3, .angles = 90, .axis = 52.3, .step = 4, .type = NC_USHORT, .units = "degrees"
};

static double flat_of(size_t r, size_t c) { return 30000 + 40.0 * (double)c - 500.0 * (double)r; }
static double dark_of(size_t r, size_t c) { return 100 + (double)((r * 7 + c * 3) % 11); }

static double counts(const exchange *x, size_t v, size_t r, size_t c)
{
	const double theta = (x->first + x->step * (double)v) * GT_PI / 180, scale = 1 + 0.1 * (double)r;
	double sum = 0;
	for (int k = 0; k < 5; k++)
		sum += scale * line_integral(theta, (double)c - x->axis + (k - 2) / 5.0) / 5;
	return dark_of(r, c) + (flat_of(r, c) - dark_of(r, c)) * exp(-sum);
}

static void put_frames(int group, const char *name, const exchange *x, size_t frames, double (*value)(size_t, size_t))
{
	int dims[3], variable;
	char dimension[32];
	const size_t size[3] = { frames, x->rows, x->columns + (value == flat_of && x->wrong_white ? 1 : 0) };
	for (int i = 0; i < 3; i++) {
		snprintf(dimension, sizeof dimension, "%s_%d", name, i);
		nc_ok(nc_def_dim(group, dimension, size[i] ? size[i] : 1, &dims[i]));
	}
	nc_ok(nc_def_var(group, name, x->type, frames ? 3 : 2, frames ? dims : dims + 1, &variable));
	const size_t n = (frames ? frames : 1) * size[1] * size[2];
	double *data = malloc(n * sizeof *data);
	for (size_t i = 0; i < n; i++) {
		const size_t f = i / size[2] / size[1], r = i / size[2] % size[1], c = i % size[2];
		data[i] = value(r, c) + (frames ? (double)f - (double)(frames - 1) / 2 : 0);
		if (value == flat_of && x->dead && r == 1 && (c == 0 || (c > 39 && c < 43)))
			data[i] = 0;
	}
	nc_ok(nc_put_var_double(group, variable, data));
	free(data);
}

static void put_views(int group, const exchange *x)
{
	int dims[3], variable;
	nc_ok(nc_def_dim(group, "data_0", x->views, &dims[0]));
	nc_ok(nc_def_dim(group, "data_1", x->rows, &dims[1]));
	nc_ok(nc_def_dim(group, "data_2", x->columns, &dims[2]));
	nc_ok(nc_def_var(group, "data", x->type, 3, dims, &variable));
	double *data = malloc(x->views * x->rows * x->columns * sizeof *data);
	for (size_t i = 0; i < x->views * x->rows * x->columns; i++)
		data[i] = counts(x, i / x->columns / x->rows, i / x->columns % x->rows, i % x->columns);
	if (x->bad != 0)
		data[(4 * x->rows + 1) * x->columns + 9] = x->bad;
	nc_ok(nc_put_var_double(group, variable, data));
	free(data);
}

static void put_angles(int group, const exchange *x)
{
	int dim, variable;
	double *theta = malloc(x->angles * sizeof *theta);
	nc_ok(nc_def_dim(group, "theta_0", x->angles, &dim));
	nc_ok(nc_def_var(group, "theta", NC_DOUBLE, 1, &dim, &variable));
	if (x->string_units)
		nc_ok(nc_put_att_string(group, variable, "units", 1, &(const char *){ x->units }));
	else if (x->units)
		nc_ok(nc_put_att_text(group, variable, "units", strlen(x->units), x->units));
	for (size_t v = 0; v < x->angles; v++)
		theta[v] = (x->first + x->step * (double)v) * (x->radians ? GT_PI / 180 : 1);
	nc_ok(nc_put_var_double(group, variable, theta));
	free(theta);
}

static void put_pixel(int file, const exchange *x)
{
	int group, variable;
	nc_ok(nc_def_grp(file, "measurement", &group));
	nc_ok(nc_def_grp(group, "instrument", &group));
	nc_ok(nc_def_grp(group, "detector", &group));
	nc_ok(nc_def_var(group, "x_pixel_size", NC_DOUBLE, 0, NULL, &variable));
	nc_ok(nc_put_att_text(group, variable, "units", 2, "um"));
	nc_ok(nc_put_var_double(group, variable, &x->pixel_um));
}

static void write_exchange(const exchange *x)
{
	int file, group;
	nc_ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &file));
	nc_ok(nc_def_grp(file, "exchange", &group));
	put_views(group, x);
	if (!x->no_white)
		put_frames(group, "data_white", x, x->flats, flat_of);
	if (!x->no_dark)
		put_frames(group, "data_dark", x, x->flats, dark_of);
	if (x->angles)
		put_angles(group, x);
	if (x->pixel_um != 0)
		put_pixel(file, x);
	nc_ok(nc_close(file));
}

static gt_projections *imported(const exchange *x, double axis, char *note)
{
	gt_projections *p;
	gt_read_options o = gt_read_defaults;
	o.axis = axis;
	if (note)
		o.notes = notes_into(note);
	write_exchange(x);
	ck_ok(gt_read_projections(path, &o, &p));
	return p;
}

/* The integral over the rays that the scan claims, through the discs where they are. */
static void check_rays(const gt_projections *p, const exchange *x, double tolerance)
{
	const gt_detector d = gt_scan_detector(p->scan);
	for (size_t v = 0; v < x->views; v += 7)
		for (size_t r = 0; r < x->rows; r++)
			for (size_t c = 2; c + 2 < x->columns; c++) {
				double sum = 0, point[3], along[3];
				for (int k = 0; k < 5; k++) {
					gt_pixel_ray(&d, &p->scan->view[v], (double)c + (k - 2) / 5.0, (double)r, point, along);
					/* s of the ray = point . (cos, sin) of its normal, the direction being (sin, -cos). */
					const double length = hypot(along[0], along[1]), nx = -along[1] / length, ny = along[0] / length;
					sum += line_integral(atan2(ny, nx), (point[0] * nx + point[1] * ny) / p->scan->column_pitch) / 5;
				}
				const double scale = 1 + 0.1 * (double)(x->rows - 1 - r);
				ck_assert_double_eq_tol(p->data[(v * x->rows + r) * x->columns + c], scale * sum, tolerance);
			}
}

START_TEST(line_integrals_of_what_is_there)
{
	const struct {
		nc_type type;
		size_t flats;
		int radians, strings;
		const char *units;
		double tolerance;
	} kinds[] = {
		{ NC_USHORT, 3, 0, 0, "degrees", 2e-3 },
		{ NC_FLOAT, 0, 1, 1, "rad", 1e-5 },
		{ NC_DOUBLE, 5, 0, 1, "deg", 1e-5 },
		{ NC_INT, 1, 0, 0, NULL, 2e-3 },
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		exchange x = usual;
		char note[NOTES];
		x.type = kinds[i].type;
		x.flats = kinds[i].flats;
		x.radians = kinds[i].radians;
		x.string_units = kinds[i].strings;
		x.units = kinds[i].units;
		x.first = 17;
		x.pixel_um = i % 2 ? 0 : 250;
		gt_projections *p = imported(&x, x.axis, note);
		ck_assert(p->scan->shape == GT_PARALLEL && p->scan->column_center == x.axis && p->scan->source_to_axis == 0);
		ck_assert_double_eq_tol(p->scan->column_pitch, i % 2 ? 1 : 0.25, 1e-12);
		ck_assert((strstr(note, "taken as 1 mm") != NULL) == (i % 2));
		ck_assert((strstr(note, "taken as degrees") != NULL) == (kinds[i].units == NULL));
		ck_assert(p->scan->row_center == 1);
		check_rays(p, &x, kinds[i].tolerance);
		gt_projections_free(p);
	}
}
END_TEST

START_TEST(axis_of_a_full_turn)
{
	static const double axes[] = { 52.3, 47.75, 40.5, 50 };
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
		exchange x = usual;
		char note[NOTES];
		x.axis = axes[i];
		x.views = x.angles = i % 2 ? 90 : 91;
		x.step = 360.0 / (double)x.views;
		gt_projections *p = imported(&x, NAN, note);
		ck_assert_msg(fabs(p->scan->column_center - axes[i]) < 0.05, "axis found at %g, is at %g", p->scan->column_center, axes[i]);
		ck_assert_ptr_nonnull(strstr(note, "rotation axis found at column"));
		gt_projections_free(p);
	}
}
END_TEST

START_TEST(axis_of_half_a_turn)
{
	const struct {
		size_t views;
		double step;
	} scans[] = { { 181, 1 }, { 180, 1 }, { 120, 1.5 }, { 90, 2 }, { 361, 0.5 } };
	for (size_t i = 0; i < sizeof scans / sizeof *scans; i++) {
		exchange x = usual;
		x.views = x.angles = scans[i].views;
		x.step = scans[i].step;
		x.first = 25 * (double)i;
		gt_projections *p = imported(&x, NAN, NULL);
		ck_assert_msg(fabs(p->scan->column_center - x.axis) < 0.25, "axis found at %g, is at %g (%zu views)",
		              p->scan->column_center, x.axis, x.views);
		gt_projections_free(p);
	}
}
END_TEST

START_TEST(geometry_alone)
{
	gt_read_options o = gt_read_defaults;
	gt_projections *p;
	o.geometry_only = 1;
	write_exchange(&usual);
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_ptr_null(p->data);
	ck_assert_double_eq_tol(p->scan->column_center, usual.axis, 0.05);
	gt_projections_free(p);
	const gt_format *f;
	int projections;
	ck_ok(gt_file_kind(path, &f, &projections));
	ck_assert(projections == 1);
	ck_assert_str_eq(f->name, "dataexchange");
}
END_TEST

START_TEST(dead_and_dark_cells)
{
	exchange x = usual;
	char note[NOTES];
	x.dead = 1;
	gt_projections *p = imported(&x, 52, note);
	ck_assert_ptr_nonnull(strstr(note, "4 pixels see no light"));
	const float *row = p->data + x.columns;
	ck_assert_double_eq_tol(row[41], (row[39] + row[43]) / 2, 1e-6);
	ck_assert_double_eq_tol(row[0], row[1], 1e-6);
	gt_projections_free(p);
	x.dead = 0;
	x.no_dark = 1;
	x.bad = 1e-3;
	x.type = NC_FLOAT;
	p = imported(&x, 52, note);
	ck_assert_ptr_nonnull(strstr(note, "no exchange/data_dark"));
	ck_assert_ptr_nonnull(strstr(note, "1 of 27270 values are darker than 1/65536"));
	ck_assert_double_eq_tol(p->data[(4 * 3 + 1) * 101 + 9], log(65536), 1e-5);
	gt_projections_free(p);
}
END_TEST

static void refused(const exchange *x, gt_status code, const char *text)
{
	gt_projections *p;
	write_exchange(x);
	ck_refused(gt_read_projections(path, NULL, &p), code, text);
	ck_assert_ptr_nonnull(strstr(gt_error(), "a.h5: "));
	ck_assert_ptr_null(p);
}

START_TEST(refusals)
{
	exchange x = usual;
	x.angles = 89;
	refused(&x, GT_ERR_FORMAT, "exchange/theta: has 89 angles, expected 90");
	x.angles = 0;
	refused(&x, GT_ERR_FORMAT, "exchange/theta is missing");
	x = usual;
	x.no_white = 1;
	refused(&x, GT_ERR_FORMAT, "exchange/data_white is missing");
	x = usual;
	x.wrong_white = 1;
	refused(&x, GT_ERR_FORMAT, "exchange/data_white: frames are 3 x 102, expected 3 x 101");
	x = usual;
	x.units = "turns";
	refused(&x, GT_ERR_FORMAT, "exchange/theta: units are 'turns', expected degrees or radians");
	x = usual;
	x.type = NC_DOUBLE;
	x.bad = NAN;
	refused(&x, GT_ERR_FORMAT, "exchange/data: NaN or infinite at [4][1][9]");
	x = usual;
	x.step = 1;
	refused(&x, GT_ERR_UNSUPPORTED, "no two views are half a turn apart");
	x = usual;
	x.pixel_um = -5;
	refused(&x, GT_ERR_FORMAT, "x_pixel_size: is -5 um, expected a positive length");
	gt_projections *p;
	gt_read_options o = gt_read_defaults;
	o.axis = 5000;
	write_exchange(&usual);
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_ARG, "axis=5000");
	ck_refused(gt_read_volume(path, NULL, &(gt_volume *){ NULL }), GT_ERR_FORMAT,
	           "is a HDF5 Data Exchange file, which holds projections, expected a volume");
	ck_assert_int_eq(truncate(path, 20000), 0);
	ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_FORMAT, "a.h5: truncated: has 20000 bytes, expected");
}
END_TEST

/* A data set of the size, of which nothing is written. */
static void put_claim(int group, const char *name, int rank, const size_t *size, int deflate)
{
	int dims[3], variable;
	const size_t chunks[3] = { 1, 3, 101 };
	for (int i = 0; i < rank; i++) {
		char dimension[32];
		snprintf(dimension, sizeof dimension, "%s_%d", name, i);
		nc_ok(nc_def_dim(group, dimension, size[i], &dims[i]));
	}
	nc_ok(nc_def_var(group, name, NC_USHORT, rank, dims, &variable));
	nc_ok(nc_def_var_chunking(group, variable, NC_CHUNKED, chunks));
	if (deflate)
		nc_ok(nc_def_var_deflate(group, variable, 0, 1, 1));
}

/* Reading what is claimed and not there would not end. */
START_TEST(claims_beyond_the_file)
{
	static const char *const names[] = { "data_white", "data_dark", "data", "theta" };
	for (int i = 0; i < 8; i++) {
		const size_t size[3] = { (size_t)1 << 40, 3, 101 };
		const int k = i % 4;
		exchange x = usual;
		int file, group;
		char message[64];
		gt_projections *p;
		nc_ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &file));
		nc_ok(nc_def_grp(file, "exchange", &group));
		if (k != 2)
			put_views(group, &x);
		if (k != 0)
			put_frames(group, "data_white", &x, 3, flat_of);
		if (k != 3)
			put_angles(group, &x);
		put_claim(group, names[k], k == 3 ? 1 : 3, size, i / 4);
		nc_ok(nc_close(file));
		snprintf(message, sizeof message, "exchange/%s: claims %s values", names[k],
		         k == 3 ? "1 x 1 x 1099511627776" : "1099511627776 x 3 x 101");
		ck_refused(gt_read_projections(path, NULL, &p), GT_ERR_FORMAT, message);
	}
}
END_TEST

START_TEST(a_real_tooth)
{
	const char *data = getenv("GT_DATA");
	char tooth[4096];
	gt_projections *p;
	snprintf(tooth, sizeof tooth, "%s/tooth.h5", data ? data : "");
	if (!data || access(tooth, R_OK) != 0)
		return;
	ck_ok(gt_read_projections(tooth, NULL, &p));
	ck_assert(p->scan->views == 181 && p->scan->rows == 2 && p->scan->columns == 640);
	ck_assert_msg(fabs(p->scan->column_center - 296) <= 1, "axis found at %g", p->scan->column_center);
	gt_projections_free(p);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, line_integrals_of_what_is_there);
	tcase_add_test(tc, axis_of_a_full_turn);
	tcase_add_test(tc, axis_of_half_a_turn);
	tcase_add_test(tc, geometry_alone);
	tcase_add_test(tc, dead_and_dark_cells);
	tcase_add_test(tc, refusals);
	tcase_add_test(tc, claims_beyond_the_file);
	tcase_add_test(tc, a_real_tooth);
}

int main(void) { return gt_test_main("dataexchange", fill); }
