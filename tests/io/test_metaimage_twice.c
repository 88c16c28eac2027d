/* MetaImage headers that state one thing twice, or a scale of the values: those without effect are read.
 * labels: unit, backend: none */
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/volume.h"
#include "tests/support/support.h"

static char folder[64], path[128];

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.mha", folder);
}

static void teardown(void)
{
	unlink(path);
	gt_test_folder_remove(folder);
}

START_TEST(stated_twice)
{
	static const struct {
		const char *lines, *why;
	} cases[] = {
		{ "ElementSpacing = 1 2 3\n", NULL },
		{ "ElementSize = 9 9 9\n", NULL },
		{ "DimSize = 1 2 2\nOffset = 4 5 6\nPosition = 4 5 6\n", NULL },
		{ "ElementSpacing = 1 2 4\n", "key ElementSpacing: is '1 2 4', which contradicts an earlier line" },
		{ "DimSize = 2 2 1\n", "key DimSize: is '2 2 1', which contradicts" },
		{ "Offset = 4 5 6\nOrigin = 4 5 7\n", "key Origin: is '4 5 7', which contradicts" },
		{ "TransformMatrix = 1 0 0 0 1 0 0 0 1\nRotation = -1 0 0 0 1 0 0 0 1\n", "key Rotation: is '-1 0 0 0 1 0 0 0 1', which" },
		{ "ElementToIntensityFunctionSlope = 1\nElementToIntensityFunctionOffset = 0\n", NULL },
		{ "ElementToIntensityFunctionSlope = 2\n", "key ElementToIntensityFunctionSlope: is 2, expected 1: write the file" },
		{ "ElementToIntensityFunctionOffset = -1024\n", "key ElementToIntensityFunctionOffset: is -1024, expected 0" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gt_volume *v = NULL;
		char text[512];
		snprintf(text, sizeof text,
		         "ObjectType = Image\nNDims = 3\nElementSpacing = 1 2 3\nDimSize = 1 2 2\n%sElementType = MET_UCHAR\n"
		         "ElementDataFile = LOCAL\nabcd",
		         cases[i].lines);
		gt_test_write(path, text);
		gt_read_options o = gt_read_defaults;
		o.unit = GT_PER_MM;
		o.slope = 1;
		if (cases[i].why) {
			ck_refused(gt_read_volume(path, &o, &v), GT_ERR_FORMAT, cases[i].why);
			continue;
		}
		ck_ok(gt_read_volume(path, &o, &v));
		ck_assert_double_eq(v->grid.pitch[1], 2);
		ck_assert_double_eq(v->data[3], 'd');
		gt_volume_free(v);
	}
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, stated_twice);
}

int main(void) { return gt_test_main("metaimage_twice", fill); }
