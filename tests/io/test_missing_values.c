/* Values that a file says it has and nobody wrote are refused, and never what was in memory by chance. */
/* labels: unit, backend: none */
#include <hdf5.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
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

START_TEST(netcdf)
{
	gt_volume *v = NULL;
	write_volume(4);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert(gt_volume_data(v)[8] == 0.9f);
	gt_volume_free(v);
	write_volume(3);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "6 of 24 values are NaN, infinite or missing, the first at [3][0][0]");
}
END_TEST

static void put(hid_t file, const char *name, int rank, const hsize_t *size, hsize_t written, const float *values)
{
	const hid_t space = H5Screate_simple(rank, size, NULL), links = H5Pcreate(H5P_LINK_CREATE), made = H5Pcreate(H5P_DATASET_CREATE);
	const hsize_t chunk[] = { 1, 2, 8 }, start[] = { 0, 0, 0 }, count[] = { written, 2, 8 };
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

START_TEST(data_exchange)
{
	gt_projections *p = NULL;
	gt_read_options o = gt_read_defaults;
	o.axis = 3.5;
	write_exchange(4, 4);
	ck_ok(gt_read_projections(path, &o, &p));
	gt_projections_free(p);
	write_exchange(2, 4);
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, path);
	write_exchange(4, 3);
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, path);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, netcdf);
	tcase_add_test(tc, data_exchange);
}

int main(void) { return gt_test_main("missing_values", fill); }
