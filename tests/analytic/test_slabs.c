/* Slabs of slices and batches of views against direct methods in one call: any partition gives the same volume. */
/* labels: unit property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "analytic/fbp/slab.h"
#include "core/device/backend.h"
#include "tests/support/support.h"

typedef struct {
	const char *name, *method, *options;
	gt_orbit orbit;
	gt_grid grid;
	int reversed; /* 1: rows and columns of all views, 2: of every other view */
	double tilt;  /* detector tilt in its plane and out of it, rad */
} example;

#define CONE                                                                                                                             \
	.views = 23, .rows = 31, .columns = 37, .source_to_axis = 200, .source_to_detector = 320, .column_pitch = 2.1, .row_pitch = 1.7, \
	.start_angle = 0.4
#define ODD                                                            \
	{                                                              \
		{ 19, 22, 29 }, { 2.2, 2.3, 1.15 }, { 1.4, -0.7, 2.3 } \
	}
#define LARGE                                                           \
	{                                                               \
		{ 33, 37, 53 }, { 3.2, 2.9, 1.9 }, { -4.4, 3.7, -11.3 } \
	}
static const double spots[2][3] = { { -1.3, 0.4, 0 }, { 0.9, -0.5, 0.3 } };

static const example examples[] = {
	{ "flat, circle", "fdk", NULL, { GT_FLAT, CONE, .turn = 2 * GT_PI, .row_offset = 0.3 }, ODD, 0, 0 },
	{ "flat, grid larger than the beam", "fdk", "mask=none", { GT_FLAT, CONE, .turn = 2 * GT_PI }, LARGE, 0, 0 },
	{ "flat, nothing beyond the rows", "fdk", "rows=zero", { GT_FLAT, CONE, .turn = 2 * GT_PI, .row_offset = -2.2 }, LARGE, 1, 0 },
	{ "flat, short scan", "fdk", "filter=hann", { GT_FLAT, CONE, .turn = 3.9 }, ODD, 2, 0 },
	{ "flat, offset detector", "fdk", NULL, { GT_FLAT, CONE, .turn = 2 * GT_PI, .column_offset = 6.3, .row_offset = -1.1 }, ODD, 0, 0 },
	{ "arc, circle, rows upside down", "fdk", NULL, { GT_ARC, CONE, .turn = 2 * GT_PI, .column_offset = 0.25 }, LARGE, 1, 0 },
	{ "arc, nothing beyond the rows", "fdk", "rows=zero,mask=none", { GT_ARC, CONE, .turn = 2 * GT_PI }, LARGE, 2, 0 },
	{ "arc, flying focal spot", "fdk", NULL, { GT_ARC, CONE, .turn = 2 * GT_PI, .spot = spots, .spots = 2 }, ODD, 0, 0 },
	{ "flat, tilted", "fdk", "mask=none", { GT_FLAT, CONE, .turn = 2 * GT_PI }, ODD, 0, 0.1 },
	{ "flat, tilted, upside down, nothing beyond", "fdk", "rows=zero", { GT_FLAT, CONE, .turn = 3.9 }, LARGE, 1, 0.07 },
	{ "one row",
	  "fdk",
	  NULL,
	  { GT_FLAT, .views = 23, .rows = 1, .columns = 37, .source_to_axis = 200, .source_to_detector = 320, .column_pitch = 2.1,
	    .row_pitch = 1.7, .turn = 2 * GT_PI },
	  { { 19, 22, 5 }, { 2.2, 2.3, 1.15 }, { 1.4, -0.7, 0.3 } },
	  0,
	  0 },
	{ "tilted axis, beam panel",
	  "fdk",
	  "mask=none",
	  { GT_FLAT, CONE, .turn = 2 * GT_PI, .tilt = 0.55, .panel = GT_PANEL_BEAM, .row_offset = 0.3 },
	  ODD,
	  0,
	  0 },
	{ "tilted axis, stage panel, rows reversed",
	  "fdk",
	  "rows=zero",
	  { GT_FLAT, CONE, .turn = 2 * GT_PI, .tilt = 0.9, .panel = GT_PANEL_STAGE },
	  LARGE,
	  1,
	  0 },
	{ "tilted axis, axis panel", "fdk", NULL, { GT_FLAT, CONE, .turn = 2 * GT_PI, .tilt = 0.55, .panel = GT_PANEL_AXIS }, ODD, 2, 0 },
	{ "tilted axis, parallel",
	  "fbp",
	  NULL,
	  { GT_PARALLEL, .views = 25, .rows = 17, .columns = 33, .column_pitch = 1.3, .row_pitch = 1.7, .turn = 2 * GT_PI,
	    .column_offset = 1.7, .tilt = 0.55 },
	  ODD,
	  0,
	  0 },
	{ "tilted axis, parallel, stage panel",
	  "fbp",
	  "mask=none,rows=zero",
	  { GT_PARALLEL, .views = 25, .rows = 17, .columns = 33, .column_pitch = 1.3, .row_pitch = 1.7, .turn = 2 * GT_PI, .tilt = 0.9,
	    .panel = GT_PANEL_STAGE },
	  LARGE,
	  2,
	  0 },
	{ "parallel",
	  "fbp",
	  NULL,
	  { GT_PARALLEL, .views = 25, .rows = 17, .columns = 33, .column_pitch = 1.3, .row_pitch = 1.7, .turn = GT_PI,
	    .column_offset = 1.7 },
	  ODD,
	  0,
	  0 },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static void turn_about(const double axis[3], double angle, double v[3])
{
	const double c = cos(angle), s = sin(angle), along = (axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]) * (1 - c);
	const double cross[3] = { axis[1] * v[2] - axis[2] * v[1], axis[2] * v[0] - axis[0] * v[2], axis[0] * v[1] - axis[1] * v[0] };
	for (int a = 0; a < 3; a++)
		v[a] = c * v[a] + s * cross[a] + along * axis[a];
}

