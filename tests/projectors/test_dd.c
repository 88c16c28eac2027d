/* The distance-driven pair against its definition, entry by entry, and against its own transpose.
 * labels: property unit */
#include <string.h>
#include <gantry/author/constants.h>
#include "tests/projectors/pairs.h"
#include "tests/support/definition.h"

#define SCANNER(s, v, r, c) .shape = s, .views = v, .rows = r, .columns = c, .source_to_axis = 541, .source_to_detector = 949

/* Volumes and detectors too tall for the kernels of few slices: one for each height of tiles, including windows of rows
 * and bundles of views. */
static const struct orbit_case tall[] = {
	{ "arc, 25 slices",
	  { SCANNER(GT_ARC, 7, 13, 15), .turn = 2 * GT_PI, .column_pitch = 4.1, .row_pitch = 2.2, .start_angle = 0.2,
	    .column_offset = 0.7 },
	  { { 8, 7, 25 }, { 3.1, 3.4, 1.1 }, { 2.2, -1.3, 0.7 } } },
	{ "arc, 45 slices",
	  { SCANNER(GT_ARC, 5, 41, 7), .turn = 2 * GT_PI, .column_pitch = 6.1, .row_pitch = 1.3, .start_angle = 0.6, .row_offset = 2.3 },
	  { { 7, 6, 45 }, { 2.9, 3.2, 0.8 }, { 1.2, -2.3, 1.7 } } },
	{ "flat, 101 rows, 103 slices",
	  { SCANNER(GT_FLAT, 5, 101, 4), .turn = 3.9, .end_view = 1, .column_pitch = 9, .row_pitch = 1.1, .start_angle = 0.4 },
	  { { 5, 4, 103 }, { 3.9, 4.2, 0.6 }, { 1.6, -2.1, 0.3 } } },
	{ "arc, helix, 71 slices in bundles of views",
	  { SCANNER(GT_ARC, 70, 5, 5), .turn = 6 * GT_PI, .column_pitch = 9, .row_pitch = 2.7, .start_angle = 0.1, .pitch_per_turn = 17 },
	  { { 4, 5, 71 }, { 4.3, 4.6, 0.8 }, { -1.7, 2.1, 1.2 } } },
	{ "arc, helix past both ends of 40 slices, 70 rows",
	  { SCANNER(GT_ARC, 23, 70, 5), .turn = 6 * GT_PI, .column_pitch = 9, .row_pitch = 1.7, .start_angle = 0.1, .pitch_per_turn = 60 },
	  { { 4, 5, 40 }, { 11.3, 12.6, 0.9 }, { -1.7, 2.1, 7.2 } } },
	{ "arc, helix, 12 rows, 83 slices: back by tiles of few slices, because views see few of them",
	  { SCANNER(GT_ARC, 40, 12, 5), .turn = 4 * GT_PI, .column_pitch = 9, .row_pitch = 1.3, .start_angle = 0.1, .pitch_per_turn = 26 },
	  { { 5, 4, 83 }, { 4.3, 4.6, 0.7 }, { -1.7, 2.1, 1.2 } } },
	{ "arc, 64 rows, 61 slices: back by tiles of 64 z edges",
	  { SCANNER(GT_ARC, 5, 64, 5), .turn = 2 * GT_PI, .column_pitch = 8.1, .row_pitch = 1.1, .start_angle = 0.6, .row_offset = 1.3 },
	  { { 5, 4, 61 }, { 2.9, 3.2, 0.6 }, { 1.2, -2.3, 1.1 } } },
	{ "arc, 64 rows, 64 slices: a window whose height is a power of two",
	  { SCANNER(GT_ARC, 5, 64, 5), .turn = 2 * GT_PI, .column_pitch = 7.1, .row_pitch = 1.2, .start_angle = 0.5, .row_offset = 0.7 },
	  { { 5, 4, 64 }, { 2.9, 3.2, 0.6 }, { 1.2, -2.3, 0.4 } } },
	{ "flat, 18 rows, 20 slices: forward by tiles of 16 rows and some more",
	  { SCANNER(GT_FLAT, 5, 18, 11), .turn = 3.9, .end_view = 1, .column_pitch = 5, .row_pitch = 1.1, .start_angle = 0.4 },
	  { { 6, 5, 20 }, { 3.9, 4.2, 0.6 }, { 1.6, -2.1, 0.3 } } },
	{ "arc, 131 rows, 67 slices: forward by tiles of 128 rows and some more",
	  { SCANNER(GT_ARC, 3, 131, 5), .turn = 3.9, .end_view = 1, .column_pitch = 6, .row_pitch = 1.1, .start_angle = 0.7 },
	  { { 4, 3, 67 }, { 3.9, 4.2, 1.1 }, { 1.6, -2.1, 0.3 } } },
	{ "arc, helix, 70 rows, 131 slices: back by tall tiles",
	  { SCANNER(GT_ARC, 18, 70, 3), .turn = 4 * GT_PI, .column_pitch = 14, .row_pitch = 1.3, .start_angle = 0.1, .pitch_per_turn = 40 },
	  { { 3, 4, 131 }, { 5.3, 5.6, 0.7 }, { -1.7, 2.1, 1.2 } } },
	{ "parallel, 31 slices",
	  { .shape = GT_PARALLEL,
	    .views = 9,
	    .rows = 23,
	    .columns = 9,
	    .column_pitch = 3.3,
	    .row_pitch = 1.4,
	    .start_angle = 0.3,
	    .turn = GT_PI },
	  { { 7, 8, 31 }, { 2.4, 2.9, 1.1 }, { 1.1, -0.6, 0.4 } } },
};
enum { TALL = sizeof tall / sizeof *tall };

