#ifndef GT_TESTS_REGION_RUNS_H
#define GT_TESTS_REGION_RUNS_H
/* Scans of the head phantom, and runs on grids inside or around it. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include <gantry/recon.h>
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "tests/support/support.h"

/* The head is 144 mm wide and 180 mm long, the field of view 240 mm; pixels at the axis are 3 mm. */
static const double scale = 0.75;
static const gt_orbit fan = { .source_to_axis = 500, .source_to_detector = 1000, .column_pitch = 6, .row_pitch = 6 };

typedef struct {
	const char *name;
	gt_shape shape;
	size_t views, rows, columns;
	double offset, turn; /* columns; angular range, in pi */
	gt_grid grid;
	const char *outside; /* the mode that is chosen */
	const char *const (*set)[2];
	double part, more; /* permitted error: this part of the error of fdk, plus HU */
} region;

#define PRESET                        \
	{                             \
		"preset", "iterative" \
	}

static inline gt_phantom *head(void)
{
	const gt_phantom_options o = { .water = 0.02, .scale = scale };
	gt_phantom *body;
	ck_ok(gt_phantom_new("forbild-head", &o, &body));
	return body;
}

/* Without noise. pitch: of a helix, mm per rotation; 0: a circle. */
static inline gt_projections *exact_helix_of(const region *q, double pitch)
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
	o.pitch_per_turn = pitch;
	if (o.shape == GT_PARALLEL)
		o.column_pitch = o.row_pitch = 3;
	ck_ok(gt_scan_orbit(&o, &scan));
	ck_ok(gt_projections_new(scan, &p));
	ck_ok(gt_phantom_project(body, scan, 2, NULL, NULL, NULL, gt_projections_data(p)));
	gt_scan_free(scan);
	gt_phantom_free(body);
	return p;
}

static inline gt_projections *exact_scan_of(const region *q) { return exact_helix_of(q, 0); }

static inline gt_projections *helix_of(const region *q, double pitch)
{
	gt_projections *p = exact_helix_of(q, pitch);
	gt_add_photon_noise(1e5, 0, 3, 0, NULL, gt_projections_data(p), gt_scan_size(p->scan));
	return p;
}

static inline gt_projections *scan_of(const region *q) { return helix_of(q, 0); }

static inline gt_recon *ready(const gt_projections *p, const gt_grid *grid, const char *const (*set)[2])
{
	gt_recon *r;
	ck_ok(gt_recon_new(p, &r));
	ck_ok(gt_recon_set(r, "backend", getenv("GT_BACKEND") ? getenv("GT_BACKEND") : "cpu"));
	for (; (*set)[0]; set++)
		ck_ok(gt_recon_set(r, (*set)[0], (*set)[1]));
	ck_ok(gt_recon_grid(r, grid));
	return r;
}

static inline gt_recon *run(const gt_projections *p, const gt_grid *grid, const char *const (*set)[2], gt_volume **v)
{
	gt_recon *r = ready(p, grid, set);
	ck_ok(gt_volume_new(grid, v));
	ck_ok(gt_recon_run(r, *v));
	return r;
}

static const region fan_scan = { .name = "fan",
	                         .shape = GT_FLAT,
	                         .views = 96,
	                         .rows = 1,
	                         .columns = 84,
	                         .turn = 2,
	                         .grid = { { 16, 14, 1 }, { 3, 3, 3 }, { 10, -15, 0 } } };

/* Root mean square difference in HU. */
static inline double hu(const float *a, const float *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += pow(((double)a[i] - b[i]) * 1000 / 0.02, 2);
	return sqrt(sum / (double)n);
}

static inline float *voxels_of_head(const gt_grid *grid)
{
	gt_phantom *body = head();
	float *truth = calloc(gt_grid_voxels(grid), sizeof *truth);
	ck_ok(gt_phantom_voxelise(body, grid, 6, NULL, NULL, NULL, truth));
	gt_phantom_free(body);
	return truth;
}
#endif