static void tilt_view(gt_view *w, double angle)
{
	double normal[3];
	for (int a = 0; a < 3; a++)
		normal[a] = (w->detector[a] - w->source[a]) / 320;
	turn_about(normal, angle, w->column_axis);
	turn_about(normal, angle, w->row_axis);
	turn_about(w->column_axis, -angle / 2, w->row_axis);
}

static gt_scan *scan_of(const example *e)
{
	gt_scan *s;
	ck_ok(gt_scan_orbit(&e->orbit, &s));
	for (size_t v = 0; v < s->views; v++) {
		gt_view *w = &s->view[v];
		if (e->tilt != 0)
			tilt_view(w, e->tilt * cos((double)v));
		for (int a = 0; e->reversed && v % (size_t)e->reversed == 0 && a < 3; a++) {
			w->column_axis[a] *= -1;
			w->row_axis[a] *= -1;
		}
	}
	ck_ok(gt_scan_check(s));
	return s;
}

static void *options_of(const gt_analytic *m, const char *text)
{
	void *options;
	ck_ok(gt_params_new(m->params, text, m->defaults, m->options_size, &options));
	return options;
}

static float *whole(gt_backend *be, gt_type type, const gt_analytic *m, const example *e, const gt_scan *scan, const float *data,
                    const void *options)
{
	gt_array *p, *x;
	float *out = malloc(gt_grid_voxels(&e->grid) * sizeof *out);
	ck_ok(gt_array_new(be, type, gt_scan_size(scan), &p));
	ck_ok(gt_array_new(be, type, gt_grid_voxels(&e->grid), &x));
	gt_array_put_float(data, p);
	ck_ok(gt_analytic_run(m, be, &e->grid, scan, options, p, x));
	gt_array_get_float(x, out);
	gt_array_free(p);
	gt_array_free(x);
	return out;
}

/* Adds one batch, with only the rows that the slab needs. */
static void add(gt_slab *slab, const gt_scan *scan, const float *data, size_t view, size_t views, size_t row, size_t rows, gt_backend *be,
                gt_type type)
{
	gt_array *part;
	float *cut = malloc(views * rows * scan->columns * sizeof *cut);
	for (size_t v = 0; v < views; v++)
		memcpy(cut + v * rows * scan->columns, data + ((view + v) * scan->rows + row) * scan->columns,
		       rows * scan->columns * sizeof *cut);
	ck_ok(gt_array_new(be, type, views * rows * scan->columns, &part));
	gt_array_put_float(cut, part);
	gt_slab_filter(slab, view, views, part->data);
	gt_slab_back(slab);
	ck_ok(gt_backend_status(be));
	gt_array_free(part);
	free(cut);
}

static float *by_slabs(gt_backend *be, gt_type type, const gt_slab_plan *s, const example *e, const gt_scan *scan, const float *data,
                       size_t slices, size_t batch, size_t *max_rows)
{
	const size_t plane = e->grid.n[0] * e->grid.n[1];
	float *out = malloc(gt_grid_voxels(&e->grid) * sizeof *out);
	*max_rows = 0;
	for (size_t z = 0; z < e->grid.n[2]; z += slices) {
		const size_t n = e->grid.n[2] - z < slices ? e->grid.n[2] - z : slices;
		size_t row, rows;
		gt_array *x;
		gt_slab *slab;
		gt_slab_plan_rows(s, z, n, &row, &rows);
		ck_assert(row + rows <= scan->rows);
		*max_rows = rows > *max_rows ? rows : *max_rows;
		ck_ok(gt_array_new(be, type, n * plane, &x));
		ck_ok(gt_slab_new(s, z, n, batch, x, &slab));
		for (size_t v = 0; v < scan->views; v += batch)
			add(slab, scan, data, v, scan->views - v < batch ? scan->views - v : batch, row, rows, be, type);
		gt_array_get_float(x, out + z * plane);
		gt_slab_free(slab);
		gt_array_free(x);
	}
	return out;
}

