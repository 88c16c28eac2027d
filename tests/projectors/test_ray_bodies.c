/* The ray-driven pairs on objects with known line integrals, on rays in faces and edges of voxels, and on grids of
 * several tiles. Refused input.
 * labels: property unit */
#include <gantry/author/constants.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "tests/phantoms/bodies.h"
#include "tests/projectors/pairs.h"
#include "tests/projectors/ray_scans.h"

static const char *const models[] = { "joseph", "siddon" };

/* Length of a line within the grid; a ray in a face between two voxels counts once. */
static double chord(const gt_grid *g, int half, const double *p, const double *e)
{
	double low[3], high[3];
	for (int a = 0; a < 3; a++) {
		low[a] = g->center[a] - (double)g->n[a] * g->pitch[a] / 2;
		high[a] = g->center[a] + (double)g->n[a] * g->pitch[a] / 2;
	}
	return length_in_box(p, e, half, low, high);
}

/* For a volume of ones the lengths of a ray add up to its chord of the grid. */
static void check_lengths(gt_backend *be, gt_type type, const struct gt_test_geometry *g)
{
	const gt_detector det = gt_scan_detector(g->scan);
	double *y = project_double("siddon", be, type, &g->grid, g->scan, NULL), point[3], direction[3];
	for (size_t i = 0; i < gt_scan_size(g->scan); i++) {
		const size_t k = i % g->scan->columns, row = i / g->scan->columns % g->scan->rows;
		gt_pixel_ray(&det, &g->scan->view[i / g->scan->columns / g->scan->rows], (double)k, (double)row, point, direction);
		const double way = chord(&g->grid, g->scan->shape != GT_PARALLEL, point, direction);
		ck_assert_msg(fabs(y[i] - way) <= (type == GT_F64 ? 1e-11 : 3e-5), "%s: cell %zu has %.15g mm, not %.15g", g->name, i, y[i],
		              way);
	}
	free(y);
}

GT_TESTS(lengths_add_up, 4)
{
	gt_backend *be = gt_test_backend();
	for (int i = _i; i < ray_scans(); i += 4) {
		const struct gt_test_geometry g = ray_scan(i);
		check_lengths(be, GT_F32, &g);
		check_lengths(be, GT_F64, &g);
		gt_scan_free(g.scan);
	}
	gt_backend_close(be);
}

/* Rays along the axes at every quarter of a voxel, including faces and edges, and along diagonals through voxel
 * edges. */
static gt_scan *straight(gt_shape shape)
{
	const gt_orbit orbit = { .shape = shape,
		                 .views = 8,
		                 .rows = 21,
		                 .columns = 41,
		                 .column_pitch = shape == GT_PARALLEL ? 0.5 : 0.5 * 1.5,
		                 .row_pitch = shape == GT_PARALLEL ? 0.5 : 0.5 * 1.5,
		                 .source_to_axis = shape == GT_PARALLEL ? 0 : 400,
		                 .source_to_detector = shape == GT_PARALLEL ? 0 : 600,
		                 .turn = 2 * GT_PI };
	return orbit_scan(&orbit);
}

static double tent(double x, size_t n, double pitch) { return fmin(1, fmax(0, ((double)n + 1) / 2 - fabs(x) / pitch)); }

