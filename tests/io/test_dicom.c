/* Single DICOM files: round trips, implicit files made byte by byte, compressed and damaged files.
 * labels: unit property, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/dicom/dicom.h"
#include "tests/io/dicom_bytes.h"
#include "tests/support/support.h"

static const gt_dicom_tag class = { 0x0008, 0x0016, "UI", "class" }, instance = { 0x0008, 0x0018, "UI", "instance" },
			  kind = { 0x0008, 0x0008, "CS", "Image Type" }, place = { 0x0020, 0x0032, "DS", "Image Position" },
			  number = { 0x0020, 0x0013, "IS", "Instance Number" }, lines = { 0x0028, 0x0010, "US", "Rows" },
			  min = { 0x0028, 0x0106, "SS", "Smallest Image Pixel Value" }, wide = { 0x0018, 0x9310, "FD", "Table Feed" },
			  angle = { 0x7031, 0x1001, "FL", "angular position" }, count = { 0x7029, 0x1010, "US", "detector rows" },
			  shape = { 0x7029, 0x100B, "CS", "detector shape" }, water = { 0x7041, 0x1001, "DS", "water" },
			  shift = { 0x7033, 0x100C, "SS", "shift" }, feed = { 0x7033, 0x100D, "FD", "feed" };
enum { SAMPLES = 300 * 131 };

static char folder[64], path[128];
static uint16_t *sample;

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.dcm", folder);
	sample = malloc(SAMPLES * sizeof *sample);
	for (size_t i = 0; i < SAMPLES; i++)
		sample[i] = (uint16_t)(i * 7919 + i / 131);
}

static void teardown(void)
{
	unlink(path);
	free(sample);
	gt_test_folder_remove(folder);
}

static void put(gt_dicom *d, const gt_dicom_tag *tag, double value) { ck_ok(gt_dicom_put_numbers(d, tag, 1, &value)); }

static void write_file(void)
{
	static const double position[] = { -123.456789012, 1e-7 / 3, 7 };
	char uid[GT_DICOM_UID], other[GT_DICOM_UID];
	gt_dicom *d;
	ck_ok(gt_dicom_new(&d));
	ck_ok(gt_dicom_uid(uid));
	ck_ok(gt_dicom_uid(other));
	ck_assert_str_ne(uid, other);
	ck_ok(gt_dicom_put_text(d, &class, "1.2.840.10008.5.1.4.1.1.2"));
	ck_ok(gt_dicom_put_text(d, &instance, uid));
	ck_ok(gt_dicom_put_text(d, &kind, "DERIVED\\PRIMARY\\AXIAL"));
	ck_ok(gt_dicom_put_text(d, &shape, "CYLI\033DRICAL"));
	ck_ok(gt_dicom_put_numbers(d, &place, 3, position));
	put(d, &number, 48590);
	put(d, &lines, 1);
	put(d, &lines, 300);
	put(d, &min, -1024);
	put(d, &wide, 1.0 / 3);
	put(d, &angle, -4.5678);
	put(d, &water, -1.234567891234e-5);
	ck_ok(gt_dicom_put_pixels(d, SAMPLES, sample));
	ck_ok(gt_dicom_save(d, path));
	gt_dicom_close(d);
}

static double get(gt_dicom *d, const gt_dicom_tag *tag)
{
	double value = NAN;
	ck_ok(gt_dicom_numbers(d, tag, 1, &value));
	return value;
}

static void same_samples(gt_dicom *d)
{
	uint16_t *back = malloc(SAMPLES * sizeof *back);
	ck_ok(gt_dicom_pixels(d, SAMPLES, back));
	ck_assert_int_eq(memcmp(back, sample, SAMPLES * sizeof *back), 0);
	ck_refused(gt_dicom_pixels(d, SAMPLES - 1, back), GT_ERR_FORMAT, "(7FE0,0010) samples: 39300 found, expected 39299");
	free(back);
}

GT_TEST(what_is_put_comes_back)
{
	gt_dicom *d;
	char text[64];
	double x[4];
	write_file();
	ck_assert_int_eq(gt_dicom_is(path), 1);
	ck_ok(gt_dicom_open(path, &d));
	ck_ok(gt_dicom_text(d, &kind, text, sizeof text));
	ck_assert_str_eq(text, "DERIVED\\PRIMARY\\AXIAL");
	ck_assert_uint_eq(gt_dicom_count(d, &kind), 3);
	ck_ok(gt_dicom_text(d, &shape, text, 7));
	ck_assert_str_eq(text, "CYLI?D");
	ck_ok(gt_dicom_numbers(d, &place, 3, x));
	ck_assert_double_eq_tol(x[0], -123.456789012, 1e-11);
	ck_assert_double_eq_tol(x[1], 1e-7 / 3, 1e-17);
	ck_assert(x[2] == 7);
	ck_assert(get(d, &number) == 48590);
	ck_assert(get(d, &lines) == 300);
	ck_assert(get(d, &min) == -1024);
	ck_assert(get(d, &wide) == 1.0 / 3);
	ck_assert(get(d, &angle) == (double)-4.5678f);
	ck_assert_double_eq_tol(get(d, &water), -1.23456789e-5, 1e-14);
	ck_assert_uint_eq(gt_dicom_count(d, &count), 0);
	ck_refused(gt_dicom_numbers(d, &count, 1, x), GT_ERR_FORMAT, "a.dcm: (7029,1010) detector rows: missing");
	ck_refused(gt_dicom_text(d, &count, text, sizeof text), GT_ERR_FORMAT, "detector rows: missing");
	ck_refused(gt_dicom_numbers(d, &place, 4, x), GT_ERR_FORMAT, "(0020,0032) Image Position: 3 numbers, expected 4");
	ck_refused(gt_dicom_numbers(d, &shape, 1, x), GT_ERR_FORMAT, "value 1 is no finite number");
	same_samples(d);
	gt_dicom_close(d);
}

GT_TEST(what_does_not_fit_is_not_put)
{
	static const double values[] = { 70000, NAN };
	gt_dicom *d;
	ck_ok(gt_dicom_new(&d));
	ck_refused(gt_dicom_put_numbers(d, &lines, 1, values), GT_ERR_ARG, "(0028,0010) Rows: a value is outside of the range");
	ck_refused(gt_dicom_put_numbers(d, &water, 2, values), GT_ERR_ARG, "(7041,1001) water: a value is not finite");
	gt_dicom_close(d);
}

GT_TEST(damaged_files)
{
	gt_dicom *d;
	uint16_t few[4];
	write_file();
	ck_assert_int_eq(truncate(path, SAMPLES), 0);
	if (gt_dicom_open(path, &d) == GT_OK) {
		ck_refused(gt_dicom_pixels(d, SAMPLES, sample), GT_ERR_FORMAT, "a.dcm: (7FE0,0010) samples");
		gt_dicom_close(d);
	}
	ck_assert_int_eq(truncate(path, 420), 0);
	ck_refused(gt_dicom_open(path, &d), GT_ERR_FORMAT, "a.dcm: cannot be read as DICOM, damaged or truncated");
	ck_assert_ptr_null(d);
	ck_assert_int_eq(truncate(path, 100), 0);
	ck_assert_int_eq(gt_dicom_is(path), 0);
	unlink(path);
	ck_assert_int_eq(gt_dicom_is(path), 0);
	ck_refused(gt_dicom_open(path, &d), GT_ERR_IO, "a.dcm");
	ck_ok(gt_dicom_new(&d));
	ck_refused(gt_dicom_pixels(d, 4, few), GT_ERR_FORMAT, "samples: missing");
	ck_refused(gt_dicom_save(d, "/nowhere/a.dcm"), GT_ERR_IO, "a.dcm: cannot be written: No such file or directory");
	gt_dicom_close(d);
}

GT_TEST(implicit_files)
{
	static const gt_dicom_tag pixels = { 0x7FE0, 0x0010, "OW", "samples" };
	const float f = -4.5678f;
	const double g = 1.0 / 3;
	dicom_bytes *b = dicom_bytes_new(3 * SAMPLES);
	gt_dicom *d;
	char text[64];
	dicom_add_head(b, "1.2.840.10008.1.2");
	dicom_add_element(b, &lines, "\x2c\1", 2);
	dicom_add_element(b, &count, "\x83\0", 2);
	dicom_add_element(b, &shape, "FLAT \0", 6);
	dicom_add_element(b, &angle, &f, 4);
	dicom_add_element(b, &shift, "\xfe\xff", 2);
	dicom_add_element(b, &feed, &g, 8);
	dicom_add_element(b, &water, "0.0191 ", 8);
	dicom_add_element(b, &pixels, sample, SAMPLES * sizeof *sample);
	dicom_save(b, path);
	ck_ok(gt_dicom_open(path, &d));
	ck_assert(get(d, &lines) == 300);
	ck_assert(get(d, &count) == 131);
	ck_assert(get(d, &angle) == (double)f);
	ck_assert(get(d, &shift) == -2);
	ck_assert(get(d, &feed) == g);
	ck_assert(get(d, &water) == 0.0191);
	ck_ok(gt_dicom_text(d, &shape, text, sizeof text));
	ck_assert_str_eq(text, "FLAT");
	same_samples(d);
	gt_dicom_close(d);
}

GT_TEST(compressed_files)
{
	dicom_bytes *b = dicom_bytes_new(3 * SAMPLES);
	gt_dicom *d;
	dicom_add_head(b, "1.2.840.10008.1.2.4.70");
	dicom_add(b, "\x28\0\x10\0US\2\0\x2c\1", 10);
	dicom_add(b, "\xe0\x7f\x10\0OB\0\0\xff\xff\xff\xff", 12);
	dicom_add(b, "\xfe\xff\x00\xe0\0\0\0\0\xfe\xff\x00\xe0\4\0\0\0abcd\xfe\xff\xdd\xe0\0\0\0\0", 28);
	dicom_save(b, path);
	ck_ok(gt_dicom_open(path, &d));
	ck_assert(get(d, &lines) == 300);
	ck_refused(gt_dicom_pixels(d, 4, sample), GT_ERR_UNSUPPORTED,
	           "a.dcm: compressed as transfer syntax 1.2.840.10008.1.2.4.70 (JPEG Lossless");
	ck_assert_ptr_nonnull(strstr(gt_error(), "): decompress it by gdcmconv --raw"));
	gt_dicom_close(d);
}

/* A name stored in this character set (NULL: unnamed), and the expected text. */
static void name_comes_back(const char *set, const char *stored, const char *shown, size_t size)
{
	static const gt_dicom_tag character_set = { 0x0008, 0x0005, "CS", "character set" }, name = { 0x0010, 0x0010, "PN", "name" };
	char uid[GT_DICOM_UID], text[64];
	gt_dicom *d;
	ck_ok(gt_dicom_new(&d));
	ck_ok(gt_dicom_uid(uid));
	ck_ok(gt_dicom_put_text(d, &class, "1.2.840.10008.5.1.4.1.1.2"));
	ck_ok(gt_dicom_put_text(d, &instance, uid));
	if (set)
		ck_ok(gt_dicom_put_text(d, &character_set, set));
	ck_ok(gt_dicom_put_text(d, &name, stored));
	ck_ok(gt_dicom_save(d, path));
	gt_dicom_close(d);
	ck_ok(gt_dicom_open(path, &d));
	ck_ok(gt_dicom_text(d, &name, text, size));
	ck_assert_str_eq(text, shown);
	gt_dicom_close(d);
}

GT_TEST(texts_come_in_utf8)
{
	name_comes_back("ISO_IR 100", "M\xfcller^\xc5sa", "M\xc3\xbcller^\xc3\x85sa", 64);
	name_comes_back("ISO_IR 100", "M\xfcller^\xc5sa", "M\xc3\xbcller^", 10);
	name_comes_back("ISO_IR 144", "\xbb\xee\xda", "\xd0\x9b\xd1\x8e\xd0\xba", 64);
	name_comes_back("ISO_IR 192", "M\xc3\xbcller \xf0\x9f\x98\x80", "M\xc3\xbcller \xf0\x9f\x98\x80", 64);
	name_comes_back(NULL, "M\xfcller", "M?ller", 64);
	name_comes_back("ISO_IR 999", "M\xfcller", "M?ller", 64);
	name_comes_back("ISO_IR 192", "M\xfcller", "M?ller", 64);
}

int main(void) { return dicom_is_missing() ? 77 : gt_test_main_with("dicom", setup, teardown); }
