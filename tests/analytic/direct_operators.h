#ifndef GT_TESTS_ANALYTIC_DIRECT_OPERATORS_H
#define GT_TESTS_ANALYTIC_DIRECT_OPERATORS_H
/* Direct methods as operators: every entry of the transpose; forward is bit-identical to a run. */
#include <math.h>
#include <stdlib.h>
#include <gantry/analytic.h>
#include <gantry/linop.h>
#include "tests/support/support.h"

typedef struct {
	const char *name, *method, *options; /* options NULL: defaults */
	const gt_grid *grid;
	const gt_scan *scan;
} direct_operator;

static inline void *direct_options(const direct_operator *d)
{
	char text[128];
	const gt_module *m;
	void *options = NULL;
	if (!d->options)
		return NULL;
	snprintf(text, sizeof text, "%s:%s", d->method, d->options);
	ck_ok(gt_module_parse("analytic", text, &m, &options));
	return options;
}

static inline void fill_sines(gt_type type, size_t n, void *a)
{
	for (size_t i = 0; i < n; i++)
		if (type == GT_F32)
			((float *)a)[i] = (float)sin(1.7 * (double)i);
		else
			((double *)a)[i] = sin(1.7 * (double)i);
}

/* max: largest difference of entries, relative to the largest entry. */
static inline void check_direct_operator(const direct_operator *d, gt_type type, double max)
{
	gt_backend *be = gt_test_backend();
	const gt_analytic *m = gt_analytic_find(d->method);
	const size_t ny = gt_scan_size(d->scan), nx = gt_grid_voxels(d->grid), element = gt_type_size(type);
	void *options = direct_options(d), *from = malloc(ny * element), *run = malloc(nx * element), *applied = malloc(nx * element);
	double difference, largest;
	gt_linop *A;
	gt_array *y, *x;
	ck_ok(gt_analytic_linop(m, be, type, d->grid, d->scan, options, &A));
	ck_ok(gt_linop_mismatch_elements(A, &difference, &largest));
	ck_assert_msg(largest > 1e-6 && difference <= max * largest, "%s, %s: entries up to %g differ by %g", d->name, gt_type_name(type),
	              largest, difference);
	ck_ok(gt_array_new(be, type, ny, &y));
	ck_ok(gt_array_new(be, type, nx, &x));
	fill_sines(type, ny, from);
	gt_array_put(from, y);
	ck_ok(gt_analytic_run(m, be, d->grid, d->scan, options, y, x));
	gt_array_get(x, run);
	gt_fill(7, x);
	gt_forward(A, y, x);
	gt_array_get(x, applied);
	ck_ok(gt_backend_status(be));
	ck_assert_mem_eq(run, applied, nx * element);
	gt_array_free(y);
	gt_array_free(x);
	gt_linop_free(A);
	gt_backend_close(be);
	gt_free(options);
	free(from);
	free(run);
	free(applied);
}

#endif
