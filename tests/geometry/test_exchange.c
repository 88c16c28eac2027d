/* Geometries of other programs: 50 random points, projected by an independent copy of each formula, meet the pixels
 * of the scan.
 * labels: unit property, backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include <gantry/author/scan_math.h>
#include "geometry/exchange/exchange.h"
#include "tests/support/support.h"

enum { VIEWS = 7, ROWS = 33, COLUMNS = 44, POINTS = 50 };
static const gt_scan_size3 size = { VIEWS, ROWS, COLUMNS };

/* From -1 to 1. */
static double noise(unsigned seed, unsigned i)
{
	float x[64];
	gt_test_random(seed + 1, 64, x);
	return x[i % 64];
}

static void point_of(unsigned i, double x[3])
{
	for (unsigned a = 0; a < 3; a++)
		x[a] = 20 * noise(1000 + i, a);
}

typedef void (*projection)(unsigned view, const double x[3], double *column, double *row);

static void expect(const gt_scan *s, projection theirs)
{
	const gt_detector d = gt_scan_detector(s);
	ck_ok(gt_scan_check(s));
	for (unsigned v = 0; v < VIEWS; v++)
		for (unsigned i = 0; i < POINTS; i++) {
			double x[3], column, row, wanted[2];
			point_of(i, x);
			theirs(v, x, &wanted[0], &wanted[1]);
			ck_assert(gt_point_pixel(&d, &s->view[v], x, &column, &row));
			ck_assert_double_eq_tol(column, wanted[0], 1e-9);
			ck_assert_double_eq_tol(row, wanted[1], 1e-9);
		}
}

