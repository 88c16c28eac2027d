/* NetCDF files: round trips, and files of other programs with the same names.
 * labels: unit property, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "tests/io/notes.h"
#include "tests/io/others.h"
#include "tests/support/support.h"

static char folder[] = "/tmp/gantry-netcdf-XXXXXX";
static char path[256];

static void setup(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.nc", folder);
}

static void teardown(void)
{
	unlink(path);
	gt_test_folder_remove(folder);
}

static gt_projections *projections(gt_shape shape, int spots, int extras)
{
	static const double spot[2][3] = { { 0.3, -0.1, 0.2 }, { -0.25, 0.15, -0.1 } };
	const gt_orbit orbit = {
		.shape = shape,
		.views = 7,
		.rows = 5,
		.columns = 11,
		.source_to_axis = 541,
		.source_to_detector = 949,
		.column_pitch = 1.0239,
		.row_pitch = 1.0963,
		.column_offset = 1.25,
		.row_offset = -0.4,
		.start_angle = 0.37,
		.turn = 2 * GT_PI,
		.pitch_per_turn = shape == GT_PARALLEL ? 0 : 12.5,
		.z_center = 3.3,
		.spot = spot,
		.spots = spots ? 2 : 0,
	};
	gt_projections *p = gt_projections_blank();
	ck_ok(gt_scan_orbit(&orbit, &p->scan));
	const size_t n = gt_scan_size(p->scan);
	p->data = malloc(n * sizeof(float));
	gt_test_random(1, n, p->data);
	if (extras) {
		p->weight = malloc(n * sizeof(float));
		p->photons = malloc(n * sizeof(float));
		gt_test_random(2, n, p->weight);
		gt_test_random(3, n, p->photons);
		for (size_t i = 0; i < n; i++) {
			p->weight[i] = fabsf(p->weight[i]);
			p->photons[i] = 1e5f * fabsf(p->photons[i]);
		}
		p->from.command = strdup("gantry simulate -o a.nc");
		p->from.parameters = strdup("phantom=x");
		p->from.scan_hash = 0xfedcba9876543210u;
	}
	return p;
}

static void same_bits(const float *a, const float *b, size_t n)
{
	ck_assert((a == NULL) == (b == NULL));
	if (a)
		ck_assert_int_eq(memcmp(a, b, n * sizeof *a), 0);
}

static void round_trip(gt_shape shape, int spots, int extras, int deflate)
{
	gt_projections *p = projections(shape, spots, extras), *q;
	gt_write_options o = gt_write_defaults;
	o.deflate = deflate;
	ck_ok(gt_write_projections(path, &o, p));
	ck_ok(gt_read_projections(path, NULL, &q));
	const size_t n = gt_scan_size(p->scan);
	ck_assert_uint_eq(gt_scan_hash(p->scan), gt_scan_hash(q->scan));
	ck_assert_uint_eq(p->from.scan_hash, q->from.scan_hash);
	ck_assert_pstr_eq(p->from.command, q->from.command);
	ck_assert_pstr_eq(p->from.parameters, q->from.parameters);
	same_bits(p->data, q->data, n);
	same_bits(p->weight, q->weight, n);
	same_bits(p->photons, q->photons, n);
	gt_projections_free(q);
	gt_read_options alone = gt_read_defaults;
	alone.without_statistics = 1;
	ck_ok(gt_read_projections(path, &alone, &q));
	same_bits(p->data, q->data, n);
	ck_assert(!q->weight && !q->photons);
	gt_projections_free(p);
	gt_projections_free(q);
}

GT_TEST(projections_come_back)
{
	for (int shape = 0; shape < GT_NSHAPES; shape++)
		for (int extras = 0; extras < 2; extras++)
			round_trip((gt_shape)shape, 0, extras, shape == GT_ARC ? 4 : 0);
	round_trip(GT_ARC, 1, 1, 0);
	round_trip(GT_FLAT, 1, 0, 1);
}

static int has_variable(const char *name)
{
	int id, variable;
	nc_ok(nc_open(path, NC_NOWRITE, &id));
	const int has = nc_inq_varid(id, name, &variable) == NC_NOERR;
	nc_close(id);
	return has;
}

GT_TEST(arc_center_only_where_it_differs)
{
	gt_projections *p = projections(GT_ARC, 0, 0), *q = projections(GT_ARC, 1, 0);
	ck_ok(gt_write_projections(path, NULL, p));
	ck_assert(!has_variable("arc_center"));
	ck_ok(gt_write_projections(path, NULL, q));
	ck_assert(has_variable("arc_center"));
	gt_projections_free(p);
	gt_projections_free(q);
}

GT_TEST(unknown_angles_stay_unknown)
{
	gt_projections *p = projections(GT_FLAT, 0, 0), *q;
	p->scan->view[2].angle = NAN;
	ck_ok(gt_write_projections(path, NULL, p));
	ck_ok(gt_read_projections(path, NULL, &q));
	ck_assert(isnan(q->scan->view[2].angle));
	ck_assert(q->scan->view[3].angle == p->scan->view[3].angle);
	gt_projections_free(q);
	for (size_t v = 0; v < p->scan->views; v++)
		p->scan->view[v].angle = NAN;
	ck_ok(gt_write_projections(path, NULL, p));
	ck_assert(!has_variable("angle"));
	gt_projections_free(p);
}

GT_TEST(geometry_without_data)
{
	gt_read_options o = gt_read_defaults;
	gt_projections *p = projections(GT_FLAT, 0, 1), *q;
	o.geometry_only = 1;
	ck_ok(gt_write_projections(path, NULL, p));
	ck_ok(gt_read_projections(path, &o, &q));
	ck_assert_ptr_null(q->data);
	ck_assert_ptr_null(q->weight);
	ck_assert_uint_eq(gt_scan_hash(p->scan), gt_scan_hash(q->scan));
	gt_projections_free(q);
	free(p->data);
	p->data = NULL;
	ck_ok(gt_write_projections(path, NULL, p));
	ck_assert(!has_variable("projections"));
	ck_ok(gt_read_projections(path, &o, &q));
	ck_assert_uint_eq(gt_scan_hash(p->scan), gt_scan_hash(q->scan));
	gt_projections_free(q);
	ck_refused(gt_read_projections(path, NULL, &q), GT_ERR_FORMAT, "a.nc: variable projections is missing");
	gt_projections_free(p);
}

static gt_volume *volume(void)
{
	gt_volume *v = gt_volume_blank();
	v->grid = (gt_grid){ { 7, 5, 3 }, { 0.7, 0.9, 1.1 }, { 3.1, -2.2, 7.7 } };
	v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float));
	gt_test_random(4, gt_grid_voxels(&v->grid), v->data);
	for (size_t i = 0; i < gt_grid_voxels(&v->grid); i++)
		v->data[i] = 0.02f + 0.02f * v->data[i];
	return v;
}

static void same_grid(const gt_grid *a, const gt_grid *b)
{
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(a->n[i], b->n[i]);
		ck_assert(a->pitch[i] == b->pitch[i]);
		ck_assert(a->center[i] == b->center[i]);
	}
}

GT_TEST(volumes_come_back)
{
	gt_volume *v = volume(), *w;
	const size_t n = gt_grid_voxels(&v->grid);
	v->from.command = strdup("gantry recon");
	ck_ok(gt_write_volume(path, NULL, v));
	ck_ok(gt_read_volume(path, NULL, &w));
	same_grid(&v->grid, &w->grid);
	same_bits(v->data, w->data, n);
	ck_assert(w->water == 0);
	ck_assert_str_eq(w->from.command, "gantry recon");
	gt_volume_free(w);
	v->water = 0.0195;
	gt_write_options o = gt_write_defaults;
	o.deflate = 2;
	ck_ok(gt_write_volume(path, &o, v));
	ck_ok(gt_read_volume(path, NULL, &w));
	same_bits(v->data, w->data, n);
	ck_assert(w->water == 0.0195 && w->unit == GT_PER_MM);
	gt_volume_free(w);
	gt_volume_free(v);
}

GT_TEST(hounsfield_units_come_back)
{
	gt_volume *v = volume(), *w;
	const size_t n = gt_grid_voxels(&v->grid);
	gt_write_options o = gt_write_defaults;
	o.unit = GT_HU;
	o.water = 0.0193;
	ck_ok(gt_write_volume(path, &o, v));
	ck_assert(has_variable("ct_number") && !has_variable("attenuation"));
	ck_ok(gt_read_volume(path, NULL, &w));
	ck_assert(w->water == 0.0193 && w->unit == GT_HU);
	for (size_t i = 0; i < n; i++)
		ck_assert_double_eq_tol(w->data[i], v->data[i], 1e-8);
	gt_volume_free(w);
	int id, variable;
	float hu[3 * 5 * 7];
	nc_ok(nc_open(path, NC_NOWRITE, &id));
	nc_ok(nc_inq_varid(id, "ct_number", &variable));
	nc_ok(nc_get_var_float(id, variable, hu));
	nc_ok(nc_close(id));
	ck_assert_double_eq_tol(hu[17], 1000 * (v->data[17] - 0.0193) / 0.0193, 1e-3);
	gt_volume_free(v);
}

/* Foreign files ----------------------------------------------------------- */

