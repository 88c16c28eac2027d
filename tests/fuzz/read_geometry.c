/* Geometry from numbers: orbits, matrices, and derived scans. */
#include <math.h>
#include <stdlib.h>
#include "geometry/scan.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_VIEWS = 8, MAX_CELLS = 4096 };

/* An accepted scan has an accepted grid and accepted coarser scans. */
static void use(gt_scan *scan)
{
	gt_grid grid;
	gt_scan *coarse = NULL;
	gt_fuzz_check_scan(scan);
	gt_scan_derive_angles(scan);
	gt_fuzz_must(gt_scan_check(scan) == GT_OK, "angles that the check refuses");
	if (gt_grid_default(scan, &grid) == GT_OK)
		gt_fuzz_check_grid(&grid);
	else
		gt_fuzz_failed();
	if (gt_scan_coarsen(scan, 3, 2, 2, &coarse) == GT_OK)
		gt_fuzz_must(gt_scan_check(coarse) == GT_OK, "a coarse scan that the check refuses");
	gt_scan_free(coarse);
}

static gt_status orbit_of(gt_fuzz_input *in, gt_scan **scan)
{
	double spot[2][3];
	gt_orbit o = { .shape = (gt_shape)(gt_fuzz_byte(in) % GT_NSHAPES), .views = gt_fuzz_byte(in) % MAX_VIEWS };
	o.rows = gt_fuzz_byte(in) % 9;
	o.columns = gt_fuzz_byte(in) % 17;
	double *const number[] = { &o.source_to_axis, &o.source_to_detector, &o.column_pitch, &o.row_pitch,      &o.column_offset,
		                   &o.row_offset,     &o.start_angle,        &o.turn,         &o.pitch_per_turn, &o.z_center };
	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		*number[i] = gt_fuzz_number(in);
	o.end_view = gt_fuzz_byte(in) & 1;
	o.spots = gt_fuzz_byte(in) % 3;
	for (int i = 0; i < 6; i++)
		spot[i / 3][i % 3] = gt_fuzz_number(in);
	o.spot = o.spots ? (const double(*)[3])spot : NULL;
	return gt_scan_orbit(&o, scan);
}

static gt_status matrices_of(gt_fuzz_input *in, gt_scan **scan)
{
	static gt_scan *c_arm;
	double matrix[MAX_VIEWS][12];
	const gt_orbit o = { .shape = GT_FLAT,
		             .views = MAX_VIEWS,
		             .rows = 4,
		             .columns = 6,
		             .source_to_axis = 785,
		             .source_to_detector = 1200,
		             .column_pitch = 10,
		             .row_pitch = 12,
		             .turn = 4 };
	if (!c_arm)
		gt_fuzz_must(gt_scan_orbit(&o, &c_arm) == GT_OK, "no scan");
	for (size_t v = 0; v < MAX_VIEWS; v++)
		gt_fuzz_must(gt_matrix_from_view(c_arm, v, matrix[v]) == GT_OK, "no matrix");
	for (unsigned changes = gt_fuzz_byte(in) % 16; changes; changes--) {
		double *at = &matrix[gt_fuzz_byte(in) % MAX_VIEWS][gt_fuzz_byte(in) % 12];
		*at = gt_fuzz_byte(in) & 1 ? *at * gt_fuzz_number(in) : gt_fuzz_number(in);
	}
	return gt_scan_from_matrices((const double(*)[12])matrix, MAX_VIEWS, 4, 6, gt_fuzz_byte(in) & 1 ? gt_fuzz_number(in) : 1200, scan);
}

/* Views as stored in files. */
static gt_status table_of(gt_fuzz_input *in, gt_scan **scan)
{
	gt_status st = orbit_of(in, scan);
	for (unsigned changes = gt_fuzz_byte(in) % 16; st == GT_OK && changes; changes--) {
		gt_view *v = &(*scan)->view[gt_fuzz_byte(in) % (*scan)->views];
		double *const vector[] = { v->source, v->detector, v->column_axis, v->row_axis, v->arc_center };
		const unsigned which = gt_fuzz_byte(in) % 16;
		if (which < 15)
			vector[which / 3][which % 3] = gt_fuzz_number(in);
		else
			v->angle = gt_fuzz_number(in);
	}
	if (st == GT_OK && (st = gt_scan_check(*scan)) != GT_OK) {
		gt_scan_free(*scan);
		*scan = NULL;
	}
	return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_scan *scan = NULL;
	const unsigned way = gt_fuzz_byte(&in) % 3;
	const gt_status st = way == 0 ? orbit_of(&in, &scan) : way == 1 ? matrices_of(&in, &scan) : table_of(&in, &scan);
	if (st == GT_OK)
		use(scan);
	else
		gt_fuzz_failed();
	gt_scan_free(scan);
	return 0;
}
