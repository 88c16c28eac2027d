#ifndef GT_TESTS_ANALYTIC_PLATES_H
#define GT_TESTS_ANALYTIC_PLATES_H
/* Scans about a tilted axis, and exact projections of spheres, boxes and discs. */
#include "tests/analytic/bodies.h"

/* size: BALL: radius; BOX: halves along x, y, z; DISC about a line along z: radius, half height. */
enum { BALL, BOX, DISC, SOLIDS_MAX = 8 };
typedef struct { int kind; double center[3], size[3], mu; } solid;

/* Clips from .. end to |f + t d| <= half. */
static inline void clip(double f, double d, double half, double *from, double *end)
{
	if (fabs(d) < 1e-12) {
		*end = fabs(f) < half ? *end : -INFINITY;
		return;
	}
	*from = fmax(*from, (-copysign(half, d) - f) / d);
	*end = fmin(*end, (copysign(half, d) - f) / d);
}

static inline double solid_chord(const solid *b, const double from[3], const double d[3])
{
	double f[3], begin = -INFINITY, end = INFINITY;
	for (int a = 0; a < 3; a++)
		f[a] = from[a] - b->center[a];
	const int axes = b->kind == BALL ? 3 : 2;
	double dd = 0, df = 0, ff = 0;
	for (int a = 0; a < axes; a++) {
		dd += d[a] * d[a];
		df += d[a] * f[a];
		ff += f[a] * f[a];
	}
	if (b->kind != BOX) {
		const double disc = df * df - dd * (ff - b->size[0] * b->size[0]);
		if (!(disc > 0))
			return 0;
		begin = (-df - sqrt(disc)) / dd;
		end = (-df + sqrt(disc)) / dd;
	}
	for (int a = 0; a < 2 && b->kind == BOX; a++)
		clip(f[a], d[a], b->size[a], &begin, &end);
	if (b->kind != BALL)
		clip(f[2], d[2], b->kind == BOX ? b->size[2] : b->size[1], &begin, &end);
	return begin < end ? (end - begin) * sqrt(gt_dot3(d, d)) : 0;
}

/* Returns 0 if the ray and all rays within 2 mm of it miss the solid. */
static inline int solid_is_near(const solid *b, const double from[3], const double d[3])
{
	const double radius = b->kind == BALL ? b->size[0] : hypot(hypot(b->size[0], b->size[1]), b->size[2]), reach = radius + 2;
	const double f[3] = { from[0] - b->center[0], from[1] - b->center[1], from[2] - b->center[2] };
	const double dd = gt_dot3(d, d), df = gt_dot3(d, f);
	return gt_dot3(f, f) * dd - df * df < reach * reach * dd;
}

/* Line integrals, means of 2 x 2 rays in each pixel. */
static inline double *solids_project(const solid *b, size_t n, const gt_scan *scan)
{
	const gt_detector d = gt_scan_detector(scan);
	double *p = calloc(gt_scan_size(scan), sizeof *p), *at = p;
	ck_assert_ptr_nonnull(p);
	ck_assert_uint_le(n, SOLIDS_MAX);
	for (size_t v = 0; v < scan->views; v++)
		for (size_t l = 0; l < scan->rows; l++)
			for (size_t k = 0; k < scan->columns; k++, at++) {
				double from[3], ray[3];
				size_t near[SOLIDS_MAX], found = 0;
				gt_pixel_ray(&d, &scan->view[v], (double)k, (double)l, from, ray);
				for (size_t i = 0; i < n; i++)
					if (solid_is_near(&b[i], from, ray))
						near[found++] = i;
				for (int sub = 0; sub < 4 && found; sub++) {
					const double column = (double)k - 0.25 + 0.5 * (sub & 1), row = (double)l - 0.25 + 0.5 * (sub >> 1);
					gt_pixel_ray(&d, &scan->view[v], column, row, from, ray);
					for (size_t i = 0; i < found; i++)
						*at += b[near[i]].mu / 4 * solid_chord(&b[near[i]], from, ray);
				}
			}
	return p;
}

/* 1 mm pixels at the axis, 240 mm from the source, magnified 3 times. Panels that are oblique to the rays have wider
 * rows, so that they see as much. */
static inline gt_orbit plate_orbit(gt_shape shape, double tilt, gt_panel panel)
{
	const double enlarged = shape == GT_PARALLEL ? 1 : 3,
		     row = panel == GT_PANEL_AXIS ? 1 / cos(tilt) : panel == GT_PANEL_STAGE ? 1 / fmax(sin(tilt), 0.45) : 1;
	return (gt_orbit){ .shape = shape,
		           .views = 160,
		           .rows = panel == GT_PANEL_AXIS ? 136 : 100,
		           .columns = 100,
		           .source_to_axis = 240,
		           .source_to_detector = 720,
		           .column_pitch = enlarged,
		           .row_pitch = enlarged * row,
		           .turn = 2 * GT_PI,
		           .tilt = tilt,
		           .panel = panel };
}

static inline gt_scan *plate_scan(const gt_orbit *o)
{
	gt_scan *s;
	ck_ok(gt_scan_orbit(o, &s));
	return s;
}

static inline const char *plate_method(const gt_scan *s) { return s->shape == GT_PARALLEL ? "fbp" : "fdk"; }

#endif
