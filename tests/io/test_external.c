/* Data in other files than the one that is read: accepted below its folder, else refused unless allowed.
 * labels: unit, backend: none */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "tests/support/support.h"

enum { VIEWS = 4, ROWS = 2, COLUMNS = 8, CELLS = VIEWS * ROWS * COLUMNS };

static const hsize_t sizes[] = { VIEWS, ROWS, COLUMNS }, max[] = { H5S_UNLIMITED, ROWS, COLUMNS };

/* outside/o.h5; in folder/: a.h5, a.nc, a.mhd, below/b.h5 */
static char root[64], outside[96], folder[96], below[128], scan[128], volume[128], image[128], inner[160], stranger[128];

static void setup(void)
{
	gt_test_folder(root);
	snprintf(outside, sizeof outside, "%s/outside", root);
	snprintf(folder, sizeof folder, "%s/folder", root);
	snprintf(below, sizeof below, "%s/below", folder);
	snprintf(scan, sizeof scan, "%s/a.h5", folder);
	snprintf(volume, sizeof volume, "%s/a.nc", folder);
	snprintf(image, sizeof image, "%s/a.mhd", folder);
	snprintf(inner, sizeof inner, "%s/b.h5", below);
	snprintf(stranger, sizeof stranger, "%s/o.h5", outside);
	ck_assert(mkdir(outside, 0700) == 0 && mkdir(folder, 0700) == 0 && mkdir(below, 0700) == 0);
	unsetenv("GANTRY_ALLOW_EXTERNAL");
}

static void teardown(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
}

