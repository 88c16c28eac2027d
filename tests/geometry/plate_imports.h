#ifndef GT_TESTS_GEOMETRY_PLATE_IMPORTS_H
#define GT_TESTS_GEOMETRY_PLATE_IMPORTS_H
/* One orbit about a tilted axis, and the same scan by the formulas of other programs. */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "geometry/exchange/exchange.h"
#include "tests/support/support.h"

enum { VIEWS = 36, ROWS = 86, COLUMNS = 90 };

static inline gt_orbit orbit_of(gt_shape shape, double degrees, gt_panel panel)
{
	const double enlarged = shape == GT_PARALLEL ? 1 : 3;
	return (gt_orbit){ .shape = shape,
		           .views = VIEWS,
		           .rows = ROWS,
		           .columns = COLUMNS,
		           .source_to_axis = 240,
		           .source_to_detector = 720,
		           .column_pitch = enlarged,
		           .row_pitch = enlarged,
		           .start_angle = 0.3,
		           .turn = 2 * GT_PI,
		           .tilt = degrees / GT_DEGREES,
		           .panel = panel };
}

static inline gt_scan *scan_of(const gt_orbit *o)
{
	gt_scan *s;
	ck_ok(gt_scan_orbit(o, &s));
	return s;
}

static const gt_scan_size3 size = { VIEWS, ROWS, COLUMNS };

/* ASTRA: vectors of its own formulas. LEAP's modular beam holds the same vectors. */
static inline gt_scan *from_astra(int parallel, double tilt, gt_panel panel)
{
	double vec[VIEWS][12];
	gt_scan *s;
	for (int v = 0; v < VIEWS; v++) {
		const double t = 0.3 + v * 2 * GT_PI / VIEWS, c = cos(tilt), sine = sin(tilt), pixel = parallel ? 1 : 3;
		const double ray[3] = { c * sin(t), -c * cos(t), -sine }, n[3] = { sin(t), -cos(t), 0 };
		for (int a = 0; a < 3; a++) {
			vec[v][a] = parallel ? ray[a] : -240 * ray[a];
			vec[v][3 + a] = 480 * ray[a];
			vec[v][6 + a] = pixel * (panel == GT_PANEL_STAGE_FIXED ? a == 0 : a == 0 ? cos(t) : a == 1 ? sin(t) : 0);
			vec[v][9 + a] = pixel * (panel == GT_PANEL_STAGE         ? n[a]
			                         : panel == GT_PANEL_STAGE_FIXED ? a == 1
			                         : panel == GT_PANEL_AXIS        ? a == 2
			                                                         : sine * n[a] + (a == 2 ? c : 0));
		}
	}
	ck_ok(gt_scan_of_astra(parallel, (const double(*)[12])vec, &size, 1, &s));
	return s;
}

/* TIGRE: Rz(alpha) Ry(beta) moves the source from the x axis upwards for beta < 0; its columns run along y. */
static inline gt_scan *from_tigre(int parallel, double tilt)
{
	double offset[VIEWS][2], rotation[VIEWS][3], cor[VIEWS], angle[VIEWS][3];
	memset(offset, 0, sizeof offset);
	memset(rotation, 0, sizeof rotation);
	memset(cor, 0, sizeof cor);
	for (int v = 0; v < VIEWS; v++) {
		angle[v][0] = 0.3 + v * 2 * GT_PI / VIEWS + GT_PI / 2;
		angle[v][1] = -tilt;
		angle[v][2] = 0;
	}
	const double pixel = parallel ? 1 : 3;
	const gt_tigre_orbit o = { parallel,
		                   240,
		                   720,
		                   { pixel, pixel },
		                   (const double(*)[2])offset,
		                   (const double(*)[3])rotation,
		                   cor,
		                   (const double(*)[3])angle };
	gt_scan *s;
	ck_ok(gt_scan_of_tigre(&o, &size, &s));
	return s;
}

/* CIL: the beam runs along y, and the axis is tilted towards the source. */
static inline gt_scan *from_cil(int parallel, double tilt)
{
	double angle[VIEWS];
	const double pixel = parallel ? 1 : 3;
	for (int v = 0; v < VIEWS; v++)
		angle[v] = -(0.3 + v * 2 * GT_PI / VIEWS);
	const gt_cil_orbit o = { .parallel = parallel,
		                 .source = { 0, -240, 0 },
		                 .detector = { 0, 480, 0 },
		                 .axis_direction = { 0, -sin(tilt), cos(tilt) },
		                 .column_direction = { 1, 0, 0 },
		                 .row_direction = { 0, 0, 1 },
		                 .ray = { 0, 1, 0 },
		                 .pitch = { pixel, pixel },
		                 .angle = angle };
	gt_scan *s;
	ck_ok(gt_scan_of_cil(&o, &size, &s));
	return s;
}

/* Rotates the volume about z, because programs count the angle from different directions, and columns in either. */
static inline void turn_to(const gt_scan *expected, gt_scan *s)
{
	gt_scan_correction c = gt_scan_correction_none;
	c.start_angle = expected->view[0].angle;
	ck_ok(gt_scan_correct(s, &c));
	c = gt_scan_correction_none;
	c.reverse_columns = gt_dot3(s->view[0].column_axis, expected->view[0].column_axis) < 0;
	ck_ok(gt_scan_correct(s, &c));
}

#endif
