/* One allocation of a reader fails, each in turn: the result is equal or an error, never other data.
 * labels: unit, backend: none */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "tests/support/scarce.h"
#include "tests/support/support.h"

static char folder[64], path[128];

static void setup(void)
{
	strcpy(folder, "/tmp/gantry-scarce-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static unsigned long sum_of(const float *data, size_t n)
{
	unsigned long sum = 5381;
	const unsigned char *bytes = (const unsigned char *)data;
	for (size_t i = 0; data && i < n * sizeof *data; i++)
		sum = sum * 33 + bytes[i];
	return sum;
}

static const char *shown(const char *text) { return text ? text : "-"; }

/* All results of a reader, as text. */
typedef gt_status (*reading)(char text[1024]);

static gt_status read_volume(char text[1024])
{
	gt_volume *v = NULL;
	const gt_status st = gt_read_volume(path, NULL, &v);
	if (st != GT_OK)
		return st;
	char grid[256];
	gt_grid_print(&v->grid, grid, sizeof grid);
	snprintf(text, 1024, "%s %lx %.17g %d %d %s %s %lx", grid, sum_of(v->data, gt_grid_voxels(&v->grid)), v->water, (int)v->position,
	         (int)v->unit, shown(v->from.command), shown(v->from.parameters), (unsigned long)v->from.scan_hash);
	gt_volume_free(v);
	return GT_OK;
}

static gt_status read_projections(char text[1024])
{
	gt_projections *p = NULL;
	gt_read_options o = gt_read_defaults;
	o.axis = 3.5;
	const gt_status st = gt_read_projections(path, &o, &p);
	if (st != GT_OK)
		return st;
	const size_t n = gt_scan_size(p->scan);
	snprintf(text, 1024, "%.17g %.17g %.17g %lx %lx %lx %d %.17g %s %lx %.17g", p->scan->column_pitch, p->scan->row_pitch,
	         p->scan->source_to_axis, sum_of(p->data, n), sum_of(p->weight, n), sum_of(p->photons, n), (int)p->position, p->water,
	         shown(p->from.command), (unsigned long)p->from.scan_hash, p->scan->view[1].angle);
	gt_projections_free(p);
	return GT_OK;
}

enum { SAME, FAILED, OTHER };

/* In a process of its own, because libraries keep state after a failure. */
static int outcome(reading read, long after, const char *expected)
{
	char text[1024] = "";
	fflush(NULL);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		alarm(GT_TEST_HANGS / 2);
		gt_scarce_after(after);
		const gt_status st = read(text);
		gt_scarce_after(-1);
		_exit(st != GT_OK ? FAILED : strcmp(text, expected) ? OTHER : SAME);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Every step-th allocation, or each with GT_LONG=1. A library that crashes without memory ends the program, which is
 * accepted. */
static void fail_each(reading read, long step)
{
	char expected[1024];
	gt_scarce_after(-1);
	ck_ok(read(expected));
	const long calls = gt_scarce_calls();
	long failed = 0;
	for (long n = 0; n < calls; n += gt_tests_long() ? 1 : step) {
		const int is = outcome(read, n, expected);
		ck_assert_msg(is != OTHER, "%s: without allocation %ld of %ld other data are read, without an error", path, n, calls);
		failed += is == FAILED;
	}
	ck_assert_msg(failed > 0, "%s: none of %ld failed allocations is reported", path, calls);
}

static gt_volume *some_volume(void)
{
	gt_volume *v = gt_volume_blank();
	ck_assert_ptr_nonnull(v);
	v->grid = (gt_grid){ .n = { 3, 2, 4 }, .pitch = { 0.1, 0.3, 0.7 }, .center = { 0.123456789, 2, 3 } };
	v->data = calloc(24, sizeof *v->data);
	ck_assert_ptr_nonnull(v->data);
	for (int i = 0; i < 24; i++)
		v->data[i] = 0.001f * (float)i;
	v->water = 0.0206;
	v->position = GT_FFP;
	v->from = (gt_provenance){ strdup("gantry recon a.nc"), strdup("solver=fdk"), 0x123456789 };
	return v;
}

static void volume_in(const char *name, gt_unit unit, long step)
{
	gt_write_options o = gt_write_defaults;
	gt_volume *v = some_volume();
	o.unit = unit;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	const gt_status st = gt_write_volume(path, &o, v);
	gt_volume_free(v);
	if (st == GT_ERR_UNSUPPORTED)
		return;
	ck_ok(st);
	fail_each(read_volume, step);
}

GT_TEST(metaimage) { volume_in("a.mhd", GT_PER_MM, 1); }
GT_TEST(nifti) { volume_in("a.nii", GT_PER_MM, 1); }
GT_TEST(nifti_packed) { volume_in("a.nii.gz", GT_HU, 1); }

static void put(hid_t at, const char *name, int rank, const hsize_t *size, const float *values, const char *units)
{
	const hid_t space = H5Screate_simple(rank, size, NULL), one = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1),
		    links = H5Pcreate(H5P_LINK_CREATE);
	H5Pset_create_intermediate_group(links, 1);
	const hid_t id = H5Dcreate2(at, name, H5T_NATIVE_FLOAT, space, links, H5P_DEFAULT, H5P_DEFAULT);
	ck_assert(id >= 0 && H5Dwrite(id, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
	if (units) {
		ck_assert(H5Tset_size(text, rank ? strlen(units) : H5T_VARIABLE) >= 0);
		const hid_t a = H5Acreate2(id, "units", text, one, H5P_DEFAULT, H5P_DEFAULT);
		ck_assert(a >= 0 && H5Awrite(a, text, rank ? (const void *)units : (const void *)&units) >= 0);
		H5Aclose(a);
	}
	H5Dclose(id);
	H5Pclose(links);
	H5Tclose(text);
	H5Sclose(one);
	H5Sclose(space);
}

GT_TEST(data_exchange)
{
	const hsize_t data[] = { 4, 2, 8 }, theta[] = { 4 };
	const float angle[] = { 0, 0.7f, 1.5f, 2.2f }, pitch = 6.5f, zoom = 5;
	float white[16], dark[16], counts[64];
	for (int i = 0; i < 64; i++) {
		white[i % 16] = 1000;
		dark[i % 16] = 20;
		counts[i] = (float)(500 - i);
	}
	snprintf(path, sizeof path, "%s/a.h5", folder);
	const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	put(file, "exchange/data", 3, data, counts, NULL);
	put(file, "exchange/data_white", 2, data + 1, white, NULL);
	put(file, "exchange/data_dark", 2, data + 1, dark, NULL);
	put(file, "exchange/theta", 1, theta, angle, "rad");
	put(file, "measurement/instrument/detector/x_pixel_size", 0, NULL, &pitch, "um");
	put(file, "measurement/instrument/detection_system/objective/magnification", 0, NULL, &zoom, NULL);
	ck_assert(H5Fclose(file) >= 0);
	fail_each(read_projections, 13);
}

static gt_volume *written;

static gt_status write_and_read(char text[1024])
{
	const gt_status st = gt_write_volume(path, NULL, written);
	return st == GT_OK ? read_volume(text) : st;
}

/* libnetcdf silently loses attributes. */
GT_TEST(netcdf_written)
{
	snprintf(path, sizeof path, "%s/a.nc", folder);
	written = some_volume();
	fail_each(write_and_read, 61);
	gt_volume_free(written);
}

GT_TEST(room)
{
	ck_ok(gt_host_has_memory(1e3, "a little"));
	ck_refused(gt_host_has_memory(1e18, "a lot"), GT_ERR_MEMORY, "a lot: needs 9.31e+08 GiB of memory,");
}

int main(void) { return gt_scarce_works() ? gt_test_main_with("out_of_memory", setup, teardown) : 77; }
