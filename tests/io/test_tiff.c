/* TIFF images of every kind are read exactly, by rows; damaged and hostile ones are refused by name. */
/* labels: unit, backend: none */
#include <sys/stat.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "io/view_reader.h"
#include "io/tiff/tiff_file.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { ROWS = 37, COLUMNS = 150, PAGES = 3 };
static const tiff_kind kinds[] = {
	{ "w", 8, 0, 0, 4, COMPRESSION_NONE, 0, PAGES },
	{ "w", 16, 0, 0, 1, COMPRESSION_NONE, 0, PAGES },
	{ "wb", 16, SAMPLEFORMAT_UINT, 0, 7, COMPRESSION_NONE, 0, PAGES },
	{ "wb", 32, SAMPLEFORMAT_IEEEFP, 0, 7, COMPRESSION_NONE, 0, PAGES },
	{ "w", 32, SAMPLEFORMAT_IEEEFP, 64, 0, COMPRESSION_NONE, 0, PAGES },
	{ "w", 16, 0, 64, 0, COMPRESSION_NONE, 0, PAGES },
	{ "w", 16, 0, 0, 5, COMPRESSION_ADOBE_DEFLATE, 2, PAGES },
	{ "w", 16, 0, 16, 0, COMPRESSION_LZW, 2, PAGES },
	{ "w8", 16, 0, 0, 6, COMPRESSION_NONE, 0, PAGES },
	{ "w", 32, SAMPLEFORMAT_UINT, 0, 100, COMPRESSION_PACKBITS, 0, PAGES },
};
static double value[PAGES * ROWS * COLUMNS];
static gt_frames_options frames;
static gt_read_options options;

static void setup(void)
{
	float x[PAGES * ROWS * COLUMNS];
	tiff_setup();
	gt_test_random(3, PAGES * ROWS * COLUMNS, x);
	for (size_t i = 0; i < PAGES * ROWS * COLUMNS; i++)
		value[i] = (int)(127 + 120 * x[i]);
	frames = gt_frames_defaults;
	frames.angles = "0:1.5";
	frames.values = GT_FRAMES_LINE_INTEGRALS;
	options = gt_read_defaults;
	options.frames = &frames;
	options.axis = 70;
}

GT_TESTS(all_kinds_are_read_to_the_bit, sizeof kinds / sizeof *kinds)
{
	gt_projections *p = NULL;
	gt_view_reader *views = NULL;
	float some[2][5][COLUMNS];
	tiff_write("a.tif", &kinds[_i], ROWS, COLUMNS, value);
	ck_ok(gt_read_projections(tiff_path("a.tif"), &options, &p));
	ck_assert_uint_eq(p->scan->views, PAGES);
	ck_assert_uint_eq(p->scan->rows, ROWS);
	ck_assert_uint_eq(p->scan->columns, COLUMNS);
	for (size_t i = 0; i < PAGES * ROWS * COLUMNS; i++)
		ck_assert_msg(p->data[i] == (float)value[i], "%zu: %g, expected %g", i, (double)p->data[i], value[i]);
	ck_ok(gt_view_reader_open(tiff_path("a.tif"), &options, p->scan, &views));
	ck_ok(gt_view_reader_read(views, 1, 2, 9, 5, some[0][0]));
	ck_assert_int_eq(memcmp(some[0], p->data + (ROWS + 9) * COLUMNS, sizeof some[0]), 0);
	ck_assert_int_eq(memcmp(some[1], p->data + (2 * ROWS + 9) * COLUMNS, sizeof some[1]), 0);
	ck_assert_uint_gt(gt_view_reader_bytes(views), 0);
	gt_view_reader_close(views);
	gt_projections_free(p);
}

static void refuse(gt_status code, const char *why)
{
	gt_projections *p = NULL;
	ck_refused(gt_read_projections(tiff_path("a.tif"), &options, &p), code, why);
	ck_assert_ptr_null(p);
}

GT_TESTS(truncated_files_are_refused, sizeof kinds / sizeof *kinds)
{
	struct stat s;
	tiff_write("a.tif", &kinds[_i], ROWS, COLUMNS, value);
	stat(tiff_path("a.tif"), &s);
	for (off_t n = s.st_size - 1; n > 4; n -= 1 + n / 9) {
		gt_projections *p = NULL;
		ck_assert_int_eq(truncate(tiff_path("a.tif"), n), 0);
		const gt_status st = gt_read_projections(tiff_path("a.tif"), &options, &p);
		/* a file truncated within its last header may have all pages, which are then correct; never fewer */
		if (st == GT_OK)
			ck_assert_uint_eq(p->scan->views, PAGES);
		for (size_t i = 0; st == GT_OK && i < gt_scan_size(p->scan); i++)
			ck_assert_msg(p->data[i] == (float)value[i], "%lld of %lld bytes: other numbers were read", (long long)n,
			              (long long)s.st_size);
		gt_projections_free(p);
	}
}