typedef struct {
	const char *variable, *units;
	nc_type type;
	int format;                     /* mode of nc_create() */
	double step[3], scale, offset;  /* x, y, z; scale 0: no attributes */
	int float_axes, water, fill_at; /* fill_at > 0: that voxel holds the fill value */
	double dent;                    /* moves one y coordinate */
} foreign;

/* 3 x 4 x 5 voxels with stored values 100 z + 10 y + x. */
static void write_foreign(const foreign *f)
{
	static const char *const names[] = { "z", "y", "x" };
	int id, dims[3], axes[3], variable;
	const size_t n[3] = { 3, 4, 5 };
	nc_ok(nc_create(path, f->format | NC_CLOBBER, &id));
	for (int a = 0; a < 3; a++) {
		nc_ok(nc_def_dim(id, names[a], n[a], &dims[a]));
		nc_ok(nc_def_var(id, names[a], f->float_axes ? NC_FLOAT : NC_DOUBLE, 1, &dims[a], &axes[a]));
	}
	nc_ok(nc_def_var(id, f->variable, f->type, 3, dims, &variable));
	if (f->units)
		nc_ok(nc_put_att_text(id, variable, "units", strlen(f->units), f->units));
	if (f->scale != 0) {
		nc_ok(nc_put_att_double(id, variable, "scale_factor", NC_DOUBLE, 1, &f->scale));
		nc_ok(nc_put_att_double(id, variable, "add_offset", NC_DOUBLE, 1, &f->offset));
	}
	if (f->water)
		nc_ok(nc_put_att_float(id, variable, "water_attenuation_mm-1", NC_FLOAT, 1, &(float){ 0.25f }));
	if (f->fill_at)
		nc_ok(nc_put_att_short(id, variable, "_FillValue", f->type, 1, &(short){ -7 }));
	nc_ok(nc_enddef(id));
	for (int a = 0; a < 3; a++) {
		double c[5];
		for (size_t i = 0; i < n[a]; i++)
			c[i] = 1.5 + f->step[2 - a] * (double)i;
		if (a == 1)
			c[2] += f->dent;
		nc_ok(nc_put_var_double(id, axes[a], c));
	}
	double stored[60];
	for (int i = 0; i < 60; i++)
		stored[i] = i == f->fill_at && i ? -7 : 100 * (i / 20) + 10 * (i / 5 % 4) + i % 5;
	nc_ok(nc_put_var_double(id, variable, stored));
	nc_ok(nc_close(id));
}

