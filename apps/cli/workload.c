/* Standard problems: scans and grids by name, and random values. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include <gantry/author/vec3.h>
#include "apps/cli/try.h"
#include "apps/cli/workload.h"
#include "core/random.h"

#define FULL .turn = 2 * GT_PI
#define CELLS(c, r, v) .columns = c, .rows = r, .views = v
#define PITCH(c, r) .column_pitch = c, .row_pitch = r
#define CLINICAL .shape = GT_ARC, .source_to_axis = 541, .source_to_detector = 949
#define GE CLINICAL, PITCH(1.0239, 1.0963)
#define FLAT .shape = GT_FLAT, .source_to_axis = 1000, .source_to_detector = 1536
/* cube512 with half the views and STEP rows, and columns, per voxel. */
#define STEP(s, c, r) CELLS(c, r, 180), PITCH(0.6 * 1.536 / s, 0.6 * 1.536 / s), FULL
#define PLATE(m) CELLS(768, 512, 720), PITCH(0.6 * m, 0.6 * m), FULL, .tilt = GT_PI / 6
#define FOOTPRINT .shape = GT_FLAT, .source_to_axis = 1000, .source_to_detector = 1500, CELLS(1014, 374, 364), PITCH(0.388, 0.388), FULL
#define C_ARM .shape = GT_FLAT, .source_to_axis = 785, .source_to_detector = 1200, .end_view = 1