/* Writes pages; returns the offset of the link to the third page, after the entries of the second. */
static off_t write_pages(const char *mode)
{
	const tiff_kind kind = { mode, 16, 0, 0, ROWS, COMPRESSION_NONE, 0, PAGES };
	unsigned char n[8];
	tiff_write("a.tif", &kind, ROWS, COLUMNS, value);
	TIFF *t = TIFFOpen(tiff_path("a.tif"), "r");
	ck_assert(TIFFSetDirectory(t, 1));
	const off_t head = (off_t)TIFFCurrentDirOffset(t);
	TIFFClose(t);
	FILE *f = fopen(tiff_path("a.tif"), "rb");
	ck_assert(fseek(f, head, SEEK_SET) == 0 && fread(n, 1, sizeof n, f) == sizeof n);
	fclose(f);
	return head + (mode[1] == '8' ? 8 + 20 * n[0] : 2 + 12 * n[mode[1] == 'b']);
}

/* Truncated there, a file has complete pages, but not all. */
GT_TESTS(truncated_at_the_link_to_the_next_page, 3)
{
	static const char *const mode[] = { "w", "wb", "w8" };
	const off_t link = write_pages(mode[_i]);
	for (int more = (_i == 2 ? 8 : 4) - 1; more >= 0; more--) {
		ck_assert_int_eq(truncate(tiff_path("a.tif"), link + more), 0);
		refuse(GT_ERR_FORMAT, "truncated: the file ends within what begins at its byte");
	}
}

/* No stored offset makes a read fail: the disk is not at fault. */
GT_TEST(a_page_past_the_end_is_damage)
{
	static const unsigned char max[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };
	const off_t link = write_pages("w8l");
	for (int less = 0; less < 20; less++) {
		unsigned char place[8];
		memcpy(place, max, sizeof place);
		place[0] = (unsigned char)(0xff - less);
		FILE *f = fopen(tiff_path("a.tif"), "r+b");
		ck_assert(fseek(f, link, SEEK_SET) == 0 && fwrite(place, 1, sizeof place, f) == sizeof place);
		fclose(f);
		refuse(GT_ERR_FORMAT, "damaged: the page after 2 cannot be read: ");
	}
}

/* Random damage: refused, or other values; never a crash. */
GT_TESTS(damaged_files_do_no_harm, sizeof kinds / sizeof *kinds)
{
	float where[64];
	tiff_write("a.tif", &kinds[_i], ROWS, COLUMNS, value);
	FILE *f = fopen(tiff_path("a.tif"), "r+b");
	fseek(f, 0, SEEK_END);
	const long size = ftell(f);
	gt_test_random((unsigned)_i + 5, 64, where);
	for (int i = 0; i < 64; i++) {
		gt_projections *p = NULL;
		/* half of the damage lies before and after the pixels */
		const long at = i % 2 ? (long)((double)size * (0.5 + 0.5 * (double)where[i])) : size - 1 - (long)(200 * fabsf(where[i]));
		fseek(f, at < 0 ? 0 : at >= size ? size - 1 : at, SEEK_SET);
		fputc((i * 37 + 255) & 255, f);
		fflush(f);
		if (gt_read_projections(tiff_path("a.tif"), &options, &p) == GT_OK)
			gt_projections_free(p);
	}
	fclose(f);
}

