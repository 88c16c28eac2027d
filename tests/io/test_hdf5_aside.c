/* HDF5 closes a file on a full disk: its last writes go to memory, from there only the header to disk.
 * labels: unit, backend: none */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/hdf5/hdf5_aside.h"
#include "tests/support/support.h"

enum { CELLS = 4000, MAX_BYTES = 1 << 16 };
static char folder[64], plain[96], aside[96];
static unsigned char as_closed[MAX_BYTES], as_flushed[MAX_BYTES], now[MAX_BYTES];

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(plain, sizeof plain, "%s/plain.h5", folder);
	snprintf(aside, sizeof aside, "%s/aside.h5", folder);
}

static void teardown(void)
{
	remove(plain);
	remove(aside);
	rmdir(folder);
}

/* Objects have no time stamps, so equal files have equal bytes. */
static void put_values(hid_t file, const char *name, double first)
{
	double value[CELLS];
	for (int i = 0; i < CELLS; i++)
		value[i] = first + 0.37 * i;
	const hid_t space = H5Screate_simple(1, (const hsize_t[]){ CELLS }, NULL), made = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_obj_track_times(made, 0);
	const hid_t id = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, made, H5P_DEFAULT);
	ck_assert(id >= 0 && H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
	ck_assert(H5Dclose(id) >= 0 && H5Pclose(made) >= 0 && H5Sclose(space) >= 0);
}

/* Makes a file like libnetcdf does; flushed and open. */
static hid_t make(const char *path)
{
	const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
	H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
	const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
	ck_assert(file >= 0 && H5Pclose(access) >= 0);
	put_values(file, "a", 2);
	ck_assert(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
	return file;
}

static size_t bytes_of(const char *path, unsigned char *bytes)
{
	FILE *f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	const size_t n = fread(bytes, 1, MAX_BYTES, f);
	ck_assert(n > 8 * CELLS && n < MAX_BYTES);
	fclose(f);
	return n;
}

GT_TEST(same_bytes)
{
	ck_assert(H5Fclose(make(plain)) >= 0);
	const size_t n = bytes_of(plain, as_closed);
	const hid_t file = make(aside);
	ck_assert_uint_eq(bytes_of(aside, as_flushed), n);
	ck_assert_msg(memcmp(as_flushed, as_closed, n), "HDF5 writes nothing when it closes a file: this test tests nothing");
	const int memory = gt_hdf5_set_aside(aside);
	ck_assert(memory >= 0 && H5Fclose(file) >= 0);
	ck_assert_uint_eq(bytes_of(aside, now), n);
	ck_assert_msg(!memcmp(now, as_flushed, n), "the file was written when it was closed");
	ck_ok(gt_hdf5_take_head(memory, "a.h5", aside));
	ck_assert_uint_eq(bytes_of(aside, now), n);
	ck_assert(!memcmp(now, as_closed, n));
}

/* Data that were not flushed would be lost. */
GT_TEST(more_than_head)
{
	const hid_t file = make(aside);
	const size_t n = bytes_of(aside, as_flushed);
	const int memory = gt_hdf5_set_aside(aside);
	ck_assert_int_ge(memory, 0);
	put_values(file, "b", -7);
	ck_assert(H5Fclose(file) >= 0);
	ck_refused(gt_hdf5_take_head(memory, "a.h5", aside), GT_ERR_IO, "a.h5: cannot be written: HDF5 changes more than its header");
	ck_assert(bytes_of(aside, now) == n && !memcmp(now, as_flushed, n));
}

/* Changed values within the length of the file. */
GT_TEST(values_changed)
{
	const hid_t file = make(aside), id = H5Dopen2(file, "a", H5P_DEFAULT);
	const int memory = gt_hdf5_set_aside(aside);
	double value[CELLS] = { 0 };
	value[CELLS - 1] = 0.5;
	ck_assert(memory >= 0 && H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
	ck_assert(H5Dclose(id) >= 0 && H5Fclose(file) >= 0);
	ck_refused(gt_hdf5_take_head(memory, "a.h5", aside), GT_ERR_IO, "HDF5 changes more than its header");
}

GT_TEST(not_open)
{
	ck_assert(H5Fclose(make(aside)) >= 0);
	ck_assert_int_eq(gt_hdf5_set_aside(aside), -1);
	ck_assert_int_eq(gt_hdf5_set_aside("/nowhere/a.h5"), -1);
}

int main(void) { return gt_test_main_with("hdf5 aside", setup, teardown); }
