#ifndef GT_TESTS_HALF_TURN_H
#define GT_TESTS_HALF_TURN_H
/* Projections of a 180-degree parallel-beam scan, for the tests of preparation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/data.h>
#include <gantry/phantom.h>
#include <gantry/recon.h>
#include <gantry/scan.h>
#include "tests/support/support.h"

/* Pitches of columns and rows in mm, offsets in pixels. */
static inline gt_projections *half_turn(const size_t n[3], const double pitch[2], const double offset[2])
{
	const gt_orbit orbit = { .shape = GT_PARALLEL, .views = n[0], .rows = n[1], .columns = n[2],
		                 .column_pitch = pitch[0], .row_pitch = pitch[1], .turn = GT_PI,
		                 .column_offset = offset[0], .row_offset = offset[1] };
	gt_scan *scan = NULL;
	gt_projections *p = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	ck_ok(gt_projections_new(scan, &p));
	gt_scan_free(scan);
	return p;
}
/* Reconstructs one detector row about the axis, in voxels of one pixel. */
static inline void slice_of(const gt_projections *p, size_t side, float *out)
{
	const gt_scan *s = gt_projections_scan(p);
	const double voxel = s->column_pitch;
	const gt_grid grid = { { side, side, 1 }, { voxel, voxel, voxel }, { 0, 0, s->view[0].detector[2] } };
	gt_recon *r = NULL;
	gt_volume *v = NULL;
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_new((gt_projections *)(uintptr_t)p, &r));
	ck_ok(gt_recon_set(r, "solver", "fbp"));
	ck_ok(gt_recon_set(r, "backend", "cpu:2"));
	ck_ok(gt_recon_set(r, "check", "no"));
	ck_ok(gt_recon_run(r, v));
	memcpy(out, gt_volume_data(v), side * side * sizeof *out);
	gt_recon_free(r);
	gt_volume_free(v);
}

/* Path lengths in mm. */
static inline float *lengths(const gt_scan *scan, const char *text)
{
	float *l = malloc(gt_scan_size(scan) * sizeof *l);
	gt_phantom_options o = gt_phantom_defaults;
	gt_phantom *body = NULL;
	FILE *file = fopen("part.shapes", "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
	o.water = 1;
	ck_ok(gt_phantom_new("part.shapes", &o, &body));
	ck_ok(gt_phantom_project(body, scan, 1, NULL, NULL, NULL, l));
	gt_phantom_free(body);
	remove("part.shapes");
	return l;
}

#endif
