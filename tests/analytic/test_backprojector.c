/* Backprojection through matrices against a loop from its definition, and refusals.
 * labels: unit property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/array.h>
#include "core/device/upload.h"
#include "core/random.h"
#include "tests/support/support.h"

enum { VIEWS = 11, ROWS = 37, COLUMNS = 51 };
static const gt_grid grid = { { 23, 19, 21 }, { 7.3, 6.1, 8.7 }, { 3.3, -5.1, 7.9 } };

/* A C-arm in any direction, with any pixel size, scale and sign; column-major like the benchmark's. */
static void random_matrix(size_t view, double a[12])
{
	gt_random r;
	gt_random_at(5, view, &r);
	double axis[3][3], length;
	const double turn = 6.28 * gt_uniform(&r), lean = 0.3 * (gt_uniform(&r) - 0.5), roll = 0.5 * (gt_uniform(&r) - 0.5);
	const double in[3] = { -sin(turn) * cos(lean), cos(turn) * cos(lean), sin(lean) };
	const double side[3] = { cos(turn), sin(turn), 0 };
	memcpy(axis[2], in, sizeof in);
	const double up[3] = { -in[1] * 0 + side[1] * in[2], -side[0] * in[2], side[0] * in[1] - side[1] * in[0] };
	length = sqrt(up[0] * up[0] + up[1] * up[1] + up[2] * up[2]);
	for (int i = 0; i < 3; i++) {
		axis[0][i] = cos(roll) * side[i] + sin(roll) * up[i] / length;
		axis[1][i] = -sin(roll) * side[i] + cos(roll) * up[i] / length;
	}
	const double far = 400 + 50 * gt_uniform(&r), u0 = COLUMNS / 2. + 9 * gt_uniform(&r), v0 = ROWS / 2. - 7 * gt_uniform(&r);
	const double cells = 110 + 20 * gt_uniform(&r), scale = (view % 2 ? -1 : 1) * (0.2 + gt_uniform(&r)) / far;
	for (int i = 0; i < 3; i++) {
		a[3 * i] = scale * (cells * axis[0][i] + u0 * axis[2][i]);
		a[3 * i + 1] = scale * (0.9 * cells * axis[1][i] + v0 * axis[2][i]);
		a[3 * i + 2] = scale * axis[2][i];
	}
	a[9] = scale * u0 * far;
	a[10] = scale * v0 * far;
	a[11] = scale * far;
}

static double cell(const float *image, long k, long l)
{
	return k >= 0 && k < COLUMNS && l >= 0 && l < ROWS ? (double)image[l * COLUMNS + k] : 0;
}

/* f += I(u, v) / w^2. */
static double sum_at(const double (*a)[12], const float *images, double x, double y, double z)
{
	double sum = 0;
	for (size_t n = 0; n < VIEWS; n++) {
		const double *A = a[n], w = A[2] * x + A[5] * y + A[8] * z + A[11];
		const double u = (A[0] * x + A[3] * y + A[6] * z + A[9]) / w, v = (A[1] * x + A[4] * y + A[7] * z + A[10]) / w;
		const long k = (long)floor(u), l = (long)floor(v);
		const double p = u - (double)k, q = v - (double)l;
		const float *image = images + n * ROWS * COLUMNS;
		sum += ((1 - q) * ((1 - p) * cell(image, k, l) + p * cell(image, k + 1, l)) +
		        q * ((1 - p) * cell(image, k, l + 1) + p * cell(image, k + 1, l + 1))) /
		       (w * w);
	}
	return sum;
}

static void define(const double (*a)[12], const float *images, double *f)
{
	for (size_t k = 0; k < grid.n[2]; k++)
		for (size_t j = 0; j < grid.n[1]; j++)
			for (size_t i = 0; i < grid.n[0]; i++)
				f[(k * grid.n[1] + j) * grid.n[0] + i] = sum_at(a, images,
				                                                gt_grid_first(&grid, 0) + (double)i * grid.pitch[0],
				                                                gt_grid_first(&grid, 1) + (double)j * grid.pitch[1],
				                                                gt_grid_first(&grid, 2) + (double)k * grid.pitch[2]);
}

static void row_major(const double a[12], double m[12])
{
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 4; c++)
			m[4 * r + c] = a[3 * c + r];
}

