/* Projections read by views and rows, volumes written slice by slice: equal to one call; refusals name file and
 * view.
 * labels: unit property, backend: none */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "io/view_reader.h"
#include "tests/io/others.h"
#include "tests/support/support.h"

enum { VIEWS = 11, ROWS = 7, COLUMNS = 13 };

static char folder[64], path[128], raw[128];

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.nc", folder);
	snprintf(raw, sizeof raw, "%s/a.raw", folder);
}

static void teardown(void)
{
	unlink(path);
	unlink(raw);
	gt_test_folder_remove(folder);
}

static gt_projections *projections(void)
{
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = VIEWS,
		                 .rows = ROWS,
		                 .columns = COLUMNS,
		                 .source_to_axis = 100,
		                 .source_to_detector = 150,
		                 .column_pitch = 1,
		                 .row_pitch = 1.5,
		                 .turn = 6.28 };
	gt_projections *p = gt_projections_blank();
	ck_ok(gt_scan_orbit(&orbit, &p->scan));
	p->data = malloc(gt_scan_size(p->scan) * sizeof *p->data);
	gt_test_random(9, gt_scan_size(p->scan), p->data);
	return p;
}

/* Every range of views and rows against the whole. */
static void check_views(gt_view_reader *v, const float *data)
{
	static const size_t cut[][4] = { { 0, VIEWS, 0, ROWS }, { 3, 4, 2, 3 }, { 10, 1, 6, 1 }, { 0, 1, 0, 7 }, { 5, 6, 1, 5 } };
	float got[VIEWS * ROWS * COLUMNS];
	for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
		const size_t *c = cut[i];
		ck_ok(gt_view_reader_read(v, c[0], c[1], c[2], c[3], got));
		for (size_t view = 0; view < c[1]; view++)
			ck_assert_int_eq(memcmp(got + view * c[3] * COLUMNS, data + ((c[0] + view) * ROWS + c[2]) * COLUMNS,
			                        c[3] * COLUMNS * sizeof *got),
			                 0);
	}
	ck_refused(gt_view_reader_read(v, 10, 2, 0, 1, got), GT_ERR_ARG, "expected 11 views of 7 rows");
	ck_refused(gt_view_reader_read(v, 0, 1, 6, 2, got), GT_ERR_ARG, "rows 6 to 8");
}

GT_TEST(netcdf_views)
{
	gt_projections *p = projections();
	for (int deflate = 0; deflate <= 9; deflate += 9) {
		gt_write_options o = gt_write_defaults;
		gt_view_reader *v;
		o.deflate = deflate;
		ck_ok(gt_write_projections(path, &o, p));
		ck_ok(gt_view_reader_open(path, NULL, p->scan, &v));
		check_views(v, p->data);
		gt_view_reader_close(v);
	}
	gt_projections_free(p);
}

/* Foreign projections: packed, in thick chunks, one of them missing. */
GT_TEST(packed_views)
{
	gt_projections *p = projections();
	short stored[VIEWS * ROWS * COLUMNS], fill = -999;
	float got[2 * ROWS * COLUMNS];
	gt_view_reader *v;
	int id, dims[3], variable;
	const size_t chunk[3] = { 4, 3, 5 };
	const double scale = 0.25, offset = -3;
	for (int i = 0; i < VIEWS * ROWS * COLUMNS; i++)
		stored[i] = (short)(i % 777);
	stored[(9 * ROWS + 3) * COLUMNS + 4] = fill;
	nc_ok(nc_create(path, NC_NETCDF4, &id));
	nc_ok(nc_def_dim(id, "view", VIEWS, &dims[0]));
	nc_ok(nc_def_dim(id, "row", ROWS, &dims[1]));
	nc_ok(nc_def_dim(id, "column", COLUMNS, &dims[2]));
	nc_ok(nc_def_var(id, "projections", NC_SHORT, 3, dims, &variable));
	nc_ok(nc_def_var_chunking(id, variable, NC_CHUNKED, chunk));
	nc_ok(nc_def_var_deflate(id, variable, 1, 1, 4));
	nc_ok(nc_put_att_short(id, variable, "_FillValue", NC_SHORT, 1, &fill));
	nc_ok(nc_put_att_double(id, variable, "scale_factor", NC_DOUBLE, 1, &scale));
	nc_ok(nc_put_att_double(id, variable, "add_offset", NC_DOUBLE, 1, &offset));
	nc_ok(nc_put_var_short(id, variable, stored));
	nc_ok(nc_close(id));
	ck_ok(gt_view_reader_open(path, NULL, p->scan, &v));
	ck_assert_uint_ge(gt_view_reader_bytes(v), 4 * 9 * 15 * sizeof(short));
	ck_ok(gt_view_reader_read(v, 7, 2, 1, 4, got));
	for (size_t i = 0; i < 2 * 4 * COLUMNS; i++)
		ck_assert(got[i] == 0.25f * (float)stored[((7 + i / (4 * COLUMNS)) * ROWS + 1) * COLUMNS + i % (4 * COLUMNS)] - 3);
	ck_refused(gt_view_reader_read(v, 8, 2, 2, 5, got), GT_ERR_FORMAT, "view 9: 1 of 65 values in rows 2 to 6");
	ck_assert_ptr_nonnull(strstr(gt_error(), "the first at row 3, column 4"));
	ck_assert_ptr_nonnull(strstr(gt_error(), path));
	ck_ok(gt_view_reader_read(v, 9, 1, 4, 3, got));
	gt_view_reader_close(v);
	gt_projections_free(p);
}