GT_TESTS(rays_in_faces, 2)
{
	gt_backend *be = gt_test_backend();
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	const gt_grid g = { { 8, 6, 4 }, { 2, 2, 2 }, { 0, 0, 0 } };
	gt_scan *scan = straight(GT_PARALLEL);
	double *siddon = project_double("siddon", be, type, &g, scan, NULL), *joseph = project_double("joseph", be, type, &g, scan, NULL);
	for (size_t i = 0; i < gt_scan_size(scan); i++) {
		const size_t v = i / scan->columns / scan->rows;
		const double u = 0.5 * ((double)(i % scan->columns) - 20), z = 0.5 * ((double)(i / scan->columns % scan->rows) - 10);
		const double x = u * scan->view[v].column_axis[0], y = u * scan->view[v].column_axis[1], s = sqrt(2);
		double direction[3], point[3] = { x, y, z };
		if (fabs(z - 4) < 1e-9 || fabs(fabs(x) - 8) < 1e-9 || fabs(fabs(y) - 6) < 1e-9)
			continue; /* the outermost faces belong to the lower voxels only */
		for (int a = 0; a < 3; a++)
			direction[a] = scan->view[v].detector[a] - scan->view[v].source[a];
		const double way = chord(&g, 0, point, direction);
		ck_assert_msg(fabs(siddon[i] - way) < 1e-5, "siddon: view %zu, u %g, z %g: %.9g mm, not %.9g", v, u, z, siddon[i], way);
		const int d = v % 4 == 2 ? 0 : 1, b = 1 - d;
		double sum = 0;
		for (size_t n = 0; v % 2 == 0 && n < g.n[d]; n++)
			sum += 2 * tent(point[b], g.n[b], 2) * tent(z, 4, 2);
		for (size_t n = 0; v % 2 == 1 && n < g.n[1]; n++) { /* a diagonal counts as a ray along y */
			const double at = gt_grid_first(&g, 1) + 2 * (double)n - y;
			sum += 2 * s * tent(x + at * direction[0] / direction[1], g.n[0], 2) * tent(z, 4, 2);
		}
		ck_assert_msg(fabs(joseph[i] - sum) < 1e-5, "joseph: view %zu, u %g, z %g: %.9g mm, not %.9g", v, u, z, joseph[i], sum);
	}
	free(siddon);
	free(joseph);
	gt_scan_free(scan);
	gt_backend_close(be);
}

/* A ray in an edge between four voxels takes the uppermost one in each slice, for any rounding of the angles. */
GT_TESTS(one_voxel_per_slice, 2)
{
	gt_backend *be = gt_test_backend();
	const gt_grid g = { { 8, 6, 4 }, { 2, 2, 2 }, { 0, 0, 0 } };
	gt_scan *scan = straight(_i ? GT_FLAT : GT_PARALLEL);
	const size_t cells = gt_scan_size(scan), voxels = gt_grid_voxels(&g);
	double *unit = calloc(cells, sizeof *unit), x[8 * 6 * 4];
	gt_linop *A = NULL;
	gt_array *y = NULL, *Aty = NULL;
	ck_ok(gt_projector_new("siddon", be, GT_F64, &g, scan, &A));
	ck_ok(gt_array_new(be, GT_F64, cells, &y));
	ck_ok(gt_array_new(be, GT_F64, voxels, &Aty));
	for (size_t v = 0; v < 8; v += 2) {
		const size_t cell = (v * scan->rows + 10) * scan->columns + 20;
		size_t taken = 0;
		unit[cell] = 1;
		gt_array_put(unit, y);
		unit[cell] = 0;
		gt_adjoint(A, y, Aty);
		gt_array_get(Aty, x);
		ck_ok(gt_backend_status(be));
		for (size_t i = 0; i < voxels; i++) {
			const int in = (v % 4 ? i / g.n[0] % g.n[1] == 3 : i % g.n[0] == 4) && i / g.n[0] / g.n[1] == 2;
			ck_assert_msg(fabs(x[i] - (in ? 2 : 0)) < 1e-9, "view %zu: %g mm in voxel %zu", v, x[i], i);
			taken += (size_t)in;
		}
		ck_assert_uint_eq(taken, v % 4 ? 8 : 6);
	}
	gt_array_free(y);
	gt_array_free(Aty);
	gt_linop_free(A);
	gt_scan_free(scan);
	gt_backend_close(be);
	free(unit);
}

static gt_scan *clinic(gt_shape shape)
{
	const gt_orbit orbit = { .shape = shape,
		                 .views = 7,
		                 .rows = 24,
		                 .columns = 75,
		                 .source_to_axis = shape == GT_PARALLEL ? 0 : 541,
		                 .source_to_detector = shape == GT_PARALLEL ? 0 : 949,
		                 .column_pitch = shape == GT_PARALLEL ? 5 : 9,
		                 .row_pitch = shape == GT_PARALLEL ? 5 : 9,
		                 .column_offset = 0.25,
		                 .start_angle = 0.15,
		                 .turn = 2 * GT_PI };
	return orbit_scan(&orbit);
}