/* locked: images in pinned memory that the device reads directly, changed as soon as the wait ends. */
static void backproject(gt_backend *be, gt_type type, size_t batch, int locked, const double (*a)[12], const float *images, double *out)
{
	const size_t voxels = gt_grid_voxels(&grid), cells = ROWS * COLUMNS;
	gt_array *x;
	gt_backprojector *b;
	float *one = locked ? gt_locked_new(be, cells * sizeof *one, "an image") : malloc(cells * sizeof *one);
	ck_ok(gt_array_new(be, type, voxels, &x));
	gt_fill(3, x);
	ck_ok(gt_backprojector_new(be, &grid, ROWS, COLUMNS, batch, x, &b));
	for (size_t v = 0; v < VIEWS; v++) {
		double m[12];
		row_major(a[v], m);
		memcpy(one, images + v * cells, cells * sizeof *one);
		ck_ok(gt_backprojector_add(b, m, one));
		if (locked)
			gt_backprojector_wait(b);
		memset(one, 0xff, cells * sizeof *one);
	}
	ck_ok(gt_backprojector_finish(b));
	float *single = malloc(voxels * sizeof *single);
	if (type == GT_F64)
		gt_array_get(x, out);
	else
		gt_array_get(x, single);
	for (size_t i = 0; i < voxels && type == GT_F32; i++)
		out[i] = (double)single[i];
	ck_ok(gt_backend_status(be));
	free(single);
	gt_backprojector_free(b);
	gt_array_free(x);
	if (locked)
		gt_locked_free(be, one);
	else
		free(one);
}

GT_TEST(sums_are_those_of_the_definition)
{
	static const size_t batches[] = { 0, 1, 4, VIEWS };
	static const double tolerance[] = { 2e-5, 1e-12 };
	const size_t voxels = gt_grid_voxels(&grid);
	double a[VIEWS][12], *wanted = malloc(voxels * sizeof *wanted), *got = malloc(voxels * sizeof *got);
	float *images = malloc(VIEWS * ROWS * COLUMNS * sizeof *images);
	gt_backend *be = gt_test_backend();
	gt_test_random(3, VIEWS * ROWS * COLUMNS, images);
	for (size_t v = 0; v < VIEWS; v++)
		random_matrix(v, a[v]);
	define((const double(*)[12])a, images, wanted);
	double max = 0;
	for (size_t i = 0; i < voxels; i++)
		max = fmax(max, fabs(wanted[i]));
	ck_assert_double_gt(max, 0.1);
	for (int t = 0; t < 2; t++)
		for (size_t k = 0; k < sizeof batches / sizeof *batches; k++) {
			backproject(be, t ? GT_F64 : GT_F32, batches[k], (int)(k & 1), (const double(*)[12])a, images, got);
			for (size_t i = 0; i < voxels; i++)
				ck_assert_double_eq_tol(got[i], wanted[i], tolerance[t] * max);
		}
	gt_backend_close(be);
	free(images);
	free(wanted);
	free(got);
}