GT_TEST(colours_and_images_that_are_not_there_are_refused)
{
	TIFF *t = TIFFOpen(tiff_path("a.tif"), "w");
	uint8_t line[3 * COLUMNS] = { 0 };
	TIFFSetField(t, TIFFTAG_IMAGEWIDTH, COLUMNS);
	TIFFSetField(t, TIFFTAG_IMAGELENGTH, 1);
	TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 8);
	TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, 3);
	TIFFSetField(t, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
	TIFFSetField(t, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
	TIFFWriteScanline(t, line, 0, 0);
	TIFFClose(t);
	refuse(GT_ERR_FORMAT, "3 samples per pixel");

	t = TIFFOpen(tiff_path("a.tif"), "w");
	TIFFSetField(t, TIFFTAG_IMAGEDESCRIPTION, "ImageJ=1.53\nimages=900\nslices=900\n");
	tiff_page(t, &tiff_u16, ROWS, COLUMNS, value);
	TIFFClose(t);
	refuse(GT_ERR_FORMAT, "states 900 images, but has 1 page: save one file");
}

/* Page 0 of a process cannot be read. */
GT_TEST(read_errors_are_no_truncation)
{
	const char *path = "/proc/self/mem";
	gt_tiff_file f;
	ck_assert(!gt_tiff_open(path, &f));
	ck_refused(gt_tiff_close(path, &f, GT_ERR_FORMAT), GT_ERR_IO, "/proc/self/mem: cannot be read: Input/output error");
}

/* A header that claims a million columns, which a few bytes cannot hold; a blank image deflates to a thousandth of its
 * size at best. */
GT_TESTS(claims_are_checked_before_memory_is_taken, 2)
{
	tiff_kind kind = tiff_u16;
	kind.compression = _i ? COMPRESSION_ADOBE_DEFLATE : kind.compression;
	TIFF *t = TIFFOpen(tiff_path("a.tif"), "w");
	tiff_page(t, &kind, ROWS, COLUMNS, value);
	TIFFClose(t);
	t = TIFFOpen(tiff_path("a.tif"), "r+");
	TIFFSetField(t, TIFFTAG_IMAGEWIDTH, 1000000u);
	TIFFRewriteDirectory(t);
	TIFFClose(t);
	refuse(GT_ERR_FORMAT, "claims 37 x 1000000 values of 2 bytes");
}

static void little(FILE *f, unsigned long number, int bytes)
{
	for (int k = 0; k < bytes; k++)
		fputc((int)(number >> 8 * k & 255), f);
}

/* Pages of 64 x 64 bytes, 8 bits, all with the same strip at byte 8. */
static void write_shared(unsigned pages)
{
	enum { SIDE = 64, STRIP = SIDE * SIDE, ENTRIES = 8, IFD = 2 + 12 * ENTRIES + 4 };
	const unsigned long entry[ENTRIES][2] = { { 256, SIDE }, { 257, SIDE }, { 258, 8 },    { 259, 1 },
		                                  { 262, 1 },    { 273, 8 },    { 278, SIDE }, { 279, STRIP } };
	FILE *f = fopen(tiff_path("a.tif"), "wb");
	fwrite("II*", 1, 4, f);
	little(f, 8 + STRIP, 4);
	for (unsigned i = 0; i < STRIP; i++)
		fputc((int)(i * 7 % 251), f);
	for (unsigned p = 0; p < pages; p++) {
		little(f, ENTRIES, 2);
		for (int e = 0; e < ENTRIES; e++) {
			little(f, entry[e][0], 2);
			little(f, 4, 2);
			little(f, 1, 4);
			little(f, entry[e][1], 4);
		}
		little(f, p + 1 < pages ? 8 + STRIP + (p + 1) * IFD : 0, 4);
	}
	fclose(f);
}

GT_TEST(pages_that_share_data_are_refused)
{
	write_shared(3);
	refuse(GT_ERR_FORMAT, "a.tif: its 2 pages claim 8 KiB and the file has 4.31 KiB: damaged, blank, or pages that share their data");
	write_shared(1);
	gt_projections *p = NULL;
	ck_assert(gt_read_projections(tiff_path("a.tif"), &options, &p) == GT_OK || !strstr(gt_error(), "claim"));
	gt_projections_free(p);
}

/* Deflate would allow it: 289 MB of zeros in 0.3 MB. */
GT_TEST(a_blank_image_beyond_any_detector_is_refused)
{
	const uint32_t side = 17000, strip = 1000;
	uint8_t *zeros = calloc((size_t)side * strip, 1);
	TIFF *t = TIFFOpen(tiff_path("a.tif"), "w");
	TIFFSetField(t, TIFFTAG_IMAGEWIDTH, side);
	TIFFSetField(t, TIFFTAG_IMAGELENGTH, side);
	TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 8);
	TIFFSetField(t, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
	TIFFSetField(t, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
	TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, strip);
	for (uint32_t i = 0; i < side / strip; i++)
		ck_assert(TIFFWriteEncodedStrip(t, i, zeros, (tmsize_t)side * strip) > 0);
	TIFFClose(t);
	free(zeros);
	refuse(GT_ERR_FORMAT, "a.tif: its 1 page claims 276 MiB");
}

/* Calls that read, by this process so far; 0: the system does not count them. */
static long calls_that_read(void)
{
	char line[64];
	long calls = 0;
	FILE *f = fopen("/proc/self/io", "r");
	while (f && fgets(line, sizeof line, f))
		sscanf(line, "syscr: %ld", &calls);
	if (f)
		fclose(f);
	return calls;
}

static long calls_of_stack(unsigned pages)
{
	gt_projections *p = NULL;
	TIFF *t = TIFFOpen(tiff_path("a.tif"), "w");
	for (unsigned i = 0; i < pages; i++)
		tiff_page(t, &tiff_u16, 6, 8, value + i);
	TIFFClose(t);
	const long before = calls_that_read();
	ck_ok(gt_read_projections(tiff_path("a.tif"), &options, &p));
	ck_assert_uint_eq(p->scan->views, pages);
	for (unsigned i = 0; i < pages; i++)
		ck_assert_float_eq(p->data[48 * i + 47], (float)value[i + 47]);
	gt_projections_free(p);
	return calls_that_read() - before;
}

GT_TEST(the_pages_of_a_stack_are_not_searched_for)
{
	options.axis = 3;
	const long few = calls_of_stack(40), many = calls_of_stack(400);
	ck_assert_msg(many <= 12 * few, "%ld calls for 40 pages, %ld for 400", few, many);
}

GT_TEST(pages_of_other_sizes_are_refused)
{
	TIFF *t = TIFFOpen(tiff_path("a.tif"), "w");
	tiff_page(t, &tiff_u16, ROWS, COLUMNS, value);
	tiff_page(t, &tiff_u16, ROWS, COLUMNS - 1, value);
	TIFFClose(t);
	refuse(GT_ERR_FORMAT, "is 37 rows x 149 columns of uint16, expected 37 x 150 of uint16");
}

int main(void) { return gt_test_main_with("tiff", setup, tiff_teardown); }
