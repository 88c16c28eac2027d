#ifndef GT_TESTS_ANALYTIC_LOOSE_ARRAYS_H
#define GT_TESTS_ANALYTIC_LOOSE_ARRAYS_H
/* Direct methods in single precision on the CPU with unaligned arrays and denormal values. */
#include "tests/analytic/bodies.h"
#include "tests/support/images.h"
#include "tests/support/loose.h"

/* Bit-identical to aligned arrays, and no memory around the arrays is changed. */
static inline void check_loose_arrays(const char *method, const char *text, const gt_grid *g, const gt_scan *s, const double *data)
{
	const size_t cells = gt_scan_size(s), voxels = gt_grid_voxels(g);
	gt_backend *be;
	ck_ok(gt_backend_open("cpu:2", &be));
	double *truth = reconstruct_as(be, GT_F32, method, text, g, s, data);
	struct gt_test_loose p = gt_test_loose(be, cells, 1), x = gt_test_loose(be, voxels, 2);
	for (size_t i = 0; i < cells; i++)
		gt_test_loose_values(&p)[i] = (float)data[i];
	run_method(be, method, text, g, s, p.array, x.array);
	ck_ok(gt_backend_status(be));
	for (size_t i = 0; i < voxels; i++)
		ck_assert_msg((double)gt_test_loose_values(&x)[i] == truth[i], "%s: voxel %zu of loose memory: %g, expected %g", method, i,
		              (double)gt_test_loose_values(&x)[i], truth[i]);
	gt_test_loose_free(&p);
	gt_test_loose_free(&x);
	free(truth);
	gt_backend_close(be);
}

/* Equal to double up to the rounding of such values: 1e-42 is 700 units, and each view rounds to one. */
static inline void check_denormal_data(const char *method, const char *text, const char *kernels, const gt_grid *g, const gt_scan *s)
{
	const size_t cells = gt_scan_size(s);
	gt_backend *be;
	float *random = malloc(cells * sizeof *random);
	double *data = malloc(cells * sizeof *data);
	ck_ok(gt_backend_open("cpu:2", &be));
	gt_test_random(7, cells, random);
	for (size_t i = 0; i < cells; i++)
		data[i] = (double)(random[i] * 1e-41f);
	double *x = reconstruct_as(be, GT_F32, method, text, g, s, data), *truth = reconstruct_as(be, GT_F64, method, text, g, s, data);
	const double off = gt_test_off(x, truth, gt_grid_voxels(g));
	ck_assert_msg(off <= 0.04, "%s, %s: denormal data, %.2e from double", method, kernels, off);
	free(x);
	free(truth);
	free(random);
	free(data);
	gt_backend_close(be);
}
#endif
