#ifndef GT_TESTS_ANALYTIC_BACK_PROBLEMS_H
#define GT_TESTS_ANALYTIC_BACK_PROBLEMS_H
/* Problems for the backprojection of fdk and fbp: odd sizes, shifted grids and detectors, 0.2 to 4 rows per voxel.
 * Arcs, parallel rays, short scans, detectors larger and smaller than a tile, tilted detectors and tilted axes. */
#include "tests/analytic/bodies.h"

/* step: rows per voxel at the axis; wide: columns per voxel. */
typedef struct {
	const char *name;
	gt_shape shape;
	double turn, step, wide;
	size_t n[3], rows, columns, views;
	const char *text;
	double tilt, axis_tilt; /* rad */
	gt_panel panel;
} problem;
static const problem problems[] = {
	{ "flat, step 1", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 37, 41, 83 }, 67, 61, 37, "mask=none", 0, 0, 0 },
	{ "flat, step 0.93, many slices", GT_FLAT, 2 * GT_PI, 0.93, 0.9, { 50, 33, 150 }, 160, 71, 29, "mask=fov", 0, 0, 0 },
	{ "flat, step 1, high", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 19, 21, 270 }, 281, 37, 23, "mask=none", 0, 0, 0 },
	{ "flat, step 0.2", GT_FLAT, 2 * GT_PI, 0.2, 0.2, { 49, 35, 70 }, 17, 15, 24, "mask=none", 0, 0, 0 },
	{ "flat, step 0.4", GT_FLAT, 2 * GT_PI, 0.4, 0.5, { 35, 39, 77 }, 41, 37, 31, "mask=none", 0, 0, 0 },
	{ "flat, step 0.7", GT_FLAT, 4.2, 0.7, 0.7, { 35, 39, 77 }, 61, 47, 31, "mask=none", 0, 0, 0 },
	{ "flat, step 1.6", GT_FLAT, 2 * GT_PI, 1.6, 1.6, { 33, 47, 45 }, 83, 91, 31, "mask=none", 0, 0, 0 },
	{ "flat, step 2.5", GT_FLAT, 2 * GT_PI, 2.5, 2.5, { 33, 31, 45 }, 119, 101, 31, "mask=none", 0, 0, 0 },
	{ "flat, step 4", GT_FLAT, 2 * GT_PI, 4, 4, { 33, 31, 19 }, 83, 155, 31, "mask=none", 0, 0, 0 },
	{ "flat, rows end at zero", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 37, 41, 83 }, 47, 51, 37, "mask=none,rows=zero", 0, 0, 0 },
	{ "flat, far beyond the rows", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 37, 41, 133 }, 19, 61, 37, "mask=fov", 0, 0, 0 },
	{ "flat, narrow columns", GT_FLAT, 2 * GT_PI, 1.1, 3.5, { 30, 27, 70 }, 83, 131, 30, "mask=none", 0, 0, 0 },
	{ "flat, many views", GT_FLAT, 4 * GT_PI, 0.9, 1, { 19, 21, 37 }, 33, 35, 523, "mask=none", 0, 0, 0 },
	{ "arc, step 1", GT_ARC, 2 * GT_PI, 1.0, 1.6, { 37, 41, 83 }, 67, 81, 37, "mask=none", 0, 0, 0 },
	{ "arc, step 0.4", GT_ARC, 3.9, 0.4, 0.6, { 37, 41, 83 }, 31, 41, 37, "mask=none", 0, 0, 0 },
	{ "arc, step 2.5", GT_ARC, 2 * GT_PI, 2.5, 2.2, { 37, 41, 9 }, 31, 101, 37, "mask=none", 0, 0, 0 },
	{ "flat, step 1.4", GT_FLAT, 2 * GT_PI, 1.4, 1.3, { 33, 47, 45 }, 75, 81, 31, "mask=none", 0, 0, 0 },
	{ "arc, step 1.75", GT_ARC, 2 * GT_PI, 1.75, 1.5, { 37, 41, 43 }, 91, 83, 31, "mask=none", 0, 0, 0 },
	{ "flat, step 1.6, two tiles high", GT_FLAT, 2 * GT_PI, 1.6, 3.1, { 17, 19, 67 }, 119, 91, 31, "mask=none,rows=zero", 0, 0, 0 },
	{ "arc, coarse voxels", GT_ARC, 2 * GT_PI, 1.0, 1.0, { 9, 11, 13 }, 19, 17, 19, "mask=none", 0, 0, 0 },
	{ "parallel", GT_PARALLEL, GT_PI, 1.0, 1.0, { 37, 41, 83 }, 77, 61, 37, "mask=none", 0, 0, 0 },
	{ "slightly tilted, step 2.4", GT_FLAT, 3.9, 2.4, 2.4, { 37, 41, 53 }, 131, 111, 33, "mask=none", 3e-3, 0, 0 },
	{ "strongly tilted, step 0.9", GT_FLAT, 2 * GT_PI, 0.9, 0.9, { 37, 41, 53 }, 61, 53, 33, "mask=fov", 0.1, 0, 0 },
	{ "tilted, rows end at zero", GT_FLAT, 2 * GT_PI, 1.5, 1.3, { 37, 41, 53 }, 51, 53, 33, "mask=none,rows=zero", 0.05, 0, 0 },
	{ "very slightly tilted, step 2.4", GT_FLAT, 3.9, 2.4, 2.4, { 37, 41, 53 }, 131, 111, 33, "mask=none", 2e-5, 0, 0 },
	{ "little tilted, step 2.4", GT_FLAT, 3.9, 2.4, 2.4, { 37, 41, 53 }, 131, 111, 33, "mask=none", 1.5e-3, 0, 0 },
	{ "tilted, some blocks too wide", GT_FLAT, 3.9, 2.4, 3.2, { 67, 71, 37 }, 101, 261, 33, "mask=none", 1e-3, 0, 0 },
	{ "strongly tilted, step 2.4, blocks too wide", GT_FLAT, 3.9, 2.4, 3.2, { 67, 71, 37 }, 101, 261, 33, "mask=none", 0.02, 0, 0 },
	{ "tilted by rounding", GT_FLAT, 2 * GT_PI, 1.1, 1.3, { 27, 31, 53 }, 61, 53, 33, "mask=none", 1e-8, 0, 0 },
	{ "211 columns", GT_FLAT, 2 * GT_PI, 1.0, 1.6, { 37, 41, 17 }, 21, 211, 7, "mask=none", 0, 0, 0 },
	{ "401 columns, odd rows", GT_ARC, 2 * GT_PI, 1.0, 3, { 37, 41, 17 }, 13, 401, 7, "mask=none", 0, 0, 0 },
	{ "803 columns, truncated", GT_FLAT, 4.5, 1.0, 24, { 37, 41, 17 }, 15, 803, 17, "mask=none", 0, 0, 0 },
	{ "1301 columns", GT_FLAT, 2 * GT_PI, 1.0, 9, { 37, 41, 17 }, 11, 1301, 5, "mask=none,filter=hann", 0, 0, 0 },
	{ "2101 columns, not a power of two", GT_FLAT, 2 * GT_PI, 1.0, 15, { 37, 41, 5 }, 7, 2101, 5, "mask=none", 0, 0, 0 },
	{ "flat, many columns of voxels", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 300, 270, 19 }, 31, 401, 7, "mask=none", 0, 0, 0 },
	{ "flat, halves mirror", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 37, 41, 128 }, 143, 61, 37, "mask=none", 0, 0, 0 },
	{ "flat, halves mirror, not all in runs", GT_FLAT, 2 * GT_PI, 1.06, 1.1, { 37, 35, 64 }, 66, 61, 37, "mask=none", 0, 0, 0 },
	{ "arc, halves mirror, beyond the rows", GT_ARC, 2 * GT_PI, 0.95, 1.1, { 37, 41, 192 }, 62, 61, 37, "mask=fov", 0, 0, 0 },
	{ "parallel, halves mirror", GT_PARALLEL, GT_PI, 1.0, 1.0, { 33, 41, 64 }, 41, 61, 37, "mask=none,rows=zero", 0, 0, 0 },
	{ "tilted axis, beam panel", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 37, 41, 53 }, 81, 61, 37, "mask=none", 0, 0.52, GT_PANEL_BEAM },
	{ "tilted axis, beam panel, 60 degrees", GT_FLAT, 2 * GT_PI, 1.1, 1.1, { 37, 41, 23 }, 71, 61, 37, "mask=none,rows=zero", 0, 1.05,
	  GT_PANEL_BEAM },
	{ "tilted axis, stage panel", GT_FLAT, 2 * GT_PI, 0.9, 0.9, { 37, 41, 31 }, 91, 57, 37, "mask=none", 0, 0.7, GT_PANEL_STAGE },
	{ "tilted axis, stage panel, plate", GT_FLAT, 2 * GT_PI, 1.3, 1.2, { 61, 67, 9 }, 71, 81, 37, "mask=fov", 0, 0.52, GT_PANEL_STAGE },
	{ "tilted axis, axis panel", GT_FLAT, 2 * GT_PI, 1.0, 1.0, { 37, 41, 53 }, 141, 61, 37, "mask=none", 0, 0.52, GT_PANEL_AXIS },
	{ "tilted axis, parallel, beam panel", GT_PARALLEL, 2 * GT_PI, 1.0, 1.0, { 37, 41, 43 }, 77, 61, 37, "mask=none", 0, 0.52,
	  GT_PANEL_BEAM },
	{ "tilted axis, parallel, stage panel", GT_PARALLEL, 2 * GT_PI, 1.4, 1.2, { 37, 41, 43 }, 77, 61, 37, "mask=none,rows=zero", 0, 0.9,
	  GT_PANEL_STAGE },
	{ "tilted axis, parallel, axis panel", GT_PARALLEL, 2 * GT_PI, 0.8, 0.9, { 37, 41, 43 }, 77, 61, 37, "mask=fov", 0, 0.52,
	  GT_PANEL_AXIS },
	{ "tilted axis, many views", GT_FLAT, 4 * GT_PI, 1.0, 1.0, { 35, 33, 17 }, 61, 57, 301, "mask=none", 0, 0.8, GT_PANEL_BEAM },
	{ "one row", GT_FLAT, 2 * GT_PI, 1.0, 1.3, { 37, 41, 1 }, 1, 61, 37, "mask=none", 0, 0, 0 },
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* Voxels of 1.1 x 1.1 x 1.3 mm, larger if there are few, with pixels to match. Grids of multiples of 64 slices are
 * centred on the rows, others are not. */
