/* The branchless variants of the distance-driven pair (GPU). Integral images equal sums, dd-db equals dd, and dd-bl
 * and dd-bz stay within their stated bounds and published errors.
 * labels: property */
#include <stdio.h>
#include <string.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "core/device/backend.h"
#include "projectors/dd/published/dd_integral.h"
#include "tests/projectors/pairs.h"

#pragma weak gt_dd_images_of /* undefined in builds without CUDA */
#pragma weak gt_dd_images_bytes
#pragma weak gt_dd_integrate_slices
#pragma weak gt_dd_integrate_views

static void *on_device(gt_backend *be, const void *host, size_t bytes)
{
	void *p = gt_backend_alloc(be, bytes, "test");
	ck_assert_ptr_nonnull(p);
	gt_backend_put(be, host, p, bytes);
	return p;
}

static double value_of(const void *p, gt_type t, size_t i) { return t == GT_F32 ? ((const float *)p)[i] : ((const double *)p)[i]; }

/* Checks every node of `count` images in scratch against cells[image][row][column]. */
static void check_images(gt_backend *be, const gt_dd_images *g, gt_type nodes, size_t count, const double *cells)
{
	const size_t bytes = gt_dd_images_bytes(g, nodes), width = (size_t)g->width;
	char *found = malloc(bytes);
	double *above = malloc((width + 1) * sizeof *above);
	gt_backend_get(be, gt_scratch(be), found, bytes);
	ck_ok(gt_backend_status(be));
	for (size_t n = 0; n < count; n++) {
		const double constant = value_of(found, nodes, g->batch * g->stride + n);
		const double tolerance = (nodes == GT_F32 ? 2e-7 : 4e-16) * ((double)g->width * g->height + 40);
		memset(above, 0, (width + 1) * sizeof *above);
		for (size_t r = 0; r <= (size_t)g->height; r++) {
			for (size_t c = 0; c <= width; c++) {
				const double node = value_of(found, nodes, n * g->stride + r * g->pitch + c);
				if (!(fabs(node - above[c]) <= tolerance))
					ck_abort_msg("image %zu of %d x %d, node %zu, %zu: %.17g, expected %.17g", n, g->width, g->height,
					             r, c, node, above[c]);
			}
			double along = 0;
			for (size_t c = 0; r < (size_t)g->height && c < width; c++) {
				along += cells[(n * (size_t)g->height + r) * width + c] - constant;
				above[c + 1] += along;
			}
		}
		ck_assert_msg(fabs(constant - 0.7) < 0.7, "constant %g of data around 0.7", constant);
	}
	free(above);
	free(found);
}

static double *numbers(gt_type t, size_t n, void **typed)
{
	float *x = malloc(n * sizeof *x);
	double *wide = malloc(n * sizeof *wide);
	gt_test_random(3, n, x);
	for (size_t i = 0; i < n; i++)
		wide[i] = x[i] = 0.7f + 0.5f * x[i];
	*typed = x;
	if (t == GT_F64) {
		*typed = malloc(n * sizeof *wide);
		memcpy(*typed, wide, n * sizeof *wide);
		free(x);
	}
	return wide;
}

/* Volumes; the last two numbers are also columns and rows of views. Sizes of one, odd sizes, whole warps and blocks,
 * wider than a block, many images. */
static const int sizes[][3] = {
	{ 1, 1, 1 },     { 1, 37, 1 },   { 37, 1, 3 },    { 5, 888, 1 },   { 33, 33, 31 },  { 9, 31, 1 },
	{ 65, 33, 70 },  { 32, 64, 96 }, { 512, 5, 12 },  { 6, 512, 17 },  { 5, 1024, 9 },  { 2048, 2, 9 },
	{ 3, 1100, 20 }, { 1100, 3, 7 }, { 2111, 3, 33 }, { 5, 2111, 34 }, { 1700, 70, 3 }, { 64, 1700, 3 },
};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const gt_type types[][2] = { { GT_F32, GT_F32 }, { GT_F32, GT_F64 }, { GT_F64, GT_F64 } }; /* data, nodes */

