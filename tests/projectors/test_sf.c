/* The separable-footprint pairs: entries against their definition, the adjoint entry by entry, values against exact line
 * integrals, tilted detectors, and what is refused.
 * labels: property physics unit */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/scan_math.h"
#include "projectors/projector.h"
#include "tests/support/geometries.h"
#include "tests/support/images.h"
#include "tests/support/support.h"

#define PI 3.14159265358979323846

static const char *const names[2] = { "sf-tr", "sf-tt" };

/* Geometries: those of all projectors, and some with the detector turned out of the vertical. ------------------------- */

static const struct {
	const char *name;
	int base;
	double roll, pitch, sway; /* rad; sway: another roll in every view */
} tilted[] = {
	{ "flat, rolled by 6 degrees", 3, 0.105, 0, 0 },
	{ "flat, pitched by 11 degrees", 3, 0, 0.19, 0 },
	{ "flat, high magnification, rolled and pitched", 4, -0.04, -0.07, 0 },
	{ "flat, swaying like a C-arm", 3, 0, 0.01, 0.02 },
	{ "arc, rolled by 3 degrees", 0, 0.052, 0, 0 },
	{ "arc, flying focal spot, rolled", 2, -0.03, 0, 0 },
	{ "parallel, climbing rays, rolled by 8 degrees", 11, 0.14, 0, 0 },
	{ "flat, tall cells, reversed, rolled by 14 degrees", 10, 0.24, 0, 0 },
};
enum { TILTED = sizeof tilted / sizeof *tilted };

static void rotate(double *a, double *b, double angle)
{
	for (int i = 0; i < 3; i++) {
		const double x = a[i], y = b[i];
		a[i] = cos(angle) * x + sin(angle) * y;
		b[i] = cos(angle) * y - sin(angle) * x;
	}
}

static void tilt_scan(gt_scan *s, double roll, double pitch, double sway)
{
	for (size_t v = 0; v < s->views; v++) {
		gt_view *w = &s->view[v];
		double normal[3];
		for (int a = 0; a < 3; a++) {
			const int b = (a + 1) % 3, c = (a + 2) % 3;
			normal[a] = w->column_axis[b] * w->row_axis[c] - w->column_axis[c] * w->row_axis[b];
		}
		rotate(w->column_axis, w->row_axis, roll + sway * sin(7.0 * (double)v));
		rotate(w->row_axis, normal, pitch);
	}
	ck_ok(gt_scan_check(s));
}

/* Ramps of SF-TT over several rows or slices, few rows, few slices. ------------------------------------------------------ */

static const struct {
	const char *name;
	gt_orbit orbit;
	gt_grid grid;
} steep[] = {
	{ "flat, steep cone, coarse voxels",
	  { GT_FLAT, .views = 9, .rows = 71, .columns = 17, .source_to_axis = 60, .source_to_detector = 100, .column_pitch = 2.9,
	    .row_pitch = 1.3, .start_angle = 0.2, .turn = 2 * PI, .row_offset = 1.7, .column_offset = 0.3 },
	  { { 9, 10, 20 }, { 2.8, 3.1, 1.9 }, { 1.2, -0.7, 0.8 } } },
	{ "arc, steep cone, seven rows, thin slices",
	  { GT_ARC, .views = 9, .rows = 7, .columns = 21, .source_to_axis = 70, .source_to_detector = 120, .column_pitch = 2.7,
	    .row_pitch = 9.3, .start_angle = 0.7, .turn = 2 * PI, .pitch_per_turn = 9, .column_offset = 0.25 },
	  { { 10, 9, 45 }, { 3.3, 2.9, 0.7 }, { -1.3, 1.9, 0.4 } } },
	{ "arc, steep cone, three thick slices",
	  { GT_ARC, .views = 10, .rows = 75, .columns = 23, .source_to_axis = 71, .source_to_detector = 117, .column_pitch = 1.9,
	    .row_pitch = 1.1, .start_angle = 0.1, .turn = 2 * PI, .row_offset = -2.3 },
	  { { 11, 10, 3 }, { 2.1, 2.4, 11.3 }, { 0.9, 2.2, -1.8 } } },
	{ "flat, steep cone, fine rows: ramps of ten and more",
	  { GT_FLAT, .views = 5, .rows = 150, .columns = 9, .source_to_axis = 62, .source_to_detector = 100, .column_pitch = 6.1,
	    .row_pitch = 0.4, .start_angle = 0.6, .turn = 2 * PI },
	  { { 6, 7, 11 }, { 6.2, 5.3, 3.1 }, { 1.1, -0.4, 0.7 } } },
	{ "arc, two rows, two slices",
	  { GT_ARC, .views = 9, .rows = 2, .columns = 61, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 1.1,
	    .row_pitch = 1.2, .start_angle = 0.3, .turn = 2 * PI, .column_offset = 0.25, .row_offset = 0.2 },
	  { { 33, 21, 2 }, { 0.9, 1.1, 0.7 }, { 2.1, -1.4, 0.1 } } },
};
enum { STEEP = sizeof steep / sizeof *steep };