/* Name, description, orbit, views given as matrices or not, voxel size in mm, number of voxels. */
const app_workload app_workloads[] = {
	{ "ge-hd",
	  "arc 888 x 64, 984 views, 512 x 512 x 64",
	  { GE, CELLS(888, 64, 984), FULL },
	  0,
	  { 0.9765625, 0.9765625, 0.625 },
	  { 512, 512, 64 } },
	{ "ge-hd-helical",
	  "ge-hd on a helix: three rotations of pitch 31/32, 512 x 512 x 128",
	  { GE, CELLS(888, 64, 2952), .turn = 6 * GT_PI, .pitch_per_turn = 31.0 / 32 * 64 * 1.0963 * 541 / 949 },
	  0,
	  { 0.9765625, 0.9765625, 0.625 },
	  { 512, 512, 128 } },
	{ "ge-hd-1968", "ge-hd with 1968 views", { GE, CELLS(888, 64, 1968), FULL }, 0, { 0.9765625, 0.9765625, 0.625 }, { 512, 512, 64 } },
	{ "ge-hd-3936", "ge-hd with 3936 views", { GE, CELLS(888, 64, 3936), FULL }, 0, { 0.9765625, 0.9765625, 0.625 }, { 512, 512, 64 } },
	{ "cube512",
	  "flat 512 x 512, 360 views, 512^3",
	  { FLAT, CELLS(512, 512, 360), PITCH(1, 1), FULL },
	  0,
	  { 0.6, 0.6, 0.6 },
	  { 512, 512, 512 } },
	{ "cube1024",
	  "flat 1024 x 1024, 1200 views, 1024^3",
	  { FLAT, CELLS(1024, 1024, 1200), PITCH(0.5, 0.5), FULL },
	  0,
	  { 0.3, 0.3, 0.3 },
	  { 1024, 1024, 1024 } },
	{ "rabbit512",
	  "flat 1248 x 960, 496 views over 200 degrees as perturbed matrices, 512^3",
	  { C_ARM, CELLS(1248, 960, 496), PITCH(0.32, 0.32), .turn = 200 * GT_PI / 180 },
	  1,
	  { 0.5, 0.5, 0.5 },
	  { 512, 512, 512 } },
	{ "c-arm",
	  "flat 1248 x 960, 496 views over 200 degrees, 512^3",
	  { C_ARM, CELLS(1248, 960, 496), PITCH(0.32, 0.32), .turn = 200 * GT_PI / 180 },
	  0,
	  { 0.5, 0.5, 0.5 },
	  { 512, 512, 512 } },
	{ "step-0.4",
	  "flat 256 x 235, 180 views, 512^3: 0.4 rows per voxel",
	  { FLAT, STEP(0.4, 256, 235) },
	  0,
	  { 0.6, 0.6, 0.6 },
	  { 512, 512, 512 } },
	{ "step-0.7",
	  "flat 448 x 412, 180 views, 512^3: 0.7 rows per voxel",
	  { FLAT, STEP(0.7, 448, 412) },
	  0,
	  { 0.6, 0.6, 0.6 },
	  { 512, 512, 512 } },
	{ "step-1.6",
	  "flat 1024 x 942, 180 views, 512^3: 1.6 rows per voxel",
	  { FLAT, STEP(1.6, 1024, 942) },
	  0,
	  { 0.6, 0.6, 0.6 },
	  { 512, 512, 512 } },
	{ "step-2.5",
	  "flat 1600 x 1472, 180 views, 512^3: 2.5 rows per voxel",
	  { FLAT, STEP(2.5, 1600, 1472) },
	  0,
	  { 0.6, 0.6, 0.6 },
	  { 512, 512, 512 } },
	{ "step-arc",
	  "arc 640 x 588, 180 views, 512^3: one row per voxel",
	  { .shape = GT_ARC, .source_to_axis = 1000, .source_to_detector = 1536, STEP(1, 640, 588) },
	  0,
	  { 0.6, 0.6, 0.6 },
	  { 512, 512, 512 } },
	{ "plate",
	  "flat 768 x 512 about an axis tilted by 30 degrees, 720 views, 512 x 512 x 64",
	  { FLAT, PLATE(1.536) },
	  0,
	  { 0.6, 0.6, 0.6 },
	  { 512, 512, 64 } },
	{ "plate-parallel", "plate with parallel beams", { .shape = GT_PARALLEL, PLATE(1) }, 0, { 0.6, 0.6, 0.6 }, { 512, 512, 64 } },
	{ "cube128",
	  "flat 128 x 128, 360 views, 128^3",
	  { FLAT, CELLS(128, 128, 360), PITCH(4, 4), FULL },
	  0,
	  { 2.4, 2.4, 2.4 },
	  { 128, 128, 128 } },
	{ "cube256",
	  "flat 256 x 256, 360 views, 256^3",
	  { FLAT, CELLS(256, 256, 360), PITCH(2, 2), FULL },
	  0,
	  { 1.2, 1.2, 1.2 },
	  { 256, 256, 256 } },
	{ "cube2048",
	  "flat 2048 x 2048, 90 views, 2048^3",
	  { FLAT, CELLS(2048, 2048, 90), PITCH(0.25, 0.25), FULL },
	  0,
	  { 0.15, 0.15, 0.15 },
	  { 2048, 2048, 2048 } },
	{ "footprint256",
	  "flat 1014 x 374, 364 views, 256^3: Papenhausen et al. (2013), table III",
	  { FOOTPRINT },
	  0,
	  { 0.6, 0.6, 0.3 },
	  { 256, 256, 256 } },
	{ "footprint512", "footprint256 with 512^3 voxels", { FOOTPRINT }, 0, { 0.3, 0.3, 0.15 }, { 512, 512, 512 } },
	{ "quick-arc",
	  "ge-hd at an eighth of its size",
	  { CLINICAL, CELLS(111, 8, 123), PITCH(8.1912, 8.7704), FULL },
	  0,
	  { 7.8125, 7.8125, 5 },
	  { 64, 64, 8 } },
	{ "quick-flat",
	  "cube512 at an eighth of its size",
	  { FLAT, CELLS(64, 64, 45), PITCH(8, 8), FULL },
	  0,
	  { 4.8, 4.8, 4.8 },
	  { 64, 64, 64 } },
	{ "odd-16x1",
	  "arc 887 x 16, 491 views, 509 x 515 x 1",
	  { GE, CELLS(887, 16, 491), FULL },
	  0,
	  { 0.97, 0.97, 0.625 },
	  { 509, 515, 1 } },
	{ "odd-16",
	  "arc 887 x 16, 491 views, 509 x 515 x 17",
	  { GE, CELLS(887, 16, 491), FULL },
	  0,
	  { 0.97, 0.97, 0.625 },
	  { 509, 515, 17 } },
	{ "odd-101",
	  "arc 901 x 101, 493 views, 301 x 307 x 103",
	  { GE, CELLS(901, 101, 493), FULL, .column_offset = 1.25 },
	  0,
	  { 1.6, 1.6, 0.625 },
	  { 301, 307, 103 } },
	{ "odd-512",
	  "arc 445 x 512, 247 views, 257 x 263 x 509",
	  { GE, CELLS(445, 512, 247), FULL },
	  0,
	  { 0.97, 0.97, 0.625 },
	  { 257, 263, 509 } },
	{ "odd-flat",
	  "flat 509 x 383, 181 views over 201 degrees, 251 x 257 x 381",
	  { FLAT, CELLS(509, 383, 181), PITCH(0.8, 0.8), .turn = 201 * GT_PI / 180, .end_view = 1 },
	  0,
	  { 0.9, 0.9, 0.5 },
	  { 251, 257, 381 } },
	{ "odd-2048",
	  "flat 509 x 383, 181 views, 251 x 257 x 2048: most slices out of the beam",
	  { FLAT, CELLS(509, 383, 181), PITCH(0.8, 0.8), FULL },
	  0,
	  { 0.9, 0.9, 0.5 },
	  { 251, 257, 2048 } },
	{ "odd-helix",
	  "arc 887 x 37, 53 rotations of 61 views, 301 x 307 x 2047",
	  { GE, CELLS(887, 37, 3233), .turn = 106 * GT_PI, .pitch_per_turn = 24.2 },
	  0,
	  { 1.6, 1.6, 0.625 },
	  { 301, 307, 2047 } },
	{ .name = NULL },
};