static void put_lines(const char *more)
{
	FILE *f = fopen(path, "w");
	fprintf(f, "ObjectType = Image\nNDims = 3\nDimSize = %d %d %d\n%s", COLUMNS, ROWS, VIEWS, more);
	fclose(f);
}

static void put_head(const char *more)
{
	char lines[256];
	snprintf(lines, sizeof lines, "ElementSpacing = 1 1 1\n%s", more);
	put_lines(lines);
}

static void put_raw(const void *data, size_t size)
{
	FILE *f = fopen(raw, "wb");
	ck_assert_uint_eq(fwrite(data, size, VIEWS * ROWS * COLUMNS, f), VIEWS * ROWS * COLUMNS);
	fclose(f);
}

GT_TEST(raw_views)
{
	gt_projections *p = projections();
	unsigned char big[VIEWS * ROWS * COLUMNS][2];
	float expected[VIEWS * ROWS * COLUMNS], got[ROWS * COLUMNS];
	gt_view_reader *v;
	snprintf(path, sizeof path, "%s/a.mhd", folder);
	put_raw(p->data, sizeof *p->data);
	put_head("ElementType = MET_FLOAT\nElementDataFile = a.raw\n");
	ck_ok(gt_view_reader_open(path, NULL, p->scan, &v));
	check_views(v, p->data);
	gt_view_reader_close(v);
	/* positions of views are not read */
	put_lines("ElementType = MET_FLOAT\nElementDataFile = a.raw\n");
	ck_ok(gt_view_reader_open(path, NULL, p->scan, &v));
	check_views(v, p->data);
	gt_view_reader_close(v);
	put_lines("ElementSpacing = 0 nan\nOffset = none\nElementType = MET_FLOAT\nElementDataFile = a.raw\n");
	ck_ok(gt_view_reader_open(path, NULL, p->scan, &v));
	/* the file is truncated while it is read */
	ck_assert_int_eq(truncate(raw, 6 * ROWS * COLUMNS * sizeof(float)), 0);
	ck_ok(gt_view_reader_read(v, 5, 1, 0, ROWS, got));
	ck_refused(gt_view_reader_read(v, 6, 1, 0, ROWS, got), GT_ERR_IO, "view 6: ");
	ck_assert_ptr_nonnull(strstr(gt_error(), "unexpected end of file"));
	gt_view_reader_close(v);
	ck_refused(gt_view_reader_open(path, NULL, p->scan, &v), GT_ERR_FORMAT, "truncated");
	/* the first of several bad views is named, for any order of reading */
	for (int view = 10; view > 3; view -= 2)
		p->data[view * ROWS * COLUMNS + 17] = view % 4 ? INFINITY : NAN;
	put_raw(p->data, sizeof *p->data);
	ck_ok(gt_view_reader_open(path, NULL, p->scan, &v));
	for (int i = 0; i < 50; i++) {
		float all[VIEWS * ROWS * COLUMNS];
		ck_refused(gt_view_reader_read(v, 1, VIEWS - 1, 0, ROWS, all), GT_ERR_FORMAT, "view 4: 1 of 91 values");
		ck_assert_ptr_nonnull(strstr(gt_error(), "row 1, column 4"));
		ck_ok(gt_view_reader_read(v, 0, 4, 0, ROWS, all));
		ck_ok(gt_view_reader_read(v, 4, 1, 2, 5, all));
	}
	gt_view_reader_close(v);
	for (int i = 0; i < VIEWS * ROWS * COLUMNS; i++) {
		big[i][0] = (unsigned char)(i >> 8);
		big[i][1] = (unsigned char)i;
		expected[i] = (float)i;
	}
	put_raw(big, 2);
	put_head("ElementType = MET_UCHAR\nElementDataFile = a.raw\n");
	ck_refused(gt_view_reader_open(path, NULL, p->scan, &v), GT_ERR_FORMAT,
	           "1001 bytes follow the last of 13 x 7 x 11 values of MET_UCHAR");
	put_head("ElementType = MET_USHORT\nElementByteOrderMSB = True\nElementDataFile = a.raw\n");
	ck_ok(gt_view_reader_open(path, NULL, p->scan, &v));
	check_views(v, expected);
	gt_view_reader_close(v);
	p->scan->rows--;
	ck_refused(gt_view_reader_open(path, NULL, p->scan, &v), GT_ERR_FORMAT,
	           "DimSize: is 13 7 11, expected the scan's 13 columns, 6 rows, 11 views");
	p->scan->rows++;
	gt_projections_free(p);
}