static int geometries(void) { return gt_test_geometries() + TILTED + STEEP; }
/* Every fourth view, from another one on in each geometry: the others cost time and no other code. */
static struct gt_test_geometry geometry(int i)
{
	const int k = i - gt_test_geometries(), n = k - TILTED;
	struct gt_test_geometry g;
	if (n >= 0) {
		g = (struct gt_test_geometry){ steep[n].name, NULL, steep[n].grid };
		ck_ok(gt_scan_orbit(&steep[n].orbit, &g.scan));
	} else {
		g = gt_test_geometry(k < 0 ? i : tilted[k].base);
	}
	if (k >= 0 && n < 0) {
		g.name = tilted[k].name;
		tilt_scan(g.scan, tilted[k].roll, tilted[k].pitch, tilted[k].sway);
	}
	gt_scan *all = g.scan;
	ck_ok(gt_scan_subset(all, (size_t)i % 4, 4, &g.scan));
	gt_scan_free(all);
	return g;
}

/* A case goes over several geometries: each costs a process. */
enum { CASES = 5 };

/* The CPU computes in double all the same: some are enough. */
static int skip_single(gt_type type, int geometry) { return type == GT_F32 && !gt_test_is_gpu() && geometry % 4; }

static void check_adjoint(gt_backend *be, const char *name, gt_type type, const struct gt_test_geometry *g)
{
	gt_linop *A = NULL;
	double difference, largest;
	ck_ok(gt_projector_new(name, be, type, &g->grid, g->scan, &A));
	ck_ok(gt_linop_mismatch_elements(A, &difference, &largest));
	ck_assert_msg(largest > 0 && difference <= (type == GT_F64 ? 1e-12 : 1e-5) * largest, "%s, %s, %s: %.3e of the largest entry", name,
	              g->name, gt_type_name(type), difference / largest);
	gt_linop_free(A);
}

/* Many applications: on the CPU one of both models in each geometry. */
START_TEST(adjoint_by_elements)
{
	gt_backend *be = gt_test_backend();
	for (int i = _i; i < geometries(); i += CASES) {
		struct gt_test_geometry g = geometry(i);
		gt_test_crop(&g.grid, gt_test_is_gpu() ? 20 : 12);
		for (int k = 0; k < 4; k++) {
			const gt_type type = k % 2 ? GT_F64 : GT_F32;
			if (!skip_single(type, i) && (gt_test_is_gpu() || (i + k / 2) % 2 == 0))
				check_adjoint(be, names[k / 2], type, &g);
		}
		gt_scan_free(g.scan);
	}
	gt_backend_close(be);
}
END_TEST

/* The definition: footprints as functions, integrated piece by piece. -------------------------------------------------- */