/* The line from source s to point x crosses the plane of c, u, v at (x - s) k = c + a u + b v - s, by Cramer's rule. */
static double det(const double a[3], const double b[3], const double c[3])
{
	return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static void meet(const double s[3], const double way[3], const double c[3], const double u[3], const double v[3], double *a, double *b)
{
	const double minus[3] = { -way[0], -way[1], -way[2] }, from[3] = { s[0] - c[0], s[1] - c[1], s[2] - c[2] };
	*a = det(from, v, minus) / det(u, v, minus);
	*b = det(u, from, minus) / det(u, v, minus);
}

/* ASTRA: random vectors with perpendicular pitch vectors of equal length. */
static double astra[VIEWS][12];
static int astra_parallel;
static void astra_vectors(void)
{
	for (unsigned v = 0; v < VIEWS; v++) {
		const double t = 0.9 * v, lean = 0.2 * noise(v, 9), ct = cos(t), st = sin(t), cl = cos(lean), sl = sin(lean);
		const double u[3] = { ct, st, 0 }, w[3] = { st * sl, -ct * sl, cl };
		for (unsigned a = 0; a < 3; a++) {
			astra[v][a] = (a == 0 ? 100 * st : a == 1 ? -100 * ct : 0) + 5 * noise(v, a);
			astra[v][3 + a] = (a == 0 ? -80 * st : a == 1 ? 80 * ct : 0) + 5 * noise(v, 3 + a);
			if (astra_parallel)
				astra[v][a] = astra[v][3 + a] - astra[v][a];
			astra[v][6 + a] = 1.25 * u[a];
			astra[v][9 + a] = 0.75 * w[a];
		}
	}
}

static double astra_unit = 0.5;
static void by_astra(unsigned view, const double x[3], double *column, double *row)
{
	const double *g = astra[view];
	double p[3], way[3], a, b;
	for (int i = 0; i < 3; i++) {
		p[i] = x[i] / astra_unit;
		way[i] = astra_parallel ? g[i] : p[i] - g[i];
	}
	meet(astra_parallel ? p : g, way, g + 3, g + 6, g + 9, &a, &b);
	*column = a + (COLUMNS - 1) / 2.;
	*row = b + (ROWS - 1) / 2.;
}

GT_TESTS(astra_points, 2)
{
	gt_scan *s;
	double back[VIEWS][12];
	astra_parallel = _i;
	astra_vectors();
	ck_ok(gt_scan_of_astra(_i, (const double(*)[12])astra, &size, astra_unit, &s));
	expect(s, by_astra);
	/* and back, in mm */
	ck_ok(gt_scan_to_astra(s, back));
	for (int v = 0; v < VIEWS; v++)
		for (int i = _i ? 3 : 0; i < 12; i++)
			ck_assert_double_eq_tol(back[v][i], astra_unit * astra[v][i], 1e-9);
	gt_scan_free(s);
	astra[3][9] += 0.3;
	ck_assert_int_eq(gt_scan_of_astra(_i, (const double(*)[12])astra, &size, 1, &s), GT_ERR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(gt_error(), "view 3"));
}

/* RTK: its matrix M = T(-projection offset) P(sid, sdd) T(source offset) R, in its own frame. */
static gt_rtk_view rtk[VIEWS];
static const gt_rtk_image image = { { 0.8, 0.6 }, { -15, -11.5 } };
static void rtk_views(int parallel)
{
	for (unsigned v = 0; v < VIEWS; v++)
		rtk[v] = (gt_rtk_view){ .sid = 100 + noise(v, 1),
			                .sdd = parallel ? 0 : 180 + noise(v, 2),
			                .gantry = 0.8 * v,
			                .out_of_plane = 0.1 * noise(v, 3),
			                .in_plane = 2 + 0.2 * noise(v, 4),
			                .source = { parallel ? 0 : noise(v, 5), parallel ? 0 : noise(v, 6) },
			                .projection = { 3 * noise(v, 7), noise(v, 8) } };
}

/* To the frame of the view: rotations about y, x and z by the negative angles. */
static void rtk_frame(const gt_rtk_view *w, const double x[3], double p[3])
{
	const double X = -x[0], Y = x[2], Z = x[1], g = w->gantry, o = w->out_of_plane, i = w->in_plane;
	const double x1 = cos(g) * X - sin(g) * Z, z1 = sin(g) * X + cos(g) * Z;
	const double y2 = cos(o) * Y + sin(o) * z1, z2 = -sin(o) * Y + cos(o) * z1;
	p[0] = cos(i) * x1 + sin(i) * y2;
	p[1] = -sin(i) * x1 + cos(i) * y2;
	p[2] = z2;
}

static void by_rtk(unsigned view, const double x[3], double *column, double *row)
{
	const gt_rtk_view *w = &rtk[view];
	double p[3], at[2];
	rtk_frame(w, x, p);
	for (int k = 0; k < 2; k++) {
		const double along = w->sdd == 0 ? p[k] : w->source[k] + (p[k] - w->source[k]) * w->sdd / (w->sid - p[2]);
		at[k] = (along - w->projection[k] - image.origin[k]) / image.spacing[k];
	}
	*column = at[0];
	*row = at[1];
}

GT_TESTS(rtk_points, 2)
{
	gt_scan *s, *again;
	gt_rtk_view back[VIEWS];
	gt_rtk_image out;
	int reversed;
	rtk_views(_i);
	ck_ok(gt_scan_of_rtk(rtk, &size, &image, &s));
	expect(s, by_rtk);
	/* the rays are equal after writing and reading */
	ck_ok(gt_scan_to_rtk(s, back, &out, &reversed));
	ck_assert_int_eq(reversed, 0);
	ck_ok(gt_scan_of_rtk(back, &size, &out, &again));
	expect(again, by_rtk);
	for (int v = 0; v < VIEWS; v++)
		for (int a = 0; a < 3 && !_i; a++)
			ck_assert_double_eq_tol(s->view[v].source[a], again->view[v].source[a], 1e-9);
	gt_scan_free(s);
	gt_scan_free(again);
}

/* LEAP: angle minus 90 degrees. */
static double phi[VIEWS];
static gt_leap_orbit leap = { .shape = GT_FLAT,
	                      .sod = 110,
	                      .sdd = 190,
	                      .tau = 1.5,
	                      .helical_pitch = 2.5,
	                      .tilt = 0.07,
	                      .pitch = { 0.9, 0.7 },
	                      .center = { 20.25, 15.5 },
	                      .phi = phi };
static void by_leap(unsigned view, const double x[3], double *column, double *row)
{
	const double f = phi[view] - GT_PI / 2, c = cos(f), s = sin(f), t = leap.tilt;
	const double z = leap.helical_pitch * (phi[view] - (phi[0] + phi[VIEWS - 1]) / 2);
	const double from[3] = { leap.sod * c + leap.tau * s, leap.sod * s - leap.tau * c, z };
	double way[3], a, b;
	for (int i = 0; i < 3; i++)
		way[i] = x[i] - from[i];
	if (leap.shape == GT_PARALLEL) {
		*column = leap.center[0] + (-s * cos(t) * x[0] + c * cos(t) * x[1] + sin(t) * x[2] + leap.tau) / leap.pitch[0];
		*row = leap.center[1] + x[2] / leap.pitch[1];
		return;
	}
	if (leap.shape == GT_ARC) {
		const double out = -(way[0] * c + way[1] * s), side = -way[0] * s + way[1] * c;
		*column = leap.center[0] + atan2(side, out) / atan(leap.pitch[0] / leap.sdd);
		*row = leap.center[1] + leap.sdd * way[2] / hypot(out, side) / leap.pitch[1];
		return;
	}
	const double panel[3] = { from[0] - leap.sdd * c, from[1] - leap.sdd * s, z };
	const double u[3] = { -s * cos(t), c * cos(t), sin(t) }, w[3] = { s * sin(t), -c * sin(t), cos(t) };
	meet(from, way, panel, u, w, &a, &b);
	*column = leap.center[0] + a / leap.pitch[0];
	*row = leap.center[1] + b / leap.pitch[1];
}

GT_TESTS(leap_points, 3)
{
	gt_scan *s;
	for (unsigned v = 0; v < VIEWS; v++)
		phi[v] = 0.3 + 0.7 * v + 0.05 * noise(v, 0);
	leap.shape = _i == 0 ? GT_FLAT : _i == 1 ? GT_ARC : GT_PARALLEL;
	leap.tilt = _i == 0 ? 0.07 : 0;
	leap.helical_pitch = _i == 2 ? 0 : 2.5;
	leap.tau = _i == 2 ? 0 : 1.5;
	ck_ok(gt_scan_of_leap(&leap, &size, &s));
	expect(s, by_leap);
	if (_i == 2) {
		double back[VIEWS], center[2];
		ck_ok(gt_scan_to_leap_parallel(s, back, center));
		ck_assert_double_eq_tol(center[0], leap.center[0], 1e-9);
		for (int v = 0; v < VIEWS; v++)
			ck_assert_double_eq_tol(remainder(back[v] - phi[v], 2 * GT_PI), 0, 1e-9);
	}
	gt_scan_free(s);
}

/* TIGRE: the point is rotated back into the frame of the view. */
static double tigre_offset[VIEWS][2], tigre_rotation[VIEWS][3], tigre_cor[VIEWS], tigre_angle[VIEWS][3];
static gt_tigre_orbit tigre = { .dso = 105,
	                        .dsd = 170,
	                        .pitch = { 0.8, 0.9 },
	                        .offset = (const double (*)[2])tigre_offset,
	                        .rotation = (const double (*)[3])tigre_rotation,
	                        .cor = tigre_cor,
	                        .angle = (const double (*)[3])tigre_angle };

static void turned(int axis, double angle, double x[3])
{
	const int a = (axis + 1) % 3, b = (axis + 2) % 3;
	const double was = x[a];
	x[a] = cos(angle) * was - sin(angle) * x[b];
	x[b] = sin(angle) * was + cos(angle) * x[b];
}

static void by_tigre(unsigned v, const double x[3], double *column, double *row)
{
	double p[3] = { x[0], x[1], x[2] }, u[3] = { 0, 1, 0 }, w[3] = { 0, 0, 1 }, way[3], a, b;
	turned(2, -tigre_angle[v][0], p);
	turned(1, -tigre_angle[v][1], p);
	turned(2, -tigre_angle[v][2], p);
	for (int axis = 0; axis < 3; axis++) {
		turned(axis, tigre_rotation[v][axis], u);
		turned(axis, tigre_rotation[v][axis], w);
	}
	const double from[3] = { tigre.dso, tigre_cor[v], 0 };
	const double panel[3] = { tigre.parallel ? 0 : tigre.dso - tigre.dsd, tigre_offset[v][0] + tigre_cor[v], tigre_offset[v][1] };
	for (int i = 0; i < 3; i++)
		way[i] = tigre.parallel ? -(i == 0) : p[i] - from[i];
	meet(tigre.parallel ? p : from, way, panel, u, w, &a, &b);
	*column = (COLUMNS - 1) / 2. + a / tigre.pitch[0];
	*row = (ROWS - 1) / 2. + b / tigre.pitch[1];
}

GT_TESTS(tigre_points, 2)
{
	gt_scan *s;
	for (unsigned v = 0; v < VIEWS; v++) {
		for (unsigned i = 0; i < 3; i++) {
			tigre_rotation[v][i] = _i ? 0 : 0.1 * noise(v, i);
			tigre_angle[v][i] = i ? 0.1 * noise(v, 3 + i) : 0.9 * v;
		}
		tigre_offset[v][0] = 3 * noise(v, 8);
		tigre_offset[v][1] = 2 * noise(v, 9);
		tigre_cor[v] = 1.25;
	}
	tigre.parallel = _i;
	ck_ok(gt_scan_of_tigre(&tigre, &size, &s));
	expect(s, by_tigre);
	gt_scan_free(s);
}

/* CIL: the object rotates by the angle about its own axis; Gantry's axis is at 0, so the point is moved there first. */
static double cil_angle[VIEWS];
static gt_cil_orbit cil = { .source = { 0.5, -110, 0.25 },
	                    .detector = { -1.5, 70, 2 },
	                    .axis = { 0.75, 0.5, 0 },
	                    .axis_direction = { 0, 0, 1 },
	                    .column_direction = { 1, 0, 0 },
	                    .row_direction = { 0, 0.1, 1 },
	                    .ray = { 0.02, 1, 0.01 },
	                    .pitch = { 0.8, 0.9 },
	                    .angle = cil_angle };
static void by_cil(unsigned v, const double x[3], double *column, double *row)
{
	double p[3] = { x[0], x[1], x[2] }, way[3], a, b;
	const double n = hypot(cil.row_direction[1], 1);
	const double side = cil.origin & GT_CIL_RIGHT ? -1 : 1, up = cil.origin & GT_CIL_TOP ? -1 : 1;
	const double u[3] = { side * cil.pitch[0], 0, 0 };
	const double w[3] = { 0, up * cil.pitch[1] * cil.row_direction[1] / n, up * cil.pitch[1] / n };
	turned(2, cil_angle[v], p);
	for (int i = 0; i < 3; i++) {
		p[i] += cil.axis[i];
		way[i] = cil.parallel ? cil.ray[i] : p[i] - cil.source[i];
	}
	meet(cil.parallel ? p : cil.source, way, cil.detector, u, w, &a, &b);
	*column = (COLUMNS - 1) / 2. + a;
	*row = (ROWS - 1) / 2. + b;
}

GT_TESTS(cil_points, 8)
{
	gt_scan *s;
	for (unsigned v = 0; v < VIEWS; v++)
		cil_angle[v] = 0.2 + 0.8 * v;
	cil.parallel = _i >= 4;
	cil.origin = (unsigned)_i % 4;
	ck_ok(gt_scan_of_cil(&cil, &size, &s));
	expect(s, by_cil);
	gt_scan_free(s);
}

/* A laboratory scanner: like CIL's reader of Nikon files, with a rolled and tilted axis. */
static double lab_angle[VIEWS];
static const double lab_shift[VIEWS][2] = { { 0.1, 0.2 }, { -0.3, 0 } };
static const gt_lab_orbit lab = { .source_to_axis = 95,
	                          .source_to_detector = 200,
	                          .pitch = { 0.8, 0.9 },
	                          .axis_offset = 1.7,
	                          .detector_offset = { 0.6, -0.4 },
	                          .axis_roll = 0.03,
	                          .axis_tilt = 0.02,
	                          .angle = lab_angle,
	                          .shift = lab_shift };
static void by_nikon(unsigned v, const double x[3], double *column, double *row)
{
	double p[3] = { x[0], x[1], x[2] }, way[3], a, b;
	const double from[3] = { lab.axis_offset, -lab.source_to_axis, 0 };
	const double panel[3] = { lab.axis_offset - lab.detector_offset[0] - lab_shift[v][0], lab.source_to_detector - lab.source_to_axis,
		                  lab.detector_offset[1] + lab_shift[v][1] };
	const double u[3] = { -1, 0, 0 }, w[3] = { 0, 0, -1 };
	turned(2, GT_PI - lab_angle[v], p);
	/* Q = Rx(-tilt) Ry(roll) */
	turned(1, lab.axis_roll, p);
	turned(0, -lab.axis_tilt, p);
	for (int i = 0; i < 3; i++)
		way[i] = p[i] - from[i];
	meet(from, way, panel, u, w, &a, &b);
	*column = (COLUMNS - 1) / 2. + a / lab.pitch[0];
	*row = (ROWS - 1) / 2. + b / lab.pitch[1];
}

GT_TEST(lab_points)
{
	gt_scan *s;
	for (unsigned v = 0; v < VIEWS; v++)
		lab_angle[v] = 0.2 - 0.8 * v;
	ck_ok(gt_scan_of_lab(&lab, &size, &s));
	expect(s, by_nikon);
	gt_scan_free(s);
}

int main(void) { return gt_test_main("exchange", NULL); }
