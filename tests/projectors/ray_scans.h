#ifndef GT_TESTS_RAY_SCANS_H
#define GT_TESTS_RAY_SCANS_H
/* Scans for the ray-driven projectors: those of tests/support/geometries.c, also with rotated detectors and
 * gantries. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include "tests/support/geometries.h"
#include "tests/support/support.h"

static inline void ray_turn(const double *unit, double angle, double *x)
{
	const double c = cos(angle), s = sin(angle), along = (unit[0] * x[0] + unit[1] * x[1] + unit[2] * x[2]) * (1 - c);
	const double y[3] = { x[0] * c + (unit[1] * x[2] - unit[2] * x[1]) * s + unit[0] * along,
		              x[1] * c + (unit[2] * x[0] - unit[0] * x[2]) * s + unit[1] * along,
		              x[2] * c + (unit[0] * x[1] - unit[1] * x[0]) * s + unit[2] * along };
	for (int a = 0; a < 3; a++)
		x[a] = y[a];
}

/* Rotates the detector about its normal, the detector about column_axis, or the whole gantry about a horizontal
 * axis. */
enum ray_tilt { RAY_ROLL, RAY_TILT, RAY_GANTRY };

static inline void ray_tilt_view(gt_view *w, enum ray_tilt how, double angle)
{
	const double level[3] = { 0.6, 0.8, 0 };
	double normal[3], length = 0, column[3];
	for (int a = 0; a < 3; a++) {
		normal[a] = w->detector[a] - w->source[a];
		length += normal[a] * normal[a];
		column[a] = w->column_axis[a];
	}
	for (int a = 0; a < 3; a++)
		normal[a] /= sqrt(length);
	if (how != RAY_GANTRY) {
		ray_turn(how == RAY_ROLL ? normal : column, angle, w->column_axis);
		ray_turn(how == RAY_ROLL ? normal : column, angle, w->row_axis);
		return;
	}
	double *const all[] = { w->source, w->detector, w->column_axis, w->row_axis, w->arc_center };
	for (int k = 0; k < 5; k++)
		ray_turn(level, angle, all[k]);
}

static const struct {
	const char *name;
	int base;
	enum ray_tilt how;
	double degrees;
} ray_tilts[] = {
	{ "arc, rolled 5 degrees", 0, RAY_ROLL, 5 },          { "arc, rolled 30 degrees", 0, RAY_ROLL, 30 },
	{ "flat, rolled 5 degrees", 3, RAY_ROLL, 5 },         { "flat, rolled -30 degrees", 3, RAY_ROLL, -30 },
	{ "parallel, rolled 30 degrees", 6, RAY_ROLL, 30 },   { "flat, rows 5 degrees off z", 3, RAY_TILT, 5 },
	{ "flat, rows 30 degrees off z", 4, RAY_TILT, 30 },   { "parallel, rows 30 degrees off z", 6, RAY_TILT, -30 },
	{ "arc, gantry tilted 5 degrees", 1, RAY_GANTRY, 5 }, { "arc, gantry tilted 30 degrees", 0, RAY_GANTRY, 30 },
	{ "arc, gantry tilted 70 degrees", 0, RAY_GANTRY, 70 }, { "flat, gantry tilted -80 degrees", 3, RAY_GANTRY, -80 },
	{ "parallel, gantry tilted 50 degrees", 6, RAY_GANTRY, 50 },
};
enum { RAY_TILTS = sizeof ray_tilts / sizeof *ray_tilts };

