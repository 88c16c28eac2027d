/* The distance-driven pair for tilted detectors on the CPU, with the kernels of each instruction set. References:
 * its transpose, the pair in double, the upright pair, rays through all parts of a pixel, known line integrals.
 * labels: property unit; backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/phantom.h>
#include <gantry/projector.h>
#include "projectors/dd/tilt/dd_tilt_operator.h"
#include "tests/projectors/by_sets.h"
#include "tests/projectors/poses.h"
#include "tests/support/vector_sets.h"

#define GT_DD_KERNELS sixteen_lanes
#define GT_DD_KERNELS_NAME "sixteen"
#include "projectors/dd/tilt/dd_tilt_kernels.inc"

GT_TEST_USE(gt_dd_tilt)

/* Poses use the instruction sets in turn; as_in_double() compares all sets for each pose. Double precision:
 * test_dd_poses. */
START_TEST(transpose)
{
	struct gt_test_geometry g = pose(_i);
	gt_backend *be = backend("cpu:1");
	gt_test_crop(&g.grid, 9);
	for (int s = _i; s < _i + (gt_tests_long() ? SETS : 1); s++)
		check_transpose("dd", be, GT_F32, &g, use_in_turn(s));
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

START_TEST(as_in_double)
{
	const struct gt_test_geometry g = pose(_i);
	check_by_double("dd", use, &g);
	gt_scan_free(g.scan);
}
END_TEST

/* Memory that is aligned to its type only. */
START_TEST(loose_memory)
{
	const struct gt_test_geometry g = pose(_i);
	check_loose_memory("dd", &g);
	gt_scan_free(g.scan);
}
END_TEST

START_TEST(denormals)
{
	const struct gt_test_geometry g = pose(_i);
	check_denormals_by_sets("dd", use, &g);
	gt_scan_free(g.scan);
}
END_TEST

START_TEST(any_number_of_threads)
{
	const struct gt_test_geometry g = pose(0);
	check_threads("dd", &g);
	gt_scan_free(g.scan);
}
END_TEST

/* Scans of all projectors, tilted by a negligible angle, give the results of the upright pair; also parallel rays that
 * climb. Ray lengths differ in second order: there of a column's central ray, here of the mean of its edges. */
START_TEST(upright_without_tilt)
{
	gt_backend *be = backend("cpu:2");
	int compared = 0;
	for (int i = 0; i < gt_test_geometries(); i++) {
		struct gt_test_geometry g = gt_test_geometry(i);
		const struct gt_test_images level = gt_test_apply("dd", be, GT_F64, &g);
		turn_detectors(g.scan, 3e-9, 0, 0, 0);
		ck_assert_int_ne(gt_scan_rows_along_z(g.scan, ""), GT_OK);
		const struct gt_test_images r = gt_test_apply("dd", be, GT_F64, &g);
		const double x = gt_test_off(r.x, level.x, gt_grid_voxels(&g.grid)), y = gt_test_off(r.y, level.y, gt_scan_size(g.scan));
		ck_assert_msg(x < 1e-4 && y < 1e-4, "%s: forward %.2e, back %.2e", g.name, y, x);
		gt_test_images_free(level);
		gt_test_images_free(r);
		compared++;
		gt_scan_free(g.scan);
	}
	ck_assert_int_ge(compared, 10);
	gt_backend_close(be);
}
END_TEST

/* A roll by 90 degrees exchanges rows and columns. Values change only by the ray lengths, as above. */
START_TEST(rows_for_columns)
{
	struct gt_test_geometry g = gt_test_geometry(3);
	gt_scan *level = g.scan, *rolled = NULL;
	gt_backend *be = backend("cpu:1");
	ck_ok(gt_scan_subset(level, 0, 1, &rolled));
	rolled->rows = level->columns;
	rolled->columns = level->rows;
	rolled->row_pitch = level->column_pitch;
	rolled->column_pitch = level->row_pitch;
	rolled->row_center = level->column_center;
	rolled->column_center = level->row_center;
	for (size_t v = 0; v < level->views; v++)
		for (int a = 0; a < 3; a++) {
			rolled->view[v].row_axis[a] = level->view[v].column_axis[a];
			rolled->view[v].column_axis[a] = level->view[v].row_axis[a];
		}
	ck_ok(gt_scan_check(rolled));
	const struct gt_test_images a = gt_test_apply("dd", be, GT_F64, &g);
	g.scan = rolled;
	const struct gt_test_images b = gt_test_apply("dd", be, GT_F64, &g);
	for (size_t v = 0; v < level->views; v++)
		for (size_t l = 0; l < level->rows; l++)
			for (size_t k = 0; k < level->columns; k++) {
				const double y = a.y[(v * level->rows + l) * level->columns + k],
					     z = b.y[(v * level->columns + k) * level->rows + l];
				ck_assert_msg(fabs(y - z) < 3e-5, "view %zu, row %zu, column %zu: %g, rolled %g", v, l, k, y, z);
			}
	gt_test_images_free(a);
	gt_test_images_free(b);
	gt_scan_free(level);
	gt_scan_free(rolled);
	gt_backend_close(be);
}
END_TEST

enum { RAYS = 4 };

/* Means over the pixels of the exact lengths of RAYS x RAYS rays in each pixel. */
static float *means_by_rays(gt_backend *be, struct gt_test_geometry g, const float *volume)
{
	const gt_scan *coarse = g.scan;
	const size_t columns = coarse->columns, rows = coarse->rows;
	float *means = calloc(gt_scan_size(coarse), sizeof *means);
	ck_ok(gt_scan_subset(coarse, 0, 1, &g.scan));
	g.scan->columns *= RAYS;
	g.scan->rows *= RAYS;
	g.scan->column_pitch /= RAYS;
	g.scan->row_pitch /= RAYS;
	g.scan->column_center = (coarse->column_center + 0.5) * RAYS - 0.5;
	g.scan->row_center = (coarse->row_center + 0.5) * RAYS - 0.5;
	float *fine = project("siddon", be, GT_F32, &g.grid, g.scan, volume);
	for (size_t i = 0; i < gt_scan_size(g.scan); i++) {
		const size_t k = i % (columns * RAYS) / RAYS, l = i / (columns * RAYS) / RAYS;
		means[l * columns + k] += fine[i] / (RAYS * RAYS);
	}
	ck_assert_uint_eq(gt_scan_size(g.scan), columns * rows * coarse->views * RAYS * RAYS);
	gt_scan_free(g.scan);
	free(fine);
	return means;
}

/* A head of 40 voxels each way. */
static float *head_of(gt_backend *be, const gt_grid *grid, gt_phantom **phantom)
{
	gt_phantom_options o = gt_phantom_defaults;
	float *volume = malloc(gt_grid_voxels(grid) * sizeof *volume);
	ck_ok(gt_phantom_new("shepp-logan", NULL, phantom));
	o.scale = 55 / gt_phantom_radius(*phantom);
	gt_phantom_free(*phantom);
	ck_ok(gt_phantom_new("shepp-logan", &o, phantom));
	ck_ok(gt_phantom_voxelise(*phantom, grid, 4, gt_backend_pool(be), NULL, NULL, volume));
	return volume;
}

/* Errors of the projected voxels relative to exact lengths in the voxels, and to line integrals of the head. */
static void errors_of(double roll, double tilt, double slant, double *from_lengths, double *from_body)
{
	const gt_orbit orbit = {
		GT_FLAT,           .views = 3,     .rows = 44,        .columns = 42,     .source_to_axis = 600, .source_to_detector = 1000,
		.column_pitch = 5, .row_pitch = 5, .turn = 2 * GT_PI, .start_angle = 0.3
	};
	struct gt_test_geometry g = { "head", NULL, { { 40, 40, 40 }, { 3, 3, 3 }, { 0.4, -0.7, 0.3 } } };
	gt_backend *be = backend("cpu:2");
	gt_phantom *phantom;
	float *volume = head_of(be, &g.grid, &phantom);
	g.scan = orbit_scan(&orbit);
	turn_detectors(g.scan, roll * GT_PI / 180, tilt * GT_PI / 180, 0, slant * GT_PI / 180);
	const size_t size = gt_scan_size(g.scan);
	float *body = malloc(size * sizeof *body), *y = project("dd", be, GT_F32, &g.grid, g.scan, volume),
	      *lengths = means_by_rays(be, g, volume);
	ck_ok(gt_phantom_project(phantom, g.scan, 3, gt_backend_pool(be), NULL, NULL, body));
	*from_lengths = gt_test_rms(y, lengths, size);
	*from_body = gt_test_rms(y, body, size);
	free(y);
	free(lengths);
	free(body);
	free(volume);
	gt_phantom_free(phantom);
	gt_scan_free(g.scan);
	gt_backend_close(be);
}

/* Errors equal those of the upright pair if z is seen along rows or columns, and grow with the angle between. */
START_TEST(known_bodies)
{
	static const struct {
		double roll, tilt, slant, max;
	} cases[] = { { 1, 0, 0, 1.1 },   { 0, 1, 0, 1.1 },  { 1, 70, 0, 1.6 }, { 90, 0, 0, 1.1 },
		      { 1, 0, 180, 1.1 }, { 14, 3, 5, 1.7 }, { 45, 0, 0, 9 } };
	double level[2], off[2];
	errors_of(0, 0, 0, &level[0], &level[1]);
	ck_assert_msg(level[0] < 0.01 && level[1] < 0.08, "level: %.4f, %.4f", level[0], level[1]);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		errors_of(cases[i].roll, cases[i].tilt, cases[i].slant, &off[0], &off[1]);
		ck_assert_msg(off[0] < cases[i].max * level[0] && off[1] < cases[i].max * level[1],
		              "roll %g, tilt %g, slant %g: %.4f and %.4f, level %.4f and %.4f", cases[i].roll, cases[i].tilt,
		              cases[i].slant, off[0], off[1], level[0], level[1]);
	}
}
END_TEST

START_TEST(refused)
{
	struct gt_test_geometry g = gt_test_geometry(3);
	gt_backend *be = backend("cpu:1");
	gt_linop *A = NULL;
	turn_detectors(g.scan, 0, 89.99 * GT_PI / 180, 0, 0);
	ck_refused(gt_projector_new("dd", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED, "runs along the detector");
	gt_scan_free(g.scan);
	g = gt_test_geometry(0);
	turn_detectors(g.scan, 1, 0, 0, 0);
	ck_refused(gt_projector_new("dd", be, GT_F32, &g.grid, g.scan, &A), GT_ERR_UNSUPPORTED, "view 0: roll of the arc");
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc)
{
	gt_add_alike(tc, transpose, POSES);
	gt_add_alike(tc, as_in_double, POSES);
	gt_add_alike(tc, loose_memory, POSES);
	gt_add_alike(tc, denormals, POSES);
	tcase_add_test(tc, any_number_of_threads);
	tcase_add_test(tc, upright_without_tilt);
	tcase_add_test(tc, rows_for_columns);
	tcase_add_test(tc, known_bodies);
	tcase_add_test(tc, refused);
}
int main(void) { return gt_test_main("dd_tilt", fill); }
