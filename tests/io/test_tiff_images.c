/* TIFF files with more images than pages are read whole or refused, and 16-bit floats of TIFF and NumPy are read. */
/* labels: unit, backend: none */
#include <math.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { VIEWS = 3, ROWS = 4, COLUMNS = 5, N = VIEWS * ROWS * COLUMNS, TAGS = 12, TEXT = 200, DATA = 8 + 2 + 12 * TAGS + 4 + TEXT };
static gt_frames_options frames;
static gt_read_options options;

static void setup(void)
{
	tiff_setup();
	frames = gt_frames_defaults;
	frames.angles = "0:1.5";
	frames.values = GT_FRAMES_LINE_INTEGRALS;
	options = gt_read_defaults;
	options.frames = &frames;
	options.axis = 2;
}

typedef struct {
	int big, depth; /* big: big endian */
	const char *description;
	size_t images; /* stored */
	unsigned format;
} stack;

static void put(FILE *f, const stack *k, uint32_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		fputc((int)(value >> 8 * (k->big ? bytes - 1 - i : i)) & 255, f);
}

static void put_tag(FILE *f, const stack *k, uint32_t tag, uint32_t type, uint32_t count, uint32_t value)
{
	put(f, k, tag, 2);
	put(f, k, type, 2);
	put(f, k, count, 4);
	put(f, k, value, type == 3 ? 2 : 4);
	put(f, k, 0, type == 3 ? 2 : 0);
}

static uint16_t value_of(size_t i) { return (uint16_t)(257 * (i % 50) + i); }

/* One page, with consecutive images from DATA on. */
static void write_stack(const char *name, const stack *k)
{
	FILE *f = fopen(tiff_path(name), "wb");
	fputs(k->big ? "MM" : "II", f);
	put(f, k, 42, 2);
	put(f, k, 8, 4);
	put(f, k, TAGS, 2);
	put_tag(f, k, TIFFTAG_IMAGEWIDTH, 4, 1, COLUMNS);
	put_tag(f, k, TIFFTAG_IMAGELENGTH, 4, 1, ROWS);
	put_tag(f, k, TIFFTAG_BITSPERSAMPLE, 3, 1, 16);
	put_tag(f, k, TIFFTAG_COMPRESSION, 3, 1, COMPRESSION_NONE);
	put_tag(f, k, TIFFTAG_PHOTOMETRIC, 3, 1, PHOTOMETRIC_MINISBLACK);
	put_tag(f, k, TIFFTAG_IMAGEDESCRIPTION, 2, TEXT, DATA - TEXT);
	put_tag(f, k, TIFFTAG_STRIPOFFSETS, 4, 1, DATA);
	put_tag(f, k, TIFFTAG_SAMPLESPERPIXEL, 3, 1, 1);
	put_tag(f, k, TIFFTAG_ROWSPERSTRIP, 4, 1, ROWS);
	put_tag(f, k, TIFFTAG_STRIPBYTECOUNTS, 4, 1, 2 * ROWS * COLUMNS);
	put_tag(f, k, TIFFTAG_SAMPLEFORMAT, 3, 1, k->format);
	put_tag(f, k, TIFFTAG_IMAGEDEPTH, 4, 1, (uint32_t)k->depth);
	put(f, k, 0, 4);
	fprintf(f, "%-*s", TEXT - 1, k->description);
	fputc(0, f);
	for (size_t i = 0; i < k->images * ROWS * COLUMNS; i++)
		put(f, k, value_of(i), 2);
	fclose(f);
}

#define TIFFFILE "{\"shape\": [3, 4, 5], \"axes\": \"ZYX\", \"truncated\": true}"

GT_TESTS(all_images_of_one_page_are_read, 6)
{
	static const char *const texts[] = { TIFFFILE, "ImageJ=1.53t\nimages=3\nslices=3\n",
		                             "{\"shape\": [1, 3, 4, 5, 1], \"truncated\": true}" };
	const stack k = { .big = _i & 1, .description = texts[_i / 2], .images = VIEWS, .depth = 1, .format = SAMPLEFORMAT_UINT };
	gt_projections *p = NULL;
	write_stack("a.tif", &k);
	ck_ok(gt_read_projections(tiff_path("a.tif"), &options, &p));
	ck_assert_uint_eq(p->scan->views, VIEWS);
	for (size_t i = 0; i < N; i++)
		ck_assert_msg(p->data[i] == (float)value_of(i), "%zu: %g", i, (double)p->data[i]);
	gt_projections_free(p);
}

