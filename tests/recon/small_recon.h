#ifndef GT_TESTS_RECON_SMALL_RECON_H
#define GT_TESTS_RECON_SMALL_RECON_H
/* A small noisy scan of a phantom, and reconstructions of it. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include <gantry/recon.h>
#include "geometry/volume.h"
#include "geometry/projections.h"
#include "tests/support/support.h"

enum { VIEWS = 48, ROWS = 10, COLUMNS = 40 };
static const gt_orbit small_orbit = { .views = VIEWS,
	                              .rows = ROWS,
	                              .columns = COLUMNS,
	                              .source_to_axis = 500,
	                              .source_to_detector = 1000,
	                              .column_pitch = 8,
	                              .row_pitch = 10,
	                              .turn = 2 * GT_PI };
static const gt_grid grid = { { 24, 22, 6 }, { 6, 6, 6 }, { 0, 0, 0 } };

/* Projections of the phantom; photons=0: without noise. */
static inline gt_projections *projections_on(const gt_orbit *orbit, double photons)
{
	gt_projections *p;
	gt_scan *scan;
	gt_phantom *phantom;
	const gt_phantom_options half = { .water = 0.02, .scale = 0.5 };
	ck_ok(gt_scan_orbit(orbit, &scan));
	ck_ok(gt_projections_new(scan, &p));
	float *data = gt_projections_data(p);
	ck_ok(gt_phantom_new("shepp-logan", &half, &phantom));
	ck_ok(gt_phantom_project(phantom, scan, 1, NULL, NULL, NULL, data));
	if (photons > 0)
		gt_add_photon_noise(photons, 0, 3, 0, NULL, data, gt_scan_size(scan));
	gt_phantom_free(phantom);
	gt_scan_free(scan);
	return p;
}

/* The same scan for all tests; fdk accepts it. */
static inline gt_projections *projections(void) { return projections_on(&small_orbit, 1e5); }

/* Applies the settings on the backend under test. */
static void set_all(gt_recon *r, const char *const (*set)[2])
{
	ck_ok(gt_recon_set(r, "backend", getenv("GT_BACKEND") ? getenv("GT_BACKEND") : "cpu"));
	for (; set && (*set)[0]; set++)
		ck_ok(gt_recon_set(r, (*set)[0], (*set)[1]));
}

static inline gt_recon *recon(const gt_projections *p, const char *const (*set)[2])
{
	gt_recon *r;
	ck_ok(gt_recon_new(p, &r));
	set_all(r, set);
	return r;
}
#endif
