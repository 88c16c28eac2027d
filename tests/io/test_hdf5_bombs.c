/* Small HDF5 files that would need far more memory than their size are refused before allocation.
 * labels: unit, backend: none */
#include <hdf5.h>
#include <gantry/io.h>
#include "core/clones.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

/* Zeros if values is set, else never written. */
static void put(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size, const hsize_t *chunk, int values)
{
	const hsize_t unlimited[3] = { H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED };
	const hid_t links = H5Pcreate(H5P_LINK_CREATE), made = H5Pcreate(H5P_DATASET_CREATE),
		    space = H5Screate_simple(rank, size, unlimited);
	hsize_t n = 1;
	H5Pset_create_intermediate_group(links, 1);
	H5Pset_chunk(made, rank, chunk);
	H5Pset_deflate(made, 1);
	const hid_t id = H5Dcreate2(file, name, type, space, links, made, H5P_DEFAULT);
	for (int d = 0; d < rank; d++)
		n *= size[d];
	void *zeros = values ? calloc(n, H5Tget_size(type)) : NULL;
	ck_assert(id >= 0 && (!values || H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0));
	free(zeros);
	H5Dclose(id);
	H5Sclose(space);
	H5Pclose(made);
	H5Pclose(links);
}

static hid_t begin(void) { return H5Fcreate(tiff_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT); }

static void refuse(const char *why)
{
	gt_projections *p = NULL;
	ck_refused(gt_read_projections(tiff_path("a.h5"), NULL, &p), GT_ERR_FORMAT, why);
	ck_assert_ptr_null(p);
}

START_TEST(a_chunk_beyond_its_data)
{
	const hid_t file = begin();
	put(file, "entry/data/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 8, 4, 4 }, (const hsize_t[]){ 1024, 1024, 512 }, 0);
	put(file, "entry/data/rotation_angle", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 8 }, (const hsize_t[]){ 8 }, 1);
	H5Fclose(file);
	/* under sanitizers the probe process may stay below its memory limit */
	refuse(GT_SANITIZED ? "a.h5: " : "needs more than");
}
END_TEST

START_TEST(many_tiny_images)
{
	const hsize_t n = 3 << 20;
	const hid_t file = begin();
	put(file, "entry/data/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ n, 1, 2 }, (const hsize_t[]){ n, 1, 2 }, 1);
	put(file, "entry/data/rotation_angle", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ n }, (const hsize_t[]){ n }, 1);
	H5Fclose(file);
	refuse("claims 3145728 images in a file of");
}
END_TEST

START_TEST(more_than_deflate_can_hold)
{
	const hsize_t n = 1 << 15;
	const hid_t file = begin();
	put(file, "entry/data/data", H5T_NATIVE_UINT16, 3, (const hsize_t[]){ n, 1024, 1024 }, (const hsize_t[]){ 1, 1024, 1024 }, 0);
	put(file, "entry/data/rotation_angle", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ n }, (const hsize_t[]){ n }, 1);
	H5Fclose(file);
	refuse("claims 32768 x 1024 x 1024 values");
}
END_TEST

/* libnetcdf would take 480 MB for them. */
START_TEST(more_groups_than_a_scan_has)
{
	char name[64];
	const hid_t file = begin();
	put(file, "entry/data/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 8, 4, 4 }, (const hsize_t[]){ 8, 4, 4 }, 1);
	put(file, "entry/data/rotation_angle", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 8 }, (const hsize_t[]){ 8 }, 1);
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof name, "entry/g%d", i);
		H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
	}
	H5Fclose(file);
	refuse("a.h5: holds more than");
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, tiff_setup, tiff_teardown);
	tcase_add_test(tc, a_chunk_beyond_its_data);
	tcase_add_test(tc, many_tiny_images);
	tcase_add_test(tc, more_than_deflate_can_hold);
	tcase_add_test(tc, more_groups_than_a_scan_has);
}

int main(void) { return gt_test_main("hdf5_bombs", fill); }
