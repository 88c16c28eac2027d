/* A folder with one file of several views. */
/* labels: unit, backend: none */
#include <math.h>
#include <sys/stat.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

/* The number in the file name is not the number of each view. */
GT_TEST(views_of_one_file_in_a_folder_have_angles_by_the_rule)
{
	enum { N = 5, SIZE = 6 };
	const float value[N * SIZE] = { 0.5F, 0.25F, 1, 2, 0.125F, 3, 1.5F };
	gt_frames_options frames = gt_frames_defaults;
	gt_read_options options = gt_read_defaults;
	char folder[512], file[540];
	gt_projections *p = NULL;
	snprintf(folder, sizeof folder, "%s", tiff_path("stack"));
	snprintf(file, sizeof file, "%s/all_7.raw", folder);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	FILE *f = fopen(file, "wb");
	ck_assert(f && fwrite(value, sizeof value, 1, f) == 1 && fclose(f) == 0);
	frames.raw = "f32le:3x2x5";
	frames.angles = "-20:30";
	frames.values = GT_FRAMES_LINE_INTEGRALS;
	options.frames = &frames;
	options.axis = 1.25;
	const gt_status st = gt_read_projections(folder, &options, &p);
	unlink(file);
	rmdir(folder);
	ck_ok(st);
	ck_assert_uint_eq(p->scan->views, N);
	for (size_t v = 0; v < N; v++)
		ck_assert_double_eq_tol(p->scan->view[v].angle, (-20.0 + 30.0 * (double)v) * GT_PI / 180, 1e-12);
	ck_assert_float_eq(p->data[0], 0.5F);
	ck_assert_float_eq(p->data[6], 1.5F);
	gt_projections_free(p);
}

int main(void) { return gt_test_main_with("frames of one file", tiff_setup, tiff_teardown); }