START_TEST(integral_of_slices)
{
	if (!gt_test_is_gpu())
		return;
	gt_backend *be = gt_test_backend();
	const int *n = sizes[_i / 3];
	const gt_type data = types[_i % 3][0], nodes = types[_i % 3][1];
	const size_t voxels = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
	const gt_dd d = { .n = { n[0], n[1], n[2] } };
	void *typed = NULL;
	double *x = numbers(data, voxels, &typed), *cells = malloc(voxels * sizeof *cells);
	void *there = on_device(be, typed, voxels * gt_type_size(data));
	for (int axis = 0; axis < 2; axis++) {
		const int b = 1 - axis;
		const size_t first = n[axis] > 2 ? 1 : 0, count = (size_t)n[axis] - first;
		gt_dd_branchless images = { .type = nodes };
		images.slices[axis] = gt_dd_images_of(n[b], n[2], (size_t)n[axis]);
		for (size_t s = 0, at = 0; s < count; s++)
			for (size_t j = 0; j < (size_t)n[2]; j++)
				for (size_t i = 0; i < (size_t)n[b]; i++, at++)
					cells[at] = x[(j * (size_t)n[1] + (axis ? s + first : i)) * (size_t)n[0] + (axis ? i : s + first)];
		ck_ok(gt_scratch_reserve(be, gt_dd_images_bytes(&images.slices[axis], nodes), "test"));
		gt_dd_integrate_slices(be, &d, &images, axis, data, there, first, count);
		check_images(be, &images.slices[axis], nodes, count, cells);
		gt_scratch_release(be);
	}
	gt_backend_free(be, there, voxels * gt_type_size(data));
	free(typed);
	free(x);
	free(cells);
	gt_backend_close(be);
}
END_TEST

/* Two views more than the volume is wide. All but the first have slices perpendicular to y; some of these flip columns
 * or rows. */
START_TEST(integral_of_views)
{
	if (!gt_test_is_gpu())
		return;
	gt_backend *be = gt_test_backend();
	const int columns = sizes[_i / 3][1], rows = sizes[_i / 3][2];
	const gt_type data = types[_i % 3][0], nodes = types[_i % 3][1];
	const size_t one = (size_t)columns * (size_t)rows, views = (size_t)sizes[_i / 3][0] + 2;
	size_t *list = malloc(views * sizeof *list);
	gt_dd_view *view = calloc(views, sizeof *view);
	for (size_t v = 0; v < views; v++) {
		list[v] = v;
		view[v] = (gt_dd_view){ .axis = v > 0, .flip_columns = v % 2 == 0, .flip_rows = v % 3 == 2 };
	}
	gt_dd_column *column = calloc(views * (size_t)columns, sizeof *column);
	for (size_t k = 0; k < views * (size_t)columns; k++)
		column[k] = (gt_dd_column){ 0, -0.1 - 0.001 * (double)(k % 7), 0, 0.02, 1 + 0.01 * (double)(k % 11) };
	void *typed = NULL;
	double *y = numbers(data, views * one, &typed), *cells = malloc((views - 1) * one * sizeof *cells);
	gt_dd d = { .rows = rows, .columns = columns, .views = views, .pitch = { 0.9, 1.1, 0.7 } };
	gt_dd_branchless images = { .type = nodes, .view_bytes = views * sizeof *list };
	images.views[0] = gt_dd_images_of(columns, rows, 1);
	images.views[1] = gt_dd_images_of(columns, rows, views - 1);
	d.view = view;
	for (size_t v = 1, at = 0; v < views; v++)
		for (int l = 0; l < rows; l++)
			for (int k = 0; k < columns; k++, at++)
				cells[at] = y[gt_dd_pixel(&d, &view[v], v, l, k)] *
				            gt_dd_slant(&column[v * (size_t)columns + (size_t)k], l, d.pitch[2], d.pitch[1]);
	void *there = on_device(be, typed, views * one * gt_type_size(data));
	d.view = on_device(be, view, views * sizeof *view);
	d.column = on_device(be, column, views * (size_t)columns * sizeof *column);
	images.view = on_device(be, list, views * sizeof *list);
	ck_ok(gt_scratch_reserve(be, gt_dd_images_bytes(&images.views[1], nodes), "test"));
	gt_dd_integrate_views(be, &d, &images, 1, data, there, 0, views - 1);
	check_images(be, &images.views[1], nodes, views - 1, cells);
	gt_scratch_release(be);
	gt_backend_free(be, there, views * one * gt_type_size(data));
	gt_backend_free(be, (void *)d.view, views * sizeof *view);
	gt_backend_free(be, (void *)d.column, views * (size_t)columns * sizeof *column);
	gt_backend_free(be, images.view, views * sizeof *list);
	free(column);
	free(view);
	free(list);
	free(typed);
	free(y);
	free(cells);
	gt_backend_close(be);
}
END_TEST

