/* The distance-driven pair against its definition, entry by entry, and against its own transpose.
 * labels: property unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "projectors/projector.h"
#include "tests/support/definition.h"
#include "tests/support/geometries.h"
#include "tests/support/support.h"

static double tolerance(gt_type t) { return t == GT_F64 ? 1e-12 : 1e-5; }

START_TEST(adjoint_by_elements)
{
	gt_backend *be = gt_test_backend();
	const struct gt_test_geometry g = gt_test_geometry(_i / 2);
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	gt_linop *A = NULL;
	double difference, largest;
	ck_ok(gt_projector_new("dd", be, type, &g.grid, g.scan, &A));
	ck_ok(gt_linop_mismatch_elements(A, &difference, &largest));
	ck_assert_msg(difference <= tolerance(type) * largest, "%s, %s: %.3e of the largest entry", g.name, gt_type_name(type),
	              difference / largest);
	gt_linop_free(A);
	gt_scan_free(g.scan);
	gt_backend_close(be);
}
END_TEST

/* Every entry of forward, from unit volumes, against the overlap integrals written straight from the definition. */
START_TEST(forward_by_definition)
{
	gt_backend *be = gt_test_backend();
	const struct gt_test_geometry g = gt_test_geometry(_i / 2);
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	const size_t nx = gt_grid_voxels(&g.grid), ny = gt_scan_cells(g.scan);
	float *x = malloc(nx * sizeof *x), *y = malloc(ny * sizeof *y);
	double *exact = malloc(ny * sizeof *exact), size = 0, worst = 0;
	gt_linop *A = NULL;
	gt_array *in = gt_test_array(be, type, nx, 5), *out = NULL;
	gt_array_get_float(in, x);
	ck_ok(gt_array_new(be, type, ny, &out));
	ck_ok(gt_projector_new("dd", be, type, &g.grid, g.scan, &A));
	gt_forward(A, in, out);
	gt_array_get_float(out, y);
	ck_ok(gt_backend_status(be));
	gt_test_dd_forward(g.scan, &g.grid, x, exact);
	for (size_t i = 0; i < ny; i++) {
		size = fmax(size, fabs(exact[i]));
		worst = fmax(worst, fabs(exact[i] - y[i]));
	}
	ck_assert_msg(size > 0 && worst <= 1e-5 * size, "%s, %s: %.3e of the largest value", g.name, gt_type_name(type), worst / size);
	gt_array_free(in);
	gt_array_free(out);
	gt_linop_free(A);
	gt_scan_free(g.scan);
	gt_backend_close(be);
	free(x);
	free(y);
	free(exact);
}
END_TEST

static void fill(TCase *tc)
{
	const int n = 2 * gt_test_geometries();
	tcase_add_loop_test(tc, adjoint_by_elements, 0, n);
	tcase_add_loop_test(tc, forward_by_definition, 0, n);
}

int main(void) { return gt_test_main("dd", fill); }
