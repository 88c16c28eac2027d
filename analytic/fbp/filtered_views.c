/* Returns the filtered views that fdk backprojects. */
#include <math.h>
#include <stdlib.h>
#include <gantry/analytic.h>
#include "analytic/fbp/fbp.h"
#include "core/try.h"

enum { VIEWS_AT_ONCE = 8 };

/* Distance of the detector's plane from the source. */
static double plane_distance(const gt_view *w)
{
	double distance = 0;
	for (int a = 0; a < 3; a++) {
		const int b = (a + 1) % 3, c = (a + 2) % 3;
		distance += (w->column_axis[b] * w->row_axis[c] - w->column_axis[c] * w->row_axis[b]) * (w->detector[a] - w->source[a]);
	}
	return fabs(distance);
}

static void take_view(const gt_fbp_plan *p, size_t view, const float *scratch, double scale, float *out)
{
	for (size_t l = 0; l < p->rows; l++) {
		float *row = out + gt_back_row(&p->view[view], p->rows, l) * p->columns;
		for (size_t k = 0; k < p->columns; k++)
			row[k] = (float)(scale * (double)scratch[(p->row.lead + k) * p->rows + l]);
	}
}

/* fdk weights by (plane / depth)^2; a matrix with w = depth / (source to axis) by 1 / w^2. */
static gt_status take_matrix(const gt_scan *scan, size_t view, double matrix[12], double *scale)
{
	const double ratio = plane_distance(&scan->view[view]) / scan->source_to_axis;
	const gt_status st = gt_matrix_from_view(scan, view, matrix);
	for (int i = 0; i < 12; i++)
		matrix[i] /= scan->source_to_axis;
	*scale = ratio * ratio;
	return st;
}

gt_status gt_fdk_filtered(gt_backend *be, const gt_scan *scan, const void *options, const float *data, double (*matrix)[12], float *out)
{
	gt_fbp_plan *plan = NULL;
	void *state = NULL;
	size_t at_once = VIEWS_AT_ONCE;
	gt_grid grid;
	gt_status st = GT_OK;
	if (scan->shape != GT_FLAT || gt_scan_is_helical(scan))
		return gt_fail(GT_ERR_UNSUPPORTED, "filtered views with matrices: the scan is %s%s: expected a flat detector on a circle",
		               gt_shape_names[scan->shape], gt_scan_is_helical(scan) ? " and helical" : "");
	if (be->kind != GT_CPU || !(scan->source_to_axis > 0))
		return gt_fail(GT_ERR_ARG, "filtered views: expected the CPU and source_to_axis > 0, found %s and %g", gt_backend_name(be),
		               scan->source_to_axis);
	GT_TRY(gt_scan_check(scan));
	GT_TRY(gt_grid_default(scan, &grid));
	GT_TRY(gt_fbp_plan_new("fdk", &grid, scan, options ? options : &gt_fbp_defaults, be->pool, &plan));
	GT_TRY(gt_fbp_cpu.open(be, plan, GT_F32, &at_once, &state));
	for (size_t v = 0; v < plan->views; v += VIEWS_AT_ONCE) {
		const size_t n = plan->views - v < VIEWS_AT_ONCE ? plan->views - v : VIEWS_AT_ONCE;
		gt_fbp_cpu.filter(state, v, n, data);
		for (size_t i = 0; i < n; i++) {
			double scale;
			GT_TRY(take_matrix(scan, v + i, matrix[v + i], &scale));
			take_view(plan, v + i, (const float *)gt_fbp_cpu_filtered(state) + i * plan->row.wide * plan->rows, scale,
			          out + (v + i) * plan->rows * plan->columns);
		}
	}
done:
	if (state)
		gt_fbp_cpu.close(state);
	gt_fbp_plan_free(plan);
	return st;
}
