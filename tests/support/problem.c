/* Projections of the Shepp-Logan phantom as a reconstruction problem. */
#include <math.h>
#include <stdlib.h>
#include <gantry/phantom.h>
#include <gantry/projector.h>
#include "tests/support/problem.h"
#include "tests/support/support.h"

/* Pixels of 0.6 x 0.8 voxels at the axis, the proportions of a clinical scanner. */
static gt_scan *circle(size_t n, size_t views)
{
	const double at_axis = 240.0 / (double)n * 1000 / 700;
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = views,
		                 .rows = n * 3 / 2,
		                 .columns = n * 5 / 2 + 1,
		                 .source_to_axis = 700,
		                 .source_to_detector = 1000,
		                 .column_pitch = 0.6 * at_axis,
		                 .row_pitch = 0.8 * at_axis,
		                 .column_offset = 0.25,
		                 .start_angle = 0.2,
		                 .turn = 6.283185307179586 };
	gt_scan *scan = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	return scan;
}

static gt_array *phantom(gt_backend *be, gt_type type, const gt_grid *g)
{
	gt_phantom *p = NULL;
	gt_array *a = NULL;
	float *host = malloc(gt_grid_voxels(g) * sizeof *host);
	ck_ok(gt_phantom_new("shepp-logan", NULL, &p));
	ck_ok(gt_phantom_voxelise(p, g, 2, gt_backend_pool(be), NULL, NULL, host));
	ck_ok(gt_array_new(be, type, gt_grid_voxels(g), &a));
	gt_array_put_float(host, a);
	gt_phantom_free(p);
	free(host);
	return a;
}

struct gt_test_problem gt_test_problem(gt_backend *be, gt_type type, size_t n, size_t views, size_t subsets)
{
	const double size = 240.0 / (double)n;
	struct gt_test_problem p = {
		.be = be, .scan = circle(n, views), .grid = { { n, n, n }, { size, size, size }, { 0, 0, 0 } }, .subsets = subsets
	};
	p.truth = phantom(be, type, &p.grid);
	p.A = calloc(subsets, sizeof *p.A);
	p.b = calloc(subsets, sizeof *p.b);
	for (size_t k = 0; k < subsets; k++) {
		gt_scan *part = NULL;
		ck_ok(gt_scan_subset(p.scan, k, subsets, &part));
		ck_ok(gt_projector_new("dd", be, type, &p.grid, part, &p.A[k]));
		ck_ok(gt_array_new(be, type, gt_scan_size(part), &p.b[k]));
		gt_forward(p.A[k], p.truth, p.b[k]);
		gt_scan_free(part);
	}
	ck_ok(gt_array_like(p.truth, &p.x));
	gt_fill(0, p.x);
	ck_ok(gt_backend_status(be));
	p.problem = (gt_problem){ .subsets = subsets, .A = p.A, .b = p.b, .lo = -INFINITY, .hi = INFINITY, .n = { n, n, n } };
	return p;
}

void gt_test_problem_free(struct gt_test_problem *p)
{
	for (size_t k = 0; k < p->subsets; k++) {
		gt_linop_free(p->A[k]);
		gt_array_free(p->b[k]);
	}
	gt_array_free(p->truth);
	gt_array_free(p->x);
	gt_scan_free(p->scan);
	free(p->A);
	free(p->b);
}

double gt_test_problem_error(const struct gt_test_problem *p, const gt_array *x)
{
	const size_t slice = p->grid.n[0] * p->grid.n[1], first = p->grid.n[2] / 4 * slice, n = p->grid.n[2] / 2 * slice;
	gt_array *part = NULL, *truth = NULL;
	ck_ok(gt_array_part(x, first, n, &part));
	ck_ok(gt_array_part(p->truth, first, n, &truth));
	const double error = sqrt(gt_distance2(part, truth) / gt_dot(truth, truth));
	gt_array_free(part);
	gt_array_free(truth);
	return error;
}

gt_array **gt_test_weights(const struct gt_test_problem *p)
{
	gt_array **w = calloc(p->subsets, sizeof *w);
	for (size_t k = 0; k < p->subsets; k++) {
		ck_ok(gt_array_like(p->b[k], &w[k]));
		gt_fill(0.5 + 0.1 * (double)k, w[k]);
	}
	return w;
}

void gt_test_weights_free(const struct gt_test_problem *p, gt_array *const *w)
{
	for (size_t k = 0; w && k < p->subsets; k++)
		gt_array_free(w[k]);
	free((void *)w);
}
