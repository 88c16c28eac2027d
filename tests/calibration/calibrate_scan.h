#ifndef GT_TESTS_CALIBRATE_SCAN_H
#define GT_TESTS_CALIBRATE_SCAN_H
/* Scans of an unknown object with errors of the geometry, and their calibration. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <gantry/calibrate.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include "calibration/correct.h"
#include "tests/support/support.h"

/* Ellipsoids and boxes throughout the field of view, also near its top and bottom; or in a plate. */
static inline void write_phantom(const char *path, int plate)
{
	gt_test_write(
		path,
		plate ? "unit mm-1\nbox size=36,36,3 density=0.02\nellipsoid center=4,-6,1 radii=6,4,1 density=0.05\n"
			"ellipsoid center=-9,9,-1 radius=2 density=0.05\nellipsoid center=12,13,2 radius=2 density=0.06\n"
			"ellipsoid center=-9,-14,1 radius=2 density=0.05\nbox center=8,-3,-2 size=9,3,2 angles=25,0,0 density=0.04\n"
			"ellipsoid center=0,15,-2 radius=1.5 density=0.08\nellipsoid center=-15,-2,2 radius=1.5 density=0.08\n"
		      : "unit mm-1\nellipsoid center=4,-6,3 radii=14,9,8 density=0.03\nellipsoid center=-13,9,-8 radius=5 density=0.05\n"
			"ellipsoid center=12,14,11 radius=4 density=0.06\nellipsoid center=-9,-14,12 radius=4 density=0.05\n"
			"box center=8,-3,-12 size=9,5,6 angles=25,10,0 density=0.04\nellipsoid center=0,17,-14 radius=3 density=0.08\n");
}

/* The smallest sizes with the required accuracy: slant needs columns and views, roll of parallel rays all rows. */
static inline gt_projections *scan_of(gt_shape shape, double offset, double tilt, const double truth[GT_CALIBRATE_PARAMETERS])
{
	static const struct {
		size_t views, rows, columns;
		double pitch;
	} sizes[] = { { 40, 20, 48, 2.2 }, { 24, 24, 36, 1.45 }, { 40, 32, 48, 2.2 }, { 40, 32, 48, 1.1 } }, *size;
	size = &sizes[(shape == GT_PARALLEL) + 2 * gt_tests_long()];
	const gt_orbit orbit = { .shape = shape,
		                 .views = size->views,
		                 .rows = size->rows,
		                 .columns = size->columns,
		                 .column_pitch = size->pitch,
		                 .row_pitch = size->pitch,
		                 .source_to_axis = 100,
		                 .source_to_detector = 200,
		                 .turn = 2 * GT_PI,
		                 .column_offset = offset,
		                 .tilt = tilt };
	gt_scan *nominal = NULL, *real = NULL;
	gt_projections *p = NULL;
	gt_phantom *phantom = NULL;
	char path[64];
	snprintf(path, sizeof path, "phantom-%ld.shapes", (long)getpid()); /* programs run at the same time */
	write_phantom(path, tilt > 0);
	ck_ok(gt_scan_orbit(&orbit, &nominal));
	ck_ok(gt_scan_clone(nominal, &real));
	gt_calibrate_apply(truth, real);
	ck_ok(gt_projections_new(nominal, &p));
	ck_ok(gt_phantom_new(path, NULL, &phantom));
	ck_ok(gt_phantom_project(phantom, real, 2, NULL, NULL, NULL, gt_projections_data(p)));
	gt_add_photon_noise(1e5, 0, 3, 0, NULL, gt_projections_data(p), gt_scan_size(real));
	gt_phantom_free(phantom);
	gt_scan_free(nominal);
	gt_scan_free(real);
	remove(path);
	return p;
}

struct calibrate_case {
	gt_shape shape;
	double offset, tilt;
	unsigned what;
	double truth[GT_CALIBRATE_PARAMETERS];
};

static inline void print(void *self, const gt_message *m)
{
	(void)self;
	fprintf(stderr, "%s\n", m->text);
}

/* Calibrates, and compares with the truth. */
static inline void finds(const struct calibrate_case *q)
{
	gt_calibrate_options o = gt_calibrate_defaults;
	gt_calibration c;
	gt_projections *p = scan_of(q->shape, q->offset, q->tilt, q->truth);
	const double roll = q->tilt > 0 ? 0.1 : 0.02;
	const double within[] = { 0.05, roll / GT_DEGREES, 0.3 / GT_DEGREES, 0, 0, 0.1 / GT_DEGREES };
	o.what = q->what;
	o.threads = 2;
	o.notes.say = print;
	ck_ok(gt_calibrate(p, &o, &c));
	ck_assert_int_eq(c.converged, 1);
	ck_assert_double_lt(c.after, c.before);
	for (int j = 0; j < GT_CALIBRATE_PARAMETERS; j++) {
		if (!(o.what >> j & 1))
			continue;
		const double unit = j ? GT_DEGREES : 1;
		fprintf(stderr, "%s %.4f +- %.4f, is %.4f\n", gt_calibrate_names[j], c.parameter[j].value * unit,
		        c.parameter[j].error * unit, q->truth[j] * unit);
		ck_assert_int_eq(c.parameter[j].identifiable, 1);
		ck_assert_double_eq_tol(c.parameter[j].value, q->truth[j], within[j]);
	}
	gt_projections_free(p);
}
#endif
