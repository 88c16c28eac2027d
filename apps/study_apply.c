/* What the parts of a study share: views of a scan, a projector applied to floats, slices of an adjoint, differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/study.h"
#include "core/scan_math.h"

const app_workload *study_cube(const study *s)
{
	const app_workload *w = app_workloads;
	while (strcmp(w->name, s->quick ? "quick-flat" : "cube512"))
		w++;
	return w;
}

gt_status study_pick(const gt_scan *scan, const size_t *view, size_t n, gt_scan **out)
{
	gt_scan *part = NULL;
	const gt_status st = gt_scan_new(scan->shape, n, scan->rows, scan->columns, &part);
	if (st != GT_OK)
		return st;
	gt_view *const views = part->view;
	*part = *scan;
	part->views = n;
	part->view = views;
	for (size_t i = 0; i < n; i++)
		views[i] = scan->view[view[i]];
	*out = part;
	return GT_OK;
}

gt_status study_ones(size_t n, float **x)
{
	const gt_status st = gt_host_room((double)n * sizeof **x, "an array of ones");
	if (st != GT_OK)
		return st;
	if (!(*x = malloc(n * sizeof **x)))
		return gt_fail(GT_ERR_MEMORY, "an array of ones needs %.3g MB", (double)n * 4e-6);
	for (size_t i = 0; i < n; i++)
		(*x)[i] = 1;
	return GT_OK;
}

static gt_status fetch(const gt_array *a, double *out)
{
	const size_t n = gt_array_size(a);
	if (gt_array_type(a) == GT_F64) {
		gt_array_get(a, out);
	} else {
		/* The floats go to the upper half and are widened from below. */
		float *single = (float *)(void *)out + n;
		gt_array_get(a, single);
		for (size_t i = 0; i < n; i++) {
			float value;
			memcpy(&value, single + i, sizeof value);
			memcpy(out + i, &(double){ value }, sizeof *out);
		}
	}
	return gt_backend_status(gt_array_backend(a));
}

gt_status study_apply(const study_way *way, int adjoint, const gt_grid *grid, const gt_scan *scan, const float *in, double *out)
{
	gt_backend *be = NULL;
	gt_linop *A = NULL;
	gt_array *x = NULL, *y = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(way->backend, &be));
	GT_TRY(gt_projector_new(way->projector, be, way->type, grid, scan, &A));
	GT_TRY(gt_array_new(be, way->type, gt_linop_nx(A), &x));
	GT_TRY(gt_array_new(be, way->type, gt_linop_ny(A), &y));
	gt_array_put_float(in, adjoint ? y : x);
	if (adjoint)
		gt_adjoint(A, y, x);
	else
		gt_forward(A, x, y);
	GT_TRY(fetch(adjoint ? x : y, out));
done:
	gt_array_free(x);
	gt_array_free(y);
	gt_linop_free(A);
	gt_backend_close(be);
	return st;
}

study_way study_way_of(const study_variant *v)
{
	return (study_way){ .backend = v->backend, .projector = v->projector->name, .type = v->type, .gpu = v->gpu };
}

study_error study_compare(const double *x, const double *reference, size_t n)
{
	double squares = 0, all = 0;
	study_error e = { 0 };
	for (size_t i = 0; i < n; i++) {
		const double d = fabs(x[i] - reference[i]);
		squares += d * d;
		all += reference[i] * reference[i];
		if (d > e.largest || isnan(d)) {
			e.largest = d;
			e.at = i;
		}
		e.peak = fmax(e.peak, fabs(reference[i]));
	}
	e.rmse = sqrt(squares / (double)n);
	e.size = sqrt(all / (double)n);
	e.relative = e.rmse / e.size;
	return e;
}

/* Slices of an adjoint ------------------------------------------------------ */

/* A slice of the grid alone: the same voxels. */
static gt_grid slice_of(const gt_grid *grid, size_t k)
{
	gt_grid g = *grid;
	g.n[2] = 1;
	g.center[2] = gt_grid_first(grid, 2) + (double)k * grid->pitch[2];
	return g;
}

