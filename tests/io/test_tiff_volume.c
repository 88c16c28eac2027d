/* Volumes as TIFF: one range for all slices, values to half a step, bit-identical as a whole and by slices;
 * refusals. */
/* labels: unit, backend: none */
#include <math.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <gantry/io.h>
#include "geometry/volume.h"
#include "io/slice_writer.h"
#include "tests/io/notes.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { NX = 13, NY = 9, NZ = 5 };
static gt_volume *volume;
static gt_write_options options;
static char notes[NOTES];

static void setup(void)
{
	const gt_grid grid = { .n = { NX, NY, NZ }, .pitch = { 0.5, 0.25, 2 }, .center = { 1, -2, 30 } };
	tiff_setup();
	ck_ok(gt_volume_new(&grid, &volume));
	gt_test_random(9, NX * NY * NZ, volume->data);
	for (size_t i = 0; i < NX * NY * NZ; i++)
		volume->data[i] = 0.02f + 0.03f * volume->data[i];
	options = gt_write_defaults;
	options.notes = notes_into(notes);
}

static void teardown(void)
{
	gt_volume_free(volume);
	tiff_teardown();
}

/* Values of page z in the unit of the file, scaled by the description of the first page. */
static void read_page(const char *name, unsigned z, double *out, double *step)
{
	TIFF *t = TIFFOpen(tiff_path(name), "r");
	char *text = NULL;
	double slope = 0, offset = 0;
	uint16_t bits = 0;
	uint32_t columns = 0;
	float line[NX];
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(TIFFGetField(t, TIFFTAG_IMAGEDESCRIPTION, &text), 1);
	ck_assert_msg(strstr(text, "pitch_mm=0.5,0.25,2 center_mm=1,-2,30") != NULL, "%s", text);
	ck_assert_int_eq(sscanf(strstr(text, " slope="), " slope=%lf offset=%lf", &slope, &offset), 2);
	ck_assert_int_eq(TIFFNumberOfDirectories(t), NZ);
	ck_assert(TIFFSetDirectory(t, (uint16_t)z));
	TIFFGetField(t, TIFFTAG_BITSPERSAMPLE, &bits);
	TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &columns);
	ck_assert_uint_eq(columns, NX);
	for (uint32_t y = 0; y < NY; y++) {
		ck_assert_int_eq(TIFFReadScanline(t, line, y, 0), 1);
		for (size_t x = 0; x < NX; x++)
			out[y * NX + x] = offset + slope * (bits == 32   ? (double)line[x]
			                                    : bits == 16 ? ((uint16_t *)(void *)line)[x]
			                                                 : ((uint8_t *)(void *)line)[x]);
	}
	*step = bits == 32 ? 0 : slope;
	TIFFClose(t);
}

static void check(const char *name, double low, double high, double water)
{
	for (unsigned z = 0; z < NZ; z++) {
		double page[NX * NY], step;
		read_page(name, z, page, &step);
		for (size_t i = 0; i < NX * NY; i++) {
			const double mu = (double)volume->data[z * NX * NY + i], wanted = water > 0 ? 1000 * (mu - water) / water : mu;
			ck_assert_double_eq_tol(page[i], fmin(fmax(wanted, low), high), step / 2 * 1.0001 + 1e-6 * fabs(wanted));
		}
	}
}

/* Read back: floats exactly, integers to half a step, in mm^-1 for any unit of the file. */
GT_TESTS(read_again, 6)
{
	static const int bits[] = { 32, 16, 8 };
	gt_volume *v = NULL;
	const gt_format *format;
	int projections = 1;
	options.bits = bits[_i % 3];
	options.unit = _i < 3 ? GT_UNIT_AUTO : GT_HU;
	options.water = 0.02;
	/* the same range in either unit; floats have none */
	options.low = options.bits == 32 ? 0 : _i < 3 ? -0.02 : -2000;
	options.high = options.bits == 32 ? 0 : _i < 3 ? 0.06 : 2000;
	ck_ok(gt_write_volume(tiff_path("a.tif"), &options, volume));
	ck_ok(gt_file_kind(tiff_path("a.tif"), &format, &projections));
	ck_assert_int_eq(projections, 0);
	ck_ok(gt_read_volume(tiff_path("a.tif"), NULL, &v));
	ck_assert_mem_eq(&v->grid, &volume->grid, sizeof v->grid);
	const double step = bits[_i % 3] == 32 ? 0 : 0.08 / (bits[_i % 3] == 16 ? 65535 : 255);
	for (size_t i = 0; i < NX * NY * NZ; i++)
		ck_assert_double_eq_tol(v->data[i], volume->data[i], 0.501 * step + 2e-8);
	if (_i == 0)
		ck_assert_mem_eq(v->data, volume->data, NX * NY * NZ * sizeof(float));
	gt_volume_free(v);
	v = NULL;
	gt_read_options o = gt_read_defaults;
	o.geometry_only = 1;
	ck_ok(gt_read_volume(tiff_path("a.tif"), &o, &v));
	ck_assert_ptr_null(v->data);
	gt_volume_free(v);
}

