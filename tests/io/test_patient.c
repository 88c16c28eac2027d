/* Patient directions: letters, signs, and positions stored in files.
 * labels: unit, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/patient_position.h"
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "tests/support/support.h"

static char folder[64], path[128];

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.nc", folder);
}

static void teardown(void)
{
	unlink(path);
	gt_test_folder_remove(folder);
}

/* The table of docs/geometry.md: directions of x, y and z. */
GT_TEST(directions)
{
	static const char *const points[4] = { "RAH", "LPH", "LAF", "RPF" };
	for (int p = 0; p < 4; p++) {
		int turns = 1;
		for (int a = 0; a < 3; a++) {
			const int sign = gt_position_sign((gt_position)p, a);
			ck_assert_int_eq(gt_position_letter((gt_position)p, a, 1), points[p][a]);
			ck_assert_int_ne(gt_position_letter((gt_position)p, a, -1), points[p][a]);
			ck_assert_int_eq(gt_position_letter((gt_position)p, a, sign), "RAH"[a]);
			turns *= sign;
		}
		/* a patient is never mirrored */
		ck_assert_int_eq(turns, 1);
		ck_assert_int_eq(gt_position_find(gt_position_names[p]), p);
	}
	ck_assert_int_eq(gt_position_find("HF"), GT_POSITION_AUTO);
	ck_assert_int_eq(gt_position_letter(GT_HFS, 0, -1), 'L');
	ck_assert_int_eq(gt_position_letter(GT_HFS, 1, -1), 'P');
	ck_assert_int_eq(gt_position_letter(GT_HFS, 2, -1), 'F');
}

static gt_volume *volume(void)
{
	gt_volume *v = gt_volume_blank();
	v->grid = (gt_grid){ { 5, 4, 3 }, { 0.7, 0.9, 1.1 }, { 3.1, -2.2, 7.7 } };
	v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float));
	gt_test_random(4, gt_grid_voxels(&v->grid), v->data);
	return v;
}

/* Volumes in NetCDF keep the scanner's axes for every position; the option overrides the file. */
GT_TEST(positions_of_volumes)
{
	for (int p = 0; p < 4; p++) {
		gt_volume *v = volume(), *w;
		gt_read_options o = gt_read_defaults;
		v->position = (gt_position)p;
		ck_ok(gt_write_volume(path, NULL, v));
		ck_ok(gt_read_volume(path, NULL, &w));
		ck_assert_int_eq((int)w->position, p);
		ck_assert(!memcmp(v->data, w->data, gt_grid_voxels(&v->grid) * sizeof(float)) && gt_grid_same(&v->grid, &w->grid));
		gt_volume_free(w);
		o.position = GT_FFP;
		ck_ok(gt_read_volume(path, &o, &w));
		ck_assert_int_eq(w->position, GT_FFP);
		gt_volume_free(w);
		gt_volume_free(v);
	}
}

GT_TEST(positions_of_projections)
{
	gt_projections p = { .tag = GT_IS_PROJECTIONS, .position = GT_FFS }, *q;
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = 3,
		                 .rows = 2,
		                 .columns = 5,
		                 .source_to_axis = 500,
		                 .source_to_detector = 900,
		                 .column_pitch = 1,
		                 .row_pitch = 1,
		                 .turn = 6 };
	float data[30];
	gt_test_random(1, 30, data);
	p.data = data;
	ck_ok(gt_scan_orbit(&orbit, &p.scan));
	ck_ok(gt_write_projections(path, NULL, &p));
	ck_ok(gt_read_projections(path, NULL, &q));
	ck_assert_int_eq(q->position, GT_FFS);
	gt_projections_free(q);
	gt_scan_free(p.scan);
}

int main(void) { return gt_test_main_with("patient", setup, teardown); }