/* Linear between points (x[i], y[i]), 0 outside; its integral from a to b. */
struct outline {
	int n;
	double x[8], y[8];
};
static double integral(const struct outline *o, double a, double b)
{
	double sum = 0;
	for (int i = 0; i + 1 < o->n; i++) {
		const double from = fmax(a, o->x[i]), to = fmin(b, o->x[i + 1]), width = o->x[i + 1] - o->x[i];
		if (to > from)
			sum += (to - from) * (o->y[i] + (o->y[i + 1] - o->y[i]) * ((from + to) / 2 - o->x[i]) / width);
	}
	return sum;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* A step up at `at`, as a ramp of half width h: value at x. */
static double ramp(double x, double at, double h) { return h > 0 ? fmin(1, fmax(0, (x - at + h) / (2 * h))) : x >= at; }

struct footprint {
	struct outline columns, rows;
	double chord;
};

static void project(const gt_scan *s, const gt_view *w, const gt_grid *g, const double *center, double x, double y, double z, double *k,
                    double *l)
{
	const gt_detector det = gt_scan_detector(s);
	const double p[3] = { center[0] + x * g->pitch[0], center[1] + y * g->pitch[1], center[2] + z * g->pitch[2] };
	if (!gt_point_cell(&det, w, p, k, l)) /* a ck_assert() costs a message whether it holds or not */
		ck_abort_msg("a point of the grid is behind the source");
}

static struct outline rows_of(double low, double high, double low_ramp, double high_ramp)
{
	const double flat = 1e-9 * (high - low);
	const double a = fmax(low_ramp, flat), b = fmax(high_ramp, flat);
	struct outline o = { .n = 4, .x = { low - a, low + a, high - b, high + b } };
	qsort(o.x, 4, sizeof *o.x, by_value);
	for (int i = 0; i < 4; i++)
		o.y[i] = ramp(o.x[i], low, a) - ramp(o.x[i], high, b);
	return o;
}

/* Middle and half width of the rows of four corners at height z, seen on a detector turned back by `lean`. */
static void face(const gt_scan *s, const gt_view *w, const gt_grid *g, const double *at, double z, double lean, double *middle,
                 double *half)
{
	double k[4], l[4];
	for (int c = 0; c < 4; c++)
		project(s, w, g, at, (c & 1) - 0.5, (c >> 1) - 0.5, z, &k[c], &l[c]);
	for (int c = 0; c < 4; c++)
		l[c] += lean * k[c];
	const double center = lean * (k[0] + k[1] + k[2] + k[3]) / 4;
	qsort(l, 4, sizeof *l, by_value);
	*middle = (l[0] + l[3]) / 2 - center;
	*half = (l[3] - l[0]) / 2;
}

static struct footprint footprint(const gt_scan *s, const gt_view *w, const gt_grid *g, const double *at, int trapezoid)
{
	struct footprint f = { .columns = { .n = 4, .y = { 0, 1, 1, 0 } } };
	double k[2], l[2], e[2], grad_k[3], grad_l[3], low, high, low_ramp = 0, high_ramp = 0;
	for (int c = 0; c < 4; c++)
		project(s, w, g, at, (c & 1) - 0.5, (c >> 1) - 0.5, 0, &f.columns.x[c], &l[0]);
	qsort(f.columns.x, 4, sizeof *f.columns.x, by_value);
	for (int a = 0; a < 2; a++)
		e[a] = s->shape == GT_PARALLEL ? w->detector[a] - w->source[a] : at[a] - w->source[a];
	f.chord = hypot(e[0], e[1]) * fmin(g->pitch[0] / fabs(e[0]), g->pitch[1] / fabs(e[1]));

	for (int a = 0; a < 3; a++) {
		const double step[3] = { a == 0 ? 0.5 : 0, a == 1 ? 0.5 : 0, a == 2 ? 0.5 : 0 };
		project(s, w, g, at, step[0], step[1], step[2], &k[1], &l[1]);
		project(s, w, g, at, -step[0], -step[1], -step[2], &k[0], &l[0]);
		grad_k[a] = (k[1] - k[0]) / g->pitch[a];
		grad_l[a] = (l[1] - l[0]) / g->pitch[a];
	}
	project(s, w, g, at, 0, 0, -0.5, &k[0], &low);
	project(s, w, g, at, 0, 0, 0.5, &k[1], &high);
	if (trapezoid) {
		/* In mm on the detector the lean is one angle, for lines along z and across. */
		const double mm = s->column_pitch / s->row_pitch, lean = (k[1] - k[0]) / (high - low) * mm * mm;
		face(s, w, g, at, -0.5, lean, &low, &low_ramp);
		face(s, w, g, at, 0.5, lean, &high, &high_ramp);
	}
	if (high < low) {
		const double t = low, r = low_ramp;
		low = high;
		high = t;
		low_ramp = high_ramp;
		high_ramp = r;
	}
	/* Rows per mm of z along a line of one column: of the determinant of both gradients and the ray. */
	const double upright = hypot(grad_k[1] * grad_l[2] - grad_k[2] * grad_l[1], grad_k[2] * grad_l[0] - grad_k[0] * grad_l[2]) /
	                       hypot(grad_k[0], grad_k[1]);
	const double taller = upright / fabs(grad_l[2]), middle = (low + high) / 2, half = taller * (high - low) / 2;
	f.rows = rows_of(middle - half, middle + half, low_ramp, high_ramp);
	return f;
}

static void project_by_definition(const gt_scan *s, const gt_grid *g, int trapezoid, const float *x, double *out)
{
	const gt_detector det = gt_scan_detector(s);
	for (size_t v = 0; v < s->views; v++) {
		const gt_view *w = &s->view[v];
		double *image = out + v * s->rows * s->columns;
		memset(image, 0, s->rows * s->columns * sizeof *image);
		for (size_t i = 0; i < gt_grid_voxels(g); i++) {
			const size_t at[3] = { i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1] };
			double center[3];
			for (int a = 0; a < 3; a++)
				center[a] = gt_grid_first(g, a) + (double)at[a] * g->pitch[a];
			const struct footprint f = footprint(s, w, g, center, trapezoid);
			const size_t first = (size_t)fmax(0, f.columns.x[0]);
			for (size_t k = first; k < s->columns && (double)k - 0.5 < f.columns.x[3]; k++) {
				const double column = f.chord * x[i] * integral(&f.columns, (double)k - 0.5, (double)k + 0.5);
				const size_t lowest = (size_t)fmax(0, f.rows.x[0]);
				for (size_t l = lowest; l < s->rows && (double)l - 0.5 < f.rows.x[3]; l++)
					image[l * s->columns + k] += column * integral(&f.rows, (double)l - 0.5, (double)l + 0.5);
			}
		}
		for (size_t l = 0; l < s->rows; l++)
			for (size_t k = 0; k < s->columns; k++) {
				double p[3], e[3];
				gt_cell_ray(&det, w, (double)k, (double)l, p, e);
				image[l * s->columns + k] *= sqrt(gt_dot3(e, e)) / hypot(e[0], e[1]);
			}
	}
}