/* Few views of many slices, so that several blocks share a tile; there are too many voxels for a test by elements. */
static const struct {
	gt_orbit orbit;
	gt_grid grid;
} wide[] = {
	{ { SCANNER(GT_ARC, 17, 61, 7), .turn = 2 * GT_PI, .column_pitch = 53.3, .row_pitch = 1.8, .start_angle = 0.3,
	    .column_offset = 0.6 },
	  { { 132, 149, 21 }, { 1.7, 1.6, 2.9 }, { 1.2, -2.3, 0.7 } } },
	{ { SCANNER(GT_FLAT, 3, 121, 7), .turn = 3.9, .end_view = 1, .column_pitch = 49.1, .row_pitch = 1.9, .start_angle = 0.7 },
	  { { 133, 141, 41 }, { 1.6, 1.7, 3.1 }, { 1.6, -2.1, 0.3 } } },
	{ { SCANNER(GT_ARC, 11, 67, 5), .turn = 4 * GT_PI, .column_pitch = 71, .row_pitch = 2.1, .start_angle = 0.1, .pitch_per_turn = 50 },
	  { { 131, 139, 37 }, { 1.9, 1.8, 2.3 }, { -1.7, 2.1, 3.2 } } },
};
enum { WIDE = sizeof wide / sizeof *wide };

static struct gt_test_geometry geometry(int i)
{
	const int n = gt_test_geometries();
	return i < n ? gt_test_geometry(i) : orbit_geometry(&tall[i - n]);
}