static void compare(const char *one, const char *other, gt_backend *be, gt_type type, gt_backend *other_be, gt_type other_type, int i,
                    double forward, double back)
{
	const struct gt_test_geometry g = gt_test_geometry(i);
	const struct gt_test_images a = gt_test_apply(one, be, type, &g), b = gt_test_apply(other, other_be, other_type, &g);
	const double x = gt_test_farthest(a.x, b.x, gt_grid_voxels(&g.grid)), y = gt_test_farthest(a.y, b.y, gt_scan_size(g.scan));
	ck_assert_msg(y <= forward && x <= back, "%s and %s on %s, %s: forward %.2e, back %.2e apart, allowed %.1e and %.1e", one, other,
	              g.name, gt_type_name(type), y, x, forward, back);
	gt_test_images_free(a);
	gt_test_images_free(b);
	gt_scan_free(g.scan);
}

START_TEST(double_precision_is_exact)
{
	if (!gt_test_is_gpu())
		return;
	gt_backend *be = gt_test_backend(), *cpu = NULL;
	ck_ok(gt_backend_open("cpu:1", &cpu));
	compare("dd-db", "dd", be, GT_F64, cpu, GT_F64, _i, 1e-12, 1e-12);
	/* In single precision dd on the CPU rounds intermediate values. */
	compare("dd-db", "dd", be, GT_F32, cpu, GT_F64, _i, 2e-7, 2e-7);
	gt_backend_close(cpu);
	gt_backend_close(be);
}
END_TEST

/* Entries of an operator from unit vectors: rows by its adjoint, columns by its forward direction; [rows of the
 * sample][columns of the sample]. */
struct sample {
	size_t n, step;
};
static struct sample sample_of(size_t n) { return n < 250 ? (struct sample){ n, 1 } : (struct sample){ 250, (n - 1) / 249 }; }

static double *entries(const char *name, gt_backend *be, gt_type type, const struct gt_test_geometry *g, struct sample cells,
                       struct sample voxels, int by_rows)
{
	const struct sample outer = by_rows ? cells : voxels, inner = by_rows ? voxels : cells;
	double *out = malloc(cells.n * voxels.n * sizeof *out);
	gt_linop *A = NULL;
	gt_array *x = NULL, *y = NULL;
	ck_ok(gt_projector_new(name, be, type, &g->grid, g->scan, &A));
	ck_ok(gt_array_new(be, type, by_rows ? gt_linop_ny(A) : gt_linop_nx(A), &x));
	ck_ok(gt_array_new(be, type, by_rows ? gt_linop_nx(A) : gt_linop_ny(A), &y));
	float *unit = calloc(gt_array_size(x), sizeof *unit);
	for (size_t i = 0; i < outer.n; i++) {
		unit[i * outer.step] = 1;
		gt_array_put_float(unit, x);
		unit[i * outer.step] = 0;
		if (by_rows)
			gt_adjoint(A, x, y);
		else
			gt_forward(A, x, y);
		double *found = gt_test_values(y);
		for (size_t j = 0; j < inner.n; j++)
			out[by_rows ? i * voxels.n + j : j * voxels.n + i] = found[j * inner.step];
		free(found);
	}
	ck_ok(gt_backend_status(be));
	free(unit);
	gt_array_free(x);
	gt_array_free(y);
	gt_linop_free(A);
	return out;
}

