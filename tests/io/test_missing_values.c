/* Claimed but unwritten values are refused and never replaced by the contents of memory. */
/* labels: unit, backend: none */
#include <hdf5.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include "tests/io/notes.h"
#include "tests/support/support.h"

static char path[64];

static void setup(void)
{
	strcpy(path, "/tmp/gantry-missing-XXXXXX");
	ck_assert_int_ge(mkstemp(path), 0);
}

static void teardown(void) { unlink(path); }

static void write_volume(size_t slices)
{
	static const char *const name[] = { "z", "y", "x" };
	static const size_t start[3] = { 0, 0, 0 }, chunk[3] = { 1, 2, 3 };
	const size_t count[3] = { slices, 2, 3 };
	const double place[] = { 1, 2, 3, 4 };
	const float value[24] = { 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f };
	int file, d[3], v[4];
	ck_assert_int_eq(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &file), NC_NOERR);
	for (int i = 0; i < 3; i++) {
		nc_def_dim(file, name[i], (size_t[]){ 4, 2, 3 }[i], &d[i]);
		nc_def_var(file, name[i], NC_DOUBLE, 1, &d[i], &v[i]);
		nc_put_att_text(file, v[i], "units", 2, "mm");
	}
	nc_def_var(file, "attenuation", NC_FLOAT, 3, d, &v[3]);
	nc_put_att_text(file, v[3], "units", 4, "mm-1");
	nc_def_var_chunking(file, v[3], NC_CHUNKED, chunk);
	nc_def_var_fill(file, v[3], NC_NOFILL, NULL);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(nc_put_var_double(file, v[i], place), NC_NOERR);
	ck_assert_int_eq(nc_put_vara_float(file, v[3], start, count, value), NC_NOERR);
	ck_assert_int_eq(nc_close(file), NC_NOERR);
}

GT_TEST(netcdf)
{
	gt_volume *v = NULL;
	write_volume(4);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert(gt_volume_data(v)[8] == 0.9f);
	gt_volume_free(v);
	write_volume(3);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT,
	           "attenuation: 1 of its 4 chunks were never written: expected a complete file");
}

static void put(hid_t file, const char *name, int rank, const hsize_t *size, hsize_t written, const float *values)
{
	const hid_t space = H5Screate_simple(rank, size, NULL), links = H5Pcreate(H5P_LINK_CREATE), made = H5Pcreate(H5P_DATASET_CREATE);
	const hsize_t chunk[] = { 1, 2, size[rank - 1] }, start[] = { 0, 0, 0 }, count[] = { written, 2, size[rank - 1] };
	H5Pset_create_intermediate_group(links, 1);
	H5Pset_chunk(made, rank, chunk);
	H5Pset_fill_time(made, H5D_FILL_TIME_NEVER);
	H5Pset_fill_value(made, H5T_NATIVE_FLOAT, NULL);
	const hid_t id = H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, links, made, H5P_DEFAULT),
		    part = H5Screate_simple(rank, count, NULL);
	H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
	ck_assert(id >= 0 && H5Dwrite(id, H5T_NATIVE_FLOAT, part, space, H5P_DEFAULT, values) >= 0);
	H5Dclose(id);
	H5Sclose(part);
	H5Pclose(made);
	H5Pclose(links);
	H5Sclose(space);
}

static void write_exchange(hsize_t views, hsize_t angles)
{
	const hsize_t data[] = { 4, 2, 8 }, fields[] = { 1, 2, 8 }, theta[] = { 4 };
	const float angle[] = { 0, 45, 90, 135 };
	float white[16], counts[64];
	for (int i = 0; i < 64; i++) {
		white[i % 16] = 1000;
		counts[i] = (float)(500 - i);
	}
	const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	put(file, "exchange/data", 3, data, views, counts);
	put(file, "exchange/data_white", 3, fields, 1, white);
	put(file, "exchange/theta", 1, theta, angles, angle);
	ck_assert(H5Fclose(file) >= 0);
}

GT_TEST(data_exchange)
{
	gt_projections *p = NULL;
	gt_read_options o = gt_read_defaults;
	o.axis = 3.5;
	write_exchange(4, 4);
	ck_ok(gt_read_projections(path, &o, &p));
	gt_projections_free(p);
	write_exchange(2, 4);
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, "exchange/data: image 2 of 4: was never written");
	write_exchange(4, 3);
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, path);
}

