/* Filtered backprojection as an operator: every entry of its transpose; forward is bit-identical to a run. */
/* labels: unit property */
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "analytic/fbp/fbp.h"
#include "tests/analytic/direct_operators.h"

typedef struct {
	const char *name, *method, *options;
	gt_orbit orbit;
	int reversed; /* rows reversed */
	double roll;
} example;

#define CONE                                                                                                                           \
	.views = 11, .rows = 5, .columns = 9, .source_to_axis = 200, .source_to_detector = 320, .column_pitch = 3.1, .row_pitch = 2.7, \
	.start_angle = 0.4
static const double spots[2][3] = { { -1.3, 0.4, 0 }, { 0.9, -0.5, 0.3 } };
static const example examples[] = {
	{ "flat", "fdk", NULL, { GT_FLAT, CONE, .turn = 2 * GT_PI, .row_offset = 0.3 }, 0, 0 },
	{ "flat, nothing beyond the rows, upside down",
	  "fdk",
	  "rows=zero,mask=none",
	  { GT_FLAT, CONE, .turn = 2 * GT_PI, .row_offset = -1.2 },
	  1,
	  0 },
	{ "flat, short scan", "fdk", "filter=hann,cutoff=0.7", { GT_FLAT, CONE, .turn = 3.9 }, 0, 0 },
	{ "flat, offset detector", "fdk", "extend=none,mask=none", { GT_FLAT, CONE, .turn = 2 * GT_PI, .column_offset = 2.3 }, 0, 0 },
	{ "flat, rolled", "fdk", "mask=none", { GT_FLAT, CONE, .turn = 2 * GT_PI, .column_offset = 0.3 }, 0, 0.1 },
	{ "flat, rolled, nothing beyond", "fdk", "rows=zero,mask=none", { GT_FLAT, CONE, .turn = 3.9 }, 1, 0.07 },
	{ "arc, flying focal spot", "fdk", "mask=none", { GT_ARC, CONE, .turn = 2 * GT_PI, .spot = spots, .spots = 2 }, 0, 0 },
	{ "tilted axis", "fdk", NULL, { GT_FLAT, CONE, .turn = 2 * GT_PI, .tilt = 0.6, .row_offset = 0.3 }, 1, 0 },
	{ "tilted axis, stage panel",
	  "fdk",
	  "mask=none",
	  { GT_FLAT, CONE, .turn = 2 * GT_PI, .tilt = 0.9, .panel = GT_PANEL_STAGE },
	  0,
	  0 },
	{ "tilted axis, parallel",
	  "fbp",
	  "mask=none,rows=zero",
	  { GT_PARALLEL, .views = 8, .rows = 4, .columns = 9, .column_pitch = 2.3, .row_pitch = 1.7, .turn = 2 * GT_PI, .tilt = 0.6 },
	  0,
	  0 },
	{ "parallel",
	  "fbp",
	  "filter=shepp-logan,mask=none",
	  { GT_PARALLEL, .views = 8, .rows = 4, .columns = 9, .column_pitch = 2.3, .row_pitch = 1.7, .turn = GT_PI, .column_offset = 0.7 },
	  0,
	  0 },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };
/* Extends beyond the rows and the columns. */
static const gt_grid grid = { { 5, 4, 6 }, { 4.2, 3.7, 1.9 }, { 0.4, -0.7, 0.3 } };

static gt_scan *scan_of(const example *e)
{
	gt_scan_correction c = gt_scan_correction_none;
	gt_scan *scan;
	ck_ok(gt_scan_orbit(&e->orbit, &scan));
	c.reverse_rows = e->reversed;
	c.roll = e->roll;
	ck_ok(gt_scan_correct(scan, &c));
	return scan;
}

GT_TESTS(every_entry_of_the_transpose, EXAMPLES)
{
	const example *e = &examples[_i];
	gt_scan *scan = scan_of(e);
	const direct_operator d = { e->name, e->method, e->options, &grid, scan };
	check_direct_operator(&d, GT_F64, 1e-12);
	check_direct_operator(&d, GT_F32, gt_test_is_gpu() ? 1e-5 : 3e-6);
	gt_scan_free(scan);
}

GT_TEST(refusals)
{
	gt_backend *be;
	gt_scan *scan = scan_of(&examples[0]);
	gt_linop *A = NULL;
	ck_ok(gt_backend_open("cpu:1", &be));
	ck_refused(gt_analytic_linop(gt_analytic_find("wfbp"), be, GT_F64, &grid, scan, NULL, &A), GT_ERR_UNSUPPORTED, "use fdk");
	ck_refused(gt_analytic_linop(gt_analytic_find("fbp"), be, GT_F64, &grid, scan, NULL, &A), GT_ERR_UNSUPPORTED, "use fdk");
	ck_refused(gt_analytic_linop(gt_analytic_find("fdk"), be, GT_F64, &grid, NULL, NULL, &A), GT_ERR_ARG, "scan is NULL");
	ck_assert_ptr_null(A);
	gt_fbp_options textures = *(const gt_fbp_options *)gt_analytic_find("fdk")->defaults;
	textures.kernel = GT_KERNEL_STRIDED;
	ck_refused(gt_analytic_linop(gt_analytic_find("fdk"), be, GT_F32, &grid, scan, &textures, &A), GT_ERR_UNSUPPORTED,
	           "kernel=strided has no transpose");
	gt_backend_close(be);
	gt_scan_free(scan);
}

int main(void) { return gt_test_main("fbp_linop", NULL); }