START_TEST(entries_and_bounds)
{
	if (!gt_test_is_gpu())
		return;
	gt_backend *be = gt_test_backend(), *cpu = NULL;
	ck_ok(gt_backend_open("cpu:1", &cpu));
	const struct gt_test_geometry g = gt_test_geometry(_i);
	const struct sample cells = sample_of(gt_scan_size(g.scan)), voxels = sample_of(gt_grid_voxels(&g.grid));
	const size_t n = cells.n * voxels.n;
	double *exact = entries("dd", cpu, GT_F64, &g, cells, voxels, 1);
	double *rows = entries("dd-db", be, GT_F64, &g, cells, voxels, 1), *columns = entries("dd-db", be, GT_F64, &g, cells, voxels, 0);
	double off = fmax(gt_test_farthest(rows, exact, n), gt_test_farthest(columns, exact, n));
	ck_assert_msg(off <= 1e-12, "dd-db, %s: %.3e of the largest entry", g.name, off);
	free(rows);
	free(columns);
	const gt_projector *bl = gt_projector_find("dd-bl");
	rows = entries("dd-bl", be, GT_F32, &g, cells, voxels, 1);
	columns = entries("dd-bl", be, GT_F32, &g, cells, voxels, 0);
	off = gt_test_farthest(columns, exact, n);
	const double apart = gt_test_farthest(rows, columns, n);
	printf("dd-bl, %s: entries of forward %.2e of the largest from dd's, of back %.2e from forward's\n", g.name, off, apart);
	ck_assert_msg(off <= bl->off_model && apart <= bl->off_adjoint, "dd-bl, %s: forward %.2e from dd, back %.2e from forward", g.name,
	              off, apart);
	free(rows);
	free(columns);
	free(exact);
	gt_scan_free(g.scan);
	gt_backend_close(cpu);
	gt_backend_close(be);
}
END_TEST