static void refuse(const stack *k, gt_status code, const char *why)
{
	gt_projections *p = NULL;
	write_stack("a.tif", k);
	ck_refused(gt_read_projections(tiff_path("a.tif"), &options, &p), code, why);
	ck_assert_ptr_null(p);
}

GT_TEST(images_that_are_missing_are_refused)
{
	stack k = { .description = TIFFFILE, .images = VIEWS - 1, .depth = 1, .format = SAMPLEFORMAT_UINT };
	refuse(&k, GT_ERR_FORMAT, "a.tif: states 3 images, but has 1 page: save one file for each image");
	k.description = "ImageJ=1.53t\nimages=1e300\n";
	refuse(&k, GT_ERR_FORMAT, "states 1e+300 images");
	k.description = "ImageJ=1.53t\nimages=2.5\n";
	refuse(&k, GT_ERR_FORMAT, "states 2.5 images");
	k.depth = 2;
	refuse(&k, GT_ERR_UNSUPPORTED, "a.tif: holds a volume in one page (ImageDepth 2, TileDepth 1)");
}

/* A stale stack description of another program. */
GT_TEST(a_shape_without_truncated_is_no_claim)
{
	const stack k = { .description = "{\"shape\": [3, 4, 5]}", .images = 1, .depth = 1, .format = SAMPLEFORMAT_UINT };
	gt_projections *p = NULL;
	write_stack("a.tif", &k);
	ck_ok(gt_read_projections(tiff_path("a.tif"), &options, &p));
	ck_assert_uint_eq(p->scan->views, 1);
	gt_projections_free(p);
}

/* Zeros, ones, the largest and the smallest normal and subnormal values of binary16, of both signs. */
static const struct {
	uint16_t half;
	double value;
} halves[] = {
	{ 0x0000, 0 },
	{ 0x3c00, 1 },
	{ 0xc000, -2 },
	{ 0x7bff, 65504 },
	{ 0x0400, 0x1p-14 },
	{ 0x0001, 0x1p-24 },
	{ 0x83ff, -1023 * 0x1p-24 },
	{ 0x3555, 0.333251953125 },
	{ 0xbe00, -1.5 },
	{ 0x4248, 3.140625 },
};
enum { HALVES = sizeof halves / sizeof *halves };

static void check_halves(const char *name)
{
	gt_projections *p = NULL;
	ck_ok(gt_read_projections(tiff_path(name), &options, &p));
	for (size_t i = 0; i < HALVES; i++)
		ck_assert_msg(p->data[i] == (float)halves[i].value, "%s: %zu: %g", name, i, (double)p->data[i]);
	gt_projections_free(p);
}

GT_TEST(halves_are_read)
{
	uint16_t line[HALVES];
	char head[119];
	for (size_t i = 0; i < HALVES; i++)
		line[i] = halves[i].half;
	for (int big = 0; big < 2; big++) {
		TIFF *t = TIFFOpen(tiff_path("a.tif"), big ? "wb" : "wl");
		TIFFSetField(t, TIFFTAG_IMAGEWIDTH, HALVES);
		TIFFSetField(t, TIFFTAG_IMAGELENGTH, 1);
		TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 16);
		TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, 1);
		TIFFSetField(t, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
		TIFFSetField(t, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
		uint16_t copy[HALVES]; /* libtiff swaps it in place */
		memcpy(copy, line, sizeof copy);
		ck_assert_int_eq(TIFFWriteScanline(t, copy, 0, 0), 1);
		TIFFClose(t);
		check_halves("a.tif");
		FILE *f = fopen(tiff_path("a.npy"), "wb");
		fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
		snprintf(head, sizeof head, "{'descr': '%cf2', 'fortran_order': False, 'shape': (1, %d), }", big ? '>' : '<', HALVES);
		fprintf(f, "%-117s\n", head);
		for (size_t i = 0; i < HALVES; i++)
			put(f, &(stack){ .big = big }, halves[i].half, 2);
		fclose(f);
		check_halves("a.npy");
	}
}

int main(void) { return gt_test_main_with("tiff_images", setup, tiff_teardown); }