/* Projects x; the caller frees the result. */
static float *project_with(const char *name, gt_type type, const gt_scan *scan, const gt_grid *grid, const float *x)
{
	gt_backend *be = gt_test_backend();
	gt_linop *A = NULL;
	gt_array *in = NULL, *out = NULL;
	float *y = malloc(gt_scan_cells(scan) * sizeof *y);
	ck_ok(gt_array_new(be, type, gt_grid_voxels(grid), &in));
	ck_ok(gt_array_new(be, type, gt_scan_cells(scan), &out));
	gt_array_put_float(x, in);
	ck_ok(gt_projector_new(name, be, type, grid, scan, &A));
	gt_forward(A, in, out);
	gt_array_get_float(out, y);
	ck_ok(gt_backend_status(be));
	gt_array_free(in);
	gt_array_free(out);
	gt_linop_free(A);
	gt_backend_close(be);
	return y;
}

static void check_forward(int trapezoid, gt_type type, const struct gt_test_geometry *g)
{
	const size_t nx = gt_grid_voxels(&g->grid), ny = gt_scan_cells(g->scan);
	float *x = malloc(nx * sizeof *x);
	double *exact = malloc(ny * sizeof *exact), size = 0, worst = 0;
	gt_test_random(5, nx, x);
	float *y = project_with(names[trapezoid], type, g->scan, &g->grid, x);
	project_by_definition(g->scan, &g->grid, trapezoid, x, exact);
	for (size_t i = 0; i < ny; i++) {
		size = fmax(size, fabs(exact[i]));
		worst = fmax(worst, fabs(exact[i] - (double)y[i]));
	}
	ck_assert_msg(size > 0 && worst <= 1e-5 * size, "%s, %s, %s: %.3e of the largest value", names[trapezoid], g->name,
	              gt_type_name(type), worst / size);
	free(x);
	free(y);
	free(exact);
}

