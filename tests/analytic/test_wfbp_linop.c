/* wfbp as an operator: every entry of its transpose; forward is bit-identical to a run. */
/* labels: unit property */
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "tests/analytic/direct_operators.h"

typedef struct {
	const char *name, *options;
	gt_shape shape;
	double pitch, turn, start; /* pitch: table feed per rotation, mm */
	size_t spots;
	int reverse_rows, reverse_columns;
	double column_offset, row_offset; /* pixels */
} example;

static const double spots[2][3] = { { -1.3, 0.4, 0 }, { 0.9, -0.5, 0.3 } };
static const example examples[] = {
	{ "arc", NULL, GT_ARC, 14, 4.2 * GT_PI, 0.4, 0, 0, 0, 0, 0 },
	{ "flat, clockwise, upside down", "mask=none", GT_FLAT, 12, -4.2 * GT_PI, 1.1, 0, 1, 0, 0, 0 },
	{ "arc, small pitch, zero at the ends", "ends=zero,mask=none,q=0.3", GT_ARC, 5, 6 * GT_PI, 0, 0, 0, 0, 0, 0 },
	{ "arc, down, smooth", "filter=hann,cutoff=0.7,extend=none", GT_ARC, -13, 4 * GT_PI, 2, 0, 0, 0, 0, 0 },
	{ "arc, flying focal spot", "mask=none", GT_ARC, 11, 4.4 * GT_PI, 0.4, 2, 0, 0, 0, 0 },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };
enum { RANDOM = 8 };
/* Taller than the scan covers, so that slices at its ends are extended or 0. */
static const gt_grid grid = { { 5, 4, 9 }, { 3.2, 3.7, 4.9 }, { 0.4, -0.7, 0.3 } };

static double between(int i, int value, double low, double high)
{
	float x[5];
	gt_test_random(100 + (unsigned)i, 5, x);
	return low + (high - low) * ((double)x[value] + 1) / 2;
}

/* Random angles, pitches and offsets; all combinations of shape, sign of the pitch and rotation. */
static example random_example(int i)
{
	static const char *const options[] = { "mask=none", "ends=zero,mask=none", "q=0.9,filter=hann" };
	const double turn = 2 * GT_PI * between(i, 0, 1.8, 2.7), pitch = between(i, 1, 4, 13);
	return (example){ .name = "random",
		          .options = options[i % 3],
		          .shape = i & 1 ? GT_ARC : GT_FLAT,
		          .pitch = i & 2 ? -pitch : pitch,
		          .turn = i & 4 ? -turn : turn,
		          .reverse_rows = (i >> 1 ^ i >> 2) & 1,
		          .reverse_columns = (i ^ i >> 1) & 1,
		          .start = between(i, 2, 0, 6),
		          .column_offset = between(i, 3, -1.5, 1.5),
		          .row_offset = between(i, 4, -1, 1) };
}

static gt_scan *scan_of(const example *e)
{
	const gt_orbit o = { .shape = e->shape,
		             .views = (size_t)(fabs(e->turn) / (2 * GT_PI) * 16),
		             .rows = 5,
		             .columns = 9,
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
	c.reverse_rows = e->reverse_rows;
	c.reverse_columns = e->reverse_columns;
	c.column_offset = e->column_offset;
	c.row_offset = e->row_offset;
	ck_ok(gt_scan_correct(scan, &c));
	return scan;
}

START_TEST(every_entry_of_the_transpose)
{
	const example e = _i < EXAMPLES ? examples[_i] : random_example(_i - EXAMPLES);
	gt_scan *scan = scan_of(&e);
	const direct_operator d = { e.name, "wfbp", e.options, &grid, scan };
	check_direct_operator(&d, GT_F64, 1e-12);
	if (_i < EXAMPLES)
		check_direct_operator(&d, GT_F32, gt_test_is_gpu() ? 1e-5 : 3e-6);
	gt_scan_free(scan);
}
END_TEST

START_TEST(refusals)
{
	const gt_analytic *m = gt_analytic_find("wfbp");
	gt_backend *be = gt_test_backend();
	gt_scan *scan = scan_of(&examples[0]);
	gt_grid far = grid;
	gt_linop *A = NULL;
	far.center[2] = 41;
	ck_refused(gt_analytic_linop(m, be, GT_F64, &far, scan, NULL, &A), GT_ERR_UNSUPPORTED, "none of the 9 slices");
	for (size_t v = 0; v < scan->views; v++) {
		scan->view[v].detector[2] -= scan->view[v].source[2];
		scan->view[v].source[2] = 0;
	}
	ck_refused(gt_analytic_linop(m, be, GT_F64, &grid, scan, NULL, &A), GT_ERR_UNSUPPORTED, "the table does not move");
	ck_assert_ptr_null(A);
	gt_scan_free(scan);
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, every_entry_of_the_transpose, 0, EXAMPLES + RANDOM);
	tcase_add_test(tc, refusals);
}

int main(void) { return gt_test_main("wfbp_linop", fill); }