/* Sources on all sides of a grid outside their circle, near it or not; some look away from it or past it. */
enum { RAY_BESIDE = 4 };
static inline struct gt_test_geometry ray_beside(int i)
{
	static const char *const names[] = { "flat, grid outside the orbit", "arc, grid outside the orbit", "flat, grid far from the orbit",
		                             "arc, grid far from the orbit" };
	const gt_orbit orbit = { .shape = i % 2 ? GT_ARC : GT_FLAT, .views = 9, .rows = 4, .columns = i / 2 ? 15 : 33, .source_to_axis = 60,
		                 .source_to_detector = 90, .column_pitch = i % 2 ? 6.1 : 9.2, .row_pitch = 5, .start_angle = 0.1,
		                 .turn = 6.283185307179586 };
	const double x = (i % 2 ? -1 : 1) * (i / 2 ? 110 : 73);
	struct gt_test_geometry g = { names[i], NULL, { { 9, 14, 6 }, { 2.1, 1.8, 1.6 }, { x, -4, 1 } } };
	ck_ok(gt_scan_orbit(&orbit, &g.scan));
	return g;
}

static inline int ray_scans(void) { return RAY_BESIDE + gt_test_geometries() + RAY_TILTS; }

/* The caller frees scan. Uses every second view, and every fourth of tilted scans. */
static inline struct gt_test_geometry ray_scan(int i)
{
	const int tilt = i - RAY_BESIDE - gt_test_geometries();
	if (i < RAY_BESIDE)
		return ray_beside(i);
	i -= RAY_BESIDE;
	const struct gt_test_geometry g = gt_test_geometry(tilt < 0 ? i : ray_tilts[tilt].base);
	gt_scan *part = NULL;
	ck_ok(gt_scan_subset(g.scan, 0, tilt < 0 ? 2 : 4, &part));
	gt_scan_free(g.scan);
	if (tilt < 0)
		return (struct gt_test_geometry){ g.name, part, g.grid };
	for (size_t v = 0; v < part->views; v++)
		ray_tilt_view(&part->view[v], ray_tilts[tilt].how, ray_tilts[tilt].degrees * GT_PI / 180);
	ck_ok(gt_scan_check(part));
	return (struct gt_test_geometry){ ray_tilts[tilt].name, part, g.grid };
}

/* Corners and faces of central voxels lie on edges between pixels, and rays along diagonals. The caller frees scan. */
static inline struct gt_test_geometry ray_at_rest(int i)
{
	static const char *const names[] = { "flat, on edges", "arc, on edges", "parallel, on edges", "rows off z, on edges" };
	static const gt_shape shapes[] = { GT_FLAT, GT_ARC, GT_PARALLEL, GT_FLAT };
	const int kind = i / 2 % 4;
	const gt_orbit orbit = { .shape = shapes[kind], .views = 8, .rows = 6, .columns = 8, .source_to_axis = 300,
		                 .source_to_detector = 600, .column_pitch = 2, .row_pitch = 2, .turn = 6.283185307179586 };
	const size_t n = i % 2 ? 5 : 4;
	struct gt_test_geometry g = { names[kind], NULL, { { n, n, n }, { 1, 1, 1 }, { 0, 0, 0 } } };
	ck_ok(gt_scan_orbit(&orbit, &g.scan));
	for (size_t v = 0; kind == 3 && v < g.scan->views; v++)
		ray_tilt_view(&g.scan->view[v], RAY_TILT, 0.1);
	return g;
}

/* Blobs of different widths, some of which reach beyond the grid. */
static inline gt_array *smooth_volume(gt_backend *be, gt_type type, const gt_grid *g)
{
	const size_t n = gt_grid_voxels(g);
	float *v = malloc(n * sizeof *v);
	gt_array *x;
	for (size_t i = 0; i < n; i++) {
		const double at[3] = { (double)(i % g->n[0]), (double)(i / g->n[0] % g->n[1]), (double)(i / g->n[0] / g->n[1]) };
		double sum = 0;
		for (int k = 0; k < 3; k++) {
			double square = 0;
			for (int a = 0; a < 3; a++)
				square += pow(at[a] / (double)g->n[a] - 0.3 - 0.2 * ((k + a) % 3), 2) / (0.03 + 0.02 * k);
			sum += (1 + 0.4 * k) * exp(-square);
		}
		v[i] = (float)(0.02 * sum);
	}
	ck_ok(gt_array_new(be, type, n, &x));
	gt_array_put_float(v, x);
	free(v);
	return x;
}
#endif
