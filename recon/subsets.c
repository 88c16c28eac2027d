/* Splits a scan into ordered subsets, each with an operator, data and weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include <gantry/recon.h>
#include "core/arguments.h"
#include "core/array/staged.h"
#include "core/try.h"

/* Values of views first, first + stride, ..., each copied from its place. */
static gt_status gather(const gt_scan *scan, const float *data, size_t first, size_t stride, gt_array *b)
{
	const size_t view = scan->rows * scan->columns, bytes = view * sizeof *data;
	gt_status st = GT_OK;
	if (gt_array_type(b) == GT_F32 && gt_array_put_staged(data + first * view, bytes, stride * bytes, b))
		return GT_OK;
	for (size_t v = first, at = 0; v < scan->views; v += stride, at += view) {
		gt_array *one = NULL;
		GT_TRY(gt_array_part(b, at, view, &one));
		gt_array_put_float(data + v * view, one);
		gt_array_free(one);
	}
done:
	return st;
}

static gt_status new_subset(const gt_linop *A, const gt_scan *scan, const float *data, size_t k, size_t subsets, gt_array **b)
{
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(gt_linop_backend(A), gt_linop_type(A), gt_linop_ny(A), b));
	if (subsets == 1 || gt_backend_is_dry_run(gt_linop_backend(A)))
		gt_array_put_float(data, *b);
	else
		GT_TRY(gather(scan, data, k, subsets, *b));
done:
	return st;
}

gt_status gt_subsets_new(const char *projector, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan, const float *data,
                         const float *weights, size_t subsets, gt_subsets *s)
{
	GT_NEED(scan);
	GT_NEED(s);
	gt_scan *part = NULL;
	gt_status st = GT_OK;
	*s = (gt_subsets){ .subsets = 0 };
	GT_TRY(gt_backend_status(be));
	if (!gt_backend_is_dry_run(be))
		GT_NEED(data);
	if (subsets < 1 || subsets > scan->views)
		return gt_fail(GT_ERR_ARG, "subsets=%zu: expected a number from 1 to %zu, the number of views", subsets, scan->views);
	s->subsets = subsets;
	s->A = calloc(subsets, sizeof *s->A);
	s->b = calloc(subsets, sizeof *s->b);
	s->w = weights ? calloc(subsets, sizeof *s->w) : NULL;
	if (!s->A || !s->b || (weights && !s->w))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t k = 0; k < subsets; k++) {
		GT_TRY(gt_scan_subset(scan, k, subsets, &part));
		GT_TRY(gt_projector_new(projector, be, type, grid, part, &s->A[k]));
		GT_TRY(new_subset(s->A[k], scan, data, k, subsets, &s->b[k]));
		if (weights)
			GT_TRY(new_subset(s->A[k], scan, weights, k, subsets, &s->w[k]));
		gt_scan_free(part);
		part = NULL;
	}
	GT_TRY(gt_backend_status(be));
done:
	gt_scan_free(part);
	if (st != GT_OK)
		gt_subsets_free(s);
	return st;
}

void gt_subsets_free(gt_subsets *s)
{
	for (size_t k = 0; k < s->subsets; k++) {
		if (s->A)
			gt_linop_free(s->A[k]);
		if (s->b)
			gt_array_free(s->b[k]);
		if (s->w)
			gt_array_free(s->w[k]);
	}
	free(s->A);
	free(s->b);
	free(s->w);
	*s = (gt_subsets){ 0 };
}

double gt_subsets_norm(const gt_subsets *s)
{
	double sum = 0;
	for (size_t k = 0; k < s->subsets; k++)
		sum += gt_dot(s->b[k], s->b[k]);
	return sqrt(sum);
}
