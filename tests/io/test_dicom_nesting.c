/* DICOM files that would overflow the stack of a recursive parser are refused, for any position of their items.
 * labels: unit backend: none */
#include <unistd.h>
#include "tests/io/dicom_bytes.h"

static char path[64];

static void setup(void)
{
	strcpy(path, "/tmp/gantry-nesting-XXXXXX");
	const int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
}

static void teardown(void) { unlink(path); }

/* Nested sequences of one item each, all of undefined length; explicit representation. */
static void add_nested(dicom_bytes *b, size_t levels)
{
	for (size_t i = 0; i < levels; i++) {
		dicom_add_little(b, 0x02750040, 4);
		dicom_add(b, "SQ\0\0", 4);
		dicom_add_little(b, 0xffffffff, 4);
		dicom_add_tag(b, 0xfffe, 0xe000, 0xffffffff);
	}
	for (size_t i = 0; i < levels; i++) {
		dicom_add_tag(b, 0xfffe, 0xe00d, 0);
		dicom_add_tag(b, 0xfffe, 0xe0dd, 0);
	}
}

/* odd: an element of three bytes precedes them, as some programs write. */
static void write_nested(size_t levels, int odd)
{
	dicom_bytes *b = dicom_bytes_new(40 * levels);
	dicom_add_head(b, "1.2.840.10008.1.2.1");
	dicom_add_little(b, 0x00700008, 4);
	dicom_add(b, "LO", 2);
	dicom_add_little(b, odd ? 3 : 4, 2);
	dicom_add(b, "abcd", odd ? 3 : 4);
	add_nested(b, levels);
	dicom_save(b, path);
}

/* Deflated without compression, RFC 1951, section 3.2.4; padding of an identifier shifts the transfer syntax. */
static void write_deflated(size_t levels, size_t pad)
{
	dicom_bytes *b = dicom_bytes_new(40 * levels + pad), *data = dicom_bytes_new(40 * levels);
	static const char syntax[] = "1.2.840.10008.1.2.1.99";
	b->size = 128;
	dicom_add(b, "DICM", 4);
	dicom_add_little(b, 0x00000002, 4);
	dicom_add(b, "UL\4\0", 4);
	dicom_add_little(b, 16 + pad + sizeof syntax - 1, 4);
	dicom_add_little(b, 0x00030002, 4);
	dicom_add(b, "UI", 2);
	dicom_add_little(b, pad, 2);
	for (size_t i = 0; i < pad; i++)
		dicom_add(b, "1", 1);
	dicom_add_little(b, 0x00100002, 4);
	dicom_add(b, "UI", 2);
	dicom_add_little(b, sizeof syntax - 1, 2);
	dicom_add(b, syntax, sizeof syntax - 1);
	add_nested(data, levels);
	for (size_t at = 0; at < data->size;) {
		const size_t n = data->size - at < 65535 ? data->size - at : 65535;
		dicom_add_little(b, at + n == data->size, 1);
		dicom_add_little(b, n, 2);
		dicom_add_little(b, ~n & 0xffff, 2);
		dicom_add(b, data->byte + at, n);
		at += n;
	}
	free(data->byte);
	free(data);
	dicom_save(b, path);
}

static void is_read(void)
{
	gt_dicom *d = NULL;
	ck_ok(gt_dicom_open(path, &d));
	gt_dicom_close(d);
}

static void is_refused(const char *why)
{
	gt_dicom *d = NULL;
	ck_refused(gt_dicom_open(path, &d), GT_ERR_FORMAT, why);
	ck_assert_ptr_nonnull(strstr(gt_error(), path));
	ck_assert_ptr_null(d);
}

GT_TEST(depth_is_limited)
{
	if (dicom_is_missing())
		return;
	for (int odd = 0; odd < 2; odd++) {
		write_nested(64, odd);
		is_read();
		write_nested(65, odd);
		is_refused("nested deeper than 64");
	}
	write_deflated(64, 2000);
	is_read();
	write_deflated(65, 2000);
	is_refused("nested deeper than 64");
}

GT_TEST(the_stack_does_not_end_here)
{
	if (dicom_is_missing())
		return;
	for (int odd = 0; odd < 2; odd++) {
		write_nested(20000, odd);
		is_refused("");
	}
	write_deflated(20000, 0);
	is_refused("");
	write_deflated(20000, 2000);
	is_refused("");
}

int main(void) { return gt_test_main_with("dicom_nesting", setup, teardown); }