START_TEST(forward_by_definition)
{
	for (int i = _i; i < geometries(); i += CASES) {
		const struct gt_test_geometry g = geometry(i);
		for (int k = 0; k < 4; k++)
			if (!skip_single(k % 2 ? GT_F64 : GT_F32, i))
				check_forward(k / 2, k % 2 ? GT_F64 : GT_F32, &g);
		gt_scan_free(g.scan);
	}
}
END_TEST

/* A detector that leans by less than anybody can build goes voxel by voxel, an upright one column by column. */
static void check_paths(const char *name, struct gt_test_geometry g)
{
	const size_t nx = gt_grid_voxels(&g.grid), ny = gt_scan_cells(g.scan);
	float *x = malloc(nx * sizeof *x);
	gt_test_random(6, nx, x);
	float *upright = project_with(name, GT_F64, g.scan, &g.grid, x);
	tilt_scan(g.scan, 3e-9, 0, 0);
	float *other = project_with(name, GT_F64, g.scan, &g.grid, x);
	const double difference = gt_test_rms(other, upright, ny);
	ck_assert_msg(difference < 2e-7, "%s, %s: %.3e", name, g.name, difference);
	tilt_scan(g.scan, 3e-3, 0, 0);
	float *leaning = project_with(name, GT_F64, g.scan, &g.grid, x);
	ck_assert(gt_test_rms(leaning, upright, ny) > 1e-4);
	gt_scan_free(g.scan);
	free(x);
	free(upright);
	free(other);
	free(leaning);
}

START_TEST(both_paths_agree)
{
	for (int i = _i; i < 2 * gt_test_geometries(); i += CASES)
		check_paths(names[i % 2], gt_test_geometry(i / 2));
}
END_TEST

/* Sizes that fit no tile, window or stage of a kernel, in single precision against the reference. ---------------------- */