GT_TEST(other_types_scales_and_orders)
{
	const struct {
		nc_type type;
		int format;
	} stored[] = {
		{ NC_SHORT, NC_NETCDF4 },
		{ NC_DOUBLE, NC_NETCDF4 },
		{ NC_FLOAT, NC_NETCDF4 },
		{ NC_INT, 0 },
		{ NC_SHORT, NC_64BIT_OFFSET },
		{ NC_USHORT, NC_NETCDF4 },
		{ NC_INT64, NC_NETCDF4 },
		{ NC_UINT64, NC_64BIT_DATA },
		{ NC_DOUBLE, 0 },
	};
	for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
		const foreign f = { .variable = "attenuation",
			            .units = i % 2 ? "mm-1" : "1/mm",
			            .type = stored[i].type,
			            .format = stored[i].format,
			            .step = { 0.5, -0.25, i % 2 ? 2 : -2 },
			            .scale = 0.001,
			            .offset = 0.5,
			            .float_axes = i % 3 == 0 };
		gt_volume *v;
		write_foreign(&f);
		ck_ok(gt_read_volume(path, NULL, &v));
		ck_assert_uint_eq(v->grid.n[0], 5);
		ck_assert_double_eq_tol(v->grid.pitch[1], 0.25, 1e-12);
		ck_assert_double_eq_tol(v->grid.center[1], 1.5 - 0.25 * 1.5, 1e-12);
		ck_assert_double_eq_tol(gt_grid_first(&v->grid, 0), 1.5, 1e-12);
		/* z = 0, y = 1, x = 2 in memory is y = 2 in the file, and z = 2 if z decreases there */
		const double expected = 0.5 + 0.001 * ((i % 2 ? 0 : 200) + 10 * 2 + 2);
		ck_assert_double_eq_tol(v->data[(0 * 4 + 1) * 5 + 2], expected, 1e-7);
		gt_volume_free(v);
	}
}

