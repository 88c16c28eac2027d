/* Data Exchange files: flat and dark fields, row order, angles, pixel sizes, rotation axis and refusals.
 * labels: unit property, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include <gantry/author/scan_math.h>
#include "geometry/projections.h"
#include "tests/io/exchange_files.h"
#include "tests/io/notes.h"
#include "tests/support/support.h"

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

GT_TEST(line_integrals_of_what_is_there)
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
		ck_assert((strstr(note, "assumed 1 mm") != NULL) == (i % 2));
		ck_assert((strstr(note, "taken as degrees") != NULL) == (kinds[i].units == NULL));
		ck_assert(p->scan->row_center == 1);
		check_rays(p, &x, kinds[i].tolerance);
		gt_projections_free(p);
	}
}

GT_TEST(axis_of_a_full_turn)
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

GT_TEST(axis_of_half_a_turn)
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

GT_TEST(geometry_alone)
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

GT_TEST(dead_and_dark_cells)
{
	exchange x = usual;
	char note[NOTES];
	x.dead = 1;
	gt_projections *p = imported(&x, 52, note);
	ck_assert_ptr_nonnull(strstr(note, "interpolated 4 dead pixels"));
	const float *row = p->data + x.columns;
	/* the centre one of three has six good neighbours in adjacent rows */
	double sum = 0;
	for (size_t c = 40; c < 43; c++)
		sum += exp(-(double)p->data[c]) + exp(-(double)p->data[2 * x.columns + c]);
	ck_assert_double_eq_tol(row[41], -log(sum / 6), 1e-6);
	gt_projections_free(p);
	x.dead = 0;
	x.no_dark = 1;
	x.bad = 1e-3;
	x.type = NC_FLOAT;
	p = imported(&x, 52, note);
	ck_assert_ptr_nonnull(strstr(note, "no dark field: taken as 0"));
	ck_assert_ptr_nonnull(strstr(note, "1 of 27270 transmissions are below 1/65536"));
	ck_assert_double_eq_tol(p->data[(4 * 3 + 1) * 101 + 9], log(65536), 1e-5);
	gt_projections_free(p);
}

GT_TEST(refusals)
{
	exchange x = usual;
	x.angles = 89;
	refused(&x, GT_ERR_FORMAT, "exchange/theta: has 89 angles, expected 90");
	x.angles = 0;
	refused(&x, GT_ERR_FORMAT, "exchange/theta is missing: expected the angles of the 90 views, or --angles");
	x = usual;
	x.wrong_white = 1;
	refused(&x, GT_ERR_FORMAT, "exchange/data_white: a flat field of 3 rows x 102 columns, expected 3 x 101");
	x = usual;
	x.units = "turns";
	refused(&x, GT_ERR_FORMAT, "exchange/theta: units are 'turns', expected degrees or radians");
	x = usual;
	x.type = NC_DOUBLE;
	x.bad = NAN;
	refused(&x, GT_ERR_FORMAT, "exchange/data: NaN or infinite in view 4 at row 1, column 9");
	x = usual;
	x.step = 1;
	refused(&x, GT_ERR_UNSUPPORTED, "no two views are 180 degrees apart");
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

/* A dataset of this size without data. */
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

/* Reading the claimed size would not end. */
GT_TEST(claims_beyond_the_file)
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

GT_TEST(a_real_tooth)
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

int main(void) { return gt_test_main_with("dataexchange", setup, teardown); }
