/* Sequences in sequences, too deep for the stack of who calls himself for each, are refused with a sentence.
 * labels: unit  backend: none */
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

/* So many sequences, each the only item of the one before, all of undefined length; `pad` bytes before them. */
static void write_nested(size_t levels, size_t pad, const char *syntax)
{
	dicom_bytes *b = dicom_bytes_new(32 * levels + pad + 65536);
	char *zeros = calloc(pad + 1, 1);
	dicom_add_head(b, syntax);
	dicom_add_tag(b, 0x0009, 0x1001, pad);
	dicom_add(b, zeros, pad);
	for (size_t i = 0; i < levels; i++) {
		dicom_add_tag(b, 0x0040, 0xa730, 0xffffffff);
		dicom_add_tag(b, 0xfffe, 0xe000, 0xffffffff);
	}
	for (size_t i = 0; i < levels; i++) {
		dicom_add_tag(b, 0xfffe, 0xe00d, 0);
		dicom_add_tag(b, 0xfffe, 0xe0dd, 0);
	}
	free(zeros);
	dicom_save(b, path);
}

static int deep(void)
{
	int is;
	ck_ok(gt_dicom_nesting(path, &is));
	return is;
}

START_TEST(depth_is_seen)
{
	static const char implicit[] = "1.2.840.10008.1.2";
	write_nested(256, 0, implicit);
	ck_assert(!deep());
	write_nested(257, 0, implicit);
	ck_assert(deep());
	/* Also where tags lie across the blocks that are read. */
	for (size_t pad = 524288 - 400; pad < 524288; pad += 2) {
		write_nested(257, pad, implicit);
		ck_assert(deep());
	}
	write_nested(1, 0, "1.2.840.10008.1.2.1.99");
	ck_assert(deep());
	write_nested(1, 0, "1.2.840.10008.1.2.1");
	ck_assert(!deep());
}
END_TEST

START_TEST(the_stack_does_not_end_here)
{
	gt_dicom *d = NULL;
	if (dicom_is_missing())
		return;
	write_nested(300, 0, "1.2.840.10008.1.2");
	ck_ok(gt_dicom_open(path, &d));
	gt_dicom_close(d);
	write_nested(100000, 0, "1.2.840.10008.1.2");
	ck_refused(gt_dicom_open(path, &d), GT_ERR_FORMAT, ": damaged: DCMTK crashes on it");
	ck_assert_ptr_null(d);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, depth_is_seen);
	tcase_add_test(tc, the_stack_does_not_end_here);
}

int main(void) { return gt_test_main("dicom_nesting", fill); }