GT_TEST(hounsfield_of_others)
{
	foreign f = { .variable = "ct_number", .type = NC_SHORT, .format = NC_NETCDF4, .step = { 1, 1, 1 } };
	char note[NOTES];
	gt_read_options o = gt_read_defaults;
	gt_volume *v;
	o.notes = notes_into(note);
	write_foreign(&f);
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[59], GT_WATER_DEFAULT * 1.234, 1e-8);
	ck_assert_ptr_nonnull(strstr(note, "0.02"));
	gt_volume_free(v);
	o.water = 0.1;
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[59], 0.1 * 1.234, 1e-8);
	gt_volume_free(v);
	f.water = 1;
	f.units = "HU";
	write_foreign(&f);
	note[0] = 0;
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[59], 0.25 * 1.234, 1e-7);
	ck_assert_str_eq(note, "");
	o.center = 1;
	gt_volume_free(v);
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert(v->grid.center[0] == 0 && v->grid.center[2] == 0);
	gt_volume_free(v);
}

GT_TEST(volumes_of_others_refused)
{
	const foreign good = { .variable = "attenuation", .type = NC_SHORT, .format = NC_NETCDF4, .step = { 1, 1, 1 } };
	foreign f = good;
	gt_volume *v;
	f.units = "cm-1";
	write_foreign(&f);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "a.nc: variable attenuation: units are 'cm-1', expected 'mm-1'");
	ck_assert_ptr_null(v);
	f = good;
	f.dent = 0.1;
	write_foreign(&f);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "variable y: not evenly spaced: value 2 is 3.6, expected 3.5");
	f = good;
	f.fill_at = 33;
	write_foreign(&f);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "1 of 60 values are NaN, infinite or missing, the first at [1][2][3]");
	f = good;
	f.step[2] = 0;
	write_foreign(&f);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "variable z: first and last of 3 coordinates are both 1.5");
	f = good;
	f.variable = "density";
	write_foreign(&f);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "variable attenuation is missing");
	ck_refused(gt_file_kind(path, NULL, &(int){ 0 }), GT_ERR_FORMAT, "holds neither projections");
}

GT_TEST(one_slice_needs_its_thickness)
{
	gt_volume *v = volume(), *w;
	v->grid.n[2] = 1;
	ck_ok(gt_write_volume(path, NULL, v));
	ck_ok(gt_read_volume(path, NULL, &w));
	same_grid(&v->grid, &w->grid);
	gt_volume_free(w);
	int id, z;
	nc_ok(nc_open(path, NC_WRITE, &id));
	nc_ok(nc_inq_varid(id, "z", &z));
	nc_ok(nc_redef(id));
	nc_ok(nc_del_att(id, z, "pitch_mm"));
	nc_ok(nc_close(id));
	ck_refused(gt_read_volume(path, NULL, &w), GT_ERR_FORMAT, "variable z: one coordinate (7.7) and attribute pitch_mm is missing");
	gt_volume_free(v);
}

GT_TEST(a_part_of_a_volume_keeps_its_place)
{
	gt_volume *v = volume(), *w;
	ck_ok(gt_write_volume(path, NULL, v));
	int id, x;
	nc_ok(nc_open(path, NC_WRITE, &id));
	nc_ok(nc_inq_varid(id, "x", &x));
	double c[7];
	nc_ok(nc_get_var_double(id, x, c));
	for (int i = 0; i < 7; i++)
		c[i] += 0.7;
	nc_ok(nc_put_var_double(id, x, c));
	nc_ok(nc_close(id));
	ck_ok(gt_read_volume(path, NULL, &w));
	ck_assert_double_eq_tol(w->grid.center[0], v->grid.center[0] + 0.7, 1e-12);
	gt_volume_free(v);
	gt_volume_free(w);
}

GT_TEST(kinds)
{
	const gt_format *f;
	int is = -1;
	gt_projections *p = projections(GT_FLAT, 0, 0);
	gt_volume *v = volume();
	ck_ok(gt_write_projections(path, NULL, p));
	ck_ok(gt_file_kind(path, &f, &is));
	ck_assert_int_eq(is, 1);
	ck_assert_str_eq(f->name, "netcdf");
	ck_ok(gt_write_volume(path, NULL, v));
	ck_ok(gt_file_kind(path, &f, &is));
	ck_assert_int_eq(is, 0);
	gt_projections_free(p);
	gt_volume_free(v);
}

int main(void) { return gt_test_main_with("netcdf", setup, teardown); }