/* On the CPU in single precision test_dd_single covers the common scans. */
START_TEST(adjoint_by_elements)
{
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	if (!gt_test_is_gpu() && type == GT_F32 && _i / 2 < gt_test_geometries())
		return;
	gt_backend *be = gt_test_backend_alone();
	const struct gt_test_geometry g = geometry(_i / 2);
	check_transpose("dd", be, type, &g, "default");
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

/* Forward projection of a random volume against the overlap integrals of the definition. */
START_TEST(forward_by_definition)
{
	gt_backend *be = gt_test_backend();
	const struct gt_test_geometry g = geometry(_i / 2);
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	const size_t nx = gt_grid_voxels(&g.grid), ny = gt_scan_size(g.scan);
	float *x = malloc(nx * sizeof *x);
	double *exact = malloc(ny * sizeof *exact), size = 0, worst = 0;
	gt_test_random(5, nx, x);
	float *y = project("dd", be, type, &g.grid, g.scan, x);
	gt_test_dd_forward(g.scan, &g.grid, x, exact);
	for (size_t i = 0; i < ny; i++) {
		size = fmax(size, fabs(exact[i]));
		worst = fmax(worst, fabs(exact[i] - y[i]));
	}
	ck_assert_msg(size > 0 && worst <= 1e-5 * size, "%s, %s: %.3e of the largest value", g.name, gt_type_name(type), worst / size);
	gt_scan_free(g.scan);
	gt_backend_close(be);
	free(x);
	free(y);
	free(exact);
}
END_TEST

/* Projects x twice with one type; both results are bit-identical. Returns the operator. */
static gt_linop *forward_twice(gt_backend *be, gt_type type, int i, const gt_scan *scan, const float *x, float *y)
{
	const size_t nx = gt_grid_voxels(&wide[i].grid), ny = gt_scan_size(scan);
	float *again = malloc(ny * sizeof *again);
	gt_linop *A = NULL;
	gt_array *in = NULL, *out = NULL;
	ck_ok(gt_array_new(be, type, nx, &in));
	ck_ok(gt_array_new(be, type, ny, &out));
	ck_ok(gt_projector_new("dd", be, type, &wide[i].grid, scan, &A));
	gt_array_put_float(x, in);
	gt_forward(A, in, out);
	gt_array_get_float(out, y);
	gt_forward(A, in, out);
	gt_array_get_float(out, again);
	ck_ok(gt_backend_status(be));
	ck_assert_msg(memcmp(y, again, ny * sizeof *y) == 0, "scan %d, %s: other bits the second time", i, gt_type_name(type));
	gt_array_free(in);
	gt_array_free(out);
	free(again);
	return A;
}

/* The forward projection in single precision equals the one in double. The volume times the backprojection of a unit
 * pixel equals the forward projection at that pixel. */
START_TEST(wide_volumes)
{
	enum { PIXELS = 24 };
	gt_backend *be = gt_test_backend();
	gt_scan *scan = orbit_scan(&wide[_i].orbit);
	const size_t nx = gt_grid_voxels(&wide[_i].grid), ny = gt_scan_size(scan);
	float *x = malloc(nx * sizeof *x), *back = malloc(nx * sizeof *back), *y = malloc(ny * sizeof *y),
	      *exact = malloc(ny * sizeof *exact);
	gt_array *pixels = NULL, *seen = NULL;
	double size = 0;
	gt_test_random(5, nx, x);
	gt_linop *A = forward_twice(be, GT_F32, _i, scan, x, y), *E = forward_twice(be, GT_F64, _i, scan, x, exact);
	for (size_t i = 0; i < ny; i++)
		size = fmax(size, fabs(exact[i]));
	/* values of both signs cancel to a tenth of their sum, so that rounding reaches 1.4e-5 of the largest one on a GPU */
	for (size_t i = 0; i < ny; i++)
		ck_assert_msg(fabs(exact[i] - y[i]) <= 2e-5 * size, "scan %d, pixel %zu: expected %.8g, found %.8g", _i, i, exact[i], y[i]);
	ck_ok(gt_array_new(be, GT_F32, ny, &pixels));
	ck_ok(gt_array_new(be, GT_F32, nx, &seen));
	memset(exact, 0, ny * sizeof *exact);
	for (size_t k = 0; k < PIXELS; k++) {
		const size_t pixel = (k * 7919 + 13) * (ny / PIXELS | 1) % ny;
		double sum = 0;
		exact[pixel] = 1;
		gt_array_put_float(exact, pixels);
		exact[pixel] = 0;
		gt_adjoint(A, pixels, seen);
		gt_array_get_float(seen, back);
		for (size_t i = 0; i < nx; i++)
			sum += (double)back[i] * x[i];
		ck_assert_msg(fabs(sum - y[pixel]) <= 2e-5 * size, "scan %d, pixel %zu: %.8g forward, %.8g back", _i, pixel, y[pixel], sum);
	}
	ck_ok(gt_backend_status(be));
	gt_array_free(pixels);
	gt_array_free(seen);
	gt_linop_free(A);
	gt_linop_free(E);
	gt_scan_free(scan);
	gt_backend_close(be);
	free(x);
	free(back);
	free(y);
	free(exact);
}
END_TEST

static void fill(TCase *tc)
{
	const int n = 2 * (gt_test_geometries() + TALL);
	gt_add_alike(tc, adjoint_by_elements, n);
	gt_add_alike(tc, forward_by_definition, n);
	gt_add_alike(tc, wide_volumes, WIDE);
}

int main(void) { return gt_test_main("dd", fill); }
