/* Regions inside the object against its exact voxels: never worse than the analytic method; choices, refusals and bits.
 * labels: unit physics */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/constants.h>
#include <gantry/phantom.h>
#include <gantry/recon.h>
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "recon/outside/object_box.h"
#include "tests/support/support.h"

enum { N_VIEWS = 120 };
/* The head is 144 mm wide and 180 mm long, the field of view 240 mm. Pixels at the axis: 3 mm. */
static const double scale = 0.75;
static const gt_orbit fan = { .shape = GT_FLAT,
	                      .views = N_VIEWS,
	                      .rows = 1,
	                      .columns = 84,
	                      .source_to_axis = 500,
	                      .source_to_detector = 1000,
	                      .column_pitch = 6,
	                      .row_pitch = 6,
	                      .turn = 2 * GT_PI };

typedef struct {
	const char *name;
	gt_shape shape;
	size_t views, rows, columns;
	double offset, turn; /* columns; of the views, in pi */
	gt_grid grid;
	const char *outside; /* chosen */
	const char *const (*set)[2];
	double part, more; /* error allowed: this part of fdk's, and HU beyond it */
} region;

#define PRESET                        \
	{                             \
		"preset", "iterative" \
	}
static const char *const preset[][2] = { PRESET, { NULL, NULL } };
static const char *const subtract[][2] = { PRESET, { "outside", "subtract" }, { NULL, NULL } };
static const char *const widen[][2] = { PRESET, { "outside", "grid" }, { NULL, NULL } };
static const char *const sart[][2] = { { "solver", "os-sart:iterations=5,subsets=6" }, { NULL, NULL } };
static const char *const cgls[][2] = { { "solver", "cgls:iterations=4" }, { NULL, NULL } };
static const char *const fista[][2] = { { "solver", "fista:iterations=40" }, { "penalty", "tv:strength=0.1" }, { NULL, NULL } };
static const char *const mltr[][2] = { { "solver", "mltr:iterations=5,subsets=6" }, { NULL, NULL } };

#define CENTRE                                             \
	{                                                  \
		{ 16, 14, 1 }, { 3, 3, 3 }, { 10, -15, 0 } \
	}
static const region regions[] = {
	{ "lateral", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "subtract", preset, 0.8, 0 },
	{ "widened", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "grid", widen, 0.8, 0 },
	{ "arc", GT_ARC, 120, 1, 84, 0, 2, CENTRE, "subtract", preset, 0.8, 0 },
	{ "parallel", GT_PARALLEL, 120, 1, 80, 0, 1, CENTRE, "subtract", preset, 1, 0 },
	{ "quarter offset", GT_FLAT, 120, 1, 84, 0.25, 2, CENTRE, "subtract", preset, 0.8, 0 },
	{ "displaced", GT_FLAT, 160, 1, 60, 14, 2, CENTRE, "subtract", preset, 1, 0 },
	{ "short", GT_FLAT, 80, 1, 84, 0, 1.25, CENTRE, "subtract", preset, 0.8, 0 },
	{ "fine", GT_FLAT, 120, 1, 84, 0, 2, { { 25, 22, 1 }, { 1.2, 1.2, 3 }, { 10, -15, 0 } }, "subtract", preset, 0.8, 0 },
	{ "border", GT_FLAT, 120, 1, 84, 0, 2, { { 14, 16, 1 }, { 3, 3, 3 }, { 66, 10, 0 } }, "subtract", preset, 0.8, 0 },
	{ "one voxel", GT_FLAT, 120, 1, 84, 0, 2, { { 1, 1, 1 }, { 3, 3, 3 }, { 6, 12, 0 } }, "subtract", preset, 1, 10 },
	{ "in air", GT_FLAT, 120, 1, 84, 0, 2, { { 8, 8, 1 }, { 3, 3, 3 }, { 94, 0, 0 } }, "subtract", preset, 1, 5 },
	{ "few views", GT_FLAT, 30, 1, 84, 0, 2, CENTRE, "grid", preset, 0.8, 0 },
	{ "truncated", GT_FLAT, 120, 1, 44, 0, 2, CENTRE, "grid", preset, 0.9, 0 },
	{ "nearly all", GT_FLAT, 120, 1, 84, 0, 2, { { 40, 56, 1 }, { 3, 3, 3 }, { 0, 0, 0 } }, "grid", preset, 1, 0 },
	{ "cone", GT_FLAT, 120, 16, 84, 0, 2, { { 14, 12, 4 }, { 3, 3, 3 }, { 10, -15, 9 } }, "subtract", preset, 0.8, 0 },
	{ "cone arc", GT_ARC, 120, 16, 84, 0, 2, { { 14, 12, 3 }, { 3, 3, 3 }, { -12, 15, -9 } }, "subtract", subtract, 0.8, 0 },
	{ "os-sart", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "subtract", sart, 1.5, 0 },
	{ "cgls", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "subtract", cgls, 2, 0 },
	{ "fista", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "subtract", fista, 1, 0 },
	{ "mltr", GT_FLAT, 120, 1, 84, 0, 2, CENTRE, "grid", mltr, 1.5, 0 },
};
enum { REGIONS = sizeof regions / sizeof *regions };

