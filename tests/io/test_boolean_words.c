/* Words for true and false in the headers of MetaImage, EDF and NumPy: all spellings are read, other words refused. */
/* labels: unit, backend: none */
#include <gantry/io.h>
#include "core/text.h"
#include "geometry/volume.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

static const char *const yes[] = { "True", "true", "TRUE", "T", "t", "1", "yes", "ON" };
static const char *const no[] = { "False", "false", "FALSE", "F", "f", "0", "no", "Off" };
enum { WORDS = sizeof yes / sizeof *yes, METAIMAGE_WORDS = 6 };

GT_TEST(words_are_true_or_false_or_neither)
{
	static const char *const neither[] = { "", "banana", "2", "tru", "Truee", "true ", "-1" };
	for (int i = 0; i < WORDS; i++)
		ck_assert(gt_boolean_of(yes[i]) == 1 && gt_boolean_of(no[i]) == 0);
	for (size_t i = 0; i < sizeof neither / sizeof *neither; i++)
		ck_assert_msg(gt_boolean_of(neither[i]) == -1, "'%s'", neither[i]);
}

/* Two voxels: 513 and 256 in big endian, 258 and 1 in little endian. */
static gt_status read_metaimage(const char *key, const char *word, gt_volume **v)
{
	gt_read_options o = gt_read_defaults;
	FILE *f = fopen(tiff_path("a.mha"), "wb");
	fprintf(f, "NDims = 3\nDimSize = 2 1 1\nElementSpacing = 1 1 1\n%s = %s\nElementType = MET_USHORT\nElementDataFile = LOCAL\n", key,
	        word);
	fwrite("\2\1\1\0", 1, 4, f);
	fclose(f);
	o.unit = GT_PER_MM;
	return gt_read_volume(tiff_path("a.mha"), &o, v);
}

static void reads_as(const char *key, const char *word, float first, float second)
{
	gt_volume *v = NULL;
	ck_ok(read_metaimage(key, word, &v));
	ck_assert_msg(v->data[0] == first && v->data[1] == second, "%s = %s: %g %g", key, word, v->data[0], v->data[1]);
	gt_volume_free(v);
}

static void is_refused(const char *key, const char *word, gt_status code, const char *why)
{
	gt_volume *v = NULL;
	ck_refused(read_metaimage(key, word, &v), code, why);
	ck_assert_ptr_null(v);
}

GT_TEST(metaimage_takes_every_spelling)
{
	for (int i = 0; i < METAIMAGE_WORDS; i++) {
		reads_as("BinaryDataByteOrderMSB", yes[i], 513, 256);
		reads_as("ElementByteOrderMSB", yes[i], 513, 256);
		reads_as("BinaryDataByteOrderMSB", no[i], 258, 1);
		reads_as("CompressedData", no[i], 258, 1);
		reads_as("BinaryData", yes[i], 258, 1);
		is_refused("CompressedData", yes[i], GT_ERR_UNSUPPORTED, "expected False: write the file without compression");
		is_refused("BinaryData", no[i], GT_ERR_UNSUPPORTED, "expected True: write the file with binary data");
	}
}

GT_TEST(metaimage_refuses_other_words)
{
	static const char *const keys[] = { "BinaryDataByteOrderMSB", "ElementByteOrderMSB", "CompressedData", "BinaryData" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		is_refused(keys[i], "banana", GT_ERR_FORMAT, "is 'banana', expected True or False");
		is_refused(keys[i], "Yes", GT_ERR_FORMAT, "is 'Yes', expected True or False");
		is_refused(keys[i], "", GT_ERR_FORMAT, "is '', expected True or False");
	}
	is_refused("HeaderSize", "1.5", GT_ERR_FORMAT, "key HeaderSize: is 1.5, expected a number of bytes, or -1");
	is_refused("HeaderSize", "1e300", GT_ERR_FORMAT, "key HeaderSize: is 1e+300, expected a number of bytes, or -1");
}

static void images_are_refused(const char *name, const char *why)
{
	gt_read_options o = gt_read_defaults;
	gt_frames_options frames = gt_frames_defaults;
	gt_projections *p = NULL;
	frames.angles = "0:10";
	frames.values = GT_FRAMES_LINE_INTEGRALS;
	o.frames = &frames;
	ck_refused(gt_read_projections(tiff_path(name), &o, &p), GT_ERR_FORMAT, why);
	ck_assert_ptr_null(p);
}

GT_TEST(edf_refuses_another_byte_order)
{
	FILE *f = fopen(tiff_path("a_0.edf"), "wb");
	fprintf(f, "%-510s}\n", "{\nDim_1 = 2 ;\nDim_2 = 1 ;\nDataType = UnsignedShort ;\nByteOrder = Banana ;\n");
	fwrite("\2\1\1\0", 1, 4, f);
	fclose(f);
	images_are_refused("a_0.edf", "ByteOrder is Banana, expected LowByteFirst or HighByteFirst");
}

GT_TEST(numpy_refuses_another_order)
{
	FILE *f = fopen(tiff_path("a.npy"), "wb");
	fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
	fprintf(f, "%-117s\n", "{'descr': '|u1', 'fortran_order': Banana, 'shape': (1, 2), }");
	fwrite("\2\1", 1, 2, f);
	fclose(f);
	images_are_refused("a.npy", "fortran_order is Banana");
}

int main(void) { return gt_test_main_with("boolean_words", tiff_setup, tiff_teardown); }