static void normalise(double *a)
{
	const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
	for (int i = 0; i < 3; i++)
		a[i] /= length;
}

/* Sag of a C-arm: shifts source and detector by tenths of a millimetre, rotates the detector by milliradians. */
static void perturb(gt_view *w, uint64_t view)
{
	gt_random r;
	gt_random_at(31, view, &r);
	double normal[3];
	for (int i = 0; i < 3; i++) {
		w->source[i] += 0.3 * gt_normal(&r);
		w->detector[i] += 0.3 * gt_normal(&r);
		w->column_axis[i] += 2e-3 * gt_normal(&r);
		w->row_axis[i] += 2e-3 * gt_normal(&r);
	}
	normalise(w->column_axis);
	gt_cross3(w->column_axis, w->row_axis, normal);
	normalise(normal);
	gt_cross3(normal, w->column_axis, w->row_axis);
}

/* Converts the scan to 3 x 4 matrices and back. */
static gt_status through_matrices(const app_workload *w, gt_scan **scan)
{
	double(*matrix)[12] = calloc((*scan)->views, sizeof *matrix);
	gt_scan *again = NULL;
	gt_status st = matrix ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	for (size_t v = 0; v < (*scan)->views; v++) {
		perturb(&(*scan)->view[v], v);
		GT_TRY(gt_matrix_from_view(*scan, v, matrix[v]));
	}
	GT_TRY(gt_scan_from_matrices((const double(*)[12])matrix, (*scan)->views, (*scan)->rows, (*scan)->columns,
	                             w->orbit.source_to_detector, &again));
	gt_scan_free(*scan);
	*scan = again;
done:
	free(matrix);
	return st;
}

gt_status app_workload_make(const app_workload *w, size_t every, gt_scan **scan, gt_grid *grid)
{
	gt_scan *all = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_scan_orbit(&w->orbit, &all));
	if (w->matrices)
		GT_TRY(through_matrices(w, &all));
	GT_TRY(gt_scan_subset(all, 0, every, scan));
	for (int a = 0; a < 3; a++) {
		grid->n[a] = w->n[a];
		grid->pitch[a] = w->voxel[a];
		grid->center[a] = 0;
	}
done:
	gt_scan_free(all);
	return st;
}

gt_status app_workload_tilt(gt_scan *scan, double angle)
{
	const double c = cos(angle), s = sin(angle);
	for (size_t v = 0; v < scan->views; v++) {
		gt_view *w = &scan->view[v];
		double normal[3], arm = 0;
		gt_cross3(w->column_axis, w->row_axis, normal);
		for (int a = 0; a < 3; a++)
			arm += (w->detector[a] - w->arc_center[a]) * normal[a];
		for (int a = 0; a < 3; a++) {
			const double leaning = c * normal[a] - s * w->row_axis[a];
			w->row_axis[a] = c * w->row_axis[a] + s * normal[a];
			if (scan->shape == GT_ARC) /* the axis of the arc rotates with the detector */
				w->arc_center[a] += arm * (normal[a] - leaning);
		}
	}
	return gt_scan_check(scan);
}

int app_left_out(gt_status st) { return st == GT_ERR_UNSUPPORTED || st == GT_ERR_MEMORY || st == GT_ERR_ARG; }

void app_fill_random(float *x, size_t n)
{
	const size_t block = 1 << 20;
	for (size_t i = 0; i < n && i < block; i++) {
		uint32_t word[4];
		gt_philox(1, i, 0, word);
		x[i] = (float)(word[0] / 4294967296.0);
	}
	for (size_t i = block; i < n; i++)
		x[i] = x[i - block];
}
