/* Noisy scan of a head phantom on a reduced clinical scanner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/phantom.h>
#include <gantry/projector.h>
#include "geometry/grid.h"
#include "recon/weights/photon_weights.h"
#include "tests/support/head.h"
#include "tests/support/images.h"
#include "tests/support/support.h"

static const double slice_pitch = 2.5, field = 300;

static gt_scan *scan_of(size_t rows, size_t coarse)
{
	gt_scan *scan = NULL;
	gt_orbit o = gt_scanner_find("ge-ct750hd")->orbit;
	const double magnification = o.source_to_detector / o.source_to_axis;
	gt_orbit_reduce(&o, coarse);
	o.rows = rows;
	o.row_pitch = slice_pitch * magnification;
	o.turn = 6.283185307179586;
	ck_ok(gt_scan_orbit(&o, &scan));
	return scan;
}

/* Views k, k + subsets, ... of values per view. */
static gt_array *part_of(const struct gt_test_head *h, gt_type type, const float *values, size_t k)
{
	const size_t cells = h->scan->rows * h->scan->columns, views = (h->scan->views - k + h->subsets - 1) / h->subsets;
	gt_array *a = NULL;
	float *part = malloc(views * cells * sizeof *part);
	for (size_t v = 0; v < views; v++)
		memcpy(part + v * cells, values + (k + v * h->subsets) * cells, cells * sizeof *part);
	ck_ok(gt_array_new(h->be, type, views * cells, &a));
	gt_array_put_float(part, a);
	gt_backend_wait(h->be);
	free(part);
	return a;
}

static void add_data(struct gt_test_head *h, gt_type type, double photons)
{
	const size_t cells = gt_scan_size(h->scan);
	const gt_counting counting = { .count = photons };
	gt_pool *pool = gt_backend_pool(h->be);
	gt_phantom *body = NULL;
	float *p = malloc(cells * sizeof *p), *w = malloc(cells * sizeof *w);
	double factor;
	ck_ok(gt_phantom_new("forbild-head", NULL, &body));
	ck_ok(gt_phantom_project(body, h->scan, 1, pool, NULL, NULL, p));
	gt_add_photon_noise(photons, 0, 1, 0, pool, p, cells);
	ck_ok(gt_data_weights(pool, &counting, p, cells, w, &factor));
	for (size_t k = 0; k < h->subsets; k++) {
		gt_scan *part = NULL;
		ck_ok(gt_scan_subset(h->scan, k, h->subsets, &part));
		ck_ok(gt_projector_new("dd", h->be, type, &h->grid, part, &h->A[k]));
		h->b[k] = part_of(h, type, p, k);
		h->w[k] = part_of(h, type, w, k);
		gt_scan_free(part);
	}
	gt_phantom_free(body);
	free(p);
	free(w);
}

struct gt_test_head *gt_test_head(gt_backend *be, gt_type type, size_t n, size_t slices, size_t coarse, size_t subsets, double photons)
{
	struct gt_test_head *h = calloc(1, sizeof *h);
	size_t above;
	h->be = be;
	h->scan = scan_of(slices, coarse);
	h->inner = (gt_grid){ { n, n, slices }, { field / (double)n, field / (double)n, slice_pitch }, { 0, 0, 0 } };
	gt_grid_margin(&h->inner, h->scan, &h->below, &above);
	h->grid = h->inner;
	h->grid.n[2] += h->below + above;
	h->grid.center[2] = ((double)above - (double)h->below) / 2 * slice_pitch;
	h->subsets = subsets;
	h->A = calloc(subsets, sizeof *h->A);
	h->b = calloc(subsets, sizeof *h->b);
	h->w = calloc(subsets, sizeof *h->w);
	add_data(h, type, photons);
	ck_ok(gt_array_new(be, type, gt_grid_voxels(&h->grid), &h->x));
	gt_fill(0, h->x);
	h->problem = (gt_problem){ .subsets = subsets,
		                   .A = h->A,
		                   .b = h->b,
		                   .w = h->w,
		                   .n = { h->grid.n[0], h->grid.n[1], h->grid.n[2] },
		                   .lo = -INFINITY,
		                   .hi = INFINITY };
	ck_ok(gt_backend_status(be));
	return h;
}

void gt_test_head_free(struct gt_test_head *h)
{
	for (size_t k = 0; k < h->subsets; k++) {
		gt_linop_free(h->A[k]);
		gt_array_free(h->b[k]);
		gt_array_free(h->w[k]);
	}
	gt_array_free(h->x);
	gt_scan_free(h->scan);
	free(h->A);
	free(h->b);
	free(h->w);
	free(h);
}

double gt_test_head_difference(const struct gt_test_head *h, const gt_array *x, const double *y)
{
	const size_t slice = h->grid.n[0] * h->grid.n[1], first = h->below * slice, end = first + gt_grid_voxels(&h->inner);
	double *values = gt_test_values(x), sum = 0;
	for (size_t i = first; i < end; i++)
		sum += (values[i] - y[i]) * (values[i] - y[i]);
	free(values);
	return sqrt(sum / (double)(end - first)) / 0.02e-3;
}
