/* What the parts of a study share: views of a scan, a projector applied to floats, slices of an adjoint, differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "apps/cli/try.h"
#include "apps/study/accuracy/accuracy.h"

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
	const gt_status st = gt_host_has_memory((double)n * sizeof **x, "an array of ones");
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

/* Parts of an adjoint ------------------------------------------------------- */

size_t study_box_voxels(const study_box *b) { return b->n[0] * b->n[1] * b->n[2]; }

/* The same voxels as a grid. */
static gt_grid grid_of(const gt_grid *grid, const study_box *b)
{
	gt_grid g = *grid;
	for (int a = 0; a < 3; a++) {
		g.n[a] = b->n[a];
		g.center[a] = gt_grid_first(grid, a) + ((double)b->first[a] + ((double)b->n[a] - 1) / 2) * grid->pitch[a];
	}
	return g;
}

enum { SAMPLES = 17, MARGIN = 2 };

/* Rows that some view sees the grid in, from a sample of its upper and lower face; low and high grow to hold them. */
static void rows_of(const gt_scan *scan, const gt_grid *g, double *low, double *high)
{
	const gt_detector d = gt_scan_detector(scan);
	const double height = (double)g->n[2] * g->pitch[2];
	double column, row;
	for (size_t v = 0; v < scan->views; v++)
		for (int i = 0; i < SAMPLES * SAMPLES * 2; i++) {
			const int at[2] = { i / 2 % SAMPLES, i / 2 / SAMPLES };
			double p[3] = { 0, 0, g->center[2] + (i % 2 - 0.5) * height };
			for (int a = 0; a < 2; a++)
				p[a] = g->center[a] + (at[a] / (SAMPLES - 1.0) - 0.5) * (double)g->n[a] * g->pitch[a];
			if (gt_point_pixel(&d, &scan->view[v], p, &column, &row)) {
				*low = fmin(*low, row);
				*high = fmax(*high, row);
			}
		}
}

/* The rows from low to high of the scan and of its data; the rest of the detector adds nothing. */
static gt_status cut_rows(const gt_scan *scan, const float *data, double low, double high, gt_scan **part, float **some)
{
	const double last = (double)scan->rows - 1, from = fmin(fmax(floor(low) - MARGIN, 0), last);
	const size_t first = (size_t)from, count = (size_t)(fmin(fmax(ceil(high) + MARGIN, from), last) - from) + 1;
	const size_t view = scan->rows * scan->columns, less = count * scan->columns;
	gt_status st = GT_OK;
	GT_TRY(gt_host_has_memory((double)(scan->views * less) * sizeof **some, "rows of the projections"));
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

/* One part: y is there. */
static gt_status back_box(const study_way *way, gt_backend *be, const gt_grid *part, const gt_scan *scan, const gt_array *y, double *out)
{
	gt_linop *A = NULL;
	gt_array *x = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_projector_new(way->projector, be, way->type, part, scan, &A));
	GT_TRY(gt_array_new(be, way->type, gt_linop_nx(A), &x));
	gt_adjoint(A, y, x);
	GT_TRY(fetch(x, out));
done:
	gt_array_free(x);
	gt_linop_free(A);
	return st;
}

static gt_status boxes_alone(const study_way *way, const gt_grid *grid, const gt_scan *scan, const float *data, const study_box *box,
                             size_t n, double *out)
{
	gt_backend *be = NULL;
	gt_scan *part = NULL;
	gt_array *y = NULL;
	float *some = NULL;
	double low = INFINITY, high = -INFINITY;
	gt_status st = GT_OK;
	for (size_t k = 0; k < n; k++) {
		const gt_grid g = grid_of(grid, &box[k]);
		rows_of(scan, &g, &low, &high);
	}
	GT_TRY(cut_rows(scan, data, low, high, &part, &some));
	GT_TRY(gt_backend_open(way->backend, &be));
	GT_TRY(gt_array_new(be, way->type, gt_scan_size(part), &y));
	gt_array_put_float(some, y);
	for (size_t k = 0; k < n; out += study_box_voxels(&box[k++])) {
		const gt_grid g = grid_of(grid, &box[k]);
		GT_TRY(back_box(way, be, &g, part, y, out));
	}
done:
	gt_array_free(y);
	gt_backend_close(be);
	gt_scan_free(part);
	free(some);
	return st;
}

static double *copy_box(const gt_grid *grid, const double *all, const study_box *b, double *out)
{
	for (size_t z = 0; z < b->n[2]; z++)
		for (size_t y = 0; y < b->n[1]; y++, out += b->n[0])
			memcpy(out, all + ((b->first[2] + z) * grid->n[1] + b->first[1] + y) * grid->n[0] + b->first[0],
			       b->n[0] * sizeof *out);
	return out;
}

/* On a GPU: its sums run over the whole grid. */
static gt_status boxes_of_all(const study_way *way, const gt_grid *grid, const gt_scan *scan, const float *data, const study_box *box,
                              size_t n, double *out)
{
	const size_t voxels = gt_grid_voxels(grid);
	gt_status st = gt_host_has_memory((double)voxels * sizeof *out, "the volume in double");
	double *all = st == GT_OK ? malloc(voxels * sizeof *all) : NULL;
	if (!all)
		return st != GT_OK ? st : gt_fail(GT_ERR_MEMORY, "out of memory");
	st = study_apply(way, 1, grid, scan, data, all);
	for (size_t k = 0; k < n && st == GT_OK; k++)
		out = copy_box(grid, all, &box[k], out);
	free(all);
	return st;
}

gt_status study_back(const study_way *way, const gt_grid *grid, const gt_scan *scan, const float *data, const study_box *box, size_t n,
                     double *out)
{
	return (way->gpu ? boxes_of_all : boxes_alone)(way, grid, scan, data, box, n, out);
}