static const struct {
	const char *name;
	gt_orbit orbit;
	gt_grid grid;
} sizes[] = {
	{ "many rows and slices",
	  { GT_ARC, .views = 5, .rows = 131, .columns = 51, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 1.1,
	    .row_pitch = 1.3, .start_angle = 0.2, .turn = 2 * PI, .pitch_per_turn = 21, .column_offset = 0.25 },
	  { { 23, 19, 151 }, { 0.9, 1.1, 0.7 }, { 1.3, -2.1, 0.4 } } },
	{ "voxels of many columns and rows",
	  { GT_FLAT, .views = 4, .rows = 203, .columns = 317, .source_to_axis = 300, .source_to_detector = 500, .column_pitch = 0.31,
	    .row_pitch = 0.29, .start_angle = 0.3, .turn = 2 * PI },
	  { { 9, 8, 11 }, { 5.1, 4.3, 3.7 }, { 0.9, 1.7, -2.2 } } },
	{ "thin slices",
	  { GT_FLAT, .views = 4, .rows = 21, .columns = 33, .source_to_axis = 400, .source_to_detector = 700, .column_pitch = 1.9,
	    .row_pitch = 3.1, .start_angle = 0.5, .turn = 2 * PI, .row_offset = 2.3 },
	  { { 17, 18, 333 }, { 1.2, 1.3, 0.1 }, { -1.9, 0.7, 1.2 } } },
	{ "parallel",
	  { GT_PARALLEL, .views = 7, .rows = 70, .columns = 90, .column_pitch = 0.7, .row_pitch = 0.6, .start_angle = 0.05, .turn = PI,
	    .column_offset = 1.7 },
	  { { 41, 37, 67 }, { 1.1, 1.2, 0.7 }, { 1.2, -2.3, 0.4 } } },
	{ "wide cone, voxels larger than cells",
	  { GT_ARC, .views = 7, .rows = 203, .columns = 91, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 2.1,
	    .row_pitch = 2.3, .start_angle = 0.2, .turn = 2 * PI, .pitch_per_turn = 11, .column_offset = 0.25 },
	  { { 29, 31, 141 }, { 5.1, 4.7, 1.9 }, { 3.3, -4.1, 1.4 } } },
	{ "wide cone, flat, many views, voxels larger than cells",
	  { GT_FLAT, .views = 150, .rows = 67, .columns = 41, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 6.1,
	    .row_pitch = 7.3, .start_angle = 0.2, .turn = 2 * PI, .row_offset = 2.3 },
	  { { 19, 21, 67 }, { 9.1, 8.7, 4.9 }, { 3.3, -4.1, 1.4 } } },
	{ "one row, one slice",
	  { GT_ARC, .views = 123, .rows = 1, .columns = 111, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 4.1,
	    .row_pitch = 1.1, .start_angle = 0.2, .turn = 2 * PI, .column_offset = 0.25 },
	  { { 65, 61, 1 }, { 3.9, 4.1, 0.7 }, { 3.3, -4.1, 0.1 } } },
	{ "five rows, many slices",
	  { GT_FLAT, .views = 37, .rows = 5, .columns = 111, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 2.1,
	    .row_pitch = 19, .start_angle = 0.2, .turn = 2 * PI },
	  { { 35, 31, 301 }, { 2.9, 3.1, 0.3 }, { 3.3, -4.1, 0.1 } } },
	{ "many rows, seven slices",
	  { GT_ARC, .views = 41, .rows = 133, .columns = 111, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 2.1,
	    .row_pitch = 1.1, .start_angle = 0.2, .turn = 2 * PI },
	  { { 35, 31, 7 }, { 2.9, 3.1, 11.3 }, { 3.3, -4.1, 0.1 } } },
	{ "views that have nothing in common, a grid beside the axis",
	  { GT_ARC, .views = 6, .rows = 64, .columns = 300, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 1.02,
	    .row_pitch = 1.1, .start_angle = 0.2, .turn = 2 * PI },
	  { { 33, 70, 40 }, { 1.3, 0.8, 0.7 }, { 60, -90, 3 } } },
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void check_size(const char *name, const char *what, const double *y, const double *exact, size_t n)
{
	double size = 0, most = 0;
	for (size_t i = 0; i < n; i++) {
		size += exact[i] * exact[i];
		most = fmax(most, fabs(y[i] - exact[i]));
	}
	const double rms = gt_test_off(y, exact, n), largest = most / sqrt(size / (double)n);
	printf("%s, %s: rms %.1e, largest %.1e\n", name, what, rms, largest);
	ck_assert_msg(rms < 1e-5 && largest < 2e-4, "%s, %s: rms %.1e, largest %.1e", name, what, rms, largest);
}

START_TEST(odd_sizes)
{
	struct gt_test_geometry g = { sizes[_i].name, NULL, sizes[_i].grid };
	gt_backend *be = gt_test_backend(), *cpu = NULL;
	ck_ok(gt_backend_open("cpu", &cpu));
	ck_ok(gt_scan_orbit(&sizes[_i].orbit, &g.scan));
	for (int k = 0; k < 2; k++) {
		const struct gt_test_images exact = gt_test_apply(names[k], cpu, GT_F64, &g),
					    found = gt_test_apply(names[k], be, GT_F32, &g);
		printf("%s: ", g.name);
		check_size(names[k], "forward", found.y, exact.y, gt_scan_cells(g.scan));
		printf("%s: ", g.name);
		check_size(names[k], "back", found.x, exact.x, gt_grid_voxels(&g.grid));
		gt_test_images_free(exact);
		gt_test_images_free(found);
	}
	gt_scan_free(g.scan);
	gt_backend_close(be);
	gt_backend_close(cpu);
}
END_TEST

/* Exact line integrals -------------------------------------------------------- */

/* Length of a ray inside the box low..high. */
static double length_inside(const double *p, const double *e, const double *low, const double *high)
{
	double in = -INFINITY, out = INFINITY;
	for (int a = 0; a < 3; a++) {
		if (e[a] == 0 && (p[a] < low[a] || p[a] > high[a]))
			return 0;
		if (e[a] == 0)
			continue;
		const double t0 = (low[a] - p[a]) / e[a], t1 = (high[a] - p[a]) / e[a];
		in = fmax(in, fmin(t0, t1));
		out = fmin(out, fmax(t0, t1));
	}
	return out > in ? (out - in) * sqrt(gt_dot3(e, e)) : 0;
}

/* Mean over n x n sub-rays of a cell. */
static double exact_cell(const gt_scan *s, size_t v, size_t l, size_t k, const double *low, const double *high, int n)
{
	const gt_detector det = gt_scan_detector(s);
	double sum = 0, p[3], e[3];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			gt_cell_ray(&det, &s->view[v], (double)k - 0.5 + (i + 0.5) / n, (double)l - 0.5 + (j + 0.5) / n, p, e);
			sum += length_inside(p, e, low, high);
		}
	return sum / n / n;
}

