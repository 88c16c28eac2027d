#ifndef GT_TESTS_ODD_ARRAYS_H
#define GT_TESTS_ODD_ARRAYS_H
/* CPU pairs with unusual arrays: denormal numbers, and memory that is not aligned to whole vectors. */
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include "tests/support/images.h"
#include "tests/support/loose.h"
#include "tests/support/support.h"

static inline gt_backend *backend(const char *name)
{
	gt_backend *be = NULL;
	ck_ok(gt_backend_open(name, &be));
	return be;
}

/* Applies a direction of the pair to n denormal numbers, most of three digits. Returns m numbers. */
static inline double *of_denormals(const gt_linop *A, void (*direction)(const gt_linop *, const gt_array *, gt_array *), gt_type type,
                                   size_t n, size_t m)
{
	gt_backend *be = gt_linop_backend(A);
	gt_array *in = NULL, *out = NULL;
	float *values = malloc(n * sizeof *values);
	gt_test_random(3, n, values);
	for (size_t i = 0; i < n; i++)
		values[i] *= 1e-41f;
	ck_ok(gt_array_new(be, type, n, &in));
	ck_ok(gt_array_new(be, type, m, &out));
	gt_array_put_float(values, in);
	direction(A, in, out);
	ck_ok(gt_backend_status(be));
	double *result = gt_test_values(out);
	gt_array_free(in);
	gt_array_free(out);
	free(values);
	return result;
}

/* Denormal numbers give the results of double precision in both directions, up to their rounding (a thousandth of
 * 1e-42). */
static inline void check_denormals(const char *pair, const char *kernels, const struct gt_test_geometry *g)
{
	const size_t nx = gt_grid_voxels(&g->grid), ny = gt_scan_size(g->scan);
	gt_backend *be = backend("cpu:1");
	struct gt_test_images r[2];
	for (int k = 0; k < 2; k++) {
		const gt_type type = k ? GT_F64 : GT_F32;
		gt_linop *A = NULL;
		ck_ok(gt_projector_new(pair, be, type, &g->grid, g->scan, &A));
		r[k].y = of_denormals(A, gt_forward, type, nx, ny);
		r[k].x = of_denormals(A, gt_adjoint, type, ny, nx);
		gt_linop_free(A);
	}
	const double y = gt_test_farthest(r[0].y, r[1].y, ny), x = gt_test_farthest(r[0].x, r[1].x, nx);
	ck_assert_msg(y <= 5e-3 && x <= 5e-3, "%s, %s, %s: forward %.2e, back %.2e of the largest from double", pair, kernels, g->name, y,
	              x);
	gt_test_images_free(r[0]);
	gt_test_images_free(r[1]);
	gt_backend_close(be);
}

/* Arrays in the caller's memory that are not aligned to whole vectors give bit-identical results. No float around them
 * is written. */
static inline void check_loose_memory(const char *pair, const struct gt_test_geometry *g)
{
	const size_t nx = gt_grid_voxels(&g->grid), ny = gt_scan_size(g->scan);
	gt_backend *be = backend("cpu:2");
	gt_linop *A = NULL;
	gt_array *x = gt_test_array(be, GT_F32, nx, 7), *y = NULL, *back = NULL;
	struct gt_test_loose in = gt_test_loose(be, nx, 1), data = gt_test_loose(be, ny, 2), out = gt_test_loose(be, nx, 1);
	float *result = malloc((nx > ny ? nx : ny) * sizeof *result);
	ck_ok(gt_projector_new(pair, be, GT_F32, &g->grid, g->scan, &A));
	ck_ok(gt_array_new(be, GT_F32, ny, &y));
	ck_ok(gt_array_like(x, &back));
	gt_copy(x, in.array);
	gt_forward(A, x, y);
	gt_adjoint(A, y, back);
	gt_forward(A, in.array, data.array);
	gt_adjoint(A, data.array, out.array);
	ck_ok(gt_backend_status(be));
	gt_array_get(y, result);
	ck_assert(!memcmp(result, gt_test_loose_values(&data), ny * sizeof *result));
	gt_array_get(back, result);
	ck_assert(!memcmp(result, gt_test_loose_values(&out), nx * sizeof *result));
	gt_test_loose_free(&in);
	gt_test_loose_free(&data);
	gt_test_loose_free(&out);
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(back);
	gt_linop_free(A);
	gt_backend_close(be);
	free(result);
}

/* Results are bit-identical for any number of threads, also for more threads than processors and jobs. */
static inline void check_threads(const char *pair, const struct gt_test_geometry *g)
{
	static const char *const threads[] = { "cpu:1", "cpu:3", "cpu:131" };
	struct gt_test_images r[3];
	for (int k = 0; k < 3; k++) {
		gt_backend *be = backend(threads[k]);
		r[k] = gt_test_apply(pair, be, GT_F32, g);
		gt_backend_close(be);
	}
	for (int k = 1; k < 3; k++) {
		ck_assert_msg(!memcmp(r[0].y, r[k].y, gt_scan_size(g->scan) * sizeof *r[0].y), "%s, %s: forward by %s", pair, g->name,
		              threads[k]);
		ck_assert_msg(!memcmp(r[0].x, r[k].x, gt_grid_voxels(&g->grid) * sizeof *r[0].x), "%s, %s: back by %s", pair, g->name,
		              threads[k]);
		gt_test_images_free(r[k]);
	}
	gt_test_images_free(r[0]);
}
#endif
