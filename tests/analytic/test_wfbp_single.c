/* Helical backprojection on the CPU in single precision: every instruction set against double, and any number of
 * threads.
 * labels: property unit; backend: none */
#include "analytic/wfbp/fast/wfbp_single.h"
#include "tests/analytic/helices.h"
#include "tests/analytic/loose_arrays.h"
#include "tests/support/vector_sets.h"

#define GT_WFBP_KERNELS sixteen_lanes
#define GT_WFBP_KERNELS_NAME "sixteen"
#include "analytic/wfbp/fast/wfbp_single_kernels.inc"

/* Slices of 0.4 to 3.5 rows, more and fewer than a vector has lanes. */
static const gt_grid several[] = {
	{ { 23, 19, 61 }, { 3.1, 3.3, 0.75 }, { 3, -2, 4 } },
	{ { 37, 23, 29 }, { 2.1, 2.3, 1.9 }, { 3, -2, 4 } },
	{ { 19, 23, 21 }, { 4.1, 3.3, 3.1 }, { -1, 2, 1 } },
	{ { 19, 23, 7 }, { 4.1, 3.3, 6.6 }, { -1, 2, 1 } },
};
enum { SEVERAL = sizeof several / sizeof *several };

GT_TEST_USE(gt_wfbp_single)

static double *volume_of(const char *backend, gt_type type, const char *text, const gt_grid *g, const gt_scan *s, const double *data)
{
	gt_backend *be;
	ck_ok(gt_backend_open(backend, &be));
	double *x = reconstruct_as(be, type, "wfbp", text, g, s, data);
	gt_backend_close(be);
	return x;
}

/* Case i: pitch, shape, focal spots, row direction and slices. */
static gt_scan *case_of(int i, double **data)
{
	static const double spot[2][3] = { { 0.3, 0, -0.4 }, { -0.3, 0, 0.4 } };
	gt_orbit o = orbit_of(i & 1 ? GT_FLAT : GT_ARC, pitches[i % 3], 2.7);
	o.spot = spot;
	o.spots = i & 2 ? 2 : 0;
	gt_scan *s = scan_of(&o);
	for (size_t v = 0; v < s->views && i & 4; v++)
		for (int a = 0; a < 3; a++)
			s->view[v].row_axis[a] = -s->view[v].row_axis[a];
	const size_t n = gt_scan_size(s);
	float *random = malloc(n * sizeof *random);
	*data = malloc(n * sizeof **data);
	ck_assert(random && *data);
	gt_test_random(7 + (unsigned)i, n, random);
	for (size_t k = 0; k < n; k++)
		(*data)[k] = (double)random[k];
	free(random);
	return s;
}

/* Relative RMS. */
static double difference(const double *x, const double *y, size_t n)
{
	double off = 0, all = 0;
	for (size_t k = 0; k < n; k++) {
		off += (x[k] - y[k]) * (x[k] - y[k]);
		all += y[k] * y[k];
	}
	return all > 0 ? sqrt(off / all) : INFINITY;
}

START_TEST(single_is_double)
{
	const gt_grid *g = &several[_i % SEVERAL];
	const char *const text = _i % 3 ? "mask=none" : "ends=zero";
	double *data;
	gt_scan *s = case_of(_i, &data);
	double *truth = volume_of("cpu:1", GT_F64, text, g, s, data);
	for (int k = 0; k < SETS; k++) {
		if (!use(sets[k]))
			continue;
		double *x = volume_of("cpu:2", GT_F32, text, g, s, data);
		const double d = difference(x, truth, gt_grid_voxels(g));
		printf("case %d %-8s %.2e\n", _i, sets[k], d);
		ck_assert_msg(d < 1e-6, "case %d, %s: single differs from double by %g", _i, sets[k], d);
		free(x);
	}
	gt_wfbp_single_use(NULL);
	free(truth);
	free(data);
	gt_scan_free(s);
}
END_TEST

START_TEST(loose_memory)
{
	double *data;
	gt_scan *s = case_of(_i, &data);
	for (int k = 0; k < SETS; k++)
		if (use(sets[k]))
			check_loose_arrays("wfbp", _i % 3 ? "mask=none" : "ends=zero", &several[_i % SEVERAL], s, data);
	gt_wfbp_single_use(NULL);
	free(data);
	gt_scan_free(s);
}
END_TEST

START_TEST(denormals)
{
	double *data;
	gt_scan *s = case_of(_i, &data);
	for (int k = 0; k < SETS; k++)
		if (use(sets[k]))
			check_denormal_data("wfbp", _i % 3 ? "mask=none" : "ends=zero", sets[k], &several[_i % SEVERAL], s);
	gt_wfbp_single_use(NULL);
	free(data);
	gt_scan_free(s);
}
END_TEST

START_TEST(bits_do_not_depend_on_threads)
{
	static const char *const threads[] = { "cpu:2", "cpu:3", "cpu:131" };
	double *data;
	gt_scan *s = case_of(3, &data);
	double *one = volume_of("cpu:1", GT_F32, NULL, &several[0], s, data);
	for (int k = 0; k < 3; k++) {
		double *x = volume_of(threads[k], GT_F32, NULL, &several[0], s, data);
		ck_assert_msg(!memcmp(x, one, gt_grid_voxels(&several[0]) * sizeof *x), "other bits with %s", threads[k]);
		free(x);
	}
	free(one);
	free(data);
	gt_scan_free(s);
}
END_TEST

GT_TEST_FOUND_BY_NAME(gt_wfbp_single)

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, single_is_double, 0, 8);
	gt_add_alike(tc, loose_memory, 8);
	gt_add_alike(tc, denormals, 8);
	tcase_add_test(tc, bits_do_not_depend_on_threads);
	tcase_add_test(tc, kernels_are_found_by_name);
}

int main(void) { return gt_test_main("wfbp_single", fill); }