/* Filtered views backprojected through matrices equal fdk if all views see the grid. */
GT_TEST(filtered_views_are_those_of_fdk)
{
	const gt_grid small = { { 25, 23, 19 }, { 4.1, 4.3, 3.7 }, { 3, -5, 2 } };
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = 40,
		                 .rows = 62,
		                 .columns = 83,
		                 .source_to_axis = 700,
		                 .source_to_detector = 1100,
		                 .column_pitch = 4,
		                 .row_pitch = 4.4,
		                 .column_offset = 0.7,
		                 .row_offset = -1.3,
		                 .start_angle = 0.4,
		                 .turn = 3.6,
		                 .end_view = 1 };
	gt_backend *be = gt_test_backend(), *cpu;
	gt_scan *scan;
	ck_ok(gt_backend_open("cpu:2", &cpu));
	ck_ok(gt_scan_orbit(&orbit, &scan));
	for (int turned = 0; turned < 3; turned++) {
		for (size_t v = 0; v < scan->views && turned; v++)
			for (int i = 0; i < 3 && turned == 1; i++)
				scan->view[v].row_axis[i] *= -1;
		for (size_t v = 0; v < scan->views && turned == 2; v++) {
			gt_view *w = &scan->view[v];
			const double c = cos(0.03), s = (v % 2 ? -1 : 1) * sin(0.03);
			for (int i = 0; i < 3; i++) {
				const double k = w->column_axis[i], l = w->row_axis[i];
				w->column_axis[i] = c * k + s * l;
				w->row_axis[i] = c * l - s * k;
			}
		}
		const size_t n = gt_scan_size(scan), voxels = gt_grid_voxels(&small);
		float *data = malloc(n * sizeof *data), *fdk = malloc(voxels * sizeof *fdk), *own = malloc(voxels * sizeof *own);
		double(*matrix)[12] = malloc(scan->views * sizeof *matrix);
		gt_array *p, *x;
		gt_backprojector *b;
		gt_test_random(9, n, data);
		ck_ok(gt_array_new(be, GT_F32, n, &p));
		ck_ok(gt_array_new(be, GT_F32, voxels, &x));
		gt_array_put(data, p);
		ck_ok(gt_analytic_run(gt_analytic_find("fdk"), be, &small, scan, NULL, p, x));
		gt_array_get(x, fdk);
		ck_ok(gt_fdk_filtered(cpu, scan, NULL, data, matrix, data));
		ck_ok(gt_backprojector_new(be, &small, scan->rows, scan->columns, 7, x, &b));
		for (size_t v = 0; v < scan->views; v++)
			ck_ok(gt_backprojector_add(b, matrix[v], data + v * scan->rows * scan->columns));
		ck_ok(gt_backprojector_finish(b));
		gt_array_get(x, own);
		ck_assert_double_lt(gt_test_rms(own, fdk, voxels), 3e-5);
		gt_backprojector_free(b);
		gt_array_free(p);
		gt_array_free(x);
		free(data);
		free(fdk);
		free(own);
		free(matrix);
	}
	gt_scan_free(scan);
	gt_backend_close(be);
	gt_backend_close(cpu);
}

GT_TEST(matrices_are_refused)
{
	double a[12], m[12], w[12];
	gt_array *x;
	gt_backprojector *b;
	gt_backend *be = gt_test_backend();
	float *image = calloc(ROWS * COLUMNS, sizeof *image);
	random_matrix(4, a);
	row_major(a, m);
	ck_ok(gt_matrix_check(m, &grid, ROWS, COLUMNS));
#define CHANGED(change) memcpy(w, m, sizeof w), change
	CHANGED(w[6] = NAN);
	ck_refused(gt_matrix_check(w, &grid, ROWS, COLUMNS), GT_ERR_FORMAT, "nan in row 2, column 3");
	CHANGED(memcpy(w, w + 4, 4 * sizeof *w));
	ck_refused(gt_matrix_check(w, &grid, ROWS, COLUMNS), GT_ERR_FORMAT, "singular");
	CHANGED(memset(w + 8, 0, 4 * sizeof *w));
	ck_refused(gt_matrix_check(w, &grid, ROWS, COLUMNS), GT_ERR_FORMAT, "singular");
	CHANGED(w[11] = 0);
	ck_refused(gt_matrix_check(w, &grid, ROWS, COLUMNS), GT_ERR_UNSUPPORTED, "does not see the whole volume");
	CHANGED(w[3] += 200 * w[11]);
	ck_refused(gt_matrix_check(w, &grid, ROWS, COLUMNS), GT_ERR_UNSUPPORTED, "does not see the volume");
	CHANGED(w[7] -= 200 * w[11]);
	ck_refused(gt_matrix_check(w, &grid, ROWS, COLUMNS), GT_ERR_UNSUPPORTED, "does not see the volume");
	ck_ok(gt_array_new(be, GT_F32, gt_grid_voxels(&grid), &x));
	ck_refused(gt_backprojector_new(be, &grid, 0, COLUMNS, 0, x, &b), GT_ERR_ARG, "expected 1 to 2^24");
	ck_ok(gt_backprojector_new(be, &grid, ROWS, COLUMNS, 0, x, &b));
	ck_ok(gt_backprojector_add(b, m, image));
	ck_refused(gt_backprojector_add(b, w, image), GT_ERR_UNSUPPORTED, "view 1: ");
	gt_backprojector_free(b);
	gt_array_free(x);
	ck_ok(gt_array_new(be, GT_F32, 5, &x));
	ck_refused(gt_backprojector_new(be, &grid, ROWS, COLUMNS, 0, x, &b), GT_ERR_ARG, "9177 voxels");
	gt_array_free(x);
	gt_backend_close(be);
	free(image);
}

int main(void) { return gt_test_main("backprojector", NULL); }