static void put(hid_t at, const char *name, int rank, const hsize_t *size, const float *values)
{
	const hid_t space = H5Screate_simple(rank, size, NULL),
		    id = H5Dcreate2(at, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	ck_assert(id >= 0 && H5Dwrite(id, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
	H5Dclose(id);
	H5Sclose(space);
}

static void put_counts(hid_t at, const char *name)
{
	float counts[CELLS];
	for (int i = 0; i < CELLS; i++)
		counts[i] = (float)(500 - i);
	put(at, name, 3, sizes, counts);
}

static void make_file_of_counts(const char *path)
{
	const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	put_counts(file, "counts");
	ck_assert(file >= 0 && H5Fclose(file) >= 0);
}

/* All but exchange/data; finish() closes the group and the file. */
static hid_t begin_scan(hid_t *exchange)
{
	float white[ROWS * COLUMNS];
	const float theta[VIEWS] = { 0, 45, 90, 135 };
	for (int i = 0; i < ROWS * COLUMNS; i++)
		white[i] = 1000;
	const hid_t file = H5Fcreate(scan, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	*exchange = H5Gcreate2(file, "exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	put(*exchange, "data_white", 2, (const hsize_t[]){ ROWS, COLUMNS }, white);
	put(*exchange, "theta", 1, (const hsize_t[]){ VIEWS }, theta);
	return file;
}

static void finish(hid_t file, hid_t exchange)
{
	ck_assert(H5Gclose(exchange) >= 0);
	ck_assert(H5Fclose(file) >= 0);
}

static void scan_by_link(const char *target)
{
	hid_t exchange;
	const hid_t file = begin_scan(&exchange);
	ck_assert(H5Lcreate_external(target, "/counts", exchange, "data", H5P_DEFAULT, H5P_DEFAULT) >= 0);
	finish(file, exchange);
}

static void scan_by_layout(hid_t list, const hsize_t *limit)
{
	hid_t exchange;
	const hid_t file = begin_scan(&exchange), space = H5Screate_simple(3, sizes, limit),
		    id = H5Dcreate2(exchange, "data", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, list, H5P_DEFAULT);
	ck_assert(id >= 0);
	H5Dclose(id);
	H5Sclose(space);
	H5Pclose(list);
	finish(file, exchange);
}

static void scan_by_sources(const char *target)
{
	const hsize_t zero[3] = { 0 }, blocks[] = { H5S_UNLIMITED, 1, 1 }, *limit = strchr(target, '%') ? max : NULL;
	const hid_t from = H5Screate_simple(3, sizes, NULL), to = H5Screate_simple(3, sizes, limit), list = H5Pcreate(H5P_DATASET_CREATE);
	if (limit)
		ck_assert(H5Sselect_hyperslab(to, H5S_SELECT_SET, zero, sizes, blocks, sizes) >= 0);
	ck_assert(H5Pset_virtual(list, to, target, "/counts", from) >= 0);
	H5Sclose(from);
	H5Sclose(to);
	scan_by_layout(list, limit);
}

static void scan_by_storage(const char *target)
{
	const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
	ck_assert(H5Pset_external(list, target, 0, CELLS * sizeof(float)) >= 0);
	scan_by_layout(list, NULL);
}

static gt_status read_scan(gt_projections **p)
{
	gt_read_options o = gt_read_defaults;
	o.axis = 3.5;
	o.pixel = 1;
	return gt_read_projections(scan, &o, p);
}

static void is_read(void)
{
	gt_projections *p;
	ck_ok(read_scan(&p));
	ck_assert_double_eq_tol(p->data[0], -log(500.0 / 1000), 1e-6);
	gt_projections_free(p);
}

static void is_refused(gt_status code, const char *text)
{
	gt_projections *p;
	ck_refused(read_scan(&p), code, text);
	ck_assert_ptr_nonnull(strstr(gt_error(), "a.h5: "));
}

GT_TEST(links_of_a_scan)
{
	char name[160];
	make_file_of_counts(inner);
	make_file_of_counts(stranger);
	scan_by_link("below/b.h5");
	is_read();
	scan_by_link(inner);
	is_read();
	scan_by_link("../outside/o.h5");
	is_refused(GT_ERR_FORMAT, "lies outside of the folder of the file");
	scan_by_link(stranger);
	is_refused(GT_ERR_FORMAT, "set GANTRY_ALLOW_EXTERNAL=1");
	setenv("GANTRY_ALLOW_EXTERNAL", "1", 1);
	is_read();
	unsetenv("GANTRY_ALLOW_EXTERNAL");
	snprintf(name, sizeof name, "%s/s.h5", folder);
	ck_assert_int_eq(symlink(stranger, name), 0);
	scan_by_link("s.h5");
	is_refused(GT_ERR_FORMAT, "lies outside of the folder of the file");
	snprintf(name, sizeof name, "%s/fifo", folder);
	ck_assert_int_eq(mkfifo(name, 0600), 0);
	scan_by_link("fifo");
	is_refused(GT_ERR_FORMAT, "is not a regular file");
	setenv("GANTRY_ALLOW_EXTERNAL", "1", 1);
	is_refused(GT_ERR_FORMAT, "is not a regular file");
}

GT_TEST(other_layouts_of_a_scan)
{
	char raw[128];
	float counts[CELLS];
	make_file_of_counts(inner);
	make_file_of_counts(stranger);
	scan_by_sources("below/b.h5");
	is_read();
	scan_by_sources("../outside/o.h5");
	is_refused(GT_ERR_FORMAT, "lies outside of the folder of the file");
	scan_by_sources("below/%b.h5");
	is_refused(GT_ERR_FORMAT, "a pattern that cannot be checked");
	for (int i = 0; i < CELLS; i++)
		counts[i] = (float)(500 - i);
	snprintf(raw, sizeof raw, "%s/raw", outside);
	FILE *f = fopen(raw, "wb");
	ck_assert(f && fwrite(counts, sizeof *counts, CELLS, f) == CELLS && fclose(f) == 0);
	scan_by_storage(raw);
	is_refused(GT_ERR_FORMAT, "by external storage");
	setenv("GANTRY_ALLOW_EXTERNAL", "1", 1);
	is_read();
}

/* A file below the folder may link further. */
GT_TEST(links_of_linked_files)
{
	make_file_of_counts(stranger);
	const hid_t file = H5Fcreate(inner, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	ck_assert(H5Lcreate_external("../../outside/o.h5", "/counts", file, "counts", H5P_DEFAULT, H5P_DEFAULT) >= 0);
	ck_assert(H5Fclose(file) >= 0);
	scan_by_link("below/b.h5");
	is_refused(GT_ERR_FORMAT, "lies outside of the folder of the file");
}

/* Groups that contain each other are accepted, and so are dangling links. */
GT_TEST(harmless_links)
{
	hid_t exchange;
	const hid_t file = begin_scan(&exchange);
	put_counts(exchange, "data");
	ck_assert(H5Lcreate_soft("/nowhere", exchange, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
	ck_assert(H5Lcreate_external("gone.h5", "/x", exchange, "gone", H5P_DEFAULT, H5P_DEFAULT) >= 0);
	finish(file, exchange);
	is_read();
}

static gt_volume *some_volume(void)
{
	gt_volume *v = gt_volume_blank();
	ck_assert_ptr_nonnull(v);
	v->grid = (gt_grid){ .n = { 3, 2, 2 }, .pitch = { 1, 1, 1 } };
	v->data = calloc(12, sizeof *v->data);
	ck_assert_ptr_nonnull(v->data);
	v->data[5] = 0.02f;
	return v;
}

/* libnetcdf opens every link of a file. */
GT_TEST(links_of_a_volume)
{
	gt_volume *v = some_volume(), *back;
	make_file_of_counts(stranger);
	ck_ok(gt_write_volume(volume, NULL, v));
	const hid_t file = H5Fopen(volume, H5F_ACC_RDWR, H5P_DEFAULT);
	ck_assert(H5Lcreate_external(stranger, "/counts", file, "more", H5P_DEFAULT, H5P_DEFAULT) >= 0);
	ck_assert(H5Fclose(file) >= 0);
	ck_refused(gt_read_volume(volume, NULL, &back), GT_ERR_FORMAT, "a.nc: more: its data file");
	setenv("GANTRY_ALLOW_EXTERNAL", "1", 1);
	ck_ok(gt_read_volume(volume, NULL, &back));
	ck_assert(back->data[5] == 0.02f);
	gt_volume_free(back);
	gt_volume_free(v);
}

static void name_data_file(const char *name)
{
	FILE *f = fopen(image, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f,
	        "ObjectType = Image\nNDims = 3\nDimSize = 2 1 1\nElementSpacing = 1 1 1\nElementType = MET_FLOAT\nElementDataFile = %s\n",
	        name);
	ck_assert_int_eq(fclose(f), 0);
}

static void make_data_file(const char *in, const char *name)
{
	char path[160];
	const float values[2] = { 0.01f, 0.02f };
	snprintf(path, sizeof path, "%s/%s", in, name);
	FILE *f = fopen(path, "wb");
	ck_assert(f && fwrite(values, sizeof *values, 2, f) == 2 && fclose(f) == 0);
}

GT_TEST(data_file_of_an_image)
{
	gt_volume *v;
	char name[160];
	make_data_file(below, "b.raw");
	make_data_file(outside, "o.raw");
	name_data_file("below/b.raw");
	ck_ok(gt_read_volume(image, NULL, &v));
	ck_assert(v->data[1] == 0.02f);
	gt_volume_free(v);
	name_data_file("../outside/o.raw");
	ck_refused(gt_read_volume(image, NULL, &v), GT_ERR_FORMAT,
	           "o.raw lies outside of the folder of the file: move it into the folder of the file");
	snprintf(name, sizeof name, "%s/o.raw", outside);
	name_data_file(name);
	ck_refused(gt_read_volume(image, NULL, &v), GT_ERR_FORMAT, "a.mhd: key ElementDataFile: its data file");
	setenv("GANTRY_ALLOW_EXTERNAL", "1", 1);
	ck_ok(gt_read_volume(image, NULL, &v));
	gt_volume_free(v);
	snprintf(name, sizeof name, "%s/fifo", folder);
	ck_assert_int_eq(mkfifo(name, 0600), 0);
	name_data_file("fifo");
	ck_refused(gt_read_volume(image, NULL, &v), GT_ERR_FORMAT, "fifo is not a regular file");
	name_data_file("LIST 2");
	ck_refused(gt_read_volume(image, NULL, &v), GT_ERR_UNSUPPORTED, "is 'LIST 2', expected LOCAL or one file");
	name_data_file("a.mhd");
	ck_refused(gt_read_volume(image, NULL, &v), GT_ERR_FORMAT, "key ElementDataFile: names the header itself: expected LOCAL");
}

int main(void) { return gt_test_main_with("external", setup, teardown); }
