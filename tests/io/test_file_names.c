/* Views are found by the number that differs in their names. Files named like fields are views if fields are given. */
/* labels: unit, backend: none */
#include <gantry/io.h>
#include "geometry/projections.h"
#include "io/frames/file_names.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { VIEWS = 12, ROWS = 2, COLUMNS = 5, CELLS = ROWS * COLUMNS };
static gt_frames_options frames;
static gt_read_options options;

static void setup(void)
{
	tiff_setup();
	frames = gt_frames_defaults;
	frames.angles = "0:10";
	frames.values = GT_FRAMES_LINE_INTEGRALS;
	options = gt_read_defaults;
	options.frames = &frames;
	options.axis = 2;
}

static void write_image(const char *name, double value)
{
	double image[CELLS];
	for (int i = 0; i < CELLS; i++)
		image[i] = value;
	tiff_write(name, &tiff_u16, ROWS, COLUMNS, image);
}

/* All values of view v are v + 1. */
static void check_views(size_t views)
{
	gt_projections *p = NULL;
	ck_ok(gt_read_projections(tiff_folder, &options, &p));
	ck_assert_uint_eq(p->scan->views, views);
	for (size_t v = 0; v < views; v++)
		ck_assert_msg(p->data[v * CELLS] == (float)(v + 1), "view %zu is %g", v, (double)p->data[v * CELLS]);
	gt_projections_free(p);
}

static void refuse(const char *why)
{
	gt_projections *p = NULL;
	ck_refused(gt_read_projections(tiff_folder, &options, &p), GT_ERR_FORMAT, why);
	ck_assert_ptr_null(p);
}

static const char *name_of(int kind, int v)
{
	static char name[64];
	switch (kind) {
	case 0:
		snprintf(name, sizeof name, "%04d_120kV.tif", v);
		break;
	case 1: /* the angle differs too, but by more than 1 */
		snprintf(name, sizeof name, "proj_%d_%.2fdeg.tif", v, 4.5 * v);
		break;
	case 2:
		snprintf(name, sizeof name, "%d_scan_7_80kV_3.TIF", v + 8);
		break;
	case 3:
		snprintf(name, sizeof name, "im_%d.%s", v, v % 2 ? "tif" : "tiff");
		break;
	case 4:
		snprintf(name, sizeof name, "im_%d.%s", v, v % 3 ? "TIF" : "tif");
		break;
	default:
		snprintf(name, sizeof name, "scan_2_%d.tif", v);
	}
	return name;
}

GT_TESTS(the_number_that_differs_orders_views, 6)
{
	for (int v = 0; v < VIEWS; v++)
		write_image(name_of(_i, v), v + 1);
	check_views(VIEWS);
	write_image("preview.tif", 7);
	check_views(VIEWS);
	unlink(tiff_path(name_of(_i, 4)));
	refuse(_i == 2 ? "number 12 is missing" : "number 4 is missing");
}

/* Two scans in a folder, with different numbers, are not joined. */
GT_TEST(two_scans_are_refused)
{
	char name[32];
	for (int v = 0; v < VIEWS; v++) {
		snprintf(name, sizeof name, "s%d_%d.tif", v / 6, v % 6);
		write_image(name, v + 1);
	}
	refuse("belong to groups of 6 files each: expected one scan in a folder");
}

GT_TESTS(views_with_names_of_fields, 6)
{
	static const char *const names[] = { "open_foam_%d.tif", "flat_sample_%d.tif", "bright_star_%d.tif",
		                             "ref_%d.tif",       "offset_%d.tif",      "dark_%d.tif" };
	const int dark = _i > 3;
	char name[32];
	for (int v = 0; v < VIEWS; v++) {
		snprintf(name, sizeof name, names[_i], v);
		write_image(name, v + 1);
	}
	refuse("if they are views, set --flat and --dark");
	*(dark ? &frames.flat : &frames.dark) = "none";
	refuse("if they are views, set --flat and --dark");
	*(dark ? &frames.dark : &frames.flat) = "none";
	check_views(VIEWS);
	/* a single other image is no scan; several are */
	write_image("preview_1.tif", 1);
	check_views(VIEWS);
	write_image("preview_2.tif", 2);
	check_views(2);
}

int main(void) { return gt_test_main_with("file_names", setup, tiff_teardown); }