/* Images 0 and 1 are in one file, 2 and 3 in another; `gap` leaves image 1 without a file. */
static hid_t virtual_list(int rank, const hsize_t *size, const char *name, int gap)
{
	const hid_t list = H5Pcreate(H5P_DATASET_CREATE), all = H5Screate_simple(rank, size, NULL);
	hsize_t start[3] = { 0, 0, 0 }, count[3] = { gap ? 1 : 2, size[1], size[2] };
	for (int half = 0; half < 2; half++) {
		const hid_t from = H5Screate_simple(rank, count, NULL);
		char file[96];
		start[0] = half ? 2 : 0;
		snprintf(file, sizeof file, "%s.%d", strrchr(path, '/') + 1, half);
		ck_assert(H5Sselect_hyperslab(all, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
		ck_assert(H5Pset_virtual(list, all, file, name, from) >= 0);
		H5Sclose(from);
		count[0] = 2;
	}
	H5Sclose(all);
	return list;
}

static void write_source(int half, const char *name, const hsize_t size[3], const float *values)
{
	char file[96];
	snprintf(file, sizeof file, "%s.%d", path, half);
	const hid_t id = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	if (size)
		put(id, name, 3, size, size[0], values);
	ck_assert(id >= 0 && H5Fclose(id) >= 0);
}

static void remove_source(int half)
{
	char file[96];
	snprintf(file, sizeof file, "%s.%d", path, half);
	ck_assert_int_eq(unlink(file), 0);
}

static const hsize_t half_size[] = { 2, 2, 8 };

static void write_virtual(int gap)
{
	const hsize_t whole[] = { 4, 2, 8 };
	float counts[32];
	for (int i = 0; i < 32; i++)
		counts[i] = (float)(500 - i);
	write_exchange(4, 4);
	const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), list = virtual_list(3, whole, "counts", gap),
		    space = H5Screate_simple(3, whole, NULL);
	ck_assert(H5Ldelete(file, "exchange/data", H5P_DEFAULT) >= 0);
	H5Dclose(H5Dcreate2(file, "exchange/data", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, list, H5P_DEFAULT));
	H5Sclose(space);
	H5Pclose(list);
	ck_assert(H5Fclose(file) >= 0);
	for (int half = 0; half < 2; half++)
		write_source(half, "counts", half || !gap ? half_size : (const hsize_t[]){ 1, 2, 8 }, counts);
}

/* HDF5 reads images without a file as 0. */
GT_TEST(virtual_images)
{
	gt_projections *p = NULL;
	gt_read_options o = gt_read_defaults;
	float counts[16] = { 100 };
	o.axis = 3.5;
	write_virtual(0);
	ck_ok(gt_read_projections(path, &o, &p));
	gt_projections_free(p);
	remove_source(1);
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, "exchange/data: image 2 of 4: its source file /tmp/gantry-missing-");
	ck_assert_ptr_nonnull(strstr(gt_error(), ".1 is missing"));
	write_source(1, NULL, NULL, NULL);
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, ".1 has no data set counts");
	write_source(1, "counts", (const hsize_t[]){ 1, 2, 8 }, counts);
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, ".1 has a different number of images or pixels");
	write_virtual(1);
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, "image 1 of 4: no source file holds it");
	remove_source(0);
	remove_source(1);
}

/* A NetCDF variable may be a virtual dataset as well. */
GT_TEST(virtual_volume)
{
	const hsize_t whole[] = { 4, 2, 3 }, half[] = { 2, 2, 3 };
	gt_volume *v = NULL;
	write_volume(4);
	const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), list = virtual_list(3, whole, "mu", 0),
		    space = H5Screate_simple(3, whole, NULL), from = H5Dopen2(file, "attenuation", H5P_DEFAULT);
	const hid_t to = H5Dcreate2(file, "virtual", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, list, H5P_DEFAULT);
	/* the dimensions of the variable */
	hvl_t dimensions[3];
	const hid_t has = H5Aopen(from, "DIMENSION_LIST", H5P_DEFAULT), type = H5Aget_type(has), three = H5Aget_space(has),
		    gets = H5Acreate2(to, "DIMENSION_LIST", type, three, H5P_DEFAULT, H5P_DEFAULT);
	ck_assert(H5Aread(has, type, dimensions) >= 0 && H5Awrite(gets, type, dimensions) >= 0);
	H5Dvlen_reclaim(type, three, H5P_DEFAULT, dimensions);
	H5Aclose(has);
	H5Aclose(gets);
	H5Tclose(type);
	H5Sclose(three);
	H5Dclose(from);
	H5Dclose(to);
	H5Sclose(space);
	H5Pclose(list);
	ck_assert(H5Ldelete(file, "attenuation", H5P_DEFAULT) >= 0);
	ck_assert(H5Lmove(file, "virtual", file, "attenuation", H5P_DEFAULT, H5P_DEFAULT) >= 0);
	ck_assert(H5Fclose(file) >= 0);
	write_source(0, "mu", half, (const float[16]){ 0.1f });
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "attenuation: its source file /tmp/gantry-missing-");
	remove_source(0);
}

/* One closed shutter does not mean a wrong dark field. */
GT_TEST(black_view)
{
	gt_projections *p = NULL;
	gt_read_options o = gt_read_defaults;
	gt_frames_options f = gt_frames_defaults;
	char notes[NOTES];
	const float zero[16] = { 0 };
	const hsize_t start[] = { 2, 0, 0 }, count[] = { 1, 2, 8 };
	f.air = "no";
	o.frames = &f;
	o.axis = 3.5;
	o.notes = notes_into(notes);
	write_exchange(4, 4);
	const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), data = H5Dopen2(file, "exchange/data", H5P_DEFAULT),
		    space = H5Dget_space(data), part = H5Screate_simple(3, count, NULL);
	H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
	ck_assert(H5Dwrite(data, H5T_NATIVE_FLOAT, part, space, H5P_DEFAULT, zero) >= 0);
	H5Sclose(part);
	H5Sclose(space);
	H5Dclose(data);
	H5Fclose(file);
	ck_ok(gt_read_projections(path, &o, &p));
	gt_projections_free(p);
	ck_assert_msg(strstr(notes, "1 of 4 views is black, the first is view 2"), "%s", notes);
	ck_assert_msg(!strstr(notes, "dark field of another exposure") && !strstr(notes, "transmissions are below"), "%s", notes);
}

int main(void) { return gt_test_main_with("missing_values", setup, teardown); }