static gt_phantom *head(void)
{
	const gt_phantom_options o = { .water = 0.02, .scale = scale };
	gt_phantom *body;
	ck_ok(gt_phantom_new("forbild-head", &o, &body));
	return body;
}

static gt_projections *scan_of(const region *q)
{
	gt_orbit o = fan;
	gt_phantom *body = head();
	gt_projections *p;
	gt_scan *scan;
	o.shape = q->shape;
	o.views = q->views;
	o.rows = q->rows;
	o.columns = q->columns;
	o.column_offset = q->offset;
	o.turn = q->turn * GT_PI;
	if (o.shape == GT_PARALLEL)
		o.column_pitch = o.row_pitch = 3;
	ck_ok(gt_scan_orbit(&o, &scan));
	ck_ok(gt_projections_new(scan, &p));
	ck_ok(gt_phantom_project(body, scan, 2, NULL, NULL, NULL, gt_projections_data(p)));
	gt_add_photon_noise(1e5, 0, 3, 0, NULL, gt_projections_data(p), gt_scan_size(scan));
	gt_scan_free(scan);
	gt_phantom_free(body);
	return p;
}

static gt_recon *ready(const gt_projections *p, const gt_grid *grid, const char *const (*set)[2])
{
	gt_recon *r;
	ck_ok(gt_recon_new(p, &r));
	ck_ok(gt_recon_set(r, "backend", getenv("GT_BACKEND") ? getenv("GT_BACKEND") : "cpu"));
	for (; (*set)[0]; set++)
		ck_ok(gt_recon_set(r, (*set)[0], (*set)[1]));
	ck_ok(gt_recon_grid(r, grid));
	return r;
}

/* The volume, and the run. */
static gt_recon *run(const gt_projections *p, const gt_grid *grid, const char *const (*set)[2], gt_volume **v)
{
	gt_recon *r = ready(p, grid, set);
	ck_ok(gt_volume_new(grid, v));
	ck_ok(gt_recon_run(r, *v));
	return r;
}

static double rms(const gt_volume *v, const float *truth, double *mean)
{
	const size_t n = gt_grid_voxels(gt_volume_grid(v));
	double square = 0, sum = 0;
	for (size_t i = 0; i < n; i++) {
		const double hu = ((double)gt_volume_data(v)[i] - truth[i]) * 1000 / 0.02;
		square += hu * hu;
		sum += hu;
	}
	*mean = sum / (double)n;
	return sqrt(square / (double)n);
}

START_TEST(against_truth)
{
	static const char *const direct[][2] = { { NULL, NULL } };
	const region *q = &regions[_i];
	gt_projections *p = scan_of(q);
	gt_phantom *body = head();
	float *truth = calloc(gt_grid_voxels(&q->grid), sizeof *truth);
	gt_volume *fdk, *v;
	double mean[2];
	ck_ok(gt_phantom_voxelise(body, &q->grid, 6, NULL, NULL, NULL, truth));
	gt_recon *a = run(p, &q->grid, direct, &fdk), *b = run(p, &q->grid, q->set, &v);
	ck_assert_str_eq(gt_recon_text(b, "outside"), q->outside);
	const double min = rms(fdk, truth, &mean[0]), error = rms(v, truth, &mean[1]);
	if (getenv("GT_PRINT"))
		printf("%-16s fdk %7.1f (mean %+6.1f) HU, %s %7.1f (mean %+6.1f) HU\n", q->name, min, mean[0], q->outside, error, mean[1]);
	ck_assert_msg(error <= q->part * min + q->more, "%s: error %g HU, fdk %g HU", q->name, error, min);
	gt_recon_free(a);
	gt_recon_free(b);
	gt_volume_free(fdk);
	gt_volume_free(v);
	gt_phantom_free(body);
	gt_projections_free(p);
	free(truth);
}
END_TEST

static void fill(TCase *c) { tcase_add_loop_test(c, against_truth, 0, REGIONS); }

int main(void) { return gt_test_main("outside", fill); }