/* A helix, and parallel rays: every entry. */
START_TEST(adjoint_by_elements)
{
	if (!gt_test_is_gpu())
		return;
	gt_backend *be = gt_test_backend();
	const struct gt_test_geometry g = gt_test_geometry(_i ? 6 : 1);
	check_transpose("dd-db", be, GT_F64, &g, "default");
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

/* dd-bz sums in the same order. Fewer images at a time lie elsewhere in their texture, so results agree up to the 8-bit
 * fractions of textures. */
START_TEST(same_numbers)
{
	if (!gt_test_is_gpu())
		return;
	gt_backend *be = gt_test_backend();
	const struct gt_test_geometry g = gt_test_geometry(_i);
	const double step = strstr(g.name, "tall cells") || strstr(g.name, "fine cells") ? 0.15 : 5e-3;
	gt_scan_free(g.scan);
	compare("dd-bz", "dd-bl", be, GT_F32, be, GT_F32, _i, 0, 1e-6);
	compare("dd-bl:memory=0.002", "dd-bl", be, GT_F32, be, GT_F32, _i, step, step);
	compare("dd-bz:memory=0.00001", "dd-bz", be, GT_F32, be, GT_F32, _i, step, step);
	compare("dd-db:memory=0.003", "dd-db", be, GT_F32, be, GT_F32, _i, 1e-6, 1e-6);
	compare("dd-db:memory=0.00001", "dd-db", be, GT_F64, be, GT_F64, _i, 1e-14, 1e-14);
	gt_backend_close(be);
}
END_TEST

/* Backprojection as published, from the definition: the pixels under the projected mid-points of the edges of each
 * voxel's centre plane. */
static double covered(double low, double high, double at) { return fmax(0, fmin(high, at + 0.5) - fmax(low, at - 0.5)); }

static void add_rectangle(const struct gt_test_geometry *g, size_t view, const size_t voxel[3], const double *y, double *sum)
{
	const gt_scan *scan = g->scan;
	const gt_view *w = &scan->view[view];
	const gt_detector det = gt_scan_detector(scan);
	const double ex = fabs(w->detector[0] - w->source[0]), ey = fabs(w->detector[1] - w->source[1]);
	const int s = fabs(ex - ey) > 1e-9 * (ex + ey) ? ey > ex : fabs(w->source[1]) > fabs(w->source[0]), b = 1 - s;
	double center[3], column[2], row[2], point[3], other;
	for (int a = 0; a < 3; a++)
		center[a] = gt_grid_first(&g->grid, a) + (double)voxel[a] * g->grid.pitch[a];
	for (int end = 0; end < 2; end++) {
		memcpy(point, center, sizeof point);
		point[b] += (end - 0.5) * g->grid.pitch[b];
		int seen = gt_point_pixel(&det, w, point, &column[end], &other);
		memcpy(point, center, sizeof point);
		point[2] += (end - 0.5) * g->grid.pitch[2];
		seen &= gt_point_pixel(&det, w, point, &other, &row[end]);
		if (!seen) /* a ck_assert() formats a message even if it holds */
			ck_abort_msg("a voxel is behind the source");
	}
	const double left = fmin(column[0], column[1]), right = fmax(column[0], column[1]), low = fmin(row[0], row[1]),
		     high = fmax(row[0], row[1]);
	for (size_t l = 0; l < scan->rows; l++)
		for (size_t k = 0; k < scan->columns; k++) {
			const double part = covered(left, right, (double)k) * covered(low, high, (double)l);
			double p[3], e[3];
			gt_pixel_ray(&det, w, (double)k, (double)l, p, e);
			*sum += part * y[(view * scan->rows + l) * scan->columns + k] * g->grid.pitch[s] * sqrt(gt_dot3(e, e)) / fabs(e[s]);
		}
}

START_TEST(back_as_published)
{
	if (!gt_test_is_gpu())
		return;
	gt_backend *be = gt_test_backend();
	const struct gt_test_geometry g = gt_test_geometry(_i);
	const struct gt_test_images found = gt_test_apply("dd-bl", be, GT_F32, &g);
	gt_array *y = gt_test_array(be, GT_F32, gt_scan_size(g.scan), 12);
	double *data = gt_test_values(y), *expected = calloc(gt_grid_voxels(&g.grid), sizeof *expected);
	size_t at = 0, voxel[3];
	for (voxel[2] = 0; voxel[2] < g.grid.n[2]; voxel[2]++)
		for (voxel[1] = 0; voxel[1] < g.grid.n[1]; voxel[1]++)
			for (voxel[0] = 0; voxel[0] < g.grid.n[0]; voxel[0]++, at++)
				for (size_t v = 0; v < g.scan->views; v++)
					add_rectangle(&g, v, voxel, data, &expected[at]);
	const double off = gt_test_farthest(found.x, expected, at), allowed = strstr(g.name, "tall cells") ? 0.3 : 0.012;
	printf("dd-bl, %s: back off by %.2e of the largest value from the published one\n", g.name, off);
	ck_assert_msg(off <= allowed, "%s: %.2e", g.name, off);
	gt_test_images_free(found);
	gt_array_free(y);
	free(data);
	free(expected);
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

/* Root mean square difference of two projectors' results on all ones. */
static double off_on_ones(gt_backend *be, const char *one, const char *other, const gt_grid *grid, const gt_scan *scan, int back)
{
	gt_linop *A = NULL, *B = NULL;
	gt_array *in = NULL, *a = NULL, *b = NULL;
	ck_ok(gt_projector_new(one, be, GT_F32, grid, scan, &A));
	ck_ok(gt_projector_new(other, be, GT_F32, grid, scan, &B));
	ck_ok(gt_array_new(be, GT_F32, back ? gt_linop_ny(A) : gt_linop_nx(A), &in));
	ck_ok(gt_array_new(be, GT_F32, back ? gt_linop_nx(A) : gt_linop_ny(A), &a));
	ck_ok(gt_array_like(a, &b));
	gt_fill(1, in);
	if (back) {
		gt_adjoint(A, in, a);
		gt_adjoint(B, in, b);
	} else {
		gt_forward(A, in, a);
		gt_forward(B, in, b);
	}
	ck_ok(gt_backend_status(be));
	ck_assert(gt_max(b) > 100);
	const double off = sqrt(gt_distance2(a, b) / (double)gt_array_size(a));
	gt_array_free(in);
	gt_array_free(a);
	gt_array_free(b);
	gt_linop_free(A);
	gt_linop_free(B);
	return off;
}

/* Liu et al. 2017, IV-B-5: an all-one volume and 984 views of ones, on the whole geometry; dd-db is the reference. */
START_TEST(published_errors)
{
	if (!gt_test_is_gpu())
		return;
	gt_backend *be = gt_test_backend();
	const gt_grid grid = { { 512, 512, 64 }, { 0.9765625, 0.9765625, 0.625 }, { 0, 0, 0 } };
	gt_scan *scan = orbit_scan(&gt_scanner_find("ge-ct750hd")->orbit);
	ck_assert_uint_eq(scan->views, 984);
	const double forward = off_on_ones(be, "dd-bl", "dd-db", &grid, scan, 0), back = off_on_ones(be, "dd-bl", "dd-db", &grid, scan, 1);
	printf("dd-bl on ge-hd, ones: RMSE of forward %.2e (published 2.77e-2), of back %.2e (published 5.24e-2)\n", forward, back);
	ck_assert_msg(forward <= 2.8e-2, "forward: %.3e", forward);
	ck_assert_msg(back <= 5.2e-2, "back: %.3e", back);
	gt_scan_free(scan);
	gt_backend_close(be);
}
END_TEST

START_TEST(refusals)
{
	const struct gt_test_geometry g = gt_test_geometry(0);
	gt_backend *be = gt_test_backend();
	gt_linop *A = NULL;
	if (gt_test_is_gpu()) {
		ck_refused(gt_projector_new("dd-bl", be, GT_F64, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED, "dd-db");
		ck_refused(gt_projector_new("dd-bl:memory=0", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_ARG, "memory");
		gt_grid tall = g.grid;
		tall.n[2] = 20000;
		ck_refused(gt_projector_new("dd-bz", be, GT_F32, &tall, g.scan, &A), GT_ERR_UNSUPPORTED, "20000");
	} else {
		ck_refused(gt_projector_new("dd-bl", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED, "GPU");
		ck_refused(gt_projector_new("dd-db", be, GT_F64, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED, "GPU");
	}
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc)
{
	const int n = gt_test_geometries();
	tcase_add_loop_test(tc, integral_of_slices, 0, 3 * SIZES);
	tcase_add_loop_test(tc, integral_of_views, 0, 3 * SIZES);
	tcase_add_loop_test(tc, double_precision_is_exact, 0, n);
	tcase_add_loop_test(tc, entries_and_bounds, 0, n);
	tcase_add_loop_test(tc, adjoint_by_elements, 0, 2);
	tcase_add_loop_test(tc, same_numbers, 0, n);
	tcase_add_loop_test(tc, back_as_published, 0, n);
	tcase_add_test(tc, published_errors);
	tcase_add_test(tc, refusals);
}

int main(void) { return gt_test_main("dd_variants", fill); }