/* Truncated after its header; without the description of the first page it is a stack of images. */
GT_TEST(spoilt)
{
	gt_volume *v = NULL;
	const gt_format *format;
	int projections = 0;
	ck_ok(gt_write_volume(tiff_path("a.tif"), &options, volume));
	TIFF *t = TIFFOpen(tiff_path("a.tif"), "r+");
	ck_assert_ptr_nonnull(t);
	TIFFSetField(t, TIFFTAG_IMAGEDESCRIPTION, "gantry unit=mm-1 slope=1 offset=0 pitch_mm=0.5,-1,2 center_mm=0,0,0");
	ck_assert(TIFFRewriteDirectory(t));
	TIFFClose(t);
	ck_refused(gt_read_volume(tiff_path("a.tif"), NULL, &v), GT_ERR_FORMAT, "a.tif");
	ck_ok(gt_write_volume(tiff_path("b.tif"), &options, volume));
	t = TIFFOpen(tiff_path("b.tif"), "r+");
	TIFFSetField(t, TIFFTAG_IMAGEDESCRIPTION, "gantry unit=mm-1 slope=1 offset=0 pitch_mm=0.5,1 center_mm=0,0,0");
	ck_assert(TIFFRewriteDirectory(t));
	TIFFClose(t);
	ck_ok(gt_file_kind(tiff_path("b.tif"), &format, &projections));
	ck_assert_str_eq(format->name, "frames");
}

GT_TEST(floats_are_the_numbers)
{
	ck_ok(gt_write_volume(tiff_path("a.tif"), &options, volume));
	check("a.tif", -INFINITY, INFINITY, 0);
}

GT_TEST(whole_numbers_come_back_to_half_a_step)
{
	for (int bits = 8; bits <= 16; bits += 8) {
		options.bits = bits;
		options.low = -0.005;
		options.high = 0.04;
		notes[0] = 0;
		ck_ok(gt_write_volume(tiff_path("a.tif"), &options, volume));
		check("a.tif", -0.005, 0.04, 0);
		ck_assert_msg(strstr(notes, "are outside the range -0.005 to 0.04"), "%s", notes);
		options.unit = GT_HU;
		options.water = 0.021;
		options.low = -1200;
		options.high = 3000;
		ck_ok(gt_write_volume(tiff_path("a.tif"), &options, volume));
		check("a.tif", -1200, 3000, 0.021);
		options.unit = GT_PER_MM;
	}
}

GT_TEST(the_range_is_found_where_none_is_given)
{
	options.bits = 16;
	ck_ok(gt_write_volume(tiff_path("a.tif"), &options, volume));
	const char *at = strstr(notes, "16 bits over ");
	double low, high;
	ck_assert_msg(at && sscanf(at, "16 bits over %lf to %lf mm-1", &low, &high) == 2, "%s", notes);
	ck_assert_double_eq_tol(low, -0.01, 0.001);
	ck_assert_double_eq_tol(high, 0.05, 0.001);
	for (unsigned z = 0; z < NZ; z++) {
		double page[NX * NY], step;
		read_page("a.tif", z, page, &step);
		ck_assert_double_eq_tol(65535 * step, high - low, 1e-6);
	}
}

static void same_bytes(const char *a, const char *b)
{
	static char bytes[2][1 << 16];
	FILE *f = fopen(tiff_path(a), "rb"), *g = fopen(tiff_path(b), "rb");
	const size_t n = fread(bytes[0], 1, sizeof bytes[0], f), m = fread(bytes[1], 1, sizeof bytes[1], g);
	fclose(f);
	fclose(g);
	ck_assert_uint_eq(n, m);
	ck_assert_int_eq(memcmp(bytes[0], bytes[1], n), 0);
}