static inline gt_scan *scan_of(const problem *p, gt_grid *g)
{
	const double size = 40.0 / (double)p->n[0], enlarged = p->shape == GT_PARALLEL ? 1 : 1.55;
	const double beside = p->n[2] % 64 ? 1 : 0;
	const gt_orbit o = { .shape = p->shape,
		             .views = p->views,
		             .rows = p->rows,
		             .columns = p->columns,
		             .source_to_axis = 160,
		             .source_to_detector = p->shape == GT_PARALLEL ? 200 : 160 * enlarged,
		             .column_pitch = size * enlarged / p->wide,
		             .row_pitch = 1.2 * size * enlarged / p->step,
		             .column_offset = 0.4,
		             .row_offset = -0.6 * beside,
		             .start_angle = 0.3,
		             .turn = p->turn,
		             .tilt = p->axis_tilt,
		             .panel = p->panel };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&o, &s));
	for (size_t v = 0; v < s->views && p->tilt; v++) {
		tilt_view(&s->view[v], p->tilt * sin(3.0 * (double)v), p->tilt * cos(2.0 * (double)v));
		s->view[v].source[2] += fmin(30 * p->tilt, 0.2) * sin(5.0 * (double)v);
	}
	*g = (gt_grid){ { p->n[0], p->n[1], p->n[2] },
		        { size, 1.03 * size, 1.2 * size },
		        { 0.4 * size, -0.7 * size, 0.3 * size * beside } };
	return s;
}

static inline double *random_data(size_t n)
{
	float *r = malloc(n * sizeof *r);
	double *p = malloc(n * sizeof *p);
	ck_assert(r && p);
	gt_test_random(7, n, r);
	for (size_t i = 0; i < n; i++)
		p[i] = r[i];
	free(r);
	return p;
}

static inline double difference(const double *x, const double *y, size_t n)
{
	double d = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		d += (x[i] - y[i]) * (x[i] - y[i]);
		size += y[i] * y[i];
	}
	return size > 0 ? sqrt(d / size) : INFINITY;
}

#endif
