/* wfbp as an operator: every entry of its transpose; forward is bit-identical to a run. */
/* labels: unit property */
#include <gantry/constants.h>
#include <gantry/geometry_files.h>
#include "tests/analytic/direct_operators.h"

typedef struct {
	const char *name, *options;
	gt_shape shape;
	double pitch, turn, start; /* pitch: table feed per rotation, mm */
	size_t spots;
	int reversed; /* rows reversed */
} example;

static const double spots[2][3] = { { -1.3, 0.4, 0 }, { 0.9, -0.5, 0.3 } };
static const example examples[] = {
	{ "arc", NULL, GT_ARC, 14, 4.2 * GT_PI, 0.4, 0, 0 },
	{ "flat, clockwise, upside down", "mask=none", GT_FLAT, 12, -4.2 * GT_PI, 1.1, 0, 1 },
	{ "arc, small pitch, zero at the ends", "ends=zero,mask=none,q=0.3", GT_ARC, 5, 6 * GT_PI, 0, 0, 0 },
	{ "arc, down, smooth", "filter=hann,cutoff=0.7,extend=none", GT_ARC, -13, 4 * GT_PI, 2, 0, 0 },
	{ "arc, flying focal spot", "mask=none", GT_ARC, 11, 4.4 * GT_PI, 0.4, 2, 0 },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };
/* Taller than the scan covers, so that slices at its ends are extended or 0. */
static const gt_grid grid = { { 5, 4, 9 }, { 3.2, 3.7, 4.9 }, { 0.4, -0.7, 0.3 } };

static gt_scan *scan_of(const example *e)
{
	const gt_orbit o = { .shape = e->shape,
		             .views = (size_t)(fabs(e->turn) / (2 * GT_PI) * 24),
		             .rows = 5,
		             .columns = 11,
		             .source_to_axis = 200,
		             .source_to_detector = 320,
		             .column_pitch = 4.1,
		             .row_pitch = 4.7,
		             .start_angle = e->start,
		             .turn = e->turn,
		             .pitch_per_turn = e->pitch,
		             .spot = e->spots ? spots : NULL,
		             .spots = e->spots };
	gt_scan_correction c = gt_scan_correction_none;
	gt_scan *scan;
	ck_ok(gt_scan_orbit(&o, &scan));
	c.reverse_rows = e->reversed;
	ck_ok(gt_scan_correct(scan, &c));
	return scan;
}

START_TEST(every_entry_of_the_transpose)
{
	const example *e = &examples[_i];
	gt_scan *scan = scan_of(e);
	const direct_operator d = { e->name, "wfbp", e->options, &grid, scan };
	check_direct_operator(&d, GT_F64, 1e-12);
	check_direct_operator(&d, GT_F32, 3e-6);
	gt_scan_free(scan);
}
END_TEST

START_TEST(refuses_a_gpu)
{
	gt_backend *be = gt_test_backend();
	gt_scan *scan = scan_of(&examples[0]);
	gt_linop *A = NULL;
	ck_refused(gt_analytic_linop(gt_analytic_find("wfbp"), be, GT_F32, &grid, scan, NULL, &A), GT_ERR_UNSUPPORTED,
	           "wfbp has no transpose on cuda");
	ck_assert_ptr_null(A);
	gt_backend_close(be);
	gt_scan_free(scan);
}
END_TEST

static void fill(TCase *tc)
{
	if (gt_test_is_gpu())
		tcase_add_test(tc, refuses_a_gpu);
	else
		tcase_add_loop_test(tc, every_entry_of_the_transpose, 0, EXAMPLES);
}

int main(void) { return gt_test_main("wfbp_linop", fill); }