GT_TEST(slices_make_the_same_file)
{
	gt_slice_writer *s = NULL;
	char b[512];
	options.bits = 16;
	ck_refused(gt_slice_writer_create(tiff_path("b.tif"), &options, volume, &s), GT_ERR_ARG, "the range of all slices is unknown");
	options.low = 0;
	options.high = 0.05;
	options.deflate = 6;
	ck_ok(gt_write_volume(tiff_path("a.tif"), &options, volume));
	strcpy(b, tiff_path("b.tif"));
	ck_ok(gt_slice_writer_create(b, &options, volume, &s));
	ck_ok(gt_slice_writer_write(s, 2, volume->data));
	ck_ok(gt_slice_writer_write(s, 3, volume->data + 2 * NX * NY));
	ck_ok(gt_slice_writer_commit(s));
	same_bytes("a.tif", "b.tif");
	ck_ok(gt_can_write_slices(b));
	ck_ok(gt_slice_writer_create(tiff_path("c.tif"), &options, volume, &s));
	gt_slice_writer_drop(s);
	ck_assert_int_ne(access(tiff_path("c.tif"), F_OK), 0);
}

/* Slices in a folder: each file has one page. With bits= a folder is TIFF, without it other formats are possible. */
GT_TEST(slices_in_a_folder)
{
	gt_slice_writer *s = NULL;
	gt_volume *v = NULL;
	char folder[600], name[32];
	snprintf(folder, sizeof folder, "%s/", tiff_path("a"));
	options.bits = 16;
	options.low = 0;
	options.high = 0.05;
	ck_ok(gt_can_write_slices(folder));
	ck_ok(gt_can_write_slices_as(folder, &options));
	ck_ok(gt_slice_writer_create(folder, &options, volume, &s));
	gt_slice_writer_drop(s);
	ck_assert_int_ne(access(folder, F_OK), 0);
	ck_ok(gt_slice_writer_create(folder, &options, volume, &s));
	ck_ok(gt_slice_writer_write(s, 2, volume->data));
	ck_ok(gt_slice_writer_write(s, 3, volume->data + 2 * NX * NY));
	ck_ok(gt_slice_writer_commit(s));
	ck_ok(gt_read_volume(folder, NULL, &v));
	ck_assert_mem_eq(&v->grid, &volume->grid, sizeof v->grid);
	for (size_t i = 0; i < NX * NY * NZ; i++)
		ck_assert_double_eq_tol(v->data[i], fmin(fmax(volume->data[i], 0), 0.05), 0.501 * 0.05 / 65535 + 2e-8);
	gt_volume_free(v);
	TIFF *t = TIFFOpen(tiff_path("a/000003.tif"), "a");
	uint16_t line[NX] = { 0 };
	TIFFSetField(t, TIFFTAG_IMAGEWIDTH, NX);
	TIFFSetField(t, TIFFTAG_IMAGELENGTH, NY);
	TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 16);
	TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, 1);
	TIFFSetField(t, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
	for (uint32_t y = 0; y < NY; y++)
		ck_assert_int_eq(TIFFWriteScanline(t, line, y, 0), 1);
	TIFFClose(t);
	ck_refused(gt_read_volume(folder, NULL, &v), GT_ERR_FORMAT, "6 pages in 5 files: expected a slice in each");
	for (int slice = 1; slice <= NZ; slice++) {
		snprintf(name, sizeof name, "a/%06d.tif", slice);
		ck_assert_int_eq(unlink(tiff_path(name)), 0);
	}
	ck_assert_int_eq(rmdir(tiff_path("a")), 0);
}

/* A file system of unknown size may have enough space. */
GT_TEST(disk_of_unknown_size)
{
	struct statvfs s;
	if (statvfs("/proc", &s) == 0 && s.f_blocks == 0)
		ck_ok(gt_has_space("/proc/none.nc", 1e30));
	ck_refused(gt_has_space("/tmp/none.nc", 1e30), GT_ERR_IO, "not enough disk space");
}

GT_TEST(what_makes_no_sense_is_refused)
{
	options.bits = 12;
	ck_refused(gt_write_volume(tiff_path("a.tif"), &options, volume), GT_ERR_ARG, "bits=12: expected 8, 16 or 32");
	options.bits = 16;
	ck_refused(gt_write_volume(tiff_path("a.mha"), &options, volume), GT_ERR_ARG, "MetaImage has one sample type");
	ck_refused(gt_can_write_volume(tiff_path("a.mha"), &options), GT_ERR_ARG, "MetaImage has one sample type");
	options.low = 1;
	ck_refused(gt_write_volume(tiff_path("a.tif"), &options, volume), GT_ERR_ARG, "a range from 1 to 0");
	options.high = 0.5;
	ck_refused(gt_can_write_volume(tiff_path("a.tif"), &options), GT_ERR_ARG, "a range from 1 to 0.5");
	options.high = 2;
	options.bits = 0;
	ck_refused(gt_write_volume(tiff_path("a.tif"), &options, volume), GT_ERR_ARG, "a range is only used for integers");
	ck_assert_int_ne(access(tiff_path("a.tif"), F_OK), 0);
}

int main(void) { return gt_test_main_with("tiff_volume", setup, teardown); }