GT_TEST(refused_views)
{
	gt_projections *p = projections();
	gt_view_reader *v;
	p->data[(4 * ROWS + 2) * COLUMNS + 1] = 0;
	ck_ok(gt_write_projections(path, NULL, p));
	p->scan->views--;
	ck_refused(gt_view_reader_open(path, NULL, p->scan, &v), GT_ERR_FORMAT, "dimension view: is 11, expected the scan's 10");
	p->scan->views++;
	float *data = p->data;
	p->data = NULL;
	ck_ok(gt_write_projections(path, NULL, p));
	p->data = data;
	ck_refused(gt_view_reader_open(path, NULL, p->scan, &v), GT_ERR_FORMAT, "the geometry alone");
	gt_projections_free(p);
}

static gt_volume *volume(void)
{
	gt_volume *v = gt_volume_blank();
	v->grid = (gt_grid){ { 7, 5, 11 }, { 0.7, 0.9, 1.1 }, { 3.1, -2.2, 7.7 } };
	v->water = 0.0191;
	v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float));
	gt_test_random(4, gt_grid_voxels(&v->grid), v->data);
	return v;
}

GT_TEST(slices_come_back)
{
	static const char *const names[] = { "a.nc", "a.mha", "a.mhd" };
	gt_volume *v = volume(), *w;
	for (int i = 0; i < 6; i++) {
		gt_write_options o = gt_write_defaults;
		gt_slice_writer *s;
		gt_volume head = *v;
		head.data = NULL;
		o.unit = i / 3 ? GT_HU : GT_PER_MM;
		snprintf(path, sizeof path, "%s/%s", folder, names[i % 3]);
		ck_ok(gt_slice_writer_create(path, &o, &head, &s));
		for (size_t z = 0; z < 11; z += 4)
			ck_ok(gt_slice_writer_write(s, z + 4 < 11 ? 4 : 11 - z, v->data + z * 35));
		ck_refused(gt_slice_writer_write(s, 1, v->data), GT_ERR_ARG, "expected 11 in all");
		ck_assert_int_ne(access(path, F_OK), 0);
		ck_ok(gt_slice_writer_commit(s));
		ck_ok(gt_read_volume(path, NULL, &w));
		ck_assert(gt_grid_same(&v->grid, &w->grid));
		ck_assert(gt_test_rms(w->data, v->data, 385) < (i / 3 ? 1e-6 : 1e-30));
		gt_volume_free(w);
		unlink(path);
		unlink(raw);
	}
	gt_volume_free(v);
}