/* Columns and rows that a view may see of a box: low[0..1] to high[0..1], with a cell to spare. */
static void box_in_view(const gt_scan *s, const gt_view *w, const double *lo, const double *hi, double *low, double *high)
{
	const gt_detector det = gt_scan_detector(s);
	for (int a = 0; a < 2; a++) {
		low[a] = INFINITY;
		high[a] = -INFINITY;
	}
	for (int c = 0; c < 8; c++) {
		const double p[3] = { c & 1 ? hi[0] : lo[0], c & 2 ? hi[1] : lo[1], c & 4 ? hi[2] : lo[2] };
		double cell[2];
		ck_assert(gt_point_cell(&det, w, p, &cell[0], &cell[1]));
		for (int a = 0; a < 2; a++) {
			low[a] = fmin(low[a], cell[a] - 1.5);
			high[a] = fmax(high[a], cell[a] + 1.5);
		}
	}
}

/* Over the cells that see a box: root mean square and largest error, in widths of a voxel, and what the sum of all is off by. */
struct error {
	double rms, most, sum;
};

/* Voxels [low, high) of the grid are 1. */
static struct error error_of_box(const char *name, const gt_scan *s, const gt_grid *g, const size_t *low, const size_t *high, int fine)
{
	const size_t nx = gt_grid_voxels(g);
	float *x = calloc(nx, sizeof *x);
	double lo[3], hi[3], squares = 0, sum = 0, exact_sum = 0;
	struct error e = { 0, 0, 0 };
	size_t cells = 0;
	for (int a = 0; a < 3; a++) {
		lo[a] = gt_grid_first(g, a) + ((double)low[a] - 0.5) * g->pitch[a];
		hi[a] = gt_grid_first(g, a) + ((double)high[a] - 0.5) * g->pitch[a];
	}
	for (size_t i = 0; i < nx; i++) {
		const size_t at[3] = { i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1] };
		x[i] = 1;
		for (int a = 0; a < 3; a++)
			x[i] *= at[a] >= low[a] && at[a] < high[a];
	}
	float *y = project_with(name, GT_F64, s, g, x);
	for (size_t v = 0, i = 0; v < s->views; v++) {
		double from[2], to[2];
		box_in_view(s, &s->view[v], lo, hi, from, to);
		for (size_t l = 0; l < s->rows; l++)
			for (size_t k = 0; k < s->columns; k++, i++) {
				const double at[2] = { (double)k, (double)l };
				const int near = at[0] > from[0] && at[0] < to[0] && at[1] > from[1] && at[1] < to[1];
				if (!(y[i] > 0) && !(near && exact_cell(s, v, l, k, lo, hi, 4) > 0))
					continue;
				const double exact = exact_cell(s, v, l, k, lo, hi, fine), error = fabs(exact - (double)y[i]) / g->pitch[0];
				squares += error * error;
				sum += y[i];
				exact_sum += exact;
				e.most = fmax(e.most, error);
				cells++;
			}
	}
	ck_assert(cells > 0);
	e.rms = sqrt(squares / (double)cells);
	e.sum = sum / exact_sum - 1;
	free(x);
	free(y);
	return e;
}

/* One voxel in the geometry of a clinical scanner, wherever it is. The distance-driven model is off by a tenth of the voxel there:
 * the test would see that. */