static const gt_grid clinic_grid = { { 90, 84, 40 }, { 4, 4.2, 3.6 }, { 3, -5, 2 } };

/* A Gaussian, smooth on the grid: its line integral depends only on the distance from the centre. */
GT_TESTS(smooth_body, GT_NSHAPES)
{
	gt_backend *be = gt_test_backend();
	gt_scan *scan = clinic((gt_shape)_i);
	const gt_detector det = gt_scan_detector(scan);
	const gt_grid *g = &clinic_grid;
	const size_t cells = gt_scan_size(scan);
	const double width = 22, center[3] = { 31, -24, 6 };
	float *x = malloc(gt_grid_voxels(g) * sizeof *x);
	double *exact = malloc(cells * sizeof *exact), p[3], e[3], q[3];
	for (size_t i = 0; i < gt_grid_voxels(g); i++) {
		const size_t at[3] = { i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1] };
		for (int a = 0; a < 3; a++)
			q[a] = gt_grid_first(g, a) + (double)at[a] * g->pitch[a] - center[a];
		x[i] = (float)exp(-gt_dot3(q, q) / (2 * width * width));
	}
	for (size_t i = 0; i < cells; i++) {
		gt_pixel_ray(&det, &scan->view[i / scan->columns / scan->rows], (double)(i % scan->columns),
		             (double)(i / scan->columns % scan->rows), p, e);
		for (int a = 0; a < 3; a++)
			q[a] = p[a] - center[a];
		const double along = gt_dot3(q, e) / sqrt(gt_dot3(e, e)), square = gt_dot3(q, q) - along * along;
		exact[i] = width * sqrt(2 * GT_PI) * exp(-square / (2 * width * width));
	}
	double *joseph = project_double("joseph", be, GT_F32, g, scan, x), *siddon = project_double("siddon", be, GT_F32, g, scan, x),
	       *dd = project_double("dd", be, GT_F32, g, scan, x);
	const double error[] = { gt_test_off(joseph, exact, cells), gt_test_off(siddon, exact, cells), gt_test_off(joseph, dd, cells),
		                 gt_test_off(siddon, dd, cells) };
	ck_assert_msg(error[0] < 5e-3 && error[1] < 5e-2 && error[2] < 1e-2 && error[3] < 5e-2,
	              "%s: joseph %.2e, siddon %.2e; from dd %.2e, %.2e", gt_shape_names[_i], error[0], error[1], error[2], error[3]);
	free(x);
	free(exact);
	free(joseph);
	free(siddon);
	free(dd);
	gt_scan_free(scan);
	gt_backend_close(be);
}

/* Edges of rotated shapes: errors are limited by the voxel size. */
GT_TESTS(turned_box_and_ball, GT_NSHAPES)
{
	gt_backend *be = gt_test_backend();
	gt_scan *scan = clinic((gt_shape)_i);
	gt_phantom *p = body("ellipsoid center=40,-30,8 radii=70,70,40 density=0.02\n"
	                     "box center=-60,35,-5 size=80,110,60 angles=33,21,-47 density=0.03\n");
	const size_t cells = gt_scan_size(scan), voxels = gt_grid_voxels(&clinic_grid);
	float *x = malloc(voxels * sizeof *x), *single = malloc(cells * sizeof *single);
	double *exact = malloc(cells * sizeof *exact);
	ck_ok(gt_phantom_voxelise(p, &clinic_grid, 3, gt_backend_pool(be), NULL, NULL, x));
	ck_ok(gt_phantom_project(p, scan, 1, gt_backend_pool(be), NULL, NULL, single));
	for (size_t i = 0; i < cells; i++)
		exact[i] = single[i];
	for (int m = 0; m < 2; m++) {
		double *y = project_double(models[m], be, GT_F32, &clinic_grid, scan, x);
		const double error = gt_test_off(y, exact, cells);
		double mass = 0, expected = 0;
		for (size_t i = 0; i < cells; i++) {
			mass += y[i];
			expected += exact[i];
		}
		ck_assert_msg(error < 0.06 && fabs(mass / expected - 1) < 4e-3, "%s, %s: %.3e, all %.6f", models[m], gt_shape_names[_i],
		              error, mass / expected);
		free(y);
	}
	free(x);
	free(exact);
	free(single);
	gt_phantom_free(p);
	gt_scan_free(scan);
	gt_backend_close(be);
}