/* Enough slices for several writing threads. */
GT_TEST(many_slices_come_back)
{
	static const char *const names[] = { "a.mha", "a.mhd" };
	gt_volume *v = volume(), *w;
	gt_grid *g = &v->grid;
	g->n[0] = 201;
	g->n[1] = 199;
	g->n[2] = 73;
	const size_t plane = g->n[0] * g->n[1];
	free(v->data);
	v->data = malloc(gt_grid_voxels(g) * sizeof(float));
	gt_test_random(6, gt_grid_voxels(g), v->data);
	for (int i = 0; i < 4; i++) {
		gt_write_options o = gt_write_defaults;
		gt_slice_writer *s;
		o.unit = i / 2 ? GT_HU : GT_PER_MM;
		snprintf(path, sizeof path, "%s/%s", folder, names[i % 2]);
		ck_ok(gt_slice_writer_create(path, &o, v, &s));
		ck_ok(gt_slice_writer_write(s, 70, v->data));
		ck_ok(gt_slice_writer_write(s, 3, v->data + 70 * plane));
		ck_ok(gt_slice_writer_commit(s));
		ck_ok(gt_read_volume(path, NULL, &w));
		if (o.unit == GT_PER_MM)
			ck_assert_int_eq(memcmp(w->data, v->data, gt_grid_voxels(g) * sizeof *v->data), 0);
		ck_assert(gt_test_rms(w->data, v->data, gt_grid_voxels(g)) < 1e-6);
		gt_volume_free(w);
		unlink(path);
		unlink(raw);
	}
	gt_volume_free(v);
}

struct writing {
	gt_slice_writer *s;
	const float *data;
	gt_status st;
};

static void *write_all(void *self)
{
	struct writing *w = self;
	for (size_t z = 0; z < 11 && w->st == GT_OK; z++)
		w->st = gt_slice_writer_write(w->s, 1, w->data + z * 35);
	return NULL;
}

/* One thread reads while another writes, both through libnetcdf. */
GT_TEST(reading_while_writing)
{
	gt_projections *p = projections();
	gt_volume *v = volume(), *w;
	char other[160];
	gt_view_reader *views;
	ck_ok(gt_write_projections(path, NULL, p));
	snprintf(other, sizeof other, "%s/b.nc", folder);
	for (int i = 0; i < 20; i++) {
		struct writing a = { .data = v->data };
		pthread_t thread;
		ck_ok(gt_view_reader_open(path, NULL, p->scan, &views));
		ck_ok(gt_slice_writer_create(other, NULL, v, &a.s));
		ck_assert_int_eq(pthread_create(&thread, NULL, write_all, &a), 0);
		check_views(views, p->data);
		pthread_join(thread, NULL);
		ck_assert_int_eq(a.st, GT_OK);
		ck_ok(gt_slice_writer_commit(a.s));
		gt_view_reader_close(views);
		ck_ok(gt_read_volume(other, NULL, &w));
		ck_assert_int_eq(memcmp(w->data, v->data, 385 * sizeof *v->data), 0);
		gt_volume_free(w);
	}
	unlink(other);
	gt_volume_free(v);
	gt_projections_free(p);
}

GT_TEST(unfinished_slices_leave_nothing)
{
	static const char *const names[] = { "a.nc", "a.mha", "a.mhd" };
	gt_volume *v = volume();
	for (int i = 0; i < 9; i++) {
		gt_slice_writer *s;
		snprintf(path, sizeof path, "%s/%s", folder, names[i % 3]);
		ck_ok(gt_slice_writer_create(path, NULL, v, &s));
		ck_ok(gt_slice_writer_write(s, 3, v->data));
		v->data[3 * 35 + 2] = NAN;
		ck_refused(gt_slice_writer_write(s, 1, v->data + 3 * 35), GT_ERR_UNSUPPORTED, "the first is number 107");
		v->data[3 * 35 + 2] = 1;
		if (i / 3 == 0)
			ck_refused(gt_slice_writer_commit(s), GT_ERR_ARG, "3 of 11 slices are written");
		else
			gt_slice_writer_drop(s);
		ck_assert_int_ne(access(path, F_OK), 0);
	}
	gt_volume_free(v);
}

GT_TEST(grids_alone)
{
	static const char *const names[] = { "a.nc", "a.mha" };
	gt_volume *v = volume(), *w;
	gt_read_options o = gt_read_defaults;
	o.geometry_only = 1;
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		ck_ok(gt_write_volume(path, NULL, v));
		ck_ok(gt_read_volume(path, &o, &w));
		ck_assert(gt_grid_same(&v->grid, &w->grid) && !w->data);
		gt_volume_free(w);
		unlink(path);
	}
	gt_volume_free(v);
}

int main(void) { return gt_test_main_with("pieces", setup, teardown); }