START_TEST(one_voxel)
{
	static const double places[4][2] = { { 225, -0.4 }, { 101, 145 }, { 0.3, -0.2 }, { -137, -102 } };
	gt_orbit orbit = gt_scanner_find("ge-ct750hd")->orbit;
	orbit.views = 6;
	orbit.start_angle = 0.02;
	gt_scan *scan = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	const gt_grid one = { { 1, 1, 1 }, { 0.9765625, 0.9765625, 0.625 }, { places[_i][0], places[_i][1], 10.6 } };
	const size_t low[3] = { 0 }, high[3] = { 1, 1, 1 };
	const struct error tr = error_of_box("sf-tr", scan, &one, low, high, 128), tt = error_of_box("sf-tt", scan, &one, low, high, 128),
			   dd = error_of_box("dd", scan, &one, low, high, 16);
	const char *const text = "voxel at (%g, %g): rms %.1e, %.1e, %.1e, largest %.1e, %.1e, %.1e, sum %+.1e, %+.1e";
#define FINDINGS one.center[0], one.center[1], tr.rms, tt.rms, dd.rms, tr.most, tt.most, dd.most, tr.sum, tt.sum
	printf(text, FINDINGS);
	printf("\n");
	ck_assert_msg(tr.rms < 2e-3 && tr.most < 8e-3 && fabs(tr.sum) < 6e-4, text, FINDINGS);
	ck_assert_msg(tt.rms < 2e-3 && tt.most < 5e-3 && fabs(tt.sum) < 5e-5, text, FINDINGS);
	ck_assert_msg(dd.rms > 8 * tr.rms, text, FINDINGS);
#undef FINDINGS
	gt_scan_free(scan);
}
END_TEST

/* A box of many voxels under a detector that leans: footprints are not separable there, but what they add up to is right. */
START_TEST(box_under_tilt)
{
	const gt_orbit orbit = { GT_FLAT,
		                 .views = 3,
		                 .rows = 24,
		                 .columns = 28,
		                 .source_to_axis = 300,
		                 .source_to_detector = 500,
		                 .column_pitch = 1.5,
		                 .row_pitch = 1.7,
		                 .start_angle = 0.4,
		                 .turn = 2 * PI };
	const gt_grid grid = { { 15, 14, 13 }, { 1.2, 1.3, 1.1 }, { 1.4, -0.8, 0.7 } };
	const size_t low[3] = { 3, 2, 4 }, high[3] = { 11, 12, 10 };
	const double roll = _i / 2 * 0.06;
	gt_scan *scan = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	tilt_scan(scan, roll, roll / 2, 0);
	const struct error e = error_of_box(names[_i % 2], scan, &grid, low, high, 24);
	printf("%s, box, roll %.3f rad: rms %.1e, largest %.1e voxels, sum %+.1e\n", names[_i % 2], roll, e.rms, e.most, e.sum);
	ck_assert_msg(e.rms < 7e-3 + roll * roll && fabs(e.sum) < 2e-4, "%s, roll %.3f rad: rms %.1e voxels, sum %+.1e", names[_i % 2],
	              roll, e.rms, e.sum);
	gt_scan_free(scan);
}
END_TEST

START_TEST(refusals)
{
	gt_backend *be = gt_test_backend();
	gt_linop *A = NULL;
	struct gt_test_geometry g = gt_test_geometry(3);
	rotate(g.scan->view[5].column_axis, g.scan->view[5].row_axis, 0.3);
	ck_refused(gt_projector_new("sf-tr", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED,
	           "sf-tr: view 5: lines along z are seen at 17.");
	gt_scan_free(g.scan);
	g = gt_test_geometry(11);
	g.scan->view[2].detector[2] += 3000;
	ck_refused(gt_projector_new("sf-tt", be, GT_F64, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED, "sf-tt: view 2: the rays of column 0");
	gt_scan_free(g.scan);
	gt_orbit wide = { GT_FLAT,
		          .views = 4,
		          .rows = 3,
		          .columns = 101,
		          .source_to_axis = 100,
		          .source_to_detector = 150,
		          .column_pitch = 70,
		          .row_pitch = 1,
		          .turn = 2 * PI };
	ck_ok(gt_scan_orbit(&wide, &g.scan));
	ck_refused(gt_projector_new("sf-tr", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED,
	           "sf-tr: view 0: the ray of column 0 is 87");
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, adjoint_by_elements, 0, CASES);
	tcase_add_loop_test(tc, forward_by_definition, 0, CASES);
	tcase_add_loop_test(tc, both_paths_agree, 0, CASES);
	tcase_add_loop_test(tc, odd_sizes, 0, SIZES);
	tcase_add_loop_test(tc, one_voxel, 0, 4);
	tcase_add_loop_test(tc, box_under_tilt, 0, 8);
	tcase_add_test(tc, refusals);
}

int main(void) { return gt_test_main("sf", fill); }