static void check_example(const example *e, gt_type type, double tolerance)
{
	static const size_t cut[][2] = { { 1, 1000 }, { 4, 5 }, { 7, 1 }, { 1000, 8 } };
	gt_backend *be = gt_test_backend();
	const gt_analytic *m = gt_analytic_find(e->method);
	gt_scan *scan = scan_of(e);
	void *options = options_of(m, e->options);
	gt_slab_plan *s;
	float *data = malloc(gt_scan_size(scan) * sizeof *data);
	gt_test_random(7, gt_scan_size(scan), data);
	float *expected = whole(be, type, m, e, scan, data, options);
	ck_ok(gt_slab_plan_new(m, &e->grid, scan, options, gt_backend_pool(be), &s));
	for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
		size_t rows;
		float *got = by_slabs(be, type, s, e, scan, data, cut[i][0], cut[i][1], &rows);
		const double off = gt_test_rms(got, expected, gt_grid_voxels(&e->grid));
		ck_assert_msg(off < tolerance, "%s: slabs of %zu slices, batches of %zu views: off by %g", e->name, cut[i][0], cut[i][1],
		              off);
		/* A plate is seen by nearly all rows at any height. */
		ck_assert_msg(scan->rows == 1 || cut[i][0] > 4 || e->reversed == 2 || e->orbit.tilt != 0 || rows < scan->rows,
		              "%s: slabs of %zu slices take all %zu rows", e->name, cut[i][0], rows);
		free(got);
	}
	free(expected);
	free(data);
	free(options);
	gt_slab_plan_free(s);
	gt_scan_free(scan);
	gt_backend_close(be);
}

/* Random data are as rough as possible, so that other rounding of positions shows. CUDA kernels of tilted detectors
 * round positions within a tile, and slabs have other tiles. With any cut, an H200 has errors up to 7.2e-6; two cuts
 * differ by 9.4e-6. test_kernels.c allows these kernels 1.5e-5. */
GT_TESTS(any_cut_in_single_precision, EXAMPLES)
{
	const example *e = &examples[_i];
	const int tilted = e->tilt != 0 || e->orbit.tilt != 0;
	check_example(e, GT_F32, tilted && gt_test_is_gpu() ? 1.5e-5 : 4e-6);
}

GT_TESTS(any_cut_in_double_precision, EXAMPLES) { check_example(&examples[_i], GT_F64, 1e-9); }

/* The grid extends behind the sources; only the circular mask bounds the rows of a slice. */
GT_TEST(rows_of_wide_grids)
{
	const example *e = &examples[0];
	gt_grid wide = e->grid;
	gt_scan *scan = scan_of(e);
	gt_slab_plan *s;
	size_t row, rows;
	wide.pitch[0] = wide.pitch[1] = 12;
	ck_ok(gt_slab_plan_new(gt_analytic_find("fdk"), &wide, scan, NULL, NULL, &s));
	gt_slab_plan_rows(s, 14, 1, &row, &rows);
	ck_assert_msg(rows < scan->rows / 2, "a slice takes %zu of %zu rows", rows, scan->rows);
	gt_slab_plan_free(s);
	gt_scan_free(scan);
}

GT_TEST(refusals)
{
	gt_backend *be = gt_test_backend();
	const example *e = &examples[0];
	gt_scan *scan = scan_of(e);
	gt_slab_plan *s;
	gt_slab *slab;
	gt_array *x;
	ck_refused(gt_slab_plan_new(gt_analytic_find("wfbp"), &e->grid, scan, NULL, NULL, &s), GT_ERR_UNSUPPORTED, "expected fdk or fbp");
	ck_refused(gt_slab_plan_new(gt_analytic_find("fbp"), &e->grid, scan, NULL, NULL, &s), GT_ERR_UNSUPPORTED, "use fdk");
	ck_ok(gt_slab_plan_new(gt_analytic_find("fdk"), &e->grid, scan, NULL, NULL, &s));
	ck_ok(gt_array_new(be, GT_F32, 2 * e->grid.n[0] * e->grid.n[1], &x));
	ck_refused(gt_slab_new(s, 0, 3, 1, x, &slab), GT_ERR_ARG, "expected");
	ck_refused(gt_slab_new(s, e->grid.n[2] - 1, 2, 1, x, &slab), GT_ERR_ARG, "expected");
	gt_array_free(x);
	gt_slab_plan_free(s);
	gt_scan_free(scan);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("slabs", NULL); }