enum { SAMPLES = 17, MARGIN = 2 };

/* Rows that some view sees the slice in, from a sample of its faces; the rest of the detector adds nothing to it. */
static void rows_of_slice(const gt_scan *scan, const gt_grid *g, size_t *first, size_t *count)
{
	const gt_detector d = gt_scan_detector(scan);
	const double low_z = gt_grid_first(g, 2) - g->pitch[2] / 2;
	double low = INFINITY, high = -INFINITY, column, row;
	for (size_t v = 0; v < scan->views; v++)
		for (int i = 0; i < SAMPLES * SAMPLES * 2; i++) {
			const int at[2] = { i / 2 % SAMPLES, i / 2 / SAMPLES };
			double p[3] = { 0, 0, low_z + (i % 2) * g->pitch[2] };
			for (int a = 0; a < 2; a++)
				p[a] = g->center[a] + (at[a] / (SAMPLES - 1.0) - 0.5) * (double)g->n[a] * g->pitch[a];
			if (gt_point_cell(&d, &scan->view[v], p, &column, &row)) {
				low = fmin(low, row);
				high = fmax(high, row);
			}
		}
	const double last = (double)scan->rows - 1, from = fmin(fmax(floor(low) - MARGIN, 0), last);
	const double to = fmin(fmax(ceil(high) + MARGIN, from), last);
	*first = (size_t)from;
	*count = (size_t)(to - from) + 1;
}

/* Those rows of the scan, and of its data. */
static gt_status cut_rows(const gt_scan *scan, const float *data, size_t first, size_t count, gt_scan **part, float **some)
{
	const size_t view = scan->rows * scan->columns, less = count * scan->columns;
	gt_status st = GT_OK;
	GT_TRY(gt_scan_clone(scan, part));
	(*part)->rows = count;
	(*part)->row_center -= (double)first;
	if (!(*some = malloc(scan->views * less * sizeof **some)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "rows of the projections need %.3g MB", (double)(scan->views * less) * 4e-6));
	for (size_t v = 0; v < scan->views; v++)
		memcpy(*some + v * less, data + v * view + first * scan->columns, less * sizeof **some);
done:
	return st;
}

static gt_status one_slice(const study_way *way, const gt_grid *grid, const gt_scan *scan, const float *data, size_t slice, double *out)
{
	const gt_grid one = slice_of(grid, slice);
	gt_scan *part = NULL;
	float *some = NULL;
	size_t first, count;
	rows_of_slice(scan, &one, &first, &count);
	gt_status st = cut_rows(scan, data, first, count, &part, &some);
	if (st == GT_OK)
		st = study_apply(way, 1, &one, part, some, out);
	gt_scan_free(part);
	free(some);
	return st;
}

/* The whole grid, on a GPU: its sums run over all slices. */
static gt_status whole_grid(const study_way *way, const gt_grid *grid, const gt_scan *scan, const float *data, const size_t *slice,
                            size_t n, double *out)
{
	const size_t voxels = gt_grid_voxels(grid), plane = grid->n[0] * grid->n[1];
	gt_status st = gt_host_room((double)voxels * sizeof *out, "the volume in double");
	double *all = st == GT_OK ? malloc(voxels * sizeof *all) : NULL;
	if (!all)
		return st != GT_OK ? st : gt_fail(GT_ERR_MEMORY, "out of memory");
	st = study_apply(way, 1, grid, scan, data, all);
	for (size_t k = 0; k < n && st == GT_OK; k++)
		memcpy(out + k * plane, all + slice[k] * plane, plane * sizeof *out);
	free(all);
	return st;
}

gt_status study_back_slices(const study_way *way, const gt_grid *grid, const gt_scan *scan, const float *data, const size_t *slice,
                            size_t n, double *out)
{
	gt_status st = GT_OK;
	if (way->gpu)
		return whole_grid(way, grid, scan, data, slice, n, out);
	for (size_t k = 0; k < n; k++)
		GT_TRY(one_slice(way, grid, scan, data, slice[k], out + k * grid->n[0] * grid->n[1]));
done:
	return st;
}