/* More voxels, rows and columns than any kernel processes at a time: rows of the adjoint, from unit data, against
 * forward projections. */
GT_TESTS(many_tiles, 16)
{
	gt_backend *be = gt_test_backend();
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	const gt_grid g = { { 75, 68, 39 }, { 1.9, 2.1, 1.6 }, { 3.3, -7.1, 1.2 } };
	gt_scan *scan = clinic(_i / 4 % 2 ? GT_FLAT : GT_ARC);
	for (size_t v = 0; v < scan->views && _i >= 8; v++)
		ray_tilt_view(&scan->view[v], _i >= 12 ? RAY_GANTRY : RAY_ROLL, 0.3);
	const size_t nx = gt_grid_voxels(&g), ny = gt_scan_size(scan);
	gt_linop *A = NULL;
	gt_array *x = gt_test_array(be, type, nx, 3), *y = NULL, *Aty = NULL;
	double *volume = gt_test_values(x), largest = 0;
	float *unit = calloc(ny, sizeof *unit);
	ck_ok(gt_projector_new(models[_i / 2 % 2], be, type, &g, scan, &A));
	ck_ok(gt_array_new(be, type, ny, &y));
	ck_ok(gt_array_like(x, &Aty));
	gt_forward(A, x, y);
	double *forward = gt_test_values(y);
	for (size_t i = 0; i < ny; i++)
		largest = fmax(largest, fabs(forward[i]));
	for (size_t i = 17; i < ny; i += 211) {
		double sum = 0;
		unit[i] = 1;
		gt_array_put_float(unit, y);
		unit[i] = 0;
		gt_adjoint(A, y, Aty);
		double *entries = gt_test_values(Aty);
		for (size_t j = 0; j < nx; j++)
			sum += entries[j] * volume[j];
		ck_assert_msg(fabs(sum - forward[i]) <= (type == GT_F64 ? 1e-12 : 1e-5) * largest, "cell %zu: %.15g and %.15g", i, sum,
		              forward[i]);
		free(entries);
	}
	ck_ok(gt_backend_status(be));
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(Aty);
	gt_linop_free(A);
	gt_scan_free(scan);
	gt_backend_close(be);
	free(unit);
	free(volume);
	free(forward);
}

GT_TESTS(refusals, 2)
{
	gt_backend *be = gt_test_backend();
	const struct gt_test_geometry g = gt_test_geometry(3);
	gt_grid grid = g.grid;
	gt_linop *A = NULL;
	gt_scan *tall = NULL;
	grid.n[1] = (size_t)1 << 31;
	ck_refused(gt_projector_new(models[_i], be, GT_F32, &grid, g.scan, &A), GT_ERR_UNSUPPORTED, "2147483648 voxels along one axis");
	grid = g.grid;
	ck_ok(gt_scan_clone(g.scan, &tall));
	tall->rows = (size_t)1 << 31;
	ck_refused(gt_projector_new(models[_i], be, GT_F32, &grid, tall, &A), GT_ERR_UNSUPPORTED, "21 x 2147483648 pixels");
	for (int a = 0; a < 3; a++)
		grid.center[a] = g.scan->view[4].source[a] + 0.3 * grid.pitch[a];
	ck_refused(gt_projector_new(models[_i], be, GT_F32, &grid, g.scan, &A), GT_ERR_ARG, "holds the source of view 4");
	memcpy(g.scan->view[5].detector, g.scan->view[5].source, sizeof g.scan->view[5].source);
	ck_refused(gt_projector_new(models[_i], be, GT_F32, &g.grid, g.scan, &A), GT_ERR_FORMAT, "detector of view 5 is at its source");
	gt_scan_free(tall);
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("ray bodies", NULL); }
